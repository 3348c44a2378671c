//! A seeded sample of MLX's kernels, checked in this process. `cargo xtask conform` checks all, in workers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mw_conform::check::Checker;
use mw_conform::outcome::Outcome;
use mw_conform::plan::Rules;
use mw_conform::sweep::Sweep;
use mw_conform::worker::check;
use mw_metallib::Library;

fn library() -> PathBuf {
    let folder =
        std::env::var_os("MW_LIBRARIES").expect("MW_LIBRARIES names the folder of Apple's libraries");
    Path::new(&folder).join("mlx14/mlx.metallib")
}

fn outcomes(filter: &str, sample: usize) -> Vec<Outcome> {
    let path = library();
    let sweep = Sweep {
        library: path.clone(),
        filter: Some(filter.parse().unwrap()),
        families: true,
        sample: Some(sample),
        seed: 1,
        jobs: 1,
        resume: None,
        retry: false,
        journal_only: false,
        limit: Duration::from_secs(600),
    };
    let libraries = Library::open_all(&path).unwrap();
    let checker = Checker::new(Rules::built_in(&path).unwrap(), 1).unwrap();
    let jobs = sweep.select().unwrap();
    assert_eq!(jobs.len(), sample);
    jobs.iter()
        .map(|job| {
            check(&checker, &libraries[job.request.library].function_at(job.request.function).unwrap())
        })
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

#[test]
fn families_are_as_many_as_ever() {
    let count = |families| {
        let sweep = Sweep {
            library: library(),
            filter: None,
            families,
            sample: None,
            seed: 0,
            jobs: 1,
            resume: None,
            retry: false,
            journal_only: false,
            limit: Duration::from_secs(1),
        };
        sweep.select().unwrap().len()
    };
    assert_eq!(count(false), 17_248);
    assert_eq!(count(true), 968);
}
