//! Any bytes as bitcode: what reads must reflect, print and read again from text without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = mw_metallib::read_module(bytes) else { return };
    let _ = mw_metallib::reflect(&module, "kernel");
    let _ = module.to_string();
});
