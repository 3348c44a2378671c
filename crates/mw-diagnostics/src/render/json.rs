//! Diagnostics for programs: one JSON object each.

use mw_source::{SourceMap, Span};
use serde_json::{Value, json as value};

use super::place::{place, trail};
use crate::Diagnostic;

/// Diagnostics as a JSON array.
pub fn json(diagnostics: &[Diagnostic], map: &SourceMap) -> Value {
    Value::Array(diagnostics.iter().map(|diagnostic| object(diagnostic, map)).collect())
}

fn object(diagnostic: &Diagnostic, map: &SourceMap) -> Value {
    let trail = trail(map, diagnostic);
    let fix = diagnostic
        .fix
        .as_ref()
        .map(|fix| value!({ "place": location(map, fix.span), "replacement": fix.replacement }));
    value!({
        "code": diagnostic.code.to_string(),
        "name": diagnostic.code.name,
        "severity": diagnostic.severity.as_str(),
        "message": diagnostic.message,
        "primary": labeled(map, trail.primary.0, &trail.primary.1),
        "labels": diagnostic
            .labels
            .iter()
            .map(|label| labeled(map, map.written(label.span), &label.text))
            .collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
        "fix": fix,
        "chain": trail.steps.iter().map(|(span, text)| labeled(map, *span, text)).collect::<Vec<_>>(),
        "url": diagnostic.url(),
    })
}

fn labeled(map: &SourceMap, span: Span, text: &str) -> Value {
    value!({ "place": location(map, span), "text": text })
}

/// File, lines and columns from one, and bytes from zero.
fn location(map: &SourceMap, span: Span) -> Value {
    let Some(place) = place(map, span) else { return Value::Null };
    let (start, end) = (map.line_column(span.start), map.line_column(span.end));
    value!({
        "file": &*place.file.name,
        "start": { "line": start.line, "column": start.column, "byte": place.range.start },
        "end": { "line": end.line, "column": end.column, "byte": place.range.end },
    })
}

#[cfg(test)]
mod tests {
    use crate::Diagnostic;
    use crate::registry::syntax::EXPECTED_TOKEN;
    use mw_source::{BytePos, SourceMap, Span};

    #[test]
    fn places_have_lines_columns_and_bytes() {
        let mut map = SourceMap::new();
        map.add("a.metal", "ä\nbc\n", false).expect("small");
        let span = Span::new(BytePos(3), BytePos(5));
        let diagnostic = Diagnostic::new(&EXPECTED_TOKEN, span, "wrong").label("here");
        let value = super::json(&[diagnostic], &map);
        let primary = &value[0]["primary"];
        assert_eq!(primary["text"], "here");
        assert_eq!(primary["place"]["start"], serde_json::json!({ "line": 2, "column": 1, "byte": 3 }));
        assert_eq!(primary["place"]["end"]["column"], 3);
        assert_eq!(value[0]["code"], "MSL0100");
    }
}
