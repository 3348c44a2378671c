//! What a hostile file may make the reader do.
//!
//! Types and constants are shared graphs in the file but trees in memory as far as hashing and comparing go: a
//! few kilobytes could stand for 2^40 nodes. Every type and constant therefore carries its expanded weight, and
//! whoever copies or hashes one spends it from the module's budget.

use crate::error::ReadError;

/// Heaviest type: nodes of its tree. Apple's largest has a few hundred.
pub(super) const MAX_TYPE_WEIGHT: u32 = 1 << 12;
/// Deepest nesting of constants.
pub(super) const MAX_CONSTANT_DEPTH: u32 = 64;
/// Nodes that all constants of a module may add up to, each use counted. Apple's largest module needs 30,000.
const MODULE_BUDGET: u64 = 1 << 24;

/// What is left to spend.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { left: MODULE_BUDGET }
    }

    pub(super) fn spend(&mut self, weight: u64) -> Result<(), ReadError> {
        match self.left.checked_sub(weight) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(ReadError::Limit {
                what: "constant nodes (uses counted)",
                value: MODULE_BUDGET.saturating_add(weight),
                limit: MODULE_BUDGET,
            }),
        }
    }
}
