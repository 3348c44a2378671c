//! Attributes, written inline.

use super::{Printer, push_quoted, push_uint};
use crate::{Attribute, Attributes};

impl Printer<'_> {
    /// Writes each attribute between `before` and `after`.
    pub(super) fn attributes(&mut self, attributes: &Attributes, before: &str, after: &str) {
        for attribute in &attributes.0 {
            self.out.push_str(before);
            self.attribute(attribute);
            self.out.push_str(after);
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        match attribute {
            Attribute::Enum(name) => self.out.push_str(name),
            Attribute::Int(name, value) => match &**name {
                "align" => {
                    self.out.push_str("align ");
                    push_uint(&mut self.out, *value);
                }
                "memory" => push_memory(&mut self.out, *value),
                "captures" => push_captures(&mut self.out, *value),
                "uwtable" => self.out.push_str(if *value == 1 { "uwtable(sync)" } else { "uwtable" }),
                _ => {
                    self.out.push_str(name);
                    self.out.push('(');
                    push_uint(&mut self.out, *value);
                    self.out.push(')');
                }
            },
            Attribute::String(key, value) => {
                push_quoted(&mut self.out, key);
                if !value.is_empty() {
                    self.out.push('=');
                    push_quoted(&mut self.out, value);
                }
            }
            Attribute::Type(name, ty) => {
                self.out.push_str(name);
                self.out.push('(');
                self.ty(ty);
                self.out.push(')');
            }
        }
    }
}

/// Places of LLVM's `memory` attribute, two bits each; `other` has no name of its own.
pub(crate) const MEMORY_PLACES: [(&str, u32); 5] =
    [("argmem", 0), ("inaccessiblemem", 1), ("errnomem", 2), ("target_mem0", 4), ("target_mem1", 5)];
/// Place of everything that has no name.
pub(crate) const MEMORY_OTHER: u32 = 3;
/// Kinds of access by their two bits.
pub(crate) const MEMORY_ACCESS: [&str; 4] = ["none", "read", "write", "readwrite"];

fn push_memory(out: &mut String, effects: u64) {
    let access = |place: u32| (effects >> (2 * place)) as usize & 3;
    let other = access(MEMORY_OTHER);
    out.push_str("memory(");
    let mut separator = "";
    if other != 0 || MEMORY_PLACES.iter().all(|(_, place)| access(*place) == other) {
        out.push_str(MEMORY_ACCESS[other]);
        separator = ", ";
    }
    for (name, place) in MEMORY_PLACES {
        if access(place) != other {
            out.push_str(separator);
            out.push_str(name);
            out.push_str(": ");
            out.push_str(MEMORY_ACCESS[access(place)]);
            separator = ", ";
        }
    }
    out.push(')');
}

fn push_captures(out: &mut String, captures: u64) {
    let (other, ret) = (captures >> 4 & 15, captures & 15);
    out.push_str("captures(");
    let mut separator = "";
    if other != 0 || other == ret {
        push_components(out, other);
        separator = ", ";
    }
    if other != ret {
        out.push_str(separator);
        out.push_str("ret: ");
        push_components(out, ret);
    }
    out.push(')');
}

fn push_components(out: &mut String, components: u64) {
    let address = match components & 3 {
        0 => None,
        1 => Some("address_is_null"),
        _ => Some("address"),
    };
    let provenance = match components >> 2 & 3 {
        0 => None,
        1 => Some("read_provenance"),
        _ => Some("provenance"),
    };
    match (address, provenance) {
        (None, None) => out.push_str("none"),
        (Some(one), None) | (None, Some(one)) => out.push_str(one),
        (Some(address), Some(provenance)) => {
            out.push_str(address);
            out.push_str(", ");
            out.push_str(provenance);
        }
    }
}
