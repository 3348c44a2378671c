//! Attributes, `alignas`, assembler labels and pragmas.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::syntax as codes;

use super::{Parse, Parser};
use crate::ast::{
    Attribute, ContractMode, Ident, MathMode, Pragma, Stage, TemplateArgument, TemplateArgumentKind,
    UnrollHint,
};
use crate::lex::{Token, TokenKind, unescape_string};
use crate::names::{Name, words};

impl Parser<'_> {
    /// Does `[[`, `__attribute__` or `alignas` come next?
    pub(super) fn is_attribute(&self) -> bool {
        match self.kind() {
            TokenKind::LeftBracket => self.peek_kind(1) == TokenKind::LeftBracket,
            TokenKind::Ident => {
                matches!(self.token().name, words::ATTRIBUTE | words::ATTRIBUTE_1 | words::ALIGNAS)
            }
            _ => false,
        }
    }

    /// All attributes that come next.
    pub(super) fn attributes(&mut self, out: &mut Vec<Attribute>) -> Parse<()> {
        while self.is_attribute() {
            match self.word() {
                words::ALIGNAS => {
                    let word = self.bump();
                    let open = self.expect(TokenKind::LeftParen, "after `alignas`")?.span;
                    let argument = self.in_brackets(Self::attribute_argument)?;
                    self.expect_closing(TokenKind::RightParen, open)?;
                    out.push(Attribute {
                        scope: None,
                        name: Ident { name: word.name, span: word.span },
                        arguments: vec![argument],
                        span: self.span_from(word.span),
                    });
                }
                words::ATTRIBUTE | words::ATTRIBUTE_1 => {
                    self.bump();
                    let outer = self.expect(TokenKind::LeftParen, "after `__attribute__`")?.span;
                    let inner = self.expect(TokenKind::LeftParen, "after `__attribute__(`")?.span;
                    self.attribute_list(TokenKind::RightParen, out)?;
                    self.expect_closing(TokenKind::RightParen, inner)?;
                    self.expect_closing(TokenKind::RightParen, outer)?;
                }
                _ => {
                    let outer = self.bump().span;
                    let inner = self.bump().span;
                    self.attribute_list(TokenKind::RightBracket, out)?;
                    self.expect_closing(TokenKind::RightBracket, inner)?;
                    self.expect_closing(TokenKind::RightBracket, outer)?;
                }
            }
        }
        Ok(())
    }

    fn attribute_list(&mut self, close: TokenKind, out: &mut Vec<Attribute>) -> Parse<()> {
        let mut default_scope = None;
        if self.is_word(words::USING) {
            self.bump();
            default_scope = Some(self.identifier("the name of the attributes' scope")?.name);
            self.expect(TokenKind::Colon, "after the attributes' scope")?;
        }
        loop {
            while self.eat(TokenKind::Comma) {}
            if self.is(close) || self.is(TokenKind::Eof) {
                return Ok(());
            }
            // Keywords may be attributes: `[[kernel]]`, `__attribute__((const))`.
            if self.kind() != TokenKind::Ident {
                return self.expected(&codes::EXPECTED_NAME, "the name of an attribute");
            }
            let mut word = self.bump();
            let start = word.span;
            let mut scope = default_scope;
            if self.is(TokenKind::ColonColon) {
                self.bump();
                scope = Some(word.name);
                if self.kind() != TokenKind::Ident {
                    return self.expected(&codes::EXPECTED_NAME, "the name of an attribute");
                }
                word = self.bump();
            }
            let mut arguments = Vec::new();
            if self.is(TokenKind::LeftParen) {
                let open = self.bump().span;
                self.in_brackets(|parser| {
                    while !parser.is(TokenKind::RightParen) {
                        arguments.push(parser.attribute_argument()?);
                        if !parser.eat(TokenKind::Comma) {
                            break;
                        }
                    }
                    Ok(())
                })?;
                self.expect_closing(TokenKind::RightParen, open)?;
            }
            // `__always_inline__` is `always_inline`.
            let name = self.plain_attribute_name(word.name);
            out.push(Attribute {
                scope,
                name: Ident { name, span: word.span },
                arguments,
                span: self.span_from(start),
            });
            self.eat(TokenKind::Ellipsis);
            if !self.is(TokenKind::Comma) && !self.is(close) {
                return self.expected(&codes::EXPECTED_TOKEN, "`,` or the end of the attributes");
            }
        }
    }

    fn plain_attribute_name(&mut self, name: Name) -> Name {
        let text = self.interner.text(name);
        match text.strip_prefix("__").and_then(|text| text.strip_suffix("__")) {
            Some(plain) if !plain.is_empty() => {
                let plain = plain.to_owned();
                self.interner.intern(&plain)
            }
            _ => name,
        }
    }

    fn attribute_argument(&mut self) -> Parse<TemplateArgument> {
        let start = self.token().span;
        let kind = if self.starts_type()
            && let Some(ty) = self.attempt_and_keep(|parser| {
                let ty = parser.type_id()?;
                if matches!(parser.kind(), TokenKind::Comma | TokenKind::RightParen | TokenKind::Ellipsis) {
                    Ok(ty)
                } else {
                    Err(super::Failed)
                }
            }) {
            TemplateArgumentKind::Type(Box::new(ty))
        } else {
            TemplateArgumentKind::Expr(Box::new(self.assignment_expression()?))
        };
        let is_pack_expansion = self.eat(TokenKind::Ellipsis);
        Ok(TemplateArgument { kind, is_pack_expansion, span: self.span_from(start) })
    }

    /// The entry point kind that attributes name.
    pub(super) fn stage_of(attributes: &[Attribute]) -> Option<Stage> {
        attributes.iter().filter(|attribute| attribute.scope.is_none()).find_map(|attribute| {
            Some(match attribute.name.name {
                words::KERNEL => Stage::Kernel,
                words::VERTEX => Stage::Vertex,
                words::FRAGMENT => Stage::Fragment,
                words::VISIBLE => Stage::Visible,
                words::INTERSECTION => Stage::Intersection,
                words::OBJECT => Stage::Object,
                words::MESH => Stage::Mesh,
                _ => return None,
            })
        })
    }

    /// `__asm("name")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Parse<Option<Box<str>>> {
        if !matches!(self.word(), words::ASM | words::ASM_1 | words::ASM_2) {
            return Ok(None);
        }
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "after `asm`")?.span;
        let text = self.string("the name of the symbol")?;
        self.expect_closing(TokenKind::RightParen, open)?;
        Ok(Some(text))
    }

    /// A string literal, adjacent ones joined.
    pub(super) fn string(&mut self, what: &str) -> Parse<Box<str>> {
        if !self.is(TokenKind::String) {
            return self.expected(&codes::EXPECTED_EXPRESSION, what);
        }
        let mut text = String::new();
        while self.is(TokenKind::String) {
            let token = self.bump();
            match unescape_string(self.interner.text(token.name)) {
                Some(part) => text.push_str(&part),
                None => self.report(Diagnostic::new(
                    &mw_diagnostics::registry::preprocess::INVALID_CHARACTER_LITERAL,
                    token.span,
                    "this string has an unknown escape sequence",
                )),
            }
        }
        Ok(text.into())
    }

    /// A pragma between declarations or statements that changes what follows; others are skipped.
    pub(super) fn pragma(&mut self) -> Option<Pragma> {
        let pragma = self.bump();
        let word = self.word();
        let found = match pragma.name {
            words::CONTRACT | words::FP_CONTRACT => match word {
                words::OFF | words::OFF_LOWER => Some(Pragma::Contract(ContractMode::Off)),
                words::ON | words::ON_LOWER => Some(Pragma::Contract(ContractMode::On)),
                words::FAST => Some(Pragma::Contract(ContractMode::Fast)),
                _ => None,
            },
            words::MATH_MODE => match word {
                words::SAFE => Some(Pragma::MathMode(MathMode::Safe)),
                words::RELAXED => Some(Pragma::MathMode(MathMode::Relaxed)),
                words::FAST => Some(Pragma::MathMode(MathMode::Fast)),
                _ => None,
            },
            words::INTERNALS => Some(Pragma::Internals(word == words::ENABLE)),
            _ => {
                self.report(
                    Diagnostic::new(
                        &codes::PRAGMA_WITHOUT_LOOP,
                        pragma.span,
                        "a loop pragma must stand before a `for`, `while` or `do` loop",
                    )
                    .label("no loop follows this"),
                );
                None
            }
        };
        self.skip_pragma();
        found
    }

    /// Moves past the end of a pragma whose first token is behind us.
    fn skip_pragma(&mut self) {
        while !matches!(self.kind(), TokenKind::PragmaEnd | TokenKind::Eof) {
            self.bump();
        }
        self.eat(TokenKind::PragmaEnd);
    }

    /// Is the next token a pragma about loops?
    pub(super) fn is_loop_pragma(token: Token) -> bool {
        token.kind == TokenKind::Pragma && matches!(token.name, words::UNROLL | words::NOUNROLL | words::LOOP)
    }

    /// A pragma about the loop that follows.
    pub(super) fn unroll_hint(&mut self) -> Parse<UnrollHint> {
        let pragma = self.bump();
        let hint = match pragma.name {
            words::NOUNROLL => UnrollHint::Disable,
            words::UNROLL if self.is(TokenKind::PragmaEnd) => UnrollHint::Full,
            words::UNROLL => {
                let count = self.in_brackets(Self::assignment_expression)?;
                UnrollHint::Count(Box::new(count))
            }
            _ => UnrollHint::None,
        };
        self.skip_pragma();
        Ok(hint)
    }
}
