//! `mw chips`: the chips whose limits a device can have.

use metalworking::{Chip, GpuFamily};
use mw_machine::DEFAULT_CHIP;
use serde_json::{Value, json};

use crate::output::{Output, table};

pub(crate) fn run(output: &Output) {
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
