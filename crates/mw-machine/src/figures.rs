//! Figures by reference, so that a page names a figure instead of repeating it.
//!
//! A reference is `{{kind subject field}}` in a text: `{{chip m5-max@40 bandwidth}}` becomes `614 GB/s`.
//!
//! | reference | figure |
//! | --- | --- |
//! | `chip NAME[@CORES] FIELD` | `bandwidth`, `cores`, `clock`, `slc`, `l2`, `fp32`, `fp16`, `matrix`, `ridge`, `lanes`, `memory`, `year`; without `@` the largest configuration |
//! | `core SLUG FIELD` | a field of [`ShaderCore`], such as `register_file` |
//! | `instruction NAME FIELD` | `throughput` or `latency` |
//! | `model NAME FIELD` | a constant of the cycle model |
//! | `occupancy static\|dynamic FIELD` | a figure of the occupancy rules |
//! | `measured ID [value]` | a published measurement, with its unit or as a bare number |

use std::fmt::Write as _;

use thiserror::Error;

use crate::chip::Chip;
use crate::fact::{Confidence, Fact};
use crate::instruction::{Instruction, ModelValue, cycle_models};
use crate::measurement::Measurement;
use crate::occupancy::occupancy_figures;
use crate::roofline::{Arithmetic, Roofline};
use crate::shader_core::ShaderCore;

/// A figure as a page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The number with its unit: `614 GB/s`.
    pub text: String,
    /// Where it was read: a key of [`crate::sources`], or the publication of a measurement.
    pub source: String,
    /// How far to trust it.
    pub confidence: Confidence,
    /// What to know before using it.
    pub note: Option<String>,
}

/// How [`expand_figures`] writes a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureStyle {
    /// The number with its unit.
    Plain,
    /// A `<data>` element whose title says confidence and source.
    Html,
}

/// A reference that names no figure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{{{{{reference}}}}}` names no figure: {reason}")]
pub struct FigureError {
    /// The reference without its braces.
    pub reference: String,
    /// What is wrong with it.
    pub reason: String,
}

/// The figure of a reference (without its braces).
///
/// # Errors
/// [`FigureError`] when the reference names nothing, or a figure that nobody published.
pub fn figure(reference: &str) -> Result<Figure, FigureError> {
    let words: Vec<&str> = reference.split_whitespace().collect();
    let found = match words.as_slice() {
        ["chip", name, field] => chip(name, field),
        ["core", slug, field] => core(slug, field),
        ["instruction", name, field] => instruction(name, field),
        ["model", name, field] => model(name, field),
        ["occupancy", part, field] => occupancy(part, field),
        ["measured", id] => measured(id),
        ["measured", id, "value"] => measured(id).map(|figure| Figure {
            text: figure.text.split(' ').next().unwrap_or_default().to_owned(),
            ..figure
        }),
        _ => Err("write `chip NAME FIELD`, `core SLUG FIELD`, `instruction NAME FIELD`, `model NAME FIELD`, `occupancy PART FIELD` or `measured ID`".to_owned()),
    };
    found.map_err(|reason| FigureError { reference: reference.to_owned(), reason })
}

/// The text with every figure reference replaced by its figure.
///
/// Braces that start with `#` or `/` belong to the book's own tool and stay; a backslash before the braces
/// keeps them too, and so does fenced code, where two braces may be an initializer.
///
/// # Errors
/// The first reference that names no figure.
pub fn expand_figures(text: &str, style: FigureStyle) -> Result<String, FigureError> {
    let mut expanded = String::with_capacity(text.len());
    let mut is_code = false;
    for line in text.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        if is_code || is_fence {
            expanded.push_str(line);
        } else {
            expand_line(line, style, &mut expanded)?;
        }
    }
    Ok(expanded)
}

fn expand_line(line: &str, style: FigureStyle, expanded: &mut String) -> Result<(), FigureError> {
    let mut rest = line;
    while let Some(start) = rest.find("{{") {
        let (before, after) = rest.split_at(start);
        expanded.push_str(before);
        let body = &after[2..];
        let is_kept = before.ends_with('\\') || body.starts_with(['#', '/', '{']);
        let Some(end) = body.find("}}").filter(|_| !is_kept) else {
            expanded.push_str("{{");
            rest = body;
            continue;
        };
        let found = figure(&body[..end])?;
        match style {
            FigureStyle::Plain => expanded.push_str(&found.text),
            FigureStyle::Html => push_html(&found, expanded),
        }
        rest = &body[end + 2..];
    }
    expanded.push_str(rest);
    Ok(())
}

fn push_html(figure: &Figure, out: &mut String) {
    let number = figure.text.split(' ').next().unwrap_or_default();
    let mut title = format!("{}; source: {}", figure.confidence, figure.source);
    if let Some(note) = &figure.note {
        let _ = write!(title, "; {note}");
    }
    let _ = write!(
        out,
        "<data class=\"figure\" value=\"{}\" title=\"{}\">{}</data>",
        escape(number),
        escape(&title),
        escape(&figure.text)
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn of<T>(fact: &Fact<T>, text: String) -> Figure {
    Figure { text, source: fact.source.clone(), confidence: fact.confidence.clone(), note: fact.note.clone() }
}

/// A figure that may be unknown, with its unit.
fn known<T>(fact: Option<Fact<T>>, show: impl Fn(&T) -> String) -> Result<Figure, String> {
    let fact = fact.ok_or("nobody published it")?;
    let text = show(&fact.value);
    Ok(of(&fact, text))
}

/// Three significant digits are all that derived figures deserve.
fn rounded(value: f64) -> String {
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$}")
}

fn chip(name: &str, field: &str) -> Result<Figure, String> {
    let (name, cores) = match name.split_once('@') {
        Some((name, cores)) => {
            (name, Some(cores.parse::<u32>().map_err(|_| format!("`{cores}` is no number of cores"))?))
        }
        None => (name, None),
    };
    let chip = Chip::by_name(name).map_err(|error| error.to_string())?;
    let configuration = match cores {
        Some(cores) => chip.configurations().iter().find(|it| it.gpu_cores == cores),
        None => chip.configurations().last(),
    };
    let configuration =
        configuration.ok_or_else(|| format!("{} was not sold with so many cores", chip.name()))?;
    let cores = configuration.gpu_cores;
    let tflops = |value: &f64| format!("{} TFLOPS", rounded(*value));
    match field {
        "bandwidth" => known(configuration.bandwidth_gb_per_s.clone(), |gb| format!("{gb} GB/s")),
        "cores" => known(Some(chip.gpu_cores().clone()), |_| cores.to_string()),
        "clock" => known(chip.gpu_clock_mhz().cloned(), |mhz| format!("{mhz} MHz")),
        "slc" => known(chip.slc_mib().cloned(), |mib| format!("{mib} MiB")),
        "l2" => known(chip.l2_kib().cloned(), |kib| format!("{kib} KiB")),
        "fp32" => known(chip.peak_fp32_tflops(cores), tflops),
        "fp16" => known(chip.peak_fp16_tflops(cores), tflops),
        "matrix" => known(chip.peak_matrix_fp16_tflops(cores), tflops),
        "lanes" => known(Some(chip.fp32_lanes_per_core()), ToString::to_string),
        "memory" => known(Some(chip.memory_type().clone()), Clone::clone),
        "year" => known(Some(chip.year().clone()), ToString::to_string),
        "ridge" => {
            let roofline =
                Roofline::of(chip, configuration, Arithmetic::Fp32).ok_or("a roof of it is unknown")?;
            let text = format!("{} FLOP/byte", rounded(roofline.ridge_flop_per_byte()));
            Ok(of(&roofline.compute_tflops, text))
        }
        _ => Err(format!("a chip has no field `{field}`")),
    }
}

fn core(slug: &str, field: &str) -> Result<Figure, String> {
    let core = ShaderCore::by_slug(slug).ok_or_else(|| format!("there is no core `{slug}`"))?;
    let kib = |kib: &u32| format!("{kib} KiB");
    let rate = |bytes: &f64| format!("{bytes} bytes per cycle");
    let flop = |flop: &f64| format!("{flop} operations per cycle");
    match field {
        "lanes" => known(Some(core.fp32_fma_lanes_per_core.clone()), ToString::to_string),
        "schedulers" => known(core.schedulers_per_core.clone(), ToString::to_string),
        "simd_width" => known(Some(core.simd_width.clone()), ToString::to_string),
        "register_file" => known(core.register_file_kib_per_core.clone(), kib),
        "l1" => known(core.l1_data_kib_per_core.clone(), kib),
        "instruction_cache" => known(core.instruction_cache_kib_per_core.clone(), kib),
        "threadgroup_pool" => known(core.threadgroup_memory_pool_kib_per_core.clone(), kib),
        "threadgroup_limit" => {
            known(Some(core.threadgroup_memory_limit_bytes.clone()), |bytes| format!("{} KiB", bytes / 1024))
        }
        "max_threads" => known(Some(core.max_threads_per_threadgroup.clone()), ToString::to_string),
        "max_simdgroups" => known(core.max_simdgroups_per_core.clone(), ToString::to_string),
        "cache_line" => known(core.cache_line_bytes.clone(), |bytes| format!("{bytes} bytes")),
        "l1_rate" => known(core.l1_bytes_per_cycle_per_core.clone(), rate),
        "l2_rate" => known(core.l2_bytes_per_cycle_per_core.clone(), rate),
        "shuffle_rate" => known(core.shuffle_bytes_per_cycle_per_core.clone(), rate),
        "slc_ratio" => known(core.slc_to_dram_bandwidth_ratio.clone(), ToString::to_string),
        "banks" => known(core.threadgroup_banks.clone(), ToString::to_string),
        "matrix_rate" => known(core.neural_accelerator_fp16_flop_per_core_cycle.clone(), flop),
        "matrix_int8_rate" => known(core.neural_accelerator_int8_op_per_core_cycle.clone(), flop),
        "matrix_tile" => known(core.neural_accelerator_optimal_tile.clone(), ToString::to_string),
        _ => Err(format!("a core has no field `{field}`")),
    }
}

fn instruction(name: &str, field: &str) -> Result<Figure, String> {
    let row = Instruction::by_name(name).ok_or_else(|| format!("there is no instruction `{name}`"))?;
    let value = match field {
        "throughput" => row.throughput_cycles,
        "latency" => row.latency_cycles,
        _ => return Err(format!("an instruction has `throughput` and `latency`, not `{field}`")),
    };
    let value = value.ok_or("nobody published it")?;
    let text = format!("{value} {}", if value == 1.0 { "cycle" } else { "cycles" });
    Ok(Figure {
        text,
        source: row.source.clone(),
        confidence: row.confidence.clone(),
        note: row.note.clone(),
    })
}

fn model(name: &str, field: &str) -> Result<Figure, String> {
    let model = cycle_models().get(name).ok_or_else(|| format!("there is no cycle model `{name}`"))?;
    model_value(model.get(field), field)
}

fn occupancy(part: &str, field: &str) -> Result<Figure, String> {
    model_value(occupancy_figures().get(&format!("{part}.{field}")), field)
}

/// A named figure; its unit is what its name ends with.
fn model_value(fact: Option<&Fact<ModelValue>>, field: &str) -> Result<Figure, String> {
    let fact = fact.ok_or_else(|| format!("there is no figure `{field}`"))?;
    let text = match &fact.value {
        ModelValue::Number(bytes)
            if field.contains("_bytes") && *bytes >= 1024.0 && bytes % 1024.0 == 0.0 =>
        {
            format!("{} KiB", bytes / 1024.0)
        }
        ModelValue::Number(bytes) if field.contains("_bytes") => format!("{bytes} bytes"),
        ModelValue::Number(cycles) if field.ends_with("_cycles") => format!("{cycles} cycles"),
        other => other.to_string(),
    };
    Ok(of(fact, text))
}

fn measured(id: &str) -> Result<Figure, String> {
    let row = Measurement::by_id(id).ok_or_else(|| format!("there is no measurement `{id}`"))?;
    let unit = match row.unit {
        "us" => "µs",
        "token/s" => "tokens/s",
        "cycle" => "cycles",
        unit => unit,
    };
    Ok(Figure {
        text: format!("{} {unit}", row.value),
        source: row.source.clone(),
        confidence: row.confidence.clone(),
        note: Some(format!("{} on {}, {} cores", row.description, row.chip, row.gpu_cores)),
    })
}

#[cfg(test)]
mod tests {
    use super::{FigureStyle, expand_figures, figure};

    fn text(reference: &str) -> String {
        figure(reference).unwrap().text
    }

    #[test]
    fn references_find_their_figures() {
        assert_eq!(text("chip m5-max@40 bandwidth"), "614 GB/s");
        assert_eq!(text("chip m5-max bandwidth"), "614 GB/s");
        assert_eq!(text("chip m4@10 fp32"), "4.04 TFLOPS");
        assert_eq!(text("chip m1-max cores"), "32");
        assert_eq!(text("core apple7-8 register_file"), "208 KiB");
        assert_eq!(text("instruction ffma32 throughput"), "1 cycle");
        assert_eq!(text("instruction ffma32 latency"), "2.21 cycles");
        assert_eq!(text("occupancy static alu_saturation_simdgroups"), "24");
        assert_eq!(text("occupancy static register_file_bytes_per_core"), "208 KiB");
        assert_eq!(text("model g13 register_dependency_penalty_32bit_cycles"), "0.84 cycles");
        assert_eq!(text("measured bandwidth-stream-005"), "516.1 GB/s");
        assert_eq!(text("measured bandwidth-stream-005 value"), "516.1");
    }

    #[test]
    fn references_to_nothing_say_why() {
        for (reference, reason) in [
            ("chip m99 bandwidth", "unknown chip `m99`"),
            ("chip m4@99 bandwidth", "was not sold with so many cores"),
            ("chip m4 speed", "no field `speed`"),
            ("chip a18-pro bandwidth", "nobody published it"),
            ("core apple9 register_file", "nobody published it"),
            ("measured gemm-9999", "no measurement `gemm-9999`"),
            ("weather today", "write `chip NAME FIELD`"),
        ] {
            let error = figure(reference).unwrap_err().to_string();
            assert!(error.contains(reason) && error.contains(reference), "{error}");
        }
    }

    #[test]
    fn text_is_expanded_and_braces_of_others_stay() {
        let plain = |text| expand_figures(text, FigureStyle::Plain);
        assert_eq!(plain("at {{chip m5 bandwidth}}.").unwrap(), "at 153.6 GB/s.");
        let code = "```\nfloat a[1][2] = {{1, 2}};\n```\n";
        for kept in ["{{#include x}}", "\\{{chip}}", "{{ open", "a } b", "{{{x}}}", "{{a\nb}}", code] {
            assert_eq!(plain(kept).unwrap(), kept);
        }
        assert!(plain("{{chip}}").is_err());
        assert_eq!(
            expand_figures("{{core apple7-8 l1}}", FigureStyle::Html).unwrap(),
            "<data class=\"figure\" value=\"8\" title=\"measured by P. Turner; source: metal-benchmarks; Chips and Cheese finds 8 KB on M2 Pro too\">8 KiB</data>"
        );
    }
}
