//! `cargo xtask <chore>`: every chore of this repository that is more than one cargo command.
//!
//! One file (or folder) per chore, each with an `Args` struct that clap reads and a `run` that does it.
//! To add one: write `src/<chore>.rs`, name it as a module below, add a variant to `Chore` and a line to the
//! match in `main`.
//! This crate must build on a machine without LLVM, because `make setup` calls it: a chore that compiles or
//! runs kernels starts the `mw` binary instead of linking its crates (`cargo xtask tidy` checks that).
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "chores talk to the terminal")]

mod bench;
mod bless;
mod book;
mod codegen;
mod conform;
mod context;
mod corpora;
mod demo;
mod libraries;
mod python;
mod references;
mod tidy;
mod wasm;
mod wheel;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::context::Context;

/// Chores of the metalworking repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    Bench(bench::Args),
    Bless(bless::Args),
    Book(book::Args),
    Codegen(codegen::Args),
    Conform(conform::Args),
    Corpora(corpora::Args),
    Demo(demo::Args),
    Libraries(libraries::Args),
    Python(python::Args),
    References(references::Args),
    Tidy(tidy::Args),
    Wasm(wasm::Args),
    Wheel(wheel::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = Context::find().and_then(|context| match &cli.chore {
        Chore::Bench(args) => bench::run(args, &context),
        Chore::Bless(args) => bless::run(args, &context),
        Chore::Book(args) => book::run(args),
        Chore::Codegen(args) => codegen::run(args, &context),
        Chore::Conform(args) => conform::run(args, &context),
        Chore::Corpora(args) => corpora::run(args, &context),
        Chore::Demo(args) => demo::run(args, &context),
        Chore::Libraries(args) => libraries::run(args, &context),
        Chore::Python(args) => python::run(args, &context),
        Chore::References(args) => references::run(args, &context),
        Chore::Tidy(args) => tidy::run(args, &context),
        Chore::Wasm(args) => wasm::run(args, &context),
        Chore::Wheel(args) => wheel::run(args, &context),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
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
