//! A figure together with its source and the trust that the source deserves.

use std::fmt;
use std::ops::Deref;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

/// A value, where it was read, and how far to trust it.
///
/// Dereferences to the value, so that code which only computes need not name the wrapper.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact<T> {
    /// The figure itself, in the unit that the field's name ends with.
    pub value: T,
    /// Key into [`crate::sources`].
    pub source: String,
    /// How far to trust it.
    pub confidence: Confidence,
    /// What a reader should know before using it.
    pub note: Option<String>,
}

impl<T> Deref for Fact<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// How a figure came to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// Nobody published a figure.
    Unknown,
    /// Sources disagree, or the same source at different times.
    Conflicting,
    /// Worked out from other figures or by analogy.
    Inferred,
    /// Written down by somebody, without the measurement.
    Reported,
    /// Measured, with the method published.
    Measured,
    /// Stated by the maker.
    Stated,
}

/// How a figure came to be known, and by whom; printed as in the data files (`measured by P. Turner`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confidence {
    /// The kind of knowledge.
    pub trust: Trust,
    /// Who stated, measured or reported it; empty for inferred, conflicting and unknown figures.
    pub by: String,
}

impl Confidence {
    /// Reads the spelling of the data files; `None` when it is none of the known ones.
    pub fn parse(text: &str) -> Option<Self> {
        let attributed = [
            ("stated by ", Trust::Stated),
            ("measured by ", Trust::Measured),
            ("reported by ", Trust::Reported),
        ];
        for (prefix, trust) in attributed {
            if let Some(by) = text.strip_prefix(prefix) {
                return (!by.is_empty()).then(|| Self { trust, by: by.to_owned() });
            }
        }
        let trust = match text {
            "inferred" => Trust::Inferred,
            "conflicting" => Trust::Conflicting,
            "unknown" => Trust::Unknown,
            _ => return None,
        };
        Some(Self { trust, by: String::new() })
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.trust {
            Trust::Stated => write!(f, "stated by {}", self.by),
            Trust::Measured => write!(f, "measured by {}", self.by),
            Trust::Reported => write!(f, "reported by {}", self.by),
            Trust::Inferred => f.write_str("inferred"),
            Trust::Conflicting => f.write_str("conflicting"),
            Trust::Unknown => f.write_str("unknown"),
        }
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            D::Error::custom(format!(
                "unknown confidence `{text}`: write `stated by X`, `measured by X`, `reported by X`, `inferred`, `conflicting` or `unknown`"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Confidence, Trust};

    #[test]
    fn confidence_prints_as_it_reads() {
        for text in [
            "stated by Apple",
            "measured by P. Turner",
            "reported by X",
            "inferred",
            "conflicting",
            "unknown",
        ] {
            assert_eq!(Confidence::parse(text).map(|c| c.to_string()).as_deref(), Some(text));
        }
        for text in ["", "stated", "stated by ", "guessed", "Inferred"] {
            assert_eq!(Confidence::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_statement_outranks_a_measurement_and_a_guess() {
        assert!(Trust::Stated > Trust::Measured);
        assert!(Trust::Measured > Trust::Inferred);
        assert!(Trust::Inferred > Trust::Conflicting);
    }
}
