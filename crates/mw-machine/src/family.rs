//! GPU families in Metal's words and with Metal's numbers.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

/// A family that `supportsFamily` may be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GpuFamily {
    /// Apple's own GPUs, by generation: 7 is M1, 8 is M2, 9 is M3 and M4, 10 is M5.
    Apple(u8),
    /// The common families, 1 to 3.
    Common(u8),
    /// The second Mac family; Apple GPUs in a Mac report it beside their own.
    Mac2,
    /// The Metal 3 feature set.
    Metal3,
    /// The Metal 4 feature set.
    Metal4,
}

impl GpuFamily {
    /// The newest Apple family that this crate knows.
    pub const NEWEST_APPLE: u8 = 10;

    /// The family of a value of `MTLGPUFamily`; `None` for numbers that name none we know.
    ///
    /// # Source
    /// `MTLDevice.h` of the macOS 26.5 SDK, as cited in public repositories.
    pub fn from_raw(raw: i64) -> Option<Self> {
        match raw {
            1001..=1010 => Some(Self::Apple((raw - 1000) as u8)),
            3001..=3003 => Some(Self::Common((raw - 3000) as u8)),
            2002 => Some(Self::Mac2),
            5001 => Some(Self::Metal3),
            5002 => Some(Self::Metal4),
            _ => None,
        }
    }

    /// The value of `MTLGPUFamily` for this family.
    pub fn raw(self) -> i64 {
        match self {
            Self::Apple(generation) => 1000 + i64::from(generation),
            Self::Common(generation) => 3000 + i64::from(generation),
            Self::Mac2 => 2002,
            Self::Metal3 => 5001,
            Self::Metal4 => 5002,
        }
    }

    /// Reads `Apple7`, `Common3`, `Mac2`, `Metal3`, `Metal4`.
    pub fn parse(text: &str) -> Option<Self> {
        let generation = |prefix: &str, newest: u8| {
            let number: u8 = text.strip_prefix(prefix)?.parse().ok()?;
            (1..=newest).contains(&number).then_some(number)
        };
        match text {
            "Mac2" => Some(Self::Mac2),
            "Metal3" => Some(Self::Metal3),
            "Metal4" => Some(Self::Metal4),
            _ => generation("Apple", Self::NEWEST_APPLE)
                .map(Self::Apple)
                .or_else(|| generation("Common", 3).map(Self::Common)),
        }
    }
}

impl fmt::Display for GpuFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Apple(generation) => write!(f, "Apple{generation}"),
            Self::Common(generation) => write!(f, "Common{generation}"),
            Self::Mac2 => f.write_str("Mac2"),
            Self::Metal3 => f.write_str("Metal3"),
            Self::Metal4 => f.write_str("Metal4"),
        }
    }
}

/// An Apple family as the data files write it: only `AppleN` is a family that a chip can *be*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AppleFamily(pub(crate) u8);

impl<'de> Deserialize<'de> for AppleFamily {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match GpuFamily::parse(&text) {
            Some(GpuFamily::Apple(generation)) => Ok(Self(generation)),
            _ => {
                Err(D::Error::custom(format!("`{text}` is no Apple GPU family: write `Apple1` to `Apple10`")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::GpuFamily;

    #[test]
    fn raw_values_and_names_go_both_ways() {
        let mut known = 0;
        for raw in 0..6000 {
            let Some(family) = GpuFamily::from_raw(raw) else { continue };
            known += 1;
            assert_eq!(family.raw(), raw);
            assert_eq!(GpuFamily::parse(&family.to_string()), Some(family));
        }
        assert_eq!(known, 10 + 3 + 3);
    }

    #[test]
    fn names_of_nothing_are_refused() {
        for text in ["", "Apple", "Apple0", "Apple11", "Common4", "apple7", "Mac1", "Metal5", "Apple-1"] {
            assert_eq!(GpuFamily::parse(text), None, "{text}");
        }
    }
}
