//! One file for each command.

pub(crate) mod check;
pub(crate) mod chips;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod conform;
pub(crate) mod disassemble;
pub(crate) mod explain;
pub(crate) mod inspect;
pub(crate) mod occupancy;
pub(crate) mod roofline;
pub(crate) mod run;
