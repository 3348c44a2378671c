//! Any text as LLVM assembly: what parses must verify or not, print, and read back the same, without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(module) = mw_air::parse(text) else { return };
    let _ = mw_air::verify(&module);
    let _ = mw_air::schema::ModuleInfo::parse(&module);
    let printed = module.to_string();
    let again = mw_air::parse(&printed).expect("printed text parses");
    assert_eq!(again.to_string(), printed);
});
