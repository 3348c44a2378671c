//! Times encode + commit + wait of a kernel that does nothing, and watches the memory of the process.
//!
//! `cargo run --release -p mw-runtime --example encoding_overhead [dispatches]`
#![expect(clippy::print_stdout, reason = "prints its measurements")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

fn main() {
    let count: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let device = support::device(|_| Ok(()));
    let pipeline = support::pipeline(&device, vec![support::buffer_arg("x", 0), support::position_arg()]);
    let queue = device.new_command_queue();
    let x = device.new_buffer(4096).expect("memory");
    let mut micros = Vec::with_capacity(count);
    let memory_before = resident_kib();
    for _ in 0..count {
        let start = Instant::now();
        let buffer = queue.command_buffer();
        let mut encoder = buffer.compute_command_encoder();
        encoder.set_compute_pipeline_state(&pipeline).set_buffer(0, &x, 0).set_value(1, &7_u32);
        encoder.dispatch_threads(1024, 256).end_encoding().expect("valid");
        buffer.commit().expect("valid");
        buffer.wait_until_completed().expect("runs");
        micros.push(start.elapsed().as_secs_f64() * 1e6);
    }
    micros.sort_by(f64::total_cmp);
    let percentile = |share: f64| micros[((count - 1) as f64 * share) as usize];
    println!(
        "{count} × encode + commit + wait: median {:.2} µs, p90 {:.2} µs, p99 {:.2} µs, max {:.0} µs",
        percentile(0.5),
        percentile(0.9),
        percentile(0.99),
        percentile(1.0)
    );
    println!("resident memory: {} KiB before, {} KiB after", memory_before, resident_kib());
}

/// Resident memory of this process, 0 where /proc does not tell.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}
