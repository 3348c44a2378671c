//! Parser of LLVM assembly: what the [printer](mod@crate::print) writes, and what `llvm-dis` 22 writes for AIR.
//!
//! Text is untrusted. The parser returns an error with line and column on anything that it does not
//! understand; it does not panic, and bounds its recursion and its memory: types and constants that expand
//! far beyond the text (`<4096 x i8> splat …`, structures that name themselves twice over and over) are
//! refused. What it returns is well-formed in its handles, but only the [verifier](mod@crate::verify) says
//! whether types and dominance hold.
//!
//! Not understood, and refused by name: typed pointers, scalable vectors, aliases, comdats, inline assembly,
//! exception handling, operand bundles, debug records, integers over 64 bits. Read and dropped: `dso_local`,
//! debug metadata but for files, functions and positions, the attributes `range` and `initializes`, and flags of constant expressions but `inbounds`.

mod attributes;
mod constant;
mod debug;
mod function;
mod inst;
mod lexer;
mod metadata;
mod module;
mod types;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Attribute, MdId, Module, StructType, Symbol};
use lexer::{Lexer, Name, Token};

/// Text that is not AIR, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// Reads a module from LLVM assembly.
///
/// # Errors
/// When the text is malformed or uses what AIR does not have; see the module's description.
pub fn parse(text: &str) -> Result<Module, ParseError> {
    Parser::new(text).and_then(Parser::module).map_err(|Failure { offset, message }| {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        ParseError { line, column, message }
    })
}

/// An error at an offset, before line and column are known.
#[derive(Debug)]
struct Failure {
    offset: usize,
    message: String,
}

type Parsed<T> = Result<T, Failure>;

/// Types and constants may nest this deep.
const MAX_DEPTH: u32 = 64;
/// Nodes that all constants of a module may add up to.
const NODE_BUDGET: u64 = 1 << 21;

struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token<'t>,
    /// Offset of `token`.
    offset: usize,
    depth: u32,
    budget: u64,
    module: Module,
    symbols: FxHashMap<Name<'t>, Symbol>,
    /// Where the body of each named structure type starts.
    type_offsets: FxHashMap<Name<'t>, usize>,
    /// Named structure types read so far; `None` while the body is being read.
    types: FxHashMap<Name<'t>, Option<Arc<StructType>>>,
    attribute_groups: FxHashMap<u32, Vec<Attribute>>,
    /// Nodes by their numbers, with the offset of the first mention of those not yet defined.
    nodes: FxHashMap<u32, (MdId, Option<usize>)>,
    metadata_kinds: FxHashMap<String, Arc<str>>,
    debug: debug::DebugNodes,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parsed<Self> {
        let mut parser = Self {
            lexer: Lexer::new(text),
            token: Token::Eof,
            offset: 0,
            depth: 0,
            budget: NODE_BUDGET,
            module: Module::default(),
            symbols: FxHashMap::default(),
            type_offsets: FxHashMap::default(),
            types: FxHashMap::default(),
            attribute_groups: FxHashMap::default(),
            nodes: FxHashMap::default(),
            metadata_kinds: FxHashMap::default(),
            debug: debug::DebugNodes::default(),
        };
        parser.advance()?;
        Ok(parser)
    }

    fn advance(&mut self) -> Parsed<Token<'t>> {
        match self.lexer.next() {
            Ok((offset, token)) => {
                self.offset = offset;
                Ok(std::mem::replace(&mut self.token, token))
            }
            Err((offset, message)) => Err(Failure { offset, message }),
        }
    }

    /// Continues with the token at `offset`.
    fn seek(&mut self, offset: usize) -> Parsed<()> {
        self.lexer.seek(offset);
        self.advance()?;
        Ok(())
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Self::error_at(self.offset, message)
    }

    fn error_at<T>(offset: usize, message: impl Into<String>) -> Parsed<T> {
        Err(Failure { offset, message: message.into() })
    }

    fn unexpected<T>(&self, expected: &str) -> Parsed<T> {
        self.error(format!("expected {expected}, found {}", describe(&self.token)))
    }

    fn is_punct(&self, byte: u8) -> bool {
        self.token == Token::Punct(byte)
    }

    fn eat_punct(&mut self, byte: u8) -> Parsed<bool> {
        let found = self.is_punct(byte);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect_punct(&mut self, byte: u8) -> Parsed<()> {
        if self.eat_punct(byte)? { Ok(()) } else { self.unexpected(&format!("`{}`", byte as char)) }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(found) if found == word)
    }

    fn eat_word(&mut self, word: &str) -> Parsed<bool> {
        let found = self.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word)? { Ok(()) } else { self.unexpected(&format!("`{word}`")) }
    }

    fn string(&mut self) -> Parsed<String> {
        match &self.token {
            Token::Str(text) => {
                let text = text.to_string();
                self.advance()?;
                Ok(text)
            }
            _ => self.unexpected("a string"),
        }
    }

    fn uint(&mut self) -> Parsed<u64> {
        match self.token {
            Token::Int(false, value) => {
                self.advance()?;
                Ok(value)
            }
            _ => self.unexpected("a number"),
        }
    }

    fn u32(&mut self) -> Parsed<u32> {
        let offset = self.offset;
        let value = self.uint()?;
        match u32::try_from(value) {
            Ok(value) => Ok(value),
            Err(_) => Self::error_at(offset, "expected a number below 2^32"),
        }
    }

    /// `(7)`
    fn parenthesized(&mut self) -> Parsed<u64> {
        self.expect_punct(b'(')?;
        let value = self.uint()?;
        self.expect_punct(b')')?;
        Ok(value)
    }

    /// Reads an inner part with `read`, one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.error(format!("nested more than {MAX_DEPTH} levels deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Takes `nodes` from the budget of constants.
    fn spend(&mut self, nodes: u64) -> Parsed<()> {
        match self.budget.checked_sub(nodes) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => self.error(format!("constants of this module have more than {NODE_BUDGET} elements")),
        }
    }
}

/// How a token is called in messages.
fn describe(token: &Token<'_>) -> String {
    match token {
        Token::Eof => "the end of the text".into(),
        Token::Punct(byte) => format!("`{}`", *byte as char),
        Token::Ellipsis => "`...`".into(),
        Token::Word(word) => format!("`{word}`"),
        Token::Global(name) => format!("`@{}`", name_text(name)),
        Token::Local(name) => format!("`%{}`", name_text(name)),
        Token::Label(name) => format!("label `{}:`", name_text(name)),
        Token::AttributeGroup(number) => format!("`#{number}`"),
        Token::Node(number) => format!("`!{number}`"),
        Token::MetadataName(name) => format!("`!{name}`"),
        Token::MetadataString(_) => "a metadata string".into(),
        Token::Bang => "`!`".into(),
        Token::Str(_) | Token::Bytes(_) => "a string".into(),
        Token::Int(..) => "an integer".into(),
        Token::Decimal(_) | Token::Hex(..) => "a floating-point number".into(),
    }
}

/// A name as text.
fn name_text(name: &Name<'_>) -> String {
    match name {
        Name::Number(number) => number.to_string(),
        Name::Text(text) => text.to_string(),
    }
}
