//! Every code, declared once: `mw explain`, the book pages and the tests come from here.
//!
//! One file per group, each with its range of numbers. To add a code, add one entry to the `codes!` list of
//! its group: constant, number, kebab name, severity, and the page.

use std::fmt::Write as _;

use crate::{Code, Doc};

/// Declares the codes of one group: a `pub static` each, and the group's list `CODES`.
macro_rules! codes {
    ($($constant:ident = $number:literal $name:literal $severity:ident {
        checks: $checks:literal,
        why: $why:literal,
        example: $example:literal,
        instead: $instead:literal,
        source: $source:literal $(,)?
    })*) => {
        $(
            #[doc = $checks]
            pub static $constant: $crate::Code = $crate::Code {
                number: $number,
                name: $name,
                severity: $crate::Severity::$severity,
                doc: $crate::Doc {
                    checks: $checks,
                    why: $why,
                    example: $example,
                    instead: $instead,
                    source: $source,
                },
            };
        )*
        /// All codes of this group, by number.
        pub static CODES: &[&$crate::Code] = &[$(&$constant),*];
    };
}

pub mod lowering;
pub mod preprocess;
pub mod semantics;
pub mod syntax;

/// The groups in order of their numbers.
static GROUPS: &[&[&Code]] = &[preprocess::CODES, syntax::CODES, semantics::CODES, lowering::CODES];

/// All codes, by number.
pub fn all() -> impl Iterator<Item = &'static Code> {
    GROUPS.iter().flat_map(|group| group.iter().copied())
}

/// The code that a user names as `MSL0231`, `231` or `address-space-mismatch`.
pub fn find(name: &str) -> Option<&'static Code> {
    let digits = name.strip_prefix("MSL").or_else(|| name.strip_prefix("msl")).unwrap_or(name);
    let number = digits.parse::<u16>().ok();
    all().find(|code| code.name == name || Some(code.number) == number)
}

/// The page that lists all rules, as Markdown: a table for each group, then a section for each code.
pub fn page() -> String {
    let mut page = String::from(
        "# Language Rules\n\n\
         What the compiler of Metal source checks: each rule with its code, the section that it comes from and the folder of its tests.\n\
         `mw explain MSL0231` prints a section of this page.\n\
         Every code has files that break the rule, with what is said of them, and files that keep it.\n\n\
         The page is made by `cargo xtask codegen` from `crates/mw-diagnostics/src/registry/`.\n\
         \"MSL\" is Apple's Metal Shading Language specification, whose sections are named by their titles: numbers change with its versions.\n",
    );
    let titles = ["Preprocessor", "Grammar", "Names, Types and Calls", "Lowering"];
    for (title, codes) in titles.iter().zip(GROUPS) {
        let _ = write!(
            page,
            "\n## {title}\n\n| code | what is checked | rule | tests |\n| --- | --- | --- | --- |\n"
        );
        for code in *codes {
            let _ = writeln!(
                page,
                "| [{code}](#{}-{}) | {} | {} | [`{}`](../tests/diagnostics/{}) |",
                code.to_string().to_lowercase(),
                code.name,
                code.doc.checks.replace('|', "\\|"),
                section(code).replace('|', "\\|"),
                code.name,
                code.name,
            );
        }
    }
    page += "\n## Codes\n";
    for code in all() {
        let Doc { checks, why, example, instead, .. } = &code.doc;
        let _ = write!(
            page,
            "\n### {code}: {}\n\n{checks}\n{why}\n\n```metal\n{}\n```\n\nInstead:\n\n```metal\n{}\n```\n\nRule: {}.\n",
            code.name,
            example.trim_end(),
            instead.trim_end(),
            section(code),
        );
        if code.severity != crate::Severity::Error {
            let _ = writeln!(page, "It is a {}.", code.severity);
        }
    }
    page
}

/// A rule's source, in the page's short words.
fn section(code: &Code) -> String {
    code.doc.source.replace("Metal Shading Language specification", "MSL")
}

#[cfg(test)]
mod tests {
    use super::{all, find};

    #[test]
    fn numbers_and_names_are_unique_and_in_order() {
        let codes: Vec<_> = all().collect();
        assert!(!codes.is_empty());
        for pair in codes.windows(2) {
            assert!(pair[0].number < pair[1].number, "{} stands after {}", pair[1], pair[0]);
        }
        let names: std::collections::BTreeSet<_> = codes.iter().map(|code| code.name).collect();
        assert_eq!(names.len(), codes.len());
    }

    #[test]
    fn every_page_is_written() {
        for code in all() {
            let kebab =
                |name: &str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
            assert!(kebab(code.name), "{code}: `{}` is not kebab case", code.name);
            for part in [code.doc.checks, code.doc.why, code.doc.example, code.doc.instead, code.doc.source] {
                assert!(!part.trim().is_empty(), "{code} has an empty part");
            }
        }
    }

    #[test]
    fn a_code_is_found_by_number_and_name() {
        let code = find("expected-token").expect("the code exists");
        assert_eq!(find("MSL0100").map(|code| code.name), Some(code.name));
        assert_eq!(find("100").map(|code| code.name), Some(code.name));
        assert!(find("MSL9999").is_none());
        assert!(code.explain().starts_with("# MSL0100: expected-token\n"));
    }
}
