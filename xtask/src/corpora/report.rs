//! `cargo xtask corpora report`: what of the corpora compiles, lowers, runs and agrees: one row for each package.
//!
//! `mw compile --keep-going` makes a library of each source, `mw conform` runs its kernels on both engines: first
//! one of each name family of everything, then the rest. The libraries and journals lie in `.cache/corpora-out/`,
//! so that a run that was stopped goes on.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::packages::{PACKAGES, Package};
use super::tables;
use super::tool::{Outcome, Runs, Source, Tool};
use crate::context::Context;

/// Compile and run the Metal sources of public packages, and say how far each gets.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which packages; all without one.
    packages: Vec<String>,
    /// Compile and lower, run nothing.
    #[arg(long)]
    compile_only: bool,
    /// Write the tables down in docs/conformance/corpora.md and README.md.
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    runs: Runs,
}

/// The page that holds the whole table, and the one that holds a short one.
const PAGE: &str = "docs/conformance/corpora.md";
const README: &str = "README.md";

/// One row of the table.
#[derive(Default)]
struct Row {
    files: usize,
    compiled: usize,
    kernels: usize,
    lowered: usize,
    errors: Vec<String>,
    /// By class.
    outcomes: BTreeMap<String, Vec<Outcome>>,
}

impl Row {
    fn count(&self, classes: &[&str]) -> usize {
        classes.iter().filter_map(|class| self.outcomes.get(*class)).map(Vec::len).sum()
    }

    fn ran(&self) -> usize {
        self.outcomes.values().map(Vec::len).sum()
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let tool = Tool::new(context, args.runs.mw.as_deref())?;
    let mut chosen: Vec<(&Package, Row, Vec<Source>)> = Vec::new();
    for package in PACKAGES {
        if !args.packages.is_empty() && !args.packages.iter().any(|name| name == package.name) {
            continue;
        }
        let mut row = Row::default();
        let mut usable = Vec::new();
        for source in package.sources(context)? {
            let compiled = tool.compile(&source)?;
            row.files += 1;
            row.compiled += usize::from(compiled.ok);
            row.kernels += compiled.kernels;
            row.lowered += compiled.lowered;
            if !compiled.ok {
                row.errors.push(format!("`{}`: {}", source.name, compiled.error));
            }
            if compiled.lowered > 0 {
                usable.push(source);
            }
        }
        println!(
            "{}: {} of {} files, {} of {} kernels",
            package.name, row.compiled, row.files, row.lowered, row.kernels
        );
        chosen.push((package, row, usable));
    }
    if !args.compile_only {
        for runs in passes(&args.runs) {
            for (package, row, sources) in &mut chosen {
                row.outcomes.clear();
                for source in sources {
                    for outcome in tool.conform(source, None, &runs)? {
                        row.outcomes.entry(outcome.class.clone()).or_default().push(outcome);
                    }
                }
                println!("{}: ran {}, {}", package.name, row.ran(), counts(row));
            }
        }
    }
    let rows: Vec<(&Package, Row)> = chosen.into_iter().map(|(package, row, _)| (package, row)).collect();
    let (table, notes) = (table(&rows)?, notes(&rows)?);
    println!("{table}\n{notes}");
    if args.write {
        tables::replace(context, PAGE, "corpora", &format!("{table}\n{notes}"))?;
        tables::replace(context, README, "corpora", &short(&rows)?)?;
    }
    Ok(())
}

/// One of each family first, then everything, unless the command line says which.
pub(super) fn passes(runs: &Runs) -> Vec<Runs> {
    if runs.families || runs.sample.is_some() || runs.journal_only {
        return vec![runs.clone()];
    }
    vec![Runs { families: true, ..runs.clone() }, runs.clone()]
}

fn counts(row: &Row) -> String {
    let counts: Vec<String> =
        row.outcomes.iter().map(|(class, outcomes)| format!("{} {class}", outcomes.len())).collect();
    counts.join(", ")
}

const AGREE: &[&str] = &["ok", "low-coverage"];
const DIFFER: &[&str] = &["mismatch", "order", "jit-fault", "crash", "interp-error"];
const GAVE_UP: &[&str] = &["watchdog", "jit-error"];

fn table(rows: &[(&Package, Row)]) -> Result<String> {
    let mut text = String::from(
        "| package | sources that compile | kernels | by the registry's count | lower to verified AIR | ran | agree, bit by bit | of these with low coverage | undefined values | differ | no launch in bounds | gave up | unsupported |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (package, row) in rows {
        writeln!(
            text,
            "| {} {} | {} of {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            package.name,
            package.version,
            row.compiled,
            row.files,
            row.kernels,
            package.kernels,
            row.lowered,
            row.ran(),
            row.count(AGREE),
            row.count(&["low-coverage"]),
            row.count(&["undefined"]),
            row.count(DIFFER),
            row.count(&["no-launch"]),
            row.count(GAVE_UP),
            row.count(&["unsupported"]),
        )?;
    }
    Ok(text)
}

/// The columns that README shows.
fn short(rows: &[(&Package, Row)]) -> Result<String> {
    let mut text = String::from(
        "| package | kernels | lower to verified AIR | ran so far | both engines agree |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    for (package, row) in rows {
        let (name, version) = (package.name, package.version);
        let (ran, agree) = (row.ran(), row.count(AGREE));
        writeln!(text, "| {name} {version} | {} | {} | {ran} | {agree} |", row.kernels, row.lowered)?;
    }
    Ok(text)
}

/// Shown of each class of each package.
const SHOWN: usize = 12;

fn notes(rows: &[(&Package, Row)]) -> Result<String> {
    let mut text = String::new();
    for (package, row) in rows {
        for error in row.errors.iter().take(SHOWN) {
            writeln!(text, "- {}: does not compile: {error}", package.name)?;
        }
        for (class, outcomes) in &row.outcomes {
            if ["ok", "low-coverage", "undefined"].contains(&class.as_str()) {
                continue;
            }
            for outcome in outcomes.iter().take(SHOWN) {
                let detail: String = outcome.detail.chars().take(160).collect();
                let detail = detail.trim();
                writeln!(text, "- {}: `{}`: {class}: {detail}", package.name, outcome.name)?;
            }
            if outcomes.len() > SHOWN {
                writeln!(text, "- {}: {class}: {} more", package.name, outcomes.len() - SHOWN)?;
            }
        }
    }
    Ok(text)
}
