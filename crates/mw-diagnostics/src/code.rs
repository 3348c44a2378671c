//! What a diagnostic code is: number, name, severity and a structured explanation.

use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Additional information, never alone.
    Note,
    /// Compiles, but is likely not what was meant.
    Warning,
    /// Does not compile.
    Error,
}

impl Severity {
    /// As it is printed: `error`, `warning`, `note`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A kind of diagnostic, declared once in the [`registry`](crate::registry).
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Printed as `MSLnnnn`; never reused for another meaning.
    pub number: u16,
    /// Stable name in kebab case, also the folder of its tests.
    pub name: &'static str,
    /// Unless the place that reports it says otherwise.
    pub severity: Severity,
    /// The page that `mw explain` shows.
    pub doc: Doc,
}

/// The explanation of a code.
#[derive(Debug, PartialEq, Eq)]
pub struct Doc {
    /// What it checks.
    pub checks: &'static str,
    /// Why this is wrong.
    pub why: &'static str,
    /// MSL that gets this diagnostic.
    pub example: &'static str,
    /// MSL to write instead, which does not get it.
    pub instead: &'static str,
    /// The rule: a section of the Metal Shading Language specification, or of the C++ standard.
    pub source: &'static str,
}

impl Code {
    /// Where it is explained.
    pub fn url(&self) -> String {
        let number = self.to_string().to_lowercase();
        format!(
            "https://github.com/metalworking/metalworking/blob/main/docs/language-rules.md#{number}-{}",
            self.name
        )
    }

    /// The explanation as Markdown, as `mw explain` and the book show it.
    pub fn explain(&self) -> String {
        let Doc { checks, why, example, instead, source } = &self.doc;
        format!(
            "# {self}: {}\n\n## What it checks\n\n{checks}\n\n## Why\n\n{why}\n\n## Example\n\n```metal\n{}\n```\n\n## Use instead\n\n```metal\n{}\n```\n\n## Source\n\n{source}\n",
            self.name,
            example.trim_end(),
            instead.trim_end()
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "MSL{:04}", self.number)
    }
}
