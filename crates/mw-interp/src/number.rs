//! Scalar arithmetic on bits: integers of any width up to 64, and the four floating-point formats.
//!
//! Every value is a `u64`: an integer zero-extended, a float by its bits. The rules are those of
//! `mw-air/SEMANTICS.md`: binary32 flushes denormals where the module says so, binary16 computes in
//! binary32 and rounds, bfloat16 computes in binary32 under binary32's rules and rounds, and nothing is
//! undefined: division by zero, shifts past the width and conversions out of range have fixed results.

use mw_air::{FloatPredicate, IntPredicate, Scalar};

/// A floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Half,
    BFloat,
    Float,
    Double,
}

impl Format {
    pub(crate) fn of(scalar: Scalar) -> Option<Self> {
        match scalar {
            Scalar::Half => Some(Self::Half),
            Scalar::BFloat => Some(Self::BFloat),
            Scalar::Float => Some(Self::Float),
            Scalar::Double => Some(Self::Double),
            Scalar::Int(_) | Scalar::Ptr(_) => None,
        }
    }

    /// Bits of one.
    pub(crate) fn one(self) -> u64 {
        self.round(1.0)
    }

    /// Bits of minus zero.
    pub(crate) fn minus_zero(self) -> u64 {
        self.round(-0.0)
    }

    /// Bits of plus or minus infinity.
    pub(crate) fn infinity(self, negative: bool) -> u64 {
        self.round(if negative { f64::NEG_INFINITY } else { f64::INFINITY })
    }

    fn round(self, value: f64) -> u64 {
        match self {
            Self::Half => u64::from(half_from_f64(value)),
            Self::BFloat => u64::from(bfloat_from_f32(value as f32)),
            Self::Float => u64::from((value as f32).to_bits()),
            Self::Double => value.to_bits(),
        }
    }
}

/// All ones below bit `bits`.
#[inline(always)]
pub(crate) fn mask(bits: u8) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The signed value of an integer of `bits` bits.
#[inline(always)]
pub(crate) fn signed(value: u64, bits: u8) -> i64 {
    let shift = 64 - u32::from(bits.clamp(1, 64));
    ((value << shift) as i64) >> shift
}

/// Two-operand integer operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IntOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    UMin,
    UMax,
    SMin,
    SMax,
    UAddSat,
    USubSat,
    SAddSat,
    SSubSat,
}

#[inline(always)]
fn shift_count(count: u64, bits: u8) -> u32 {
    if bits.is_power_of_two() {
        (count & u64::from(bits - 1)) as u32
    } else {
        (count % u64::from(bits.max(1))) as u32
    }
}

/// Smallest and largest signed integer of `bits` bits.
fn signed_limits(bits: u8) -> (i64, i64) {
    let max = (mask(bits) >> 1) as i64;
    (-max - 1, max)
}

#[inline(always)]
pub(crate) fn int2(op: IntOp, bits: u8, x: u64, y: u64) -> u64 {
    let (sx, sy) = (signed(x, bits), signed(y, bits));
    let clamped = |wide: i128| {
        let (min, max) = signed_limits(bits);
        wide.clamp(i128::from(min), i128::from(max)) as u64
    };
    let result = match op {
        IntOp::Add => x.wrapping_add(y),
        IntOp::Sub => x.wrapping_sub(y),
        IntOp::Mul => x.wrapping_mul(y),
        IntOp::UDiv => x.checked_div(y).unwrap_or(0),
        IntOp::URem => x.checked_rem(y).unwrap_or(x),
        IntOp::SDiv => {
            if sy == 0 {
                0
            } else {
                sx.wrapping_div(sy) as u64
            }
        }
        IntOp::SRem => {
            if sy == 0 {
                x
            } else {
                sx.wrapping_rem(sy) as u64
            }
        }
        IntOp::Shl => x << shift_count(y, bits),
        IntOp::LShr => x >> shift_count(y, bits),
        IntOp::AShr => (sx >> shift_count(y, bits)) as u64,
        IntOp::And => x & y,
        IntOp::Or => x | y,
        IntOp::Xor => x ^ y,
        IntOp::UMin => x.min(y),
        IntOp::UMax => x.max(y),
        IntOp::SMin => sx.min(sy) as u64,
        IntOp::SMax => sx.max(sy) as u64,
        IntOp::UAddSat => x.saturating_add(y).min(mask(bits)),
        IntOp::USubSat => x.saturating_sub(y),
        IntOp::SAddSat => clamped(i128::from(sx) + i128::from(sy)),
        IntOp::SSubSat => clamped(i128::from(sx) - i128::from(sy)),
    };
    result & mask(bits)
}

/// One-operand integer operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IntOp1 {
    PopCount,
    LeadingZeros,
    TrailingZeros,
    ReverseBits,
    SwapBytes,
    Abs,
}

#[inline(always)]
pub(crate) fn int1(op: IntOp1, bits: u8, x: u64) -> u64 {
    let unused = 64 - u32::from(bits);
    match op {
        IntOp1::PopCount => u64::from(x.count_ones()) & mask(bits),
        IntOp1::LeadingZeros => u64::from(x.leading_zeros() - unused) & mask(bits),
        IntOp1::TrailingZeros => u64::from(x.trailing_zeros().min(u32::from(bits))) & mask(bits),
        IntOp1::ReverseBits => x.reverse_bits() >> unused,
        IntOp1::SwapBytes => x.swap_bytes() >> unused,
        IntOp1::Abs => (signed(x, bits).wrapping_abs() as u64) & mask(bits),
    }
}

/// `fshl`/`fshr`: a window into `high:low`.
#[inline(always)]
pub(crate) fn funnel(left: bool, bits: u8, high: u64, low: u64, count: u64) -> u64 {
    let count = count % u64::from(bits.max(1));
    let wide = (u128::from(high) << bits) | u128::from(low);
    let shift = if left { u64::from(bits) - count } else { count };
    ((wide >> shift) as u64) & mask(bits)
}

#[inline(always)]
pub(crate) fn int_compare(predicate: IntPredicate, bits: u8, x: u64, y: u64) -> bool {
    match predicate {
        IntPredicate::Eq => x == y,
        IntPredicate::Ne => x != y,
        IntPredicate::Ugt => x > y,
        IntPredicate::Uge => x >= y,
        IntPredicate::Ult => x < y,
        IntPredicate::Ule => x <= y,
        IntPredicate::Sgt => signed(x, bits) > signed(y, bits),
        IntPredicate::Sge => signed(x, bits) >= signed(y, bits),
        IntPredicate::Slt => signed(x, bits) < signed(y, bits),
        IntPredicate::Sle => signed(x, bits) <= signed(y, bits),
    }
}

/// Zero with the sign of `bits` when that is a binary32 denormal and `on` is set.
#[inline(always)]
pub(crate) fn flush(bits: u32, on: bool) -> u32 {
    if on && bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// Operand of binary32 arithmetic.
#[inline(always)]
fn f32_in(bits: u64, flushing: bool) -> f32 {
    f32::from_bits(flush(bits as u32, flushing))
}

/// Result of binary32 arithmetic.
#[inline(always)]
fn f32_out(value: f32, flushing: bool) -> u64 {
    u64::from(flush(value.to_bits(), flushing))
}

/// Two-operand float operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// The smaller, or the other one when one is NaN; −0 is smaller than +0.
    Min,
    /// The greater, or the other one when one is NaN; +0 is greater than −0.
    Max,
}

#[inline(always)]
fn ordered<T: PartialOrd + Copy>(x: T, y: T, x_is_nan: bool, less: bool, tie: T) -> T {
    if x_is_nan || (less && y < x) || (!less && y > x) {
        y
    } else if x == y {
        tie
    } else {
        x
    }
}

#[inline(always)]
fn f32_op(op: FloatOp, x: f32, y: f32) -> f32 {
    match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Rem => x % y,
        FloatOp::Min => {
            let tie = f32::from_bits(x.to_bits() | y.to_bits());
            ordered(x, y, x.is_nan(), true, if x == 0.0 { tie } else { x })
        }
        FloatOp::Max => {
            let tie = f32::from_bits(x.to_bits() & y.to_bits());
            ordered(x, y, x.is_nan(), false, if x == 0.0 { tie } else { x })
        }
    }
}

#[inline(always)]
fn f64_op(op: FloatOp, x: f64, y: f64) -> f64 {
    match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Rem => x % y,
        FloatOp::Min => {
            let tie = f64::from_bits(x.to_bits() | y.to_bits());
            ordered(x, y, x.is_nan(), true, if x == 0.0 { tie } else { x })
        }
        FloatOp::Max => {
            let tie = f64::from_bits(x.to_bits() & y.to_bits());
            ordered(x, y, x.is_nan(), false, if x == 0.0 { tie } else { x })
        }
    }
}

#[inline(always)]
pub(crate) fn float2(op: FloatOp, format: Format, flushing: bool, x: u64, y: u64) -> u64 {
    match format {
        Format::Float => f32_out(f32_op(op, f32_in(x, flushing), f32_in(y, flushing)), flushing),
        Format::Half => u64::from(half_from_f32(f32_op(op, half_to_f32(x as u16), half_to_f32(y as u16)))),
        Format::BFloat => {
            let result = f32_op(op, f32_in(x << 16, flushing), f32_in(y << 16, flushing));
            u64::from(bfloat_from_f32(f32::from_bits(flush(result.to_bits(), flushing))))
        }
        Format::Double => f64_op(op, f64::from_bits(x), f64::from_bits(y)).to_bits(),
    }
}

/// One-operand float operations that compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatOp1 {
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    RoundEven,
    Round,
}

#[inline(always)]
fn f32_op1(op: FloatOp1, x: f32) -> f32 {
    match op {
        FloatOp1::Sqrt => x.sqrt(),
        FloatOp1::Floor => x.floor(),
        FloatOp1::Ceil => x.ceil(),
        FloatOp1::Trunc => x.trunc(),
        FloatOp1::RoundEven => x.round_ties_even(),
        FloatOp1::Round => x.round(),
    }
}

#[inline(always)]
pub(crate) fn float1(op: FloatOp1, format: Format, flushing: bool, x: u64) -> u64 {
    match format {
        Format::Float => f32_out(f32_op1(op, f32_in(x, flushing)), flushing),
        Format::Half => u64::from(half_from_f32(f32_op1(op, half_to_f32(x as u16)))),
        Format::BFloat => u64::from(bfloat_from_f32(f32_op1(op, f32_in(x << 16, flushing)))),
        Format::Double => {
            let x = f64::from_bits(x);
            match op {
                FloatOp1::Sqrt => x.sqrt(),
                FloatOp1::Floor => x.floor(),
                FloatOp1::Ceil => x.ceil(),
                FloatOp1::Trunc => x.trunc(),
                FloatOp1::RoundEven => x.round_ties_even(),
                FloatOp1::Round => x.round(),
            }
            .to_bits()
        }
    }
}

/// `x * y + z`, rounded once as the format's rule says.
#[inline(always)]
pub(crate) fn fma(format: Format, flushing: bool, x: u64, y: u64, z: u64) -> u64 {
    match format {
        Format::Float => {
            f32_out(f32_in(x, flushing).mul_add(f32_in(y, flushing), f32_in(z, flushing)), flushing)
        }
        Format::Half => {
            // The product of two halves is exact in binary64; the sum rounds there first.
            let wide = |bits: u64| f64::from(half_to_f32(bits as u16));
            u64::from(half_from_f64(wide(x) * wide(y) + wide(z)))
        }
        Format::BFloat => {
            let wide = |bits: u64| f32_in(bits << 16, flushing);
            let sum = wide(x).mul_add(wide(y), wide(z));
            u64::from(bfloat_from_f32(f32::from_bits(flush(sum.to_bits(), flushing))))
        }
        Format::Double => f64::from_bits(x).mul_add(f64::from_bits(y), f64::from_bits(z)).to_bits(),
    }
}

#[inline(always)]
pub(crate) fn float_compare(
    predicate: FloatPredicate,
    format: Format,
    flushing: bool,
    x: u64,
    y: u64,
) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match format {
        Format::Float => f32_in(x, flushing).partial_cmp(&f32_in(y, flushing)),
        Format::Half => half_to_f32(x as u16).partial_cmp(&half_to_f32(y as u16)),
        Format::BFloat => f32_in(x << 16, flushing).partial_cmp(&f32_in(y << 16, flushing)),
        Format::Double => f64::from_bits(x).partial_cmp(&f64::from_bits(y)),
    };
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::Oeq => order == Some(Equal),
        FloatPredicate::Ogt => order == Some(Greater),
        FloatPredicate::Oge => matches!(order, Some(Greater | Equal)),
        FloatPredicate::Olt => order == Some(Less),
        FloatPredicate::Ole => matches!(order, Some(Less | Equal)),
        FloatPredicate::One => matches!(order, Some(Less | Greater)),
        FloatPredicate::Ord => order.is_some(),
        FloatPredicate::Uno => order.is_none(),
        FloatPredicate::Ueq => matches!(order, None | Some(Equal)),
        FloatPredicate::Ugt => matches!(order, None | Some(Greater)),
        FloatPredicate::Uge => matches!(order, None | Some(Greater | Equal)),
        FloatPredicate::Ult => matches!(order, None | Some(Less)),
        FloatPredicate::Ule => matches!(order, None | Some(Less | Equal)),
        FloatPredicate::Une => order != Some(Equal),
        FloatPredicate::True => true,
    }
}

/// Conversion between float formats, rounded to nearest even.
#[inline(always)]
pub(crate) fn float_to_float(from: Format, to: Format, flushing: bool, x: u64) -> u64 {
    match (from, to) {
        (Format::Half, Format::Float) => u64::from(half_to_f32(x as u16).to_bits()),
        (Format::Float, Format::Half) => u64::from(half_from_f32(f32_in(x, flushing))),
        // bfloat16 is the upper half of a binary32: bits move, nothing flushes.
        (Format::BFloat, Format::Float) => x << 16,
        (Format::Float, Format::BFloat) => u64::from(bfloat_from_f32(f32::from_bits(x as u32))),
        (Format::Float, Format::Double) => f64::from(f32_in(x, flushing)).to_bits(),
        (Format::Double, Format::Float) => f32_out(f64::from_bits(x) as f32, flushing),
        (Format::Half, Format::Double) => f64::from(half_to_f32(x as u16)).to_bits(),
        (Format::Double, Format::Half) => u64::from(half_from_f64(f64::from_bits(x))),
        (Format::BFloat, Format::Double) => f64::from(f32_in(x << 16, flushing)).to_bits(),
        (Format::Double, Format::BFloat) => u64::from(bfloat_from_f32(to_odd_f32(f64::from_bits(x)))),
        (Format::Half, Format::BFloat) => u64::from(bfloat_from_f32(half_to_f32(x as u16))),
        (Format::BFloat, Format::Half) => u64::from(half_from_f32(f32_in(x << 16, flushing))),
        (Format::Half, Format::Half)
        | (Format::BFloat, Format::BFloat)
        | (Format::Float, Format::Float)
        | (Format::Double, Format::Double) => x,
    }
}

fn to_f64(format: Format, x: u64) -> f64 {
    match format {
        Format::Half => f64::from(half_to_f32(x as u16)),
        Format::BFloat => f64::from(f32::from_bits((x as u32) << 16)),
        Format::Float => f64::from(f32::from_bits(x as u32)),
        Format::Double => f64::from_bits(x),
    }
}

/// Conversion to an integer of `bits` bits, towards zero, saturating; NaN gives zero.
#[inline(always)]
pub(crate) fn float_to_int(format: Format, bits: u8, to_signed: bool, x: u64) -> u64 {
    let value = to_f64(format, x);
    if to_signed {
        let (min, max) = signed_limits(bits);
        ((value as i64).clamp(min, max) as u64) & mask(bits)
    } else {
        (value as u64).min(mask(bits))
    }
}

/// Conversion from an integer of `bits` bits, rounded once to nearest even.
#[inline(always)]
pub(crate) fn int_to_float(bits: u8, from_signed: bool, format: Format, x: u64) -> u64 {
    let integer = signed(x, bits);
    let negative = from_signed && integer < 0;
    let magnitude = if negative { integer.unsigned_abs() } else { x };
    let sign = if negative { -1.0 } else { 1.0 };
    match format {
        Format::Float => u64::from((magnitude as f32 * sign as f32).to_bits()),
        Format::Double => (magnitude as f64 * sign).to_bits(),
        Format::Half => u64::from(half_from_f64(to_odd_f64(magnitude) * sign)),
        Format::BFloat => u64::from(bfloat_from_f32(to_odd_f32(to_odd_f64(magnitude) * sign))),
    }
}

/// Rounds to odd, so that a second rounding to a narrower format is as good as the only one.
fn to_odd_f64(magnitude: u64) -> f64 {
    if magnitude < 1 << 53 {
        return magnitude as f64;
    }
    let sticky = u64::from(magnitude & 0x7ff != 0);
    (magnitude >> 11 | sticky) as f64 * 2048.0
}

/// As [`to_odd_f64`].
fn to_odd_f32(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) == value || value.is_nan() || near.is_infinite() {
        return near;
    }
    let toward_zero = if f64::from(near).abs() > value.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f32::from_bits(toward_zero | 1)
}

/// binary16 to binary32, exactly.
#[inline(always)]
pub(crate) fn half_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let magnitude = u32::from(bits & 0x7fff);
    let value = if magnitude >= 0x7c00 {
        0x7f80_0000 | (magnitude & 0x3ff) << 13 | u32::from(magnitude > 0x7c00) << 22
    } else if magnitude >= 0x0400 {
        (magnitude << 13) + ((127 - 15) << 23)
    } else {
        // A multiple of 2^-24, exact in binary32.
        (magnitude as f32 * (1.0 / 16_777_216.0)).to_bits()
    };
    f32::from_bits(sign | value)
}

/// binary32 to binary16, to nearest even.
#[inline(always)]
pub(crate) fn half_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    let result = if magnitude > 0x7f80_0000 {
        0x7e00 | (magnitude >> 13 & 0x3ff)
    } else if magnitude >= 0x477f_f000 {
        0x7c00
    } else if magnitude < 0x3880_0000 {
        // Adding 0.5, whose last place is worth 2^-24, leaves the rounded denormal in the low bits.
        (f32::from_bits(magnitude) + 0.5).to_bits() - 0x3f00_0000
    } else {
        let odd = magnitude >> 13 & 1;
        (magnitude - ((127 - 15) << 23) + 0xfff + odd) >> 13
    };
    sign | result as u16
}

/// binary64 to binary16, to nearest even, in one rounding.
#[inline(always)]
pub(crate) fn half_from_f64(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 48 & 0x8000) as u16;
    let magnitude = bits & (u64::MAX >> 1);
    let absolute = value.abs();
    let result = if value.is_nan() {
        0x7e00 | (magnitude >> 42 & 0x3ff)
    } else if absolute >= 65520.0 {
        0x7c00
    } else if absolute < 1.0 / 16384.0 {
        // 2^28 has its last place at 2^-24.
        const ANCHOR: f64 = 268_435_456.0;
        (absolute + ANCHOR).to_bits() - ANCHOR.to_bits()
    } else {
        let odd = magnitude >> 42 & 1;
        (magnitude - ((1023 - 15) << 52) + ((1 << 41) - 1) + odd) >> 42
    };
    sign | result as u16
}

/// binary32 to bfloat16, to nearest even; a NaN stays one.
#[inline(always)]
pub(crate) fn bfloat_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return (bits >> 16) as u16 | 0x40;
    }
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_a_round_trip_and_agrees_with_the_half_crate() {
        for bits in 0..=u16::MAX {
            let wide = half_to_f32(bits);
            let theirs = half::f16::from_bits(bits).to_f32();
            assert!(wide.to_bits() == theirs.to_bits() || wide.is_nan() && theirs.is_nan(), "{bits:#x}");
            if !wide.is_nan() {
                assert_eq!(half_from_f32(wide), bits);
                assert_eq!(half_from_f64(f64::from(wide)), bits);
            }
        }
    }

    #[test]
    fn narrowing_rounds_to_nearest_even() {
        // Around every half: the midpoint to the next, and one place to either side.
        for bits in 0..0x7bff_u16 {
            let (low, high) = (half_to_f32(bits), half_to_f32(bits + 1));
            let middle = f64::midpoint(f64::from(low), f64::from(high));
            let even = if bits & 1 == 0 { bits } else { bits + 1 };
            assert_eq!(half_from_f64(middle), even);
            assert_eq!(half_from_f32(middle as f32), even);
            assert_eq!(half_from_f64(middle.next_up()), bits + 1);
            assert_eq!(half_from_f64(middle.next_down()), bits);
            assert_eq!(half_from_f32((middle as f32).next_up()), bits + 1);
            assert_eq!(half_from_f32((middle as f32).next_down()), bits);
        }
        for seed in 0..200_000_u32 {
            let value = f32::from_bits(seed.wrapping_mul(2_654_435_761));
            let theirs = half::bf16::from_f32(value);
            assert!(
                bfloat_from_f32(value) == theirs.to_bits() || value.is_nan() && theirs.is_nan(),
                "{value:e}"
            );
            let theirs = half::f16::from_f32(value);
            assert!(half_from_f32(value) == theirs.to_bits() || value.is_nan() && theirs.is_nan());
        }
    }

    #[test]
    fn large_integers_round_once() {
        // 2^24 + 1 is half way between two floats; one more bit far below decides for bfloat16.
        let just_above_half = (1_u64 << 62) | (1 << 54) | 1;
        assert_eq!(int_to_float(64, false, Format::BFloat, just_above_half), 0x5e81);
        assert_eq!(int_to_float(64, false, Format::BFloat, just_above_half - 1), 0x5e80);
        assert_eq!(int_to_float(64, true, Format::Half, (-65520_i64) as u64), 0xfc00);
        assert_eq!(int_to_float(32, true, Format::Float, u64::from(u32::MAX)), u64::from((-1_f32).to_bits()));
        assert_eq!(int_to_float(1, true, Format::Float, 1), u64::from((-1_f32).to_bits()));
    }

    #[test]
    fn conversions_to_integers_saturate() {
        let bits = |value: f32| u64::from(value.to_bits());
        assert_eq!(float_to_int(Format::Float, 32, true, bits(3e9)), 0x7fff_ffff);
        assert_eq!(float_to_int(Format::Float, 32, true, bits(-3e9)), 0x8000_0000);
        assert_eq!(float_to_int(Format::Float, 8, false, bits(-1.0)), 0);
        assert_eq!(float_to_int(Format::Float, 8, false, bits(1e9)), 255);
        assert_eq!(float_to_int(Format::Float, 64, true, bits(f32::NAN)), 0);
        assert_eq!(float_to_int(Format::Float, 64, false, bits(f32::INFINITY)), u64::MAX);
        assert_eq!(float_to_int(Format::Half, 16, true, 0xc600), (-6_i16).cast_unsigned().into());
    }

    #[test]
    fn integer_corner_cases_have_values() {
        assert_eq!(int2(IntOp::SDiv, 32, 0x8000_0000, 0xffff_ffff), 0x8000_0000);
        assert_eq!(int2(IntOp::SRem, 32, 0x8000_0000, 0xffff_ffff), 0);
        assert_eq!(int2(IntOp::SDiv, 64, 1 << 63, u64::MAX), 1 << 63);
        assert_eq!(int2(IntOp::UDiv, 8, 7, 0), 0);
        assert_eq!(int2(IntOp::SRem, 8, 0xf9, 0), 0xf9);
        assert_eq!(int2(IntOp::Shl, 32, 1, 33), 2);
        assert_eq!(int2(IntOp::AShr, 8, 0x80, 7), 0xff);
        assert_eq!(int2(IntOp::SAddSat, 8, 0x7f, 1), 0x7f);
        assert_eq!(int2(IntOp::SSubSat, 64, 1 << 63, 1), 1 << 63);
        assert_eq!(int2(IntOp::UAddSat, 64, u64::MAX, 1), u64::MAX);
        assert_eq!(int1(IntOp1::LeadingZeros, 16, 0), 16);
        assert_eq!(int1(IntOp1::TrailingZeros, 32, 0), 32);
        assert_eq!(int1(IntOp1::Abs, 8, 0x80), 0x80);
        assert_eq!(int1(IntOp1::SwapBytes, 32, 0x1122_3344), 0x4433_2211);
        assert_eq!(funnel(true, 32, 0x8000_0001, 0xc000_0000, 1), 3);
        assert_eq!(funnel(true, 64, 5, 9, 64), 5);
        assert_eq!(funnel(false, 32, 1, 2, 0), 2);
    }

    #[test]
    fn float_rules() {
        let bits = |value: f32| u64::from(value.to_bits());
        let denormal = 1_u64;
        assert_eq!(float2(FloatOp::Add, Format::Float, true, denormal, bits(-0.0)), 0);
        assert_eq!(float2(FloatOp::Add, Format::Float, false, denormal, bits(-0.0)), 1);
        assert_eq!(float2(FloatOp::Mul, Format::Float, true, bits(-1e-30), bits(1e-10)), bits(-0.0));
        assert_eq!(float2(FloatOp::Min, Format::Float, true, bits(0.0), bits(-0.0)), bits(-0.0));
        assert_eq!(float2(FloatOp::Max, Format::Float, true, bits(-0.0), bits(0.0)), 0);
        assert_eq!(float2(FloatOp::Max, Format::Float, true, bits(f32::NAN), bits(1.0)), bits(1.0));
        assert_eq!(float2(FloatOp::Min, Format::Float, true, bits(1.0), bits(f32::NAN)), bits(1.0));
        // Half denormals stay: 2^-24 + 0.
        assert_eq!(float2(FloatOp::Add, Format::Half, true, 1, 0), 1);
        // 1 * 2^-11 + 1 lies half way between two halves.
        assert_eq!(fma(Format::Half, true, 0x3c00, 0x1000, 0x3c00), 0x3c00);
        assert!(float_compare(FloatPredicate::Oeq, Format::Float, true, denormal, 0));
        assert!(!float_compare(FloatPredicate::Oeq, Format::Float, false, denormal, 0));
        assert!(float_compare(FloatPredicate::Une, Format::Half, true, 0x7e00, 0x7e00));
    }
}
