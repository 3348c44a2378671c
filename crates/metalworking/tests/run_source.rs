//! Every Metal source of `tests/run` and every kernel of the glossary (`book/kernels`): compiled, and run on
//! both engines as its `// run:` lines say. Results are what the lines expect, and the engines agree to the
//! bit.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use metalworking::{
    BindingKind, CompileOptions, ConstantScalar, Device, Engine, FunctionConstantValues, Library, Size,
};
use mw_manifest::{GridSize, Launch, Tensor, compare};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run")
}

/// The sources below a folder, sorted.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "metal") {
            found.push(path);
        }
    }
    found.sort();
}

/// Compiler flags of the `// flags:` line.
fn options(source: &str, name: &str) -> CompileOptions {
    let mut options = CompileOptions::new().file_name(name);
    let flags = source.lines().find_map(|line| line.strip_prefix("// flags:")).unwrap_or_default();
    for flag in flags.split_whitespace() {
        if let Some(version) = flag.strip_prefix("-std=") {
            options = options.language_version(version.parse().expect("a language version"));
        } else if flag == "-fno-fast-math" {
            options = options.fast_math(false);
        } else if let Some(define) = flag.strip_prefix("-D") {
            let (name, body) = define.split_once('=').unwrap_or((define, "1"));
            options = options.with_macro(name, body);
        } else {
            panic!("{name}: unknown flag `{flag}`");
        }
    }
    options
}

/// What is in each buffer after a launch: index, name, contents.
type Results = Vec<(u32, String, Tensor)>;

/// Runs a launch; files that it names lie in the folder `beside` it.
fn run(device: &Device, library: &Library, launch: &Launch, beside: &Path) -> Result<Results, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let kernel = launch.kernel.as_deref().ok_or("the line names no kernel")?;
    let function = library.function(kernel).map_err(|error| text(&error))?;
    let mut values = FunctionConstantValues::new();
    for (key, value) in &launch.constants {
        let constant = function
            .function_constants()
            .iter()
            .find(|constant| key.means(constant.index, &constant.name))
            .ok_or_else(|| format!("no function constant `{key}`"))?;
        let bytes = value.to_bytes(&constant.type_name)?;
        let scalar = ConstantScalar::from_bytes(&constant.type_name, &bytes)
            .ok_or_else(|| format!("no constants of type `{}`", constant.type_name))?;
        values.set(constant.index, scalar);
    }
    let function = function.specialized(&values).map_err(|error| text(&error))?;
    let pipeline = device.new_compute_pipeline_state(&function).map_err(|error| text(&error))?;
    let commands = device.new_command_queue().command_buffer();
    let mut encoder = commands.compute_command_encoder();
    encoder.set_compute_pipeline_state(&pipeline);
    let mut buffers = Vec::new();
    for binding in pipeline.bindings() {
        let BindingKind::Buffer { index, .. } = &binding.kind else { continue };
        let Some((key, value)) = launch.args.iter().find(|(key, _)| key.means(*index, &binding.name)) else {
            continue;
        };
        let tensor = value.make(&key.to_string(), 0, beside).map_err(|error| text(&error))?;
        let buffer = device.new_buffer_with_bytes(&tensor.bytes).map_err(|error| text(&error))?;
        encoder.set_buffer(*index as usize, &buffer, 0);
        buffers.push((*index, binding.name.clone(), tensor, buffer));
    }
    for (index, length) in &launch.threadgroup_memory {
        encoder.set_threadgroup_memory_length(*length, *index as usize);
    }
    let size = |[x, y, z]: [usize; 3]| Size::new(x, y, z);
    let threadgroup = size(launch.threadgroup.ok_or("the line has no threadgroup")?);
    match launch.grid.ok_or("the line has no grid")? {
        GridSize::Threads(threads) => encoder.dispatch_threads(size(threads), threadgroup),
        GridSize::Threadgroups(groups) => encoder.dispatch_threadgroups(size(groups), threadgroup),
    };
    encoder.end_encoding().map_err(|error| text(&error))?;
    commands.commit().map_err(|error| text(&error))?;
    commands.wait_until_completed().map_err(|error| text(&error))?;
    Ok(buffers
        .into_iter()
        .map(|(index, name, tensor, buffer)| (index, name, Tensor { bytes: buffer.to_vec::<u8>(), ..tensor }))
        .collect())
}

/// What is not as the launch expects.
fn check(launch: &Launch, results: &Results, beside: &Path) -> Result<(), String> {
    for (key, value) in &launch.expect {
        let (index, name, found) = results
            .iter()
            .find(|(index, name, _)| key.means(*index, name))
            .ok_or_else(|| format!("no argument `{key}` to compare"))?;
        let wanted = value.make(name, 0, beside).map_err(|error| error.to_string())?;
        let outcome =
            compare(found, &wanted, launch.tolerance_of(*index, name)).map_err(|error| error.to_string())?;
        if !outcome.passes() {
            return Err(format!("`{name}` is {found:?}, not {wanted:?}"));
        }
    }
    Ok(())
}

fn one(path: &Path, devices: &[Device]) -> Result<usize, String> {
    let name = path.strip_prefix(folder()).unwrap_or(path).to_string_lossy().into_owned();
    let beside = path.parent().unwrap_or(Path::new("."));
    let source = std::fs::read_to_string(path).expect("readable");
    let launches = Launch::all_in_comments(&source).map_err(|error| error.to_string())?;
    if launches.is_empty() {
        return Err("there is no `// run:` line".into());
    }
    let library = devices[0]
        .new_library_with_source(&source, &options(&source, &name))
        .map_err(|error| error.to_string())?;
    for launch in &launches {
        let mut all = Vec::new();
        for device in devices {
            let results = run(device, &library, launch, beside)
                .map_err(|error| format!("{}: {error}", device.backend_name()))?;
            check(launch, &results, beside).map_err(|error| format!("{}: {error}", device.backend_name()))?;
            all.push(results);
        }
        for ((_, name, first), (_, _, second)) in all[0].iter().zip(&all[1]) {
            if first.bytes != second.bytes {
                return Err(format!("the engines differ in `{name}`: {first:?} and {second:?}"));
            }
        }
    }
    Ok(launches.len())
}

/// Runs every source below a folder; there must be so many launches.
fn all_below(folder: &Path, least: usize) {
    let devices = Engine::ALL.map(|engine| engine.device(None).expect("a device"));
    let mut files = Vec::new();
    sources(folder, &mut files);
    let only = std::env::var("MW_ONLY").unwrap_or_default();
    files.retain(|file| file.to_string_lossy().contains(&only));
    let mut failures = String::new();
    let mut launches = 0;
    for file in &files {
        match one(file, &devices) {
            Ok(count) => launches += count,
            Err(error) => writeln!(failures, "{}: {error}", file.display()).expect("strings take all"),
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(!only.is_empty() || launches >= least, "only {launches} launches in {}", folder.display());
}

#[test]
fn sources_compute_what_they_say() {
    all_below(&folder(), 40);
}

#[test]
fn kernels_of_the_glossary_compute_what_they_say() {
    all_below(&folder().join("../../book/kernels"), 45);
}
