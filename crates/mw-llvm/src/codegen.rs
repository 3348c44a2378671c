//! From a 32-lane module to machine code.

use mw_air::{Module, PrintOptions};

use crate::context::{Context, LlvmModule};
use crate::stack::on_large_stack;
use crate::target::{Machine, Output};
use crate::{Effort, LlvmError, TargetSpec, Timings, extremes, passes, prepare};

/// Settings of code generation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CodegenOptions {
    /// The machine.
    pub target: TargetSpec,
    /// f32 arithmetic flushes denormals, so that constants fold that way.
    pub flush_f32_denormals: bool,
    /// The most work that the code generator may do; huge modules get less.
    pub effort: Effort,
    /// Run LLVM's verifier on the input: a hundredth of the time, and a message instead of a crash.
    pub verify: bool,
}

impl CodegenOptions {
    /// Full effort for a machine.
    pub fn new(target: TargetSpec) -> Self {
        Self { target, flush_f32_denormals: true, effort: Effort::Default, verify: true }
    }
}

/// Text of more bytes than this is generated with `Effort::Less`, and beyond the second bound with fewer
/// passes before it too.
const LARGE_TEXT_BYTES: usize = 3 << 20;
const HUGE_TEXT_BYTES: usize = 12 << 20;

const OPTIMIZE: &str = "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,\
    loop-simplify,lcssa,loop-mssa(licm<allowspeculation>),gvn<no-load-pre>,dse,\
    instcombine<no-verify-fixpoint>,simplifycfg<sink-common-insts;hoist-common-insts>,adce)";

const OPTIMIZE_HUGE: &str = "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Compiles a 32-lane module to an ELF object.
pub fn compile(module: &Module, options: &CodegenOptions) -> Result<Vec<u8>, LlvmError> {
    compile_timed(module, options, &mut Timings::default())
}

/// [`compile`], noting the time of each step.
pub fn compile_timed(
    module: &Module,
    options: &CodegenOptions,
    timings: &mut Timings,
) -> Result<Vec<u8>, LlvmError> {
    let text = timings.time("print", || print(module, options));
    let (object, times) = generate(text, options, Output::Object)?;
    timings.0.extend(times.0);
    Ok(object)
}

/// [`compile`] with more LLVM assembly in the same object, such as a start for a program of its own.
pub fn compile_with(module: &Module, text: &str, options: &CodegenOptions) -> Result<Vec<u8>, LlvmError> {
    let text = print(module, options) + text;
    Ok(generate(text, options, Output::Object)?.0)
}

/// Compiles a 32-lane module to assembly.
pub fn assembly(module: &Module, options: &CodegenOptions) -> Result<String, LlvmError> {
    let text = print(module, options);
    let (bytes, _) = generate(text, options, Output::Assembly)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Generates code for LLVM assembly on a thread of its own.
pub(crate) fn generate(
    text: String,
    options: &CodegenOptions,
    output: Output,
) -> Result<(Vec<u8>, Timings), LlvmError> {
    let options = options.clone();
    on_large_stack(move || {
        let mut timings = Timings::default();
        let code = compile_text(&text, &options, output, &mut timings)?;
        Ok((code, timings))
    })
}

fn print(module: &Module, options: &CodegenOptions) -> String {
    let mut module = module.clone();
    prepare::for_codegen(&mut module, options);
    let printing =
        PrintOptions { debug: false, triple: Some(&options.target.triple), ..PrintOptions::default() };
    mw_air::print(&module, &printing)
}

/// Generates code for LLVM assembly.
fn compile_text(
    text: &str,
    options: &CodegenOptions,
    output: Output,
    timings: &mut Timings,
) -> Result<Vec<u8>, LlvmError> {
    let context = Context::new();
    let module = timings.time("parse", || context.parse(text))?;
    if options.verify {
        timings.time("verify", || module.verify("widening"))?;
    }
    let effort = match text.len() {
        HUGE_TEXT_BYTES.. => Effort::None,
        LARGE_TEXT_BYTES.. => options.effort.min(Effort::Less),
        _ => options.effort,
    };
    let machine = Machine::new(&options.target, effort)?;
    timings.time("optimise", || optimize(&context, &module, &machine, text.len()))?;
    // A broken module would end the process in the code generator; LLVM 22's instcombine has been seen to
    // break one that mixed scalar and vector address arithmetic.
    timings.time("verify", || module.verify("optimising"))?;
    let code = timings.time("generate", || machine.emit(&context, &module, output))?;
    Ok(code.bytes().to_vec())
}

/// Runs the passes before code generation.
pub(crate) fn optimize(
    context: &Context,
    module: &LlvmModule<'_>,
    machine: &Machine,
    text_bytes: usize,
) -> Result<(), LlvmError> {
    module.set_target(machine);
    let list = if text_bytes >= HUGE_TEXT_BYTES { OPTIMIZE_HUGE } else { OPTIMIZE };
    passes::run(context, module, list, Some(machine), "wide")?;
    extremes::keep_selections(module);
    Ok(())
}
