//! Sizes, alignments and offsets under AIR's data layout.
//!
//! Vectors of three elements take the space of four (`float3` has 16 bytes), booleans take a byte.

use crate::{StructType, Type};

/// The layout rules. They are the same for every AIR version, so the type has no state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout;

impl Layout {
    /// Bytes that a load or store of the type touches.
    pub fn store_size(ty: &Type) -> u64 {
        match ty {
            Type::Void | Type::Metadata => 0,
            Type::Scalar(scalar) => u64::from(scalar.bits().div_ceil(8)),
            Type::Vector(scalar, lanes) => (u64::from(scalar.bits()) * u64::from(*lanes)).div_ceil(8),
            Type::Array(element, count) => Self::alloc_size(element).saturating_mul(*count),
            Type::Struct(structure) => Self::struct_size(structure),
        }
    }

    /// Bytes from one array element of the type to the next.
    pub fn alloc_size(ty: &Type) -> u64 {
        let align = u64::from(Self::align(ty));
        Self::store_size(ty).div_ceil(align).saturating_mul(align)
    }

    /// Natural alignment in bytes.
    pub fn align(ty: &Type) -> u32 {
        match ty {
            Type::Void | Type::Metadata => 1,
            Type::Scalar(scalar) => scalar.bits().div_ceil(8).next_power_of_two(),
            Type::Vector(scalar, lanes) => {
                (scalar.bits().saturating_mul(*lanes)).div_ceil(8).max(1).next_power_of_two()
            }
            Type::Array(element, _) => Self::align(element),
            Type::Struct(structure) if structure.packed => 1,
            Type::Struct(structure) => structure.fields.iter().map(Self::align).max().unwrap_or(1),
        }
    }

    /// Byte offset of field `index` of a structure.
    pub fn field_offset(structure: &StructType, index: usize) -> u64 {
        let mut offset = 0_u64;
        for (position, field) in structure.fields.iter().enumerate() {
            if !structure.packed {
                offset = offset.next_multiple_of(u64::from(Self::align(field)));
            }
            if position == index {
                return offset;
            }
            offset = offset.saturating_add(Self::alloc_size(field));
        }
        offset
    }

    fn struct_size(structure: &StructType) -> u64 {
        let mut offset = 0_u64;
        let mut align = 1_u64;
        for field in &structure.fields {
            if !structure.packed {
                let field_align = u64::from(Self::align(field));
                align = align.max(field_align);
                offset = offset.next_multiple_of(field_align);
            }
            offset = offset.saturating_add(Self::alloc_size(field));
        }
        offset.next_multiple_of(align)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    #[test]
    fn three_element_vectors_take_the_room_of_four() {
        let float3 = Type::Vector(Scalar::Float, 3);
        assert_eq!(
            (Layout::store_size(&float3), Layout::alloc_size(&float3), Layout::align(&float3)),
            (12, 16, 16)
        );
        let char3 = Type::Vector(Scalar::Int(8), 3);
        assert_eq!(
            (Layout::store_size(&char3), Layout::alloc_size(&char3), Layout::align(&char3)),
            (3, 4, 4)
        );
    }

    #[test]
    fn fields_are_padded_to_their_alignment() {
        let Type::Struct(structure) =
            Type::literal_struct(vec![Type::I8, Type::I64, Type::I16, Type::Vector(Scalar::Half, 3)])
        else {
            unreachable!()
        };
        let offsets: Vec<u64> = (0..4).map(|field| Layout::field_offset(&structure, field)).collect();
        assert_eq!(offsets, [0, 8, 16, 24]);
        assert_eq!(Layout::alloc_size(&Type::Struct(structure)), 32);
    }
}
