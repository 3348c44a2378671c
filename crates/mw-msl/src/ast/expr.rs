//! Expressions.

use super::{
    Attribute, FunctionType, Ident, NameSegment, QualifiedName, Stmt, TemplateArgument, TemplateParameter,
    Type,
};
use crate::types::Scalar;
use mw_source::Span;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Bool(bool),
    /// An integer literal with the type that its value and suffix give it (a character has type `char`).
    Int(u64, Scalar),
    /// A floating literal: `float` without suffix too, since Metal has no `double`; `bool` says that no
    /// suffix was written.
    Float {
        value: f64,
        ty: Scalar,
        has_suffix: bool,
    },
    /// A string, adjacent ones joined.
    String(Box<str>),
    /// `nullptr`
    Null,
    /// `this`
    This,
    /// A name.
    Name(Box<QualifiedName>),
    /// `(e)`
    Paren(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a = b` (no operator) or `a op= b`
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `a ? b : c`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `f(a, b)`
    Call(Box<Expr>, Vec<Expr>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `a.b`, `a->b`, also swizzles; `qualifiers` for `a.B::b`.
    Member {
        object: Box<Expr>,
        is_arrow: bool,
        qualifiers: Vec<NameSegment>,
        name: Box<NameSegment>,
    },
    /// `(T)e`, `static_cast<T>(e)` and the like.
    Cast(CastStyle, Box<Type>, Box<Expr>),
    /// `T(a, b)`: a type that is known as one when parsing.
    Construct(Box<Type>, Vec<Expr>),
    /// `T{a, b}`
    ConstructBraced(Box<Type>, InitList),
    /// `{a, b}` where an expression may stand (initialiser, argument, return).
    InitList(InitList),
    SizeofExpr(Box<Expr>),
    SizeofType(Box<Type>),
    /// `sizeof...(pack)`
    SizeofPack(Ident),
    AlignofType(Box<Type>),
    /// `__builtin_…(types and expressions)`, `__is_same(…)` and other traits that take types.
    TypeTrait(Ident, Vec<TemplateArgument>),
    Lambda(Box<Lambda>),
    /// `(pack op ...)`, `(... op pack)`, `(pack op ... op init)`, `(init op ... op pack)`
    Fold {
        op: FoldOp,
        left: Option<Box<Expr>>,
        right: Option<Box<Expr>>,
    },
    /// `e...`
    PackExpansion(Box<Expr>),
    /// `noexcept(e)`
    Noexcept(Box<Expr>),
    /// `new`, `delete`, `throw`, `typeid`, `dynamic_cast`, `co_await`: what Metal forbids, by its word.
    Forbidden(&'static str),
    /// What could not be parsed; an error was given.
    Error,
}

/// `{a, .b = c, [0] = d}`
#[derive(Clone, Debug, PartialEq)]
pub struct InitList {
    pub items: Vec<InitItem>,
    pub span: Span,
}

/// One item of an [`InitList`].
#[derive(Clone, Debug, PartialEq)]
pub struct InitItem {
    /// `.b.c[0]` before `=`
    pub designators: Vec<Designator>,
    pub value: Expr,
}

/// A step of a designation.
#[derive(Clone, Debug, PartialEq)]
pub enum Designator {
    Field(Ident),
    Index(Expr),
    /// GNU's `[a ... b]`
    IndexRange(Expr, Expr),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say all")]
pub enum UnaryOp {
    Plus,
    Minus,
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `*`
    Deref,
    /// `&`
    AddressOf,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

/// Binary operators that compute a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say all")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `.*` and `->*`: refused later, but parsed.
    MemberPointer,
}

/// The operator of a fold: a value, an assignment or a comma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum FoldOp {
    Binary(BinaryOp),
    Assign(Option<BinaryOp>),
    Comma,
}

/// How a conversion was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum CastStyle {
    /// `(T)e`
    C,
    Static,
    Reinterpret,
    Const,
    Dynamic,
}

/// `[captures](parameters) -> T { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// `[=]` or `[&]`
    pub default_capture: Option<CaptureMode>,
    pub captures: Vec<Capture>,
    /// `<typename T>` of a generic lambda.
    pub template_parameters: Vec<TemplateParameter>,
    /// Parameters and result; `Auto` if the result is deduced.
    pub signature: FunctionType,
    pub is_mutable: bool,
    pub is_constexpr: bool,
    pub attributes: Vec<Attribute>,
    pub body: Stmt,
}

/// How a lambda takes a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum CaptureMode {
    Value,
    Reference,
}

/// One capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    pub mode: CaptureMode,
    /// None for `this` (by reference) and `*this` (by value).
    pub name: Option<Ident>,
    /// `x = e`
    pub initializer: Option<Expr>,
    pub is_pack_expansion: bool,
    pub span: Span,
}
