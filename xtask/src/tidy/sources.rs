//! Rules for Rust files: each says what it is for, promises nothing that is missing, and stays readable.

use std::path::Path;

use super::Finding;

/// Above this many lines a file is asked whether it has a second concern.
const LONG: usize = 700;

/// Marks of unfinished or silenced work, in pieces so that this file passes its own check.
const UNFINISHED: [(&str, &str); 4] = [
    (concat!("todo", "!("), "return an error that names what is missing"),
    (concat!("unimplemented", "!("), "return an error that names what is missing"),
    (concat!("#[ig", "nore"), "assert today's result, or move the test to a profile that says what it needs"),
    (concat!("#[should", "_panic"), "return an error and assert on it"),
];

pub(super) fn check(path: &Path, content: &str, findings: &mut Vec<Finding>) {
    let first = content.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!["));
    if !first.is_some_and(|line| line.starts_with("//!")) {
        findings.push(Finding::error(
            path,
            1,
            "the file does not say what it is for: open with a `//!` comment",
        ));
    }
    for (index, line) in content.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for (mark, instead) in UNFINISHED {
            if code.contains(mark) {
                findings.push(Finding::error(path, index + 1, format!("`{mark}` is not allowed: {instead}")));
            }
        }
    }
    let lines = content.lines().count();
    if lines > LONG {
        findings.push(Finding::warning(
            path,
            0,
            format!("{lines} lines: is there a second concern to move out?"),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG, UNFINISHED, check};
    use crate::tidy::findings_of;

    #[test]
    fn a_file_must_say_what_it_is_for() {
        assert_eq!(findings_of(check, "a.rs", "//! A thing.\nfn f() {}\n"), [""; 0]);
        assert_eq!(findings_of(check, "a.rs", "#![no_std]\n//! A thing.\n"), [""; 0]);
        for content in ["", "fn f() {}\n", "// A thing.\n", "/// A thing.\nfn f() {}\n//! late\n"] {
            let found = findings_of(check, "a.rs", content);
            assert!(found[0].starts_with("error: a.rs:1: the file does not say"), "{content}: {found:?}");
        }
    }

    #[test]
    fn unfinished_work_is_found_in_code_and_not_in_comments() {
        for (mark, _) in UNFINISHED {
            let found = findings_of(check, "a.rs", &format!("//! A thing.\n\n  {mark}\n"));
            assert!(found.len() == 1 && found[0].starts_with("error: a.rs:3: "), "{found:?}");
            assert_eq!(findings_of(check, "a.rs", &format!("//! A thing.\n// {mark}\n")), [""; 0]);
        }
    }

    #[test]
    fn a_long_file_is_only_a_warning() {
        let content = "//! A thing.\n".repeat(LONG + 1);
        let found = findings_of(check, "a.rs", &content);
        assert!(found.len() == 1 && found[0].starts_with("warning: a.rs: 701 lines"), "{found:?}");
        assert_eq!(findings_of(check, "a.rs", &"//! A thing.\n".repeat(LONG)), [""; 0]);
    }
}
