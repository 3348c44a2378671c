//! Metal's library, function by function: each overload is lowered, verified and run on the interpreter,
//! and its results are compared with Rust's own arithmetic.

mod component;
mod coverage;
mod groups;
mod memory;
mod program;
mod reference;
mod shapes;
mod sources;
mod value;
