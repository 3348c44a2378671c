//! Exponentials in f32: `2^n` by exponent bits, the rest by a polynomial.

use mw_air::Type;

use super::coefficients as c;
use crate::expr::{Expr, select};

/// `1.5 · 2²³ + 127`: adding it leaves an integer and the exponent's bias in the low bits.
const TO_EXPONENT: f64 = 12_582_912.0 + 127.0;

/// Where an exponential leaves the range of finite, normal results, and its constants.
struct Base<'c> {
    /// `log2` of the base.
    log2: f64,
    /// `1 / log2`, as a sum; empty when the reduction is exact.
    step: &'c [f64],
    /// `base^r = 1 + r q(r)` for `0 ≤ r < step`.
    polynomial: &'c [f64],
    /// From here on the result is infinite (within one unit of the exponent).
    high: f64,
    /// Below this the result is zero when denormals are flushed.
    low: f64,
    /// Below this the result is zero when they are kept.
    low_denormal: f64,
}

/// `base^x`. The argument is limited so that the exponent of `2^n` fits in its field: there `2^128` is
/// infinite and `2^-127` is zero, which gives overflow and underflow without a test. NaN runs through.
fn exponential<'a>(x: Expr<'a>, base: &Base<'_>) -> Expr<'a> {
    let flush = x.body.flush;
    let x = x.at_most(base.high).at_least(if flush { base.low } else { base.low_denormal });
    let n = if base.log2 == 1.0 { x } else { x * base.log2 }.floor();
    let r = if base.step.is_empty() { x - n } else { base.step.iter().fold(x, |r, part| n.fma(-part, r)) };
    let p = r.polynomial(base.polynomial).fma(r, 1.0);
    if flush {
        let two_to_n = ((n + TO_EXPONENT).to_bits() << 23).as_float(&Type::FLOAT);
        p * two_to_n
    } else {
        // In two factors, so that a denormal result is rounded once, by the last product.
        let n = (n + TO_EXPONENT).to_bits() - i64::from((TO_EXPONENT as f32).to_bits()) + 127;
        let half = (n - 127).ashr(1);
        let two_to_half = ((half + 127) << 23).as_float(&Type::FLOAT);
        let two_to_rest = ((n - half) << 23).as_float(&Type::FLOAT);
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
    Base { log2: c::LOG2_E[0], step: &c::LN2, polynomial, high: 89.0, low: -87.5, low_denormal: -104.5 }
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
    Base { log2: 1.0, step: &[], polynomial, high: 128.0, low: -127.0, low_denormal: -151.0 }
}

/// `10^x`.
pub(crate) fn exp10<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let base = Base {
        log2: 1.0 / (c::LOG10_2[0] + c::LOG10_2[1]),
        step: &c::LOG10_2,
        polynomial: &c::EXP10,
        high: 38.6,
        low: -38.0,
        low_denormal: -45.4,
    };
    exponential(args[0], &base)
}

/// `tanh x = −e / (e + 2)` for `x > 0` with `e = exp(−2 x) − 1`, which keeps its relative accuracy for
/// small `x`.
pub(crate) fn tanh<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    // Beyond 9.1 the result rounds to 1.
    let y = x.fabs().at_most(10.0) * -2.0;
    let shifted = y.fma(c::LOG2_E[0], TO_EXPONENT);
    let n = shifted - TO_EXPONENT;
    let r = c::LN2.iter().fold(y, |r, part| n.fma(-part, r));
    let q = r.polynomial(&c::EXPM1).fma(r * r, r);
    let two_to_n = (shifted.to_bits() << 23).as_float(&Type::FLOAT);
    let e = q.fma(two_to_n, two_to_n - 1.0);
    (e / (e + 2.0)).copysign(x)
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
