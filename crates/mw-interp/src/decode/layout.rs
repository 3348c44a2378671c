//! Types as lists of scalars, and address arithmetic.

use mw_air::{Layout, Scalar, Type};

use super::{Result, invalid, unsupported};

/// Most scalars of one value.
const MAX_SCALARS: usize = 1 << 16;

/// Deepest nesting of types and of constant expressions.
pub(super) const MAX_DEPTH: u32 = 64;

/// Elements of a `<64 x T>` that exist: the pair that a lane owns of an 8×8 matrix.
const MATRIX_PAIR: u32 = 2;

/// A scalar in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) scalar: Scalar,
    /// Byte offset; for a packed scalar, of the bytes that hold the whole vector.
    pub(super) offset: u64,
    /// Bits of a vector that is no whole number of bytes for each element: position, and size of the
    /// whole in bytes.
    pub(super) packed: Option<(u8, u8)>,
}

impl Leaf {
    /// Bytes that it takes when it is not packed.
    pub(super) fn size(&self) -> u8 {
        self.scalar.bits().div_ceil(8) as u8
    }
}

/// Number of elements of a vector that have registers.
pub(super) fn live_lanes(lanes: u32) -> u32 {
    if lanes == 64 { MATRIX_PAIR } else { lanes }
}

/// The scalars of a type in memory order.
pub(super) fn leaves(ty: &Type) -> Result<Vec<Leaf>> {
    let mut out = Vec::new();
    collect(ty, 0, 0, &mut out)?;
    Ok(out)
}

/// Number of scalars of a type.
pub(super) fn scalar_count(ty: &Type) -> Result<usize> {
    Ok(match ty {
        Type::Void => 0,
        Type::Scalar(_) => 1,
        Type::Vector(_, lanes) => live_lanes(*lanes) as usize,
        _ => leaves(ty)?.len(),
    })
}

fn collect(ty: &Type, offset: u64, depth: u32, out: &mut Vec<Leaf>) -> Result<()> {
    if depth > MAX_DEPTH || out.len() > MAX_SCALARS {
        return unsupported("a value of very many scalars", "pass large data through memory");
    }
    match ty {
        Type::Void => {}
        Type::Metadata => return invalid("metadata is used as a value"),
        Type::Scalar(scalar) => {
            if !(1..=64).contains(&scalar.bits()) {
                return unsupported(format!("values of type {ty}"), "use integers of 1 to 64 bits");
            }
            out.push(Leaf { scalar: *scalar, offset, packed: None });
        }
        Type::Vector(scalar, lanes) => {
            let bits = scalar.bits();
            let size = Layout::store_size(ty);
            if !(1..=64).contains(&bits) || !bits.is_multiple_of(8) && size > 8 {
                return unsupported(format!("values of type {ty}"), "use smaller elements");
            }
            for lane in 0..live_lanes(*lanes) {
                out.push(if bits.is_multiple_of(8) {
                    Leaf { scalar: *scalar, offset: offset + u64::from(lane * (bits / 8)), packed: None }
                } else {
                    Leaf { scalar: *scalar, offset, packed: Some(((lane * bits) as u8, size as u8)) }
                });
            }
        }
        Type::Array(element, count) => {
            let stride = Layout::alloc_size(element);
            // An array of empty structures has no scalars, however long it is.
            let mut first = Vec::new();
            collect(element, 0, depth + 1, &mut first)?;
            if first.is_empty() {
                return Ok(());
            }
            if (first.len() as u64).saturating_mul(*count) > MAX_SCALARS as u64 {
                return unsupported(format!("a value of type {ty}"), "pass large data through memory");
            }
            for index in 0..*count {
                let base = offset + index * stride;
                out.extend(first.iter().map(|leaf| Leaf { offset: leaf.offset + base, ..*leaf }));
            }
        }
        Type::Struct(structure) => {
            for (index, field) in structure.fields.iter().enumerate() {
                collect(field, offset + Layout::field_offset(structure, index), depth + 1, out)?;
            }
        }
    }
    Ok(())
}

/// Position and type of the member that `indices` lead to, counted in scalars.
pub(super) fn member(ty: &Type, indices: &[u32]) -> Result<(usize, Type)> {
    let mut position = 0;
    let mut ty = ty.clone();
    for index in indices {
        let Some(element) = ty.element(u64::from(*index)) else {
            return invalid(format!("type {ty} has no member {index}"));
        };
        position += match &ty {
            Type::Struct(structure) => {
                let mut before = 0;
                for field in &structure.fields[..*index as usize] {
                    before += scalar_count(field)?;
                }
                before
            }
            _ => scalar_count(&element)? * *index as usize,
        };
        ty = element;
    }
    Ok((position, ty))
}

/// An address as a constant number of bytes and multiples of the indices that are not constant.
pub(super) struct Walk {
    pub(super) offset: i64,
    /// Position of the index, and bytes for each step of it.
    pub(super) terms: Vec<(usize, i64)>,
}

/// Walks a `getelementptr`: `indices` are the constant ones, sign-extended.
pub(super) fn walk(source: &Type, indices: &[Option<i64>]) -> Result<Walk> {
    let mut walk = Walk { offset: 0, terms: Vec::new() };
    let mut ty = source.clone();
    for (position, index) in indices.iter().enumerate() {
        let stride = if position == 0 {
            Layout::alloc_size(&ty)
        } else {
            match &ty {
                Type::Struct(structure) => {
                    let Some(field) = index.and_then(|index| usize::try_from(index).ok()) else {
                        return invalid("a structure is indexed by a variable");
                    };
                    let Some(next) = structure.fields.get(field) else {
                        return invalid(format!("type {ty} has no field {field}"));
                    };
                    walk.offset = walk.offset.wrapping_add(Layout::field_offset(structure, field) as i64);
                    ty = next.clone();
                    continue;
                }
                Type::Array(element, _) => {
                    let stride = Layout::alloc_size(element);
                    ty = (**element).clone();
                    stride
                }
                Type::Vector(scalar, _) => {
                    let stride = u64::from(scalar.bits().div_ceil(8));
                    ty = Type::Scalar(*scalar);
                    stride
                }
                _ => return invalid(format!("type {ty} has no elements to index")),
            }
        };
        let stride = stride as i64;
        match index {
            Some(index) => walk.offset = walk.offset.wrapping_add(index.wrapping_mul(stride)),
            None => walk.terms.push((position, stride)),
        }
    }
    Ok(walk)
}
