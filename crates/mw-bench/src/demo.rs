//! `mw-bench demo`: runs a set of cases, compares each with MLX's result, and prints a table.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use metalworking::{Engine, Library};
use mw_bench::report::{Machine, time};
use mw_bench::{Case, Mismatch, Prepared, Set, check, mlx_library};

/// Run Apple's kernels on the data of a reference folder and compare with MLX.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder that `python -m reference demo` wrote.
    #[arg(long, default_value = ".cache/demo")]
    references: PathBuf,
    /// Only cases whose family or name contains this.
    #[arg(long)]
    filter: Option<String>,
    /// Which engine runs the kernels: cpu or interp.
    #[arg(long, default_value = "cpu")]
    engine: Engine,
    /// Time each case for about this long.
    #[arg(long, default_value_t = 0.3)]
    seconds: f64,
    /// Print JSON in place of the table.
    #[arg(long)]
    json: bool,
}

/// What became of a case.
struct Row<'a> {
    case: &'a Case,
    result: Result<Measured, String>,
}

struct Measured {
    error: String,
    wrong: Option<(usize, usize, Option<Mismatch>)>,
    time: Duration,
    compile: Duration,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let set = Set::open(&args.references)?;
    let library = Library::open(&mlx_library()?)?;
    let device = args.engine.device(None)?;
    let is_chosen = |case: &&Case| {
        args.filter.as_deref().is_none_or(|part| case.family.contains(part) || case.name.contains(part))
    };
    let cases: Vec<&Case> = set.cases.iter().filter(is_chosen).collect();
    let bar = indicatif::ProgressBar::new(cases.len() as u64);
    bar.set_style(
        indicatif::ProgressStyle::with_template("{pos}/{len} {msg}").context("the template is constant")?,
    );
    let mut rows = Vec::new();
    for case in cases {
        bar.set_message(case.name.clone());
        let prepared = Prepared::new(&device, &library, case, &set.folder);
        let result = prepared.map_err(anyhow::Error::from).and_then(|it| measure(case, &it, &set, args));
        rows.push(Row { case, result: result.map_err(|error| format!("{error:#}")) });
        bar.inc(1);
    }
    bar.finish_and_clear();
    if args.json {
        print_json(&set, &rows)?;
    } else {
        print_table(&set, &rows);
    }
    let all_right = rows.iter().all(|row| row.result.as_ref().is_ok_and(|it| it.wrong.is_none()));
    Ok(if all_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measure(case: &Case, prepared: &Prepared, set: &Set, args: &Args) -> Result<Measured> {
    let first = prepared.run()?;
    let mut error = Vec::new();
    let mut wrong = None;
    for output in &case.outputs {
        let actual = prepared.contents(&output.buffer).context("an output names no buffer")?;
        let outcome = check(&actual, output, &set.folder)?;
        error.push(outcome.describe(output));
        if outcome.wrong > 0 && wrong.is_none() {
            wrong = Some((outcome.wrong, outcome.count, outcome.first));
        }
    }
    // The first run made the code. Now at least three runs, and as many as fit into the time.
    let mut times = Vec::new();
    let start = Instant::now();
    while times.len() < 3 || (start.elapsed().as_secs_f64() < args.seconds && times.len() < 1000) {
        times.push(prepared.run()?);
    }
    // The best of some runs, as for MLX: other work on the machine only ever adds time.
    let best = times.iter().min().copied().unwrap_or(first);
    // Code is made when the first launch needs it.
    let compile = prepared.compile_time + first.saturating_sub(best);
    Ok(Measured { error: error.join(", "), wrong, time: best, compile })
}

/// MLX's time over ours.
fn ratio(case: &Case, ours: Duration) -> Option<f64> {
    Some(case.mlx_seconds? / ours.as_secs_f64())
}

fn print_table(set: &Set, rows: &[Row<'_>]) {
    let versions: Vec<String> =
        set.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    println!("{}; {}", Machine::this(), versions.join(", "));
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["kernel", "shape", "largest error", "load", "ours", "MLX CPU", "ratio"]);
    for row in rows {
        let case = row.case;
        let mlx = case.mlx_seconds.map_or_else(|| "–".to_owned(), |s| time(Duration::from_secs_f64(s)));
        let [error, compile, ours, ratio] = match &row.result {
            Ok(it) => [
                if it.wrong.is_some() { format!("WRONG: {}", it.error) } else { it.error.clone() },
                time(it.compile),
                time(it.time),
                ratio(case, it.time).map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}×")),
            ],
            Err(_) => ["FAILED", "–", "–", "–"].map(str::to_owned),
        };
        table.add_row([case.name.clone(), case.shape.clone(), error, compile, ours, mlx, ratio]);
    }
    for column in 3..7 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    println!("{table}");
    let mut right = 0;
    let mut ratios = Vec::new();
    for row in rows {
        match &row.result {
            Ok(Measured { wrong: None, time, .. }) => {
                right += 1;
                ratios.extend(ratio(row.case, *time));
            }
            Ok(Measured { wrong: Some((wrong, count, first)), .. }) => {
                let first = first.as_ref().map_or_else(String::new, |first| {
                    format!(": first at {}: {}, expected {}", first.index, first.actual, first.expected)
                });
                println!("{}: {wrong} of {count} elements are wrong{first}", row.case.name);
            }
            Err(error) => println!("{}: {error}", row.case.name),
        }
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    println!(
        "{right} of {} kernels agree with MLX; {mean:.2}× MLX's CPU time in the geometric mean (above 1 is faster)",
        rows.len()
    );
}

fn print_json(set: &Set, rows: &[Row<'_>]) -> Result<()> {
    let rows: Vec<serde_json::Value> = rows
        .iter()
        .map(|row| {
            let case = row.case;
            match &row.result {
                Ok(it) => serde_json::json!({
                    "family": case.family, "name": case.name, "shape": case.shape,
                    "kernel": case.steps.first().map(|step| &step.kernel),
                    "agrees": it.wrong.is_none(), "error": it.error,
                    "seconds": it.time.as_secs_f64(), "compile_seconds": it.compile.as_secs_f64(),
                    "mlx_seconds": case.mlx_seconds, "ratio": ratio(case, it.time),
                }),
                Err(error) => serde_json::json!({
                    "family": case.family, "name": case.name, "shape": case.shape, "failure": error,
                }),
            }
        })
        .collect();
    let report = serde_json::json!({
        "machine": Machine::this(), "versions": set.versions, "kernels": rows,
    });
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}
