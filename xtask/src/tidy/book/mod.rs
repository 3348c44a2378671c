//! Rules for the glossary: the pages and their order, the form of a page, links, figures, kernels, doubts.
//!
//! A page is text, so each rule takes text and gives messages; only `check` touches files.

mod facts;
mod figures;
mod links;
mod page;
mod seed;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use self::links::{includes, links};
use super::Finding;
use crate::context::Context;

const SOURCE: &str = "book/src";
const KERNELS: &str = "book/kernels";
const DIAGRAMS: &str = "book/diagrams";
const FACTS: &str = "book/facts.toml";

/// The page that is made of the tables.
const TABLES: &str = "machine-tables.md";

/// Claims that circulate and were looked into, D1 to D29: each is answered on one page.
const DOUBTS: u32 = 29;

/// Checks the whole book.
pub(super) fn check(files: &[PathBuf], context: &Context, findings: &mut Vec<Finding>) {
    if !files.iter().any(|path| path.starts_with(SOURCE)) {
        return;
    }
    let mut texts = BTreeMap::new();
    for path in files.iter().filter(|path| path.starts_with("book")) {
        if let Ok(text) = std::fs::read_to_string(context.root.join(path)) {
            texts.insert(path.clone(), text);
        }
    }
    let mut report = |path: &Path, messages: Vec<String>| {
        findings.extend(messages.into_iter().map(|message| Finding::error(path, 0, message)));
    };
    let summary = Path::new(SOURCE).join("SUMMARY.md");
    report(&summary, check_summary(texts.get(&summary).map_or("", String::as_str)));

    let order: Vec<_> = seed::pages().collect();
    for (index, (title, path)) in order.iter().enumerate() {
        let path = Path::new(SOURCE).join(path);
        let next = order.get(index + 1).copied().unwrap_or(seed::LAST);
        match texts.get(&path) {
            Some(text) => report(&path, page::check(title, text, &next_link(&path, next))),
            None => report(&path, vec!["this page of the glossary is missing".to_owned()]),
        }
    }
    let known: BTreeSet<&Path> = files.iter().map(PathBuf::as_path).collect();
    let mut included = BTreeSet::new();
    let figures = figures::known();
    for (path, text) in texts.iter().filter(|(path, _)| path.starts_with(SOURCE)) {
        report(path, check_targets(path, text, &texts, &known));
        included.extend(includes(text).into_iter().map(|target| resolve(path, target)));
        if !path.ends_with(TABLES) {
            report(path, figures::check(text, &figures));
        }
        if let Err(error) = mw_machine::expand_figures(text, mw_machine::FigureStyle::Plain) {
            report(path, vec![error.to_string()]);
        }
    }
    for (path, text) in &texts {
        if path.starts_with(KERNELS) || path.starts_with(DIAGRAMS) {
            report(path, check_part(path, text, &included));
        }
    }
    report(Path::new(SOURCE), check_doubts(&texts));
    let facts = Path::new(FACTS);
    let list = texts.get(facts).map_or("", String::as_str);
    report(facts, facts::check(list, seed::pages().map(|(_, path)| path), &texts));
}

/// The line with which a page ends.
fn next_link(path: &Path, next: (&str, &str)) -> String {
    let folder = path.parent().unwrap_or(Path::new("")).strip_prefix(SOURCE).unwrap_or(Path::new(""));
    let target = Path::new(next.1);
    let up = if folder.as_os_str().is_empty() { "" } else { "../" };
    let link = match target.strip_prefix(folder) {
        Ok(near) if !folder.as_os_str().is_empty() => near.display().to_string(),
        _ => format!("{up}{}", next.1),
    };
    format!("**Next:** [{}]({link})", next.0)
}

/// The summary lists every section and page of the seed, in its order.
fn check_summary(summary: &str) -> Vec<String> {
    let mut wanted = vec![format!("[{}]({})", seed::FIRST.0, seed::FIRST.1)];
    for section in &seed::SECTIONS {
        wanted.push(format!("# {}", section.title));
        wanted.extend(section.pages.iter().map(|(title, path)| format!("- [{title}]({path})")));
    }
    let mut lines = summary.lines();
    wanted
        .into_iter()
        .filter(|wanted| !lines.any(|line| line == wanted))
        .take(1)
        .map(|wanted| format!("`{wanted}` is missing, or not in the order of the glossary"))
        .collect()
}

/// Every link and include of a page leads somewhere.
fn check_targets(
    path: &Path,
    text: &str,
    texts: &BTreeMap<PathBuf, String>,
    known: &BTreeSet<&Path>,
) -> Vec<String> {
    let mut messages = Vec::new();
    for link in links(text) {
        if let Some(message) = links::check_pinned(link) {
            messages.push(message);
        }
        if link.starts_with("http") {
            continue;
        }
        let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
        let target = if target.is_empty() { path.to_owned() } else { resolve(path, target) };
        let Some(page) = texts.get(&target) else {
            messages.push(format!("the link to `{link}` leads nowhere"));
            continue;
        };
        if !anchor.is_empty() && !links::anchors(page).iter().any(|known| known == anchor) {
            messages.push(format!("`{link}`: the page has no heading `{anchor}`"));
        }
    }
    for target in includes(text) {
        if !known.contains(resolve(path, target).as_path()) {
            messages.push(format!("the include of `{target}` finds no file"));
        }
    }
    messages
}

/// A kernel says how it is run, a diagram what it shows; both are on a page.
fn check_part(path: &Path, text: &str, included: &BTreeSet<PathBuf>) -> Vec<String> {
    let mut messages = Vec::new();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        "metal" => {
            if !text.lines().any(|line| line.starts_with("// run: kernel=")) {
                messages.push("the kernel has no `// run: kernel=…` line".to_owned());
            }
            if !text.contains("expect.") {
                messages.push("no launch says what is expected".to_owned());
            }
        }
        "svg" => {
            for part in ["<title", "<desc", "role=\"img\"", "currentColor"] {
                if !text.contains(part) {
                    messages.push(format!("the diagram has no `{part}`"));
                }
            }
            if text.trim_end().contains("\n\n") {
                messages.push("a blank line ends the block of HTML that the diagram stands in".to_owned());
            }
        }
        // Expected values belong to the kernels.
        _ => return messages,
    }
    if !included.contains(path) {
        messages.push("no page includes it".to_owned());
    }
    messages
}

/// Each doubt is answered on exactly one page.
fn check_doubts(texts: &BTreeMap<PathBuf, String>) -> Vec<String> {
    (1..=DOUBTS)
        .filter_map(|number| {
            let mark = format!("<!-- doubt: D{number} -->");
            let count: usize = texts.values().map(|text| text.matches(&mark).count()).sum();
            (count != 1).then(|| format!("doubt D{number} is answered {count} times, not once"))
        })
        .collect()
}

/// A relative target as a path of the repository.
fn resolve(from: &Path, target: &str) -> PathBuf {
    let mut path = from.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(target).components() {
        match part {
            std::path::Component::ParentDir => {
                path.pop();
            }
            std::path::Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::{check_doubts, check_part, check_summary, check_targets, next_link, resolve, seed};

    #[test]
    fn the_glossary_has_fifty_six_pages_in_six_sections() {
        let sizes: Vec<usize> = seed::SECTIONS.iter().map(|section| section.pages.len()).collect();
        assert_eq!(sizes, [10, 13, 8, 11, 10, 4]);
        assert_eq!(seed::pages().count(), 57);
    }

    #[test]
    fn paths_are_resolved_and_next_links_are_relative() {
        assert_eq!(resolve(Path::new("book/src/a/b.md"), "../../x/y.svg"), Path::new("book/x/y.svg"));
        assert_eq!(resolve(Path::new("book/src/a/b.md"), "./c.md"), Path::new("book/src/a/c.md"));
        let link = |from, to| next_link(Path::new(from), ("T", to));
        assert_eq!(link("book/src/a/b.md", "a/c.md"), "**Next:** [T](c.md)");
        assert_eq!(link("book/src/a/b.md", "d/c.md"), "**Next:** [T](../d/c.md)");
        assert_eq!(link("book/src/b.md", "a/c.md"), "**Next:** [T](a/c.md)");
    }

    #[test]
    fn a_summary_out_of_order_is_found() {
        let mut good = format!("[{}]({})\n", seed::FIRST.0, seed::FIRST.1);
        for section in &seed::SECTIONS {
            writeln!(good, "# {}", section.title).unwrap();
            for (title, path) in section.pages {
                writeln!(good, "- [{title}]({path})").unwrap();
            }
        }
        assert_eq!(check_summary(&good), Vec::<String>::new());
        let swapped = good
            .replace("- [Simdgroup](machine/simdgroup.md)\n", "")
            .replace("- [Registers]", "- [Simdgroup](machine/simdgroup.md)\n- [Registers]");
        assert_eq!(check_summary(&swapped), Vec::<String>::new());
        let late = good.replace("- [Simdgroup](machine/simdgroup.md)\n", "")
            + "- [Simdgroup](machine/simdgroup.md)\n";
        assert_eq!(check_summary(&late).len(), 1);
    }

    #[test]
    fn links_to_nowhere_are_found() {
        let page = Path::new("book/src/a.md").to_owned();
        let other = Path::new("book/src/b.md").to_owned();
        let texts =
            [(page.clone(), String::new()), (other.clone(), "## A Heading, here\n".to_owned())].into();
        let known = [page.as_path(), other.as_path()].into();
        let found = |text| check_targets(&page, text, &texts, &known);
        assert!(found("[b](b.md#a-heading-here) [x](https://x.org) [self](#)").is_empty());
        assert_eq!(found("[c](c.md)"), ["the link to `c.md` leads nowhere"]);
        assert_eq!(found("[b](b.md#other)"), ["`b.md#other`: the page has no heading `other`"]);
        assert_eq!(found("{{#include ../x.svg}}"), ["the include of `../x.svg` finds no file"]);
    }

    #[test]
    fn parts_without_their_words_are_found() {
        let path = Path::new("book/kernels/a/b.metal");
        let included = [path.to_owned()].into();
        assert!(check_part(path, "// run: kernel=k expect.y=f32:[1]\n", &included).is_empty());
        assert_eq!(check_part(path, "kernel void k() {}\n", &included).len(), 2);
        let diagram = Path::new("book/diagrams/a.svg");
        assert!(check_part(diagram, "<svg>\n\n</svg>", &included).len() >= 5);
        assert!(check_part(Path::new("book/kernels/a/b.npy"), "", &included).is_empty());
    }

    #[test]
    fn doubts_are_answered_once() {
        let mut all = String::new();
        for number in 1..=29 {
            writeln!(all, "<!-- doubt: D{number} -->").unwrap();
        }
        let texts = |text: &str| [(Path::new("book/src/a.md").to_owned(), text.to_owned())].into();
        assert!(check_doubts(&texts(&all)).is_empty());
        assert_eq!(check_doubts(&texts(&all.replace("D7 ", "D8 "))).len(), 2);
    }
}
