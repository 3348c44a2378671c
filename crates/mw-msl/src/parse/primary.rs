//! Primary expressions: literals, names, constructions and named casts.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::{preprocess as lexical, syntax as codes};

use super::name::NameUse;
use super::{Parse, Parser};
use crate::ast::{CastStyle, Expr, ExprKind, Ident, Qualifiers, SegmentKind, Type, TypeKind};
use crate::lex::{Number, TokenKind, parse_number, unescape_char};
use crate::names::words;
use crate::types::Scalar;

impl Parser<'_> {
    pub(super) fn primary_expression(&mut self) -> Parse<Expr> {
        let token = self.token();
        let start = token.span;
        let kind = match token.kind {
            TokenKind::Number => {
                self.bump();
                let text = self.interner.text(token.name);
                match parse_number(text) {
                    Ok(Number::Int(value, ty)) => ExprKind::Int(value, ty),
                    Ok(Number::Float { value, ty, has_suffix }) => ExprKind::Float { value, ty, has_suffix },
                    Err(error) => {
                        let message = error.message(text);
                        self.report(
                            Diagnostic::new(&lexical::INVALID_NUMBER, start, message)
                                .note("suffixes are `u`, `l`, `ul` of integers and `f`, `h`, `bf` of floating-point numbers"),
                        );
                        ExprKind::Error
                    }
                }
            }
            TokenKind::Char => {
                self.bump();
                if let Some(value) = unescape_char(self.interner.text(token.name)) {
                    ExprKind::Int(value, Scalar::Char)
                } else {
                    self.report(Diagnostic::new(
                        &lexical::INVALID_CHARACTER_LITERAL,
                        start,
                        "a character literal is one character or one escape sequence",
                    ));
                    ExprKind::Error
                }
            }
            TokenKind::String => ExprKind::String(self.string("a string")?),
            TokenKind::LeftParen => return self.paren_expression(),
            TokenKind::LeftBracket => return self.lambda(),
            TokenKind::ColonColon => return self.name_expression(),
            TokenKind::Ident => return self.primary_word(),
            _ => return self.expected(&codes::EXPECTED_EXPRESSION, "an expression"),
        };
        Ok(self.expr(kind, start))
    }

    fn primary_word(&mut self) -> Parse<Expr> {
        let token = self.token();
        let start = token.span;
        let word = token.name;
        if !word.is_keyword() {
            return self.name_expression();
        }
        let kind = match word {
            words::TRUE => ExprKind::Bool(true),
            words::FALSE => ExprKind::Bool(false),
            words::NULLPTR => ExprKind::Null,
            words::THIS => ExprKind::This,
            words::STATIC_CAST => return self.named_cast(CastStyle::Static),
            words::REINTERPRET_CAST => return self.named_cast(CastStyle::Reinterpret),
            words::CONST_CAST => return self.named_cast(CastStyle::Const),
            words::DYNAMIC_CAST => return self.named_cast(CastStyle::Dynamic),
            words::TYPEID => {
                self.bump();
                if self.is(TokenKind::LeftParen) {
                    self.skip_group();
                }
                return Ok(self.expr(ExprKind::Forbidden("typeid"), start));
            }
            words::OPERATOR => return self.name_expression(),
            words::DECLTYPE | words::DECLTYPE_1 => {
                // `decltype(x)::value` is a name, `decltype(x)(y)` a construction.
                let is_name = self
                    .attempt(|parser| {
                        parser.decltype_operand()?;
                        Ok(parser.is(TokenKind::ColonColon))
                    })
                    .unwrap_or(false);
                return if is_name { self.name_expression() } else { self.construction() };
            }
            words::TYPENAME | words::TYPEOF | words::UNDERLYING_TYPE => return self.construction(),
            _ if Self::is_type_word(word) => return self.construction(),
            _ => return self.expected(&codes::EXPECTED_EXPRESSION, "an expression"),
        };
        self.bump();
        Ok(self.expr(kind, start))
    }

    /// `T(a)` or `T{a}` where the type begins with a keyword.
    fn construction(&mut self) -> Parse<Expr> {
        let start = self.token().span;
        let spec = self.decl_spec(None)?;
        self.construction_of(spec.ty, start)
    }

    fn construction_of(&mut self, ty: Type, start: mw_source::Span) -> Parse<Expr> {
        let kind = match self.kind() {
            TokenKind::LeftParen => ExprKind::Construct(Box::new(ty), self.call_arguments()?),
            TokenKind::LeftBrace => ExprKind::ConstructBraced(Box::new(ty), self.init_list()?),
            _ => {
                return self.fail(|parser| {
                    let found = parser.describe(parser.token());
                    Diagnostic::new(
                        &codes::EXPECTED_EXPRESSION,
                        ty.span,
                        format!("expected an expression, found a type followed by {found}"),
                    )
                    .label("this is a type")
                    .help("write `T(value)` to make a value of it")
                });
            }
        };
        Ok(self.expr(kind, start))
    }

    /// A name, and a construction if the name is a type.
    fn name_expression(&mut self) -> Parse<Expr> {
        let token = self.token();
        let start = token.span;
        if token.kind == TokenKind::Ident
            && self.peek_kind(1) == TokenKind::LeftParen
            && super::is_type_trait(self.interner.text(token.name))
            && self.scopes.lookup(token.name).is_unknown()
        {
            return self.type_trait();
        }
        if matches!(token.name, words::FUNC | words::FUNCTION | words::PRETTY_FUNCTION)
            && token.kind == TokenKind::Ident
        {
            self.bump();
            return Ok(self.expr(ExprKind::String("".into()), start));
        }
        let (name, symbol) = self.qualified_name(NameUse::Expression)?;
        let is_type = symbol.is_type();
        let constructs = matches!(name.last.kind, SegmentKind::Name(_))
            && match self.kind() {
                TokenKind::LeftParen => is_type,
                TokenKind::LeftBrace => is_type || symbol.is_unknown(),
                _ => false,
            };
        if constructs {
            let span = name.span;
            let kind = Self::named_type(name);
            let ty = Type { kind, qualifiers: Qualifiers::default(), span };
            return self.construction_of(ty, start);
        }
        if let SegmentKind::Name(word) = name.last.kind
            && Self::builtin_template(word).is_some()
        {
            let span = name.span;
            let kind = Self::named_type(name);
            if !matches!(kind, TypeKind::Named(_)) {
                let ty = Type { kind, qualifiers: Qualifiers::default(), span };
                return self.construction_of(ty, start);
            }
            return self.expected(&codes::EXPECTED_EXPRESSION, "an expression");
        }
        Ok(self.expr(ExprKind::Name(Box::new(name)), start))
    }

    /// `__is_same(T, U)`
    fn type_trait(&mut self) -> Parse<Expr> {
        let token = self.bump();
        let open = self.bump().span;
        let mut arguments = Vec::new();
        self.in_brackets(|parser| {
            while !parser.is(TokenKind::RightParen) {
                arguments.push(parser.template_argument()?);
                if !parser.eat(TokenKind::Comma) {
                    break;
                }
            }
            Ok(())
        })?;
        self.expect_closing(TokenKind::RightParen, open)?;
        let name = Ident { name: token.name, span: token.span };
        Ok(self.expr(ExprKind::TypeTrait(name, arguments), token.span))
    }

    /// `static_cast<T>(e)`
    fn named_cast(&mut self, style: CastStyle) -> Parse<Expr> {
        let start = self.bump().span;
        let less = self.expect(TokenKind::Less, "after the name of the cast")?.span;
        let greater_ends = std::mem::replace(&mut self.greater_ends, true);
        let ty = self.type_id();
        self.greater_ends = greater_ends;
        let ty = ty?;
        self.expect_closing(TokenKind::Greater, less)?;
        let open = self.expect(TokenKind::LeftParen, "after the type of the cast")?.span;
        let operand = self.in_brackets(Self::expression)?;
        self.expect_closing(TokenKind::RightParen, open)?;
        Ok(self.expr(ExprKind::Cast(style, Box::new(ty), Box::new(operand)), start))
    }
}
