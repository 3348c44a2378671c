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
        debug_info: false,
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

/// Tensors are parsed and checked; lowering says that it has no operations on them.
#[test]
fn tensor_operations_are_refused_by_name() {
    let source = r"
#include <metal_stdlib>
#include <metal_tensor>
#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>
using namespace metal;
using extents_t = dextents<int32_t, 2>;
kernel void k(device half *a, device float *c) {
  using namespace mpp::tensor_ops;
  constexpr auto descriptor = matmul2d_descriptor(16, 32, 16, false, true, true,
                                                  matmul2d_descriptor::mode::multiply_accumulate);
  matmul2d<descriptor, execution_simdgroup> op;
  auto left = op.get_left_input_cooperative_tensor<half, half, float>();
  auto right = op.get_right_input_cooperative_tensor<half, half, float>();
  auto out = op.get_destination_cooperative_tensor<decltype(left), decltype(right), float>();
  left[0] = a[0];
  op.run(left, right, out);
  tensor<device float, extents_t, tensor_inline> t(c, extents_t(3, 4), array<int, 2>{1, 3});
  auto part = t.slice<8, 8>(0, 0);
  out.store(part);
  c[0] = out[1] + out.get_multidimensional_index(0)[1];
}
";
    let files = MemoryFiles::single("t.metal", source);
    let compilation = mw_msl::compile(&Options::default(), &files, "t.metal");
    let messages: Vec<_> = compilation.diagnostics.iter().map(|it| it.message.clone()).collect();
    assert!(messages.is_empty(), "{messages:?}");
    let program = compilation.program.expect("a program");
    let error = mw_lower::lower(&program, &LowerOptions::default()).unwrap_err().to_string();
    assert!(error.contains("tensor operations"), "{error}");
}
