//! `mw-bench dispatch`: what a launch costs, and whether memory stays flat over many of them.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use metalworking::{Buffer, CommandQueue, ComputePipelineState, Device, Engine, Library};
use mw_bench::mlx_library;
use mw_bench::report::{Machine, median, quantile, time, today};

/// Time encode + dispatch + wait of an empty kernel; launch a million times; load thousands of pipelines.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Launches that are timed one by one.
    #[arg(long, default_value_t = 20_000)]
    timed: usize,
    /// Launches over which memory must stay flat.
    #[arg(long, default_value_t = 1_000_000)]
    launches: usize,
    /// Pipelines that are loaded one after another.
    #[arg(long, default_value_t = 20_000)]
    pipelines: usize,
    /// Write the result to this Markdown file.
    #[arg(long)]
    write: Option<PathBuf>,
}

/// Memory of this process.
#[derive(Clone, Copy)]
struct Memory {
    resident_kib: u64,
    mappings: usize,
}

impl Memory {
    fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident_kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0);
        let mappings = std::fs::read_to_string("/proc/self/maps").unwrap_or_default().lines().count();
        Self { resident_kib, mappings }
    }

    fn describe(self, before: Self) -> String {
        let mib = |kib: u64| kib as f64 / 1024.0;
        format!(
            "{:.1} → {:.1} MiB resident ({:+.1}), {} → {} mappings",
            mib(before.resident_kib),
            mib(self.resident_kib),
            mib(self.resident_kib) - mib(before.resident_kib),
            before.mappings,
            self.mappings
        )
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let device = Engine::Cpu.device(None)?;
    let library = Library::from_air_text(include_str!("../benches/kernels/empty.ll"))?;
    let pipeline = device.new_compute_pipeline_state(&library.function("empty")?)?;
    let buffer = device.new_buffer(4096)?;
    let queue = device.new_command_queue();
    for _ in 0..1000 {
        launch(&queue, &pipeline, &buffer)?;
    }
    let mut times = Vec::with_capacity(args.timed);
    for _ in 0..args.timed {
        let start = Instant::now();
        launch(&queue, &pipeline, &buffer)?;
        times.push(start.elapsed());
    }
    let mut text = String::new();
    writeln!(
        text,
        "- encode + dispatch + wait of an empty kernel (one threadgroup of 32): median {}, 99 % under {}, over {} launches",
        time(median(&times)),
        time(quantile(&times, 0.99)),
        times.len()
    )?;
    let before = Memory::now();
    let start = Instant::now();
    for _ in 0..args.launches {
        launch(&queue, &pipeline, &buffer)?;
    }
    let each = start.elapsed() / u32::try_from(args.launches.max(1))?;
    writeln!(text, "- {} launches: {}, {} each", args.launches, Memory::now().describe(before), time(each))?;
    text.push_str(&pipelines(&device, args.pipelines)?);
    println!("{}\n{text}", Machine::this());
    if let Some(path) = &args.write {
        let page = format!(
            "# Launches and memory\n\nWritten by `cargo xtask bench dispatch --write` on {}.\n\n{}.\n\n{text}",
            today(),
            Machine::this()
        );
        std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn launch(queue: &CommandQueue, pipeline: &ComputePipelineState, buffer: &Buffer) -> Result<()> {
    let command_buffer = queue.command_buffer();
    let mut encoder = command_buffer.compute_command_encoder();
    encoder
        .set_compute_pipeline_state(pipeline)
        .set_buffer(0, buffer, 0)
        .dispatch_threads(32, 32)
        .end_encoding()?;
    command_buffer.commit()?;
    command_buffer.wait_until_completed()?;
    Ok(())
}

/// Makes pipelines of the small kernels of the library over and over; the launch makes them load their code.
fn pipelines(device: &Device, count: usize) -> Result<String> {
    let library = Library::open(&mlx_library()?)?;
    let names: Vec<String> = library
        .function_names()
        .into_iter()
        .filter(|name| name.starts_with("ss_"))
        .map(str::to_owned)
        .collect();
    let a = device.new_buffer(4096)?;
    let queue = device.new_command_queue();
    let load = |name: &str| -> Result<()> {
        let pipeline = device.new_compute_pipeline_state(&library.function(name)?)?;
        let command_buffer = queue.command_buffer();
        let mut encoder = command_buffer.compute_command_encoder();
        encoder.set_compute_pipeline_state(&pipeline);
        for index in 0..4 {
            encoder.set_buffer(index, &a, 0);
        }
        encoder.dispatch_threads(1, 32).end_encoding()?;
        command_buffer.commit()?;
        command_buffer.wait_until_completed()?;
        Ok(())
    };
    for name in &names {
        load(name).with_context(|| format!("cannot run {name}"))?;
    }
    let before = Memory::now();
    let mut times: Vec<Duration> = Vec::with_capacity(count);
    for at in 0..count {
        let start = Instant::now();
        load(&names[at % names.len()])?;
        times.push(start.elapsed());
    }
    Ok(format!(
        "- {count} pipelines of {} kernels made, run and dropped one after another: {}, median {} each\n",
        names.len(),
        Memory::now().describe(before),
        time(median(&times))
    ))
}
