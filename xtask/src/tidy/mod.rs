//! `cargo xtask tidy`: house rules that neither the compiler nor clippy checks.
//!
//! One file per kind of rule; each rule looks at text and returns findings, so that each has tests on text.
//! Errors fail the chore. Warnings (a long file) are printed and do not.

mod book;
mod manifests;
mod sources;
mod text;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

pub(crate) use manifests::{LAYERS, Manifest};

use crate::context::Context;

/// Check house rules on every file of the repository.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Do not print warnings.
    #[arg(short, long)]
    quiet: bool,
}

/// One breach of a rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: PathBuf,
    /// 1-based; 0 when the finding is about the whole file.
    line: usize,
    severity: Severity,
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    Error,
    Warning,
}

impl Finding {
    fn error(path: &Path, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, severity: Severity::Error, message: message.into() }
    }

    fn warning(path: &Path, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, severity: Severity::Warning, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{word}: {}", self.path.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let files = context.files()?;
    let mut findings = Vec::new();
    for path in &files {
        // Files that are not text (images, wheels of test data) have no lines to check.
        let Ok(content) = std::fs::read_to_string(context.root.join(path)) else { continue };
        text::check(path, &content, &mut findings);
        if path.extension().is_some_and(|extension| extension == "rs") {
            sources::check(path, &content, &mut findings);
        }
        if path.file_name().is_some_and(|name| name == "Cargo.toml") {
            manifests::check(path, &content, &mut findings);
        }
    }
    book::check(&files, context, &mut findings);
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    for finding in &findings {
        if finding.severity == Severity::Error || !args.quiet {
            eprintln!("{finding}");
        }
    }
    if errors > 0 {
        bail!("tidy found {errors} errors in {} files", files.len());
    }
    println!("tidy: {} files are in order, {} warnings", files.len(), findings.len());
    Ok(())
}

/// What a rule finds in a text, for the rules' tests.
#[cfg(test)]
fn findings_of(check: fn(&Path, &str, &mut Vec<Finding>), path: &str, content: &str) -> Vec<String> {
    let mut findings = Vec::new();
    check(Path::new(path), content, &mut findings);
    findings.iter().map(ToString::to_string).collect()
}
