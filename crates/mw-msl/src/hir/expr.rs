//! Expressions and places of the typed program.

use super::{Constant, FunctionId, GlobalId, LocalId};
use crate::ast::{BinaryOp, MathMode};
use crate::types::{QualType, TypeId};
use mw_source::Span;

/// A value.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Constant(Constant),
    /// The value in a place.
    Load(Box<Place>),
    /// Pointer to a place, with the place's address space.
    AddressOf(Box<Place>),
    /// Address of a function, for calls through pointers.
    FunctionAddress(FunctionId),
    /// `-x` on numbers, vectors and matrices.
    Negate(Box<Expr>, FloatRules),
    /// `!x` on bool and vectors of bool.
    Not(Box<Expr>),
    /// `~x`
    Complement(Box<Expr>),
    /// Both sides of one type. `LogicalAnd` and `LogicalOr` of scalars are lazy.
    /// Products with matrices (matrix × matrix, matrix × vector, vector × matrix) keep their two types.
    Binary(BinaryOp, Box<Expr>, Box<Expr>, FloatRules),
    /// Pointer plus or minus an integer (64 bits), in elements; never negative zero-sized.
    PointerOffset {
        pointer: Box<Expr>,
        offset: Box<Expr>,
        is_subtraction: bool,
    },
    /// Pointer minus pointer, in elements, a `long`.
    PointerDifference(Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`, lazy; the condition is a scalar bool.
    /// On a vector of bool it picks by component, and all three are evaluated.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The first for its effects, then the second's value.
    Sequence(Box<Expr>, Box<Expr>),
    /// Stores a value, then is void. Assignment as a value is `Sequence(Assign, Load)`.
    Assign(Box<Place>, Box<Expr>),
    /// Evaluates a place once, binds a temporary pointer to it, and goes on: for compound assignment and
    /// increments of places with effects.
    LetPointer {
        local: LocalId,
        place: Box<Place>,
        then: Box<Expr>,
    },
    /// Initialises a temporary and goes on.
    LetTemporary {
        local: LocalId,
        value: Box<Expr>,
        then: Box<Expr>,
    },
    Cast(Cast, Box<Expr>),
    /// Components side by side: scalars and vectors whose lengths add up, already converted to the element
    /// type.
    Vector(Vec<Expr>),
    /// One scalar in each component.
    Splat(Box<Expr>),
    /// Components of a vector value by number.
    Swizzle(Box<Expr>, Vec<u8>),
    /// A component of a vector value, or a column of a matrix value.
    Extract(Box<Expr>, Box<Expr>),
    /// Columns of a matrix.
    MatrixColumns(Vec<Expr>),
    /// A matrix with one scalar on its diagonal.
    MatrixDiagonal(Box<Expr>),
    /// A record or array from its fields or elements in order; missing ones are zero.
    /// For a union: the field that is set.
    Aggregate(Vec<Expr>),
    UnionField(u32, Box<Expr>),
    /// A record made by a constructor: `this` is where the value goes, `arguments` are the others.
    Construct {
        constructor: FunctionId,
        arguments: Vec<Expr>,
    },
    Call {
        function: FunctionId,
        arguments: Vec<Expr>,
    },
    /// Through a pointer to function.
    CallPointer {
        pointer: Box<Expr>,
        arguments: Vec<Expr>,
    },
    /// A function of Metal's library that the compiler knows.
    Builtin(BuiltinCall),
    /// `is_function_constant_defined(x)`
    IsFunctionConstantDefined(GlobalId),
    /// Follows an error that was reported.
    Error,
}

/// A call of a library function that the compiler knows.
///
/// Arguments come as the library's signature says, with all defaults filled in; a reference is a pointer.
/// The types of arguments and result tell the overload.
#[derive(Clone, Debug)]
pub struct BuiltinCall {
    /// The row of the library's table.
    pub builtin: crate::stdlib::BuiltinId,
    pub arguments: Vec<Expr>,
    /// `metal::precise::`, `metal::fast::`, or the mode in force at the call.
    pub math_mode: MathMode,
}

/// What floating-point arithmetic may do here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatRules {
    /// `a * b + c` in one expression may become a fused multiply-add.
    pub contract: bool,
    pub math_mode: MathMode,
}

/// A change of type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// Between numbers, or vectors of numbers of one length, by value; to bool it tests against zero.
    Numeric,
    /// Same bits: `as_type`.
    Bits,
    /// Pointer to pointer of the same space.
    Pointer,
    PointerToInt,
    IntToPointer,
    /// Enumeration to integer or back, of one width.
    Enum,
    /// Packed vector to vector, or back.
    Packed,
    /// Matrix to matrix of another element type.
    Matrix,
    /// Simdgroup matrix to one of another element type.
    SimdgroupMatrix,
    /// Evaluates and drops the value.
    ToVoid,
}

/// An object in memory.
#[derive(Clone, Debug)]
pub struct Place {
    pub kind: PlaceKind,
    /// Type and qualifiers of the object.
    pub ty: QualType,
    pub span: Span,
}

/// The ways to an object.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    Local(LocalId),
    Global(GlobalId),
    /// Where a pointer points to.
    Deref(Box<Expr>),
    /// A member (or base) of a record.
    Field(Box<Place>, u32),
    /// An element of an array, component of a vector or packed vector, column of a matrix.
    Index(Box<Place>, Box<Expr>),
    /// Components of a vector, to be read or written together; never repeated when written.
    Swizzle(Box<Place>, Vec<u8>),
    /// `matrix.thread_elements()`: the calling lane's two elements, as a vector of two.
    ThreadElements(Box<Place>),
    /// A value that needs an address: put into a fresh temporary.
    Temporary(LocalId, Box<Expr>),
}
