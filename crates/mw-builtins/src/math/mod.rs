//! The bodies of floating-point functions, for one element.

mod coefficients;
pub(crate) mod common;
pub(crate) mod decompose;
pub(crate) mod exp;
pub(crate) mod log;
pub(crate) mod root;
pub(crate) mod trig;
