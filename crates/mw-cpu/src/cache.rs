//! Compiled code on disk.
//!
//! The name of an entry is a hash of everything that its code depends on: the kernel's AIR with its
//! constants set, the shape, the machine, LLVM's version and the sources of our own passes. An entry is
//! written aside and renamed, so that a reader sees all of it or nothing; it carries a hash of its
//! contents, and one that does not fit is as good as absent. Nothing here fails: without a cache kernels are
//! compiled again.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::launch::KernelFacts;

/// Start of every entry. Changes with the format.
const MAGIC: &[u8; 8] = b"mwcode01";
const DIGEST_BYTES: usize = 32;

/// Entries are counted and old ones removed once in so many stores.
const SWEEP_INTERVAL: u32 = 64;

/// Name of an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Key(String);

impl Key {
    /// The hash of parts. Each part is hashed with its length, so that no two lists run together.
    pub(crate) fn new(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hex(&hash.finalize()))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A folder of entries.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    limit_bytes: u64,
    stores: AtomicU32,
}

impl Cache {
    /// A cache in `folder`, which is made when the first entry is stored.
    pub(crate) fn new(folder: PathBuf, limit_bytes: u64) -> Self {
        Self { folder, limit_bytes, stores: AtomicU32::new(0) }
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(&key.0[..2]).join(&key.0[2..])
    }

    /// The entry of a key.
    pub(crate) fn load(&self, key: &Key) -> Option<(KernelFacts, Vec<u8>)> {
        let path = self.path(key);
        let bytes = fs::read(&path).ok()?;
        let Some(entry) = decode(&bytes) else {
            // Damaged: out of the way, so that the next store replaces it.
            let _ = fs::remove_file(&path);
            return None;
        };
        // The time of last use decides what goes first; not being able to set it does no harm.
        let _ =
            File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(entry)
    }

    /// Stores an entry.
    pub(crate) fn store(&self, key: &Key, facts: &KernelFacts, object: &[u8]) {
        let path = self.path(key);
        if write_aside(&path, &encode(facts, object)).is_ok()
            && self.stores.fetch_add(1, Ordering::Relaxed) % SWEEP_INTERVAL == SWEEP_INTERVAL - 1
        {
            self.sweep();
        }
    }

    /// Removes the entries that were not used for the longest time, down to three quarters of the limit,
    /// when there is more than the limit.
    fn sweep(&self) {
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = files(&self.folder)
            .filter_map(|path| {
                let metadata = fs::metadata(&path).ok()?;
                Some((metadata.modified().ok()?, metadata.len(), path))
            })
            .collect();
        let mut total: u64 = entries.iter().map(|(_, len, _)| len).sum();
        if total <= self.limit_bytes {
            return;
        }
        entries.sort();
        for (_, len, path) in entries {
            if total <= self.limit_bytes / 4 * 3 {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= len;
            }
        }
    }
}

/// Files in the folders in `folder`.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    entries(folder).flat_map(move |inner| entries(&inner.path())).map(|entry| entry.path())
}

fn write_aside(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let aside = folder.join(format!("aside-{}-{number}", std::process::id()));
    let written = File::create(&aside).and_then(|mut file| file.write_all(bytes));
    let result = written.and_then(|()| fs::rename(&aside, path));
    if result.is_err() {
        let _ = fs::remove_file(&aside);
    }
    result
}

fn encode(facts: &KernelFacts, object: &[u8]) -> Vec<u8> {
    let mut payload = vec![u8::from(facts.has_barrier)];
    payload.extend(facts.threadgroup_bytes.to_le_bytes());
    payload.extend(facts.private_bytes.to_le_bytes());
    payload.extend((facts.image.len() as u32).to_le_bytes());
    for (offset, bytes) in &facts.image {
        payload.extend(offset.to_le_bytes());
        payload.extend((bytes.len() as u32).to_le_bytes());
        payload.extend(bytes);
    }
    payload.extend(object);
    let mut entry = MAGIC.to_vec();
    entry.extend(Sha256::digest(&payload));
    entry.extend(payload);
    entry
}

fn decode(entry: &[u8]) -> Option<(KernelFacts, Vec<u8>)> {
    let (magic, rest) = entry.split_at_checked(MAGIC.len())?;
    let (digest, payload) = rest.split_at_checked(DIGEST_BYTES)?;
    if magic != MAGIC || digest != &Sha256::digest(payload)[..] {
        return None;
    }
    let mut reader = payload;
    let has_barrier = *reader.split_off_first()? != 0;
    let threadgroup_bytes = u32::from_le_bytes(take(&mut reader)?);
    let private_bytes = u64::from_le_bytes(take(&mut reader)?);
    let count = u32::from_le_bytes(take(&mut reader)?);
    let mut image = Vec::new();
    for _ in 0..count {
        let offset = u32::from_le_bytes(take(&mut reader)?);
        let len = u32::from_le_bytes(take(&mut reader)?);
        image.push((offset, reader.split_off(..len as usize)?.to_vec()));
    }
    Some((KernelFacts { has_barrier, threadgroup_bytes, image, private_bytes }, reader.to_vec()))
}

fn take<const N: usize>(reader: &mut &[u8]) -> Option<[u8; N]> {
    reader.split_off(..N)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("mw-cache-test-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn facts() -> KernelFacts {
        KernelFacts {
            has_barrier: true,
            threadgroup_bytes: 512,
            private_bytes: 64,
            image: vec![(16, vec![1, 2, 3]), (0, vec![])],
        }
    }

    #[test]
    fn entries_come_back_and_damaged_ones_do_not() {
        let folder = folder("damage");
        let cache = Cache::new(folder.clone(), 1 << 20);
        let key = Key::new(&[b"a", b"b"]);
        assert_eq!(cache.load(&key), None);
        cache.store(&key, &facts(), b"object");
        assert_eq!(cache.load(&key), Some((facts(), b"object".to_vec())));
        assert_eq!(cache.load(&Key::new(&[b"ab", b""])), None);
        let path = cache.path(&key);
        let whole = fs::read(&path).expect("entry is there");
        for len in 0..whole.len() {
            assert_eq!(decode(&whole[..len]), None, "{len} bytes were accepted");
        }
        for index in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[index] ^= 4;
            assert_eq!(decode(&flipped), None, "flipped byte {index} was accepted");
        }
        fs::write(&path, &whole[..20]).expect("entry can be written");
        assert_eq!(cache.load(&key), None);
        assert!(!path.exists(), "the damaged entry is still there");
        fs::remove_dir_all(folder).expect("folder can be removed");
    }

    #[test]
    fn old_entries_go_when_there_are_too_many() {
        let folder = folder("sweep");
        let cache = Cache::new(folder.clone(), 20_000);
        for index in 0..SWEEP_INTERVAL {
            cache.store(&Key::new(&[&index.to_le_bytes()]), &facts(), &[0; 1000]);
        }
        let left = files(&folder).count();
        assert!((5..20).contains(&left), "{left} entries are left");
        fs::remove_dir_all(folder).expect("folder can be removed");
    }
}
