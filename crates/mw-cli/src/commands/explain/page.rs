//! The glossary's page about a term.

use mw_book::{Hit, Page, Via};
use serde_json::json;

use crate::Outcome;
use crate::exit::Failure;
use crate::markdown;
use crate::output::Output;

/// How many pages are offered where none was meant for certain.
const OFFERED: usize = 5;

pub(super) fn show(word: &str, output: &Output) -> Outcome {
    let hits = mw_book::find(word);
    let Some(best) = hits.first() else {
        return Err(Failure::usage(format!(
            "the glossary has no page about `{word}` and mentions it nowhere: `mw explain` lists its pages"
        )));
    };
    // One name that is nearly the word is a slip of the keys; several are a question.
    let is_clear = best.is_certain()
        || (best.via != Via::Text && hits.iter().filter(|hit| hit.via != Via::Text).count() == 1);
    if !is_clear {
        return Err(Failure::usage(question(word, &hits)));
    }
    if best.via == Via::Cuda {
        output.note(format!("`{}` is CUDA's word; here it is “{}”", best.term, best.page.title));
    } else if !best.is_certain() {
        output.note(format!("there is no page `{word}`; this is “{}”", best.page.title));
    }
    show_page(best, output)
}

fn show_page(hit: &Hit, output: &Output) -> Outcome {
    let page = hit.page;
    let text = page.plain().map_err(|error| Failure::internal(error.to_string()))?;
    output.line(markdown::render(&text, markdown::terminal_width()).trim_end());
    let related: Vec<_> = page.related().iter().map(|page| page.title).collect();
    output.json(&json!({
        "title": page.title,
        "path": page.path,
        "section": page.section,
        "definition": page.definition(),
        "cuda": page.cuda(),
        "related": related,
        "matched": hit.term,
        "text": text,
    }));
    Ok(())
}

fn question(word: &str, hits: &[Hit]) -> String {
    let offers: Vec<String> = hits.iter().take(OFFERED).map(|hit| offer(hit.page)).collect();
    let what = if hits.iter().all(|hit| hit.via == Via::Text) { "mention it" } else { "are near it" };
    format!("the glossary has no page `{word}`; these {what}:\n{}", offers.join("\n"))
}

fn offer(page: &Page) -> String {
    format!("  mw explain {:24} {}", page.title.to_lowercase(), page.definition())
}
