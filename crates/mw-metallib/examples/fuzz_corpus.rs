//! Makes seeds for the fuzz targets out of a real library: `fuzz_corpus LIBRARY FOLDER`.
//!
//! `FOLDER/bitcode` gets the smallest module of each of many name families, `FOLDER/container` small libraries made
//! of them.
#![expect(clippy::print_stdout, reason = "a command-line tool")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use mw_metallib::{
    FunctionEntry, Library, NewConstant, NewFunction, NewLibrary, unwrap_bitcode, write_library,
};

/// Larger modules make a fuzzer slow and teach it nothing new.
const MAX_BYTES: usize = 24_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: fuzz_corpus LIBRARY FOLDER".into());
    };
    let folder = PathBuf::from(folder);
    let mut count = 0;
    for library in Library::open_all(&path)? {
        let mut families: BTreeMap<String, FunctionEntry<'_>> = BTreeMap::new();
        for function in library.functions() {
            // The name without its digits: element types and tile sizes go, algorithms stay.
            let family: String = function.name().chars().filter(|c| !c.is_ascii_digit()).take(12).collect();
            let size = function.bitcode()?.len();
            let smaller = match families.get(&family) {
                Some(known) => size < known.bitcode()?.len(),
                None => true,
            };
            if smaller && size <= MAX_BYTES {
                families.insert(family, function);
            }
        }
        let seeds: Vec<_> = families.into_values().collect();
        std::fs::create_dir_all(folder.join("bitcode"))?;
        std::fs::create_dir_all(folder.join("container"))?;
        for function in &seeds {
            let name = format!("{}-{}", library.len(), function.index());
            std::fs::write(folder.join("bitcode").join(name), unwrap_bitcode(function.bitcode()?)?)?;
        }
        for (index, group) in seeds.chunks(3).enumerate() {
            let bytes = small_library(group)?;
            let name = format!("{}-{index}", library.len());
            std::fs::write(folder.join("container").join(name), bytes)?;
        }
        count += seeds.len();
    }
    println!("{count} modules written below {}", folder.display());
    Ok(())
}

fn small_library(group: &[FunctionEntry<'_>]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut constants = Vec::new();
    for function in group {
        let listed = function.function_constants()?;
        constants.push(
            listed
                .iter()
                .map(|constant| NewConstant {
                    name: constant.name,
                    data_type: constant.data_type,
                    index: constant.index,
                    is_required: constant.is_required,
                })
                .collect::<Vec<_>>(),
        );
    }
    // The container reader never looks at code: a little is enough.
    let functions = group
        .iter()
        .zip(&constants)
        .map(|(function, constants)| {
            let bitcode = unwrap_bitcode(function.bitcode()?)?;
            Ok(NewFunction {
                name: function.name(),
                kind: function.kind(),
                bitcode: &bitcode[..bitcode.len().min(64)],
                air_version: function.air_version(),
                language_version: function.language_version(),
                constants,
            })
        })
        .collect::<Result<Vec<_>, mw_metallib::LibraryError>>()?;
    Ok(write_library(&NewLibrary { version: (2, 7), os_version: (14, 0), functions })?)
}
