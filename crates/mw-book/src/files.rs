//! The files of `book/` inside the binary.

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The text of a file, by its path below `book/`.
pub(crate) fn read(path: &str) -> Option<&'static str> {
    let index = FILES.binary_search_by(|(name, _)| order(name).cmp(&order(path))).ok()?;
    Some(FILES[index].1)
}

/// The table is sorted inside each of its parts, and the parts stand as the build script names them.
fn order(path: &str) -> (usize, &str) {
    let part = ["src/", "kernels/", "diagrams/"].iter().position(|part| path.starts_with(part));
    (part.unwrap_or(usize::MAX), path)
}

/// `target` as seen from the file `from`, both below `book/`.
pub(crate) fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::{FILES, read, resolve};

    #[test]
    fn each_file_is_found_under_its_name() {
        for (name, text) in FILES {
            assert_eq!(read(name), Some(*text), "{name}");
        }
        assert_eq!(read("src/machine/nothing.md"), None);
        assert_eq!(read("nothing"), None);
    }

    #[test]
    fn paths_are_relative_to_the_file() {
        assert_eq!(resolve("src/a/b.md", "../../kernels/k.metal"), "kernels/k.metal");
        assert_eq!(resolve("src/a.md", "b/c.md"), "src/b/c.md");
    }
}
