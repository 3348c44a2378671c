//! [`ConstantText`]: the value of a function constant, typed when the constant's own type is known.

use std::fmt;

use crate::Dtype;

/// A value as it was written: `true`, `7`, `0.5`, or with a type: `i32:7`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConstantText {
    /// Type, if it was written.
    pub dtype: Option<Dtype>,
    /// The number.
    pub text: String,
}

impl ConstantText {
    /// Reads a value; the number itself is checked against a type later.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (dtype, number) = match text.split_once(':') {
            Some((name, number)) => {
                let dtype = Dtype::from_name(name).ok_or_else(|| format!("`{name}` is no scalar type"))?;
                (Some(dtype), number)
            }
            None => (None, text),
        };
        if number.is_empty() {
            return Err("write a value such as `true`, `7` or `f32:0.5`".to_owned());
        }
        if let Some(dtype) = dtype {
            dtype.push_text(number, &mut Vec::new())?;
        }
        Ok(Self { dtype, text: number.to_owned() })
    }

    /// The bytes of the value in the type that the constant declares (Metal's spelling).
    pub fn to_bytes(&self, declared: &str) -> Result<Vec<u8>, String> {
        let dtype = Dtype::from_name(declared).ok_or_else(|| {
            format!("function constants of type `{declared}` cannot be written in a manifest")
        })?;
        if let Some(own) = self.dtype
            && own != dtype
        {
            return Err(format!("the constant is declared `{declared}`, but `{self}` is {own}"));
        }
        let mut bytes = Vec::new();
        dtype.push_text(&self.text, &mut bytes)?;
        Ok(bytes)
    }
}

impl fmt::Display for ConstantText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtype {
            Some(dtype) => write!(f, "{dtype}:{}", self.text),
            None => f.write_str(&self.text),
        }
    }
}
