//! Qualified names and template arguments.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics::UNSUPPORTED;
use mw_diagnostics::registry::syntax as codes;

use super::scope::{ScopeId, Scopes, Symbol};
use super::{Failed, Parse, Parser};
use crate::ast::{
    BinaryOp, BuiltinTemplate, Ident, NameSegment, OperatorToken, OverloadedOperator, QualifiedName,
    SegmentKind, TemplateArgument, TemplateArgumentKind,
};
use crate::lex::TokenKind;
use crate::names::{Name, words};

/// What a name is read for: it decides what an unknown name followed by `<` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameUse {
    /// In an expression.
    Expression,
    /// Where a type must stand.
    Type,
    /// Where a name is declared: `<` always begins template arguments.
    Declarator,
}

impl Parser<'_> {
    /// Could a qualified name begin here?
    pub(super) fn starts_name(&self) -> bool {
        match self.kind() {
            TokenKind::ColonColon => true,
            TokenKind::Ident => {
                let name = self.token().name;
                !name.is_keyword() || matches!(name, words::OPERATOR | words::DECLTYPE | words::DECLTYPE_1)
            }
            _ => false,
        }
    }

    /// A name with its qualifiers, and what it is known to be.
    pub(super) fn qualified_name(&mut self, usage: NameUse) -> Parse<(QualifiedName, Symbol)> {
        let start = self.token().span;
        let global = self.eat(TokenKind::ColonColon);
        let mut qualifiers = Vec::new();
        // The scope to look in: none yet, or that of the last qualifier, which may not be known.
        let mut inside: Option<(Option<ScopeId>, bool)> = global.then_some((Some(Scopes::GLOBAL), false));
        loop {
            let (segment, symbol) = self.name_segment(usage, inside)?;
            let is_last_kind = !matches!(segment.kind, SegmentKind::Name(_) | SegmentKind::Decltype(_));
            if !is_last_kind && self.is(TokenKind::ColonColon) && self.continues_name() {
                self.bump();
                inside = Some((symbol.scope, symbol.has(Symbol::DEPENDENT)));
                qualifiers.push(segment);
                continue;
            }
            if matches!(segment.kind, SegmentKind::Decltype(_)) && usage != NameUse::Type {
                return self.expected(&codes::EXPECTED_TOKEN, "`::` after `decltype(…)`");
            }
            let span = self.span_from(start);
            return Ok((QualifiedName { global, qualifiers, last: segment, span }, symbol));
        }
    }

    /// One identifier as a name.
    pub(super) fn simple_name(name: Ident) -> QualifiedName {
        let last = NameSegment { kind: SegmentKind::Name(name.name), arguments: None, span: name.span };
        QualifiedName { global: false, qualifiers: Vec::new(), last, span: name.span }
    }

    /// After a segment and at `::`: does the name go on?
    fn continues_name(&self) -> bool {
        match self.peek_kind(1) {
            TokenKind::Tilde => true,
            TokenKind::Ident => {
                let word = self.peek(1).name;
                !word.is_keyword() || matches!(word, words::TEMPLATE | words::OPERATOR)
            }
            _ => false,
        }
    }

    fn name_segment(
        &mut self,
        usage: NameUse,
        inside: Option<(Option<ScopeId>, bool)>,
    ) -> Parse<(NameSegment, Symbol)> {
        let start = self.token().span;
        match self.word() {
            words::OPERATOR => {
                let kind = self.operator_name()?;
                // Template arguments of an operator, as in `x.template operator()<int>()`.
                let arguments = if self.is(TokenKind::Less) && usage == NameUse::Declarator
                    || self.is(TokenKind::Less)
                        && matches!(kind, SegmentKind::Operator(OverloadedOperator::Call))
                {
                    Some(self.template_arguments()?)
                } else {
                    None
                };
                let span = self.span_from(start);
                return Ok((NameSegment { kind, arguments, span }, Symbol::of(Symbol::VALUE)));
            }
            words::DECLTYPE | words::DECLTYPE_1 if inside.is_none() => {
                let kind = SegmentKind::Decltype(Box::new(self.decltype_operand()?));
                let span = self.span_from(start);
                let symbol = Symbol::of(Symbol::TYPE | Symbol::DEPENDENT);
                return Ok((NameSegment { kind, arguments: None, span }, symbol));
            }
            _ => {}
        }
        if self.is(TokenKind::Tilde) {
            self.bump();
            let name = self.identifier("the name of the class after `~`")?;
            // `~S<T>()`: the arguments add nothing.
            if self.is(TokenKind::Less) {
                self.template_arguments()?;
            }
            let span = self.span_from(start);
            let kind = SegmentKind::Destructor(name.name);
            return Ok((NameSegment { kind, arguments: None, span }, Symbol::of(Symbol::VALUE)));
        }
        let has_template_word = inside.is_some() && self.eat_word(words::TEMPLATE);
        if has_template_word && self.is_word(words::OPERATOR) {
            return self.name_segment(usage, inside);
        }
        let ident = self.identifier("a name")?;
        let mut symbol = self.symbol_of(ident.name, inside);
        let mut arguments = None;
        if self.is(TokenKind::Less) {
            let is_dependent = inside.is_some_and(|(_, is_dependent)| is_dependent);
            let has_arguments = if has_template_word || usage == NameUse::Declarator || symbol.is_template() {
                true
            } else if symbol.is_unknown() {
                match usage {
                    NameUse::Expression if is_dependent => false,
                    NameUse::Expression => self.looks_like_template_arguments(),
                    _ => true,
                }
            } else {
                false
            };
            if has_arguments {
                arguments = Some(self.template_arguments()?);
                if symbol.is_unknown() && symbol.scope.is_none() {
                    symbol = Symbol::with_scope(symbol.flags(), None);
                }
            }
        }
        let span = self.span_from(start);
        Ok((NameSegment { kind: SegmentKind::Name(ident.name), arguments, span }, symbol))
    }

    /// What a name is, here or inside something.
    pub(super) fn symbol_of(&self, name: Name, inside: Option<(Option<ScopeId>, bool)>) -> Symbol {
        match inside {
            None => {
                let symbol = self.scopes.lookup(name);
                if symbol.is_unknown() { self.builtin_symbol(name) } else { symbol }
            }
            Some((Some(scope), is_dependent)) => match self.scopes.member(scope, name) {
                Some(symbol) => symbol,
                None if is_dependent => Symbol::of(Symbol::DEPENDENT),
                None => self.builtin_symbol(name),
            },
            Some((None, is_dependent)) => {
                if is_dependent {
                    Symbol::of(Symbol::DEPENDENT)
                } else {
                    Symbol::default()
                }
            }
        }
    }

    /// Names that no header declares.
    fn builtin_symbol(&self, name: Name) -> Symbol {
        if Self::builtin_template(name).is_some() {
            return Symbol::of(Symbol::TYPE_TEMPLATE);
        }
        if crate::stdlib::is_function_template_name(self.interner.text(name)) {
            return Symbol::of(Symbol::FUNCTION_TEMPLATE);
        }
        Symbol::default()
    }

    /// Type templates that the compiler itself knows.
    pub(super) fn builtin_template(name: Name) -> Option<BuiltinTemplate> {
        Some(match name {
            words::METAL_VEC => BuiltinTemplate::Vector,
            words::METAL_PACKED_VEC => BuiltinTemplate::PackedVector,
            words::METAL_MATRIX => BuiltinTemplate::Matrix,
            words::METAL_SIMDGROUP_MATRIX => BuiltinTemplate::SimdgroupMatrix,
            words::METAL_ATOMIC => BuiltinTemplate::Atomic,
            words::METAL_OPAQUE => BuiltinTemplate::Opaque,
            _ => return None,
        })
    }

    /// An unknown name and `<`: template arguments if they can be read as such and what follows could not
    /// follow a comparison.
    fn looks_like_template_arguments(&mut self) -> bool {
        let follows = self.attempt(|parser| {
            let arguments = parser.template_arguments()?;
            Ok((Self::reads_as_comparison(&arguments), parser.token()))
        });
        let Some((false, next)) = follows else { return false };
        matches!(
            next.kind,
            TokenKind::LeftParen
                | TokenKind::RightParen
                | TokenKind::RightBracket
                | TokenKind::LeftBrace
                | TokenKind::RightBrace
                | TokenKind::Semicolon
                | TokenKind::Comma
                | TokenKind::ColonColon
                | TokenKind::Greater
                | TokenKind::Question
                | TokenKind::Colon
                | TokenKind::Dot
                | TokenKind::Ellipsis
                | TokenKind::EqualEqual
                | TokenKind::ExclamationEqual
                | TokenKind::AmpersandAmpersand
                | TokenKind::PipePipe
                | TokenKind::Eof
        )
    }

    /// `<…>`, at `<`.
    pub(super) fn template_arguments(&mut self) -> Parse<Vec<TemplateArgument>> {
        self.nested(|parser| {
            let open = parser.bump().span;
            let greater_ends = std::mem::replace(&mut parser.greater_ends, true);
            let result = parser.template_argument_list();
            parser.greater_ends = greater_ends;
            let arguments = result?;
            if !parser.is(TokenKind::Greater) {
                return parser.fail(|parser| {
                    let token = parser.token();
                    let found = parser.describe(token);
                    Diagnostic::new(
                        &codes::UNCLOSED_BRACKET,
                        token.span,
                        format!("expected `,` or `>` after a template argument, found {found}"),
                    )
                    .with_label(open, "the arguments begin here")
                });
            }
            parser.bump();
            Ok(arguments)
        })
    }

    fn template_argument_list(&mut self) -> Parse<Vec<TemplateArgument>> {
        let mut arguments = Vec::new();
        if self.is(TokenKind::Greater) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.template_argument()?);
            if !self.eat(TokenKind::Comma) {
                return Ok(arguments);
            }
        }
    }

    /// One argument: a type where it can be one, as C++ has it.
    pub(super) fn template_argument(&mut self) -> Parse<TemplateArgument> {
        let start = self.token().span;
        let kind = if self.starts_type()
            && let Some(ty) = self.attempt_and_keep(|parser| {
                let ty = parser.type_id()?;
                let ends = matches!(
                    parser.kind(),
                    TokenKind::Comma
                        | TokenKind::Greater
                        | TokenKind::GreaterEqual
                        | TokenKind::Ellipsis
                        | TokenKind::RightParen
                );
                if ends { Ok(ty) } else { Err(Failed) }
            }) {
            TemplateArgumentKind::Type(Box::new(ty))
        } else {
            TemplateArgumentKind::Expr(Box::new(self.assignment_expression()?))
        };
        let is_pack_expansion = self.eat(TokenKind::Ellipsis);
        Ok(TemplateArgument { kind, is_pack_expansion, span: self.span_from(start) })
    }

    /// `operator+`, `operator()`, `operator T`, at `operator`.
    fn operator_name(&mut self) -> Parse<SegmentKind> {
        self.bump();
        let simple = |token| SegmentKind::Operator(OverloadedOperator::Arithmetic(token));
        let assign = |op| SegmentKind::Operator(OverloadedOperator::CompoundAssign(op));
        let mut length = 1;
        let kind = match self.kind() {
            TokenKind::LeftParen if self.peek_kind(1) == TokenKind::RightParen => {
                length = 2;
                SegmentKind::Operator(OverloadedOperator::Call)
            }
            TokenKind::LeftBracket if self.peek_kind(1) == TokenKind::RightBracket => {
                length = 2;
                SegmentKind::Operator(OverloadedOperator::Index)
            }
            TokenKind::Greater => match self.joined_greater() {
                Some((TokenKind::Greater, 2)) => {
                    length = 2;
                    simple(OperatorToken::ShiftRight)
                }
                Some((TokenKind::GreaterEqual, 2)) => {
                    length = 2;
                    assign(BinaryOp::ShiftRight)
                }
                _ => simple(OperatorToken::Greater),
            },
            TokenKind::Plus => simple(OperatorToken::Plus),
            TokenKind::Minus => simple(OperatorToken::Minus),
            TokenKind::Star => simple(OperatorToken::Star),
            TokenKind::Slash => simple(OperatorToken::Slash),
            TokenKind::Percent => simple(OperatorToken::Percent),
            TokenKind::Caret => simple(OperatorToken::Caret),
            TokenKind::Ampersand => simple(OperatorToken::Ampersand),
            TokenKind::Pipe => simple(OperatorToken::Pipe),
            TokenKind::Tilde => simple(OperatorToken::Tilde),
            TokenKind::Exclamation => simple(OperatorToken::Exclamation),
            TokenKind::Less => simple(OperatorToken::Less),
            TokenKind::LessEqual => simple(OperatorToken::LessEqual),
            TokenKind::GreaterEqual => simple(OperatorToken::GreaterEqual),
            TokenKind::EqualEqual => simple(OperatorToken::EqualEqual),
            TokenKind::ExclamationEqual => simple(OperatorToken::ExclamationEqual),
            TokenKind::AmpersandAmpersand => simple(OperatorToken::AmpersandAmpersand),
            TokenKind::PipePipe => simple(OperatorToken::PipePipe),
            TokenKind::LessLess => simple(OperatorToken::ShiftLeft),
            TokenKind::Equal => SegmentKind::Operator(OverloadedOperator::Assign),
            TokenKind::PlusEqual => assign(BinaryOp::Add),
            TokenKind::MinusEqual => assign(BinaryOp::Sub),
            TokenKind::StarEqual => assign(BinaryOp::Mul),
            TokenKind::SlashEqual => assign(BinaryOp::Div),
            TokenKind::PercentEqual => assign(BinaryOp::Rem),
            TokenKind::CaretEqual => assign(BinaryOp::Xor),
            TokenKind::AmpersandEqual => assign(BinaryOp::And),
            TokenKind::PipeEqual => assign(BinaryOp::Or),
            TokenKind::LessLessEqual => assign(BinaryOp::ShiftLeft),
            TokenKind::PlusPlus => SegmentKind::Operator(OverloadedOperator::Increment),
            TokenKind::MinusMinus => SegmentKind::Operator(OverloadedOperator::Decrement),
            TokenKind::Comma => SegmentKind::Operator(OverloadedOperator::Comma),
            TokenKind::Arrow => SegmentKind::Operator(OverloadedOperator::Arrow),
            TokenKind::String => {
                return self.fail(|parser| {
                    Diagnostic::new(
                        &UNSUPPORTED,
                        parser.token().span,
                        "this compiler does not read user-defined literals",
                    )
                    .help("write a function with a name")
                });
            }
            _ => return Ok(SegmentKind::Conversion(Box::new(self.conversion_type()?))),
        };
        for _ in 0..length {
            self.bump();
        }
        Ok(kind)
    }

    /// At `>`: the operator that it begins, if `>` or `>=` stands directly behind it.
    pub(super) fn joined_greater(&self) -> Option<(TokenKind, usize)> {
        let (first, second) = (self.token(), self.peek(1));
        let is_joined = second.span.start == first.span.end && second.span.expansion == first.span.expansion;
        match second.kind {
            kind @ (TokenKind::Greater | TokenKind::GreaterEqual) if is_joined => Some((kind, 2)),
            _ => None,
        }
    }
}
