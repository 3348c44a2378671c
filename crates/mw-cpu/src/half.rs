//! Conversions of half by integer arithmetic, for CPUs without such instructions. Exact and correctly
//! rounded whatever the control register says: denormal halves are kept.

/// The float equal to a half.
pub(crate) fn to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let fraction = u32::from(bits & 0x3ff);
    let magnitude = match (exponent, fraction) {
        (0, 0) => 0,
        (0, _) => {
            // fraction × 2⁻²⁴: shift its top bit out of the fraction field.
            let shift = fraction.leading_zeros() - 21;
            (113 - shift) << 23 | (fraction << shift & 0x3ff) << 13
        }
        (31, 0) => 0x7f80_0000,
        (31, _) => 0x7fc0_0000 | fraction << 13,
        _ => (exponent + 112) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// The half nearest to a double, ties to even.
pub(crate) fn from_f64(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 1024 {
        let payload = if fraction == 0 { 0 } else { 0x200 | (fraction >> 42) as u16 };
        return sign | 0x7c00 | payload;
    }
    if exponent < -25 {
        return sign;
    }
    if exponent > 15 {
        return sign | 0x7c00;
    }
    let significand = fraction | 1 << 52;
    // Bits below the last place of the result: 42 for normal results, more for denormal ones.
    let dropped = if exponent < -14 { 42 + (-14 - exponent) as u32 } else { 42 };
    let kept = significand >> dropped;
    let rest = significand & ((1 << dropped) - 1);
    let half_way = 1_u64 << (dropped - 1);
    let round_up = rest > half_way || (rest == half_way && kept & 1 == 1);
    let rounded = kept + u64::from(round_up);
    // A carry out of the fraction runs into the exponent, as it should, up to infinity.
    let biased = if exponent < -14 { 0 } else { (exponent + 14) as u64 };
    sign | ((biased << 10) + rounded) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_there_and_back() {
        for bits in 0..=u16::MAX {
            let wide = to_f32(bits);
            let back = from_f64(f64::from(wide));
            if wide.is_nan() {
                assert!(back & 0x7fff > 0x7c00, "{bits:#x} became {back:#x}");
            } else {
                assert_eq!(back, bits, "{wide}");
            }
        }
    }

    #[test]
    fn known_values() {
        for (bits, value) in
            [(0x3c00, 1.0), (0x0001, 5.960_464_5e-8), (0x7bff, 65504.0), (0x8400, -6.103_515_6e-5)]
        {
            assert_eq!(to_f32(bits), value);
        }
    }

    #[test]
    fn half_way_goes_to_even() {
        let step = f64::from(2_f32.powi(-10));
        assert_eq!(from_f64(1.0 + step / 2.0), 0x3c00);
        assert_eq!(from_f64(1.0 + step * 1.5), 0x3c02);
        assert_eq!(from_f64(1.0 + step * 0.500_001), 0x3c01);
        assert_eq!(from_f64(65519.9), 0x7bff);
        assert_eq!(from_f64(65520.0), 0x7c00);
        assert_eq!(from_f64(2_f64.powi(-25)), 0);
        assert_eq!(from_f64(2_f64.powi(-25) * 1.000_001), 1);
    }
}
