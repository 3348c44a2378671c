//! `mw-bench verify`: runs the reference cases of all kernel families, and writes the table of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use metalworking::{Engine, Library};
use mw_bench::report::{Machine, today};
use mw_bench::{Case, Set, Verdict, by_family, mlx_library, verify};
use mw_conform::families::family;

/// Run the reference cases of all kernel families and judge the results.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder that `python -m reference families` wrote.
    #[arg(long, default_value = ".cache/reference")]
    references: PathBuf,
    /// Only cases whose group, family, name or kernel contains this.
    #[arg(long)]
    filter: Option<String>,
    /// Only one case of each family.
    #[arg(long)]
    one_each: bool,
    /// Which engine runs the kernels: cpu or interp.
    #[arg(long, default_value = "cpu")]
    engine: Engine,
    /// Write the table of families to this Markdown file.
    #[arg(long)]
    write: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let set = Set::open(&args.references)?;
    let library = Library::open(&mlx_library()?)?;
    let device = args.engine.device(None)?;
    let mut seen = BTreeSet::new();
    let cases: Vec<&Case> = set
        .cases
        .iter()
        .filter(|case| args.filter.as_deref().is_none_or(|part| case.mentions(part)))
        .filter(|case| !args.one_each || seen.insert(&case.family))
        .collect();
    let bar = indicatif::ProgressBar::new(cases.len() as u64);
    let verdicts = verify(&device, &library, &set, &cases, &|done| bar.set_position(done as u64));
    bar.finish_and_clear();
    for complaint in verdicts.iter().filter_map(Verdict::complaint) {
        println!("{complaint}");
    }
    let right = verdicts.iter().filter(|verdict| verdict.is_right()).count();
    let families = by_family(&verdicts);
    let whole = families.values().filter(|all| all.iter().all(|verdict| verdict.is_right())).count();
    println!("{right} of {} cases are right; {whole} of {} families", verdicts.len(), families.len());
    if let Some(path) = &args.write {
        let text = table(&set, &verdicts, args.engine)?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(if right == verdicts.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Markdown: a section for each group, a row for each operator.
fn table(set: &Set, verdicts: &[Verdict<'_>], engine: Engine) -> Result<String> {
    let kernels: BTreeSet<&str> =
        verdicts.iter().flat_map(|it| &it.case.steps).map(|step| step.kernel.as_str()).collect();
    let names: BTreeSet<String> = kernels.iter().map(|name| family(name)).collect();
    let right = verdicts.iter().filter(|verdict| verdict.is_right()).count();
    let mut groups: BTreeMap<&str, BTreeMap<&str, Vec<&Verdict<'_>>>> = BTreeMap::new();
    for verdict in verdicts {
        let operators = groups.entry(&verdict.case.group).or_default();
        operators.entry(operator(verdict.case)).or_default().push(verdict);
    }
    let operators: usize = groups.values().map(BTreeMap::len).sum();
    let versions: Vec<String> = set
        .versions
        .iter()
        .filter(|(name, _)| *name != "reference")
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    let mut text = String::from("# Kernels checked against reference values\n\n");
    writeln!(text, "Written by `cargo xtask references --write` on {}.", today())?;
    writeln!(text, "Machine: {}; engine `{engine}`; {}.\n", Machine::this(), versions.join(", "))?;
    writeln!(
        text,
        "{right} of {} cases are right. They launch {} kernels of {} name families ({operators} operators).",
        verdicts.len(),
        kernels.len(),
        names.len(),
    )?;
    text.push_str(
        "Expected results come from double precision, exact integers, or MLX's CPU operator where that is the \
         definition (`python/reference/families`).\nThe largest error is in units in the last place (ulp) or a \
         part of the size of the terms.\n",
    );
    let strays: BTreeMap<&str, usize> =
        verdicts.iter().filter_map(|it| it.case.strays.as_deref()).fold(BTreeMap::new(), |mut all, why| {
            *all.entry(why).or_default() += 1;
            all
        });
    text.push_str("\nThe interpreter checks every access, and reports reads beside an argument in:\n\n");
    for (why, count) in strays {
        writeln!(text, "- {count} cases: {why}.")?;
    }
    for (group, operators) in groups {
        writeln!(text, "\n## {group}\n")?;
        text.push_str("| operator | kernels | types | cases | right | largest error |\n");
        text.push_str("| --- | --- | --- | ---: | ---: | --- |\n");
        for (operator, all) in operators {
            let kernels: BTreeSet<String> =
                all.iter().flat_map(|it| &it.case.steps).map(|step| family(&step.kernel)).collect();
            let types: BTreeSet<&str> = all
                .iter()
                .filter_map(|it| it.case.name.split_whitespace().next())
                .filter(|it| is_type(it))
                .collect();
            let right = all.iter().filter(|verdict| verdict.is_right()).count();
            writeln!(
                text,
                "| {operator} | {} | {} | {} | {right} | {} |",
                kernels.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
                types.into_iter().collect::<Vec<_>>().join(", "),
                all.len(),
                largest(&all),
            )?;
        }
    }
    Ok(text)
}

fn is_type(word: &str) -> bool {
    ["bool", "int", "uint", "float", "bfloat", "complex"].iter().any(|start| word.starts_with(start))
}

/// `Exp` of `vn_Exp`; other families are operators themselves.
fn operator(case: &Case) -> &str {
    let is_elementwise = ["unary", "binary", "copies"].contains(&case.group.as_str());
    match case.family.split_once('_') {
        Some((_, operator)) if is_elementwise => operator,
        _ => &case.family,
    }
}

/// The largest error of all cases, by element type, in the unit that they are judged by.
fn largest(all: &[&Verdict<'_>]) -> String {
    let mut by_type: BTreeMap<(&str, &str), (u64, f64)> = BTreeMap::new();
    for verdict in all {
        let word =
            verdict.case.name.split_whitespace().next().filter(|word| is_type(word)).unwrap_or_default();
        for (output, outcome) in verdict.outcomes.iter().flatten() {
            let unit = if outcome.relative.is_some() { output.unit.as_str() } else { "ulp" };
            let (ulp, relative) = by_type.entry((unit, word)).or_default();
            *ulp = outcome.ulp.max(*ulp);
            *relative = outcome.relative.unwrap_or_default().max(*relative);
        }
    }
    if by_type.iter().all(|((unit, _), (ulp, _))| *unit == "ulp" && *ulp == 0) {
        return "exact".to_owned();
    }
    let describe = |((unit, word), (ulp, relative)): (&(&str, &str), &(u64, f64))| {
        let error = match *unit {
            "ulp" if *ulp == 0 => return None,
            "ulp" => format!("{ulp} ulp"),
            unit => format!("{relative:.1e} {unit}"),
        };
        Some(if word.is_empty() { error } else { format!("{word} {error}") })
    };
    // A bar would end the cell.
    by_type.iter().filter_map(describe).collect::<Vec<_>>().join(", ").replace('|', "\\|")
}
