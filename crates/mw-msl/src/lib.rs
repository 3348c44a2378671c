//! The Metal Shading Language front-end: text to typed HIR.
//!
//! - [`ast`]: the syntax tree. [`types`]: types of values. [`hir`]: the typed program.
//! - [`stdlib`]: Metal's library.

pub mod ast;
pub mod hir;
pub mod lex;
pub mod names;
pub mod options;
pub mod parse;
pub mod preprocess;
pub mod stdlib;
pub mod types;
