//! What the functions that work component by component should give.

use half::f16;
use mw_msl::types::Scalar;

/// A function of floats, computed in double precision.
pub(crate) struct FloatReference {
    pub(crate) name: &'static str,
    pub(crate) compute: fn(&[f64]) -> f64,
    /// Steps of the format that a result may be away.
    pub(crate) tolerance: u64,
    /// Which arguments the specification defines.
    pub(crate) admits: fn(&[f64]) -> bool,
}

fn all(_: &[f64]) -> bool {
    true
}

fn finite(x: &[f64]) -> bool {
    x.iter().all(|x| x.is_finite())
}

fn numbers(x: &[f64]) -> bool {
    x.iter().all(|x| !x.is_nan())
}

/// Angles for which the reduction stays easy.
fn moderate(x: &[f64]) -> bool {
    x.iter().all(|x| x.abs() <= 128.0)
}

fn increasing_bounds(x: &[f64]) -> bool {
    numbers(x) && x[1] <= x[2]
}

fn increasing_edges(x: &[f64]) -> bool {
    finite(x) && x[0] < x[1]
}

/// `powr` is for numbers that are not negative.
fn positive(x: &[f64]) -> bool {
    finite(x) && x[0] > 0.0
}

const fn float(
    name: &'static str,
    tolerance: u64,
    admits: fn(&[f64]) -> bool,
    compute: fn(&[f64]) -> f64,
) -> FloatReference {
    FloatReference { name, compute, tolerance, admits }
}

fn fmin(x: f64, y: f64) -> f64 {
    x.min(y)
}

fn fmax(x: f64, y: f64) -> f64 {
    x.max(y)
}

fn median(x: &[f64]) -> f64 {
    fmax(fmin(x[0], x[1]), fmin(fmax(x[0], x[1]), x[2]))
}

fn pi(x: f64) -> f64 {
    // The reduction of half turns is exact.
    (x % 2.0) * std::f64::consts::PI
}

/// Every function that works component by component on floats and gives a float.
pub(crate) const FLOATS: &[FloatReference] = &[
    float("acos", 4, all, |x| x[0].acos()),
    float("acosh", 4, all, |x| x[0].acosh()),
    float("asin", 4, all, |x| x[0].asin()),
    float("asinh", 4, all, |x| x[0].asinh()),
    float("atan", 5, all, |x| x[0].atan()),
    float("atan2", 6, all, |x| x[0].atan2(x[1])),
    float("atanh", 5, all, |x| x[0].atanh()),
    float("ceil", 0, all, |x| x[0].ceil()),
    float("copysign", 0, numbers, |x| x[0].copysign(x[1])),
    float("cos", 4, moderate, |x| x[0].cos()),
    float("cosh", 4, all, |x| x[0].cosh()),
    float("cospi", 4, moderate, |x| if (x[0] - 0.5) % 1.0 == 0.0 { 0.0 } else { pi(x[0]).cos() }),
    float("divide", 1, all, |x| x[0] / x[1]),
    float("exp", 4, all, |x| x[0].exp()),
    float("exp10", 4, all, |x| 10_f64.powf(x[0])),
    float("exp2", 4, all, |x| x[0].exp2()),
    float("fabs", 0, all, |x| x[0].abs()),
    float("abs", 0, all, |x| x[0].abs()),
    float("fdim", 0, all, |x| if x[0] <= x[1] { 0.0 } else { x[0] - x[1] }),
    float("floor", 0, all, |x| x[0].floor()),
    float("fma", 0, all, |x| x[0].mul_add(x[1], x[2])),
    float("fmax", 0, all, |x| fmax(x[0], x[1])),
    float("fmax3", 0, all, |x| fmax(fmax(x[0], x[1]), x[2])),
    float("fmedian3", 0, numbers, median),
    float("fmin", 0, all, |x| fmin(x[0], x[1])),
    float("fmin3", 0, all, |x| fmin(fmin(x[0], x[1]), x[2])),
    float("fmod", 0, all, |x| x[0] % x[1]),
    float("fract", 0, finite, |x| x[0] - x[0].floor()),
    float("log", 4, all, |x| x[0].ln()),
    float("log10", 4, all, |x| x[0].log10()),
    float("log2", 4, all, |x| x[0].log2()),
    float("max", 0, all, |x| fmax(x[0], x[1])),
    float("max3", 0, all, |x| fmax(fmax(x[0], x[1]), x[2])),
    float("median3", 0, numbers, median),
    float("min", 0, all, |x| fmin(x[0], x[1])),
    float("min3", 0, all, |x| fmin(fmin(x[0], x[1]), x[2])),
    float("pow", 16, all, |x| x[0].powf(x[1])),
    float("powr", 16, positive, |x| x[0].powf(x[1])),
    float("rint", 0, all, |x| x[0].round_ties_even()),
    float("round", 0, all, |x| x[0].round()),
    float("rsqrt", 2, all, |x| 1.0 / x[0].sqrt()),
    float("sin", 4, moderate, |x| x[0].sin()),
    float("sinh", 4, all, |x| x[0].sinh()),
    float("sinpi", 4, moderate, |x| if x[0] % 1.0 == 0.0 { 0.0 } else { pi(x[0]).sin() }),
    float("sqrt", 1, all, |x| x[0].sqrt()),
    float("tan", 6, moderate, |x| x[0].tan()),
    float("tanh", 5, all, |x| x[0].tanh()),
    float(
        "tanpi",
        6,
        |x| moderate(x) && (x[0] - 0.5) % 1.0 != 0.0,
        |x| {
            if x[0] % 1.0 == 0.0 { 0.0 } else { pi(x[0]).tan() }
        },
    ),
    float("trunc", 0, all, |x| x[0].trunc()),
    float("clamp", 0, increasing_bounds, |x| fmin(fmax(x[0], x[1]), x[2])),
    // Cancellation: two roundings of the format.
    float("mix", u64::MAX, finite, |x| x[0] + (x[1] - x[0]) * x[2]),
    float("saturate", 0, all, |x| if x[0].is_nan() { 0.0 } else { x[0].clamp(0.0, 1.0) }),
    float("sign", 0, all, |x| {
        if x[0] > 0.0 {
            1.0
        } else if x[0] < 0.0 {
            -1.0
        } else {
            0.0
        }
    }),
    float("smoothstep", 6, increasing_edges, |x| {
        let t = ((x[2] - x[0]) / (x[1] - x[0])).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }),
    float("step", 0, numbers, |x| if x[1] < x[0] { 0.0 } else { 1.0 }),
];

/// The next number of a format towards another one.
pub(crate) fn next_after(scalar: Scalar, x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x == y {
        return y;
    }
    let away = (y > x) == (x > 0.0);
    if scalar == Scalar::Half {
        let bits = f16::from_f64(x).to_bits();
        return f16::from_bits(if x == 0.0 {
            1 | if y < 0.0 { 0x8000 } else { 0 }
        } else if away {
            bits + 1
        } else {
            bits - 1
        })
        .to_f64();
    }
    let bits = (x as f32).to_bits();
    f64::from(f32::from_bits(if x == 0.0 {
        1 | if y < 0.0 { 0x8000_0000 } else { 0 }
    } else if away {
        bits + 1
    } else {
        bits - 1
    }))
}

/// An integer function: arguments, bits of the type, whether it is signed.
pub(crate) type IntFunction = fn(&[i128], u32, bool) -> i128;

fn range(bits: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn saturated(value: i128, bits: u32, signed: bool) -> i128 {
    let (low, high) = range(bits, signed);
    value.clamp(low, high)
}

fn pattern(value: i128, bits: u32) -> u128 {
    value.cast_unsigned() & ((1 << bits) - 1)
}

fn low24(x: i128, signed: bool) -> i128 {
    let low = x & 0xff_ffff;
    if signed && low & 0x80_0000 != 0 { low - 0x100_0000 } else { low }
}

/// Upper half of a product; only the unsigned one may need all 128 bits.
fn high(x: i128, y: i128, bits: u32) -> i128 {
    match x.checked_mul(y) {
        Some(product) => product >> bits,
        None => (x.cast_unsigned().wrapping_mul(y.cast_unsigned()) >> bits).cast_signed(),
    }
}

fn sorted(x: &[i128]) -> Vec<i128> {
    let mut x = x[..3].to_vec();
    x.sort_unstable();
    x
}

/// Every function that works component by component on integers. Results are compared in the width of the
/// result type, so that they may wrap.
pub(crate) const INTEGERS: &[(&str, IntFunction)] = &[
    ("abs", |x, _, _| x[0].abs()),
    ("absdiff", |x, _, _| (x[0] - x[1]).abs()),
    ("addsat", |x, bits, signed| saturated(x[0] + x[1], bits, signed)),
    ("subsat", |x, bits, signed| saturated(x[0] - x[1], bits, signed)),
    ("clamp", |x, _, _| x[0].max(x[1]).min(x[2])),
    ("clz", |x, bits, _| i128::from(pattern(x[0], bits).leading_zeros() - (128 - bits))),
    ("ctz", |x, bits, _| i128::from(pattern(x[0], bits).trailing_zeros().min(bits))),
    ("extract_bits", |x, bits, signed| {
        let count = x[2] as u32;
        if count == 0 {
            return 0;
        }
        let field = (pattern(x[0], bits) >> x[1]) & ((1 << count) - 1);
        if signed && field >> (count - 1) & 1 == 1 {
            field.cast_signed() - (1 << count)
        } else {
            field.cast_signed()
        }
    }),
    ("insert_bits", |x, bits, _| {
        let mask = ((1_u128 << x[3]) - 1) << x[2];
        ((pattern(x[0], bits) & !mask) | ((pattern(x[1], bits) << x[2]) & mask)).cast_signed()
    }),
    ("hadd", |x, _, _| (x[0] + x[1]) >> 1),
    ("rhadd", |x, _, _| (x[0] + x[1] + 1) >> 1),
    ("mad24", |x, _, signed| low24(x[0], signed) * low24(x[1], signed) + x[2]),
    ("mul24", |x, _, signed| low24(x[0], signed) * low24(x[1], signed)),
    ("madhi", |x, bits, _| high(x[0], x[1], bits) + x[2]),
    // A product that i128 cannot hold is beyond every range.
    ("madsat", |x, bits, signed| match x[0].checked_mul(x[1]) {
        Some(product) => saturated(product + x[2], bits, signed),
        None => range(bits, signed).1,
    }),
    ("max", |x, _, _| x[0].max(x[1])),
    ("max3", |x, _, _| sorted(x)[2]),
    ("median3", |x, _, _| sorted(x)[1]),
    ("min", |x, _, _| x[0].min(x[1])),
    ("min3", |x, _, _| sorted(x)[0]),
    ("mulhi", |x, bits, _| high(x[0], x[1], bits)),
    ("popcount", |x, bits, _| i128::from(pattern(x[0], bits).count_ones())),
    ("reverse_bits", |x, bits, _| (pattern(x[0], bits).reverse_bits() >> (128 - bits)).cast_signed()),
    ("rotate", |x, bits, _| {
        let by = pattern(x[1], bits) as u32 % bits;
        let value = pattern(x[0], bits);
        (if by == 0 { value } else { value << by | value >> (bits - by) }).cast_signed()
    }),
    ("__builtin_clz", |x, bits, _| i128::from(pattern(x[0], bits).leading_zeros() - (128 - bits))),
    ("__builtin_clzl", |x, bits, _| i128::from(pattern(x[0], bits).leading_zeros() - (128 - bits))),
    ("__builtin_clzll", |x, bits, _| i128::from(pattern(x[0], bits).leading_zeros() - (128 - bits))),
    ("__builtin_ctz", |x, bits, _| i128::from(pattern(x[0], bits).trailing_zeros().min(bits))),
    ("__builtin_ctzl", |x, bits, _| i128::from(pattern(x[0], bits).trailing_zeros().min(bits))),
    ("__builtin_ctzll", |x, bits, _| i128::from(pattern(x[0], bits).trailing_zeros().min(bits))),
    ("__builtin_popcount", |x, bits, _| i128::from(pattern(x[0], bits).count_ones())),
    ("__builtin_popcountl", |x, bits, _| i128::from(pattern(x[0], bits).count_ones())),
    ("__builtin_popcountll", |x, bits, _| i128::from(pattern(x[0], bits).count_ones())),
];

/// A test of floats: format and arguments.
pub(crate) type Test = fn(Scalar, &[f64]) -> bool;

/// Tests of floats, which give a bool: name, answer from the format and the arguments.
pub(crate) const TESTS: &[(&str, Test)] = &[
    ("isfinite", |_, x| x[0].is_finite()),
    ("isinf", |_, x| x[0].is_infinite()),
    ("isnan", |_, x| x[0].is_nan()),
    ("isnormal", |scalar, x| {
        let least = if scalar == Scalar::Half { 6.103_515_625e-5 } else { f64::from(f32::MIN_POSITIVE) };
        x[0].is_finite() && x[0].abs() >= least
    }),
    ("isordered", |_, x| !x[0].is_nan() && !x[1].is_nan()),
    ("isunordered", |_, x| x[0].is_nan() || x[1].is_nan()),
    ("signbit", |_, x| x[0].is_sign_negative()),
];
