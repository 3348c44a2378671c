//! Writing and reading back libraries; damaged ones must be refused.

use mw_metallib::{
    FunctionKind, Library, LibraryError, NewConstant, NewFunction, NewLibrary, Platform, write_library,
};

/// Enough of a bitcode file for the container, which never looks inside.
const RAW: &[u8] = b"BC\xc0\xdefirst module";

fn two_functions() -> Vec<u8> {
    let constants = [
        NewConstant { name: "align_N", data_type: 53, index: 201, is_required: true },
        NewConstant { name: "scale", data_type: 3, index: 7, is_required: false },
    ];
    write_library(&NewLibrary {
        version: (2, 7),
        os_version: (14, 0),
        functions: vec![
            NewFunction {
                name: "copy",
                kind: FunctionKind::Kernel,
                bitcode: RAW,
                air_version: (2, 6),
                language_version: (3, 1),
                constants: &[],
            },
            NewFunction {
                name: "größe<half>",
                kind: FunctionKind::Visible,
                bitcode: b"BC\xc0\xdesecond module, a longer one",
                air_version: (2, 8),
                language_version: (4, 0),
                constants: &constants,
            },
        ],
    })
    .expect("the library can be written")
}

#[test]
fn what_is_written_is_read_back() {
    let library = Library::from_bytes(two_functions()).expect("the library is sound");
    let header = library.header().expect("a container has a header");
    assert_eq!((header.version, header.platform, header.os_version), ((2, 7), Platform::MacOs, (14, 0)));
    assert!(!header.is_stub && header.is_64_bit);
    assert_eq!(header.file_size, library.bytes().len() as u64);
    assert!(library.uuid().is_some());

    let names: Vec<_> = library.functions().map(|function| function.name()).collect();
    assert_eq!(names, ["copy", "größe<half>"]);
    let second = library.function("größe<half>").expect("lookup by name");
    assert_eq!(second.index(), 1);
    assert_eq!(second.kind(), FunctionKind::Visible);
    assert_eq!((second.air_version(), second.language_version()), ((2, 8), (4, 0)));
    let constants = second.function_constants().expect("the metadata is sound");
    assert_eq!(constants.len(), 2);
    assert_eq!((constants[0].name, constants[0].index, constants[0].is_required), ("align_N", 201, true));
    assert_eq!((constants[1].type_name(), constants[1].is_required), (Some("float"), false));

    let first = library.function("copy").expect("lookup by name");
    assert!(first.function_constants().expect("the metadata is sound").is_empty());
    for function in library.functions() {
        function.verify_hash().expect("the writer hashes the padded blob");
        assert_eq!(function.bitcode().unwrap().len() % 16, 0);
    }
    assert_eq!(mw_metallib::unwrap_bitcode(first.bitcode().unwrap()), Ok(RAW));
    assert!(library.function("absent").is_none());
}

#[test]
fn wrapped_bitcode_is_not_wrapped_again() {
    let once = Library::from_bytes(two_functions()).unwrap();
    let wrapped = once.function("copy").unwrap().bitcode().unwrap().to_vec();
    let again = write_library(&NewLibrary {
        version: (2, 7),
        os_version: (14, 0),
        functions: vec![NewFunction {
            name: "copy",
            kind: FunctionKind::Kernel,
            bitcode: &wrapped,
            air_version: (2, 6),
            language_version: (3, 1),
            constants: &[],
        }],
    })
    .unwrap();
    let again = Library::from_bytes(again).unwrap();
    assert_eq!(again.function("copy").unwrap().bitcode().unwrap(), wrapped);
    assert_eq!(again.function("copy").unwrap().hash(), once.function("copy").unwrap().hash());
}

#[test]
fn a_changed_blob_fails_its_hash() {
    let mut bytes = two_functions();
    let last = bytes.len() - 20;
    bytes[last] ^= 1;
    let library = Library::from_bytes(bytes).unwrap();
    assert!(matches!(
        library.function("größe<half>").unwrap().verify_hash(),
        Err(LibraryError::HashMismatch { name }) if name == "größe<half>"
    ));
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = two_functions();
    for length in 0..bytes.len() {
        assert!(Library::from_bytes(&bytes[..length]).is_err(), "cut to {length} bytes");
    }
}

#[test]
fn every_changed_byte_is_survived() {
    let bytes = two_functions();
    for position in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[position] ^= flip;
            let Ok(libraries) = Library::from_bytes(damaged) else { continue };
            for function in libraries.functions() {
                let _ = (function.name(), function.bitcode(), function.verify_hash());
                let _ =
                    (function.function_constants(), function.source_location(), function.reflection_buffer());
            }
        }
    }
}

#[test]
fn hostile_counts_do_not_allocate() {
    let mut bytes = two_functions();
    bytes[88..92].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(
        Library::from_bytes(bytes),
        Err(LibraryError::Malformed { what: "function count", .. })
    ));
}

#[test]
fn names_with_zeros_are_refused_in_writing() {
    let result = write_library(&NewLibrary {
        version: (2, 7),
        os_version: (14, 0),
        functions: vec![NewFunction {
            name: "a\0b",
            kind: FunctionKind::Kernel,
            bitcode: RAW,
            air_version: (2, 6),
            language_version: (3, 1),
            constants: &[],
        }],
    });
    assert!(matches!(result, Err(LibraryError::ZeroInName { .. })));
}

#[test]
fn other_files_are_named_in_the_error() {
    let error = Library::from_bytes(b"\x7fELF....".as_slice()).unwrap_err();
    assert!(error.to_string().contains("7f 45 4c 46"), "{error}");
    assert!(matches!(Library::from_bytes([].as_slice()), Err(LibraryError::NotALibrary { .. })));
    assert!(matches!(Library::open("/nonexistent/x.metallib"), Err(LibraryError::Io { .. })));
}

/// A 64-bit Mach-O file for arm64 with one section for each content.
fn mach_o(contents: &[&[u8]]) -> Vec<u8> {
    let command_bytes = 72 + 80 * contents.len();
    let mut data_offset = 32 + command_bytes;
    let mut out = Vec::new();
    for word in [0xfeed_facf_u32, 0x0100_000c, 0, 6, 1, command_bytes as u32, 0, 0] {
        out.extend(word.to_le_bytes());
    }
    let total: usize = contents.iter().map(|content| content.len()).sum();
    out.extend(0x19_u32.to_le_bytes());
    out.extend((command_bytes as u32).to_le_bytes());
    out.extend(name16("__TEXT"));
    for field in [0_u64, (data_offset + total) as u64, 0, (data_offset + total) as u64] {
        out.extend(field.to_le_bytes());
    }
    for field in [5_u32, 5, contents.len() as u32, 0] {
        out.extend(field.to_le_bytes());
    }
    for (index, content) in contents.iter().enumerate() {
        out.extend(name16(&format!("metal_{index}")));
        out.extend(name16("__TEXT"));
        out.extend((data_offset as u64).to_le_bytes());
        out.extend((content.len() as u64).to_le_bytes());
        for field in [data_offset as u32, 0, 0, 0, 0, 0, 0, 0] {
            out.extend(field.to_le_bytes());
        }
        data_offset += content.len();
    }
    for content in contents {
        out.extend_from_slice(content);
    }
    out
}

fn name16(name: &str) -> [u8; 16] {
    let mut out = [0; 16];
    out[..name.len()].copy_from_slice(name.as_bytes());
    out
}

fn open_all(bytes: &[u8], name: &str) -> Result<Vec<Library>, LibraryError> {
    let path = std::env::temp_dir().join(format!("mw-metallib-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let libraries = Library::open_all(&path);
    std::fs::remove_file(&path).unwrap();
    libraries
}

#[test]
fn libraries_in_mach_o_sections_are_found() {
    let library = two_functions();
    let one = mach_o(&[b"code....", &library]);
    assert_eq!(Library::from_bytes(one).unwrap().len(), 2);

    let several = mach_o(&[&library, b"x", &[library.as_slice(), library.as_slice()].concat()]);
    assert!(matches!(
        Library::from_bytes(several.clone()),
        Err(LibraryError::SeveralLibraries { count: 3, .. })
    ));
    let libraries = open_all(&several, "sections").unwrap();
    assert_eq!(libraries.len(), 3);
    assert_eq!(libraries[2].bytes(), library);

    assert!(matches!(Library::from_bytes(mach_o(&[b"no library"])), Err(LibraryError::NoEmbeddedLibrary)));
}

#[test]
fn libraries_inside_a_section_are_found_by_scanning() {
    let content = [b"MTLB is only a word here; ".as_slice(), &two_functions()].concat();
    assert_eq!(Library::from_bytes(mach_o(&[&content])).unwrap().len(), 2);
}

#[test]
fn slices_of_universal_files_are_found() {
    let library = two_functions();
    let mut fat = Vec::new();
    for word in [0xcafe_babe_u32, 1, 0x0100_0017, 0, 28, library.len() as u32, 0] {
        fat.extend(word.to_be_bytes());
    }
    fat.extend_from_slice(&library);
    assert_eq!(Library::from_bytes(fat).unwrap().len(), 2);
}
