//! Published Metal, where `MW_CORPORA` names the folder that `cargo xtask corpora fetch` filled: all of it
//! preprocesses and parses without a diagnostic.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mw_diagnostics::render::{Terminal, terminal};
use mw_msl::options::Options;
use mw_msl::preprocess::{FileProvider, MemoryFiles};

/// A package's folder, and one file that only the test has.
struct Package {
    folder: PathBuf,
    own: MemoryFiles,
}

impl FileProvider for Package {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        if let Some(text) = self.own.read(path) {
            return Some(text);
        }
        let bytes = fs::read(self.folder.join(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into())
    }
}

fn package(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("MW_CORPORA")?).join(name);
    assert!(folder.is_dir(), "MW_CORPORA holds no {name}: run `cargo xtask corpora fetch`");
    Some(folder)
}

/// Files below a folder with an ending, relative to it, sorted.
fn files(folder: &Path, ending: &str) -> Vec<String> {
    fn collect(root: &Path, folder: &Path, ending: &str, out: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder that can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(root, &path, ending, out);
            } else if path.to_string_lossy().ends_with(ending) {
                let path = path.strip_prefix(root).expect("below the root");
                out.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let mut out = Vec::new();
    collect(folder, folder, ending, &mut out);
    out.sort();
    out
}

/// Parses each source and gives the diagnostics of all of them as text.
fn check(folder: &Path, options: &Options, sources: &[(String, Option<String>)]) -> String {
    let mut report = String::new();
    for (name, text) in sources {
        let mut own = MemoryFiles::default();
        if let Some(text) = text {
            own.add(name.as_str(), text.as_str());
        }
        let provider = Package { folder: folder.to_owned(), own };
        let parsed = mw_msl::parse(options, &provider, name);
        assert!(parsed.unit.decls.len() > 100, "{name}: the library's prelude alone has more");
        if !parsed.diagnostics.is_empty() {
            let few = &parsed.diagnostics[..parsed.diagnostics.len().min(5)];
            report.push_str(&terminal(few, &parsed.map, Terminal::default()));
        }
    }
    report
}

/// All `.metal` files of a package that no other file includes.
fn check_metal(name: &str, include_folders: &[&str], expected_files: usize) {
    let Some(folder) = package(name) else { return };
    let all = files(&folder, ".metal");
    let mut included = BTreeSet::new();
    for path in &all {
        let text = fs::read(folder.join(path)).expect("a file that can be read");
        for line in String::from_utf8_lossy(&text).lines() {
            if let Some(quoted) = line.trim().strip_prefix("#include \"") {
                included.insert(quoted.trim_end_matches('"').rsplit('/').next().unwrap_or("").to_owned());
            }
        }
    }
    let sources: Vec<(String, Option<String>)> = all
        .into_iter()
        .filter(|path| !included.contains(path.rsplit('/').next().unwrap_or("")))
        .map(|path| (path, None))
        .collect();
    assert_eq!(sources.len(), expected_files, "{name} has other files than it had");
    let include_folders = include_folders.iter().map(|&folder| folder.to_owned()).collect();
    let report = check(&folder, &Options { include_folders, ..Options::default() }, &sources);
    assert!(report.is_empty(), "{report}");
}

/// All headers of a package, each in a source of its own after `before`.
fn check_headers(name: &str, include_folder: &str, before: &str, expected_files: usize) {
    let Some(folder) = package(name) else { return };
    let headers = files(&folder.join(include_folder), ".h");
    assert_eq!(headers.len(), expected_files, "{name} has other headers than it had");
    let sources: Vec<(String, Option<String>)> = headers
        .iter()
        .map(|header| {
            let text = format!("{before}#include \"{header}\"\n");
            (format!("{}.metal", header.replace('/', "_")), Some(text))
        })
        .collect();
    let options = Options { include_folders: vec![include_folder.to_owned()], ..Options::default() };
    let report = check(&folder, &options, &sources);
    assert!(report.is_empty(), "{report}");
}

#[test]
fn candle() {
    check_metal("candle-metal-kernels", &[], 17);
}

#[test]
fn mistralrs() {
    check_metal("mistralrs-quant", &["src/metal_kernels"], 15);
    check_metal("mistralrs-paged-attn", &["src/metal/kernels"], 5);
}

#[test]
fn luminal() {
    check_metal("luminal_metal", &[], 6);
}

#[test]
fn tract() {
    check_metal("tract-metal", &[], 15);
}

#[test]
fn llama() {
    let source = "llama.cpp/ggml/src";
    let folders = [source, &format!("{source}/ggml-metal"), &format!("{source}/ggml-metal/kernels")];
    check_metal("llama-cpp-sys-2", &folders, 35);
}

#[test]
fn mlx() {
    let before = "#include \"mlx/backend/metal/kernels/utils.h\"\n\
                  #include \"mlx/backend/metal/kernels/steel/defines.h\"\n\
                  #include \"mlx/backend/metal/kernels/steel/utils.h\"\n";
    check_headers("mlx-metal", "mlx/include", before, 98);
}

#[test]
fn torch() {
    let before = "#include <metal_stdlib>\nusing namespace metal;\n#include <c10/metal/common.h>\n";
    check_headers("torch", "torch/include", before, 40);
}
