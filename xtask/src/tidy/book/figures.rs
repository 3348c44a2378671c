//! A figure that the machine tables hold is named on a page, not repeated.

use std::collections::BTreeMap;

use mw_machine::{Chip, Measurement, figure};

/// Units by which a figure is known again; others (`32 KiB`) are too common to tell.
const UNITS: [&str; 4] = [" GB/s", " TFLOPS", " MHz", " tokens/s"];

/// Every figure of the tables with one of the units, and a reference to it.
pub(super) fn known() -> BTreeMap<String, String> {
    let mut references = Vec::new();
    for chip in Chip::all() {
        for configuration in chip.configurations() {
            for field in ["bandwidth", "fp32", "fp16", "matrix", "clock"] {
                references.push(format!("chip {}@{} {field}", chip.slug(), configuration.gpu_cores));
            }
        }
    }
    references.extend(Measurement::all().iter().map(|row| format!("measured {}", row.id)));
    let mut known = BTreeMap::new();
    for reference in references {
        // What nobody published is no figure.
        let Ok(figure) = figure(&reference) else { continue };
        if UNITS.iter().any(|unit| figure.text.ends_with(unit)) {
            known.entry(figure.text).or_insert(reference);
        }
    }
    known
}

/// Figures of the tables that the page repeats as text.
pub(super) fn check(page: &str, known: &BTreeMap<String, String>) -> Vec<String> {
    let mut messages = Vec::new();
    for line in page.lines() {
        for unit in UNITS {
            for (end, _) in line.match_indices(unit) {
                let number_start = line[..end]
                    .rfind(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
                    .map_or(0, |at| at + line[at..].chars().next().map_or(1, char::len_utf8));
                let text = &line[number_start..end + unit.len()];
                if let Some(reference) = known.get(text) {
                    messages.push(format!("`{text}` is in the tables: write `{{{{{reference}}}}}`"));
                }
            }
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::{check, known};

    #[test]
    fn repeated_figures_are_found() {
        let known = known();
        assert!(known.len() > 100, "{}", known.len());
        assert_eq!(known["153.6 GB/s"], "chip m3-pro@14 bandwidth");
        assert!(check("about 999.5 GB/s, and {{chip m5 bandwidth}}", &known).is_empty());
        let found = check("it has »614 GB/s.", &known);
        assert_eq!(found, ["`614 GB/s` is in the tables: write `{{chip m5-max@40 bandwidth}}`"]);
    }
}
