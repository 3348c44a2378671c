//! What a buffer is made of: one scalar type, by the type names of Metal's reflection.

use half::{bf16, f16};

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// Integer of this many bytes.
    Unsigned(u8),
    /// Two's complement integer of this many bytes.
    Signed(u8),
    /// One byte, 0 or 1.
    Bool,
    /// IEEE binary16.
    Half,
    /// bfloat16.
    BFloat,
    /// IEEE binary32.
    Float,
    /// This many bytes of a type that is not known.
    Unknown(u8),
}

impl Element {
    /// The scalar type of a Metal type name: of its components for vectors and complex numbers, words of
    /// four bytes for structures that are not known.
    pub fn of_type(name: &str, size_bytes: Option<u32>) -> Self {
        let name = name.strip_prefix("metal::").unwrap_or(name);
        let name = name.strip_prefix("packed_").unwrap_or(name);
        if let Some(inner) = name.strip_prefix("complex_t<").and_then(|rest| rest.strip_suffix('>')) {
            return Self::of_type(inner, None);
        }
        let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'x');
        match scalar {
            "bool" => Self::Bool,
            "char" | "int8_t" => Self::Signed(1),
            "uchar" | "uint8_t" => Self::Unsigned(1),
            "short" | "int16_t" => Self::Signed(2),
            "ushort" | "uint16_t" => Self::Unsigned(2),
            "int" | "int32_t" => Self::Signed(4),
            "uint" | "uint32_t" => Self::Unsigned(4),
            "long" | "int64_t" => Self::Signed(8),
            "ulong" | "uint64_t" | "size_t" => Self::Unsigned(8),
            "half" | "float16_t" => Self::Half,
            "bfloat" | "bfloat16_t" => Self::BFloat,
            "float" => Self::Float,
            _ => Self::Unknown(match size_bytes {
                Some(1) => 1,
                Some(2) => 2,
                _ => 4,
            }),
        }
    }

    /// Size in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::Unsigned(size) | Self::Signed(size) | Self::Unknown(size) => usize::from(size),
            Self::Bool => 1,
            Self::Half | Self::BFloat => 2,
            Self::Float => 4,
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Half | Self::BFloat | Self::Float)
    }

    /// The bytes of an integer, wrapped to the type; of its value for floats.
    pub fn bytes_of_int(self, value: i64, out: &mut Vec<u8>) {
        match self {
            Self::Unsigned(size) | Self::Signed(size) | Self::Unknown(size) => {
                out.extend_from_slice(&value.to_le_bytes()[..usize::from(size)]);
            }
            Self::Bool => out.push(u8::from(value != 0)),
            Self::Half | Self::BFloat | Self::Float => self.bytes_of_float(value as f64, out),
        }
    }

    /// The bytes of a number; integers take the truncated value.
    pub fn bytes_of_float(self, value: f64, out: &mut Vec<u8>) {
        match self {
            Self::Half => out.extend_from_slice(&f16::from_f64(value).to_le_bytes()),
            Self::BFloat => out.extend_from_slice(&bf16::from_f64(value).to_le_bytes()),
            Self::Float => out.extend_from_slice(&(value as f32).to_le_bytes()),
            Self::Bool => out.push(u8::from(value != 0.0)),
            Self::Unsigned(_) | Self::Signed(_) | Self::Unknown(_) => self.bytes_of_int(value as i64, out),
        }
    }

    /// The bits of the element that starts `bytes`.
    pub fn bits(self, bytes: &[u8]) -> u64 {
        let mut all = [0; 8];
        let size = self.size().min(bytes.len());
        all[..size].copy_from_slice(&bytes[..size]);
        u64::from_le_bytes(all)
    }

    /// Whether these bits are a NaN.
    pub fn is_nan(self, bits: u64) -> bool {
        match self {
            Self::Half => f16::from_bits(bits as u16).is_nan(),
            Self::BFloat => bf16::from_bits(bits as u16).is_nan(),
            Self::Float => f32::from_bits(bits as u32).is_nan(),
            Self::Unsigned(_) | Self::Signed(_) | Self::Unknown(_) | Self::Bool => false,
        }
    }

    /// Whether two values are the same: bit by bit, but that any NaN equals any NaN. Where the type is not known,
    /// that holds for whichever type makes both a NaN.
    pub fn is_same(self, left: u64, right: u64) -> bool {
        let both = |element: Self, left, right| element.is_nan(left) && element.is_nan(right);
        let half = |shift: u32| {
            let (left, right) = (left >> shift & 0xffff, right >> shift & 0xffff);
            left == right || both(Self::Half, left, right) || both(Self::BFloat, left, right)
        };
        left == right
            || match self {
                Self::Unknown(4) => both(Self::Float, left, right) || (half(0) && half(16)),
                Self::Unknown(2) => half(0),
                _ => both(self, left, right),
            }
    }

    /// Bits as text: the value, and the bits in hexadecimal for floats.
    pub fn describe(self, bits: u64) -> String {
        match self {
            Self::Half => format!("{} (0x{bits:04x})", f16::from_bits(bits as u16)),
            Self::BFloat => format!("{} (0x{bits:04x})", bf16::from_bits(bits as u16)),
            Self::Float => format!("{:e} (0x{bits:08x})", f32::from_bits(bits as u32)),
            Self::Signed(size) => {
                let unused = 64 - u32::from(size) * 8;
                ((bits << unused).cast_signed() >> unused).to_string()
            }
            Self::Unsigned(_) | Self::Bool => bits.to_string(),
            Self::Unknown(size) => format!("0x{bits:0width$x}", width = usize::from(size) * 2),
        }
    }

    /// Distance of two values in units in the last place: of their difference for integers.
    pub fn distance(self, left: u64, right: u64) -> u64 {
        let ordered = |bits: u64| -> i64 {
            let sign = 1_u64 << (self.size() * 8 - 1);
            if bits & sign == 0 { bits as i64 } else { -((bits & (sign - 1)) as i64) }
        };
        if self.is_float() { ordered(left).abs_diff(ordered(right)) } else { left.abs_diff(right) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_give_their_scalar() {
        assert_eq!(Element::of_type("float4", None), Element::Float);
        assert_eq!(Element::of_type("complex_t<half>", Some(4)), Element::Half);
        assert_eq!(Element::of_type("uint8_t", None), Element::Unsigned(1));
        assert_eq!(Element::of_type("ulong", Some(8)), Element::Unsigned(8));
        assert_eq!(Element::of_type("mlx_atomic<float>", Some(4)), Element::Unknown(4));
        assert_eq!(Element::of_type("metal::packed_bfloat3", None), Element::BFloat);
    }

    #[test]
    fn nans_of_an_unknown_type_are_equal() {
        let word = Element::Unknown(4);
        assert!(word.is_same(0xffc0_0000, 0x7fc0_0000), "float");
        assert!(word.is_same(0x3c00_fe00, 0x3c00_7e00), "half, one of two");
        assert!(word.is_same(0xffc0_3f80, 0x7fc0_3f80), "bfloat");
        assert!(!word.is_same(0x8000_0000, 0) && !word.is_same(0x7e00_3c00, 0x3c00_7e00));
        assert!(!Element::Unsigned(4).is_same(0xffc0_0000, 0x7fc0_0000));
    }

    #[test]
    fn distances_cross_zero() {
        let bits = |value: f32| u64::from(value.to_bits());
        assert_eq!(Element::Float.distance(bits(0.0), bits(-0.0)), 0);
        assert_eq!(Element::Float.distance(bits(1.0), bits(1.0 + f32::EPSILON)), 1);
        assert_eq!(Element::Float.distance(1, 0x8000_0001), 2);
        assert_eq!(Element::Signed(1).describe(0xff), "-1");
    }
}
