//! Exponentials in f32: `2^n` by exponent bits, the rest by a polynomial.

use mw_air::Type;

use super::coefficients as c;
use crate::expr::{Expr, select};

/// `1.5 · 2²³ + 127`: adding it leaves an integer and the exponent's bias in the low bits.
const TO_EXPONENT: f64 = 12_582_912.0 + 127.0;

/// An exponential: its constants, and where it leaves the range of results.
struct Base<'c> {
    /// `log2` of the base.
    log2: f64,
    /// `1 / log2`, as a sum.
    step: &'c [f64],
    /// `base^r = 1 + r q(r)` from `−step/2` to `step`.
    polynomial: &'c [f64],
    /// Below this the result is zero when denormals are flushed.
    low: f64,
    /// Below this the result is zero when they are kept.
    low_denormal: f64,
}

/// `base^x = 2^n base^r`.
///
/// `n` is the nearest integer to `x log2`, but at most 127: between there and overflow the rest `r` goes up
/// to a whole step, for which the polynomial is made. So `2^n` is a normal number for all normal results,
/// overflow happens in the last product, and the limit of `x` below makes `2^-127`, whose bits are those of
/// zero. NaN runs through.
fn exponential<'a>(x: Expr<'a>, base: &Base<'_>) -> Expr<'a> {
    let flush = x.body.flush;
    let x = x.at_least(if flush { base.low } else { base.low_denormal });
    let shifted = if base.log2 == 1.0 { x + TO_EXPONENT } else { x.fma(base.log2, TO_EXPONENT) };
    let shifted = shifted.at_most(TO_EXPONENT + 127.0);
    let n = shifted - TO_EXPONENT;
    let r = if base.log2 == 1.0 { x - n } else { base.step.iter().fold(x, |r, part| n.fma(-part, r)) };
    let p = r.polynomial(base.polynomial).fma(r, 1.0);
    if flush {
        let two_to_n = (shifted.to_bits() << 23).as_float(&Type::FLOAT);
        p * two_to_n
    } else {
        // In two factors, so that a denormal result is rounded once, by the last product.
        let n = shifted.to_bits() - i64::from((TO_EXPONENT as f32).to_bits());
        let half = n.ashr(1);
        let two_to_half = ((half + 127) << 23).as_float(&Type::FLOAT);
        let two_to_rest = ((n - half + 127) << 23).as_float(&Type::FLOAT);
        p * two_to_half * two_to_rest
    }
}

/// `e^x`.
pub(crate) fn exp<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    exponential(args[0], &e(&c::EXP))
}

/// `e^x` with a shorter polynomial.
pub(crate) fn fast_exp<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    exponential(args[0], &e(&c::FAST_EXP))
}

fn e(polynomial: &[f64]) -> Base<'_> {
    Base { log2: c::LOG2_E[0], step: &c::LN2, polynomial, low: -87.7, low_denormal: -104.5 }
}

/// `2^x`.
pub(crate) fn exp2<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    exponential(args[0], &two(&c::EXP2))
}

/// `2^x` with a shorter polynomial.
pub(crate) fn fast_exp2<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    exponential(args[0], &two(&c::FAST_EXP2))
}

fn two(polynomial: &[f64]) -> Base<'_> {
    Base { log2: 1.0, step: &[1.0], polynomial, low: -126.6, low_denormal: -151.0 }
}

/// `10^x`.
pub(crate) fn exp10<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let base = Base {
        log2: std::f64::consts::LOG2_10,
        step: &c::LOG10_2,
        polynomial: &c::EXP10,
        low: -38.1,
        low_denormal: -45.4,
    };
    exponential(args[0], &base)
}

/// `tanh x = e / (e + 2)` with `e = exp(2 |x|) − 1`, which keeps its relative accuracy for small `x`.
pub(crate) fn tanh<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    // Beyond 9.1 the result rounds to 1.
    let x = args[0].fabs().at_most(10.0);
    let shifted = x.fma(2.0 * c::LOG2_E[0], TO_EXPONENT);
    let n = shifted - TO_EXPONENT;
    let r = c::HALF_LN2.iter().fold(x, |r, part| n.fma(-part, r));
    let q = r.polynomial(&c::EXPM1_2).fma(r * r, r + r);
    let two_to_n = (shifted.to_bits() << 23).as_float(&Type::FLOAT);
    let e = q.fma(two_to_n, two_to_n - 1.0);
    (e / (e + 2.0)).copysign(args[0])
}

/// `2^z` of a double in [−1000, 1000], to about 40 bits; a NaN stays.
pub(crate) fn exp2_f64(z: Expr<'_>) -> Expr<'_> {
    // 1.5 · 2⁵² + 1023: as in f32.
    const TO_EXPONENT: f64 = 6_755_399_441_055_744.0 + 1023.0;
    let n = z.roundeven();
    let r = z - n;
    let two_to_n = ((n + TO_EXPONENT).to_bits() << 52).as_float(&Type::DOUBLE);
    r.polynomial(&c::EXP2_F64).fma(r, 1.0) * two_to_n
}

/// `e^|x|` in double of an f32; large arguments give what is infinite in f32.
fn exp_of_magnitude(x: Expr<'_>) -> Expr<'_> {
    let magnitude = x.to_f64().fabs().at_most(200.0);
    exp2_f64(magnitude * std::f64::consts::LOG2_E)
}

/// `sinh x`.
pub(crate) fn sinh<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let wide = x.to_f64();
    let e = exp_of_magnitude(x);
    let large = ((e - e.body.float(&Type::DOUBLE, 1.0) / e) * 0.5).copysign(wide);
    let s = wide * wide;
    let small = (wide * s).fma(s.polynomial(&c::SINH_F64), wide);
    select(wide.fabs().lt(0.5), small, large).to_f32()
}

/// `cosh x`.
pub(crate) fn cosh<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let e = exp_of_magnitude(args[0]);
    ((e + e.body.float(&Type::DOUBLE, 1.0) / e) * 0.5).to_f32()
}
