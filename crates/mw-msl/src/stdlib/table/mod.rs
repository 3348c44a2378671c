//! The functions that the compiler knows, one row for all overloads of a name.
//!
//! A row's `signature` is a pattern over one type `T`: result first, then parameters. Its words:
//!
//! | word | type |
//! |---|---|
//! | `T` | the overload's type, any of the row's [`Class`] |
//! | `N` | element of `T` |
//! | `B` | bool, or vector of bool as long as `T` |
//! | `I` | int, or vector of int as long as `T` |
//! | `&T`, `&I` | reference into thread memory |
//! | `*I` | pointer into thread memory |
//! | `lane` | ushort |
//! | `void`, `bool`, `int`, `uint`, `ushort`, `ulong`, `float`, `float2`, `half4`, … | themselves |
//! | `mem_flags`, `memory_order`, `thread_scope` | the library's enumerations |

mod rows;

use super::BuiltinId;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

pub use rows::ROWS;

/// The part of the library that a function belongs to, as the specification divides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Chapter {
    Math,
    Common,
    Integer,
    Relational,
    Geometric,
    Matrix,
    Compute,
    Simdgroup,
    Quadgroup,
    Atomic,
    SimdgroupMatrix,
    Pack,
    Logging,
    /// `__metal_…` and `__builtin_…`
    Internal,
}

/// The types that `T` stands for in a row's signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The signature has no `T`.
    One,
    /// half, float, and their vectors.
    Float,
    /// Vectors of half and float.
    FloatVector,
    /// half3, float3.
    Float3,
    /// Integers and their vectors.
    Integer,
    /// int, uint, and their vectors.
    Int32,
    /// Integers, half, float, and their vectors.
    Number,
    /// The same without 64-bit integers: what lanes exchange.
    Lane,
    /// Integers of up to 32 bits and their vectors.
    LaneInteger,
    /// bool and its vectors.
    Bool,
    /// Vectors of bool.
    BoolVector,
    /// Matrices of half and float, with the transposed one as `R`.
    Matrix,
    /// Square matrices of half and float.
    SquareMatrix,
    /// ushort, uint.
    Index,
    /// Atomics: see [`super::expand`].
    Atomic(AtomicKind),
    /// Simdgroup matrices: see [`super::expand`].
    SimdgroupMatrix(MatrixKind),
}

/// The forms of atomic functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say all")]
pub enum AtomicKind {
    Load,
    Store,
    Exchange,
    CompareExchange,
    /// `fetch_add`, `fetch_sub`: floats in device memory too.
    Sum,
    /// `fetch_and` and its like, `fetch_min`, `fetch_max`.
    Integer,
    /// `atomic_min_explicit`, `atomic_max_explicit` on ulong: no result.
    Void64,
}

/// The forms of functions on simdgroup matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say all")]
pub enum MatrixKind {
    Load,
    Store,
    Multiply,
    MultiplyAccumulate,
    /// From a number: filled or diagonal.
    Init,
}

/// How a function becomes AIR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `air.<name>.<T>`, or `air.fast_<name>.<T>` where the math mode allows and T is of float.
    Math(&'static str),
    /// `air.<name>.<T>` in every math mode.
    PreciseMath(&'static str),
    /// `air.<name>.{s,u}.<T>`
    Integer(&'static str),
    /// `air.<name>.<T>` of integers, whose sign does not matter.
    UnsignedInteger(&'static str),
    /// `air.clz`, `air.ctz`: a flag says that zero is a number too.
    CountZeros(&'static str),
    /// `air.simd_<name>`
    Simd(&'static str),
    /// `air.quad_<name>`
    Quad(&'static str),
    /// `air.all`, `air.any`
    Relational(&'static str),
    /// `air.atomic.{global,local}.<name>`
    Atomic(AtomicKind, &'static str),
    /// `air.simdgroup_matrix_8x8_<name>`
    SimdgroupMatrix(MatrixKind, &'static str),
    /// `air.wg.barrier`, with scope 1.
    ThreadgroupBarrier,
    /// `air.simdgroup.barrier`
    SimdgroupBarrier,
    /// `air.atomic.fence`
    Fence,
    /// `air.get_simdgroup_size.<T>`
    SimdgroupSize,
    /// `air.get_thread_index_in_simdgroup.<T>`
    ThreadIndexInSimdgroup,
    /// A few instructions.
    Expand(Expansion),
    /// Parsed and checked; the lowering reports it by name.
    Unsupported(&'static str),
}

/// Functions that are spelled out in instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as the functions are")]
pub enum Expansion {
    Copysign,
    Divide,
    Fdim,
    Frexp,
    Ilogb,
    Median3,
    Modf,
    Mix,
    Sign,
    Smoothstep,
    Step,
    AbsDiff,
    AddSat,
    SubSat,
    HAdd,
    RHAdd,
    Mul24,
    Mad24,
    MadHi,
    MadSat,
    Rotate,
    IsFinite,
    IsInf,
    IsNan,
    IsNormal,
    IsOrdered,
    IsUnordered,
    Not,
    Select,
    SignBit,
    Cross,
    Distance,
    DistanceSquared,
    FaceForward,
    Length,
    LengthSquared,
    Normalize,
    Reflect,
    Refract,
    Determinant,
    Transpose,
    PackUnorm4x8,
    PackSnorm4x8,
    PackUnorm2x16,
    PackSnorm2x16,
    PackSrgb4x8,
    PackUnorm10a2,
    UnpackUnorm4x8,
    UnpackSnorm4x8,
    UnpackUnorm2x16,
    UnpackSnorm2x16,
    UnpackSrgb4x8,
    UnpackUnorm10a2,
    /// The active lanes as a mask.
    ActiveThreadsMask,
}

/// Where a row can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spaces {
    /// `metal::`
    Metal,
    /// `metal::`; `metal::fast::` and `metal::precise::` for float; `__metal_<name>` with a flag for the
    /// math mode as last argument.
    MetalFastPrecise,
    /// `metal::` and, unchanged, `__metal_<name>`.
    MetalAndInternal,
    /// `::`, the name being an internal one.
    Global,
}

/// All overloads of one function.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub chapter: Chapter,
    pub spaces: Spaces,
    pub class: Class,
    /// Result and parameters: see the module.
    pub signature: &'static str,
    /// Default values of the last parameters.
    pub defaults: &'static [i64],
    pub op: Op,
    /// One line: what it gives.
    pub doc: &'static str,
}

/// The row behind a handle.
pub fn row(id: BuiltinId) -> &'static Row {
    &ROWS[id.0 as usize]
}

/// Rows by name; several rows may share one.
static BY_NAME: LazyLock<FxHashMap<&'static str, Vec<BuiltinId>>> = LazyLock::new(|| {
    let mut map: FxHashMap<&'static str, Vec<BuiltinId>> = FxHashMap::default();
    for (index, row) in ROWS.iter().enumerate() {
        map.entry(row.name).or_default().push(BuiltinId(index as u32));
    }
    map
});

/// Every public name of the table, once each, in no order that means anything.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    let mut last = "";
    ROWS.iter().map(|row| row.name).filter(move |name| std::mem::replace(&mut last, name) != *name)
}

/// The rows called `name`.
pub fn rows_named(name: &str) -> &'static [BuiltinId] {
    BY_NAME.get(name).map_or(&[], Vec::as_slice)
}
