//! Measures the library functions against correctly rounded references, and writes ACCURACY.md.
//!
//! `cargo run --release -p mw-builtins --example accuracy -- [--all] [--speed] [--write] [name …]`
//!
//! Each function is printed as LLVM assembly, compiled by clang (`CLANG`, default `clang-22`) at `-O2`
//! without contraction, loaded, and run over its inputs with denormals flushed. `--all` takes all 2³² floats
//! instead of every 16th, `--few` every 1021st; `--speed` prints nanoseconds per element instead; `--write` puts the
//! results into the table.

#![allow(unsafe_code, reason = "loads and calls the machine code that it has just made")]

mod compiled;
mod functions;
mod measure;
mod report;

use anyhow::{Context, Result};

use functions::FUNCTIONS;

#[path = "../../tests/support/mod.rs"]
mod support;

fn main() -> Result<()> {
    let mut options = measure::Options::default();
    let mut speed = false;
    let mut write = false;
    let mut wanted = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--all" => options.every = 1,
            "--few" => (options.every, options.pairs) = (1021, 4_000_000),
            "--speed" => speed = true,
            "--write" => write = true,
            name => wanted.push(name.to_owned()),
        }
    }
    let chosen: Vec<_> = FUNCTIONS
        .iter()
        .flat_map(functions::Function::instances)
        .filter(|function| wanted.is_empty() || wanted.iter().any(|name| function.matches(name)))
        .collect();
    let library = compiled::Library::build(&chosen).context("compiling the library functions")?;
    let mut rows = Vec::new();
    for (index, function) in chosen.iter().enumerate() {
        let code = library.map(index)?;
        let line = if speed {
            measure::speed(function, code)
        } else {
            let row = measure::accuracy(function, code, &options);
            let line = report::line(&row);
            rows.push(row);
            line
        };
        say(&line)?;
    }
    if write {
        report::write(&rows)?;
    }
    Ok(())
}

fn say(line: &str) -> Result<()> {
    use std::io::Write;
    writeln!(std::io::stdout(), "{line}").context("writing to standard output")
}
