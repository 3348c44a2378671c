//! Parses files and says how long it took: `parse [--check] [-I folder] [-D name=value] [-std=metal3.1] file…`.
#![allow(clippy::print_stdout, reason = "a command-line tool")]

use std::sync::Arc;
use std::time::Instant;

use mw_diagnostics::render::{Terminal, terminal};
use mw_msl::options::Options;
use mw_msl::preprocess::{FileProvider, preprocess};

struct Disk;

impl FileProvider for Disk {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        let bytes = std::fs::read(path).ok()?;
        Some(String::from_utf8_lossy(&bytes).into())
    }
}

fn main() {
    let mut options = Options::default();
    let mut files = Vec::new();
    let mut check = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => check = true,
            "-I" => options.include_folders.extend(arguments.next()),
            "-D" => {
                let definition = arguments.next().unwrap_or_default();
                let (name, value) = definition.split_once('=').unwrap_or((&definition, "1"));
                options.defines.push((name.to_owned(), value.to_owned()));
            }
            _ => match argument.strip_prefix("-std=") {
                Some(version) => options.version = version.parse().unwrap_or_default(),
                None => files.push(argument),
            },
        }
    }
    for file in files {
        if check {
            let compilation = mw_msl::compile(&options, &Disk, &file);
            let few = &compilation.diagnostics[..compilation.diagnostics.len().min(5)];
            println!("{file}: {} diagnostics", compilation.diagnostics.len());
            print!("{}", terminal(few, &compilation.map, Terminal::default()));
            continue;
        }
        let mut map = mw_source::SourceMap::new();
        let mut interner = mw_msl::names::Interner::default();
        let mut diagnostics = Vec::new();
        let start = Instant::now();
        let tokens = preprocess(&options, &Disk, &file, &mut map, &mut interner, &mut diagnostics);
        let preprocessed = start.elapsed();
        let unit = mw_msl::parse::parse(&tokens, &mut interner, &mut diagnostics);
        let total = start.elapsed();
        println!(
            "{file}: {} tokens, {} declarations, preprocess {preprocessed:?}, total {total:?}, {} diagnostics",
            tokens.len(),
            unit.decls.len(),
            diagnostics.len()
        );
        for diagnostic in diagnostics.iter().take(10) {
            let at = |span: mw_source::Span| {
                let place = map.line_column(span.start);
                let name = &map.file(map.file_at(span.start)).name;
                format!("{name}:{}:{}", place.line, place.column)
            };
            let span = diagnostic.primary.span;
            let written = map.written(span);
            println!("  {}: {} [{}]", at(span), diagnostic.message, diagnostic.code);
            if written != span {
                println!("    used at {}", at(written));
            }
        }
    }
}
