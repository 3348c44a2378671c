//! The table of library functions: operation, operands, body.

use mw_air::{AddressSpace, FunctionType, Scalar, Type};

use crate::expr::Expr;
use crate::integer;
use crate::math::{common, decompose, exp, log, root, trig};
use crate::name::Shape;

/// Body of a floating-point function for one element.
pub(crate) type FloatBody = for<'a> fn(&[Expr<'a>]) -> Expr<'a>;
/// Body of an integer function for one element.
pub(crate) type IntBody = for<'a> fn(&[Expr<'a>], bool) -> Expr<'a>;

/// Operands and result in terms of the type `T` of the suffix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signature {
    /// `T (T, …)`.
    Same(usize),
    /// `T (T, int)`.
    Exponent,
    /// `int (T)`.
    ToInt,
    /// `T (T, T*)`.
    StoresSame,
    /// `T (T, int*)`.
    StoresInt,
    /// `T (T, i1)`, the flag being constant.
    Flag,
    /// `T (T, i32, i32)`.
    Field,
    /// `T (T, T, i32, i32)`.
    FieldOfTwo,
}

impl Signature {
    /// Whether a function type is of this form.
    pub(crate) fn admits(self, ty: &FunctionType, shape: Shape) -> bool {
        let same = shape.ty();
        let int = shape.with(Scalar::Int(32));
        let pointer = Type::ptr(AddressSpace::THREAD);
        let params: Vec<Type> = match self {
            Self::Same(count) => vec![same.clone(); count],
            Self::Exponent => vec![same.clone(), int.clone()],
            Self::ToInt => vec![same.clone()],
            Self::StoresSame | Self::StoresInt => vec![same.clone(), pointer],
            Self::Flag => vec![same.clone(), Type::I1],
            Self::Field => vec![same.clone(), Type::I32, Type::I32],
            Self::FieldOfTwo => vec![same.clone(), same.clone(), Type::I32, Type::I32],
        };
        let ret = if self == Self::ToInt { int } else { same };
        !ty.varargs && ty.ret == ret && ty.params == params
    }
}

/// How half and bfloat forms come about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Narrow {
    /// Through the f32 function; the result is rounded.
    ThroughFloat,
    /// The body handles every format.
    Direct,
}

/// One row of the floating-point table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatFunction {
    pub(crate) name: &'static str,
    pub(crate) signature: Signature,
    pub(crate) narrow: Narrow,
    pub(crate) body: FloatBody,
    /// Body of the `fast_` form, where it is another one.
    pub(crate) fast: Option<FloatBody>,
}

/// One row of the integer table.
#[derive(Debug)]
pub(crate) struct IntFunction {
    pub(crate) name: &'static str,
    pub(crate) signature: Signature,
    pub(crate) body: IntBody,
}

const fn float(name: &'static str, operands: usize, body: FloatBody) -> FloatFunction {
    FloatFunction {
        name,
        signature: Signature::Same(operands),
        narrow: Narrow::ThroughFloat,
        body,
        fast: None,
    }
}

const fn direct(name: &'static str, operands: usize, body: FloatBody) -> FloatFunction {
    FloatFunction { narrow: Narrow::Direct, ..float(name, operands, body) }
}

const fn with_fast(function: FloatFunction, fast: FloatBody) -> FloatFunction {
    FloatFunction { fast: Some(fast), ..function }
}

const fn with_signature(function: FloatFunction, signature: Signature) -> FloatFunction {
    FloatFunction { signature, ..function }
}

/// Floating-point functions. Those marked † are in no library seen so far; they have the name that the
/// language or other descriptions of AIR give them.
pub(crate) const FLOAT: &[FloatFunction] = &[
    float("acos", 1, trig::acos),
    float("acosh", 1, log::acosh),
    float("acospi", 1, trig::acospi), // †
    float("asin", 1, trig::asin),
    float("asinh", 1, log::asinh),
    float("asinpi", 1, trig::asinpi), // †
    float("atan", 1, trig::atan),
    float("atan2", 2, trig::atan2),
    float("atan2pi", 2, trig::atan2pi), // †
    float("atanh", 1, log::atanh),
    float("atanpi", 1, trig::atanpi), // †
    float("ceil", 1, common::ceil),
    float("clamp", 3, common::clamp),
    direct("copysign", 2, common::copysign), // †
    float("cos", 1, trig::cos),
    float("cosh", 1, exp::cosh),
    float("cospi", 1, trig::cospi),     // †
    float("divide", 2, common::divide), // †
    float("exp10", 1, exp::exp10),
    with_fast(float("exp", 1, exp::exp), exp::fast_exp),
    with_fast(float("exp2", 1, exp::exp2), exp::fast_exp2),
    direct("fabs", 1, common::fabs),
    float("fdim", 2, common::fdim), // †
    float("floor", 1, common::floor),
    direct("fma", 3, common::fma),
    float("fmax", 2, common::fmax),
    float("fmax3", 3, common::fmax3),
    float("fmedian3", 3, common::fmedian3), // †
    float("fmin", 2, common::fmin),
    float("fmin3", 3, common::fmin3),
    float("fmod", 2, decompose::fmod),
    direct("fract", 1, common::fract),
    with_signature(float("frexp", 2, decompose::frexp), Signature::StoresInt), // †
    with_signature(float("ilogb", 1, decompose::ilogb), Signature::ToInt),     // †
    with_signature(float("ldexp", 2, decompose::ldexp), Signature::Exponent),
    float("log", 1, log::log),
    float("log10", 1, log::log10),
    float("log2", 1, log::log2),
    float("mix", 3, common::mix),                                             // †
    with_signature(float("modf", 2, decompose::modf), Signature::StoresSame), // †
    direct("nextafter", 2, decompose::nextafter),
    float("pow", 2, log::pow),
    float("powr", 2, log::powr), // †
    float("rint", 1, common::rint),
    float("round", 1, common::round),
    with_fast(float("rsqrt", 1, root::rsqrt), root::fast_rsqrt),
    float("saturate", 1, common::saturate),
    float("sign", 1, common::sign), // †
    float("sin", 1, trig::sin),
    with_signature(float("sincos", 2, trig::sincos), Signature::StoresSame),
    float("sinh", 1, exp::sinh),
    float("sinpi", 1, trig::sinpi),
    float("smoothstep", 3, common::smoothstep), // †
    float("sqrt", 1, root::sqrt),
    float("step", 2, common::step), // †
    float("tan", 1, trig::tan),
    float("tanh", 1, exp::tanh),
    float("tanpi", 1, trig::tanpi), // †
    float("trunc", 1, common::trunc),
];

const fn int(name: &'static str, operands: usize, body: IntBody) -> IntFunction {
    IntFunction { name, signature: Signature::Same(operands), body }
}

const fn int_with(name: &'static str, signature: Signature, body: IntBody) -> IntFunction {
    IntFunction { name, signature, body }
}

/// Integer functions; † as above.
pub(crate) const INT: &[IntFunction] = &[
    int("abs", 1, integer::abs),
    int("abs_diff", 2, integer::abs_diff), // †
    int("add_sat", 2, integer::add_sat),   // †
    int("clamp", 3, integer::clamp),
    int_with("clz", Signature::Flag, integer::clz),
    int_with("ctz", Signature::Flag, integer::ctz), // †
    int_with("extract_bits", Signature::Field, integer::extract_bits),
    int("hadd", 2, integer::hadd),                                        // †
    int_with("insert_bits", Signature::FieldOfTwo, integer::insert_bits), // †
    int("mad24", 3, integer::mad24),                                      // †
    int("mad_hi", 3, integer::mad_hi),                                    // †
    int("mad_sat", 3, integer::mad_sat),                                  // †
    int("max", 2, integer::max),
    int("max3", 3, integer::max3),       // †
    int("median3", 3, integer::median3), // †
    int("min", 2, integer::min),
    int("min3", 3, integer::min3),     // †
    int("mul24", 2, integer::mul24),   // †
    int("mul_hi", 2, integer::mul_hi), // †
    int("popcount", 1, integer::popcount),
    int("reverse_bits", 1, integer::reverse_bits), // †
    int("rhadd", 2, integer::rhadd),               // †
    int("rotate", 2, integer::rotate),             // †
    int("sub_sat", 2, integer::sub_sat),           // †
];
