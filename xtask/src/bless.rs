//! `cargo xtask bless [filter]`: run tests and let them write what they expect.
//!
//! Sets `MW_BLESS=1` (our snapshot harnesses) and `INSTA_UPDATE=always` (inline snapshots).
//! Look at the diff afterwards: a blessed mistake is still a mistake.

use anyhow::Result;
use xshell::cmd;

use crate::context::Context;

/// Run the tests and accept what they produce as the new expectation.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Bless only tests whose name contains this.
    filter: Option<String>,
    /// Bless only the tests of this crate.
    #[arg(short, long)]
    package: Option<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let shell = &context.shell;
    let _bless = shell.push_env("MW_BLESS", "1");
    let _insta = shell.push_env("INSTA_UPDATE", "always");
    let scope: Vec<&str> = match &args.package {
        Some(package) => vec!["--package", package],
        None => vec!["--workspace"],
    };
    let filter = &args.filter;
    cmd!(shell, "cargo nextest run --no-fail-fast {scope...} {filter...}").run()?;
    cmd!(shell, "git status --short").quiet().run()?;
    Ok(())
}
