//! Reads every module of a library and reports how long that took: `parse_all LIBRARY [REPEATS]`.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

use std::collections::BTreeMap;
use std::time::Instant;

use mw_metallib::Library;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: parse_all LIBRARY [REPEATS]")?;
    let repeats: u32 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let start = Instant::now();
    let libraries = Library::open_all(&path)?;
    let listed: usize =
        libraries.iter().flat_map(Library::functions).map(|function| function.name().len()).sum();
    println!("opened and listed in {:.2} ms ({listed} bytes of names)", ms(start));
    for library in &libraries {
        for _ in 0..repeats {
            let start = Instant::now();
            let (mut bytes, mut insts) = (0, 0);
            let mut failures: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for function in library.functions() {
                bytes += function.bitcode()?.len();
                match function.read_module() {
                    Ok(module) => {
                        insts += module.functions.iter().map(mw_air::Function::inst_count).sum::<usize>();
                    }
                    Err(error) => {
                        let mut text = error.to_string();
                        if let Some(source) = std::error::Error::source(&error) {
                            text = format!("{text}: {source}");
                        }
                        failures.entry(text).or_default().push(function.name());
                    }
                }
            }
            println!(
                "{} modules, {:.1} MB, {insts} instructions in {:.0} ms; {} failures",
                library.len(),
                bytes as f64 / 1e6,
                ms(start),
                failures.values().map(Vec::len).sum::<usize>()
            );
            for (error, names) in failures {
                println!("  {} x {error} (first: {})", names.len(), names[0]);
            }
        }
    }
    Ok(())
}

fn ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
