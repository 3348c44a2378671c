//! What several tests share: running LLVM's own tools as the judge.

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs `tool` with `input` on its standard input; gives standard output, or what it complained about.
pub(crate) fn run_tool(tool: &str, args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(tool)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{tool} does not start ({error}); install llvm-22"))?;
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("wait for the tool");
    // A tool that gave up on its input closes the pipe early; its exit status says so.
    let _ = writer.join().expect("writer thread");
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Assembles `text` with LLVM and verifies it there; gives what LLVM makes of it as text.
pub(crate) fn through_llvm(text: &str) -> Result<String, String> {
    let bitcode = run_tool("llvm-as-22", &["-o", "-", "-"], text.as_bytes())?;
    let text = run_tool("llvm-dis-22", &["-o", "-", "-"], &bitcode)?;
    Ok(String::from_utf8(text).expect("LLVM writes UTF-8"))
}
