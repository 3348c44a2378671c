//! The verifier: what every module must hold, whoever made it.
//!
//! Code that works on a verified module may index, match and unwrap by these invariants: the printer, the
//! interpreter and the passes do not panic on it.
//!
//! **Handles**
//! - Every value, instruction, block, global, function metadata and debug handle is in range.
//! - Symbols have different names, unless they have none.
//!
//! **Types**
//! - Integers have 1 to 64 bits, address spaces 24, vectors 1 to 4096 elements that are no vectors; a type is made of at most
//!   [`MAX_TYPE_NODES`] others, at most 64 deep.
//! - `void` is only a return type, `metadata` only a parameter of declarations; an opaque structure is
//!   nothing but the pointee that nobody looks at.
//!
//! **Constants**
//! - Numbers fit their types; elements are as many and of the types that their aggregate has; addresses are
//!   pointers in the address space of their symbol; expressions are typed like instructions, at most 64
//!   deep.
//!
//! **Globals and functions**
//! - An initialiser has the type of its global. Without one, or without blocks, linkage is `external` or
//!   `extern_weak`.
//! - Alignments are powers of two, or 0 for the type's own.
//! - Parameter attributes are one set for each parameter, or none. Functions with bodies take a fixed list
//!   of arguments, none of them metadata.
//! - The first values of a function are its parameters, in order and with their types.
//! - A declaration with the name of a known `air.` or `llvm.` function has a type that this function can have;
//!   `llvm.global_ctors` and its like are appending arrays of the right elements.
//!
//! **Blocks**
//! - The entry has no predecessors. Every instruction stands in at most one place; its result, if it has
//!   one, is a value defined by it.
//! - φ-functions come first, with one entry for each edge into the block; edges from the same block bring
//!   the same value.
//! - A value is used only where its definition dominates the use (φ: the end of the block that the edge
//!   comes from). In code that the entry does not reach it must only be defined somewhere.
//! - `ret` gives the function's type, conditions are `i1`, switch cases differ and fit the type.
//!
//! **Instructions**
//! - Operand and result types are those of LLVM's language reference.
//! - A direct call has the type of its callee; every call passes the arguments that its type lists.
//!
//! **Cost** one walk over the module, and dominators for each function.
//!
//! **Not done** attributes and metadata mean nothing to the verifier, beyond their handles; flags that an
//! instruction may not carry are ignored, as the printer does.

mod constant;
mod external;
mod function;
mod inst;
mod types;

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashSet;

#[cfg(doc)]
use crate::MAX_TYPE_NODES;
use crate::{BlockId, Function, InstId, Linkage, MdId, MdOperand, Module, Type, print};

/// An invariant that a module breaks, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// Function in which it is broken.
    pub function: Option<Arc<str>>,
    /// Block in which it is broken.
    pub block: Option<BlockId>,
    /// The instruction, as the printer writes it.
    pub instruction: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(function) = &self.function {
            write!(f, "in `@{function}`")?;
            if let Some(block) = self.block {
                write!(f, ", block {}", block.0)?;
            }
            if let Some(instruction) = &self.instruction {
                write!(f, ", at `{instruction}`")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}

/// Errors after which the verifier stops looking.
const MAX_ERRORS: usize = 32;

/// Checks every invariant.
///
/// # Errors
/// The first broken invariants, in the order of the module.
pub fn verify(module: &Module) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        module,
        errors: Vec::new(),
        known_types: FxHashSet::default(),
        function: None,
        block: None,
        inst: None,
    };
    verifier.module();
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

/// State of the walk.
struct Verifier<'m> {
    module: &'m Module,
    errors: Vec<VerifyError>,
    /// Arrays and structures that were found well-formed, by address.
    known_types: FxHashSet<usize>,
    function: Option<&'m Function>,
    block: Option<BlockId>,
    inst: Option<InstId>,
}

impl Verifier<'_> {
    /// Notes a broken invariant at the current place.
    fn error(&mut self, message: impl Into<String>) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        let instruction = match (self.function, self.inst) {
            (Some(function), Some(inst)) => Some(print::print_instruction(self.module, function, inst)),
            _ => None,
        };
        self.errors.push(VerifyError {
            function: self.function.map(|function| Arc::clone(&function.name)),
            block: self.block,
            instruction,
            message: message.into(),
        });
    }

    /// Notes `message` unless `holds`; gives `holds`.
    fn check(&mut self, holds: bool, message: impl FnOnce() -> String) -> bool {
        if !holds {
            self.error(message());
        }
        holds
    }

    fn module(&mut self) {
        self.symbols();
        self.metadata();
        self.debug();
        for global in &self.module.globals {
            self.global(global);
        }
        for function in &self.module.functions {
            self.function = Some(function);
            self.function(function);
            self.function = None;
            self.block = None;
            self.inst = None;
            if self.errors.len() >= MAX_ERRORS {
                return;
            }
        }
    }

    fn symbols(&mut self) {
        let module = self.module;
        let globals = module.globals.iter().map(|global| &global.name);
        let functions = module.functions.iter().map(|function| &function.name);
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for name in globals.chain(functions).filter(|name| !name.is_empty()) {
            if !seen.insert(name) {
                self.error(format!("two symbols are called `@{name}`"));
            }
        }
    }

    fn metadata(&mut self) {
        let metadata = &self.module.metadata;
        for named in &metadata.named {
            for node in &named.nodes {
                self.check(node.index() < metadata.nodes.len(), || {
                    format!("`!{}` lists a node that does not exist", named.name)
                });
            }
        }
        for (index, node) in metadata.nodes.iter().enumerate() {
            for operand in &node.operands {
                match operand {
                    MdOperand::Null | MdOperand::String(_) => {}
                    MdOperand::Node(id) => {
                        self.check(id.index() < metadata.nodes.len(), || {
                            format!("metadata node {index} refers to a node that does not exist")
                        });
                    }
                    MdOperand::Value(constant) => {
                        if self.value_type(&constant.ty) {
                            self.constant(&constant.ty, &constant.value, 0);
                        }
                    }
                }
            }
        }
    }

    fn debug(&mut self) {
        let debug = &self.module.debug;
        for (index, subprogram) in debug.subprograms.iter().enumerate() {
            self.check((subprogram.file as usize) < debug.files.len(), || {
                format!("subprogram {index} stands in a file that does not exist")
            });
        }
        for (index, location) in debug.locations.iter().enumerate() {
            self.check(location.scope.index() < debug.subprograms.len(), || {
                format!("position {index} stands in a subprogram that does not exist")
            });
            self.check(location.inlined_at.is_none_or(|outer| outer.index() < debug.locations.len()), || {
                format!("position {index} is inlined at one that does not exist")
            });
        }
    }

    fn location(&mut self, location: Option<crate::LocationId>) {
        self.check(location.is_none_or(|id| id.index() < self.module.debug.locations.len()), || {
            "the position does not exist".into()
        });
    }

    fn attachments(&mut self, attachments: &[(Arc<str>, MdId)]) {
        for (kind, node) in attachments {
            self.check(node.index() < self.module.metadata.nodes.len(), || {
                format!("attachment `!{kind}` is a node that does not exist")
            });
        }
    }

    fn global(&mut self, global: &crate::Global) {
        let name = &global.name;
        if !self.value_type(&global.ty) {
            return;
        }
        self.value_type(&Type::ptr(global.space));
        self.alignment(global.align);
        self.special_global(global);
        self.attachments(&global.metadata);
        match &global.initializer {
            None => {
                self.check(matches!(global.linkage, Linkage::External | Linkage::ExternWeak), || {
                    format!("`@{name}` has no initialiser, so its linkage must be external")
                });
            }
            Some(initializer) => {
                self.check(global.linkage != Linkage::ExternWeak, || {
                    format!("`@{name}` has an initialiser, so it cannot be `extern_weak`")
                });
                if self.check(initializer.ty == global.ty, || {
                    format!("`@{name}` is a `{}`, its initialiser a `{}`", global.ty, initializer.ty)
                }) {
                    self.constant(&initializer.ty, &initializer.value, 0);
                }
            }
        }
    }

    fn alignment(&mut self, align: u32) {
        self.check(align == 0 || align.is_power_of_two(), || format!("alignment {align} is no power of two"));
    }

    /// Whether `left` and `right` are the same type; notes it if not.
    fn same(&mut self, what: &str, left: &Type, right: &Type) -> bool {
        self.check(left == right, || format!("{what} must be a `{right}`, not a `{left}`"))
    }
}
