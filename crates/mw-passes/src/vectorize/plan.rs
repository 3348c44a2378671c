//! How each block is entered in the 32-lane code: which mask it runs under, and what guards it.
//!
//! Blocks are emitted along the dominator tree, as structured code: a block, then the blocks that it
//! dominates, each behind a guard that skips it when no lane is there. Blocks whose dominator lies in a
//! loop that they are outside of come behind that loop.

use mw_air::analysis::LoopId;
use mw_air::{BlockId, Function, Terminator};

use crate::control::{Control, Divergence};

/// How control gets into a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// The function's entry.
    Start,
    /// Only from `from`, by a jump or a uniform branch: emitted inside the arm of that branch.
    Arm { from: BlockId },
    /// With the lanes of `like`, always.
    Inherit { like: Like },
    /// With the lanes of `like`, when a uniform condition led here: a flag says so.
    Flag { like: Like },
    /// Only from `from`, by a divergent branch: the edge's mask.
    Edge { from: BlockId },
    /// From several divergent places: a variable gathers the lanes.
    Gather,
}

/// A mask that another block has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Like {
    /// The mask of a block.
    Block(BlockId),
    /// The mask with which a loop was entered.
    LoopEntry(LoopId),
}

/// The plan for a function.
#[derive(Debug)]
pub(crate) struct Plan {
    /// How each block is entered.
    pub(crate) entry: Vec<Entry>,
    /// Blocks emitted behind each block, in order, but for arms.
    pub(crate) children: Vec<Vec<BlockId>>,
    /// Blocks emitted behind each loop, in order.
    pub(crate) after_loop: Vec<Vec<BlockId>>,
}

impl Plan {
    pub(crate) fn new(function: &Function, control: &Control, divergence: &Divergence) -> Self {
        let count = function.blocks.len();
        let mut plan = Self {
            entry: vec![Entry::Start; count],
            children: vec![Vec::new(); count],
            after_loop: vec![Vec::new(); control.loops.loops.len()],
        };
        // Blocks with equal masks share a class.
        let mut class: Vec<BlockId> = (0..count).map(BlockId::new).collect();
        let mut loop_entry_class: Vec<BlockId> = vec![Function::ENTRY; control.loops.loops.len()];
        for block in control.order.iter().copied().skip(1) {
            let dominator = control.dominators.idom[block.index()].expect("only the entry has no dominator");
            let left = outermost_left(control, dominator, block);
            let entry = Self::classify(
                function,
                control,
                divergence,
                block,
                dominator,
                left,
                &class,
                &loop_entry_class,
            );
            plan.entry[block.index()] = entry;
            class[block.index()] = match entry {
                Entry::Arm { from } => class[from.index()],
                Entry::Inherit { like } | Entry::Flag { like } => match like {
                    Like::Block(block) => class[block.index()],
                    Like::LoopEntry(id) => loop_entry_class[id.0 as usize],
                },
                Entry::Start | Entry::Edge { .. } | Entry::Gather => block,
            };
            if let Some(id) = control.loops.innermost[block.index()]
                && control.loops.get(id).header == block
            {
                loop_entry_class[id.0 as usize] = class[block.index()];
                if divergence.loops.contains(&id) {
                    class[block.index()] = block;
                }
            }
            if !matches!(entry, Entry::Arm { .. }) {
                match left {
                    Some(id) => plan.after_loop[id.0 as usize].push(block),
                    None => plan.children[dominator.index()].push(block),
                }
            }
        }
        plan
    }

    #[expect(clippy::too_many_arguments, reason = "one step of `new`, split off to be readable")]
    fn classify(
        function: &Function,
        control: &Control,
        divergence: &Divergence,
        block: BlockId,
        dominator: BlockId,
        left: Option<LoopId>,
        class: &[BlockId],
        loop_entry_class: &[BlockId],
    ) -> Entry {
        let predecessors: Vec<BlockId> = control.cfg.predecessors[block.index()]
            .iter()
            .copied()
            .filter(|from| control.cfg.is_reachable(*from) && !control.is_back_edge(*from, block))
            .collect();
        if left.is_none()
            && let [from] = *predecessors
        {
            let divergent = divergence.branches.contains(&from);
            let several = control.cfg.successors[from.index()].len() > 1;
            debug_assert!(several || !matches!(function.block(from).terminator, Terminator::Ret(_)));
            return if divergent && several { Entry::Edge { from } } else { Entry::Arm { from } };
        }
        let (like, like_class, always) = match left {
            None => (
                Like::Block(dominator),
                class[dominator.index()],
                control.forward_post.post_dominates(block, dominator),
            ),
            Some(id) => (
                Like::LoopEntry(id),
                loop_entry_class[id.0 as usize],
                control.exit_blocks(id).iter().all(|exit| control.forward_post.post_dominates(block, *exit)),
            ),
        };
        if always {
            return Entry::Inherit { like };
        }
        let uniform = predecessors
            .iter()
            .all(|from| class[from.index()] == like_class && !divergence.branches.contains(from))
            && left.is_none_or(|id| is_uniformly_left(control, divergence, id, &predecessors));
        if uniform { Entry::Flag { like } } else { Entry::Gather }
    }
}

/// Whether no loop that the predecessors leave on the way out of `outermost` is divergent.
fn is_uniformly_left(
    control: &Control,
    divergence: &Divergence,
    outermost: LoopId,
    predecessors: &[BlockId],
) -> bool {
    if divergence.loops.contains(&outermost) {
        return false;
    }
    predecessors.iter().all(|from| {
        control
            .enclosing(*from)
            .into_iter()
            .take_while(|id| *id != outermost)
            .all(|id| !divergence.loops.contains(&id))
    })
}

/// The outermost loop that contains `from` but not `to`.
fn outermost_left(control: &Control, from: BlockId, to: BlockId) -> Option<LoopId> {
    control.enclosing(from).into_iter().rfind(|id| !control.loops.contains(*id, to))
}
