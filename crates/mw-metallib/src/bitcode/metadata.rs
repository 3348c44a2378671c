//! Metadata: strings, values, nodes, named lists and attachments.
//!
//! A module's nodes and those of its functions end up in one table, in file order. Debug information is kept as
//! far as it says lines (see `debug.rs`). The rest of it and metadata about local values have no place in AIR:
//! their numbers are kept so that others count right, and what refers to them loses that reference.

use std::sync::Arc;

use mw_air::{DebugInfo, LocationId, MdId, MdNode, MdOperand, Metadata, NamedMetadata, SubprogramId};
use rustc_hash::FxHashMap;

use super::budget::Budget;
use super::constants::Constants;
use super::debug::{DebugNode, DebugReader, Spot};
use super::operands::{Operands, text};
use crate::bitstream::{Bits, Event, Record, Stream};
use crate::error::ReadError;

const BLOCK: &str = "METADATA_BLOCK";
const KIND_BLOCK: &str = "METADATA_KIND_BLOCK";

/// What a metadata number stands for.
#[derive(Debug, Clone)]
enum Entry {
    String(Arc<str>),
    /// A value's id; it becomes a constant when something refers to it.
    Value(u32),
    Node(MdId),
    /// Debug information that says where code comes from.
    Debug(Arc<DebugNode>),
    /// Other debug information, or about a local value.
    Opaque,
}

/// A node whose operands are still numbers.
struct PendingNode {
    id: MdId,
    operands: Vec<u64>,
}

/// Metadata attached to a global or function: its value id, then kinds and numbers.
pub(super) struct GlobalAttachment {
    pub(super) value: u64,
    pub(super) pairs: Vec<(Arc<str>, MdId)>,
}

/// The metadata numbering and what was read so far.
#[derive(Default)]
pub(super) struct MetadataReader {
    entries: Vec<Entry>,
    kinds: FxHashMap<u64, Arc<str>>,
    pub(super) global_attachments: Vec<GlobalAttachment>,
    debug: DebugReader,
}

impl MetadataReader {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Forgets the numbers of a function's own metadata.
    pub(super) fn truncate(&mut self, length: usize) {
        self.entries.truncate(length);
        self.debug.truncate(length);
    }

    /// The position of a spot, put into `info`; `None` if it leads nowhere.
    pub(super) fn location(&mut self, spot: Spot, info: &mut DebugInfo) -> Option<LocationId> {
        let entries = &self.entries;
        self.debug.location(spot, &|number| debug_node(entries, number), info)
    }

    /// The function of the source that a number stands for.
    fn subprogram(&mut self, number: u64, info: &mut DebugInfo) -> Option<SubprogramId> {
        let entries = &self.entries;
        self.debug.subprogram(number, &|number| debug_node(entries, number), info)
    }

    /// The function of the source that a function's attachments name.
    pub(super) fn attached_subprogram(
        &mut self,
        operands: &[u64],
        info: &mut DebugInfo,
    ) -> Option<SubprogramId> {
        let is_debug = |kind: &u64| self.kinds.get(kind).is_some_and(|kind| &**kind == "dbg");
        let number = operands.chunks_exact(2).find(|pair| is_debug(&pair[0]))?[1];
        self.subprogram(number, info)
    }

    /// Reads `METADATA_KIND_BLOCK`, which the stream has just entered.
    pub(super) fn read_kinds<'a>(
        &mut self,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
    ) -> Result<(), ReadError> {
        loop {
            match stream.next(record)? {
                Event::End => return Ok(()),
                Event::Block(_) => stream.skip()?,
                Event::Record if record.code == 6 => {
                    let mut operands = Operands::new(&record.operands, KIND_BLOCK, "KIND");
                    let number = operands.next()?;
                    self.kinds.insert(number, text(operands.rest(), KIND_BLOCK, "KIND")?.into());
                }
                Event::Record => {}
            }
        }
    }

    /// Reads a `METADATA_BLOCK`, which the stream has just entered, into `metadata`.
    pub(super) fn read<'a>(
        &mut self,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
        metadata: &mut Metadata,
        constants: &mut Constants,
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        let mut pending = Vec::new();
        let mut name: Option<Arc<str>> = None;
        // Named lists and attachments name nodes by number, possibly of nodes that come later in the block.
        let mut named: Vec<(Arc<str>, Vec<u64>)> = Vec::new();
        let mut attachments: Vec<Vec<u64>> = Vec::new();
        loop {
            match stream.next(record)? {
                Event::End => break,
                Event::Block(_) => stream.skip()?,
                Event::Record => match record.code {
                    1 => {
                        let string = text(&record.operands, BLOCK, "STRING_OLD")?;
                        self.entries.push(Entry::String(string.into()));
                    }
                    2 => {
                        let mut operands = Operands::new(&record.operands, BLOCK, "VALUE");
                        operands.next()?;
                        self.entries.push(Entry::Value(operands.next_u32()?));
                    }
                    code @ (3 | 5) => {
                        let id = metadata.add(MdNode { distinct: code == 5, operands: Vec::new() });
                        self.entries.push(Entry::Node(id));
                        pending.push(PendingNode { id, operands: record.operands.clone() });
                    }
                    4 => name = Some(text(&record.operands, BLOCK, "NAME")?.into()),
                    6 => {
                        let mut operands = Operands::new(&record.operands, BLOCK, "KIND");
                        let number = operands.next()?;
                        self.kinds.insert(number, text(operands.rest(), BLOCK, "KIND")?.into());
                    }
                    10 => {
                        let Some(name) = name.take() else {
                            return Err(malformed("NAMED_NODE", "a name precedes a named list"));
                        };
                        named.push((name, record.operands.clone()));
                    }
                    35 => self.read_strings(record, budget)?,
                    36 => attachments.push(record.operands.clone()),
                    // An index for lazy readers.
                    38 | 39 => {}
                    7 | 16 | 21..=23 => {
                        let entry = match self.read_debug(record) {
                            Some(node) => Entry::Debug(Arc::new(node)),
                            None => Entry::Opaque,
                        };
                        self.entries.push(entry);
                    }
                    // Other debug information, and lists of local values.
                    12..=15 | 17..=20 | 24..=34 | 37 | 40 | 41 | 44..=49 => self.entries.push(Entry::Opaque),
                    8 | 9 => {
                        return Err(ReadError::UnsupportedRecord {
                            block: BLOCK,
                            code: record.code,
                            note: ": nodes of LLVM before 3.6",
                        });
                    }
                    code => return Err(ReadError::UnsupportedRecord { block: BLOCK, code, note: "" }),
                },
            }
        }
        for node in pending {
            let operands = node
                .operands
                .iter()
                .map(|&operand| self.operand(operand, constants, budget))
                .collect::<Result<_, _>>()?;
            metadata.nodes[node.id.index()].operands = operands;
        }
        for (name, numbers) in named {
            let nodes: Vec<MdId> = numbers
                .iter()
                .filter_map(|&number| self.node(number).transpose())
                .collect::<Result<_, _>>()?;
            // A list of debug information only.
            if nodes.is_empty() && !numbers.is_empty() {
                continue;
            }
            metadata.named.push(NamedMetadata { name, nodes });
        }
        for operands in attachments {
            let mut operands = Operands::new(&operands, BLOCK, "GLOBAL_DECL_ATTACHMENT");
            let value = operands.next()?;
            let pairs = self.attachment(operands)?;
            self.global_attachments.push(GlobalAttachment { value, pairs });
        }
        Ok(())
    }

    /// A node that says where code comes from. Fields that are missing are taken for absent.
    fn read_debug(&self, record: &Record<'_>) -> Option<DebugNode> {
        let field = |index: usize| record.operands.get(index).copied().unwrap_or(0);
        let narrow = |index: usize| u32::try_from(field(index)).unwrap_or(0);
        // References count from one; zero is none.
        let reference = |index: usize| field(index).checked_sub(1);
        let string = |index: usize| match reference(index).map(|number| self.entry(number)) {
            Some(Ok(Entry::String(string))) => Arc::clone(string),
            _ => "".into(),
        };
        Some(match record.code {
            // Here the scope counts from zero, as it cannot be absent.
            7 => DebugNode::Location {
                line: narrow(1),
                column: narrow(2),
                scope: field(3),
                inlined_at: reference(4),
            },
            16 => DebugNode::File { name: string(1), directory: string(2) },
            21 => {
                let (name, linkage) = (string(2), string(3));
                let linkage_name = if linkage.is_empty() { Arc::clone(&name) } else { linkage };
                DebugNode::Subprogram { name, linkage_name, file: reference(4), line: narrow(5) }
            }
            22 | 23 => DebugNode::Block { scope: reference(1) },
            _ => return None,
        })
    }

    /// `[count, offset of the characters]`, then a blob: lengths as 6-bit variable numbers, characters.
    fn read_strings(&mut self, record: &Record<'_>, budget: &mut Budget) -> Result<(), ReadError> {
        let mut operands = Operands::new(&record.operands, BLOCK, "STRINGS");
        let count = operands.next()?;
        let offset = operands.next()?;
        let Some((lengths, mut characters)) = usize::try_from(offset)
            .ok()
            .filter(|&offset| offset <= record.blob.len())
            .map(|offset| record.blob.split_at(offset))
        else {
            return Err(operands.malformed("the characters start inside the blob"));
        };
        // A string takes six bits of the blob: their number is not in proportion to operands.
        budget.spend(count)?;
        let mut lengths = Bits::new(lengths);
        for _ in 0..count {
            let length = lengths.vbr(6)?;
            if length > characters.len() as u64 {
                return Err(operands.malformed("the strings end inside the blob"));
            }
            let (string, rest) = characters.split_at(length as usize);
            characters = rest;
            let string = std::str::from_utf8(string).map_err(|_| operands.malformed("text is UTF-8"))?;
            self.entries.push(Entry::String(string.into()));
        }
        Ok(())
    }

    /// A node's operand, where 0 is none.
    fn operand(
        &self,
        operand: u64,
        constants: &mut Constants,
        budget: &mut Budget,
    ) -> Result<MdOperand, ReadError> {
        let Some(number) = operand.checked_sub(1) else { return Ok(MdOperand::Null) };
        Ok(match self.entry(number)? {
            Entry::String(string) => MdOperand::String(Arc::clone(string)),
            Entry::Node(id) => MdOperand::Node(*id),
            Entry::Value(value) if constants.is_constant(*value) => {
                MdOperand::Value(constants.typed(*value, budget)?)
            }
            Entry::Value(_) | Entry::Debug(_) | Entry::Opaque => MdOperand::Null,
        })
    }

    fn entry(&self, number: u64) -> Result<&Entry, ReadError> {
        usize::try_from(number)
            .ok()
            .and_then(|index| self.entries.get(index))
            .ok_or_else(|| ReadError::dangling("metadata", number, self.entries.len()))
    }

    /// The node of a number; `None` for debug information.
    fn node(&self, number: u64) -> Result<Option<MdId>, ReadError> {
        match self.entry(number)? {
            Entry::Node(id) => Ok(Some(*id)),
            Entry::Debug(_) | Entry::Opaque => Ok(None),
            Entry::String(_) | Entry::Value(_) => {
                Err(malformed("metadata reference", "only nodes are listed and attached"))
            }
        }
    }

    /// Pairs of kind and node up to the end of a record; debug information is left out.
    pub(super) fn attachment(&self, mut operands: Operands<'_>) -> Result<Vec<(Arc<str>, MdId)>, ReadError> {
        let mut pairs = Vec::with_capacity(operands.len() / 2);
        while !operands.is_empty() {
            let kind = operands.next()?;
            let node = self.node(operands.next()?)?;
            let Some(kind) = self.kinds.get(&kind) else {
                return Err(ReadError::dangling("metadata kind", kind, self.kinds.len()));
            };
            if let Some(node) = node {
                pairs.push((Arc::clone(kind), node));
            }
        }
        Ok(pairs)
    }
}

/// The node of debug information with a number.
fn debug_node(entries: &[Entry], number: u64) -> Option<DebugNode> {
    match entries.get(usize::try_from(number).ok()?)? {
        Entry::Debug(node) => Some((**node).clone()),
        _ => None,
    }
}

fn malformed(record: &'static str, rule: &'static str) -> ReadError {
    ReadError::MalformedRecord { block: BLOCK, record, rule }
}
