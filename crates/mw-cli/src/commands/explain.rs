//! `mw explain MSLnnnn`: what a diagnostic means.

use clap::Args;
use serde_json::json;

use crate::Outcome;
use crate::exit::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The code, as `MSL0231`, `231` or its name; all codes without it
    pub(crate) code: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &ExplainArgs, output: &Output) -> Outcome {
    let Some(name) = &args.code else {
        for code in mw_diagnostics::registry::all() {
            output.line(format!("{code}  {}", code.name));
        }
        output.json(&json!(
            mw_diagnostics::registry::all()
                .map(|code| json!({ "code": code.to_string(), "name": code.name }))
                .collect::<Vec<_>>()
        ));
        return Ok(());
    };
    let Some(code) = mw_diagnostics::registry::find(name) else {
        return Err(Failure::usage(format!(
            "there is no diagnostic `{name}`: `mw explain` lists all of them"
        )));
    };
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
    Ok(())
}
