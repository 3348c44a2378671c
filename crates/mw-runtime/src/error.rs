//! What can go wrong, by whose fault it is, with what to write instead.

use std::path::PathBuf;
use std::sync::Arc;

use mw_backend::{CompileError, LaunchError};

use crate::Size;

/// Any error of the runtime, for code that does not tell them apart.
#[derive(Clone, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is the error of its name")]
pub enum Error {
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(transparent)]
    Buffer(#[from] BufferError),
    #[error(transparent)]
    Library(#[from] LibraryError),
    #[error(transparent)]
    Function(#[from] FunctionError),
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error(transparent)]
    CommandBuffer(#[from] CommandBufferError),
}

/// A device could not be made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DeviceError {
    /// `MW_CHIP` names no chip.
    #[error("the environment variable MW_CHIP: {0}")]
    UnknownChip(#[from] mw_machine::UnknownChip),
}

/// A buffer could not be made, read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BufferError {
    /// A buffer of no bytes.
    #[error("a buffer needs at least one byte: for an empty array bind `set_bytes(&[], index)`")]
    ZeroLength,
    /// Longer than the device allows.
    #[error("a buffer of {length} bytes is longer than the device allows ({limit} bytes)")]
    TooLong {
        /// What was asked for.
        length: usize,
        /// `max_buffer_length` of the device.
        limit: u64,
    },
    /// The system has no room.
    #[error("the system has no memory for a buffer of {length} bytes")]
    OutOfMemory {
        /// What was asked for.
        length: usize,
    },
    /// No free span of the heap is long enough.
    #[error(
        "the heap has no free span of {length} bytes (the longest has {available}): make the buffer from the device"
    )]
    HeapFull {
        /// What was asked for.
        length: usize,
        /// The longest free span.
        available: usize,
    },
    /// An access of the host past the end.
    #[error("{length} bytes at offset {offset} reach past the end of a buffer of {buffer_length} bytes")]
    OutOfRange {
        /// First byte of the access.
        offset: usize,
        /// Bytes of the access.
        length: usize,
        /// Size of the buffer.
        buffer_length: usize,
    },
}

/// A library could not be opened.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LibraryError {
    /// The container or the bitcode is damaged, or it is no library.
    #[error("cannot open the library{}: {source}", in_file(.path.as_ref()))]
    Read {
        /// File, if it came from one.
        path: Option<PathBuf>,
        /// What the reader found.
        #[source]
        source: Arc<mw_metallib::LibraryError>,
    },
    /// AIR in text or in memory that breaks a rule.
    #[error("the AIR module is not valid: {0}")]
    Air(String),
    /// Metal source with mistakes; the text shows each in its place.
    #[error("{0}")]
    Compile(Arc<crate::source::Diagnostics>),
}

fn in_file(path: Option<&PathBuf>) -> String {
    path.map(|path| format!(" `{}`", path.display())).unwrap_or_default()
}

/// A function could not be taken out of a library.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FunctionError {
    /// No such name.
    #[error("the library has no function `{name}`{}", did_you_mean(.suggestions))]
    NotFound {
        /// The name.
        name: String,
        /// Names that are near to it.
        suggestions: Vec<String>,
    },
    /// The function's code could not be read.
    #[error("cannot read function `{name}`: {message}")]
    Read {
        /// The name.
        name: String,
        /// What the reader found.
        message: String,
    },
    /// The function uses what the compiler cannot lower; the text shows what and where.
    #[error("{message}")]
    Lower {
        /// The name.
        name: String,
        /// What is not supported.
        message: String,
    },
    /// A vertex function, or another that no pipeline of this runtime takes.
    #[error("function `{name}` is no compute kernel: only functions declared `kernel` can be dispatched")]
    NotAKernel {
        /// The name.
        name: String,
    },
    /// A function constant has a value of another type.
    #[error(
        "function constant {index} (`{constant}`) of `{name}` is declared `{declared}`, but was given {given}: set a value of type `{declared}`"
    )]
    ConstantType {
        /// Function.
        name: String,
        /// Index of the constant.
        index: u32,
        /// Its name.
        constant: String,
        /// Its type.
        declared: String,
        /// What was given, as `a bool` or `an int`.
        given: &'static str,
    },
    /// A value was set by a name that the function does not declare.
    #[error("`{name}` declares no function constant `{constant}`; it declares {}", listed(.declared))]
    UnknownConstant {
        /// Function.
        name: String,
        /// The name that was used.
        constant: String,
        /// What there is.
        declared: Vec<String>,
    },
    /// Required constants without a value.
    #[error(
        "`{name}` needs values for the function constants {}: set them before the pipeline is made", listed(.missing)
    )]
    MissingConstants {
        /// Function.
        name: String,
        /// Each as "3 `align_M` (bool)".
        missing: Vec<String>,
    },
    /// The values could not be put in.
    #[error("cannot specialize `{name}`: {message}")]
    Specialize {
        /// Function.
        name: String,
        /// Why not.
        message: String,
    },
}

fn did_you_mean(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        [one] => format!(": did you mean `{one}`?"),
        [first @ .., last] => format!(": did you mean `{}` or `{last}`?", first.join("`, `")),
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// A pipeline state could not be made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PipelineError {
    /// The function is not complete: function constants have no value.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// The backend could not compile it.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The kernel declares more threadgroup memory than the device has.
    #[error("kernel `{kernel}` declares {declared} bytes of threadgroup memory, the device has {limit}")]
    ThreadgroupMemory {
        /// Kernel.
        kernel: String,
        /// What it declares.
        declared: u32,
        /// The limit of the device.
        limit: u32,
    },
    /// An argument that this runtime cannot bind.
    #[error("kernel `{kernel}` takes argument `{argument}` as {what}, which is not supported")]
    UnsupportedArgument {
        /// Kernel.
        kernel: String,
        /// Argument.
        argument: String,
        /// What it is.
        what: &'static str,
    },
}

/// A command cannot be encoded: the host's fault. The first of a command buffer is what `end_encoding` and
/// `commit` return; the command buffer then runs nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A dispatch before a pipeline state was set.
    #[error("no compute pipeline state is set: call `set_compute_pipeline_state` before a dispatch")]
    NoPipeline,
    /// A buffer that the kernel uses is not bound.
    #[error(
        "kernel `{kernel}` needs `{argument}` (`{type_name}`) at buffer index {index}, where nothing is bound: call `set_buffer` or `set_bytes` with index {index}"
    )]
    MissingBuffer {
        /// Kernel.
        kernel: String,
        /// Argument name.
        argument: String,
        /// Metal type name.
        type_name: String,
        /// Buffer index.
        index: u32,
    },
    /// A threadgroup argument has no length.
    #[error(
        "kernel `{kernel}` needs threadgroup memory for `{argument}` at threadgroup index {index}: call `set_threadgroup_memory_length(length, {index})`"
    )]
    MissingThreadgroupMemory {
        /// Kernel.
        kernel: String,
        /// Argument name.
        argument: String,
        /// Threadgroup index.
        index: u32,
    },
    /// A buffer is shorter than what the kernel is known to access.
    #[error(
        "kernel `{kernel}` reads {needed} bytes through `{argument}` (`{type_name}`, buffer index {index}), but only {available} bytes are bound{}: bind at least {needed}", after_offset(*.offset)
    )]
    ShortBuffer {
        /// Kernel.
        kernel: String,
        /// Argument name.
        argument: String,
        /// Metal type name.
        type_name: String,
        /// Buffer index.
        index: u32,
        /// Bytes that the type has.
        needed: usize,
        /// Bytes that are bound, after the offset.
        available: usize,
        /// Offset at which the buffer is bound.
        offset: usize,
    },
    /// An offset that does not suit the element type.
    #[error(
        "offset {offset} of `{argument}` (`{type_name}`, buffer index {index}) of kernel `{kernel}` is no multiple of {align} bytes, the alignment of its type: offsets count bytes, not elements"
    )]
    MisalignedOffset {
        /// Kernel.
        kernel: String,
        /// Argument name.
        argument: String,
        /// Metal type name.
        type_name: String,
        /// Buffer index.
        index: u32,
        /// The offset.
        offset: usize,
        /// What it must be a multiple of.
        align: u32,
    },
    /// An offset past the end of its buffer.
    #[error(
        "offset {offset} is past the end of the buffer of {length} bytes: offsets count bytes, not elements"
    )]
    OffsetPastEnd {
        /// The offset.
        offset: usize,
        /// Size of the buffer.
        length: usize,
    },
    /// `set_buffer_offset` where no buffer is.
    #[error("no buffer is bound at index {index}: call `set_buffer` before `set_buffer_offset`")]
    OffsetWithoutBuffer {
        /// Buffer index.
        index: usize,
    },
    /// An index outside the argument table.
    #[error("{table} index {index} is outside the argument table: indices run from 0 to {last}")]
    IndexOutOfRange {
        /// `buffer` or `threadgroup`.
        table: &'static str,
        /// The index.
        index: usize,
        /// The last that exists.
        last: usize,
    },
    /// Too many inline bytes.
    #[error(
        "`set_bytes` takes at most {limit} bytes, not {length}: put them into a buffer and use `set_buffer`"
    )]
    TooManyBytes {
        /// What was given.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// The system has no room for inline bytes.
    #[error("the system has no memory for {length} inline bytes")]
    OutOfMemory {
        /// What was given.
        length: usize,
    },
    /// A grid with no threads.
    #[error(
        "{what} {size} has a zero: every dimension is at least 1 (unused ones are 1); skip the dispatch if there is nothing to do"
    )]
    ZeroSize {
        /// Which size.
        what: &'static str,
        /// The size.
        size: Size,
    },
    /// A grid with more threads than a 32-bit position can name.
    #[error(
        "a grid of {size} {unit} has more than 2^32 - 1 threads along an axis{}", .hint
    )]
    GridTooLarge {
        /// The size.
        size: Size,
        /// `threads` or `threadgroups`.
        unit: &'static str,
        /// What to write instead, if there is something likely.
        hint: &'static str,
    },
    /// A threadgroup with more threads than the pipeline or the device allows.
    #[error(
        "a threadgroup of {size} has {threads} threads, but {why} {limit}: use a smaller threadgroup (`max_total_threads_per_threadgroup` of the pipeline tells how large)"
    )]
    ThreadgroupTooLarge {
        /// The size.
        size: Size,
        /// Its product, as text, since it may overflow.
        threads: String,
        /// The limit.
        limit: u32,
        /// Whose limit it is, as the start of a clause.
        why: String,
    },
    /// Static and dynamic threadgroup memory together exceed the device.
    #[error(
        "kernel `{kernel}` gets {total} bytes of threadgroup memory ({fixed} declared in the kernel, {dynamic} set by the encoder), but the device has {limit}: lower `set_threadgroup_memory_length`"
    )]
    ThreadgroupMemory {
        /// Kernel.
        kernel: String,
        /// Sum.
        total: u64,
        /// Declared in the kernel.
        fixed: u64,
        /// Set by the encoder.
        dynamic: u64,
        /// The limit of the device.
        limit: u32,
    },
    /// A threadgroup memory length that is no multiple of the rule's.
    #[error("threadgroup memory length {length} is no multiple of {multiple}: use {}", .length.next_multiple_of(*.multiple))]
    ThreadgroupMemoryAlignment {
        /// The length.
        length: usize,
        /// What it must be a multiple of.
        multiple: usize,
    },
    /// A pipeline state of another device.
    #[error(
        "the pipeline state belongs to another device than the command buffer: make both from one device"
    )]
    OtherDevice,
    /// A command after `end_encoding`.
    #[error("the encoder was used after `end_encoding`: take a new one from the command buffer")]
    EncodingEnded,
    /// An encoder was dropped while it was open.
    #[error("an encoder was dropped before `end_encoding`: call `end_encoding` so that its commands count")]
    EncoderDropped,
    /// A second encoder, or a commit, while one is open.
    #[error("an encoder of this command buffer is still open: call `end_encoding` on it first")]
    EncoderOpen,
    /// The command buffer was committed.
    #[error("the command buffer was committed already: take a new one from the queue, they are used once")]
    AlreadyCommitted,
    /// Waiting for what was never committed.
    #[error("the command buffer was not committed: call `commit` before waiting for it")]
    NotCommitted,
    /// A blit outside a buffer.
    #[error(
        "{what} of {length} bytes at offset {offset} reaches past the end of a buffer of {buffer_length} bytes"
    )]
    BlitOutOfRange {
        /// Which span.
        what: &'static str,
        /// First byte.
        offset: usize,
        /// Number of bytes.
        length: usize,
        /// Size of the buffer.
        buffer_length: usize,
    },
    /// The offset of indirect arguments is no multiple of four.
    #[error(
        "indirect arguments at offset {offset} are misaligned: they are three 32-bit numbers at a multiple of 4"
    )]
    MisalignedIndirect {
        /// The offset.
        offset: usize,
    },
}

fn after_offset(offset: usize) -> String {
    if offset == 0 { String::new() } else { format!(" after offset {offset}") }
}

/// A command buffer ended in an error. Its other commands after the failed one did not run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CommandBufferError {
    /// It was never valid: what [`EncodeError`] says.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A kernel did not end well.
    #[error("{source}{}", launched_as(.grid, .label.as_ref()))]
    Launch {
        /// What the backend reports.
        #[source]
        source: LaunchError,
        /// Shape of the launch, for the message.
        grid: String,
        /// Label of the encoder, if it has one.
        label: Option<String>,
    },
    /// Indirect arguments broke a limit that could only be checked when they were read.
    #[error("indirect dispatch of kernel `{kernel}`: {source}")]
    Indirect {
        /// Kernel.
        kernel: String,
        /// The rule.
        #[source]
        source: Box<EncodeError>,
    },
    /// A backend panicked: our bug.
    #[error("internal error while kernel `{kernel}` ran: {message}; please report it")]
    Panicked {
        /// Kernel.
        kernel: String,
        /// The panic's message.
        message: String,
    },
}

fn launched_as(grid: &str, label: Option<&String>) -> String {
    match label {
        Some(label) => format!(" ({grid}, encoder `{label}`)"),
        None => format!(" ({grid})"),
    }
}
