//! `cargo xtask corpora against`: our compiler against Apple's, kernel by kernel.
//!
//! Two packages ship Metal source and Apple's AIR of it: PyTorch's headers instantiate kernels that its library
//! holds, and MLX's headers hold the templates of its library's kernels, which are instantiated anew by name.
//! Ours and Apple's run on the interpreter with the same inputs; results and reflection are compared. Journals
//! lie in `.cache/corpora-out/against/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use super::instances;
use super::packages::{PACKAGES, include_headers};
use super::tables;
use super::tool::{Compiled, Outcome, Runs, Source, Tool};
use crate::context::Context;

/// Compare what our compiler makes of PyTorch's and MLX's kernels with what Apple's made.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which groups: torch, and those of xtask/src/corpora/instances.toml; all without one.
    groups: Vec<String>,
    /// Compile only.
    #[arg(long)]
    compile_only: bool,
    /// Write the table down in docs/conformance/front-end.md.
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    runs: Runs,
}

const PAGE: &str = "docs/conformance/front-end.md";

/// A source, the library that it is compared with, and the result.
struct Group {
    source: Source,
    apples: PathBuf,
    compiled: Compiled,
    outcomes: BTreeMap<String, Vec<Outcome>>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let tool = Tool::new(context, args.runs.mw.as_deref())?;
    let mut groups = Vec::new();
    let (torch, mlx) = (library(context, "torch")?, library(context, "mlx14")?);
    let (sources, unknown) = sources(context, &tool, &mlx)?;
    let torch = std::iter::once((torch_source(context)?, torch));
    for (source, apples) in torch.chain(sources.into_iter().map(|source| (source, mlx.clone()))) {
        if !args.groups.is_empty() && !args.groups.contains(&source.name) {
            continue;
        }
        let compiled = tool.compile(&source)?;
        println!("{}: {} of {} kernels lowered", source.name, compiled.lowered, compiled.kernels);
        if !compiled.ok {
            println!("  {}", compiled.error);
        }
        groups.push(Group { source, apples, compiled, outcomes: BTreeMap::new() });
    }
    if !args.compile_only {
        for runs in super::report::passes(&args.runs) {
            for group in groups.iter_mut().filter(|group| group.compiled.lowered > 0) {
                group.outcomes.clear();
                for outcome in tool.conform(&group.source, Some(&group.apples), &runs)? {
                    group.outcomes.entry(outcome.class.clone()).or_default().push(outcome);
                }
                let counts: Vec<String> = group
                    .outcomes
                    .iter()
                    .map(|(class, outcomes)| format!("{} {class}", outcomes.len()))
                    .collect();
                println!("{}: {}", group.source.name, counts.join(", "));
            }
        }
    }
    let text = table(&groups, &unknown)?;
    println!("{text}");
    if args.write {
        tables::replace(context, PAGE, "against", &text)?;
    }
    Ok(())
}

/// Both were compiled for macOS 14, with IEEE arithmetic.
const FLAGS: [&str; 2] = ["-std=metal3.1", "-fno-fast-math"];

fn out(context: &Context) -> PathBuf {
    context.root.join(".cache/corpora-out/against")
}

fn torch_source(context: &Context) -> Result<Source> {
    let package = PACKAGES.iter().find(|package| package.name == "torch").context("torch is a package")?;
    let (folder, made) = (package.folder(context), out(context).join("src/torch"));
    include_headers(context, &folder, &made)?;
    Ok(Source {
        name: "torch".into(),
        path: made.join("headers.metal"),
        flags: flags(&folder.join("torch/include")),
        is_optimized: false,
        out: out(context).join("torch.metal"),
    })
}

fn flags(include: &std::path::Path) -> Vec<String> {
    let mut flags: Vec<String> = FLAGS.map(str::to_owned).to_vec();
    flags.extend(["-I".into(), include.to_string_lossy().into_owned()]);
    flags
}

/// MLX's sources, and how many kernels have none, by name up to the first digit or type.
fn sources(context: &Context, tool: &Tool<'_>, mlx: &std::path::Path) -> Result<(Vec<Source>, Vec<String>)> {
    let (groups, unknown) = instances::sources(&tool.names(mlx)?)?;
    let include = context.root.join(".cache/corpora/mlx-metal/mlx/include");
    let folder = out(context).join("src");
    context.shell.create_dir(&folder)?;
    let mut sources = Vec::new();
    for group in groups {
        let path = folder.join(&group.name).with_extension("metal");
        // What has not changed keeps its time, so that it is not compiled anew.
        if context.shell.read_file(&path).ok().as_deref() != Some(&group.text) {
            context.shell.write_file(&path, &group.text)?;
        }
        let out = out(context).join(&group.name).with_extension("metal");
        sources.push(Source { name: group.name, path, flags: flags(&include), is_optimized: false, out });
    }
    Ok((sources, unknown))
}

fn library(context: &Context, tag: &str) -> Result<PathBuf> {
    let folder = std::env::var_os("MW_LIBRARIES")
        .map_or_else(|| context.root.join(".cache/libraries"), PathBuf::from)
        .join(tag);
    let is_library = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "metallib" || extension == "dylib")
    };
    let found = context.shell.read_dir(&folder).unwrap_or_default().into_iter().find(is_library);
    found.with_context(|| format!("{} has no library: run `cargo xtask libraries {tag}`", folder.display()))
}

/// Shown of each class of each group.
const SHOWN: usize = 8;

fn table(groups: &[Group], unknown: &[String]) -> Result<String> {
    let mut text = String::from(
        "| group | kernels | lowered | compared | equal | of these with low coverage | equal, reflection differs | undefined values | differ | no launch in bounds | gave up | not in Apple's library |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut all = [0; 11];
    for group in groups {
        let count = |classes: &[&str]| -> usize {
            classes.iter().filter_map(|class| group.outcomes.get(*class)).map(Vec::len).sum()
        };
        let row = [
            group.compiled.kernels,
            group.compiled.lowered,
            group.outcomes.values().map(Vec::len).sum(),
            count(&["ok", "low-coverage"]),
            count(&["low-coverage"]),
            count(&["reflection"]),
            count(&["undefined"]),
            count(&["mismatch", "crash", "interp-error", "unreadable"]),
            count(&["no-launch", "unsupported"]),
            count(&["watchdog", "jit-error"]),
            count(&["absent"]),
        ];
        write!(text, "| {} |", group.source.name)?;
        for (sum, value) in all.iter_mut().zip(row) {
            *sum += value;
            write!(text, " {value} |")?;
        }
        text.push('\n');
    }
    text.push_str("| all |");
    for sum in all {
        write!(text, " {sum} |")?;
    }
    text.push('\n');
    let kinds: BTreeSet<&str> =
        unknown.iter().map(|name| name.split(|c: char| c.is_ascii_digit()).next().unwrap_or(name)).collect();
    writeln!(
        text,
        "\n{} kernels of MLX's library have no source in the wheel's headers; their names begin {}.\n",
        unknown.len(),
        kinds.into_iter().map(|kind| format!("`{kind}`")).collect::<Vec<_>>().join(", ")
    )?;
    for group in groups {
        if !group.compiled.ok {
            writeln!(text, "- {}: does not compile whole: {}", group.source.name, group.compiled.error)?;
        }
        for (class, outcomes) in &group.outcomes {
            if ["ok", "low-coverage", "absent"].contains(&class.as_str()) {
                continue;
            }
            for outcome in outcomes.iter().take(SHOWN) {
                let detail: String = outcome.detail.chars().take(200).collect();
                let detail = detail.trim();
                writeln!(text, "- {}: `{}`: {class}: {detail}", group.source.name, outcome.name)?;
            }
            if outcomes.len() > SHOWN {
                writeln!(text, "- {}: {class}: {} more", group.source.name, outcomes.len() - SHOWN)?;
            }
        }
    }
    Ok(text)
}
