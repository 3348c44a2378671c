//! What can go wrong between a module and the end of a launch.

/// A kernel could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// The kernel uses something that no engine here implements.
    #[error("kernel `{kernel}` uses {feature}, which is not supported: {help}")]
    Unsupported {
        /// Kernel name.
        kernel: String,
        /// What it uses, by its own name.
        feature: String,
        /// What to do instead.
        help: String,
    },
    /// The module breaks a rule of AIR: the fault of whoever made it.
    #[error("kernel `{kernel}` is not valid AIR: {message}")]
    Invalid {
        /// Kernel name.
        kernel: String,
        /// Which rule, and where.
        message: String,
    },
    /// A fault in this toolchain.
    #[error(
        "kernel `{kernel}` could not be compiled, and it is our fault ({stage}): {message}; please report it"
    )]
    Internal {
        /// Kernel name.
        kernel: String,
        /// Stage of the pipeline.
        stage: &'static str,
        /// What happened.
        message: String,
    },
}

/// A launch did not end well. Memory may hold partial results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The kernel could not be compiled for this launch shape.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The kernel ran past the limit.
    #[error(
        "kernel `{kernel}` was stopped by the watchdog after {limit}: it did not end; \
         a loop that waits for another threadgroup never ends when threadgroups run one after another"
    )]
    Watchdog {
        /// Kernel name.
        kernel: String,
        /// The limit that was hit, with its unit.
        limit: String,
    },
    /// An access outside every buffer, or outside the object that the pointer belongs to.
    #[error("kernel `{kernel}`: {message}")]
    Fault {
        /// Kernel name.
        kernel: String,
        /// What was accessed, by which thread.
        message: String,
    },
    /// The kernel reached something that this engine cannot execute.
    #[error("kernel `{kernel}` reached {feature}, which this engine does not support")]
    Unsupported {
        /// Kernel name.
        kernel: String,
        /// What it reached.
        feature: String,
    },
}
