//! Rust's errors as Python's exceptions.
//!
//! The classes live in `metalworking/exceptions.py`, so that their documentation and attributes are Python's;
//! here each error finds its class.

use metalworking as mw;
use metalworking::{
    BufferError, CommandBufferError, DeviceError, EncodeError, EngineError, Error, FunctionError,
    LibraryError, PipelineError,
};
use mw_backend::{CompileError, LaunchError};
use pyo3::prelude::*;

/// An error of the runtime on its way to Python.
#[derive(Debug)]
pub(crate) enum NativeError {
    Runtime(Error),
    Engine(EngineError),
    Python(PyErr),
}

macro_rules! from_error {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for NativeError {
            fn from(error: $error) -> Self {
                Self::Runtime(error.into())
            }
        })*
    };
}

from_error!(
    DeviceError,
    BufferError,
    LibraryError,
    FunctionError,
    PipelineError,
    EncodeError,
    CommandBufferError,
);

impl From<EngineError> for NativeError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<PyErr> for NativeError {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<NativeError> for PyErr {
    fn from(error: NativeError) -> Self {
        raised(error)
    }
}

/// An exception of `metalworking.exceptions`, by the name of its class.
pub(crate) fn exception(class: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let made =
            py.import("metalworking.exceptions").and_then(|module| module.getattr(class)?.call1((message,)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

fn raised(error: NativeError) -> PyErr {
    let error = match error {
        NativeError::Python(error) => return error,
        NativeError::Engine(error) => return exception("SettingError", error.to_string()),
        NativeError::Runtime(error) => error,
    };
    if let Error::Library(LibraryError::Compile(diagnostics)) = &error {
        return compile_error(error.to_string(), diagnostics);
    }
    exception(class_of(&error), error.to_string())
}

/// An error of a custom kernel: MLX's text, in the class of what is behind it.
pub(crate) fn custom_error(error: mw_custom_kernel::Error) -> PyErr {
    use mw_custom_kernel::Error as Custom;
    let message = error.to_string();
    let class = match &error {
        Custom::Compile(LibraryError::Compile(diagnostics)) => return compile_error(message, diagnostics),
        Custom::Compile(_) => "LibraryError",
        Custom::Function { source, .. } => function_class(source),
        Custom::Pipeline { source, .. } => class_of(&source.clone().into()),
        Custom::Launch(source) => class_of(&source.clone().into()),
        Custom::Device(_) => "SettingError",
        Custom::Buffer(_) => "BufferError",
        Custom::NoOutputs
        | Custom::Count { .. }
        | Custom::Float64
        | Custom::Name { .. }
        | Custom::ThreadgroupTooLarge { .. }
        | Custom::Size { .. }
        | Custom::Encode(_) => "EncodeError",
        Custom::Internal { .. } => "InternalError",
    };
    exception(class, message)
}

fn compile_error(message: String, diagnostics: &mw::Diagnostics) -> PyErr {
    let json = mw_diagnostics::render::json(&diagnostics.list, &diagnostics.sources).to_string();
    Python::attach(|py| {
        let module = py.import("metalworking.exceptions");
        let made = module.and_then(|module| module.getattr("_compile_error")?.call1((message, json)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

fn class_of(error: &Error) -> &'static str {
    match error {
        Error::Device(_) => "SettingError",
        Error::Buffer(_) => "BufferError",
        Error::Library(_) => "LibraryError",
        Error::Function(error) => function_class(error),
        Error::Pipeline(error) => match error {
            PipelineError::Function(error) => function_class(error),
            PipelineError::Compile(error) => compile_class(error),
            PipelineError::ThreadgroupMemory { .. } => "PipelineError",
            PipelineError::UnsupportedArgument { .. } => "UnsupportedError",
        },
        Error::Encode(_) => "EncodeError",
        Error::CommandBuffer(error) => match error {
            CommandBufferError::Encode(_) | CommandBufferError::Indirect { .. } => "EncodeError",
            CommandBufferError::Launch { source, .. } => launch_class(source),
            CommandBufferError::Panicked { .. } => "InternalError",
        },
    }
}

fn function_class(error: &FunctionError) -> &'static str {
    match error {
        FunctionError::Lower { .. } => "UnsupportedError",
        FunctionError::NotFound { .. }
        | FunctionError::Read { .. }
        | FunctionError::NotAKernel { .. }
        | FunctionError::ConstantType { .. }
        | FunctionError::UnknownConstant { .. }
        | FunctionError::MissingConstants { .. }
        | FunctionError::Specialize { .. } => "FunctionError",
    }
}

fn compile_class(error: &CompileError) -> &'static str {
    match error {
        CompileError::Unsupported { .. } => "UnsupportedError",
        CompileError::Invalid { .. } => "LibraryError",
        CompileError::Internal { .. } => "InternalError",
    }
}

fn launch_class(error: &LaunchError) -> &'static str {
    match error {
        LaunchError::Compile(error) => compile_class(error),
        LaunchError::Watchdog { .. } => "WatchdogError",
        LaunchError::Fault { .. } => "KernelFault",
        LaunchError::Unsupported { .. } => "UnsupportedError",
    }
}
