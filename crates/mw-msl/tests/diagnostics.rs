//! `tests/diagnostics/<code>/*.metal`: what each mistake is told that the front-end finds.

mod expectations;

use expectations::{Request, check_folders, check_pages};
use mw_diagnostics::{Code, Diagnostic, registry};
use mw_source::SourceMap;

fn codes() -> Vec<&'static Code> {
    [registry::preprocess::CODES, registry::syntax::CODES, registry::semantics::CODES].concat()
}

fn compile(request: &Request<'_>) -> (Vec<Diagnostic>, SourceMap) {
    let compilation = mw_msl::compile(&request.options, &request.files, request.name);
    (compilation.diagnostics, compilation.map)
}

#[test]
fn every_file_gets_what_it_says() {
    check_folders("mw-msl", &codes(), compile);
}

#[test]
fn the_examples_of_the_pages_are_true() {
    check_pages(&codes(), &["include-too-deep", "too-deep"], compile);
}
