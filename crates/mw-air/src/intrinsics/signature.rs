//! Types of the functions outside a module, by their names.

use super::{
    AtomicOp, CollectiveOp, CollectiveShape, IntegerOp, Intrinsic, MathOp, MatrixOp, Operand, TensorOp,
};
use crate::{AddressSpace, FunctionType, Scalar, Type};

/// Types that a function has had over AIR's versions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Signatures {
    /// These; the newest comes last.
    Known(Vec<FunctionType>),
    /// Any: the operations of Apple's tensor library are not described here.
    Any,
}

impl Signatures {
    /// Whether `ty` is one of them.
    pub fn accept(&self, ty: &FunctionType) -> bool {
        match self {
            Self::Known(types) => types.contains(ty),
            Self::Any => true,
        }
    }
}

const BOOL: Type = Type::I1;
const LANE: Type = Type::I16;
const PAIR: Type = Type::Vector(Scalar::Int(64), 2);

fn function(ret: Type, params: Vec<Type>) -> FunctionType {
    FunctionType { ret, params, varargs: false }
}

fn thread_ptr() -> Type {
    Type::ptr(AddressSpace::THREAD)
}

impl Intrinsic {
    /// Types that a declaration of this function may have.
    pub fn signatures(self) -> Signatures {
        Signatures::Known(match self {
            Self::Math { op, ty, .. } => vec![math(op, ty)],
            Self::Integer { op, ty } => vec![integer(op, ty)],
            Self::Relational { lanes, .. } => vec![function(BOOL, vec![Type::Vector(Scalar::Int(1), lanes)])],
            Self::Convert { to, from } => vec![function(to.ty(), vec![from.ty()])],
            Self::ThreadgroupBarrier | Self::SimdgroupBarrier => {
                vec![function(Type::Void, vec![Type::I32, Type::I32])]
            }
            Self::Fence => vec![function(Type::Void, vec![Type::I32, Type::I32, Type::I32])],
            Self::Atomic { op, space, ty } => atomic(op, space, ty),
            Self::Simd { op, ty } | Self::Quad { op, ty } => vec![collective(op, ty)],
            Self::Matrix(op) => matrix(op),
            Self::AsyncCopy { dimensions, to, from, .. } => vec![async_copy(dimensions, to, from)],
            Self::WaitEvents => vec![function(Type::Void, vec![Type::I32, thread_ptr()])],
            Self::Coherent { store, ty, space, .. } => vec![if store {
                function(Type::Void, vec![ty.ty(), Type::ptr(space)])
            } else {
                function(ty.ty(), vec![Type::ptr(space)])
            }],
            Self::SimdgroupSize { ty } | Self::ThreadIndexInSimdgroup { ty } => {
                vec![function(ty.ty(), vec![])]
            }
            Self::IsUniform { ty } => vec![function(BOOL, vec![ty.ty()])],
            Self::NormalizePredicate { ty } => vec![function(ty.ty(), vec![ty.ty()])],
            Self::IsFunctionConstantDefined => {
                vec![function(BOOL, vec![Type::ptr(AddressSpace::CONSTANT)])]
            }
            Self::VisibleFunctionPointer => {
                vec![function(thread_ptr(), vec![Type::ptr(AddressSpace::DEVICE), Type::I32])]
            }
            Self::Tensor(op) => vec![tensor(op)],
            Self::TensorOperations => return Signatures::Any,
        })
    }
}

fn math(op: MathOp, ty: Operand) -> FunctionType {
    let value = ty.ty();
    match op {
        MathOp::Acos
        | MathOp::Acosh
        | MathOp::Asin
        | MathOp::Asinh
        | MathOp::Atan
        | MathOp::Atanh
        | MathOp::Ceil
        | MathOp::Cos
        | MathOp::Cosh
        | MathOp::Cospi
        | MathOp::Exp
        | MathOp::Exp10
        | MathOp::Exp2
        | MathOp::Fabs
        | MathOp::Floor
        | MathOp::Fract
        | MathOp::Log
        | MathOp::Log10
        | MathOp::Log2
        | MathOp::Rint
        | MathOp::Round
        | MathOp::Rsqrt
        | MathOp::Saturate
        | MathOp::Sin
        | MathOp::Sinh
        | MathOp::Sinpi
        | MathOp::Sqrt
        | MathOp::Tan
        | MathOp::Tanh
        | MathOp::Tanpi
        | MathOp::Trunc => function(value.clone(), vec![value]),
        MathOp::Atan2
        | MathOp::Fmax
        | MathOp::Fmin
        | MathOp::Fmod
        | MathOp::Nextafter
        | MathOp::Pow
        | MathOp::Powr => function(value.clone(), vec![value.clone(), value]),
        MathOp::Clamp | MathOp::Fma | MathOp::Fmax3 | MathOp::Fmin3 => {
            function(value.clone(), vec![value.clone(), value.clone(), value])
        }
        MathOp::Dot => function(Type::Scalar(ty.scalar), vec![value.clone(), value]),
        MathOp::Ldexp => function(value.clone(), vec![value, ty.ty_of(Scalar::Int(32))]),
        MathOp::Sincos => function(value.clone(), vec![value, thread_ptr()]),
    }
}

fn integer(op: IntegerOp, ty: Operand) -> FunctionType {
    let value = ty.ty();
    match op {
        IntegerOp::Abs | IntegerOp::Popcount | IntegerOp::ReverseBits => function(value.clone(), vec![value]),
        IntegerOp::Clz | IntegerOp::Ctz => function(value.clone(), vec![value, BOOL]),
        IntegerOp::Max | IntegerOp::Min | IntegerOp::MulHi => {
            function(value.clone(), vec![value.clone(), value])
        }
        IntegerOp::Clamp | IntegerOp::Max3 | IntegerOp::Min3 => {
            function(value.clone(), vec![value.clone(), value.clone(), value])
        }
        IntegerOp::ExtractBits => function(value.clone(), vec![value, Type::I32, Type::I32]),
        IntegerOp::InsertBits => function(value.clone(), vec![value.clone(), value, Type::I32, Type::I32]),
    }
}

fn atomic(op: AtomicOp, space: AddressSpace, ty: Operand) -> Vec<FunctionType> {
    let (ptr, value) = (Type::ptr(space), ty.ty());
    let (ret, mut params) = match op {
        AtomicOp::Load => (value, vec![ptr, Type::I32, Type::I32]),
        AtomicOp::Store => (Type::Void, vec![ptr, value, Type::I32, Type::I32]),
        AtomicOp::CompareExchangeWeak => {
            (value.clone(), vec![ptr, thread_ptr(), value, Type::I32, Type::I32, Type::I32])
        }
        AtomicOp::Exchange
        | AtomicOp::Add
        | AtomicOp::Sub
        | AtomicOp::Min
        | AtomicOp::Max
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor => (value.clone(), vec![ptr, value, Type::I32, Type::I32]),
    };
    // AIR 2.9 puts flags before the volatile operand.
    let mut with_flags = params.clone();
    with_flags.extend([Type::I32, BOOL]);
    params.push(BOOL);
    let mut types = vec![function(ret.clone(), params), function(ret, with_flags)];
    // The 64-bit minimum and maximum return nothing in Metal.
    if matches!(op, AtomicOp::Min | AtomicOp::Max) && ty.scalar == Scalar::Int(64) {
        for mut with_result in types.clone() {
            with_result.ret = Type::Void;
            types.push(with_result);
        }
    }
    types
}

fn collective(op: CollectiveOp, ty: Operand) -> FunctionType {
    let value = ty.ty();
    match op.shape() {
        CollectiveShape::Unary => function(value.clone(), vec![value]),
        CollectiveShape::Lane => function(value.clone(), vec![value, LANE]),
        CollectiveShape::Fill => function(value.clone(), vec![value.clone(), value, LANE, LANE]),
        CollectiveShape::Predicate => function(BOOL, vec![BOOL]),
        CollectiveShape::Ballot => function(value, vec![BOOL]),
        CollectiveShape::Vote => function(BOOL, vec![value]),
        CollectiveShape::Nothing => function(BOOL, vec![]),
    }
}

fn matrix(op: MatrixOp) -> Vec<FunctionType> {
    let fragment = |element: Scalar| Type::Vector(element, 64);
    match op {
        // AIR up to 2.7: elements per row, origin, transpose; later: extent, stride, origin.
        MatrixOp::Load { element, space } => vec![
            function(fragment(element), vec![Type::ptr(space), Type::I64, PAIR, BOOL]),
            function(fragment(element), vec![Type::ptr(space), PAIR, PAIR, PAIR]),
        ],
        MatrixOp::Store { element, space } => vec![
            function(Type::Void, vec![fragment(element), Type::ptr(space), Type::I64, PAIR, BOOL]),
            function(Type::Void, vec![fragment(element), Type::ptr(space), PAIR, PAIR, PAIR]),
        ],
        MatrixOp::MultiplyAccumulate { result, a, b, c } => {
            vec![function(fragment(result), vec![fragment(a), fragment(b), fragment(c)])]
        }
        MatrixOp::InitDiagonal { element } | MatrixOp::InitFilled { element } => {
            vec![function(fragment(element), vec![Type::Scalar(element)])]
        }
    }
}

fn async_copy(dimensions: u8, to: AddressSpace, from: AddressSpace) -> FunctionType {
    let (to, from) = (Type::ptr(to), Type::ptr(from));
    let params = if dimensions == 1 {
        vec![Type::I64, Type::I64, to, from, Type::I64]
    } else {
        // Element size and alignment; then for either side pointer, elements per row, element stride and
        // tile; the offset; what happens outside.
        vec![
            Type::I64,
            Type::I64,
            to,
            Type::I64,
            Type::I64,
            PAIR,
            from,
            Type::I64,
            Type::I64,
            PAIR,
            PAIR,
            Type::I32,
        ]
    };
    function(thread_ptr(), params)
}

fn tensor(op: TensorOp) -> FunctionType {
    let ptr = thread_ptr;
    let strided =
        |space| function(Type::Void, vec![ptr(), Type::I16, Type::ptr(space), ptr(), ptr(), Type::I8]);
    match op {
        TensorOp::DescriptorSize => function(Type::I16, vec![Type::I16, Type::I16]),
        TensorOp::InitStridedGlobal => strided(AddressSpace::DEVICE),
        TensorOp::InitStridedLocal => strided(AddressSpace::THREADGROUP),
        TensorOp::Slice => function(Type::Void, vec![ptr(), ptr(), Type::I16, ptr(), ptr()]),
        TensorOp::Extent => function(Type::I32, vec![ptr(), Type::I16, Type::I16]),
    }
}
