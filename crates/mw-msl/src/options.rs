//! What the user may choose for a compilation.

use std::fmt;
use std::str::FromStr;

/// A version of the Metal Shading Language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LanguageVersion {
    /// Metal 2.4
    Metal2_4,
    /// Metal 3.0
    Metal3_0,
    /// Metal 3.1, which brought `bfloat`.
    Metal3_1,
    /// Metal 3.2, which brought logging.
    Metal3_2,
    /// Metal 4.0, which brought tensors.
    #[default]
    Metal4_0,
    /// Metal 4.1, which brought atomic floats in threadgroup memory.
    Metal4_1,
}

impl LanguageVersion {
    /// The value of `__METAL_VERSION__`.
    pub fn number(self) -> u32 {
        match self {
            Self::Metal2_4 => 240,
            Self::Metal3_0 => 300,
            Self::Metal3_1 => 310,
            Self::Metal3_2 => 320,
            Self::Metal4_0 => 400,
            Self::Metal4_1 => 410,
        }
    }

    /// Does the version have the type `bfloat`?
    pub fn has_bfloat(self) -> bool {
        self >= Self::Metal3_1
    }
}

impl fmt::Display for LanguageVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number();
        write!(formatter, "metal{}.{}", number / 100, number / 10 % 10)
    }
}

impl FromStr for LanguageVersion {
    type Err = String;

    /// Reads `metal3.1`, `macos-metal2.4` or `3.1`.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix("macos-").unwrap_or(text);
        let number = number.strip_prefix("metal").unwrap_or(number);
        Ok(match number {
            "2.4" => Self::Metal2_4,
            "3.0" => Self::Metal3_0,
            "3.1" => Self::Metal3_1,
            "3.2" => Self::Metal3_2,
            "4.0" => Self::Metal4_0,
            "4.1" => Self::Metal4_1,
            _ => {
                return Err(format!(
                    "unknown language version `{text}`: write metal2.4, metal3.0, metal3.1, metal3.2, metal4.0 or metal4.1"
                ));
            }
        })
    }
}

/// Options of a compilation that change what the text means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The language version.
    pub version: LanguageVersion,
    /// Macros defined before the first line: name (with parameters, if any) and body.
    pub defines: Vec<(String, String)>,
    /// Folders in which `#include` looks, in order.
    pub include_folders: Vec<String>,
    /// Floating-point arithmetic may take the liberties of Metal's default.
    pub fast_math: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            version: LanguageVersion::default(),
            defines: Vec::new(),
            include_folders: Vec::new(),
            fast_math: true,
        }
    }
}
