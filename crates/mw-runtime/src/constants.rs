//! Values for function constants, by index or by name, checked against the declared types.

use std::collections::BTreeMap;

use half::{bf16, f16};
use mw_air::schema::{FunctionConstant, ModuleInfo};
use mw_backend::{ConstantValue, ConstantValues};

use crate::error::FunctionError;

/// A value of one of Metal's scalar types.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(missing_docs, reason = "Metal's own type names")]
pub enum ConstantScalar {
    Bool(bool),
    Char(i8),
    UChar(u8),
    Short(i16),
    UShort(u16),
    Int(i32),
    UInt(u32),
    Long(i64),
    ULong(u64),
    Half(f16),
    BFloat(bf16),
    Float(f32),
}

impl ConstantScalar {
    /// Metal's name of the type.
    pub fn type_name(self) -> &'static str {
        self.described().split_once(' ').map_or("", |(_, name)| name)
    }

    /// The type with its article, for messages.
    fn described(self) -> &'static str {
        match self {
            Self::Bool(_) => "a bool",
            Self::Char(_) => "a char",
            Self::UChar(_) => "a uchar",
            Self::Short(_) => "a short",
            Self::UShort(_) => "a ushort",
            Self::Int(_) => "an int",
            Self::UInt(_) => "a uint",
            Self::Long(_) => "a long",
            Self::ULong(_) => "a ulong",
            Self::Half(_) => "a half",
            Self::BFloat(_) => "a bfloat",
            Self::Float(_) => "a float",
        }
    }

    /// The bits, zero-extended, and the size in bytes.
    pub fn to_bits(self) -> ConstantValue {
        let (bits, size_bytes) = match self {
            Self::Bool(value) => (u64::from(value), 1),
            Self::Char(value) => (u64::from(value.cast_unsigned()), 1),
            Self::UChar(value) => (u64::from(value), 1),
            Self::Short(value) => (u64::from(value.cast_unsigned()), 2),
            Self::UShort(value) => (u64::from(value), 2),
            Self::Int(value) => (u64::from(value.cast_unsigned()), 4),
            Self::UInt(value) => (u64::from(value), 4),
            Self::Long(value) => (value.cast_unsigned(), 8),
            Self::ULong(value) => (value, 8),
            Self::Half(value) => (u64::from(value.to_bits()), 2),
            Self::BFloat(value) => (u64::from(value.to_bits()), 2),
            Self::Float(value) => (u64::from(value.to_bits()), 4),
        };
        ConstantValue { bits, size_bytes }
    }

    /// The value of type `type_name` (Metal's spelling) whose bytes are given, little end first.
    /// `None` for another type or a wrong number of bytes.
    pub fn from_bytes(type_name: &str, bytes: &[u8]) -> Option<Self> {
        Some(match type_name {
            "bool" => Self::Bool(bytes.first().filter(|_| bytes.len() == 1)? != &0),
            "char" => Self::Char(i8::from_le_bytes(bytes.try_into().ok()?)),
            "uchar" => Self::UChar(u8::from_le_bytes(bytes.try_into().ok()?)),
            "short" => Self::Short(i16::from_le_bytes(bytes.try_into().ok()?)),
            "ushort" => Self::UShort(u16::from_le_bytes(bytes.try_into().ok()?)),
            "int" => Self::Int(i32::from_le_bytes(bytes.try_into().ok()?)),
            "uint" => Self::UInt(u32::from_le_bytes(bytes.try_into().ok()?)),
            "long" => Self::Long(i64::from_le_bytes(bytes.try_into().ok()?)),
            "ulong" => Self::ULong(u64::from_le_bytes(bytes.try_into().ok()?)),
            "half" => Self::Half(f16::from_le_bytes(bytes.try_into().ok()?)),
            "bfloat" => Self::BFloat(bf16::from_le_bytes(bytes.try_into().ok()?)),
            "float" => Self::Float(f32::from_le_bytes(bytes.try_into().ok()?)),
            _ => return None,
        })
    }
}

macro_rules! from_scalar {
    ($($rust:ty => $variant:ident),* $(,)?) => {
        $(impl From<$rust> for ConstantScalar {
            fn from(value: $rust) -> Self {
                Self::$variant(value)
            }
        })*
    };
}

from_scalar! {
    bool => Bool, i8 => Char, u8 => UChar, i16 => Short, u16 => UShort, i32 => Int, u32 => UInt,
    i64 => Long, u64 => ULong, f16 => Half, bf16 => BFloat, f32 => Float,
}

/// Values of function constants (`MTLFunctionConstantValues`).
///
/// One set may serve many functions: indices that a function does not declare are passed over, as Metal does.
/// A name that it does not declare is an error.
///
/// ```
/// use mw_runtime::FunctionConstantValues;
///
/// let mut values = FunctionConstantValues::new();
/// values.set(200, true).set_named("align_N", false).set(3, 16_i32);
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FunctionConstantValues {
    by_index: BTreeMap<u32, ConstantScalar>,
    by_name: BTreeMap<String, ConstantScalar>,
}

impl FunctionConstantValues {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the constant of this index.
    pub fn set(&mut self, index: u32, value: impl Into<ConstantScalar>) -> &mut Self {
        self.by_index.insert(index, value.into());
        self
    }

    /// Sets the constant of this name. It counts more than a value by index.
    pub fn set_named(&mut self, name: impl Into<String>, value: impl Into<ConstantScalar>) -> &mut Self {
        self.by_name.insert(name.into(), value.into());
        self
    }

    /// Forgets all values.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.by_index.is_empty() && self.by_name.is_empty()
    }

    /// The values that function `name` takes, in the bits that its module stores.
    pub(crate) fn resolve(&self, name: &str, info: &ModuleInfo) -> Result<ConstantValues, FunctionError> {
        let declared = &info.function_constants;
        for constant in self.by_name.keys() {
            if !declared.iter().any(|it| *it.name == **constant) {
                return Err(FunctionError::UnknownConstant {
                    name: name.to_owned(),
                    constant: constant.clone(),
                    declared: declared.iter().map(describe).collect(),
                });
            }
        }
        let mut values = ConstantValues::new();
        for constant in declared {
            let given = self.by_name.get(&*constant.name).or_else(|| self.by_index.get(&constant.index));
            if let Some(given) = given {
                check_type(name, constant, *given)?;
                values.0.insert(constant.index, given.to_bits());
            }
        }
        Ok(values)
    }
}

fn check_type(name: &str, constant: &FunctionConstant, given: ConstantScalar) -> Result<(), FunctionError> {
    if *constant.type_name == *given.type_name() {
        return Ok(());
    }
    Err(FunctionError::ConstantType {
        name: name.to_owned(),
        index: constant.index,
        constant: constant.name.to_string(),
        declared: constant.type_name.to_string(),
        given: given.described(),
    })
}

/// A constant as messages name it: "200 `align_M` (bool)".
pub(crate) fn describe(constant: &FunctionConstant) -> String {
    format!("{} `{}` ({})", constant.index, constant.name, constant.type_name)
}
