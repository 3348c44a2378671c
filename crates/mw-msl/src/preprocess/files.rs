//! Where included files come from: the crate itself does no IO.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Gives the text of files by path.
pub trait FileProvider {
    /// The text of the file at `path`, `/` between folders; `None` if there is none.
    fn read(&self, path: &str) -> Option<Arc<str>>;
}

/// Files held in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(pub BTreeMap<String, Arc<str>>);

impl MemoryFiles {
    /// One file.
    pub fn single(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let mut files = Self::default();
        files.add(name, text);
        files
    }

    /// Adds a file, or replaces it.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) {
        self.0.insert(name.into(), text.into());
    }
}

impl FileProvider for MemoryFiles {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.0.get(path).cloned()
    }
}

/// `folder` and `path` joined, with `.` and `..` taken out as far as they go.
pub(super) fn join(folder: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    let is_absolute = folder.starts_with('/');
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_absolute && parts.is_empty() => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if is_absolute { format!("/{joined}") } else { joined }
}

/// The folder of a path; empty if it has none.
pub(super) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |at| if at == 0 { "/" } else { &path[..at] })
}

#[cfg(test)]
mod tests {
    use super::{folder, join};

    #[test]
    fn paths_are_joined_by_text() {
        assert_eq!(join("a/b", "../c.h"), "a/c.h");
        assert_eq!(join("", "./c.h"), "c.h");
        assert_eq!(join("/a", "../../c.h"), "/c.h");
        assert_eq!(join("a", "../../c.h"), "../c.h");
        assert_eq!(join("a", "/c.h"), "/c.h");
        assert_eq!((folder("a/b.h"), folder("b.h"), folder("/b.h")), ("a", "", "/"));
    }
}
