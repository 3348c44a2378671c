//! Compiles every bitcode file of a folder and prints the time of each step.
//!
//! `compile_times FOLDER [FILTER]`
//!
//! Totals are processor time, so that they mean something on a busy machine.
#![expect(clippy::print_stdout, reason = "a command for the terminal")]
#![expect(unsafe_code, reason = "asks for the processor time")]

use std::collections::BTreeMap;
use std::time::Duration;

use mw_air::schema::ModuleInfo;
use mw_backend::ConstantValues;
use mw_cpu::{CpuBackend, CpuOptions};
use mw_passes::abi::ThreadgroupShape;
use mw_passes::specialize;

fn main() {
    let mut args = std::env::args().skip(1);
    let folder = args.next().expect("usage: compile_times FOLDER [FILTER]");
    let filter = args.next().unwrap_or_default();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("folder can be read")
        .map(|entry| entry.expect("entry can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bc"))
        .filter(|path| path.to_string_lossy().contains(&filter))
        .collect();
    files.sort();
    let options = CpuOptions::from_environment().expect("settings make sense");
    let backend = CpuBackend::new(CpuOptions { cache_folder: None, ..options });
    let mut sums: BTreeMap<&str, Duration> = BTreeMap::new();
    let mut totals = Vec::new();
    let mut failed = 0;
    for file in &files {
        let bytes = std::fs::read(file).expect("file can be read");
        let mut module = mw_metallib::read_module(&bytes).expect("module can be read");
        let info = ModuleInfo::parse(&module).expect("schema can be read");
        let mut values = ConstantValues::new();
        for constant in &info.function_constants {
            let size = match &*constant.type_name {
                "bool" | "char" | "uchar" => 1,
                "short" | "ushort" | "half" => 2,
                _ => 4,
            };
            values.set(constant.index, 1, size);
        }
        let start = processor_time();
        let result = specialize::specialize(&mut module, &info, &values)
            .map_err(|error| error.to_string())
            .and_then(|_| {
                backend
                    .time_compilation(&module, &info, 0, ThreadgroupShape::LINEAR_FULL)
                    .map_err(|error| error.to_string())
            });
        match result {
            Ok((timings, size)) => {
                totals.push((
                    processor_time().saturating_sub(start),
                    size,
                    file.clone(),
                    info.kernels[0].name.clone(),
                ));
                for (step, time) in timings.0 {
                    *sums.entry(step).or_default() += time;
                }
            }
            Err(error) => {
                failed += 1;
                println!("{}: {error}", file.display());
            }
        }
    }
    totals.sort();
    println!("{sums:#?}");
    if let Some(median) = totals.get(totals.len() / 2) {
        println!("{failed} of {} failed; median {median:?}", files.len());
        println!("90th percentile {:?}", totals[totals.len() * 9 / 10]);
        println!("largest {:#?}", &totals[totals.len().saturating_sub(5)..]);
    }
}

/// Processor time of this process.
fn processor_time() -> Duration {
    // SAFETY: a zeroed `rusage` is a valid one, which the call fills.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let duration = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    duration(usage.ru_utime) + duration(usage.ru_stime)
}
