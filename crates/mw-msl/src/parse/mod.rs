//! Tokens to the syntax tree.
//!
//! Recursive descent. What C++ leaves to name lookup (`a < b`, `(a)(b)`, `a * b;`) is decided by a light
//! [`scope`] table that knows of each name whether it is a type, a template, a namespace or a value; what a
//! table cannot know (names of other files, members of dependent types) is decided by what follows.
//!
//! A function that meets a mistake reports it once and fails; the nearest list of statements, members or
//! declarations skips to where the next one begins. Parsing always ends: depth, length of operator chains
//! and the work of tentative parsing are bounded.

mod attribute;
pub(crate) mod balance;
mod class;
mod cursor;
mod declaration;
mod declarator;
#[cfg(test)]
mod dump;
mod expression;
mod function;
mod lambda;
mod name;
mod primary;
mod scope;
mod specifier;
mod statement;
mod template;
#[cfg(test)]
mod tests;

use mw_diagnostics::Diagnostic;

use crate::ast::TranslationUnit;
use crate::lex::Token;
use crate::names::Interner;
use scope::Scopes;

/// An error was reported (or, while trying, would have been).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed;

pub(crate) type Parse<T> = Result<T, Failed>;

/// Bound on nesting of statements, expressions, types and declarators.
const MAX_DEPTH: u32 = 200;
/// Errors beyond this are of no use to anybody.
const MAX_ERRORS: usize = 1000;
/// Bound on left-nested operators in one expression, beyond a few per level.
const MAX_CHAIN: u32 = 1000;

/// Parses the tokens of [`crate::preprocess::preprocess`].
pub fn parse(
    tokens: &[Token],
    interner: &mut Interner,
    diagnostics: &mut Vec<Diagnostic>,
) -> TranslationUnit {
    let mut parser = Parser::new(tokens, interner, diagnostics);
    TranslationUnit { decls: parser.translation_unit() }
}

/// A built-in trait that takes types: `__is_same(T, U)`.
pub fn is_type_trait(name: &str) -> bool {
    name.starts_with("__is_")
        || name.starts_with("__has_")
        || matches!(name, "__builtin_bit_cast" | "__builtin_types_compatible_p" | "__builtin_offsetof")
}

pub(crate) struct Parser<'p> {
    tokens: &'p [Token],
    at: usize,
    interner: &'p mut Interner,
    diagnostics: &'p mut Vec<Diagnostic>,
    scopes: Scopes,
    /// Nesting of attempts; errors are not reported in one.
    trying: u32,
    /// Tokens that attempts may still read.
    fuel: u64,
    depth: u32,
    chain: u32,
    /// `>` ends the expression: inside template arguments.
    greater_ends: bool,
    /// Where the body of the member function that was just read begins; it is parsed when its class ends.
    delayed_body: Option<usize>,
    in_lambda: bool,
    /// What the declaration that is being read declares.
    entity: declaration::Entity,
    /// What the type read last is known to be.
    last_type: scope::Symbol,
}

impl<'p> Parser<'p> {
    fn new(tokens: &'p [Token], interner: &'p mut Interner, diagnostics: &'p mut Vec<Diagnostic>) -> Self {
        Self {
            tokens,
            at: 0,
            interner,
            diagnostics,
            scopes: Scopes::new(),
            trying: 0,
            // Published Metal takes less than half a token of attempts for each of its own.
            fuel: 10_000 + 32 * tokens.len() as u64,
            depth: 0,
            chain: 0,
            greater_ends: false,
            delayed_body: None,
            in_lambda: false,
            entity: declaration::Entity::default(),
            last_type: scope::Symbol::default(),
        }
    }
}
