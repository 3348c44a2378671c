//! [`Dtype`]: the element types of tensors, and the text of one element.

use std::fmt;

use half::{bf16, f16};

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the types' own names")]
pub enum Dtype {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    F32,
    F64,
    Complex64,
}

/// Each type with its size, its own name, and the other names that are understood.
const TABLE: [(Dtype, usize, &str, &[&str]); 14] = [
    (Dtype::Bool, 1, "bool", &["bool_"]),
    (Dtype::I8, 1, "i8", &["char", "int8"]),
    (Dtype::U8, 1, "u8", &["uchar", "uint8"]),
    (Dtype::I16, 2, "i16", &["short", "int16"]),
    (Dtype::U16, 2, "u16", &["ushort", "uint16"]),
    (Dtype::I32, 4, "i32", &["int", "int32"]),
    (Dtype::U32, 4, "u32", &["uint", "uint32"]),
    (Dtype::I64, 8, "i64", &["long", "int64"]),
    (Dtype::U64, 8, "u64", &["ulong", "uint64"]),
    (Dtype::F16, 2, "f16", &["half", "float16"]),
    (Dtype::Bf16, 2, "bf16", &["bfloat", "bfloat16"]),
    (Dtype::F32, 4, "f32", &["float", "float32"]),
    (Dtype::F64, 8, "f64", &["double", "float64"]),
    (Dtype::Complex64, 8, "complex64", &["c64"]),
];

impl Dtype {
    /// All types.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.0)
    }

    fn row(self) -> &'static (Self, usize, &'static str, &'static [&'static str]) {
        TABLE.iter().find(|row| row.0 == self).expect("every type has a row")
    }

    /// The type of a name: `f32`, Metal's `float`, NumPy's `float32`.
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.2 == name || row.3.contains(&name)).map(|row| row.0)
    }

    /// Its own name: `f32`.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        self.row().1
    }

    /// Alignment in bytes: that of the scalar, so 4 for a complex number.
    pub fn align(self) -> usize {
        if self == Self::Complex64 { 4 } else { self.size() }
    }

    /// Whether it is a floating-point or complex type.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64 | Self::Complex64)
    }

    /// The inclusive range of an integer type or `bool`.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        Some(match self {
            Self::Bool => (0, 1),
            Self::I8 => (i8::MIN.into(), i8::MAX.into()),
            Self::U8 => (0, u8::MAX.into()),
            Self::I16 => (i16::MIN.into(), i16::MAX.into()),
            Self::U16 => (0, u16::MAX.into()),
            Self::I32 => (i32::MIN.into(), i32::MAX.into()),
            Self::U32 => (0, u32::MAX.into()),
            Self::I64 => (i64::MIN.into(), i64::MAX.into()),
            Self::U64 => (0, u64::MAX.into()),
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 | Self::Complex64 => return None,
        })
    }

    /// Appends one element, rounded from `value`; integers saturate, the imaginary part is 0.
    pub fn push_f64(self, value: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::Bool => bytes.push(u8::from(value != 0.0)),
            Self::I8 => bytes.extend((value as i8).to_le_bytes()),
            Self::U8 => bytes.push(value as u8),
            Self::I16 => bytes.extend((value as i16).to_le_bytes()),
            Self::U16 => bytes.extend((value as u16).to_le_bytes()),
            Self::I32 => bytes.extend((value as i32).to_le_bytes()),
            Self::U32 => bytes.extend((value as u32).to_le_bytes()),
            Self::I64 => bytes.extend((value as i64).to_le_bytes()),
            Self::U64 => bytes.extend((value as u64).to_le_bytes()),
            Self::F16 => bytes.extend(f16::from_f64(value).to_le_bytes()),
            Self::Bf16 => bytes.extend(bf16::from_f64(value).to_le_bytes()),
            Self::F32 => bytes.extend((value as f32).to_le_bytes()),
            Self::F64 => bytes.extend(value.to_le_bytes()),
            Self::Complex64 => {
                bytes.extend((value as f32).to_le_bytes());
                bytes.extend(0_f32.to_le_bytes());
            }
        }
    }

    /// Appends one element of an integer type (or any other) from an integer, wrapping.
    pub fn push_i128(self, value: i128, bytes: &mut Vec<u8>) {
        if self.integer_range().is_some() {
            bytes.extend(&value.to_le_bytes()[..self.size()]);
        } else {
            self.push_f64(value as f64, bytes);
        }
    }

    /// Appends the element that `text` writes.
    pub fn push_text(self, text: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        let text = text.trim();
        if let Some((low, high)) = self.integer_range() {
            let value =
                parse_integer(text).ok_or_else(|| format!("`{text}` is no {} number", self.name()))?;
            if !(low..=high).contains(&value) {
                return Err(format!("{text} does not fit {} ({low} to {high})", self.name()));
            }
            self.push_i128(value, bytes);
            return Ok(());
        }
        let no_number = || format!("`{text}` is no {} number", self.name());
        match self {
            // From the text itself, so that nothing is rounded twice.
            Self::F32 => bytes.extend(parse_float::<f32>(text).ok_or_else(no_number)?.to_le_bytes()),
            Self::Complex64 => {
                let (real, imaginary) = parse_complex(text).ok_or_else(no_number)?;
                bytes.extend(real.to_le_bytes());
                bytes.extend(imaginary.to_le_bytes());
            }
            _ => self.push_f64(parse_float::<f64>(text).ok_or_else(no_number)?, bytes),
        }
        Ok(())
    }

    /// One element as a double; the real part of a complex number.
    pub fn read_f64(self, bytes: &[u8]) -> f64 {
        match self {
            Self::F16 => f16::from_le_bytes(first(bytes)).to_f64(),
            Self::Bf16 => bf16::from_le_bytes(first(bytes)).to_f64(),
            Self::F32 | Self::Complex64 => f64::from(f32::from_le_bytes(first(bytes))),
            Self::F64 => f64::from_le_bytes(first(bytes)),
            _ => self.read_i128(bytes) as f64,
        }
    }

    /// One element of an integer type; 0 for other types.
    pub fn read_i128(self, bytes: &[u8]) -> i128 {
        match self {
            Self::Bool | Self::U8 => u8::from_le_bytes(first(bytes)).into(),
            Self::I8 => i8::from_le_bytes(first(bytes)).into(),
            Self::I16 => i16::from_le_bytes(first(bytes)).into(),
            Self::U16 => u16::from_le_bytes(first(bytes)).into(),
            Self::I32 => i32::from_le_bytes(first(bytes)).into(),
            Self::U32 => u32::from_le_bytes(first(bytes)).into(),
            Self::I64 => i64::from_le_bytes(first(bytes)).into(),
            Self::U64 => u64::from_le_bytes(first(bytes)).into(),
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 | Self::Complex64 => 0,
        }
    }

    /// One element as text that reads back to the same element.
    pub fn format(self, bytes: &[u8]) -> String {
        match self {
            Self::Bool => (bytes[0] != 0).to_string(),
            Self::F16 => f16::from_le_bytes(first(bytes)).to_f32().to_string(),
            Self::Bf16 => bf16::from_le_bytes(first(bytes)).to_f32().to_string(),
            Self::F32 => f32::from_le_bytes(first(bytes)).to_string(),
            Self::F64 => f64::from_le_bytes(first(bytes)).to_string(),
            Self::Complex64 => {
                let imaginary = f32::from_le_bytes(first(&bytes[4..]));
                format!("{}{imaginary:+}j", f32::from_le_bytes(first(bytes)))
            }
            _ => self.read_i128(bytes).to_string(),
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The first bytes as an array; elements are always whole.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes[..N].try_into().expect("N bytes")
}

fn parse_integer(text: &str) -> Option<i128> {
    match text {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let magnitude: i128 = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?.into(),
        None => digits.replace('_', "").parse::<u64>().ok()?.into(),
    };
    Some(if negative { -magnitude } else { magnitude })
}

pub(crate) fn parse_float<F: std::str::FromStr>(text: &str) -> Option<F> {
    text.replace('_', "").parse().ok()
}

/// `1+2j`, `-1.5e-3-2j`, `2j` or a real number.
fn parse_complex(text: &str) -> Option<(f32, f32)> {
    let Some(body) = text.strip_suffix(['j', 'i']) else { return Some((parse_float(text)?, 0.0)) };
    // The sign that starts the imaginary part: the last one that is no exponent's.
    let split = body
        .char_indices()
        .rev()
        .find(|(at, c)| matches!(c, '+' | '-') && *at > 0 && !body[..*at].ends_with(['e', 'E']))
        .map_or(0, |(at, _)| at);
    let (real, imaginary) = body.split_at(split);
    let real = if real.is_empty() { 0.0 } else { parse_float(real)? };
    Some((real, parse_float(imaginary)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_back() {
        for (dtype, texts) in [
            (Dtype::Bool, &["true", "false"][..]),
            (Dtype::I8, &["-128", "127"]),
            (Dtype::U64, &["18446744073709551615"]),
            (Dtype::I64, &["-9223372036854775808"]),
            (Dtype::F16, &["65504", "-0.5", "inf", "NaN"]),
            (Dtype::Bf16, &["3.140625"]),
            (Dtype::F32, &["16777217".replace('7', "6").as_str(), "0.1"]),
            (Dtype::Complex64, &["1+2j", "-0.5-0.25j"]),
        ] {
            for text in texts {
                let mut bytes = Vec::new();
                dtype.push_text(text, &mut bytes).expect(text);
                assert_eq!(bytes.len(), dtype.size());
                assert_eq!(dtype.format(&bytes), *text);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |dtype: Dtype, text: &str| dtype.push_text(text, &mut Vec::new()).unwrap_err();
        insta::assert_snapshot!(refused(Dtype::I8, "128"), @"128 does not fit i8 (-128 to 127)");
        insta::assert_snapshot!(refused(Dtype::U32, "-1"), @"-1 does not fit u32 (0 to 4294967295)");
        insta::assert_snapshot!(refused(Dtype::I32, "1.5"), @"`1.5` is no i32 number");
        insta::assert_snapshot!(refused(Dtype::F32, "x"), @"`x` is no f32 number");
    }

    #[test]
    fn exponents_are_no_signs_of_complex_numbers() {
        assert_eq!(parse_complex("1e-3+2e+1j"), Some((0.001, 20.0)));
        assert_eq!(parse_complex("-2j"), Some((0.0, -2.0)));
        assert_eq!(parse_complex("5"), Some((5.0, 0.0)));
    }
}
