//! Names: global symbols and structure types.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Printer, push_uint};
use crate::types::write_symbol;
use crate::{AddressSpace, Function, Module, Scalar, StructType, Type};

/// Printed form of every global symbol, `@` included; unnamed ones are numbered, variables first.
pub(super) struct Symbols {
    pub(super) globals: Vec<String>,
    pub(super) functions: Vec<String>,
}

impl Symbols {
    pub(super) fn new(module: &Module) -> Self {
        let mut unnamed = 0;
        let mut symbol = |name: &str| {
            let mut text = String::with_capacity(name.len() + 3);
            if name.is_empty() {
                text.push('@');
                push_uint(&mut text, unnamed);
                unnamed += 1;
            } else {
                push_symbol(&mut text, '@', name);
            }
            text
        };
        let globals = module.globals.iter().map(|global| symbol(&global.name)).collect();
        let functions = module.functions.iter().map(|function| symbol(&function.name)).collect();
        Self { globals, functions }
    }

    /// Symbol of a function that may or may not be one of the module's own.
    pub(super) fn function(&self, module: &Module, function: &Function) -> Option<&str> {
        let first = module.functions.as_ptr() as usize;
        let offset = (std::ptr::from_ref(function) as usize).checked_sub(first)?;
        self.functions.get(offset / size_of::<Function>()).map(String::as_str)
    }
}

/// Writes a name behind its sigil, quoted where LLVM wants quotes.
pub(super) fn push_symbol(out: &mut String, sigil: char, name: &str) {
    // Writing to a String does not fail.
    let _ = write_symbol(out, sigil, name);
}

/// Named structure types that the text refers to, in the order of first use.
#[derive(Default)]
pub(super) struct StructTable {
    order: Vec<(Arc<StructType>, String)>,
    by_address: FxHashMap<usize, u32>,
    by_value: FxHashMap<Arc<StructType>, u32>,
    taken: FxHashSet<String>,
}

impl StructTable {
    /// Printed name of a named structure; a name that another structure has gets a number behind it.
    fn name(&mut self, structure: &Arc<StructType>, name: &str) -> &str {
        let address = Arc::as_ptr(structure) as usize;
        if let Some(index) = self.by_address.get(&address) {
            return &self.order[*index as usize].1;
        }
        let next = self.order.len() as u32;
        let index = *self.by_value.entry(Arc::clone(structure)).or_insert(next);
        if index == next {
            let mut unique = name.to_owned();
            let mut suffix = 0;
            while !self.taken.insert(unique.clone()) {
                unique = format!("{name}.{suffix}");
                suffix += 1;
            }
            let mut text = String::new();
            push_symbol(&mut text, '%', &unique);
            self.order.push((Arc::clone(structure), text));
        }
        self.by_address.insert(address, index);
        &self.order[index as usize].1
    }

    pub(super) fn push_type(&mut self, out: &mut String, ty: &Type) {
        match ty {
            Type::Void => out.push_str("void"),
            Type::Scalar(scalar) => push_scalar(out, *scalar),
            Type::Vector(scalar, lanes) => {
                out.push('<');
                push_uint(out, u64::from(*lanes));
                out.push_str(" x ");
                push_scalar(out, *scalar);
                out.push('>');
            }
            Type::Array(element, count) => {
                out.push('[');
                push_uint(out, *count);
                out.push_str(" x ");
                self.push_type(out, element);
                out.push(']');
            }
            Type::Struct(structure) => match &structure.name {
                Some(name) => out.push_str(self.name(structure, name)),
                None => self.push_body(out, structure),
            },
            Type::Metadata => out.push_str("metadata"),
        }
    }

    fn push_body(&mut self, out: &mut String, structure: &StructType) {
        if structure.opaque {
            out.push_str("opaque");
            return;
        }
        out.push_str(if structure.packed { "<{" } else { "{" });
        for (index, field) in structure.fields.iter().enumerate() {
            out.push_str(if index == 0 { " " } else { ", " });
            self.push_type(out, field);
        }
        out.push_str(if structure.fields.is_empty() { "" } else { " " });
        out.push_str(if structure.packed { "}>" } else { "}" });
    }

    pub(super) fn write_definitions(&mut self, out: &mut String) {
        let mut index = 0;
        // Bodies may name further structures, which join the end of the list.
        while index < self.order.len() {
            let (structure, name) = self.order[index].clone();
            out.push_str(if index == 0 { "\n" } else { "" });
            out.push_str(&name);
            out.push_str(" = type ");
            self.push_body(out, &structure);
            out.push('\n');
            index += 1;
        }
    }
}

fn push_scalar(out: &mut String, scalar: Scalar) {
    match scalar {
        Scalar::Int(bits) => {
            out.push('i');
            push_uint(out, u64::from(bits));
        }
        Scalar::Half => out.push_str("half"),
        Scalar::BFloat => out.push_str("bfloat"),
        Scalar::Float => out.push_str("float"),
        Scalar::Double => out.push_str("double"),
        Scalar::Ptr(AddressSpace(0)) => out.push_str("ptr"),
        Scalar::Ptr(AddressSpace(space)) => {
            out.push_str("ptr addrspace(");
            push_uint(out, u64::from(space));
            out.push(')');
        }
    }
}

impl Printer<'_> {
    pub(super) fn ty(&mut self, ty: &Type) {
        self.structs.push_type(&mut self.out, ty);
    }
}
