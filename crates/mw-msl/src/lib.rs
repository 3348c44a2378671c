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
mod foreign;
pub mod hir;
pub mod lex;
pub mod names;
pub mod options;
pub mod parse;
pub mod preprocess;
pub mod sema;
pub mod stdlib;
pub mod types;

pub use mw_diagnostics::registry;

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
pub fn parse(options: &options::Options, files: &dyn preprocess::FileProvider, main: &str) -> ParsedUnit {
    let mut map = SourceMap::new();
    let mut interner = names::Interner::default();
    let mut diagnostics = Vec::new();
    let tokens = preprocess::preprocess(options, files, main, &mut map, &mut interner, &mut diagnostics);
    let unit = parse::parse(&tokens, &mut interner, &mut diagnostics);
    parse::balance::locate(&tokens, &map, &mut diagnostics);
    once_in_macros(&mut diagnostics);
    once_in_lines(&mut diagnostics, &map);
    ParsedUnit { map, interner, unit, diagnostics }
}

/// A mistake in a macro's own text is one mistake, however often the macro is used.
fn once_in_macros(diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = rustc_hash::FxHashSet::default();
    diagnostics.retain(|found| {
        let span = found.primary.span;
        span.expansion == mw_source::ExpansionId::ROOT
            || seen.insert((found.code.number, span.start, span.end))
    });
}

/// What the grammar does not fit further on in a line with a mistake comes from that mistake.
fn once_in_lines(diagnostics: &mut Vec<Diagnostic>, map: &SourceMap) {
    let mut lines = rustc_hash::FxHashSet::default();
    diagnostics.retain(|found| {
        let at = map.written(found.primary.span).start;
        let line = (map.file_at(at), map.line_column(at).line);
        let is_of_the_grammar = found.code.number >= 100;
        !found.is_error() || lines.insert(line) || !is_of_the_grammar
    });
}

/// A checked source.
#[derive(Debug)]
pub struct Compilation {
    /// The typed program; none if there are errors.
    pub program: Option<hir::Program>,
    /// What was found wrong: the preprocessor's and parser's findings, then those of the analysis.
    pub diagnostics: Vec<Diagnostic>,
    /// The files and macro uses: all spans refer to it.
    pub map: SourceMap,
}

/// Preprocesses, parses and checks the file `main` of `files`.
///
/// # Examples
///
/// ```
/// use mw_msl::options::Options;
/// use mw_msl::preprocess::MemoryFiles;
///
/// let files = MemoryFiles::single("k.metal", "kernel void k(device float *a) { a[0] = 1; }");
/// let compilation = mw_msl::compile(&Options::default(), &files, "k.metal");
/// let program = compilation.program.expect("the kernel is correct");
/// assert_eq!(program.kernels[0].name, "k");
/// ```
pub fn compile(options: &options::Options, files: &dyn preprocess::FileProvider, main: &str) -> Compilation {
    let ParsedUnit { map, interner, unit, mut diagnostics } = parse(options, files, main);
    let sema_options = sema::SemaOptions {
        metal_version: options.version.number(),
        math_mode: if options.fast_math { ast::MathMode::Fast } else { ast::MathMode::Safe },
    };
    let has_errors = diagnostics.iter().any(Diagnostic::is_error);
    let (program, found) = sema::analyze(&unit, &interner, &map, sema_options);
    // Where the text could not be parsed, what is missing is no second mistake.
    if !has_errors {
        diagnostics.extend(found);
        once_in_macros(&mut diagnostics);
    }
    let program = (!diagnostics.iter().any(Diagnostic::is_error)).then_some(program);
    keep_first(&mut diagnostics);
    Compilation { program, diagnostics, map }
}

/// More findings help nobody, and take their time to show.
const MAX_FINDINGS: usize = 1000;

/// Drops what is beyond the limit, but for the first error if there was none before.
fn keep_first(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() > MAX_FINDINGS {
        let rest = diagnostics.split_off(MAX_FINDINGS);
        if !diagnostics.iter().any(Diagnostic::is_error) {
            diagnostics.extend(rest.into_iter().find(Diagnostic::is_error));
        }
    }
}
