//! Lowers the front-end's HIR to AIR in the shape that Apple's compiler writes.
//!
//! [`lower_kernel`] makes a module with one kernel and what it reaches, as a metallib holds it;
//! [`lower`] makes one with all kernels. The result is unoptimised: locals that need an address are
//! `alloca`s of the entry block, functions are called, not inlined.
//!
//! - [`LowerOptions`] says language version and math mode; everything else is in the program.
//! - Records and arrays are handled by address: passed as pointers to copies, returned through a pointer.
//! - Products and sums fuse where the source's rules allow it, as `llvm.fmuladd`; fast-math flags are
//!   written as Apple writes them and change nothing here (see `SEMANTICS.md` beside `mw-air`).

mod aggregate;
mod arith;
mod builtins;
mod constant;
mod context;
mod convert;
mod debug;
mod error;
mod expr;
mod function;
mod kernel;
mod matrix;
mod module;
mod names;
mod options;
mod place;
mod specialise;
mod stmt;
mod types;
mod unused;
mod usage;

use mw_air::Module;
use mw_msl::hir::{Kernel, Program};
use mw_source::SourceMap;

pub use error::{LowerError, LowerErrorKind};
pub use options::LowerOptions;

use module::ModuleLowering;

/// Makes a module with the kernel of this name, and all that it reaches.
///
/// # Errors
/// When the program has no such kernel, or uses what is not lowered yet.
pub fn lower_kernel(program: &Program, kernel: &str, options: &LowerOptions) -> Result<Module, LowerError> {
    lower_named(program, kernel, options, None)
}

/// As [`lower_kernel`], and every instruction knows its place in the source.
///
/// # Errors
/// As [`lower_kernel`].
pub fn lower_kernel_located(
    program: &Program,
    kernel: &str,
    options: &LowerOptions,
    sources: &SourceMap,
) -> Result<Module, LowerError> {
    lower_named(program, kernel, options, Some(sources))
}

/// Makes a module with all kernels of the program.
///
/// # Errors
/// When the program uses what is not lowered yet.
pub fn lower(program: &Program, options: &LowerOptions) -> Result<Module, LowerError> {
    lower_all(program, options, None)
}

/// As [`lower`], and every instruction knows its place in the source.
///
/// # Errors
/// As [`lower`].
pub fn lower_located(
    program: &Program,
    options: &LowerOptions,
    sources: &SourceMap,
) -> Result<Module, LowerError> {
    lower_all(program, options, Some(sources))
}

fn lower_named(
    program: &Program,
    kernel: &str,
    options: &LowerOptions,
    sources: Option<&SourceMap>,
) -> Result<Module, LowerError> {
    let found = program.kernels.iter().find(|candidate| candidate.name == kernel);
    let found = found.ok_or_else(|| LowerError {
        span: specialise::no_span(),
        kind: LowerErrorKind::NoSuchKernel(kernel.to_owned()),
    })?;
    lower_kernels(program, &[found], options, sources)
}

fn lower_all(
    program: &Program,
    options: &LowerOptions,
    sources: Option<&SourceMap>,
) -> Result<Module, LowerError> {
    let kernels: Vec<&Kernel> = program.kernels.iter().filter(|kernel| !kernel.is_visible).collect();
    lower_kernels(program, &kernels, options, sources)
}

fn lower_kernels(
    program: &Program,
    kernels: &[&Kernel],
    options: &LowerOptions,
    sources: Option<&SourceMap>,
) -> Result<Module, LowerError> {
    let mut lowering = ModuleLowering::new(program, options, sources);
    let mut entries = Vec::new();
    for kernel in kernels {
        entries.push((*kernel, lowering.kernel_function(kernel)?));
    }
    lowering.lower_pending()?;
    let predicates = lowering.predicates(kernels)?;
    lowering.constructor(&predicates)?;
    lowering.module_metadata();
    lowering.kernel_metadata(&entries, &predicates)?;
    Ok(lowering.finish())
}
