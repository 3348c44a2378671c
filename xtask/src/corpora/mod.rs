//! `cargo xtask corpora`: Metal sources of public packages, and how far each gets with our compiler.

mod against;
mod fetch;
mod instances;
mod packages;
mod report;
mod tables;
mod tool;

use anyhow::Result;

use crate::context::Context;

/// Fetch the Metal sources of public packages; compile and run them.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    part: Part,
}

#[derive(clap::Subcommand)]
enum Part {
    Against(against::Args),
    Fetch(fetch::Args),
    Report(report::Args),
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    match &args.part {
        Part::Against(args) => against::run(args, context),
        Part::Fetch(args) => fetch::run(args, context),
        Part::Report(args) => report::run(args, context),
    }
}
