//! Room for LLVM's recursion: some of its analyses go as deep as a kernel's longest chain of operations.

use crate::LlvmError;

/// Address space only; pages are supplied when they are touched.
const STACK_BYTES: usize = 256 << 20;

/// Runs `run` on a thread with a large stack and waits for it.
pub(crate) fn on_large_stack<T: Send>(
    run: impl FnOnce() -> Result<T, LlvmError> + Send,
) -> Result<T, LlvmError> {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("mw-compile".into()).stack_size(STACK_BYTES);
        let thread = builder
            .spawn_scoped(scope, run)
            .map_err(|error| LlvmError::Codegen { message: format!("no thread to compile on: {error}") })?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
