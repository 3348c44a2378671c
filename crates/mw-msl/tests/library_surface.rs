//! Each name of Metal's library that sources use is answered somewhere, as `surface/names.txt` says.

use mw_msl::stdlib::{LibraryNamespace, Op, candidates, prelude, table};
use mw_msl::types::TypeStore;

const NAMES: &str = include_str!("surface/names.txt");

/// Whether a text of the library has a word.
fn is_declared(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = &text[at + word.len()..];
        !before.is_some_and(is_word) && !after.starts_with(is_word)
    })
}

#[test]
fn every_name_is_where_the_list_says() {
    let mut types = TypeStore::default();
    for line in NAMES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.splitn(3, ' ');
        let (name, place) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let rows = table::rows_named(name);
        let is_refused = rows.iter().all(|row| matches!(row.row().op, Op::Unsupported(_)));
        let found = candidates(LibraryNamespace::Metal, name, &mut types).is_some();
        match place {
            "table" => assert!(found && !is_refused, "`{name}` is no row of the table"),
            "refused" => {
                assert!(found && is_refused, "`{name}` is no row that is refused");
                assert!(words.next().is_some(), "`{name}` is refused without a reason");
            }
            "prelude" => {
                assert!(is_declared(prelude(), name) && !found, "`{name}` is not in the prelude alone");
            }
            "tensor" => {
                let header = mw_msl::stdlib::header("metal_tensor").expect("a header");
                assert!(is_declared(header, name) && !found, "`{name}` is not in the header of tensors");
            }
            "compiler" => assert!(!found, "`{name}` is in the table"),
            "absent" => {
                assert!(!found && !is_declared(prelude(), name), "`{name}` is there after all");
                assert!(words.next().is_some(), "`{name}` is absent without a reason");
            }
            other => panic!("`{other}` of `{name}` is no place"),
        }
    }
}

#[test]
fn every_public_row_is_listed() {
    let listed = |name: &str| NAMES.lines().any(|line| line.split(' ').next() == Some(name));
    // Rows beyond the list are allowed where they complete a family.
    let families = ["pack_", "unpack_", "quad_prefix_", "__"];
    for name in mw_msl::stdlib::function_names() {
        let known = listed(name) || families.iter().any(|family| name.starts_with(family));
        assert!(known, "`{name}` is not listed");
    }
}

#[test]
fn unknown_names_are_refused() {
    let mut types = TypeStore::default();
    for (space, name) in [
        (LibraryNamespace::Metal, "erf"),
        (LibraryNamespace::Metal, "__metal_exp"),
        (LibraryNamespace::Fast, "popcount"),
        (LibraryNamespace::Fast, "simd_sum"),
        (LibraryNamespace::Global, "exp"),
        (LibraryNamespace::Global, "__metal_erf"),
        (LibraryNamespace::Global, "__metal_atomic_load_explicit"),
    ] {
        assert_eq!(candidates(space, name, &mut types), None, "{space:?} {name}");
    }
}

#[test]
fn internal_math_takes_a_flag() {
    let mut types = TypeStore::default();
    let exp = candidates(LibraryNamespace::Global, "__metal_exp", &mut types).unwrap();
    assert!(exp.iter().any(|candidate| candidate.parameters.len() == 2));
    let fast = candidates(LibraryNamespace::Fast, "exp", &mut types).unwrap();
    assert_eq!(fast.len(), 4, "float and its vectors");
}

/// The prelude and the headers of the library parse in every version of the language.
#[test]
fn the_library_parses() {
    use mw_msl::options::{LanguageVersion, Options};
    use mw_msl::preprocess::MemoryFiles;
    for version in [
        LanguageVersion::Metal2_4,
        LanguageVersion::Metal3_0,
        LanguageVersion::Metal3_1,
        LanguageVersion::Metal3_2,
        LanguageVersion::Metal4_0,
    ] {
        let options = Options { version, ..Options::default() };
        let source = "#include <metal_stdlib>\n#include <simd/simd.h>\nusing namespace metal;\n";
        let parsed = mw_msl::parse(&options, &MemoryFiles::single("k.metal", source), "k.metal");
        assert!(parsed.diagnostics.is_empty(), "{version}: {:?}", parsed.diagnostics[0]);
        assert!(parsed.unit.decls.len() > 100, "{version}");
    }
}

#[test]
fn the_reference_page_has_every_public_row() {
    let page = mw_msl::stdlib::reference_page();
    for row in table::ROWS.iter().filter(|row| row.chapter != mw_msl::stdlib::Chapter::Internal) {
        assert!(page.contains(&mw_msl::stdlib::signature(row)), "`{}` is not on the page", row.name);
    }
    assert!(page.contains("| `T clamp(T, T, T)` |"));
}
