//! Diagnostics as text: for the terminal, as JSON, and as SARIF.

mod json;
mod place;
mod sarif;
mod terminal;

pub use json::json;
pub use sarif::{join_sarif, sarif};
pub use terminal::{Terminal, terminal};
