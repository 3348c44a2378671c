//! The syntax tree: what was written, before any name has a meaning.
//!
//! Templates stay syntax until somebody instantiates them: a template's body is one tree, checked anew
//! for each set of arguments. The tree is immutable after parsing, and later stages borrow from it.

mod decl;
mod expr;
mod stmt;
mod types;

pub use decl::*;
pub use expr::*;
pub use stmt::*;
pub use types::*;

use crate::names::Name;
use mw_source::Span;

/// A name with the place where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// A whole preprocessed source.
#[derive(Clone, Debug, Default)]
pub struct TranslationUnit {
    /// Its declarations in order.
    pub decls: Vec<Decl>,
}

/// `::a::b<int>::c`: the way to a name.
#[derive(Clone, Debug, PartialEq)]
pub struct QualifiedName {
    /// It starts with `::`.
    pub global: bool,
    /// What stands before the last name, outermost first.
    pub qualifiers: Vec<NameSegment>,
    /// The last name.
    pub last: NameSegment,
    /// The whole name.
    pub span: Span,
}

/// One part of a [`QualifiedName`].
#[derive(Clone, Debug, PartialEq)]
pub struct NameSegment {
    /// What it names.
    pub kind: SegmentKind,
    /// Template arguments, if any were written (`f<>` has some, and none in them).
    pub arguments: Option<Vec<TemplateArgument>>,
    /// Name and arguments.
    pub span: Span,
}

/// The name in a [`NameSegment`].
#[derive(Clone, Debug, PartialEq)]
pub enum SegmentKind {
    /// `x`
    Name(Name),
    /// `~x`
    Destructor(Name),
    /// `operator+`, `operator()`, `operator[]`
    Operator(OverloadedOperator),
    /// `operator T`
    Conversion(Box<Type>),
    /// `decltype(e)`, which may only come first.
    Decltype(Box<Expr>),
}

/// An argument of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateArgument {
    /// What it is.
    pub kind: TemplateArgumentKind,
    /// `...` follows.
    pub is_pack_expansion: bool,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of template arguments as far as syntax tells them apart.
#[derive(Clone, Debug, PartialEq)]
pub enum TemplateArgumentKind {
    /// A type. It may be the name of a class template, for a template template parameter.
    Type(Box<Type>),
    /// An expression.
    Expr(Box<Expr>),
}

/// `[[name(arguments)]]`, `[[scope::name(arguments)]]`, `__attribute__((name(arguments)))` or `alignas(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Before `::`.
    pub scope: Option<Name>,
    /// The attribute's name (`buffer`, `kernel`, `host_name`, `aligned`, …).
    pub name: Ident,
    /// Arguments; a type argument (`alignas(float4)`) is `TemplateArgumentKind::Type`.
    pub arguments: Vec<TemplateArgument>,
    /// From the name to its closing parenthesis.
    pub span: Span,
}

/// Operators that a class or namespace may overload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OverloadedOperator {
    /// A unary or binary operator: which of the two, the number of operands tells.
    Arithmetic(OperatorToken),
    /// `operator()`
    Call,
    /// `operator[]`
    Index,
    /// `operator->`
    Arrow,
    /// `operator=`
    Assign,
    /// `operator op=`
    CompoundAssign(BinaryOp),
    /// `operator++`
    Increment,
    /// `operator--`
    Decrement,
    /// `operator,`
    Comma,
}

/// The tokens of overloadable arithmetic, logical and relational operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say all")]
pub enum OperatorToken {
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Caret,
    Ampersand,
    Pipe,
    Tilde,
    Exclamation,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    EqualEqual,
    ExclamationEqual,
    AmpersandAmpersand,
    PipePipe,
    ShiftLeft,
    ShiftRight,
}
