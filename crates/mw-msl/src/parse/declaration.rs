//! Declarations: namespaces, usings, variables and functions.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::syntax as codes;
use mw_source::Span;

use super::declarator::{Declarator, Place};
use super::name::NameUse;
use super::scope::{ScopeId, Symbol};
use super::specifier::DeclSpec;
use super::{Parse, Parser};
use crate::ast::{
    Decl, DeclKind, DeductionGuide, Ident, Initializer, QualifiedName, Qualifiers, SegmentKind, Type,
    TypeAliasDecl, TypeKind, VariableDecl,
};
use crate::lex::TokenKind;
use crate::names::{Name, words};

/// What the declaration that is being read declares, beside its name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entity {
    /// Where its name goes, if not into the innermost frame, which holds template parameters.
    pub(super) target: Option<ScopeId>,
    /// It is a template, and no specialisation.
    pub(super) is_template: bool,
    /// Its name is known already: specialisations and instantiations.
    pub(super) is_known: bool,
}

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) -> Vec<Decl> {
        let mut decls = Vec::new();
        loop {
            self.declarations(&mut decls);
            if self.is(TokenKind::Eof) {
                return decls;
            }
            // A `}` that closes nothing. What led to it is likely reported already.
            let token = self.bump();
            if self.diagnostics.iter().all(|diagnostic| !diagnostic.is_error()) {
                self.report(
                    Diagnostic::new(&codes::UNMATCHED_BRACE, token.span, "this `}` closes nothing")
                        .help("remove it, or write the `{` that it should close"),
                );
            }
            self.eat(TokenKind::Semicolon);
        }
    }

    /// Declarations up to `}` or the end of the file.
    fn declarations(&mut self, decls: &mut Vec<Decl>) {
        while !matches!(self.kind(), TokenKind::RightBrace | TokenKind::Eof) {
            let start = self.at;
            let level = self.scopes.level();
            self.chain = 0;
            if self.declaration(None, Place::Outside, decls).is_err() {
                self.scopes.leave(level);
                self.delayed_body = None;
                self.entity = Entity::default();
                self.greater_ends = false;
                self.recover(start);
                if self.at == start {
                    self.bump();
                }
            }
        }
    }

    /// One declaration, which may add several to the list. `class` is the class whose member it is.
    pub(super) fn declaration(
        &mut self,
        class: Option<Name>,
        place: Place,
        out: &mut Vec<Decl>,
    ) -> Parse<()> {
        self.nested(|parser| parser.declaration_inner(class, place, out))
    }

    fn declaration_inner(&mut self, class: Option<Name>, place: Place, out: &mut Vec<Decl>) -> Parse<()> {
        let start = self.token().span;
        let kind = match self.kind() {
            TokenKind::Semicolon => {
                self.bump();
                return Ok(());
            }
            TokenKind::Pragma => {
                if let Some(pragma) = self.pragma() {
                    out.push(Decl { kind: DeclKind::Pragma(pragma), span: start });
                }
                return Ok(());
            }
            TokenKind::Ident => match self.token().name {
                words::NAMESPACE => return self.namespace(false, out),
                words::INLINE if self.peek_word(1) == words::NAMESPACE => {
                    self.bump();
                    return self.namespace(true, out);
                }
                words::USING => self.using(class)?,
                words::STATIC_ASSERT => self.static_assert()?,
                words::TEMPLATE => return self.template(class, place, out),
                words::EXTERN if self.peek_word(1) == words::TEMPLATE => {
                    self.bump();
                    return self.explicit_instantiation(true, out);
                }
                words::EXTERN if self.peek_kind(1) == TokenKind::String => return self.linkage(out),
                words::ASM | words::ASM_1 | words::ASM_2 => {
                    self.asm_label()?;
                    self.expect_semicolon("`asm`")?;
                    return Ok(());
                }
                words::EXTENSION => {
                    self.bump();
                    return self.declaration(class, place, out);
                }
                _ if self.is_deduction_guide() => self.deduction_guide()?,
                _ => return self.simple_declaration(class, place, out),
            },
            _ => return self.simple_declaration(class, place, out),
        };
        out.push(Decl { kind, span: self.span_from(start) });
        Ok(())
    }

    /// `S(T) -> S<T>;`, at the name of a class template.
    fn is_deduction_guide(&mut self) -> bool {
        self.is_identifier()
            && self.peek_kind(1) == TokenKind::LeftParen
            && self.scopes.lookup(self.token().name).has(Symbol::TYPE_TEMPLATE)
            && self
                .attempt(|parser| {
                    parser.bump();
                    parser.skip_group();
                    Ok(parser.is(TokenKind::Arrow))
                })
                .unwrap_or(false)
    }

    fn deduction_guide(&mut self) -> Parse<DeclKind> {
        let name = self.identifier("the name of the class template")?;
        let parameters = self.parameters()?;
        self.expect(TokenKind::Arrow, "before the class that is meant")?;
        let result = self.type_id()?;
        self.expect_semicolon("the deduction guide")?;
        Ok(DeclKind::DeductionGuide(Box::new(DeductionGuide { name, parameters, result })))
    }

    fn namespace(&mut self, is_inline: bool, out: &mut Vec<Decl>) -> Parse<()> {
        let start = self.bump().span;
        let mut unused = Vec::new();
        self.attributes(&mut unused)?;
        let mut names = Vec::new();
        if self.is_identifier() {
            names.push(self.identifier("the name of the namespace")?);
            if self.is(TokenKind::Equal) {
                self.bump();
                let (target, symbol) = self.qualified_name(NameUse::Type)?;
                self.expect_semicolon("the namespace alias")?;
                self.scopes.declare(names[0].name, Symbol::with_scope(Symbol::NAMESPACE, symbol.scope));
                let kind = DeclKind::NamespaceAlias { name: names[0], target };
                out.push(Decl { kind, span: self.span_from(start) });
                return Ok(());
            }
            while self.eat(TokenKind::ColonColon) {
                self.eat_word(words::INLINE);
                names.push(self.identifier("the name of the namespace")?);
            }
        }
        self.attributes(&mut unused)?;
        let open = self.expect(TokenKind::LeftBrace, "to begin the namespace")?.span;
        let level = self.scopes.level();
        if names.is_empty() {
            let scope = self.scopes.create();
            self.scopes.use_namespace(scope);
            self.scopes.enter(scope);
        }
        for name in &names {
            let outer = self.scopes.enclosing();
            let known = self.scopes.own(outer, name.name).and_then(|symbol| symbol.scope);
            let scope = known.unwrap_or_else(|| self.scopes.create());
            self.scopes.declare_in(outer, name.name, Symbol::with_scope(Symbol::NAMESPACE, Some(scope)));
            if is_inline {
                self.scopes.add_using(outer, scope);
            }
            self.scopes.enter(scope);
        }
        let mut decls = Vec::new();
        self.declarations(&mut decls);
        self.scopes.leave(level);
        self.close_brace(open);
        let span = self.span_from(start);
        let mut names = names.into_iter().rev();
        let mut decl = Decl { kind: DeclKind::Namespace { name: names.next(), is_inline, decls }, span };
        for name in names {
            let kind = DeclKind::Namespace { name: Some(name), is_inline: false, decls: vec![decl] };
            decl = Decl { kind, span };
        }
        out.push(decl);
        Ok(())
    }

    /// The `}` of a group whose content was read with recovery: only the end of the file can stand here
    /// instead.
    pub(super) fn close_brace(&mut self, open: Span) {
        if self.eat(TokenKind::RightBrace) {
            return;
        }
        // One missing brace leaves all the outer ones open too, and an open literal swallows braces.
        if self.is_cut_off() || self.diagnostics.iter().any(|found| found.code == &codes::UNCLOSED_BRACE) {
            return;
        }
        self.report(
            Diagnostic::new(&codes::UNCLOSED_BRACE, open, "this `{` is never closed")
                .label("opened here")
                .help("write `}` where it ends"),
        );
    }

    fn linkage(&mut self, out: &mut Vec<Decl>) -> Parse<()> {
        let start = self.bump().span;
        self.bump();
        let mut decls = Vec::new();
        if self.is(TokenKind::LeftBrace) {
            let open = self.bump().span;
            self.declarations(&mut decls);
            self.close_brace(open);
        } else {
            self.declaration(None, Place::Outside, &mut decls)?;
        }
        out.push(Decl { kind: DeclKind::Linkage(decls), span: self.span_from(start) });
        Ok(())
    }

    /// `using …;`
    fn using(&mut self, class: Option<Name>) -> Parse<DeclKind> {
        self.bump();
        if self.eat_word(words::NAMESPACE) {
            let (name, symbol) = self.qualified_name(NameUse::Type)?;
            self.expect_semicolon("the using directive")?;
            if let Some(scope) = symbol.scope {
                self.scopes.use_namespace(scope);
            }
            return Ok(DeclKind::UsingNamespace(name));
        }
        if self.is_identifier() && matches!(self.peek_kind(1), TokenKind::Equal | TokenKind::LeftBracket) {
            let name = self.identifier("the name of the alias")?;
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            self.expect(TokenKind::Equal, "after the name of the alias")?;
            let ty = self.type_id()?;
            self.declare_alias(name.name, self.last_type);
            self.expect_semicolon("the type alias")?;
            return Ok(DeclKind::TypeAlias(TypeAliasDecl { name, ty, attributes }));
        }
        let is_typename = self.eat_word(words::TYPENAME);
        let (name, symbol) = self.qualified_name(NameUse::Type)?;
        self.eat(TokenKind::Ellipsis);
        self.expect_semicolon("the using declaration")?;
        if let SegmentKind::Name(last) = name.last.kind {
            let flags = symbol.flags() & !Symbol::DEPENDENT;
            let flags = match (flags, is_typename) {
                (0, true) => Symbol::TYPE | Symbol::DEPENDENT,
                // A member of a dependent base is used as a value unless `typename` says otherwise.
                (0, false) if class.is_some() => Symbol::VALUE,
                _ => flags,
            };
            if flags != 0 {
                self.scopes.declare(last, Symbol::with_scope(flags, symbol.scope));
            }
        }
        Ok(DeclKind::UsingName(name))
    }

    fn static_assert(&mut self) -> Parse<DeclKind> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "after `static_assert`")?.span;
        let condition = self.in_brackets(Self::assignment_expression)?;
        let message =
            if self.eat(TokenKind::Comma) { Some(self.string("the message as a string")?) } else { None };
        self.expect_closing(TokenKind::RightParen, open)?;
        self.expect_semicolon("`static_assert`")?;
        Ok(DeclKind::StaticAssert { condition, message })
    }

    /// Declares the name of a type alias, template or not.
    fn declare_alias(&mut self, name: Name, target: Symbol) {
        let entity = self.entity;
        let flags = if entity.is_template { Symbol::TYPE_TEMPLATE } else { Symbol::TYPE };
        let symbol = Symbol::with_scope(flags | target.flags() & Symbol::DEPENDENT, target.scope);
        self.declare_entity(name, symbol);
    }

    /// Declares a name where the declaration being read belongs.
    pub(super) fn declare_entity(&mut self, name: Name, symbol: Symbol) {
        if self.trying > 0 || self.entity.is_known {
            return;
        }
        match self.entity.target {
            Some(scope) => self.scopes.declare_in(scope, name, symbol),
            None => self.scopes.declare(name, symbol),
        }
    }

    /// A declaration that begins with specifiers.
    pub(super) fn simple_declaration(
        &mut self,
        class: Option<Name>,
        place: Place,
        out: &mut Vec<Decl>,
    ) -> Parse<()> {
        let start = self.token().span;
        let first = out.len();
        let at = self.at;
        let mut spec = self.decl_spec(class)?;
        if self.at == at && !self.starts_name() && !self.is(TokenKind::Tilde) {
            return self.expected(&codes::EXPECTED_DECLARATION, "a declaration");
        }
        let is_friend = spec.specifiers.is_friend;
        self.declarators(&mut spec, class, place, start, out)?;
        if is_friend {
            for decl in out.drain(first..).collect::<Vec<_>>() {
                let span = decl.span;
                out.push(Decl { kind: DeclKind::Friend(Box::new(decl)), span });
            }
        }
        Ok(())
    }

    fn declarators(
        &mut self,
        spec: &mut DeclSpec,
        class: Option<Name>,
        place: Place,
        start: Span,
        out: &mut Vec<Decl>,
    ) -> Parse<()> {
        if self.is(TokenKind::Semicolon) {
            return self.tag_alone(spec, start, out);
        }
        if self.lacks_semicolon(spec) {
            // `struct S { … }` and the next declaration on a new line.
            self.expect_semicolon("the definition")?;
            return self.tag_alone(spec, start, out);
        }
        if spec.specifiers.stage.is_some()
            && self.is(TokenKind::LeftParen)
            && matches!(spec.ty.kind, TypeKind::Named(_))
            && spec.symbol.is_unknown()
        {
            let text = self.previous_text().to_owned();
            return self.fail(|parser| {
                let at = parser.previous_span();
                Diagnostic::new(&codes::EXPECTED_TYPE, at, format!("the kernel `{text}` says no result type"))
                    .help(format!("write `void {text}(…)`"))
                    .with_fix(at.before(), "void ")
            });
        }
        Self::place_tag(spec, out);
        let mut variables: Vec<VariableDecl> = Vec::new();
        loop {
            let begin = self.token().span;
            if self.is_structured_binding(spec) {
                variables.push(self.structured_binding(spec)?);
            } else if class.is_some() && self.is(TokenKind::Colon) {
                // A bit-field without a name.
                self.bump();
                let width = self.assignment_expression()?;
                let variable = Self::variable_decl(spec, None, spec.ty.clone(), self.span_from(begin));
                variables.push(VariableDecl { bit_width: Some(width), ..variable });
            } else {
                let mut declarator = self.declarator(place)?;
                let label_at = self.at;
                let asm_label = self.asm_label()?;
                if self.at != label_at || self.is_attribute() {
                    let mut attributes = Vec::new();
                    self.attributes(&mut attributes)?;
                    declarator.attributes.append(&mut attributes);
                }
                let Some(name) = declarator.name.take() else {
                    return self.nothing_declared(spec);
                };
                if spec.is_typedef {
                    self.typedef(spec, &name, declarator, start, out)?;
                } else if let Some(function) = declarator.take_function() {
                    let has_body =
                        self.function(spec, name, declarator, function, asm_label, class, start, out)?;
                    if has_body {
                        return Ok(());
                    }
                } else {
                    if !spec.has_type {
                        return self.fail(|_| {
                            Diagnostic::new(&codes::EXPECTED_TYPE, name.span, "this declaration has no type")
                        });
                    }
                    variables.push(self.variable(spec, name, declarator, class.is_some())?);
                }
                spec.span = start;
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_semicolon("the declaration")?;
        if !variables.is_empty() {
            out.push(Decl { kind: DeclKind::Variables(variables), span: self.span_from(start) });
        }
        Ok(())
    }

    /// A class was defined, and what follows on the next line declares something else.
    fn lacks_semicolon(&self, spec: &DeclSpec) -> bool {
        let is_definition = spec.tag.as_ref().is_some_and(|decl| match &decl.kind {
            DeclKind::Record(record) => record.members.is_some(),
            DeclKind::Enum(definition) => definition.enumerators.is_some(),
            _ => false,
        });
        let token = self.token();
        if !is_definition || !token.flags.has(crate::lex::TokenFlags::LINE_START) {
            return false;
        }
        match token.kind {
            TokenKind::Eof | TokenKind::RightBrace => true,
            TokenKind::Ident => token.name.is_keyword() || self.peek_kind(1) == TokenKind::Ident,
            _ => false,
        }
    }

    fn nothing_declared<T>(&mut self, spec: &DeclSpec) -> Parse<T> {
        if !spec.has_type {
            return self.expected(&codes::EXPECTED_TYPE, "a type");
        }
        let previous = self.tokens[self.at.saturating_sub(1)];
        if previous.kind == TokenKind::Ident && Self::address_space(previous.name).is_some() {
            // `float device = 1;`: the word was meant as a name.
            return self.fail(|parser| {
                let text = parser.interner.text(previous.name);
                Diagnostic::new(
                    &codes::EXPECTED_NAME,
                    previous.span,
                    format!("expected the name that is declared, found the keyword `{text}`"),
                )
                .label("an address space of Metal")
                .help("choose another name")
            });
        }
        self.expected(&codes::EXPECTED_NAME, "the name that is declared")
    }

    /// `struct S { … };`, `enum E;`: a declaration without declarators.
    fn tag_alone(&mut self, spec: &mut DeclSpec, start: Span, out: &mut Vec<Decl>) -> Parse<()> {
        match spec.tag.take() {
            Some(mut decl) => {
                self.eat(TokenKind::Semicolon);
                let is_unnamed = matches!(&decl.kind, DeclKind::Record(record) if record.name.is_none());
                if is_unnamed && let DeclKind::Record(record) = decl.kind {
                    decl.kind = DeclKind::AnonymousRecord(record);
                }
                decl.span = self.span_from(start);
                if let DeclKind::Record(record) | DeclKind::AnonymousRecord(record) = &mut decl.kind {
                    record.attributes.splice(0..0, std::mem::take(&mut spec.attributes));
                }
                out.push(*decl);
                Ok(())
            }
            None if spec.specifiers.is_friend && spec.has_type => {
                self.bump();
                out.push(Decl { kind: DeclKind::Empty, span: self.span_from(start) });
                Ok(())
            }
            None if !spec.has_type => self.expected(&codes::EXPECTED_DECLARATION, "a declaration"),
            None => {
                self.report(
                    Diagnostic::new(&codes::EXPECTED_NAME, spec.span, "this declares nothing")
                        .help("write a name after the type"),
                );
                self.bump();
                Ok(())
            }
        }
    }

    /// A class defined before its declarators: named ones become a declaration of their own.
    fn place_tag(spec: &mut DeclSpec, out: &mut Vec<Decl>) {
        let Some(decl) = spec.tag.take() else { return };
        match &decl.kind {
            DeclKind::Record(record) if record.name.is_some() && record.members.is_none() => {}
            DeclKind::Record(record) if record.name.is_some() => out.push(*decl),
            DeclKind::Enum(definition) if definition.name.is_some() => {
                if definition.enumerators.is_some() {
                    out.push(*decl);
                }
            }
            _ => spec.ty.kind = TypeKind::Defined(decl),
        }
    }

    fn typedef(
        &mut self,
        spec: &DeclSpec,
        name: &QualifiedName,
        declarator: Declarator,
        start: Span,
        out: &mut Vec<Decl>,
    ) -> Parse<()> {
        let Some(name) = Self::plain_name(&name.last).filter(|_| name.qualifiers.is_empty()) else {
            return self.fail(|_| {
                Diagnostic::new(&codes::EXPECTED_NAME, name.span, "a typedef declares one plain name")
            });
        };
        let mut attributes = spec.attributes.clone();
        attributes.extend(declarator.attributes.iter().cloned());
        let ty = declarator.apply(spec.ty.clone());
        let symbol = if matches!(ty.kind, TypeKind::Pointer(_) | TypeKind::Array(..) | TypeKind::Function(_))
        {
            Symbol::default()
        } else {
            spec.symbol
        };
        self.declare_alias(name.name, symbol);
        let alias = TypeAliasDecl { name, ty, attributes };
        out.push(Decl { kind: DeclKind::TypeAlias(alias), span: self.span_from(start) });
        Ok(())
    }

    fn variable_decl(spec: &DeclSpec, name: Option<QualifiedName>, ty: Type, span: Span) -> VariableDecl {
        VariableDecl {
            name,
            bindings: Vec::new(),
            ty,
            specifiers: spec.specifiers,
            initializer: None,
            bit_width: None,
            attributes: spec.attributes.clone(),
            span,
        }
    }

    /// A variable whose declarator was read: declares it and reads its initialiser.
    pub(super) fn variable(
        &mut self,
        spec: &DeclSpec,
        name: QualifiedName,
        declarator: Declarator,
        is_member: bool,
    ) -> Parse<VariableDecl> {
        let mut variable = self.variable_head(spec, name, declarator);
        if is_member && self.eat(TokenKind::Colon) {
            variable.bit_width = Some(self.assignment_expression()?);
        }
        let level = self.scopes.level();
        variable.initializer = self.initializer()?;
        self.scopes.leave(level);
        variable.span = self.span_from(variable.span);
        Ok(variable)
    }

    /// A variable without its initialiser, declared.
    pub(super) fn variable_head(
        &mut self,
        spec: &DeclSpec,
        name: QualifiedName,
        mut declarator: Declarator,
    ) -> VariableDecl {
        let mut attributes = std::mem::take(&mut declarator.attributes);
        let span = name.span;
        let ty = declarator.apply(spec.ty.clone());
        if name.qualifiers.is_empty()
            && name.last.arguments.is_none()
            && let SegmentKind::Name(last) = name.last.kind
        {
            let flags = if self.entity.is_template { Symbol::VARIABLE_TEMPLATE } else { Symbol::VALUE };
            self.declare_entity(last, Symbol::of(flags));
        }
        let mut variable = Self::variable_decl(spec, Some(name), ty, span);
        variable.attributes.append(&mut attributes);
        variable
    }

    /// `= e`, `(a, b)` or `{a, b}`, if one comes next.
    pub(super) fn initializer(&mut self) -> Parse<Option<Initializer>> {
        let start = self.token().span;
        Ok(match self.kind() {
            TokenKind::Equal => {
                self.bump();
                Some(Initializer::Copy(self.initializer_clause()?))
            }
            TokenKind::LeftParen => {
                let arguments = self.call_arguments()?;
                Some(Initializer::Parenthesized(arguments, self.span_from(start)))
            }
            TokenKind::LeftBrace => Some(Initializer::Braced(self.init_list()?)),
            _ => None,
        })
    }

    /// `auto [a, b] = e`, after the specifiers.
    pub(super) fn is_structured_binding(&self, spec: &DeclSpec) -> bool {
        if !matches!(spec.ty.kind, TypeKind::Auto) {
            return false;
        }
        let ahead = usize::from(matches!(self.kind(), TokenKind::Ampersand | TokenKind::AmpersandAmpersand));
        self.peek_kind(ahead) == TokenKind::LeftBracket && self.peek_kind(ahead + 1) == TokenKind::Ident
    }

    pub(super) fn structured_binding(&mut self, spec: &DeclSpec) -> Parse<VariableDecl> {
        let start = self.token().span;
        let mut ty = spec.ty.clone();
        let reference = self.kind();
        if matches!(reference, TokenKind::Ampersand | TokenKind::AmpersandAmpersand) {
            self.bump();
            let span = ty.span;
            let inner = Box::new(ty);
            let kind = if reference == TokenKind::Ampersand {
                TypeKind::LvalueReference(inner)
            } else {
                TypeKind::RvalueReference(inner)
            };
            ty = Type { kind, qualifiers: Qualifiers::default(), span };
        }
        let open = self.bump().span;
        let mut bindings: Vec<Ident> = Vec::new();
        loop {
            bindings.push(self.identifier("a name of the structured binding")?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect_closing(TokenKind::RightBracket, open)?;
        for binding in &bindings {
            self.scopes.declare(binding.name, Symbol::of(Symbol::VALUE));
        }
        let initializer = self.initializer()?;
        let variable = Self::variable_decl(spec, None, ty, self.span_from(start));
        Ok(VariableDecl { bindings, initializer, ..variable })
    }
}
