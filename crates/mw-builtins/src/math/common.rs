//! Comparisons, rounding and the small functions of `metal_common`.

use mw_air::{Scalar, Type};

use crate::expr::{Expr, select};

/// A denormal becomes a zero of its sign when the module flushes.
///
/// A maximum only moves bits, but x86's instruction for it flushes where AIR's `select` does not, and which
/// one a compiler takes is not visible here; so the result is flushed in so many words.
fn flushed(x: Expr<'_>) -> Expr<'_> {
    if !x.body.flush {
        return x;
    }
    let bits = x.to_bits();
    select((bits & 0x7f80_0000).eq(0), bits & 0x8000_0000, bits).as_float(&Type::FLOAT)
}

/// The greater (or smaller) of two: a NaN loses against a number, and −0 is less than +0.
fn extreme<'a>(a: Expr<'a>, b: Expr<'a>, greatest: bool) -> Expr<'a> {
    // On a tie the comparison gives `second`. Ties with different bits are zeros of different sign: there
    // `second` must be the positive one for the maximum, the negative one for the minimum, and it is enough
    // to look at the sign of one of them.
    let negative = a.to_bits().lt(0);
    let swap = if greatest { negative } else { !negative };
    let (first, second) = (select(swap, a, b), select(swap, b, a));
    let better = if greatest { first.gt(second) } else { first.lt(second) };
    let result = select(better, first, second);
    // The result is NaN only if `second` is.
    flushed(select(result.is_nan(), first, result))
}

/// `fmax`.
pub(crate) fn fmax<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    extreme(args[0], args[1], true)
}

/// `fmin`.
pub(crate) fn fmin<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    extreme(args[0], args[1], false)
}

/// Greatest of three.
pub(crate) fn fmax3<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    fmax(&[fmax(args), args[2]])
}

/// Smallest of three.
pub(crate) fn fmin3<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    fmin(&[fmin(args), args[2]])
}

/// Middle one of three.
pub(crate) fn fmedian3<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let (low, high) = (fmin(args), fmax(args));
    fmax(&[low, fmin(&[high, args[2]])])
}

/// `fmin(fmax(x, low), high)`.
pub(crate) fn clamp<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    fmin(&[fmax(args), args[2]])
}

/// Clamped to 0…1; NaN gives 0.
pub(crate) fn saturate<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let body = args[0].body;
    clamp(&[args[0], body.f32(0.0), body.f32(1.0)])
}

/// Magnitude, in any format; flushes nothing.
pub(crate) fn fabs<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    if args[0].ty() == Type::FLOAT {
        return args[0].fabs();
    }
    let bits = args[0].to_bits();
    (bits & !(1i64 << (bits.bits() - 1))).as_float(&args[0].ty())
}

/// Magnitude of the first, sign of the second, in any format.
pub(crate) fn copysign<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    if args[0].ty() == Type::FLOAT {
        return args[0].copysign(args[1]);
    }
    let (magnitude, sign) = (args[0].to_bits(), args[1].to_bits());
    let top = 1i64 << (magnitude.bits() - 1);
    ((magnitude & !top) | (sign & top)).as_float(&args[0].ty())
}

/// `a b + c`, rounded once.
pub(crate) fn fma<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    args[0].fma(args[1], args[2])
}

/// `a / b`.
pub(crate) fn divide<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    args[0] / args[1]
}

/// Positive difference.
pub(crate) fn fdim<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let (x, y) = (args[0], args[1]);
    let difference = select(x.gt(y), x - y, 0.0);
    select(x.is_nan() | y.is_nan(), x + y, difference)
}

/// Next integer towards −∞.
pub(crate) fn floor<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    args[0].floor()
}

/// Next integer towards +∞.
pub(crate) fn ceil<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    args[0].ceil()
}

/// Next integer towards zero.
pub(crate) fn trunc<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    args[0].trunc()
}

/// Nearest integer, ties to even.
pub(crate) fn rint<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    args[0].roundeven()
}

/// Nearest integer, ties away from zero.
pub(crate) fn round<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    // The float below ½: a sum that is not exact is then rounded to the right side.
    let below_half = f64::from(0.5f32.next_down());
    (x.fabs() + below_half).trunc().copysign(x)
}

/// `x − floor x`, kept below 1; 0 for infinities. `x` may be of any format, which rounds the result.
pub(crate) fn fract<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let ty = args[0].ty();
    let x = args[0].to_f32();
    let below_one = match ty.scalar() {
        Some(Scalar::Half) => 1.0 - 2f64.powi(-11),
        Some(Scalar::BFloat) => 1.0 - 2f64.powi(-8),
        _ => 1.0 - 2f64.powi(-24),
    };
    let fraction = (x - x.floor()).at_most(below_one);
    select(x.fabs().eq(f64::INFINITY), x.body.f32(0.0), fraction).to_float(&ty)
}

/// −1, 0 or 1 by the sign; ±0 stays, NaN gives 0.
pub(crate) fn sign<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let unit = x.body.f32(1.0).copysign(x);
    let zero = select(x.is_nan(), x.body.f32(0.0), x.body.f32(0.0).copysign(x));
    select(x.fabs().gt(0.0), unit, zero)
}

/// 0 below the edge, 1 from there on.
pub(crate) fn step<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    select(args[1].lt(args[0]), args[0].body.f32(0.0), 1.0)
}

/// `x + (y − x) a`, the last two fused.
pub(crate) fn mix<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    (args[1] - args[0]).fma(args[2], args[0])
}

/// `t² (3 − 2 t)` with `t = saturate((x − low) / (high − low))`.
pub(crate) fn smoothstep<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let (low, high, x) = (args[0], args[1], args[2]);
    let t = saturate(&[(x - low) / (high - low)]);
    t * t * t.fma(-2.0, 3.0)
}
