//! MLX's contract for custom Metal kernels, without Python and without MLX.
//!
//! `mx.fast.metal_kernel` takes the *body* of a kernel and makes the rest: a signature out of the names, types
//! and shapes of the arguments of each call, a name that tells instantiations apart, and a launch whose grid
//! counts threads. This crate does the same for whoever has memory to run on:
//!
//! 1. [`Definition`] is what the user writes once; [`Definition::generate`] gives the text for the arguments of
//!    a call, character for character what MLX generates ([`Generated`]).
//! 2. [`Runtime::prepare`] compiles a text, or finds it in the cache, which is keyed by the whole text
//!    ([`Prepared`]). Mistakes come back rendered, in lines of the user's own source.
//! 3. [`Prepared::plan`] checks grid and threadgroup as MLX does; [`Runtime::run`] binds memory without copying
//!    it and launches.
//!
//! [`c_abi`] offers the same through one table of C functions, for callers in other languages; the header is
//! `include/metalworking_custom_kernel.h`.
//!
//! # Source
//! MLX's documentation, page "Custom Metal Kernels", and the texts that `mx.export_function` of MLX 0.32.4 prints
//! for kernels.
#![warn(missing_docs)]

pub mod c_abi;
mod checked;
mod counts;
mod definition;
mod dtype;
mod error;
mod launch;
mod memory;
mod prelude;
mod runtime;
mod signature;
mod source;

pub use checked::{enter_checked, is_checked, leave_checked};
pub use counts::{dispatch_counts, reset_dispatch_counts};
pub use definition::{CallArguments, Definition, Generated, InputKind, Remembering};
pub use dtype::{Dtype, TemplateArg};
pub use error::{Error, ErrorKind};
pub use launch::{Argument, Launch, Plan};
pub use memory::{copy_to_row_contiguous, fill, is_row_contiguous};
pub use prelude::{PRELUDE, PRELUDE_NAME};
pub use runtime::{Prepared, Runtime};
pub use signature::Injected;
pub use source::{KernelSource, MathMode};
