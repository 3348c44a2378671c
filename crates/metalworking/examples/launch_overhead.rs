//! Times launches of an empty kernel, and watches the memory of the process.
//!
//! `cargo run --release -p metalworking --example launch_overhead [launches]`
#![expect(clippy::print_stdout, reason = "prints its measurements")]

use std::time::Instant;

use metalworking::{Buffer, CommandQueue, ComputePipelineState, Device, SystemDefault as _};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let launches: usize = std::env::args().nth(1).map_or(Ok(100_000), |text| text.parse())?;
    let device = Device::system_default()?;
    let library = metalworking::Library::from_air_text(include_str!("empty.ll"))?;
    let pipeline = device.new_compute_pipeline_state(&library.function("empty")?)?;
    let queue = device.new_command_queue();
    let x = device.new_buffer(4096)?;
    let event = device.new_shared_event();
    for threads in [32, 1024, 1024 * 64] {
        let memory = resident_kib();
        report(&format!("{threads} threads, wait for the command buffer"), launches, |_| {
            let buffer = encode(&queue, &pipeline, &x, threads)?;
            buffer.commit()?;
            buffer.wait_until_completed()?;
            Ok(())
        })?;
        println!("  resident memory: {memory} KiB before, {} KiB after", resident_kib());
    }
    let mut value = 0;
    report("32 threads, wait for a shared event", launches.div_ceil(10), |_| {
        value += 1;
        let buffer = encode(&queue, &pipeline, &x, 32)?;
        buffer.encode_signal_event(&event, value)?;
        buffer.commit()?;
        event.wait_until_signaled_value(value, None);
        Ok(())
    })
}

fn encode(
    queue: &CommandQueue,
    pipeline: &ComputePipelineState,
    x: &Buffer,
    threads: usize,
) -> Result<metalworking::CommandBuffer, metalworking::Error> {
    let buffer = queue.command_buffer();
    let mut encoder = buffer.compute_command_encoder();
    encoder.set_compute_pipeline_state(pipeline).set_buffer(0, x, 0);
    encoder.dispatch_threads(threads, threads.min(1024)).end_encoding()?;
    Ok(buffer)
}

fn report(
    what: &str,
    launches: usize,
    mut launch: impl FnMut(usize) -> Result<(), metalworking::Error>,
) -> Result<(), Box<dyn std::error::Error>> {
    // The first launch compiles.
    launch(0)?;
    let mut micros = Vec::with_capacity(launches);
    for index in 0..launches {
        let start = Instant::now();
        launch(index)?;
        micros.push(start.elapsed().as_secs_f64() * 1e6);
    }
    micros.sort_by(f64::total_cmp);
    let at = |share: f64| micros[((launches - 1) as f64 * share) as usize];
    println!(
        "{what}: median {:.2} µs, p90 {:.2} µs, p99 {:.2} µs over {launches} launches",
        at(0.5),
        at(0.9),
        at(0.99)
    );
    Ok(())
}

/// Resident memory of this process, 0 where /proc does not tell.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}
