//! Constants: structural values that carry no type of their own; [`TypedConstant`] adds it.

use std::sync::Arc;

use crate::{BinaryOp, CastOp, FuncId, GlobalId, Type};

/// A global variable or function that a constant is the address of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Symbol {
    /// A global variable.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
}

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

impl Constant {
    /// Calls `visit` with every symbol that the constant is made of.
    pub fn for_each_symbol(&self, visit: &mut dyn FnMut(Symbol)) {
        match self {
            Self::Int(_) | Self::Float(_) | Self::Zero | Self::Undef | Self::Poison => {}
            Self::Aggregate(elements) => {
                for element in &**elements {
                    element.value.for_each_symbol(visit);
                }
            }
            Self::Global(id) => visit(Symbol::Global(*id)),
            Self::Function(id) => visit(Symbol::Function(*id)),
            Self::Expr(expr) => expr.for_each_part(&mut |part| part.value.for_each_symbol(visit)),
        }
    }

    /// The constant with every symbol replaced.
    #[must_use]
    pub fn map_symbols(&self, map: &mut dyn FnMut(Symbol) -> Symbol) -> Self {
        match self {
            Self::Int(_) | Self::Float(_) | Self::Zero | Self::Undef | Self::Poison => self.clone(),
            Self::Aggregate(elements) => {
                let mut any = false;
                self.for_each_symbol(&mut |_| any = true);
                if !any {
                    return self.clone();
                }
                Self::Aggregate(elements.iter().map(|element| element.map_symbols(map)).collect())
            }
            Self::Global(id) => Self::of_symbol(map(Symbol::Global(*id))),
            Self::Function(id) => Self::of_symbol(map(Symbol::Function(*id))),
            Self::Expr(expr) => Self::Expr(Arc::new(expr.map_parts(&mut |part| part.map_symbols(map)))),
        }
    }

    /// Address of a symbol.
    pub fn of_symbol(symbol: Symbol) -> Self {
        match symbol {
            Symbol::Global(id) => Self::Global(id),
            Symbol::Function(id) => Self::Function(id),
        }
    }
}

impl TypedConstant {
    /// The constant with every symbol replaced.
    #[must_use]
    pub fn map_symbols(&self, map: &mut dyn FnMut(Symbol) -> Symbol) -> Self {
        Self { ty: self.ty.clone(), value: self.value.map_symbols(map) }
    }
}

impl ConstantExpr {
    /// Calls `visit` with each operand.
    pub fn for_each_part(&self, visit: &mut dyn FnMut(&TypedConstant)) {
        match self {
            Self::Gep { base, indices, .. } => {
                visit(base);
                indices.iter().for_each(visit);
            }
            Self::Cast { value, .. } => visit(value),
            Self::Binary { lhs, rhs, .. } => {
                visit(lhs);
                visit(rhs);
            }
        }
    }

    fn map_parts(&self, map: &mut dyn FnMut(&TypedConstant) -> TypedConstant) -> Self {
        match self {
            Self::Gep { source, base, indices, inbounds } => Self::Gep {
                source: source.clone(),
                base: map(base),
                indices: indices.iter().map(map).collect(),
                inbounds: *inbounds,
            },
            Self::Cast { op, value } => Self::Cast { op: *op, value: map(value) },
            Self::Binary { op, lhs, rhs } => Self::Binary { op: *op, lhs: map(lhs), rhs: map(rhs) },
        }
    }
}
