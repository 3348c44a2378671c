//! Shared by tests and the cross-check example: LLVM's tools as a second reader.
#![allow(dead_code, reason = "each user takes its part")]

pub(crate) mod bit_writer;
pub(crate) mod llvm_text;

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Runs one of LLVM's tools over stdin and gives what it prints.
pub(crate) fn run_tool(tool: &str, input: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(tool)
        .args(["-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run `{tool}` (Debian: package `llvm-22`): {error}"))?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A tool that stops reading says why on stderr.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().map_err(|error| format!("`{tool}` failed: {error}"))?;
    writer.join().map_err(|_| "the writer panicked".to_owned())?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(format!("`{tool}` refused it: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// LLVM's text of a bitcode module.
pub(crate) fn disassemble(bitcode: &[u8]) -> Result<String, String> {
    let text = run_tool("llvm-dis-22", bitcode)?;
    String::from_utf8(text).map_err(|error| error.to_string())
}

/// LLVM's bitcode of a textual module.
pub(crate) fn assemble(text: &str) -> Result<Vec<u8>, String> {
    run_tool("llvm-as-22", text.as_bytes())
}

/// Compares what our reader and LLVM's make of the same bitcode; the error shows the first difference.
///
/// Ours is printed, read by LLVM and printed by LLVM, so that formatting cannot differ.
pub(crate) fn cross_check(bitcode: &[u8]) -> Result<(), String> {
    let module = mw_metallib::read_module(bitcode).map_err(|error| format!("our reader: {error}"))?;
    let printed = module.to_string();
    let ours = disassemble(&assemble(&printed)?)?;
    let raw = mw_metallib::unwrap_bitcode(bitcode).map_err(|error| error.to_string())?;
    let theirs = disassemble(raw)?;
    let (ours, theirs) = (llvm_text::normalize(&ours), llvm_text::normalize(&theirs));
    if ours == theirs {
        return Ok(());
    }
    let mut mine = ours.lines();
    for (number, line) in theirs.lines().enumerate() {
        let own = mine.next().unwrap_or("(end)");
        if own != line {
            return Err(format!("normalised line {number}\n  LLVM: {line}\n  ours: {own}"));
        }
    }
    Err(format!("ours goes on: {}", mine.next().unwrap_or("(end)")))
}
