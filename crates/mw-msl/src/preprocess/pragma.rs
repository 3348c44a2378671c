//! `#pragma` and `_Pragma`.
//!
//! What means something to the parser becomes a `Pragma` token, whose name says which, then its operand, then
//! a `PragmaEnd`: `UNROLL` (with an expression or nothing), `NOUNROLL`, `LOOP`, and `CONTRACT`, `MATH_MODE`,
//! `INTERNALS`, `FP_CONTRACT` with one word. Other pragmas are dropped, as every compiler does.

use mw_diagnostics::registry::preprocess as codes;

use super::Preprocessor;
use crate::lex::{Token, TokenKind, unescape_string};
use crate::names::{Name, words};

impl Preprocessor<'_> {
    /// The tokens after `#pragma`.
    pub(super) fn pragma(&mut self, line: &[Token]) {
        let tokens = self.pragma_tokens(line);
        if !tokens.is_empty() {
            self.push_tokens(tokens);
        }
    }

    /// `_Pragma("…")`; `false` if this is no such use.
    pub(super) fn pragma_operator(&mut self, token: Token, out: &mut Vec<Token>) -> bool {
        let open = self.next_raw();
        let text = if open.kind == TokenKind::LeftParen { self.next_raw() } else { open };
        let close = if text.kind == TokenKind::String { self.next_raw() } else { text };
        if close.kind != TokenKind::RightParen || text.kind != TokenKind::String {
            self.report(&codes::INVALID_DIRECTIVE, token.span, "`_Pragma` takes one string in parentheses");
            return true;
        }
        let text = unescape_string(self.interner.text(text.name)).unwrap_or_default();
        let line = self.lex_text(&text, token.span);
        out.extend(self.pragma_tokens(&line));
        true
    }

    fn pragma_tokens(&mut self, line: &[Token]) -> Vec<Token> {
        let names: Vec<Name> = line
            .iter()
            .take(3)
            .map(|token| if token.kind == TokenKind::Ident { token.name } else { words::EMPTY })
            .collect();
        let name = |at: usize| names.get(at).copied().unwrap_or(words::EMPTY);
        match (name(0), name(1), name(2)) {
            (words::ONCE, ..) => {
                if let Some(file) = self.files.last() {
                    self.once.insert(file.id);
                }
                Vec::new()
            }
            (words::UNROLL, ..) => wrap(line, words::UNROLL, operand(&line[1..])),
            (words::NOUNROLL, ..) => wrap(line, words::NOUNROLL, &[]),
            (_, words::UNROLL, _) if self.spelling(line[0]) == "GCC" => {
                wrap(line, words::UNROLL, operand(&line[2..]))
            }
            (words::CLANG, words::LOOP, _) => loop_hint(line),
            (words::METAL | words::CLANG, words::FP, words::CONTRACT) => {
                wrap(line, words::CONTRACT, word(&line[3..]))
            }
            (words::METAL, words::FP, words::MATH_MODE) => wrap(line, words::MATH_MODE, word(&line[3..])),
            (words::METAL, words::INTERNALS, _) => wrap(line, words::INTERNALS, word(&line[2..])),
            (words::STDC, words::FP_CONTRACT, _) => wrap(line, words::FP_CONTRACT, word(&line[2..])),
            (words::PUSH_MACRO | words::POP_MACRO, ..) => {
                self.push_or_pop_macro(name(0) == words::PUSH_MACRO, line);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn push_or_pop_macro(&mut self, is_push: bool, line: &[Token]) {
        let Some(text) = line.get(2).filter(|token| token.kind == TokenKind::String) else { return };
        let Some(text) = unescape_string(self.interner.text(text.name)) else { return };
        let name = self.interner.intern(&text);
        if is_push {
            let current = self.macros.find(name);
            self.saved_macros.entry(name).or_default().push(current);
        } else if let Some(saved) = self.saved_macros.get_mut(&name).and_then(Vec::pop) {
            self.macros.set(name, saved);
        }
    }
}

/// The tokens of a pragma for the parser.
fn wrap(line: &[Token], name: Name, operand: &[Token]) -> Vec<Token> {
    let (first, last) = (line[0], line[line.len() - 1]);
    let mark = |kind| Token { kind, name, span: first.span.to(last.span), ..first };
    let mut tokens = vec![mark(TokenKind::Pragma)];
    tokens.extend_from_slice(operand);
    tokens.push(mark(TokenKind::PragmaEnd));
    tokens
}

/// `(n)` or `n`, as it is.
fn operand(tokens: &[Token]) -> &[Token] {
    tokens
}

/// The first word, past `(` or `:`.
fn word(tokens: &[Token]) -> &[Token] {
    let at = tokens.iter().position(|token| token.kind == TokenKind::Ident);
    at.map_or(&[], |at| &tokens[at..=at])
}

/// `clang loop` and its clauses: only what they say of unrolling counts.
fn loop_hint(line: &[Token]) -> Vec<Token> {
    for (at, token) in line.iter().enumerate() {
        let argument = line.get(at + 2);
        match token.name {
            words::UNROLL if token.kind == TokenKind::Ident => {
                return match argument.map(|token| token.name) {
                    Some(words::FULL) => wrap(line, words::UNROLL, &[]),
                    Some(words::DISABLE) => wrap(line, words::NOUNROLL, &[]),
                    _ => wrap(line, words::LOOP, &[]),
                };
            }
            words::UNROLL_COUNT => return wrap(line, words::UNROLL, &line[at + 1..]),
            _ => {}
        }
    }
    wrap(line, words::LOOP, &[])
}
