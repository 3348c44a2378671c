//! Tokens to the syntax tree.

/// A built-in trait that takes types: `__is_same(T, U)`.
pub fn is_type_trait(name: &str) -> bool {
    name.starts_with("__is_") || name.starts_with("__has_")
}
