//! Metal's standard library: headers in MSL and the functions that the compiler knows.
//!
//! - [`prelude`] is text in MSL that precedes every source: types, constants, traits, and the functions that
//!   are templates. The headers that a source may include ([`header`]) add nothing to it.
//! - [`candidates`] gives the overloads of the functions that the compiler knows, made on demand from the
//!   rows of a [`table`].
//!
//! # Rules of overload resolution that this library counts on
//!
//! - `bfloat` converts implicitly to `float` and to nothing else, and nothing converts implicitly to it; so
//!   `exp` of a bfloat is the `float` one.
//! - A scalar converts implicitly to a vector of its element type (all components equal); a vector converts
//!   to no other vector.
//! - A function that the user declares hides the library's one with the same parameter types.
//! - What C++ leaves ambiguous is an error: `max(x, 0)` of a float is written `max(x, 0.0f)`.

mod expand;
mod headers;
mod reference;
pub mod table;

use crate::hir::Constant;
use crate::types::{QualType, TypeId, TypeStore};

pub(crate) use headers::header_names;
pub use headers::{header, is_function_template_name, is_type_name, prelude};
pub use reference::{reference_page, signature};
pub use table::{Chapter, Op, Row, function_names};

/// A row in the table of functions that the compiler knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuiltinId(pub u32);

impl BuiltinId {
    /// The row of the table.
    pub fn row(self) -> &'static Row {
        table::row(self)
    }
}

/// Where a function of the library is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LibraryNamespace {
    /// `metal::`
    Metal,
    /// `metal::fast::`
    Fast,
    /// `metal::precise::`
    Precise,
    /// `::`, for names that begin with `__metal_` or `__builtin_`.
    Global,
}

/// One overload of a function that the compiler knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The row of the table.
    pub id: BuiltinId,
    /// Parameters; a reference is a [`crate::types::Type::Reference`] here, and a pointer in the call.
    pub parameters: Vec<QualType>,
    /// How many arguments a call must have; the others have [`Self::defaults`].
    pub required: usize,
    /// Values of the parameters from [`Self::required`] on.
    pub defaults: Vec<Constant>,
    /// Type of the call.
    pub result: QualType,
}

/// The overloads of a name, or `None` when the library has no such function.
pub fn candidates(space: LibraryNamespace, name: &str, types: &mut TypeStore) -> Option<Vec<Candidate>> {
    expand::candidates(space, name, types)
}

/// The overload of a row for exactly these parameter types: for calls that the compiler makes itself.
pub fn exact(
    space: LibraryNamespace,
    name: &str,
    parameters: &[TypeId],
    types: &mut TypeStore,
) -> Option<Candidate> {
    candidates(space, name, types)?.into_iter().find(|candidate| {
        candidate.parameters.len() == parameters.len()
            && candidate.parameters.iter().zip(parameters).all(|(have, want)| have.ty == *want)
    })
}
