//! The only crate that links LLVM: scalar clean-up, code generation, just-in-time linking.

mod codegen;
mod context;
mod define;
mod error;
mod passes;
mod prepare;
mod scalar;
mod target;
pub mod text;

pub use codegen::CodegenOptions;
pub use error::LlvmError;
pub use scalar::{ScalarOptions, Timings};
pub use target::{Effort, TargetSpec, UnknownCpu, llvm_version};
