//! Passes on small kernels: `tests/passes/<pass>/<what happens>.ll` holds a kernel, a line of dashes, and
//! what the pass makes of it.
//!
//! The kernel is `k` of `tests/run/README.md`, without its metadata. `MW_BLESS=1` writes what comes out.

use std::path::{Path, PathBuf};

use mw_air::schema::ModuleInfo;
use mw_air::{Module, PrintOptions};
use mw_passes::abi::ThreadgroupShape;
use mw_passes::{scalarize, vectorize};

const SEPARATOR: &str = "; ----------------------------------------------------------------------------\n";

fn read(kernel: &str) -> (Module, ModuleInfo) {
    let metadata = include_str!("../../../tests/kernel_metadata.ll");
    let text = format!("target triple = \"air64_v26-apple-macosx14.0.0\"\n{kernel}\n{metadata}");
    let module = mw_air::parse(&text).expect("valid text");
    mw_air::verify(&module).expect("valid module");
    let info = ModuleInfo::parse(&module).expect("valid schema");
    (module, info)
}

fn scalarize(kernel: &str) -> Module {
    let (module, info) = read(kernel);
    scalarize::run(&module, &info.kernels[0]).expect("takes it apart")
}

/// Widens what `scalarize` leaves. The first line of the kernel says which shape: `; shape: linear full`.
fn vectorize(kernel: &str) -> Module {
    let words = kernel.lines().next().and_then(|line| line.strip_prefix("; shape: ")).expect("a shape");
    let shape = ThreadgroupShape { linear: words.contains("linear"), full: words.contains("full") };
    let (_, info) = read(kernel);
    let options = vectorize::Options {
        shape,
        masked_memory: true,
        two_register_permutes: false,
        flush_denormals: true,
    };
    vectorize::run(&scalarize(kernel), &info.kernels[0], options).expect("widens").module
}

/// The kernel and what was expected of the pass, `None` if nobody said it yet.
fn split(text: &str) -> (&str, Option<&str>) {
    text.split_once(SEPARATOR).map_or((text, None), |(kernel, expected)| (kernel, Some(expected)))
}

/// The files of `tests/passes/<pass>` whose pass does not do what they say.
fn check(pass: &str, run: impl Fn(&str) -> Module) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/passes").join(pass);
    let mut files: Vec<PathBuf> =
        folder.read_dir().expect("a folder").map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "no kernels in {}", folder.display());
    let mut failures = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("readable");
        let (kernel, expected) = split(&text);
        let module = run(kernel);
        mw_air::verify(&module).expect("the pass leaves a valid module");
        let options = PrintOptions { metadata: false, ..PrintOptions::default() };
        let printed = mw_air::print(&module, &options);
        if expected == Some(&printed) {
            continue;
        }
        if std::env::var_os("MW_BLESS").is_some() {
            std::fs::write(&file, format!("{kernel}{SEPARATOR}{printed}")).expect("writable");
        } else {
            failures.push(format!("{}: the pass gives\n{printed}", file.display()));
        }
    }
    assert!(failures.is_empty(), "{}\naccept with `cargo xtask bless snapshots`", failures.join("\n"));
}

#[test]
fn scalarize_leaves_what_the_snapshots_say() {
    check("scalarize", scalarize);
}

#[test]
fn vectorize_leaves_what_the_snapshots_say() {
    check("vectorize", vectorize);
}
