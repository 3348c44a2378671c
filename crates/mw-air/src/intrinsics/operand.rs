//! Overload suffixes: `s.i32`, `u.v2i32`, `f.v4f32`, `f16`, `p1v2f32`.

use std::fmt;

use crate::{AddressSpace, Scalar, Type};

/// The kind letter of a suffix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sign {
    /// No letter, or `f`: floats, and integers whose sign does not matter.
    None,
    /// `s`.
    Signed,
    /// `u`.
    Unsigned,
}

/// Type of an overload: a scalar or short vector, with the sign where it decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Operand {
    /// Whether integers are signed.
    pub sign: Sign,
    /// Element type; never a pointer.
    pub scalar: Scalar,
    /// Number of elements, 1 for a scalar.
    pub lanes: u32,
}

/// Longest vector that an overload may name: `simdgroup_matrix` fragments.
const MAX_LANES: u32 = 64;

impl Operand {
    /// A scalar without sign.
    pub fn scalar(scalar: Scalar) -> Self {
        Self { sign: Sign::None, scalar, lanes: 1 }
    }

    /// The type.
    pub fn ty(self) -> Type {
        if self.lanes == 1 { Type::Scalar(self.scalar) } else { Type::Vector(self.scalar, self.lanes) }
    }

    /// The type with `scalar` in place of the element.
    pub fn ty_of(self, scalar: Scalar) -> Type {
        Self { scalar, ..self }.ty()
    }

    /// Whether integers of this overload are signed.
    pub fn is_signed(self) -> bool {
        self.sign == Sign::Signed
    }

    /// `i32`, `v4f32`: a type without kind letter.
    pub(super) fn parse_type(text: &str) -> Option<Self> {
        let (lanes, scalar) = match text.strip_prefix('v') {
            Some(rest) => {
                let digits = rest.find(|c: char| !c.is_ascii_digit())?;
                let lanes = number(&rest[..digits])?;
                ((2..=MAX_LANES).contains(&lanes).then_some(lanes)?, &rest[digits..])
            }
            None => (1, text),
        };
        let scalar = match scalar {
            "f16" => Scalar::Half,
            "bf16" => Scalar::BFloat,
            "f32" => Scalar::Float,
            "f64" => Scalar::Double,
            "i1" => Scalar::Int(1),
            "i8" => Scalar::Int(8),
            "i16" => Scalar::Int(16),
            "i32" => Scalar::Int(32),
            "i64" => Scalar::Int(64),
            _ => return None,
        };
        Some(Self { sign: Sign::None, scalar, lanes })
    }

    /// `s.i32`, `u.v2i32`, `f32`, `i32`: a type with an optional sign.
    pub(super) fn parse_signed(text: &str) -> Option<Self> {
        let (sign, text) = match text.split_once('.') {
            Some(("s", rest)) => (Sign::Signed, rest),
            Some(("u", rest)) => (Sign::Unsigned, rest),
            _ => (Sign::None, text),
        };
        let operand = Self::parse_type(text)?;
        (sign == Sign::None || operand.scalar.is_int()).then_some(Self { sign, ..operand })
    }

    /// A side of a conversion: kind letter `f`, `s` or `u` and a type.
    pub(super) fn parse_kind(kind: &str, text: &str) -> Option<Self> {
        let operand = Self::parse_type(text)?;
        match kind {
            "f" if operand.scalar.is_float() => Some(operand),
            "s" if operand.scalar.is_int() => Some(Self { sign: Sign::Signed, ..operand }),
            "u" if operand.scalar.is_int() => Some(Self { sign: Sign::Unsigned, ..operand }),
            _ => None,
        }
    }

    /// `p1v2f32`: a pointer to a type.
    pub(super) fn parse_pointer(text: &str) -> Option<(AddressSpace, Self)> {
        let rest = text.strip_prefix('p')?;
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        Some((AddressSpace(number(&rest[..digits])?), Self::parse_type(&rest[digits..])?))
    }

    /// Kind letter of a conversion.
    pub(super) fn kind(self) -> char {
        match self.sign {
            Sign::None => 'f',
            Sign::Signed => 's',
            Sign::Unsigned => 'u',
        }
    }

    /// The type without sign, as it stands in names.
    pub(super) fn bare(self) -> Self {
        Self { sign: Sign::None, ..self }
    }
}

/// A decimal number without leading zeros.
fn number(digits: &str) -> Option<u32> {
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    digits.parse().ok()
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sign {
            Sign::None => {}
            Sign::Signed => f.write_str("s.")?,
            Sign::Unsigned => f.write_str("u.")?,
        }
        if self.lanes != 1 {
            write!(f, "v{}", self.lanes)?;
        }
        f.write_str(&self.scalar.suffix())
    }
}
