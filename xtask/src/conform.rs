//! `cargo xtask conform TAG`: every kernel of a library on both engines, journalled and resumable.
//!
//! `mw conform` does the work. The journal lies in `.cache/conform/`; without `--families` or `--filter` the
//! result is written down in `docs/conformance/TAG.md`. `--ci` is what `make test` runs instead: one kernel of
//! each name family of MLX, and seeded samples of every library, processor level and AArch64.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use xshell::cmd;

use crate::context::Context;

/// Run every kernel of a library on the interpreter and as compiled code, and compare bit by bit.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The library: a tag of `cargo xtask libraries`.
    #[arg(required_unless_present = "ci")]
    tag: Option<String>,
    /// Only one kernel of each name family, without a journal.
    #[arg(long)]
    families: bool,
    /// One kernel of each name family of MLX and samples of everything else: a line each.
    #[arg(long, conflicts_with_all = ["tag", "families"])]
    ci: bool,
    /// Passed on to `mw conform`, such as `-- --filter gemm --jobs 2`.
    #[arg(last = true)]
    rest: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    match &args.tag {
        Some(tag) => whole(args, tag, context),
        None => samples(context),
    }
}

fn whole(args: &Args, tag: &str, context: &Context) -> Result<()> {
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
    let cargo = cargo();
    cmd!(
        context.shell,
        "{cargo} run --quiet --release --package mw-cli -- conform {library} {options...} {rest...}"
    )
    .quiet()
    .run()
    .with_context(|| format!("not every kernel of `{tag}` agrees"))
}

/// A part of `--ci`: the library, what is said about the part, options of `mw conform`, and `MW_CPU`.
struct Part {
    tag: &'static str,
    what: &'static str,
    options: &'static [&'static str],
    cpu: Option<&'static str>,
}

const fn part(tag: &'static str, what: &'static str, options: &'static [&'static str]) -> Part {
    Part { tag, what, options, cpu: None }
}

const fn level(cpu: &'static str) -> Part {
    Part { tag: "mlx14", what: "sample", options: &["--sample", "40", "--seed", "6"], cpu: Some(cpu) }
}

/// Low coverage must be explained by a launch rule where rules cover the library.
const PARTS: [Part; 12] = [
    part("mlx14", "one of each family", &["--families", "--strict", "--limit", "900"]),
    part("mlx14", "sample", &["--sample", "150", "--seed", "1", "--strict", "--limit", "900"]),
    part("mlx26", "sample without tensor operations", &["--sample", "60", "--seed", "2", "--filter", MLX26]),
    part("torch", "sample of elementwise kernels", &["--sample", "80", "--seed", "3", "--filter", TORCH]),
    part(
        "kquant",
        "sample without tensor operations",
        &["--sample", "12", "--seed", "4", "--filter", KQUANT],
    ),
    part("metalq", "all", &[]),
    part("msplat", "all", &[]),
    part("mfa2", "all", &[]),
    part("mlx14", "sample on AArch64", &["--sample", "20", "--seed", "5", "--limit", "900", "--emulate"]),
    level("x86-64-v2"),
    level("x86-64-v3"),
    level("x86-64-v4"),
];

const MLX26: &str =
    "^(v|g|s[sv]|col_|row_|all_|arg|n?c_|rms|layer|rope|sdpa_v|gemv|affine_q[mv]v_|fft|looped|block)";
const TORCH: &str =
    "_(dense|strided|inner_contiguous)_(cast|scalar|broadcast|ilp|float|half|bfloat|int|long)";
const KQUANT: &str = "_(qmv|qvm|dequantize|quantize)_";

fn samples(context: &Context) -> Result<()> {
    let cargo = cargo();
    let mut failed = Vec::new();
    for part in &PARTS {
        let what = part.cpu.map_or_else(|| part.what.to_owned(), |cpu| format!("{} on {cpu}", part.what));
        if let Some(missing) = part.cpu.and_then(missing_feature) {
            println!("conform {}, {what}: left out, this machine has no {missing}", part.tag);
            continue;
        }
        let library = library(context, part.tag)?;
        let options = part.options;
        // The same build as the tests: code is LLVM's, and it was built for speed.
        let command = cmd!(
            context.shell,
            "{cargo} run --quiet --package mw-cli -- conform {library} --brief {options...}"
        );
        let command = match part.cpu {
            Some(cpu) => command.env("MW_CPU", cpu),
            None => command.env_remove("MW_CPU"),
        };
        let output = command.quiet().ignore_status().output().context("`mw` cannot be started")?;
        print!("{what}: {}", String::from_utf8_lossy(&output.stdout));
        if !output.status.success() {
            ensure!(output.status.code() == Some(1), "{}", String::from_utf8_lossy(&output.stderr));
            failed.push(format!("{} ({what})", part.tag));
        }
    }
    if !failed.is_empty() {
        bail!("not every kernel agrees in: {}", failed.join(", "));
    }
    Ok(())
}

/// A feature that the processor lacks for a level of x86-64.
fn missing_feature(cpu: &str) -> Option<&'static str> {
    if !cfg!(target_arch = "x86_64") {
        return Some("x86-64 instructions");
    }
    let needed: &[&'static str] = match cpu {
        "x86-64-v4" => &["avx512f", "avx512bw", "avx512dq", "avx512vl"],
        "x86-64-v3" => &["avx2", "fma", "bmi2"],
        _ => &[],
    };
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags: Vec<&str> =
        known.lines().find(|line| line.starts_with("flags")).unwrap_or_default().split_whitespace().collect();
    needed.iter().find(|feature| !flags.contains(feature)).copied()
}

fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// The library's file: where `MW_LIBRARIES` says, or where `cargo xtask libraries` puts it.
fn library(context: &Context, tag: &str) -> Result<PathBuf> {
    let folder = std::env::var_os("MW_LIBRARIES")
        .map_or_else(|| context.root.join(".cache/libraries"), PathBuf::from)
        .join(tag);
    let is_library = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "metallib" || extension == "dylib")
    };
    let found = context.shell.read_dir(&folder).unwrap_or_default().into_iter().find(is_library);
    found.with_context(|| format!("{} has no library: run `cargo xtask libraries {tag}`", folder.display()))
}
