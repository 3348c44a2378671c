//! One diagnostic value with code, labels, notes and fix; its registry and renderers.
//!
//! A stage that finds something wrong in the user's text makes a [`Diagnostic`] from a [`Code`] of the
//! [`registry`], adds labels, notes, help and a fix, and pushes it to its list. Nothing is printed here:
//! [`render`] makes terminal text, JSON or SARIF of it.
//!
//! ```
//! use mw_diagnostics::{Diagnostic, registry::syntax};
//! # let span = mw_source::Span::default();
//! let error = Diagnostic::new(&syntax::EXPECTED_TOKEN, span, "expected `;` after the expression")
//!     .label("the statement goes on here")
//!     .help("write `;`");
//! assert_eq!(error.code.to_string(), "MSL0100");
//! ```

mod code;
mod diagnostic;
pub mod registry;
pub mod render;

pub use code::{Code, Doc, Severity};
pub use diagnostic::{ChainStep, Diagnostic, Fix, Label};
