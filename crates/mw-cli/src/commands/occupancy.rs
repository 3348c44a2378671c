//! `mw occupancy`: how many simdgroups of a kernel a core holds, what decides it, and what would change it.

use clap::Args;
use mw_machine::{
    Chip, Demand, Knob, Residency, Step, max_register_halves, residency, saturation_simdgroups, what_if,
};
use serde_json::{Value, json};

use super::chips::caution;
use crate::Outcome;
use crate::exit::Failure;
use crate::output::{Output, table};

#[derive(Debug, Args)]
pub(crate) struct OccupancyArgs {
    /// 32-bit registers of a thread; `104h` counts 16-bit halves, as Apple's GPUs do
    #[arg(short, long, value_name = "N")]
    pub(crate) registers: String,
    /// Threadgroup memory of a threadgroup
    #[arg(short = 'm', long, value_name = "BYTES", default_value_t = 0)]
    pub(crate) threadgroup_memory: u32,
    /// Threads of a threadgroup
    #[arg(short, long, value_name = "N")]
    pub(crate) threads: u32,
    /// The chip (default: `MW_CHIP`, or m2)
    #[arg(long, value_name = "CHIP", env = "MW_CHIP")]
    pub(crate) chip: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &OccupancyArgs, output: &Output) -> Outcome {
    let chip = Chip::from_setting(args.chip.as_deref()).map_err(|error| Failure::usage(error.to_string()))?;
    let demand = Demand {
        register_halves: halves(&args.registers)?,
        threadgroup_bytes: args.threadgroup_memory,
        threads: args.threads,
    };
    let found = residency(chip, demand).map_err(|error| Failure::usage(error.to_string()))?;
    let curves: Vec<(Knob, Vec<Step>)> = [Knob::Registers, Knob::ThreadgroupMemory, Knob::Threads]
        .into_iter()
        .map(|knob| (knob, what_if(chip, demand, knob)))
        .collect();
    output.json(&document(chip, demand, &found, &curves));
    if output.is_json() {
        return Ok(());
    }
    output.line(format!(
        "{}: {} threadgroups of {} threads, {} simdgroups on a core{}",
        chip.name(),
        found.threadgroups,
        demand.threads,
        found.simdgroups,
        caution(found.trust)
    ));
    output.line(format!("  bound by {}", found.limiter.name()));
    for (limiter, groups) in &found.allowed {
        output.line(format!("  {} alone would allow {groups} threadgroups", limiter.name()));
    }
    let enough = saturation_simdgroups();
    let verdict = if found.simdgroups >= enough.value { "enough" } else { "fewer than enough" };
    output.line(format!(
        "  {verdict} to keep the arithmetic units busy: {} simdgroups do ({} on M1)",
        enough.value, enough.confidence
    ));
    if *chip.core().dynamic_register_allocation {
        output.line("  the pool that this chip shares out was never published: M1's size is assumed, and cached data takes room too");
    }
    for (knob, curve) in &curves {
        output.line("");
        output.line(match knob {
            Knob::Registers => "what if a thread had so many 32-bit registers",
            Knob::ThreadgroupMemory => "what if a threadgroup had so much threadgroup memory",
            Knob::Threads => "what if a threadgroup had so many threads",
        });
        output.line(draw(*knob, curve, demand).to_string());
    }
    Ok(())
}

/// 32-bit registers, or 16-bit halves with an `h`.
fn halves(text: &str) -> Result<u32, Failure> {
    let (digits, unit) = match text.strip_suffix('h') {
        Some(digits) => (digits, 1),
        None => (text, 2),
    };
    let count: Option<u32> = digits.parse().ok().and_then(|count: u32| count.checked_mul(unit));
    count.ok_or_else(|| {
        let most = max_register_halves();
        Failure::usage(format!(
            "`--registers {text}`: write a number of 32-bit registers (1 to {}) or of 16-bit halves (`1h` to `{most}h`)",
            most / 2
        ))
    })
}

/// The curve as rows of a table, the row of the demand marked.
fn draw(knob: Knob, curve: &[Step], demand: Demand) -> comfy_table::Table {
    let header = match knob {
        Knob::Registers => "up to registers",
        Knob::ThreadgroupMemory => "up to bytes",
        Knob::Threads => "threads",
    };
    let mut rows = table(&[header, "simdgroups", ""]);
    let asked = asked(knob, demand);
    let here = curve.iter().position(|step| asked <= step.value);
    for (index, step) in curve.iter().enumerate() {
        // Threads have 32 rows: every power of two and the asked one tell the shape.
        if knob == Knob::Threads && !step.value.is_power_of_two() && Some(index) != here {
            continue;
        }
        let value = if knob == Knob::Registers { step.value / 2 } else { step.value };
        let bar = "█".repeat(step.simdgroups.div_ceil(4) as usize);
        let mark = if Some(index) == here { " ◀ this kernel" } else { "" };
        rows.add_row([value.to_string(), step.simdgroups.to_string(), format!("{bar}{mark}")]);
    }
    rows
}

fn asked(knob: Knob, demand: Demand) -> u32 {
    match knob {
        Knob::Registers => demand.register_halves,
        Knob::ThreadgroupMemory => demand.threadgroup_bytes,
        Knob::Threads => demand.threads,
    }
}

fn document(chip: &Chip, demand: Demand, found: &Residency, curves: &[(Knob, Vec<Step>)]) -> Value {
    let allowed: Vec<Value> = found
        .allowed
        .iter()
        .map(|(limiter, groups)| json!({ "limiter": limiter.name(), "threadgroups": groups }))
        .collect();
    let what_if: Vec<Value> = curves
        .iter()
        .map(|(knob, curve)| {
            let steps: Vec<Value> = curve
                .iter()
                .map(|step| json!({ "value": step.value, "simdgroups": step.simdgroups }))
                .collect();
            json!({ "of": knob_name(*knob), "steps": steps })
        })
        .collect();
    json!({
        "chip": chip.slug(),
        "register_halves": demand.register_halves,
        "threadgroup_bytes": demand.threadgroup_bytes,
        "threads": demand.threads,
        "threadgroups": found.threadgroups,
        "simdgroups": found.simdgroups,
        "limiter": found.limiter.name(),
        "confidence": format!("{:?}", found.trust).to_lowercase(),
        "allowed": allowed,
        "saturation_simdgroups": saturation_simdgroups().value,
        "what_if": what_if,
    })
}

fn knob_name(knob: Knob) -> &'static str {
    match knob {
        Knob::Registers => "register_halves",
        Knob::ThreadgroupMemory => "threadgroup_bytes",
        Knob::Threads => "threads",
    }
}
