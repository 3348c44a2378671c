//! Apple-compiled kernels, where `MW_LIBRARIES` names a folder that holds them (`mlx14/mlx.metallib`, …).
//!
//! `MW_SAMPLE=1` looks at every kernel instead of every 61st.

mod support;

use std::path::{Path, PathBuf};

use mw_air::schema::ModuleInfo;
use mw_air::{Intrinsic, Module, parse, verify};
use mw_metallib::Library;
use support::through_llvm;

/// Every library under the folder, one level deep; a Mach-O file holds several.
fn libraries() -> Vec<Library> {
    let Some(folder) = std::env::var_os("MW_LIBRARIES").map(PathBuf::from) else { return Vec::new() };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("MW_LIBRARIES is a folder").flatten() {
        let inner = entry.path();
        let Ok(files) = std::fs::read_dir(&inner) else { continue };
        paths.extend(files.flatten().map(|file| file.path()).filter(|path| is_library(path)));
    }
    paths.sort();
    assert!(!paths.is_empty(), "{} holds no library", folder.display());
    paths.into_iter().flat_map(|path| Library::open_all(path).expect("library opens")).collect()
}

fn is_library(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "metallib" || extension == "dylib")
}

fn step() -> usize {
    std::env::var("MW_SAMPLE").map_or(61, |value| value.parse().expect("MW_SAMPLE is a number"))
}

/// Calls `check` with a sample of all kernels.
fn each_kernel(step: usize, check: impl Fn(&str, Module)) {
    for library in libraries() {
        for function in library.functions().step_by(step) {
            let module = function.read_module().expect("module reads");
            check(function.name(), module);
        }
    }
}

/// The first lines that differ.
fn first_difference(left: &str, right: &str) -> String {
    let pair = left.lines().zip(right.lines()).find(|(left, right)| left != right);
    pair.map_or("lengths differ".into(), |(left, right)| format!("\n{left}\n{right}"))
}

#[test]
fn schema_is_read() {
    each_kernel(step(), |name, module| {
        let info = ModuleInfo::parse(&module).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(info.kernels.len(), 1, "{name}");
        let kernel = &info.kernels[0];
        assert_eq!(&*kernel.name, name);
        assert_eq!(kernel.args.len(), module.function(kernel.function).ty.params.len(), "{name}");
        assert!(info.air_version >= (2, 5), "{name}: {:?}", info.air_version);
    });
}

#[test]
fn kernels_verify() {
    each_kernel(step(), |name, module| {
        if let Err(errors) = verify(&module) {
            panic!("{name}: {}", errors[0]);
        }
    });
}

#[test]
fn external_functions_are_classified_with_their_types() {
    each_kernel(step(), |name, module| {
        for function in module.functions.iter().filter(|function| function.is_declaration()) {
            if function.name.starts_with("llvm.") {
                continue;
            }
            let intrinsic = Intrinsic::classify(&function.name);
            let intrinsic = intrinsic.unwrap_or_else(|| panic!("{name}: {}", function.name));
            assert!(
                intrinsic.signatures().accept(&function.ty),
                "{name}: {} is {:?}",
                function.name,
                function.ty
            );
        }
    });
}

#[test]
fn llvm_accepts_what_is_printed() {
    each_kernel(step() * 4, |name, module| {
        let text = module.to_string();
        let theirs = through_llvm(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let read = parse(&theirs).unwrap_or_else(|error| panic!("{name}: LLVM's text: {error}"));
        assert_eq!(read.functions.len(), module.functions.len(), "{name}");
    });
}

#[test]
fn printed_text_reads_back_the_same() {
    each_kernel(step(), |name, module| {
        let text = module.to_string();
        let read = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = read.to_string();
        assert!(again == text, "{name}: {}", first_difference(&text, &again));
    });
}
