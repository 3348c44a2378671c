//! `mw conform` alone, without the rest of the command line.

use std::process::ExitCode;

use clap::Parser;
use mw_conform::command::{Conform, ConformWorker};

/// Arguments.
#[derive(Parser)]
enum Command {
    /// Sweep.
    Sweep(Conform),
    /// Worker.
    Worker(ConformWorker),
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    match Command::parse() {
        Command::Sweep(conform) => {
            let clean = conform.run("worker", &mut std::io::stdout().lock())?;
            Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::Worker(worker) => {
            worker.run()?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
