//! `cargo xtask book`: what is made of the glossary under `book/`.
//!
//! `preprocess` fills the figures in, as a preprocessor of mdBook: mdBook writes the whole book as JSON to
//! standard input and reads it back; a chapter is an object with a name and a content, at any depth.
//!
//! `export DIR` writes the glossary as plain text for programs that read: `llms.txt` (one line a page) and
//! `glossary.md` (all pages), with figures filled in, kernels in place and diagrams as their descriptions.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use mw_machine::{FigureStyle, expand_figures};
use serde_json::Value;

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

pub(crate) fn run(args: &Args) -> Result<()> {
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
        Step::Export(export) => write_export(&export.folder),
    }
}

fn write_export(folder: &Path) -> Result<()> {
    let export = mw_book::export()?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(folder.join("llms.txt"), export.list)?;
    fs::write(folder.join("glossary.md"), export.text)?;
    println!("wrote llms.txt and glossary.md to {}", folder.display());
    Ok(())
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
    use super::preprocess_book;

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
}
