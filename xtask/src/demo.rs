//! `cargo xtask demo`: runs Apple's own kernels on this machine, compares with MLX, prints a table.
//!
//! Python computes MLX's results and times once (`python/reference`); `mw-bench` runs the kernels.

use anyhow::{Context as _, Result, ensure};
use xshell::cmd;

use crate::context::Context;

/// Run Apple's own kernels on this CPU, compare each with MLX, and print a table.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compute MLX's results and times again.
    #[arg(long)]
    force: bool,
    /// Passed on to `mw-bench demo`, such as `-- --filter softmax --json`.
    #[arg(last = true)]
    rest: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    references(context, "demo", args.force)?;
    bench(context, "demo", &args.rest)
}

/// Makes a set of reference values unless it is there.
pub(crate) fn references(context: &Context, set: &str, force: bool) -> Result<()> {
    let python = context.root.join(".venv/bin/python");
    ensure!(python.exists(), "there is no .venv: run `make setup`");
    let force = force.then_some("--force");
    // Some systems set these for OpenBLAS, and then it uses code for another CPU.
    cmd!(context.shell, "{python} -m reference {set} {force...}")
        .env("PYTHONPATH", context.root.join("python"))
        .env_remove("OPENBLAS_CORETYPE")
        .env_remove("OPENBLAS_L2_SIZE")
        .quiet()
        .run()
        .with_context(|| format!("the reference values `{set}` cannot be made"))
}

/// Starts `mw-bench`, built for speed. This crate itself links no LLVM.
pub(crate) fn bench(context: &Context, command: &str, rest: &[String]) -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    cmd!(context.shell, "{cargo} run --quiet --release --package mw-bench -- {command} {rest...}")
        .quiet()
        .run()
        .with_context(|| format!("`mw-bench {command}` failed"))
}
