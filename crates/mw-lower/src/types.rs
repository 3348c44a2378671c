//! Types of HIR as types of AIR.
//!
//! A type has two faces: the one of its values in registers and the one of its objects in memory.
//!
//! | HIR | value | memory |
//! | --- | --- | --- |
//! | `bool`, vectors of it | `i1`, `<n x i1>` | `i8`, `<n x i8>` |
//! | packed vectors | `<n x T>` | `[n x T]` |
//! | matrices | `[columns x <rows x T>]` | the same |
//! | simdgroup matrices | `<64 x T>` | the same |
//! | records, arrays | none: they are handled by address | structures with explicit padding, arrays |
//! | pointers, references | `ptr addrspace(n)` | the same |

use std::sync::Arc;

use mw_air::{AddressSpace, Layout, Scalar, StructType, Type};
use mw_msl::hir::Program;
use mw_msl::types::{self as hir, RecordId, TypeId};
use rustc_hash::FxHashMap;

/// Arrays and records may nest this deep; the verifier of AIR allows 64.
pub(crate) const MAX_DEPTH: usize = 48;

/// A record as a structure of AIR.
#[derive(Clone, Debug)]
pub(crate) struct RecordLayout {
    pub ty: Type,
    /// For each field of HIR its position in the structure; [`NO_ROOM`] for bases without members. For a union
    /// all are 0.
    pub positions: Vec<u32>,
}

/// The position of what takes no room.
pub(crate) const NO_ROOM: u32 = u32::MAX;

/// Translated types, by handle.
#[derive(Debug, Default)]
pub(crate) struct TypeCache {
    memory: FxHashMap<TypeId, Type>,
    records: FxHashMap<RecordId, Arc<RecordLayout>>,
}

/// AIR's form of a scalar in a register.
pub(crate) fn scalar(scalar: hir::Scalar) -> Scalar {
    match scalar {
        hir::Scalar::Bool => Scalar::Int(1),
        hir::Scalar::Char | hir::Scalar::UChar => Scalar::Int(8),
        hir::Scalar::Short | hir::Scalar::UShort => Scalar::Int(16),
        hir::Scalar::Int | hir::Scalar::UInt => Scalar::Int(32),
        hir::Scalar::Long | hir::Scalar::ULong => Scalar::Int(64),
        hir::Scalar::Half => Scalar::Half,
        hir::Scalar::BFloat => Scalar::BFloat,
        hir::Scalar::Float => Scalar::Float,
    }
}

/// AIR's form of a scalar in memory.
pub(crate) fn memory_scalar(ty: hir::Scalar) -> Scalar {
    match ty {
        hir::Scalar::Bool => Scalar::Int(8),
        other => scalar(other),
    }
}

/// Metal's address spaces have AIR's numbers.
pub(crate) fn space(space: hir::AddressSpace) -> AddressSpace {
    AddressSpace(space.number())
}

/// Type of values in registers; `None` for what never stands in one, and `Void` for void.
pub(crate) fn value_type(program: &Program, id: TypeId) -> Option<Type> {
    Some(match program.ty(id) {
        hir::Type::Void => Type::Void,
        hir::Type::Scalar(ty) | hir::Type::Atomic(ty) => Type::Scalar(scalar(*ty)),
        hir::Type::Vector(ty, lanes) | hir::Type::PackedVector(ty, lanes) => {
            Type::Vector(scalar(*ty), u32::from(*lanes))
        }
        hir::Type::Matrix { element, columns, rows } => {
            Type::array(Type::Vector(scalar(*element), u32::from(*rows)), u64::from(*columns))
        }
        hir::Type::SimdgroupMatrix { element, .. } => Type::Vector(scalar(*element), 64),
        hir::Type::Pointer(target) | hir::Type::Reference { target, .. } => {
            if matches!(program.ty(target.ty), hir::Type::Function { .. }) {
                Type::ptr(AddressSpace::THREAD)
            } else {
                Type::ptr(space(target.space))
            }
        }
        hir::Type::NullPointer => Type::ptr(AddressSpace::THREAD),
        // Texture and sampler handles are pointers that nobody looks behind.
        hir::Type::Opaque(_) => Type::ptr(AddressSpace::DEVICE),
        hir::Type::Enum(id) => Type::Scalar(scalar(program.enumeration(*id).underlying)),
        hir::Type::Array(..)
        | hir::Type::UnsizedArray(_)
        | hir::Type::Record(_)
        | hir::Type::Function { .. }
        | hir::Type::Unique(_)
        | hir::Type::Error => return None,
    })
}

/// Whether objects of the type are handled by address.
pub(crate) fn is_aggregate(program: &Program, id: TypeId) -> bool {
    matches!(program.ty(id), hir::Type::Record(_) | hir::Type::Array(..) | hir::Type::UnsizedArray(_))
}

impl TypeCache {
    /// Type of objects in memory; `None` for what has no objects, or nests too deep.
    pub(crate) fn memory_type(&mut self, program: &Program, id: TypeId) -> Option<Type> {
        self.memory(program, id, 0)
    }

    fn memory(&mut self, program: &Program, id: TypeId, depth: usize) -> Option<Type> {
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(ty) = self.memory.get(&id) {
            return Some(ty.clone());
        }
        let ty = match program.ty(id) {
            hir::Type::Scalar(ty) | hir::Type::Atomic(ty) => Type::Scalar(memory_scalar(*ty)),
            hir::Type::Vector(ty, lanes) => Type::Vector(memory_scalar(*ty), u32::from(*lanes)),
            hir::Type::PackedVector(ty, lanes) => {
                Type::array(Type::Scalar(memory_scalar(*ty)), u64::from(*lanes))
            }
            hir::Type::Array(element, count) => {
                Type::array(self.memory(program, *element, depth + 1)?, *count)
            }
            hir::Type::UnsizedArray(element) => Type::array(self.memory(program, *element, depth + 1)?, 0),
            hir::Type::Record(record) => self.record_at(program, *record, depth + 1)?.ty.clone(),
            hir::Type::Void => return None,
            _ => value_type(program, id)?,
        };
        self.memory.insert(id, ty.clone());
        Some(ty)
    }

    /// The structure of a record.
    pub(crate) fn record(&mut self, program: &Program, id: RecordId) -> Option<Arc<RecordLayout>> {
        self.record_at(program, id, 0)
    }

    fn record_at(&mut self, program: &Program, id: RecordId, depth: usize) -> Option<Arc<RecordLayout>> {
        if let Some(layout) = self.records.get(&id) {
            return Some(Arc::clone(layout));
        }
        let record = program.record(id);
        let mut fields = Vec::with_capacity(record.fields.len());
        let mut is_empty = Vec::with_capacity(record.fields.len());
        for (index, field) in record.fields.iter().enumerate() {
            // A base without members lies where the first member does.
            is_empty.push((index as u32) < record.bases && has_no_members(program, field.ty.ty, depth + 1));
            fields.push((field.offset_bytes, self.memory(program, field.ty.ty, depth + 1)?));
        }
        let (structure, positions) = if record.is_union {
            let widest = fields.iter().max_by_key(|(_, ty)| (Layout::align(ty), Layout::alloc_size(ty)));
            let first: Vec<_> = widest.map(|(_, ty)| (0, ty.clone())).into_iter().collect();
            (structure(&first, record.size_bytes, record.align_bytes).0, vec![0; fields.len()])
        } else {
            let mut solid = fields.clone();
            let mut flags = is_empty.iter();
            solid.retain(|_| flags.next() == Some(&false));
            let (structure, positions) = structure(&solid, record.size_bytes, record.align_bytes);
            let mut positions = positions.into_iter();
            let all = is_empty
                .iter()
                .map(|is_empty| if *is_empty { NO_ROOM } else { positions.next().unwrap_or(NO_ROOM) });
            (structure, all.collect())
        };
        let (fields, packed) = structure;
        let ty = Type::Struct(Arc::new(StructType {
            name: Some(record.air_name.as_str().into()),
            fields,
            packed,
            opaque: false,
        }));
        let layout = Arc::new(RecordLayout { ty, positions });
        self.records.insert(id, Arc::clone(&layout));
        Some(layout)
    }
}

/// Whether arrays and records stand in each other deeper than types may.
pub(crate) fn nests_too_deep(program: &Program, id: TypeId) -> bool {
    let mut level = vec![id];
    for _ in 0..=MAX_DEPTH / 2 {
        let mut next = Vec::new();
        for id in level {
            match program.ty(id) {
                hir::Type::Array(element, _) | hir::Type::UnsizedArray(element) => next.push(*element),
                hir::Type::Record(record) => {
                    next.extend(program.record(*record).fields.iter().map(|field| field.ty.ty));
                }
                _ => {}
            }
        }
        next.sort_unstable();
        next.dedup();
        level = next;
        if level.is_empty() {
            return false;
        }
    }
    true
}

/// Whether a type is a record of nothing.
fn has_no_members(program: &Program, id: TypeId, depth: usize) -> bool {
    match program.ty(id) {
        hir::Type::Record(record) if depth <= MAX_DEPTH => {
            program.record(*record).fields.iter().all(|field| has_no_members(program, field.ty.ty, depth + 1))
        }
        _ => false,
    }
}

/// Fields at given offsets, with padding, and their positions. Packed only where the natural layout of AIR
/// cannot give these offsets.
fn structure(fields: &[(u64, Type)], size: u64, align: u64) -> ((Vec<Type>, bool), Vec<u32>) {
    let natural = fields.iter().all(|(offset, ty)| {
        offset.is_multiple_of(u64::from(Layout::align(ty))) && u64::from(Layout::align(ty)) <= align
    }) && size
        .is_multiple_of(fields.iter().map(|(_, ty)| u64::from(Layout::align(ty))).max().unwrap_or(1));
    let mut members = Vec::with_capacity(fields.len());
    let mut positions = Vec::with_capacity(fields.len());
    let mut end = 0_u64;
    for (offset, ty) in fields {
        let next = if natural { end.next_multiple_of(u64::from(Layout::align(ty))) } else { end };
        if *offset > next {
            members.push(Type::array(Type::I8, offset - end));
        }
        positions.push(members.len() as u32);
        members.push(ty.clone());
        end = offset.saturating_add(Layout::alloc_size(ty));
    }
    let widest = if natural {
        fields.iter().map(|(_, ty)| u64::from(Layout::align(ty))).max().unwrap_or(1)
    } else {
        1
    };
    if size > end.next_multiple_of(widest) {
        members.push(Type::array(Type::I8, size - end));
    }
    ((members, !natural), positions)
}
