//! The CPU backend: compiled kernels, threadgroup scheduling, collectives.
//!
//! [`CpuBackend`] compiles a kernel through the stages of [`Stage`] when a launch first needs it, keeps the
//! code in memory and on disk, and runs threadgroups on a pool of threads. The simdgroups of a threadgroup
//! run one after another on one thread; where they meet at barriers each has a stack of its own, and a
//! barrier is a switch to the next stack.

mod backend;
mod cache;
mod code;
mod emulate;
mod fault;
mod fibre;
mod float_control;
mod half;
mod launch;
mod options;
mod pipeline;
mod pool;
mod switch;
mod symbols;
#[cfg(test)]
mod tests;
mod watchdog;
mod worker;

pub use backend::{CpuBackend, CpuKernel};
pub use emulate::EmulatedBackend;
pub use options::{CpuOptions, OptionsError};
pub use pipeline::Stage;
