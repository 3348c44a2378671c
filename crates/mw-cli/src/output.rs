//! Where a command writes: text for people, or one JSON document.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the one place that writes to the terminal")]

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{ContentArrangement, Table};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::exit::Failure;

/// The terminal, or a program that reads JSON.
#[derive(Debug)]
pub(crate) struct Output {
    is_json: bool,
}

impl Output {
    pub(crate) fn new(is_json: bool) -> Self {
        Self { is_json }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// A line for people.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if !self.is_json {
            anstream::println!("{}", text.as_ref());
        }
    }

    /// Text that is the result itself, whatever the format.
    pub(crate) fn raw(&self, text: &str) {
        anstream::print!("{text}");
    }

    /// The JSON document.
    pub(crate) fn json(&self, value: &Value) {
        if self.is_json {
            let text = serde_json::to_string_pretty(value).unwrap_or_else(|error| error.to_string());
            anstream::println!("{text}");
        }
    }

    /// Something beside the result.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.is_json {
            anstream::eprintln!("note: {}", text.as_ref());
        }
    }

    /// What went wrong.
    pub(crate) fn failure(&self, failure: &Failure) {
        if failure.is_reported() {
            return;
        }
        let message = failure.message();
        self.json(&json!({ "error": { "kind": failure.kind(), "message": message } }));
        anstream::eprintln!("error: {message}");
    }

    /// A progress bar on the terminal, hidden when nobody looks.
    pub(crate) fn progress(&self, length: u64, what: &str) -> ProgressBar {
        let bar = if self.is_json { ProgressBar::hidden() } else { ProgressBar::new(length) };
        let template = "{msg} {wide_bar} {pos}/{len} {elapsed} (left {eta})";
        bar.with_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        )
        .with_message(what.to_owned())
    }
}

/// A table in the house style.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    table
}
