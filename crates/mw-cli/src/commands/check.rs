//! `mw check PATHS…`: compiles every Metal source in a tree and says what is wrong.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::ValueHint;
use metalworking::{Diagnostics, LibraryError, SourceProgram};
use mw_diagnostics::Diagnostic;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::Outcome;
use crate::commands::compile::is_source;
use crate::exit::{self, Failure};
use crate::output::Output;
use crate::source::{SourceArgs, text};

/// Stack of a worker: the front-end and lowering follow nested expressions.
const STACK_BYTES: usize = 64 << 20;

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
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What came of a file.
struct Checked {
    path: PathBuf,
    /// The file could not be read.
    unreadable: Option<String>,
    /// What the front-end says.
    diagnostics: Diagnostics,
    /// For each kernel what lowering says against it.
    kernels: Vec<(String, Option<String>)>,
    seconds: f64,
}

impl Checked {
    fn is_ok(&self) -> bool {
        self.unreadable.is_none()
            && !self.diagnostics.list.iter().any(Diagnostic::is_error)
            && self.kernels.iter().all(|(_, error)| error.is_none())
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
    let bar = output.progress(files.len() as u64, "files");
    let checked: Vec<Checked> = pool.install(|| {
        files
            .par_iter()
            .map(|path| {
                let checked = check(path, &args.source);
                bar.inc(1);
                checked
            })
            .collect()
    });
    bar.finish_and_clear();
    for file in &checked {
        report(file, output);
    }
    if let Some(path) = &args.sarif {
        let logs: Vec<_> =
            checked.iter().map(|file| (&file.diagnostics.list[..], &file.diagnostics.sources)).collect();
        std::fs::write(
            path,
            format!("{:#}\n", mw_diagnostics::render::sarif(&logs, env!("CARGO_PKG_VERSION"))),
        )
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

fn check(path: &Path, flags: &SourceArgs) -> Checked {
    let clock = std::time::Instant::now();
    let mut checked = Checked {
        path: path.to_owned(),
        unreadable: None,
        diagnostics: Diagnostics::default(),
        kernels: Vec::new(),
        seconds: 0.0,
    };
    match text(path) {
        Err(error) => checked.unreadable = Some(error.message()),
        Ok(text) => match SourceProgram::compile(&text, &flags.options(path)) {
            Ok(program) => {
                checked.diagnostics = program.diagnostics().clone();
                for name in program.kernel_names() {
                    let error = match program.module(name) {
                        Some(Err(message)) => Some(message.to_owned()),
                        _ => None,
                    };
                    checked.kernels.push((name.clone(), error));
                }
            }
            Err(LibraryError::Compile(diagnostics)) => checked.diagnostics = (*diagnostics).clone(),
            Err(other) => checked.unreadable = Some(other.to_string()),
        },
    }
    checked.seconds = clock.elapsed().as_secs_f64();
    checked
}

fn report(file: &Checked, output: &Output) {
    if !file.diagnostics.list.is_empty() {
        output.line(file.diagnostics.to_string());
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
        "diagnostics": file.diagnostics.to_string(),
        "seconds": file.seconds,
        "kernels": file.kernels.iter().map(|(name, error)| json!({ "name": name, "error": error })).collect::<Vec<_>>(),
    })
}
