//! The Metal Shading Language front-end: text to typed HIR.

pub mod names;
