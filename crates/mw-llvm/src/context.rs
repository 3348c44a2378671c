//! Owners of LLVM's handles. The only files with `unsafe` in them are this one, `extremes.rs`,
//! `passes.rs` and `target.rs`.
#![expect(unsafe_code, reason = "calls into LLVM's C API")]

use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Mutex;

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::{
    LLVMContextCreate, LLVMContextDispose, LLVMContextSetDiagnosticHandler,
    LLVMCreateMemoryBufferWithMemoryRange, LLVMDisposeMemoryBuffer, LLVMDisposeMessage, LLVMDisposeModule,
    LLVMGetBufferSize, LLVMGetBufferStart, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
    LLVMPrintModuleToString, LLVMSetTarget,
};
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef, LLVMMemoryBufferRef, LLVMModuleRef};
use llvm_sys::target::{LLVMDisposeTargetData, LLVMSetModuleDataLayout};
use llvm_sys::target_machine::{LLVMCreateTargetDataLayout, LLVMGetTargetMachineTriple};

use crate::LlvmError;

/// A context, which owns types and constants of the modules made in it. One for each compilation, so that
/// compilations on several threads share nothing.
pub(crate) struct Context {
    raw: LLVMContextRef,
    /// Errors that passes and the code generator report; boxed, because LLVM keeps its address.
    errors: Box<Mutex<Vec<String>>>,
}

impl Context {
    pub(crate) fn new() -> Self {
        let errors = Box::new(Mutex::new(Vec::new()));
        // SAFETY: the handler gets the address of `errors`, which lives on the heap until after the context
        // is disposed of (`drop` disposes of it before the fields go).
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let data: *const Mutex<Vec<String>> = &raw const *errors;
            LLVMContextSetDiagnosticHandler(raw, Some(note_diagnostic), data.cast_mut().cast());
            raw
        };
        Self { raw, errors }
    }

    /// What LLVM reported since the last call.
    pub(crate) fn take_errors(&self) -> Option<String> {
        let mut errors = self.errors.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        (!errors.is_empty()).then(|| std::mem::take(&mut *errors).join("; "))
    }

    /// Reads a module from LLVM assembly.
    pub(crate) fn parse(&self, text: &str) -> Result<LlvmModule<'_>, LlvmError> {
        // LLVM's lexer reads up to a NUL byte that it expects after the text.
        let text = CString::new(text).map_err(|error| nul_error(&error.into_vec()))?;
        let bytes = text.as_bytes_with_nul();
        let mut module = ptr::null_mut();
        let mut message = ptr::null_mut();
        // SAFETY: the buffer refers to `text`, which outlives it, and is disposed of here; `module` and
        // `message` are written before they are read, one of them by the result of the call.
        let failed = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(
                bytes.as_ptr().cast(),
                bytes.len() - 1,
                c"module".as_ptr(),
                1,
            );
            let failed = LLVMParseIRInContext2(self.raw, buffer, &raw mut module, &raw mut message);
            LLVMDisposeMemoryBuffer(buffer);
            failed
        };
        if failed != 0 {
            // SAFETY: on failure LLVM has stored a message that the caller owns.
            return Err(LlvmError::Parse { message: unsafe { take_message(message) } });
        }
        Ok(LlvmModule { raw: module, context: PhantomData })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left; the handle came from LLVMContextCreate.
        unsafe { LLVMContextDispose(self.raw) };
    }
}

/// Keeps what LLVM says at severity error. Anything less is noise from passes.
extern "C" fn note_diagnostic(info: LLVMDiagnosticInfoRef, data: *mut std::ffi::c_void) {
    // SAFETY: LLVM calls this with a live diagnostic and with the address that was registered, a
    // `Mutex<Vec<String>>` that outlives the context.
    let (severity, text, errors) = unsafe {
        (
            LLVMGetDiagInfoSeverity(info),
            take_message(LLVMGetDiagInfoDescription(info)),
            &*data.cast::<Mutex<Vec<String>>>(),
        )
    };
    if severity == LLVMDiagnosticSeverity::LLVMDSError {
        errors.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(text);
    }
}

/// A module in a context.
pub(crate) struct LlvmModule<'c> {
    raw: LLVMModuleRef,
    context: PhantomData<&'c Context>,
}

impl LlvmModule<'_> {
    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    /// Gives the module a machine's triple and data layout.
    pub(crate) fn set_target(&self, machine: &crate::target::Machine) {
        // SAFETY: module and machine are live; LLVM copies the layout and the triple, which are disposed of.
        unsafe {
            let layout = LLVMCreateTargetDataLayout(machine.raw());
            LLVMSetModuleDataLayout(self.raw, layout);
            LLVMDisposeTargetData(layout);
            let triple = LLVMGetTargetMachineTriple(machine.raw());
            LLVMSetTarget(self.raw, triple);
            LLVMDisposeMessage(triple);
        }
    }

    /// Checks LLVM's rules.
    pub(crate) fn verify(&self, stage: &'static str) -> Result<(), LlvmError> {
        let mut message = ptr::null_mut();
        // SAFETY: the module is live; with this action LLVM stores a message that the caller owns.
        let (failed, message) = unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let failed = LLVMVerifyModule(self.raw, action, &raw mut message);
            (failed, take_message(message))
        };
        if failed == 0 { Ok(()) } else { Err(LlvmError::Verify { stage, message }) }
    }

    /// The module as LLVM assembly.
    pub(crate) fn print(&self) -> String {
        // SAFETY: the module is live; the string is the caller's.
        unsafe { take_message(LLVMPrintModuleToString(self.raw)) }
    }

    /// The module as bitcode.
    pub(crate) fn bitcode(&self) -> Buffer {
        // SAFETY: the module is live; the buffer is the caller's.
        Buffer { raw: unsafe { LLVMWriteBitcodeToMemoryBuffer(self.raw) } }
    }
}

impl Drop for LlvmModule<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle came from the parser and is owned by this value alone.
        unsafe { LLVMDisposeModule(self.raw) };
    }
}

/// Bytes that LLVM owns.
pub(crate) struct Buffer {
    raw: LLVMMemoryBufferRef,
}

impl Buffer {
    /// Takes ownership of a buffer.
    ///
    /// # Safety
    /// `raw` must be a live buffer that nobody else disposes of.
    pub(crate) unsafe fn from_raw(raw: LLVMMemoryBufferRef) -> Self {
        Self { raw }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: start and size describe memory that lives and does not change as long as the buffer does.
        unsafe {
            let start = LLVMGetBufferStart(self.raw);
            std::slice::from_raw_parts(start.cast(), LLVMGetBufferSize(self.raw))
        }
    }
}

// SAFETY: a memory buffer is bytes on the heap, tied neither to a thread nor to a context.
unsafe impl Send for Buffer {}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: this value owns the buffer.
        unsafe { LLVMDisposeMemoryBuffer(self.raw) };
    }
}

/// Copies a message out of LLVM's memory and frees it. An absent message gives an empty string.
///
/// # Safety
/// `message` must be null or a string that LLVM handed to the caller to dispose of.
pub(crate) unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: not null, so by the contract a NUL-terminated string that this function now owns.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().trim_end().to_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// A C string, or an error that shows the text.
pub(crate) fn c_string(text: &str) -> Result<CString, LlvmError> {
    CString::new(text).map_err(|error| nul_error(&error.into_vec()))
}

fn nul_error(bytes: &[u8]) -> LlvmError {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    text.truncate(text.char_indices().nth(80).map_or(text.len(), |(at, _)| at));
    LlvmError::Nul { text }
}
