//! Rules for every text file: no stray blanks or tabs, no place that exists on one machine only.

use std::path::Path;

use super::Finding;

/// Extensions of files that tools write; their blanks are the tools' business.
const WRITTEN_BY_TOOLS: [&str; 6] = ["snap", "stderr", "stdout", "csv", "lock", "svg"];

/// Extensions of files whose indentation is spaces.
const INDENTED_BY_SPACES: [&str; 9] = ["rs", "toml", "md", "py", "json", "yml", "yaml", "metal", "cff"];

/// Names that must not be in the repository: folders of one machine, hosts of package registries.
/// Each is in pieces, so that this file passes its own check.
const FORBIDDEN: &[(&str, &str)] = &[
    (concat!("/wo", "rk/"), "a path of one machine"),
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/ho", "me/"), "a path of one machine"),
    (concat!("/Us", "ers/"), "a path of one machine"),
    (concat!("crates", ".io"), "a host of a package registry"),
    (concat!("pypi", ".org"), "a host of a package registry"),
    (concat!("pythonhosted", ".org"), "a host of a package registry"),
    (concat!("npmjs", ".org"), "a host of a package registry"),
    (concat!("npmjs", ".com"), "a host of a package registry"),
    (concat!("deb.debian", ".org"), "a host of a package registry"),
    (concat!("static.rust-lang", ".org"), "a host of a package registry"),
    (concat!("conda.anaconda", ".org"), "a host of a package registry"),
];

pub(super) fn check(path: &Path, content: &str, findings: &mut Vec<Finding>) {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    // Cargo writes where each package came from into its lock file.
    let is_lock = extension == "lock";
    let by_tool = WRITTEN_BY_TOOLS.contains(&extension);
    let by_spaces = INDENTED_BY_SPACES.contains(&extension);
    for (index, line) in content.split('\n').enumerate() {
        let number = index + 1;
        if !by_tool && line.ends_with([' ', '\t', '\r']) {
            findings.push(Finding::error(path, number, "blanks at the end of the line"));
        }
        if by_spaces && line.contains('\t') {
            findings.push(Finding::error(path, number, "a tab: indent with spaces, write `\\t` in strings"));
        }
        if is_lock {
            continue;
        }
        for (name, what) in FORBIDDEN {
            if line.contains(name) {
                findings.push(Finding::error(path, number, format!("`{name}` is {what}: leave it out")));
            }
        }
    }
    if !by_tool && !content.is_empty() && !content.ends_with('\n') {
        findings.push(Finding::error(path, 0, "no newline at the end of the file"));
    }
    if !by_tool && content.ends_with("\n\n") {
        findings.push(Finding::error(path, 0, "blank lines at the end of the file"));
    }
}

#[cfg(test)]
mod tests {
    use super::{FORBIDDEN, check};
    use crate::tidy::findings_of;

    #[test]
    fn blanks_tabs_and_ends_of_files() {
        for (path, content, expected) in [
            ("a.md", "fine\n", None),
            ("a.md", "", None),
            ("a.md", "bad \n", Some("a.md:1: blanks")),
            ("a.md", "fine\nbad\t\n", Some("a.md:2: blanks")),
            ("a.md", "bad\r\n", Some("a.md:1: blanks")),
            ("a.rs", "\tbad\n", Some("a.rs:1: a tab")),
            ("Makefile", "\tfine\n", None),
            ("a.ll", "fine ; \tx\n", None),
            ("a.snap", "fine \n\n", None),
            ("a.md", "bad", Some("a.md: no newline")),
            ("a.md", "bad\n\n", Some("a.md: blank lines")),
        ] {
            let found = findings_of(check, path, content);
            match expected {
                None => assert!(found.is_empty(), "{path} {content:?}: {found:?}"),
                Some(text) => assert!(found[0].starts_with(&format!("error: {text}")), "{found:?}"),
            }
        }
    }

    #[test]
    fn places_of_one_machine_and_registry_hosts_are_found() {
        for (name, what) in FORBIDDEN {
            let found = findings_of(check, "a.md", &format!("see {name}x\n"));
            assert!(found.len() == 1 && found[0].contains(what), "{found:?}");
            assert!(findings_of(check, "Cargo.lock", &format!("see {name}x\n")).is_empty());
        }
        assert!(findings_of(check, "a.md", "a/worked/example, the /tmp/ folder\n").is_empty());
    }
}
