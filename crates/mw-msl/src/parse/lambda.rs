//! Lambda expressions.

use mw_diagnostics::registry::syntax as codes;

use super::scope::Symbol;
use super::{Parse, Parser};
use crate::ast::{
    Capture, CaptureMode, Expr, ExprKind, FunctionType, Lambda, ParameterList, Qualifiers, Type, TypeKind,
};
use crate::lex::TokenKind;
use crate::names::words;

impl Parser<'_> {
    /// `[captures](parameters) -> T { … }`, at the bracket.
    pub(super) fn lambda(&mut self) -> Parse<Expr> {
        self.nested(|parser| {
            let start = parser.token().span;
            let level = parser.scopes.level();
            let in_lambda = std::mem::replace(&mut parser.in_lambda, true);
            let lambda = parser.in_brackets(Self::lambda_inner);
            parser.in_lambda = in_lambda;
            parser.scopes.leave(level);
            Ok(parser.expr(ExprKind::Lambda(Box::new(lambda?)), start))
        })
    }

    fn lambda_inner(&mut self) -> Parse<Lambda> {
        let open = self.bump().span;
        self.scopes.enter_local();
        let mut default_capture = None;
        let mut captures = Vec::new();
        match (self.kind(), self.peek_kind(1)) {
            (TokenKind::Equal, _) => default_capture = Some(CaptureMode::Value),
            (TokenKind::Ampersand, TokenKind::Comma | TokenKind::RightBracket) => {
                default_capture = Some(CaptureMode::Reference);
            }
            _ => {}
        }
        if default_capture.is_some() {
            self.bump();
            if !self.is(TokenKind::RightBracket) {
                self.expect(TokenKind::Comma, "between captures")?;
            }
        }
        while !self.is(TokenKind::RightBracket) {
            captures.push(self.capture()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_closing(TokenKind::RightBracket, open)?;

        let mut template_parameters = Vec::new();
        if self.is(TokenKind::Less) {
            template_parameters = self.template_parameters()?;
        }
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let parameters =
            if self.is(TokenKind::LeftParen) { self.parameters()? } else { ParameterList::default() };
        let mut qualifiers = Qualifiers::default();
        let (mut is_mutable, mut is_constexpr) = (false, false);
        loop {
            match self.word() {
                words::MUTABLE => {
                    self.bump();
                    is_mutable = true;
                }
                words::CONSTEXPR => {
                    self.bump();
                    is_constexpr = true;
                }
                words::NOEXCEPT => {
                    self.bump();
                    if self.is(TokenKind::LeftParen) {
                        self.skip_group();
                    }
                }
                _ if self.is_attribute() => self.attributes(&mut attributes)?,
                _ => {
                    if !self.eat_qualifier(&mut qualifiers) {
                        break;
                    }
                }
            }
        }
        let here = self.previous_span().after();
        let has_trailing_result = self.eat(TokenKind::Arrow);
        let result = if has_trailing_result {
            self.type_id()?
        } else {
            Type { kind: TypeKind::Auto, qualifiers: Qualifiers::default(), span: here }
        };
        let signature = FunctionType {
            result,
            parameters,
            qualifiers,
            ref_qualifier: None,
            has_trailing_result,
            attributes: Vec::new(),
        };
        if !self.is(TokenKind::LeftBrace) {
            return self.expected(&codes::EXPECTED_TOKEN, "`{` before the body of the lambda");
        }
        let body = self.block()?;
        Ok(Lambda {
            default_capture,
            captures,
            template_parameters,
            signature,
            is_mutable,
            is_constexpr,
            attributes,
            body,
        })
    }

    fn capture(&mut self) -> Parse<Capture> {
        let start = self.token().span;
        if self.is(TokenKind::Star) && self.peek_word(1) == words::THIS {
            self.bump();
            self.bump();
            return Ok(Capture {
                mode: CaptureMode::Value,
                name: None,
                initializer: None,
                is_pack_expansion: false,
                span: self.span_from(start),
            });
        }
        if self.eat_word(words::THIS) {
            return Ok(Capture {
                mode: CaptureMode::Reference,
                name: None,
                initializer: None,
                is_pack_expansion: false,
                span: start,
            });
        }
        let mode = if self.eat(TokenKind::Ampersand) { CaptureMode::Reference } else { CaptureMode::Value };
        let mut is_pack_expansion = self.eat(TokenKind::Ellipsis);
        let name = self.identifier("the name of a captured variable")?;
        is_pack_expansion |= self.eat(TokenKind::Ellipsis);
        let initializer = match self.kind() {
            TokenKind::Equal => {
                self.bump();
                Some(self.initializer_clause()?)
            }
            TokenKind::LeftBrace => Some(self.initializer_clause()?),
            TokenKind::LeftParen => Some(self.paren_expression()?),
            _ => None,
        };
        if initializer.is_some() {
            self.scopes.declare(name.name, Symbol::of(Symbol::VALUE));
        }
        Ok(Capture { mode, name: Some(name), initializer, is_pack_expansion, span: self.span_from(start) })
    }
}
