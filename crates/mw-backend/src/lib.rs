//! The words that the runtime and its backends share.
//!
//! A [`Backend`] turns a module whose function constants are set into a [`Kernel`]; a kernel runs a
//! [`Launch`]. The runtime checks Metal's rules before it launches, so that a backend may rely on them:
//! every argument that the kernel uses is bound, sizes are within limits, no dimension is zero.

mod buffer;
mod constants;
mod error;
mod grid;
mod launch;

pub use buffer::BufferView;
pub use constants::{ConstantValue, ConstantValues};
pub use error::{CompileError, LaunchError};
pub use grid::{Grid, SIMD_WIDTH, ThreadgroupOrder};
pub use launch::{Argument, Backend, Kernel, Launch};
