//! Launches of Apple-compiled kernels as data, and what runs, checks and times them.
//!
//! `python/reference` writes a folder: `manifest.json`, a [`Set`] of [`Case`]s, and the arrays that they name.
//! A case says how MLX's host code would launch a kernel on some data and what MLX's CPU operator, or the
//! same maths in double precision, makes of that data.
//! The demo, the benches and the test over all families run the same cases through [`Prepared`] and judge
//! them with [`check`].

mod case;
mod check;
mod library;
mod prepared;
pub mod report;
mod verify;

pub use case::{Case, Output, Set, SetError, Step};
pub use check::{Mismatch, Outcome, check};
pub use library::{LibraryMissing, mlx_library};
pub use prepared::{CaseError, Prepared};
pub use verify::{Verdict, by_family, verify};
