//! The boundary of the WebAssembly module: four functions, numbers only.
//!
//! The caller allocates a block with [`mw_alloc`], writes a request frame, and calls [`mw_call`], which takes
//! the block over and gives the address of a response: its length in four bytes (little end first), four
//! bytes of nothing, then the frame. The caller reads it and gives it back with [`mw_free`].
#![expect(unsafe_code, reason = "memory crosses the boundary as addresses")]

use std::cell::RefCell;

/// Bytes in front of a response's frame.
const HEAD: usize = 8;
/// A request is no longer.
const MAX_REQUEST: usize = 256 << 20;

thread_local! {
    /// Message of the last panic: what JavaScript sees is only that the instance ended.
    static LAST_PANIC: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A block of `length` zero bytes at a multiple of eight; 0 if there is no memory.
#[unsafe(no_mangle)]
pub extern "C" fn mw_alloc(length: usize) -> *mut u64 {
    let mut words: Vec<u64> = Vec::new();
    let count = length.div_ceil(8).max(1);
    if length > MAX_REQUEST || words.try_reserve_exact(count).is_err() {
        return std::ptr::null_mut();
    }
    words.resize(count, 0);
    Box::into_raw(words.into_boxed_slice()).cast()
}

/// Gives back a block of `length` bytes.
///
/// # Safety
/// The block came from [`mw_alloc`] with the same length, or from [`mw_call`] with the length that its head
/// says, head included, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_free(block: *mut u64, length: usize) {
    if block.is_null() {
        return;
    }
    let words = std::ptr::slice_from_raw_parts_mut(block, length.div_ceil(8).max(1));
    // SAFETY: the caller promises that this is a box of that many words, made above.
    drop(unsafe { Box::from_raw(words) });
}

/// Answers the request in a block, which is taken over.
///
/// # Safety
/// The block came from [`mw_alloc`] with the same length and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mw_call(block: *mut u64, length: usize) -> *mut u64 {
    install_hook();
    let response = {
        let bytes: &[u8] = if block.is_null() {
            &[]
        } else {
            // SAFETY: the block has `length` bytes, all written since it was allocated with zeros.
            unsafe { std::slice::from_raw_parts(block.cast(), length) }
        };
        crate::call(bytes)
    };
    // SAFETY: the caller's promise is that of `mw_free`.
    unsafe { mw_free(block, length) };
    let total = HEAD + response.len();
    let mut words = vec![0_u64; total.div_ceil(8)];
    words[0] = response.len() as u64;
    for (word, chunk) in words[1..].iter_mut().zip(response.chunks(8)) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_le_bytes(bytes);
    }
    Box::into_raw(words.into_boxed_slice()).cast()
}

/// The message of the panic that ended the instance, as a block like a response's; for after a trap.
#[unsafe(no_mangle)]
pub extern "C" fn mw_last_panic() -> *const u8 {
    LAST_PANIC.with_borrow(Vec::as_ptr)
}

/// Length of the text at [`mw_last_panic`].
#[unsafe(no_mangle)]
pub extern "C" fn mw_last_panic_length() -> usize {
    LAST_PANIC.with_borrow(Vec::len)
}

/// Keeps panic messages; only where a panic ends the instance.
fn install_hook() {
    #[cfg(target_family = "wasm")]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            std::panic::set_hook(Box::new(|info| {
                LAST_PANIC.with_borrow_mut(|message| *message = info.to_string().into_bytes());
            }));
        });
    }
}
