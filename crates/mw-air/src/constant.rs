//! Constants: structural values that carry no type of their own; [`TypedConstant`] adds it.

use std::sync::Arc;

use crate::{BinaryOp, CastOp, FuncId, GlobalId, Type};

/// A constant's value. Its type stands beside it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// Integer, zero-extended from the width of its type.
    Int(u64),
    /// Bits of a floating-point number in its own format.
    Float(u64),
    /// `null`, `zeroinitializer`: all bits zero.
    Zero,
    /// Any bit pattern, possibly another one at each use.
    Undef,
    /// The result of an operation that had none.
    Poison,
    /// Elements of a vector, array or structure.
    Aggregate(Arc<[TypedConstant]>),
    /// Address of a global variable.
    Global(GlobalId),
    /// Address of a function.
    Function(FuncId),
    /// Computed from other constants.
    Expr(Arc<ConstantExpr>),
}

/// A constant with its type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TypedConstant {
    /// Type of the value.
    pub ty: Type,
    /// The value.
    pub value: Constant,
}

/// A constant expression. AIR uses address arithmetic and casts; the reader accepts arithmetic too.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstantExpr {
    /// Address arithmetic on a constant pointer.
    Gep {
        /// Type that the indices walk through.
        source: Type,
        /// Pointer that the walk starts at.
        base: TypedConstant,
        /// Indices, the first of which counts whole `source`s.
        indices: Vec<TypedConstant>,
        /// The result stays inside the object.
        inbounds: bool,
    },
    /// Conversion.
    Cast {
        /// Kind of conversion.
        op: CastOp,
        /// What is converted.
        value: TypedConstant,
    },
    /// Two-operand arithmetic.
    Binary {
        /// Operation.
        op: BinaryOp,
        /// Left operand.
        lhs: TypedConstant,
        /// Right operand.
        rhs: TypedConstant,
    },
}

impl TypedConstant {
    /// An integer constant; bits above the type's width are dropped.
    pub fn int(ty: Type, value: u64) -> Self {
        let bits = ty.scalar().map_or(64, crate::Scalar::bits);
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        Self { ty, value: Constant::Int(value & mask) }
    }

    /// A zero of any type.
    pub fn zero(ty: Type) -> Self {
        Self { ty, value: Constant::Zero }
    }

    /// The integer, when it is one (a zero of integer type counts).
    pub fn as_int(&self) -> Option<u64> {
        match &self.value {
            Constant::Int(value) => Some(*value),
            Constant::Zero if self.ty.is_int() => Some(0),
            _ => None,
        }
    }
}
