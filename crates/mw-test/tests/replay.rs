//! The corpus of the fuzz targets, replayed: whatever a source says, the promises hold.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mw_air::Module;
use mw_test::{generate, hold, hold_bytes};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, extension: Option<&str>, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if extension.is_none_or(|wanted| path.extension().is_some_and(|is| is == wanted)) {
            found.push(path);
        }
    }
    found.sort();
}

/// LLVM's opinion of modules that ours accepts.
fn llvm_accepts(module: &Module) -> Result<(), String> {
    let mut child = Command::new("llvm-as-22")
        .args(["-o", "/dev/null", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("llvm-as-22 does not start ({error}); install llvm-22"))?;
    let mut stdin = child.stdin.take().expect("piped");
    let text = module.to_string();
    let written = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("ends");
    let _ = written.join();
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    // It only warns when it drops debug information.
    if output.status.success() && complaints.is_empty() { Ok(()) } else { Err(complaints) }
}

/// Runs on a thread with the stack that the front-end asks for.
fn with_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(work).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn seeds_hold() {
    with_stack(|| {
        let mut all = Vec::new();
        for folder in ["tests/run/language", "tests/diagnostics", "tests/air", "crates/mw-msl/tests/language"]
        {
            let before = all.len();
            files(&root().join(folder), Some("metal"), &mut all);
            assert!(all.len() > before, "{folder} holds seeds");
        }
        let mut accepted = 0;
        for path in all {
            let held = hold_bytes(&fs::read(&path).expect("readable"));
            accepted += usize::from(!held.modules.is_empty());
        }
        assert!(accepted > 40, "{accepted} seeds became modules");
    });
}

#[test]
fn what_was_found_stays_mended() {
    with_stack(|| {
        let mut all = Vec::new();
        files(&root().join("fuzz/found/front_end"), None, &mut all);
        for path in &all {
            hold_bytes(&fs::read(path).expect("readable"));
        }
        let mut generated = Vec::new();
        files(&root().join("fuzz/found/generated"), None, &mut generated);
        for path in &generated {
            hold(&generate(&fs::read(path).expect("readable")));
        }
    });
}

/// Bytes for the generator: a small generator of our own, so that a failure names its seed.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let length = 64 + seed as usize % 7 * 128;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

#[test]
fn generated_kernels_hold_and_llvm_accepts_them() {
    with_stack(|| {
        let (mut accepted, mut refused) = (0, Vec::new());
        for seed in 0..120 {
            let source = generate(&bytes(seed));
            let held = hold(&source);
            if held.errors.is_empty() {
                accepted += 1;
            } else {
                refused.push(format!("{seed}: {}", held.errors[0]));
            }
            for module in &held.modules {
                if let Err(error) = llvm_accepts(module) {
                    panic!("seed {seed}: LLVM refuses it: {error}\n{source}\n{module}");
                }
            }
        }
        assert!(accepted >= 90, "only {accepted} of 120 kernels are correct: {refused:#?}");
    });
}

#[test]
fn the_same_bytes_make_the_same_source() {
    assert_eq!(generate(&bytes(7)), generate(&bytes(7)));
    assert_ne!(generate(&bytes(7)), generate(&bytes(8)));
    // Without bytes there is the shortest kernel.
    assert!(hold(&generate(&[])).errors.is_empty());
}
