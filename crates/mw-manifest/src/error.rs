//! What can be wrong with a manifest, a value or an `.npy` file.

use std::path::PathBuf;

/// A launch is not written as the grammar asks, or its data cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// A setting that does not exist.
    #[error("unknown setting `{key}`; settings are {}", crate::settings::KEYS.join(", "))]
    UnknownSetting {
        /// The key.
        key: String,
    },
    /// A setting whose value does not parse.
    #[error("`{key} = {value}`: {reason}")]
    BadSetting {
        /// The key.
        key: String,
        /// The value as it was written.
        value: String,
        /// What is wrong and what to write instead.
        reason: String,
    },
    /// A value that does not parse.
    #[error("`{text}` is no value: {reason}")]
    BadValue {
        /// The value as it was written.
        text: String,
        /// What is wrong and what to write instead.
        reason: String,
    },
    /// A word without `=` in a `// run:` line.
    #[error("`{word}` in a `// run:` line is no setting: write `key=value`")]
    NotASetting {
        /// The word.
        word: String,
    },
    /// Text that is no TOML.
    #[error("the manifest is no valid TOML: {0}")]
    Toml(#[from] toml::de::Error),
    /// A tensor of more bytes than the limit.
    #[error("`{what}` has {bytes} bytes; the limit is {limit}")]
    TooLarge {
        /// The value.
        what: String,
        /// Its size; saturates.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The system has no room.
    #[error("the system has no memory for `{what}` ({bytes} bytes)")]
    OutOfMemory {
        /// The value.
        what: String,
        /// Its size.
        bytes: u64,
    },
    /// A file could not be read or written.
    #[error("cannot access `{}`: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system reported.
        #[source]
        source: std::io::Error,
    },
    /// Bytes that are no `.npy` file that this crate reads.
    #[error("`{file}` is no usable .npy file: {reason}")]
    Npy {
        /// The file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// Two tensors that cannot be compared.
    #[error("cannot compare {actual} with the expected {expected}: {reason}")]
    Incomparable {
        /// Type and shape of one.
        actual: String,
        /// Type and shape of the other.
        expected: String,
        /// Why not.
        reason: &'static str,
    },
}
