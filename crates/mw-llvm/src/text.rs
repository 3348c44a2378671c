//! The stages on LLVM assembly instead of modules: for tests, and for looking at one stage alone.

use crate::context::Context;
use crate::target::{Machine, Output};
use crate::{CodegenOptions, LlvmError, ScalarOptions, Timings, codegen, scalar};

/// Runs the scalar clean-up's passes as they are, without the changes that come before them.
pub fn optimize_scalar(text: &str, options: ScalarOptions) -> Result<String, LlvmError> {
    let context = Context::new();
    let module = context.parse(text)?;
    scalar::optimize(&context, &module, options, &mut Timings::default())?;
    Ok(module.print())
}

/// Compiles to an ELF object.
pub fn compile(text: &str, options: &CodegenOptions) -> Result<Vec<u8>, LlvmError> {
    Ok(codegen::generate(text.into(), options, Output::Object)?.0)
}

/// Compiles to assembly.
pub fn assembly(text: &str, options: &CodegenOptions) -> Result<String, LlvmError> {
    let (bytes, _) = codegen::generate(text.into(), options, Output::Assembly)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Runs the passes that come before code generation.
pub fn optimize_wide(text: &str, options: &CodegenOptions) -> Result<String, LlvmError> {
    let context = Context::new();
    let module = context.parse(text)?;
    let machine = Machine::new(&options.target, options.effort)?;
    codegen::optimize(&context, &module, &machine, text.len())?;
    Ok(module.print())
}

/// Reads LLVM assembly, checks it by LLVM's rules and prints it in LLVM's form.
pub fn check(text: &str) -> Result<String, LlvmError> {
    let context = Context::new();
    let module = context.parse(text)?;
    module.verify("reading")?;
    Ok(module.print())
}

/// The module as LLVM bitcode.
pub fn bitcode(text: &str) -> Result<Vec<u8>, LlvmError> {
    let context = Context::new();
    let module = context.parse(text)?;
    module.verify("writing")?;
    Ok(module.bitcode().bytes().to_vec())
}
