//! Where a command writes: text for people, or one JSON document.

use std::cell::RefCell;
use std::fmt;
use std::io::{BufWriter, Write as _};

use anstream::AutoStream;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{ContentArrangement, Table};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::exit::Failure;

/// The terminal, or a program that reads JSON.
///
/// A reader that has gone (`mw inspect … | head`) is no error: what it does not want is dropped.
pub(crate) struct Output {
    is_json: bool,
    out: RefCell<BufWriter<AutoStream<std::io::Stdout>>>,
}

impl Output {
    pub(crate) fn new(is_json: bool) -> Self {
        Self { is_json, out: RefCell::new(BufWriter::new(anstream::stdout())) }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// A line for people.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if !self.is_json {
            self.raw(text.as_ref());
            self.raw("\n");
        }
    }

    /// Text that is the result itself, whatever the format.
    pub(crate) fn raw(&self, text: &str) {
        drop(self.out.borrow_mut().write_all(text.as_bytes()));
    }

    /// The JSON document.
    pub(crate) fn json(&self, value: &Value) {
        if self.is_json {
            self.raw(&serde_json::to_string_pretty(value).unwrap_or_else(|error| error.to_string()));
            self.raw("\n");
        }
    }

    /// Something beside the result.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.is_json {
            self.beside(format_args!("note: {}", text.as_ref()));
        }
    }

    /// What went wrong.
    pub(crate) fn failure(&self, failure: &Failure) {
        if failure.is_reported() {
            return;
        }
        let message = failure.message();
        self.json(&json!({ "error": { "kind": failure.kind(), "message": message } }));
        // Diagnostics of a source say already that they are errors.
        if message.starts_with("error[") {
            self.beside(format_args!("{message}"));
        } else {
            self.beside(format_args!("error: {message}"));
        }
    }

    /// A line on the other stream, after all that was written so far.
    fn beside(&self, text: fmt::Arguments<'_>) {
        self.flush();
        drop(writeln!(anstream::stderr(), "{text}"));
    }

    /// Writes out what is buffered.
    pub(crate) fn flush(&self) {
        drop(self.out.borrow_mut().flush());
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
