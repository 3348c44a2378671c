//! `docs/chips.md`: the chips and limits of `mw-machine`, for people.

use std::fmt::Write as _;

use anyhow::Result;
use mw_machine::{Chip, Confidence, DEFAULT_CHIP, Fact, Feature, Trust, sources};

use crate::context::Context;

pub(crate) fn page(_: &Context) -> Result<String> {
    let mut page = String::new();
    page.push_str("# Chips and limits\n\n");
    page.push_str(
        "Made by `cargo xtask codegen` from `crates/mw-machine/data/`; change the data, not this page.\n\n",
    );
    writeln!(
        page,
        "A device reports to be one of these chips: the one that `MW_CHIP` names (`MW_CHIP=m4-max`), else `{DEFAULT_CHIP}`.\n\
         The chip decides what the device *reports* (name, architecture, families, features); kernels run on your machine whatever it is.\n\
         Marks: `~` inferred, `?` sources disagree, `-` not known.\n"
    )?;
    chip_table(&mut page)?;
    limits(&mut page)?;
    features(&mut page)?;
    page.push_str("\n## Sources\n\n");
    for (key, text) in sources() {
        writeln!(page, "- `{key}`: {text}.")?;
    }
    Ok(page)
}

fn chip_table(page: &mut String) -> Result<()> {
    page.push_str(
        "| name | device name | family | architecture | GPU cores | memory, GiB | bandwidth, GB/s | year |\n",
    );
    page.push_str("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for chip in Chip::all() {
        let bandwidths: Vec<String> = chip
            .configurations()
            .iter()
            .map(|c| cell(c.bandwidth_gb_per_s.as_ref(), ToString::to_string))
            .collect();
        writeln!(
            page,
            "| `{}` | {} | {} | {} | {} | {} | {} | {} |",
            chip.slug(),
            chip.name(),
            cell(Some(&chip.family_fact()), ToString::to_string),
            cell(chip.architecture(), |value| format!("`{value}`")),
            cell(Some(chip.gpu_cores()), |value| join(value)),
            cell(chip.memory_gib(), |value| join(value)),
            same_once(&bandwidths),
            cell(Some(chip.year()), ToString::to_string),
        )?;
    }
    Ok(())
}

fn limits(page: &mut String) -> Result<()> {
    let limits = Chip::default().limits();
    page.push_str("\n## Limits\n\n");
    writeln!(
        page,
        "Of a device that reports to be `{DEFAULT_CHIP}`; other chips differ only where the data says so.\n"
    )?;
    page.push_str("| limit | value |\n| --- | --- |\n");
    for (name, value) in [
        ("threads of a simdgroup (`threadExecutionWidth`)", limits.thread_execution_width),
        ("threads of a threadgroup", limits.max_threads_per_threadgroup),
        ("threadgroup memory, bytes", limits.max_threadgroup_memory_bytes),
        ("threadgroup memory lengths are multiples of, bytes", limits.threadgroup_memory_alignment_bytes),
        ("buffer arguments", limits.max_buffer_arguments),
        ("threadgroup memory arguments", limits.max_threadgroup_memory_arguments),
        ("texture arguments", limits.max_texture_arguments),
        ("sampler arguments", limits.max_sampler_arguments),
        ("bytes of one `setBytes`", limits.max_inline_bytes),
        (
            "offsets of `constant` buffers are multiples of, bytes",
            limits.constant_buffer_offset_alignment_bytes,
        ),
        ("function constants", limits.max_function_constants),
    ] {
        writeln!(page, "| {name} | {value} |")?;
    }
    Ok(())
}

fn features(page: &mut String) -> Result<()> {
    page.push_str("\n## Features\n\n| feature | from family | confidence |\n| --- | --- | --- |\n");
    for feature in Feature::ALL {
        let fact = feature.first_family();
        writeln!(page, "| {} | {} | {} |", feature.name(), fact.value, fact.confidence)?;
    }
    Ok(())
}

fn cell<T>(fact: Option<&Fact<T>>, show: impl Fn(&T) -> String) -> String {
    fact.map_or_else(|| "-".to_owned(), |fact| format!("{}{}", show(&fact.value), mark(&fact.confidence)))
}

fn mark(confidence: &Confidence) -> &'static str {
    match confidence.trust {
        Trust::Unknown | Trust::Conflicting => " ?",
        Trust::Inferred => " ~",
        Trust::Reported | Trust::Measured | Trust::Stated => "",
    }
}

fn join(numbers: &[u32]) -> String {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    texts.join(", ")
}

/// One text where all configurations agree, else one for each.
fn same_once(texts: &[String]) -> String {
    match texts {
        [first, rest @ ..] if rest.iter().all(|text| text == first) => first.clone(),
        _ => texts.join(", "),
    }
}
