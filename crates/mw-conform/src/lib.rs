//! Conformance.
pub mod families;
