//! `cargo xtask wheel`: the wheel, which needs nothing but the C library where it is installed.
//!
//! LLVM, zlib, zstd and the C++ library are linked into the native module (`mw-llvm`, feature `static-llvm`), and the
//! bridge of every supported MLX is compiled. Linking LLVM takes minutes and some gigabytes of memory.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use xshell::cmd;

use crate::context::Context;
use crate::python::{bridges, maturin};

/// Build the wheel, and say what it needs and how large it is.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder for the wheel.
    #[arg(long, value_name = "FOLDER", default_value = "target/wheels")]
    out: PathBuf,
    /// Leave out the bridges to MLX.
    #[arg(long)]
    without_mlx: bool,
}

/// The oldest C library that a wheel made on Debian 12 may need.
const PLATFORM: &str = "manylinux_2_36";

/// Libraries that a native module may ask for: what every Linux with this C library has.
const ALLOWED: &[&str] =
    &["ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2", "libc.so.6", "libgcc_s.so.1", "libm.so.6"];

/// What a bridge may ask for beside these: MLX brings the first along, and the second itself needs.
const ALLOWED_IN_BRIDGES: &[&str] = &["libmlx.so", "libstdc++.so.6"];

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    if !args.without_mlx {
        bridges(context, &[])?;
    }
    let out = context.root.join(&args.out);
    // What an earlier run left would be reported in place of this one's.
    for old in wheels(&out) {
        std::fs::remove_file(&old)?;
    }
    // maturin checks the tag: symbols of a newer C library, or libraries that the tag does not allow, are errors.
    maturin(context, "build")?
        .args(["--release", "--features", "static-llvm", "--compatibility", PLATFORM, "--quiet", "--out"])
        .arg(&out)
        .run()
        .context("the wheel cannot be built")?;
    let [wheel] = &wheels(&out)[..] else { bail!("no single wheel in {}", out.display()) };
    let unpacked = out.join("unpacked");
    context.shell.remove_path(&unpacked)?;
    let python = context.root.join(".venv/bin/python");
    cmd!(context.shell, "{python} -m zipfile -e {wheel} {unpacked}").quiet().run()?;
    println!("{}  {}", wheel.display(), megabytes(wheel)?);
    for library in libraries(&unpacked)? {
        let name = library.strip_prefix(&unpacked).unwrap_or(&library).display().to_string();
        let needed = needed(&library, context)?;
        println!("  {name}  {}  needs {}", megabytes(&library)?, needed.join(", "));
        let is_bridge = name.contains("_mlx_bridges");
        let is_allowed =
            |one: &&str| ALLOWED.contains(one) || (is_bridge && ALLOWED_IN_BRIDGES.contains(one));
        let foreign: Vec<&str> = needed.iter().map(String::as_str).filter(|one| !is_allowed(one)).collect();
        ensure!(foreign.is_empty(), "{name} needs {}: link it statically", foreign.join(", "));
    }
    context.shell.remove_path(&unpacked)?;
    // For Macs, where the package steps aside: the same without native code.
    let converter = context.root.join("python/tools/mac_wheel.py");
    let mac = cmd!(context.shell, "{python} {converter} {wheel} {out}").quiet().read()?;
    println!("{mac}  {}", megabytes(Path::new(&mac))?);
    Ok(())
}

fn wheels(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "whl")).collect()
}

/// Shared libraries below a folder, in the order of their names.
fn libraries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(libraries(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "so") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Names of the libraries that a shared library asks the loader for.
fn needed(library: &Path, context: &Context) -> Result<Vec<String>> {
    let text = cmd!(context.shell, "readelf --dynamic --wide {library}").quiet().read()?;
    Ok(text.lines().filter_map(needed_in).map(str::to_owned).collect())
}

/// The name in a line of `readelf --dynamic`: `0x… (NEEDED) Shared library: [libc.so.6]`.
fn needed_in(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("(NEEDED)")?;
    rest.split_once('[')?.1.strip_suffix(']')
}

fn megabytes(file: &Path) -> Result<String> {
    Ok(format!("{:.1} MB", std::fs::metadata(file)?.len() as f64 / 1e6))
}

#[cfg(test)]
mod tests {
    use super::needed_in;

    #[test]
    fn needed_libraries_are_read_off() {
        let line = " 0x0000000000000001 (NEEDED)             Shared library: [libm.so.6]";
        assert_eq!(needed_in(line), Some("libm.so.6"));
        assert_eq!(needed_in(" 0x000000000000000e (SONAME)   Library soname: [libmlx.so]"), None);
    }
}
