//! How a kernel is launched, as data: one grammar for a file, a comment and the command line.
//!
//! A [`Launch`] says which kernel runs on which grid with which arguments and constants, what must come out,
//! and how near is near enough. It is written in any of three forms, which may be laid over each other:
//!
//! - a `kernel.toml` beside the kernel ([`Launch::all_in_toml`]),
//! - `// run:` lines in the source ([`Launch::all_in_comments`]),
//! - flags, each of which is one setting ([`Launch::set`]).
//!
//! Arguments are [`Value`]s: `randn:f32[1024,4096]`, `arange:i32[8]`, `i32:7`, `{i32:7,f32:1}`, `input.npy`.
//! The crate knows nothing of Metal's API: whoever launches asks reflection where an argument goes.
#![warn(missing_docs)]

mod compare;
mod constant;
mod dtype;
mod error;
mod forms;
mod launch;
pub mod npy;
mod random;
mod settings;
mod tensor;
mod value;

pub use compare::{Comparison, Tolerance, compare};
pub use constant::ConstantText;
pub use dtype::Dtype;
pub use error::ManifestError;
pub use launch::{GridSize, Key, Launch};
pub use random::Random;
pub use tensor::{TENSOR_LIMIT_BYTES, Tensor};
pub use value::{Generator, Value};
