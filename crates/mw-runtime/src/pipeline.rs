//! [`ComputePipelineState`]: a compiled kernel with its limits and its bindings.

use std::fmt;
use std::sync::Arc;

use mw_air::schema::{Access, ArgRole, Builtin, KernelArg, StructMember};
use mw_air::{AddressSpace, schema::BufferArg};
use mw_backend::{Kernel, SIMD_WIDTH};

use crate::device::Device;
use crate::error::PipelineError;
use crate::function::Function;

/// A kernel that is ready to be dispatched (`MTLComputePipelineState`). Clones are cheap.
#[derive(Clone)]
pub struct ComputePipelineState {
    inner: Arc<Inner>,
}

struct Inner {
    device: Device,
    kernel: Arc<dyn Kernel>,
    name: String,
    params: Vec<Param>,
    max_threads: u32,
    static_threadgroup_memory: u32,
    bindings: Vec<Binding>,
}

/// What the encoder must find for one kernel parameter.
#[derive(Clone, Debug)]
pub(crate) enum Param {
    Buffer(BufferParam),
    Threadgroup { location: u32, name: String },
    Builtin,
    Absent,
}

/// A parameter in the device or constant address space.
#[derive(Clone, Debug)]
pub(crate) struct BufferParam {
    pub(crate) location: u32,
    pub(crate) name: String,
    pub(crate) type_name: String,
    /// Extent that the kernel is known to access; 0 when it is not known.
    pub(crate) size: u32,
    /// What the offset must be a multiple of.
    pub(crate) align: u32,
    /// The body does not use it: nothing need be bound.
    pub(crate) is_optional: bool,
}

/// One argument of a kernel, as reflection tells it (`MTLBinding`).
#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    /// Name in the source; empty when it gave none.
    pub name: String,
    /// Metal type name.
    pub type_name: String,
    /// What it is.
    pub kind: BindingKind,
    /// Whether the kernel uses it: false when a function constant gates it off or the body never reads it.
    pub is_used: bool,
}

/// What a [`Binding`] is.
#[derive(Clone, PartialEq, Debug)]
pub enum BindingKind {
    /// Memory bound with `set_buffer` or `set_bytes`.
    Buffer {
        /// `[[buffer(index)]]`.
        index: u32,
        /// What the kernel does with it.
        access: Access,
        /// `device` or `constant`.
        space: AddressSpace,
        /// Extent in bytes where it is known (references).
        size: Option<u32>,
        /// Size in bytes of an element.
        element_size: Option<u32>,
        /// Alignment in bytes of an element.
        element_align: Option<u32>,
        /// Members of a structure.
        members: Vec<StructMember>,
    },
    /// Threadgroup memory sized with `set_threadgroup_memory_length`.
    Threadgroup {
        /// `[[threadgroup(index)]]`.
        index: u32,
    },
    /// A visible function table.
    VisibleFunctionTable {
        /// Binding index.
        index: u32,
    },
    /// A thread index or size, which the device supplies.
    Builtin(Builtin),
}

impl ComputePipelineState {
    pub(crate) fn new(device: &Device, function: &Function) -> Result<Self, PipelineError> {
        let function = function.ready()?;
        let info = function.kernel_info();
        let active = function.active_args();
        let params = params(function.name(), &info.args, &active)?;
        let kernel =
            device.backend().compile(function.module(), function.module_info(), function.kernel_index())?;
        let limits = device.limits();
        let static_threadgroup_memory = kernel.static_threadgroup_memory();
        if static_threadgroup_memory > limits.max_threadgroup_memory_bytes {
            return Err(PipelineError::ThreadgroupMemory {
                kernel: function.name().to_owned(),
                declared: static_threadgroup_memory,
                limit: limits.max_threadgroup_memory_bytes,
            });
        }
        let device_limit = limits.max_threads_per_threadgroup;
        Ok(Self {
            inner: Arc::new(Inner {
                device: device.clone(),
                name: function.name().to_owned(),
                params,
                max_threads: info
                    .max_threads_per_threadgroup
                    .map_or(device_limit, |own| own.min(device_limit)),
                static_threadgroup_memory,
                bindings: bindings(&info.args, &active),
                kernel,
            }),
        })
    }

    /// The device that it was made for.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Name of the kernel.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The most threads that a threadgroup of this kernel may have: the device's limit, or what the kernel
    /// declares with `[[max_total_threads_per_threadgroup]]` if that is less.
    pub fn max_total_threads_per_threadgroup(&self) -> u32 {
        self.inner.max_threads
    }

    /// Threads in a simdgroup: 32.
    pub fn thread_execution_width(&self) -> u32 {
        SIMD_WIDTH
    }

    /// Bytes of threadgroup memory that the kernel declares itself.
    pub fn static_threadgroup_memory_length(&self) -> u32 {
        self.inner.static_threadgroup_memory
    }

    /// The arguments in order (`MTLComputePipelineReflection`).
    pub fn bindings(&self) -> &[Binding] {
        &self.inner.bindings
    }

    pub(crate) fn params(&self) -> &[Param] {
        &self.inner.params
    }

    pub(crate) fn kernel(&self) -> &dyn Kernel {
        &*self.inner.kernel
    }
}

impl fmt::Debug for ComputePipelineState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComputePipelineState").field("name", &self.inner.name).finish_non_exhaustive()
    }
}

fn params(kernel: &str, args: &[KernelArg], active: &[bool]) -> Result<Vec<Param>, PipelineError> {
    let unsupported = |arg: &KernelArg, what| PipelineError::UnsupportedArgument {
        kernel: kernel.to_owned(),
        argument: argument_name(arg),
        what,
    };
    let param =
        |(arg, active): (&KernelArg, &bool)| {
            if !active {
                return Ok(Param::Absent);
            }
            match &arg.role {
                ArgRole::Builtin(_) => Ok(Param::Builtin),
                ArgRole::VisibleFunctionTable { .. } if arg.unused => Ok(Param::Absent),
                ArgRole::VisibleFunctionTable { .. } => Err(unsupported(arg, "a visible function table")),
                ArgRole::Buffer(buffer) | ArgRole::IndirectBuffer(buffer) if buffer.count > 1 => {
                    if arg.unused { Ok(Param::Absent) } else { Err(unsupported(arg, "an array of buffers")) }
                }
                ArgRole::Buffer(buffer) if buffer.space == AddressSpace::THREADGROUP => {
                    Ok(Param::Threadgroup { location: buffer.location, name: argument_name(arg) })
                }
                ArgRole::Buffer(buffer) | ArgRole::IndirectBuffer(buffer) => {
                    Ok(Param::Buffer(BufferParam::new(arg, buffer)))
                }
            }
        };
    args.iter().zip(active).map(param).collect()
}

impl BufferParam {
    fn new(arg: &KernelArg, buffer: &BufferArg) -> Self {
        Self {
            location: buffer.location,
            name: argument_name(arg),
            type_name: arg.type_name.to_string(),
            size: buffer.size.unwrap_or(0),
            align: buffer.type_align.filter(|align| align.is_power_of_two()).unwrap_or(1),
            is_optional: arg.unused,
        }
    }
}

/// The name of an argument; `_` where the source gave none.
fn argument_name(arg: &KernelArg) -> String {
    if arg.name.is_empty() { "_".to_owned() } else { arg.name.to_string() }
}

fn bindings(args: &[KernelArg], active: &[bool]) -> Vec<Binding> {
    args.iter()
        .zip(active)
        .map(|(arg, active)| Binding {
            name: arg.name.to_string(),
            type_name: arg.type_name.to_string(),
            kind: match &arg.role {
                ArgRole::Builtin(builtin) => BindingKind::Builtin(*builtin),
                ArgRole::VisibleFunctionTable { location } => {
                    BindingKind::VisibleFunctionTable { index: *location }
                }
                ArgRole::Buffer(buffer) if buffer.space == AddressSpace::THREADGROUP => {
                    BindingKind::Threadgroup { index: buffer.location }
                }
                ArgRole::Buffer(buffer) | ArgRole::IndirectBuffer(buffer) => BindingKind::Buffer {
                    index: buffer.location,
                    access: buffer.access,
                    space: buffer.space,
                    size: buffer.size,
                    element_size: buffer.type_size,
                    element_align: buffer.type_align,
                    members: buffer.members.clone(),
                },
            },
            is_used: *active && !arg.unused,
        })
        .collect()
}
