//! The floating-point control register while kernels run: round to nearest, no traps, and denormals flushed
//! where the module asks for it.
#![expect(unsafe_code, reason = "reads and writes a control register")]

use std::arch::asm;

/// Sets the register, and sets it back when dropped.
#[derive(Debug)]
pub(crate) struct FloatControl {
    saved: Register,
}

#[cfg(target_arch = "x86_64")]
type Register = u32;
#[cfg(target_arch = "aarch64")]
type Register = u64;

/// All exceptions masked, round to nearest.
#[cfg(target_arch = "x86_64")]
const NEUTRAL: Register = 0x1f80;
/// Flush results (bit 15) and operands (bit 6).
#[cfg(target_arch = "x86_64")]
const FLUSH: Register = 1 << 15 | 1 << 6;
/// No traps, round to nearest.
#[cfg(target_arch = "aarch64")]
const NEUTRAL: Register = 0;
/// Flush results and operands (bit 24); halves are another bit, which stays clear.
#[cfg(target_arch = "aarch64")]
const FLUSH: Register = 1 << 24;

impl FloatControl {
    /// Sets the register for kernels.
    pub(crate) fn set(flush_denormals: bool) -> Self {
        let saved = read();
        write(NEUTRAL | if flush_denormals { FLUSH } else { 0 });
        Self { saved }
    }
}

impl Drop for FloatControl {
    fn drop(&mut self) {
        write(self.saved);
    }
}

#[cfg(target_arch = "x86_64")]
fn read() -> Register {
    let mut value: Register = 0;
    // SAFETY: stores four bytes at the address of a live variable.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
    value
}

#[cfg(target_arch = "x86_64")]
fn write(value: Register) {
    // SAFETY: the value is one that was read, or one of the constants above, which set no reserved bit. No
    // Rust code computes with floats before it is set back.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags, readonly)) };
}

#[cfg(target_arch = "aarch64")]
fn read() -> Register {
    let value: Register;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, fpcr", out(reg) value, options(nomem, nostack, preserves_flags)) };
    value
}

#[cfg(target_arch = "aarch64")]
fn write(value: Register) {
    // SAFETY: as on x86-64.
    unsafe { asm!("msr fpcr, {}", in(reg) value, options(nostack, preserves_flags)) };
}
