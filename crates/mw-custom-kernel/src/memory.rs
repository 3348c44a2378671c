//! Strided copies and fills on plain memory.
#![expect(unsafe_code, reason = "works on memory of the caller")]

use half::{bf16, f16};

use crate::dtype::Dtype;

/// Whether elements lie one after another in the order of the axes. Axes of length 1 do not count, nor do arrays
/// without elements.
pub fn is_row_contiguous(shape: &[i32], strides: &[i64]) -> bool {
    if shape.contains(&0) {
        return true;
    }
    let mut expected = 1_i64;
    for (length, stride) in shape.iter().zip(strides).rev() {
        if *length != 1 && *stride != expected {
            return false;
        }
        expected = expected.saturating_mul(i64::from(*length));
    }
    true
}

/// Copies an array of any strides (in elements) to memory where its elements lie one after another.
///
/// # Safety
/// `from` must be valid for reads at every element that `shape` and `strides` name, and `to` for writes of as
/// many elements of `element_bytes` each; they must not overlap. `element_bytes` is 1, 2, 4 or 8.
pub unsafe fn copy_to_row_contiguous(
    from: *const u8,
    to: *mut u8,
    element_bytes: usize,
    shape: &[i32],
    strides: &[i64],
) {
    if shape.contains(&0) {
        return;
    }
    // SAFETY: the caller's promise; the type has the size of an element, and accesses are unaligned.
    unsafe {
        match element_bytes {
            1 => copy_elements::<u8>(from, to, shape, strides),
            2 => copy_elements::<u16>(from, to, shape, strides),
            4 => copy_elements::<u32>(from, to, shape, strides),
            _ => copy_elements::<u64>(from, to, shape, strides),
        }
    }
}

/// Adjacent axes that act as one, without axes of length 1; the innermost comes last.
fn merged(shape: &[i32], strides: &[i64]) -> Vec<(i64, i64)> {
    let mut axes: Vec<(i64, i64)> = Vec::with_capacity(shape.len());
    for (length, stride) in shape.iter().zip(strides) {
        let (length, stride) = (i64::from(*length), *stride);
        if length == 1 {
            continue;
        }
        match axes.last_mut() {
            Some(outer) if outer.1 == stride.wrapping_mul(length) => *outer = (outer.0 * length, stride),
            _ => axes.push((length, stride)),
        }
    }
    axes
}

/// # Safety
/// As for [`copy_to_row_contiguous`], with elements of type `T` and no axis of length 0.
unsafe fn copy_elements<T: Copy>(from: *const u8, to: *mut u8, shape: &[i32], strides: &[i64]) {
    let (from, mut to) = (from.cast::<T>(), to.cast::<T>());
    let mut axes = merged(shape, strides);
    let (inner_length, inner_stride) = axes.pop().unwrap_or((1, 1));
    let mut index = vec![0_i64; axes.len()];
    let mut offset = 0_i64;
    loop {
        // SAFETY: `offset` is the sum of index times stride over the outer axes, so each element read is one
        // that shape and strides name; `to` advances by one for each.
        unsafe {
            let row = from.offset(offset as isize);
            if inner_stride == 1 {
                std::ptr::copy_nonoverlapping(
                    row.cast::<u8>(),
                    to.cast::<u8>(),
                    inner_length as usize * size_of::<T>(),
                );
            } else {
                for position in 0..inner_length {
                    let value = row.offset((position * inner_stride) as isize).read_unaligned();
                    to.offset(position as isize).write_unaligned(value);
                }
            }
            to = to.offset(inner_length as isize);
        }
        let mut axis = axes.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            let (length, stride) = axes[axis];
            index[axis] += 1;
            offset += stride;
            if index[axis] < length {
                break;
            }
            offset -= stride * length;
            index[axis] = 0;
        }
    }
}

/// Sets `count` elements to a value, converted to their type.
///
/// # Safety
/// `to` must be valid for writes of `count` elements of this type.
pub unsafe fn fill(to: *mut u8, dtype: Dtype, count: usize, value: f32) {
    // An integer that does not fit wraps, as a conversion through a wider integer does.
    let integer = value as i64;
    // SAFETY: the caller's promise; each arm writes elements of the type's size.
    unsafe {
        match dtype {
            Dtype::Bool => fill_with(to, count, u8::from(value != 0.0)),
            Dtype::Uint8 | Dtype::Int8 => fill_with(to, count, integer as u8),
            Dtype::Uint16 | Dtype::Int16 => fill_with(to, count, integer as u16),
            Dtype::Uint32 | Dtype::Int32 => fill_with(to, count, integer as u32),
            Dtype::Int64 => fill_with(to, count, integer),
            Dtype::Uint64 => fill_with(to, count, if value < 0.0 { integer as u64 } else { value as u64 }),
            Dtype::Float16 => fill_with(to, count, f16::from_f32(value).to_bits()),
            Dtype::Bfloat16 => fill_with(to, count, bf16::from_f32(value).to_bits()),
            Dtype::Float32 => fill_with(to, count, value),
            Dtype::Float64 => fill_with(to, count, f64::from(value)),
            Dtype::Complex64 => fill_with(to, count, [value, 0.0]),
        }
    }
}

/// # Safety
/// `to` must be valid for writes of `count` values.
unsafe fn fill_with<T: Copy>(to: *mut u8, count: usize, value: T) {
    let to = to.cast::<T>();
    for position in 0..count {
        // SAFETY: inside, by the caller's promise.
        unsafe { to.add(position).write_unaligned(value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contiguity_ignores_axes_of_one() {
        assert!(is_row_contiguous(&[2, 3], &[3, 1]));
        assert!(is_row_contiguous(&[1, 3], &[77, 1]));
        assert!(is_row_contiguous(&[], &[]));
        assert!(is_row_contiguous(&[0, 3], &[9, 9]));
        assert!(!is_row_contiguous(&[2, 3], &[1, 2]));
        assert!(!is_row_contiguous(&[3], &[0]));
    }

    fn copied(data: &[u16], start: usize, shape: &[i32], strides: &[i64]) -> Vec<u16> {
        let count = shape.iter().product::<i32>() as usize;
        let mut out = vec![0_u16; count];
        // SAFETY: the tests name elements of `data` only.
        unsafe {
            copy_to_row_contiguous(data[start..].as_ptr().cast(), out.as_mut_ptr().cast(), 2, shape, strides);
        }
        out
    }

    #[test]
    fn copies_follow_the_strides() {
        let data: Vec<u16> = (0..24).collect();
        assert_eq!(copied(&data, 0, &[2, 3], &[3, 1]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(copied(&data, 0, &[3, 2], &[1, 3]), [0, 3, 1, 4, 2, 5]);
        assert_eq!(copied(&data, 5, &[3], &[-2]), [5, 3, 1]);
        assert_eq!(copied(&data, 4, &[2, 2], &[0, 1]), [4, 5, 4, 5]);
        assert_eq!(copied(&data, 0, &[2, 2, 2], &[1, 12, 4]), [0, 4, 12, 16, 1, 5, 13, 17]);
        assert_eq!(copied(&data, 7, &[], &[]), [7]);
        assert_eq!(copied(&data, 7, &[0, 4], &[1, 1]), [0_u16; 0]);
    }

    #[test]
    fn fills_convert() {
        let filled = |dtype, value| {
            let mut out = [0xEE_u8; 8];
            // SAFETY: one element of at most eight bytes.
            unsafe { fill(out.as_mut_ptr(), dtype, 1, value) };
            out
        };
        assert_eq!(filled(Dtype::Float32, 1.5)[..4], 1.5_f32.to_le_bytes());
        assert_eq!(filled(Dtype::Bfloat16, 1.0)[..2], [0x80, 0x3F]);
        assert_eq!(filled(Dtype::Float16, f32::NEG_INFINITY)[..2], [0x00, 0xFC]);
        assert_eq!(filled(Dtype::Bool, 2.0)[..1], [1]);
        assert_eq!(filled(Dtype::Int8, -3.0)[..1], [0xFD]);
        assert_eq!(filled(Dtype::Int64, -3.0), (-3_i64).to_le_bytes());
        assert_eq!(filled(Dtype::Complex64, 2.0)[..4], 2.0_f32.to_le_bytes());
    }
}
