//! Rules for `Cargo.toml`: the workspace's settings, a description, and the layers of the architecture.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;
use toml::Value;

use super::Finding;

/// The crates from the bottom up: a crate depends only on crates that stand before it here.
///
/// A new crate gets its place in this list; ARCHITECTURE.md's code map follows it.
pub(crate) const LAYERS: &[&str] = &[
    "mw-source",
    "mw-diagnostics",
    "mw-msl",
    "mw-machine",
    "mw-air",
    "mw-backend",
    "mw-lower",
    "mw-metallib",
    "mw-builtins",
    "mw-passes",
    "mw-llvm",
    "mw-manifest",
    "mw-interp",
    "mw-cpu",
    "mw-nvptx",
    "mw-sanitizer",
    "mw-perf",
    "mw-conform",
    "mw-runtime",
    "metalworking",
    "mw-kernels",
    "mw-book",
    "mw-wasm",
    "mw-objc",
    "mw-lsp",
    "mw-mcp",
    "mw-cli",
    "mw-custom-kernel",
    "mw-python",
    "mw-bench",
    "mw-test",
];

/// Packages that bind LLVM, and the only crate that may name them.
const LLVM_BINDINGS: &[&str] = &["llvm-sys", "inkwell"];
const LLVM_CRATE: &str = "mw-llvm";

/// Crates that must build where there is no LLVM: the browser, fuzzing, Miri, `make setup`.
const WITHOUT_LLVM: &[&str] = &[
    "mw-source",
    "mw-diagnostics",
    "mw-msl",
    "mw-air",
    "mw-lower",
    "mw-metallib",
    "mw-builtins",
    "mw-passes",
    "mw-backend",
    "mw-machine",
    "mw-book",
    "mw-manifest",
    "mw-interp",
    "mw-sanitizer",
    "mw-perf",
    "mw-wasm",
    "xtask",
];
const NEEDS_LLVM: &[&str] = &["mw-llvm", "mw-cpu", "mw-nvptx"];

/// The parts of a manifest that rules and the code map look at.
#[derive(Deserialize)]
pub(crate) struct Manifest {
    package: Option<BTreeMap<String, Value>>,
    lints: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    dependencies: BTreeMap<String, Value>,
    #[serde(default)]
    target: BTreeMap<String, TargetTable>,
}

#[derive(Deserialize)]
struct TargetTable {
    #[serde(default)]
    dependencies: BTreeMap<String, Value>,
}

impl Manifest {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        Ok(toml::from_str(text)?)
    }

    pub(crate) fn description(&self) -> Option<&str> {
        self.package.as_ref()?.get("description")?.as_str()
    }

    fn name(&self) -> Option<&str> {
        self.package.as_ref()?.get("name")?.as_str()
    }

    /// Whether a key of `[package]` says `workspace = true`.
    fn inherits(&self, key: &str) -> bool {
        let value = self.package.as_ref().and_then(|package| package.get(key));
        value.and_then(|value| value.get("workspace")).and_then(Value::as_bool) == Some(true)
    }

    fn has_workspace_lints(&self) -> bool {
        let value = self.lints.as_ref().and_then(|lints| lints.get("workspace"));
        value.and_then(Value::as_bool) == Some(true)
    }

    /// Normal dependencies, those of single targets included; test dependencies are free.
    fn dependency_names(&self) -> impl Iterator<Item = &str> {
        let of_targets = self.target.values().flat_map(|target| target.dependencies.keys());
        self.dependencies.keys().chain(of_targets).map(String::as_str)
    }
}

pub(super) fn check(path: &Path, content: &str, findings: &mut Vec<Finding>) {
    let manifest = match Manifest::parse(content) {
        Ok(manifest) => manifest,
        Err(error) => {
            findings.push(Finding::error(path, 0, format!("not a manifest: {error}")));
            return;
        }
    };
    // The root's own manifest has no package; `fuzz` is a workspace of its own by cargo-fuzz's design.
    let Some(name) = manifest.name() else { return };
    let is_member = path.starts_with("crates") || path.starts_with("xtask");
    if !is_member {
        return;
    }
    let mut report = |message: String| findings.push(Finding::error(path, 0, message));
    if !manifest.has_workspace_lints() {
        report("the workspace's lints are off: write `[lints]` and `workspace = true`".to_owned());
    }
    if manifest.description().is_none_or(str::is_empty) {
        report("no description: say in one line what the crate is".to_owned());
    }
    for key in ["version", "edition", "rust-version", "license"] {
        if !manifest.inherits(key) {
            report(format!("`{key}` is set here: write `{key}.workspace = true`"));
        }
    }
    let folder = path.parent().and_then(Path::file_name).and_then(|folder| folder.to_str());
    if folder != Some(name) {
        report(format!("the package `{name}` is not named as its folder is"));
    }
    check_layers(name, &manifest, &mut report);
}

fn check_layers(name: &str, manifest: &Manifest, report: &mut impl FnMut(String)) {
    let layer = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let own = layer(name);
    if own.is_none() && name != "xtask" {
        report(format!("`{name}` has no place in the list of layers: add it in xtask/src/tidy/manifests.rs"));
    }
    for dependency in manifest.dependency_names() {
        if let (Some(own), Some(other)) = (own, layer(dependency))
            && other >= own
        {
            report(format!(
                "`{dependency}` is a layer above `{name}`: a crate depends only on crates below it"
            ));
        }
        if LLVM_BINDINGS.contains(&dependency) && name != LLVM_CRATE {
            report(format!("only `{LLVM_CRATE}` names LLVM: use it in place of `{dependency}`"));
        }
        if NEEDS_LLVM.contains(&dependency) && WITHOUT_LLVM.contains(&name) {
            report(format!("`{name}` must build without LLVM, and `{dependency}` needs it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LAYERS, NEEDS_LLVM, WITHOUT_LLVM, check};
    use crate::tidy::findings_of;

    const GOOD: &str = r#"
[package]
name = "mw-cpu"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
description = "The CPU backend"

[lints]
workspace = true

[dependencies]
mw-air.workspace = true
mw-llvm.workspace = true
"#;

    fn findings(from: &str, to: &str) -> Vec<String> {
        assert!(from.is_empty() || GOOD.contains(from), "{from}");
        findings_of(check, "crates/mw-cpu/Cargo.toml", &GOOD.replacen(from, to, 1))
    }

    #[test]
    fn a_good_manifest_passes() {
        assert_eq!(findings("", ""), [""; 0]);
    }

    #[test]
    fn each_rule_is_enforced() {
        for (from, to, message) in [
            ("[lints]\nworkspace = true\n", "", "the workspace's lints are off"),
            ("[lints]\nworkspace = true\n", "[lints]\nworkspace = false\n", "the workspace's lints are off"),
            ("description = \"The CPU backend\"\n", "", "no description"),
            ("\"The CPU backend\"", "\"\"", "no description"),
            ("edition.workspace = true", "edition = \"2021\"", "`edition` is set here"),
            ("name = \"mw-cpu\"", "name = \"mw-interp\"", "is not named as its folder is"),
            ("name = \"mw-cpu\"", "name = \"mw-gpu\"", "has no place in the list of layers"),
            ("mw-air.workspace", "mw-runtime.workspace", "is a layer above `mw-cpu`"),
            ("mw-air.workspace", "llvm-sys.workspace", "only `mw-llvm` names LLVM"),
            ("name = \"mw-cpu\"", "name = \"mw-passes\"", "`mw-passes` must build without LLVM"),
            ("[package]", "[package", "not a manifest"),
        ] {
            let found = findings(from, to);
            assert!(found.iter().any(|finding| finding.contains(message)), "{to}: {found:?}");
        }
    }

    #[test]
    fn dependencies_of_single_targets_count_and_those_of_tests_do_not() {
        let more =
            "mw-llvm.workspace = true\n[target.'cfg(unix)'.dependencies]\nmetalworking.workspace = true\n";
        assert_eq!(findings("mw-llvm.workspace = true\n", more).len(), 1);
        let more = "mw-llvm.workspace = true\n[dev-dependencies]\nmetalworking.workspace = true\n";
        assert_eq!(findings("mw-llvm.workspace = true\n", more), [""; 0]);
    }

    #[test]
    fn the_lists_agree() {
        for name in WITHOUT_LLVM.iter().chain(NEEDS_LLVM).filter(|name| **name != "xtask") {
            assert!(LAYERS.contains(name), "{name}");
        }
        assert!(NEEDS_LLVM.iter().all(|name| !WITHOUT_LLVM.contains(name)));
    }
}
