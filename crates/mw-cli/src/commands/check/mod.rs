//! `mw check PATHS…`: compiles every Metal source in a tree and says what is wrong.
//!
//! Sources are compiled side by side; those that did not change since the last time are not compiled again
//! (`cache`).

mod cache;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::ValueHint;
use metalworking::{Diagnostics, LibraryError, SourceProgram};
use mw_diagnostics::{Diagnostic, render};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::Outcome;
use crate::commands::compile::is_source;
use crate::exit::{self, Failure};
use crate::output::Output;
use crate::source::{SourceArgs, text};
use cache::{Cache, Recording};

/// Stack of a worker: the front-end and lowering follow nested expressions.
const STACK_BYTES: usize = 64 << 20;

/// Version that SARIF names.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Folders may nest this deep.
const MAX_FOLDERS: usize = 64;

#[derive(Debug, Args)]
#[command(after_help = exit::HELP)]
pub(crate) struct CheckArgs {
    /// Metal sources, or folders with them
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath, required = true)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Write what was found as SARIF
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) sarif: Option<PathBuf>,
    /// Files at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Compile files again that did not change since the last check
    #[arg(long)]
    pub(crate) again: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What came of a file.
struct Checked {
    path: PathBuf,
    /// The file could not be read.
    unreadable: Option<String>,
    /// The front-end's errors are among what it says.
    has_errors: bool,
    /// What the front-end says.
    text: String,
    /// The same as SARIF; none if it says nothing.
    sarif: Option<Value>,
    /// For each kernel what lowering says against it.
    kernels: Vec<(String, Option<String>)>,
    seconds: f64,
    /// It was not compiled, since nothing changed.
    is_unchanged: bool,
}

impl Checked {
    fn is_ok(&self) -> bool {
        self.unreadable.is_none() && !self.has_errors && self.kernels.iter().all(|(_, error)| error.is_none())
    }

    /// Takes over what the front-end says.
    fn hear(&mut self, diagnostics: &Diagnostics) {
        self.has_errors = diagnostics.list.iter().any(Diagnostic::is_error);
        self.text = diagnostics.to_string();
        if !diagnostics.list.is_empty() {
            self.sarif = Some(render::sarif(&[(&diagnostics.list, &diagnostics.sources)], VERSION));
        }
    }
}

pub(crate) fn run(args: &CheckArgs, output: &Output) -> Outcome {
    let mut files = Vec::new();
    for path in &args.paths {
        collect(path, 0, &mut files)?;
    }
    files.sort();
    files.dedup();
    if files.is_empty() {
        return Err(Failure::usage("there is no .metal file in what was named"));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.jobs.unwrap_or(0))
        .stack_size(STACK_BYTES)
        .build()?;
    let cache = Cache::open();
    let bar = output.progress(files.len() as u64, "files");
    let checked: Vec<Checked> = pool.install(|| {
        files
            .par_iter()
            .map(|path| {
                let checked = check(path, &args.source, cache.as_ref(), args.again);
                bar.inc(1);
                checked
            })
            .collect()
    });
    bar.finish_and_clear();
    if let Some(cache) = &cache {
        cache.trim();
    }
    for file in &checked {
        report(file, output);
    }
    if let Some(path) = &args.sarif {
        let logs: Vec<&Value> = checked.iter().filter_map(|file| file.sarif.as_ref()).collect();
        std::fs::write(path, format!("{:#}\n", render::join_sarif(&logs, VERSION)))
            .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))?;
    }
    let wrong = checked.iter().filter(|file| !file.is_ok()).count();
    let kernels: usize = checked.iter().map(|file| file.kernels.len()).sum();
    let good = checked.iter().flat_map(|file| &file.kernels).filter(|(_, error)| error.is_none()).count();
    output.line(format!(
        "{} of {} files compile, {good} of {kernels} kernels lower; checked runs are not part of `mw check` yet",
        checked.len() - wrong,
        checked.len(),
    ));
    let unchanged = checked.iter().filter(|file| file.is_unchanged).count();
    if unchanged > 0 {
        output.note(format!(
            "{unchanged} files did not change since the last check; `--again` compiles them too"
        ));
    }
    output.json(&json!({
        "files": checked.iter().map(describe).collect::<Vec<_>>(),
        "ok": wrong == 0,
    }));
    if wrong == 0 { Ok(()) } else { Err(Failure::mismatch(format!("{wrong} files do not compile"))) }
}

/// The sources below a path.
fn collect(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unreadable =
        |error: std::io::Error| Failure::usage(format!("cannot read `{}`: {error}", path.display()));
    if !path.is_dir() {
        std::fs::metadata(path).map_err(unreadable)?;
        // What is named is checked, whatever its name.
        if depth == 0 || is_source(path) {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    if depth > MAX_FOLDERS {
        return Err(Failure::usage(format!("`{}` lies too deep", path.display())));
    }
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let kind = entry.file_type().map_err(unreadable)?;
        let inner = entry.path();
        // Links may lead in circles.
        if kind.is_dir() || (kind.is_file() && is_source(&inner)) {
            collect(&inner, depth + 1, files)?;
        }
    }
    Ok(())
}

fn check(path: &Path, flags: &SourceArgs, cache: Option<&Cache>, again: bool) -> Checked {
    let clock = std::time::Instant::now();
    let mut checked = Checked {
        path: path.to_owned(),
        unreadable: None,
        has_errors: false,
        text: String::new(),
        sarif: None,
        kernels: Vec::new(),
        seconds: 0.0,
        is_unchanged: false,
    };
    match text(path) {
        Err(error) => checked.unreadable = Some(error.message()),
        Ok(text) => {
            if let Some(known) = cache.filter(|_| !again).and_then(|cache| cache.get(path, flags, &text)) {
                checked = known;
            } else {
                compile(&text, flags, cache, &mut checked);
            }
        }
    }
    checked.seconds = clock.elapsed().as_secs_f64();
    checked
}

fn compile(text: &str, flags: &SourceArgs, cache: Option<&Cache>, checked: &mut Checked) {
    let mut options = flags.options(&checked.path);
    let recording = Arc::new(Recording::new(options.files.clone()));
    options.files = recording.clone();
    match SourceProgram::compile(text, &options) {
        Ok(program) => {
            checked.hear(program.diagnostics());
            for name in program.kernel_names() {
                let error = match program.module(name) {
                    Some(Err(message)) => Some(message.to_owned()),
                    _ => None,
                };
                checked.kernels.push((name.clone(), error));
            }
        }
        Err(LibraryError::Compile(diagnostics)) => checked.hear(&diagnostics),
        Err(other) => checked.unreadable = Some(other.to_string()),
    }
    if let Some(cache) = cache
        && checked.unreadable.is_none()
    {
        cache.put(checked, flags, text, &recording.reads());
    }
}

fn report(file: &Checked, output: &Output) {
    if !file.text.is_empty() {
        output.line(&file.text);
    }
    if let Some(error) = &file.unreadable {
        output.line(format!("error: {error}"));
    }
    // Kernels of one template fail for one reason.
    let mut last = None;
    for (name, error) in &file.kernels {
        if let Some(error) = error
            && last != Some(error)
        {
            output.line(format!("{error}\n  in kernel `{name}` of {}", file.path.display()));
            last = Some(error);
        }
    }
}

fn describe(file: &Checked) -> Value {
    json!({
        "path": file.path.display().to_string(),
        "ok": file.is_ok(),
        "unreadable": file.unreadable,
        "diagnostics": file.text,
        "unchanged": file.is_unchanged,
        "seconds": file.seconds,
        "kernels": file.kernels.iter().map(|(name, error)| json!({ "name": name, "error": error })).collect::<Vec<_>>(),
    })
}
