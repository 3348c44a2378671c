//! Metal's standard library: headers in MSL and the functions that the compiler knows.

/// A row in the table of functions that the compiler knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuiltinId(pub u32);
