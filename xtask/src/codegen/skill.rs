//! The chips of `skill/mlx-metal-kernels/`: a table in SKILL.md, and the same figures as data for its scripts.

use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use mw_machine::{Chip, Fact, Feature, Trust};
use serde_json::{Map, Value, json};

use crate::context::Context;

/// The Macs, one line for each chip: what a kernel's author chooses by.
pub(crate) fn table(_: &Context) -> Result<String> {
    let mut text = String::from(
        "| chip (`--chip`) | GPU family | GPU cores | bandwidth, GB/s | float32 peak, TFLOPS | FLOP per byte at the ridge |\n\
         | --- | --- | --- | --- | --- | --- |\n",
    );
    for chip in Chip::all().iter().filter(|chip| is_mac(chip)) {
        let each = |of: &dyn Fn(&mw_machine::Configuration) -> String| {
            let mut cells: Vec<String> = chip.configurations().iter().map(of).collect();
            cells.dedup();
            cells.join(", ")
        };
        let bandwidth = each(&|c| figure(c.bandwidth_gb_per_s.as_ref(), 1));
        let peak = each(&|c| figure(chip.peak_fp32_tflops(c.gpu_cores).as_ref(), 1));
        let ridge = each(&|c| match (chip.peak_fp32_tflops(c.gpu_cores), &c.bandwidth_gb_per_s) {
            (Some(peak), Some(rate)) => format!("{:.0}", *peak * 1e3 / **rate),
            _ => "-".to_owned(),
        });
        let cores = each(&|c| c.gpu_cores.to_string());
        writeln!(
            text,
            "| `{}` | {}{} | {cores} | {bandwidth} | {peak} | {ridge} |",
            chip.slug(),
            chip.family(),
            mark(&chip.family_fact()),
        )?;
    }
    text.push_str("\nMarks: `~` inferred, `?` sources disagree, `-` not known. What needs which family:\n\n");
    text.push_str("| feature | from family | first chips | confidence |\n| --- | --- | --- | --- |\n");
    for (feature, what) in [
        (Feature::SimdReduction, "`simd_sum`, `simd_max`, …"),
        (Feature::SimdgroupMatrix, "`simdgroup_matrix`"),
        (Feature::Bfloat, "`bfloat` (Metal 3.1, macOS 14)"),
        (Feature::FloatAtomics, "`atomic<float>` add in device memory"),
        (Feature::SimdShiftAndFill, "`simd_shuffle_and_fill_up`, `_down`"),
        (Feature::NeuralAccelerators, "matrix units, by Metal 4's tensor operations only"),
    ] {
        let fact = feature.first_family();
        let first: Vec<&str> = Chip::all()
            .iter()
            .filter(|chip| chip.family() == fact.value)
            .filter(|chip| !["Pro", "Max", "Ultra"].iter().any(|tier| chip.name().ends_with(tier)))
            .map(|chip| chip.name().trim_start_matches("Apple "))
            .take(2)
            .collect();
        writeln!(text, "| {what} | {} | {} | {} |", fact.value, first.join(", "), fact.confidence)?;
    }
    Ok(text)
}

/// `scripts/chips.json`: the roof that `--chip` names.
pub(crate) fn data(_: &Context) -> Result<String> {
    let mut chips = Map::new();
    for chip in Chip::all() {
        let mut rates: Vec<f64> = Vec::new();
        for configuration in chip.configurations() {
            if let Some(rate) = &configuration.bandwidth_gb_per_s
                && !rates.contains(rate)
            {
                rates.push(**rate);
            }
        }
        chips.insert(
            chip.slug().to_owned(),
            json!({ "device": chip.name(), "bandwidth_gb_per_s": rates, "simdgroup_matrix": chip.supports(Feature::SimdgroupMatrix) }),
        );
    }
    let mut text = serde_json::to_string_pretty(&Value::Object(chips)).context("cannot write the chips")?;
    text.push('\n');
    Ok(text)
}

fn is_mac(chip: &Chip) -> bool {
    chip.slug().starts_with('m')
}

fn figure(fact: Option<&Fact<f64>>, digits: usize) -> String {
    fact.map_or_else(
        || "-".to_owned(),
        |fact| {
            let text = format!("{:.digits$}", fact.value);
            format!("{}{}", text.trim_end_matches('0').trim_end_matches('.'), mark(fact))
        },
    )
}

fn mark<T>(fact: &Fact<T>) -> &'static str {
    match fact.confidence.trust {
        Trust::Unknown | Trust::Conflicting => " ?",
        Trust::Inferred => " ~",
        Trust::Reported | Trust::Measured | Trust::Stated => "",
    }
}
