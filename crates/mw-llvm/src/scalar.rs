//! The scalar clean-up: LLVM passes that make one thread's code small without changing who converges.
//!
//! **Before** Apple's AIR with its function constants set and library functions given bodies; **After** one
//! flat kernel: helpers inlined, private arrays in registers, constant loops unrolled, branches on function
//! constants gone.
//! **Requires** the changes of `prepare` (no `mustprogress`, collectives convergent, defined shifts and
//! divisions).
//! **Ensures** every convergent call is reached under the conditions under which it was before; LCSSA and
//! loop-simplify form; one `ret`; no `switch`; no vectors, widths or intrinsics that were not there before
//! other than `smin`/`umin`/`smax`/`umax`, `fabs`, `abs`, `fshl`, `ctpop`-like bit functions.
//! **Cost** see `Timings`; text in and bitcode out are about a third of it.
//! **Not done** jump threading, unswitching, loop idioms, vectorisers, GVN of loads across blocks: each moves
//! or merges code in ways that are right for one thread and wrong for lanes that run together.

use std::time::{Duration, Instant};

use mw_air::{Module, PrintOptions};

use crate::context::{Buffer, Context, LlvmModule};
use crate::stack::on_large_stack;
use crate::{LlvmError, passes, prepare, zero_compare};

/// Settings of the scalar clean-up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScalarOptions {
    /// f32 arithmetic flushes denormals (`air.compile.denorms_disable`), so that constants fold that way.
    pub flush_f32_denormals: bool,
    /// Unroll loops with a constant trip count.
    pub unroll: bool,
    /// Run LLVM's verifier before and after: a hundredth of the time, and a message instead of a crash.
    pub verify: bool,
}

impl Default for ScalarOptions {
    fn default() -> Self {
        Self { flush_f32_denormals: true, unroll: true, verify: true }
    }
}

/// Time that each step took.
#[derive(Clone, Debug, Default)]
pub struct Timings(pub Vec<(&'static str, Duration)>);

impl Timings {
    /// Runs a step and notes its time.
    pub fn time<T>(&mut self, step: &'static str, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = run();
        self.0.push((step, start.elapsed()));
        result
    }

    /// Sum of all steps.
    pub fn total(&self) -> Duration {
        self.0.iter().map(|(_, time)| *time).sum()
    }
}

/// Bitcode of more bytes than this after inlining gets one round of unrolling less: about 20,000
/// instructions. Widening and code generation then cost seconds already.
const HUGE_BITCODE_BYTES: usize = 400_000;

/// `simplifycfg` without anything that moves code between arms (hoisting and sinking of common
/// instructions) or that makes tables out of switches.
macro_rules! simplify_cfg {
    () => {
        "simplifycfg<no-forward-switch-cond;no-switch-range-to-icmp;no-switch-to-arithmetic;\
         no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-hoist-loads-stores-with-cond-faulting;\
         no-sink-common-insts;no-speculate-unpredictables;speculate-blocks;simplify-cond-branch>"
    };
}

/// One round of scalar simplification.
macro_rules! simplify {
    () => {
        concat!(
            "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,",
            simplify_cfg!(),
            ")"
        )
    };
}

/// One round of loop simplification and full unrolling.
macro_rules! unroll {
    () => {
        "function(loop-simplify,lcssa,loop(loop-rotate,indvars,loop-deletion,loop-unroll-full))"
    };
}

/// Constructors of function constants run at compile time; what they decide folds; helpers go inline.
const FLATTEN: &str = concat!("globalopt,globaldce,", simplify!(), ",always-inline,globaldce,", simplify!());

/// A round of unrolling, and the simplification that it makes possible.
const UNROLL: &str = concat!(unroll!(), ",", simplify!());

/// Loops rotated but not unrolled.
const ROTATE: &str =
    concat!("function(loop-simplify,lcssa,loop(loop-rotate,indvars,loop-deletion)),", simplify!());

/// The shape that the vectoriser requires.
const SHAPE: &str = concat!(
    "function(adce,",
    simplify_cfg!(),
    ",lower-switch,mergereturn,loop-simplify,lcssa),globaldce,strip-dead-prototypes"
);

/// Runs the clean-up on a copy of the module. Function constants must be set and library functions linked.
pub fn optimize_scalar(module: &Module, options: ScalarOptions) -> Result<Module, LlvmError> {
    optimize_scalar_timed(module, options, &mut Timings::default())
}

/// [`optimize_scalar`], noting the time of each step.
pub fn optimize_scalar_timed(
    module: &Module,
    options: ScalarOptions,
    timings: &mut Timings,
) -> Result<Module, LlvmError> {
    let prepared = timings.time("prepare", || prepare::for_scalar(module, options));
    let text = timings.time("print", || {
        mw_air::print(&prepared, &PrintOptions { debug: false, ..PrintOptions::default() })
    });
    drop(prepared);
    let (bitcode, times) = on_large_stack(move || -> Result<(Buffer, Timings), LlvmError> {
        let mut timings = Timings::default();
        let context = Context::new();
        let llvm = timings.time("parse", || context.parse(&text))?;
        if options.verify {
            timings.time("verify", || llvm.verify("linking"))?;
        }
        optimize(&context, &llvm, options, &mut timings)?;
        let bitcode = timings.time("write bitcode", || llvm.bitcode());
        Ok((bitcode, timings))
    })?;
    timings.0.extend(times.0);
    let mut module = timings
        .time("read bitcode", || mw_metallib::read_module(bitcode.bytes()))
        .map_err(|error| LlvmError::ReadBack { message: error.to_string() })?;
    zero_compare::unfence(&mut module);
    Ok(module)
}

/// Runs the clean-up on a module.
pub(crate) fn optimize(
    context: &Context,
    module: &LlvmModule<'_>,
    options: ScalarOptions,
    timings: &mut Timings,
) -> Result<(), LlvmError> {
    timings.time("flatten", || passes::run(context, module, FLATTEN, None, "scalar: flatten"))?;
    let rounds = match module.bitcode().bytes().len() {
        _ if !options.unroll => 0,
        HUGE_BITCODE_BYTES.. => 1,
        _ => 2,
    };
    timings.time("unroll", || {
        if rounds == 0 {
            return passes::run(context, module, ROTATE, None, "scalar: rotate");
        }
        (0..rounds).try_for_each(|_| passes::run(context, module, UNROLL, None, "scalar: unroll"))
    })?;
    timings.time("shape", || passes::run(context, module, SHAPE, None, "scalar: shape"))?;
    if options.verify {
        timings.time("verify", || module.verify("scalar clean-up"))?;
    }
    Ok(())
}
