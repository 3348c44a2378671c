//! Links LLVM into the program where the feature `static-llvm` asks for it.
//!
//! Without the feature `llvm-sys` links the shared library, which is quick to link and what development wants.
//! With it, this script names every archive itself, for two reasons. `llvm-sys` takes all of LLVM's components
//! and, of the libraries below LLVM, the shared ones; a wheel must need nothing but the C library.
//! What LLVM can use and we never call (libxml2 for Windows manifests, Z3, libffi for its interpreter, Polly) is
//! not named: a missing symbol would stop the link.

use std::path::Path;
use std::process::Command;

/// What we call: clean-up, text and bitcode, code generation for the machines that `MW_CPU` may name.
const COMPONENTS: &[&str] =
    &["aarch64", "analysis", "bitwriter", "core", "irreader", "passes", "support", "target", "x86"];

/// Archives below LLVM, which the C compiler knows where to find.
const BELOW: &[&str] = &["z", "zstd", "stdc++"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    println!("cargo::rerun-if-env-changed=CXX");
    if std::env::var_os("CARGO_FEATURE_STATIC_LLVM").is_some() {
        link_statically();
    }
}

fn link_statically() {
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").expect("`.cargo/config.toml` sets LLVM_SYS_221_PREFIX");
    let config = Path::new(&prefix).join("bin/llvm-config");
    let config = config.to_str().expect("a path in UTF-8");
    println!("cargo::rustc-link-search=native={}", output(config, &["--libdir"]).trim());
    let mut arguments = vec!["--link-static", "--libnames"];
    arguments.extend(COMPONENTS);
    for name in output(config, &arguments).split_whitespace() {
        let name = name.strip_prefix("lib").and_then(|name| name.strip_suffix(".a"));
        // Not bundled: 100 MB of archives would be copied into this crate's own.
        println!("cargo::rustc-link-lib=static:-bundle={}", name.expect("an archive's name"));
    }
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    for name in BELOW {
        let file = output(&compiler, &[&format!("-print-file-name=lib{name}.a")]);
        let file = Path::new(file.trim());
        // The compiler gives the bare name back when it knows no such file.
        assert!(file.is_absolute(), "there is no lib{name}.a: install the package that has it");
        println!("cargo::rustc-link-search=native={}", file.parent().expect("a file in a folder").display());
        println!("cargo::rustc-link-lib=static:-bundle={name}");
    }
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run `{program}`: {error}"));
    assert!(output.status.success(), "`{program} {}` failed", arguments.join(" "));
    String::from_utf8(output.stdout).expect("text")
}
