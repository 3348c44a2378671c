//! Trigonometric functions.
//!
//! Sine and cosine take off multiples of π/2 and evaluate both polynomials, then choose: a kernel that asks
//! for both of one angle (rotary embeddings) pays for reduction and polynomials once, because everything up
//! to the choice is the same code. Large arguments are done in a block of their own, in double.

use mw_air::{CastOp, Type};

use super::coefficients as c;
use crate::expr::{Expr, select};

/// `1.5 · 2²³`: adding it rounds to an integer, which then stands in the low bits.
const ROUND: f64 = 12_582_912.0;
/// `1.5 · 2⁵²`: the same for double.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;
/// Up to here three pieces of π/2 in f32 are exact enough.
const FAST_LIMIT: f64 = 131_072.0;

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

/// `sin r`, `cos r` and the number of the quadrant (in the two lowest bits) for `|x|` below the limit.
struct Quadrant<'a> {
    r: Expr<'a>,
    /// `r²`.
    s: Expr<'a>,
    sin: Expr<'a>,
    cos: Expr<'a>,
    number: Expr<'a>,
}

impl<'a> Quadrant<'a> {
    fn of(x: Expr<'a>) -> Self {
        let shifted = x.fma(std::f64::consts::FRAC_2_PI, ROUND);
        let n = shifted - ROUND;
        let r = c::HALF_PI.iter().fold(x, |r, part| n.fma(-part, r));
        let s = r * r;
        Self {
            r,
            s,
            sin: (r * s).fma(s.polynomial(&c::SIN), r),
            cos: s.polynomial(&c::COS).fma(s, 1.0),
            number: shifted.to_bits(),
        }
    }
}

/// Whether the quadrant swaps sine and cosine.
fn is_turned(quadrant: Expr<'_>) -> Expr<'_> {
    (quadrant & 1).ne(0)
}

/// Flips the sign of `value` in quadrants 2 and 3.
fn with_sign_of<'a>(value: Expr<'a>, quadrant: Expr<'a>) -> Expr<'a> {
    alternate(value, quadrant.lshr(1))
}

/// Flips the sign of `value` when the lowest bit of `n` is set.
fn alternate<'a>(value: Expr<'a>, n: Expr<'a>) -> Expr<'a> {
    (value.to_bits() ^ (n << 31)).as_float(&Type::FLOAT)
}

/// `sin x` for `|x|` below the limit.
fn small_sin(x: Expr<'_>) -> Expr<'_> {
    let q = Quadrant::of(x);
    // The sum loses the sign of a zero; there, and wherever r² underflows, sin r = r.
    let sin = select(q.s.eq(0.0), q.r, q.sin);
    with_sign_of(select(is_turned(q.number), q.cos, sin), q.number)
}

/// `cos x` for `|x|` below the limit: in quadrant `n` what the sine is in quadrant `n + 1`.
fn small_cos(x: Expr<'_>) -> Expr<'_> {
    let q = Quadrant::of(x);
    with_sign_of(select(is_turned(q.number), q.sin, q.cos), q.number + 1)
}

/// `sin x` and `cos x` from the limit on; NaN for infinities and NaN.
fn large_sin_cos(x: Expr<'_>) -> [Expr<'_>; 2] {
    let (n, r) = nearest_multiple(turns(x), 1);
    let number = n.to_int(&Type::I32, false);
    let (sin, cos) = sin_cos_f64(r);
    let (sin, cos, turned) = (sin.to_f32(), cos.to_f32(), is_turned(number));
    let of_magnitude = with_sign_of(select(turned, cos, sin), number);
    [
        if_finite(x, of_magnitude.negated_with(x)),
        if_finite(x, with_sign_of(select(turned, sin, cos), number + 1)),
    ]
}

/// Whether the rare way must be taken; NaN takes it too.
fn is_large(x: Expr<'_>) -> Expr<'_> {
    x.fabs().not_lt(FAST_LIMIT)
}

/// `sin x`.
pub(crate) fn sin<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    x.body.branch(is_large(x), &[small_sin(x)], || vec![large_sin_cos(x)[0]])[0]
}

/// `cos x`.
pub(crate) fn cos<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    x.body.branch(is_large(x), &[small_cos(x)], || vec![large_sin_cos(x)[1]])[0]
}

/// `sin x`; `cos x` is stored.
pub(crate) fn sincos<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let both = x.body.branch(is_large(x), &[small_sin(x), small_cos(x)], || large_sin_cos(x).into());
    args[1].store(both[1]);
    both[0]
}

/// `tan x`, by sine and cosine in double.
pub(crate) fn tan<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let wide = x.to_f64();
    let shifted = wide.fma(std::f64::consts::FRAC_2_PI, ROUND_F64);
    let n = shifted - ROUND_F64;
    let r = c::HALF_PI_F64.iter().fold(wide, |r, part| n.fma(-part, r));
    let reduced = x.body.branch(is_large(x), &[r, shifted.to_bits()], || {
        let (n, rest) = nearest_multiple(turns(x), 1);
        vec![if_finite(x, rest.negated_with(wide)), n]
    });
    tan_of_quadrant(reduced[0], (reduced[1] & 1).ne(0)).to_f32()
}

/// Sine and cosine for `|r| ≤ π/4` in double.
fn sin_cos_f64(r: Expr<'_>) -> (Expr<'_>, Expr<'_>) {
    let s = r * r;
    let sin = (r * s).fma(s.polynomial(&c::SIN_F64), r);
    // As in f32: the sum loses the sign of a zero.
    (select(r.eq(0.0), r, sin), s.polynomial(&c::COS_F64).fma(s, 1.0))
}

/// `tan r`, or `−1 / tan r` where `turned`, for `|r| ≤ π/4` in double.
fn tan_of_quadrant<'a>(r: Expr<'a>, turned: Expr<'a>) -> Expr<'a> {
    let (sin, cos) = sin_cos_f64(r);
    select(turned, -cos, sin) / select(turned, sin, cos)
}

/// The nearest multiple of ½ to `x`, and `π` times what is left, in double.
fn half_turns(x: Expr<'_>) -> (Expr<'_>, Expr<'_>) {
    // From 2²³ on every float is an integer; the limit keeps 2 x finite.
    let nearest = (x.at_most(1e30).at_least(-1e30) * 2.0).roundeven() * 0.5;
    let nearest = select(x.fabs().ge(8_388_608.0), x, nearest);
    (nearest, (x - nearest).to_f64() * std::f64::consts::PI)
}

/// Whether a float that is a multiple of 1 is odd; as the lowest bit of an i32.
fn is_odd(n: Expr<'_>) -> Expr<'_> {
    let half = n * 0.5;
    half.floor().ne(half).to_int(&Type::I32, false)
}

/// `sin(π x)`, ±0 with the sign of `x` at integers.
pub(crate) fn sinpi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let (nearest, r) = half_turns(x);
    let (sin, cos) = sin_cos_f64(r);
    let whole = nearest.floor();
    let turned = whole.ne(nearest);
    let result = alternate(select(turned, cos, sin).to_f32(), is_odd(whole));
    let zero = nearest.eq(x) & !turned & x.fabs().lt(f64::INFINITY);
    select(zero, x.body.f32(0.0).copysign(x), result)
}

/// `cos(π x)`, +0 half-way between integers.
pub(crate) fn cospi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let (nearest, r) = half_turns(x);
    let (sin, cos) = sin_cos_f64(r);
    let whole = nearest.floor();
    let turned = whole.ne(nearest);
    let result = alternate(select(turned, -sin, cos).to_f32(), is_odd(whole));
    select(nearest.eq(x) & turned, x.body.f32(0.0), result)
}

/// `tan(π x)`: ±0 at integers, ±∞ half-way between them, with the signs of C.
pub(crate) fn tanpi<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let (nearest, r) = half_turns(x);
    let whole = nearest.floor();
    let turned = whole.ne(nearest);
    let result = tan_of_quadrant(r, turned).to_f32();
    // At a multiple of ½ the sign alternates: + at even multiples of 1 for x > 0, − at odd ones.
    let zero = alternate(x.body.f32(0.0).copysign(x), is_odd(whole));
    let pole = alternate(x.body.f32(f64::INFINITY), is_odd(whole));
    select(nearest.eq(x) & x.fabs().lt(f64::INFINITY), select(turned, pole, zero), result)
}

/// What `asin` and `acos` share: `asin |x|` for `|x| ≤ ½`, else `asin √((1 − |x|) / 2)`; and which it is.
fn asin_core(a: Expr<'_>) -> (Expr<'_>, Expr<'_>) {
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
    let (a, b) = (y.fabs().at_most(1e100), x.fabs().at_most(1e100));
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
    // Not with t s as a factor: after an infinite x that would be a denormal.
    let angle = t.fma(s * s.polynomial(&c::ATAN_F64), t) + offset;
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

impl Expr<'_> {
    /// `self`, negated where `sign` is negative.
    fn negated_with(self, sign: Self) -> Self {
        select(sign.lt(0.0), -self, self)
    }
}
