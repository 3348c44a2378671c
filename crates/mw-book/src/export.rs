//! The glossary for programs that read: a list of pages and all of their text.

use std::fmt::Write as _;

use crate::page::pages;
use crate::plain::PlainError;

/// The two files of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// `llms.txt`: one line a page, with its definition.
    pub list: String,
    /// `glossary.md`: the text of all pages.
    pub text: String,
}

/// Writes the whole glossary as plain Markdown.
pub fn export() -> Result<Export, PlainError> {
    let mut list = String::from("# Metalworking: a glossary of performance on Apple GPUs\n\n");
    let mut text = String::new();
    for page in pages() {
        writeln!(list, "- [{}]({}): {}", page.title, page.path, page.definition())
            .expect("a string takes all");
        writeln!(text, "<!-- {} -->\n\n{}\n", page.path, page.plain()?.trim_end())
            .expect("a string takes all");
    }
    Ok(Export { list, text })
}

#[cfg(test)]
mod tests {
    use super::export;
    use crate::pages;

    #[test]
    fn every_page_is_in_both_files() {
        let export = export().unwrap();
        for page in pages() {
            assert!(export.list.contains(&format!("- [{}]({}): ", page.title, page.path)), "{}", page.path);
            assert!(
                export.text.contains(&format!("<!-- {} -->\n\n# {}\n", page.path, page.title)),
                "{}",
                page.path
            );
        }
    }
}
