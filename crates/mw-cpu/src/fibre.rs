//! Stacks that kernels run on, and the ring of fibres of a threadgroup whose simdgroups meet at barriers.
//!
//! Fibres are persistent: each keeps its stack and waits in [`fibre_main`] for the next threadgroup, so that
//! starting one costs a stack switch. The ring's order is that of the simdgroups: simdgroup 0 runs until it
//! meets a barrier or ends, then simdgroup 1, and so on, then round again; one that ended has left the ring.
#![expect(unsafe_code, reason = "runs compiled kernels on stacks of its own")]

use std::cell::Cell;
use std::io;
use std::ptr::{self, NonNull};

use mw_passes::abi::SimdgroupContext;

use crate::fault::{self, Fault};
use crate::switch::{self, KernelFunction, RingFibre};

thread_local! {
    /// Stack pointer of this thread at the entry of the kernel that it runs; null when it runs none. The
    /// fault handler leaves a kernel through it.
    pub(crate) static HOME: Cell<*mut u8> = const { Cell::new(ptr::null_mut()) };
}

/// A stack: pages that the system supplies when they are touched, over one page that faults.
#[derive(Debug)]
struct Stack {
    base: NonNull<u8>,
    len: usize,
}

const GUARD_BYTES: usize = 64 << 10;
const PAGE_BYTES: usize = 4096;
/// Nine lines: no small multiple of it is a multiple of a page.
const COLOR_BYTES: usize = 9 * 64;

impl Stack {
    fn new(len: usize) -> io::Result<Self> {
        let len = len.next_multiple_of(GUARD_BYTES) + GUARD_BYTES;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: a fresh mapping at an address of the system's choice; its lowest part becomes the guard.
        let base = unsafe {
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let base = libc::mmap(ptr::null_mut(), len, rights, flags, -1, 0);
            if base == libc::MAP_FAILED || libc::mprotect(base, GUARD_BYTES, libc::PROT_NONE) != 0 {
                return Err(io::Error::last_os_error());
            }
            base
        };
        let base = NonNull::new(base.cast()).ok_or_else(|| io::Error::other("mapped at address zero"))?;
        Ok(Self { base, len })
    }

    /// Where the stack begins. Stacks are whole pages, so that equal depths of all of them would share a
    /// few lines of the cache; each `color` begins somewhere else in its page.
    fn top(&self, color: usize) -> *mut u8 {
        let skip = color * COLOR_BYTES % PAGE_BYTES;
        // SAFETY: at most a page below the end of the mapping, which is larger.
        unsafe { self.base.as_ptr().add(self.len - skip) }
    }

    fn guard_contains(&self, address: usize) -> bool {
        let base = self.base.as_ptr() as usize;
        (base..base + GUARD_BYTES).contains(&address)
    }

    fn contains(&self, address: usize) -> bool {
        let base = self.base.as_ptr() as usize;
        (base..base + self.len).contains(&address)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and nothing runs on it any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
    }
}

/// A fibre. `ring` comes first: the assembly takes its address for the fibre's.
#[repr(C)]
#[derive(Debug)]
struct Fibre {
    ring: RingFibre,
    previous: *mut Fibre,
    kernel: KernelFunction,
    context: *mut SimdgroupContext,
    arguments: *const u64,
    stack: Stack,
    color: usize,
}

impl Fibre {
    fn new(stack_bytes: usize, color: usize) -> io::Result<Box<Self>> {
        let mut fibre = Box::new(Self {
            ring: RingFibre { stack_pointer: ptr::null_mut(), next: ptr::null_mut() },
            previous: ptr::null_mut(),
            kernel: nothing,
            context: ptr::null_mut(),
            arguments: ptr::null(),
            stack: Stack::new(stack_bytes)?,
            color,
        });
        fibre.restart();
        Ok(fibre)
    }

    /// Forgets whatever runs on the stack.
    fn restart(&mut self) {
        let this: *mut Self = self;
        // SAFETY: the stack is writable and its end is page-aligned; nothing of it is in use any more.
        self.ring.stack_pointer =
            unsafe { switch::prepare_stack(self.stack.top(self.color), fibre_main, this.cast()) };
    }
}

unsafe extern "C" fn nothing(_: *mut SimdgroupContext, _: *const u64) {}

/// Runs one simdgroup after the other, leaving the ring after each.
unsafe extern "C" fn fibre_main(argument: *mut u8) -> ! {
    let this: *mut Fibre = argument.cast();
    loop {
        // SAFETY: `this` is the fibre that this stack belongs to; `FibreSet` keeps it at its address, sets
        // kernel, context and ring before it starts the ring, and touches nothing of it until the ring ends.
        unsafe {
            ((*this).kernel)((*this).context, (*this).arguments);
            let next: *mut Fibre = (*this).ring.next.cast();
            if next == this {
                switch::switch_home(this.cast(), HOME.get());
            } else {
                let previous = (*this).previous;
                (*previous).ring.next = next.cast();
                (*next).previous = previous;
                switch::switch_to(this.cast(), next.cast());
            }
        }
    }
}

/// The stacks of one worker.
#[derive(Debug)]
pub(crate) struct FibreSet {
    #[expect(clippy::vec_box, reason = "a fibre's stack refers to the fibre by its address")]
    fibres: Vec<Box<Fibre>>,
    stack_bytes: usize,
}

impl FibreSet {
    /// An empty set whose stacks will have this size.
    pub(crate) fn new(stack_bytes: usize) -> Self {
        Self { fibres: Vec::new(), stack_bytes }
    }

    /// Size of the stacks.
    pub(crate) fn stack_bytes(&self) -> usize {
        self.stack_bytes
    }

    /// Makes sure that there are `count` fibres.
    pub(crate) fn reserve(&mut self, count: usize) -> io::Result<()> {
        while self.fibres.len() < count {
            let color = self.fibres.len();
            self.fibres.push(Fibre::new(self.stack_bytes, color)?);
        }
        Ok(())
    }

    /// Makes contexts ready for [`Self::run_each`]. `reserve(1)` must have succeeded.
    pub(crate) fn own(&mut self, contexts: &mut [SimdgroupContext]) {
        let fibre = &mut self.fibres[0];
        // A kernel that calls the barrier although it was said to have none finds itself alone.
        fibre.ring.next = &raw mut fibre.ring;
        for context in contexts {
            context.owner = (&raw mut fibre.ring).cast();
        }
    }

    /// Runs simdgroups that meet no barrier, one after the other, on the first fibre's stack.
    ///
    /// # Safety
    /// `kernel` must be a compiled kernel, `contexts` and `arguments` what its contract asks for, and the
    /// memory behind them must be what the kernel was launched with. There must be a context; `own` must
    /// have had all of them.
    pub(crate) unsafe fn run_each(
        &mut self,
        kernel: KernelFunction,
        contexts: &mut [SimdgroupContext],
        arguments: &[u64],
    ) -> Result<(), Fault> {
        /// A fibre that has started keeps its frame at the top of the stack.
        const FRAME_BYTES: usize = 1024;
        let fibre = &mut self.fibres[0];
        let first = contexts.as_mut_ptr();
        let count = contexts.len();
        // SAFETY: `FRAME_BYTES` below the top is inside the stack and 16-byte aligned; the rest is the
        // caller's promise. `HOME` stays in place while the thread lives.
        unsafe {
            let top = fibre.stack.top(fibre.color).sub(FRAME_BYTES).cast();
            let home = HOME.with(Cell::as_ptr);
            let faulted = switch::call_on_stack(home, top, kernel, first, arguments.as_ptr(), count);
            self.finish(faulted).map_err(|fault| {
                let simdgroup = (*top).offset_from(first) as usize;
                Fault { simdgroup: Some(simdgroup), ..fault }
            })
        }
    }

    /// Runs the simdgroups of a threadgroup, which meet at barriers: one fibre for each context.
    ///
    /// # Safety
    /// As for [`Self::run_each`], but for `own`. `reserve(contexts.len())` must have succeeded.
    pub(crate) unsafe fn run_ring(
        &mut self,
        kernel: KernelFunction,
        contexts: &mut [SimdgroupContext],
        arguments: &[u64],
    ) -> Result<(), Fault> {
        let count = contexts.len();
        let ring: Vec<*mut Fibre> = self.fibres[..count].iter_mut().map(|fibre| &raw mut **fibre).collect();
        for (index, context) in contexts.iter_mut().enumerate() {
            let fibre = ring[index];
            context.owner = fibre.cast();
            // SAFETY: the pointers are to boxed fibres of this set, none of which runs.
            unsafe {
                (*fibre).ring.next = ring[(index + 1) % count].cast();
                (*fibre).previous = ring[(index + count - 1) % count];
                (*fibre).kernel = kernel;
                (*fibre).context = context;
                (*fibre).arguments = arguments.as_ptr();
            }
        }
        // SAFETY: every fibre of the ring waits in `fibre_main` or has not started; the rest is the
        // caller's promise.
        let faulted = unsafe { switch::start_ring(HOME.with(Cell::as_ptr), ring[0].cast()) };
        self.finish(faulted)
    }

    #[inline]
    fn finish(&mut self, faulted: u32) -> Result<(), Fault> {
        HOME.set(ptr::null_mut());
        if faulted == 0 {
            return Ok(());
        }
        let mut fault = fault::take();
        fault.stack_overflow = self.fibres.iter().any(|fibre| fibre.stack.guard_contains(fault.address));
        fault.fibre = self.fibres.iter().position(|fibre| fibre.stack.contains(fault.stack_pointer));
        for fibre in &mut self.fibres {
            fibre.restart();
        }
        Err(fault)
    }
}
