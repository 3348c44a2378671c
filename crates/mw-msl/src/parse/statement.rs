//! Statements.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::syntax as codes;
use mw_source::Span;

use super::declaration::Entity;
use super::declarator::Place;
use super::name::NameUse;
use super::{Failed, Parse, Parser};
use crate::ast::{
    Attribute, Condition, Decl, DeclKind, Expr, SegmentKind, Stmt, StmtKind, UnrollHint, VariableDecl,
};
use crate::lex::TokenKind;
use crate::names::words;

impl Parser<'_> {
    fn stmt(&self, kind: StmtKind, start: Span) -> Stmt {
        Stmt { kind, attributes: Vec::new(), span: self.span_from(start) }
    }

    /// `{ … }`, at the brace.
    pub(super) fn block(&mut self) -> Parse<Stmt> {
        self.nested(|parser| {
            let open = parser.bump().span;
            let level = parser.scopes.level();
            parser.scopes.enter_local();
            let entity = std::mem::take(&mut parser.entity);
            let greater_ends = std::mem::replace(&mut parser.greater_ends, false);
            let mut statements = Vec::new();
            let result = parser.statements(&mut statements);
            parser.greater_ends = greater_ends;
            parser.entity = entity;
            parser.scopes.leave(level);
            result?;
            if parser.trying > 0 && !parser.is(TokenKind::RightBrace) {
                return Err(Failed);
            }
            parser.close_brace(open);
            Ok(parser.stmt(StmtKind::Block(statements), open))
        })
    }

    /// Statements up to `}` or the end of the file.
    fn statements(&mut self, out: &mut Vec<Stmt>) -> Parse<()> {
        while !matches!(self.kind(), TokenKind::RightBrace | TokenKind::Eof) {
            let start = self.at;
            let span = self.token().span;
            let level = self.scopes.level();
            let result = self.statement_into(out);
            if let Err(failed) = result {
                if self.trying > 0 {
                    return Err(failed);
                }
                self.scopes.leave(level);
                self.delayed_body = None;
                self.entity = Entity::default();
                self.greater_ends = false;
                self.recover(start);
                if self.at == start {
                    self.bump();
                }
                out.push(self.stmt(StmtKind::Error, span));
            }
        }
        Ok(())
    }

    /// One statement, or the declarations of one.
    fn statement_into(&mut self, out: &mut Vec<Stmt>) -> Parse<()> {
        if !self.in_lambda {
            self.chain = 0;
        }
        let start = self.token().span;
        let mut attributes = Vec::new();
        if self.is_attribute() && self.is_attributed_statement() {
            self.attributes(&mut attributes)?;
        }
        if attributes.is_empty() && self.is_declaration() {
            let mut decls = Vec::new();
            self.declaration(None, Place::Block, &mut decls)?;
            for decl in decls {
                let span = decl.span;
                out.push(Stmt { kind: StmtKind::Decl(Box::new(decl)), attributes: Vec::new(), span });
            }
            return Ok(());
        }
        let mut statement = self.nested(|parser| parser.statement_inner(start))?;
        statement.attributes = attributes;
        out.push(statement);
        Ok(())
    }

    /// Attributes before `for`, `if` and the like belong to the statement, others to a declaration.
    fn is_attributed_statement(&mut self) -> bool {
        self.attempt(|parser| {
            let mut unused: Vec<Attribute> = Vec::new();
            parser.attributes(&mut unused)?;
            Ok(!parser.is_declaration())
        })
        .unwrap_or(false)
    }

    /// One statement where only one may stand, such as the body of an `if`.
    pub(super) fn statement(&mut self) -> Parse<Stmt> {
        self.nested(|parser| {
            let start = parser.token().span;
            let level = parser.scopes.level();
            parser.scopes.enter_local();
            let mut out = Vec::new();
            let result = parser.statement_into(&mut out);
            parser.scopes.leave(level);
            result?;
            Ok(match (out.len(), out.pop()) {
                (1, Some(statement)) => statement,
                (_, None) => parser.stmt(StmtKind::Empty, start),
                (_, Some(last)) => {
                    out.push(last);
                    parser.stmt(StmtKind::Block(out), start)
                }
            })
        })
    }

    fn statement_inner(&mut self, start: Span) -> Parse<Stmt> {
        let token = self.token();
        let kind = match token.kind {
            TokenKind::LeftBrace => return self.block(),
            TokenKind::Semicolon => {
                self.bump();
                StmtKind::Empty
            }
            TokenKind::Pragma => return self.pragma_statement(start),
            TokenKind::Ident => match token.name {
                words::IF => self.if_statement()?,
                words::FOR => self.for_statement(None)?,
                words::WHILE => self.while_statement(None)?,
                words::DO => self.do_statement(None)?,
                words::SWITCH => self.switch_statement()?,
                words::CASE => self.case_statement()?,
                words::DEFAULT if self.peek_kind(1) == TokenKind::Colon => {
                    self.bump();
                    self.bump();
                    StmtKind::Default(Box::new(self.labeled_statement()?))
                }
                words::BREAK => {
                    self.bump();
                    self.expect_semicolon("`break`")?;
                    StmtKind::Break
                }
                words::CONTINUE => {
                    self.bump();
                    self.expect_semicolon("`continue`")?;
                    StmtKind::Continue
                }
                words::RETURN => {
                    self.bump();
                    let value = if self.is(TokenKind::Semicolon) {
                        None
                    } else {
                        Some(self.initializer_clause_with_commas()?)
                    };
                    self.expect_semicolon("the returned value")?;
                    StmtKind::Return(value)
                }
                words::GOTO => {
                    self.bump();
                    let label = self.identifier("the name of a label")?;
                    self.expect_semicolon("`goto`")?;
                    StmtKind::Goto(label)
                }
                words::TRY => {
                    return self.fail(|_| {
                        Diagnostic::new(&codes::FORBIDDEN_SYNTAX, token.span, "Metal has no exceptions").note(
                            "`try`, `catch` and `throw` are not part of Metal (MSL spec, \"Restrictions\")",
                        )
                    });
                }
                words::ASM | words::ASM_1 | words::ASM_2 => {
                    return self.fail(|_| {
                        Diagnostic::new(&codes::FORBIDDEN_SYNTAX, token.span, "Metal has no inline assembler")
                    });
                }
                words::ELSE => {
                    return self.fail(|_| {
                        Diagnostic::new(&codes::EXPECTED_EXPRESSION, token.span, "`else` without `if`")
                            .help("an `if` takes one statement: put several in `{ }`")
                    });
                }
                _ if self.is_identifier() && self.peek_kind(1) == TokenKind::Colon => {
                    let label = self.identifier("a label")?;
                    self.bump();
                    StmtKind::Label(label, Box::new(self.labeled_statement()?))
                }
                _ => self.expression_statement()?,
            },
            _ => self.expression_statement()?,
        };
        Ok(self.stmt(kind, start))
    }

    fn expression_statement(&mut self) -> Parse<StmtKind> {
        let value = self.expression()?;
        self.expect_semicolon("the expression")?;
        Ok(StmtKind::Expr(value))
    }

    /// What may stand after `return`.
    fn initializer_clause_with_commas(&mut self) -> Parse<Expr> {
        if self.is(TokenKind::LeftBrace) { self.initializer_clause() } else { self.expression() }
    }

    /// The statement after a label; none before `}`.
    fn labeled_statement(&mut self) -> Parse<Stmt> {
        let start = self.token().span;
        if self.is(TokenKind::RightBrace) {
            return Ok(Stmt { kind: StmtKind::Empty, attributes: Vec::new(), span: start.before() });
        }
        // A declaration after a label stays in the enclosing block.
        if self.is_declaration() {
            let mut decls = Vec::new();
            self.declaration(None, Place::Block, &mut decls)?;
            let mut statements: Vec<Stmt> = decls
                .into_iter()
                .map(|decl| {
                    let span = decl.span;
                    Stmt { kind: StmtKind::Decl(Box::new(decl)), attributes: Vec::new(), span }
                })
                .collect();
            return Ok(match (statements.len(), statements.pop()) {
                (1, Some(only)) => only,
                (_, Some(last)) => {
                    statements.push(last);
                    self.stmt(StmtKind::Block(statements), start)
                }
                (_, None) => self.stmt(StmtKind::Empty, start),
            });
        }
        self.statement()
    }

    fn pragma_statement(&mut self, start: Span) -> Parse<Stmt> {
        if !Self::is_loop_pragma(self.token()) {
            let kind = self.pragma().map_or(StmtKind::Empty, StmtKind::Pragma);
            return Ok(self.stmt(kind, start));
        }
        let pragma = self.token();
        let mut hint = UnrollHint::None;
        while Self::is_loop_pragma(self.token()) {
            let next = self.unroll_hint()?;
            if next != UnrollHint::None {
                hint = next;
            }
        }
        let kind = match self.word() {
            words::FOR => self.for_statement(Some(hint))?,
            words::WHILE => self.while_statement(Some(hint))?,
            words::DO => self.do_statement(Some(hint))?,
            _ => {
                self.report(
                    Diagnostic::new(
                        &codes::PRAGMA_WITHOUT_LOOP,
                        pragma.span,
                        "a loop pragma must stand before a `for`, `while` or `do` loop",
                    )
                    .label("no loop follows this"),
                );
                return self.statement();
            }
        };
        Ok(self.stmt(kind, start))
    }

    fn if_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        let is_constexpr = self.eat_word(words::CONSTEXPR);
        let level = self.scopes.level();
        self.scopes.enter_local();
        let (initializer, condition) = self.parenthesized_condition("if")?;
        let then = Box::new(self.statement()?);
        let otherwise = if self.eat_word(words::ELSE) { Some(Box::new(self.statement()?)) } else { None };
        self.scopes.leave(level);
        Ok(StmtKind::If { is_constexpr, initializer, condition, then, otherwise })
    }

    fn while_statement(&mut self, hint: Option<UnrollHint>) -> Parse<StmtKind> {
        self.bump();
        let level = self.scopes.level();
        self.scopes.enter_local();
        let (_, condition) = self.parenthesized_condition("while")?;
        let body = Box::new(self.statement()?);
        self.scopes.leave(level);
        Ok(StmtKind::While { condition, body, hint })
    }

    fn do_statement(&mut self, hint: Option<UnrollHint>) -> Parse<StmtKind> {
        self.bump();
        let body = Box::new(self.statement()?);
        if !self.eat_word(words::WHILE) {
            return self.expected(&codes::EXPECTED_TOKEN, "`while` after the body of `do`");
        }
        let open = self.expect(TokenKind::LeftParen, "after `while`")?.span;
        let condition = self.in_brackets(Self::expression)?;
        self.expect_closing(TokenKind::RightParen, open)?;
        self.expect_semicolon("`do … while`")?;
        Ok(StmtKind::DoWhile { body, condition, hint })
    }

    fn switch_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        let level = self.scopes.level();
        self.scopes.enter_local();
        let (initializer, condition) = self.parenthesized_condition("switch")?;
        let body = Box::new(self.statement()?);
        self.scopes.leave(level);
        Ok(StmtKind::Switch { initializer, condition, body })
    }

    fn case_statement(&mut self) -> Parse<StmtKind> {
        self.bump();
        let value = self.assignment_expression()?;
        let range_end =
            if self.eat(TokenKind::Ellipsis) { Some(self.assignment_expression()?) } else { None };
        self.expect(TokenKind::Colon, "after the value of `case`")?;
        let body = Box::new(self.labeled_statement()?);
        Ok(StmtKind::Case { value, range_end, body })
    }

    /// `(init; condition)` of `if`, `switch` and `while`.
    fn parenthesized_condition(&mut self, word: &str) -> Parse<(Option<Box<Stmt>>, Condition)> {
        if !self.is(TokenKind::LeftParen) {
            let message = format!("after `{word}`");
            self.expect(TokenKind::LeftParen, &message)?;
        }
        let open = self.bump().span;
        let mut initializer = None;
        let start = self.token().span;
        if self.is(TokenKind::Semicolon) {
            self.bump();
            initializer = Some(Box::new(self.stmt(StmtKind::Empty, start)));
        }
        let mut condition = self.in_brackets(Self::condition)?;
        if initializer.is_none() && matches!(self.kind(), TokenKind::Semicolon | TokenKind::Comma) {
            // What was read is the initialiser.
            let kind = match condition {
                Condition::Expr(value) => StmtKind::Expr(value),
                Condition::Variable(variable) => {
                    let mut variables = vec![*variable];
                    while self.eat(TokenKind::Comma) {
                        let next = self.next_variable(&variables[0])?;
                        variables.push(next);
                    }
                    let span = self.span_from(start);
                    StmtKind::Decl(Box::new(Decl { kind: DeclKind::Variables(variables), span }))
                }
            };
            self.expect(TokenKind::Semicolon, "after the initialiser")?;
            initializer = Some(Box::new(self.stmt(kind, start)));
            condition = self.in_brackets(Self::condition)?;
        }
        self.expect_closing(TokenKind::RightParen, open)?;
        Ok((initializer, condition))
    }

    /// `b = 2` after `int a = 1,`: the same type for all, which only plain declarators have.
    fn next_variable(&mut self, first: &VariableDecl) -> Parse<VariableDecl> {
        let start = self.token().span;
        let name = self.identifier("the name of a variable")?;
        self.scopes.declare(name.name, super::scope::Symbol::of(super::scope::Symbol::VALUE));
        let initializer = self.initializer()?;
        Ok(VariableDecl {
            name: Some(Self::simple_name(name)),
            bindings: Vec::new(),
            initializer,
            span: self.span_from(start),
            ..first.clone()
        })
    }

    /// An expression, or a variable with its initialiser.
    fn condition(&mut self) -> Parse<Condition> {
        if self.is_declaration() {
            let spec = self.decl_spec(None)?;
            if self.is_structured_binding(&spec) {
                return Ok(Condition::Variable(Box::new(self.structured_binding(&spec)?)));
            }
            let mut declarator = self.declarator(Place::Block)?;
            let Some(name) = declarator.name.take() else {
                return self.expected(&codes::EXPECTED_NAME, "the name of a variable");
            };
            let variable = self.variable(&spec, name, declarator, false)?;
            return Ok(Condition::Variable(Box::new(variable)));
        }
        Ok(Condition::Expr(self.expression()?))
    }

    fn for_statement(&mut self, hint: Option<UnrollHint>) -> Parse<StmtKind> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "after `for`")?.span;
        let level = self.scopes.level();
        self.scopes.enter_local();
        let result = self.for_rest(open, hint);
        self.scopes.leave(level);
        result
    }

    fn for_rest(&mut self, open: Span, hint: Option<UnrollHint>) -> Parse<StmtKind> {
        let start = self.token().span;
        let mut initializer = None;
        if self.is(TokenKind::Semicolon) {
            self.bump();
        } else if self.is_declaration() {
            if matches!(self.word(), words::USING | words::TYPEDEF) {
                let mut decls = Vec::new();
                self.declaration(None, Place::Block, &mut decls)?;
                initializer = decls.pop().map(|decl| {
                    Box::new(Stmt {
                        span: decl.span,
                        kind: StmtKind::Decl(Box::new(decl)),
                        attributes: Vec::new(),
                    })
                });
            } else {
                let spec = self.decl_spec(None)?;
                let mut variables: Vec<VariableDecl> = Vec::new();
                loop {
                    if self.is_structured_binding(&spec) {
                        variables.push(self.structured_binding(&spec)?);
                    } else {
                        let mut declarator = self.declarator(Place::Block)?;
                        let Some(name) = declarator.name.take() else {
                            return self.expected(&codes::EXPECTED_NAME, "the name of the loop's variable");
                        };
                        let mut variable = self.variable_head(&spec, name, declarator);
                        if !self.is(TokenKind::Colon) {
                            variable.initializer = self.initializer()?;
                        }
                        variables.push(variable);
                    }
                    if self.is(TokenKind::Colon) && variables.len() == 1 {
                        self.bump();
                        let range = self.in_brackets(Self::initializer_clause)?;
                        self.expect_closing(TokenKind::RightParen, open)?;
                        let body = Box::new(self.statement()?);
                        let variable = Box::new(variables.remove(0));
                        return Ok(StmtKind::RangeFor { variable, range, body, hint });
                    }
                    if !self.eat(TokenKind::Comma) {
                        break;
                    }
                }
                let span = self.span_from(start);
                let decl = Decl { kind: DeclKind::Variables(variables), span };
                self.expect(TokenKind::Semicolon, "after the initialiser of `for`")?;
                initializer = Some(Box::new(self.stmt(StmtKind::Decl(Box::new(decl)), start)));
            }
        } else {
            let value = self.in_brackets(Self::expression)?;
            self.expect(TokenKind::Semicolon, "after the initialiser of `for`")?;
            initializer = Some(Box::new(self.stmt(StmtKind::Expr(value), start)));
        }
        let condition =
            if self.is(TokenKind::Semicolon) { None } else { Some(self.in_brackets(Self::condition)?) };
        self.expect(TokenKind::Semicolon, "after the condition of `for`")?;
        let step =
            if self.is(TokenKind::RightParen) { None } else { Some(self.in_brackets(Self::expression)?) };
        self.expect_closing(TokenKind::RightParen, open)?;
        let body = Box::new(self.statement()?);
        Ok(StmtKind::For { initializer, condition, step, body, hint })
    }

    /// Does a declaration begin here, and not an expression?
    pub(super) fn is_declaration(&mut self) -> bool {
        match self.kind() {
            TokenKind::Ident => {
                let word = self.token().name;
                if word.is_keyword() {
                    return self.is_keyword_declaration();
                }
                let next = self.peek(1);
                if next.kind == TokenKind::Ident {
                    // Two names in a row are no expression.
                    return !next.name.is_keyword()
                        || Self::is_specifier_word(next.name)
                        || next.name == words::OPERATOR;
                }
                let symbol = self.scopes.lookup(word);
                if !symbol.is_unknown() && !symbol.is_type() && next.kind != TokenKind::ColonColon {
                    return false;
                }
                self.is_named_declaration()
            }
            TokenKind::ColonColon => self.is_named_declaration(),
            TokenKind::LeftBracket => self.is_attribute(),
            _ => false,
        }
    }

    fn is_keyword_declaration(&mut self) -> bool {
        let word = self.token().name;
        if Self::is_type_word(word)
            || matches!(word, words::TYPENAME | words::DECLTYPE | words::DECLTYPE_1 | words::TYPEOF)
        {
            // `float(x)` and `float{x}` are expressions, unless the parentheses hold a declarator.
            if Self::is_type_word(word) {
                let mut ahead = 1;
                while self.peek_kind(ahead) == TokenKind::Ident && Self::is_type_word(self.peek(ahead).name) {
                    ahead += 1;
                }
                match self.peek_kind(ahead) {
                    TokenKind::LeftBrace => return false,
                    TokenKind::LeftParen => {}
                    _ => return true,
                }
            }
            return self.reads_as_declaration();
        }
        Self::is_specifier_word(word)
            || matches!(
                word,
                words::USING
                    | words::NAMESPACE
                    | words::STATIC_ASSERT
                    | words::TEMPLATE
                    | words::ALIGNAS
                    | words::ATTRIBUTE
                    | words::ATTRIBUTE_1
                    | words::UNDERLYING_TYPE
            )
    }

    /// A type's or unknown name comes first: what follows it decides.
    fn is_named_declaration(&mut self) -> bool {
        let found = self.attempt(|parser| {
            let (name, symbol) = parser.qualified_name(NameUse::Type)?;
            let is_name = matches!(name.last.kind, SegmentKind::Name(_));
            Ok((is_name, symbol, parser.token(), parser.peek(1), parser.peek(2)))
        });
        let Some((true, symbol, next, second, third)) = found else { return false };
        let may_be_type = symbol.is_type() || symbol.is_unknown();
        match next.kind {
            _ if !may_be_type => false,
            TokenKind::Ident => !next.name.is_keyword() || Self::is_specifier_word(next.name),
            TokenKind::Star | TokenKind::Ampersand | TokenKind::AmpersandAmpersand => {
                if symbol.is_type() {
                    return true;
                }
                // Unknown: `a * b;` computes nothing, so it declares.
                match second.kind {
                    TokenKind::Star => true,
                    TokenKind::Ident if second.name.is_keyword() => Self::is_specifier_word(second.name),
                    TokenKind::Ident => matches!(
                        third.kind,
                        TokenKind::Equal
                            | TokenKind::Semicolon
                            | TokenKind::Comma
                            | TokenKind::LeftBracket
                            | TokenKind::Colon
                    ),
                    _ => false,
                }
            }
            TokenKind::LeftParen if symbol.is_type() => self.reads_as_declaration(),
            TokenKind::LeftBracket => second.kind == TokenKind::LeftBracket,
            _ => false,
        }
    }

    /// Can specifiers and a named declarator be read here, with an end that a declaration has?
    fn reads_as_declaration(&mut self) -> bool {
        self.attempt(|parser| {
            let spec = parser.decl_spec(None)?;
            let declarator = parser.declarator(Place::Block)?;
            let ends = matches!(
                parser.kind(),
                TokenKind::Semicolon
                    | TokenKind::Equal
                    | TokenKind::Comma
                    | TokenKind::LeftBrace
                    | TokenKind::Colon
                    | TokenKind::LeftParen
            );
            if spec.has_type && declarator.name.is_some() && ends { Ok(()) } else { Err(Failed) }
        })
        .is_some()
    }
}
