//! Natural loops, and the block order that defines where lanes meet again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Cfg, DominatorTree};
use crate::BlockId;

/// Handle of a loop in a [`LoopForest`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct LoopId(pub u32);

/// A natural loop: all blocks that reach a back edge without leaving through the header.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The only block through which control enters.
    pub header: BlockId,
    /// Blocks of the loop and of the loops inside it, in reverse post-order.
    pub blocks: Vec<BlockId>,
    /// Blocks that jump back to the header.
    pub latches: Vec<BlockId>,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// Nesting depth, 1 for an outermost loop.
    pub depth: u32,
}

/// All loops of a function.
#[derive(Clone, Debug)]
pub struct LoopForest {
    /// Loops; a loop comes before the loops inside it.
    pub loops: Vec<Loop>,
    /// Innermost loop of each block.
    pub innermost: Vec<Option<LoopId>>,
}

/// Loops may nest this deep; the tables of deeper ones would grow with the square of the code.
const MAX_DEPTH: u32 = 256;

/// Control flow that engines refuse. No compiler of Metal produces it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoopError {
    /// A loop is entered at two places.
    #[error("irreducible control flow: block {} is jumped back to but does not dominate the jump", .block.0)]
    Irreducible {
        /// Target of the offending back edge.
        block: BlockId,
    },
    /// Loops inside loops without end.
    #[error("the loop at block {} lies inside more than {MAX_DEPTH} others", .block.0)]
    Depth {
        /// Header of the loop.
        block: BlockId,
    },
}

impl LoopForest {
    /// Finds the loops.
    ///
    /// # Errors
    /// When a loop has two entries, or loops nest too deep.
    pub fn new(cfg: &Cfg, dominators: &DominatorTree) -> Result<Self, LoopError> {
        let count = cfg.predecessors.len();
        let mut latches: Vec<Vec<BlockId>> = vec![Vec::new(); count];
        for block in &cfg.order {
            for target in &cfg.successors[block.index()] {
                if cfg.position[target.index()] <= cfg.position[block.index()] {
                    if !dominators.dominates(*target, *block) {
                        return Err(LoopError::Irreducible { block: *target });
                    }
                    latches[target.index()].push(*block);
                }
            }
        }
        let mut loops: Vec<Loop> = Vec::new();
        let mut innermost: Vec<Option<LoopId>> = vec![None; count];
        // The last loop that each block was found to be inside.
        let mut inside: Vec<Option<LoopId>> = vec![None; count];
        // Headers in reverse post-order: an outer header precedes the headers inside its loop.
        for header in &cfg.order {
            if latches[header.index()].is_empty() {
                continue;
            }
            let id = LoopId(loops.len() as u32);
            let parent = innermost[header.index()];
            let depth = parent.map_or(1, |parent| loops[parent.0 as usize].depth + 1);
            if depth > MAX_DEPTH {
                return Err(LoopError::Depth { block: *header });
            }
            inside[header.index()] = Some(id);
            let mut blocks = vec![*header];
            let mut work = latches[header.index()].clone();
            while let Some(block) = work.pop() {
                if inside[block.index()].replace(id) != Some(id) {
                    blocks.push(block);
                    work.extend(
                        cfg.predecessors[block.index()].iter().filter(|block| cfg.is_reachable(**block)),
                    );
                }
            }
            blocks.sort_unstable_by_key(|block| cfg.position[block.index()]);
            for block in &blocks {
                innermost[block.index()] = Some(id);
            }
            loops.push(Loop {
                header: *header,
                blocks,
                latches: latches[header.index()].clone(),
                parent,
                depth,
            });
        }
        Ok(Self { loops, innermost })
    }

    /// One loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id.0 as usize]
    }

    /// Whether `block` lies in `id` or in a loop inside it.
    pub fn contains(&self, id: LoopId, block: BlockId) -> bool {
        let mut current = self.innermost[block.index()];
        while let Some(at) = current {
            if at == id {
                return true;
            }
            current = self.get(at).parent;
        }
        false
    }
}

/// The order in which a simdgroup works through blocks: topological but for back edges, with the blocks of
/// each loop in one piece.
///
/// Lanes that went different ways wait for each other by this order: of all blocks where lanes stand, the
/// first in the order runs next, with every lane that stands there. So lanes meet again at the immediate
/// post-dominator of the branch that parted them, or earlier, and never leave a loop behind lanes that are
/// still in it.
///
/// Gives reachable blocks only.
pub fn convergence_order(cfg: &Cfg, loops: &LoopForest) -> Vec<BlockId> {
    // Kahn's algorithm over the edges that lead forward. Of the blocks that are ready, one of the innermost
    // loop around the last block goes first, so that a loop is left only when it is done; among those, the
    // first in reverse post-order.
    let mut order = Vec::with_capacity(cfg.order.len());
    let mut waiting: Vec<usize> = (0..cfg.predecessors.len())
        .map(|block| {
            cfg.predecessors[block]
                .iter()
                .filter(|from| cfg.is_reachable(**from) && cfg.position[from.index()] < cfg.position[block])
                .count()
        })
        .collect();
    let mut ready = Ready::new(loops);
    let mut next = cfg.order.first().copied();
    while let Some(block) = next {
        order.push(block);
        for target in &cfg.successors[block.index()] {
            if cfg.position[target.index()] > cfg.position[block.index()] {
                waiting[target.index()] -= 1;
                if waiting[target.index()] == 0 {
                    ready.push(*target, cfg.position[target.index()]);
                }
            }
        }
        next = ready.pop(block, cfg);
    }
    order
}

/// Ready blocks by each loop that they lie in, and all of them, first position first.
struct Ready<'f> {
    forest: &'f LoopForest,
    inside: Vec<BinaryHeap<Reverse<usize>>>,
    all: BinaryHeap<Reverse<usize>>,
    /// Positions taken, which may still stand in heaps of outer loops.
    taken: Vec<bool>,
}

impl<'f> Ready<'f> {
    fn new(forest: &'f LoopForest) -> Self {
        let inside = forest.loops.iter().map(|_| BinaryHeap::new()).collect();
        Self { forest, inside, all: BinaryHeap::new(), taken: vec![false; forest.innermost.len()] }
    }

    fn push(&mut self, block: BlockId, position: usize) {
        let mut around = self.forest.innermost[block.index()];
        while let Some(id) = around {
            self.inside[id.0 as usize].push(Reverse(position));
            around = self.forest.get(id).parent;
        }
        self.all.push(Reverse(position));
    }

    /// The block that follows `last`.
    fn pop(&mut self, last: BlockId, cfg: &Cfg) -> Option<BlockId> {
        let mut around = self.forest.innermost[last.index()];
        loop {
            let heap = match around {
                Some(id) => &mut self.inside[id.0 as usize],
                None => &mut self.all,
            };
            while let Some(Reverse(position)) = heap.pop() {
                if !std::mem::replace(&mut self.taken[position], true) {
                    return Some(cfg.order[position]);
                }
            }
            around = self.forest.get(around?).parent;
        }
    }
}
