//! `mw completions SHELL`.

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::output::Output;

pub(crate) fn run(args: &CompletionsArgs, output: &Output) {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mw", &mut script);
    output.raw(&String::from_utf8_lossy(&script));
}
