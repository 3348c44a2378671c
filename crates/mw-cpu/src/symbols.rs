//! Functions that compiled kernels may call.
//!
//! `memcpy` and its like are the C library's. The rest stands in for instructions that a CPU lacks: fused
//! multiply-add and conversions of half below x86-64-v3. No other library function may be called: its
//! results would differ from machine to machine.
#![expect(unsafe_code, reason = "functions with C's calling convention")]

use mw_passes::abi::{BARRIER_SYMBOL, COPY_TILE_SYMBOL, TileCopy};

use crate::half;
use crate::switch;

/// Address of a function by its symbol.
pub(crate) fn address(name: &str) -> Option<usize> {
    unsafe extern "C" {
        fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8;
        fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8;
        fn memset(to: *mut u8, value: i32, len: usize) -> *mut u8;
    }
    let address = match name {
        BARRIER_SYMBOL => switch::mw_barrier as *const (),
        COPY_TILE_SYMBOL => copy_tile as *const (),
        "memcpy" => memcpy as *const (),
        "memmove" => memmove as *const (),
        "memset" => memset as *const (),
        "fmaf" => fmaf as *const (),
        "fma" => fma as *const (),
        "__extendhfsf2" => extend_half as *const (),
        "__extendhfdf2" => extend_half_to_double as *const (),
        "__truncsfhf2" => truncate_to_half as *const (),
        "__truncdfhf2" => truncate_double_to_half as *const (),
        _ => return None,
    };
    Some(address as usize)
}

/// Copies a tile element by element. A fault in here is a fault of the kernel, like one in its own code.
unsafe extern "C" fn copy_tile(copy: *const TileCopy) {
    // SAFETY: compiled kernels pass the address of a structure on their stack.
    let copy = unsafe { *copy };
    let inside = |at: i64, extent: u64| {
        let last = (extent as i64).wrapping_sub(1);
        if (0..=last).contains(&at) {
            Some(at as u64)
        } else if copy.to_edge != 0 && last >= 0 {
            Some(at.clamp(0, last) as u64)
        } else {
            None
        }
    };
    let bytes = copy.element_bytes as usize;
    let offset = |x: u64, step: u64, y: u64, row: u64| {
        x.wrapping_mul(step).wrapping_add(y.wrapping_mul(row)).wrapping_mul(copy.element_bytes) as usize
    };
    for y in 0..copy.height {
        for x in 0..copy.width {
            let to = copy.to.wrapping_add(offset(x, copy.to_column, y, copy.to_row));
            let source = inside((x as i64).wrapping_add(copy.offset_x), copy.source_width)
                .zip(inside((y as i64).wrapping_add(copy.offset_y), copy.source_height));
            match source {
                Some((column, row)) => {
                    let from = copy.from.wrapping_add(offset(column, copy.from_column, row, copy.from_row));
                    // SAFETY: the kernel asks for these bytes; whether they are its own is as unsure as for
                    // each of its stores, and a wild address ends in the same fault handler.
                    unsafe { std::ptr::copy(from, to, bytes) };
                }
                // SAFETY: as above.
                None => unsafe { std::ptr::write_bytes(to, 0, bytes) },
            }
        }
    }
}

extern "C" fn fmaf(a: f32, b: f32, c: f32) -> f32 {
    a.mul_add(b, c)
}

extern "C" fn fma(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

// A half travels in the low 16 bits of a float register, as System V has it; a float there has the same
// place, which spares a type that stable Rust does not have.

extern "C" fn extend_half(value: f32) -> f32 {
    half::to_f32(value.to_bits() as u16)
}

extern "C" fn extend_half_to_double(value: f32) -> f64 {
    f64::from(half::to_f32(value.to_bits() as u16))
}

extern "C" fn truncate_to_half(value: f32) -> f32 {
    f32::from_bits(u32::from(half::from_f64(f64::from(value))))
}

extern "C" fn truncate_double_to_half(value: f64) -> f32 {
    f32::from_bits(u32::from(half::from_f64(value)))
}
