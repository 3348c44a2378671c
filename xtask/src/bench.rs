//! `cargo xtask bench WHAT`: the measurements of docs/benchmarks, on this machine.
//!
//! `mw-bench` measures; this builds the C loops that it is compared with, and says where pages go.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use xshell::cmd;

use crate::context::Context;
use crate::demo::bench;

/// Measure: `peers` beside PoCL, MLX's CPU, NumPy and C; `compile` time; `dispatch` cost and memory.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which measurements; all of them without a name.
    #[arg(value_enum)]
    what: Vec<What>,
    /// Write the results to docs/benchmarks, with machine and date.
    #[arg(long)]
    write: bool,
    /// Passed on to `mw-bench`, such as `-- --rounds 3`.
    #[arg(last = true)]
    rest: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    Peers,
    Compile,
    Dispatch,
}

impl What {
    const ALL: [Self; 3] = [Self::Peers, Self::Compile, Self::Dispatch];

    fn name(self) -> &'static str {
        match self {
            Self::Peers => "peers",
            Self::Compile => "compile",
            Self::Dispatch => "dispatch",
        }
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let chosen = if args.what.is_empty() { &What::ALL[..] } else { &args.what };
    for what in chosen {
        let mut rest = args.rest.clone();
        if args.write {
            let folder = context.root.join("docs/benchmarks");
            fs::create_dir_all(&folder).context("cannot make docs/benchmarks")?;
            rest.extend(["--write".to_owned(), format!("docs/benchmarks/{}.md", what.name())]);
        }
        if *what == What::Peers {
            rest.extend(["--roof".to_owned(), roof(context)?.display().to_string()]);
            install_peers(context)?;
        }
        bench(context, what.name(), &rest)?;
    }
    Ok(())
}

/// Builds the plain C loops for this machine.
fn roof(context: &Context) -> Result<PathBuf> {
    let folder = context.root.join(".cache/bench");
    fs::create_dir_all(&folder).context("cannot make .cache/bench")?;
    let program = folder.join("roof");
    let source = context.root.join("crates/mw-bench/benches/roof.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "gcc".to_owned());
    // With `-ffast-math` gcc takes the vector forms of tanhf and expf out of libm.
    cmd!(context.shell, "{compiler} -O3 -march=native -ffast-math -pthread {source} -o {program} -lm")
        .quiet()
        .run()
        .context("the C loops do not compile: is there a C compiler (set CC to name one)?")?;
    Ok(program)
}

/// `OpenCL` for Python. Without it, or without `PoCL`, the other peers are still measured.
fn install_peers(context: &Context) -> Result<()> {
    let python = context.root.join(".venv/bin/python");
    if cmd!(context.shell, "{python} -c 'import pyopencl'").quiet().ignore_stderr().run().is_err() {
        cmd!(context.shell, "{python} -m pip --disable-pip-version-check install --quiet pyopencl")
            .run()
            .context("pip cannot install pyopencl: run `make setup` first")?;
    }
    let platforms = "import pyopencl; pyopencl.get_platforms()";
    if cmd!(context.shell, "{python} -c {platforms}").quiet().ignore_stderr().run().is_err() {
        println!(
            "note: no OpenCL driver here; `apt-get install pocl-opencl-icd ocl-icd-libopencl1` adds PoCL"
        );
    }
    Ok(())
}
