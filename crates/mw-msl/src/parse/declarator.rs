//! Declarators: what stands around a declared name, and type-ids.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::syntax as codes;
use mw_source::Span;

use super::name::NameUse;
use super::scope::Symbol;
use super::{Failed, Parse, Parser};
use crate::ast::{
    Attribute, Expr, FunctionType, Ident, ParameterDecl, ParameterList, QualifiedName, Qualifiers,
    RefQualifier, SegmentKind, Type, TypeKind,
};
use crate::lex::TokenKind;
use crate::names::words;

/// A part of a declarator, in the order in which it applies to the type.
enum Chunk {
    Pointer(Qualifiers, Span),
    Lvalue(Span),
    Rvalue(Span),
    Member(Box<QualifiedName>, Qualifiers, Span),
    Array(Option<Box<Expr>>, Span),
    Function(Box<FunctionChunk>, Span),
}

/// What follows the name of a function.
pub(super) struct FunctionChunk {
    pub(super) parameters: ParameterList,
    pub(super) qualifiers: Qualifiers,
    pub(super) ref_qualifier: Option<RefQualifier>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) trailing: Option<Type>,
}

/// A declarator applied to nothing yet.
#[derive(Default)]
pub(super) struct Declarator {
    pub(super) name: Option<QualifiedName>,
    /// What the class or namespace before the name is, for an out-of-class definition.
    pub(super) outer: Symbol,
    chunks: Vec<Chunk>,
    pub(super) attributes: Vec<Attribute>,
    /// `...` before the name.
    pub(super) is_pack: bool,
}

/// Where a declarator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a namespace or class: `(` after the name begins parameters if a type follows.
    Outside,
    /// In a function: `(` after the name may begin an initialiser.
    Block,
    /// A parameter: named or not.
    Parameter,
    /// A type-id: never named.
    TypeId,
    /// The type after `operator`: pointers and references only.
    Conversion,
}

impl Declarator {
    /// The function that is declared, taken out, if the declarator is one of a function.
    pub(super) fn take_function(&mut self) -> Option<FunctionChunk> {
        // The last chunk stands next to the name.
        match self.chunks.pop() {
            Some(Chunk::Function(function, _)) => Some(*function),
            Some(other) => {
                self.chunks.push(other);
                None
            }
            None => None,
        }
    }

    /// The declared type.
    pub(super) fn apply(self, mut ty: Type) -> Type {
        for chunk in self.chunks {
            let start = ty.span;
            let boxed = |ty| Box::new(ty);
            let none = Qualifiers::default();
            ty = match chunk {
                Chunk::Pointer(qualifiers, span) => {
                    Type { kind: TypeKind::Pointer(boxed(ty)), qualifiers, span: start.to(span) }
                }
                Chunk::Lvalue(span) => Type {
                    kind: TypeKind::LvalueReference(boxed(ty)),
                    qualifiers: none,
                    span: start.to(span),
                },
                Chunk::Rvalue(span) => Type {
                    kind: TypeKind::RvalueReference(boxed(ty)),
                    qualifiers: none,
                    span: start.to(span),
                },
                Chunk::Member(class, qualifiers, span) => {
                    Type { kind: TypeKind::MemberPointer(boxed(ty), class), qualifiers, span: start.to(span) }
                }
                Chunk::Array(size, span) => {
                    Type { kind: TypeKind::Array(boxed(ty), size), qualifiers: none, span: start.to(span) }
                }
                Chunk::Function(function, span) => {
                    let has_trailing_result = function.trailing.is_some();
                    let function = FunctionType {
                        result: function.trailing.unwrap_or(ty),
                        parameters: function.parameters,
                        qualifiers: function.qualifiers,
                        ref_qualifier: function.ref_qualifier,
                        has_trailing_result,
                        attributes: function.attributes,
                    };
                    Type {
                        kind: TypeKind::Function(Box::new(function)),
                        qualifiers: none,
                        span: start.to(span),
                    }
                }
            };
        }
        ty
    }
}

impl Parser<'_> {
    /// A type without a name: `const device float *`.
    pub(super) fn type_id(&mut self) -> Parse<Type> {
        let mut spec = self.decl_spec(None)?;
        if !spec.has_type {
            return self.expected(&codes::EXPECTED_TYPE, "a type");
        }
        let is_plain =
            !matches!(self.kind(), TokenKind::Star | TokenKind::LeftBracket | TokenKind::LeftParen);
        let declarator = self.declarator(Place::TypeId)?;
        self.last_type = if is_plain { spec.symbol } else { Symbol::default() };
        spec.keep_definition();
        Ok(declarator.apply(spec.ty))
    }

    /// The type of a conversion function.
    pub(super) fn conversion_type(&mut self) -> Parse<Type> {
        let spec = self.decl_spec(None)?;
        if !spec.has_type {
            return self.expected(&codes::EXPECTED_TYPE, "an operator or a type after `operator`");
        }
        let declarator = self.declarator(Place::Conversion)?;
        Ok(declarator.apply(spec.ty))
    }

    pub(super) fn declarator(&mut self, place: Place) -> Parse<Declarator> {
        let mut declarator = Declarator::default();
        let mut chunks = Vec::new();
        self.declarator_into(place, &mut declarator, &mut chunks)?;
        declarator.chunks = chunks;
        Ok(declarator)
    }

    /// `*`, `&`, `&&`, `C::*` with their qualifiers.
    fn pointer_operators(&mut self, chunks: &mut Vec<Chunk>) -> Parse<()> {
        loop {
            if chunks.len() > 64 {
                return self.nested_too_deep_pointers();
            }
            let span = self.token().span;
            match self.kind() {
                TokenKind::Star => {
                    self.bump();
                    let qualifiers = self.pointer_qualifiers()?;
                    chunks.push(Chunk::Pointer(qualifiers, self.span_from(span)));
                }
                TokenKind::Ampersand => {
                    self.bump();
                    self.pointer_qualifiers()?;
                    chunks.push(Chunk::Lvalue(self.span_from(span)));
                }
                TokenKind::AmpersandAmpersand => {
                    self.bump();
                    self.pointer_qualifiers()?;
                    chunks.push(Chunk::Rvalue(self.span_from(span)));
                }
                TokenKind::Ident | TokenKind::ColonColon if self.starts_name() => {
                    let Some((class, end)) = self.member_pointer_class() else { return Ok(()) };
                    self.at = end;
                    let qualifiers = self.pointer_qualifiers()?;
                    chunks.push(Chunk::Member(Box::new(class), qualifiers, self.span_from(span)));
                }
                _ => return Ok(()),
            }
        }
    }

    fn nested_too_deep_pointers<T>(&mut self) -> Parse<T> {
        self.fail(|parser| {
            Diagnostic::new(
                &codes::TOO_DEEP,
                parser.token().span,
                "this type has more than 64 levels of pointers, arrays or functions",
            )
        })
    }

    /// `C::*`: the class and the token after the star.
    fn member_pointer_class(&mut self) -> Option<(QualifiedName, usize)> {
        // Only names with `::` can be: most names end the search here.
        let mut ahead = 0;
        if self.is(TokenKind::ColonColon) {
            ahead = 1;
        }
        if !matches!(self.peek_kind(ahead + 1), TokenKind::ColonColon | TokenKind::Less) {
            return None;
        }
        self.attempt(|parser| {
            let (name, _) = parser.qualified_name(NameUse::Declarator)?;
            if parser.eat(TokenKind::ColonColon) && parser.eat(TokenKind::Star) {
                Ok((name, parser.at))
            } else {
                Err(Failed)
            }
        })
    }

    fn pointer_qualifiers(&mut self) -> Parse<Qualifiers> {
        let mut qualifiers = Qualifiers::default();
        loop {
            if self.is_attribute() && !self.is(TokenKind::LeftBracket) {
                // `__attribute__((…))` between star and name: nothing that Metal has a use for.
                self.attributes(&mut Vec::new())?;
            } else if !self.eat_qualifier(&mut qualifiers) {
                return Ok(qualifiers);
            }
        }
    }

    fn declarator_into(
        &mut self,
        place: Place,
        declarator: &mut Declarator,
        chunks: &mut Vec<Chunk>,
    ) -> Parse<()> {
        self.nested(|parser| {
            parser.pointer_operators(chunks)?;
            if place == Place::Conversion {
                return Ok(());
            }
            let mut inner = Vec::new();
            if parser.is(TokenKind::Ellipsis) && place != Place::TypeId {
                parser.bump();
                declarator.is_pack = true;
            }
            match parser.kind() {
                TokenKind::LeftParen if parser.is_grouping(place) => {
                    let open = parser.bump().span;
                    parser.in_brackets(|parser| parser.declarator_into(place, declarator, &mut inner))?;
                    parser.expect_closing(TokenKind::RightParen, open)?;
                }
                TokenKind::Ident | TokenKind::ColonColon | TokenKind::Tilde
                    if place != Place::TypeId && parser.starts_declarator_name(place) =>
                {
                    let start = parser.token().span;
                    let name = if place == Place::Block && parser.peek_kind(1) == TokenKind::Less {
                        // No specialisation is declared in a function: `<` is a mistake behind the name.
                        Self::simple_name(parser.identifier("a name")?)
                    } else {
                        parser.qualified_name(NameUse::Declarator)?.0
                    };
                    if matches!(place, Place::Parameter)
                        && (!name.qualifiers.is_empty() || name.last.arguments.is_some())
                    {
                        return parser.fail(|_| {
                            Diagnostic::new(
                                &codes::EXPECTED_NAME,
                                start,
                                "a parameter's name is one plain name",
                            )
                        });
                    }
                    if !name.qualifiers.is_empty() {
                        declarator.outer = parser.resolve_qualifiers(&name);
                    }
                    declarator.name = Some(name);
                }
                _ => {}
            }
            // Inside the class of `C::f`, its names are seen from here on.
            let level = parser.scopes.level();
            if let Some(scope) = declarator.outer.scope {
                parser.scopes.enter(scope);
            }
            if parser.is_attribute() {
                let mut attributes = Vec::new();
                parser.attributes(&mut attributes)?;
                declarator.attributes.append(&mut attributes);
            }
            let mut suffixes = Vec::new();
            let result = parser.declarator_suffixes(place, declarator, inner.is_empty(), &mut suffixes);
            parser.scopes.leave(level);
            result?;
            suffixes.reverse();
            chunks.append(&mut suffixes);
            chunks.append(&mut inner);
            if chunks.len() > 64 {
                return parser.nested_too_deep_pointers();
            }
            Ok(())
        })
    }

    /// What is known of the class or namespace in front of a qualified name.
    pub(super) fn resolve_qualifiers(&self, name: &QualifiedName) -> Symbol {
        let mut inside = name.global.then_some((Some(super::scope::Scopes::GLOBAL), false));
        let mut symbol = Symbol::default();
        for segment in &name.qualifiers {
            let SegmentKind::Name(word) = segment.kind else { return Symbol::of(Symbol::DEPENDENT) };
            symbol = self.symbol_of(word, inside);
            inside = Some((symbol.scope, symbol.has(Symbol::DEPENDENT)));
        }
        symbol
    }

    fn starts_declarator_name(&self, place: Place) -> bool {
        match self.kind() {
            TokenKind::Tilde => place == Place::Outside,
            TokenKind::ColonColon => place != Place::Parameter,
            _ => {
                let word = self.token().name;
                !word.is_keyword() || word == words::OPERATOR && place != Place::Parameter
            }
        }
    }

    /// At `(` where a name could stand: does it group a declarator, or begin parameters?
    fn is_grouping(&self, place: Place) -> bool {
        match self.peek_kind(1) {
            TokenKind::Star | TokenKind::Ampersand | TokenKind::AmpersandAmpersand | TokenKind::LeftParen => {
                true
            }
            TokenKind::RightParen | TokenKind::Ellipsis => false,
            TokenKind::Ident => {
                let word = self.peek(1).name;
                if Self::address_space(word).is_some() {
                    // `float (device *p)`: an address space before the star.
                    return self.peek_kind(2) == TokenKind::Star;
                }
                if word.is_keyword() {
                    return false;
                }
                if self.peek_kind(2) == TokenKind::ColonColon {
                    // `(C::*p)`
                    return self.peek_kind(3) == TokenKind::Star;
                }
                match place {
                    Place::TypeId | Place::Conversion => false,
                    Place::Parameter => !self.scopes.lookup(word).is_type(),
                    Place::Outside | Place::Block => true,
                }
            }
            _ => false,
        }
    }

    fn declarator_suffixes(
        &mut self,
        place: Place,
        declarator: &mut Declarator,
        is_direct: bool,
        suffixes: &mut Vec<Chunk>,
    ) -> Parse<()> {
        loop {
            let start = self.token().span;
            match self.kind() {
                TokenKind::LeftBracket if self.peek_kind(1) == TokenKind::LeftBracket => {
                    self.attributes(&mut declarator.attributes)?;
                }
                TokenKind::LeftBracket => {
                    self.bump();
                    let size = if self.is(TokenKind::RightBracket) {
                        None
                    } else {
                        Some(Box::new(self.in_brackets(Self::assignment_expression)?))
                    };
                    self.expect_closing(TokenKind::RightBracket, start)?;
                    suffixes.push(Chunk::Array(size, self.span_from(start)));
                }
                TokenKind::LeftParen => {
                    if !self.begins_parameters(place, is_direct && declarator.name.is_some()) {
                        return Ok(());
                    }
                    let function = self.function_chunk()?;
                    suffixes.push(Chunk::Function(Box::new(function), self.span_from(start)));
                }
                _ => return Ok(()),
            }
            if suffixes.len() > 64 {
                return self.nested_too_deep_pointers();
            }
        }
    }

    /// At `(` after a declared name: parameters, or an initialiser?
    fn begins_parameters(&mut self, place: Place, is_named: bool) -> bool {
        if place == Place::Conversion {
            return false;
        }
        match self.peek_kind(1) {
            TokenKind::RightParen | TokenKind::Ellipsis => return true,
            TokenKind::LeftBracket if self.peek_kind(2) == TokenKind::LeftBracket => return true,
            _ => {}
        }
        if !is_named {
            return true;
        }
        self.at += 1;
        let may_be_type = self.starts_type() && !self.names_a_value_inside()
            || place == Place::Outside
                && self.is_identifier()
                && self.scopes.lookup(self.token().name).is_unknown();
        self.at -= 1;
        if !may_be_type {
            return false;
        }
        if place == Place::Outside {
            return true;
        }
        self.attempt(|parser| parser.parameters().map(|_| ())).is_some()
    }

    /// `E::member`, known to be a value.
    fn names_a_value_inside(&self) -> bool {
        self.is_identifier()
            && self.peek_kind(1) == TokenKind::ColonColon
            && self.peek_is_identifier(2)
            && !matches!(self.peek_kind(3), TokenKind::ColonColon | TokenKind::Less)
            && self
                .scopes
                .lookup(self.token().name)
                .scope
                .and_then(|scope| self.scopes.member(scope, self.peek(2).name))
                .is_some_and(|symbol| !symbol.is_unknown() && !symbol.is_type())
    }

    /// `(parameters)` and all that may follow up to the body.
    fn function_chunk(&mut self) -> Parse<FunctionChunk> {
        let level = self.scopes.level();
        let result = self.function_chunk_inner();
        self.scopes.leave(level);
        result
    }

    fn function_chunk_inner(&mut self) -> Parse<FunctionChunk> {
        self.scopes.enter_local();
        let parameters = self.parameters()?;
        let mut qualifiers = Qualifiers::default();
        let mut ref_qualifier = None;
        let mut attributes = Vec::new();
        loop {
            match self.kind() {
                TokenKind::Ampersand => {
                    self.bump();
                    ref_qualifier = Some(RefQualifier::Lvalue);
                }
                TokenKind::AmpersandAmpersand => {
                    self.bump();
                    ref_qualifier = Some(RefQualifier::Rvalue);
                }
                TokenKind::Ident if self.is_word(words::NOEXCEPT) => {
                    self.bump();
                    if self.is(TokenKind::LeftParen) {
                        let open = self.bump().span;
                        self.in_brackets(Self::expression)?;
                        self.expect_closing(TokenKind::RightParen, open)?;
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
        let trailing = if self.eat(TokenKind::Arrow) { Some(self.type_id()?) } else { None };
        if trailing.is_some() && self.is_attribute() {
            self.attributes(&mut attributes)?;
        }
        while matches!(self.word(), words::OVERRIDE | words::FINAL) {
            self.bump();
        }
        Ok(FunctionChunk { parameters, qualifiers, ref_qualifier, attributes, trailing })
    }

    /// `(…)`, at the parenthesis. The names are declared in the innermost frame.
    pub(super) fn parameters(&mut self) -> Parse<ParameterList> {
        let open = self.bump().span;
        let list = self.in_brackets(|parser| parser.nested(Self::parameter_list))?;
        self.expect_closing(TokenKind::RightParen, open)?;
        Ok(list)
    }

    fn parameter_list(&mut self) -> Parse<ParameterList> {
        let mut list = ParameterList::default();
        if self.is(TokenKind::RightParen) {
            return Ok(list);
        }
        if self.is_word(words::VOID) && self.peek_kind(1) == TokenKind::RightParen {
            self.bump();
            return Ok(list);
        }
        loop {
            if self.eat(TokenKind::Ellipsis) {
                list.is_c_variadic = true;
                return Ok(list);
            }
            if self.is(TokenKind::RightParen) && !list.parameters.is_empty() {
                // `void f(int a, )`: a comma too much.
                return self.expected(&codes::EXPECTED_TYPE, "a parameter after `,`");
            }
            let parameter = self.parameter()?;
            list.parameters.push(parameter);
            if self.is(TokenKind::Ellipsis) {
                continue;
            }
            if !self.eat(TokenKind::Comma) {
                return Ok(list);
            }
        }
    }

    fn parameter(&mut self) -> Parse<ParameterDecl> {
        let start = self.token().span;
        let mut spec = self.decl_spec(None)?;
        if !spec.has_type {
            return self.expected(&codes::EXPECTED_TYPE, "the type of a parameter");
        }
        spec.keep_definition();
        let mut declarator = self.declarator(Place::Parameter)?;
        let name = declarator.name.take().and_then(|name| match name.last.kind {
            SegmentKind::Name(word) => Some(Ident { name: word, span: name.last.span }),
            _ => None,
        });
        let mut attributes = spec.attributes;
        attributes.append(&mut declarator.attributes);
        if let Some(name) = name {
            self.scopes.declare(name.name, Symbol::of(Symbol::VALUE));
        }
        let is_pack = declarator.is_pack;
        let ty = declarator.apply(spec.ty);
        let default = if self.eat(TokenKind::Equal) { Some(self.initializer_clause()?) } else { None };
        Ok(ParameterDecl { name, ty, is_pack, default, attributes, span: self.span_from(start) })
    }

    /// Declares the parameters of a function again, before its body is read.
    pub(super) fn declare_parameters(&mut self, list: &ParameterList) {
        for parameter in &list.parameters {
            if let Some(name) = parameter.name {
                self.scopes.declare(name.name, Symbol::of(Symbol::VALUE));
            }
        }
    }
}
