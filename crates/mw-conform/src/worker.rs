//! The worker process: checks the kernels that it is told, one a line, and answers with one outcome a line.
//!
//! A worker that crashes takes one kernel with it; the sweep starts another ([`crate::sweep`]).

use std::io::{self, BufRead as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use mw_air::Module;
use mw_metallib::{FunctionEntry, Library};
use serde::{Deserialize, Serialize};

use crate::against::{Comparison, ComparisonError};
use crate::check::Checker;
use crate::outcome::{Class, Outcome};
use crate::plan::Rules;

/// Which kernel to check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Request {
    /// Number of the library in the file.
    pub library: usize,
    /// Number of the function in the library.
    pub function: usize,
}

/// Why a worker cannot work.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The library.
    #[error(transparent)]
    Library(#[from] mw_metallib::LibraryError),
    /// The environment.
    #[error(transparent)]
    Options(#[from] mw_cpu::OptionsError),
    /// The rules.
    #[error(transparent)]
    Rules(#[from] crate::plan::RuleError),
    /// The other library.
    #[error(transparent)]
    Against(#[from] ComparisonError),
    /// The pipes to the sweep.
    #[error("the sweep cannot be reached: {0}")]
    Pipe(#[from] io::Error),
}

/// What a worker does with kernels.
#[derive(Debug)]
pub enum Work {
    /// Run them on both engines.
    Engines(Box<Checker>),
    /// Compare them with another library's.
    Against(Comparison),
}

impl Work {
    /// Both engines. With an emulator the code is for AArch64 and runs on that.
    pub fn engines(library: &Path, seed: u64, emulator: Option<&Path>) -> Result<Self, WorkerError> {
        let mut checker = Checker::new(Rules::built_in(library)?, seed)?;
        if let Some(emulator) = emulator {
            checker = checker.emulating(emulator);
        }
        Ok(Self::Engines(Box::new(checker)))
    }

    /// Another library.
    pub fn against(other: &Path, seed: u64) -> Result<Self, WorkerError> {
        Ok(Self::Against(Comparison::new(other, seed)?))
    }

    fn check(&self, name: &str, hash: &str, module: Module) -> Outcome {
        match self {
            Self::Engines(checker) => checker.check(name, hash, &module),
            Self::Against(comparison) => comparison.check(name, hash, module),
        }
    }
}

/// Serves requests until the input ends.
pub fn serve(path: &Path, work: &Work) -> Result<(), WorkerError> {
    let libraries = Library::open_all(path)?;
    for line in io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?).map_err(io::Error::from)?;
        let function =
            libraries.get(request.library).and_then(|library| library.function_at(request.function));
        let Some(function) = function else { continue };
        let outcome = check(work, &function);
        let mut answer = serde_json::to_vec(&outcome).map_err(io::Error::from)?;
        answer.push(b'\n');
        let mut out = io::stdout().lock();
        out.write_all(&answer)?;
        out.flush()?;
    }
    Ok(())
}

/// Checks one function; a panic of ours becomes its outcome.
pub fn check(work: &Work, function: &FunctionEntry<'_>) -> Outcome {
    let hash = hash_text(function);
    let name = function.name();
    catch_unwind(AssertUnwindSafe(|| match function.read_module() {
        Ok(module) => work.check(name, &hash, module),
        Err(error) => Outcome::new(name, &hash, Class::Unreadable, error.to_string()),
    }))
    .unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("a panic without a message");
        Outcome::new(name, &hash, Class::Crash, format!("panic: {message}"))
    })
}

/// The hash of a function's bitcode, in hexadecimal; empty where the library states none.
pub fn hash_text(function: &FunctionEntry<'_>) -> String {
    use std::fmt::Write as _;
    function.hash().unwrap_or_default().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
