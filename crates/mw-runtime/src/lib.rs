//! Metal's compute API in Rust spelling, with Metal's rules, over any backend.
//!
//! Names are Metal's: [`Device`], [`Library`], [`Function`], [`ComputePipelineState`], [`Buffer`],
//! [`CommandQueue`], [`CommandBuffer`], [`ComputeCommandEncoder`].
//! Whoever knows Metal knows this crate; what differs:
//!
//! - **Errors are values.** What Metal's validation layer would abort for comes back as an error that says
//!   what to write instead. Encoder methods chain; the first fault is kept and returned by `end_encoding`
//!   and by `commit`. A dispatch is never dropped in silence.
//! - **Memory is shared.** A [`Buffer`] is plain memory of this process; nothing is copied at a launch.
//! - **Order.** Command buffers of a queue run in order, and so do the commands in them, also those of a
//!   concurrent encoder. Queues run side by side.
//!
//! The runtime checks the launch; a [`Backend`](mw_backend::Backend) executes it. The two meet only in
//! `mw-backend`. The façade crate `metalworking` brings the backends along.
#![warn(missing_docs)]

mod buffer;
mod command;
mod command_buffer;
mod constants;
mod device;
mod encoder;
mod error;
mod event;
mod function;
mod heap;
mod library;
mod memory;
mod pipeline;
mod queue;
mod size;
mod source;
mod sync;

pub use buffer::Buffer;
pub use command_buffer::{CommandBuffer, CommandBufferStatus};
pub use constants::{ConstantScalar, FunctionConstantValues};
pub use device::Device;
pub use encoder::{BarrierScope, BlitCommandEncoder, ComputeCommandEncoder, DispatchType};
pub use error::{
    BufferError, CommandBufferError, DeviceError, EncodeError, Error, FunctionError, LibraryError,
    PipelineError,
};
pub use event::{AnyEvent, Event, Fence, SharedEvent};
pub use function::Function;
pub use heap::Heap;
pub use library::Library;
pub use mw_air::schema::{Access, Builtin, FunctionConstant, KernelInfo, StructMember};
pub use mw_backend::ThreadgroupOrder;
pub use mw_msl::options::LanguageVersion;
pub use mw_msl::preprocess::{FileProvider, MemoryFiles};
pub use pipeline::{Binding, BindingKind, ComputePipelineState};
pub use queue::CommandQueue;
pub use size::Size;
pub use source::{CompileOptions, Diagnostics, SourceProgram};

/// A device that runs nothing, for the examples in this crate's documentation.
#[doc(hidden)]
pub fn doc_device() -> Device {
    struct Nothing;
    impl mw_backend::Backend for Nothing {
        fn name(&self) -> &'static str {
            "nothing"
        }

        fn compile(
            &self,
            _module: &std::sync::Arc<mw_air::Module>,
            info: &std::sync::Arc<mw_air::schema::ModuleInfo>,
            kernel: usize,
        ) -> Result<std::sync::Arc<dyn mw_backend::Kernel>, mw_backend::CompileError> {
            Err(mw_backend::CompileError::Unsupported {
                kernel: info.kernels[kernel].name.to_string(),
                feature: "running".to_owned(),
                help: "use a backend".to_owned(),
            })
        }
    }
    Device::with_chip(std::sync::Arc::new(Nothing), mw_machine::Chip::from_setting(None).expect("default"))
}
