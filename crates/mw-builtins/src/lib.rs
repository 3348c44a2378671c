//! Metal's library functions as AIR, shared by every engine.
//!
//! A kernel calls `air.exp.f32` and leaves open how it is computed. [`link`] gives every such declaration a
//! body made of arithmetic, so that all engines compute the same bits. What remains are the *engine
//! primitives*: functions that talk to other threads, to memory or to the machine, and a few LLVM intrinsics
//! with one exact meaning.
//!
//! Names are parsed, not looked up: every type and vector length of a function is there. Accuracy is
//! measured and listed in `ACCURACY.md`. Decisions that Metal leaves open:
//!
//! - Fast-math flags (`contract`, `fast`, `reassoc`, …) are permissions; [`link`] decides them by dropping
//!   every one. What remains is strict IEEE arithmetic.
//! - `air.fast_*` functions give results for all inputs, special values included. They share the precise
//!   body, or one with a shorter polynomial or one rounding more.
//! - Functions of half and bfloat widen to f32, use the f32 function and round its result once more.
//! - `dot` is the chain `fma(x₃, y₃, fma(x₂, y₂, fma(x₁, y₁, x₀ y₀)))` in f32; for half and bfloat the f32
//!   result is rounded once. Apple's order is not known.
//! - `fmin`, `fmax` order −0 below +0, prefer numbers to NaN, and flush a denormal result where the module
//!   flushes.
//! - `nextafter` steps through denormals and flushes nothing, in every mode.
//! - Float to integer saturates; NaN gives 0. Float to bool is "differs from zero".

mod convert;
mod expr;
mod integer;
mod library;
mod link;
mod math;
mod name;
mod pack;
mod primitives;
mod vector;

pub use link::{LinkError, Problem, link};
