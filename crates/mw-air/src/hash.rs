//! Structural hash: a name for what a module computes, stable over machines and versions of this crate's
//! tables.

use sha2::{Digest as _, Sha256};

use crate::{Module, PrintOptions, print};

/// First 128 bits of SHA-256 over the module's canonical text.
///
/// Numbering, the order of metadata nodes and structures that nothing uses do not matter; the source file's
/// name and debug information do not either. Names of symbols and metadata do.
pub fn structural_hash(module: &Module) -> u128 {
    let text = print(module, &PrintOptions { debug: false, ..PrintOptions::default() });
    // The text opens with the source file's name, if there is one.
    let body = match text.strip_prefix("source_filename") {
        Some(rest) => rest.split_once('\n').map_or("", |(_, body)| body),
        None => &text,
    };
    let digest = Sha256::digest(body.as_bytes());
    digest.iter().take(16).fold(0, |hash, byte| hash << 8 | u128::from(*byte))
}
