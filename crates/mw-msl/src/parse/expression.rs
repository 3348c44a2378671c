//! Expressions: operators and casts.

use mw_diagnostics::registry::syntax as codes;

use super::{Failed, Parse, Parser};
use crate::ast::{
    BinaryOp, CastStyle, Expr, ExprKind, FoldOp, Ident, InitItem, InitList, SegmentKind, Type, UnaryOp,
};
use crate::ast::{Designator, NameSegment, TemplateArgument, TemplateArgumentKind};
use crate::lex::TokenKind;
use crate::names::words;

/// An operator that comes next: what it is, its precedence, and how many tokens it has.
struct Operator {
    op: BinaryOp,
    precedence: u8,
    length: usize,
}

impl Parser<'_> {
    pub(super) fn expr(&self, kind: ExprKind, start: mw_source::Span) -> Expr {
        Expr { kind, span: self.span_from(start) }
    }

    /// Inside brackets `>` is an operator again.
    pub(super) fn in_brackets<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let greater_ends = std::mem::replace(&mut self.greater_ends, false);
        let result = parse(self);
        self.greater_ends = greater_ends;
        result
    }

    /// An expression, commas included.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let start = self.token().span;
        let mut left = self.assignment_expression()?;
        let mut length = 0;
        while self.is(TokenKind::Comma) && self.peek_kind(1) != TokenKind::Ellipsis {
            length += 1;
            self.lengthen_chain(length)?;
            self.bump();
            let right = self.assignment_expression()?;
            left = self.expr(ExprKind::Comma(Box::new(left), Box::new(right)), start);
        }
        Ok(left)
    }

    /// An expression without commas, or a braced list.
    pub(super) fn initializer_clause(&mut self) -> Parse<Expr> {
        if !self.is(TokenKind::LeftBrace) {
            return self.assignment_expression();
        }
        let start = self.token().span;
        let list = self.init_list()?;
        Ok(self.expr(ExprKind::InitList(list), start))
    }

    /// An expression without commas.
    pub(super) fn assignment_expression(&mut self) -> Parse<Expr> {
        self.nested(|parser| {
            let start = parser.token().span;
            let left = parser.binary_expression(0)?;
            parser.after_binary(left, start)
        })
    }

    /// `? :` or an assignment after its first operand.
    fn after_binary(&mut self, left: Expr, start: mw_source::Span) -> Parse<Expr> {
        if self.is(TokenKind::Question) {
            self.bump();
            let then = self.in_brackets(Self::expression)?;
            self.expect(TokenKind::Colon, "of `? :`")?;
            let otherwise = self.assignment_expression()?;
            let kind = ExprKind::Conditional(Box::new(left), Box::new(then), Box::new(otherwise));
            return Ok(self.expr(kind, start));
        }
        if let Some((op, length)) = self.assignment_operator()
            && self.peek_kind(length) != TokenKind::Ellipsis
        {
            for _ in 0..length {
                self.bump();
            }
            let right = self.initializer_clause()?;
            return Ok(self.expr(ExprKind::Assign(op, Box::new(left), Box::new(right)), start));
        }
        Ok(left)
    }

    /// The assignment that comes next and how many tokens it has.
    fn assignment_operator(&self) -> Option<(Option<BinaryOp>, usize)> {
        let op = match self.kind() {
            TokenKind::Equal => None,
            TokenKind::PlusEqual => Some(BinaryOp::Add),
            TokenKind::MinusEqual => Some(BinaryOp::Sub),
            TokenKind::StarEqual => Some(BinaryOp::Mul),
            TokenKind::SlashEqual => Some(BinaryOp::Div),
            TokenKind::PercentEqual => Some(BinaryOp::Rem),
            TokenKind::CaretEqual => Some(BinaryOp::Xor),
            TokenKind::AmpersandEqual => Some(BinaryOp::And),
            TokenKind::PipeEqual => Some(BinaryOp::Or),
            TokenKind::LessLessEqual => Some(BinaryOp::ShiftLeft),
            TokenKind::Greater if !self.greater_ends => match self.joined_greater() {
                Some((TokenKind::GreaterEqual, length)) => return Some((Some(BinaryOp::ShiftRight), length)),
                _ => return None,
            },
            _ => return None,
        };
        Some((op, 1))
    }

    fn binary_operator(&self) -> Option<Operator> {
        let (op, precedence) = match self.kind() {
            TokenKind::DotStar | TokenKind::ArrowStar => (BinaryOp::MemberPointer, 11),
            TokenKind::Star => (BinaryOp::Mul, 10),
            TokenKind::Slash => (BinaryOp::Div, 10),
            TokenKind::Percent => (BinaryOp::Rem, 10),
            TokenKind::Plus => (BinaryOp::Add, 9),
            TokenKind::Minus => (BinaryOp::Sub, 9),
            TokenKind::LessLess => (BinaryOp::ShiftLeft, 8),
            TokenKind::Less => (BinaryOp::Less, 7),
            TokenKind::LessEqual => (BinaryOp::LessEqual, 7),
            TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, 7),
            TokenKind::Greater if self.greater_ends => return None,
            TokenKind::Greater => match self.joined_greater() {
                Some((TokenKind::Greater, length)) => {
                    // `>>=` is `>` and `>=` to the lexer, `> > =` never an assignment.
                    return Some(Operator { op: BinaryOp::ShiftRight, precedence: 8, length });
                }
                Some(_) => return None,
                None => (BinaryOp::Greater, 7),
            },
            TokenKind::EqualEqual => (BinaryOp::Equal, 6),
            TokenKind::ExclamationEqual => (BinaryOp::NotEqual, 6),
            TokenKind::Ampersand => (BinaryOp::And, 5),
            TokenKind::Caret => (BinaryOp::Xor, 4),
            TokenKind::Pipe => (BinaryOp::Or, 3),
            TokenKind::AmpersandAmpersand => (BinaryOp::LogicalAnd, 2),
            TokenKind::PipePipe => (BinaryOp::LogicalOr, 1),
            _ => return None,
        };
        Some(Operator { op, precedence, length: 1 })
    }

    /// Operands and binary operators that bind tighter than `minimum`.
    fn binary_expression(&mut self, minimum: u8) -> Parse<Expr> {
        let start = self.token().span;
        let mut left = self.unary_expression()?;
        let mut length = 0;
        while let Some(operator) = self.binary_operator() {
            if operator.precedence <= minimum || self.peek_kind(operator.length) == TokenKind::Ellipsis {
                break;
            }
            length += 1;
            self.lengthen_chain(length)?;
            for _ in 0..operator.length {
                self.bump();
            }
            let right = self.binary_expression(operator.precedence)?;
            left = self.expr(ExprKind::Binary(operator.op, Box::new(left), Box::new(right)), start);
        }
        Ok(left)
    }

    /// The operator of a fold that comes next, and how many tokens it has.
    fn fold_operator(&self) -> Option<(FoldOp, usize)> {
        if let Some((op, length)) = self.assignment_operator() {
            return Some((FoldOp::Assign(op), length));
        }
        if self.is(TokenKind::Comma) {
            return Some((FoldOp::Comma, 1));
        }
        self.binary_operator().map(|operator| (FoldOp::Binary(operator.op), operator.length))
    }

    pub(super) fn unary_expression(&mut self) -> Parse<Expr> {
        let start = self.token().span;
        let op = match self.kind() {
            TokenKind::Plus => UnaryOp::Plus,
            TokenKind::Minus => UnaryOp::Minus,
            TokenKind::Exclamation => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::Complement,
            TokenKind::Star => UnaryOp::Deref,
            TokenKind::Ampersand => UnaryOp::AddressOf,
            TokenKind::PlusPlus => UnaryOp::PreIncrement,
            TokenKind::MinusMinus => UnaryOp::PreDecrement,
            TokenKind::LeftParen => {
                if let Some(ty) = self.cast_type() {
                    return self.nested(|parser| parser.cast_operand(ty, start));
                }
                return self.postfix_expression();
            }
            TokenKind::Ident => return self.word_expression(),
            _ => return self.postfix_expression(),
        };
        self.nested(|parser| {
            parser.bump();
            let operand = parser.unary_expression()?;
            Ok(parser.expr(ExprKind::Unary(op, Box::new(operand)), start))
        })
    }

    /// At `(`: the type of a C-style cast, with the cursor behind `)`; `None` if it is no cast.
    fn cast_type(&mut self) -> Option<Type> {
        let next = self.peek(1);
        match next.kind {
            TokenKind::ColonColon => {}
            TokenKind::Ident => {
                let word = next.name;
                if !word.is_keyword() {
                    // Known values end the search at once.
                    let symbol = self.scopes.lookup(word);
                    let after = self.peek_kind(2);
                    if !symbol.is_type() && !symbol.is_unknown() && after != TokenKind::ColonColon {
                        return None;
                    }
                    if symbol.is_unknown()
                        && after == TokenKind::RightParen
                        && Self::builtin_template(word).is_none()
                    {
                        // `(a) b`, `(a) 1`: only a cast reads like that.
                        let is_cast = match self.peek_kind(3) {
                            TokenKind::Ident => {
                                let next = self.peek(3).name;
                                !next.is_keyword()
                                    || Self::is_type_word(next)
                                    || matches!(
                                        next,
                                        words::STATIC_CAST | words::TRUE | words::FALSE | words::THIS
                                    )
                            }
                            TokenKind::Number
                            | TokenKind::Char
                            | TokenKind::String
                            | TokenKind::Tilde
                            | TokenKind::Exclamation
                            | TokenKind::LeftBrace => true,
                            _ => false,
                        };
                        if !is_cast {
                            return None;
                        }
                        self.bump();
                        let ty = self.attempt_and_keep(Self::type_id);
                        self.bump();
                        return ty;
                    }
                }
            }
            _ => return None,
        }
        self.at += 1;
        let starts_type = self.starts_type();
        self.at -= 1;
        if !starts_type {
            return None;
        }
        self.attempt_and_keep(|parser| {
            parser.bump();
            let ty = parser.in_brackets(Self::type_id)?;
            if !parser.eat(TokenKind::RightParen) {
                return Err(Failed);
            }
            // What cannot begin an operand makes the parentheses an expression after all.
            match parser.kind() {
                TokenKind::RightParen
                | TokenKind::RightBracket
                | TokenKind::RightBrace
                | TokenKind::Semicolon
                | TokenKind::Comma
                | TokenKind::Dot
                | TokenKind::Arrow
                | TokenKind::Question
                | TokenKind::Colon
                | TokenKind::Equal
                | TokenKind::Greater
                | TokenKind::Slash
                | TokenKind::Percent
                | TokenKind::EqualEqual
                | TokenKind::ExclamationEqual
                | TokenKind::PipePipe
                | TokenKind::Ellipsis
                | TokenKind::Eof => Err(Failed),
                _ => Ok(ty),
            }
        })
    }

    fn cast_operand(&mut self, ty: Type, start: mw_source::Span) -> Parse<Expr> {
        if self.is(TokenKind::LeftBrace) {
            // `(T){a, b}`, C's compound literal.
            let list = self.init_list()?;
            let literal = self.expr(ExprKind::ConstructBraced(Box::new(ty), list), start);
            return self.postfix_suffixes(literal, start);
        }
        let operand = self.unary_expression()?;
        Ok(self.expr(ExprKind::Cast(CastStyle::C, Box::new(ty), Box::new(operand)), start))
    }

    /// Operators that are words.
    fn word_expression(&mut self) -> Parse<Expr> {
        let start = self.token().span;
        match self.token().name {
            words::SIZEOF => self.nested(Self::sizeof_expression),
            words::ALIGNOF | words::ALIGNOF_1 | words::ALIGNOF_2 => {
                self.bump();
                let open = self.expect(TokenKind::LeftParen, "after `alignof`")?.span;
                let ty = self.in_brackets(Self::type_id)?;
                self.expect_closing(TokenKind::RightParen, open)?;
                Ok(self.expr(ExprKind::AlignofType(Box::new(ty)), start))
            }
            words::NOEXCEPT => {
                self.bump();
                let open = self.expect(TokenKind::LeftParen, "after `noexcept`")?.span;
                let operand = self.in_brackets(Self::expression)?;
                self.expect_closing(TokenKind::RightParen, open)?;
                Ok(self.expr(ExprKind::Noexcept(Box::new(operand)), start))
            }
            words::EXTENSION => {
                self.bump();
                self.nested(Self::unary_expression)
            }
            words::THROW => {
                self.bump();
                if !matches!(self.kind(), TokenKind::Semicolon | TokenKind::RightParen | TokenKind::Comma) {
                    self.assignment_expression()?;
                }
                Ok(self.expr(ExprKind::Forbidden("throw"), start))
            }
            words::NEW => self.nested(Self::new_expression),
            words::DELETE => self.nested(|parser| {
                parser.bump();
                if parser.is(TokenKind::LeftBracket) && parser.peek_kind(1) == TokenKind::RightBracket {
                    parser.bump();
                    parser.bump();
                }
                parser.unary_expression()?;
                Ok(parser.expr(ExprKind::Forbidden("delete"), start))
            }),
            word @ (words::CO_AWAIT | words::CO_YIELD)
                if self.scopes.lookup(word).is_unknown()
                    && matches!(self.peek_kind(1), TokenKind::Ident | TokenKind::Number) =>
            {
                self.bump();
                self.nested(Self::unary_expression)?;
                let text = if word == words::CO_AWAIT { "co_await" } else { "co_yield" };
                Ok(self.expr(ExprKind::Forbidden(text), start))
            }
            _ => self.postfix_expression(),
        }
    }

    fn sizeof_expression(&mut self) -> Parse<Expr> {
        let start = self.bump().span;
        if self.is(TokenKind::Ellipsis) {
            self.bump();
            let open = self.expect(TokenKind::LeftParen, "after `sizeof...`")?.span;
            let pack = self.identifier("the name of a pack")?;
            self.expect_closing(TokenKind::RightParen, open)?;
            return Ok(self.expr(ExprKind::SizeofPack(pack), start));
        }
        if self.is(TokenKind::LeftParen) {
            self.at += 1;
            let may_be_type = self.starts_type();
            self.at -= 1;
            if may_be_type {
                let ty = self.attempt_and_keep(|parser| {
                    parser.bump();
                    let ty = parser.in_brackets(Self::type_id)?;
                    if parser.eat(TokenKind::RightParen) { Ok(ty) } else { Err(Failed) }
                });
                if let Some(ty) = ty {
                    return Ok(self.expr(ExprKind::SizeofType(Box::new(ty)), start));
                }
            }
        }
        let operand = self.unary_expression()?;
        Ok(self.expr(ExprKind::SizeofExpr(Box::new(operand)), start))
    }

    fn new_expression(&mut self) -> Parse<Expr> {
        let start = self.bump().span;
        if self.is(TokenKind::LeftParen) {
            self.skip_group();
        }
        if self.starts_type() {
            self.type_id()?;
        }
        match self.kind() {
            TokenKind::LeftParen | TokenKind::LeftBrace => self.skip_group(),
            _ => {}
        }
        Ok(self.expr(ExprKind::Forbidden("new"), start))
    }

    fn postfix_expression(&mut self) -> Parse<Expr> {
        let start = self.token().span;
        let primary = self.primary_expression()?;
        self.postfix_suffixes(primary, start)
    }

    /// Calls, subscripts, members and the like after `operand`.
    pub(super) fn postfix_suffixes(&mut self, mut operand: Expr, start: mw_source::Span) -> Parse<Expr> {
        let mut length = 0;
        loop {
            let kind = match self.kind() {
                TokenKind::LeftParen => {
                    let arguments = self.call_arguments()?;
                    ExprKind::Call(Box::new(operand), arguments)
                }
                TokenKind::LeftBracket => {
                    let open = self.bump().span;
                    let index = self.in_brackets(|parser| {
                        if parser.is(TokenKind::LeftBrace) {
                            parser.initializer_clause()
                        } else {
                            parser.expression()
                        }
                    })?;
                    self.expect_closing(TokenKind::RightBracket, open)?;
                    ExprKind::Index(Box::new(operand), Box::new(index))
                }
                TokenKind::Dot | TokenKind::Arrow => {
                    let is_arrow = self.bump().kind == TokenKind::Arrow;
                    let (qualifiers, name) = self.member_name()?;
                    ExprKind::Member { object: Box::new(operand), is_arrow, qualifiers, name: Box::new(name) }
                }
                TokenKind::PlusPlus => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostIncrement, Box::new(operand))
                }
                TokenKind::MinusMinus => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::PostDecrement, Box::new(operand))
                }
                _ => return Ok(operand),
            };
            length += 1;
            self.lengthen_chain(length)?;
            operand = self.expr(kind, start);
        }
    }

    /// The name after `.` or `->`, with what stands before its last `::`.
    fn member_name(&mut self) -> Parse<(Vec<NameSegment>, NameSegment)> {
        let mut qualifiers = Vec::new();
        loop {
            let segment = self.member_segment()?;
            if self.is(TokenKind::ColonColon) && matches!(segment.kind, SegmentKind::Name(_)) {
                self.bump();
                qualifiers.push(segment);
                continue;
            }
            return Ok((qualifiers, segment));
        }
    }

    fn member_segment(&mut self) -> Parse<NameSegment> {
        let start = self.token().span;
        let is_template = self.eat_word(words::TEMPLATE);
        if self.is_word(words::OPERATOR) || self.is(TokenKind::Tilde) {
            // Read as any other name; what it names is looked up later.
            let (name, _) = self.qualified_name(super::name::NameUse::Expression)?;
            return Ok(name.last);
        }
        let name = self.identifier("the name of a member")?;
        let mut arguments = None;
        if self.is(TokenKind::Less) && (is_template || self.member_has_arguments()) {
            arguments = Some(self.template_arguments()?);
        }
        Ok(NameSegment { kind: SegmentKind::Name(name.name), arguments, span: self.span_from(start) })
    }

    /// `a.b<c>(`: a call of a member template, since nobody compares like that.
    fn member_has_arguments(&mut self) -> bool {
        if matches!(self.peek_kind(1), TokenKind::Number)
            && !matches!(self.peek_kind(2), TokenKind::Greater | TokenKind::Comma)
        {
            return false;
        }
        self.attempt(|parser| {
            let arguments = parser.template_arguments()?;
            if parser.is(TokenKind::LeftParen) && !Self::reads_as_comparison(&arguments) {
                Ok(())
            } else {
                Err(Failed)
            }
        })
        .is_some()
    }

    /// `a < b && c > (d)`: what would be arguments has operators that people put between comparisons.
    pub(super) fn reads_as_comparison(arguments: &[TemplateArgument]) -> bool {
        arguments.iter().any(|argument| match &argument.kind {
            TemplateArgumentKind::Expr(value) => match value.kind {
                ExprKind::Binary(op, ..) => matches!(
                    op,
                    BinaryOp::LogicalAnd
                        | BinaryOp::LogicalOr
                        | BinaryOp::Less
                        | BinaryOp::LessEqual
                        | BinaryOp::GreaterEqual
                        | BinaryOp::Equal
                        | BinaryOp::NotEqual
                ),
                ExprKind::Conditional(..) | ExprKind::Assign(..) => true,
                _ => false,
            },
            TemplateArgumentKind::Type(_) => false,
        })
    }

    /// `(a, b)`, at the parenthesis.
    pub(super) fn call_arguments(&mut self) -> Parse<Vec<Expr>> {
        let open = self.bump().span;
        let mut arguments = Vec::new();
        self.in_brackets(|parser| {
            while !parser.is(TokenKind::RightParen) {
                arguments.push(parser.argument()?);
                if !parser.eat(TokenKind::Comma) {
                    break;
                }
                if parser.is(TokenKind::RightParen) {
                    return parser.expected(&codes::EXPECTED_EXPRESSION, "an argument after `,`");
                }
            }
            Ok(())
        })?;
        self.expect_closing(TokenKind::RightParen, open)?;
        Ok(arguments)
    }

    /// An argument or element of a list, perhaps a pack's expansion.
    fn argument(&mut self) -> Parse<Expr> {
        let start = self.token().span;
        let value = self.initializer_clause()?;
        if self.eat(TokenKind::Ellipsis) {
            return Ok(self.expr(ExprKind::PackExpansion(Box::new(value)), start));
        }
        Ok(value)
    }

    /// `{a, .b = c}`, at the brace.
    pub(super) fn init_list(&mut self) -> Parse<InitList> {
        self.nested(|parser| {
            let open = parser.bump().span;
            let mut items = Vec::new();
            parser.in_brackets(|parser| {
                while !parser.is(TokenKind::RightBrace) {
                    let designators = parser.designators()?;
                    let value = if designators.is_empty() {
                        parser.argument()?
                    } else {
                        parser.eat(TokenKind::Equal);
                        parser.initializer_clause()?
                    };
                    items.push(InitItem { designators, value });
                    if !parser.eat(TokenKind::Comma) {
                        break;
                    }
                }
                Ok(())
            })?;
            parser.expect_closing(TokenKind::RightBrace, open)?;
            Ok(InitList { items, span: parser.span_from(open) })
        })
    }

    fn designators(&mut self) -> Parse<Vec<Designator>> {
        let mut designators = Vec::new();
        loop {
            match self.kind() {
                TokenKind::Dot => {
                    self.bump();
                    designators.push(Designator::Field(self.identifier("the name of a member")?));
                }
                // `[0] = a`: after `]` a lambda would not have `=`, `.` or `[`.
                TokenKind::LeftBracket if !designators.is_empty() || self.is_array_designator() => {
                    let open = self.bump().span;
                    let index = self.in_brackets(Self::assignment_expression)?;
                    let designator = if self.eat(TokenKind::Ellipsis) {
                        Designator::IndexRange(index, self.in_brackets(Self::assignment_expression)?)
                    } else {
                        Designator::Index(index)
                    };
                    self.expect_closing(TokenKind::RightBracket, open)?;
                    designators.push(designator);
                }
                _ => return Ok(designators),
            }
        }
    }

    fn is_array_designator(&mut self) -> bool {
        self.attempt(|parser| {
            parser.bump();
            parser.in_brackets(Self::assignment_expression)?;
            if parser.eat(TokenKind::Ellipsis) {
                return Ok(());
            }
            if parser.eat(TokenKind::RightBracket)
                && matches!(parser.kind(), TokenKind::Equal | TokenKind::Dot | TokenKind::LeftBracket)
            {
                Ok(())
            } else {
                Err(Failed)
            }
        })
        .is_some()
    }

    /// `(e)` or a fold, at the parenthesis.
    pub(super) fn paren_expression(&mut self) -> Parse<Expr> {
        let start = self.token().span;
        self.nested(|parser| {
            parser.bump();
            let kind = parser.in_brackets(Self::paren_content)?;
            parser.expect_closing(TokenKind::RightParen, start)?;
            Ok(parser.expr(kind, start))
        })
    }

    fn paren_content(&mut self) -> Parse<ExprKind> {
        if self.is(TokenKind::Ellipsis) {
            // `(... op pack)`
            self.bump();
            let Some((op, length)) = self.fold_operator() else {
                return self.expected(&codes::EXPECTED_EXPRESSION, "the operator of a fold");
            };
            for _ in 0..length {
                self.bump();
            }
            let right = self.unary_expression()?;
            return Ok(ExprKind::Fold { op, left: None, right: Some(Box::new(right)) });
        }
        let left = self.expression()?;
        if let Some((op, length)) = self.fold_operator()
            && self.peek_kind(length) == TokenKind::Ellipsis
        {
            for _ in 0..=length {
                self.bump();
            }
            let mut right = None;
            if !self.is(TokenKind::RightParen) {
                // `(pack op ... op init)`: the operator again.
                match self.fold_operator() {
                    Some((again, length)) if again == op => {
                        for _ in 0..length {
                            self.bump();
                        }
                        right = Some(Box::new(self.unary_expression()?));
                    }
                    _ => {
                        return self
                            .expected(&codes::EXPECTED_EXPRESSION, "`)` or the fold's operator again");
                    }
                }
            }
            return Ok(match right {
                // With both sides the pack may be either; the tree keeps them in written order.
                right @ Some(_) => ExprKind::Fold { op, left: Some(Box::new(left)), right },
                None => ExprKind::Fold { op, left: Some(Box::new(left)), right: None },
            });
        }
        Ok(ExprKind::Paren(Box::new(left)))
    }

    pub(super) fn plain_name(segment: &NameSegment) -> Option<Ident> {
        match (&segment.kind, &segment.arguments) {
            (SegmentKind::Name(name), None) => Some(Ident { name: *name, span: segment.span }),
            _ => None,
        }
    }
}
