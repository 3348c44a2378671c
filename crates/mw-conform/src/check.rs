//! Checks one kernel: plans launches, runs them on both engines, compares.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mw_air::schema::{ArgRole, ModuleInfo};
use mw_air::{AddressSpace, BlockId, FuncId, Inst, Module, Type};
use mw_backend::{
    Argument, Backend as _, BufferView, CompileError, ConstantValues, Kernel, Launch, LaunchError,
    ThreadgroupOrder,
};
use mw_cpu::{CpuBackend, CpuKernel, CpuOptions, EmulatedBackend};
use mw_interp::{Finding, FindingKind, InterpBackend, InterpKernel};

use crate::compare::difference;
use crate::guard::GuardedBuffer;
use crate::interpret::{Blocks, InterpretError, Interpreted, POINTER_BYTES, interpret};
use crate::outcome::{Class, Outcome};
use crate::plan::{ArgPlan, Case, Element, Rules, Slot, mix, plan};

/// Share of blocks that a kernel should have executed.
pub const ENOUGH: f64 = 0.9;

/// No new case is started after so many operations of the interpreter: counted, not timed, so that results
/// do not depend on how busy the machine is.
const BUDGET: u64 = 40_000_000;

/// Simdgroup operations after which the interpreter stops a launch.
const STEPS: u64 = 30_000_000;

/// Compiled code is stopped after this time.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// The engines, ready to check kernels.
#[derive(Debug)]
pub struct Checker {
    rules: Rules,
    interp: InterpBackend,
    /// One worker thread: threadgroups run in order.
    cpu: CpuBackend,
    /// Several worker threads.
    parallel: CpuBackend,
    /// Runs compiled code of another machine, instead of this one's.
    emulated: Option<EmulatedBackend>,
    seed: u64,
}

/// Compiled code.
enum Compiled {
    /// For this machine.
    Host(Box<CpuKernel>),
    /// For another one.
    Emulated(Arc<dyn Kernel>),
}

impl Compiled {
    fn kernel(&self) -> &dyn Kernel {
        match self {
            Self::Host(kernel) => &**kernel,
            Self::Emulated(kernel) => &**kernel,
        }
    }
}

/// A kernel with its function constants set, on both engines.
struct Prepared {
    constants: ConstantValues,
    interp: InterpKernel,
    compiled: Compiled,
    active: Vec<bool>,
    atomic_floats: bool,
    compared: bool,
}

/// What went wrong, as class and sentence.
type Failure = (Class, String);

impl Checker {
    /// Engines with the settings of the environment (`MW_CPU`).
    pub fn new(rules: Rules, seed: u64) -> Result<Self, mw_cpu::OptionsError> {
        let one = NonZero::<usize>::MIN;
        let options = CpuOptions {
            threads: one,
            time_limit: TIME_LIMIT,
            clear_threadgroup_memory: true,
            cache_folder: None,
            ..CpuOptions::from_environment()?
        };
        let several = CpuOptions { threads: one.saturating_add(2), ..options.clone() };
        Ok(Self {
            rules,
            interp: InterpBackend { step_limit: STEPS },
            cpu: CpuBackend::new(options),
            parallel: CpuBackend::new(several),
            emulated: None,
            seed,
        })
    }

    /// Checks code for AArch64, run by `emulator`, instead of code for this machine.
    #[must_use]
    pub fn emulating(self, emulator: impl Into<PathBuf>) -> Self {
        Self { emulated: Some(EmulatedBackend::new(emulator)), ..self }
    }

    /// Checks kernel `name` of a module.
    pub fn check(&self, name: &str, hash: &str, module: &Module) -> Outcome {
        let mut outcome = Outcome::new(name, hash, Class::Ok, "");
        if let Err((class, detail)) = self.run(name, module, &mut outcome) {
            outcome.class = class;
            outcome.detail = detail;
            if matches!(class, Class::LowCoverage | Class::Undefined)
                && let Some(note) = self.rules.note(name)
            {
                outcome.detail += "; ";
                outcome.detail += note;
            }
        }
        outcome
    }

    fn run(&self, name: &str, module: &Module, outcome: &mut Outcome) -> Result<(), Failure> {
        let unreadable = |error: &dyn std::fmt::Display| (Class::Unreadable, error.to_string());
        let info = Arc::new(ModuleInfo::parse(module).map_err(|error| unreadable(&error))?);
        let index = info
            .kernels
            .iter()
            .position(|kernel| &*kernel.name == name)
            .ok_or_else(|| unreadable(&format!("the module has no kernel `{name}`")))?;
        let kernel = &info.kernels[index];
        let seed = name.bytes().fold(self.seed, |seed, byte| mix(seed ^ u64::from(byte)));
        let mut cases = plan(&self.rules, kernel, &info.function_constants, seed)
            .map_err(|error| (Class::NoLaunch, error.to_string()))?;
        let align = widest_access(module);
        if has_atomic_floats(module) {
            name_atomic_floats(kernel, &mut cases);
        }
        let mut prepared: Vec<Prepared> = Vec::new();
        let mut executed = Blocks::default();
        let mut worst: Option<Failure> = None;
        let mut ran = 0;
        for case in &cases {
            if ran >= 2 && outcome.changed && outcome.coverage() > 0.97 || outcome.steps > BUDGET {
                break;
            }
            let known = prepared.iter().position(|known| known.constants == case.constants);
            let place = if let Some(place) = known {
                place
            } else {
                prepared.push(self.prepare(module, &info, index, &case.constants)?);
                prepared.len() - 1
            };
            let prepared = &mut prepared[place];
            let clock = Instant::now();
            let result = interpret(&prepared.interp, case, &prepared.active);
            outcome.interp_ms += clock.elapsed().as_millis() as u64;
            let result = match result {
                Ok(result) => result,
                Err(error) => {
                    if matches!(error, InterpretError::Watchdog(_)) {
                        outcome.steps += STEPS;
                    }
                    keep_worst(&mut worst, Self::interpret_failure(case, &error));
                    continue;
                }
            };
            ran += 1;
            let known = outcome.executed;
            for (function, block) in own_blocks(&prepared.interp) {
                if result.executed.contains(function, block) {
                    executed.insert(function, block);
                }
            }
            outcome.blocks = own_blocks(&prepared.interp).count();
            outcome.executed = prepared
                .interp
                .own_blocks()
                .filter(|(function, block)| executed.contains(*function, *block))
                .count();
            outcome.changed |= result.buffers.iter().flatten().any(|buffer| buffer.before != buffer.after);
            outcome.steps += result.steps;
            for finding in &result.findings {
                *outcome.findings.entry(finding.kind.describe().to_owned()).or_default() += 1;
            }
            // Compiling is what takes time: code that shows nothing new is not compiled.
            if ran > 1 && !prepared.compared && outcome.executed == known {
                continue;
            }
            prepared.compared = true;
            let clock = Instant::now();
            let compared = self.compare(prepared, case, &result, align);
            outcome.cpu_ms += clock.elapsed().as_millis() as u64;
            outcome.cases += 1;
            if let Err((class, detail)) = compared {
                let class = match class {
                    Class::Mismatch | Class::Order if !result.findings.is_empty() => Class::Undefined,
                    Class::JitFault if result.findings.iter().any(is_address) => Class::Undefined,
                    class => class,
                };
                keep_worst(&mut worst, (class, format!("{}: {detail}", case.label)));
                if class > Class::Undefined {
                    break;
                }
            }
        }
        if outcome.coverage() < ENOUGH
            && let Some(prepared) = prepared.first()
        {
            let module = prepared.interp.module();
            let missed = prepared
                .interp
                .own_blocks()
                .filter(|(function, block)| !executed.contains(*function, *block));
            outcome.missed = missed
                .map(|(function, block)| format!("{}:{}", module.function(function).name, block.0))
                .collect();
        }
        // A case that is not in bounds says nothing, as long as others ran.
        if let Some((class, detail)) = worst
            && (outcome.cases == 0 || !matches!(class, Class::NoLaunch | Class::Watchdog))
        {
            return Err((class, detail));
        }
        if outcome.coverage() < ENOUGH || !outcome.changed {
            let share = outcome.coverage() * 100.0;
            let output = if outcome.changed { "" } else { "; no output changed" };
            let detail =
                format!("{} of {} blocks executed ({share:.1} %){output}", outcome.executed, outcome.blocks);
            return Err((Class::LowCoverage, detail));
        }
        Ok(())
    }

    fn interpret_failure(case: &Case, error: &InterpretError) -> Failure {
        let class = match error {
            InterpretError::OutOfBounds(_) => Class::NoLaunch,
            InterpretError::Watchdog(_) => Class::Watchdog,
            InterpretError::Launch(LaunchError::Unsupported { .. }) => Class::Unsupported,
            InterpretError::Launch(_) | InterpretError::Memory(_) => Class::InterpError,
        };
        (class, format!("{}: {error}", case.label))
    }

    /// Sets function constants and makes the kernel on both engines.
    fn prepare(
        &self,
        module: &Module,
        info: &Arc<ModuleInfo>,
        kernel: usize,
        constants: &ConstantValues,
    ) -> Result<Prepared, Failure> {
        let mut module = module.clone();
        let mut report = mw_passes::specialize::specialize(&mut module, info, constants)
            .map_err(|error| (Class::NoLaunch, error.to_string()))?;
        let active = report.active_args.swap_remove(kernel);
        let module = Arc::new(module);
        let interp = self.interp.prepare(&module, info, kernel).map_err(|error| {
            let class = match error {
                CompileError::Unsupported { .. } => Class::Unsupported,
                CompileError::Invalid { .. } | CompileError::Internal { .. } => Class::InterpError,
            };
            (class, error.to_string())
        })?;
        let compiled = match &self.emulated {
            None => Compiled::Host(Box::new(self.cpu.kernel(&module, info, kernel))),
            Some(backend) => {
                let emulated = backend.compile(&module, info, kernel);
                Compiled::Emulated(emulated.map_err(|error| (Class::JitError, error.to_string()))?)
            }
        };
        Ok(Prepared {
            constants: constants.clone(),
            interp,
            compiled,
            active,
            atomic_floats: has_atomic_floats(&module),
            compared: false,
        })
    }

    /// Runs a case on compiled code, with one thread and with several, and compares all buffers.
    fn compare(
        &self,
        prepared: &Prepared,
        case: &Case,
        expected: &Interpreted,
        align: usize,
    ) -> Result<(), Failure> {
        if self.emulated.is_some() && case.args.iter().any(|arg| matches!(arg, ArgPlan::Pointers(_))) {
            return Err((Class::Unsupported, "addresses in argument buffers are not emulated".into()));
        }
        let one = run_compiled(prepared.compiled.kernel(), case, expected, align)?;
        let kernel = prepared.compiled.kernel().info();
        let slots = case.slots();
        let name = |slot: Slot| match slot.pointer {
            Some(pointer) => format!("{}[{pointer}]", kernel.args[slot.arg].name),
            None => kernel.args[slot.arg].name.to_string(),
        };
        for ((slot, contents), actual) in slots.iter().zip(&expected.buffers).zip(&one) {
            let (Some(contents), Some(actual)) = (contents, actual) else { continue };
            if let Some(found) = difference(&name(*slot), case.element(*slot), &contents.after, actual) {
                return Err((Class::Mismatch, found.to_string()));
            }
        }
        // Float atomics are ordered on one thread only.
        let Compiled::Host(host) = &prepared.compiled else { return Ok(()) };
        if case.grid.threadgroup_count() < 2 || prepared.atomic_floats {
            return Ok(());
        }
        let several = run_compiled(&host.on(&self.parallel), case, expected, align)?;
        for ((slot, one), several) in slots.iter().zip(&one).zip(&several) {
            let (Some(one), Some(several)) = (one, several) else { continue };
            if let Some(found) = difference(&name(*slot), case.element(*slot), one, several) {
                return Err((Class::Order, format!("one thread and three: {found}")));
            }
        }
        Ok(())
    }
}

/// An address was not defined: another engine may go anywhere.
fn is_address(finding: &Finding) -> bool {
    finding.kind == FindingKind::AddressOnUndef
}

fn keep_worst(worst: &mut Option<Failure>, failure: Failure) {
    if worst.as_ref().is_none_or(|(class, _)| failure.0 > *class) {
        *worst = Some(failure);
    }
}

/// Runs compiled code on fresh copies of the buffers, each as long as the interpreter touched it, between
/// guard pages. Gives their contents afterwards.
fn run_compiled(
    kernel: &dyn Kernel,
    case: &Case,
    expected: &Interpreted,
    align: usize,
) -> Result<Vec<Option<Vec<u8>>>, Failure> {
    let memory = |error: std::io::Error| (Class::JitError, format!("memory for the buffers: {error}"));
    let slots = case.slots();
    let mut buffers = Vec::new();
    for (slot, contents) in slots.iter().zip(&expected.buffers) {
        buffers.push(match contents {
            Some(contents) => {
                let own = match &kernel.info().args[slot.arg].role {
                    ArgRole::Buffer(buffer) => buffer.type_align.unwrap_or(1) as usize,
                    ArgRole::IndirectBuffer(_) => 16,
                    _ => 1,
                };
                let align = own.max(align).next_power_of_two().clamp(1, 16);
                Some(GuardedBuffer::new(&contents.before, align).map_err(memory)?)
            }
            None => None,
        });
    }
    for (slot, buffer) in slots.iter().zip(&buffers) {
        if let (Some(pointer), Some(buffer), Some(table)) = (slot.pointer, buffer, &buffers[slot.arg]) {
            let address = buffer.view().address().to_le_bytes();
            let written = table.view().write(pointer * POINTER_BYTES, &address);
            debug_assert!(written.is_some(), "the table has room for each pointer");
        }
    }
    let resident: Vec<BufferView> =
        buffers.iter().skip(case.args.len()).flatten().map(GuardedBuffer::view).collect();
    let args: Vec<Argument> = case
        .args
        .iter()
        .zip(&buffers)
        .map(|(arg, buffer)| match (arg, buffer) {
            (_, Some(buffer)) => Argument::Buffer(buffer.view()),
            (ArgPlan::Threadgroup(length), None) => Argument::Threadgroup { length: *length },
            (ArgPlan::Builtin, None) => Argument::Builtin,
            (ArgPlan::Fill(_) | ArgPlan::Exact { .. } | ArgPlan::Pointers(_), None) => Argument::Absent,
        })
        .collect();
    let launch = Launch {
        grid: case.grid,
        args: &args,
        resident: &resident,
        order: ThreadgroupOrder::Ascending,
        time_limit: Some(TIME_LIMIT),
    };
    kernel.run(&launch).map_err(|error| {
        let class = match &error {
            LaunchError::Fault { .. } => Class::JitFault,
            LaunchError::Compile(CompileError::Unsupported { .. }) | LaunchError::Unsupported { .. } => {
                Class::Unsupported
            }
            LaunchError::Compile(_) | LaunchError::Watchdog { .. } => Class::JitError,
        };
        (class, error.to_string())
    })?;
    for (slot, buffer) in slots.iter().zip(&buffers) {
        if buffer.as_ref().is_some_and(|buffer| !buffer.rest_is_untouched()) {
            let name = &kernel.info().args[slot.arg].name;
            return Err((Class::JitFault, format!("wrote behind the end of buffer `{name}`")));
        }
    }
    let after = |(slot, buffer): (&Slot, &Option<GuardedBuffer>)| {
        // Addresses are no result.
        let is_table = slot.pointer.is_none() && matches!(case.args[slot.arg], ArgPlan::Pointers(_));
        if is_table { None } else { buffer.as_ref().map(GuardedBuffer::bytes) }
    };
    Ok(slots.iter().zip(&buffers).map(after).collect())
}

/// The largest alignment that the module's code promises for an access to a buffer.
fn widest_access(module: &Module) -> usize {
    let in_buffer = |ty: &Type| {
        matches!(ty, Type::Scalar(mw_air::Scalar::Ptr(space))
            if matches!(*space, AddressSpace::DEVICE | AddressSpace::CONSTANT))
    };
    let mut widest = 1;
    for function in &module.functions {
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if let Inst::Load { ptr, align, .. } | Inst::Store { ptr, align, .. } = &function.inst(*inst).inst
                && in_buffer(function.value_type(*ptr))
            {
                widest = widest.max(*align);
            }
        }
    }
    widest as usize
}

/// Whether the module has atomic operations on `float`.
fn has_atomic_floats(module: &Module) -> bool {
    module
        .functions
        .iter()
        .any(|function| function.name.starts_with("air.atomic.") && function.name.ends_with(".f32"))
}

/// Reflection names atomic types without what they hold: where there are atomic floats, buffers of atomic
/// words hold them, so that their NaN are compared as such.
fn name_atomic_floats(kernel: &mw_air::schema::KernelInfo, cases: &mut [Case]) {
    for case in cases {
        for (arg, plan) in kernel.args.iter().zip(&mut case.args) {
            let ArgRole::Buffer(buffer) = &arg.role else { continue };
            let is_atomic = arg.type_name.contains("atomic")
                || buffer.members.iter().any(|member| member.type_name.contains("atomic"));
            if is_atomic
                && buffer.type_size == Some(4)
                && let ArgPlan::Fill(fill) = plan
            {
                fill.element = Element::Float;
            }
        }
    }
}

/// The kernel's own blocks: without those of helpers that setting the constants has given a body.
fn own_blocks(kernel: &InterpKernel) -> impl Iterator<Item = (FuncId, BlockId)> + '_ {
    let module = kernel.module();
    kernel.own_blocks().filter(|(function, _)| !module.function(*function).name.starts_with("air."))
}
