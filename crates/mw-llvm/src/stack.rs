//! The thread that LLVM runs on: room for its recursion, and a wall around its fatal errors.
//!
//! Some of LLVM's analyses recurse as deep as a kernel's longest chain of operations, so each compilation
//! gets a thread with a large stack. When LLVM finds that it cannot go on ("Cannot select …") it calls a
//! handler, which must not return: ours sends the message to the waiting thread and sleeps for ever. Such a
//! thread and its memory are lost, which is better than to lose the process.
#![expect(unsafe_code, reason = "installs a handler in LLVM")]

use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::sync::Once;
use std::sync::mpsc::{Sender, channel};

use llvm_sys::error_handling::LLVMInstallFatalErrorHandler;

use crate::LlvmError;

/// Address space only; pages are supplied when they are touched.
const STACK_BYTES: usize = 256 << 20;

type Report = Box<dyn Fn(String)>;

thread_local! {
    /// Takes the message of a fatal error to whoever waits for this thread.
    static ON_FATAL: RefCell<Option<Report>> = const { RefCell::new(None) };
}

/// Runs `run` on a thread with a large stack and waits for it.
pub(crate) fn on_large_stack<T: Send + 'static>(
    run: impl FnOnce() -> Result<T, LlvmError> + Send + 'static,
) -> Result<T, LlvmError> {
    install_handler();
    let (sender, receiver) = channel();
    let fatal: Sender<Result<T, LlvmError>> = sender.clone();
    let builder = std::thread::Builder::new().name("mw-compile".into()).stack_size(STACK_BYTES);
    let thread = builder
        .spawn(move || {
            ON_FATAL.set(Some(Box::new(move |message| {
                // The receiver waits until something is sent.
                let _ = fatal.send(Err(LlvmError::Fatal { message }));
            })));
            let result = run();
            ON_FATAL.set(None);
            let _ = sender.send(result);
        })
        .map_err(|error| LlvmError::Codegen { message: format!("no thread to compile on: {error}") })?;
    match receiver.recv() {
        // The thread sleeps for ever and is not waited for.
        Ok(Err(error @ LlvmError::Fatal { .. })) => Err(error),
        Ok(result) => {
            // It has nothing left to do.
            let _ = thread.join();
            result
        }
        Err(_) => match thread.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => Err(LlvmError::Codegen { message: "the compilation gave no result".into() }),
        },
    }
}

fn install_handler() {
    static ONCE: Once = Once::new();
    // SAFETY: the handler has the signature that LLVM asks for and lives for ever.
    ONCE.call_once(|| unsafe { LLVMInstallFatalErrorHandler(Some(fatal_error)) });
}

/// Called by LLVM instead of ending the process; when it returns, LLVM ends the process after all.
extern "C" fn fatal_error(reason: *const c_char) {
    // SAFETY: LLVM passes a NUL-terminated string that lives during the call.
    let message = unsafe { CStr::from_ptr(reason) }.to_string_lossy().into_owned();
    let Some(report) = ON_FATAL.take() else { return };
    report(message);
    drop(report);
    loop {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fatal_error_of_llvm_is_an_error() {
        let error = on_large_stack::<()>(|| {
            fatal_error(c"Cannot select: everything".as_ptr());
            Ok(())
        });
        assert_eq!(error, Err(LlvmError::Fatal { message: "Cannot select: everything".into() }));
        assert_eq!(on_large_stack(|| Ok(5)), Ok(5));
    }
}
