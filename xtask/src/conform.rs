//! `cargo xtask conform TAG`: every kernel of a library on both engines, journalled and resumable.
//!
//! `mw conform` does the work. The journal lies in `.cache/conform/`; without `--families` or `--filter` the
//! result is written down in `docs/conformance/TAG.md`.

use anyhow::{Context as _, Result};
use xshell::cmd;

use crate::context::Context;

/// Run every kernel of a library on the interpreter and as compiled code, and compare bit by bit.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The library: a tag of `cargo xtask libraries`.
    tag: String,
    /// Only one kernel of each name family, without a journal.
    #[arg(long)]
    families: bool,
    /// Passed on to `mw conform`, such as `-- --filter gemm --jobs 2`.
    #[arg(last = true)]
    rest: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let tag = &args.tag;
    let library = library(context, tag)?;
    let mut options: Vec<std::ffi::OsString> = Vec::new();
    if args.families {
        options.push("--families".into());
    } else {
        let folder = context.root.join(".cache/conform");
        context.shell.create_dir(&folder)?;
        options.extend(["--resume".into(), folder.join(format!("{tag}.journal")).into()]);
        // A page about a part of the library would pass for one about all of it.
        if args.rest.is_empty() {
            let page = context.root.join(format!("docs/conformance/{tag}.md"));
            options.extend(["--report".into(), page.into()]);
        }
    }
    let rest = &args.rest;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    cmd!(
        context.shell,
        "{cargo} run --quiet --release --package mw-cli -- conform {library} {options...} {rest...}"
    )
    .quiet()
    .run()
    .with_context(|| format!("not every kernel of `{tag}` agrees"))
}

/// The library's file: where `MW_LIBRARIES` says, or where `cargo xtask libraries` puts it.
fn library(context: &Context, tag: &str) -> Result<std::path::PathBuf> {
    let folder = std::env::var_os("MW_LIBRARIES")
        .map_or_else(|| context.root.join(".cache/libraries"), std::path::PathBuf::from)
        .join(tag);
    let is_library = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|extension| extension == "metallib" || extension == "dylib")
    };
    let found = context.shell.read_dir(&folder).unwrap_or_default().into_iter().find(is_library);
    found.with_context(|| format!("{} has no library: run `cargo xtask libraries {tag}`", folder.display()))
}
