//! `tests/diagnostics/<code>/*.metal`: what each mistake is told.
//!
//! `//~^ error[MSL0100]: …` says what must be reported in the line above (one line up for each `^`, `//~v` for
//! the line below, `//~` for its own), with the beginning of the message. A file with such lines has a
//! `.stderr` beside it with the whole text at 100 columns; a file without them gets no diagnostic at all.
//! `MW_BLESS=1` writes the `.stderr` files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use mw_diagnostics::render::{Terminal, terminal};
use mw_diagnostics::{Code, Diagnostic, registry};
use mw_msl::options::Options;
use mw_msl::preprocess::MemoryFiles;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/diagnostics")
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder that can be read")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    entries
}

/// An expectation or a finding: line, `error[MSL0100]`, message.
type Finding = (u32, String, String);

fn expectations(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let Some((_, note)) = line.split_once("//~") else { continue };
        let ups = note.chars().take_while(|c| *c == '^').count();
        let downs = note.chars().take_while(|c| *c == 'v').count();
        let (head, message) = note[ups + downs..].trim().split_once(": ").expect("`error[MSLnnnn]: message`");
        let line = at as u32 + 1 + downs as u32 - ups as u32;
        found.push((line, head.to_owned(), message.trim().to_owned()));
    }
    found
}

struct Outcome {
    diagnostics: Vec<Diagnostic>,
    findings: Vec<Finding>,
    text: String,
}

fn compile(name: &str, source: &str, neighbors: &[(String, String)]) -> Outcome {
    let mut files = MemoryFiles::single(name, source);
    for (name, text) in neighbors {
        files.add(name.as_str(), text.as_str());
    }
    let compilation = mw_msl::compile(&Options::default(), &files, name);
    let map = &compilation.map;
    let findings = compilation
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let line = map.line_column(map.written(diagnostic.primary.span).start).line;
            (line, format!("{}[{}]", diagnostic.severity, diagnostic.code), diagnostic.message.clone())
        })
        .collect();
    let text = terminal(&compilation.diagnostics, map, Terminal::default());
    Outcome { diagnostics: compilation.diagnostics, findings, text }
}

/// What is wrong with one file of the folder of `code`.
fn check(path: &Path, code: &str) -> Result<bool, String> {
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    let source = fs::read_to_string(path).expect("text");
    let headers: Vec<(String, String)> = sorted(path.parent().expect("a folder"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "h"))
        .map(|path| {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            (name, fs::read_to_string(path).expect("text"))
        })
        .collect();
    let outcome = compile(&name, &source, &headers);
    let expected = expectations(&source);
    let stderr = path.with_extension("stderr");
    let mut problem = String::new();
    let matches = |finding: &Finding, expected: &Finding| {
        finding.0 == expected.0 && finding.1 == expected.1 && finding.2.starts_with(&expected.2)
    };
    for finding in &outcome.findings {
        if !expected.iter().any(|expected| matches(finding, expected)) {
            let _ = writeln!(problem, "{name}:{}: not expected: {}: {}", finding.0, finding.1, finding.2);
        }
    }
    for expected in &expected {
        if !outcome.findings.iter().any(|finding| matches(finding, expected)) {
            let _ = writeln!(problem, "{name}:{}: not reported: {}: {}", expected.0, expected.1, expected.2);
        }
    }
    if !problem.is_empty() {
        return Err(problem);
    }
    if expected.is_empty() {
        return Ok(false);
    }
    if !outcome.diagnostics.iter().any(|diagnostic| diagnostic.code.name == code) {
        return Err(format!("{name}: stands in the folder of `{code}` and does not get it\n"));
    }
    if std::env::var_os("MW_BLESS").is_some() {
        fs::write(&stderr, &outcome.text).expect("can write");
    } else if fs::read_to_string(&stderr).unwrap_or_default() != outcome.text {
        return Err(format!("{name}: the text is not that of {}:\n{}", stderr.display(), outcome.text));
    }
    Ok(true)
}

#[test]
fn every_file_gets_what_it_says() {
    let mut problems = String::new();
    let mut seen: BTreeMap<String, BTreeSet<bool>> = BTreeMap::new();
    for folder in sorted(&root()) {
        let code = folder.file_name().expect("a folder").to_string_lossy().into_owned();
        assert!(registry::find(&code).is_some(), "tests/diagnostics/{code} is named after no code");
        for path in sorted(&folder) {
            if path.extension().is_some_and(|extension| extension == "metal") {
                match check(&path, &code) {
                    Ok(fails) => {
                        seen.entry(code.clone()).or_default().insert(fails);
                    }
                    Err(problem) => problems += &[code.as_str(), "/", &problem].concat(),
                }
            }
        }
    }
    assert!(problems.is_empty(), "{problems}accept with `cargo xtask bless -p mw-msl diagnostics`");
    let both = BTreeSet::from([false, true]);
    let without: Vec<&str> =
        front_end_codes().filter(|code| seen.get(code.name) != Some(&both)).map(|code| code.name).collect();
    assert!(without.is_empty(), "codes without a failing and a passing file: {without:?}");
}

/// The codes of the preprocessor and parser.
fn front_end_codes() -> impl Iterator<Item = &'static Code> {
    registry::preprocess::CODES.iter().chain(registry::syntax::CODES).copied()
}

#[test]
fn the_examples_of_the_pages_are_true() {
    for code in front_end_codes() {
        // Their examples are told, not written: they need other files or pages of text.
        if ["include-too-deep", "too-deep"].contains(&code.name) {
            continue;
        }
        let has = |text: &str| {
            let files = MemoryFiles::single("example.metal", text);
            let parsed = mw_msl::parse(&Options::default(), &files, "example.metal");
            parsed.diagnostics.iter().any(|diagnostic| diagnostic.code == code)
        };
        assert!(has(code.doc.example), "the example of `{}` does not get it", code.name);
        assert!(!has(code.doc.instead), "what `{}` says to write gets it", code.name);
    }
}
