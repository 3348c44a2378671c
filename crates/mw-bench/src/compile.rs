//! `mw-bench compile`: how long kernels take to compile, cold and out of the cache.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use metalworking::{ConstantScalar, CpuBackend, CpuOptions, Function, FunctionConstantValues, Library};
use mw_bench::mlx_library;
use mw_bench::report::{Machine, median, processor_time, quantile, time, today};
use mw_manifest::Random;
use mw_passes::abi::ThreadgroupShape;

/// Compile a seeded sample of a library's kernels, without a cache and with a filled one.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The library; MLX's for macOS 14 without it.
    #[arg(long)]
    library: Option<PathBuf>,
    /// Kernels in the sample.
    #[arg(long, default_value_t = 500)]
    sample: usize,
    /// Which sample.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Name the slowest kernels.
    #[arg(long, default_value_t = 5)]
    slowest: usize,
    /// Write the result to this Markdown file.
    #[arg(long)]
    write: Option<PathBuf>,
}

struct Compiled {
    name: String,
    cold: Duration,
    /// Time on a processor, without what other programs took meanwhile.
    processor: Option<Duration>,
    steps: Vec<(&'static str, Duration)>,
    cached: Duration,
    bytes: usize,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let path = match &args.library {
        Some(path) => path.clone(),
        None => mlx_library()?,
    };
    let library = Library::open(&path)?;
    let folder = std::env::temp_dir().join(format!("mw-bench-cache-{}", std::process::id()));
    let options = CpuOptions { cache_folder: Some(folder.clone()), ..CpuOptions::from_environment()? };
    let backend = CpuBackend::new(options);
    let names = sample(&library, args);
    let bar = indicatif::ProgressBar::new(names.len() as u64);
    let mut all = Vec::new();
    let mut failures = Vec::new();
    for name in &names {
        match compile(&library, &backend, name) {
            Ok(compiled) => all.push(compiled),
            Err(error) => failures.push(format!("{name}: {error:#}")),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("cannot remove the cache of the bench")?;
    }
    let text = report(&mut all, args.slowest);
    println!("{}\n{text}", Machine::this());
    for failure in &failures {
        println!("failed: {failure}");
    }
    if let Some(path) = &args.write {
        let page = format!(
            "# Compile time\n\nWritten by `cargo xtask bench compile --write` on {}.\n\n{}; {} kernels of the MLX \
             library for macOS 14 (seed {}), one thread.\n\n{text}",
            today(),
            Machine::this(),
            all.len(),
            args.seed
        );
        std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Names drawn without repetition.
fn sample(library: &Library, args: &Args) -> Vec<String> {
    let mut names: Vec<String> = library.function_names().into_iter().map(str::to_owned).collect();
    let mut random = Random::new(args.seed, "compile");
    for at in 0..args.sample.min(names.len()) {
        let other = random.integer(at as i128, names.len() as i128) as usize;
        names.swap(at, other);
    }
    names.truncate(args.sample);
    names
}

fn compile(library: &Library, backend: &CpuBackend, name: &str) -> Result<Compiled> {
    let start = Instant::now();
    let function = specialized(&library.function(name)?)?;
    let read = start.elapsed();
    let (module, info, kernel) = (function.module(), function.module_info(), function.kernel_index());
    let shape = ThreadgroupShape::LINEAR_FULL;
    let before = processor_time();
    let (timings, bytes) = backend.time_compilation(module, info, kernel, shape)?;
    let processor = processor_time().zip(before).map(|(after, before)| after.saturating_sub(before));
    let mut steps = vec![("read", read)];
    steps.extend(timings.0);
    let cold = steps.iter().map(|(_, time)| *time).sum();
    // Fill the cache, then load as a new process would: from the library to code in memory.
    backend.kernel(module, info, kernel).prepare(shape)?;
    let start = Instant::now();
    let function = specialized(&library.function(name)?)?;
    let again =
        backend.kernel(&Arc::clone(function.module()), function.module_info(), function.kernel_index());
    again.prepare(shape)?;
    Ok(Compiled { name: name.to_owned(), cold, processor, steps, cached: start.elapsed(), bytes })
}

/// Function constants are all false, or 1 where they are numbers: sizes that may divide.
fn specialized(function: &Function) -> Result<Function> {
    let mut values = FunctionConstantValues::new();
    for constant in function.function_constants() {
        let size = ["char", "uchar"].contains(&&*constant.type_name).then_some(1);
        let size = size.or(["short", "ushort"].contains(&&*constant.type_name).then_some(2)).unwrap_or(4);
        let scalar = match &*constant.type_name {
            "bool" => Some(ConstantScalar::Bool(false)),
            "float" => Some(ConstantScalar::Float(1.0)),
            name => ConstantScalar::from_bytes(name, &1_u32.to_le_bytes()[..size]),
        };
        if let Some(scalar) = scalar {
            values.set(constant.index, scalar);
        }
    }
    Ok(function.specialized(&values)?)
}

fn report(all: &mut [Compiled], slowest: usize) -> String {
    let mut text =
        String::from("| | median | 90 % | 99 % | longest |\n| --- | ---: | ---: | ---: | ---: |\n");
    let mut row = |name: &str, times: &[Duration]| {
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} |",
            time(median(times)),
            time(quantile(times, 0.9)),
            time(quantile(times, 0.99)),
            time(quantile(times, 1.0))
        );
    };
    row("cold", &all.iter().map(|it| it.cold).collect::<Vec<_>>());
    let processor: Vec<Duration> = all.iter().filter_map(|it| it.processor).collect();
    if !processor.is_empty() {
        // What it takes of a machine that does nothing else, in steps of 10 ms.
        row("cold, processor time", &processor);
    }
    row("cached", &all.iter().map(|it| it.cached).collect::<Vec<_>>());
    let mut steps: Vec<(&str, BTreeMap<usize, Duration>)> = Vec::new();
    for (index, compiled) in all.iter().enumerate() {
        for (step, time) in &compiled.steps {
            let position = steps.iter().position(|(name, _)| name == step).unwrap_or_else(|| {
                steps.push((step, BTreeMap::new()));
                steps.len() - 1
            });
            *steps[position].1.entry(index).or_default() += *time;
        }
    }
    for (step, times) in &steps {
        row(&format!("· {step}"), &times.values().copied().collect::<Vec<_>>());
    }
    let bytes: usize = all.iter().map(|it| it.bytes).sum();
    let _ = writeln!(
        text,
        "\n{} kernels, {:.1} KiB of object on average.",
        all.len(),
        bytes as f64 / 1024.0 / all.len().max(1) as f64
    );
    all.sort_by_key(|it| std::cmp::Reverse(it.cold));
    for compiled in all.iter().take(slowest) {
        let longest = compiled.steps.iter().max_by_key(|(_, time)| *time);
        let longest =
            longest.map_or_else(String::new, |(step, part)| format!(", of which {step} {}", time(*part)));
        let _ = writeln!(text, "\nSlow: `{}` {}{longest}", compiled.name, time(compiled.cold));
    }
    text
}
