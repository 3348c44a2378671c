//! Natural loops, and the block order that defines where lanes meet again.

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

/// Control flow that enters a loop at two places. No compiler of Metal produces it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("irreducible control flow: block {} is jumped back to but does not dominate the jump", .block.0)]
pub struct IrreducibleError {
    /// Target of the offending back edge.
    pub block: BlockId,
}

impl LoopForest {
    /// Finds the loops.
    ///
    /// # Errors
    /// When a loop has two entries.
    pub fn new(cfg: &Cfg, dominators: &DominatorTree) -> Result<Self, IrreducibleError> {
        let count = cfg.predecessors.len();
        let mut latches: Vec<Vec<BlockId>> = vec![Vec::new(); count];
        for block in &cfg.order {
            for target in &cfg.successors[block.index()] {
                if cfg.position[target.index()] <= cfg.position[block.index()] {
                    if !dominators.dominates(*target, *block) {
                        return Err(IrreducibleError { block: *target });
                    }
                    latches[target.index()].push(*block);
                }
            }
        }
        let mut loops = Vec::new();
        let mut innermost: Vec<Option<LoopId>> = vec![None; count];
        // Headers in reverse post-order: an outer header precedes the headers inside its loop.
        for header in &cfg.order {
            if latches[header.index()].is_empty() {
                continue;
            }
            let mut inside = vec![false; count];
            inside[header.index()] = true;
            let mut work = latches[header.index()].clone();
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut inside[block.index()], true) {
                    work.extend(
                        cfg.predecessors[block.index()].iter().filter(|block| cfg.is_reachable(**block)),
                    );
                }
            }
            let id = LoopId(loops.len() as u32);
            let parent = innermost[header.index()];
            let depth = parent.map_or(1, |parent: LoopId| {
                let parent: &Loop = &loops[parent.0 as usize];
                parent.depth + 1
            });
            let blocks: Vec<BlockId> =
                cfg.order.iter().copied().filter(|block| inside[block.index()]).collect();
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
    // A depth-first walk that treats each loop as one node: from a block, exits of its loop are visited
    // before blocks that stay inside, so that reverse post-order puts them behind all of the loop.
    let count = cfg.predecessors.len();
    let depth_shared = |from: BlockId, to: BlockId| -> u32 {
        let mut current = loops.innermost[from.index()];
        while let Some(id) = current {
            if loops.contains(id, to) {
                return loops.get(id).depth;
            }
            current = loops.get(id).parent;
        }
        0
    };
    let mut order = Vec::with_capacity(cfg.order.len());
    let mut placed = vec![false; count];
    let mut waiting: Vec<usize> = (0..count)
        .map(|block| {
            cfg.predecessors[block]
                .iter()
                .filter(|from| cfg.is_reachable(**from) && cfg.position[from.index()] < cfg.position[block])
                .count()
        })
        .collect();
    // Kahn's algorithm with a stack of loops: ready blocks of the innermost open loop go first.
    let mut ready: Vec<BlockId> = cfg.order.first().copied().into_iter().collect();
    let mut last: Option<BlockId> = None;
    while !ready.is_empty() {
        let pick = (0..ready.len())
            .max_by_key(|index| {
                let block = ready[*index];
                let shared = last.map_or(0, |last| depth_shared(last, block));
                (shared, std::cmp::Reverse(cfg.position[block.index()]))
            })
            .expect("not empty");
        let block = ready.swap_remove(pick);
        if std::mem::replace(&mut placed[block.index()], true) {
            continue;
        }
        order.push(block);
        last = Some(block);
        for target in &cfg.successors[block.index()] {
            if cfg.position[target.index()] > cfg.position[block.index()] {
                waiting[target.index()] -= 1;
                if waiting[target.index()] == 0 {
                    ready.push(*target);
                }
            }
        }
    }
    order
}
