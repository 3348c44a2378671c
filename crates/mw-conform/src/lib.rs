//! Conformance: every kernel of a library on both engines, compared bit by bit.
//!
//! For each kernel, launches are planned ([`plan`]): from hand-written rules for families of kernels, or from
//! the names and types in its metadata. Each is run on the interpreter ([`mod@interpret`]), which finds out how
//! long buffers must be and which blocks are executed; then compiled code runs on copies that end at guard
//! pages ([`check`]), and all buffers are compared ([`compare`]).
//!
//! [`against`] compares a library with another that holds the same kernels instead.
//!
//! A sweep over a library ([`sweep`]) runs in worker processes, so that a crash is the result of one kernel;
//! its journal makes it resumable.

pub mod against;
pub mod check;
pub mod command;
pub mod compare;
pub mod families;
pub mod guard;
pub mod interpret;
pub mod journal;
pub mod outcome;
pub mod plan;
mod pool;
pub mod report;
pub mod sweep;
pub mod worker;
