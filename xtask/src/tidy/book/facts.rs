//! Every fact of the glossary is on its page: `book/facts.toml` names a phrase for each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use mw_machine::{FigureStyle, expand_figures};
use serde::Deserialize;

use super::SOURCE;

/// The facts of one page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    /// The page, below `book/src`.
    page: PathBuf,
    /// A phrase for each fact, as the page says it with its figures filled in.
    says: Vec<String>,
}

/// Facts that their page does not hold, phrases that name two facts, pages without facts.
pub(super) fn check(
    list: &str,
    pages: impl Iterator<Item = &'static str>,
    texts: &BTreeMap<PathBuf, String>,
) -> Vec<String> {
    let facts: BTreeMap<String, Facts> = match toml::from_str(list) {
        Ok(facts) => facts,
        Err(error) => return vec![format!("the list of facts does not parse: {error}")],
    };
    let mut messages = Vec::new();
    let answered: BTreeSet<&Path> = facts.values().map(|facts| facts.page.as_path()).collect();
    for page in pages.filter(|page| !answered.contains(Path::new(page))) {
        messages.push(format!("no fact is listed for {page}"));
    }
    for (slug, facts) in &facts {
        let text = texts.get(&Path::new(SOURCE).join(&facts.page)).map_or("", String::as_str);
        // A reference to no figure is reported where it stands.
        let text = expand_figures(text, FigureStyle::Plain).unwrap_or_else(|_| text.to_owned());
        let mut phrases = BTreeSet::new();
        for (number, phrase) in (1..).zip(&facts.says) {
            if !phrases.insert(phrase) {
                messages.push(format!("{slug}.{number}: `{phrase}` stands for two facts"));
            }
            if !text.contains(phrase.as_str()) {
                messages.push(format!("{slug}.{number}: {} does not say `{phrase}`", facts.page.display()));
            }
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::check;

    #[test]
    fn facts_that_a_page_lacks_are_named() {
        let texts = [(PathBuf::from("book/src/a.md"), "It has {{chip m5 cores}} cores.\n".to_owned())].into();
        let found = |list: &str| check(list, ["a.md"].into_iter(), &texts);
        assert!(found("[a]\npage = \"a.md\"\nsays = [\"has 10 cores\"]").is_empty());
        assert_eq!(
            found("[a]\npage = \"a.md\"\nsays = [\"has 12 cores\"]"),
            ["a.1: a.md does not say `has 12 cores`"]
        );
        assert_eq!(
            found("[a]\npage = \"a.md\"\nsays = [\"cores\", \"cores\"]"),
            ["a.2: `cores` stands for two facts"]
        );
        assert_eq!(found(""), ["no fact is listed for a.md"]);
        assert!(found("[a]\npaeg = 1")[0].starts_with("the list of facts does not parse"));
    }
}
