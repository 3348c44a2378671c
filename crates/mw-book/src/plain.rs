//! Pages as Markdown without markers: includes in place, figures filled in, diagrams as words.

use std::fmt::Write as _;

use mw_machine::{FigureError, FigureStyle, expand_figures};
use thiserror::Error;

use crate::files::{read, resolve};
use crate::page::Page;

/// A page of ours is wrong.
#[derive(Debug, Error)]
pub enum PlainError {
    /// A figure that the tables do not have.
    #[error("page `{page}`: {source}")]
    Figure {
        /// The page's path.
        page: &'static str,
        /// What is wrong with the marker.
        source: FigureError,
    },
    /// A file that is not there.
    #[error("page `{page}` includes `{target}`, which is no file of the book")]
    Include {
        /// The page's path.
        page: &'static str,
        /// What it asks for.
        target: String,
    },
}

impl Page {
    /// The text with kernels in place, figures as text with their units, and diagrams as their descriptions.
    pub fn plain(&self) -> Result<String, PlainError> {
        let figures = |source| PlainError::Figure { page: self.path, source };
        let text = expand_figures(self.text, FigureStyle::Plain).map_err(figures)?;
        let from = format!("src/{}", self.path);
        expand_includes(&text, &|target| {
            read(&resolve(&from, target))
                .ok_or_else(|| PlainError::Include { page: self.path, target: target.to_owned() })
        })
    }
}

fn expand_includes<'a>(
    text: &str,
    read: &dyn Fn(&str) -> Result<&'a str, PlainError>,
) -> Result<String, PlainError> {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        match line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
            Some(target) => {
                let included = read(target)?;
                match description(included) {
                    Some(description) => line_to(&mut out, &format!("Diagram: {description}")),
                    None => out.push_str(included),
                }
            }
            // Which claim a page answers is for the checks of the book.
            None if line.starts_with("<!-- doubt: ") => {}
            None => line_to(&mut out, line),
        }
    }
    Ok(out)
}

fn line_to(out: &mut String, line: &str) {
    writeln!(out, "{line}").expect("a string takes all");
}

/// What a diagram says of itself.
fn description(svg: &str) -> Option<&str> {
    let (_, rest) = svg.split_once("<desc")?;
    let (_, rest) = rest.split_once('>')?;
    Some(rest.split_once("</desc>")?.0)
}

#[cfg(test)]
mod tests {
    use super::{PlainError, expand_includes};
    use crate::pages;

    #[test]
    fn kernels_stand_in_place_and_diagrams_as_words() {
        let read = |target: &str| match target {
            "k.metal" => Ok("kernel void k() {}\n"),
            "d.svg" => Ok("<svg><title id=\"t\">T</title><desc id=\"d\">Two boxes.</desc></svg>"),
            _ => Err(PlainError::Include { page: "a.md", target: target.to_owned() }),
        };
        let page = "# A\n<!-- doubt: D1 -->\n```metal\n{{#include k.metal}}\n```\n{{#include d.svg}}\n";
        let wanted = "# A\n```metal\nkernel void k() {}\n```\nDiagram: Two boxes.\n";
        assert_eq!(expand_includes(page, &read).unwrap(), wanted);
        assert!(expand_includes("{{#include x.metal}}", &read).is_err());
    }

    #[test]
    fn every_page_expands_and_leaves_no_marker() {
        for page in pages() {
            let plain = page.plain().unwrap();
            let outside: String = plain.split("```").step_by(2).flat_map(str::chars).collect();
            assert!(!outside.contains("{{"), "{}", page.path);
        }
    }
}
