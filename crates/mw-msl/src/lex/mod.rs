//! Text to preprocessing tokens.
//!
//! The lexer never fails and never reports: a character that begins no token and a literal without its end
//! become tokens of their own kind, which matter only if they survive preprocessing.
//! Line splices and comments are handled here; `>>` is two `>` tokens, which the parser joins again where
//! an expression may have a shift, so that `a<b<c>>` needs no repair.

mod lexer;
mod literal;
mod token;

pub use lexer::Lexer;
pub use literal::{Number, NumberError, parse_number, unescape_char, unescape_string};
pub use token::{Token, TokenFlags, TokenKind};
