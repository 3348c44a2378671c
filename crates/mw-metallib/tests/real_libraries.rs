//! Apple-compiled libraries, where `MW_LIBRARIES` names a folder that holds them (`mlx14/mlx.metallib`).
//!
//! Without the variable these tests check nothing; `cargo xtask` profiles that need the libraries set it and
//! fail when it is missing.

mod support;

use std::path::PathBuf;

use mw_metallib::{FunctionKind, Library, reflect};

fn mlx14() -> Option<Library> {
    let folder = PathBuf::from(std::env::var_os("MW_LIBRARIES")?);
    Some(Library::open(folder.join("mlx14/mlx.metallib")).expect("MW_LIBRARIES holds mlx14/mlx.metallib"))
}

#[test]
fn the_list_of_mlx14_is_complete() {
    let Some(library) = mlx14() else { return };
    assert_eq!(library.len(), 17_248);
    assert!(library.functions().all(|function| function.kind() == FunctionKind::Kernel));
    assert!(library.functions().all(|function| function.air_version() == (2, 6)));
    assert!(library.functions().all(|function| function.language_version() == (3, 1)));
    assert!(library.function("rmsfloat32").is_some());
    let with_constants = library
        .functions()
        .filter(|function| !function.function_constants().expect("the metadata is sound").is_empty())
        .count();
    assert_eq!(with_constants, 742);
    for function in library.functions().step_by(97) {
        function.verify_hash().unwrap();
        let buffer = function.reflection_buffer().unwrap().expect("every kernel has one");
        assert_eq!(&buffer[4..8], b"AIRR");
    }
}

#[test]
fn a_sample_of_mlx14_reads_as_llvm_reads_it() {
    let Some(library) = mlx14() else { return };
    for function in library.functions().step_by(997) {
        support::cross_check(function.bitcode().unwrap())
            .unwrap_or_else(|difference| panic!("{}: {difference}", function.name()));
    }
}

#[test]
fn container_and_bitcode_agree_about_function_constants() {
    let Some(library) = mlx14() else { return };
    let mut with_constants = 0;
    for function in library.functions().step_by(23) {
        let listed = function.function_constants().unwrap();
        let module = function.read_module().unwrap();
        let reflection = reflect(&module, function.name()).unwrap();
        let in_bitcode: Vec<_> = reflection
            .function_constants
            .iter()
            .map(|constant| (&*constant.name, Some(&*constant.type_name), constant.index, constant.required))
            .collect();
        let in_container: Vec<_> = listed
            .iter()
            .map(|constant| {
                (constant.name, constant.type_name(), u32::from(constant.index), constant.is_required)
            })
            .collect();
        assert_eq!(in_bitcode, in_container, "{}", function.name());
        with_constants += usize::from(!listed.is_empty());
    }
    assert!(with_constants > 20);
}

#[test]
fn rms_norm_is_reflected() {
    let Some(library) = mlx14() else { return };
    let module = library.function("rmsfloat32").unwrap().read_module().unwrap();
    let reflection = reflect(&module, "rmsfloat32").unwrap();
    let names: Vec<_> = reflection.kernel.args.iter().map(|arg| &*arg.name).collect();
    assert_eq!(
        names,
        ["x", "w", "out", "eps", "axis_size", "w_stride", "gid", "lid", "simd_lane_id", "simd_group_id"]
    );
    assert!(reflection.denorms_disabled && !reflection.fast_math);
    // `local_sums[32]` and `local_inv_mean[1]`.
    assert_eq!(reflection.threadgroup_bytes, 132);
}
