//! Classes and enumerations.

use mw_diagnostics::registry::syntax as codes;
use mw_source::Span;

use super::declaration::Entity;
use super::declarator::Place;
use super::name::NameUse;
use super::scope::{ScopeId, Symbol};
use super::{Parse, Parser};
use crate::ast::{
    AccessKind, Attribute, BaseSpecifier, Decl, DeclKind, EnumDecl, Enumerator, FunctionBody, FunctionDecl,
    QualifiedName, Qualifiers, RecordDecl, SegmentKind, TagKind, Type, TypeKind,
};
use crate::lex::TokenKind;
use crate::names::{Name, words};

type Tag = (TypeKind, Option<Box<Decl>>, Symbol);

impl Parser<'_> {
    /// `struct S`, with its definition if one follows.
    pub(super) fn record_specifier(&mut self) -> Parse<Tag> {
        let start = self.token().span;
        let tag = Self::tag_kind(self.bump().name);
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let name = if self.starts_name() && !self.is_final() {
            Some(self.qualified_name(NameUse::Declarator)?.0)
        } else {
            None
        };
        self.attributes(&mut attributes)?;
        if self.is_final() {
            self.bump();
        }
        let is_definition = matches!(self.kind(), TokenKind::LeftBrace | TokenKind::Colon);
        let class = name.as_ref().and_then(|name| match name.last.kind {
            SegmentKind::Name(name) => Some(name),
            _ => None,
        });
        if !is_definition {
            let Some(name) = name else {
                return self.expected(&codes::EXPECTED_NAME, "the name of the class or `{`");
            };
            return Ok(self.declared_record(name, class, tag, attributes, start));
        }
        let (scope, symbol) = self.record_scope(name.as_ref(), class, true);
        let entity = std::mem::take(&mut self.entity);
        let level = self.scopes.level();
        if let Some(name) = &name
            && let Some(outer) = self.resolve_qualifiers(name).scope
        {
            self.scopes.enter(outer);
        }
        self.scopes.enter(scope);
        if let Some(class) = class {
            // The name of the class inside itself, with arguments or without.
            let is_template =
                entity.is_template || name.as_ref().is_some_and(|name| name.last.arguments.is_some());
            let flags = if is_template { Symbol::TYPE | Symbol::TYPE_TEMPLATE } else { Symbol::TYPE };
            self.scopes.declare(class, Symbol::with_scope(flags, Some(scope)));
        }
        let result = self.record_definition(class, scope);
        self.scopes.leave(level);
        self.entity = entity;
        let (bases, members) = result?;
        if name.is_none()
            && let Some(outer) = self.scopes.current()
        {
            // Members of an anonymous class are seen outside it.
            self.scopes.add_using(outer, scope);
        }
        self.attributes(&mut attributes)?;
        let span = self.span_from(start);
        let kind = match &name {
            Some(name) => TypeKind::Named(Box::new(name.clone())),
            None => TypeKind::Error,
        };
        let record = RecordDecl { name, tag, bases, members: Some(members), attributes, span };
        let decl = Decl { kind: DeclKind::Record(Box::new(record)), span };
        Ok((kind, Some(Box::new(decl)), symbol))
    }

    fn is_final(&self) -> bool {
        self.is_word(words::FINAL) && matches!(self.peek_kind(1), TokenKind::LeftBrace | TokenKind::Colon)
    }

    /// A class that is named, not defined: `struct S;` declares it, `struct S x;` uses it.
    fn declared_record(
        &mut self,
        name: QualifiedName,
        class: Option<Name>,
        tag: TagKind,
        attributes: Vec<Attribute>,
        start: Span,
    ) -> Tag {
        let span = self.span_from(start);
        let kind = TypeKind::Elaborated(tag, Box::new(name.clone()));
        let is_declaration = self.is(TokenKind::Semicolon);
        let known = match class {
            Some(class) if !is_declaration && name.qualifiers.is_empty() => self.scopes.lookup(class),
            _ => Symbol::default(),
        };
        let symbol = if known.has(Symbol::TYPE | Symbol::TYPE_TEMPLATE) {
            Symbol::with_scope(Symbol::TYPE, known.scope)
        } else {
            self.record_scope(Some(&name), class, false).1
        };
        let record = RecordDecl { name: Some(name), tag, bases: Vec::new(), members: None, attributes, span };
        let decl = Decl { kind: DeclKind::Record(Box::new(record)), span };
        (kind, Some(Box::new(decl)), symbol)
    }

    /// The scope of a class that is declared here, and its symbol, declared if it has a name of its own.
    fn record_scope(
        &mut self,
        name: Option<&QualifiedName>,
        class: Option<Name>,
        is_definition: bool,
    ) -> (ScopeId, Symbol) {
        let (Some(name), Some(class)) = (name, class) else {
            let scope = self.scopes.create();
            return (scope, Symbol::with_scope(Symbol::TYPE, Some(scope)));
        };
        if name.last.arguments.is_some() {
            // A specialisation has members of its own.
            let scope =
                if is_definition { Some(self.scopes.create()) } else { self.scopes.lookup(class).scope };
            let scope = scope.unwrap_or_else(|| self.scopes.create());
            return (scope, Symbol::with_scope(Symbol::TYPE, Some(scope)));
        }
        let known = if name.qualifiers.is_empty() {
            let target = self.entity.target.or_else(|| self.scopes.current());
            target.and_then(|target| self.scopes.own(target, class))
        } else {
            let outer = self.resolve_qualifiers(name).scope;
            outer.and_then(|outer| self.scopes.own(outer, class))
        };
        let scope = known.and_then(|symbol| symbol.scope).unwrap_or_else(|| self.scopes.create());
        let flags = if self.entity.is_template { Symbol::TYPE_TEMPLATE } else { Symbol::TYPE };
        let symbol = Symbol::with_scope(flags, Some(scope));
        if name.qualifiers.is_empty() {
            self.declare_entity(class, symbol);
        }
        (scope, symbol)
    }

    fn record_definition(
        &mut self,
        class: Option<Name>,
        scope: ScopeId,
    ) -> Parse<(Vec<BaseSpecifier>, Vec<Decl>)> {
        let mut bases = Vec::new();
        if self.eat(TokenKind::Colon) {
            loop {
                bases.push(self.base(scope)?);
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let open = self.expect(TokenKind::LeftBrace, "to begin the class")?.span;
        let mut members = Vec::new();
        let mut pending: Vec<(usize, usize)> = Vec::new();
        // Without a name there is no constructor, and any name does.
        let class = class.unwrap_or(words::EMPTY);
        while !matches!(self.kind(), TokenKind::RightBrace | TokenKind::Eof) {
            let start = self.at;
            let level = self.scopes.level();
            self.delayed_body = None;
            match self.member(class, &mut members) {
                Ok(()) => {
                    if let Some(at) = self.delayed_body.take() {
                        pending.push((members.len() - 1, at));
                    }
                }
                Err(failed) => {
                    if self.trying > 0 {
                        return Err(failed);
                    }
                    self.scopes.leave(level);
                    self.entity = Entity::default();
                    self.greater_ends = false;
                    self.recover(start);
                    if self.at == start {
                        self.bump();
                    }
                }
            }
        }
        self.close_brace(open);
        let end = self.at;
        for (member, at) in pending {
            self.at = at;
            self.delayed(&mut members[member]);
        }
        self.at = end;
        self.delayed_body = None;
        Ok((bases, members))
    }

    fn base(&mut self, scope: ScopeId) -> Parse<BaseSpecifier> {
        let start = self.token().span;
        let mut unused = Vec::new();
        self.attributes(&mut unused)?;
        let mut is_virtual = false;
        loop {
            match self.word() {
                words::VIRTUAL => is_virtual = true,
                words::PUBLIC | words::PROTECTED | words::PRIVATE => {}
                _ => break,
            }
            self.bump();
        }
        self.eat_word(words::TYPENAME);
        let (name, symbol) = self.qualified_name(NameUse::Type)?;
        if let Some(base) = symbol.scope {
            self.scopes.add_base(scope, base);
        }
        let span = name.span;
        let kind = Self::named_type(name);
        let ty = Type { kind, qualifiers: Qualifiers::default(), span };
        let is_pack_expansion = self.eat(TokenKind::Ellipsis);
        Ok(BaseSpecifier { ty, is_virtual, is_pack_expansion, span: self.span_from(start) })
    }

    fn member(&mut self, class: Name, members: &mut Vec<Decl>) -> Parse<()> {
        let access = match self.word() {
            words::PUBLIC => Some(AccessKind::Public),
            words::PROTECTED => Some(AccessKind::Protected),
            words::PRIVATE => Some(AccessKind::Private),
            _ => None,
        };
        if let Some(access) = access
            && self.peek_kind(1) == TokenKind::Colon
        {
            let start = self.bump().span;
            self.bump();
            members.push(Decl { kind: DeclKind::Access(access), span: self.span_from(start) });
            return Ok(());
        }
        self.chain = 0;
        self.declaration(Some(class), Place::Outside, members)
    }

    /// Parses the body of a member function, at which the cursor stands, now that its class is known.
    fn delayed(&mut self, member: &mut Decl) {
        let level = self.scopes.level();
        if let Some(function) = self.delayed_function(member) {
            // Taken out, since the parameters are needed while the body is read.
            let parameters = std::mem::take(&mut function.parameters);
            let in_lambda = std::mem::replace(&mut self.in_lambda, false);
            if let Ok((initializers, body)) = self.function_body(Symbol::default(), &parameters) {
                function.member_initializers = initializers;
                function.body = FunctionBody::Block(body);
            }
            self.in_lambda = in_lambda;
            function.parameters = parameters;
        }
        self.greater_ends = false;
        self.scopes.leave(level);
    }

    /// The function in a member, behind `template` and `friend`; template parameters are declared again.
    fn delayed_function<'d>(&mut self, decl: &'d mut Decl) -> Option<&'d mut FunctionDecl> {
        match &mut decl.kind {
            DeclKind::Function(function) => Some(function),
            DeclKind::Friend(inner) => self.delayed_function(inner),
            DeclKind::Template(template) => {
                self.scopes.enter_local();
                for parameter in &template.parameters {
                    self.declare_template_parameter(parameter);
                }
                self.delayed_function(&mut template.decl)
            }
            _ => None,
        }
    }

    /// `enum E`, with its enumerators if they follow.
    pub(super) fn enum_specifier(&mut self) -> Parse<(TypeKind, Option<Box<Decl>>)> {
        let start = self.bump().span;
        let is_scoped = matches!(self.word(), words::CLASS | words::STRUCT);
        if is_scoped {
            self.bump();
        }
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let name =
            if self.is_identifier() { Some(self.qualified_name(NameUse::Declarator)?.0) } else { None };
        let plain = name.as_ref().and_then(|name| Self::plain_name(&name.last));
        let mut underlying = None;
        if self.is(TokenKind::Colon) {
            self.bump();
            let spec = self.decl_spec(None)?;
            if !spec.has_type {
                return self.expected(&codes::EXPECTED_TYPE, "the type under the enumeration");
            }
            underlying = Some(spec.ty);
        }
        let has_list = self.is(TokenKind::LeftBrace);
        let is_declaration = has_list || underlying.is_some() || is_scoped;
        let scope = self.scopes.create();
        if is_declaration && let Some(plain) = plain {
            self.declare_entity(plain.name, Symbol::with_scope(Symbol::TYPE, Some(scope)));
        }
        let enumerators = if has_list { Some(self.enumerators(scope, is_scoped)?) } else { None };
        let span = self.span_from(start);
        let kind = match &name {
            Some(name) => TypeKind::Elaborated(TagKind::Enum, Box::new(name.clone())),
            None if has_list => TypeKind::Error,
            None => return self.expected(&codes::EXPECTED_NAME, "the name of the enumeration or `{`"),
        };
        let decl = EnumDecl { name, is_scoped, underlying, enumerators, attributes, span };
        let decl = is_declaration.then(|| Box::new(Decl { kind: DeclKind::Enum(Box::new(decl)), span }));
        Ok((kind, decl))
    }

    fn enumerators(&mut self, scope: ScopeId, is_scoped: bool) -> Parse<Vec<Enumerator>> {
        let open = self.bump().span;
        let mut enumerators = Vec::new();
        let value_symbol = Symbol::of(Symbol::VALUE);
        while !self.is(TokenKind::RightBrace) {
            let name = self.identifier("the name of an enumerator")?;
            let mut unused = Vec::new();
            self.attributes(&mut unused)?;
            let value = if self.eat(TokenKind::Equal) {
                Some(self.in_brackets(Self::assignment_expression)?)
            } else {
                None
            };
            self.scopes.declare_in(scope, name.name, value_symbol);
            if !is_scoped && self.trying == 0 {
                self.scopes.declare(name.name, value_symbol);
            }
            enumerators.push(Enumerator { name, value });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_closing(TokenKind::RightBrace, open)?;
        Ok(enumerators)
    }
}
