//! Any text as Metal: it preprocesses and parses to a tree and diagnostics, without a panic and within bounds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mw_diagnostics::render::{Terminal, terminal};
use mw_msl::names::Interner;
use mw_msl::options::Options;
use mw_msl::preprocess::{MemoryFiles, preprocess_bare};
use mw_source::SourceMap;

fuzz_target!(|text: &str| {
    let mut files = MemoryFiles::single("main.metal", text);
    // Something to include, besides the file itself.
    files.add("other.h", "#pragma once\ntemplate <typename T> T other(T x) { return x; }\n");
    let (mut map, mut interner, mut diagnostics) = (SourceMap::new(), Interner::default(), Vec::new());
    // Without the library, whose text is the same in every run and takes longer than the rest.
    let options = Options::default();
    let tokens = preprocess_bare(&options, &files, "main.metal", &mut map, &mut interner, &mut diagnostics);
    let _ = mw_msl::parse::parse(&tokens, &mut interner, &mut diagnostics);
    let few = &diagnostics[..diagnostics.len().min(3)];
    let _ = terminal(few, &map, Terminal::default());
});
