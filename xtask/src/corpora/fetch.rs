//! `cargo xtask corpora fetch [package …]`: download the Metal sources of public packages.
//!
//! They lie inside crates and Python wheels. `cargo vendor` of a throw-away manifest gets the crates, pip the
//! wheels; the Metal files are taken out into `.cache/corpora/<package>/`, under the paths that they have in
//! the package, and the rest is thrown away. Tests find the folder through `MW_CORPORA`. A package that is
//! there in the pinned version is left alone, silently.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use xshell::cmd;

use crate::context::Context;

/// Download Metal sources of public packages into .cache/corpora.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which packages (see --list); all of them if none is named.
    packages: Vec<String>,
    /// Show the known packages and whether they are here.
    #[arg(long)]
    list: bool,
    /// Download again even when the package is here.
    #[arg(long)]
    force: bool,
}

/// How a package is downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Crate,
    /// A wheel for this platform.
    Wheel(&'static str),
}

/// A package with Metal sources.
struct Package {
    name: &'static str,
    version: &'static str,
    kind: Kind,
    /// Files below these folders of the package are taken…
    folders: &'static [&'static str],
    /// …that end so.
    endings: &'static [&'static str],
}

const METAL: &[&str] = &[".metal", ".h"];

const PACKAGES: &[Package] = &[
    Package {
        name: "candle-metal-kernels",
        version: "0.11.1",
        kind: Kind::Crate,
        folders: &["src"],
        endings: METAL,
    },
    Package {
        name: "mistralrs-quant",
        version: "0.8.1",
        kind: Kind::Crate,
        folders: &["src/metal_kernels"],
        endings: METAL,
    },
    Package {
        name: "mistralrs-paged-attn",
        version: "0.8.1",
        kind: Kind::Crate,
        folders: &["src/metal"],
        endings: METAL,
    },
    Package {
        name: "luminal_metal",
        version: "0.2.0",
        kind: Kind::Crate,
        folders: &["src/kernels"],
        endings: METAL,
    },
    Package {
        name: "tract-metal",
        version: "0.23.9",
        kind: Kind::Crate,
        folders: &["src/kernels"],
        endings: METAL,
    },
    Package {
        name: "llama-cpp-sys-2",
        version: "0.1.161",
        kind: Kind::Crate,
        folders: &["llama.cpp/ggml/src/ggml-metal", "llama.cpp/ggml/src/ggml-common.h"],
        endings: METAL,
    },
    Package {
        name: "mlx-metal",
        version: "0.32.4",
        kind: Kind::Wheel("macosx_14_0_arm64"),
        folders: &["mlx/include/mlx/backend/metal/kernels"],
        endings: METAL,
    },
    Package {
        name: "torch",
        version: "2.15.0",
        kind: Kind::Wheel("macosx_14_0_arm64"),
        folders: &["torch/include/c10/metal", "torch/include/ATen/native/mps/kernels"],
        endings: METAL,
    },
    // Kernel bodies in strings of Python files.
    Package {
        name: "mlx-lm",
        version: "0.32.2",
        kind: Kind::Wheel("any"),
        folders: &[""],
        endings: &[".py", ".metal"],
    },
    Package {
        name: "mlx-vlm",
        version: "0.7.10",
        kind: Kind::Wheel("any"),
        folders: &[""],
        endings: &[".py", ".metal"],
    },
    Package {
        name: "mlx-audio",
        version: "0.6.2",
        kind: Kind::Wheel("any"),
        folders: &[""],
        endings: &[".py", ".metal"],
    },
    Package {
        name: "zmlx",
        version: "0.10.0",
        kind: Kind::Wheel("any"),
        folders: &[""],
        endings: &[".py", ".metal"],
    },
];

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let cache = context.root.join(".cache/corpora");
    if args.list {
        for package in PACKAGES {
            let state = if package.is_present(&cache) { "here" } else { "-" };
            println!("{:22} {:8} {state}", package.name, package.version);
        }
        return Ok(());
    }
    let missing: Vec<&Package> = chosen(&args.packages)?
        .into_iter()
        .filter(|package| args.force || !package.is_present(&cache))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    // Work aside and rename at the end: a broken download leaves nothing that looks whole.
    let work = cache.join(format!(".fetch-{}", std::process::id()));
    let outcome = fetch(&missing, context, &cache, &work);
    let cleaned = if work.exists() { fs::remove_dir_all(&work) } else { Ok(()) };
    outcome.and(cleaned.context("cannot remove the download folder"))
}

fn chosen(names: &[String]) -> Result<Vec<&'static Package>> {
    if names.is_empty() {
        return Ok(PACKAGES.iter().collect());
    }
    let find = |name: &String| {
        let Some(package) = PACKAGES.iter().find(|package| package.name == name) else {
            let known: Vec<&str> = PACKAGES.iter().map(|package| package.name).collect();
            bail!("unknown package `{name}`: write one of {}", known.join(", "))
        };
        Ok(package)
    };
    names.iter().map(find).collect()
}

fn fetch(packages: &[&Package], context: &Context, cache: &Path, work: &Path) -> Result<()> {
    fs::create_dir_all(work)?;
    let crates: Vec<&Package> =
        packages.iter().filter(|package| package.kind == Kind::Crate).copied().collect();
    let vendored = work.join("vendor");
    if !crates.is_empty() {
        println!("fetching {} crates", crates.len());
        vendor(&crates, context, work, &vendored)?;
    }
    for package in packages {
        let source = match package.kind {
            Kind::Crate => vendored.join(package.name),
            Kind::Wheel(platform) => {
                println!("fetching {} {}", package.name, package.version);
                package.unpack_wheel(platform, context, work)?
            }
        };
        let target = work.join(format!("take-{}", package.name));
        let count = package.take(&source, &target)?;
        ensure!(
            count > 0,
            "{} {} holds no Metal source where one was expected",
            package.name,
            package.version
        );
        fs::write(target.join("PROVENANCE"), format!("{}\n{count} files\n", package.identity()))?;
        let folder = cache.join(package.name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::rename(&target, &folder)?;
    }
    Ok(())
}

/// Downloads crates, and what they depend on, by `cargo vendor` of a manifest that only names them.
fn vendor(crates: &[&Package], context: &Context, work: &Path, vendored: &Path) -> Result<()> {
    let project = work.join("manifest");
    fs::create_dir_all(project.join("src"))?;
    let mut manifest = String::from(
        "[package]\nname = \"corpora\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n[dependencies]\n",
    );
    for package in crates {
        writeln!(manifest, "{} = \"={}\"", package.name, package.version)?;
    }
    fs::write(project.join("Cargo.toml"), manifest)?;
    fs::write(project.join("src/lib.rs"), "")?;
    let manifest = project.join("Cargo.toml");
    cmd!(context.shell, "cargo vendor --quiet --manifest-path {manifest} {vendored}")
        .quiet()
        .ignore_stdout()
        .run()
        .context("cargo cannot download the crates: is the package registry reachable?")
}

impl Package {
    /// The first line of the note beside the sources: what they are, so that a new pin is fetched anew.
    fn identity(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    fn is_present(&self, cache: &Path) -> bool {
        let note = fs::read_to_string(cache.join(self.name).join("PROVENANCE")).unwrap_or_default();
        note.lines().next() == Some(self.identity().as_str())
    }

    fn unpack_wheel(&self, platform: &str, context: &Context, work: &Path) -> Result<PathBuf> {
        let wheels = work.join(format!("wheel-{}", self.name));
        let unpacked = work.join(format!("unpacked-{}", self.name));
        fs::create_dir_all(&wheels)?;
        let python = crate::libraries::python(context);
        let pin = format!("{}=={}", self.name, self.version);
        cmd!(
            context.shell,
            "{python} -m pip --disable-pip-version-check download --quiet --no-deps --only-binary=:all: --platform {platform} --python-version 3.11 --dest {wheels} {pin}"
        )
        .quiet()
        .run()
        .context("pip cannot download it: is the package index reachable, and does `make setup` pass?")?;
        let endings = self.endings.join(",");
        let folders = self.folders.join(",");
        cmd!(context.shell, "{python} -c {UNPACK} {wheels} {unpacked} {folders} {endings}")
            .quiet()
            .run()
            .context("cannot unpack the wheel")?;
        Ok(unpacked)
    }

    /// Copies the package's Metal sources and says how many there are.
    fn take(&self, source: &Path, target: &Path) -> Result<usize> {
        fs::create_dir_all(target)?;
        let mut count = 0;
        for folder in self.folders {
            self.take_below(source, Path::new(folder), target, &mut count)?;
        }
        Ok(count)
    }

    fn take_below(&self, source: &Path, path: &Path, target: &Path, count: &mut usize) -> Result<()> {
        let from = source.join(path);
        if from.is_dir() {
            let mut entries: Vec<_> = fs::read_dir(&from)?.collect::<Result<_, _>>()?;
            entries.sort_by_key(fs::DirEntry::file_name);
            for entry in entries {
                self.take_below(source, &path.join(entry.file_name()), target, count)?;
            }
            return Ok(());
        }
        let name = path.to_string_lossy().into_owned();
        if !self.endings.iter().any(|ending| name.ends_with(ending)) {
            return Ok(());
        }
        let mut text =
            String::from_utf8_lossy(&fs::read(&from).with_context(|| format!("no {name}"))?).into_owned();
        let is_python = path.extension().is_some_and(|extension| extension == "py");
        if is_python && !text.contains("metal_kernel") {
            return Ok(());
        }
        if self.name == "luminal_metal" {
            // Its build script puts the folder of the kernels in the place of this word.
            let depth =
                path.components().count().saturating_sub(Path::new(self.folders[0]).components().count() + 1);
            let root = if depth == 0 { "./".to_owned() } else { "../".repeat(depth) };
            text = text.replace("KERNEL_PATH/", &root);
        }
        let to = target.join(path);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(to, text)?;
        *count += 1;
        Ok(())
    }
}

/// Unpacks the files below some folders that end in some way from the one wheel in a folder.
const UNPACK: &str = "import os, sys, zipfile
wheels, target, folders, endings = sys.argv[1:]
folders, endings = folders.split(','), tuple(endings.split(','))
wheel, = os.listdir(wheels)
with zipfile.ZipFile(os.path.join(wheels, wheel)) as z:
    for name in z.namelist():
        if name.endswith(endings) and any(name.startswith(folder) for folder in folders):
            z.extract(name, target)";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{PACKAGES, chosen};

    #[test]
    fn packages_are_unique_folders() {
        let names: BTreeSet<&str> = PACKAGES.iter().map(|package| package.name).collect();
        assert_eq!(names.len(), PACKAGES.len());
    }

    #[test]
    fn an_unknown_package_lists_the_known_ones() {
        let error = chosen(&["candle".to_owned()]).err().expect("no such package").to_string();
        assert!(
            error.starts_with("unknown package `candle`: write one of candle-metal-kernels, "),
            "{error}"
        );
        assert_eq!(chosen(&[]).expect("all").len(), PACKAGES.len());
    }
}
