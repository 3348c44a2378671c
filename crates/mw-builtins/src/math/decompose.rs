//! Functions on exponent and fraction: `ldexp`, `frexp`, `ilogb`, `modf`, `fmod`, `nextafter`.

use mw_air::{Scalar, Type};

use crate::expr::{Expr, select};

/// `2^n` in double for `|n| ≤ 1022`, an i64.
fn power_of_two(n: Expr<'_>) -> Expr<'_> {
    ((n + 1023) << 52).as_float(&Type::DOUBLE)
}

/// `x · 2^n` for any `n`, rounded once.
pub(crate) fn ldexp<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let n = args[1].to_int(&Type::I32, true);
    // Any finite x · 2^±400 is ∞ or 0 in f32; the product is exact in double.
    let n = select(n.gt(400), n.body.int(&Type::I32, 400), n);
    let n = select(n.lt(-400), n.body.int(&Type::I32, -400), n);
    (args[0].to_f64() * power_of_two(n.to_int(&Type::I64, true))).to_f32()
}

/// Fraction in ½…1 and exponent, an i32; zeros, infinities and NaN stay and give 0.
pub(crate) fn frexp<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let wide = x.to_f64();
    let bits = wide.to_bits();
    let biased = bits.lshr(52) & 0x7ff;
    let ordinary = wide.fabs().gt(0.0) & wide.fabs().lt(f64::INFINITY);
    let exponent = select(ordinary, (biased - 1022).to_int(&Type::I32, true), 0);
    let fraction = ((bits & !(0x7ff << 52)) | (1022 << 52)).as_float(&Type::DOUBLE);
    args[1].store(exponent);
    select(ordinary, fraction, wide).to_f32()
}

/// Exponent as an i32: the smallest for zero, the largest for infinities and NaN.
pub(crate) fn ilogb<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let wide = args[0].to_f64();
    let body = wide.body;
    let exponent = ((wide.to_bits().lshr(52) & 0x7ff) - 1023).to_int(&Type::I32, true);
    let exponent = select(wide.eq(0.0), body.int(&Type::I32, i64::from(i32::MIN)), exponent);
    select(wide.fabs().lt(f64::INFINITY), exponent, i64::from(i32::MAX))
}

/// Fraction, with the integral part stored; both have the sign of `x`.
pub(crate) fn modf<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let x = args[0];
    let whole = x.trunc();
    args[1].store(whole);
    let fraction = select(x.fabs().eq(f64::INFINITY), x.body.f32(0.0), x - whole);
    fraction.copysign(x)
}

/// Remainder of `x / y` with the sign of `x`, exact for all inputs.
///
/// Each turn of the loop takes off a multiple of `y` that leaves less than 2⁻²⁷ of the rest, or less than
/// `y`: all quotients below 2²⁸ need one turn, the largest of f32 need ten.
pub(crate) fn fmod<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let (x, y) = (args[0].to_f64(), args[1].to_f64());
    let body = x.body;
    let divisor = y.fabs();
    let usable = x.fabs().lt(f64::INFINITY) & divisor.gt(0.0);
    let start = select(usable, x.fabs(), -1.0);
    let exponent_of = |value: Expr<'a>| value.to_bits().lshr(52);
    let rest = body.repeat_while(
        start,
        |rest| rest.ge(divisor),
        |rest| {
            let excess = exponent_of(rest) - exponent_of(divisor) - 27;
            let scaled = divisor * power_of_two(select(excess.gt(0), excess, 0));
            let quotient = (rest / scaled).trunc();
            // Exact: the quotient has 28 bits and the divisor 24. A quotient rounded up leaves less than 0.
            let next = (-quotient).fma(scaled, rest);
            select(next.lt(0.0), next + scaled, next)
        },
    );
    let result = rest.copysign(x);
    select(usable, result, body.nan(&Type::DOUBLE)).to_f32()
}

/// The neighbour of `x` towards `y`, in any format, through denormals: works on bits and flushes nothing.
pub(crate) fn nextafter<'a>(args: &[Expr<'a>]) -> Expr<'a> {
    let (x, y) = (args[0].to_bits(), args[1].to_bits());
    let ty = args[0].ty();
    let body = x.body;
    let top = 1i64 << (x.bits() - 1);
    let infinity: i64 = match ty.scalar() {
        Some(Scalar::Half) => 0x7c00,
        Some(Scalar::BFloat) => 0x7f80,
        _ => 0x7f80_0000,
    };
    let magnitude = |bits: Expr<'a>| bits & !top;
    // Integers in the order of the values, both zeros being 0.
    let order = |bits: Expr<'a>| select(bits.lt(0), -magnitude(bits), bits);
    let (from, to) = (order(x), order(y));
    let next = select(from.lt(to), from + 1, from - 1);
    // A step to zero keeps the sign.
    let next = select(next.lt(0), -next | top, select(next.eq(0), x & top, next));
    let next = select(from.eq(to), y, next);
    let nan = magnitude(x).gt(infinity) | magnitude(y).gt(infinity);
    select(nan, body.nan(&ty).to_bits(), next).as_float(&ty)
}
