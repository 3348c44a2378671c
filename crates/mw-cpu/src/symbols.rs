//! Functions that compiled kernels may call.
//!
//! `memcpy` and its like are the C library's. The rest stands in for instructions that a CPU lacks: fused
//! multiply-add and conversions of half below x86-64-v3. No other library function may be called: its
//! results would differ from machine to machine.
#![expect(unsafe_code, reason = "functions with C's calling convention")]

use mw_passes::abi::BARRIER_SYMBOL;

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
