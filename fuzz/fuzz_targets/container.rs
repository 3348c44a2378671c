//! Any bytes as a library: opening, listing, and everything that an entry leads to but its bitcode.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mw_metallib::Library;

fuzz_target!(|bytes: &[u8]| {
    let Ok(library) = Library::from_bytes(bytes) else { return };
    let _ = (library.header(), library.uuid());
    for function in library.functions() {
        let _ = (function.kind(), function.air_version(), function.language_version(), function.hash());
        let _ = (function.bitcode(), function.function_constants(), function.source_location());
        let _ = function.reflection_buffer();
        assert!(library.function(function.name()).is_some());
    }
});
