//! [`Dtype`]: element types, and [`TemplateArg`]: what stands for a template parameter.

use std::fmt;

/// The type of an array's elements, with MLX's names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u32)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Dtype {
    Bool = 0,
    Uint8 = 1,
    Uint16 = 2,
    Uint32 = 3,
    Uint64 = 4,
    Int8 = 5,
    Int16 = 6,
    Int32 = 7,
    Int64 = 8,
    Float16 = 9,
    Float32 = 10,
    /// No GPU of Apple's has it: refused wherever memory has this type.
    Float64 = 11,
    Bfloat16 = 12,
    /// Two `float`: real and imaginary part.
    Complex64 = 13,
}

impl Dtype {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 14] = [
        Self::Bool,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Uint64,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::Float16,
        Self::Float32,
        Self::Float64,
        Self::Bfloat16,
        Self::Complex64,
    ];

    /// The type with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.get(number as usize).copied()
    }

    /// How kernels spell it.
    pub fn metal_name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Uint8 => "uint8_t",
            Self::Uint16 => "uint16_t",
            Self::Uint32 => "uint32_t",
            Self::Uint64 => "uint64_t",
            Self::Int8 => "int8_t",
            Self::Int16 => "int16_t",
            Self::Int32 => "int32_t",
            Self::Int64 => "int64_t",
            Self::Float16 => "float16_t",
            Self::Float32 => "float",
            Self::Float64 => "double",
            Self::Bfloat16 => "bfloat16_t",
            Self::Complex64 => "complex64_t",
        }
    }

    /// How Python spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Float16 => "float16",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Bfloat16 => "bfloat16",
            Self::Complex64 => "complex64",
        }
    }

    /// Bytes of an element.
    pub fn size_bytes(self) -> usize {
        match self {
            Self::Bool | Self::Uint8 | Self::Int8 => 1,
            Self::Uint16 | Self::Int16 | Self::Float16 | Self::Bfloat16 => 2,
            Self::Uint32 | Self::Int32 | Self::Float32 => 4,
            Self::Uint64 | Self::Int64 | Self::Float64 | Self::Complex64 => 8,
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The value of a template parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TemplateArg {
    /// A type: the parameter is a `typename`.
    Dtype(Dtype),
    /// A number: the parameter is an `int`.
    Int(i32),
    /// A truth value: the parameter is a `bool`.
    Bool(bool),
}

impl TemplateArg {
    /// How the parameter is declared.
    pub(crate) fn parameter_kind(self) -> &'static str {
        match self {
            Self::Dtype(_) => "typename",
            Self::Int(_) => "int",
            Self::Bool(_) => "bool",
        }
    }
}

/// As it stands in the list of an instantiation.
impl fmt::Display for TemplateArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dtype(dtype) => f.write_str(dtype.metal_name()),
            Self::Int(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{}", u8::from(*value)),
        }
    }
}
