//! Running lists of LLVM passes.
#![expect(unsafe_code, reason = "calls into LLVM's C API")]

use std::ptr;
use std::sync::Once;

use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::support::LLVMParseCommandLineOptions;
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};

use crate::LlvmError;
use crate::context::{Context, LlvmModule, c_string};
use crate::target::Machine;

/// Settings that LLVM keeps for the whole process.
///
/// - Unrolling removes private arrays with variable indices; the thresholds are LLVM's instruction counts.
/// - Scheduling after register allocation takes an eighth of code generation and helps in-order CPUs only.
const PROCESS_OPTIONS: [&std::ffi::CStr; 4] =
    [c"metalworking", c"-unroll-threshold=20000", c"-pragma-unroll-threshold=20000", c"-disable-post-ra"];

/// Sets LLVM's process-wide options, once.
fn set_process_options() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let arguments = PROCESS_OPTIONS.map(std::ffi::CStr::as_ptr);
        // SAFETY: the arguments are NUL-terminated strings that live for ever; `call_once` keeps other
        // threads of ours away until the options are set.
        unsafe {
            LLVMParseCommandLineOptions(arguments.len() as i32, arguments.as_ptr(), c"".as_ptr());
        }
    });
}

/// Runs a list of passes in the textual form of `opt -passes=`. Without a machine the passes see no target.
pub(crate) fn run(
    context: &Context,
    module: &LlvmModule<'_>,
    passes: &str,
    machine: Option<&Machine>,
    stage: &'static str,
) -> Result<(), LlvmError> {
    set_process_options();
    let text = c_string(passes)?;
    let machine = machine.map_or(ptr::null_mut(), Machine::raw);
    // SAFETY: module and machine are live; the options are made and disposed of here.
    let error = unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPasses(module.raw(), text.as_ptr(), machine, options);
        LLVMDisposePassBuilderOptions(options);
        error
    };
    if !error.is_null() {
        // SAFETY: the error is live, and LLVMGetErrorMessage consumes it; its message is disposed of here.
        let message = unsafe {
            let message = LLVMGetErrorMessage(error);
            let text = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            text
        };
        return Err(LlvmError::Passes { stage, message });
    }
    match context.take_errors() {
        Some(message) => Err(LlvmError::Passes { stage, message }),
        None => Ok(()),
    }
}
