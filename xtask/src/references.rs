//! `cargo xtask references`: the expected results that kernels are tested against.
//!
//! `make test` makes them when they are missing; with `--check` all cases run, with `--write` the table of
//! kernel families in docs/conformance is written.

use anyhow::{Context as _, Result};

use crate::context::Context;
use crate::demo::{bench, references};

/// Compute reference values for all kernel families into .cache/reference.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compute them again even if they are there.
    #[arg(long)]
    force: bool,
    /// Run every case afterwards.
    #[arg(long)]
    check: bool,
    /// Run every case afterwards and write docs/conformance/references.md.
    #[arg(long)]
    write: bool,
}

const PAGE: &str = "docs/conformance/references.md";

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    references(context, "families", args.force)?;
    if args.write {
        let folder = context.root.join(PAGE);
        let folder = folder.parent().context("the page has a folder")?;
        std::fs::create_dir_all(folder).context("cannot make docs/conformance")?;
        return bench(context, "verify", &["--write".to_owned(), PAGE.to_owned()]);
    }
    if args.check { bench(context, "verify", &[]) } else { Ok(()) }
}
