//! `cargo xtask book`: what is made of the glossary under `book/`.
//!
//! `preprocess` fills the figures in, as a preprocessor of mdBook: mdBook writes the whole book as JSON to
//! standard input and reads it back; a chapter is an object with a name and a content, at any depth.
//!
//! `export DIR` writes the glossary as plain text for programs that read: `llms.txt` (one line a page) and
//! `glossary.md` (all pages), with figures filled in, kernels in place and diagrams as their descriptions.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use mw_machine::{FigureStyle, expand_figures};
use serde_json::Value;

use crate::context::Context;

/// Work on the glossary under `book/`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    step: Step,
}

#[derive(clap::Subcommand)]
enum Step {
    /// Read a book from standard input, fill figures in, write it to standard output (mdBook calls this).
    Preprocess(Preprocess),
    /// Write the glossary as `llms.txt` and `glossary.md`.
    Export(Export),
}

#[derive(clap::Args)]
struct Export {
    /// Folder to write to.
    folder: PathBuf,
}

#[derive(clap::Args)]
struct Preprocess {
    /// `supports RENDERER`: answer whether the renderer is served.
    question: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    match &args.step {
        Step::Preprocess(preprocess) => {
            if preprocess.question.first().is_some_and(|word| word == "supports") {
                // Every renderer: the figures become text or harmless HTML.
                return Ok(());
            }
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("cannot read the book")?;
            println!("{}", preprocess_book(&text)?);
            Ok(())
        }
        Step::Export(export) => write_export(&export.folder, context),
    }
}

fn write_export(folder: &Path, context: &Context) -> Result<()> {
    let source = context.root.join("book/src");
    let summary = fs::read_to_string(source.join("SUMMARY.md")).context("cannot read the summary")?;
    let mut list = String::from("# Metalworking: a glossary of performance on Apple GPUs\n\n");
    let mut book = String::new();
    for (title, path) in pages(&summary) {
        let path = source.join(path);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let definition = text.split("\n\n").nth(1).unwrap_or_default();
        let place = path.strip_prefix(&source).unwrap_or(&path).display();
        writeln!(list, "- [{title}]({place}): {definition}")?;
        let text = expand_figures(&text, FigureStyle::Plain)?;
        let text = plain(&text, &|target| {
            let target = path.parent().unwrap_or(&source).join(target);
            fs::read_to_string(&target).with_context(|| format!("cannot read {}", target.display()))
        })?;
        writeln!(book, "<!-- {place} -->\n\n{}\n", text.trim_end())?;
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("llms.txt"), list)?;
    fs::write(folder.join("glossary.md"), book)?;
    println!("wrote llms.txt and glossary.md to {}", folder.display());
    Ok(())
}

/// Titles and paths of the summary's links.
fn pages(summary: &str) -> impl Iterator<Item = (&str, &str)> {
    summary.lines().filter_map(|line| {
        let (title, rest) = line.trim_start_matches("- ").strip_prefix('[')?.split_once("](")?;
        Some((title, rest.strip_suffix(')')?))
    })
}

/// The page with its includes in place; a diagram becomes what its description says.
fn plain(text: &str, read: &dyn Fn(&str) -> Result<String>) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
            Some(target) => {
                let included = read(target)?;
                match between(&included, "<desc", "</desc>").and_then(|desc| desc.split_once('>')) {
                    Some((_, description)) => writeln!(out, "Diagram: {description}")?,
                    None => out.push_str(&included),
                }
            }
            None if line.starts_with("<!-- doubt: ") => {}
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(out)
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    Some(rest.split_once(end)?.0)
}

/// The book of mdBook's `[context, book]` with its figures filled in.
fn preprocess_book(text: &str) -> Result<String> {
    let value: Value = serde_json::from_str(text).context("the book is not JSON: mdBook calls this chore")?;
    let Value::Array(mut pair) = value else { bail!("expected `[context, book]`") };
    let (Some(mut book), 1) = (pair.pop(), pair.len()) else { bail!("expected `[context, book]`") };
    fill(&mut book)?;
    Ok(book.to_string())
}

fn fill(value: &mut Value) -> Result<()> {
    match value {
        Value::Array(items) => items.iter_mut().try_for_each(fill),
        Value::Object(object) => {
            let is_chapter = object.contains_key("name");
            for (key, value) in object {
                match value {
                    Value::String(text) if is_chapter && key == "content" => {
                        *text = expand_figures(text, FigureStyle::Html)?;
                    }
                    value => fill(value)?,
                }
            }
            Ok(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{pages, plain, preprocess_book};

    #[test]
    fn chapters_at_any_depth_are_filled() {
        let text = r#"[{"root":"/"},{"items":[{"Chapter":{"name":"A","content":"{{core apple7-8 simd_width}} lanes",
            "sub_items":[{"Chapter":{"name":"B","content":"{{chip m5 cores}}","sub_items":[]}}]}},"Separator"]}]"#;
        let filled = preprocess_book(text).unwrap();
        assert!(filled.contains(">32</data> lanes") && filled.contains(">10</data>"), "{filled}");
        assert!(!filled.contains("{{"), "{filled}");
        assert!(preprocess_book("[]").is_err());
        assert!(preprocess_book("nonsense").is_err());
        let unknown = r#"[{},{"items":[{"Chapter":{"name":"A","content":"{{chip m99 cores}}"}}]}]"#;
        assert!(preprocess_book(unknown).unwrap_err().to_string().contains("m99"));
    }

    #[test]
    fn an_export_has_kernels_in_place_and_diagrams_as_words() {
        let summary = "# Summary\n\n[First](first.md)\n\n# Part\n\n- [A, b](x/a.md)\n";
        assert_eq!(pages(summary).collect::<Vec<_>>(), [("First", "first.md"), ("A, b", "x/a.md")]);
        let read = |target: &str| {
            Ok(match target {
                "k.metal" => "kernel void k() {}\n".to_owned(),
                _ => "<svg><title id=\"t\">T</title><desc id=\"d\">Two boxes.</desc></svg>".to_owned(),
            })
        };
        let page = "# A\n<!-- doubt: D1 -->\n```metal\n{{#include k.metal}}\n```\n{{#include d.svg}}\n";
        let wanted = "# A\n```metal\nkernel void k() {}\n```\nDiagram: Two boxes.\n";
        assert_eq!(plain(page, &read).unwrap(), wanted);
    }
}
