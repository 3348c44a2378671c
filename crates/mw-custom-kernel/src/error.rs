//! [`Error`]: what is wrong with a definition, a call, a kernel's source or its launch.
//!
//! Where MLX has a text for a mistake it is MLX's text, so that scripts that look for it find it.

use metalworking::{
    CommandBufferError, EncodeError, EngineError, FunctionError, LibraryError, PipelineError,
};

/// Which kind of exception an error is in Python.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum ErrorKind {
    /// The caller gave a wrong value (`ValueError`).
    Value = 1,
    /// It went wrong while it ran (`RuntimeError`).
    Runtime = 2,
}

/// A custom kernel cannot be made, compiled or run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// A definition without outputs.
    #[error("[metal_kernel] Must specify at least one output.")]
    NoOutputs,
    /// A list that does not go with the names of the definition.
    #[error("[metal_kernel] Expected `{list}` to have size {expected} but got size {got}.\n")]
    Count {
        /// Name of the argument.
        list: &'static str,
        /// How many names there are.
        expected: usize,
        /// How many values were given.
        got: usize,
    },
    /// A number of type double.
    #[error("float64 is not supported on the GPU")]
    Float64,
    /// A name that cannot stand in Metal source.
    #[error(
        "[metal_kernel] The {what} `{name}` cannot be a name in Metal: use letters, digits and `_`, and begin with no digit{}", suggestion(.name)
    )]
    Name {
        /// Whose name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A threadgroup with too many threads. Checked before the threadgroup is cut to the grid.
    #[error(
        "Thread group size ({threads}) is greater than  the maximum allowed threads per threadgroup ({limit}). `threadgroup` counts the threads of one threadgroup along each axis: make their product at most {limit}."
    )]
    ThreadgroupTooLarge {
        /// The product.
        threads: i64,
        /// The limit of the kernel.
        limit: u32,
    },
    /// A size that is negative, or zero where there is work.
    #[error(
        "[metal_kernel] `{what}` is ({}, {}, {}): {rule}", .size[0], .size[1], .size[2]
    )]
    Size {
        /// `grid` or `threadgroup`.
        what: &'static str,
        /// What was given.
        size: [i32; 3],
        /// What it must be.
        rule: &'static str,
    },
    /// The source has mistakes; the text shows each in its place.
    #[error("[metal::Device] Unable to build metal library from source\n{0}")]
    Compile(#[source] LibraryError),
    /// The kernel uses what cannot be lowered yet.
    #[error("[metal::Device] Unable to load kernel {name}\n{source}")]
    Function {
        /// Mangled name.
        name: String,
        /// Why.
        #[source]
        source: FunctionError,
    },
    /// The kernel cannot be made ready to run.
    #[error("[metal::Device] Unable to load kernel {name}\n{source}")]
    Pipeline {
        /// Mangled name.
        name: String,
        /// Why.
        #[source]
        source: PipelineError,
    },
    /// The launch breaks a rule.
    #[error("[metal_kernel] {0}")]
    Encode(#[from] EncodeError),
    /// The kernel did not end well.
    #[error("[metal_kernel] {0}")]
    Launch(#[from] CommandBufferError),
    /// There is no device.
    #[error("[metal_kernel] {0}")]
    Device(#[from] EngineError),
    /// Memory ran out, or an argument is too long.
    #[error("[metal_kernel] {0}")]
    Buffer(#[from] metalworking::BufferError),
    /// Our own mistake.
    #[error("internal error in `{function}`: {message}; please report it")]
    Internal {
        /// Where.
        function: &'static str,
        /// What.
        message: String,
    },
}

impl Error {
    /// Which kind of exception it is in Python.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NoOutputs
            | Self::Count { .. }
            | Self::Float64
            | Self::Name { .. }
            | Self::ThreadgroupTooLarge { .. }
            | Self::Size { .. }
            | Self::Encode(_) => ErrorKind::Value,
            Self::Compile(_)
            | Self::Function { .. }
            | Self::Pipeline { .. }
            | Self::Launch(_)
            | Self::Device(_)
            | Self::Buffer(_)
            | Self::Internal { .. } => ErrorKind::Runtime,
        }
    }
}

/// What could be meant by a name that is none.
fn suggestion(name: &str) -> String {
    let mut made: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if made.starts_with(|c: char| c.is_ascii_digit()) {
        made.insert(0, '_');
    }
    if made.is_empty() { String::new() } else { format!(", for example `{made}`") }
}
