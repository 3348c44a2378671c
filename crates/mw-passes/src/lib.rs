//! Analyses and transforms on AIR: from Apple's scalar code to 32-lane code.

pub mod abi;
pub mod control;
mod error;
mod keep_matrices_whole;
pub mod scalarize;
pub mod specialize;
pub mod static_init;
pub mod uniformity;
pub mod vectorize;

pub use error::PassError;
