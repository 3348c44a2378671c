//! What tests and fuzz targets share: sources made at random, and what must hold of every source.
//!
//! [`hold`] takes any text through front-end, lowering, verifier, printer and parser, and panics where one of
//! them breaks its promise. [`generate`](mod@generate) makes kernels of bytes, of which most are correct Metal.
//! The fuzz targets `front_end` and `generated` call these; the tests of this crate replay what they found.

mod generate;
mod hold;

pub use generate::generate;
pub use hold::{Held, hold, hold_bytes};
