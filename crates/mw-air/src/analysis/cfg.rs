//! Predecessors, successors and reverse post-order of a function's blocks.

use crate::{BlockId, Function};

/// The control-flow graph. Blocks that the entry does not reach have no place in the order.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// Predecessors of each block, each once, in block order.
    pub predecessors: Vec<Vec<BlockId>>,
    /// Successors of each block, each once, in terminator order.
    pub successors: Vec<Vec<BlockId>>,
    /// Reachable blocks in reverse post-order.
    pub order: Vec<BlockId>,
    /// Position of each block in `order`; `usize::MAX` for unreachable blocks.
    pub position: Vec<usize>,
}

impl Cfg {
    /// Computes the graph of `function`, which must have a body.
    pub fn new(function: &Function) -> Self {
        let count = function.blocks.len();
        let mut successors = vec![Vec::new(); count];
        let mut predecessors = vec![Vec::new(); count];
        // Last block that each target was met in: a switch may name one many times.
        let mut met = vec![usize::MAX; count];
        for (index, block) in function.blocks.iter().enumerate() {
            for target in block.terminator.successors() {
                if std::mem::replace(&mut met[target.index()], index) != index {
                    successors[index].push(target);
                    predecessors[target.index()].push(BlockId::new(index));
                }
            }
        }
        let mut order = Vec::with_capacity(count);
        let mut seen = vec![false; count];
        let mut stack = vec![(Function::ENTRY, 0_usize)];
        seen[0] = true;
        while let Some((block, next)) = stack.last_mut() {
            if let Some(target) = successors[block.index()].get(*next).copied() {
                *next += 1;
                if !seen[target.index()] {
                    seen[target.index()] = true;
                    stack.push((target, 0));
                }
            } else {
                order.push(*block);
                stack.pop();
            }
        }
        order.reverse();
        let mut position = vec![usize::MAX; count];
        for (index, block) in order.iter().enumerate() {
            position[block.index()] = index;
        }
        Self { predecessors, successors, order, position }
    }

    /// Whether the entry reaches `block`.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block.index()] != usize::MAX
    }
}
