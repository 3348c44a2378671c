//! What files of `tests/diagnostics/<code>/` must be told, shared by the crates that find mistakes.
//!
//! `//~^ error[MSL0100]: …` says what must be reported in the line above (one line up for each `^`, `//~v` for
//! the line below, `//~` for its own), with the beginning of the message. A file with such lines has a
//! `.stderr` beside it with the whole text at 100 columns; a file without them gets no diagnostic at all.
//! `// flags: -std=metal3.0` chooses the language version, `// kernel: name` the kernel that is asked for.
//! `MW_BLESS=1` writes the `.stderr` files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use mw_diagnostics::render::{Terminal, terminal};
use mw_diagnostics::{Code, Diagnostic, registry};
use mw_msl::options::Options;
use mw_msl::preprocess::MemoryFiles;
use mw_source::SourceMap;

/// One source with what it asks for.
pub(crate) struct Request<'r> {
    pub(crate) options: Options,
    pub(crate) files: MemoryFiles,
    /// The source's name among the files.
    pub(crate) name: &'r str,
    /// The kernel that is asked for, if only one is; lowering alone reads it.
    #[allow(dead_code, reason = "the front-end compiles whole sources")]
    pub(crate) kernel: Option<&'r str>,
}

/// Compiles a source as far as the crate under test goes.
pub(crate) type Compile = fn(&Request<'_>) -> (Vec<Diagnostic>, SourceMap);

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

fn request<'r>(name: &'r str, source: &'r str, headers: &[(String, String)]) -> Request<'r> {
    let mut files = MemoryFiles::single(name, source);
    for (name, text) in headers {
        files.add(name.as_str(), text.as_str());
    }
    let mut options = Options::default();
    let mut kernel = None;
    for line in source.lines() {
        if let Some(version) = line.strip_prefix("// flags: -std=") {
            options.version = version.parse().expect("a language version");
        }
        kernel = kernel.or(line.strip_prefix("// kernel: "));
    }
    Request { options, files, name, kernel }
}

/// Checks one file of the folder of `code`: whether it fails, or what is wrong with the test.
fn check(path: &Path, code: &str, compile: Compile) -> Result<bool, String> {
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
    let (diagnostics, map) = compile(&request(&name, &source, &headers));
    let findings: Vec<Finding> = diagnostics
        .iter()
        .map(|diagnostic| {
            let line = map.line_column(map.written(diagnostic.primary.span).start).line;
            (line, format!("{}[{}]", diagnostic.severity, diagnostic.code), diagnostic.message.clone())
        })
        .collect();
    let text = terminal(&diagnostics, &map, Terminal::default());
    let expected = expectations(&source);
    let mut problem = String::new();
    let matches = |finding: &Finding, expected: &Finding| {
        finding.0 == expected.0 && finding.1 == expected.1 && finding.2.starts_with(&expected.2)
    };
    for finding in &findings {
        if !expected.iter().any(|expected| matches(finding, expected)) {
            let _ = writeln!(problem, "{name}:{}: not expected: {}: {}", finding.0, finding.1, finding.2);
        }
    }
    for expected in &expected {
        if !findings.iter().any(|finding| matches(finding, expected)) {
            let _ = writeln!(problem, "{name}:{}: not reported: {}: {}", expected.0, expected.1, expected.2);
        }
    }
    if findings.len() > expected.len() {
        let _ = writeln!(problem, "{name}: {} findings, {} expected", findings.len(), expected.len());
    }
    if !problem.is_empty() {
        return Err(problem);
    }
    if expected.is_empty() {
        return Ok(false);
    }
    if !diagnostics.iter().any(|diagnostic| diagnostic.code.name == code) {
        return Err(format!("{name}: stands in the folder of `{code}` and does not get it\n"));
    }
    let stderr = path.with_extension("stderr");
    if std::env::var_os("MW_BLESS").is_some() {
        fs::write(&stderr, &text).expect("can write");
    } else if fs::read_to_string(&stderr).unwrap_or_default() != text {
        return Err(format!("{name}: the text is not that of {}:\n{text}", stderr.display()));
    }
    Ok(true)
}

/// Every file in the folders of some codes gets what it says, and each code has a failing and a passing file.
pub(crate) fn check_folders(package: &str, codes: &[&'static Code], compile: Compile) {
    let mut problems = String::new();
    let mut seen: BTreeMap<&str, BTreeSet<bool>> = BTreeMap::new();
    for folder in sorted(&root()) {
        let name = folder.file_name().expect("a folder").to_string_lossy().into_owned();
        let code = registry::all().find(|code| code.name == name);
        let Some(code) = code else { panic!("tests/diagnostics/{name} is named after no code") };
        if !codes.contains(&code) {
            continue;
        }
        for path in sorted(&folder) {
            if path.extension().is_some_and(|extension| extension == "metal") {
                match check(&path, code.name, compile) {
                    Ok(fails) => {
                        seen.entry(code.name).or_default().insert(fails);
                    }
                    Err(problem) => problems += &[code.name, "/", &problem].concat(),
                }
            }
        }
    }
    assert!(problems.is_empty(), "{problems}accept with `cargo xtask bless -p {package} diagnostics`");
    let both = BTreeSet::from([false, true]);
    let without: Vec<&str> =
        codes.iter().filter(|code| seen.get(code.name) != Some(&both)).map(|code| code.name).collect();
    assert!(without.is_empty(), "codes without a failing and a passing file: {without:?}");
}

/// The examples of the codes' pages get the code, and what the pages say to write does not.
///
/// `told` are codes whose examples are told in words, because they are long or need other files.
pub(crate) fn check_pages(codes: &[&'static Code], told: &[&str], compile: Compile) {
    for code in codes.iter().filter(|code| !told.contains(&code.name)) {
        let has = |text: &str| {
            let (diagnostics, _) = compile(&request("example.metal", text, &[]));
            diagnostics.iter().any(|diagnostic| diagnostic.code == *code)
        };
        assert!(has(code.doc.example), "the example of `{}` does not get it", code.name);
        assert!(!has(code.doc.instead), "what `{}` says to write gets it", code.name);
    }
}
