//! What stands before every custom kernel: types and functions under the names that MLX gives them.

/// The text, included before the user's header.
pub const PRELUDE: &str = include_str!("prelude.metal");

/// The name under which it is included, for messages.
pub const PRELUDE_NAME: &str = "metalworking/custom_kernel.h";
