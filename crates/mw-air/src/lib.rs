//! AIR, the intermediate representation of Apple's Metal compiler, as owned Rust data.
//!
//! AIR is LLVM IR with conventions: a kernel is a function that the named metadata `air.kernel` lists,
//! its thread indices are parameters, and everything that the GPU does beyond arithmetic is a call to a
//! function whose name starts with `air.`.
//! This crate holds that IR as plain data: no handle into another library, so that it can be read from
//! untrusted bytes, transformed in safe Rust, interpreted, hashed, printed, and taken to a browser.
//!
//! # Shape
//!
//! - A [`Module`] owns [`Global`]s, [`Function`]s and [`Metadata`]. Handles ([`GlobalId`], [`FuncId`],
//!   [`MdId`]) are indices into it.
//! - A [`Function`] owns its values, instructions and [`Block`]s. Every operand is a [`ValueId`]: a
//!   parameter, the result of an instruction, or a [`Constant`], which each function interns for itself.
//! - [`Type`]s are structural and own themselves: moving a function from one module to another needs no
//!   type translation. Pointers are opaque, with an [`AddressSpace`].
//! - A block ends in one [`Terminator`]; φ-functions are ordinary instructions at its head.
//!
//! # Services
//!
//! - Text: [`print()`] and [`parse()`], LLVM assembly that `llvm-as` 22 accepts and writes.
//! - [`verify()`]: the invariants that everybody may rely on.
//! - [`schema`]: kernels, arguments and function constants as typed data.
//! - [`intrinsics`]: what the functions are that a kernel calls and does not define.
//! - [`edit`]: strip promises, remove what nothing uses, import functions. [`structural_hash`] names a module.
//! - [`DebugInfo`]: which line of the source an instruction comes from.
//! - [`analysis`]: control flow, dominators, loops, where lanes meet again.
//!
//! What an operation computes, to the bit, is written in `SEMANTICS.md` beside this crate.

#![warn(missing_docs)]

pub mod analysis;
mod builder;
mod constant;
mod debug;
pub mod edit;
mod function;
mod hash;
mod ids;
mod inst;
pub mod intrinsics;
mod layout;
mod metadata;
mod module;
pub mod parse;
pub mod print;
pub mod schema;
mod types;
pub mod verify;

pub use builder::Builder;
pub use constant::{Constant, ConstantExpr, Symbol, TypedConstant};
pub use debug::{DebugFile, DebugInfo, DebugLocation, Subprogram};
pub use function::{
    Attribute, Attributes, Block, Function, FunctionType, InstData, Linkage, ValueData, ValueDef,
};
pub use hash::structural_hash;
pub use ids::{BlockId, FuncId, GlobalId, InstId, LocationId, MdId, SubprogramId, ValueId};
pub use inst::{
    AtomicOrdering, BinaryOp, Call, Callee, CastOp, Flags, FloatPredicate, Inst, IntPredicate, RmwOp,
    Terminator,
};
pub use intrinsics::Intrinsic;
pub use layout::Layout;
pub use metadata::{MdNode, MdOperand, Metadata, NamedMetadata};
pub use module::{AIR_DATA_LAYOUT, Global, Module};
pub use parse::{ParseError, parse};
pub use print::{PrintOptions, print, print_function};
pub use types::{AddressSpace, MAX_TYPE_NODES, Scalar, StructType, Type};
pub use verify::{VerifyError, verify};
