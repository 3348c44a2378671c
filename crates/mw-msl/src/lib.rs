//! The Metal Shading Language front-end: text to typed HIR.
//!
//! - [`parse()`] makes a [`ParsedUnit`] of a source: [`lex`] cuts text into tokens, [`preprocess`] runs
//!   directives and macros, [`mod@parse`] builds the [`ast`]. Text never fails: there is always a tree, and
//!   a list of diagnostics.
//! - [`ast`]: the syntax tree. [`types`]: types of values. [`hir`]: the typed program.
//! - [`stdlib`]: Metal's library, whose prelude comes before every source.
//!
//! The crate does no IO: files come from a [`preprocess::FileProvider`].

pub mod ast;
pub mod hir;
pub mod lex;
pub mod names;
pub mod options;
pub mod parse;
pub mod preprocess;
pub mod stdlib;
pub mod types;

use mw_diagnostics::Diagnostic;
use mw_source::SourceMap;

/// A parsed source.
#[derive(Debug)]
pub struct ParsedUnit {
    /// Its files and macro uses: all spans refer to it.
    pub map: SourceMap,
    /// Its identifiers: all names refer to it.
    pub interner: names::Interner,
    /// The tree, the library's prelude first. Parts with mistakes are left out.
    pub unit: ast::TranslationUnit,
    /// What was found wrong, in order of discovery.
    pub diagnostics: Vec<Diagnostic>,
}

/// Preprocesses and parses the file `main` of `files`.
///
/// # Examples
///
/// ```
/// use mw_msl::options::Options;
/// use mw_msl::preprocess::MemoryFiles;
///
/// let files = MemoryFiles::single("k.metal", "kernel void k(device float *a) { a[0] = 1; }");
/// let parsed = mw_msl::parse(&Options::default(), &files, "k.metal");
/// assert!(parsed.diagnostics.is_empty());
/// ```
pub fn parse(
    options: &options::Options,
    files: &dyn preprocess::FileProvider,
    main: &str,
) -> ParsedUnit {
    let mut map = SourceMap::new();
    let mut interner = names::Interner::default();
    let mut diagnostics = Vec::new();
    let tokens =
        preprocess::preprocess(options, files, main, &mut map, &mut interner, &mut diagnostics);
    let unit = parse::parse(&tokens, &mut interner, &mut diagnostics);
    ParsedUnit { map, interner, unit, diagnostics }
}
