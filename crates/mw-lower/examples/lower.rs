//! Compiles Metal sources and lowers every kernel: `cargo run --example lower -- FILE.metal … [--print KERNEL]`.
//!
//! Says for each file how many kernels are verified AIR, and why the others are not.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use mw_diagnostics::Diagnostic;
use mw_lower::{LowerOptions, lower_kernel};
use mw_msl::options::Options;
use mw_msl::preprocess::FileProvider;

struct DiskFiles;

impl FileProvider for DiskFiles {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        let bytes = std::fs::read(path).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned().into())
    }
}

fn main() {
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(run).expect("a thread");
    worker.join().expect("no panic");
}

fn run() {
    let mut arguments = std::env::args().skip(1);
    let mut options = Options::default();
    let mut files = Vec::new();
    let mut print = None;
    while let Some(argument) = arguments.next() {
        if argument == "--print" {
            print = arguments.next();
        } else if let Some(folder) = argument.strip_prefix("-I") {
            options.include_folders.push(folder.to_owned());
        } else if let Some(define) = argument.strip_prefix("-D") {
            let (name, body) = define.split_once('=').unwrap_or((define, "1"));
            options.defines.push((name.to_owned(), body.to_owned()));
        } else {
            files.push(argument);
        }
    }
    let (mut good, mut all) = (0, 0);
    for file in &files {
        let clock = Instant::now();
        let compilation = mw_msl::compile(&options, &DiskFiles, file);
        let front = clock.elapsed();
        let errors = compilation.diagnostics.iter().filter(|it| it.is_error()).count();
        for diagnostic in compilation.diagnostics.iter().filter(|it| Diagnostic::is_error(it)).take(10) {
            let at = compilation.map.written(diagnostic.primary.span);
            let place = compilation.map.line_column(at.start);
            let name = &compilation.map.file(compilation.map.file_at(at.start)).name;
            println!("{name}:{}:{}: {}: {}", place.line, place.column, diagnostic.code, diagnostic.message);
        }
        let Some(program) = compilation.program else {
            println!("{file}: {errors} errors, no program, front-end {front:?}");
            continue;
        };
        let clock = Instant::now();
        let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
        let mut fine = 0;
        for kernel in &program.kernels {
            let reason = match lower_kernel(&program, &kernel.name, &LowerOptions::default()) {
                Err(error) => {
                    let at = compilation.map.written(error.span);
                    let place = compilation.map.line_column(at.start);
                    format!("{}:{}: {error}", place.line, place.column)
                }
                Ok(module) => {
                    if print.as_ref().is_some_and(|name| *name == kernel.name) {
                        println!("{}", mw_air::print(&module, &mw_air::PrintOptions::default()));
                    }
                    match mw_air::verify(&module) {
                        Ok(()) => match mw_air::schema::ModuleInfo::parse(&module) {
                            Ok(_) => {
                                fine += 1;
                                continue;
                            }
                            Err(error) => error.to_string(),
                        },
                        Err(errors) => errors.first().map_or_else(String::new, ToString::to_string),
                    }
                }
            };
            let entry = reasons.entry(reason).or_insert((0, kernel.name.clone()));
            entry.0 += 1;
        }
        for (reason, (count, first)) in &reasons {
            println!("{count} kernels, first `{first}`: {reason}");
        }
        println!(
            "{file}: {fine} of {} kernels, {errors} errors, front-end {front:?}, lowering {:?}",
            program.kernels.len(),
            clock.elapsed()
        );
        good += fine;
        all += program.kernels.len();
    }
    println!("{good} of {all} kernels");
}
