//! Compiles `.metal` files and prints, for each, how many errors there are and the first of them.
//!
//! `check_corpus [-I folder]… [-D name=value]… [-v] [-a] [-r] files or folders…`: `-v` shows the first error of
//! each file with its line, `-a` all errors, `-r` everything as `mw check` shows it.

#![allow(clippy::print_stdout, reason = "this is a tool for the terminal")]

use mw_msl::options::Options;
use mw_msl::preprocess::FileProvider;
use std::path::{Path, PathBuf};
use std::time::Instant;

struct Disk;

impl FileProvider for Disk {
    fn read(&self, path: &str) -> Option<std::sync::Arc<str>> {
        std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned().into())
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<_> =
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for entry in entries {
            collect(&entry, files);
        }
    } else if path.extension().is_some_and(|ext| ext == "metal") {
        files.push(path.to_owned());
    }
}

fn main() {
    let mut options = Options::default();
    let mut files = Vec::new();
    let (mut verbose, mut all, mut render) = (false, false, false);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "-I" => options.include_folders.extend(args.next()),
            "-D" => {
                let define = args.next().unwrap_or_default();
                let (name, value) = define.split_once('=').unwrap_or((&define, "1"));
                options.defines.push((name.to_owned(), value.to_owned()));
            }
            "-v" => verbose = true,
            "-a" => all = true,
            "-r" => render = true,
            path => {
                let path = Path::new(path);
                if path.is_file() {
                    files.push(path.to_owned());
                } else {
                    collect(path, &mut files);
                }
            }
        }
    }
    let (mut good, mut kernels) = (0, 0);
    let total = Instant::now();
    for file in &files {
        let start = Instant::now();
        let name = file.to_string_lossy();
        let mut options = options.clone();
        // `// flags: -std=metal3.0` on the first line chooses the version.
        if let Some(version) =
            Disk.read(&name).as_deref().and_then(|text| text.lines().next()?.strip_prefix("// flags: -std="))
        {
            options.version = version.parse().unwrap_or_default();
        }
        let compilation = mw_msl::compile(&options, &Disk, &name);
        let errors: Vec<_> = compilation.diagnostics.iter().filter(|d| d.is_error()).collect();
        let count = compilation.program.as_ref().map_or(0, |program| program.kernels.len());
        let time = start.elapsed().as_secs_f64() * 1e3;
        kernels += count;
        if render {
            let layout = mw_diagnostics::render::Terminal::default();
            println!(
                "{}",
                mw_diagnostics::render::terminal(&compilation.diagnostics, &compilation.map, layout)
            );
        }
        if errors.is_empty() {
            good += 1;
            println!("ok    {count:5} kernels {time:8.1} ms  {name}");
            continue;
        }
        println!("FAIL  {:5} errors  {time:8.1} ms  {name}", errors.len());
        if !verbose && !all {
            continue;
        }
        for error in errors.iter().take(if all { usize::MAX } else { 1 }) {
            let show = |span| {
                let span = compilation.map.written(span);
                let at = compilation.map.line_column(span.start);
                let file = compilation.map.file(compilation.map.file_at(span.start));
                let line = file.text.lines().nth(at.line as usize - 1).unwrap_or("").trim().to_owned();
                format!("{}:{}:{}: {line}", file.name, at.line, at.column)
            };
            println!("      {}: {}", error.code, error.message);
            println!("        {}", show(error.primary.span));
            for label in &error.labels {
                println!("        label {}: {}", label.text, show(label.span));
            }
            for note in error.notes.iter().chain(&error.help).take(6) {
                println!("        note: {note}");
            }
            for step in &error.chain {
                println!("        {} {}", step.message, show(step.span));
            }
        }
    }
    println!(
        "{good} of {} files, {kernels} kernels, {:.0} ms",
        files.len(),
        total.elapsed().as_secs_f64() * 1e3
    );
}
