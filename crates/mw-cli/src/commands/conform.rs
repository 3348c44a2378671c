//! `mw conform LIB`: every kernel on both engines. The work is done by `mw-conform`.

use crate::Outcome;
use crate::cli::ConformArgs;
use crate::exit::Failure;
use crate::output::Output;

pub(crate) fn run(args: &ConformArgs, _output: &Output) -> Outcome {
    Err(Failure::unsupported(format!(
        "`mw conform {}` is not connected to the conformance job yet",
        args.path.display()
    )))
}
