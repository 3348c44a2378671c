//! AIR of small sources: `tests/air/<topic>/<what it shows>.metal`, and beside each the module that lowering
//! makes of it. `MW_BLESS=1` writes what comes out.

use std::path::{Path, PathBuf};

use mw_air::schema::ModuleInfo;
use mw_lower::{LowerOptions, lower};
use mw_msl::options::Options;
use mw_msl::preprocess::MemoryFiles;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/air")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "metal") {
            found.push(path);
        }
    }
    found.sort();
}

/// The module, as text.
fn lowered(path: &Path) -> String {
    let source = std::fs::read_to_string(path).expect("readable");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut options = Options::default();
    let flags = source.lines().find_map(|line| line.strip_prefix("// flags:")).unwrap_or_default();
    for flag in flags.split_whitespace() {
        match flag.strip_prefix("-std=") {
            Some(version) => options.version = version.parse().expect("a version"),
            None if flag == "-fno-fast-math" => options.fast_math = false,
            None => panic!("{name}: unknown flag `{flag}`"),
        }
    }
    let number = options.version.number();
    let lower_options = LowerOptions {
        language_version: (number / 100, number / 10 % 10),
        fast_math: options.fast_math,
        source_name: name.clone(),
        debug_info: false,
    };
    let compilation = mw_msl::compile(&options, &MemoryFiles::single(name.as_str(), source), &name);
    let messages: Vec<&str> = compilation.diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert!(messages.is_empty(), "{name}: {messages:?}");
    let program = compilation.program.expect("a program");
    let module = lower(&program, &lower_options).expect("lowers");
    mw_air::verify(&module).expect("valid AIR");
    ModuleInfo::parse(&module).expect("the schema's metadata");
    mw_air::print(&module, &mw_air::PrintOptions::default())
}

#[test]
fn sources_become_the_air_beside_them() {
    let mut files = Vec::new();
    sources(&folder(), &mut files);
    assert!(files.len() >= 8, "only {} sources", files.len());
    let is_blessing = std::env::var_os("MW_BLESS").is_some();
    let mut failures = Vec::new();
    for file in files {
        let found = lowered(&file);
        let beside = file.with_extension("ll");
        if is_blessing {
            std::fs::write(&beside, &found).expect("writable");
        } else if std::fs::read_to_string(&beside).unwrap_or_default() != found {
            failures.push(file.display().to_string());
        }
    }
    assert!(failures.is_empty(), "changed: {failures:?}; look at them with `cargo xtask bless -p mw-lower`");
}
