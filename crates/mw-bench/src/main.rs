//! `mw-bench`: Apple's kernels on this machine, checked and timed. `cargo xtask demo` and `cargo xtask bench`
//! start it.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the terminal")]

mod compile;
mod demo;
mod dispatch;
mod peers;
mod verification;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Apple's kernels on this machine, checked and timed.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Compile(compile::Args),
    Demo(demo::Args),
    Dispatch(dispatch::Args),
    Peers(peers::Args),
    Verify(verification::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Compile(args) => compile::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Dispatch(args) => dispatch::run(&args),
        Command::Peers(args) => peers::run(&args),
        Command::Verify(args) => verification::run(&args),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
