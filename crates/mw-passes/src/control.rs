//! Where lanes part and where they meet: divergent joins and divergent loops.
//!
//! A branch whose condition differs between lanes makes some blocks *divergent joins* (lanes arrive there
//! from different predecessors, so a φ-function mixes values) and some loops *divergent* (lanes leave them
//! in different iterations or by different exits, so values that leave are from different iterations).
//!
//! **Source** the label propagation follows Karrenberg and Hack, "Improving Performance of OpenCL on CPUs"
//! (2012), as disjoint paths from the branch that first meet again.

use mw_air::analysis::{Cfg, DominatorTree, LoopForest, LoopId, PostDominatorTree, convergence_order};
use mw_air::{BlockId, Function};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::PassError;

/// The structure of a function's control flow.
#[derive(Debug)]
pub struct Control {
    /// Edges.
    pub cfg: Cfg,
    /// Dominators.
    pub dominators: DominatorTree,
    /// Loops.
    pub loops: LoopForest,
    /// The order in which a simdgroup works through blocks.
    pub order: Vec<BlockId>,
    /// Position in `order`; `usize::MAX` for unreachable blocks.
    pub position: Vec<usize>,
    /// Post-dominators within one iteration: a back edge ends the path, as a return does.
    pub forward_post: PostDominatorTree,
}

impl Control {
    /// Analyses `function`.
    pub fn new(function: &Function) -> Result<Self, PassError> {
        let cfg = Cfg::new(function);
        let dominators = DominatorTree::new(&cfg);
        let loops =
            LoopForest::new(&cfg, &dominators).map_err(|error| PassError::unsupported(error.to_string()))?;
        let order = convergence_order(&cfg, &loops);
        let mut position = vec![usize::MAX; function.blocks.len()];
        for (index, block) in order.iter().enumerate() {
            position[block.index()] = index;
        }
        let forward_post = PostDominatorTree::new(&forward_graph(&cfg, &loops));
        Ok(Self { cfg, dominators, loops, order, position, forward_post })
    }

    /// Whether the edge goes back to the header of a loop that it lies in.
    pub fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.position[to.index()] <= self.position[from.index()]
    }

    /// Exit edges of a loop: from a block inside to a block outside.
    pub fn exit_edges(&self, id: LoopId) -> Vec<(BlockId, BlockId)> {
        let mut edges = Vec::new();
        for block in &self.loops.get(id).blocks {
            for target in &self.cfg.successors[block.index()] {
                if !self.loops.contains(id, *target) {
                    edges.push((*block, *target));
                }
            }
        }
        edges
    }

    /// Distinct exit blocks of a loop, in order.
    pub fn exit_blocks(&self, id: LoopId) -> Vec<BlockId> {
        let mut blocks: Vec<BlockId> = self.exit_edges(id).into_iter().map(|(_, to)| to).collect();
        blocks.sort_by_key(|block| self.position[block.index()]);
        blocks.dedup();
        blocks
    }

    /// The loops that `block` lies in, innermost first.
    pub fn enclosing(&self, block: BlockId) -> Vec<LoopId> {
        let mut out = Vec::new();
        let mut current = self.loops.innermost[block.index()];
        while let Some(id) = current {
            out.push(id);
            current = self.loops.get(id).parent;
        }
        out
    }
}

/// The graph without back edges, whose latches lead to an extra block without successors instead.
fn forward_graph(cfg: &Cfg, loops: &LoopForest) -> Cfg {
    let mut forward = cfg.clone();
    let end = BlockId::new(cfg.successors.len());
    forward.successors.push(Vec::new());
    forward.predecessors.push(Vec::new());
    forward.position.push(forward.order.len());
    forward.order.push(end);
    for each in &loops.loops {
        for latch in &each.latches {
            forward.successors[latch.index()].retain(|target| *target != each.header);
            forward.predecessors[each.header.index()].retain(|block| block != latch);
            if !forward.successors[latch.index()].contains(&end) {
                forward.successors[latch.index()].push(end);
                forward.predecessors[end.index()].push(*latch);
            }
        }
    }
    forward
}

/// What divergent branches do to the blocks behind them.
#[derive(Debug, Default, Clone)]
pub struct Divergence {
    /// Blocks whose branch differs between lanes.
    pub branches: FxHashSet<BlockId>,
    /// Blocks that lanes reach from different predecessors.
    pub joins: FxHashSet<BlockId>,
    /// Loops that lanes leave at different times or by different exits.
    pub loops: FxHashSet<LoopId>,
}

impl Divergence {
    /// Records that the branch of `block` differs between lanes, with all that follows. Says whether
    /// anything is new.
    pub fn add_branch(&mut self, control: &Control, block: BlockId) -> bool {
        if !self.branches.insert(block) {
            return false;
        }
        let successors = control.cfg.successors[block.index()].clone();
        let stop = control.forward_post.ipdom[block.index()];
        let reached = self.propagate(control, &successors, Some(block), stop);
        for id in control.enclosing(block) {
            let leaves =
                control.exit_edges(id).iter().any(|(from, _)| *from == block || reached.contains(from));
            if leaves {
                self.add_loop(control, id);
            }
        }
        true
    }

    /// Whether the edge leaves a divergent loop.
    pub fn is_left(&self, control: &Control, from: BlockId, to: BlockId) -> bool {
        control
            .enclosing(from)
            .into_iter()
            .any(|id| self.loops.contains(&id) && !control.loops.contains(id, to))
    }

    fn add_loop(&mut self, control: &Control, id: LoopId) {
        if !self.loops.insert(id) {
            return;
        }
        let exits = control.exit_blocks(id);
        for exit in &exits {
            if control.cfg.predecessors[exit.index()].len() > 1 {
                self.joins.insert(*exit);
            }
        }
        if exits.len() < 2 {
            return;
        }
        let stop = common_post_dominator(control, &exits);
        let mut reached = self.propagate(control, &exits, None, stop);
        reached.extend(exits.iter().copied().filter(|exit| Some(*exit) != stop));
        let mut outer = control.loops.get(id).parent;
        while let Some(outer_id) = outer {
            if control.exit_edges(outer_id).iter().any(|(from, _)| reached.contains(from)) {
                self.add_loop(control, outer_id);
            }
            outer = control.loops.get(outer_id).parent;
        }
        // An exit that leaves several loops at once parts lanes in each of them.
        let mut parent = control.loops.get(id).parent;
        while let Some(parent_id) = parent {
            if exits.iter().any(|exit| !control.loops.contains(parent_id, *exit)) {
                self.add_loop(control, parent_id);
            }
            parent = control.loops.get(parent_id).parent;
        }
    }

    /// Sends one label along each of `starts` and marks the blocks where labels meet. Gives the blocks
    /// that were reached before `stop`.
    fn propagate(
        &mut self,
        control: &Control,
        starts: &[BlockId],
        from: Option<BlockId>,
        stop: Option<BlockId>,
    ) -> FxHashSet<BlockId> {
        let mut labels: FxHashMap<BlockId, BlockId> = FxHashMap::default();
        let mut first = usize::MAX;
        for start in starts {
            if from.is_some_and(|from| control.is_back_edge(from, *start)) {
                continue;
            }
            labels.insert(*start, *start);
            first = first.min(control.position[start.index()]);
        }
        let last = stop.map_or(control.order.len(), |stop| {
            control.position.get(stop.index()).map_or(control.order.len(), |position| position + 1)
        });
        let mut reached = FxHashSet::default();
        for index in first..last.min(control.order.len()) {
            let block = control.order[index];
            let mut label = labels.get(&block).copied().filter(|_| starts.contains(&block));
            let mut join = false;
            for predecessor in &control.cfg.predecessors[block.index()] {
                if !control.cfg.is_reachable(*predecessor) || control.is_back_edge(*predecessor, block) {
                    continue;
                }
                let incoming =
                    if reached.contains(predecessor) { labels.get(predecessor).copied() } else { None };
                if let Some(incoming) = incoming {
                    match label {
                        None => label = Some(incoming),
                        Some(known) if known == incoming => {}
                        Some(_) => join = true,
                    }
                }
            }
            // Two edges of the branch that lead straight to one block meet there at once.
            let Some(label) = label else { continue };
            if join {
                self.joins.insert(block);
            }
            labels.insert(block, if join { block } else { label });
            if Some(block) != stop {
                reached.insert(block);
            }
        }
        reached
    }
}

fn common_post_dominator(control: &Control, blocks: &[BlockId]) -> Option<BlockId> {
    let mut candidate = Some(blocks[0]);
    while let Some(at) = candidate {
        if at.index() < control.position.len()
            && blocks.iter().all(|block| control.forward_post.post_dominates(at, *block))
        {
            return Some(at);
        }
        candidate = control.forward_post.ipdom[at.index()];
    }
    None
}
