//! `book/src/machine-tables.md`: chips, cores, instruction costs and occupancy rules of `mw-machine`, for readers.

use std::fmt::Write as _;

use anyhow::Result;
use mw_machine::{
    Chip, Fact, Instruction, Measurement, ModelValue, ShaderCore, Trust, Unit, occupancy_figures,
    occupancy_formula, occupancy_table, sources,
};

use crate::context::Context;

pub(crate) fn page(_: &Context) -> Result<String> {
    let mut page = String::from("# Machine Tables\n\n");
    page.push_str(
        "These are the figures that the pages of this book are filled in from, each with its confidence; the keys are explained at the end.\n\n\
         The page is made by `cargo xtask codegen` from `crates/mw-machine/data/`.\n\
         Marks: `~` inferred, `?` sources disagree, `-` nobody published it.\n\n",
    );
    chips(&mut page)?;
    cores(&mut page)?;
    instructions(&mut page)?;
    occupancy(&mut page)?;
    measurements(&mut page)?;
    page.push_str("\n## Keys of the sources\n\n");
    for (key, text) in sources() {
        writeln!(page, "- `{key}`: {text}.")?;
    }
    Ok(page)
}

fn chips(page: &mut String) -> Result<()> {
    page.push_str("## Chips\n\nPeak rates are cores × lanes × 2 × clock, so no surer than the clock.\n\n");
    page.push_str("| chip | cores | GB/s | clock, MHz | fp32 TFLOPS | fp16 TFLOPS | matrix fp16 | ridge, FLOP/byte | SLC, MiB |\n");
    page.push_str("| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for chip in Chip::all() {
        for configuration in chip.configurations() {
            let cores = configuration.gpu_cores;
            let fp32 = chip.peak_fp32_tflops(cores);
            let bandwidth = configuration.bandwidth_gb_per_s.as_ref();
            let ridge = match (&fp32, bandwidth) {
                (Some(fp32), Some(bandwidth)) => format!("{:.1}", fp32.value * 1e3 / bandwidth.value),
                _ => "-".to_owned(),
            };
            writeln!(
                page,
                "| {} | {cores} | {} | {} | {} | {} | {} | {ridge} | {} |",
                chip.name().trim_start_matches("Apple "),
                cell(bandwidth, ToString::to_string),
                cell(chip.gpu_clock_mhz(), ToString::to_string),
                cell(fp32.as_ref(), |value| format!("{value:.2}")),
                cell(chip.peak_fp16_tflops(cores).as_ref(), |value| format!("{value:.2}")),
                cell(chip.peak_matrix_fp16_tflops(cores).as_ref(), |value| format!("{value:.2}")),
                cell(chip.slc_mib(), ToString::to_string),
            )?;
        }
    }
    Ok(())
}

fn cores(page: &mut String) -> Result<()> {
    page.push_str("\n## Cores\n\n| figure |");
    for core in ShaderCore::all() {
        write!(page, " {} |", core.slug)?;
    }
    page.push_str("\n| --- | --- | --- | --- |\n");
    writeln!(page, "| chips | {} |", row(|core| core.about.clone()))?;
    writeln!(page, "| multiply-add lanes | {} |", row(|core| shown(Some(&core.fp32_fma_lanes_per_core))))?;
    for (name, field) in [
        ("schedulers", (|core| core.schedulers_per_core.as_ref()) as fn(&ShaderCore) -> Option<&Fact<u32>>),
        ("registers, KiB", |core| core.register_file_kib_per_core.as_ref()),
        ("L1 data cache, KiB", |core| core.l1_data_kib_per_core.as_ref()),
        ("instruction cache, KiB", |core| core.instruction_cache_kib_per_core.as_ref()),
        ("threadgroup memory, KiB", |core| core.threadgroup_memory_pool_kib_per_core.as_ref()),
        ("threadgroup memory of a threadgroup, bytes", |core| Some(&core.threadgroup_memory_limit_bytes)),
        ("simdgroups at most", |core| core.max_simdgroups_per_core.as_ref()),
        ("cache line, bytes", |core| core.cache_line_bytes.as_ref()),
        ("banks of threadgroup memory", |core| core.threadgroup_banks.as_ref()),
        ("best tile of the matrix unit", |core| core.neural_accelerator_optimal_tile.as_ref()),
    ] {
        writeln!(page, "| {name} | {} |", row(|core| shown(field(core))))?;
    }
    for (name, field) in [
        (
            "L1, bytes per cycle",
            (|core| core.l1_bytes_per_cycle_per_core.as_ref()) as fn(&ShaderCore) -> Option<&Fact<f64>>,
        ),
        ("L2, bytes per cycle", |core| core.l2_bytes_per_cycle_per_core.as_ref()),
        ("shuffles, bytes per cycle", |core| core.shuffle_bytes_per_cycle_per_core.as_ref()),
        ("rate of halves over floats", |core| Some(&core.fp16_rate_vs_fp32)),
        ("matrix unit, operations per cycle", |core| {
            core.neural_accelerator_fp16_flop_per_core_cycle.as_ref()
        }),
    ] {
        writeln!(page, "| {name} | {} |", row(|core| shown(field(core))))?;
    }
    Ok(())
}

fn row(cell: impl Fn(&ShaderCore) -> String) -> String {
    ShaderCore::all().iter().map(cell).collect::<Vec<_>>().join(" | ")
}

fn shown<T: ToString>(fact: Option<&Fact<T>>) -> String {
    cell(fact, ToString::to_string)
}

fn instructions(page: &mut String) -> Result<()> {
    page.push_str(
        "\n## Instructions\n\nOf M1 and A14; issue cycles are those of one simdgroup on one of a core's four schedulers.\n\n",
    );
    page.push_str(
        "| instruction | in MSL | part of the core | issue, cycles | latency, cycles | confidence | note |\n",
    );
    page.push_str("| --- | --- | --- | --- | --- | --- | --- |\n");
    for row in Instruction::all() {
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        writeln!(
            page,
            "| {} | `{}` | {} | {} | {} | {} | {} |",
            row.name,
            row.msl.replace('|', "\\|"),
            unit(row.unit),
            number(row.throughput_cycles),
            number(row.latency_cycles),
            row.confidence,
            row.note.as_deref().unwrap_or_default(),
        )?;
    }
    Ok(())
}

fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::F => "float",
        Unit::Scib => "simple integer",
        Unit::Ic => "complex",
        Unit::Shuffle => "shuffle",
        Unit::Mem => "memory",
        Unit::Seq => "several",
    }
}

fn occupancy(page: &mut String) -> Result<()> {
    page.push_str("\n## Occupancy\n\n");
    writeln!(page, "On M1 and M2: `{}`.\n", occupancy_formula())?;
    page.push_str("| 32-bit registers, up to | resident threads | simdgroups | confidence |\n| --- | --- | --- | --- |\n");
    let mut rows: Vec<_> = occupancy_table().iter().collect();
    rows.sort_by_key(|row| row.max_halves);
    for row in rows {
        writeln!(
            page,
            "| {} | {} | {} | {} |",
            row.max_halves / 2,
            row.threads,
            row.threads / 32,
            row.confidence
        )?;
    }
    page.push_str("\n| figure | value | confidence | note |\n| --- | --- | --- | --- |\n");
    for (name, fact) in occupancy_figures() {
        if matches!(fact.value, ModelValue::Text(_)) {
            continue;
        }
        let note = fact.note.as_deref().unwrap_or_default();
        writeln!(page, "| `{name}` | {} | {} | {note} |", fact.value, fact.confidence)?;
    }
    Ok(())
}

fn measurements(page: &mut String) -> Result<()> {
    let all = Measurement::all();
    writeln!(
        page,
        "\n## Published measurements\n\n{} rows lie in `crates/mw-machine/data/measured.csv`, each with its publication; by kind:\n",
        all.len()
    )?;
    page.push_str("| kind | rows |\n| --- | --- |\n");
    let mut start = 0;
    while let Some(first) = all.get(start) {
        let count = all[start..].iter().take_while(|row| row.family == first.family).count();
        writeln!(page, "| {} | {count} |", first.family)?;
        start += count;
    }
    Ok(())
}

fn cell<T>(fact: Option<&Fact<T>>, show: impl Fn(&T) -> String) -> String {
    let Some(fact) = fact else { return "-".to_owned() };
    let mark = match fact.confidence.trust {
        Trust::Inferred => " ~",
        Trust::Conflicting | Trust::Unknown => " ?",
        Trust::Reported | Trust::Measured | Trust::Stated => "",
    };
    format!("{}{mark}", show(&fact.value))
}
