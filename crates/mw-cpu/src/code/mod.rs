//! Machine code in memory: where it lies, and how an object file becomes callable.
//!
//! LLVM's own linkers map each object by itself. A process that loads tens of thousands of kernels then
//! runs into the limit on mappings (65,530 on Linux). The objects here are freestanding, position
//! independent and need less than twenty kinds of relocation, so [`link`] places them in large slabs
//! ([`slab`]) instead, which takes tens of microseconds and gives memory back when a kernel is dropped.

mod link;
mod slab;

pub(crate) use link::{LoadedCode, link_at};
