//! The expressions of `#if`.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::preprocess as codes;
use mw_source::Span;

use super::Preprocessor;
use crate::lex::{Number, Token, TokenKind, parse_number, unescape_char};
use crate::names::{Name, words};

/// Bound on nesting in a condition.
const DEPTH: u32 = 200;

/// A value: all integers of the preprocessor have 64 bits.
#[derive(Clone, Copy)]
struct Value {
    bits: i64,
    is_unsigned: bool,
}

impl Value {
    fn of(condition: bool) -> Self {
        Self { bits: i64::from(condition), is_unsigned: false }
    }
}

/// Where and why a condition has no value.
struct Failure(Span, &'static str);

type Evaluated = Result<Value, Failure>;

impl Preprocessor<'_> {
    /// Does the condition of an `#if` hold? A malformed one does not.
    pub(super) fn condition(&mut self, directive: Span, line: &[Token]) -> bool {
        let line = self.answer_has_include(line);
        self.in_condition = true;
        let tokens = self.expand_list(line);
        self.in_condition = false;
        let mut evaluator =
            Evaluator { preprocessor: self, tokens: &tokens, at: 0, depth: 0, end: directive };
        let value = evaluator.conditional(true).and_then(|value| {
            let rest = evaluator.peek();
            match rest.map(|token| token.span) {
                None => Ok(value),
                Some(span) => Err(Failure(span, "this does not belong to the condition")),
            }
        });
        match value {
            Ok(value) => value.bits != 0,
            Err(Failure(span, message)) => {
                self.diagnostics.push(
                    Diagnostic::new(&codes::INVALID_CONDITION, span, message)
                        .note("a condition of the preprocessor has integers, `defined` and operators"),
                );
                false
            }
        }
    }

    /// Replaces `__has_include(…)` by its value, before anything in its header name can be expanded.
    fn answer_has_include(&mut self, line: &[Token]) -> Vec<Token> {
        let mut out = Vec::with_capacity(line.len());
        let mut at = 0;
        while at < line.len() {
            let token = line[at];
            let is_use = matches!(token.name, words::HAS_INCLUDE | words::HAS_INCLUDE_NEXT)
                && line.get(at + 1).is_some_and(|next| next.kind == TokenKind::LeftParen);
            if is_use
                && let Some(length) = line[at..].iter().position(|token| token.kind == TokenKind::RightParen)
            {
                let operand = line[at + 2..at + length].to_vec();
                let mut name = self.header_name(&operand);
                if name.is_none() {
                    let expanded = self.expand_list(operand);
                    name = self.header_name(&expanded);
                }
                let found = name.is_some_and(|(path, is_quoted)| self.has_header(&path, is_quoted));
                let text = if found { "1" } else { "0" };
                out.push(Token { kind: TokenKind::Number, name: self.interner.intern(text), ..token });
                at += length + 1;
            } else {
                out.push(token);
                at += 1;
            }
        }
        out
    }

    /// The answer of `__has_feature` and its kin.
    fn has(&self, question: Name, name: Name) -> i64 {
        let text = self.interner.text(name);
        let text = text.strip_prefix("__").and_then(|text| text.strip_suffix("__")).unwrap_or(text);
        let is_one = match question {
            words::HAS_FEATURE | words::HAS_EXTENSION => {
                text.starts_with("cxx_")
                    && !matches!(text, "cxx_exceptions" | "cxx_rtti" | "cxx_thread_local")
                    || text == "attribute_ext_vector_type"
            }
            words::HAS_ATTRIBUTE => matches!(
                text,
                "always_inline" | "noinline" | "unused" | "aligned" | "packed" | "const" | "pure" | "flatten"
            ),
            words::HAS_CPP_ATTRIBUTE => {
                matches!(text, "nodiscard" | "maybe_unused" | "fallthrough" | "likely" | "unlikely")
            }
            words::HAS_BUILTIN => crate::parse::is_type_trait(text),
            words::IS_IDENTIFIER => !name.is_keyword(),
            _ => false,
        };
        i64::from(is_one)
    }
}

struct Evaluator<'e, 'p> {
    preprocessor: &'e Preprocessor<'p>,
    tokens: &'e [Token],
    at: usize,
    depth: u32,
    /// Where to point when the tokens end too early.
    end: Span,
}

impl Evaluator<'_, '_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let is_next = self.peek().is_some_and(|token| token.kind == kind);
        self.at += usize::from(is_next);
        is_next
    }

    fn here(&self) -> Span {
        self.peek().or(self.tokens.last()).map_or(self.end, |token| token.span)
    }

    /// `a ? b : c`; `live` is false in a part whose value does not count.
    fn conditional(&mut self, live: bool) -> Evaluated {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Failure(self.here(), "this condition nests too deeply"));
        }
        let condition = self.binary(0, live)?;
        let value = if self.eat(TokenKind::Question) {
            let holds = condition.bits != 0;
            let then = self.conditional(live && holds)?;
            if !self.eat(TokenKind::Colon) {
                return Err(Failure(self.here(), "expected `:` of `? :`"));
            }
            let otherwise = self.conditional(live && !holds)?;
            Value {
                bits: if holds { then.bits } else { otherwise.bits },
                is_unsigned: then.is_unsigned || otherwise.is_unsigned,
            }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    /// The binary operator that comes next: its precedence and how many tokens it has.
    fn operator(&self) -> Option<(TokenKind, u8, usize)> {
        use TokenKind as K;
        let token = self.peek()?;
        let precedence = match token.kind {
            K::PipePipe => 1,
            K::AmpersandAmpersand => 2,
            K::Pipe => 3,
            K::Caret => 4,
            K::Ampersand => 5,
            K::EqualEqual | K::ExclamationEqual => 6,
            K::Less | K::LessEqual | K::GreaterEqual => 7,
            K::Greater => {
                let next = self.tokens.get(self.at + 1);
                if next.is_some_and(|next| next.kind == K::Greater && next.span.start == token.span.end) {
                    return Some((K::Greater, 8, 2));
                }
                7
            }
            K::LessLess => 8,
            K::Plus | K::Minus => 9,
            K::Star | K::Slash | K::Percent => 10,
            _ => return None,
        };
        Some((token.kind, precedence, 1))
    }

    fn binary(&mut self, minimum: u8, live: bool) -> Evaluated {
        let mut left = self.unary(live)?;
        while let Some((kind, precedence, length)) = self.operator() {
            if precedence <= minimum {
                break;
            }
            let span = self.here();
            self.at += length;
            let right_live = match kind {
                TokenKind::PipePipe => live && left.bits == 0,
                TokenKind::AmpersandAmpersand => live && left.bits != 0,
                _ => live,
            };
            let right = self.binary(precedence, right_live)?;
            left = apply(kind, length == 2, left, right, right_live, span)?;
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Evaluated {
        let Some(token) = self.peek().copied() else {
            return Err(Failure(self.here(), "the condition ends where a value is expected"));
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Failure(token.span, "this condition nests too deeply"));
        }
        let value = match token.kind {
            TokenKind::Exclamation => Value::of(self.unary(live)?.bits == 0),
            TokenKind::Minus => {
                let value = self.unary(live)?;
                Value { bits: value.bits.wrapping_neg(), ..value }
            }
            TokenKind::Plus => self.unary(live)?,
            TokenKind::Tilde => {
                let value = self.unary(live)?;
                Value { bits: !value.bits, ..value }
            }
            TokenKind::LeftParen => {
                let value = self.conditional(live)?;
                if !self.eat(TokenKind::RightParen) {
                    return Err(Failure(self.here(), "expected `)`"));
                }
                value
            }
            TokenKind::Number => match parse_number(self.preprocessor.interner.text(token.name)) {
                Ok(Number::Int(value, ty)) => Value {
                    bits: value as i64,
                    is_unsigned: !ty.is_signed_integer() && i64::try_from(value).is_err()
                        || self.is_unsigned(token),
                },
                Ok(Number::Float { .. }) => {
                    return Err(Failure(token.span, "a condition cannot have a floating-point number"));
                }
                Err(_) => return Err(Failure(token.span, "this number is malformed")),
            },
            TokenKind::Char => match unescape_char(self.preprocessor.interner.text(token.name)) {
                Some(value) => Value { bits: value as i64, is_unsigned: false },
                None => return Err(Failure(token.span, "this character is malformed")),
            },
            TokenKind::Ident => self.identifier(token)?,
            _ => return Err(Failure(token.span, "expected a value in this condition")),
        };
        self.depth -= 1;
        Ok(value)
    }

    fn is_unsigned(&self, token: Token) -> bool {
        let text = self.preprocessor.interner.text(token.name);
        text.ends_with(['u', 'U']) || text.trim_end_matches(['l', 'L']).ends_with(['u', 'U'])
    }

    fn identifier(&mut self, token: Token) -> Evaluated {
        match token.name {
            words::TRUE => return Ok(Value::of(true)),
            words::DEFINED => {
                let in_parens = self.eat(TokenKind::LeftParen);
                let Some(name) = self.peek().filter(|token| token.kind == TokenKind::Ident).copied() else {
                    return Err(Failure(self.here(), "expected the name of a macro after `defined`"));
                };
                self.at += 1;
                if in_parens && !self.eat(TokenKind::RightParen) {
                    return Err(Failure(self.here(), "expected `)` after `defined`"));
                }
                return Ok(Value::of(self.preprocessor.is_defined(name.name)));
            }
            _ => {}
        }
        if super::macros::is_dynamic(token.name) && self.eat(TokenKind::LeftParen) {
            let mut name = words::EMPTY;
            loop {
                let Some(token) = self.peek().copied() else {
                    return Err(Failure(self.here(), "expected `)`"));
                };
                self.at += 1;
                match token.kind {
                    TokenKind::RightParen => break,
                    TokenKind::Ident => name = token.name,
                    _ => {}
                }
            }
            return Ok(Value { bits: self.preprocessor.has(token.name, name), is_unsigned: false });
        }
        if self.peek().is_some_and(|next| next.kind == TokenKind::LeftParen) {
            return Err(Failure(token.span, "this is no macro that takes arguments"));
        }
        // A name that is no macro is zero.
        Ok(Value::of(false))
    }
}

fn apply(kind: TokenKind, is_double: bool, left: Value, right: Value, live: bool, span: Span) -> Evaluated {
    use TokenKind as K;
    let is_unsigned = left.is_unsigned || right.is_unsigned;
    let (a, b) = (left.bits, right.bits);
    let less = if is_unsigned { (a as u64) < (b as u64) } else { a < b };
    let arithmetic = |bits: i64| Value { bits, is_unsigned };
    let shift = |is_left: bool| {
        let amount = b as u32 & 63;
        let bits = if is_left {
            a.wrapping_shl(amount)
        } else if left.is_unsigned {
            (a as u64).wrapping_shr(amount) as i64
        } else {
            a.wrapping_shr(amount)
        };
        Value { bits, is_unsigned: left.is_unsigned }
    };
    Ok(match kind {
        K::PipePipe => Value::of(a != 0 || b != 0),
        K::AmpersandAmpersand => Value::of(a != 0 && b != 0),
        K::Pipe => arithmetic(a | b),
        K::Caret => arithmetic(a ^ b),
        K::Ampersand => arithmetic(a & b),
        K::EqualEqual => Value::of(a == b),
        K::ExclamationEqual => Value::of(a != b),
        K::Less => Value::of(less),
        K::LessEqual => Value::of(less || a == b),
        K::GreaterEqual => Value::of(!less),
        K::Greater if is_double => shift(false),
        K::Greater => Value::of(!less && a != b),
        K::LessLess => shift(true),
        K::Plus => arithmetic(a.wrapping_add(b)),
        K::Minus => arithmetic(a.wrapping_sub(b)),
        K::Star => arithmetic(a.wrapping_mul(b)),
        _ if b == 0 => {
            if live {
                return Err(Failure(span, "division by zero"));
            }
            arithmetic(0)
        }
        K::Slash if is_unsigned => arithmetic((a as u64 / b as u64) as i64),
        K::Slash => arithmetic(a.wrapping_div(b)),
        _ if is_unsigned => arithmetic((a as u64 % b as u64) as i64),
        _ => arithmetic(a.wrapping_rem(b)),
    })
}
