//! `mw explain WORD`: what a diagnostic means, or the glossary's page about a term.

mod diagnostic;
mod page;

use clap::Args;
use serde_json::json;

use crate::Outcome;
use crate::exit::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A diagnostic as `MSL0231`, `231` or its name, or a term such as `occupancy`; all of both without it
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &ExplainArgs, output: &Output) -> Outcome {
    if args.words.is_empty() {
        list(output);
        return Ok(());
    }
    let word = args.words.join(" ");
    if let Some(code) = mw_diagnostics::registry::find(&word) {
        diagnostic::show(code, output);
        return Ok(());
    }
    if is_code(&word) {
        return Err(Failure::usage(format!(
            "there is no diagnostic `{word}`: `mw explain` lists all of them"
        )));
    }
    page::show(&word, output)
}

/// Whether the word is meant as a diagnostic's code.
fn is_code(word: &str) -> bool {
    let digits = word.trim_start_matches(['M', 'S', 'L', 'm', 's', 'l']);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

fn list(output: &Output) {
    for code in mw_diagnostics::registry::all() {
        output.line(format!("{code}  {}", code.name));
    }
    let mut section = None;
    for page in mw_book::pages() {
        if page.section != section {
            section = page.section;
            output.line(format!("\n{}", section.unwrap_or_default()));
        }
        output.line(format!("  {}", page.title));
    }
    let codes: Vec<_> = mw_diagnostics::registry::all()
        .map(|code| json!({ "code": code.to_string(), "name": code.name }))
        .collect();
    let pages: Vec<_> = mw_book::pages()
        .iter()
        .map(|page| json!({ "title": page.title, "path": page.path, "section": page.section }))
        .collect();
    output.json(&json!({ "diagnostics": codes, "pages": pages }));
}
