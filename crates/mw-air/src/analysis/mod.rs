//! Analyses of control flow that the verifier, the interpreter and the transforms share.

mod cfg;
mod dominators;
mod loops;

pub use cfg::Cfg;
pub use dominators::{DominatorTree, PostDominatorTree};
pub use loops::{Loop, LoopError, LoopForest, LoopId, convergence_order};
