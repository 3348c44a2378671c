//! How a kernel is launched: cases made from hand-written rules or, where there is none, from the names and
//! types in the kernel's metadata.
//!
//! A [`Case`] fixes function constants, the grid and what every argument holds. Buffers have no length yet:
//! the interpreter finds out how far the kernel reaches ([`crate::interpret`]).

mod element;
mod expr;
mod fill;
mod generic;
mod rules;

use mw_air::schema::{ArgRole, FunctionConstant, KernelInfo};
use mw_backend::{ConstantValues, Grid};

pub use element::Element;
pub use fill::{Fill, FillKind, PATTERN, mix};
pub use rules::{RuleError, Rules};

/// One launch, but for the lengths of buffers.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// What tells it from the kernel's other cases.
    pub label: String,
    /// Function constants.
    pub constants: ConstantValues,
    /// Grid.
    pub grid: Grid,
    /// One entry for each kernel parameter.
    pub args: Vec<ArgPlan>,
}

/// What a kernel parameter receives.
#[derive(Clone, PartialEq, Debug)]
pub enum ArgPlan {
    /// A built-in.
    Builtin,
    /// Threadgroup memory of this many bytes.
    Threadgroup(u32),
    /// A buffer as long as the kernel needs it.
    Fill(Fill),
    /// Exactly these bytes; zeros behind them, should the kernel read on.
    Exact {
        /// The bytes.
        bytes: Vec<u8>,
        /// Type of the elements.
        element: Element,
    },
    /// An argument buffer: addresses of buffers, eight bytes each, and nothing else.
    Pointers(Vec<Fill>),
}

/// A buffer of a case: that of an argument, or one that an argument buffer points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The argument.
    pub arg: usize,
    /// Which of its pointers; `None` for the argument itself.
    pub pointer: Option<usize>,
}

impl Case {
    /// One slot for each argument, in order, then those behind pointers.
    pub fn slots(&self) -> Vec<Slot> {
        let args = (0..self.args.len()).map(|arg| Slot { arg, pointer: None });
        let behind = self.args.iter().enumerate().flat_map(|(arg, plan)| {
            let count = if let ArgPlan::Pointers(fills) = plan { fills.len() } else { 0 };
            (0..count).map(move |pointer| Slot { arg, pointer: Some(pointer) })
        });
        args.chain(behind).collect()
    }

    /// How a slot is filled, where it is of any length.
    pub fn fill(&self, slot: Slot) -> Option<&Fill> {
        match (&self.args[slot.arg], slot.pointer) {
            (ArgPlan::Fill(fill), None) => Some(fill),
            (ArgPlan::Pointers(fills), Some(pointer)) => fills.get(pointer),
            _ => None,
        }
    }

    /// Type of a slot's elements.
    pub fn element(&self, slot: Slot) -> Element {
        match (self.fill(slot), &self.args[slot.arg]) {
            (Some(fill), _) => fill.element,
            (None, ArgPlan::Exact { element, .. }) => *element,
            (None, ArgPlan::Pointers(_)) => Element::Unsigned(8),
            (None, _) => Element::Unsigned(1),
        }
    }
}

/// A kernel for which no launch can be made.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PlanError {
    /// An argument of a kind that the planner cannot make.
    #[error("argument `{name}` is {what}: write a launch rule, once the planner can make one")]
    Argument {
        /// Name of the argument.
        name: String,
        /// What it is.
        what: &'static str,
    },
    /// A rule that does not fit the kernel.
    #[error(transparent)]
    Rule(#[from] RuleError),
}

/// The cases of a kernel, the most telling first.
pub fn plan(
    rules: &Rules,
    kernel: &KernelInfo,
    constants: &[FunctionConstant],
    seed: u64,
) -> Result<Vec<Case>, PlanError> {
    for arg in &kernel.args {
        let what = match arg.role {
            ArgRole::VisibleFunctionTable { .. } => "a function table",
            ArgRole::Buffer(_) | ArgRole::IndirectBuffer(_) | ArgRole::Builtin(_) => continue,
        };
        return Err(PlanError::Argument { name: arg.name.to_string(), what });
    }
    match rules.cases(kernel, constants, seed)? {
        Some(cases) => Ok(cases),
        None => Ok(generic::cases(kernel, constants, seed)),
    }
}

/// The stream of random numbers of argument `index`.
fn stream(seed: u64, index: usize) -> u64 {
    mix(seed ^ mix(index as u64 + 1))
}
