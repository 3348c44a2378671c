//! What a hostile file may make the reader do.
//!
//! Types and constants are shared graphs in the file but trees in memory as far as hashing and comparing go: a
//! few kilobytes could stand for 2^40 nodes. Every type and constant therefore carries its expanded weight, and
//! whoever copies or hashes one spends it from the module's budget. So does whoever copies a name, an attribute list
//! or a parameter list, which many records can share. (How much is built out of records alone, the bit stream's own
//! limit bounds.)

use crate::error::ReadError;

/// Heaviest type: nodes of its tree.
pub(super) const MAX_TYPE_WEIGHT: u32 = 1 << 12;
/// Deepest nesting of constants.
pub(super) const MAX_CONSTANT_DEPTH: u32 = 64;
/// Nodes that all copies of a module may add up to. Each of the 85,000 kernels at hand fits in 2^16.
const MODULE_BUDGET: u64 = 1 << 21;

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
                what: "copies of constants, attributes, parameters and names",
                value: MODULE_BUDGET.saturating_add(weight),
                limit: MODULE_BUDGET,
            }),
        }
    }
}
