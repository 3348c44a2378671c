//! The library's text in MSL, and calls as sources write them: each file of `msl/` has a kernel `k` that
//! writes 1 for each of its checks.

use crate::program::{prepare, run};
use mw_lower::LowerOptions;
use mw_msl::options::{LanguageVersion, Options};
use mw_msl::preprocess::MemoryFiles;
use std::path::Path;

/// Runs a file; gives what is wrong.
fn failures(path: &Path, version: LanguageVersion, fast_math: bool) -> Vec<String> {
    let source = std::fs::read_to_string(path).expect("readable");
    // The greatest `out[n]` tells how many checks there are.
    let checks = source
        .match_indices("out[")
        .filter_map(|(at, _)| source[at + 4..].split(']').next()?.parse::<usize>().ok())
        .max()
        .map_or(0, |last| last + 1);
    assert!(checks > 0, "{} checks nothing", path.display());
    let options = Options { version, fast_math, ..Options::default() };
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let compilation = mw_msl::compile(&options, &MemoryFiles::single(name.as_str(), source), &name);
    let Some(program) = compilation.program else {
        return compilation.diagnostics.iter().map(|it| format!("{name}: {}", it.message)).collect();
    };
    let number = version.number();
    let options = LowerOptions {
        language_version: (number / 100, number / 10 % 10),
        fast_math,
        source_name: name.clone(),
    };
    let kernel = prepare(&program, &options, &name);
    let mut buffers = vec![vec![0; 4 * checks], vec![0; 4096], vec![0; 4096]];
    buffers.truncate(kernel_buffers(&kernel));
    run(&kernel, 32, &mut buffers, &name);
    (0..checks)
        .filter(|index| buffers[0][4 * index] != 1)
        .map(|index| format!("{name} with {version}, fast math {fast_math}: check {index}"))
        .collect()
}

fn kernel_buffers(kernel: &mw_interp::InterpKernel) -> usize {
    let is_buffer =
        |argument: &&mw_air::schema::KernelArg| matches!(argument.role, mw_air::schema::ArgRole::Buffer(_));
    mw_backend::Kernel::info(kernel).args.iter().filter(is_buffer).count()
}

#[test]
fn sources_compile_and_every_check_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library/msl");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    assert!(paths.len() >= 4);
    let mut wrong = Vec::new();
    for path in &paths {
        for version in [LanguageVersion::Metal3_2, LanguageVersion::Metal4_0] {
            for fast_math in [true, false] {
                wrong.extend(failures(path, version, fast_math));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
