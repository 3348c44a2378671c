//! Exit codes that mean something, and which error has which.

use std::error::Error;

use metalworking::{
    CommandBufferError, EncodeError, EngineError, FunctionError, LibraryError, PipelineError,
};
use mw_backend::{CompileError, LaunchError};

/// All went well.
pub(crate) const OK: u8 = 0;
/// A result is wrong, or a kernel faulted.
pub(crate) const MISMATCH: u8 = 1;
/// The command, its files or its launch are not right.
pub(crate) const USAGE: u8 = 2;
/// Something is not supported.
pub(crate) const UNSUPPORTED: u8 = 3;
/// Our fault.
pub(crate) const INTERNAL: u8 = 4;

/// The codes as `--help` explains them.
pub(crate) const HELP: &str = "\
Exit codes:
  0  all went well
  1  a result is not what was expected, or a kernel faulted
  2  the command, a file or a launch is not right
  3  something is not supported
  4  an error inside metalworking: please report it";

/// An error and its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    error: anyhow::Error,
    /// The command has said all there is to say.
    is_reported: bool,
}

impl Failure {
    /// A result is wrong; the command has reported it.
    pub(crate) fn mismatch(message: String) -> Self {
        Self { code: MISMATCH, error: anyhow::Error::msg(message), is_reported: true }
    }

    /// The command line, a file or a launch is not right.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { code: USAGE, error: anyhow::Error::msg(message.into()), is_reported: false }
    }

    /// Something is not supported.
    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self { code: UNSUPPORTED, error: anyhow::Error::msg(message.into()), is_reported: false }
    }

    /// Our own mistake.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { code: INTERNAL, error: anyhow::Error::msg(message.into()), is_reported: false }
    }

    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    pub(crate) fn is_reported(&self) -> bool {
        self.is_reported
    }

    /// The code's name in JSON.
    pub(crate) fn kind(&self) -> &'static str {
        match self.code {
            MISMATCH => "mismatch",
            USAGE => "usage",
            UNSUPPORTED => "unsupported",
            _ => "internal",
        }
    }

    /// The message with its causes, without repetition of what a message already contains.
    pub(crate) fn message(&self) -> String {
        let mut text = String::new();
        for cause in self.error.chain() {
            let cause = cause.to_string();
            if !text.contains(&cause) {
                if !text.is_empty() {
                    text.push_str(": ");
                }
                text.push_str(&cause);
            }
        }
        text
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = anyhow::Error::from(error);
        let code = error.chain().map(code_of).max_by_key(|code| code.map_or(0, severity)).flatten();
        Self { code: code.unwrap_or(USAGE), error, is_reported: false }
    }
}

/// Which code wins when a chain of causes has several.
fn severity(code: u8) -> u8 {
    match code {
        USAGE => 1,
        other => other + 1,
    }
}

/// The code of one error of a chain, if its type tells.
fn code_of(error: &(dyn Error + 'static)) -> Option<u8> {
    if let Some(error) = error.downcast_ref::<CompileError>() {
        return Some(compile_code(error));
    }
    if let Some(error) = error.downcast_ref::<LaunchError>() {
        return Some(launch_code(error));
    }
    if let Some(error) = error.downcast_ref::<CommandBufferError>() {
        return Some(match error {
            CommandBufferError::Launch { source, .. } => launch_code(source),
            CommandBufferError::Panicked { .. } => INTERNAL,
            CommandBufferError::Encode(_) | CommandBufferError::Indirect { .. } => USAGE,
        });
    }
    if let Some(error) = error.downcast_ref::<PipelineError>() {
        return Some(match error {
            PipelineError::Compile(error) => compile_code(error),
            PipelineError::UnsupportedArgument { .. } => UNSUPPORTED,
            PipelineError::Function(_) | PipelineError::ThreadgroupMemory { .. } => USAGE,
        });
    }
    if let Some(LibraryError::Compile(_)) = error.downcast_ref::<LibraryError>() {
        return Some(USAGE);
    }
    if let Some(FunctionError::Lower { .. }) = error.downcast_ref::<FunctionError>() {
        return Some(UNSUPPORTED);
    }
    let is_usage = error.is::<EncodeError>()
        || error.is::<FunctionError>()
        || error.is::<EngineError>()
        || error.is::<mw_manifest::ManifestError>();
    is_usage.then_some(USAGE)
}

fn compile_code(error: &CompileError) -> u8 {
    match error {
        CompileError::Unsupported { .. } => UNSUPPORTED,
        CompileError::Invalid { .. } => USAGE,
        CompileError::Internal { .. } => INTERNAL,
    }
}

fn launch_code(error: &LaunchError) -> u8 {
    match error {
        LaunchError::Compile(error) => compile_code(error),
        LaunchError::Watchdog { .. } | LaunchError::Fault { .. } => MISMATCH,
        LaunchError::Unsupported { .. } => UNSUPPORTED,
    }
}
