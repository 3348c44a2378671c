//! Reads every module of a library and reports how long that took: `parse_all LIBRARY [REPEATS] [--check]`.
//!
//! With `--check` each module is also verified and reflected, outside of the time.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mw_metallib::{FunctionEntry, Library};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (options, arguments): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let check = options.iter().any(|option| option == "--check");
    let path = arguments.first().ok_or("usage: parse_all LIBRARY [REPEATS] [--check]")?;
    let repeats: u32 = arguments.get(1).map_or(Ok(1), |text| text.parse())?;
    let start = Instant::now();
    let libraries = Library::open_all(path)?;
    let listed: usize =
        libraries.iter().flat_map(Library::functions).map(|function| function.name().len()).sum();
    println!("opened and listed in {:.2} ms ({listed} bytes of names)", ms(start.elapsed()));
    for library in &libraries {
        for _ in 0..repeats {
            let mut total = Totals::default();
            for function in library.functions() {
                if let Err(failure) = total.read(function, check) {
                    total.failures.entry(failure).or_default().push(function.name());
                }
            }
            total.report(library.len());
        }
    }
    Ok(())
}

#[derive(Default)]
struct Totals<'lib> {
    bytes: usize,
    insts: usize,
    time: Duration,
    failures: BTreeMap<String, Vec<&'lib str>>,
}

impl Totals<'_> {
    fn read(&mut self, function: FunctionEntry<'_>, check: bool) -> Result<(), String> {
        let bitcode = function.bitcode().map_err(|error| error.to_string())?;
        self.bytes += bitcode.len();
        let start = Instant::now();
        let module = mw_metallib::read_module(bitcode).map_err(|error| error.to_string())?;
        self.time += start.elapsed();
        self.insts += module.functions.iter().map(mw_air::Function::inst_count).sum::<usize>();
        if check {
            mw_air::verify(&module).map_err(|errors| format!("{:?}", errors.first()))?;
            mw_metallib::reflect(&module, function.name()).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn report(&self, modules: usize) {
        println!(
            "{modules} modules, {:.1} MB, {} instructions in {:.0} ms; {} failures",
            self.bytes as f64 / 1e6,
            self.insts,
            ms(self.time),
            self.failures.values().map(Vec::len).sum::<usize>()
        );
        for (error, names) in &self.failures {
            println!("  {} x {error} (first: {})", names.len(), names[0]);
        }
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
