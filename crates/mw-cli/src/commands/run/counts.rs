//! What a launch did, counted: for people a table, for programs the figures that the browser's engine gives too.

use comfy_table::CellAlignment;
use mw_interp::{Counts, Work};
use serde_json::{Value, json};

use crate::output::{Output, table};

/// Columns of the table: head, and the figure by name.
const COLUMNS: [(&str, &str); 8] = [
    ("instructions", "instructions"),
    ("flops", "flops"),
    ("integer", "integer_operations"),
    ("device B read", "device.loads.bytes"),
    ("device B written", "device.stores.bytes"),
    ("threadgroup B read", "threadgroup.loads.bytes"),
    ("threadgroup B written", "threadgroup.stores.bytes"),
    ("barriers", "barriers"),
];

pub(super) fn write(counts: &Counts, output: &Output) {
    let mut head = vec!["line"];
    head.extend(COLUMNS.map(|(head, _)| head));
    let mut table = table(&head);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let row = |name: String, work: &Work| {
        let figures = work.figures();
        let figure = |wanted: &str| figures.iter().find(|(name, _)| name == wanted).map_or(0, |(_, it)| *it);
        let mut cells = vec![name];
        cells.extend(COLUMNS.map(|(_, name)| figure(name).to_string()));
        cells
    };
    for (line, work) in &counts.lines {
        table.add_row(row(line.to_string(), work));
    }
    table.add_row(row("all".to_owned(), &counts.total));
    output.line(table.to_string());
}

pub(super) fn describe(counts: &Counts) -> Value {
    let mut all = describe_work(&counts.total);
    all["lines"] = json!({});
    for (line, work) in &counts.lines {
        all["lines"][line.to_string()] = describe_work(work);
    }
    all
}

/// Figures as objects in objects, by the points of their names.
fn describe_work(work: &Work) -> Value {
    let mut all = json!({});
    for (name, figure) in work.figures() {
        let mut at = &mut all;
        for part in name.split('.') {
            at = &mut at[part];
        }
        *at = json!(figure);
    }
    all
}
