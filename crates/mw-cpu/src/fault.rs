//! Kernels that touch memory that is not there: the signal becomes an error that names the kernel.
//!
//! A kernel holds no lock and owns nothing, so it can be left at any instruction: the handler of SIGSEGV,
//! SIGBUS, SIGFPE and SIGILL, when this thread runs a kernel, makes the thread go on in
//! `switch::leave_fault`. Signals that come from anywhere else go to the handler that was there before.
#![expect(unsafe_code, reason = "installs a signal handler")]

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use crate::fibre::HOME;
use crate::switch;

/// What a kernel was stopped by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// Signal number.
    pub(crate) signal: i32,
    /// Address that was accessed, for memory faults.
    pub(crate) address: usize,
    /// Stack pointer at the fault.
    pub(crate) stack_pointer: usize,
    /// The address is in the guard of a kernel stack.
    pub(crate) stack_overflow: bool,
    /// Which fibre of the worker ran.
    pub(crate) fibre: Option<usize>,
    /// Position of the threadgroup.
    pub(crate) threadgroup: [u32; 3],
    /// Simdgroup of the threadgroup, where it is known.
    pub(crate) simdgroup: Option<usize>,
}

impl Fault {
    const NONE: Self = Self {
        signal: 0,
        address: 0,
        stack_pointer: 0,
        stack_overflow: false,
        fibre: None,
        threadgroup: [0; 3],
        simdgroup: None,
    };

    /// There is no memory for a stack.
    pub(crate) fn no_stack() -> Self {
        Self::NONE
    }

    /// The fault with its place in the grid.
    pub(crate) fn at(self, threadgroup: [u32; 3], simdgroup: Option<usize>) -> Self {
        Self { threadgroup, simdgroup, ..self }
    }

    /// What happened where, in words.
    pub(crate) fn message(&self) -> String {
        if self.signal == 0 {
            return "could not be started: there is no memory for its stacks".into();
        }
        let [x, y, z] = self.threadgroup;
        let simdgroup = self.simdgroup.map_or(String::new(), |index| format!("simdgroup {index} of "));
        format!("{simdgroup}threadgroup ({x}, {y}, {z}) {}", self.what())
    }

    fn what(&self) -> String {
        if self.stack_overflow {
            return "ran out of stack: its recursion is too deep or its private arrays are too large".into();
        }
        match self.signal {
            libc::SIGSEGV | libc::SIGBUS => {
                format!("accessed address {:#x}, which is in no buffer", self.address)
            }
            libc::SIGFPE => "divided by zero in a way that the compiler did not foresee".into(),
            libc::SIGILL => "reached code that can never be reached".into(),
            signal => format!("was stopped by signal {signal}"),
        }
    }
}

thread_local! {
    static LAST: Cell<Fault> = const { Cell::new(Fault::NONE) };
    static ALTERNATE_STACK: Cell<bool> = const { Cell::new(false) };
}

/// The fault that ended the last kernel of this thread.
pub(crate) fn take() -> Fault {
    LAST.replace(Fault::NONE)
}

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// Handlers that were there before, in the order of `SIGNALS`.
static PREVIOUS: OnceLock<[libc::sigaction; 4]> = OnceLock::new();

/// Installs the handler in the process and gives this thread a stack to run it on.
pub(crate) fn prepare_thread() {
    // SAFETY: zeroed `sigaction` values are valid ones, which the calls fill; the handler has the signature
    // that SA_SIGINFO asks for.
    PREVIOUS.get_or_init(|| unsafe {
        let mut previous: [libc::sigaction; 4] = std::mem::zeroed();
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        // What was there is read before ours can run.
        for (signal, previous) in SIGNALS.iter().zip(&mut previous) {
            libc::sigaction(*signal, ptr::null(), previous);
        }
        for signal in SIGNALS {
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
        previous
    });
    if !ALTERNATE_STACK.replace(true) {
        give_alternate_stack();
    }
}

/// A stack for the handler, where this thread has none yet. It is kept for the life of the thread and
/// beyond: 64 KiB for each thread that ever ran a kernel and was not made by Rust.
fn give_alternate_stack() {
    const LEN: usize = 64 << 10;
    // SAFETY: reads the thread's setting into a zeroed value; then hands the system a fresh mapping that is
    // never unmapped.
    unsafe {
        let mut current: libc::stack_t = std::mem::zeroed();
        if libc::sigaltstack(ptr::null(), &raw mut current) != 0 || current.ss_flags & libc::SS_DISABLE == 0 {
            return;
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let base = libc::mmap(ptr::null_mut(), LEN, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if base != libc::MAP_FAILED {
            let stack = libc::stack_t { ss_sp: base, ss_flags: 0, ss_size: LEN };
            libc::sigaltstack(&raw const stack, ptr::null_mut());
        }
    }
}

extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    let home = HOME.get();
    if home.is_null() {
        return forward(signal, info, context);
    }
    // SAFETY: the system passes valid `info` and `context`; this thread runs a kernel, which was entered
    // through `switch`, so that `home` is where `leave_fault` finds the saved registers.
    unsafe {
        let address = (*info).si_addr() as usize;
        let context: *mut libc::ucontext_t = context.cast();
        let landing = switch::leave_fault as *const () as usize;
        #[cfg(target_arch = "x86_64")]
        let stack_pointer = {
            let registers = &mut (*context).uc_mcontext.gregs;
            let stack_pointer = registers[libc::REG_RSP as usize] as usize;
            registers[libc::REG_RIP as usize] = landing as i64;
            registers[libc::REG_RSP as usize] = home as i64;
            stack_pointer
        };
        #[cfg(target_arch = "aarch64")]
        let stack_pointer = {
            let registers = &mut (*context).uc_mcontext;
            let stack_pointer = registers.sp as usize;
            registers.pc = landing as u64;
            registers.sp = home as u64;
            stack_pointer
        };
        LAST.set(Fault { signal, address, stack_pointer, ..Fault::NONE });
    }
}

/// Does what would have happened without our handler.
fn forward(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    let previous = PREVIOUS.get().zip(SIGNALS.iter().position(|known| *known == signal));
    let Some((previous, index)) = previous else {
        // SAFETY: the default action; the faulting instruction runs again and ends the process.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        return;
    };
    let action = &previous[index];
    // SAFETY: the previous action was read from the system, so its handler has the signature that its flags
    // say. With no handler the action is restored, and the faulting instruction runs again under it.
    unsafe {
        if matches!(action.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN) {
            libc::sigaction(signal, action, ptr::null_mut());
        } else if action.sa_flags & libc::SA_SIGINFO != 0 {
            let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void) =
                std::mem::transmute(action.sa_sigaction);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(i32) = std::mem::transmute(action.sa_sigaction);
            handler(signal);
        }
    }
}
