//! Control-flow analyses against their definitions, on random graphs, and on large ones for their cost.

use proptest::prelude::*;

use mw_air::analysis::{Cfg, DominatorTree, LoopError, LoopForest, PostDominatorTree, convergence_order};
use mw_air::{BlockId, Function, FunctionType, Terminator, Type};

/// A function whose block `i` jumps to the blocks `edges[i]`.
fn function(edges: &[Vec<usize>]) -> Function {
    let mut function =
        Function::new("f", FunctionType { ret: Type::Void, params: vec![Type::I32], varargs: false });
    for _ in edges {
        function.add_block();
    }
    let value = function.param(0);
    for (block, targets) in edges.iter().enumerate() {
        function.block_mut(BlockId::new(block)).terminator = match targets.split_first() {
            None => Terminator::Ret(None),
            Some((default, rest)) => Terminator::Switch {
                value,
                default: BlockId::new(*default),
                cases: rest.iter().enumerate().map(|(case, to)| (case as u64, BlockId::new(*to))).collect(),
            },
        };
    }
    function
}

/// Blocks that `from` reaches without passing through `without`.
fn reach(edges: &[Vec<usize>], from: usize, without: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if Some(block) != without && !std::mem::replace(&mut seen[block], true) {
            work.extend(&edges[block]);
        }
    }
    seen
}

fn graph() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (2_usize..14)
        .prop_flat_map(|count| prop::collection::vec(prop::collection::vec(1..count, 0..3), count..=count))
}

/// The order as its definition says it, without any table.
fn plain_order(cfg: &Cfg, loops: &LoopForest) -> Vec<BlockId> {
    let forward = |from: BlockId, to: BlockId| cfg.position[from.index()] < cfg.position[to.index()];
    let shared = |one: BlockId, other: BlockId| {
        let mut around = loops.innermost[one.index()];
        while let Some(id) = around {
            if loops.contains(id, other) {
                return loops.get(id).depth;
            }
            around = loops.get(id).parent;
        }
        0
    };
    let mut order: Vec<BlockId> = Vec::new();
    while order.len() < cfg.order.len() {
        let ready = cfg.order.iter().filter(|block| {
            let before = cfg.predecessors[block.index()]
                .iter()
                .filter(|from| cfg.is_reachable(**from) && forward(**from, **block));
            !order.contains(block) && before.clone().all(|from| order.contains(from))
        });
        let last = order.last().copied();
        let next = ready.max_by_key(|block| {
            let depth = last.map_or(0, |last| shared(last, **block));
            (depth, std::cmp::Reverse(cfg.position[block.index()]))
        });
        order.push(*next.expect("some block is ready"));
    }
    order
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn dominators_are_what_cannot_be_avoided(edges in graph()) {
        let cfg = Cfg::new(&function(&edges));
        let dominators = DominatorTree::new(&cfg);
        let reachable = reach(&edges, 0, None);
        for block in 0..edges.len() {
            let avoiding = reach(&edges, 0, Some(block));
            for other in (0..edges.len()).filter(|other| reachable[*other] && reachable[block]) {
                let expected = block == other || !avoiding[other];
                let found = dominators.dominates(BlockId::new(block), BlockId::new(other));
                prop_assert_eq!(found, expected, "{} over {} in {:?}", block, other, edges);
            }
        }
    }

    #[test]
    fn post_dominators_are_what_the_way_out_passes(edges in graph()) {
        let cfg = Cfg::new(&function(&edges));
        let post = PostDominatorTree::new(&cfg);
        let reachable = reach(&edges, 0, None);
        let leaves = |from: usize, without: Option<usize>| {
            let seen = reach(&edges, from, without);
            (0..edges.len()).any(|block| seen[block] && edges[block].is_empty())
        };
        for block in (0..edges.len()).filter(|block| reachable[*block] && leaves(*block, None)) {
            for other in (0..edges.len()).filter(|other| reachable[*other] && leaves(*other, None)) {
                let expected = block == other || !leaves(other, Some(block));
                let found = post.post_dominates(BlockId::new(block), BlockId::new(other));
                prop_assert_eq!(found, expected, "{} over {} in {:?}", block, other, edges);
            }
        }
    }

    #[test]
    fn the_order_of_convergence_is_that_of_its_definition(edges in graph()) {
        let cfg = Cfg::new(&function(&edges));
        let dominators = DominatorTree::new(&cfg);
        if let Ok(loops) = LoopForest::new(&cfg, &dominators) {
            let order = convergence_order(&cfg, &loops);
            prop_assert_eq!(&order, &plain_order(&cfg, &loops));
            for each in &loops.loops {
                let first = order.iter().position(|block| *block == each.header).expect("reachable");
                let run: Vec<BlockId> = order[first..first + each.blocks.len()].to_vec();
                prop_assert!(run.iter().all(|block| each.blocks.contains(block)), "{:?} in {:?}", each, order);
            }
        }
    }
}

#[test]
fn a_wide_ladder_costs_no_more_than_its_edges() {
    // A chain; every link also leads to its own block, which the entry's switch reaches too.
    let links = 60_000;
    let mut edges: Vec<Vec<usize>> = Vec::new();
    for link in 0..links {
        edges.push(if link + 1 < links { vec![link + 1, links + link] } else { vec![links + link] });
    }
    edges.extend(vec![Vec::new(); links]);
    edges[0].extend(links..2 * links);
    let cfg = Cfg::new(&function(&edges));
    let dominators = DominatorTree::new(&cfg);
    assert_eq!(dominators.idom[2 * links - 1], Some(Function::ENTRY));
    assert_eq!(dominators.idom[links - 1], Some(BlockId::new(links - 2)));
    let post = PostDominatorTree::new(&cfg);
    assert_eq!(post.ipdom[0], None);
    let loops = LoopForest::new(&cfg, &dominators).expect("no loops");
    assert_eq!(convergence_order(&cfg, &loops).len(), edges.len());
}

#[test]
fn loops_without_end_inside_loops_are_refused() {
    // Headers in a row, then a latch for each, innermost first.
    let nested = |depth: usize| -> Vec<Vec<usize>> {
        let mut edges: Vec<Vec<usize>> = (0..=depth).map(|block| vec![block + 1]).collect();
        for latch in 0..depth {
            edges.push(vec![depth - latch, depth + 2 + latch]);
        }
        edges.push(Vec::new());
        edges
    };
    let forest = |depth: usize| {
        let cfg = Cfg::new(&function(&nested(depth)));
        LoopForest::new(&cfg, &DominatorTree::new(&cfg))
    };
    assert_eq!(forest(200).expect("deep enough").loops.len(), 200);
    assert!(matches!(forest(50_000), Err(LoopError::Depth { .. })));
}
