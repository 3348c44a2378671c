//! What a sweep found, as text for the terminal, as Markdown and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::families::family;
use crate::outcome::{Class, Outcome};

/// The outcomes of a sweep, counted.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Kernels.
    pub kernels: usize,
    /// Name families.
    pub families: usize,
    /// Kernels by class; classes without kernels are left out.
    pub classes: BTreeMap<&'static str, usize>,
    /// Kernels whose engines agree.
    pub agree: usize,
    /// Kernels with something wrong: neither agreement nor undefined values.
    pub failed: usize,
    /// Kernels by share of blocks executed: below 50, 70, 80, 90, 100 %, and all.
    pub coverage: [usize; 6],
    /// Kernels in which the interpreter found something, by kind.
    pub findings: BTreeMap<String, usize>,
    /// Seconds in the interpreter, all workers added.
    pub interp_seconds: f64,
    /// Seconds of compiling and running compiled code.
    pub cpu_seconds: f64,
}

/// Bounds of [`Summary::coverage`].
const COVERAGE: [(&str, f64); 6] = [
    ("under 50 %", 0.5),
    ("50 to 70 %", 0.7),
    ("70 to 80 %", 0.8),
    ("80 to 90 %", 0.9),
    ("90 to 100 %", 1.0),
    ("all", 2.0),
];

impl Summary {
    /// Counts outcomes.
    pub fn of(outcomes: &[Outcome]) -> Self {
        let mut summary = Self {
            kernels: outcomes.len(),
            families: by_family(outcomes).len(),
            classes: BTreeMap::new(),
            agree: outcomes.iter().filter(|outcome| outcome.class.agrees()).count(),
            failed: outcomes.iter().filter(|outcome| outcome.class.fails()).count(),
            coverage: [0; 6],
            findings: BTreeMap::new(),
            interp_seconds: 0.0,
            cpu_seconds: 0.0,
        };
        for outcome in outcomes {
            *summary.classes.entry(outcome.class.name()).or_default() += 1;
            if outcome.cases > 0 {
                let share = outcome.coverage();
                let place = COVERAGE.iter().position(|(_, bound)| share < *bound).unwrap_or(5);
                summary.coverage[place] += 1;
            }
            for kind in outcome.findings.keys() {
                *summary.findings.entry(kind.clone()).or_default() += 1;
            }
            summary.interp_seconds += outcome.interp_ms as f64 / 1e3;
            summary.cpu_seconds += outcome.cpu_ms as f64 / 1e3;
        }
        summary
    }
}

fn by_family(outcomes: &[Outcome]) -> BTreeMap<String, Vec<&Outcome>> {
    let mut families: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        families.entry(family(&outcome.name)).or_default().push(outcome);
    }
    families
}

/// A table of class, kernels, families.
fn classes(outcomes: &[Outcome], row: impl Fn(&str, usize, usize) -> String) -> String {
    let mut text = String::new();
    for class in Class::ALL {
        let of_class: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.class == class).collect();
        if !of_class.is_empty() {
            let mut families: Vec<String> = of_class.iter().map(|outcome| family(&outcome.name)).collect();
            families.sort_unstable();
            families.dedup();
            text.push_str(&row(class.name(), of_class.len(), families.len()));
        }
    }
    text
}

/// Text for the terminal: counts, then every family that has a kernel which is not `ok`.
pub fn terminal(outcomes: &[Outcome]) -> String {
    let summary = Summary::of(outcomes);
    let mut text = String::new();
    let _ = writeln!(text, "{:24} {:>8} {:>9}", "result", "kernels", "families");
    text += &classes(outcomes, |name, kernels, families| format!("{name:24} {kernels:8} {families:9}\n"));
    let _ = writeln!(text, "{:24} {:8} {:9}", "all", summary.kernels, summary.families);
    let _ = writeln!(text, "\n{:24} {:>8}", "blocks executed", "kernels");
    for ((name, _), count) in COVERAGE.iter().zip(summary.coverage) {
        let _ = writeln!(text, "{name:24} {count:8}");
    }
    for (kind, count) in &summary.findings {
        let _ = writeln!(text, "{count} kernels: one {kind}");
    }
    let _ = writeln!(
        text,
        "\ninterpreter {:.1} s, compiled code {:.1} s",
        summary.interp_seconds, summary.cpu_seconds
    );
    for (name, members) in by_family(outcomes) {
        let mut bad: Vec<&&Outcome> = members.iter().filter(|outcome| outcome.class != Class::Ok).collect();
        bad.sort_by_key(|outcome| std::cmp::Reverse(outcome.class));
        if let Some(first) = bad.first() {
            let _ = writeln!(text, "\n{name}: {} of {} not ok", bad.len(), members.len());
            let _ = writeln!(text, "  {} {}: {}", first.class.name(), first.name, first.detail);
        }
    }
    text
}

/// One line of counts, and a line for each kernel with something wrong.
pub fn brief(title: &str, outcomes: &[Outcome]) -> String {
    let summary = Summary::of(outcomes);
    let counts: Vec<String> = Class::ALL
        .iter()
        .filter_map(|class| {
            let count = outcomes.iter().filter(|outcome| outcome.class == *class).count();
            (count > 0).then(|| format!("{count} {}", class.name()))
        })
        .collect();
    let mut text = format!(
        "conform {title}: {} kernels of {} families: {}\n",
        summary.kernels,
        summary.families,
        counts.join(", ")
    );
    for outcome in outcomes.iter().filter(|outcome| outcome.class.fails()) {
        let _ = writeln!(text, "  {}: {}: {}", outcome.name, outcome.class.name(), outcome.detail);
    }
    text
}

/// What the page says before its tables.
const PREFACE: &str = "\
Every kernel runs on the interpreter (unoptimised AIR) and as compiled code, on the same inputs between guard pages.
All buffers are compared bit by bit; any NaN equals any NaN.
Compiled code runs once on one thread and once on three.
Written by `mw conform LIBRARY --report FILE`; do not edit.

- *ok*: the engines agree, an active lane executed at least 90 % of the kernel's blocks, and an output changed.
- *low coverage*: they agree, on less than that.
- *undefined values*: they differ in a run in which the kernel used values that it never set, or reached outside
  of its own private arrays. What such a kernel computes is not defined by Metal either.
";

/// The page that is kept: counts, and the kernels that are not `ok`, by family. `of` is the number of kernels
/// that were to be checked, `made` says when and for which machine.
pub fn markdown(title: &str, outcomes: &[Outcome], of: usize, made: &str) -> String {
    let summary = Summary::of(outcomes);
    let mut text = format!(
        "# Conformance of `{title}`\n\n{PREFACE}\n{made}\n{} of {of} kernels were checked; the interpreter took \
         {:.0} minutes of one core, compiling and running compiled code {:.0}, on a machine that did other work too.\n\n",
        summary.kernels,
        summary.interp_seconds / 60.0,
        summary.cpu_seconds / 60.0,
    );
    text += "| result | kernels | families |\n| --- | --- | --- |\n";
    text += &classes(outcomes, |name, kernels, families| format!("| {name} | {kernels} | {families} |\n"));
    let _ = writeln!(text, "| all | {} | {} |", summary.kernels, summary.families);
    text += "\n| blocks executed by an active lane | kernels |\n| --- | --- |\n";
    for ((name, _), count) in COVERAGE.iter().zip(summary.coverage) {
        let _ = writeln!(text, "| {name} | {count} |");
    }
    if !summary.findings.is_empty() {
        text += "\nThe interpreter found, beside the results:\n\n";
        for (kind, count) in &summary.findings {
            let _ = writeln!(text, "- {count} kernels of which one {kind}");
        }
    }
    for class in Class::ALL.into_iter().filter(|class| *class != Class::Ok) {
        let of_class: Vec<Outcome> =
            outcomes.iter().filter(|outcome| outcome.class == class).cloned().collect();
        if of_class.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n## {}\n", class.name());
        for (name, members) in by_family(&of_class) {
            let first = members[0];
            let detail = first.detail.replace('\n', " ").replace('|', "\\|");
            let _ = writeln!(text, "- `{name}` ({}): `{}`: {detail}", members.len(), first.name);
        }
    }
    text
}

/// Today, in UTC, as `2026-11-30`.
pub fn today() -> String {
    let seconds =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    date(seconds / (24 * 60 * 60))
}

/// The date so many days after 1970-01-01.
fn date(days: u64) -> String {
    const MONTHS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let (mut year, mut rest) = (1970, days);
    while rest >= 365 + u64::from(is_leap(year)) {
        rest -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 0;
    loop {
        let length = MONTHS[month] + u64::from(month == 1 && is_leap(year));
        if rest < length {
            return format!("{year}-{:02}-{:02}", month + 1, rest + 1);
        }
        rest -= length;
        month += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{brief, date};
    use crate::outcome::{Class, Outcome};

    #[test]
    fn days_are_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(59 + 365 * 2), "1972-02-29");
        assert_eq!(date(20_787), "2026-11-30");
    }

    #[test]
    fn one_line_counts_and_the_rest_names() {
        let outcome = |name, class| Outcome::new(name, "", class, "why");
        let outcomes =
            [outcome("a_float", Class::Ok), outcome("a_half", Class::Ok), outcome("b", Class::Order)];
        assert_eq!(
            brief("lib", &outcomes),
            "conform lib: 3 kernels of 2 families: 2 ok, 1 depends on thread count\n  b: depends on thread count: why\n"
        );
    }
}
