//! What can go wrong between a module and machine code. All of it is this toolchain's fault: users' modules
//! are verified before they come here.

/// LLVM refused something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LlvmError {
    /// The text that was made of a module is not LLVM assembly.
    #[error("LLVM could not read the module: {message}")]
    Parse {
        /// LLVM's message, with line and column.
        message: String,
    },
    /// The module breaks one of LLVM's rules.
    #[error("LLVM's verifier rejects the module after {stage}: {message}")]
    Verify {
        /// What ran last.
        stage: &'static str,
        /// LLVM's message.
        message: String,
    },
    /// A pass list is not valid, or a pass failed.
    #[error("LLVM's pass manager failed in {stage}: {message}")]
    Passes {
        /// Which list.
        stage: &'static str,
        /// LLVM's message.
        message: String,
    },
    /// No such target, CPU or feature.
    #[error("LLVM has no target for {target}: {message}")]
    Target {
        /// Triple and CPU that were asked for.
        target: String,
        /// LLVM's message.
        message: String,
    },
    /// LLVM found itself unable to go on.
    #[error("LLVM gave up: {message}")]
    Fatal {
        /// LLVM's message.
        message: String,
    },
    /// Code generation failed.
    #[error("LLVM could not generate code: {message}")]
    Codegen {
        /// LLVM's message.
        message: String,
    },
    /// The optimised module could not be read back.
    #[error("the module that LLVM wrote could not be read back: {message}")]
    ReadBack {
        /// The reader's message.
        message: String,
    },
    /// The name holds a NUL byte, so that it cannot be passed to LLVM.
    #[error("`{text}` holds a NUL byte")]
    Nul {
        /// The text, lossily.
        text: String,
    },
}
