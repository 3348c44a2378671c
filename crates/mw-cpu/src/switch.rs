//! The few instructions that Rust has no words for: entering a kernel on another stack, leaving it from
//! anywhere, and switching from one simdgroup's stack to the next at a barrier.
//!
//! A worker enters a kernel with [`call_on_stack`] or [`start_ring`]. Both save the worker's registers on its
//! own stack and store the stack pointer at `home`; [`leave_fault`] with the stack pointer set to that value
//! returns from them with 1. Simdgroups that may meet a barrier are [`RingFibre`]s, linked in a ring: at a
//! barrier each switches to the next, so that one round of the ring passes the barrier.
//!
//! On x86-64 a switch ends in an indirect jump and not in `ret`: the CPU predicts returns from a stack of
//! calls of its own, which knows nothing of other fibres and would be wrong every time (30 ns against 7 for
//! eight simdgroups, on Zen 5). All simdgroups go on at the same place, which the predictor of jumps learns.
//!
//! The offsets in the assembly are those of [`RingFibre`] and of `SimdgroupContext::owner`.
#![expect(unsafe_code, reason = "switches stacks")]

use std::arch::naked_asm;
use std::mem::offset_of;

use mw_passes::abi::SimdgroupContext;

/// The compiled function: runs one simdgroup.
pub(crate) type KernelFunction = unsafe extern "C" fn(*mut SimdgroupContext, *const u64);

/// The part of a fibre that the assembly knows.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct RingFibre {
    /// Stack pointer while another fibre runs.
    pub(crate) stack_pointer: *mut u8,
    /// The fibre that runs next at a barrier: itself when it is alone.
    pub(crate) next: *mut RingFibre,
}

const OWNER: usize = offset_of!(SimdgroupContext, owner);
const STACK_POINTER: usize = offset_of!(RingFibre, stack_pointer);
const NEXT: usize = offset_of!(RingFibre, next);

#[cfg(target_arch = "x86_64")]
mod arch {
    use super::{KernelFunction, NEXT, OWNER, RingFibre, STACK_POINTER, SimdgroupContext, naked_asm};

    /// Registers that `switch_to` keeps on the stack, and the return address: in 8-byte words.
    const FRAME_WORDS: usize = 7;

    /// Stack pointer of a fibre that has not started: switching to it calls `main(argument)`.
    ///
    /// # Safety
    /// `top` must be the 16-byte aligned end of a writable stack.
    #[expect(clippy::cast_ptr_alignment, reason = "the stack is aligned")]
    pub(crate) unsafe fn prepare_stack(
        top: *mut u8,
        main: unsafe extern "C" fn(*mut u8) -> !,
        argument: *mut u8,
    ) -> *mut u8 {
        // SAFETY: the frame and two words above it, which keep the stack aligned, lie below `top`.
        unsafe {
            let frame = top.cast::<usize>().sub(FRAME_WORDS + 2);
            frame.write_bytes(0, FRAME_WORDS + 2);
            // Popped in the order r15, r14, r13, r12, rbx, rbp, return address.
            frame.add(2).write(argument as usize);
            frame.add(3).write(main as *const () as usize);
            frame.add(6).write(start_fibre as *const () as usize);
            frame.cast()
        }
    }

    /// First instructions of a fibre: `r12` is its main function, `r13` the argument.
    #[unsafe(naked)]
    unsafe extern "C" fn start_fibre() {
        naked_asm!("mov rdi, r13", "call r12", "ud2")
    }

    /// Runs simdgroups one after the other on the stack that ends at `top`; the word there says which is
    /// running. Gives 0, or 1 after a fault.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn call_on_stack(
        home: *mut *mut u8,
        top: *mut *mut SimdgroupContext,
        kernel: KernelFunction,
        contexts: *mut SimdgroupContext,
        arguments: *const u64,
        count: usize,
    ) -> u32 {
        naked_asm!(
            "push rbp",
            "push rbx",
            "push r12",
            "push r13",
            "push r14",
            "push r15",
            "mov [rdi], rsp",
            "mov rbx, rsp",
            "mov rsp, rsi",
            "mov r12, rcx",
            "mov r13, r9",
            "mov r14, r8",
            "mov r15, rdx",
            "2:",
            "mov [rsp], r12",
            "mov rdi, r12",
            "mov rsi, r14",
            "call r15",
            "add r12, {size}",
            "dec r13",
            "jnz 2b",
            "mov rsp, rbx",
            "xor eax, eax",
            "pop r15",
            "pop r14",
            "pop r13",
            "pop r12",
            "pop rbx",
            "pop rbp",
            "ret",
            size = const size_of::<SimdgroupContext>(),
        )
    }

    /// Starts a ring of fibres. Gives 0 when all have ended, or 1 after a fault.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn start_ring(home: *mut *mut u8, first: *mut RingFibre) -> u32 {
        naked_asm!(
            "push rbp", "push rbx", "push r12", "push r13", "push r14", "push r15",
            "mov [rdi], rsp",
            "mov rsp, [rsi + {stack_pointer}]",
            "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp",
            "pop rcx",
            "jmp rcx",
            stack_pointer = const STACK_POINTER,
        )
    }

    /// Leaves fibre `from`, and goes on in fibre `to`.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn switch_to(from: *mut RingFibre, to: *mut RingFibre) {
        naked_asm!(
            "push rbp", "push rbx", "push r12", "push r13", "push r14", "push r15",
            "mov [rdi + {stack_pointer}], rsp",
            "mov rsp, [rsi + {stack_pointer}]",
            "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp",
            "pop rcx",
            "jmp rcx",
            stack_pointer = const STACK_POINTER,
        )
    }

    /// Leaves fibre `from` and returns 0 from `start_ring`.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn switch_home(from: *mut RingFibre, home: *mut u8) {
        naked_asm!(
            "push rbp", "push rbx", "push r12", "push r13", "push r14", "push r15",
            "mov [rdi + {stack_pointer}], rsp",
            "mov rsp, rsi",
            "xor eax, eax",
            "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp",
            "ret",
            stack_pointer = const STACK_POINTER,
        )
    }

    /// The barrier that kernels call: switches to the next simdgroup of the ring.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn mw_barrier(context: *mut SimdgroupContext) {
        naked_asm!(
            "mov rdi, [rdi + {owner}]",
            "mov rsi, [rdi + {next}]",
            "cmp rsi, rdi",
            "je 2f",
            "push rbp", "push rbx", "push r12", "push r13", "push r14", "push r15",
            "mov [rdi + {stack_pointer}], rsp",
            "mov rsp, [rsi + {stack_pointer}]",
            "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp",
            "pop rcx",
            "jmp rcx",
            "2:",
            "ret",
            owner = const OWNER,
            next = const NEXT,
            stack_pointer = const STACK_POINTER,
        )
    }

    /// Where the fault handler sends a kernel, with the stack pointer at `home`: `call_on_stack` or
    /// `start_ring` returns 1.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn leave_fault() {
        naked_asm!(
            "cld",
            "mov eax, 1",
            "pop r15",
            "pop r14",
            "pop r13",
            "pop r12",
            "pop rbx",
            "pop rbp",
            "ret"
        )
    }
}

#[cfg(target_arch = "aarch64")]
mod arch {
    use super::{KernelFunction, NEXT, OWNER, RingFibre, STACK_POINTER, SimdgroupContext, naked_asm};

    /// Bytes that `save` takes.
    const FRAME_BYTES: usize = 160;

    macro_rules! save {
        () => {
            "sub sp, sp, #160
             stp x19, x20, [sp]
             stp x21, x22, [sp, #16]
             stp x23, x24, [sp, #32]
             stp x25, x26, [sp, #48]
             stp x27, x28, [sp, #64]
             stp x29, x30, [sp, #80]
             stp d8, d9, [sp, #96]
             stp d10, d11, [sp, #112]
             stp d12, d13, [sp, #128]
             stp d14, d15, [sp, #144]"
        };
    }

    macro_rules! restore {
        () => {
            "ldp x19, x20, [sp]
             ldp x21, x22, [sp, #16]
             ldp x23, x24, [sp, #32]
             ldp x25, x26, [sp, #48]
             ldp x27, x28, [sp, #64]
             ldp x29, x30, [sp, #80]
             ldp d8, d9, [sp, #96]
             ldp d10, d11, [sp, #112]
             ldp d12, d13, [sp, #128]
             ldp d14, d15, [sp, #144]
             add sp, sp, #160"
        };
    }

    /// Stack pointer of a fibre that has not started: switching to it calls `main(argument)`.
    ///
    /// # Safety
    /// `top` must be the 16-byte aligned end of a writable stack.
    #[expect(clippy::cast_ptr_alignment, reason = "the stack is aligned")]
    pub(crate) unsafe fn prepare_stack(
        top: *mut u8,
        main: unsafe extern "C" fn(*mut u8) -> !,
        argument: *mut u8,
    ) -> *mut u8 {
        // SAFETY: the frame lies below `top`.
        unsafe {
            let frame = top.sub(FRAME_BYTES);
            frame.write_bytes(0, FRAME_BYTES);
            let words = frame.cast::<usize>();
            words.write(main as *const () as usize);
            words.add(1).write(argument as usize);
            words.add(11).write(start_fibre as *const () as usize);
            frame
        }
    }

    /// First instructions of a fibre: `x19` is its main function, `x20` the argument.
    #[unsafe(naked)]
    unsafe extern "C" fn start_fibre() {
        naked_asm!("mov x0, x20", "blr x19", "brk #1")
    }

    /// Runs simdgroups one after the other on the stack that ends at `top`; the word there says which is
    /// running. Gives 0, or 1 after a fault.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn call_on_stack(
        home: *mut *mut u8,
        top: *mut *mut SimdgroupContext,
        kernel: KernelFunction,
        contexts: *mut SimdgroupContext,
        arguments: *const u64,
        count: usize,
    ) -> u32 {
        naked_asm!(
            save!(),
            "mov x19, sp",
            "str x19, [x0]",
            "mov sp, x1",
            "mov x20, x3",
            "mov x21, x4",
            "mov x22, x5",
            "mov x23, x2",
            "2:",
            "str x20, [sp]",
            "mov x0, x20",
            "mov x1, x21",
            "blr x23",
            "add x20, x20, #{size}",
            "subs x22, x22, #1",
            "b.ne 2b",
            "mov sp, x19",
            "mov w0, #0",
            restore!(),
            "ret",
            size = const size_of::<SimdgroupContext>(),
        )
    }

    /// Starts a ring of fibres. Gives 0 when all have ended, or 1 after a fault.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn start_ring(home: *mut *mut u8, first: *mut RingFibre) -> u32 {
        naked_asm!(
            save!(),
            "mov x9, sp",
            "str x9, [x0]",
            "ldr x9, [x1, #{stack_pointer}]",
            "mov sp, x9",
            restore!(),
            "ret",
            stack_pointer = const STACK_POINTER,
        )
    }

    /// Leaves fibre `from`, and goes on in fibre `to`.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn switch_to(from: *mut RingFibre, to: *mut RingFibre) {
        naked_asm!(
            save!(),
            "mov x9, sp",
            "str x9, [x0, #{stack_pointer}]",
            "ldr x9, [x1, #{stack_pointer}]",
            "mov sp, x9",
            restore!(),
            "ret",
            stack_pointer = const STACK_POINTER,
        )
    }

    /// Leaves fibre `from` and returns 0 from `start_ring`.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn switch_home(from: *mut RingFibre, home: *mut u8) {
        naked_asm!(
            save!(),
            "mov x9, sp",
            "str x9, [x0, #{stack_pointer}]",
            "mov sp, x1",
            "mov w0, #0",
            restore!(),
            "ret",
            stack_pointer = const STACK_POINTER,
        )
    }

    /// The barrier that kernels call: switches to the next simdgroup of the ring.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn mw_barrier(context: *mut SimdgroupContext) {
        naked_asm!(
            "ldr x0, [x0, #{owner}]",
            "ldr x1, [x0, #{next}]",
            "cmp x0, x1",
            "b.eq 2f",
            save!(),
            "mov x9, sp",
            "str x9, [x0, #{stack_pointer}]",
            "ldr x9, [x1, #{stack_pointer}]",
            "mov sp, x9",
            restore!(),
            "2:",
            "ret",
            owner = const OWNER,
            next = const NEXT,
            stack_pointer = const STACK_POINTER,
        )
    }

    /// Where the fault handler sends a kernel, with the stack pointer at `home`: `call_on_stack` or
    /// `start_ring` returns 1.
    #[unsafe(naked)]
    pub(crate) unsafe extern "C" fn leave_fault() {
        naked_asm!("mov w0, #1", restore!(), "ret")
    }
}

pub(crate) use arch::{
    call_on_stack, leave_fault, mw_barrier, prepare_stack, start_ring, switch_home, switch_to,
};
