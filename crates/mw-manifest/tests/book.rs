//! The glossary's kernels say how they are run: every `// run:` line is complete, its arguments can be made, and
//! what is expected has the size of the argument.

use std::path::{Path, PathBuf};

use mw_manifest::Launch;

fn kernels() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/kernels");
    let mut found = Vec::new();
    for topic in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(topic.unwrap().path()).unwrap() {
            found.push(file.unwrap().path());
        }
    }
    found.sort();
    found
}

#[test]
fn every_kernel_of_the_book_has_launches_that_can_be_made() {
    let mut launches = 0;
    let mut files = Vec::new();
    for path in kernels().into_iter().filter(|path| path.extension().is_some_and(|it| it == "metal")) {
        let name = path.display();
        let folder = path.parent().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for launch in Launch::all_in_comments(&text).unwrap_or_else(|error| panic!("{name}: {error}")) {
            launches += 1;
            let kernel = launch.kernel.as_deref().unwrap_or_else(|| panic!("{name}: no kernel is named"));
            assert!(text.contains(&format!("kernel void {kernel}(")), "{name} has no kernel `{kernel}`");
            assert!(launch.grid.is_some() && launch.threadgroup.is_some(), "{name}: {kernel} has no size");
            assert!(!launch.expect.is_empty(), "{name}: {kernel} expects nothing");
            for (key, wanted) in &launch.expect {
                let make = |value: &mw_manifest::Value| {
                    value.make("x", 0, folder).unwrap_or_else(|error| panic!("{name}: {key}: {error}"))
                };
                let given = launch.args.get(key).unwrap_or_else(|| panic!("{name}: no argument `{key}`"));
                let (given, wanted) = (make(given), make(wanted));
                assert_eq!(given.bytes.len(), wanted.bytes.len(), "{name}: {key}");
            }
            // Files are named by their kernel, so that none is left behind.
            files.extend(launch.expect.values().chain(launch.args.values()).map(ToString::to_string));
        }
    }
    assert!(launches >= 45, "only {launches} launches");
    for path in kernels().into_iter().filter(|path| path.extension().is_some_and(|it| it == "npy")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(files.contains(&format!("npy:{name}")), "no launch names {}", path.display());
    }
}
