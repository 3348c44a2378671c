//! Apple-compiled libraries, where `MW_LIBRARIES` names a folder that holds them (`mlx14/mlx.metallib`).
//!
//! Without the variable these tests check nothing; `cargo xtask` profiles that need the libraries set it and
//! fail when it is missing.

use std::path::PathBuf;

use mw_metallib::{FunctionKind, Library};

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
