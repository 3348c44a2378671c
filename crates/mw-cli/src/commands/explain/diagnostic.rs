//! What a diagnostic means.

use mw_diagnostics::Code;
use serde_json::json;

use crate::output::Output;

pub(super) fn show(code: &Code, output: &Output) {
    output.line(code.explain().trim_end());
    output.json(&json!({
        "code": code.to_string(),
        "name": code.name,
        "severity": code.severity.as_str(),
        "checks": code.doc.checks,
        "why": code.doc.why,
        "example": code.doc.example,
        "instead": code.doc.instead,
        "source": code.doc.source,
        "url": code.url(),
    }));
}
