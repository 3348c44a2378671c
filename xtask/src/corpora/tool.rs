//! The program `mw`, as the chores about corpora call it: compile a source, run the kernels of a library.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;
use xshell::cmd;

use crate::context::Context;

/// A source and what is made of it.
pub(super) struct Source {
    /// Name, as reports say it.
    pub(super) name: String,
    /// The file.
    pub(super) path: PathBuf,
    /// Flags of the compilation.
    pub(super) flags: Vec<String>,
    /// The library is made of cleaned-up code.
    pub(super) is_optimized: bool,
    /// Library, journal and findings go beside this path, with other extensions.
    pub(super) out: PathBuf,
}

impl Source {
    pub(super) fn library(&self) -> PathBuf {
        self.out.with_extension("metallib")
    }
}

/// What compiling a source gave.
#[derive(Default)]
pub(super) struct Compiled {
    /// The whole source is without errors.
    pub(super) ok: bool,
    pub(super) kernels: usize,
    /// Kernels with verified AIR.
    pub(super) lowered: usize,
    /// What went wrong first.
    pub(super) error: String,
}

/// One kernel's result.
pub(super) struct Outcome {
    pub(super) name: String,
    pub(super) class: String,
    pub(super) detail: String,
}

/// The program.
pub(super) struct Tool<'a> {
    context: &'a Context,
    mw: PathBuf,
}

/// What is asked of `mw conform`.
#[derive(Clone, Default, clap::Args)]
pub(super) struct Runs {
    /// Run only so many kernels of each file, chosen by seed.
    #[arg(long, value_name = "N")]
    pub(super) sample: Option<usize>,
    /// Run only one kernel of each name family of each file.
    #[arg(long)]
    pub(super) families: bool,
    /// Run nothing: count what the journals hold.
    #[arg(long)]
    pub(super) journal_only: bool,
    /// Run again what did not end well.
    #[arg(long)]
    pub(super) retry: bool,
    /// Worker processes.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) jobs: usize,
    /// Give a kernel up after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub(super) limit: u64,
    /// Use this `mw` instead of building one, and the libraries that are there.
    #[arg(long, value_name = "PROGRAM")]
    pub(super) mw: Option<PathBuf>,
}

impl<'a> Tool<'a> {
    /// Builds the program, unless one is given.
    pub(super) fn new(context: &'a Context, given: Option<&Path>) -> Result<Self> {
        if let Some(mw) = given {
            return Ok(Self { context, mw: mw.to_owned() });
        }
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        cmd!(context.shell, "{cargo} build --quiet --release --package mw-cli").quiet().run()?;
        let target =
            std::env::var("CARGO_TARGET_DIR").map_or_else(|_| context.root.join("target"), PathBuf::from);
        Ok(Self { context, mw: target.join("release/mw") })
    }

    /// Names of the kernels in a library.
    pub(super) fn names(&self, library: &Path) -> Result<Vec<String>> {
        let mw = &self.mw;
        let text =
            cmd!(self.context.shell, "{mw} inspect {library} --json").quiet().ignore_stderr().read()?;
        let value: Value = serde_json::from_str(&text).context("`mw inspect` said no JSON")?;
        let mut names: Vec<String> = Vec::new();
        for library in value["libraries"].as_array().into_iter().flatten() {
            for function in library["functions"].as_array().into_iter().flatten() {
                if function["kind"] == "kernel" {
                    names.extend(function["name"].as_str().map(str::to_owned));
                }
            }
        }
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Checks a source and makes a library of what can be lowered. What is newer than source and program stays,
    /// so that kernels keep their hashes while a long run goes on.
    pub(super) fn compile(&self, source: &Source) -> Result<Compiled> {
        let Source { path, flags, .. } = source;
        let level = if source.is_optimized { "1" } else { "0" };
        let (mw, library, found) = (&self.mw, source.library(), source.out.with_extension("json"));
        let made = |path: &Path| path.metadata().and_then(|it| it.modified()).ok();
        let fresh = made(&found)
            .is_some_and(|time| library.exists() && Some(time) > made(mw) && Some(time) > made(path));
        if !fresh {
            if let Some(folder) = source.out.parent() {
                self.context.shell.create_dir(folder)?;
            }
            let text = cmd!(self.context.shell, "{mw} check --json {flags...} {path}")
                .quiet()
                .ignore_stderr()
                .ignore_status()
                .read()?;
            cmd!(self.context.shell, "{mw} compile --keep-going -O {level} {flags...} {path} -o {library}")
                .quiet()
                .ignore_stdout()
                .ignore_stderr()
                .ignore_status()
                .run()?;
            self.context.shell.write_file(&found, text)?;
        }
        let text = self.context.shell.read_file(&found)?;
        let checked: Value = serde_json::from_str(&text)
            .with_context(|| format!("`mw check` said no JSON about {}", source.name))?;
        let described = &checked["files"][0];
        let kernels = described["kernels"].as_array().cloned().unwrap_or_default();
        let lowered = kernels.iter().filter(|kernel| kernel["error"].is_null()).count();
        let ok = described["ok"] == true;
        let mut error = String::new();
        if !ok {
            let first = described["diagnostics"].as_str().unwrap_or_default();
            let lowering = kernels.iter().find_map(|kernel| kernel["error"].as_str()).unwrap_or_default();
            let text = if first.is_empty() { lowering } else { first };
            text.lines().next().unwrap_or_default().clone_into(&mut error);
        }
        Ok(Compiled { ok, kernels: kernels.len(), lowered, error })
    }

    /// Runs the kernels of a source's library on both engines, or `against` another library.
    pub(super) fn conform(
        &self,
        source: &Source,
        against: Option<&Path>,
        runs: &Runs,
    ) -> Result<Vec<Outcome>> {
        let (mw, library) = (&self.mw, source.library());
        let journal = source.out.with_extension(if against.is_some() { "against" } else { "journal" });
        let mut options: Vec<String> = Vec::new();
        let mut option = |flag: &str, value: String| options.extend([flag.to_owned(), value]);
        option("--jobs", runs.jobs.to_string());
        option("--limit", runs.limit.to_string());
        if let Some(sample) = runs.sample {
            option("--sample", sample.to_string());
        }
        if let Some(against) = against {
            option("--against", against.to_string_lossy().into_owned());
        }
        for (flag, set) in
            [("--families", runs.families), ("--journal-only", runs.journal_only), ("--retry", runs.retry)]
        {
            if set {
                options.push(flag.to_owned());
            }
        }
        let text = cmd!(self.context.shell, "{mw} conform {library} --resume {journal} --json {options...}")
            .quiet()
            .ignore_stderr()
            .ignore_status()
            .read()?;
        let result: Value = serde_json::from_str(&text)
            .with_context(|| format!("`mw conform` said no JSON about {}", source.name))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let outcomes = result["outcomes"].as_array().into_iter().flatten();
        Ok(outcomes
            .map(|it| Outcome {
                name: text(&it["name"]),
                class: text(&it["class"]),
                detail: text(&it["detail"]),
            })
            .collect())
    }
}
