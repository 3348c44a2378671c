//! The functions outside a module that kernels call: `air.*`, and the tensor operations of Metal 4.
//!
//! [`Intrinsic::classify`] reads a name by its pattern, so any well-formed overload is understood and not
//! only the 409 names that `data/intrinsics.txt` lists. What it does not know it does not guess: the caller
//! reports the name.

mod operand;
mod ops;
mod signature;

use std::fmt;

use crate::{AddressSpace, Scalar};

pub use operand::{Operand, Sign};
pub use ops::{
    AtomicOp, CoherenceScope, CollectiveOp, CollectiveShape, IntegerOp, MathOp, MatrixOp, TensorOp,
};
pub use signature::Signatures;

/// A function outside the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Intrinsic {
    /// Floating-point library function.
    Math {
        /// Which one.
        op: MathOp,
        /// The relaxed variant, `air.fast_…`.
        fast: bool,
        /// Type of the first operand.
        ty: Operand,
    },
    /// Integer library function.
    Integer {
        /// Which one.
        op: IntegerOp,
        /// Type of the first operand.
        ty: Operand,
    },
    /// `air.all.v2i1`, `air.any.v2i1`: whether all or any elements of a boolean vector are true.
    Relational {
        /// All instead of any.
        all: bool,
        /// Length of the vector.
        lanes: u32,
    },
    /// `air.convert.<to>.<from>`.
    Convert {
        /// Result.
        to: Operand,
        /// Operand.
        from: Operand,
    },
    /// `air.wg.barrier(flags, scope)`: all threads of the threadgroup meet.
    ThreadgroupBarrier,
    /// `air.simdgroup.barrier(flags, scope)`.
    SimdgroupBarrier,
    /// `air.atomic.fence(flags, order, scope)`.
    Fence,
    /// Atomic operation.
    Atomic {
        /// Which one.
        op: AtomicOp,
        /// [`AddressSpace::DEVICE`] or [`AddressSpace::THREADGROUP`].
        space: AddressSpace,
        /// Type of the object.
        ty: Operand,
    },
    /// Operation among the lanes of a simdgroup.
    Simd {
        /// Which one.
        op: CollectiveOp,
        /// Type of the data; an `i1` scalar where the name has no suffix.
        ty: Operand,
    },
    /// Operation among the four lanes of a quadgroup.
    Quad {
        /// Which one.
        op: CollectiveOp,
        /// Type of the data; an `i1` scalar where the name has no suffix.
        ty: Operand,
    },
    /// Operation on 8×8 matrices.
    Matrix(MatrixOp),
    /// `air.simdgroup_async_copy_{1,2}d`.
    AsyncCopy {
        /// 1 or 2.
        dimensions: u8,
        /// Address space of the destination.
        to: AddressSpace,
        /// Address space of the source.
        from: AddressSpace,
        /// Element type of both.
        element: Operand,
    },
    /// `air.wait_simdgroup_events(count, events)`.
    WaitEvents,
    /// `air.load.device_coherent…`, `air.store.system_coherent…`.
    Coherent {
        /// Store instead of load.
        store: bool,
        /// Who sees it.
        scope: CoherenceScope,
        /// Never elided.
        volatile: bool,
        /// Type of the data.
        ty: Operand,
        /// Address space of the pointer.
        space: AddressSpace,
    },
    /// `air.get_simdgroup_size.<ty>`: 32.
    SimdgroupSize {
        /// Type of the result.
        ty: Operand,
    },
    /// `air.get_thread_index_in_simdgroup.<ty>`: the lane.
    ThreadIndexInSimdgroup {
        /// Type of the result.
        ty: Operand,
    },
    /// `air.is_uniform.<ty>`: whether the active lanes agree on the operand.
    IsUniform {
        /// Type of the operand.
        ty: Operand,
    },
    /// `air.normalize_function_constant_predicate.<ty>`: 0 or 1.
    NormalizePredicate {
        /// Type of operand and result.
        ty: Operand,
    },
    /// `air.is_function_constant_defined(ptr)`: whether the host has set a function constant.
    IsFunctionConstantDefined,
    /// `air.get_function_pointer_visible_function_table(table, index)`.
    VisibleFunctionPointer,
    /// Tensor handle.
    Tensor(TensorOp),
    /// `__tensorops_impl_*`: resolved by Apple's own library at pipeline creation; supported by no engine.
    TensorOperations,
}

/// What a function is for: the coarse view of [`Intrinsic`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each is a family of Intrinsic")]
pub enum IntrinsicClass {
    Math,
    Integer,
    Relational,
    Convert,
    Barrier,
    Fence,
    Atomic,
    Simd,
    Quad,
    Matrix,
    AsyncCopy,
    Coherent,
    Identity,
    Uniformity,
    FunctionConstant,
    FunctionTable,
    Tensor,
    TensorOperations,
}

/// What memory a function may touch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryAccess {
    /// None.
    None,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes, or orders the accesses of others.
    ReadWrite,
}

impl Intrinsic {
    /// The function called `name`, or `None` when the name follows no pattern that is known.
    pub fn classify(name: &str) -> Option<Self> {
        if name.starts_with("__tensorops_impl_") {
            return Some(Self::TensorOperations);
        }
        match name {
            "air.wg.barrier" => return Some(Self::ThreadgroupBarrier),
            "air.simdgroup.barrier" => return Some(Self::SimdgroupBarrier),
            "air.atomic.fence" => return Some(Self::Fence),
            "air.wait_simdgroup_events" => return Some(Self::WaitEvents),
            "air.is_function_constant_defined" => return Some(Self::IsFunctionConstantDefined),
            "air.get_function_pointer_visible_function_table" => return Some(Self::VisibleFunctionPointer),
            _ => {}
        }
        if let Some(op) = TensorOp::from_name(name) {
            return Some(Self::Tensor(op));
        }
        let rest = name.strip_prefix("air.")?;
        let (stem, suffix) = rest.split_once('.').unwrap_or((rest, ""));
        match stem {
            "convert" => convert(suffix),
            "atomic" => atomic(suffix),
            "load" => coherent(suffix, false),
            "store" => coherent(suffix, true),
            "all" | "any" => {
                let ty = Operand::parse_type(suffix)?;
                (ty.scalar == Scalar::Int(1) && ty.lanes > 1)
                    .then_some(Self::Relational { all: stem == "all", lanes: ty.lanes })
            }
            "get_simdgroup_size" => Some(Self::SimdgroupSize { ty: integer(suffix)? }),
            "get_thread_index_in_simdgroup" => Some(Self::ThreadIndexInSimdgroup { ty: integer(suffix)? }),
            "is_uniform" => Some(Self::IsUniform { ty: Operand::parse_type(suffix)? }),
            "normalize_function_constant_predicate" => {
                Some(Self::NormalizePredicate { ty: integer(suffix)? })
            }
            "simdgroup_async_copy_1d" => async_copy(1, suffix),
            "simdgroup_async_copy_2d" => async_copy(2, suffix),
            _ => {
                if let Some(op) = stem.strip_prefix("simdgroup_matrix_8x8_") {
                    matrix(op, suffix)
                } else if let Some(op) = stem.strip_prefix("simd_") {
                    let op = CollectiveOp::from_name(op)?;
                    Some(Self::Simd { op, ty: collective_type(op, suffix)? })
                } else if let Some(op) = stem.strip_prefix("quad_") {
                    let op = CollectiveOp::from_name(op)?;
                    Some(Self::Quad { op, ty: collective_type(op, suffix)? })
                } else {
                    library(stem, suffix)
                }
            }
        }
    }

    /// The coarse view.
    pub fn class(self) -> IntrinsicClass {
        match self {
            Self::Math { .. } => IntrinsicClass::Math,
            Self::Integer { .. } => IntrinsicClass::Integer,
            Self::Relational { .. } => IntrinsicClass::Relational,
            Self::Convert { .. } => IntrinsicClass::Convert,
            Self::ThreadgroupBarrier | Self::SimdgroupBarrier => IntrinsicClass::Barrier,
            Self::Fence => IntrinsicClass::Fence,
            Self::Atomic { .. } => IntrinsicClass::Atomic,
            Self::Simd { .. } => IntrinsicClass::Simd,
            Self::Quad { .. } => IntrinsicClass::Quad,
            Self::Matrix(_) => IntrinsicClass::Matrix,
            Self::AsyncCopy { .. } | Self::WaitEvents => IntrinsicClass::AsyncCopy,
            Self::Coherent { .. } => IntrinsicClass::Coherent,
            Self::SimdgroupSize { .. } | Self::ThreadIndexInSimdgroup { .. } => IntrinsicClass::Identity,
            Self::IsUniform { .. } => IntrinsicClass::Uniformity,
            Self::NormalizePredicate { .. } | Self::IsFunctionConstantDefined => {
                IntrinsicClass::FunctionConstant
            }
            Self::VisibleFunctionPointer => IntrinsicClass::FunctionTable,
            Self::Tensor(_) => IntrinsicClass::Tensor,
            Self::TensorOperations => IntrinsicClass::TensorOperations,
        }
    }

    /// Whether it is plain computation on its operands, which the builtins library gives a body.
    pub fn is_library(self) -> bool {
        matches!(
            self.class(),
            IntrinsicClass::Math
                | IntrinsicClass::Integer
                | IntrinsicClass::Relational
                | IntrinsicClass::Convert
        )
    }

    /// Whether the result depends on which lanes execute the call together, so that no pass may change it.
    pub fn is_convergent(self) -> bool {
        match self.class() {
            IntrinsicClass::Barrier
            | IntrinsicClass::Fence
            | IntrinsicClass::Simd
            | IntrinsicClass::Quad
            | IntrinsicClass::Matrix
            | IntrinsicClass::AsyncCopy
            | IntrinsicClass::Uniformity
            | IntrinsicClass::TensorOperations => true,
            IntrinsicClass::Math
            | IntrinsicClass::Integer
            | IntrinsicClass::Relational
            | IntrinsicClass::Convert
            | IntrinsicClass::Atomic
            | IntrinsicClass::Coherent
            | IntrinsicClass::Identity
            | IntrinsicClass::FunctionConstant
            | IntrinsicClass::FunctionTable
            | IntrinsicClass::Tensor => false,
        }
    }

    /// What memory it may touch.
    pub fn memory(self) -> MemoryAccess {
        match self {
            Self::Math { op: MathOp::Sincos, .. } => MemoryAccess::Write,
            Self::Math { .. }
            | Self::Integer { .. }
            | Self::Relational { .. }
            | Self::Convert { .. }
            | Self::Simd { .. }
            | Self::Quad { .. }
            | Self::SimdgroupSize { .. }
            | Self::ThreadIndexInSimdgroup { .. }
            | Self::IsUniform { .. }
            | Self::NormalizePredicate { .. }
            | Self::IsFunctionConstantDefined => MemoryAccess::None,
            Self::Matrix(op) => match op {
                MatrixOp::Load { .. } => MemoryAccess::Read,
                MatrixOp::Store { .. } => MemoryAccess::Write,
                MatrixOp::MultiplyAccumulate { .. }
                | MatrixOp::InitDiagonal { .. }
                | MatrixOp::InitFilled { .. } => MemoryAccess::None,
            },
            Self::Coherent { volatile: false, store, .. } => {
                if store {
                    MemoryAccess::Write
                } else {
                    MemoryAccess::Read
                }
            }
            Self::VisibleFunctionPointer => MemoryAccess::Read,
            Self::ThreadgroupBarrier
            | Self::SimdgroupBarrier
            | Self::Fence
            | Self::Atomic { .. }
            | Self::AsyncCopy { .. }
            | Self::WaitEvents
            | Self::Coherent { volatile: true, .. }
            | Self::Tensor(_)
            | Self::TensorOperations => MemoryAccess::ReadWrite,
        }
    }

    /// Whether the simdgroup executes it once, with the address and shape operands of its first lane,
    /// instead of each lane for itself.
    pub fn is_simdgroup_wide(self) -> bool {
        matches!(self.class(), IntrinsicClass::Matrix | IntrinsicClass::AsyncCopy)
    }
}

fn integer(suffix: &str) -> Option<Operand> {
    let ty = Operand::parse_type(suffix)?;
    (ty.scalar.is_int() && ty.lanes == 1).then_some(ty)
}

fn library(stem: &str, suffix: &str) -> Option<Intrinsic> {
    if let Some(op) = stem.strip_prefix("fast_").and_then(MathOp::from_name) {
        return math(op, true, Operand::parse_type(suffix)?);
    }
    let ty = Operand::parse_signed(suffix)?;
    // `clamp` is a function of both families; the type tells.
    if ty.scalar.is_float() {
        return math(MathOp::from_name(stem)?, false, ty);
    }
    Some(Intrinsic::Integer { op: IntegerOp::from_name(stem)?, ty })
}

fn math(op: MathOp, fast: bool, ty: Operand) -> Option<Intrinsic> {
    let fits = ty.scalar.is_float() && (op != MathOp::Dot || ty.lanes > 1);
    fits.then_some(Intrinsic::Math { op, fast, ty })
}

fn convert(suffix: &str) -> Option<Intrinsic> {
    let mut parts = suffix.split('.');
    let to = Operand::parse_kind(parts.next()?, parts.next()?)?;
    let from = Operand::parse_kind(parts.next()?, parts.next()?)?;
    (parts.next().is_none() && to.lanes == from.lanes).then_some(Intrinsic::Convert { to, from })
}

fn atomic(suffix: &str) -> Option<Intrinsic> {
    let (space, rest) = suffix.split_once('.')?;
    let space = match space {
        "global" => AddressSpace::DEVICE,
        "local" => AddressSpace::THREADGROUP,
        _ => return None,
    };
    let (op, ty) = if let Some(ty) = rest.strip_prefix("cmpxchg.weak.") {
        (AtomicOp::CompareExchangeWeak, ty)
    } else {
        let (op, ty) = rest.split_once('.')?;
        (AtomicOp::from_name(op)?, ty)
    };
    let ty = Operand::parse_signed(ty)?;
    (ty.lanes == 1).then_some(Intrinsic::Atomic { op, space, ty })
}

fn coherent(suffix: &str, store: bool) -> Option<Intrinsic> {
    let (scope, rest) = suffix.split_once('.')?;
    let scope = match scope {
        "device_coherent" => CoherenceScope::Device,
        "system_coherent" => CoherenceScope::System,
        _ => return None,
    };
    let (volatile, rest) = match rest.strip_prefix("volatile.") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (ty, pointer) = rest.split_once('.')?;
    let ty = Operand::parse_type(ty)?;
    let (space, pointee) = Operand::parse_pointer(pointer)?;
    (pointee == ty).then_some(Intrinsic::Coherent { store, scope, volatile, ty, space })
}

fn collective_type(op: CollectiveOp, suffix: &str) -> Option<Operand> {
    match op.shape() {
        CollectiveShape::Predicate | CollectiveShape::Nothing => {
            suffix.is_empty().then_some(Operand::scalar(Scalar::Int(1)))
        }
        CollectiveShape::Ballot | CollectiveShape::Vote => integer(suffix),
        CollectiveShape::Unary | CollectiveShape::Lane | CollectiveShape::Fill => {
            Operand::parse_signed(suffix)
        }
    }
}

/// A fragment type, `v64f32`.
fn fragment(text: &str) -> Option<Scalar> {
    let ty = Operand::parse_type(text)?;
    (ty.lanes == 64 && ty.scalar.is_float()).then_some(ty.scalar)
}

fn matrix(op: &str, suffix: &str) -> Option<Intrinsic> {
    let mut parts = suffix.split('.');
    let first = fragment(parts.next()?)?;
    let op = match op {
        "load" | "store" => {
            let (space, pointee) = Operand::parse_pointer(parts.next()?)?;
            if pointee != Operand::scalar(first) {
                return None;
            }
            if op == "load" {
                MatrixOp::Load { element: first, space }
            } else {
                MatrixOp::Store { element: first, space }
            }
        }
        "multiply_accumulate" => {
            let (a, b) = (fragment(parts.next()?)?, fragment(parts.next()?)?);
            MatrixOp::MultiplyAccumulate { result: first, a, b, c: fragment(parts.next()?)? }
        }
        "init_diag" | "init_filled" => {
            if Operand::parse_type(parts.next()?)? != Operand::scalar(first) {
                return None;
            }
            if op == "init_diag" {
                MatrixOp::InitDiagonal { element: first }
            } else {
                MatrixOp::InitFilled { element: first }
            }
        }
        _ => return None,
    };
    parts.next().is_none().then_some(Intrinsic::Matrix(op))
}

fn async_copy(dimensions: u8, suffix: &str) -> Option<Intrinsic> {
    let (to, from) = suffix.split_once('.')?;
    let (to, element) = Operand::parse_pointer(to)?;
    let (from, source) = Operand::parse_pointer(from)?;
    (element == source).then_some(Intrinsic::AsyncCopy { dimensions, to, from, element })
}

impl fmt::Display for Intrinsic {
    /// The name in AIR; `__tensorops_impl_*` for all tensor operations.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Math { op, fast, ty } => {
                write!(f, "air.{}{}.{ty}", if *fast { "fast_" } else { "" }, op.name())
            }
            Self::Integer { op, ty } => write!(f, "air.{}.{ty}", op.name()),
            Self::Relational { all, lanes } => {
                write!(f, "air.{}.v{lanes}i1", if *all { "all" } else { "any" })
            }
            Self::Convert { to, from } => {
                write!(f, "air.convert.{}.{}.{}.{}", to.kind(), to.bare(), from.kind(), from.bare())
            }
            Self::ThreadgroupBarrier => f.write_str("air.wg.barrier"),
            Self::SimdgroupBarrier => f.write_str("air.simdgroup.barrier"),
            Self::Fence => f.write_str("air.atomic.fence"),
            Self::Atomic { op, space, ty } => {
                let space = if *space == AddressSpace::DEVICE { "global" } else { "local" };
                write!(f, "air.atomic.{space}.{}.{ty}", op.name())
            }
            Self::Simd { op, ty } => fmt_collective(f, "simd", *op, *ty),
            Self::Quad { op, ty } => fmt_collective(f, "quad", *op, *ty),
            Self::Matrix(op) => {
                let letters = |scalar: &Scalar| scalar.suffix();
                f.write_str("air.simdgroup_matrix_8x8_")?;
                match op {
                    MatrixOp::Load { element, space } => {
                        let element = letters(element);
                        write!(f, "load.v64{element}.p{}{element}", space.0)
                    }
                    MatrixOp::Store { element, space } => {
                        let element = letters(element);
                        write!(f, "store.v64{element}.p{}{element}", space.0)
                    }
                    MatrixOp::MultiplyAccumulate { result, a, b, c } => write!(
                        f,
                        "multiply_accumulate.v64{}.v64{}.v64{}.v64{}",
                        letters(result),
                        letters(a),
                        letters(b),
                        letters(c)
                    ),
                    MatrixOp::InitDiagonal { element } => {
                        let element = letters(element);
                        write!(f, "init_diag.v64{element}.{element}")
                    }
                    MatrixOp::InitFilled { element } => {
                        let element = letters(element);
                        write!(f, "init_filled.v64{element}.{element}")
                    }
                }
            }
            Self::AsyncCopy { dimensions, to, from, element } => {
                write!(f, "air.simdgroup_async_copy_{dimensions}d.p{}{element}.p{}{element}", to.0, from.0)
            }
            Self::WaitEvents => f.write_str("air.wait_simdgroup_events"),
            Self::Coherent { store, scope, volatile, ty, space } => {
                let verb = if *store { "store" } else { "load" };
                let scope = match scope {
                    CoherenceScope::Device => "device",
                    CoherenceScope::System => "system",
                };
                let volatile = if *volatile { ".volatile" } else { "" };
                write!(f, "air.{verb}.{scope}_coherent{volatile}.{ty}.p{}{ty}", space.0)
            }
            Self::SimdgroupSize { ty } => write!(f, "air.get_simdgroup_size.{ty}"),
            Self::ThreadIndexInSimdgroup { ty } => write!(f, "air.get_thread_index_in_simdgroup.{ty}"),
            Self::IsUniform { ty } => write!(f, "air.is_uniform.{ty}"),
            Self::NormalizePredicate { ty } => {
                write!(f, "air.normalize_function_constant_predicate.{ty}")
            }
            Self::IsFunctionConstantDefined => f.write_str("air.is_function_constant_defined"),
            Self::VisibleFunctionPointer => f.write_str("air.get_function_pointer_visible_function_table"),
            Self::Tensor(op) => f.write_str(op.name()),
            Self::TensorOperations => f.write_str("__tensorops_impl_*"),
        }
    }
}

fn fmt_collective(f: &mut fmt::Formatter<'_>, prefix: &str, op: CollectiveOp, ty: Operand) -> fmt::Result {
    write!(f, "air.{prefix}_{}", op.name())?;
    match op.shape() {
        CollectiveShape::Predicate | CollectiveShape::Nothing => Ok(()),
        _ => write!(f, ".{ty}"),
    }
}
