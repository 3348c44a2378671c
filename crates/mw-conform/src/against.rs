//! Compares a library with another that holds the same kernels, such as our compiler's with Apple's.
//!
//! Both kernels of a name run on the interpreter, on the same inputs, planned for the other library's kernel;
//! their buffers are compared bit by bit, and what reflection says of them is compared too.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mw_air::Module;
use mw_air::schema::{KernelInfo, ModuleInfo};
use mw_interp::{InterpBackend, InterpKernel};
use mw_metallib::Library;

use crate::check::ENOUGH;
use crate::compare::difference;
use crate::interpret::{Blocks, InterpretError, Interpreted, interpret};
use crate::outcome::{Class, Outcome};
use crate::plan::{Case, Element, Rules, mix, plan};

/// Cases that are tried at most.
const CASES: usize = 16;

/// No new case is started after so many operations of the interpreter.
const BUDGET: u64 = 20_000_000;

/// Operations after which a launch is given up.
const STEPS: u64 = 20_000_000;

/// The other library, ready to be compared with.
#[derive(Debug)]
pub struct Comparison {
    rules: Rules,
    other: Vec<Library>,
    seed: u64,
}

/// Why no comparison can be made.
#[derive(Debug, thiserror::Error)]
pub enum ComparisonError {
    /// The other library.
    #[error(transparent)]
    Library(#[from] mw_metallib::LibraryError),
    /// The launch rules.
    #[error(transparent)]
    Rules(#[from] crate::plan::RuleError),
}

/// What went wrong, as class and sentence.
type Failure = (Class, String);

/// One of the two kernels.
struct Side {
    module: Module,
    info: Arc<ModuleInfo>,
    index: usize,
}

impl Side {
    fn new(module: Module, name: &str) -> Result<Self, Failure> {
        let unreadable = |error: String| (Class::Unreadable, error);
        let info = Arc::new(ModuleInfo::parse(&module).map_err(|error| unreadable(error.to_string()))?);
        let index = info
            .kernels
            .iter()
            .position(|kernel| &*kernel.name == name)
            .ok_or_else(|| unreadable(format!("the module has no kernel `{name}`")))?;
        Ok(Self { module, info, index })
    }

    fn kernel(&self) -> &KernelInfo {
        &self.info.kernels[self.index]
    }

    /// Runs a case. What the kernel executed comes with its own blocks.
    fn run(&self, case: &Case) -> Result<(InterpKernel, Interpreted), Failure> {
        let mut module = self.module.clone();
        // The case was planned for the other kernel: constants that only this one asks for are 0.
        let mut constants = case.constants.clone();
        for constant in &self.info.function_constants {
            if constants.get(constant.index).is_none() && constant.required {
                let size = Element::of_type(&constant.type_name, None).size() as u8;
                constants.set(constant.index, 0, size);
            }
        }
        let mut report = mw_passes::specialize::specialize(&mut module, &self.info, &constants)
            .map_err(|error| (Class::NoLaunch, error.to_string()))?;
        let active = report.active_args.swap_remove(self.index);
        let backend = InterpBackend { step_limit: STEPS };
        let kernel = backend
            .prepare(&Arc::new(module), &self.info, self.index)
            .map_err(|error| (Class::Unsupported, error.to_string()))?;
        let result = interpret(&kernel, case, &active).map_err(|error| {
            let class = match &error {
                InterpretError::OutOfBounds(_) => Class::NoLaunch,
                InterpretError::Watchdog(_) => Class::Watchdog,
                InterpretError::Launch(mw_backend::LaunchError::Unsupported { .. }) => Class::Unsupported,
                InterpretError::Launch(_) | InterpretError::Memory(_) => Class::InterpError,
            };
            (class, format!("{}: {error}", case.label))
        })?;
        Ok((kernel, result))
    }
}

impl Comparison {
    /// Opens the other library.
    pub fn new(path: &Path, seed: u64) -> Result<Self, ComparisonError> {
        Ok(Self { rules: Rules::built_in(path)?, other: Library::open_all(path)?, seed })
    }

    /// Compares kernel `name` of a module with the other library's of that name.
    pub fn check(&self, name: &str, hash: &str, module: Module) -> Outcome {
        let mut outcome = Outcome::new(name, hash, Class::Ok, "");
        if let Err((class, detail)) = self.run(name, module, &mut outcome) {
            outcome.class = class;
            outcome.detail = detail;
        }
        outcome
    }

    fn run(&self, name: &str, module: Module, outcome: &mut Outcome) -> Result<(), Failure> {
        let Some(function) = self.other.iter().find_map(|library| library.function(name)) else {
            return Err((Class::Absent, "the other library has no kernel of this name".into()));
        };
        let other = function.read_module().map_err(|error| (Class::Unreadable, error.to_string()))?;
        let (ours, other) = (Side::new(module, name)?, Side::new(other, name)?);
        let reflection = reflection(&ours, &other);
        let result = self.results(name, &ours, &other, outcome);
        match (result, reflection) {
            (Err((class, detail)), Some(reflection)) => {
                Err((class, format!("{detail}; reflection: {reflection}")))
            }
            (Err(failure), None) => Err(failure),
            (Ok(()), Some(reflection)) => Err((Class::Reflection, reflection)),
            (Ok(()), None) if outcome.coverage() < ENOUGH || !outcome.changed => {
                let share = outcome.coverage() * 100.0;
                let output = if outcome.changed { "" } else { "; no output changed" };
                Err((Class::LowCoverage, format!("{share:.0} % of blocks executed{output}")))
            }
            (Ok(()), None) => Ok(()),
        }
    }

    fn results(&self, name: &str, ours: &Side, other: &Side, outcome: &mut Outcome) -> Result<(), Failure> {
        let seed = name.bytes().fold(self.seed, |seed, byte| mix(seed ^ u64::from(byte)));
        let cases = plan(&self.rules, other.kernel(), &other.info.function_constants, seed)
            .map_err(|error| (Class::NoLaunch, error.to_string()))?;
        let mut executed = Blocks::default();
        let mut none_ran = None;
        for case in cases.iter().take(CASES) {
            if outcome.cases >= 2 && outcome.changed && outcome.coverage() > 0.97 || outcome.steps > BUDGET {
                break;
            }
            let clock = Instant::now();
            let (kernel, theirs) = match other.run(case) {
                Ok(run) => run,
                Err(failure) => {
                    outcome.steps += if failure.0 == Class::Watchdog { STEPS } else { 0 };
                    none_ran.get_or_insert(failure);
                    continue;
                }
            };
            let mine = ours.run(case);
            outcome.interp_ms += clock.elapsed().as_millis() as u64;
            for (function, block) in kernel.own_blocks() {
                if theirs.executed.contains(function, block) {
                    executed.insert(function, block);
                }
            }
            outcome.blocks = kernel.own_blocks().count();
            outcome.executed =
                kernel.own_blocks().filter(|(function, block)| executed.contains(*function, *block)).count();
            outcome.changed |= theirs.buffers.iter().flatten().any(|buffer| buffer.before != buffer.after);
            outcome.steps += theirs.steps;
            for finding in &theirs.findings {
                *outcome.findings.entry(finding.kind.describe().to_owned()).or_default() += 1;
            }
            let (_, mine) = mine.map_err(|(class, detail)| {
                // A kernel that is longer than the other may run into the limit alone.
                let class = if class == Class::Watchdog { class } else { Class::Mismatch };
                (class, format!("ours does not run: {detail}"))
            })?;
            outcome.cases += 1;
            if let Some(found) = compare(case, other.kernel(), &mine, &theirs) {
                let is_defined = theirs.findings.is_empty() && mine.findings.is_empty();
                let class = if is_defined { Class::Mismatch } else { Class::Undefined };
                return Err((class, format!("{}: {found}", case.label)));
            }
        }
        match none_ran {
            Some(failure) if outcome.cases == 0 => Err(failure),
            _ => Ok(()),
        }
    }
}

/// The first difference of two runs.
fn compare(case: &Case, kernel: &KernelInfo, mine: &Interpreted, theirs: &Interpreted) -> Option<String> {
    for (slot, (mine, theirs)) in case.slots().iter().zip(mine.buffers.iter().zip(&theirs.buffers)) {
        let (Some(mine), Some(theirs)) = (mine, theirs) else { continue };
        // Each is as long as its kernel reached; what only one of them reached must be unchanged.
        let length = mine.after.len().min(theirs.after.len());
        let name = &kernel.args[slot.arg].name;
        if let Some(found) =
            difference(name, case.element(*slot), &theirs.after[..length], &mine.after[..length])
        {
            return Some(format!(
                "`{name}`[{}] is {} by the other kernel and {} by ours ({} ULP); {} of {} differ",
                found.index, found.expected, found.actual, found.ulp, found.count, found.of
            ));
        }
        for (one, whose) in [(mine, "our"), (theirs, "the other")] {
            if one.after[length..] != one.before[length..] {
                return Some(format!("only {whose} kernel writes behind byte {length} of `{name}`"));
            }
        }
    }
    None
}

/// What reflection says differently, first.
fn reflection(ours: &Side, other: &Side) -> Option<String> {
    let (mine, theirs) = (ours.kernel(), other.kernel());
    if mine.max_threads_per_threadgroup != theirs.max_threads_per_threadgroup {
        return Some(format!(
            "at most {:?} threads per threadgroup instead of {:?}",
            mine.max_threads_per_threadgroup, theirs.max_threads_per_threadgroup
        ));
    }
    if mine.args.len() != theirs.args.len() {
        return Some(format!("{} arguments instead of {}", mine.args.len(), theirs.args.len()));
    }
    for (index, (mine, theirs)) in mine.args.iter().zip(&theirs.args).enumerate() {
        if (&mine.type_name, &mine.name) != (&theirs.type_name, &theirs.name) {
            return Some(format!(
                "argument {index} is {} {} instead of {} {}",
                mine.type_name, mine.name, theirs.type_name, theirs.name
            ));
        }
        if mine.role != theirs.role {
            return Some(format!("argument {index}: {:?} instead of {:?}", mine.role, theirs.role));
        }
        if mine.unused != theirs.unused {
            let is = if mine.unused { "is" } else { "is not" };
            return Some(format!("argument {index}, `{}`, {is} marked unused", mine.name));
        }
        if mine.predicate.is_some() != theirs.predicate.is_some() {
            return Some(format!("argument {index}, `{}`, depends on other function constants", mine.name));
        }
    }
    let constants = |info: &ModuleInfo| -> Vec<Constant> {
        let mut list: Vec<Constant> = info
            .function_constants
            .iter()
            .map(|it| (it.index, it.name.to_string(), it.type_name.to_string(), it.required))
            .collect();
        list.sort();
        list
    };
    let (mine, theirs) = (constants(&ours.info), constants(&other.info));
    let only = |left: &[Constant], right: &[Constant]| left.iter().find(|it| !right.contains(it)).cloned();
    (mine != theirs).then(|| {
        format!("function constant {:?} instead of {:?}", only(&mine, &theirs), only(&theirs, &mine))
    })
}

/// Index, name, type, and whether it has no default.
type Constant = (u32, String, String, bool);
