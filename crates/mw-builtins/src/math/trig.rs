//! Trigonometric functions.
//!
//! Sine and cosine take off multiples of π, not of π/2: one odd polynomial over half a period serves both,
//! without a choice between two.

use mw_air::{CastOp, Type};

use super::coefficients as c;
use crate::expr::{Expr, select};

/// `1.5 · 2²³`: adding it rounds to an integer, which then stands in the low bits.
const ROUND: f64 = 12_582_912.0;
/// Up to here three pieces of π in f32 are exact enough.
const FAST_LIMIT: f64 = 131_072.0;

/// `sin r` for `|r|` up to a little over π/2.
fn sin_polynomial(r: Expr<'_>) -> Expr<'_> {
    let s = r * r;
    let sum = (r * s).fma(s.polynomial(&c::SIN), r);
    // The sum loses the sign of a zero; there, and wherever r² underflows, sin r = r.
    select(s.eq(0.0), r, sum)
}

/// `x − n π`, given `n` as a float.
fn subtract_pi<'a>(x: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    c::PI.iter().fold(x, |r, part| n.fma(-part, r))
}

/// `x / π` modulo 2 for a finite `|x| ≥ 2¹⁷`, as an unsigned 64-bit number with 63 fractional bits.
///
/// The binary digits of 1/π that stand more than one place above the unit of `x` give multiples of 2 and are
/// left out; the next 96 leave an error below 2⁻⁷⁰ (Payne and Hanek).
fn turns(x: Expr<'_>) -> Expr<'_> {
    let body = x.body;
    let bits = x.to_bits();
    let exponent = bits.lshr(23) & 0xff;
    let mantissa = ((bits & 0x007f_ffff) | 0x0080_0000).to_int(&Type::I64, false);
    // x = mantissa · 2^(exponent − 150); digit 0 of the table has the weight 2³¹.
    let first = exponent - (150 - 31);
    let word = first.lshr(5);
    let shift = first & 31;
    let digits = |offset: usize| {
        (1..5).fold(body.int(&Type::I32, c::INVERSE_PI_BITS[offset]), |digits, index| {
            let candidate = body.int(&Type::I32, c::INVERSE_PI_BITS[index + offset]);
            select(word.eq(index as i64), candidate, digits)
        })
    };
    let words = [digits(0), digits(1), digits(2), digits(3)];
    let window =
        |index: usize| words[index].intrinsic("fshl", &[words[index + 1], shift]).to_int(&Type::I64, false);
    let high = (mantissa * window(0)) << 32;
    high + mantissa * window(1) + (mantissa * window(2)).lshr(32)
}

/// Splits turns into the nearest multiple of `π / 2^halvings` and the rest in radians, a double.
fn nearest_multiple(turns: Expr<'_>, halvings: i64) -> (Expr<'_>, Expr<'_>) {
    let unit = 63 - halvings;
    let n = (turns + (1i64 << (unit - 1))).lshr(unit);
    let rest = (turns - (n << unit)).cast(CastOp::SiToFp, &Type::DOUBLE);
    (n, rest * (std::f64::consts::PI / 9_223_372_036_854_775_808.0))
}

/// NaN for an infinite or NaN `x`, `value` for others.
fn if_finite<'a>(x: Expr<'a>, value: Expr<'a>) -> Expr<'a> {
    select(x.fabs().lt(f64::INFINITY), value, x.body.nan(&value.ty()))
}

/// `x − n π` and `n` in the lowest bit of an i32.
fn reduce_sin(x: Expr<'_>) -> [Expr<'_>; 2] {
    let body = x.body;
    let shifted = x.fma(std::f64::consts::FRAC_1_PI, ROUND);
    let common = [subtract_pi(x, shifted - ROUND), shifted.to_bits()];
    let reduced = body.branch(x.fabs().not_lt(FAST_LIMIT), &common, || {
        let (n, rest) = nearest_multiple(turns(x), 0);
        vec![if_finite(x, rest.to_f32().copysign_times(x)), n.to_int(&Type::I32, false)]
    });
    [reduced[0], reduced[1]]
}

/// `x − (n + ½) π` and `n + 1` in the lowest bit of an i32.
fn reduce_cos(x: Expr<'_>) -> [Expr<'_>; 2] {
    let body = x.body;
    // |x|/π + ½ rounds to n + 1.
    let a = x.fabs();
    let shifted = a.fma(std::f64::consts::FRAC_1_PI, 0.5) + ROUND;
    let common = [subtract_pi(a, (shifted - ROUND) - 0.5), shifted.to_bits()];
    let reduced = body.branch(a.not_lt(FAST_LIMIT), &common, || {
        let (n, rest) = nearest_multiple(turns(x) + (1i64 << 62), 0);
        vec![if_finite(x, rest.to_f32()), n.to_int(&Type::I32, false)]
    });
    [reduced[0], reduced[1]]
}

/// Flips the sign of `value` when the lowest bit of `n` is set.
fn alternate<'a>(value: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    (value.to_bits() ^ (n << 31)).as_float(&Type::FLOAT)
}

/// `sin x`.
pub(crate) fn sin<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let [r, n] = reduce_sin(args[0]);
    alternate(sin_polynomial(r), n)
}

/// `cos x = −(−1)ⁿ sin(x − (n + ½) π)`.
pub(crate) fn cos<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let [r, n] = reduce_cos(args[0]);
    let s = r * r;
    alternate((r * s).fma(s.polynomial(&c::SIN), r), n)
}

/// `sin x`; `cos x` is stored.
pub(crate) fn sincos<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    args[1].store(cos(args));
    sin(args)
}

/// `tan x`, by sine and cosine in double.
pub(crate) fn tan<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let wide = x.to_f64();
    let n = (wide * std::f64::consts::FRAC_2_PI).roundeven();
    let r = c::HALF_PI_F64.iter().fold(wide, |r, part| n.fma(-part, r));
    // The integer and its low bits: 1.5 · 2⁵².
    let n = (n + 6_755_399_441_055_744.0).to_bits();
    let reduced = x.body.branch(x.fabs().not_lt(FAST_LIMIT), &[r, n], || {
        let (n, rest) = nearest_multiple(turns(x), 1);
        vec![if_finite(x, rest.copysign_times(wide)), n]
    });
    tan_of_quadrant(reduced[0], (reduced[1] & 1).ne(0)).to_f32()
}

/// `tan r`, or `−1 / tan r` where `turned`, for `|r| ≤ π/4` in double.
fn tan_of_quadrant<'a>(r: Expr<'a>, turned: Expr<'a>) -> Expr<'a> {
    let s = r * r;
    let sin = select(s.lt(1e-30), r, (r * s).fma(s.polynomial(&c::SIN_F64), r));
    let cos = s.polynomial(&c::COS_F64).fma(s, 1.0);
    select(turned, -cos, sin) / select(turned, sin, cos)
}

/// `sin(π r)` for `|r| ≤ ½`.
fn sinpi_polynomial(r: Expr<'_>) -> Expr<'_> {
    let s = r * r;
    let low = s.polynomial(&c::SINPI).fma(s, c::PI[1]);
    r.fma(c::PI[0], r * low)
}

/// Whether a float, known to be an integer, is odd; as the lowest bit of an i32.
fn is_odd(n: Expr<'_>) -> Expr<'_> {
    let half = n * 0.5;
    half.floor().ne(half).to_int(&Type::I32, false)
}

/// `sin(π x)`, ±0 with the sign of `x` at integers.
pub(crate) fn sinpi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let n = x.roundeven();
    let r = x - n;
    let result = alternate(sinpi_polynomial(r), is_odd(n));
    select(r.eq(0.0), x.body.f32(0.0).copysign(x), result)
}

/// `cos(π x)`, +0 half-way between integers.
pub(crate) fn cospi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let n = x.roundeven();
    // cos(π r) = sin(π (½ − |r|)): the difference is exact where the result is small.
    let r = x.body.f32(0.5) - (x - n).fabs();
    let result = alternate(sinpi_polynomial(r), is_odd(n));
    select(r.eq(0.0), x.body.f32(0.0), result)
}

/// `tan(π x)`: ±0 at integers, ±∞ half-way between them, with the signs of C.
pub(crate) fn tanpi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let n = (x * 2.0).roundeven();
    // Beyond 2²³ everything is an integer, and 2 x may overflow.
    let n = select(x.fabs().ge(8_388_608.0), x * 2.0, n);
    let half_n = select(x.fabs().ge(8_388_608.0), x, n * 0.5);
    let r = x - half_n;
    let turned = half_n.floor().ne(half_n);
    let result = tan_of_quadrant(r.to_f64() * std::f64::consts::PI, turned).to_f32();
    // At a multiple of ½ the sign alternates: + at even multiples of 1 for x > 0, − at odd ones.
    let whole = half_n.floor();
    let zero = alternate(x.body.f32(0.0).copysign(x), is_odd(whole));
    let pole = alternate(x.body.f32(f64::INFINITY), is_odd(whole));
    let special = select(turned, pole, zero);
    select(r.eq(0.0), special, result)
}

/// What `asin` and `acos` share: `asin |x|` for `|x| ≤ ½`, else `asin √((1 − |x|) / 2)`; and which it is.
fn asin_core<'a>(a: Expr<'a>) -> (Expr<'a>, Expr<'a>) {
    let large = a.gt(0.5);
    let z = select(large, (a.body.float(&Type::DOUBLE, 1.0) - a) * 0.5, a * a);
    let w = select(large, z.sqrt(), a);
    ((w * z).fma(z.polynomial(&c::ASIN_F64), w), large)
}

fn asin_f64(x: Expr<'_>) -> Expr<'_> {
    let (p, large) = asin_core(x.fabs());
    select(large, p.fma(-2.0, std::f64::consts::FRAC_PI_2), p).copysign(x)
}

fn acos_f64(x: Expr<'_>) -> Expr<'_> {
    let (p, large) = asin_core(x.fabs());
    let negative = x.lt(0.0);
    let near_one = select(negative, p.fma(-2.0, std::f64::consts::PI), p * 2.0);
    let middle = select(negative, p, -p) + std::f64::consts::FRAC_PI_2;
    select(large, near_one, middle)
}

/// The angle of the point (x, y), in double.
fn atan2_f64<'a>(y: Expr<'a>, x: Expr<'a>) -> Expr<'a> {
    const TAN_PI_8: f64 = std::f64::consts::SQRT_2 - 1.0;
    // Infinities become numbers far beyond any float, so that ∞ / ∞ is 1.
    let (a, b) = (y.fabs().at_most(1e200), x.fabs().at_most(1e200));
    let flat = a.le(b * TAN_PI_8);
    let steep = a.gt(b * (1.0 / TAN_PI_8));
    // atan(a / b) = offset + atan(numerator / denominator), the fraction within ± tan(π/8).
    let numerator = select(flat, a, select(steep, -b, a - b));
    let denominator = select(flat, b, select(steep, a, a + b));
    let offset =
        select(steep, x.body.float(&Type::DOUBLE, std::f64::consts::FRAC_PI_2), std::f64::consts::FRAC_PI_4);
    let offset = select(flat, x.body.float(&Type::DOUBLE, 0.0), offset);
    let denominator = select(denominator.eq(0.0), x.body.float(&Type::DOUBLE, 1.0), denominator);
    let t = numerator / denominator;
    let s = t * t;
    let angle = (t * s).fma(s.polynomial(&c::ATAN_F64), t) + offset;
    let angle = select(x.to_bits().lt(0), x.body.float(&Type::DOUBLE, std::f64::consts::PI) - angle, angle);
    angle.copysign(y)
}

/// `asin x`.
pub(crate) fn asin<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    asin_f64(args[0].to_f64()).to_f32()
}

/// `acos x`.
pub(crate) fn acos<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    acos_f64(args[0].to_f64()).to_f32()
}

/// `atan x`.
pub(crate) fn atan<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let one = args[0].body.float(&Type::DOUBLE, 1.0);
    atan2_f64(args[0].to_f64(), one).to_f32()
}

/// `atan2(y, x)`.
pub(crate) fn atan2<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    atan2_f64(args[0].to_f64(), args[1].to_f64()).to_f32()
}

/// `asin(x) / π`.
pub(crate) fn asinpi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    (asin_f64(args[0].to_f64()) * std::f64::consts::FRAC_1_PI).to_f32()
}

/// `acos(x) / π`.
pub(crate) fn acospi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    (acos_f64(args[0].to_f64()) * std::f64::consts::FRAC_1_PI).to_f32()
}

/// `atan(x) / π`.
pub(crate) fn atanpi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let one = args[0].body.float(&Type::DOUBLE, 1.0);
    (atan2_f64(args[0].to_f64(), one) * std::f64::consts::FRAC_1_PI).to_f32()
}

/// `atan2(y, x) / π`.
pub(crate) fn atan2pi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    (atan2_f64(args[0].to_f64(), args[1].to_f64()) * std::f64::consts::FRAC_1_PI).to_f32()
}

impl<'a> Expr<'a> {
    /// `self`, negated where `sign` is negative.
    fn copysign_times(self, sign: Self) -> Self {
        select(sign.lt(0.0), -self, self)
    }
}
