//! Reads modules of a library with our reader and with LLVM's, and compares.
//!
//! `crosscheck LIBRARY [--step N] [--filter TEXT]`: every Nth function (default: every one) whose name contains the
//! text. Prints each difference and ends with failure if there is one.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mw_metallib::Library;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: crosscheck LIBRARY [--step N] [--filter TEXT]")?;
    let (mut step, mut filter) = (1, String::new());
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or("an option needs a value")?;
        match option.as_str() {
            "--step" => step = value.parse()?,
            "--filter" => filter = value,
            other => return Err(format!("unknown option `{other}`").into()),
        }
    }
    let mut differences = 0;
    for library in Library::open_all(&path)? {
        differences += check(&library, step, &filter);
    }
    Ok(if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check(library: &Library, step: usize, filter: &str) -> usize {
    let functions: Vec<_> =
        library.functions().step_by(step).filter(|function| function.name().contains(filter)).collect();
    let next = AtomicUsize::new(0);
    let differences = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(function) = functions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result =
                        function.bitcode().map_err(|error| error.to_string()).and_then(support::cross_check);
                    if let Err(difference) = result {
                        println!("{}: {difference}", function.name());
                        differences.lock().expect("no holder panics").push(function.name());
                    }
                }
            });
        }
    });
    let differences = differences.into_inner().expect("no holder panics");
    println!("{} modules compared with LLVM's reader, {} differ", functions.len(), differences.len());
    differences.len()
}
