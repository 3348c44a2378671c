//! `cargo xtask corpora report`: what of the corpora compiles, lowers, runs and agrees: one row for each package.
//!
//! `mw compile --keep-going` makes a library of each source, `mw conform` runs its kernels on both engines.
//! The libraries and journals lie in `.cache/corpora-out/`, so that a run that was stopped goes on.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;
use xshell::cmd;

use crate::context::Context;

/// Compile and run the Metal sources of public packages, and say how far each gets.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which packages; all without one.
    packages: Vec<String>,
    /// Run only so many kernels of each file, chosen by seed.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Compile and lower, run nothing.
    #[arg(long)]
    compile_only: bool,
    /// Write the table down in docs/conformance/corpora.md.
    #[arg(long)]
    write: bool,
}

/// The page that holds the table.
const PAGE: &str = "docs/conformance/corpora.md";

/// How a package ships its kernels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In `.metal` files.
    Files,
    /// In headers that instantiate their kernels: one source includes them all.
    Headers,
    /// As bodies in strings of Python files, wrapped as MLX wraps them.
    Bodies,
}

/// A package, what of it is compiled, and how many kernels it has.
struct Package {
    name: &'static str,
    version: &'static str,
    /// Entry points by the registry's count.
    kernels: usize,
    form: Form,
    /// Folders below the package in which `#include` looks.
    include_folders: &'static [&'static str],
}

const PACKAGES: &[Package] = &[
    Package {
        name: "candle-metal-kernels",
        version: "0.11.1",
        kernels: 1749,
        form: Form::Files,
        include_folders: &[],
    },
    Package {
        name: "mistralrs-quant",
        version: "0.8.1",
        kernels: 3988,
        form: Form::Files,
        include_folders: &["src/metal_kernels"],
    },
    Package {
        name: "mistralrs-paged-attn",
        version: "0.8.1",
        kernels: 331,
        form: Form::Files,
        include_folders: &["src/metal/kernels"],
    },
    Package {
        name: "luminal_metal",
        version: "0.2.0",
        kernels: 1170,
        form: Form::Files,
        include_folders: &[],
    },
    Package { name: "tract-metal", version: "0.23.9", kernels: 882, form: Form::Files, include_folders: &[] },
    Package {
        name: "llama-cpp-sys-2",
        version: "0.1.161",
        kernels: 1151,
        form: Form::Files,
        include_folders: &[
            "llama.cpp/ggml/src",
            "llama.cpp/ggml/src/ggml-metal",
            "llama.cpp/ggml/src/ggml-metal/kernels",
        ],
    },
    Package {
        name: "torch",
        version: "2.15.0",
        kernels: 1827,
        form: Form::Headers,
        include_folders: &["torch/include"],
    },
    bodies("mlx-lm", "0.32.2", 20),
    bodies("mlx-vlm", "0.7.10", 97),
    bodies("mlx-audio", "0.6.2", 9),
    bodies("zmlx", "0.10.0", 147),
];

/// A Python package; `kernels` counts its calls of `metal_kernel`, some of which make several kernels.
const fn bodies(name: &'static str, version: &'static str, kernels: usize) -> Package {
    Package { name, version, kernels, form: Form::Bodies, include_folders: &["../mlx-metal/mlx/include"] }
}

/// One row of the table.
#[derive(Default)]
struct Row {
    files: usize,
    compiled: usize,
    kernels: usize,
    lowered: usize,
    ran: usize,
    agreed: usize,
    checked: usize,
    notes: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let table = report(args, context)?;
    println!("{table}");
    if args.write {
        let text = format!(
            "# Corpora: Metal source that people ship\n\n\
             Every `.metal` file of the packages, compiled by our front-end and lowered to AIR; its kernels run on the \
             interpreter and as compiled code with generated inputs, and compared bit by bit.\n\
             `cargo xtask corpora report --write` makes this page.\n\n{table}"
        );
        context.shell.write_file(PAGE, text)?;
    }
    Ok(())
}

/// The table, and what is wrong, as Markdown.
fn report(options: &Args, context: &Context) -> Result<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    cmd!(context.shell, "{cargo} build --quiet --release --package mw-cli").quiet().run()?;
    let target =
        std::env::var("CARGO_TARGET_DIR").map_or_else(|_| context.root.join("target"), PathBuf::from);
    let mw = target.join("release/mw");
    let mut page = String::from(
        "| package | files compile | kernels | lower to verified AIR | run | engines agree |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut notes = String::new();
    for package in PACKAGES {
        if !options.packages.is_empty() && !options.packages.iter().any(|name| name == package.name) {
            continue;
        }
        let row = one(context, &mw, package, options)?;
        writeln!(
            page,
            "| {} {} | {} of {} | {} of {} | {} | {} of {} | {} of {} |",
            package.name,
            package.version,
            row.compiled,
            row.files,
            row.kernels,
            package.kernels,
            row.lowered,
            row.ran,
            row.checked,
            row.agreed,
            row.checked
        )?;
        for note in &row.notes {
            writeln!(notes, "- {}: {note}", package.name)?;
        }
    }
    if !notes.is_empty() {
        write!(page, "\n{notes}")?;
    }
    Ok(page)
}

fn one(context: &Context, mw: &Path, package: &Package, options: &Args) -> Result<Row> {
    let folder = context.root.join(".cache/corpora").join(package.name);
    let out = context.root.join(".cache/corpora-out").join(package.name);
    context.shell.create_dir(&out)?;
    let mut row = Row::default();
    let (below, files) = match package.form {
        Form::Files => (folder.clone(), sources(&folder, "metal")?),
        Form::Headers => {
            let made = out.join("src");
            include_headers(context, &folder, &made)?;
            (made.clone(), sources(&made, "metal")?)
        }
        Form::Bodies => {
            let made = out.join("src");
            context.shell.remove_path(&made)?;
            let python = crate::libraries::python(context);
            cmd!(context.shell, "{python} -c {BODIES} {folder} {made}").quiet().ignore_stderr().run()?;
            (made.clone(), sources(&made, "metal")?)
        }
    };
    for file in files {
        let name = file.strip_prefix(&below)?.to_string_lossy().replace('/', "_");
        if PARTS.iter().any(|part| name.ends_with(part)) {
            continue;
        }
        row.files += 1;
        let library = out.join(&name).with_extension("metallib");
        let mut flags: Vec<String> = Vec::new();
        if package.name == "llama-cpp-sys-2" {
            // Its build script says so where the device has bfloat.
            flags.extend(["-D".into(), "GGML_METAL_HAS_BF16=1".into()]);
        }
        for include in package.include_folders {
            flags.push("-I".into());
            flags.push(folder.join(include).to_string_lossy().into_owned());
        }
        let include = &flags;
        let checked = cmd!(context.shell, "{mw} check --json {include...} {file}")
            .quiet()
            .ignore_stderr()
            .ignore_status()
            .read()?;
        let checked: Value = serde_json::from_str(&checked)
            .with_context(|| format!("`mw check` said no JSON about {name}"))?;
        let described = &checked["files"][0];
        let kernels = described["kernels"].as_array().cloned().unwrap_or_default();
        let lowered = kernels.iter().filter(|kernel| kernel["error"].is_null()).count();
        row.kernels += kernels.len();
        row.lowered += lowered;
        if described["ok"] == true {
            row.compiled += 1;
        } else {
            let first =
                described["diagnostics"].as_str().unwrap_or_default().lines().next().unwrap_or_default();
            let lowering = kernels.iter().find_map(|kernel| kernel["error"].as_str()).unwrap_or_default();
            let why = if first.is_empty() { lowering.lines().next().unwrap_or_default() } else { first };
            row.notes.push(format!("`{name}`: {why}"));
        }
        if lowered == 0 || options.compile_only {
            continue;
        }
        cmd!(context.shell, "{mw} compile --keep-going {include...} {file} -o {library}")
            .quiet()
            .ignore_stdout()
            .ignore_stderr()
            .run()?;
        let journal = library.with_extension("journal");
        let mut rest: Vec<String> = Vec::new();
        if let Some(sample) = options.sample {
            rest.extend(["--sample".into(), sample.to_string()]);
        }
        let text = cmd!(context.shell, "{mw} conform {library} --resume {journal} --json {rest...}")
            .quiet()
            .ignore_stderr()
            .ignore_status()
            .read()?;
        let result: Value =
            serde_json::from_str(&text).with_context(|| format!("`mw conform` said no JSON about {name}"))?;
        for outcome in result["outcomes"].as_array().into_iter().flatten() {
            row.checked += 1;
            let class = outcome["class"].as_str().unwrap_or_default();
            match class {
                "ok" | "low-coverage" | "undefined" => {
                    row.ran += 1;
                    row.agreed += 1;
                }
                "mismatch" | "order" => row.ran += 1,
                _ => {}
            }
            if !matches!(class, "ok" | "low-coverage" | "undefined") && row.notes.len() < 20 {
                let kernel = outcome["name"].as_str().unwrap_or_default();
                let detail = outcome["detail"].as_str().unwrap_or_default();
                row.notes.push(format!("`{kernel}`: {class}: {detail}"));
            }
        }
    }
    Ok(row)
}

/// Files that others include after they have defined what these need.
const PARTS: &[&str] = &["fa_common.metal", "fa_vec_common.metal"];

/// Takes kernel bodies out of Python files and wraps them.
const BODIES: &str = include_str!("bodies.py");

/// What PyTorch's own sources say before they include its kernels.
const PREAMBLE: &str = "#include <metal_stdlib>\n#include <c10/metal/common.h>\n#include <c10/metal/utils.h>\n\
     #include <c10/metal/indexing.h>\nusing namespace metal;\n\
     #include <ATen/native/mps/kernels/LinearAlgebra.h>\n";

/// Writes a source that includes every header with kernels.
fn include_headers(context: &Context, folder: &Path, made: &Path) -> Result<()> {
    context.shell.create_dir(made)?;
    let mut source = PREAMBLE.to_owned();
    for header in sources(folder, "h")? {
        if !fs::read_to_string(&header)?.contains("host_name") {
            continue;
        }
        let path = header.strip_prefix(folder)?.to_string_lossy().into_owned();
        let path = path.split_once("include/").map_or(path.as_str(), |(_, path)| path);
        writeln!(source, "#include <{path}>")?;
    }
    context.shell.write_file(made.join("headers.metal"), source)?;
    Ok(())
}

/// The files below a folder with this extension, sorted.
fn sources(folder: &Path, wanted: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).with_context(|| {
            format!("cannot read {}: `cargo xtask corpora fetch` brings the packages", folder.display())
        })? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == wanted) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
