//! The only crate that links LLVM: scalar clean-up, code generation, just-in-time linking.

mod codegen;
mod context;
mod define;
mod error;
mod extremes;
mod passes;
mod prepare;
mod scalar;
mod stack;
mod target;
pub mod text;
mod zero_compare;

pub use codegen::{CodegenOptions, assembly, compile, compile_timed, compile_with};
pub use error::LlvmError;
pub use scalar::{ScalarOptions, Timings, optimize_scalar, optimize_scalar_timed};
pub use target::{Effort, TargetSpec, UnknownCpu, llvm_version};
