//! The table.

use std::fmt::Write;

use anyhow::{Context, Result};

use crate::functions::{FUNCTIONS, Format, Function};
use crate::measure::Row;

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

fn table_row(row: &Row) -> String {
    format!(
        "| `{}` | {} | {:.4} | {} | {:.4} % | {} |\n",
        row.function.air_name(),
        row.inputs,
        row.error,
        place(row),
        100.0 * row.misrounded as f64 / row.inputs as f64,
        bound(row),
    )
}

/// Writes ACCURACY.md anew, with the old rows of functions that were not measured this time.
pub(crate) fn write(rows: &[Row]) -> Result<()> {
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
         Bounds are those of the Metal Shading Language specification: those of half (1 ULP) were checked \
         against its 2017 edition, those of the precise f32 functions are from general knowledge of it. It \
         says nothing of bfloat, which is held to the same as half.\n\n",
    );
    writeln!(text, "- Machine: {}", machine())?;
    writeln!(text, "- Date: {}", command("date", &["-u", "+%Y-%m-%d"])?)?;
    writeln!(text, "- Compiler of the measured code: {}", first_line(&command("clang-22", &["--version"])?))?;
    writeln!(
        text,
        "- Inputs: f32 as many as the column says, spread over all 2³² bit patterns; all half and bfloat; for two \
         operands pairs of numbers of like and of any size, special values among them\n"
    )?;
    text.push_str(
        "| function | inputs | largest error | at | misrounded | bound |\n|---|---|---|---|---|---|\n",
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/ACCURACY.md");
    let old = std::fs::read_to_string(path).unwrap_or_default();
    for function in FUNCTIONS.iter().flat_map(Function::instances) {
        let start = format!("| `{}` |", function.air_name());
        match rows.iter().find(|row| row.function.air_name() == function.air_name()) {
            Some(row) => text.push_str(&table_row(row)),
            // Measured by an earlier run.
            None => old.lines().filter(|line| line.starts_with(&start)).for_each(|line| {
                text.push_str(line);
                text.push('\n');
            }),
        }
    }
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
