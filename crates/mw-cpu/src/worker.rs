//! What a thread that runs kernels keeps from one launch to the next: stacks, threadgroup memory, contexts.
#![expect(unsafe_code, reason = "runs compiled kernels")]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::ptr::NonNull;

use mw_passes::abi::{SimdgroupContext, ThreadgroupShape};

use crate::fault::{self, Fault};
use crate::fibre::FibreSet;
use crate::float_control::FloatControl;
use crate::launch::{PreparedLaunch, Slot};
use crate::switch::KernelFunction;

thread_local! {
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// Threadgroup memory starts at a cache line pair, so that vector accesses to it stay aligned.
pub(crate) const MEMORY_ALIGN: usize = 128;

/// Memory of one threadgroup at a time.
#[derive(Debug)]
struct Memory {
    base: NonNull<u8>,
    len: usize,
}

impl Memory {
    fn layout(len: usize) -> Layout {
        Layout::from_size_align(len.max(MEMORY_ALIGN), MEMORY_ALIGN).expect("threadgroup memory is small")
    }

    fn new(len: usize) -> Self {
        let layout = Self::layout(len);
        // SAFETY: the layout has a size that is not zero.
        let base = unsafe { alloc_zeroed(layout) };
        Self { base: NonNull::new(base).unwrap_or_else(|| handle_alloc_error(layout)), len }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated with the same layout.
        unsafe { dealloc(self.base.as_ptr(), Self::layout(self.len)) };
    }
}

/// State of one thread.
#[derive(Debug)]
pub(crate) struct Worker {
    fibres: FibreSet,
    memory: Memory,
    contexts: Vec<SimdgroupContext>,
    arguments: Vec<u64>,
}

impl Worker {
    /// Runs `run` with this thread's state.
    pub(crate) fn with<T>(stack_bytes: usize, run: impl FnOnce(&mut Self) -> T) -> T {
        WORKER.with_borrow_mut(|worker| {
            if worker.as_ref().is_some_and(|worker| worker.fibres.stack_bytes() < stack_bytes) {
                *worker = None;
            }
            let worker = worker.get_or_insert_with(|| {
                fault::prepare_thread();
                Self {
                    fibres: FibreSet::new(stack_bytes),
                    memory: Memory::new(0),
                    contexts: Vec::new(),
                    arguments: Vec::new(),
                }
            });
            run(worker)
        })
    }

    /// Gets ready for threadgroups of a launch. The result runs them.
    pub(crate) fn begin<'w>(&'w mut self, launch: &'w PreparedLaunch) -> Result<Session<'w>, Fault> {
        let stacks = if launch.has_barrier { launch.simdgroups_per_threadgroup as usize } else { 1 };
        if self.fibres.reserve(stacks).is_err() {
            return Err(Fault::no_stack());
        }
        if self.memory.len < launch.memory_bytes {
            self.memory = Memory::new(launch.memory_bytes);
        }
        let base = self.memory.base.as_ptr();
        self.arguments.clear();
        self.arguments.extend(launch.slots.iter().map(|slot| match slot {
            Slot::Address(address) => *address,
            Slot::Threadgroup(offset) => base as u64 + *offset as u64,
        }));
        let context = launch.context(base);
        self.contexts.clear();
        self.contexts.resize(launch.simdgroups_per_threadgroup as usize, context);
        Ok(Session {
            worker: self,
            launch,
            size: [0; 3],
            simdgroups: 0,
            kernel: None,
            place: None,
            _control: FloatControl::set(launch.flush_denormals),
        })
    }
}

/// A worker at a launch.
pub(crate) struct Session<'w> {
    worker: &'w mut Worker,
    launch: &'w PreparedLaunch,
    /// Size of the threadgroup that the contexts are set for.
    size: [u32; 3],
    simdgroups: usize,
    /// The code for that size.
    kernel: Option<KernelFunction>,
    /// Index and position of the last threadgroup.
    place: Option<(u64, [u32; 3])>,
    _control: FloatControl,
}

impl Session<'_> {
    /// Runs the threadgroup that comes `turn`-th.
    pub(crate) fn run(&mut self, turn: u64) -> Result<(), Fault> {
        let launch = self.launch;
        let index = launch.order.nth(turn, launch.threadgroup_count);
        let position = match self.place {
            // Most often the next one in x: no divisions.
            Some((last, [x, y, z])) if last + 1 == index && x + 1 < launch.threadgroups_in_x => [x + 1, y, z],
            _ => launch.grid.threadgroup_position(index),
        };
        self.place = Some((index, position));
        let size = launch.grid.threadgroup_size(position);
        let kernel = match self.kernel {
            Some(kernel) if size == self.size => kernel,
            _ => self.set_size(size),
        };
        for context in &mut self.worker.contexts[..self.simdgroups] {
            context.threadgroup_position = position;
        }
        self.set_memory();
        let Worker { fibres, contexts, arguments, .. } = &mut *self.worker;
        let contexts = &mut contexts[..self.simdgroups];
        // SAFETY: `PreparedLaunch` holds the code of the kernel and the launch's buffers, which stay until
        // its run ends; the contexts are filled as the contract says, and there is at least one; the stacks
        // were reserved in `begin`; `set_size` had the fibres own the contexts.
        unsafe {
            if launch.has_barrier && contexts.len() > 1 {
                return fibres
                    .run_ring(kernel, contexts, arguments)
                    .map_err(|fault| fault.at(position, fault.fibre));
            }
            fibres.run_each(kernel, contexts, arguments).map_err(|fault| fault.at(position, fault.simdgroup))
        }
    }

    /// Sets what depends on the size of the threadgroup. Gives the code for it.
    fn set_size(&mut self, size: [u32; 3]) -> KernelFunction {
        let threads = size[0] * size[1] * size[2];
        let simdgroups = threads.div_ceil(32);
        self.size = size;
        self.simdgroups = simdgroups as usize;
        for (index, context) in (0..).zip(&mut self.worker.contexts[..simdgroups as usize]) {
            let first = index * 32;
            context.threads_per_threadgroup = size;
            context.simdgroup_index = index;
            context.simdgroups_per_threadgroup = simdgroups;
            context.lane_count = (threads - first).min(32);
            context.first_thread_position =
                [first % size[0], first / size[0] % size[1], first / (size[0] * size[1])];
        }
        self.worker.fibres.own(&mut self.worker.contexts[..simdgroups as usize]);
        let kernel = self.launch.kernel(ThreadgroupShape::of(size));
        self.kernel = Some(kernel);
        kernel
    }

    /// Gives variables of the threadgroup their first values.
    fn set_memory(&mut self) {
        let launch = self.launch;
        let base = self.worker.memory.base.as_ptr();
        if launch.clear_memory {
            // SAFETY: the memory has at least this size, and no kernel runs on this worker now.
            unsafe { base.write_bytes(0, launch.memory_bytes) };
        }
        for (offset, bytes) in &launch.image {
            debug_assert!(*offset as usize + bytes.len() <= launch.memory_bytes);
            // SAFETY: the images lie in the memory that the kernel declares; see above.
            unsafe {
                base.add(*offset as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
        }
    }
}
