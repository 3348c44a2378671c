//! The reference executor of AIR: slow, obvious, deterministic.
//!
//! A simdgroup of 32 lanes is run at a time, one operation for all its active lanes. What each operation
//! computes is written in `mw-air/SEMANTICS.md`; this crate is that text as code, with nothing clever in it,
//! and every other engine is judged by it.
//!
//! # How it works
//!
//! 1. [`InterpBackend`] gives library functions their bodies, lays out global variables, and decodes every
//!    function that the kernel reaches into scalar operations on registers (`decode`, `program`). The
//!    module's constructors run.
//! 2. A launch takes threadgroups one by one. Its simdgroups run in turn, each until a threadgroup barrier
//!    or its end (`kernel`).
//! 3. A simdgroup runs blocks in convergence order, each with all lanes that stand there (`exec`). Calls
//!    push frames: nothing recurses in Rust, so that a barrier can be met anywhere.
//!
//! Every register and every byte of private, threadgroup and constant memory knows whether it is undefined.
//! Undefined values are zero; a branch on one, or an access through one, is a [`Finding`].
//! Memory is never touched outside the buffers that a launch names: an access outside is an error with the
//! thread, the address and the buffer in its text. Loops end at a step limit, on request also at a time limit.
//!
//! An [`Observer`] is told of blocks, accesses, barriers and calls; [`Coverage`] and
//! [`Counts`] are two.
#![expect(
    clippy::inline_always,
    reason = "operations are chosen outside the loop over lanes only when scalar functions are inlined into it"
)]

mod checked;
mod counting;
mod counts;
mod decode;
mod exec;
mod kernel;
mod memory;
mod number;
mod observe;
mod primitive;
mod program;
mod shadow;

pub use checked::CheckedBackend;
pub use counting::CountingBackend;
pub use counts::{Counts, MemoryCounts, Traffic, Work};
pub use kernel::{InterpBackend, InterpKernel, Report};
pub use memory::Place;
pub use observe::{Access, Coverage, Finding, FindingKind, Observer, Position, ThreadgroupMemory};

/// The address of the first byte of threadgroup memory.
pub const THREADGROUP_MEMORY: u64 = memory::THREADGROUP;
/// The address of the first byte of a thread's private memory, behind its guard.
pub const PRIVATE_MEMORY: u64 = memory::PRIVATE + memory::PRIVATE_GUARD as u64;

/// The memory that an address of an [`Access`] belongs to.
pub fn place_of(address: u64) -> Place {
    memory::place(address).0
}
