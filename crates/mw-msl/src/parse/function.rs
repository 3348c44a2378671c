//! Functions: what follows their declarator, and their bodies.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::syntax as codes;
use mw_source::Span;

use super::declarator::{Declarator, FunctionChunk};
use super::name::NameUse;
use super::scope::Symbol;
use super::specifier::DeclSpec;
use super::{Parse, Parser};
use crate::ast::{
    Decl, DeclKind, FunctionBody, FunctionDecl, FunctionKind, MemberInitializer, ParameterList,
    QualifiedName, Qualifiers, SegmentKind, Stmt, StmtKind, Type,
};
use crate::lex::TokenKind;
use crate::names::{Name, words};

impl Parser<'_> {
    /// A function whose declarator was read; `true` if it had a body (or `= default;`) and is complete.
    #[expect(clippy::too_many_arguments, reason = "the parts of one declaration")]
    pub(super) fn function(
        &mut self,
        spec: &DeclSpec,
        name: QualifiedName,
        mut declarator: Declarator,
        function: FunctionChunk,
        asm_label: Option<Box<str>>,
        class: Option<Name>,
        start: Span,
        out: &mut Vec<Decl>,
    ) -> Parse<bool> {
        let mut attributes = spec.attributes.clone();
        attributes.append(&mut declarator.attributes);
        let outer = declarator.outer;
        let result = match function.trailing {
            Some(trailing) => trailing,
            None => declarator.apply(spec.ty.clone()),
        };
        attributes.extend(function.attributes);
        let kind = match &name.last.kind {
            SegmentKind::Destructor(_) => FunctionKind::Destructor,
            SegmentKind::Conversion(_) => FunctionKind::Conversion,
            SegmentKind::Name(_) if !spec.has_type => FunctionKind::Constructor,
            _ => FunctionKind::Plain,
        };
        if !spec.has_type && matches!(name.last.kind, SegmentKind::Operator(_)) {
            return self.fail(|_| {
                Diagnostic::new(&codes::EXPECTED_TYPE, name.span, "this function has no result type")
                    .help("write the type before `operator`")
            });
        }
        if name.qualifiers.is_empty()
            && name.last.arguments.is_none()
            && kind == FunctionKind::Plain
            && !spec.specifiers.is_friend
            && let SegmentKind::Name(last) = name.last.kind
        {
            let flags = if self.entity.is_template { Symbol::FUNCTION_TEMPLATE } else { Symbol::VALUE };
            self.declare_entity(last, Symbol::of(flags));
        }
        let mut decl = FunctionDecl {
            name,
            kind,
            result,
            parameters: function.parameters,
            specifiers: spec.specifiers,
            this_qualifiers: function.qualifiers,
            ref_qualifier: function.ref_qualifier,
            attributes,
            asm_label,
            member_initializers: Vec::new(),
            body: FunctionBody::None,
            span: start,
        };
        let mut is_complete = true;
        match self.kind() {
            TokenKind::LeftBrace | TokenKind::Colon if class.is_some() => {
                self.delayed_body = Some(self.at);
                let span = self.token().span;
                self.skip_body();
                decl.body = FunctionBody::Block(Stmt {
                    kind: StmtKind::Empty,
                    attributes: Vec::new(),
                    span: self.span_from(span),
                });
            }
            TokenKind::LeftBrace | TokenKind::Colon => {
                let (initializers, body) = self.function_body(outer, &decl.parameters)?;
                decl.member_initializers = initializers;
                decl.body = FunctionBody::Block(body);
            }
            TokenKind::Equal => {
                self.bump();
                match self.word() {
                    words::DEFAULT => decl.body = FunctionBody::Default,
                    words::DELETE => decl.body = FunctionBody::Delete,
                    _ if self.is(TokenKind::Number) => {}
                    _ => {
                        return self.expected(&codes::EXPECTED_TOKEN, "`default` or `delete` after `=`");
                    }
                }
                self.bump();
                self.expect_semicolon("the declaration")?;
            }
            _ if self.lacks_brace(&decl) => {
                let before = self.previous_span();
                self.report(
                    Diagnostic::new(
                        &codes::EXPECTED_TOKEN,
                        before,
                        "expected `{` before the body of the function",
                    )
                    .label("`{` is missing after this")
                    .with_fix(before.after(), " {"),
                );
                self.skip_to_closing_brace();
            }
            _ => is_complete = false,
        }
        let span = self.span_from(start);
        decl.span = span;
        out.push(Decl { kind: DeclKind::Function(Box::new(decl)), span });
        Ok(is_complete)
    }

    /// Behind the parameters, a new line begins that declares nothing: the `{` of the body is missing.
    fn lacks_brace(&self, decl: &FunctionDecl) -> bool {
        let token = self.token();
        if self.trying > 0
            || !token.flags.has(crate::lex::TokenFlags::LINE_START)
            || decl.parameters.parameters.iter().any(|parameter| parameter.name.is_none())
        {
            return false;
        }
        match token.kind {
            TokenKind::Ident => {
                matches!(
                    token.name,
                    words::RETURN | words::IF | words::FOR | words::WHILE | words::DO | words::SWITCH
                ) || !token.name.is_keyword()
                    && matches!(
                        self.peek_kind(1),
                        TokenKind::LeftBracket
                            | TokenKind::Equal
                            | TokenKind::Dot
                            | TokenKind::Arrow
                            | TokenKind::PlusEqual
                    )
            }
            _ => false,
        }
    }

    /// Moves past the `}` of a body whose `{` is missing.
    fn skip_to_closing_brace(&mut self) {
        while !matches!(self.kind(), TokenKind::RightBrace | TokenKind::Eof) {
            if self.is(TokenKind::LeftBrace) {
                self.skip_group();
            } else {
                self.bump();
            }
        }
        self.eat(TokenKind::RightBrace);
    }

    /// Moves past `: a(x), b{y} { … }` or `{ … }`.
    fn skip_body(&mut self) {
        if self.eat(TokenKind::Colon) {
            loop {
                while !matches!(
                    self.kind(),
                    TokenKind::LeftParen | TokenKind::LeftBrace | TokenKind::Eof | TokenKind::RightBrace
                ) {
                    self.bump();
                }
                if !matches!(self.kind(), TokenKind::LeftParen | TokenKind::LeftBrace) {
                    return;
                }
                self.skip_group();
                self.eat(TokenKind::Ellipsis);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        if self.is(TokenKind::LeftBrace) {
            self.skip_group();
        }
    }

    /// The body of a function, with the initialisers of a constructor before it.
    pub(super) fn function_body(
        &mut self,
        outer: Symbol,
        parameters: &ParameterList,
    ) -> Parse<(Vec<MemberInitializer>, Stmt)> {
        let level = self.scopes.level();
        if let Some(scope) = outer.scope {
            self.scopes.enter(scope);
        }
        self.scopes.enter_local();
        self.declare_parameters(parameters);
        let entity = std::mem::take(&mut self.entity);
        let result = self.function_body_inner();
        self.entity = entity;
        self.scopes.leave(level);
        result
    }

    fn function_body_inner(&mut self) -> Parse<(Vec<MemberInitializer>, Stmt)> {
        let mut initializers = Vec::new();
        if self.eat(TokenKind::Colon) {
            loop {
                let start = self.token().span;
                let (name, _) = self.qualified_name(NameUse::Type)?;
                let span = name.span;
                let kind = Self::named_type(name);
                let target = Type { kind, qualifiers: Qualifiers::default(), span };
                let value = match self.kind() {
                    TokenKind::LeftParen | TokenKind::LeftBrace => self.initializer()?,
                    _ => None,
                };
                let Some(value) = value else {
                    return self.expected(&codes::EXPECTED_TOKEN, "`(` or `{` after the member's name");
                };
                let is_pack_expansion = self.eat(TokenKind::Ellipsis);
                initializers.push(MemberInitializer {
                    target,
                    value,
                    is_pack_expansion,
                    span: self.span_from(start),
                });
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        if !self.is(TokenKind::LeftBrace) {
            return self.expected(&codes::EXPECTED_TOKEN, "`{` before the body of the function");
        }
        Ok((initializers, self.block()?))
    }
}
