//! Any bytes as Metal: whatever the front-end accepts is lowered, verifies, prints and reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    mw_test::hold_bytes(bytes);
});
