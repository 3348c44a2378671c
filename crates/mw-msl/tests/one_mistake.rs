//! One mistake gives one error: correct sources with one token taken away, or written twice.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use mw_msl::options::Options;
use mw_msl::preprocess::MemoryFiles;

/// Every how manieth token is damaged; the rest would only take time.
const STEP: usize = 13;

fn sources() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/language");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of the language's tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "metal"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("text"))
    };
    paths.into_iter().map(read).collect()
}

/// Words, numbers and single signs behind the directives, outside of comments.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        let is_code = !code.trim_start().starts_with(['#', '"']) && !code.contains("using namespace");
        let mut word: Option<usize> = None;
        for (at, c) in code.char_indices().filter(|_| is_code) {
            if c.is_alphanumeric() || c == '_' || c == '.' {
                word.get_or_insert(at);
                continue;
            }
            if let Some(begin) = word.take() {
                found.push(start + begin..start + at);
            }
            if c.is_ascii_punctuation() {
                found.push(start + at..start + at + 1);
            }
        }
        start += line.len();
    }
    found
}

fn errors(name: &str, text: &str) -> usize {
    // What version a source needs is said in its first lines.
    let version = text.lines().find_map(|line| line.strip_prefix("// flags: -std="));
    let options = Options {
        version: version.map_or_else(Default::default, |version| version.parse().expect("a version")),
        ..Options::default()
    };
    let compilation = mw_msl::compile(&options, &MemoryFiles::single(name, text), name);
    compilation.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count()
}

#[test]
fn one_mistake_gives_one_error() {
    let (mut total, mut several) = (0, 0);
    let mut bad = String::new();
    for (name, text) in sources() {
        assert_eq!(errors(&name, &text), 0, "{name} is correct");
        for (at, token) in tokens(&text).into_iter().enumerate().filter(|(at, _)| at % STEP == 0) {
            let word = &text[token.clone()];
            let damaged = match at / STEP % 2 {
                0 => format!("{}{}", &text[..token.start], &text[token.end..]),
                _ => format!("{} {}", &text[..token.end], &text[token.start..]),
            };
            let count = errors(&name, &damaged);
            total += 1;
            several += usize::from(count > 1);
            if count > 3 {
                let line = text[..token.start].matches('\n').count() + 1;
                let _ = writeln!(bad, "{name}:{line}: damaging `{word}` gives {count} errors");
            }
        }
    }
    assert!(total > 500, "only {total} damaged sources");
    assert!(bad.is_empty(), "{bad}");
    assert!(several * 25 <= total, "{several} of {total} damaged sources have more than one error");
}
