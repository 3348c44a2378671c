//! From what a person types to a chip, and a helpful error when there is none.

use thiserror::Error;

use crate::chip::Chip;
use crate::data::tables;

/// The chip that a device reports unless `MW_CHIP` names another.
pub const DEFAULT_CHIP: &str = "m2";

/// A name that no known chip has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown chip `{name}`{}; known chips are {}", did_you_mean(.suggestions), .known.join(", "))]
pub struct UnknownChip {
    /// The name as it was given.
    pub name: String,
    /// Names that are near to it, nearest first.
    pub suggestions: Vec<&'static str>,
    /// Every name that would have been accepted.
    pub known: Vec<&'static str>,
}

pub(crate) fn by_name(name: &str) -> Result<&'static Chip, UnknownChip> {
    let wanted = normalize(name);
    let found =
        tables().chips.iter().find(|chip| normalize(&chip.slug) == wanted || normalize(&chip.name) == wanted);
    found.ok_or_else(|| unknown(name, &wanted))
}

pub(crate) fn from_setting(setting: Option<&str>) -> Result<&'static Chip, UnknownChip> {
    match setting.map(str::trim) {
        None | Some("") => Ok(default_chip()),
        Some(name) => by_name(name),
    }
}

pub(crate) fn default_chip() -> &'static Chip {
    by_name(DEFAULT_CHIP).expect("the default chip is in the embedded table")
}

/// Letters and digits in lower case, without the maker's name: what all spellings of a chip share.
fn normalize(name: &str) -> String {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    plain.strip_prefix("apple").map(str::to_owned).unwrap_or(plain)
}

fn unknown(name: &str, wanted: &str) -> UnknownChip {
    /// More than this many edits away is another word, not a slip.
    const FAR: usize = 2;
    const SHOWN: usize = 3;
    let known: Vec<&'static str> = tables().chips.iter().map(|chip| chip.slug.as_str()).collect();
    let mut near: Vec<(usize, &'static str)> = known
        .iter()
        .map(|slug| (edit_distance(wanted, &normalize(slug)), *slug))
        .filter(|(distance, slug)| *distance <= FAR && *distance < normalize(slug).len())
        .collect();
    near.sort_unstable();
    let suggestions = near.into_iter().take(SHOWN).map(|(_, slug)| slug).collect();
    UnknownChip { name: name.to_owned(), suggestions, known }
}

fn did_you_mean(suggestions: &[&str]) -> String {
    match suggestions {
        [] => String::new(),
        [one] => format!(": did you mean `{one}`?"),
        [first @ .., last] => format!(": did you mean `{}` or `{last}`?", first.join("`, `")),
    }
}

/// Levenshtein distance over bytes; both arguments are short ASCII.
fn edit_distance(from: &str, to: &str) -> usize {
    // A hostile setting may be megabytes long; nothing that long is a slip for a chip's name.
    const LONGEST: usize = 64;
    if from.len() > LONGEST {
        return from.len();
    }
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.bytes().enumerate() {
            let substituted = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{edit_distance, normalize};

    #[test]
    fn distances_of_known_pairs() {
        for (from, to, distance) in
            [("", "", 0), ("", "m1", 2), ("m1", "m1", 0), ("m4max", "m4mx", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(edit_distance(from, to), distance, "{from} → {to}");
            assert_eq!(edit_distance(to, from), distance, "{to} → {from}");
        }
    }

    #[test]
    fn spellings_of_a_chip_are_one() {
        for name in ["m4-max", "M4 Max", "Apple M4 Max", "m4max", "M4_MAX", " apple-m4-max "] {
            assert_eq!(normalize(name), "m4max");
        }
    }
}
