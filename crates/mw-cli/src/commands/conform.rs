//! `mw conform LIB`: every kernel on both engines. `mw-conform` does the work, with this program as worker.

use mw_conform::command::Conform;

use crate::Outcome;
use crate::exit::Failure;

/// The hidden subcommand that workers run.
const WORKER: &str = "conform-worker";

pub(crate) fn run(args: &Conform) -> Outcome {
    if args.run(WORKER, &mut anstream::stdout())? {
        return Ok(());
    }
    Err(Failure::mismatch("the engines do not agree on every kernel".to_owned()))
}
