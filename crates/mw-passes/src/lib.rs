//! Analyses and transforms on AIR: from Apple's scalar code to 32-lane code.

pub mod abi;
