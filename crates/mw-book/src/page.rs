//! A page and its parts.

use std::sync::LazyLock;

use crate::files::{read, resolve};

/// A page of the glossary, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Its title.
    pub title: &'static str,
    /// The section of the book that it stands in; none for the pages before the first.
    pub section: Option<&'static str>,
    /// Where it lies below `book/src`, such as `machine/occupancy.md`.
    pub path: &'static str,
    /// Markdown with markers for figures and included files.
    pub text: &'static str,
}

/// All pages in the order of the summary.
pub fn pages() -> &'static [Page] {
    static PAGES: LazyLock<Vec<Page>> =
        LazyLock::new(|| from_summary(read("src/SUMMARY.md").unwrap_or_default()));
    &PAGES
}

fn from_summary(summary: &'static str) -> Vec<Page> {
    let mut section = None;
    let mut pages = Vec::new();
    for line in summary.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            section = Some(title).filter(|title| *title != "Summary");
        }
        let Some((title, path)) = link(line.trim_start_matches("- ")) else { continue };
        if let Some(text) = read(&format!("src/{path}")) {
            pages.push(Page { title, section, path, text });
        }
    }
    pages
}

/// `[title](target)` when the text is that and nothing else.
fn link(text: &str) -> Option<(&str, &str)> {
    let (title, rest) = text.strip_prefix('[')?.split_once("](")?;
    Some((title, rest.strip_suffix(')')?))
}

impl Page {
    /// The sentence that says what it is.
    pub fn definition(&self) -> &'static str {
        self.paragraphs().nth(1).unwrap_or_default()
    }

    /// What it is in CUDA, where the page says so.
    pub fn cuda(&self) -> Option<&'static str> {
        self.paragraphs().find_map(|it| it.strip_prefix("**CUDA:** "))
    }

    /// The pages under "See also", then the next one.
    pub fn related(&self) -> Vec<&'static Page> {
        let see_also = self.text.split_once("\n## See also\n").map_or("", |(_, rest)| rest);
        let mut related = Vec::new();
        for page in links(see_also).filter_map(|target| self.linked(target)) {
            if !related.contains(&page) {
                related.push(page);
            }
        }
        related
    }

    /// The page that a link on this one leads to.
    pub(crate) fn linked(&self, target: &str) -> Option<&'static Page> {
        let target = target.split('#').next()?;
        let path = resolve(self.path, target);
        pages().iter().find(|page| page.path == path)
    }

    fn paragraphs(&self) -> impl Iterator<Item = &'static str> {
        self.text.split("\n\n").map(str::trim)
    }
}

/// The targets of all links of a text.
pub(crate) fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

#[cfg(test)]
mod tests {
    use super::pages;

    #[test]
    fn a_page_knows_its_parts() {
        let page = pages().iter().find(|page| page.title == "Online Softmax").unwrap();
        assert_eq!(page.path, "techniques/online-softmax.md");
        assert_eq!(page.section, Some("Techniques"));
        assert!(page.definition().starts_with("Online softmax computes"), "{}", page.definition());
        assert!(page.cuda().unwrap().contains("FlashAttention"));
        let related: Vec<_> = page.related().iter().map(|page| page.title).collect();
        assert_eq!(related.first(), Some(&"Flash Attention"));
        assert!(related.contains(&"Simdgroup"));
    }

    #[test]
    fn every_page_has_a_definition_of_one_sentence_or_more() {
        assert!(pages().len() >= 57, "{}", pages().len());
        for page in pages() {
            assert!(page.definition().ends_with(['.', ':']), "{}: {}", page.path, page.definition());
            assert!(page.text.starts_with(&format!("# {}\n", page.title)), "{}", page.path);
        }
    }
}
