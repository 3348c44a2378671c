//! Dominator and post-dominator trees, by the iterative algorithm.
//!
//! **Source** Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm" (2001).

use super::Cfg;
use crate::BlockId;

/// Immediate dominators of the reachable blocks.
#[derive(Clone, Debug)]
pub struct DominatorTree {
    /// Immediate dominator of each block; `None` for the entry and for unreachable blocks.
    pub idom: Vec<Option<BlockId>>,
    /// Children of each block, in reverse post-order.
    pub children: Vec<Vec<BlockId>>,
    /// Interval of each block in a walk of the tree, for constant-time queries.
    interval: Vec<(u32, u32)>,
}

impl DominatorTree {
    /// Computes the tree.
    pub fn new(cfg: &Cfg) -> Self {
        let count = cfg.predecessors.len();
        let idom_position = immediate_dominators(cfg.order.len(), |node| {
            cfg.predecessors[cfg.order[node].index()]
                .iter()
                .map(|block| cfg.position[block.index()])
                .filter(|position| *position != usize::MAX)
                .collect()
        });
        let mut idom = vec![None; count];
        let mut children = vec![Vec::new(); count];
        for (position, block) in cfg.order.iter().enumerate().skip(1) {
            let parent = cfg.order[idom_position[position]];
            idom[block.index()] = Some(parent);
            children[parent.index()].push(*block);
        }
        let mut interval = vec![(u32::MAX, 0); count];
        if let Some(root) = cfg.order.first() {
            let mut clock = 0;
            let mut stack = vec![(*root, 0_usize)];
            interval[root.index()].0 = 0;
            while let Some((block, next)) = stack.last_mut() {
                if let Some(child) = children[block.index()].get(*next).copied() {
                    *next += 1;
                    clock += 1;
                    interval[child.index()].0 = clock;
                    stack.push((child, 0));
                } else {
                    interval[block.index()].1 = clock;
                    stack.pop();
                }
            }
        }
        Self { idom, children, interval }
    }

    /// Whether every path to `block` goes through `dominator` (a block dominates itself).
    pub fn dominates(&self, dominator: BlockId, block: BlockId) -> bool {
        let (start, end) = self.interval[dominator.index()];
        let (position, _) = self.interval[block.index()];
        position != u32::MAX && start <= position && position <= end
    }
}

/// Immediate post-dominators of the reachable blocks.
///
/// Returns and `unreachable` lead to one virtual exit. Blocks that cannot reach it (endless loops) have no
/// immediate post-dominator, like blocks whose paths join only at the exit.
#[derive(Clone, Debug)]
pub struct PostDominatorTree {
    /// Immediate post-dominator of each block; `None` where that is the virtual exit.
    pub ipdom: Vec<Option<BlockId>>,
}

impl PostDominatorTree {
    /// Computes the tree.
    pub fn new(cfg: &Cfg) -> Self {
        let count = cfg.predecessors.len();
        // Node 0 is the virtual exit; the others follow in reverse post-order of the reversed graph.
        let mut order = Vec::new();
        let mut seen = vec![false; count];
        for exit in cfg.order.iter().filter(|block| cfg.successors[block.index()].is_empty()) {
            let mut stack = vec![(*exit, 0_usize)];
            seen[exit.index()] = true;
            while let Some((block, next)) = stack.last_mut() {
                if let Some(target) = cfg.predecessors[block.index()].get(*next).copied() {
                    *next += 1;
                    if !seen[target.index()] && cfg.is_reachable(target) {
                        seen[target.index()] = true;
                        stack.push((target, 0));
                    }
                } else {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut position = vec![usize::MAX; count];
        for (index, block) in order.iter().enumerate() {
            position[block.index()] = index + 1;
        }
        let idom = immediate_dominators(order.len() + 1, |node| {
            if node == 0 {
                return Vec::new();
            }
            let successors = &cfg.successors[order[node - 1].index()];
            if successors.is_empty() {
                return vec![0];
            }
            successors
                .iter()
                .map(|block| position[block.index()])
                .filter(|position| *position != usize::MAX)
                .collect()
        });
        let mut ipdom = vec![None; count];
        for (index, block) in order.iter().enumerate() {
            let parent = idom[index + 1];
            ipdom[block.index()] = (parent != 0).then(|| order[parent - 1]);
        }
        Self { ipdom }
    }

    /// Whether every path from `block` to the exit goes through `post` (a block post-dominates itself).
    pub fn post_dominates(&self, post: BlockId, block: BlockId) -> bool {
        let mut current = Some(block);
        while let Some(at) = current {
            if at == post {
                return true;
            }
            current = self.ipdom[at.index()];
        }
        false
    }
}

/// Immediate dominators over nodes `0..count` that are numbered in reverse post-order, node 0 the root.
fn immediate_dominators(count: usize, predecessors: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    const UNKNOWN: usize = usize::MAX;
    let predecessors: Vec<Vec<usize>> = (0..count).map(predecessors).collect();
    let mut idom = vec![UNKNOWN; count];
    if count == 0 {
        return idom;
    }
    idom[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for node in 1..count {
            let mut new = UNKNOWN;
            for predecessor in predecessors[node].iter().copied().filter(|node| idom[*node] != UNKNOWN) {
                new = if new == UNKNOWN { predecessor } else { intersect(&idom, predecessor, new) };
            }
            // A node whose predecessors are all unknown yet gets its turn in the next round.
            if new != UNKNOWN && idom[node] != new {
                idom[node] = new;
                changed = true;
            }
        }
    }
    for node in &mut idom {
        if *node == UNKNOWN {
            *node = 0;
        }
    }
    idom
}

fn intersect(idom: &[usize], mut first: usize, mut second: usize) -> usize {
    while first != second {
        while first > second {
            first = idom[first];
        }
        while second > first {
            second = idom[second];
        }
    }
    first
}
