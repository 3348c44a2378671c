//! `cargo xtask wasm`: builds the engine for the browser, and on request tests it in Node.
//!
//! Where the toolchain has the target `wasm32-unknown-unknown`, plain cargo builds it. Debian's compiler has it
//! not; then the library of Rust is built from its sources, with the packages rustc-web, cargo-web,
//! rust-web-src and lld-22, whatever toolchain runs this chore.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use xshell::{Shell, cmd};

use crate::context::Context;

const TARGET: &str = "wasm32-unknown-unknown";
const PACKAGES: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "lld-22"];
/// Most bytes that a page may have to load, compressed.
const MAX_COMPRESSED: u64 = 3 << 20;
/// Linker flags: a stack for nested expressions, and an end to memory.
const FLAGS: &str =
    "-C link-arg=-zstack-size=8388608 -C link-arg=--max-memory=1073741824 -C target-feature=+bulk-memory";

/// Build the engine for the browser into `target/wasm/`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Then run the tests of its JavaScript in Node.
    #[arg(long)]
    test: bool,
    /// Install missing Debian packages.
    #[arg(long)]
    install: bool,
    /// Do nothing, successfully, where the engine cannot be built or tested.
    #[arg(long, conflicts_with = "install")]
    if_possible: bool,
    /// Folder for the engine [default: target/wasm].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// How the engine is built.
enum Way {
    /// The toolchain has the target.
    Cargo,
    /// Debian's compiler, building Rust's library from its sources.
    Debian { linker: PathBuf },
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<()> {
    let shell = &context.shell;
    if args.install && !has_target(shell) {
        install(context)?;
    }
    let way = match way(shell) {
        Ok(way) => way,
        Err(error) if args.if_possible => {
            println!("wasm: skipped: {error:#}");
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let built = build(&way, context)?;
    let folder = args.out.clone().unwrap_or_else(|| context.root.join("target/wasm"));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let engine = folder.join("mw_wasm.wasm");
    fs::copy(&built, &engine).with_context(|| format!("cannot copy {}", built.display()))?;
    let scripts = context.root.join("crates/mw-wasm/js");
    fs::copy(scripts.join("metalworking.mjs"), folder.join("metalworking.mjs"))?;
    report_size(shell, &engine)?;
    if args.test {
        test(shell, &engine, &scripts, args.if_possible)?;
    }
    Ok(())
}

/// Whether the toolchain that runs this chore has the target.
fn has_target(shell: &Shell) -> bool {
    let Ok(folder) =
        cmd!(shell, "rustc --print target-libdir --target {TARGET}").quiet().ignore_stderr().read()
    else {
        return false;
    };
    fs::read_dir(folder.trim()).is_ok_and(|mut entries| entries.next().is_some())
}

fn way(shell: &Shell) -> Result<Way> {
    if has_target(shell) {
        return Ok(Way::Cargo);
    }
    let linker = ["wasm-ld-22", "wasm-ld"].iter().map(|name| Path::new("/usr/bin").join(name));
    let linker = linker.into_iter().find(|path| path.is_file());
    let sources = Path::new("/usr/lib/rustlib/src/rust/library");
    let has_cargo = Path::new("/usr/bin/cargo").is_file() && Path::new("/usr/bin/rustc").is_file();
    match linker {
        Some(linker) if has_cargo && sources.is_dir() => Ok(Way::Debian { linker }),
        _ => bail!(
            "it needs the target {TARGET} (`rustup target add {TARGET}`), or Debian's {}: \
             run `cargo xtask wasm --install`",
            PACKAGES.join(", ")
        ),
    }
}

fn install(context: &Context) -> Result<()> {
    let script = context.root.join("xtask/setup.sh");
    cmd!(context.shell, "{script} wasm").run().context("the packages are not installed")
}

/// Builds the module and gives its path.
fn build(way: &Way, context: &Context) -> Result<PathBuf> {
    let shell = &context.shell;
    let target_dir = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| context.root.join("target"), |folder| context.root.join(folder))
        .join("wasm-build");
    let cargo: &OsStr = match way {
        Way::Cargo => "cargo".as_ref(),
        Way::Debian { .. } => "/usr/bin/cargo".as_ref(),
    };
    let mut command = cmd!(
        shell,
        "{cargo} build --quiet --release --package mw-wasm --lib --target {TARGET} --target-dir {target_dir}"
    )
    // The profile of the browser: small, no unwinding.
    .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "s")
    .env("CARGO_PROFILE_RELEASE_LTO", "fat")
    .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
    .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
    .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
    .env("CARGO_PROFILE_RELEASE_STRIP", "true")
    .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FLAGS)
    // Another compiler than the one that runs this chore must not find the settings of that one.
    .env_remove("RUSTUP_TOOLCHAIN")
    .env_remove("RUSTFLAGS")
    .env_remove("CARGO_ENCODED_RUSTFLAGS");
    if let Way::Debian { linker } = way {
        let path = std::env::var("PATH").unwrap_or_default();
        command = command
            .args(["-Z", "build-std=std,panic_abort"])
            .env("PATH", format!("/usr/bin:{path}"))
            .env("RUSTC", "/usr/bin/rustc")
            // Debian's compiler is a stable one; building the library is for nightly ones.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    println!(
        "wasm: building with {}",
        match way {
            Way::Cargo => "the toolchain's own target",
            Way::Debian { .. } => "Debian's compiler and the sources of Rust's library",
        }
    );
    command.run().context("the engine does not build")?;
    Ok(target_dir.join(TARGET).join("release/mw_wasm.wasm"))
}

fn report_size(shell: &Shell, engine: &Path) -> Result<()> {
    let plain = fs::metadata(engine)?.len();
    let zipped = cmd!(shell, "gzip -9 -c {engine}").quiet().output()?.stdout.len() as u64;
    let script = "const z=require('zlib');process.stdout.write(String(z.brotliCompressSync(require('fs').readFileSync(process.argv[1])).length))";
    let brotli = cmd!(shell, "node -e {script} {engine}").quiet().ignore_stderr().read().ok();
    let brotli = brotli.map_or_else(|| "?".to_owned(), |bytes| kilobytes(bytes.parse().unwrap_or(0)));
    println!(
        "wasm: {} plain, {} gzip, {brotli} brotli: {}",
        kilobytes(plain),
        kilobytes(zipped),
        engine.display()
    );
    ensure!(
        zipped < MAX_COMPRESSED,
        "the engine has {zipped} bytes compressed, more than the {MAX_COMPRESSED} that a page may load"
    );
    Ok(())
}

fn kilobytes(bytes: u64) -> String {
    format!("{} kB", bytes / 1000)
}

fn test(shell: &Shell, engine: &Path, scripts: &Path, if_possible: bool) -> Result<()> {
    if cmd!(shell, "node --version").quiet().ignore_stderr().read().is_err() {
        ensure!(if_possible, "the tests of the engine need Node: install nodejs");
        println!("wasm: tests skipped: there is no Node");
        return Ok(());
    }
    let tests = scripts.join("test.mjs");
    cmd!(shell, "node --test {tests}")
        .env("MW_ENGINE_WASM", engine)
        .run()
        .context("the engine's tests fail in Node")
}
