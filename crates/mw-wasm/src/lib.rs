//! The engine for the browser: front-end, lowering and interpreter behind one call.
//!
//! A request goes in and a response comes out, both as a [frame](mod@frame): JSON, and bytes that it refers to.
//! The functions of [`abi`] carry frames over WebAssembly's boundary; [`call`] is the same for Rust.
//! The wrapper for JavaScript is `js/metalworking.mjs`.
//!
//! | `op` | request | response |
//! | --- | --- | --- |
//! | `compile` | [`request::Source`] | diagnostics, kernels with their arguments |
//! | `run` | [`request::Run`] | outputs, checks, findings, counts, on request a [`trace`] |
//! | `launches` | [`request::Source`] | the `// run:` lines of the source |
//! | `explain` | [`request::Explain`] | what a code such as `MSL0231` means |
//! | `version` | – | version of the engine |
//!
//! Text and kernels are untrusted: steps and memory are bounded by the request, and by limits that it cannot
//! raise. A panic ends the instance; [`abi`] keeps its message.

pub mod abi;
pub mod frame;
mod launch;
mod program;
pub mod request;
mod respond;
pub mod trace;

pub use respond::call;
