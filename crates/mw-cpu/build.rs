//! Hashes the sources of every crate that decides what code comes out, for the key of the disk cache: a
//! change of a pass must not find code that an older pass made.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

const CRATES: [&str; 6] = ["mw-air", "mw-metallib", "mw-builtins", "mw-passes", "mw-llvm", "mw-cpu"];

fn main() {
    let here = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let mut hash = DefaultHasher::new();
    std::env::var("CARGO_PKG_VERSION").expect("cargo sets CARGO_PKG_VERSION").hash(&mut hash);
    for name in CRATES {
        // Outside the workspace the folders are not there; then the version alone counts.
        let folder = here.join("..").join(name).join("src");
        if folder.is_dir() {
            println!("cargo::rerun-if-changed={}", folder.display());
            hash_folder(&folder, &mut hash);
        }
    }
    println!("cargo::rustc-env=MW_PIPELINE_FINGERPRINT={:016x}", hash.finish());
}

fn hash_folder(folder: &Path, hash: &mut DefaultHasher) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            hash_folder(&path, hash);
        } else if let Ok(bytes) = std::fs::read(&path) {
            bytes.hash(hash);
        }
    }
}
