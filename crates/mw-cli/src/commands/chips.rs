//! `mw chips`: the chips whose limits a device can have, and everything that is known about one.

use std::collections::BTreeMap;

use metalworking::{Chip, GpuFamily};
use mw_machine::{Arithmetic, Configuration, DEFAULT_CHIP, Fact, Roofline, Trust, sources};
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::cli::ChipsArgs;
use crate::exit::Failure;
use crate::output::{Output, table};

pub(crate) fn run(args: &ChipsArgs, output: &Output) -> Outcome {
    match &args.name {
        Some(name) => one(Chip::by_name(name).map_err(|error| Failure::usage(error.to_string()))?, output),
        None => all(output),
    }
    Ok(())
}

fn all(output: &Output) {
    let chips = Chip::all();
    output.json(&Value::Array(chips.iter().map(describe).collect()));
    let mut rows = table(&["chip", "name", "family", "architecture", "year", "GPU cores", "memory"]);
    for chip in chips {
        let cores: Vec<String> = chip.gpu_cores().value.iter().map(ToString::to_string).collect();
        rows.add_row([
            chip.slug().to_owned(),
            chip.name().to_owned(),
            family(chip),
            chip.architecture().map_or_else(|| "?".to_owned(), |fact| fact.value.clone()),
            chip.year().value.to_string(),
            cores.join(", "),
            chip.memory_type().value.clone(),
        ]);
    }
    output.line(rows.to_string());
    output.line(format!("MW_CHIP or --chip chooses one; without it a device is `{DEFAULT_CHIP}`."));
}

/// One figure of a chip, as text and as data.
struct Row {
    name: String,
    text: String,
    value: Value,
    source: String,
    confidence: String,
    note: Option<String>,
}

impl Row {
    fn of<T>(name: &str, fact: &Fact<T>, text: String, value: impl Into<Value>) -> Self {
        Self {
            name: name.to_owned(),
            text,
            value: value.into(),
            source: fact.source.clone(),
            confidence: fact.confidence.to_string(),
            note: fact.note.clone(),
        }
    }

    fn number(name: &str, fact: &Fact<f64>, unit: &str) -> Self {
        Self::of(name, fact, format!("{} {unit}", round(fact.value)), fact.value)
    }

    fn count(name: &str, fact: &Fact<u32>, unit: &str) -> Self {
        let text = if unit.is_empty() { fact.value.to_string() } else { format!("{} {unit}", fact.value) };
        Self::of(name, fact, text, fact.value)
    }

    fn json(&self) -> Value {
        json!({ "value": self.value, "source": self.source, "confidence": self.confidence, "note": self.note })
    }
}

fn one(chip: &Chip, output: &Output) {
    let general = general_rows(chip);
    let mut document = describe(chip);
    if let Value::Object(object) = &mut document {
        let facts: Map<String, Value> = general.iter().map(|row| (row.name.clone(), row.json())).collect();
        object.insert("facts".to_owned(), Value::Object(facts));
        let configurations = chip.configurations().iter().map(|it| configuration_json(chip, it)).collect();
        object.insert("configurations".to_owned(), Value::Array(configurations));
        object.insert("note".to_owned(), json!(chip.note()));
    }
    output.json(&document);
    if output.is_json() {
        return;
    }
    output.line(format!("{}  ({}, {})", chip.name(), chip.slug(), family(chip)));
    if let Some(note) = chip.note() {
        output.line(format!("  {note}"));
    }
    let mut used = BTreeMap::new();
    let mut rows = table(&["figure", "value", "confidence", "source"]);
    let by_configuration = chip.configurations().iter().flat_map(|it| {
        configuration_rows(chip, it).into_iter().map(move |mut row| {
            row.name = format!("{} cores: {}", it.gpu_cores, row.name);
            row
        })
    });
    let mut notes = Vec::new();
    for row in general.into_iter().chain(by_configuration) {
        if let Some(text) = sources().get(&row.source) {
            used.insert(row.source.clone(), text.clone());
        }
        if let Some(note) = &row.note {
            notes.push(format!("  {}: {note}", row.name));
        }
        rows.add_row([row.name, row.text, row.confidence, row.source]);
    }
    output.line(rows.to_string());
    if !notes.is_empty() {
        output.line("Notes");
        notes.dedup();
        for note in notes {
            output.line(note);
        }
    }
    output.line("Sources");
    for (key, text) in used {
        output.line(format!("  {key}: {text}"));
    }
}

/// What holds for the chip whatever its number of cores.
fn general_rows(chip: &Chip) -> Vec<Row> {
    let core = chip.core();
    let mut rows = vec![
        Row::of("year", chip.year(), chip.year().to_string(), chip.year().value),
        Row::of(
            "memory",
            chip.memory_type(),
            chip.memory_type().value.clone(),
            chip.memory_type().value.clone(),
        ),
        Row::count("multiply-add lanes per core", &chip.fp32_lanes_per_core(), ""),
    ];
    if let Some(fact) = chip.gpu_clock_mhz() {
        rows.push(Row::number("highest GPU clock", fact, "MHz"));
    }
    let caches = [
        ("system-level cache", chip.slc_mib(), "MiB"),
        ("L2 cache", chip.l2_kib(), "KiB"),
        ("L1 data cache per core", core.l1_data_kib_per_core.as_ref(), "KiB"),
        ("instruction cache per core", core.instruction_cache_kib_per_core.as_ref(), "KiB"),
        ("registers per core", core.register_file_kib_per_core.as_ref(), "KiB"),
        ("threadgroup memory per core", core.threadgroup_memory_pool_kib_per_core.as_ref(), "KiB"),
        ("simdgroups per core at most", core.max_simdgroups_per_core.as_ref(), ""),
        ("cache line", core.cache_line_bytes.as_ref(), "bytes"),
    ];
    for (name, fact, unit) in caches {
        rows.extend(fact.map(|fact| Row::count(name, fact, unit)));
    }
    rows.push(Row::count(
        "threadgroup memory per threadgroup",
        &core.threadgroup_memory_limit_bytes,
        "bytes",
    ));
    let dynamic = &core.dynamic_register_allocation;
    let text = if dynamic.value { "as they are used" } else { "once, by the compiler" };
    rows.push(Row::of("registers are handed out", dynamic, text.to_owned(), dynamic.value));
    rows
}

/// What depends on the number of cores.
fn configuration_rows(chip: &Chip, configuration: &Configuration) -> Vec<Row> {
    let cores = configuration.gpu_cores;
    let mut rows = Vec::new();
    rows.extend(configuration.bandwidth_gb_per_s.as_ref().map(|fact| Row::number("bandwidth", fact, "GB/s")));
    for (name, fact) in [
        ("peak fp32", chip.peak_fp32_tflops(cores)),
        ("peak fp16", chip.peak_fp16_tflops(cores)),
        ("peak matrix fp16", chip.peak_matrix_fp16_tflops(cores)),
    ] {
        rows.extend(fact.map(|fact| Row::number(name, &fact, "TFLOPS")));
    }
    rows
}

fn configuration_json(chip: &Chip, configuration: &Configuration) -> Value {
    let mut object = Map::new();
    object.insert("gpu_cores".to_owned(), json!(configuration.gpu_cores));
    for row in configuration_rows(chip, configuration) {
        object.insert(row.name.replace(' ', "_"), row.json());
    }
    if let Some(roofline) = Roofline::of(chip, configuration, Arithmetic::Fp32) {
        object.insert("ridge_flop_per_byte".to_owned(), json!(roofline.ridge_flop_per_byte()));
    }
    Value::Object(object)
}

/// Two decimals at most: more would claim what nobody knows.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A remark where a figure is a guess.
pub(crate) fn caution(trust: Trust) -> &'static str {
    match trust {
        Trust::Stated | Trust::Measured | Trust::Reported => "",
        Trust::Inferred => " (inferred)",
        Trust::Conflicting => " (sources disagree)",
        Trust::Unknown => " (unknown)",
    }
}

fn family(chip: &Chip) -> String {
    match chip.family() {
        GpuFamily::Apple(generation) => format!("Apple{generation}"),
        other => format!("{other:?}"),
    }
}

fn describe(chip: &Chip) -> Value {
    let limits = chip.limits();
    json!({
        "chip": chip.slug(),
        "name": chip.name(),
        "family": family(chip),
        "architecture": chip.architecture().map(|fact| &fact.value),
        "year": chip.year().value,
        "gpu_cores": chip.gpu_cores().value,
        "memory": chip.memory_type().value,
        "max_threads_per_threadgroup": limits.max_threads_per_threadgroup,
        "max_threadgroup_memory_bytes": limits.max_threadgroup_memory_bytes,
        "thread_execution_width": limits.thread_execution_width,
    })
}
