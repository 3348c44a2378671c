//! What came out: contents, comparisons, times.

use metalworking::{ComputePipelineState, Engine};
use mw_interp::Counts;
use mw_manifest::{Comparison, Dtype, Key, Tensor, compare, npy};
use serde_json::{Value, json};

use super::Located;
use super::arguments::Bound;
use super::counts;
use crate::Outcome;
use crate::cli::RunArgs;
use crate::exit::Failure;
use crate::output::Output;

/// Contents with more elements than this are left out of JSON; `--save` writes them.
const JSON_ELEMENTS: usize = 4096;

/// Everything about one launch.
pub(super) struct Report {
    kernel: String,
    engine: String,
    device: String,
    times: Times,
    outputs: Vec<Shown>,
    checks: Vec<Check>,
    /// What it did, if that was counted.
    pub(super) counts: Option<Counts>,
}

/// How long things took, in seconds.
pub(super) struct Times {
    pub(super) compile_seconds: f64,
    /// One entry for each repetition.
    pub(super) seconds: Vec<f64>,
}

/// An argument that is printed or saved.
struct Shown {
    name: String,
    tensor: Tensor,
    is_printed: bool,
    saved: Option<String>,
}

/// A comparison with what was expected.
struct Check {
    name: String,
    tensor: Tensor,
    tolerance: String,
    outcome: Comparison,
}

/// Reads the results back, saves and compares them.
pub(super) fn make(
    args: &RunArgs,
    located: &Located,
    pipeline: &ComputePipelineState,
    bound: &[Bound],
    times: Times,
) -> Result<Report, Failure> {
    let launch = &located.launch;
    let wanted: Vec<Key> = args.print.iter().map(|text| Key::parse(text)).collect();
    let mut outputs = Vec::new();
    let mut checks = Vec::new();
    for argument in bound {
        let means = |key: &Key| key.means(argument.index, &argument.name);
        let is_wanted = if wanted.is_empty() { argument.is_written } else { wanted.iter().any(means) };
        let save = launch.save.iter().find(|(key, _)| means(key)).map(|(_, path)| located.folder.join(path));
        let expected = launch.expect.iter().find(|(key, _)| means(key)).map(|(_, value)| value);
        if !is_wanted && save.is_none() && expected.is_none() {
            continue;
        }
        let tensor = argument.tensor();
        if let Some(path) = &save {
            npy::write(path, &tensor)?;
        }
        if let Some(expected) = expected {
            let seed = launch.seed.unwrap_or(0);
            let expected = expected.make(&argument.name, seed, &located.folder)?;
            let tolerance = launch.tolerance_of(argument.index, &argument.name);
            let outcome = compare(&tensor, &expected, tolerance)?;
            let (name, tolerance) = (label(argument), tolerance.to_string());
            checks.push(Check { name, tensor: tensor.clone(), tolerance, outcome });
        }
        if is_wanted || save.is_some() {
            outputs.push(Shown {
                name: label(argument),
                tensor,
                is_printed: is_wanted && !args.quiet,
                saved: save.map(|path| path.display().to_string()),
            });
        }
    }
    Ok(Report {
        kernel: pipeline.name().to_owned(),
        engine: args.engine.clone(),
        device: pipeline.device().name().to_owned(),
        times,
        outputs,
        checks,
        counts: None,
    })
}

fn label(argument: &Bound) -> String {
    if argument.name.is_empty() { argument.index.to_string() } else { argument.name.clone() }
}

/// Prints all reports; an error when a check failed.
pub(super) fn print(reports: &[Report], output: &Output) -> Outcome {
    output.json(&Value::Array(reports.iter().map(Report::to_json).collect()));
    for report in reports {
        report.write(output);
    }
    let failed = reports.iter().flat_map(|report| &report.checks).filter(|it| !it.outcome.passes()).count();
    if failed > 0 {
        return Err(Failure::mismatch(format!("{failed} results are not as expected")));
    }
    Ok(())
}

impl Report {
    fn write(&self, output: &Output) {
        for shown in &self.outputs {
            if shown.is_printed {
                output.line(format!("{} = {}", shown.name, shown.tensor.describe()));
                output.line(shown.tensor.to_string());
            }
            if let Some(path) = &shown.saved {
                output.line(format!("{} written to {path}", shown.name));
            }
        }
        for check in &self.checks {
            output.line(check.text());
        }
        if let Some(counted) = &self.counts {
            counts::write(counted, output);
        }
        output.note(self.times_text());
    }

    fn times_text(&self) -> String {
        let mut sorted = self.times.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let (least, median) = (sorted[0], sorted[sorted.len() / 2]);
        let launches = match sorted.len() {
            // The CPU backend makes code when a launch first needs it.
            1 if self.engine == Engine::Cpu.name() => {
                format!("{}, code generation included", duration(median))
            }
            1 => duration(median),
            count => format!("{} least, {} median of {count}", duration(least), duration(median)),
        };
        format!(
            "`{}` on {} ({}): prepared in {}, ran in {launches}",
            self.kernel,
            self.engine,
            self.device,
            duration(self.times.compile_seconds)
        )
    }

    fn to_json(&self) -> Value {
        let outputs = self.outputs.iter().map(|shown| {
            let mut value = json!({
                "name": shown.name,
                "dtype": shown.tensor.dtype.name(),
                "shape": shown.tensor.shape,
                "saved": shown.saved,
            });
            if shown.is_printed && shown.tensor.count() <= JSON_ELEMENTS {
                value["values"] = values(&shown.tensor);
            }
            value
        });
        let mut report = json!({
            "kernel": self.kernel,
            "engine": self.engine,
            "device": self.device,
            "ok": self.checks.iter().all(|check| check.outcome.passes()),
            "compile_seconds": self.times.compile_seconds,
            "seconds": self.times.seconds,
            "outputs": outputs.collect::<Vec<_>>(),
            "checks": self.checks.iter().map(Check::to_json).collect::<Vec<_>>(),
        });
        if let Some(counted) = &self.counts {
            report["counts"] = counts::describe(counted);
        }
        report
    }
}

impl Check {
    fn text(&self) -> String {
        let outcome = &self.outcome;
        let errors = format!(
            "largest error {:.3e} absolute, {:.3e} relative, {} ulp",
            outcome.largest_absolute, outcome.largest_relative, outcome.largest_ulp
        );
        match &outcome.first {
            None => format!("{}: as expected ({} elements, {errors})", self.name, outcome.count),
            Some((index, actual, expected)) => format!(
                "{}: {} of {} elements are not as expected ({errors}; allowed {}); the first is at {:?}: {actual}, expected {expected}",
                self.name,
                outcome.mismatches,
                outcome.count,
                self.tolerance,
                self.tensor.position(*index)
            ),
        }
    }

    fn to_json(&self) -> Value {
        let outcome = &self.outcome;
        let first = outcome.first.as_ref().map(|(index, actual, expected)| {
            json!({ "position": self.tensor.position(*index), "actual": actual, "expected": expected })
        });
        json!({
            "name": self.name,
            "ok": outcome.passes(),
            "count": outcome.count,
            "mismatches": outcome.mismatches,
            // JSON has no infinity.
            "largest_absolute": finite(outcome.largest_absolute),
            "largest_relative": finite(outcome.largest_relative),
            "largest_ulp": outcome.largest_ulp,
            "tolerance": self.tolerance,
            "first_mismatch": first,
        })
    }
}

fn finite(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!("inf") }
}

/// Elements in order; numbers where JSON can hold them, text otherwise.
fn values(tensor: &Tensor) -> Value {
    let element = |index: usize| {
        let bytes = tensor.element(index);
        match tensor.dtype {
            Dtype::Bool => json!(bytes[0] != 0),
            Dtype::Complex64 => json!(tensor.dtype.format(bytes)),
            dtype if dtype.is_float() => match dtype.read_f64(bytes) {
                value if value.is_finite() => json!(value),
                value => json!(value.to_string()),
            },
            dtype => {
                let value = dtype.read_i128(bytes);
                i64::try_from(value).map_or_else(|_| json!(value as u64), |value| json!(value))
            }
        }
    };
    Value::Array((0..tensor.count()).map(element).collect())
}

/// A time with a unit that suits it.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
