//! Events of a run, for whoever wants to watch: coverage, sanitizers, profilers.

use mw_air::{BlockId, FuncId, InstId};

use crate::program::LANES;
use crate::shadow::Shadowed;

/// Where in the grid and in the code something happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Position of the threadgroup in the grid.
    pub threadgroup: [u32; 3],
    /// Index of the simdgroup in the threadgroup.
    pub simdgroup: u32,
    /// Function, in the linked module.
    pub function: FuncId,
    /// Block.
    pub block: BlockId,
    /// Instruction; `None` for a block's terminator.
    pub inst: Option<InstId>,
}

/// A memory access of a simdgroup.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// Lanes that access.
    pub mask: u32,
    /// Address by lane; those of other lanes mean nothing.
    pub addresses: &'a [u64; LANES],
    /// Bytes that each lane accesses.
    pub size: u64,
}

/// A threadgroup's memory between two of its phases.
#[derive(Clone, Copy, Debug)]
pub struct ThreadgroupMemory<'a>(pub(crate) &'a Shadowed);

impl ThreadgroupMemory<'_> {
    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the kernel has none.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// Byte `offset`; `None` when nothing was written there, or outside.
    pub fn byte(&self, offset: usize) -> Option<u8> {
        if !self.0.contains(offset as u64, 1) {
            return None;
        }
        let (value, undef) = self.0.read(offset as u64, 1, 0);
        (undef == 0).then_some(value as u8)
    }
}

/// What a run found that a kernel should not do, and that does not stop it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FindingKind {
    /// A branch or switch on an undefined value.
    BranchOnUndef,
    /// An access through an undefined address.
    AddressOnUndef,
    /// An undefined value written to a buffer.
    StoreOfUndef,
    /// An access just outside the thread's private memory.
    OutsidePrivate,
    /// A threadgroup barrier that not every running lane of the simdgroup reached.
    DivergentBarrier,
}

impl FindingKind {
    /// What happened, as part of a sentence.
    pub fn describe(self) -> &'static str {
        match self {
            Self::BranchOnUndef => "branches on an undefined value",
            Self::AddressOnUndef => "accesses memory through an undefined address",
            Self::StoreOfUndef => "writes an undefined value to a buffer",
            Self::OutsidePrivate => "accesses memory just outside its private memory",
            Self::DivergentBarrier => "reaches a threadgroup barrier with only some of its lanes",
        }
    }
}

/// A finding, once for each place in the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// Where, the first time.
    pub first: Position,
    /// Lanes that it happened to, the first time.
    pub mask: u32,
    /// How often it happened, counted in simdgroups.
    pub count: u64,
}

/// Receives events. Every method has an empty body.
#[expect(unused_variables, reason = "the names document the events")]
pub trait Observer {
    /// A threadgroup starts.
    fn begin_threadgroup(&mut self, position: [u32; 3], size: [u32; 3]) {}

    /// Lanes enter a block.
    fn enter_block(&mut self, at: &Position, mask: u32) {}

    /// Lanes read memory.
    fn load(&mut self, at: &Position, access: &Access<'_>) {}

    /// Lanes write memory.
    fn store(&mut self, at: &Position, access: &Access<'_>) {}

    /// Lanes read and write memory as one step, in lane order.
    fn atomic(&mut self, at: &Position, access: &Access<'_>) {}

    /// An instruction gave its result, in a kernel that was prepared for it
    /// ([`InterpBackend::prepare_traced`](crate::InterpBackend::prepare_traced)): one row for each scalar of it. Lanes of `undef` have no defined value
    /// there; rows of lanes outside `mask` mean nothing.
    fn values(&mut self, at: &Position, mask: u32, rows: &[&[u64; LANES]], undef: u32) {}

    /// Lanes stored: the values written, one for each lane, in the order in which [`Self::store`] tells of the
    /// stores.
    fn stored(&mut self, at: &Position, mask: u32, row: &[u64; LANES]) {}

    /// Every simdgroup of the threadgroup stands at a barrier, or has ended: the threadgroup's memory as it is
    /// now, with the addresses of [`Access`] counted from [`crate::THREADGROUP_MEMORY`].
    fn phase(&mut self, threadgroup: [u32; 3], memory: &ThreadgroupMemory<'_>) {}

    /// Lanes stand at a threadgroup barrier.
    fn barrier(&mut self, at: &Position, mask: u32) {}

    /// Lanes call a function.
    fn call(&mut self, at: &Position, callee: FuncId, mask: u32) {}

    /// Lanes return from a function.
    fn ret(&mut self, at: &Position, mask: u32) {}

    /// Lanes do what a kernel should not do.
    fn finding(&mut self, at: &Position, kind: FindingKind, mask: u32) {}
}

/// Which blocks an active lane executed, and how often.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Number of active lanes that entered, by function and block.
    lanes: Vec<Vec<u64>>,
}

impl Coverage {
    /// Active lanes that entered a block, all times added.
    pub fn lanes(&self, function: FuncId, block: BlockId) -> u64 {
        self.lanes.get(function.index()).and_then(|blocks| blocks.get(block.index())).copied().unwrap_or(0)
    }

    /// Whether an active lane entered a block.
    pub fn executed(&self, function: FuncId, block: BlockId) -> bool {
        self.lanes(function, block) > 0
    }
}

impl Observer for Coverage {
    fn enter_block(&mut self, at: &Position, mask: u32) {
        let (function, block) = (at.function.index(), at.block.index());
        if self.lanes.len() <= function {
            self.lanes.resize(function + 1, Vec::new());
        }
        let blocks = &mut self.lanes[function];
        if blocks.len() <= block {
            blocks.resize(block + 1, 0);
        }
        blocks[block] += u64::from(mask.count_ones());
    }
}
