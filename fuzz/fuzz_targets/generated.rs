//! Kernels made of bytes by a grammar, most of them correct: the promises of `front_end` hold of them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    mw_test::hold(&mw_test::generate(bytes));
});
