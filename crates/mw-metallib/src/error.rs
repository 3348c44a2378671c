//! What can be wrong with a library file or with the bitcode inside it.
//!
//! Every message names the place (byte or bit offset, entry, record) and the rule that the bytes break.

use std::path::PathBuf;

/// A library could not be opened or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The file system said no.
    #[error("cannot open `{}`", path.display())]
    Io {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system reported.
        #[source]
        source: std::io::Error,
    },
    /// The bytes are none of the file kinds that hold Metal code.
    #[error(
        "not a Metal library: the file starts with {found}, expected `MTLB` (metallib), a Mach-O file that \
         embeds one, or LLVM bitcode (`.air`)"
    )]
    NotALibrary {
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// A Mach-O file without a library in it.
    #[error(
        "the Mach-O file holds no Metal library: no section starts with `MTLB` and no `MTLB` header was found"
    )]
    NoEmbeddedLibrary,
    /// A Mach-O file with several libraries, where one was expected.
    #[error(
        "the file holds {count} Metal libraries (at bytes {offsets}); take them all with `Library::open_all` and pick one"
    )]
    SeveralLibraries {
        /// How many were found.
        count: usize,
        /// Their byte offsets, as text.
        offsets: String,
    },
    /// The Mach-O reader refused the file.
    #[error("malformed Mach-O file")]
    MachO(#[source] object::read::Error),
    /// A length or an offset points outside what holds it.
    #[error("{what} at byte {offset} needs {needed} bytes, but only {available} are left in {within}")]
    OutOfBounds {
        /// The thing that was to be read.
        what: &'static str,
        /// Where it starts, in bytes from the start of the library.
        offset: u64,
        /// How long it claims to be.
        needed: u64,
        /// How many bytes there are.
        available: u64,
        /// What it must lie within.
        within: &'static str,
    },
    /// A field has a value that the container rules exclude.
    #[error("malformed {what} at byte {offset}: {rule}")]
    Malformed {
        /// The thing that was read.
        what: &'static str,
        /// Where it starts, in bytes from the start of the library.
        offset: u64,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// A function entry misses a tag.
    #[error("function entry {index} has no `{tag}` tag")]
    MissingTag {
        /// Position in the function list.
        index: usize,
        /// The tag.
        tag: &'static str,
    },
    /// The function has no code here.
    #[error("function `{name}` has no bitcode: {why}")]
    NoBitcode {
        /// Its name.
        name: String,
        /// Why there is none.
        why: &'static str,
    },
    /// The stored hash is not the hash of the bitcode.
    #[error("the bitcode of `{name}` does not match its SHA-256 `HASH` tag: the library is damaged")]
    HashMismatch {
        /// The function.
        name: String,
    },
    /// A library to be written cannot be expressed in the format.
    #[error("cannot write the library: {what} is {value}, the format allows at most {limit}")]
    TooLarge {
        /// The thing.
        what: &'static str,
        /// Its size.
        value: u64,
        /// The limit.
        limit: u64,
    },
    /// A name to be written holds a zero byte.
    #[error(
        "cannot write the library: function name `{name}` holds a zero byte, which ends names in the format"
    )]
    ZeroInName {
        /// The name.
        name: String,
    },
    /// Plain bitcode that could not be read for its function list.
    #[error("cannot read the bitcode module")]
    Bitcode(#[from] ReadError),
}

/// A bitcode module could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The magic is wrong.
    #[error("not LLVM bitcode: expected the magic `BC` 0xC0DE or the wrapper 0x0B17C0DE, found {found}")]
    NotBitcode {
        /// The first bytes, in hexadecimal.
        found: String,
    },
    /// The bit stream itself is broken.
    #[error("broken bit stream at bit {bit}: {rule}")]
    Stream {
        /// Bit offset from the start of the raw bitcode.
        bit: u64,
        /// The rule that is broken.
        rule: &'static str,
    },
    /// A record that this reader does not know.
    #[error("unsupported record: code {code} in {block}{note}")]
    UnsupportedRecord {
        /// Name of the block.
        block: &'static str,
        /// Record code.
        code: u32,
        /// What it is, if known, with leading separator.
        note: &'static str,
    },
    /// A record breaks the rules of its kind.
    #[error("malformed record {record} in {block}: {rule}")]
    MalformedRecord {
        /// Name of the block.
        block: &'static str,
        /// Name of the record.
        record: &'static str,
        /// The rule.
        rule: &'static str,
    },
    /// Something in the module is outside of what AIR may hold.
    #[error("unsupported in AIR: {what}")]
    Unsupported {
        /// The thing.
        what: String,
    },
    /// A reference that leads nowhere.
    #[error("{what} {index} does not exist (there are {count})")]
    DanglingReference {
        /// What is referred to.
        what: &'static str,
        /// The number used.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// The file lacks a part.
    #[error("the bitcode has no {what}")]
    Missing {
        /// The part.
        what: &'static str,
    },
    /// A limit that keeps memory bounded.
    #[error("the bitcode asks for {value} {what}; the reader's limit is {limit}")]
    Limit {
        /// The thing counted.
        what: &'static str,
        /// How many were asked for.
        value: u64,
        /// How many are allowed.
        limit: u64,
    },
}

impl ReadError {
    /// A reference to entry `index` of a table that has `count`.
    #[cold]
    pub(crate) fn dangling(what: &'static str, index: u64, count: usize) -> Self {
        Self::DanglingReference { what, index, count: count as u64 }
    }
}

/// The first bytes of something, for messages.
pub(crate) fn first_bytes(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing (it is empty)".to_owned();
    }
    bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}
