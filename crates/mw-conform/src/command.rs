//! `mw conform`: the command line of a sweep.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use regex::Regex;

use crate::outcome::{Class, Outcome};
use crate::report::{Summary, brief, markdown, terminal, today};
use crate::sweep::{Sweep, SweepError, WorkerCommand};
use crate::worker::Work;

/// Run every kernel of a library on both engines and compare the results bit by bit.
#[derive(Clone, Debug, clap::Args)]
pub struct Conform {
    /// A metallib, a Mach-O file that holds one, or an AIR module.
    pub library: PathBuf,
    /// Only kernels whose name matches this regular expression.
    #[arg(long, value_name = "RE")]
    pub filter: Option<Regex>,
    /// Only this many kernels, chosen by the seed.
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Only one kernel of each name family.
    #[arg(long)]
    pub families: bool,
    /// Seed of samples and of inputs.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Worker processes [default: one for each core].
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Journal: kernels that it holds are not checked again.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// With --resume: check kernels again that were not ok.
    #[arg(long)]
    pub retry: bool,
    /// With --resume: check nothing, give what the journal holds.
    #[arg(long)]
    pub journal_only: bool,
    /// Give a kernel up after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 180)]
    pub limit: u64,
    /// Check code for AArch64 instead of this machine's, run by an emulator such as qemu-aarch64.
    #[arg(long, value_name = "PROGRAM", num_args = 0..=1, default_missing_value = "qemu-aarch64")]
    pub emulate: Option<PathBuf>,
    /// Compare with the kernels of the same names in another library, results and reflection, instead of
    /// comparing engines. Both run on the interpreter.
    #[arg(long, value_name = "LIBRARY", conflicts_with = "emulate")]
    pub against: Option<PathBuf>,
    /// Write the result as a Markdown page.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Low coverage and undefined values fail too, where no launch rule explains them.
    #[arg(long)]
    pub strict: bool,
    /// Print one line of counts, and what is wrong.
    #[arg(long, conflicts_with = "json")]
    pub brief: bool,
    /// Print outcomes and summary as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Serve kernels to a sweep over standard input and output.
#[derive(Clone, Debug, clap::Args)]
pub struct ConformWorker {
    /// The library.
    pub library: PathBuf,
    /// Seed of inputs.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Emulator for AArch64.
    #[arg(long)]
    pub emulate: Option<PathBuf>,
    /// The library to compare with.
    #[arg(long)]
    pub against: Option<PathBuf>,
}

/// Why the command failed.
#[derive(Debug, thiserror::Error)]
pub enum ConformError {
    /// The sweep.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// The launch rules.
    #[error(transparent)]
    Rules(#[from] crate::plan::RuleError),
    /// The output.
    #[error("the result cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl ConformWorker {
    /// Serves until the sweep closes the pipe.
    pub fn run(&self) -> Result<(), crate::worker::WorkerError> {
        let work = match &self.against {
            Some(other) => Work::against(other, self.seed)?,
            None => Work::engines(&self.library, self.seed, self.emulate.as_deref())?,
        };
        crate::worker::serve(&self.library, &work)
    }
}

impl Conform {
    /// The sweep that the arguments describe.
    pub fn sweep(&self) -> Sweep {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Sweep {
            library: self.library.clone(),
            filter: self.filter.clone(),
            families: self.families,
            sample: self.sample,
            seed: self.seed,
            jobs: self.jobs.unwrap_or(cores),
            resume: self.resume.clone(),
            retry: self.retry && !self.journal_only,
            journal_only: self.journal_only,
            limit: Duration::from_secs(self.limit),
        }
    }

    /// Runs the sweep with this program as worker, called with `subcommand`, and writes the result to `out`.
    /// Whether nothing is wrong with any kernel.
    pub fn run(&self, subcommand: &str, out: &mut dyn Write) -> Result<bool, ConformError> {
        // Workers read the rules too; a mistake in them is better told once.
        let rules = crate::plan::Rules::built_in(self.against.as_deref().unwrap_or(&self.library))?;
        let mut arguments: Vec<OsString> = vec![subcommand.into(), self.library.clone().into()];
        arguments.extend(["--seed".into(), self.seed.to_string().into()]);
        if let Some(emulator) = &self.emulate {
            arguments.extend(["--emulate".into(), emulator.clone().into()]);
        }
        if let Some(other) = &self.against {
            arguments.extend(["--against".into(), other.clone().into()]);
        }
        let worker = WorkerCommand::of_self(arguments)?;
        let bar = ProgressBar::new(0).with_style(style());
        let mut bad = 0;
        let sweep = self.sweep();
        let outcomes = sweep.run(&worker, |outcome, done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            if outcome.class > Class::LowCoverage {
                bad += 1;
                bar.println(format!("{}: {}: {}", outcome.class.name(), outcome.name, outcome.detail));
            }
            bar.set_message(format!("{bad} not ok"));
        })?;
        bar.finish_and_clear();
        let summary = Summary::of(&outcomes);
        let unexplained: Vec<&Outcome> = outcomes
            .iter()
            .filter(|outcome| matches!(outcome.class, Class::LowCoverage | Class::Undefined))
            .filter(|outcome| self.strict && rules.note(&outcome.name).is_none())
            .collect();
        if let Some(path) = &self.report {
            let title = self.library.file_name().unwrap_or_default().to_string_lossy();
            let cpu =
                mw_cpu::CpuOptions::from_environment().map_or_else(|_| "?".to_owned(), |it| it.target.cpu);
            let made = format!("Metalworking {}, {}, code for {cpu}.", env!("CARGO_PKG_VERSION"), today());
            std::fs::write(path, markdown(&title, &outcomes, sweep.select()?.len(), &made))?;
        }
        if self.json {
            let all = serde_json::json!({ "summary": summary, "outcomes": outcomes });
            writeln!(out, "{}", serde_json::to_string_pretty(&all).map_err(io::Error::from)?)?;
        } else if self.brief {
            let parts: Vec<_> =
                self.library.iter().rev().take(2).map(|part| part.to_string_lossy()).collect();
            let title = parts.into_iter().rev().collect::<Vec<_>>().join("/");
            write!(out, "{}", brief(&title, &outcomes))?;
            for outcome in &unexplained {
                writeln!(out, "  {}: {}: {}", outcome.name, outcome.class.name(), outcome.detail)?;
            }
        } else {
            write!(out, "{}", terminal(&outcomes))?;
        }
        Ok(summary.failed == 0 && unexplained.is_empty())
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} [{elapsed}, {eta} left]")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
