//! Logarithms, powers and the inverse hyperbolic functions.

use mw_air::{CastOp, Type};

use super::coefficients as c;
use super::exp::exp2_f64;
use crate::expr::{Expr, select};

/// Bits of `√½` in f32 and f64: a mantissa is taken from there to `√2`.
const SQRT_HALF_BITS: i64 = 0x3f35_04f3;
const SQRT_HALF_BITS_F64: i64 = 0x3fe6_a09e_667f_3bcd;

/// `x = 2^e (1 + f)` with `√½ ≤ 1 + f < √2`, and `log(1 + f) − f`.
struct Split<'a> {
    e: Expr<'a>,
    f: Expr<'a>,
    rest: Expr<'a>,
}

/// Takes a positive, finite float apart.
fn split(x: Expr<'_>) -> Split<'_> {
    let (x, bias) = if x.body.flush {
        (x, None)
    } else {
        let denormal = x.lt(f64::from(f32::MIN_POSITIVE));
        let bias = select(denormal, x.body.f32(-32.0), 0.0);
        (select(denormal, x * 4_294_967_296.0, x), Some(bias))
    };
    let bits = x.to_bits();
    let above = bits - SQRT_HALF_BITS;
    let e = above.ashr(23).cast(CastOp::SiToFp, &Type::FLOAT);
    let e = bias.map_or(e, |bias| e + bias);
    let f = (bits - (above & -0x0080_0000)).as_float(&Type::FLOAT) - 1.0;
    Split { e, f, rest: f.polynomial(&c::LOG1P) * (f * f) }
}

/// The special values of every logarithm: −∞ at zero, NaN below, ∞ at infinity.
fn with_edges<'a>(x: Expr<'a>, result: Expr<'a>) -> Expr<'a> {
    let body = x.body;
    let low = if body.flush { f64::from(f32::MIN_POSITIVE) } else { f64::from(f32::from_bits(1)) };
    let infinity = f64::INFINITY;
    let edge = select(x.eq(0.0), body.f32(-infinity), select(x.gt(0.0), x, body.nan(&Type::FLOAT)));
    select(x.ge(low) & x.lt(infinity), result, edge)
}

/// `log x`.
pub(crate) fn log<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let Split { e, f, rest } = split(args[0]);
    let low = e.fma(c::LN2[1], rest);
    with_edges(args[0], e.fma(c::LN2[0], f + low))
}

/// `log2 x`, exact for powers of two.
pub(crate) fn log2<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let Split { e, f, rest } = split(args[0]);
    let low = f.fma(c::LOG2_E[1], rest * c::LOG2_E[0]);
    with_edges(args[0], e + f.fma(c::LOG2_E[0], low))
}

/// `log10 x`.
pub(crate) fn log10<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let Split { e, f, rest } = split(args[0]);
    let low = f.fma(c::LOG10_E[1], rest * c::LOG10_E[0]);
    let fraction = f.fma(c::LOG10_E[0], low);
    with_edges(args[0], e.fma(c::LOG10_2[0], e.fma(c::LOG10_2[1], fraction)))
}

/// `log2 x` of a positive, finite, normal double, to about 44 bits: exponent and logarithm of the mantissa.
fn log_parts_f64(x: Expr<'_>) -> (Expr<'_>, Expr<'_>) {
    let bits = x.to_bits();
    let above = bits - SQRT_HALF_BITS_F64;
    let e = above.ashr(52).cast(CastOp::SiToFp, &Type::DOUBLE);
    let mantissa = (bits - (above & -0x0010_0000_0000_0000)).as_float(&Type::DOUBLE);
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let s = t * t;
    (e, (t * s).fma(s.polynomial(&c::LOG_F64), t * 2.0))
}

/// `log x` of a positive, finite, normal double.
fn log_f64(x: Expr<'_>) -> Expr<'_> {
    let (e, mantissa) = log_parts_f64(x);
    e.fma(std::f64::consts::LN_2, mantissa)
}

/// `asinh x`.
pub(crate) fn asinh<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0].to_f64();
    let a = x.fabs();
    let s = a * a;
    let large = log_f64((s + 1.0).sqrt() + a);
    // x − x³/6 + 3x⁵/40: below 1/64 the next term is under 2⁻³⁹ of x.
    let small = (a * s).fma(s.polynomial(&[-1.0 / 6.0, 3.0 / 40.0]), a);
    let result = select(a.lt(1.0 / 64.0), small, large);
    select(a.lt(f64::INFINITY), result, a).copysign(x).to_f32()
}

/// `acosh x`.
pub(crate) fn acosh<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0].to_f64();
    let result = log_f64(((x - 1.0) * (x + 1.0)).sqrt() + x);
    let result = select(x.lt(f64::INFINITY), result, x);
    select(x.ge(1.0), result, x.body.nan(&Type::DOUBLE)).to_f32()
}

/// `atanh x`.
pub(crate) fn atanh<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0].to_f64();
    let a = x.fabs();
    let large = log_f64((a + 1.0) / (x.body.float(&Type::DOUBLE, 1.0) - a)) * 0.5;
    let s = a * a;
    // x + x³/3 + x⁵/5: below 1/64 the next term is under 2⁻³⁸ of x.
    let small = (a * s).fma(s.polynomial(&[1.0 / 3.0, 1.0 / 5.0]), a);
    let result = select(a.lt(1.0 / 64.0), small, large);
    let edge = select(a.eq(1.0), x.body.float(&Type::DOUBLE, f64::INFINITY), x.body.nan(&Type::DOUBLE));
    select(a.lt(1.0), result, edge).copysign(x).to_f32()
}

/// `|x|^y` for finite `x ≠ 0` and finite `y`, computed in double and rounded once.
fn power_of_magnitude<'a>(x: Expr<'a>, y: Expr<'a>) -> Expr<'a> {
    let (e, mantissa) = log_parts_f64(x.fabs().to_f64());
    let log2 = mantissa.fma(std::f64::consts::LOG2_E, e);
    // What lies beyond the range of f32 stays beyond it.
    exp2_f64((log2 * y.to_f64()).at_most(300.0).at_least(-300.0)).to_f32()
}

/// What `pow` and `powr` have in common: the power of the magnitude, with the limits at 0 and ∞.
struct Power<'a> {
    magnitude: Expr<'a>,
    x_is_edge: Expr<'a>,
    y_is_infinite: Expr<'a>,
}

impl<'a> Power<'a> {
    fn of(x: Expr<'a>, y: Expr<'a>) -> Self {
        let a = x.fabs();
        let x_is_edge = a.eq(0.0) | a.eq(f64::INFINITY);
        let y_is_infinite = y.fabs().eq(f64::INFINITY);
        let finite = power_of_magnitude(select(x_is_edge, x.body.f32(1.0), x), y);
        // 0^y, ∞^y and x^±∞ are 0 or ∞.
        let grows = a.gt(1.0).eq(y.gt(0.0));
        let limit = select(grows, x.body.f32(f64::INFINITY), 0.0);
        Self { magnitude: select(x_is_edge | y_is_infinite, limit, finite), x_is_edge, y_is_infinite }
    }
}

/// `x^y` with the special values of C.
pub(crate) fn pow<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let (x, y) = (args[0], args[1]);
    let body = x.body;
    let Power { magnitude, x_is_edge, y_is_infinite } = Power::of(x, y);
    let one = body.f32(1.0);
    let result = select(y_is_infinite & x.fabs().eq(1.0), one, magnitude);

    let half = y * 0.5;
    let y_is_integer = y.floor().eq(y);
    let y_is_odd = y_is_integer & half.floor().ne(half) & y.fabs().lt(f64::INFINITY);
    let x_is_negative = x.to_bits().lt(0);
    let result = select(x_is_negative & y_is_odd, -result, result);
    let is_real = !x_is_negative | y_is_integer | x_is_edge;
    let result = select(is_real, result, body.nan(&Type::FLOAT));
    let result = select(x.is_nan() | y.is_nan(), x + y, result);
    select(y.eq(0.0) | x.eq(1.0), one, result)
}

/// `x^y` for `x ≥ 0`, defined as `exp2(y log2 x)`: NaN for `x < 0`, `0^0`, `∞^0` and `1^±∞`.
pub(crate) fn powr<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let (x, y) = (args[0], args[1]);
    let Power { magnitude, x_is_edge, y_is_infinite } = Power::of(x, y);
    let undefined = x.lt(0.0) | x.is_nan() | y.is_nan();
    let undefined = undefined | (x_is_edge & y.eq(0.0)) | (y_is_infinite & x.eq(1.0));
    select(undefined, x.body.nan(&Type::FLOAT), magnitude)
}
