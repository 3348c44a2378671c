//! Declarations.

use super::{
    Attribute, Expr, Ident, NameSegment, QualifiedName, Qualifiers, RefQualifier, Stmt, TagKind,
    TemplateArgument, Type,
};
use mw_source::Span;

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Decl {
    /// What it declares.
    pub kind: DeclKind,
    /// From its first token to its last.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug, PartialEq)]
pub enum DeclKind {
    /// `namespace a { … }`, without a name if anonymous; `a::b` nests.
    Namespace { name: Option<Ident>, is_inline: bool, decls: Vec<Decl> },
    /// `namespace a = b;`
    NamespaceAlias { name: Ident, target: QualifiedName },
    /// `using namespace a;`
    UsingNamespace(QualifiedName),
    /// `using a::b;`
    UsingName(QualifiedName),
    /// `using name = type;`, `typedef type name;`
    TypeAlias(TypeAliasDecl),
    /// A function, member function, constructor, destructor or conversion.
    Function(Box<FunctionDecl>),
    /// Variables or data members of one declaration: `int a = 1, *b;`
    Variables(Vec<VariableDecl>),
    /// `struct`, `class` or `union`, defined or only declared.
    Record(Box<RecordDecl>),
    /// `enum`, `enum class`.
    Enum(Box<EnumDecl>),
    /// `static_assert(condition, message);`
    StaticAssert { condition: Expr, message: Option<Box<str>> },
    /// `template <…> declaration`; no parameters for a full specialisation `template <>`.
    Template(Box<TemplateDecl>),
    /// `template declaration;`, perhaps `extern`.
    ExplicitInstantiation { decl: Box<Decl>, is_extern: bool },
    /// `extern "C" { … }`
    Linkage(Vec<Decl>),
    /// `friend declaration`
    Friend(Box<Decl>),
    /// `S(T) -> S<T>;`: how a class template's arguments are found from those of its constructors.
    DeductionGuide(Box<DeductionGuide>),
    /// `public:` and the like.
    Access(AccessKind),
    /// `struct { … };` or `union { … };` without a name inside a class or function: members go through.
    AnonymousRecord(Box<RecordDecl>),
    /// `#pragma METAL fp contract(off)` and the like between declarations.
    Pragma(super::Pragma),
    /// `;` alone, or what could not be parsed.
    Empty,
}

/// A deduction guide; its template parameters are those of the template around it.
#[derive(Clone, Debug, PartialEq)]
pub struct DeductionGuide {
    /// The class template.
    pub name: Ident,
    /// What its arguments are matched against.
    pub parameters: ParameterList,
    /// The class that they make.
    pub result: Type,
}

/// `public`, `protected`, `private`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum AccessKind {
    Public,
    Protected,
    Private,
}

/// `using name = type;`
#[derive(Clone, Debug, PartialEq)]
pub struct TypeAliasDecl {
    pub name: Ident,
    pub ty: Type,
    pub attributes: Vec<Attribute>,
}

/// Words before a declaration that say how, not what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Specifiers {
    pub is_static: bool,
    pub is_extern: bool,
    pub is_inline: bool,
    pub is_constexpr: bool,
    pub is_consteval: bool,
    pub is_virtual: bool,
    pub is_explicit: bool,
    pub is_mutable: bool,
    pub is_thread_local: bool,
    pub is_friend: bool,
    /// `kernel`, `vertex`, `fragment` or their attributes.
    pub stage: Option<Stage>,
}

/// What kind of entry point a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Stage {
    Kernel,
    Vertex,
    Fragment,
    Visible,
    Intersection,
    Object,
    Mesh,
}

/// One variable, data member or declarator of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableDecl {
    /// Its name, qualified for `T S::x = …`. Unnamed only for bit-fields.
    pub name: Option<QualifiedName>,
    /// Names of a structured binding; then `name` is none.
    pub bindings: Vec<Ident>,
    /// Declared type; the address space written before the type is in its outermost qualifiers
    /// (`threadgroup float s[4]`: the array element's qualifiers).
    pub ty: Type,
    pub specifiers: Specifiers,
    pub initializer: Option<Initializer>,
    /// Width of a bit-field.
    pub bit_width: Option<Expr>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// How a variable or member gets its first value.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// `= e`, where `e` may be a braced list.
    Copy(Expr),
    /// `(a, b)`
    Parenthesized(Vec<Expr>, Span),
    /// `{a, b}`
    Braced(super::InitList),
}

/// The parameters of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterList {
    pub parameters: Vec<ParameterDecl>,
    /// `...` at the end, in C's manner.
    pub is_c_variadic: bool,
}

/// One parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterDecl {
    pub name: Option<Ident>,
    pub ty: Type,
    /// `T... name`
    pub is_pack: bool,
    pub default: Option<Expr>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// A function of any kind.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDecl {
    /// Its name: plain, an operator, a conversion; qualified for an out-of-class definition; with template
    /// arguments for a specialisation or explicit instantiation.
    pub name: QualifiedName,
    /// Constructor, destructor or something else.
    pub kind: FunctionKind,
    /// Return type; `Void` for constructors and destructors.
    pub result: Type,
    pub parameters: ParameterList,
    pub specifiers: Specifiers,
    /// `const` and address space after the parameters of a member function.
    pub this_qualifiers: Qualifiers,
    pub ref_qualifier: Option<RefQualifier>,
    pub attributes: Vec<Attribute>,
    /// `__asm("air.name")` after the declarator.
    pub asm_label: Option<Box<str>>,
    /// `: a(x), b{y}` of a constructor.
    pub member_initializers: Vec<MemberInitializer>,
    pub body: FunctionBody,
    pub span: Span,
}

/// What a [`FunctionDecl`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum FunctionKind {
    Plain,
    Constructor,
    Destructor,
    Conversion,
}

/// The body of a function.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "most functions have a block")]
pub enum FunctionBody {
    /// `;`
    None,
    /// `= default;`
    Default,
    /// `= delete;`
    Delete,
    /// `{ … }`
    Block(Stmt),
}

/// `a(x)` in a constructor's list.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberInitializer {
    /// A member's name or a base class (or the class itself, for a delegating constructor).
    pub target: Type,
    pub value: Initializer,
    pub is_pack_expansion: bool,
    pub span: Span,
}

/// `struct S : B { … };`
#[derive(Clone, Debug, PartialEq)]
pub struct RecordDecl {
    /// None if anonymous. Template arguments on the last segment for a specialisation.
    pub name: Option<QualifiedName>,
    pub tag: TagKind,
    pub bases: Vec<BaseSpecifier>,
    /// None for a declaration without definition.
    pub members: Option<Vec<Decl>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// A base class.
#[derive(Clone, Debug, PartialEq)]
pub struct BaseSpecifier {
    pub ty: Type,
    pub is_virtual: bool,
    pub is_pack_expansion: bool,
    pub span: Span,
}

/// `enum class E : int { a = 1, b };`
#[derive(Clone, Debug, PartialEq)]
pub struct EnumDecl {
    pub name: Option<QualifiedName>,
    pub is_scoped: bool,
    pub underlying: Option<Type>,
    /// None for a declaration without definition.
    pub enumerators: Option<Vec<Enumerator>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// One constant of an enumeration.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumerator {
    pub name: Ident,
    pub value: Option<Expr>,
}

/// `template <parameters> declaration`
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateDecl {
    pub parameters: Vec<TemplateParameter>,
    /// `requires` clause: refused later, but parsed.
    pub requires: Option<Expr>,
    pub decl: Decl,
}

/// A parameter of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateParameter {
    pub name: Option<Ident>,
    pub kind: TemplateParameterKind,
    /// `typename... T`
    pub is_pack: bool,
    pub span: Span,
}

/// The kinds of template parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateParameterKind {
    /// `typename T = default`
    Type { default: Option<Type> },
    /// `int N = default`, `auto V`
    Value { ty: Type, default: Option<Expr> },
    /// `template <…> class T = default`
    Template { parameters: Vec<TemplateParameter>, default: Option<QualifiedName> },
}

/// Keep the names used by later stages in one place.
pub type TemplateArguments = Vec<TemplateArgument>;

impl FunctionDecl {
    /// The last segment of the name.
    pub fn last_name(&self) -> &NameSegment {
        &self.name.last
    }
}
