//! Time of launches of hand-made kernels, of barriers and of loading from the cache, and whether memory
//! stays flat.
#![expect(clippy::print_stdout, reason = "a command for the terminal")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use mw_air::schema::ModuleInfo;
use mw_backend::{Argument, Grid, Kernel, Launch, ThreadgroupOrder};
use mw_cpu::{CpuBackend, CpuOptions};

/// A kernel of AIR that meets `barriers` barriers.
fn module(barriers: usize) -> String {
    let calls = "call void @air.wg.barrier(i32 2, i32 1)\n".repeat(barriers);
    format!(
        "declare void @air.wg.barrier(i32, i32) convergent nounwind willreturn
         define void @k(i32 %id) convergent nounwind {{
           {calls}
           ret void
         }}
         !air.kernel = !{{!0}}
         !air.version = !{{!4}}
         !air.language_version = !{{!5}}
         !0 = !{{ptr @k, !1, !2}}
         !1 = !{{}}
         !2 = !{{!3}}
         !3 = !{{i32 0, !\"air.thread_position_in_grid\", !\"air.arg_type_name\", !\"uint\", !\"air.arg_name\", !\"id\"}}
         !4 = !{{i32 2, i32 6, i32 0}}
         !5 = !{{!\"Metal\", i32 3, i32 1, i32 0}}"
    )
}

fn best(rounds: usize, mut run: impl FnMut()) -> Duration {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// Memory of this process that is in use, in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

fn main() {
    let folder = std::env::temp_dir().join(format!("mw-launch-times-{}", std::process::id()));
    let options = CpuOptions::from_environment().expect("settings make sense");
    let backend = CpuBackend::new(CpuOptions { cache_folder: Some(folder.clone()), ..options });
    let kernel = |barriers| {
        let module = mw_air::parse(&module(barriers)).expect("the text is right");
        let info = ModuleInfo::parse(&module).expect("the schema is right");
        backend.kernel(&Arc::new(module), &Arc::new(info), 0)
    };
    let launch = |grid| Launch {
        grid,
        args: &[Argument::Builtin],
        resident: &[],
        order: ThreadgroupOrder::Ascending,
        time_limit: None,
    };
    let one = Grid::of_threadgroups([1, 1, 1], [32, 1, 1]);
    let empty = kernel(0);
    let cold = best(1, || empty.run(&launch(one)).expect("it runs"));
    println!("first launch, compiling: {cold:?}");
    let again = kernel(0);
    let cached = best(1, || again.run(&launch(one)).expect("it runs"));
    println!("first launch, from the cache: {cached:?}");
    println!("launch of one threadgroup: {:?}", best(10_000, || empty.run(&launch(one)).expect("it runs")));
    let many = Grid::of_threadgroups([1 << 16, 1, 1], [32, 1, 1]);
    println!("per threadgroup: {:?}", best(50, || empty.run(&launch(many)).expect("it runs")) / (1 << 16));
    for simdgroups in [2, 8, 32] {
        let groups = 2000;
        let grid = Grid::of_threadgroups([groups, 1, 1], [simdgroups * 32, 1, 1]);
        let time = |barriers| {
            let kernel = kernel(barriers);
            best(20, || kernel.run(&launch(grid)).expect("it runs"))
        };
        let (few, lots) = (time(2), time(102));
        let each = lots.saturating_sub(few).as_secs_f64() * 1e9 / f64::from(groups * simdgroups * 100);
        println!("{simdgroups} simdgroups: {each:.2} ns per barrier and simdgroup, all threads together");
    }
    let before = resident_kib();
    let start = Instant::now();
    for _ in 0..1_000_000 {
        empty.run(&launch(one)).expect("it runs");
    }
    let time = start.elapsed();
    println!("a million launches: {time:?}, resident memory {before} KiB before, {} after", resident_kib());
    let module = Arc::new(mw_air::parse(&module(0)).expect("the text is right"));
    let info = Arc::new(ModuleInfo::parse(&module).expect("the schema is right"));
    let start = Instant::now();
    for _ in 0..20_000 {
        backend.kernel(&module, &info, 0).run(&launch(one)).expect("it runs");
    }
    let time = start.elapsed();
    println!("20,000 kernels loaded and run: {time:?}, resident memory {} KiB", resident_kib());
    std::fs::remove_dir_all(folder).expect("the folder can be removed");
}
