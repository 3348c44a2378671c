//! From a request frame to a response frame.

use mw_diagnostics::registry;
use mw_manifest::Launch;
use serde_json::{Value, json};

use crate::frame::{Bytes, join, split};
use crate::launch;
use crate::program::Compiled;
use crate::request::{Request, Source};

/// Answers a request. There is always an answer: one that cannot be understood gets `{"ok": false, "error": …}`.
pub fn call(frame: &[u8]) -> Vec<u8> {
    let mut bytes = Bytes::default();
    let value = respond(frame, &mut bytes).unwrap_or_else(|error| json!({ "ok": false, "error": error }));
    join(&value, &bytes.0)
}

fn respond(frame: &[u8], bytes: &mut Bytes) -> Result<Value, String> {
    let (text, data) = split(frame).ok_or("the request is no frame")?;
    let request: Request =
        serde_json::from_slice(text).map_err(|error| format!("the request is not understood: {error}"))?;
    match request {
        Request::Compile(source) => compile(&source),
        Request::Run(run) => launch::run(&run, data, bytes),
        Request::Launches(source) => launches(&source),
        Request::Explain(explain) => {
            let code = registry::find(&explain.code)
                .ok_or_else(|| format!("there is no diagnostic `{}`", explain.code))?;
            Ok(json!({ "ok": true, "code": code.to_string(), "name": code.name, "text": code.explain() }))
        }
        Request::Version => Ok(json!({ "ok": true, "version": env!("CARGO_PKG_VERSION") })),
    }
}

fn compile(source: &Source) -> Result<Value, String> {
    let compiled = Compiled::of(source)?;
    let (kernels, errors) = compiled.reflect();
    let mut list = compiled.diagnostics.clone();
    // Kernels of one template fail for one reason.
    for error in errors {
        if !list.contains(&error) {
            list.push(error);
        }
    }
    let (diagnostics, text) = compiled.describe(&list);
    Ok(json!({
        "ok": !list.iter().any(mw_diagnostics::Diagnostic::is_error),
        "diagnostics": diagnostics,
        "text": text,
        "kernels": kernels,
    }))
}

fn launches(source: &Source) -> Result<Value, String> {
    let launches = Launch::all_in_comments(&source.source).map_err(|error| error.to_string())?;
    let list: Vec<Value> = launches.iter().map(launch::describe).collect();
    Ok(json!({ "ok": true, "launches": list }))
}
