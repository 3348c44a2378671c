//! What `mw check` remembers: files that did not change, nor anything that they include, are not compiled again.
//!
//! An entry is a file named by a hash of compiler, flags, path and text of a source. It holds what came of the
//! source, and the hash of every file that the preprocessor asked for, or that there was none: an entry counts
//! only if they are all as they were. Entries are JSON; one that cannot be read is none.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use metalworking::{CpuOptions, FileProvider};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::Checked;
use crate::source::SourceArgs;

/// Bytes that all entries together may take.
const MAX_BYTES: u64 = 64 << 20;
/// Where trimming stops, so that it is not needed every time.
const TRIMMED_BYTES: u64 = MAX_BYTES / 4 * 3;
/// Larger entries are not kept.
const MAX_ENTRY_BYTES: usize = 4 << 20;

/// Files that the preprocessor asked for: a hash of the text, or that there is none.
type Reads = BTreeMap<String, Option<String>>;

/// A folder of entries.
pub(super) struct Cache {
    folder: PathBuf,
    /// Which compiler this is.
    compiler: String,
}

impl Cache {
    /// The cache of this machine; none if `MW_CACHE_DIR` is `off`, or the compiler cannot be told apart from
    /// another build of it.
    pub(super) fn open() -> Option<Self> {
        let folder = CpuOptions::from_environment().ok()?.cache_folder?.join("check");
        let program = std::env::current_exe().ok()?;
        // Inside of another program (Python) the version alone would have to do.
        if !program.file_stem()?.to_str()?.starts_with("mw") {
            return None;
        }
        let about = std::fs::metadata(&program).ok()?;
        let changed = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let compiler = format!("{} {} {}", env!("CARGO_PKG_VERSION"), about.len(), changed.as_nanos());
        Some(Self { folder, compiler })
    }

    fn entry(&self, path: &Path, flags: &SourceArgs, text: &str) -> PathBuf {
        let mut hash = Sha256::new();
        for part in [self.compiler.as_str(), &format!("{flags:?}"), &path.to_string_lossy(), text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        self.folder.join(format!("{}.json", hex(&hash.finalize())))
    }

    /// What came of a source, if that still holds.
    pub(super) fn get(&self, path: &Path, flags: &SourceArgs, text: &str) -> Option<Checked> {
        let entry = self.entry(path, flags, text);
        let stored: Value = serde_json::from_slice(&std::fs::read(&entry).ok()?).ok()?;
        for (file, known) in stored["reads"].as_object()? {
            let now = crate::source::text(Path::new(file)).ok().map(|text| digest(&text));
            if now.as_deref() != known.as_str() {
                return None;
            }
        }
        let kernels = stored["kernels"].as_array()?.iter().map(|kernel| {
            let error = kernel["error"].as_str().map(str::to_owned);
            Some((kernel["name"].as_str()?.to_owned(), error))
        });
        let checked = Checked {
            path: path.to_owned(),
            unreadable: None,
            has_errors: stored["has_errors"].as_bool()?,
            text: stored["text"].as_str()?.to_owned(),
            sarif: stored.get("sarif").filter(|log| !log.is_null()).cloned(),
            kernels: kernels.collect::<Option<_>>()?,
            seconds: 0.0,
            is_unchanged: true,
        };
        // What was used last goes last.
        if let Ok(file) = std::fs::File::options().append(true).open(&entry) {
            drop(file.set_modified(SystemTime::now()));
        }
        Some(checked)
    }

    /// Remembers what came of a source. Whoever cannot write does without.
    pub(super) fn put(&self, checked: &Checked, flags: &SourceArgs, text: &str, reads: &Reads) {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let kernels: Vec<Value> =
            (checked.kernels.iter()).map(|(name, error)| json!({ "name": name, "error": error })).collect();
        let stored = json!({
            "reads": reads,
            "has_errors": checked.has_errors,
            "text": checked.text,
            "sarif": checked.sarif,
            "kernels": kernels,
        })
        .to_string();
        if stored.len() > MAX_ENTRY_BYTES || std::fs::create_dir_all(&self.folder).is_err() {
            return;
        }
        // Whole or not at all, whoever else writes.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let part = self.folder.join(format!("{}-{number}.part", std::process::id()));
        let written = std::fs::write(&part, stored)
            .and_then(|()| std::fs::rename(&part, self.entry(&checked.path, flags, text)));
        if written.is_err() {
            drop(std::fs::remove_file(&part));
        }
    }

    /// Removes what was not used for longest until the rest fits.
    pub(super) fn trim(&self) {
        self.trim_to(MAX_BYTES, TRIMMED_BYTES);
    }

    fn trim_to(&self, most: u64, target: u64) {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return };
        let mut all: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let about = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
                Some((about.modified().ok()?, about.len(), entry.path()))
            })
            .collect();
        let mut sum: u64 = all.iter().map(|(_, length, _)| length).sum();
        if sum <= most {
            return;
        }
        all.sort();
        for (_, length, path) in all {
            if sum <= target {
                break;
            }
            if std::fs::remove_file(path).is_ok() {
                sum -= length;
            }
        }
    }
}

/// Files of another provider, with a note of each that was asked for.
pub(super) struct Recording {
    files: Arc<dyn FileProvider + Send + Sync>,
    reads: Mutex<Reads>,
}

impl Recording {
    pub(super) fn new(files: Arc<dyn FileProvider + Send + Sync>) -> Self {
        Self { files, reads: Mutex::new(Reads::new()) }
    }

    pub(super) fn reads(&self) -> Reads {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl FileProvider for Recording {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        let text = self.files.read(path);
        let hash = text.as_deref().map(digest);
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), hash);
        text
    }
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{Cache, Checked};
    use crate::source::SourceArgs;
    use std::collections::BTreeMap;
    use std::path::Path;

    fn cache(name: &str) -> Cache {
        let folder = std::env::temp_dir().join(format!("mw-check-cache-{name}-{}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        Cache { folder, compiler: "test".into() }
    }

    fn checked(path: &str, text: &str) -> Checked {
        Checked {
            path: path.into(),
            unreadable: None,
            has_errors: true,
            text: text.into(),
            sarif: None,
            kernels: vec![("k".into(), None), ("l".into(), Some("why".into()))],
            seconds: 1.0,
            is_unchanged: false,
        }
    }

    #[test]
    fn an_entry_counts_for_the_same_source_and_flags_alone() {
        let cache = cache("same");
        let (path, flags) = (Path::new("k.metal"), SourceArgs::default());
        assert!(cache.get(path, &flags, "text").is_none());
        cache.put(&checked("k.metal", "wrong"), &flags, "text", &BTreeMap::new());
        let known = cache.get(path, &flags, "text").expect("known");
        assert_eq!((known.text.as_str(), known.has_errors, known.is_unchanged), ("wrong", true, true));
        assert_eq!(known.kernels, checked("k.metal", "").kernels);
        assert!(cache.get(path, &flags, "text ").is_none());
        assert!(cache.get(Path::new("l.metal"), &flags, "text").is_none());
        let other = SourceArgs { defines: vec!["X".into()], ..SourceArgs::default() };
        assert!(cache.get(path, &other, "text").is_none());
        // Damage is no entry.
        let entry = cache.entry(path, &flags, "text");
        std::fs::write(&entry, "{\"reads\":{}").expect("write");
        assert!(cache.get(path, &flags, "text").is_none());
        std::fs::remove_dir_all(&cache.folder).expect("remove");
    }

    #[test]
    fn the_oldest_entries_go_first() {
        let cache = cache("trim");
        let flags = SourceArgs::default();
        let filler = "x".repeat(1000);
        for name in ["a", "b", "c", "d"] {
            cache.put(&checked(name, &filler), &flags, "text", &BTreeMap::new());
            let entry = cache.entry(Path::new(name), &flags, "text");
            let file = std::fs::File::options().append(true).open(entry).expect("open");
            let age = u64::from(b'e' - name.as_bytes()[0]) * 100;
            file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(age))
                .expect("date");
        }
        // To be used makes young.
        assert!(cache.get(Path::new("a"), &flags, "text").is_some());
        cache.trim_to(1_000_000, 0);
        assert!(cache.get(Path::new("b"), &flags, "text").is_some());
        let entry = cache.entry(Path::new("b"), &flags, "text");
        let file = std::fs::File::options().append(true).open(entry).expect("open");
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(1000)).expect("date");
        cache.trim_to(3000, 2500);
        let left = |name: &str| cache.entry(Path::new(name), &flags, "text").exists();
        assert_eq!([left("a"), left("b"), left("c"), left("d")], [true, false, false, true]);
        std::fs::remove_dir_all(&cache.folder).expect("remove");
    }
}
