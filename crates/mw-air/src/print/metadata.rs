//! Metadata, numbered by the order in which it is first reached.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Printer, push_hex, push_quoted, push_uint};
use crate::{LocationId, MdId, MdOperand, Metadata, Module, SubprogramId};

/// What a number of the text stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Numbered {
    Node(MdId),
    Unit,
    File(u32),
    Subprogram(SubprogramId),
    Location(LocationId),
}

/// Numbers of the nodes that the text refers to.
pub(super) struct MetadataNumbers<'m> {
    metadata: &'m Metadata,
    numbers: Vec<u32>,
    /// Numbers of debug information.
    debug: FxHashMap<Numbered, u32>,
    pub(super) order: Vec<Numbered>,
}

impl<'m> MetadataNumbers<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        let metadata = &module.metadata;
        let numbers = vec![u32::MAX; metadata.nodes.len()];
        let mut this = Self { metadata, numbers, debug: FxHashMap::default(), order: Vec::new() };
        for named in &metadata.named {
            for node in &named.nodes {
                this.number(*node);
            }
        }
        this
    }

    /// Number of a node; a new one and what it refers to are numbered in pre-order.
    fn number(&mut self, id: MdId) -> Option<u32> {
        let number = *self.numbers.get(id.index())?;
        if number != u32::MAX {
            return Some(number);
        }
        let first = self.assign(id);
        let mut stack = vec![self.metadata.node(id).operands.iter()];
        while let Some(operands) = stack.last_mut() {
            match operands.next() {
                Some(MdOperand::Node(child)) => {
                    if self.numbers.get(child.index()) == Some(&u32::MAX) {
                        self.assign(*child);
                        stack.push(self.metadata.node(*child).operands.iter());
                    }
                }
                Some(_) => {}
                None => {
                    stack.pop();
                }
            }
        }
        Some(first)
    }

    fn assign(&mut self, id: MdId) -> u32 {
        let number = self.order.len() as u32;
        self.numbers[id.index()] = number;
        self.order.push(Numbered::Node(id));
        number
    }

    /// Number of a piece of debug information, and whether it is new.
    pub(super) fn number_debug(&mut self, item: Numbered) -> (u32, bool) {
        let next = self.order.len() as u32;
        let number = *self.debug.entry(item).or_insert(next);
        if number == next {
            self.order.push(item);
        }
        (number, number == next)
    }

    /// Number of a piece of debug information that has one.
    pub(super) fn of_debug(&self, item: Numbered) -> Option<u32> {
        self.debug.get(&item).copied()
    }
}

impl<'m> Printer<'m> {
    /// Writes `!kind !7` for each attachment, each behind `separator`.
    pub(super) fn attachments(&mut self, separator: &str, attachments: &[(Arc<str>, MdId)]) {
        let Some(numbers) = &mut self.numbers else { return };
        for (kind, node) in attachments {
            self.out.push_str(separator);
            push_metadata_name(&mut self.out, kind);
            self.out.push(' ');
            push_node_number(&mut self.out, numbers.number(*node));
        }
    }

    /// Writes the named lists and every node that something refers to.
    pub(super) fn metadata(&mut self) {
        let Some(numbers) = self.numbers.take() else { return };
        if !numbers.metadata.named.is_empty() || self.debug {
            self.out.push('\n');
        }
        for named in &numbers.metadata.named {
            push_metadata_name(&mut self.out, &named.name);
            self.out.push_str(" = !{");
            for (index, node) in named.nodes.iter().enumerate() {
                self.out.push_str(if index == 0 { "" } else { ", " });
                push_node_number(&mut self.out, numbers.numbers.get(node.index()).copied());
            }
            self.out.push_str("}\n");
        }
        if let Some(unit) = numbers.of_debug(Numbered::Unit) {
            self.out.push_str("!llvm.dbg.cu = !{");
            push_node_number(&mut self.out, Some(unit));
            self.out.push_str("}\n");
        }
        if !numbers.order.is_empty() {
            self.out.push('\n');
        }
        for (number, item) in numbers.order.iter().enumerate() {
            self.out.push('!');
            push_uint(&mut self.out, number as u64);
            let Numbered::Node(id) = *item else {
                self.out.push_str(" = ");
                self.debug_node(&numbers, *item);
                self.out.push('\n');
                continue;
            };
            let node = numbers.metadata.node(id);
            self.out.push_str(if node.distinct { " = distinct !{" } else { " = !{" });
            for (index, operand) in node.operands.iter().enumerate() {
                self.out.push_str(if index == 0 { "" } else { ", " });
                self.operand(&numbers, operand);
            }
            self.out.push_str("}\n");
        }
    }

    fn operand(&mut self, numbers: &MetadataNumbers<'m>, operand: &MdOperand) {
        match operand {
            MdOperand::Null => self.out.push_str("null"),
            MdOperand::String(text) => {
                self.out.push('!');
                push_quoted(&mut self.out, text);
            }
            MdOperand::Node(id) => {
                push_node_number(&mut self.out, numbers.numbers.get(id.index()).copied());
            }
            MdOperand::Value(constant) => self.typed_constant(constant),
        }
    }
}

pub(super) fn push_node_number(out: &mut String, number: Option<u32>) {
    match number {
        Some(number) if number != u32::MAX => {
            out.push('!');
            push_uint(out, u64::from(number));
        }
        _ => out.push_str("<badref>"),
    }
}

/// Writes `!name`; LLVM escapes what an identifier may not hold.
fn push_metadata_name(out: &mut String, name: &str) {
    out.push('!');
    for (index, byte) in name.bytes().enumerate() {
        let plain = byte.is_ascii_alphabetic()
            || matches!(byte, b'-' | b'$' | b'.' | b'_')
            || (index != 0 && byte.is_ascii_digit());
        if plain {
            out.push(byte as char);
        } else {
            out.push('\\');
            push_hex(out, u64::from(byte), 2);
        }
    }
}
