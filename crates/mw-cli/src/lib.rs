//! The command line of metalworking, as a function: the binary `mw` calls it, and so does the Python package.

mod cli;
mod commands;
mod exit;
mod library;
mod markdown;
mod output;
mod script;
mod source;

use std::ffi::OsString;

use clap::Parser as _;

use crate::cli::{Cli, Command};
use crate::exit::Failure;
use crate::output::Output;

/// Runs `mw` with these arguments, the program's name first, and gives its exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(words) = script::words(&args) {
        let failure = script::run(words);
        Output::new(false).failure(&failure);
        return failure.code();
    }
    let cli = match Cli::try_parse_from(source::modern_flags(args.into_iter())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too, and are no failure.
            let code = if error.use_stderr() { exit::USAGE } else { exit::OK };
            drop(error.print());
            return code;
        }
    };
    let output = Output::new(cli.command.is_json());
    let outcome = match &cli.command {
        Command::Compile(args) => commands::compile::run(args, &output),
        Command::Check(args) => commands::check::run(args, &output),
        Command::Explain(args) => commands::explain::run(args, &output),
        Command::Inspect(args) => commands::inspect::run(args, &output),
        Command::Disassemble(args) => commands::disassemble::run(args, &output),
        Command::Run(args) => commands::run::run(args, &output),
        Command::Conform(args) => commands::conform::run(args),
        Command::ConformWorker(args) => args.run().map_err(Into::into),
        Command::Chips(args) => commands::chips::run(args, &output),
        Command::Occupancy(args) => commands::occupancy::run(args, &output),
        Command::Roofline(args) => commands::roofline::run(args, &output),
        Command::Completions(args) => {
            commands::completions::run(args, &output);
            Ok(())
        }
    };
    output.flush();
    match outcome {
        Ok(()) => exit::OK,
        Err(failure) => {
            output.failure(&failure);
            failure.code()
        }
    }
}

/// What every command gives back.
type Outcome = Result<(), Failure>;

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
