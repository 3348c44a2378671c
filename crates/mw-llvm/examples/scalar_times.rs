//! Time of each step of the scalar clean-up over a folder of bitcode files.
#![expect(clippy::print_stdout, reason = "a command for the terminal")]

use std::collections::BTreeMap;
use std::time::Duration;

use mw_llvm::{ScalarOptions, Timings, optimize_scalar_timed};

fn main() {
    let folder = std::env::args().nth(1).expect("usage: scalar_times FOLDER");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("folder can be read")
        .map(|entry| entry.expect("entry can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bc"))
        .collect();
    files.sort();
    let mut sums: BTreeMap<&str, Duration> = BTreeMap::new();
    let mut totals = Vec::new();
    for file in &files {
        let bytes = std::fs::read(file).expect("file can be read");
        let module = match mw_metallib::read_module(&bytes) {
            Ok(module) => module,
            Err(error) => {
                println!("{}: {error}", file.display());
                continue;
            }
        };
        let mut timings = Timings::default();
        let options = ScalarOptions { verify: true, ..ScalarOptions::default() };
        if let Err(error) = optimize_scalar_timed(&module, options, &mut timings) {
            println!("{}: {error}", file.display());
        }
        totals.push((timings.total(), file.clone()));
        for (step, time) in timings.0 {
            *sums.entry(step).or_default() += time;
        }
    }
    totals.sort();
    println!("{sums:#?}");
    println!("median {:?}", totals[totals.len() / 2]);
    println!("largest {:?}", &totals[totals.len().saturating_sub(5)..]);
}
