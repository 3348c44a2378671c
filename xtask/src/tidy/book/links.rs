//! Links, includes and headings of a Markdown page, outside its code.

/// The targets of the page's links.
pub(super) fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in prose(text) {
        let mut rest = line;
        while let Some(start) = rest.find("](") {
            let target = &rest[start + 2..];
            let Some(end) = target.find(')') else { break };
            found.push(&target[..end]);
            rest = &target[end..];
        }
    }
    found
}

/// The targets of the page's includes, which may stand in code.
pub(super) fn includes(text: &str) -> Vec<&str> {
    text.split("{{#include ").skip(1).filter_map(|rest| rest.split("}}").next()).map(str::trim).collect()
}

/// The anchors of the page's headings, as mdBook makes them.
pub(super) fn anchors(text: &str) -> Vec<String> {
    prose(text)
        .filter(|line| line.starts_with('#'))
        .map(|heading| heading.trim_start_matches('#').trim())
        .map(|heading| {
            heading
                .to_lowercase()
                .chars()
                .filter_map(|c| match c {
                    ' ' => Some('-'),
                    c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
                    _ => None,
                })
                .collect()
        })
        .collect()
}

/// A link to code must name a commit, or its lines move away.
pub(super) fn check_pinned(link: &str) -> Option<String> {
    let path = link.strip_prefix("https://github.com/")?;
    let mut parts = path.split('/').skip(2);
    let kind = parts.next()?;
    if !matches!(kind, "blob" | "tree") {
        return None;
    }
    let commit = parts.next().unwrap_or_default();
    let is_pinned = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!is_pinned).then(|| format!("`{link}` names no commit: use the 40 digits"))
}

/// The lines outside fenced code, without what stands between backticks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        if line.starts_with("```") {
            is_code = !is_code;
            return false;
        }
        !is_code
    })
}

#[cfg(test)]
mod tests {
    use super::{anchors, check_pinned, includes, links};

    #[test]
    fn links_of_prose_are_found() {
        assert_eq!(
            links("a [x](y.md) and [z](https://z.org/a_b)\n```\n[no](no.md)\n```\n"),
            ["y.md", "https://z.org/a_b"]
        );
        assert_eq!(
            includes("```\n{{#include ../a.metal}}\n```\n{{#include b.svg}}"),
            ["../a.metal", "b.svg"]
        );
        assert_eq!(anchors("# A: b's, c\n## `x` y_z\n"), ["a-bs-c", "x-y_z"]);
    }

    #[test]
    fn code_is_linked_at_a_commit() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(check_pinned(&format!("https://github.com/o/r/blob/{commit}/f#L1-L2")), None);
        assert_eq!(check_pinned("https://github.com/o/r/pull/3"), None);
        assert_eq!(check_pinned("https://github.com/o/r"), None);
        assert!(check_pinned("https://github.com/o/r/blob/main/f").is_some());
        assert!(check_pinned("https://github.com/o/r/tree/v1").is_some());
    }
}
