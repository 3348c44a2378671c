//! A sweep: which kernels of a library are checked, and the running of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use mw_metallib::{FunctionKind, Library};
use regex::Regex;

use crate::families::family;
use crate::journal::Journal;
use crate::outcome::{Class, Outcome};
use crate::plan::mix;
use crate::pool;
use crate::worker::{Request, hash_text};

/// What to check, and how.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The library.
    pub library: PathBuf,
    /// Only kernels whose name matches.
    pub filter: Option<Regex>,
    /// Only one kernel of each name family.
    pub families: bool,
    /// Only so many kernels, chosen by the seed.
    pub sample: Option<usize>,
    /// Seed of choices and of inputs.
    pub seed: u64,
    /// Worker processes.
    pub jobs: usize,
    /// Journal.
    pub resume: Option<PathBuf>,
    /// Check kernels again that the journal says did not end well.
    pub retry: bool,
    /// Check nothing: only give what the journal holds.
    pub journal_only: bool,
    /// A kernel is given up after this time.
    pub limit: Duration,
}

/// How a worker process is started.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// Program.
    pub program: PathBuf,
    /// Its arguments, which make it call [`crate::worker::serve`].
    pub arguments: Vec<OsString>,
}

/// The words that start this program anew, where they are not just its file.
static SELF_COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how this program starts itself: for programs that run inside an interpreter. The first call counts.
pub fn set_self_command(words: Vec<OsString>) {
    let _ = SELF_COMMAND.set(words);
}

impl WorkerCommand {
    /// This program with other arguments.
    ///
    /// # Errors
    /// The system does not tell which program this is.
    pub fn of_self(arguments: Vec<OsString>) -> io::Result<Self> {
        match SELF_COMMAND.get().map(Vec::as_slice) {
            Some([program, first @ ..]) => {
                let arguments = first.iter().cloned().chain(arguments).collect();
                Ok(Self { program: program.into(), arguments })
            }
            Some([]) | None => Ok(Self { program: std::env::current_exe()?, arguments }),
        }
    }
}

/// A kernel to check.
#[derive(Clone, Debug)]
pub struct Job {
    /// Where it is.
    pub request: Request,
    /// Name.
    pub name: String,
    /// Hash of its bitcode.
    pub hash: String,
}

/// Why a sweep could not run.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The library.
    #[error(transparent)]
    Library(#[from] mw_metallib::LibraryError),
    /// The journal.
    #[error("the journal `{}` cannot be used: {error}", .path.display())]
    Journal {
        /// Its path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Nothing to do.
    #[error("no kernel was chosen: `{library}` has {count} kernels, and the filter or sample leaves none")]
    Nothing {
        /// The library.
        library: String,
        /// Its kernels.
        count: usize,
    },
}

/// The kernels of a library file: name, place, hash. Kernels of a second library in the file that are not the
/// same as the first's of that name are told apart by its number.
pub fn kernels(path: &Path) -> Result<Vec<Job>, SweepError> {
    let mut seen = BTreeSet::new();
    let mut jobs = Vec::new();
    for (library, opened) in Library::open_all(path)?.iter().enumerate() {
        for function in opened.functions().filter(|function| function.kind() == FunctionKind::Kernel) {
            let hash = hash_text(&function);
            if seen.insert((function.name().to_owned(), hash.clone())) {
                let request = Request { library, function: function.index() };
                let name = match library {
                    0 => function.name().to_owned(),
                    number => format!("{} (library {number})", function.name()),
                };
                jobs.push(Job { request, name, hash });
            }
        }
    }
    Ok(jobs)
}

impl Sweep {
    /// The kernels that are checked, in the order of the library.
    pub fn select(&self) -> Result<Vec<Job>, SweepError> {
        let mut jobs = kernels(&self.library)?;
        let count = jobs.len();
        if let Some(filter) = &self.filter {
            jobs.retain(|job| filter.is_match(&job.name));
        }
        if self.families {
            // Which member stands for its family depends on the seed, so that seeds cover more.
            let mut chosen: BTreeMap<String, (u64, usize)> = BTreeMap::new();
            for (index, job) in jobs.iter().enumerate() {
                let rank = (self.rank(job), index);
                chosen.entry(family(&job.name)).and_modify(|best| *best = rank.min(*best)).or_insert(rank);
            }
            let keep: BTreeSet<usize> = chosen.values().map(|(_, index)| *index).collect();
            let mut index = 0..;
            jobs.retain(|_| index.next().is_some_and(|index| keep.contains(&index)));
        }
        if let Some(sample) = self.sample {
            let mut order: Vec<usize> = (0..jobs.len()).collect();
            order.sort_by_key(|index| (self.rank(&jobs[*index]), *index));
            order.truncate(sample);
            let keep: BTreeSet<usize> = order.into_iter().collect();
            let mut index = 0..;
            jobs.retain(|_| index.next().is_some_and(|index| keep.contains(&index)));
        }
        if jobs.is_empty() {
            return Err(SweepError::Nothing { library: self.library.display().to_string(), count });
        }
        Ok(jobs)
    }

    fn rank(&self, job: &Job) -> u64 {
        job.name.bytes().fold(mix(self.seed), |rank, byte| mix(rank ^ u64::from(byte)))
    }

    /// Checks all kernels and gives their outcomes by name. `report` is told each outcome, with the number
    /// done and the number of all.
    pub fn run(
        &self,
        worker: &WorkerCommand,
        mut report: impl FnMut(&Outcome, usize, usize),
    ) -> Result<Vec<Outcome>, SweepError> {
        let jobs = self.select()?;
        let total = jobs.len();
        let failed = |error| SweepError::Journal { path: self.resume.clone().unwrap_or_default(), error };
        let (mut journal, known) = match &self.resume {
            Some(path) => {
                let (journal, known) = Journal::open(path).map_err(failed)?;
                (Some(journal), known)
            }
            None => (None, BTreeMap::new()),
        };
        let mut outcomes: BTreeMap<String, Outcome> = BTreeMap::new();
        let mut to_do = Vec::new();
        let mut twins: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for job in jobs {
            match known.get(&job.name) {
                Some(outcome) if outcome.hash == job.hash && (!self.retry || outcome.class == Class::Ok) => {
                    outcomes.insert(job.name.clone(), outcome.clone());
                }
                _ if !job.hash.is_empty() && twins.contains_key(&job.hash) => {
                    twins.entry(job.hash.clone()).or_default().push(job.name.clone());
                }
                _ => {
                    twins.insert(job.hash.clone(), Vec::new());
                    to_do.push(job);
                }
            }
        }
        if self.journal_only {
            to_do.clear();
        }
        let mut done = outcomes.len();
        for outcome in pool::run(to_do, worker, self.jobs.max(1), self.limit) {
            let names = twins.remove(&outcome.hash).unwrap_or_default();
            let same = names.into_iter().map(|name| Outcome { name, ..outcome.clone() });
            for outcome in std::iter::once(outcome.clone()).chain(same) {
                done += 1;
                if let Some(journal) = &mut journal {
                    journal.add(&outcome).map_err(failed)?;
                }
                report(&outcome, done, total);
                outcomes.insert(outcome.name.clone(), outcome);
            }
        }
        Ok(outcomes.into_values().collect())
    }
}
