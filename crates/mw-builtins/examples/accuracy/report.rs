//! The table.

use std::fmt::Write;

use anyhow::{Context, Result};

use crate::functions::Format;
use crate::measure::{Options, Row};

fn bound(row: &Row) -> String {
    match row.function.fast {
        Some(bound) => bound.into(),
        None if row.function.bound == 0.0 => "correctly rounded".into(),
        None => format!("{}", row.function.bound),
    }
}

fn operand(format: Format, bits: u32) -> String {
    let value = format.value(bits);
    let digits = if format == Format::Float { 8 } else { 4 };
    format!("{value:e} (0x{bits:0digits$x})")
}

fn place(row: &Row) -> String {
    if row.error <= 0.0 {
        return "–".into();
    }
    let first = operand(row.function.format, row.at.0);
    if row.function.arity() == 2 {
        format!("{first}, {}", operand(row.function.format, row.at.1))
    } else {
        first
    }
}

/// One line for the terminal.
pub(crate) fn line(row: &Row) -> String {
    format!(
        "{:22} {:>10} inputs  {:7.4} ulp  {:9.3e} misrounded  bound {:18} at {} -> 0x{:x}",
        row.function.air_name(),
        row.inputs,
        row.error,
        row.misrounded as f64 / row.inputs as f64,
        bound(row),
        place(row),
        row.got,
    )
}

/// Replaces ACCURACY.md.
pub(crate) fn write(rows: &[Row], options: &Options) -> Result<()> {
    let mut text = String::from(
        "# Accuracy of the library functions\n\n\
         Written by `cargo run --release -p mw-builtins --example accuracy -- --write`; do not edit by hand.\n\n\
         The error is the distance of the result from the exact value, in units of the last place of the exact \
         value; 0.5 is correct rounding.\n\
         Results are compared with glibc's double functions (half a unit of double, or a little more), so the \
         last digit of the error is uncertain by about 1e-8.\n\
         f32 denormals are flushed on input and output, as in a kernel; a flushed result counts as right.\n\
         Special values (NaN, infinities, signed zeros, overflow) are compared too: one that is wrong would \
         show as an infinite error.\n\
         \"Misrounded\" is the part of the inputs whose result is not the nearest number.\n\
         `air.fast_*` functions that are not listed share the body of the precise ones.\n\
         Bounds are those of the Metal Shading Language specification for the precise functions; it asks half \
         for 1 ULP, and says nothing of bfloat, which is held to the same.\n\n",
    );
    writeln!(text, "- Machine: {}", machine())?;
    writeln!(text, "- Date: {}", command("date", &["-u", "+%Y-%m-%d"])?)?;
    writeln!(text, "- Compiler of the measured code: {}", first_line(&command("clang-22", &["--version"])?))?;
    let inputs = if options.every == 1 { "all".into() } else { format!("every {}th", options.every) };
    writeln!(
        text,
        "- Inputs: {inputs} f32, all half and bfloat; for two operands {} pairs, special values among them\n",
        options.pairs
    )?;
    text.push_str(
        "| function | inputs | largest error | at | misrounded | bound |\n|---|---|---|---|---|---|\n",
    );
    for row in rows {
        writeln!(
            text,
            "| `{}` | {} | {:.4} | {} | {:.4} % | {} |",
            row.function.air_name(),
            row.inputs,
            row.error,
            place(row),
            100.0 * row.misrounded as f64 / row.inputs as f64,
            bound(row),
        )?;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ACCURACY.md");
    std::fs::write(path, text).with_context(|| format!("writing {path}"))
}

fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let wide = if info.contains("avx512f") { ", AVX-512" } else { "" };
    format!("{}{wide}, {}", model.map_or("unknown", |(_, model)| model), std::env::consts::OS)
}

fn command(program: &str, arguments: &[&str]) -> Result<String> {
    let output =
        std::process::Command::new(program).args(arguments).output().with_context(|| program.to_owned())?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
