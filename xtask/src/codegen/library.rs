//! `docs/library.md`: the functions of Metal's library that the compiler knows.

/// The page.
pub(crate) fn page() -> String {
    let mut page = String::from("# Metal's Library\n\n");
    page.push_str(
        "These are the functions that the compiler knows itself; types, traits and templates are MSL text in `crates/mw-msl/src/stdlib/headers/`.\n\n\
         The page is made by `cargo xtask codegen` from `crates/mw-msl/src/stdlib/table/rows.rs`.\n\
         In signatures `T` is one type of the second column, `N` its element, `B` bool and `I` int, of the same length.\n\
         Math, common and geometric functions also exist for float in `metal::fast` and `metal::precise`.\n\n",
    );
    page.push_str(mw_msl::stdlib::reference_page().trim_end());
    page.push('\n');
    page
}
