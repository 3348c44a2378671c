//! `mw run LIB KERNEL …`: launches a kernel as a manifest says, and shows, saves or checks what it made.

mod arguments;
mod counts;
mod report;
mod settings;

use std::sync::Arc;
use std::time::Instant;

use metalworking::{Buffer, Chip, CommandQueue, ComputePipelineState, Device, Engine, ThreadgroupOrder};
use mw_interp::CountingBackend;
use mw_manifest::{GridSize, Launch};

use crate::Outcome;
use crate::cli::RunArgs;
use crate::exit::Failure;
use crate::library::{open_with, specialize};
use crate::output::Output;
use arguments::Bound;
use report::Report;

pub(crate) use settings::key_value;

pub(crate) fn run(args: &RunArgs, output: &Output) -> Outcome {
    let launches = settings::launches(args)?;
    let engine: Engine = args.engine.parse()?;
    let counting = counter(args, engine)?;
    let mut reports = Vec::new();
    for launch in &launches {
        let setting = chip_setting();
        let chip = launch.launch.chip.as_deref().or(setting.as_deref());
        let device = match &counting {
            Some(backend) => Device::with_chip(Arc::new(backend.clone()), Chip::from_setting(chip)?),
            None => engine.device(chip)?,
        };
        let mut report = one(args, launch, &device, output)?;
        report.counts = counting.as_ref().and_then(CountingBackend::last);
        reports.push(report);
    }
    report::print(&reports, output)
}

/// The engine that counts, if that is wanted.
fn counter(args: &RunArgs, engine: Engine) -> Result<Option<CountingBackend>, Failure> {
    match (args.counts, engine) {
        (false, _) => Ok(None),
        (true, Engine::Interp) => Ok(Some(CountingBackend::default())),
        (true, other) => Err(Failure::usage(format!(
            "the engine `{other}` does not count: write `--counts --engine interp`"
        ))),
    }
}

fn chip_setting() -> Option<String> {
    std::env::var("MW_CHIP").ok()
}

/// A launch with the folder that its files are sought in.
pub(crate) struct Located {
    pub(crate) launch: Launch,
    pub(crate) folder: std::path::PathBuf,
}

fn one(args: &RunArgs, located: &Located, device: &Device, output: &Output) -> Result<Report, Failure> {
    let launch = &located.launch;
    let (path, kernel, grid, threadgroup) = settings::complete(launch)?;
    let library = open_with(&located.folder.join(path), args.library, kernel)?;
    let compile_start = Instant::now();
    let function = specialize(&library.function(kernel)?, &launch.constants)?;
    let pipeline = device.new_compute_pipeline_state(&function)?;
    let compile_seconds = compile_start.elapsed().as_secs_f64();
    let bound = arguments::bind(device, &pipeline, located)?;
    note_small_grid(grid, threadgroup, &bound, output);
    let queue = device.new_command_queue();
    if let Some(seed) = launch.schedule {
        queue.set_threadgroup_order(ThreadgroupOrder::Shuffled(seed));
    }
    let bar = output.progress(u64::from(args.repeat), kernel);
    if args.repeat < 2 {
        bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
    }
    let mut seconds = Vec::new();
    for _ in 0..args.repeat.max(1) {
        seconds.push(launch_once(&queue, &pipeline, &bound, launch, grid, threadgroup)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    report::make(args, located, &pipeline, &bound, report::Times { compile_seconds, seconds })
}

/// Runs the kernel once; gives the seconds that it took.
fn launch_once(
    queue: &CommandQueue,
    pipeline: &ComputePipelineState,
    bound: &[Bound],
    launch: &Launch,
    grid: GridSize,
    threadgroup: [usize; 3],
) -> Result<f64, Failure> {
    let commands = queue.command_buffer();
    let mut encoder = commands.compute_command_encoder();
    encoder.set_compute_pipeline_state(pipeline);
    for argument in bound {
        match &argument.buffer {
            Some(buffer) => encoder.set_buffer(argument.index as usize, buffer, 0),
            None => encoder.set_bytes(argument.index as usize, &[]),
        };
    }
    for (index, length) in &launch.threadgroup_memory {
        encoder.set_threadgroup_memory_length(*length, *index as usize);
    }
    match grid {
        GridSize::Threads(threads) => encoder.dispatch_threads(threads, threadgroup),
        GridSize::Threadgroups(groups) => encoder.dispatch_threadgroups(groups, threadgroup),
    };
    encoder.end_encoding()?;
    commands.commit()?;
    commands.wait_until_completed()?;
    Ok(commands.gpu_end_time() - commands.gpu_start_time())
}

/// The commonest slip of all: a grid that counts threadgroups. Told when the grid does not even fill one
/// threadgroup and a result has more elements than there are threads.
fn note_small_grid(grid: GridSize, threadgroup: [usize; 3], bound: &[Bound], output: &Output) {
    let GridSize::Threads(threads) = grid else { return };
    let count: usize = threads.iter().fold(1, |count, extent| count.saturating_mul(*extent));
    let is_small = (0..3).all(|axis| threads[axis] <= threadgroup[axis]) && threads != threadgroup;
    let largest = bound.iter().filter(|argument| argument.is_written).map(Bound::count).max();
    if let Some(largest) = largest
        && is_small
        && largest > count
    {
        output.note(format!(
            "`grid` counts threads: this launch has {count}, less than one threadgroup, for a result of {largest} \
             elements; to count threadgroups use `threadgroups`"
        ));
    }
}

/// The bytes of a buffer.
fn contents(buffer: &Buffer) -> Vec<u8> {
    buffer.to_vec::<u8>()
}
