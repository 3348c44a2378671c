//! A kernel gives the same bits for every machine that code is made for: the levels of x86-64 that this one
//! can run, and AArch64 under `qemu-aarch64` (Debian's package `qemu-user`, which `make setup` installs).
#![expect(unsafe_code, reason = "makes views of buffers")]

use std::path::PathBuf;
use std::sync::Arc;

use mw_air::schema::ModuleInfo;
use mw_backend::{Argument, Backend, BufferView, Grid, Kernel, Launch, ThreadgroupOrder};
use mw_cpu::{CpuBackend, CpuOptions, EmulatedBackend};
use mw_llvm::TargetSpec;

const KERNEL: &str = include_str!("mix.ll");

const GRIDS: [([u32; 3], [u32; 3]); 4] =
    [([500, 1, 1], [256, 1, 1]), ([70, 1, 1], [32, 1, 1]), ([96, 1, 1], [96, 1, 1]), ([7, 1, 1], [7, 1, 1])];

fn options() -> CpuOptions {
    CpuOptions { cache_folder: None, ..CpuOptions::from_environment().expect("settings make sense") }
}

fn kernel(backend: &dyn Backend) -> Arc<dyn Kernel> {
    let module = Arc::new(mw_air::parse(KERNEL).expect("the text is right"));
    let info = Arc::new(ModuleInfo::parse(&module).expect("the schema is right"));
    backend.compile(&module, &info, 0).expect("it compiles")
}

/// Bits of the output, and the count.
fn run(kernel: &dyn Kernel, (threads, group): ([u32; 3], [u32; 3])) -> (Vec<u32>, u32) {
    let mut input: Vec<f32> = (0..512_i16).map(|i| f32::from(i - 200) * 0.017).collect();
    let mut out = vec![0_f32; 512];
    let mut count = [0_u32; 4];
    // SAFETY: the three arrays outlive the launch, and nothing touches them meanwhile.
    let args = unsafe {
        [
            Argument::Buffer(BufferView::new(input.as_mut_ptr().cast(), 2048)),
            Argument::Buffer(BufferView::new(out.as_mut_ptr().cast(), 2048)),
            Argument::Buffer(BufferView::new(count.as_mut_ptr().cast(), 16)),
            Argument::Builtin,
            Argument::Builtin,
            Argument::Builtin,
        ]
    };
    let grid = Grid::of_threads(threads, group);
    let order = ThreadgroupOrder::Ascending;
    let launch = Launch { grid, args: &args, resident: &[], order, time_limit: None };
    kernel.run(&launch).unwrap_or_else(|error| panic!("{error}"));
    (out.iter().map(|value| value.to_bits()).collect(), count[0])
}

fn same_bits(other: &dyn Backend) {
    let (host, other) = (kernel(&CpuBackend::new(options())), kernel(other));
    for grid in GRIDS {
        let expected = run(&*host, grid);
        assert_eq!(run(&*other, grid), expected, "{grid:?}");
        let threads = grid.0[0];
        assert_eq!(expected.1, (threads + 2) / 4, "threads whose number is 1 modulo 4");
        let computed = expected.0.iter().filter(|bits| **bits != 0).count();
        assert!((threads as usize - 1..=threads as usize).contains(&computed), "{computed} of {threads}");
    }
}

#[test]
fn aarch64_gives_the_same_bits() {
    let emulator = std::env::var("MW_QEMU").unwrap_or_else(|_| "qemu-aarch64".into());
    same_bits(&EmulatedBackend::new(emulator));
}

#[test]
fn every_level_of_x86_64_gives_the_same_bits() {
    for cpu in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        let target = TargetSpec::named(cpu).expect("the name is known");
        if cpu == "x86-64-v4" && options().target.vector_bits() < 512 {
            continue;
        }
        same_bits(&CpuBackend::new(CpuOptions { target, ..options() }));
    }
}

#[test]
fn code_comes_back_from_the_cache() {
    let folder = std::env::temp_dir().join(format!("mw-cpu-cache-{}", std::process::id()));
    let files = |folder: &PathBuf| -> usize {
        std::fs::read_dir(folder).map_or(0, |entries| {
            entries.flatten().map(|entry| std::fs::read_dir(entry.path()).map_or(0, Iterator::count)).sum()
        })
    };
    let backend = CpuBackend::new(CpuOptions { cache_folder: Some(folder.clone()), ..options() });
    let expected = run(&*kernel(&backend), GRIDS[0]);
    let stored = files(&folder);
    assert!(stored > 0, "nothing was stored");
    assert_eq!(run(&*kernel(&backend), GRIDS[0]), expected);
    assert_eq!(files(&folder), stored, "the second kernel was compiled again");
    std::fs::remove_dir_all(folder).expect("the folder can be removed");
}
