//! From flags and manifest files to launches.

use std::fs;
use std::path::{Path, PathBuf};

use mw_manifest::{GridSize, Launch, ManifestError};

use super::Located;
use crate::cli::RunArgs;
use crate::exit::Failure;

/// Splits `KEY=VALUE`.
pub(crate) fn key_value<'a>(flag: &str, text: &'a str) -> Result<(&'a str, &'a str), Failure> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key, value)),
        _ => Err(Failure::usage(format!("`{flag} {text}`: write `{flag} KEY=VALUE`"))),
    }
}

/// The launches that the command line asks for.
pub(super) fn launches(args: &RunArgs) -> Result<Vec<Located>, Failure> {
    let own = of_flags(args)?;
    let positional_manifest = args.path.as_ref().filter(|path| has_extension(path, "toml"));
    let Some(manifest) = args.manifest.as_ref().or(positional_manifest) else {
        return of_source(own);
    };
    let text = fs::read_to_string(manifest)
        .map_err(|source| ManifestError::Io { path: manifest.clone(), source })?;
    let is_toml = has_extension(manifest, "toml");
    let launches = if is_toml { Launch::all_in_toml(&text)? } else { Launch::all_in_comments(&text)? };
    if launches.is_empty() {
        return Err(Failure::usage(format!("`{}` holds no `// run:` line", manifest.display())));
    }
    let folder = manifest.parent().unwrap_or(Path::new("")).to_owned();
    launches
        .into_iter()
        .map(|launch| {
            // Paths of the file are relative to it; those of flags are relative to where the command runs.
            let own = absolute(own.clone())?;
            Ok(Located { launch: launch.overridden_by(own), folder: folder.clone() })
        })
        .collect()
}

/// What the flags say, over the `// run:` lines of a source that has some: those of the kernel that is named,
/// or all.
fn of_source(own: Launch) -> Result<Vec<Located>, Failure> {
    let plain = |launch| vec![Located { launch, folder: PathBuf::new() }];
    let Some(path) = own.library.as_ref().filter(|path| has_extension(path, "metal")) else {
        return Ok(plain(own));
    };
    let mut lines = Launch::all_in_comments(&crate::source::text(path)?)?;
    if let Some(kernel) = &own.kernel {
        lines.retain(|launch| launch.kernel.as_ref().is_none_or(|named| named == kernel));
    }
    if lines.is_empty() {
        return Ok(plain(own));
    }
    let own = absolute(own)?;
    let folder = own.library.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
    Ok(lines
        .into_iter()
        .map(|launch| Located { launch: launch.overridden_by(own.clone()), folder: folder.clone() })
        .collect())
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension == wanted)
}

/// Makes the paths of a launch absolute, so that they can be joined to any folder.
fn absolute(mut launch: Launch) -> Result<Launch, Failure> {
    if let Some(library) = &mut launch.library {
        *library = std::path::absolute(&*library)?;
    }
    for path in launch.save.values_mut() {
        *path = std::path::absolute(&*path)?;
    }
    for value in launch.args.values_mut().chain(launch.expect.values_mut()) {
        if let mw_manifest::Value::File(path) = value {
            *path = std::path::absolute(&*path)?;
        }
    }
    Ok(launch)
}

fn of_flags(args: &RunArgs) -> Result<Launch, Failure> {
    let mut launch = Launch {
        library: args.path.clone().filter(|path| !has_extension(path, "toml")),
        kernel: args.kernel.clone(),
        chip: args.chip.clone(),
        schedule: args.schedule,
        seed: args.seed,
        ..Launch::default()
    };
    for (key, value) in
        [("grid", &args.grid), ("threadgroups", &args.threadgroups), ("threadgroup", &args.threadgroup)]
    {
        if let Some(value) = value {
            launch.set(key, value)?;
        }
    }
    for (flag, kind, entries) in [
        ("--arg", "arg", &args.args),
        ("--constant", "constant", &args.constants),
        ("--threadgroup-memory", "threadgroup_memory", &args.threadgroup_memory),
        ("--expect", "expect", &args.expect),
        ("--save", "save", &args.save),
    ] {
        for entry in entries {
            let (key, value) = key_value(flag, entry)?;
            launch.set(&format!("{kind}.{key}"), value)?;
        }
    }
    for tolerance in &args.tolerance {
        match tolerance.split_once(':') {
            Some((key, value)) => launch.set(&format!("tolerance.{key}"), value)?,
            None => launch.set("tolerance", tolerance)?,
        }
    }
    Ok(launch)
}

/// What no launch can do without: library, kernel, grid, threadgroup.
pub(super) fn complete(launch: &Launch) -> Result<(&Path, &str, GridSize, [usize; 3]), Failure> {
    let path = launch.library.as_deref().ok_or_else(|| {
        Failure::usage("no library is given: write `mw run LIB KERNEL …`, or `library = …` in the manifest")
    })?;
    let kernel = launch.kernel.as_deref().ok_or_else(|| {
        Failure::usage(format!(
            "no kernel is given: write `mw run {0} KERNEL …`; `mw inspect {0}` lists the kernels",
            path.display()
        ))
    })?;
    let grid = launch.grid.ok_or_else(|| {
        Failure::usage("no grid is given: write `--grid X,Y,Z` in threads, or `--threadgroups X,Y,Z`")
    })?;
    let threadgroup = launch.threadgroup.ok_or_else(|| {
        Failure::usage("no threadgroup size is given: write `--threadgroup X,Y,Z` in threads")
    })?;
    Ok((path, kernel, grid, threadgroup))
}
