//! A seeded sample of MLX's kernels, checked in this process. `cargo xtask conform` checks all, in workers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mw_conform::against::Comparison;
use mw_conform::outcome::{Class, Outcome};
use mw_conform::sweep::Sweep;
use mw_conform::worker::{Work, check};
use mw_metallib::Library;

fn folder() -> PathBuf {
    std::env::var_os("MW_LIBRARIES").expect("MW_LIBRARIES names the folder of Apple's libraries").into()
}

fn library() -> PathBuf {
    folder().join("mlx14/mlx.metallib")
}

/// All of MLX's kernels for macOS 14, or one of each family.
fn sweep(families: bool) -> Sweep {
    Sweep {
        library: library(),
        filter: None,
        families,
        sample: None,
        seed: 0,
        jobs: 1,
        resume: None,
        retry: false,
        journal_only: false,
        limit: Duration::from_secs(600),
    }
}

fn outcomes(filter: &str, sample: usize) -> Vec<Outcome> {
    let path = library();
    let sweep = Sweep { filter: Some(filter.parse().unwrap()), sample: Some(sample), seed: 1, ..sweep(true) };
    let libraries = Library::open_all(&path).unwrap();
    let work = Work::engines(&path, 1, None).unwrap();
    let jobs = sweep.select().unwrap();
    assert_eq!(jobs.len(), sample);
    jobs.iter()
        .map(|job| check(&work, &libraries[job.request.library].function_at(job.request.function).unwrap()))
        .collect()
}

fn assert_agreement(outcomes: &[Outcome]) {
    for outcome in outcomes {
        assert!(!outcome.class.fails(), "{}: {}: {}", outcome.name, outcome.class.name(), outcome.detail);
        assert!(outcome.cases > 0, "{}: nothing was compared", outcome.name);
    }
}

#[test]
fn elementwise_kernels_agree() {
    assert_agreement(&outcomes("^(v|vv|sv|gn|g|vn|s)\\d?n?(large)?_", 20));
}

#[test]
fn reductions_scans_and_sorts_agree() {
    assert_agreement(&outcomes("reduce_|_scan_|sort_|^arg|softmax|rms|layer_norm", 12));
}

#[test]
fn products_agree() {
    assert_agreement(&outcomes("^affine_qmv|^gemv|^steel_gemm_splitk", 4));
}

/// What a library uses that no engine has: `unsupported/TAG.toml`, which may shrink and not grow.
#[derive(serde::Serialize, serde::Deserialize)]
struct Unsupported {
    /// Name families of which a kernel uses such a function.
    families: usize,
    /// The functions.
    functions: BTreeSet<String>,
}

/// One kernel of each name family is looked at.
fn unsupported(library: &str) -> Unsupported {
    let path = folder().join(library);
    let sweep = Sweep { library: path.clone(), ..sweep(true) };
    let libraries = Library::open_all(&path).unwrap();
    let mut found = Unsupported { families: 0, functions: BTreeSet::new() };
    for job in sweep.select().unwrap() {
        let function = libraries[job.request.library].function_at(job.request.function).unwrap();
        let mut module = function.read_module().unwrap_or_else(|error| panic!("{}: {error}", job.name));
        if let Err(error) = mw_builtins::link(&mut module) {
            found.families += 1;
            found.functions.extend(error.problems.iter().map(|problem| problem.name().to_owned()));
        }
    }
    found
}

fn assert_nothing_new(tag: &str, library: &str) {
    let found = unsupported(library);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("unsupported/{tag}.toml"));
    if std::env::var_os("MW_BLESS").is_some() {
        let text = toml::to_string_pretty(&found).unwrap();
        std::fs::write(&page, format!("# Written by `cargo xtask bless`: may shrink and not grow.\n{text}"))
            .unwrap();
    }
    let text = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let known: Unsupported = toml::from_str(&text).unwrap();
    let new: Vec<&String> = found.functions.difference(&known.functions).collect();
    assert!(new.is_empty(), "{tag}: no longer supported: {new:?}");
    assert!(
        found.families <= known.families,
        "{tag}: {} families, {} before",
        found.families,
        known.families
    );
}

#[test]
fn mlx_for_macos_14_uses_nothing_unsupported() {
    let found = unsupported("mlx14/mlx.metallib");
    assert_eq!((found.families, found.functions), (0, BTreeSet::new()));
}

#[test]
fn mlx_for_macos_26_uses_nothing_new() {
    assert_nothing_new("mlx26", "mlx26/mlx.metallib");
}

#[test]
fn pytorch_uses_nothing_new() {
    assert_nothing_new("torch", "torch/libtorch_cpu.dylib");
}

#[test]
fn kquant_uses_nothing_new() {
    assert_nothing_new("kquant", "kquant/mlx_kquant.metallib");
}

#[test]
fn families_are_as_many_as_ever() {
    let count = |families| sweep(families).select().unwrap().len();
    assert_eq!(count(false), 17_248);
    assert_eq!(count(true), 968);
}

#[test]
fn kernels_are_compared_with_another_library() {
    let comparison = Comparison::new(&library(), 1).unwrap();
    let libraries = Library::open_all(library()).unwrap();
    let module = |name: &str| libraries[0].function(name).unwrap().read_module().unwrap();
    let sum = "vv_Addfloat32";
    let outcome = comparison.check(sum, "", module(sum));
    assert_eq!((outcome.class, &*outcome.detail), (Class::Ok, ""));
    // A difference under the sum's name.
    let mut difference = module("vv_Subtractfloat32");
    for function in &mut difference.functions {
        if &*function.name == "vv_Subtractfloat32" {
            function.name = sum.into();
        }
    }
    let outcome = comparison.check(sum, "", difference);
    assert_eq!(outcome.class, Class::Mismatch);
    assert!(outcome.detail.contains("by the other kernel and"), "{}", outcome.detail);
    assert_eq!(comparison.check("sum_of_sums", "", module(sum)).class, Class::Absent);
}
