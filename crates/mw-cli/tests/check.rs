//! `mw check` over a tree: what is compiled again, what is not, and that nobody can tell but by the time.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use snapbox::cmd::Command;

/// A folder for one test, with a cache of its own.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("mw-check-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&root));
        fs::create_dir_all(root.join("src/inner")).expect("a folder");
        Self(root)
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.0.join("src").join(path), text).expect("write");
    }

    fn mw(&self, words: &str) -> Command {
        Command::new(snapbox::cmd::cargo_bin!("mw"))
            .current_dir(&self.0)
            .env_remove("CLICOLOR_FORCE")
            .env("MW_CACHE_DIR", self.0.join("cache"))
            .args(words.split_whitespace())
    }

    /// Exit code, and whether each file was taken as unchanged.
    fn check(&self, flags: &str) -> (i32, Vec<bool>, Value) {
        let output = self.mw(&format!("check src --json {flags}")).output().expect("runs");
        let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let files = log["files"].as_array().expect("files");
        let unchanged = files.iter().map(|file| file["unchanged"].as_bool().expect("known")).collect();
        (output.status.code().expect("ends"), unchanged, log)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

const GOOD: &str = "#include \"value.h\"\nkernel void good(device int *x) { x[0] = VALUE; }\n";
const BAD: &str = "kernel void bad(device int *x) { x[0] = missing; }\n";

#[test]
fn what_did_not_change_is_not_compiled_again() {
    let tree = Tree::new("again");
    tree.write("a.metal", GOOD);
    tree.write("value.h", "#define VALUE 1\n");
    tree.write("inner/b.metal", "kernel void b(device int *x) { x[0] = 2; }\n");
    assert_eq!(tree.check("").1, [false, false]);
    let (code, unchanged, log) = tree.check("");
    assert_eq!((code, unchanged), (0, vec![true, true]));
    assert_eq!(log["files"][0]["kernels"][0]["name"], "good");
    // Whoever asks gets them compiled.
    assert_eq!(tree.check("--again").1, [false, false]);
    // Other flags mean other code.
    assert_eq!(tree.check("-D X=1").1, [false, false]);
    assert_eq!(tree.check("-fno-fast-math").1, [false, false]);
    assert_eq!(tree.check("").1, [true, true]);
    // What is included counts.
    tree.write("value.h", "#define VALUE oops\n");
    let (code, unchanged, log) = tree.check("");
    assert_eq!((code, unchanged), (1, vec![false, true]));
    assert!(log["files"][0]["diagnostics"].as_str().expect("text").contains("oops"), "{log}");
    // A file of the same name that is found earlier counts too.
    tree.write("value.h", "#define VALUE 1\n");
    assert_eq!(tree.check("-I src/inner").0, 0);
    assert_eq!(tree.check("-I src/inner").1, [true, true]);
    fs::remove_file(tree.0.join("src/value.h")).expect("remove");
    let (code, unchanged, _) = tree.check("-I src/inner");
    assert_eq!((code, unchanged), (1, vec![false, true]));
    tree.write("inner/value.h", "#define VALUE 3\n");
    assert_eq!((tree.check("-I src/inner").0, tree.check("-I src/inner").1), (0, vec![true, true]));
}

#[test]
fn mistakes_are_told_again_and_fail_again() {
    let tree = Tree::new("mistakes");
    tree.write("bad.metal", BAD);
    tree.write("good.metal", "kernel void good(device int *x) { x[0] = 1; }\n");
    let sarif = |tree: &Tree| {
        let (code, unchanged, log) = tree.check("--sarif out.sarif");
        assert_eq!(code, 1);
        let text = fs::read_to_string(tree.0.join("out.sarif")).expect("written");
        (unchanged, log["files"][0]["diagnostics"].clone(), text)
    };
    let first = sarif(&tree);
    let second = sarif(&tree);
    assert_eq!((&first.0, &second.0), (&vec![false, false], &vec![true, true]));
    assert_eq!((&first.1, &first.2), (&second.1, &second.2));
    assert!(first.2.contains("\"startColumn\": 41"), "{}", first.2);
    // For people: the mistake on standard output, and what was left out beside it.
    let output = tree.mw("check src").output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("bad.metal:1:41") && text.contains("1 of 2 files compile"), "{text}");
    let beside = String::from_utf8_lossy(&output.stderr);
    assert!(beside.contains("2 files did not change since the last check"), "{beside}");
    // No progress where nobody looks.
    assert!(!beside.contains("files ") || !beside.contains('\r'), "{beside}");
}

#[test]
fn without_a_cache_everything_is_compiled() {
    let tree = Tree::new("off");
    tree.write("good.metal", "kernel void good(device int *x) { x[0] = 1; }\n");
    for _ in 0..2 {
        let command = tree.mw("check src --json").env("MW_CACHE_DIR", "off");
        let output = command.output().expect("runs");
        let log: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(log["files"][0]["unchanged"], false);
    }
    assert!(!Path::new(&tree.0.join("cache")).exists());
}
