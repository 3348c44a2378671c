//! Source files, byte positions, and spans that survive macro expansion.
//!
//! All files of one compilation lie one after the other in one space of [`BytePos`]s, so that a position
//! is four bytes and still says which file it is in.
//! A [`Span`] names a range of written text and, if the text came out of a macro, which expansion it came
//! from: the chain of [`Expansion`]s leads back to what the user wrote.

mod map;
mod span;

pub use map::{FileId, LineColumn, SourceFile, SourceMap};
pub use span::{BytePos, Expansion, ExpansionId, Span};
