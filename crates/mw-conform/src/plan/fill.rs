//! Contents of buffers that may have any length: element `i` depends on seed, argument and `i` alone, so that
//! a buffer can grow without changing what it held.

use super::Element;

/// How elements are made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum FillKind {
    /// Floats: standard normal; integers: small numbers around zero, or from zero up; booleans: either.
    Normal,
    /// As `Normal`, with zeros, infinities, NaN, denormals, the largest and least numbers and many equal ones
    /// in between.
    Special,
    /// Few different values, NaN and infinity among them: branches that compare go both ways.
    Edges,
    /// Floats: uniform between the bounds; integers: uniform, the second bound excluded.
    Range(f64, f64),
    /// Ascending from 0: element i is about i · step, and repeats after `period` elements.
    Ascending { step: f64, period: u64 },
    /// Any bits.
    Bits,
    /// One value everywhere.
    Constant(f64),
    /// A pattern that no computation is likely to give: what outputs hold before.
    Pattern,
}

/// A byte that outputs are filled with beforehand.
pub const PATTERN: u8 = 0xa5;

/// What a buffer holds, at any length.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fill {
    /// Type of the elements.
    pub element: Element,
    /// How they are made.
    pub kind: FillKind,
    /// Number of the stream: seed and argument.
    pub stream: u64,
}

impl Fill {
    /// Writes the bytes from `start` on.
    pub fn write(&self, start: usize, out: &mut [u8]) {
        let size = self.element.size();
        if matches!(self.kind, FillKind::Pattern) {
            out.fill(PATTERN);
            return;
        }
        let mut element = Vec::with_capacity(8);
        let mut at = start;
        let end = start + out.len();
        while at < end {
            let index = at / size;
            element.clear();
            self.element_bytes(index as u64, &mut element);
            let from = at - index * size;
            let count = (size - from).min(end - at);
            out[at - start..at - start + count].copy_from_slice(&element[from..from + count]);
            at += count;
        }
    }

    fn element_bytes(&self, index: u64, out: &mut Vec<u8>) {
        let random = mix(self.stream ^ mix(index.wrapping_add(0x51_7cc1_b727)));
        let element = self.element;
        match self.kind {
            FillKind::Normal => self.normal(random, out),
            FillKind::Special if random.trailing_zeros() >= 3 => special(element, random >> 3, out),
            // Small whole numbers: equal neighbours, and equal parts of complex numbers.
            FillKind::Special if random & 7 < 3 => element.bytes_of_int((random >> 3 & 3) as i64 - 1, out),
            FillKind::Special => self.normal(random, out),
            FillKind::Edges => edge(element, random, out),
            FillKind::Range(low, high) => {
                let value = low + (high - low) * unit(random);
                if element.is_float() {
                    element.bytes_of_float(value, out);
                } else {
                    element.bytes_of_int(value.floor() as i64, out);
                }
            }
            FillKind::Ascending { step, period } => {
                let place = if period == 0 { index } else { index % period };
                element.bytes_of_float(place as f64 * step, out);
            }
            FillKind::Bits => out.extend_from_slice(&random.to_le_bytes()[..element.size()]),
            FillKind::Constant(value) => element.bytes_of_float(value, out),
            FillKind::Pattern => out.resize(element.size(), PATTERN),
        }
        if element == Element::Bool {
            out[0] &= 1;
        }
    }

    fn normal(&self, random: u64, out: &mut Vec<u8>) {
        match self.element {
            Element::Bool => out.push((random & 1) as u8),
            Element::Unsigned(_) | Element::Unknown(_) => {
                self.element.bytes_of_int((random % 13) as i64, out);
            }
            Element::Signed(_) => self.element.bytes_of_int((random % 15) as i64 - 7, out),
            Element::Half | Element::BFloat | Element::Float => {
                // The sum of four uniform numbers has a bell's shape, and no rounding that machines disagree on.
                let sum: f64 = (0..4).map(|part| ((random >> (part * 16)) & 0xffff) as f64).sum();
                self.element.bytes_of_float((sum / 65536.0 - 2.0) * 1.7, out);
            }
        }
    }
}

/// A value at the edge of its type.
fn special(element: Element, choice: u64, out: &mut Vec<u8>) {
    let size = element.size();
    let bits: u64 = match element {
        Element::Bool => choice & 1,
        Element::Unsigned(size) | Element::Signed(size) | Element::Unknown(size) => {
            let all = u64::MAX >> (64 - u32::from(size) * 8);
            [0, 1, all, all >> 1, (all >> 1) + 1, choice, 31, 32][(choice % 8) as usize]
        }
        Element::Float => {
            let values = [
                0.0,
                -0.0,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
                f32::MAX,
                f32::MIN_POSITIVE,
                1e-40,
                88.5,
                -104.0,
                1e5,
                0.5,
                -1.0,
                3.0e9,
                1e-6,
                -2.5,
            ];
            u64::from(values[(choice % 16) as usize].to_bits())
        }
        Element::Half => {
            let bits: [u16; 16] = [
                0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7bff, 0x0400, 0x0001, 0x0203, 0x8001, 0x3c00, 0xbc00,
                0x4900, 0x3800, 0xc100, 0x2c00,
            ];
            u64::from(bits[(choice % 16) as usize])
        }
        Element::BFloat => {
            let bits: [u16; 16] = [
                0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x7f7f, 0x0080, 0x0001, 0x42b1, 0xc2d0, 0x3f80, 0xbf80,
                0x4f33, 0x3f00, 0xc020, 0x3586,
            ];
            u64::from(bits[(choice % 16) as usize])
        }
    };
    out.extend_from_slice(&bits.to_le_bytes()[..size]);
}

/// One of few values.
fn edge(element: Element, random: u64, out: &mut Vec<u8>) {
    const NUMBERS: [f64; 16] = [
        f64::NAN,
        f64::NAN,
        f64::NAN,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        1.0,
        1.0,
        1.0,
        -1.0,
        2.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        100.0,
    ];
    const INTEGERS: [i64; 8] = [0, 0, 1, 1, 2, -1, 3, 7];
    if element.is_float() {
        element.bytes_of_float(NUMBERS[(random % 16) as usize], out);
    } else {
        element.bytes_of_int(INTEGERS[(random % 8) as usize], out);
    }
}

/// Uniform in [0, 1).
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 * (-53_f64).exp2()
}

/// A number out of another, well stirred (the finaliser of `SplitMix64`).
pub fn mix(value: u64) -> u64 {
    let mut bits = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_keeps_what_was_there() {
        for kind in [FillKind::Normal, FillKind::Special, FillKind::Range(0.0, 9.0), FillKind::Bits] {
            let fill = Fill { element: Element::Half, kind, stream: 7 };
            let (mut whole, mut parts) = (vec![0; 100], vec![0; 100]);
            fill.write(0, &mut whole);
            fill.write(0, &mut parts[..33]);
            fill.write(33, &mut parts[33..]);
            assert_eq!(whole, parts, "{kind:?}");
        }
    }

    #[test]
    fn ranges_hold() {
        let fill = Fill { element: Element::Signed(4), kind: FillKind::Range(3.0, 6.0), stream: 1 };
        let mut bytes = vec![0; 4000];
        fill.write(0, &mut bytes);
        let mut seen = [0; 8];
        for value in bytes.chunks(4) {
            seen[i32::from_le_bytes(value.try_into().unwrap()) as usize] += 1;
        }
        assert_eq!(seen.iter().sum::<i32>(), 1000);
        assert!(seen[3] > 200 && seen[4] > 200 && seen[5] > 200 && seen[..3] == [0; 3], "{seen:?}");
    }

    #[test]
    fn special_values_include_nan() {
        let fill = Fill { element: Element::Float, kind: FillKind::Special, stream: 3 };
        let mut bytes = vec![0; 4096];
        fill.write(0, &mut bytes);
        assert!(bytes.chunks(4).any(|value| Element::Float.is_nan(Element::Float.bits(value))));
    }
}
