//! Every reference case on the CPU engine, and one case of each family on the interpreter.
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
    attention, binary, copies, lookups, matmuls, quantised, reductions, rotations, rows, scans, sorts, unary,
);

#[test]
fn every_group_has_its_test_and_there_are_enough_families() {
    let set = references();
    let groups: BTreeSet<&str> = set.cases.iter().map(|case| case.group.as_str()).collect();
    assert_eq!(groups, GROUPS.iter().copied().collect());
    let families: BTreeSet<&str> = set.cases.iter().map(|case| case.family.as_str()).collect();
    assert!(families.len() >= 80, "{} families", families.len());
}

/// The interpreter is slow: launches of many threads are left to the CPU engine.
#[test]
fn the_interpreter_agrees() {
    const THREADS: usize = 4096;
    let threads = |case: &Case| -> usize {
        let of_step = |step: &mw_bench::Step| {
            let group: usize = step.threadgroup.iter().product();
            let grid = step.grid.map(|grid| grid.iter().product());
            grid.or(step.threadgroups.map(|groups| groups.iter().product::<usize>() * group)).unwrap_or(0)
        };
        case.steps.iter().map(of_step).sum()
    };
    let set = references();
    let mut seen = BTreeSet::new();
    let chosen: BTreeSet<(String, String)> = set
        .cases
        .iter()
        .filter(|case| threads(case) <= THREADS && seen.insert(case.family.clone()))
        .map(|case| (case.family.clone(), case.name.clone()))
        .collect();
    check(Engine::Interp, |case| chosen.contains(&(case.family.clone(), case.name.clone())));
}
