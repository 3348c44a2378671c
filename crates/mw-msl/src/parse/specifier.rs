//! What stands before a declarator: specifiers, qualifiers and the type.

use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::syntax as codes;
use mw_source::Span;

use super::name::NameUse;
use super::scope::Symbol;
use super::{Parse, Parser};
use crate::ast::{
    Attribute, BuiltinTemplate, Decl, Expr, Qualifiers, SegmentKind, Specifiers, Stage, TagKind,
    TemplateArgument, TemplateArgumentKind, Type, TypeKind,
};
use crate::lex::TokenKind;
use crate::names::{Name, words};
use crate::types::{AddressSpace, Scalar};

/// What stands before the declarators of a declaration.
pub(super) struct DeclSpec {
    pub(super) specifiers: Specifiers,
    pub(super) ty: Type,
    pub(super) attributes: Vec<Attribute>,
    pub(super) is_typedef: bool,
    /// No type was written: constructors, destructors and conversions.
    pub(super) has_type: bool,
    /// What the named type is known to be.
    pub(super) symbol: Symbol,
    /// A class or enumeration that is declared or defined here.
    pub(super) tag: Option<Box<Decl>>,
    pub(super) span: Span,
}

impl DeclSpec {
    /// A class defined where no declaration of its own can hold it stays in the type.
    pub(super) fn keep_definition(&mut self) {
        if let Some(decl) = self.tag.take() {
            let is_definition = match &decl.kind {
                crate::ast::DeclKind::Record(record) => record.members.is_some(),
                crate::ast::DeclKind::Enum(definition) => definition.enumerators.is_some(),
                _ => false,
            };
            if is_definition {
                self.ty.kind = TypeKind::Defined(decl);
            }
        }
    }
}

/// The words of a built-in type.
#[derive(Default)]
struct TypeWords {
    long: u32,
    short: u32,
    is_signed: bool,
    is_unsigned: bool,
    base: Option<Name>,
    any: bool,
}

impl TypeWords {
    /// Takes a word; `false` if it does not go with those before.
    fn add(&mut self, word: Name) -> bool {
        self.any = true;
        match word {
            words::LONG => {
                self.long += 1;
                self.long <= 2 && self.short == 0
            }
            words::SHORT => {
                self.short += 1;
                self.short == 1 && self.long == 0
            }
            words::SIGNED => {
                self.is_signed = true;
                !self.is_unsigned
            }
            words::UNSIGNED => {
                self.is_unsigned = true;
                !self.is_signed
            }
            _ => self.base.replace(word).is_none(),
        }
    }

    fn kind(&self) -> Option<TypeKind> {
        let is_plain = self.long == 0 && self.short == 0 && !self.is_signed && !self.is_unsigned;
        let pick = |signed, unsigned| if self.is_unsigned { unsigned } else { signed };
        let scalar = match self.base {
            None | Some(words::INT) => {
                if self.long > 0 {
                    pick(Scalar::Long, Scalar::ULong)
                } else if self.short > 0 {
                    pick(Scalar::Short, Scalar::UShort)
                } else {
                    pick(Scalar::Int, Scalar::UInt)
                }
            }
            Some(words::CHAR) if self.long == 0 && self.short == 0 => pick(Scalar::Char, Scalar::UChar),
            Some(words::DOUBLE) if self.short == 0 => {
                let text = if self.long > 0 { "long double" } else { "double" };
                return Some(TypeKind::Forbidden(text));
            }
            Some(base) if is_plain => match base {
                words::VOID => return Some(TypeKind::Void),
                words::BOOL => Scalar::Bool,
                words::FLOAT => Scalar::Float,
                words::HALF => Scalar::Half,
                words::BFLOAT => Scalar::BFloat,
                words::WCHAR_T => return Some(TypeKind::Forbidden("wchar_t")),
                words::CHAR16_T => return Some(TypeKind::Forbidden("char16_t")),
                words::CHAR32_T => return Some(TypeKind::Forbidden("char32_t")),
                _ => return None,
            },
            Some(_) => return None,
        };
        Some(TypeKind::Scalar(scalar))
    }
}

impl Parser<'_> {
    /// The address space that a word names.
    pub(super) fn address_space(word: Name) -> Option<AddressSpace> {
        Some(match word {
            words::DEVICE => AddressSpace::Device,
            words::CONSTANT => AddressSpace::Constant,
            words::THREAD => AddressSpace::Thread,
            words::THREADGROUP => AddressSpace::Threadgroup,
            words::THREADGROUP_IMAGEBLOCK => AddressSpace::ThreadgroupImageblock,
            words::RAY_DATA => AddressSpace::RayData,
            words::OBJECT_DATA => AddressSpace::ObjectData,
            _ => return None,
        })
    }

    pub(super) fn is_type_word(word: Name) -> bool {
        matches!(
            word,
            words::VOID
                | words::BOOL
                | words::CHAR
                | words::SHORT
                | words::INT
                | words::LONG
                | words::SIGNED
                | words::UNSIGNED
                | words::FLOAT
                | words::DOUBLE
                | words::HALF
                | words::BFLOAT
                | words::WCHAR_T
                | words::CHAR16_T
                | words::CHAR32_T
        )
    }

    /// A word that can only begin a declaration or type, never an expression.
    pub(super) fn is_specifier_word(word: Name) -> bool {
        Self::address_space(word).is_some()
            || matches!(
                word,
                words::CONST
                    | words::CONST_1
                    | words::VOLATILE
                    | words::VOLATILE_1
                    | words::RESTRICT
                    | words::RESTRICT_1
                    | words::RESTRICT_2
                    | words::CONSTEXPR
                    | words::STATIC
                    | words::EXTERN
                    | words::INLINE
                    | words::INLINE_1
                    | words::INLINE_2
                    | words::TYPEDEF
                    | words::REGISTER
                    | words::MUTABLE
                    | words::THREAD_LOCAL
                    | words::VIRTUAL
                    | words::EXPLICIT
                    | words::FRIEND
                    | words::STRUCT
                    | words::CLASS
                    | words::UNION
                    | words::ENUM
                    | words::AUTO
                    | words::KERNEL
                    | words::VERTEX
                    | words::FRAGMENT
            )
    }

    /// Could a type begin here? Names count if they are known as types, or not known at all.
    pub(super) fn starts_type(&self) -> bool {
        match self.kind() {
            TokenKind::ColonColon => true,
            TokenKind::Ident => {
                let word = self.token().name;
                if word.is_keyword() {
                    return Self::is_type_word(word)
                        || Self::is_specifier_word(word)
                        || matches!(
                            word,
                            words::TYPENAME
                                | words::DECLTYPE
                                | words::DECLTYPE_1
                                | words::TYPEOF
                                | words::UNDERLYING_TYPE
                        );
                }
                // `a::b` and `a<b>` may be types whatever `a` is.
                let next = self.peek_kind(1);
                let symbol = self.scopes.lookup(word);
                symbol.is_type()
                    || next == TokenKind::ColonColon
                    || symbol.is_unknown() && self.unknown_may_be_type(word)
            }
            _ => false,
        }
    }

    /// An unknown name may be a type if what follows could follow a type but not a value.
    fn unknown_may_be_type(&self, word: Name) -> bool {
        Self::builtin_template(word).is_some()
            || word == words::COHERENT
            || match self.peek_kind(1) {
                TokenKind::Less => !crate::stdlib::is_function_template_name(self.interner.text(word)),
                TokenKind::Ident => {
                    let next = self.peek(1).name;
                    !next.is_keyword() || Self::is_specifier_word(next)
                }
                TokenKind::Star | TokenKind::Ampersand | TokenKind::AmpersandAmpersand => matches!(
                    self.peek_kind(2),
                    TokenKind::RightParen
                        | TokenKind::Comma
                        | TokenKind::Greater
                        | TokenKind::Star
                        | TokenKind::Ampersand
                        | TokenKind::LeftBracket
                ),
                _ => false,
            }
    }

    /// `coherent` or `coherent(device)`, if it comes next as a qualifier.
    fn eat_coherent(&mut self) -> bool {
        if !self.is_word(words::COHERENT) || !self.scopes.lookup(words::COHERENT).is_unknown() {
            return false;
        }
        let has_argument =
            self.peek_kind(1) == TokenKind::LeftParen && self.peek_kind(3) == TokenKind::RightParen;
        if !has_argument && self.peek_kind(1) != TokenKind::Ident {
            return false;
        }
        for _ in 0..if has_argument { 4 } else { 1 } {
            self.bump();
        }
        true
    }

    /// One qualifier, if one comes next.
    pub(super) fn eat_qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        let token = self.token();
        if token.kind != TokenKind::Ident {
            return false;
        }
        match token.name {
            words::CONST | words::CONST_1 => qualifiers.is_const = true,
            words::VOLATILE | words::VOLATILE_1 => qualifiers.is_volatile = true,
            words::RESTRICT | words::RESTRICT_1 | words::RESTRICT_2 => qualifiers.is_restrict = true,
            words::COHERENT => {
                let is_coherent = self.eat_coherent();
                qualifiers.is_coherent |= is_coherent;
                return is_coherent;
            }
            word => {
                let Some(space) = Self::address_space(word) else { return false };
                let first = qualifiers.space;
                if space == AddressSpace::Thread && first.is_some() {
                    // `thread` is what an object has anyway: beside another space it says nothing.
                    self.bump();
                    return true;
                }
                if let Some((first, span)) = first
                    && first != space
                    && first != AddressSpace::Thread
                {
                    self.report(
                        Diagnostic::new(
                            &codes::TWO_ADDRESS_SPACES,
                            token.span,
                            format!("`{}` stands beside `{}`", space.name(), first.name()),
                        )
                        .label("second address space")
                        .with_label(span, "first address space")
                        .note("an object lives in one address space (MSL spec, \"Address Spaces\")"),
                    );
                }
                qualifiers.space = Some((space, token.span));
            }
        }
        self.bump();
        true
    }

    /// Does a constructor of `class` begin here: its name and `(`?
    fn is_constructor(&mut self, class: Option<Name>) -> bool {
        if class.is_none_or(|class| !self.is_word(class)) {
            return false;
        }
        match self.peek_kind(1) {
            TokenKind::LeftParen => !matches!(self.peek_kind(2), TokenKind::Star | TokenKind::Ampersand),
            // `S<T>()`, the name with its own arguments.
            TokenKind::Less => self
                .attempt(|parser| {
                    parser.bump();
                    parser.template_arguments()?;
                    Ok(parser.is(TokenKind::LeftParen)
                        && !matches!(parser.peek_kind(1), TokenKind::Star | TokenKind::Ampersand))
                })
                .unwrap_or(false),
            _ => false,
        }
    }

    /// `S::S(`, `S::~S`, `S::operator T`: a name that is declared, not a type.
    fn is_constructor_name(&self, name: &crate::ast::QualifiedName) -> bool {
        match (&name.last.kind, name.qualifiers.last()) {
            (SegmentKind::Name(last), Some(class)) => {
                self.is(TokenKind::LeftParen)
                    && matches!(&class.kind, SegmentKind::Name(class) if class == last)
            }
            (SegmentKind::Name(_), None) => false,
            _ => true,
        }
    }

    /// Specifiers, qualifiers and type before a declarator. `class` is the class whose member this is.
    pub(super) fn decl_spec(&mut self, class: Option<Name>) -> Parse<DeclSpec> {
        self.nested(|parser| parser.decl_spec_inner(class))
    }

    fn decl_spec_inner(&mut self, class: Option<Name>) -> Parse<DeclSpec> {
        let start = self.token().span;
        let mut attributes = Vec::new();
        let mut specifiers = Specifiers::default();
        let mut qualifiers = Qualifiers::default();
        let mut is_typedef = false;
        let mut kind: Option<TypeKind> = None;
        let mut symbol = Symbol::default();
        let mut tag = None;
        let mut type_words = TypeWords::default();
        loop {
            if self.is_attribute() {
                self.attributes(&mut attributes)?;
                continue;
            }
            let has_type = kind.is_some() || type_words.any;
            if self.is(TokenKind::ColonColon) && !has_type {
                let (name, found) = self.qualified_name(NameUse::Type)?;
                kind = Some(Self::named_type(name));
                symbol = found;
                continue;
            }
            if self.kind() != TokenKind::Ident {
                break;
            }
            let word = self.token().name;
            match word {
                words::STATIC => specifiers.is_static = true,
                words::EXTERN => specifiers.is_extern = true,
                words::INLINE | words::INLINE_1 | words::INLINE_2 => specifiers.is_inline = true,
                words::CONSTEXPR => specifiers.is_constexpr = true,
                words::VIRTUAL => specifiers.is_virtual = true,
                words::EXPLICIT => {
                    self.bump();
                    specifiers.is_explicit = true;
                    continue;
                }
                words::MUTABLE => specifiers.is_mutable = true,
                words::THREAD_LOCAL | words::REGISTER => {
                    let (span, text) = (self.token().span, self.interner.text(word).to_owned());
                    self.report(
                        Diagnostic::new(&codes::FORBIDDEN_SYNTAX, span, format!("Metal has no `{text}`"))
                            .note("the language leaves it out of C++17 (MSL specification, \"Restrictions\")")
                            .help(format!(
                                "leave `{text}` away: variables of functions are each thread's own"
                            )),
                    );
                }
                words::FRIEND => specifiers.is_friend = true,
                words::TYPEDEF => is_typedef = true,
                words::EXTENSION => {}
                words::KERNEL => specifiers.stage = Some(Stage::Kernel),
                words::VERTEX => specifiers.stage = Some(Stage::Vertex),
                words::FRAGMENT => specifiers.stage = Some(Stage::Fragment),
                words::AUTO if !has_type => kind = Some(TypeKind::Auto),
                words::STRUCT | words::CLASS | words::UNION if !has_type => {
                    let (ty, decl, found) = self.record_specifier()?;
                    kind = Some(ty);
                    let is_defined = self.tokens[self.at - 1].kind == TokenKind::RightBrace;
                    tag = decl;
                    symbol = found;
                    if is_defined && self.begins_line_with_keyword() {
                        // Its semicolon is missing: the next line declares something else.
                        break;
                    }
                    continue;
                }
                words::ENUM if !has_type => {
                    let (ty, decl) = self.enum_specifier()?;
                    kind = Some(ty);
                    tag = decl;
                    continue;
                }
                words::TYPENAME if !has_type => {
                    self.bump();
                    let (name, found) = self.qualified_name(NameUse::Type)?;
                    kind = Some(Self::named_type(name));
                    symbol =
                        Symbol::with_scope(Symbol::TYPE | found.flags() & Symbol::DEPENDENT, found.scope);
                    continue;
                }
                words::DECLTYPE | words::DECLTYPE_1 | words::TYPEOF if !has_type => {
                    let (ty, found) = self.decltype_specifier()?;
                    kind = Some(ty);
                    symbol = found;
                    continue;
                }
                words::UNDERLYING_TYPE if !has_type => {
                    kind = Some(self.underlying_type()?);
                    continue;
                }
                words::CONSTEVAL if self.peek_kind(1) == TokenKind::Ident => specifiers.is_consteval = true,
                words::CONSTINIT if self.peek_kind(1) == TokenKind::Ident => {}
                _ if Self::is_type_word(word) && kind.is_none() => {
                    if !type_words.add(word) {
                        return self.fail(|parser| {
                            let text = parser.interner.text(word);
                            Diagnostic::new(
                                &codes::INVALID_TYPE_WORDS,
                                parser.token().span,
                                format!("`{text}` does not go with the words before it"),
                            )
                        });
                    }
                }
                _ => {
                    if self.eat_qualifier(&mut qualifiers) {
                        continue;
                    }
                    if word.is_keyword() || has_type || self.is_constructor(class) {
                        break;
                    }
                    let mark = self.mark();
                    let (name, found) = self.qualified_name(NameUse::Type)?;
                    if self.is_constructor_name(&name) {
                        self.reset(mark);
                        break;
                    }
                    if self.is(TokenKind::Less)
                        && found.is_type()
                        && !found.has(Symbol::TYPE_TEMPLATE | Symbol::DEPENDENT)
                    {
                        return self.fail(|parser| {
                            let text = parser.previous_text();
                            Diagnostic::new(
                                &mw_diagnostics::registry::semantics::NOT_A_TEMPLATE,
                                parser.previous_span(),
                                format!("`{text}` is no template"),
                            )
                            .label("takes no arguments in `<…>`")
                        });
                    }
                    kind = Some(Self::named_type(name));
                    symbol = found;
                    continue;
                }
            }
            self.bump();
        }
        let span = self.span_from(start);
        if type_words.any {
            kind = type_words.kind();
            if kind.is_none() {
                self.report(Diagnostic::new(
                    &codes::INVALID_TYPE_WORDS,
                    span,
                    "these words make no type together",
                ));
                kind = Some(TypeKind::Error);
            }
        }
        if let Some(stage) = Self::stage_of(&attributes) {
            specifiers.stage = Some(stage);
        }
        let has_type = kind.is_some();
        let ty = Type { kind: kind.unwrap_or(TypeKind::Void), qualifiers, span };
        Ok(DeclSpec { specifiers, ty, attributes, is_typedef, has_type, symbol, tag, span })
    }

    fn begins_line_with_keyword(&self) -> bool {
        let token = self.token();
        token.flags.has(crate::lex::TokenFlags::LINE_START)
            && token.kind == TokenKind::Ident
            && token.name.is_keyword()
    }

    /// A named type; the compiler's own templates become what they are.
    pub(super) fn named_type(mut name: crate::ast::QualifiedName) -> TypeKind {
        if name.qualifiers.is_empty()
            && let SegmentKind::Name(last) = name.last.kind
            && let Some(builtin) = Self::builtin_template(last)
            && let Some(arguments) = name.last.arguments.take()
        {
            return TypeKind::Builtin(builtin, arguments);
        }
        if name.qualifiers.is_empty()
            && let SegmentKind::Decltype(operand) = name.last.kind
        {
            return TypeKind::Decltype(operand);
        }
        TypeKind::Named(Box::new(name))
    }

    /// The operand of `decltype(…)`, at the word.
    pub(super) fn decltype_operand(&mut self) -> Parse<Expr> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "after `decltype`")?.span;
        let operand = self.in_brackets(Self::expression)?;
        self.expect_closing(TokenKind::RightParen, open)?;
        Ok(operand)
    }

    fn decltype_specifier(&mut self) -> Parse<(TypeKind, Symbol)> {
        let dependent = Symbol::of(Symbol::TYPE | Symbol::DEPENDENT);
        if self.is_word(words::TYPEOF) {
            return Ok((TypeKind::Decltype(Box::new(self.decltype_operand()?)), dependent));
        }
        if self.peek_word(2) == words::AUTO && self.peek_kind(3) == TokenKind::RightParen {
            for _ in 0..4 {
                self.bump();
            }
            return Ok((TypeKind::DecltypeAuto, dependent));
        }
        let (name, found) = self.qualified_name(NameUse::Type)?;
        Ok((Self::named_type(name), found))
    }

    fn underlying_type(&mut self) -> Parse<TypeKind> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "after `__underlying_type`")?.span;
        let ty = self.in_brackets(Self::type_id)?;
        self.expect_closing(TokenKind::RightParen, open)?;
        let span = ty.span;
        let argument = TemplateArgument {
            kind: TemplateArgumentKind::Type(Box::new(ty)),
            is_pack_expansion: false,
            span,
        };
        Ok(TypeKind::Builtin(BuiltinTemplate::UnderlyingType, vec![argument]))
    }

    pub(super) fn tag_kind(word: Name) -> TagKind {
        match word {
            words::CLASS => TagKind::Class,
            words::UNION => TagKind::Union,
            words::ENUM => TagKind::Enum,
            _ => TagKind::Struct,
        }
    }
}
