//! Attribute groups and lists.
//!
//! Attributes come in the vocabulary of the LLVM that wrote them and leave in that of LLVM 22:
//! - `readnone`, `readonly`, `argmemonly`, … of a function become one `memory` attribute, its value LLVM 22's
//!   encoding (two bits for each location: argument, inaccessible, errno, other, two of targets; 1 reads, 2 writes);
//! - `nocapture` becomes `captures`, whose value 0 says `none`.
//!
//! Promises whose value needs a syntax of its own (`range`, `initializes`, `nofpclass`, `allocsize`, …) are dropped:
//! without a promise a program means the same.

use std::sync::Arc;

use mw_air::{Attribute, Attributes};

use super::budget::Budget;
use super::operands::{Operands, text};
use super::types::Types;
use crate::bitstream::{Event, Record, Stream};
use crate::error::ReadError;

const GROUP_BLOCK: &str = "PARAMATTR_GROUP_BLOCK";
const LIST_BLOCK: &str = "PARAMATTR_BLOCK";

/// Where the attributes of the function itself stand.
const FUNCTION_INDEX: u64 = 0xffff_ffff;

/// Memory effects of a function that says nothing: reads and writes at all six locations.
const ANY_MEMORY: u64 = 0xfff;
const ARGUMENT_MEMORY: u64 = 0b11;
const INACCESSIBLE_MEMORY: u64 = 0b11 << 2;
const READS: u64 = 0b01_01_01_01_01_01;
const WRITES: u64 = 0b10_10_10_10_10_10;

/// One group: attributes for one place.
#[derive(Debug)]
struct Group {
    id: u64,
    index: u64,
    attributes: Vec<Attribute>,
}

/// The attributes of a function or call, by place.
#[derive(Debug, Clone, Default)]
pub(super) struct AttributeList {
    pub(super) function: Attributes,
    pub(super) ret: Attributes,
    /// By parameter; as long as the last one that has any.
    pub(super) params: Vec<Attributes>,
}

impl AttributeList {
    /// What a copy costs.
    pub(super) fn weight(&self) -> u64 {
        let places = [&self.function, &self.ret].into_iter().chain(&self.params);
        places.map(|place| 1 + place.0.len() as u64).sum()
    }
}

/// All groups and lists of a module.
#[derive(Debug, Default)]
pub(super) struct AttributeTable {
    groups: Vec<Group>,
    lists: Vec<AttributeList>,
}

impl AttributeTable {
    /// Reads `PARAMATTR_GROUP_BLOCK`, which the stream has just entered.
    pub(super) fn read_groups<'a>(
        &mut self,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
        types: &Types,
    ) -> Result<(), ReadError> {
        loop {
            match stream.next(record)? {
                Event::End => break,
                Event::Block(_) => stream.skip()?,
                Event::Record if record.code == 3 => {
                    let group = read_group(Operands::new(&record.operands, GROUP_BLOCK, "ENTRY"), types)?;
                    self.groups.push(group);
                }
                Event::Record => {
                    return Err(ReadError::UnsupportedRecord {
                        block: GROUP_BLOCK,
                        code: record.code,
                        note: "",
                    });
                }
            }
        }
        self.groups.sort_by_key(|group| group.id);
        Ok(())
    }

    /// Reads `PARAMATTR_BLOCK`, which the stream has just entered.
    pub(super) fn read_lists<'a>(
        &mut self,
        stream: &mut Stream<'a>,
        record: &mut Record<'a>,
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        loop {
            match stream.next(record)? {
                Event::End => return Ok(()),
                Event::Block(_) => stream.skip()?,
                Event::Record if record.code == 2 => {
                    let list = self.read_list(&record.operands, budget)?;
                    self.lists.push(list);
                }
                Event::Record => {
                    return Err(ReadError::UnsupportedRecord {
                        block: LIST_BLOCK,
                        code: record.code,
                        note: ": attributes of LLVM before 3.3",
                    });
                }
            }
        }
    }

    fn read_list(&self, groups: &[u64], budget: &mut Budget) -> Result<AttributeList, ReadError> {
        let mut list = AttributeList::default();
        for &id in groups {
            // Apple's compiler of AIR 2.5 lists groups that it left out because they were empty; LLVM reads them so too.
            let Ok(position) = self.groups.binary_search_by_key(&id, |group| group.id) else { continue };
            let group = &self.groups[position];
            budget.spend(group.attributes.len() as u64)?;
            let place = match group.index {
                FUNCTION_INDEX => &mut list.function,
                0 => &mut list.ret,
                index => {
                    let index = index as usize - 1;
                    if list.params.len() <= index {
                        budget.spend((index + 1 - list.params.len()) as u64)?;
                        list.params.resize_with(index + 1, Attributes::default);
                    }
                    &mut list.params[index]
                }
            };
            place.0.extend_from_slice(&group.attributes);
        }
        Ok(list)
    }

    /// A copy of the list of a record's attribute operand, where 0 is none.
    pub(super) fn list(&self, operand: u64, budget: &mut Budget) -> Result<AttributeList, ReadError> {
        let Some(index) = operand.checked_sub(1) else { return Ok(AttributeList::default()) };
        let list = self.shared_list(index)?;
        budget.spend(list.weight())?;
        Ok(list.clone())
    }

    fn shared_list(&self, index: u64) -> Result<&AttributeList, ReadError> {
        usize::try_from(index)
            .ok()
            .and_then(|index| self.lists.get(index))
            .ok_or_else(|| ReadError::dangling("attribute list", index, self.lists.len()))
    }
}

fn read_group(mut operands: Operands<'_>, types: &Types) -> Result<Group, ReadError> {
    let id = operands.next()?;
    let index = operands.next()?;
    // A million parameters are a lie, and would size a list.
    if index != FUNCTION_INDEX && index > 1 << 12 {
        return Err(operands.malformed("more than 4096 parameters"));
    }
    let mut attributes = Vec::new();
    let mut memory = ANY_MEMORY;
    while !operands.is_empty() {
        match operands.next()? {
            0 => {
                let kind = operands.next()?;
                match memory_limit(kind) {
                    Some(limit) if index == FUNCTION_INDEX => memory &= limit,
                    _ if kind == NO_CAPTURE => attributes.push(Attribute::Int("captures".into(), 0)),
                    _ => attributes.push(Attribute::Enum(enum_name(kind)?.into())),
                }
            }
            1 => {
                let kind = operands.next()?;
                let value = operands.next()?;
                match kind {
                    MEMORY => memory &= decode_memory(value),
                    _ => {
                        if let Some(name) = integer_name(kind) {
                            attributes.push(Attribute::Int(name.into(), value));
                        }
                    }
                }
            }
            kind @ (3 | 4) => {
                let key = string(&mut operands)?;
                let value = if kind == 4 { string(&mut operands)? } else { "".into() };
                attributes.push(Attribute::String(key, value));
            }
            kind @ (5 | 6) => {
                let name = type_name(operands.next()?)?;
                if kind == 6 {
                    let ty = types.any(operands.next()?)?.clone();
                    attributes.push(Attribute::Type(name.into(), ty));
                }
                // Without a type (before LLVM 9) the pointee said it; no AIR version is that old.
                else {
                    return Err(operands.malformed("`byval` and its like carry their type"));
                }
            }
            7 => skip_range(&mut operands)?,
            8 => {
                operands.next()?;
                let count = operands.next()?;
                let width = operands.next()?;
                for _ in 0..count {
                    skip_bounds(&mut operands, width)?;
                }
            }
            _ => return Err(operands.malformed("unknown kind of attribute")),
        }
    }
    if memory != ANY_MEMORY {
        attributes.push(Attribute::Int("memory".into(), memory));
    }
    Ok(Group { id, index, attributes })
}

/// Skips `[kind, width, lower, upper]`.
fn skip_range(operands: &mut Operands<'_>) -> Result<(), ReadError> {
    operands.next()?;
    let width = operands.next()?;
    skip_bounds(operands, width)
}

fn skip_bounds(operands: &mut Operands<'_>, width: u64) -> Result<(), ReadError> {
    if width <= 64 {
        operands.next()?;
        operands.next()?;
    } else {
        // Wide bounds state their word counts in one operand, lower in its low half.
        let words = operands.next()?;
        let count = (words & 0xffff_ffff).saturating_add(words >> 32);
        for _ in 0..count {
            operands.next()?;
        }
    }
    Ok(())
}

fn string(operands: &mut Operands<'_>) -> Result<Arc<str>, ReadError> {
    let rest = operands.rest();
    let Some(length) = rest.iter().position(|&value| value == 0) else {
        return Err(operands.malformed("strings end in a zero"));
    };
    operands.skip(length + 1);
    Ok(text(&rest[..length], GROUP_BLOCK, "ENTRY")?.into())
}

/// LLVM 22's encoding of a `memory` attribute.
fn decode_memory(value: u64) -> u64 {
    // Before version 1 of the encoding, "other" memory stood in third place and covered errno and targets.
    if value >> 56 != 0 {
        let value = value & ANY_MEMORY;
        return value;
    }
    let other = value >> 4 & 0b11;
    value & 0b1111 | other << 4 | other << 6 | other << 8 | other << 10
}

/// What an old attribute leaves of a function's memory effects.
fn memory_limit(kind: u64) -> Option<u64> {
    Some(match kind {
        20 => 0,
        21 => READS,
        52 => WRITES,
        45 => ARGUMENT_MEMORY,
        49 => INACCESSIBLE_MEMORY,
        50 => ARGUMENT_MEMORY | INACCESSIBLE_MEMORY,
        _ => return None,
    })
}

const MEMORY: u64 = 86;
const NO_CAPTURE: u64 = 11;

/// Integer attributes that are kept, by LLVM's number.
fn integer_name(kind: u64) -> Option<&'static str> {
    Some(match kind {
        1 => "align",
        25 => "alignstack",
        33 => "uwtable",
        41 => "dereferenceable",
        42 => "dereferenceable_or_null",
        102 => "captures",
        _ => return None,
    })
}

/// Type attributes, by LLVM's number.
fn type_name(kind: u64) -> Result<&'static str, ReadError> {
    Ok(match kind {
        3 => "byval",
        29 => "sret",
        38 => "inalloca",
        65 => "preallocated",
        69 => "byref",
        77 => "elementtype",
        _ => return Err(unknown(kind)),
    })
}

/// Attributes without a value, by LLVM's number.
fn enum_name(kind: u64) -> Result<&'static str, ReadError> {
    Ok(match kind {
        2 => "alwaysinline",
        4 => "inlinehint",
        5 => "inreg",
        6 => "minsize",
        7 => "naked",
        8 => "nest",
        9 => "noalias",
        10 => "nobuiltin",
        12 => "noduplicate",
        13 => "noimplicitfloat",
        14 => "noinline",
        15 => "nonlazybind",
        16 => "noredzone",
        17 => "noreturn",
        18 => "nounwind",
        19 => "optsize",
        20 => "readnone",
        21 => "readonly",
        22 => "returned",
        23 => "returns_twice",
        24 => "signext",
        26 => "ssp",
        27 => "sspreq",
        28 => "sspstrong",
        30 => "sanitize_address",
        31 => "sanitize_thread",
        32 => "sanitize_memory",
        33 => "uwtable",
        34 => "zeroext",
        35 => "builtin",
        36 => "cold",
        37 => "optnone",
        39 => "nonnull",
        40 => "jumptable",
        43 => "convergent",
        44 => "safestack",
        46 => "swiftself",
        47 => "swifterror",
        48 => "norecurse",
        52 => "writeonly",
        53 => "speculatable",
        54 => "strictfp",
        55 => "sanitize_hwaddress",
        56 => "nocf_check",
        57 => "optforfuzzing",
        58 => "shadowcallstack",
        59 => "speculative_load_hardening",
        60 => "immarg",
        61 => "willreturn",
        62 => "nofree",
        63 => "nosync",
        64 => "sanitize_memtag",
        66 => "nomerge",
        67 => "null_pointer_is_valid",
        68 => "noundef",
        70 => "mustprogress",
        71 => "nocallback",
        72 => "hot",
        73 => "noprofile",
        75 => "swiftasync",
        76 => "nosanitize_coverage",
        78 => "disable_sanitizer_instrumentation",
        79 => "nosanitize_bounds",
        80 => "allocalign",
        81 => "allocptr",
        83 => "presplitcoroutine",
        84 => "fn_ret_thunk_extern",
        85 => "skipprofile",
        88 => "optdebug",
        89 => "writable",
        90 => "coro_only_destroy_when_complete",
        91 => "dead_on_unwind",
        93 => "sanitize_numerical_stability",
        95 => "hybrid_patchable",
        96 => "sanitize_realtime",
        97 => "sanitize_realtime_blocking",
        98 => "coro_elide_safe",
        99 => "noext",
        100 => "nodivergencesource",
        101 => "sanitize_type",
        103 => "dead_on_return",
        104 => "sanitize_alloc_token",
        105 => "nocreateundeforpoison",
        _ => return Err(unknown(kind)),
    })
}

fn unknown(kind: u64) -> ReadError {
    ReadError::Unsupported { what: format!("attribute number {kind}, which LLVM 22 does not know") }
}
