//! From a word to the pages that it leads to.
//!
//! Words are compared without case, spaces, `_`, `-` and the plural's `s`. A page's own name beats CUDA's word
//! for it, a whole name beats a part, and a part beats a likeness; among pages that only mention the word, the
//! one that does so most often comes first.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::page::{Page, links, pages};

/// A page that a word leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The page.
    pub page: &'static Page,
    /// The name of the page that is like the word.
    pub term: String,
    /// What that name is.
    pub via: Via,
    /// From 0 to 1000: above [`Hit::CERTAIN`] there is no doubt that this page was meant.
    pub score: u32,
}

/// What led to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// Its title or file name.
    Name,
    /// CUDA's word for the same thing.
    Cuda,
    /// The page mentions the word.
    Text,
}

impl Hit {
    /// Scores from here on are names, or parts of names, spelled right.
    pub const CERTAIN: u32 = 700;
    /// Below this a likeness is not worth showing.
    const LIKE: f64 = 0.72;

    /// Whether this page, and not only one like it, was asked for.
    pub fn is_certain(&self) -> bool {
        self.score >= Self::CERTAIN
    }
}

/// The pages that a word leads to, the best first. Empty for a word that no page knows.
pub fn find(word: &str) -> Vec<Hit> {
    let wanted = normalize(word);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut best: HashMap<&str, Hit> = HashMap::new();
    let mut offer = |hit: Hit| {
        let slot = best.entry(hit.page.path).or_insert_with(|| hit.clone());
        if slot.score < hit.score {
            *slot = hit;
        }
    };
    for term in terms() {
        if let Some(score) = likeness(&wanted, &term.normalized, term.via) {
            offer(Hit { page: term.page, term: term.text.clone(), via: term.via, score });
        }
    }
    let spelled = word.trim().to_lowercase();
    for page in pages() {
        let count = page.text.to_lowercase().matches(&spelled).count();
        if count > 0 {
            let score = 300 + u32::try_from(count.min(100)).unwrap_or(100);
            offer(Hit { page, term: word.trim().to_owned(), via: Via::Text, score });
        }
    }
    let mut hits: Vec<Hit> = best.into_values().collect();
    hits.sort_by_key(|hit| (Reverse(hit.score), hit.page.path));
    hits
}

fn likeness(wanted: &str, name: &str, via: Via) -> Option<u32> {
    let rank = if via == Via::Name { 20 } else { 0 };
    // Two letters begin and lie inside too many names.
    let is_part = wanted.len() >= 3;
    let score = if name == wanted {
        980
    } else if is_part && name.starts_with(wanted) {
        850
    } else if is_part && name.contains(wanted) {
        750
    } else {
        let likeness = strsim::normalized_damerau_levenshtein(wanted, name);
        if likeness < Hit::LIKE {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1")]
        let score = (likeness * 600.0) as u32;
        score
    };
    Some(score + rank)
}

/// A name of a page.
struct Term {
    text: String,
    normalized: String,
    page: &'static Page,
    via: Via,
}

fn terms() -> &'static [Term] {
    static TERMS: LazyLock<Vec<Term>> = LazyLock::new(|| {
        let mut terms = Vec::new();
        let mut add = |text: &str, page, via| {
            terms.push(Term { text: text.to_owned(), normalized: normalize(text), page, via });
        };
        for page in pages() {
            add(page.title, page, Via::Name);
            let file = page.path.rsplit('/').next().unwrap_or(page.path);
            add(file.trim_end_matches(".md"), page, Via::Name);
        }
        if let Some(table) = pages().iter().find(|page| page.path == "nvidia-to-metal.md") {
            for (word, page) in cuda_words(table) {
                add(word, page, Via::Cuda);
            }
        }
        terms.retain(|term| !term.normalized.is_empty());
        terms
    });
    &TERMS
}

/// The words in the first column of a page's tables, each with the page that its row links to.
fn cuda_words(table: &'static Page) -> Vec<(&'static str, &'static Page)> {
    let mut words = Vec::new();
    for row in table.text.lines().filter_map(|line| line.strip_prefix("| ")) {
        let Some((first, rest)) = row.split_once(" | ") else { continue };
        let Some(page) = links(rest).find_map(|target| table.linked(target)) else { continue };
        // "register file, 256 KB per SM" is the word and a figure; "`wmma`, `mma.sync`" are two words.
        let is_word = |it: &&str| {
            !it.is_empty() && !it.starts_with(|c: char| c.is_ascii_digit()) && !it.starts_with("up to")
        };
        words.extend(
            first.split(", ").map(|it| it.trim_matches('`')).filter(is_word).map(|word| (word, page)),
        );
    }
    words
}

fn normalize(text: &str) -> String {
    let text: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    match text.strip_suffix('s') {
        // "MPS" and "class" are no plurals.
        Some(one) if text.len() > 4 && !one.ends_with('s') => one.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{Via, find};

    fn first(word: &str) -> (&'static str, Via, bool) {
        let hits = find(word);
        let hit = hits.first().unwrap_or_else(|| panic!("nothing for {word}"));
        (hit.page.path, hit.via, hit.is_certain())
    }

    #[test]
    fn names_are_found_however_they_are_written() {
        assert_eq!(first("occupancy"), ("machine/occupancy.md", Via::Name, true));
        assert_eq!(first("Threadgroup Memory"), ("machine/threadgroup-memory.md", Via::Name, true));
        assert_eq!(first("simdgroup_matrix"), ("metal/simdgroup-matrix.md", Via::Name, true));
        assert_eq!(first("simdgroups"), ("machine/simdgroup.md", Via::Name, true));
        assert_eq!(first("MPS"), ("metal/mps.md", Via::Name, true));
    }

    #[test]
    fn words_of_cuda_lead_to_ours() {
        assert_eq!(first("warp"), ("machine/simdgroup.md", Via::Cuda, true));
        assert_eq!(first("shared memory"), ("machine/threadgroup-memory.md", Via::Cuda, true));
        assert_eq!(first("__syncthreads"), ("metal/synchronization.md", Via::Cuda, true));
        assert_eq!(first("SM"), ("machine/gpu-core.md", Via::Cuda, true));
    }

    #[test]
    fn a_slip_of_the_keys_is_forgiven_but_not_certain() {
        assert_eq!(first("occupency"), ("machine/occupancy.md", Via::Name, false));
        assert_eq!(first("flashatention"), ("techniques/flash-attention.md", Via::Name, false));
    }

    #[test]
    fn words_without_a_page_lead_to_pages_that_mention_them() {
        let (_, via, is_certain) = first("Milakov");
        assert_eq!((via, is_certain), (Via::Text, false));
        assert!(find("qqqqqqqq").is_empty());
        assert!(find(" - ").is_empty());
    }
}
