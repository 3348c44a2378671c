//! Prints library functions as LLVM assembly.
//!
//! `cargo run -p mw-builtins --example print_builtins -- "air.exp.f32 = float (float)" …`; without arguments
//! all functions of `tests/surface.txt` that are no engine primitives.

#[path = "../tests/support/mod.rs"]
mod support;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let lines: Vec<&str> = if arguments.is_empty() {
        include_str!("../tests/surface.txt").lines().filter(|line| !line.contains("tensor")).collect()
    } else {
        arguments.iter().map(String::as_str).collect()
    };
    let mut module = support::module(&lines, true);
    mw_builtins::link(&mut module)?;
    let text = mw_air::print(&module, &mw_air::PrintOptions::default());
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}
