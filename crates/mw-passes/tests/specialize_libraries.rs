//! Function constants of every kernel in Apple's libraries that has some. Needs `MW_LIBRARIES`.

use std::path::PathBuf;

use mw_air::schema::ModuleInfo;
use mw_backend::ConstantValues;
use mw_metallib::Library;
use mw_passes::specialize::specialize;

/// Metallibs that may lie in the folder, with the number of functions with constants where it was counted by
/// other means.
const LIBRARIES: [(&str, Option<usize>); 4] = [
    ("mlx14/mlx.metallib", Some(742)),
    ("mlx26/mlx.metallib", Some(1398)),
    ("kquant/mlx_kquant.metallib", None),
    ("torch/libtorch_cpu.dylib", None),
];

#[test]
fn all_constants_can_be_set() {
    let Some(folder) = std::env::var_os("MW_LIBRARIES").map(PathBuf::from) else {
        return;
    };
    for (name, expected) in LIBRARIES {
        let path = folder.join(name);
        if !path.exists() {
            continue;
        }
        let mut counts = Counts::default();
        for library in Library::open_all(path).expect("the library opens") {
            specialize_all(&library, &mut counts);
        }
        if let Some(expected) = expected {
            assert_eq!(counts.functions, expected, "{name}");
        }
        assert!(counts.active <= counts.gated);
        if counts.gated > 100 {
            assert!(counts.active > counts.gated / 10 && counts.active < counts.gated, "{name}: {counts:?}");
        }
    }
}

#[derive(Debug, Default)]
struct Counts {
    functions: usize,
    gated: usize,
    active: usize,
}

fn specialize_all(library: &Library, counts: &mut Counts) {
    // A small generator: the constants only have to differ from kernel to kernel.
    let mut state = 1_u64;
    for entry in library.functions() {
        if entry.function_constants().expect("readable").is_empty() {
            continue;
        }
        let mut module = entry.read_module().expect("readable");
        let info = ModuleInfo::parse(&module).expect("known schema");
        let mut values = ConstantValues::new();
        for constant in &info.function_constants {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            match &*constant.type_name {
                "bool" => values.set_bool(constant.index, state >> 63 == 1),
                "int" => values.set_i32(constant.index, (state >> 58) as i32),
                "uint" => values.set_u32(constant.index, (state >> 58) as u32),
                "ushort" => values.set_u16(constant.index, (state >> 58) as u16),
                "float" => values.set_f32(constant.index, (state >> 58) as f32),
                other => panic!("{}: constant of type {other}", entry.name()),
            };
        }
        let report = specialize(&mut module, &info, &values)
            .unwrap_or_else(|error| panic!("{}: {error}", entry.name()));
        if let Err(errors) = mw_air::verify(&module) {
            panic!("{}: {}", entry.name(), errors[0]);
        }
        counts.functions += 1;
        for (kernel, active) in info.kernels.iter().zip(&report.active_args) {
            for (arg, is_active) in kernel.args.iter().zip(active) {
                assert!(*is_active || arg.predicate.is_some());
                if arg.predicate.is_some() {
                    counts.gated += 1;
                    counts.active += usize::from(*is_active);
                }
            }
        }
    }
}
