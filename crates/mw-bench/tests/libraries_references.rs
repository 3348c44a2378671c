//! Every reference case on both engines.
//!
//! The cases are made by `cargo xtask references`, which `make test` calls.

use std::collections::BTreeSet;
use std::path::PathBuf;

use metalworking::{Engine, Library};
use mw_bench::{Case, Set, Verdict, mlx_library, verify};

fn references() -> Set {
    let folder = std::env::var_os("MW_REFERENCES").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/reference"),
        PathBuf::from,
    );
    Set::open(&folder).unwrap_or_else(|error| panic!("{error}; `cargo xtask references` makes them"))
}

fn check(engine: Engine, chosen: impl Fn(&Case) -> bool) {
    let set = references();
    let library = Library::open(&mlx_library().unwrap()).unwrap();
    let device = engine.device(None).unwrap();
    let cases: Vec<&Case> = set.cases.iter().filter(|case| chosen(case)).collect();
    assert!(!cases.is_empty(), "no case was chosen");
    let verdicts = verify(&device, &library, &set, &cases, &|_| ());
    let complaints: Vec<String> = verdicts.iter().filter_map(Verdict::complaint).collect();
    assert!(
        complaints.is_empty(),
        "{} of {} cases are wrong:\n{}",
        complaints.len(),
        verdicts.len(),
        complaints.join("\n")
    );
}

macro_rules! group {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            check(Engine::Cpu, |case| case.group == stringify!($name));
        })*

        const GROUPS: &[&str] = &[$(stringify!($name)),*];
    };
}

group!(
    attention,
    binary,
    copies,
    gathers,
    lookups,
    matmuls,
    microscaled,
    quantised,
    reductions,
    rotations,
    rows,
    scans,
    sorts,
    transforms,
    unary,
);

#[test]
fn every_group_has_its_test_and_there_are_enough_families() {
    let set = references();
    let groups: BTreeSet<&str> = set.cases.iter().map(|case| case.group.as_str()).collect();
    assert_eq!(groups, GROUPS.iter().copied().collect());
    let families: BTreeSet<&str> = set.cases.iter().map(|case| case.family.as_str()).collect();
    assert!(families.len() >= 80, "{} families", families.len());
}

#[test]
fn the_interpreter_agrees() {
    check(Engine::Interp, |case| case.strays.is_none());
}

/// Apple's kernels read beside their arguments here and there. The interpreter says so, and only there.
#[test]
fn the_interpreter_reports_strays() {
    let set = references();
    let library = Library::open(&mlx_library().unwrap()).unwrap();
    let device = Engine::Interp.device(None).unwrap();
    let cases: Vec<&Case> = set.cases.iter().filter(|case| case.strays.is_some()).collect();
    assert!(!cases.is_empty());
    for verdict in verify(&device, &library, &set, &cases, &|_| ()) {
        let error = verdict.outcomes.expect_err(&verdict.case.name);
        assert!(error.contains(" reads "), "{error}");
        assert!(error.contains("argument"), "{error}");
    }
}
