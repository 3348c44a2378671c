//! The glossary as data: its pages, the terms that lead to them, plain text.
//!
//! The files of `book/` are part of the binary, so that a page is there without a network and without a copy
//! of the repository. [`pages`] gives them in the order of the summary, [`find`] the ones that a word leads
//! to, and [`Page::plain`] the text with kernels in place, figures filled in from `mw-machine` and diagrams as
//! their descriptions.
//!
//! # Terms
//! A page is found under its title, its file name and CUDA's words for the same thing, which the page
//! "NVIDIA to Metal" lists in its tables. [`find`] forgives spelling; [`Via`] says what matched.
#![warn(missing_docs)]

mod export;
mod files;
mod find;
mod page;
mod plain;

pub use export::{Export, export};
pub use find::{Hit, Via, find};
pub use page::{Page, pages};
pub use plain::PlainError;
