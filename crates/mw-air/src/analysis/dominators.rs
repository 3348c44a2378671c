//! Dominator and post-dominator trees, by semidominators.
//!
//! **Source** Lengauer, Tarjan: "A Fast Algorithm for Finding Dominators in a Flowgraph" (1979), the simple
//! version. **Cost** O(edges · log blocks), whatever the graph.

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

/// Immediate dominators over nodes `0..count` that are numbered in reverse post-order, node 0 the root, which
/// reaches all of them. Edges come as predecessors.
///
/// Semidominators by path compression over a depth-first tree.
fn immediate_dominators(count: usize, predecessors: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    let predecessors: Vec<Vec<usize>> = (0..count).map(predecessors).collect();
    let mut successors: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, sources) in predecessors.iter().enumerate() {
        for source in sources {
            successors[*source].push(node);
        }
    }
    let tree = DepthFirst::new(&successors);
    // From here nodes are called by their place in the depth-first walk.
    let reached = tree.order.len();
    let mut semi: Vec<usize> = (0..reached).collect();
    let mut forest = Forest::new(reached);
    let mut idom = vec![0; reached];
    // Places by their semidominator, whose dominators are found when the forest has grown so far.
    let mut pending: Vec<Vec<usize>> = vec![Vec::new(); reached];
    for place in (1..reached).rev() {
        let parent = tree.parent[place];
        let mut best = parent;
        for source in &predecessors[tree.order[place]] {
            let Some(source) = tree.place[*source] else { continue };
            best = best.min(semi[forest.least(source, &semi)]);
        }
        semi[place] = best;
        pending[best].push(place);
        forest.link(place, parent);
        for below in std::mem::take(&mut pending[parent]) {
            let least = forest.least(below, &semi);
            idom[below] = if semi[least] < semi[below] { least } else { parent };
        }
    }
    for place in 1..reached {
        if idom[place] != semi[place] {
            idom[place] = idom[idom[place]];
        }
    }
    let mut result = vec![0; count];
    for (place, node) in tree.order.iter().enumerate() {
        result[*node] = tree.order[idom[place]];
    }
    result
}

/// A depth-first walk from node 0.
struct DepthFirst {
    /// Nodes in the order in which they are first met.
    order: Vec<usize>,
    /// Place of each node in that order.
    place: Vec<Option<usize>>,
    /// Place of each place's parent; the root is its own.
    parent: Vec<usize>,
}

impl DepthFirst {
    fn new(successors: &[Vec<usize>]) -> Self {
        let mut walk = Self { order: vec![0], place: vec![None; successors.len()], parent: vec![0] };
        walk.place[0] = Some(0);
        let mut stack = vec![(0, 0)];
        while let Some((place, next)) = stack.last_mut() {
            let here = *place;
            let Some(node) = successors[walk.order[here]].get(*next).copied() else {
                stack.pop();
                continue;
            };
            *next += 1;
            if walk.place[node].is_none() {
                walk.place[node] = Some(walk.order.len());
                stack.push((walk.order.len(), 0));
                walk.order.push(node);
                walk.parent.push(here);
            }
        }
        walk
    }
}

/// Trees of the places handled so far, with short cuts to their roots.
struct Forest {
    above: Vec<Option<usize>>,
    /// The place of least semidominator on the way that a short cut skips.
    label: Vec<usize>,
}

impl Forest {
    fn new(count: usize) -> Self {
        Self { above: vec![None; count], label: (0..count).collect() }
    }

    fn link(&mut self, place: usize, parent: usize) {
        self.above[place] = Some(parent);
    }

    /// The place of least semidominator on the way from `place` to its root, the root left out.
    fn least(&mut self, place: usize, semi: &[usize]) -> usize {
        let mut path = Vec::new();
        let mut at = place;
        while let Some(above) = self.above[at]
            && self.above[above].is_some()
        {
            path.push(at);
            at = above;
        }
        for below in path.into_iter().rev() {
            let Some(above) = self.above[below] else { continue };
            if semi[self.label[above]] < semi[self.label[below]] {
                self.label[below] = self.label[above];
            }
            self.above[below] = self.above[above];
        }
        self.label[place]
    }
}
