//! `tests/diagnostics/<code>/*.metal`: what each mistake is told that lowering finds.

#[path = "../../mw-msl/tests/expectations/mod.rs"]
mod expectations;

use expectations::{Request, check_folders, check_pages};
use mw_diagnostics::{Diagnostic, registry};
use mw_lower::{LowerOptions, lower, lower_kernel};
use mw_source::SourceMap;

fn compile(request: &Request<'_>) -> (Vec<Diagnostic>, SourceMap) {
    let compilation = mw_msl::compile(&request.options, &request.files, request.name);
    let mut diagnostics = compilation.diagnostics;
    if let Some(program) = &compilation.program {
        let options = LowerOptions::default();
        let lowered = match request.kernel {
            Some(kernel) => lower_kernel(program, kernel, &options),
            None => lower(program, &options),
        };
        diagnostics.extend(lowered.err().map(|error| error.to_diagnostic()));
    }
    (diagnostics, compilation.map)
}

#[test]
fn every_file_gets_what_it_says() {
    check_folders("mw-lower", registry::lowering::CODES, compile);
}

#[test]
fn the_examples_of_the_pages_are_true() {
    check_pages(registry::lowering::CODES, &["nested-too-deep"], compile);
}
