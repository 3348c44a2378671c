//! Function constants of every kernel in Apple's libraries that has some. Needs MW_LIBRARIES.

use std::path::PathBuf;

use mw_air::schema::ModuleInfo;
use mw_backend::ConstantValues;
use mw_metallib::Library;
use mw_passes::specialize::specialize;

#[test]
fn all_constants_can_be_set() {
    let Some(folder) = std::env::var_os("MW_LIBRARIES").map(PathBuf::from) else {
        return;
    };
    let library = Library::open(folder.join("mlx14/mlx.metallib")).expect("the library opens");
    let (mut count, mut gated, mut active_count) = (0, 0, 0);
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
                other => panic!("{}: constant of type {other}", entry.name()),
            };
        }
        let report = specialize(&mut module, &info, &values)
            .unwrap_or_else(|error| panic!("{}: {error}", entry.name()));
        if let Err(errors) = mw_air::verify(&module) {
            panic!("{}: {}", entry.name(), errors[0]);
        }
        count += 1;
        for (arg, is_active) in info.kernels[0].args.iter().zip(&report.active_args[0]) {
            assert!(*is_active || arg.predicate.is_some());
            if arg.predicate.is_some() {
                gated += 1;
                active_count += usize::from(*is_active);
            }
        }
    }
    assert_eq!(count, 742, "as many as were counted by other means");
    assert!(active_count > gated / 10 && active_count < gated, "{active_count} of {gated}");
}
