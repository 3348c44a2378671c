//! Lists the files of `book/` that belong into the binary, each as an `include_str!`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folders of `book/` and the extension that counts in each.
const PARTS: [(&str, &str); 3] = [("src", "md"), ("kernels", "metal"), ("diagrams", "svg")];

fn main() -> io::Result<()> {
    let book = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../book");
    let mut table = String::from("static FILES: &[(&str, &str)] = &[\n");
    for (part, extension) in PARTS {
        let folder = book.join(part);
        // A folder stands for everything below it.
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files = Vec::new();
        collect(&folder, extension, &mut files)?;
        let name = |file: &PathBuf| {
            file.strip_prefix(&book).expect("it was found there").to_string_lossy().replace('\\', "/")
        };
        // By name, and not by parts of the path, since names are searched for.
        files.sort_by_key(name);
        for file in files {
            let (name, path) = (name(&file), fs::canonicalize(&file)?);
            writeln!(table, "    ({name:?}, include_str!({:?})),", path.to_string_lossy())
                .expect("a string takes all");
        }
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("files.rs"), table)
}

fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, extension, files)?;
        } else if path.extension().is_some_and(|it| it == extension) {
            files.push(path);
        }
    }
    Ok(())
}
