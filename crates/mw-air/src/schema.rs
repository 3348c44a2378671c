//! The `air.*` metadata schema as typed data: kernels, their arguments, function constants, options.
//!
//! [`ModuleInfo::parse`] reads it from a module's metadata. Unknown keys are kept out; an unknown role or a
//! malformed node is an error, because a guess about an argument would corrupt a launch.

mod parse;

use std::sync::Arc;

use crate::{AddressSpace, FuncId, GlobalId};

pub use parse::SchemaError;

/// Everything that the schema says about a module.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ModuleInfo {
    /// AIR version, such as 2.6.
    pub air_version: (u32, u32),
    /// Metal language version, such as 3.1.
    pub language_version: (u32, u32),
    /// `air.compile.fast_math_enable`.
    pub fast_math: bool,
    /// `air.compile.denorms_disable`: f32 denormals are flushed.
    pub denorms_disabled: bool,
    /// Kernels; a module of a metallib has one.
    pub kernels: Vec<KernelInfo>,
    /// Function constants in declaration order.
    pub function_constants: Vec<FunctionConstant>,
}

/// A kernel function.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelInfo {
    /// The function.
    pub function: FuncId,
    /// Its name.
    pub name: Arc<str>,
    /// One entry for each parameter, in order.
    pub args: Vec<KernelArg>,
    /// `[[max_total_threads_per_threadgroup]]`.
    pub max_threads_per_threadgroup: Option<u32>,
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelArg {
    /// What is passed.
    pub role: ArgRole,
    /// Global that holds 0 or 1 after the constants are set: whether the argument exists.
    pub predicate: Option<GlobalId>,
    /// Metal type name, such as `float` or `uint3`.
    pub type_name: Arc<str>,
    /// Parameter name; empty when the source gave none.
    pub name: Arc<str>,
    /// The body does not use it.
    pub unused: bool,
}

/// What a kernel parameter receives.
#[derive(Clone, PartialEq, Debug)]
pub enum ArgRole {
    /// A buffer, a threadgroup allocation (address space 3), or a constant reference.
    Buffer(BufferArg),
    /// An argument buffer: a structure that holds device pointers.
    IndirectBuffer(BufferArg),
    /// A visible function table.
    VisibleFunctionTable {
        /// Binding index.
        location: u32,
    },
    /// A thread index or size.
    Builtin(Builtin),
}

/// A buffer parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct BufferArg {
    /// Binding index: `[[buffer(n)]]` or `[[threadgroup(n)]]`.
    pub location: u32,
    /// Number of bindings, 1 but for arrays.
    pub count: u32,
    /// What the kernel does with it.
    pub access: Access,
    /// Address space.
    pub space: AddressSpace,
    /// Extent in bytes where it is known (references).
    pub size: Option<u32>,
    /// Size in bytes of one element, where the compiler says it.
    pub type_size: Option<u32>,
    /// Alignment in bytes of one element, where the compiler says it.
    pub type_align: Option<u32>,
    /// Members, where the element is a structure.
    pub members: Vec<StructMember>,
}

/// Declared access of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Only read.
    Read,
    /// Only written.
    Write,
    /// Read and written.
    ReadWrite,
}

/// A member of a structure behind a buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct StructMember {
    /// Offset in bytes.
    pub offset: u32,
    /// Size in bytes, of one element where the member is an array.
    pub size: u32,
    /// Number of elements of an array member, 0 otherwise.
    pub array_length: u32,
    /// Metal type name.
    pub type_name: Arc<str>,
    /// Member name.
    pub name: Arc<str>,
    /// Members of a nested structure.
    pub members: Vec<StructMember>,
    /// The member is a resource of an argument buffer (a device pointer).
    pub indirect: bool,
}

/// A built-in kernel argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "Metal's own names")]
pub enum Builtin {
    ThreadPositionInGrid,
    ThreadPositionInThreadgroup,
    ThreadIndexInThreadgroup,
    ThreadgroupPositionInGrid,
    ThreadgroupsPerGrid,
    ThreadsPerGrid,
    ThreadsPerThreadgroup,
    DispatchThreadsPerThreadgroup,
    ThreadIndexInSimdgroup,
    SimdgroupIndexInThreadgroup,
    SimdgroupsPerThreadgroup,
    DispatchSimdgroupsPerThreadgroup,
    ThreadsPerSimdgroup,
    ThreadIndexInQuadgroup,
    QuadgroupIndexInThreadgroup,
    QuadgroupsPerThreadgroup,
    DispatchQuadgroupsPerThreadgroup,
    GridOrigin,
    GridSize,
}

impl Builtin {
    /// All of them with AIR's role string.
    pub const ALL: [(Self, &'static str); 20] = [
        (Self::ThreadPositionInGrid, "air.thread_position_in_grid"),
        (Self::ThreadPositionInThreadgroup, "air.thread_position_in_threadgroup"),
        (Self::ThreadIndexInThreadgroup, "air.thread_index_in_threadgroup"),
        (Self::ThreadgroupPositionInGrid, "air.threadgroup_position_in_grid"),
        (Self::ThreadgroupsPerGrid, "air.threadgroups_per_grid"),
        (Self::ThreadsPerGrid, "air.threads_per_grid"),
        (Self::ThreadsPerThreadgroup, "air.threads_per_threadgroup"),
        (Self::DispatchThreadsPerThreadgroup, "air.dispatch_threads_per_threadgroup"),
        (Self::ThreadIndexInSimdgroup, "air.thread_index_in_simdgroup"),
        (Self::SimdgroupIndexInThreadgroup, "air.simdgroup_index_in_threadgroup"),
        (Self::SimdgroupsPerThreadgroup, "air.simdgroups_per_threadgroup"),
        (Self::DispatchSimdgroupsPerThreadgroup, "air.dispatch_simdgroups_per_threadgroup"),
        (Self::ThreadsPerSimdgroup, "air.threads_per_simdgroup"),
        (Self::ThreadsPerSimdgroup, "air.thread_execution_width"),
        (Self::ThreadIndexInQuadgroup, "air.thread_index_in_quadgroup"),
        (Self::QuadgroupIndexInThreadgroup, "air.quadgroup_index_in_threadgroup"),
        (Self::QuadgroupsPerThreadgroup, "air.quadgroups_per_threadgroup"),
        (Self::DispatchQuadgroupsPerThreadgroup, "air.dispatch_quadgroups_per_threadgroup"),
        (Self::GridOrigin, "air.grid_origin"),
        (Self::GridSize, "air.grid_size"),
    ];

    /// AIR's role string.
    pub fn role(self) -> &'static str {
        Self::ALL.iter().find(|(builtin, _)| *builtin == self).expect("every builtin is listed").1
    }

    /// The builtin of a role string.
    pub fn from_role(role: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name)| *name == role).map(|(builtin, _)| *builtin)
    }
}

/// A function constant.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionConstant {
    /// The externally initialised global that receives the value.
    pub global: GlobalId,
    /// Metal type name: `bool`, `int`, `float`, ….
    pub type_name: Arc<str>,
    /// Name in the source.
    pub name: Arc<str>,
    /// Index, `[[function_constant(index)]]`.
    pub index: u32,
    /// Must have a value: the source does not test it with `is_function_constant_defined`.
    pub required: bool,
}
