//! Running many cases and judging each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use metalworking::{Device, Library};
use rayon::prelude::*;

use crate::case::{Case, Output, Set};
use crate::check::{Outcome, check};
use crate::prepared::Prepared;

/// What became of a case.
#[derive(Clone, Debug)]
pub struct Verdict<'a> {
    /// The case.
    pub case: &'a Case,
    /// The outcome of each output, or why there is none.
    pub outcomes: Result<Vec<(&'a Output, Outcome)>, String>,
}

impl Verdict<'_> {
    /// Whether every element of every output is right.
    pub fn is_right(&self) -> bool {
        self.outcomes.as_ref().is_ok_and(|all| all.iter().all(|(_, outcome)| outcome.wrong == 0))
    }

    /// One line that says what is wrong.
    pub fn complaint(&self) -> Option<String> {
        let kernels: BTreeSet<&str> = self.case.steps.iter().map(|step| step.kernel.as_str()).collect();
        let kernels = kernels.into_iter().collect::<Vec<_>>().join(", ");
        let name = format!("{} [{}] ({kernels})", self.case.family, self.case.name);
        match &self.outcomes {
            Err(error) => Some(format!("{name}: {error}")),
            Ok(outcomes) => {
                outcomes.iter().find(|(_, outcome)| outcome.wrong > 0).map(|(output, outcome)| {
                    let first = outcome.first.as_ref().map_or_else(String::new, |first| {
                        format!("; element {} is {}, expected {}", first.index, first.actual, first.expected)
                    });
                    format!(
                        "{name}: {} of {} wrong in `{}`, {} of {} allowed{first}",
                        outcome.wrong,
                        outcome.count,
                        output.buffer,
                        outcome.describe(output),
                        output.allowed(),
                    )
                })
            }
        }
    }
}

/// Runs cases on a device, several at once, and calls `progress` with the number that are done.
pub fn verify<'a>(
    device: &Device,
    library: &Library,
    set: &'a Set,
    cases: &[&'a Case],
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Verdict<'a>> {
    let done = AtomicUsize::new(0);
    cases
        .par_iter()
        .map(|case| {
            let outcomes = verify_one(device, library, set, case);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            Verdict { case, outcomes }
        })
        .collect()
}

fn verify_one<'a>(
    device: &Device,
    library: &Library,
    set: &Set,
    case: &'a Case,
) -> Result<Vec<(&'a Output, Outcome)>, String> {
    let prepared = Prepared::new(device, library, case, &set.folder).map_err(|error| with_sources(&error))?;
    prepared.run().map_err(|error| with_sources(&error))?;
    let judge = |output: &'a Output| {
        let actual = prepared
            .contents(&output.buffer)
            .ok_or_else(|| format!("there is no buffer `{}`", output.buffer))?;
        let outcome = check(&actual, output, &set.folder).map_err(|error| with_sources(&error))?;
        Ok((output, outcome))
    };
    case.outputs.iter().map(judge).collect()
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        // Transparent errors repeat what they wrap.
        if !text.ends_with(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        source = error.source();
    }
    text
}

/// Cases by the kernel family that they are about.
pub fn by_family<'v, 'a>(verdicts: &'v [Verdict<'a>]) -> BTreeMap<&'a str, Vec<&'v Verdict<'a>>> {
    let mut families: BTreeMap<&str, Vec<&Verdict<'_>>> = BTreeMap::new();
    for verdict in verdicts {
        families.entry(&verdict.case.family).or_default().push(verdict);
    }
    families
}
