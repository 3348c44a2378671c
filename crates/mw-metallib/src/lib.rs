//! Metal libraries: Apple's metallib container, the AIR bitcode in it, and what a kernel asks of its caller.
//!
//! - [`Library`] opens a `.metallib`, a Mach-O file that embeds one, or a plain `.air` module, and lists its
//!   functions. Opening maps the file and walks the function list; no bitcode is read or hashed.
//! - [`read_module`] turns a function's bitcode into an [`mw_air::Module`]: typed pointers (AIR up to 2.7, and what
//!   Apple still writes) and opaque ones (LLVM 22) alike.
//! - [`reflect`] reads what a kernel asks of its caller: arguments, function constants, threadgroup memory.
//! - [`write_library`] makes a metallib out of bitcode.
//!
//! # Trust
//! Bytes are hostile until shown otherwise. Every reader here returns an error on malformed input; none panics,
//! loops, recurses without a bound, or allocates by a length that the input cannot back.

mod bitcode;
mod bitstream;
mod bytes;
mod container;
mod error;
mod library;
mod reflection;

pub use bitcode::{read_module, unwrap_bitcode};
pub use container::{
    ContainerConstant, ExtensionTag, FileKind, FunctionKind, Header, NewConstant, NewFunction, NewLibrary,
    Platform, data_type_name, write_library,
};
pub use error::{LibraryError, ReadError};
pub use library::{FunctionEntry, Library};
pub use reflection::{ReflectError, Reflection, reflect};
