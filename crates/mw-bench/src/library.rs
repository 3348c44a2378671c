//! Where the Apple-compiled kernels lie.

use std::path::PathBuf;

/// No library is there.
#[derive(Debug, thiserror::Error)]
#[error(
    "there is no {path}: run `make setup`, or set MW_LIBRARIES to the folder that holds mlx14/mlx.metallib"
)]
pub struct LibraryMissing {
    path: PathBuf,
}

/// Path of MLX's library for macOS 14 below the folder `MW_LIBRARIES` (`.cache/libraries` without it).
pub fn mlx_library() -> Result<PathBuf, LibraryMissing> {
    let folder = std::env::var_os("MW_LIBRARIES").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/libraries"),
        PathBuf::from,
    );
    let path = folder.join("mlx14/mlx.metallib");
    if path.is_file() { Ok(path) } else { Err(LibraryMissing { path }) }
}
