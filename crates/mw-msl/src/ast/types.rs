//! Types as written.

use super::{Attribute, Expr, ParameterList, QualifiedName};
use crate::types::{AddressSpace, Scalar};
use mw_source::Span;

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Its shape.
    pub kind: TypeKind,
    /// Qualifiers of this level: of the pointee for what stands under a pointer, of the pointer itself
    /// for what stands after `*`.
    pub qualifiers: Qualifiers,
    /// Where it stands.
    pub span: Span,
}

/// `const`, `volatile`, address space and the like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`, `__restrict`
    pub is_restrict: bool,
    /// `coherent`, `coherent(device)`
    pub is_coherent: bool,
    /// The address space and where it was written.
    pub space: Option<(AddressSpace, Span)>,
}

/// The shapes of a written type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `void`
    Void,
    /// A built-in scalar, from its keywords (`unsigned int`, `half`, …).
    Scalar(Scalar),
    /// `double`, `long double`, `wchar_t` and other words that C++ has and Metal has not.
    Forbidden(&'static str),
    /// `auto`
    Auto,
    /// `decltype(auto)`
    DecltypeAuto,
    /// `decltype(e)`
    Decltype(Box<Expr>),
    /// A name, with `typename` before it or not.
    Named(Box<QualifiedName>),
    /// `struct S`, `union U`, `enum E` in a place where a type stands and nothing is defined.
    Elaborated(TagKind, Box<QualifiedName>),
    /// A class or enumeration defined here: index into the [`super::DeclSpec`]'s definitions.
    Defined(Box<super::Decl>),
    /// A template that the compiler knows: `__metal_vec<T, N>` and its like, with their arguments.
    Builtin(BuiltinTemplate, Vec<super::TemplateArgument>),
    /// `T *`
    Pointer(Box<Type>),
    /// `T &`
    LvalueReference(Box<Type>),
    /// `T &&`
    RvalueReference(Box<Type>),
    /// `T [n]`; no size for `T []`.
    Array(Box<Type>, Option<Box<Expr>>),
    /// `R (parameters)`
    Function(Box<FunctionType>),
    /// `T C::*`: refused later, but parsed.
    MemberPointer(Box<Type>, Box<QualifiedName>),
    /// `T...` in a parameter or argument: the pack's pattern.
    PackExpansion(Box<Type>),
    /// What could not be parsed; an error was given.
    Error,
}

/// `struct`, `class`, `union`, `enum`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum TagKind {
    Struct,
    Class,
    Union,
    Enum,
}

/// Type templates that the compiler itself knows. The library's headers give them their public names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BuiltinTemplate {
    /// `__metal_vec<T, N>`
    Vector,
    /// `__metal_packed_vec<T, N>`
    PackedVector,
    /// `__metal_matrix<T, columns, rows>`
    Matrix,
    /// `__metal_simdgroup_matrix<T, columns, rows>`
    SimdgroupMatrix,
    /// `__metal_atomic<T>`
    Atomic,
    /// `__metal_opaque<"name">`-like types (textures, tensors): parsed, never executed.
    Opaque,
    /// `__underlying_type(E)`
    UnderlyingType,
}

/// A function's type: what its declarator says.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionType {
    /// What it returns.
    pub result: Type,
    /// Its parameters.
    pub parameters: ParameterList,
    /// What follows the parameters of a member function.
    pub qualifiers: Qualifiers,
    /// `&` or `&&` after a member function.
    pub ref_qualifier: Option<RefQualifier>,
    /// `-> T` gave the result.
    pub has_trailing_result: bool,
    /// Attributes after the parameters.
    pub attributes: Vec<Attribute>,
}

/// `&` or `&&` after a member function's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum RefQualifier {
    Lvalue,
    Rvalue,
}
