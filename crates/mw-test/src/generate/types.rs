//! The types that generated programs use.

use std::fmt;

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Float,
    Int,
    Uint,
    Half,
    Bool,
    Short,
    Ushort,
    Char,
    Uchar,
    Long,
    Ulong,
    Bfloat,
}

impl Scalar {
    pub(super) const ALL: [Self; 12] = [
        Self::Float,
        Self::Int,
        Self::Uint,
        Self::Half,
        Self::Bool,
        Self::Short,
        Self::Ushort,
        Self::Char,
        Self::Uchar,
        Self::Long,
        Self::Ulong,
        Self::Bfloat,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Half => "half",
            Self::Bool => "bool",
            Self::Short => "short",
            Self::Ushort => "ushort",
            Self::Char => "char",
            Self::Uchar => "uchar",
            Self::Long => "long",
            Self::Ulong => "ulong",
            Self::Bfloat => "bfloat",
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Half | Self::Bfloat)
    }

    /// Bits of a value that `as_type` may take.
    pub(super) fn bits(self) -> Option<u32> {
        Some(match self {
            Self::Char | Self::Uchar => 8,
            Self::Half | Self::Short | Self::Ushort | Self::Bfloat => 16,
            Self::Float | Self::Int | Self::Uint => 32,
            Self::Long | Self::Ulong => 64,
            Self::Bool => return None,
        })
    }
}

/// A scalar or vector type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ty {
    pub(super) scalar: Scalar,
    pub(super) lanes: u32,
}

impl Ty {
    pub(super) const INT: Self = Self { scalar: Scalar::Int, lanes: 1 };
    pub(super) const UINT: Self = Self { scalar: Scalar::Uint, lanes: 1 };
    pub(super) const BOOL: Self = Self { scalar: Scalar::Bool, lanes: 1 };

    /// As many elements of another type.
    pub(super) fn with(self, scalar: Scalar) -> Self {
        Self { scalar, ..self }
    }

    /// One element.
    pub(super) fn element(self) -> Self {
        Self { lanes: 1, ..self }
    }

    pub(super) fn is_float(self) -> bool {
        self.scalar.is_float()
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.scalar.name())?;
        if self.lanes > 1 { write!(f, "{}", self.lanes) } else { Ok(()) }
    }
}
