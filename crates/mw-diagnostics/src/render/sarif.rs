//! Diagnostics in the format that code hosting and editors read: SARIF 2.1.0.

use std::collections::BTreeMap;

use mw_source::{SourceMap, Span};
use serde_json::{Value, json};

use super::place::{place, trail};
use crate::{Code, Diagnostic, Severity};

/// A SARIF log of one run; each part has the diagnostics of one source and the map that they refer to.
pub fn sarif(parts: &[(&[Diagnostic], &SourceMap)], version: &str) -> Value {
    let mut codes: BTreeMap<u16, &'static Code> = BTreeMap::new();
    for diagnostic in parts.iter().flat_map(|(diagnostics, _)| diagnostics.iter()) {
        codes.insert(diagnostic.code.number, diagnostic.code);
    }
    let rules: Vec<Value> = codes.values().map(|code| rule(code)).collect();
    let indices: BTreeMap<u16, usize> = codes.keys().enumerate().map(|(at, number)| (*number, at)).collect();
    let results: Vec<Value> = parts
        .iter()
        .flat_map(|(diagnostics, map)| diagnostics.iter().map(|diagnostic| result(diagnostic, map, &indices)))
        .collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "metalworking", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// Logs that [`sarif`] made as one, as if it had made it of all their parts.
pub fn join_sarif(logs: &[&Value], version: &str) -> Value {
    let mut rules: BTreeMap<String, Value> = BTreeMap::new();
    let mut results = Vec::new();
    for run in logs.iter().filter_map(|log| log["runs"].as_array()).flatten() {
        for rule in run["tool"]["driver"]["rules"].as_array().into_iter().flatten() {
            rules.insert(rule["id"].as_str().unwrap_or_default().to_owned(), rule.clone());
        }
        results.extend(run["results"].as_array().into_iter().flatten().cloned());
    }
    for result in &mut results {
        let id = result["ruleId"].as_str().unwrap_or_default();
        result["ruleIndex"] = json!(rules.keys().position(|rule| rule == id));
    }
    let mut joined = sarif(&[], version);
    let run = &mut joined["runs"][0];
    run["tool"]["driver"]["rules"] = Value::Array(rules.into_values().collect());
    run["results"] = Value::Array(results);
    joined
}

fn level(severity: Severity) -> &'static str {
    severity.as_str()
}

fn rule(code: &Code) -> Value {
    json!({
        "id": code.to_string(),
        "name": code.name,
        "shortDescription": { "text": code.doc.checks },
        "fullDescription": { "text": code.doc.why },
        "help": { "text": code.doc.instead, "markdown": code.explain() },
        "helpUri": code.url(),
        "defaultConfiguration": { "level": level(code.severity) },
    })
}

fn result(diagnostic: &Diagnostic, map: &SourceMap, indices: &BTreeMap<u16, usize>) -> Value {
    let trail = trail(map, diagnostic);
    let mut text = diagnostic.message.clone();
    for part in diagnostic.notes.iter().chain(&diagnostic.help) {
        text.push('\n');
        text.push_str(part);
    }
    let related: Vec<Value> = diagnostic
        .labels
        .iter()
        .map(|label| (map.written(label.span), label.text.as_str()))
        .chain(trail.steps.iter().map(|(span, text)| (*span, text.as_str())))
        .filter_map(|(span, text)| location(map, span, Some(text)))
        .collect();
    let mut result = json!({
        "ruleId": diagnostic.code.to_string(),
        "ruleIndex": indices.get(&diagnostic.code.number),
        "level": level(diagnostic.severity),
        "message": { "text": text },
        "locations": location(map, trail.primary.0, None).into_iter().collect::<Vec<_>>(),
    });
    if !related.is_empty() {
        result["relatedLocations"] = Value::Array(related);
    }
    if let Some(fix) = &diagnostic.fix
        && let Some(place) = place(map, fix.span)
    {
        result["fixes"] = json!([{
            "description": { "text": format!("write `{}`", fix.replacement) },
            "artifactChanges": [{
                "artifactLocation": { "uri": &*place.file.name },
                "replacements": [{
                    "deletedRegion": region(map, fix.span),
                    "insertedContent": { "text": fix.replacement },
                }],
            }],
        }]);
    }
    result
}

fn location(map: &SourceMap, span: Span, text: Option<&str>) -> Option<Value> {
    let place = place(map, span)?;
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": &*place.file.name },
            "region": region(map, span),
        },
    });
    if let Some(text) = text {
        location["message"] = json!({ "text": text });
    }
    Some(location)
}

fn region(map: &SourceMap, span: Span) -> Value {
    let (start, end) = (map.line_column(span.start), map.line_column(span.end));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

#[cfg(test)]
mod tests {
    use crate::Diagnostic;
    use crate::registry::syntax::{EXPECTED_NAME, EXPECTED_TOKEN};
    use mw_source::{BytePos, SourceMap, Span};

    #[test]
    fn results_refer_to_their_rules() {
        let mut map = SourceMap::new();
        map.add("a.metal", "int x\n", false).expect("small");
        let span = Span::new(BytePos(4), BytePos(5));
        let diagnostics = [
            Diagnostic::new(&EXPECTED_NAME, span, "one"),
            Diagnostic::new(&EXPECTED_TOKEN, span, "two").with_fix(span.after(), ";"),
        ];
        let log = super::sarif(&[(&diagnostics, &map)], "1.0.0");
        let parts: Vec<_> = diagnostics
            .iter()
            .map(|one| super::sarif(&[(std::slice::from_ref(one), &map)], "1.0.0"))
            .collect();
        assert_eq!(super::join_sarif(&parts.iter().collect::<Vec<_>>(), "1.0.0"), log);
        assert_eq!(super::join_sarif(&[], "1.0.0"), super::sarif(&[], "1.0.0"));
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "MSL0100");
        assert_eq!(run["results"][0]["ruleIndex"], 1);
        let fix = &run["results"][1]["fixes"][0]["artifactChanges"][0]["replacements"][0];
        assert_eq!(fix["deletedRegion"]["startColumn"], 6);
        assert_eq!(run["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    }
}
