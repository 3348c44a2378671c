//! A launch, worked out: addresses, sizes and code, in the form that workers read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mw_backend::{Argument, Grid, Launch, ThreadgroupOrder};
use mw_passes::abi::{SimdgroupContext, ThreadgroupShape};

use crate::code::LoadedCode;
use crate::switch::KernelFunction;
use crate::worker::MEMORY_ALIGN;

/// What an absent argument reads: zeros. It lies in read-only memory, so that a write is a fault.
static ABSENT: Zeros = Zeros([0; 64 << 10]);

#[repr(align(64))]
struct Zeros([u8; 64 << 10]);

/// One compiled kernel for one shape of threadgroup.
#[derive(Debug)]
pub(crate) struct CompiledKernel {
    /// The code.
    pub(crate) code: LoadedCode,
    /// What a launch must know about it.
    pub(crate) facts: KernelFacts,
}

/// What a launch must know about compiled code; stored beside it in the disk cache.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct KernelFacts {
    /// It calls the threadgroup barrier.
    pub(crate) has_barrier: bool,
    /// Bytes of threadgroup memory that it declares.
    pub(crate) threadgroup_bytes: u32,
    /// First values of parts of that memory: offset and bytes.
    pub(crate) image: Vec<(u32, Vec<u8>)>,
    /// Bytes of stack that private arrays take.
    pub(crate) private_bytes: u64,
}

/// What a kernel parameter receives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    /// An address that is the same for all threadgroups; 0 where there is nothing.
    Address(u64),
    /// An offset into the worker's threadgroup memory.
    Threadgroup(usize),
}

/// Everything that workers need.
#[derive(Debug)]
pub(crate) struct PreparedLaunch {
    pub(crate) grid: Grid,
    pub(crate) order: ThreadgroupOrder,
    pub(crate) threadgroup_count: u64,
    pub(crate) threadgroups_in_x: u32,
    pub(crate) simdgroups_per_threadgroup: u32,
    pub(crate) slots: Vec<Slot>,
    /// Threadgroup memory: what the kernel declares, then what arguments ask for.
    pub(crate) memory_bytes: usize,
    pub(crate) image: Vec<(u32, Vec<u8>)>,
    pub(crate) clear_memory: bool,
    pub(crate) has_barrier: bool,
    pub(crate) flush_denormals: bool,
    /// Size of the stacks that it needs.
    pub(crate) stack_bytes: usize,
    /// Asks the kernel to end when it is not zero.
    pub(crate) stop: Arc<AtomicU32>,
    /// The code for each shape that the grid has.
    code: [Option<Arc<CompiledKernel>>; ThreadgroupShape::COUNT],
}

/// What a launch has from its kernel and its backend.
pub(crate) struct Settings {
    pub(crate) flush_denormals: bool,
    pub(crate) clear_memory: bool,
    pub(crate) stack_bytes: usize,
}

impl PreparedLaunch {
    /// Works a launch out. `code` gives the compiled kernel for a shape.
    pub(crate) fn new<E>(
        launch: &Launch<'_>,
        settings: &Settings,
        mut code: impl FnMut(ThreadgroupShape) -> Result<Arc<CompiledKernel>, E>,
    ) -> Result<Self, E> {
        let grid = launch.grid;
        let mut compiled: [Option<Arc<CompiledKernel>>; ThreadgroupShape::COUNT] = Default::default();
        for shape in shapes(&grid) {
            compiled[shape.index()] = Some(code(shape)?);
        }
        let facts: Vec<&KernelFacts> =
            compiled.iter().flatten().map(|kernel: &Arc<CompiledKernel>| &kernel.facts).collect();
        let declared = facts.iter().map(|facts| facts.threadgroup_bytes).max().unwrap_or(0) as usize;
        let has_barrier = facts.iter().any(|facts| facts.has_barrier);
        let image = facts.first().map_or(Vec::new(), |facts| facts.image.clone());
        let private_bytes =
            facts.iter().map(|facts| facts.private_bytes).max().unwrap_or(0).next_power_of_two();
        let mut memory_bytes = declared.next_multiple_of(MEMORY_ALIGN);
        let slots = launch
            .args
            .iter()
            .map(|argument| match argument {
                Argument::Buffer(view) => Slot::Address(view.address()),
                Argument::Threadgroup { length } => {
                    let offset = memory_bytes;
                    memory_bytes = (offset + *length as usize).next_multiple_of(MEMORY_ALIGN);
                    Slot::Threadgroup(offset)
                }
                // Kernels read arguments that a function constant gates off (`steel_gemm` its scale), and do
                // not use what they get.
                Argument::Absent => Slot::Address(ABSENT.0.as_ptr() as u64),
                Argument::Builtin => Slot::Address(0),
            })
            .collect();
        let threads: u32 = grid.threads_per_threadgroup.iter().product();
        Ok(Self {
            grid,
            order: launch.order,
            threadgroup_count: grid.threadgroup_count(),
            threadgroups_in_x: grid.threadgroups()[0],
            simdgroups_per_threadgroup: threads.div_ceil(32),
            slots,
            memory_bytes,
            image,
            clear_memory: settings.clear_memory,
            has_barrier,
            flush_denormals: settings.flush_denormals,
            stack_bytes: settings.stack_bytes + private_bytes as usize,
            stop: Arc::new(AtomicU32::new(0)),
            code: compiled,
        })
    }

    /// The code for a shape: where few threadgroups are full, code that does not count on it.
    pub(crate) fn kernel(&self, shape: ThreadgroupShape) -> KernelFunction {
        let exact = &self.code[shape.index()];
        exact
            .as_ref()
            .or(self.code[shape.partial().index()].as_ref())
            .expect("every shape of the grid was compiled")
            .code
            .function()
    }

    /// A context with what all simdgroups of the launch have in common.
    pub(crate) fn context(&self, threadgroup_memory: *mut u8) -> SimdgroupContext {
        SimdgroupContext {
            threadgroup_position: [0; 3],
            threads_per_threadgroup: self.grid.threads_per_threadgroup,
            dispatch_threads_per_threadgroup: self.grid.threads_per_threadgroup,
            threads_per_grid: self.grid.threads,
            threadgroups_per_grid: self.grid.threadgroups(),
            simdgroup_index: 0,
            simdgroups_per_threadgroup: self.simdgroups_per_threadgroup,
            dispatch_simdgroups_per_threadgroup: self.simdgroups_per_threadgroup,
            lane_count: 32,
            first_thread_position: [0; 3],
            reserved: 0,
            threadgroup_memory,
            stop: self.stop.as_ptr(),
            owner: std::ptr::null_mut(),
        }
    }

    /// Asks the kernel to end.
    pub(crate) fn stop(&self) {
        self.stop.store(1, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
    }
}

/// Below this many threadgroups, full ones run the code of partial ones where that is needed anyway.
const FEW_THREADGROUPS: u64 = 64;

/// Shapes of the threadgroups of a grid: the full ones and up to seven kinds of edges.
pub(crate) fn shapes(grid: &Grid) -> impl Iterator<Item = ThreadgroupShape> + use<> {
    let sizes: [Vec<u32>; 3] = std::array::from_fn(|axis| {
        let full = grid.threads_per_threadgroup[axis];
        let rest = grid.threads[axis] % full;
        let mut sizes = Vec::new();
        if grid.threads[axis] >= full {
            sizes.push(full);
        }
        if rest != 0 {
            sizes.push(rest);
        }
        sizes
    });
    let mut there = [false; ThreadgroupShape::COUNT];
    for x in &sizes[0] {
        for y in &sizes[1] {
            for z in &sizes[2] {
                there[ThreadgroupShape::of([*x, *y, *z]).index()] = true;
            }
        }
    }
    // Compiling twice for the sake of a few full threadgroups does not pay.
    if grid.threadgroup_count() < FEW_THREADGROUPS {
        for shape in ThreadgroupShape::ALL.into_iter().filter(|shape| shape.full) {
            if there[shape.partial().index()] {
                there[shape.index()] = false;
            }
        }
    }
    ThreadgroupShape::ALL.into_iter().filter(move |shape| there[shape.index()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_may_have_another_shape() {
        let all = |threads, size| {
            shapes(&Grid::of_threads(threads, size)).map(ThreadgroupShape::name).collect::<Vec<_>>()
        };
        assert_eq!(all([128, 4, 1], [64, 2, 1]), ["linear-full"]);
        assert_eq!(all([100, 4, 1], [64, 2, 1]), ["general", "linear-full"]);
        assert_eq!(all([100, 1, 1], [64, 1, 1]), ["linear"]);
        assert_eq!(all([100_100, 1, 1], [64, 1, 1]), ["linear", "linear-full"]);
        assert_eq!(all([8, 8, 1], [8, 8, 1]), ["general-full"]);
    }
}
