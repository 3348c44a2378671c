//! What checking a kernel can end in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The end of a check, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The engines agree, on enough of the kernel.
    Ok,
    /// They agree, but too few blocks were executed, or no output changed.
    LowCoverage,
    /// Results agree, but reflection says something else of the other library's kernel.
    Reflection,
    /// They differ where the kernel uses undefined values.
    Undefined,
    /// No launch could be made that stays in bounds.
    NoLaunch,
    /// The kernel did not end on the interpreter.
    Watchdog,
    /// An engine does not support what the kernel uses.
    Unsupported,
    /// The interpreter failed.
    InterpError,
    /// The kernel could not be compiled, or did not end.
    JitError,
    /// Compiled code touched memory that the interpreter did not.
    JitFault,
    /// The result depends on the number of worker threads.
    Order,
    /// The engines differ.
    Mismatch,
    /// The process that checked the kernel ended.
    Crash,
    /// The kernel cannot be read.
    Unreadable,
    /// The other library has no such kernel.
    Absent,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Ok,
        Self::LowCoverage,
        Self::Reflection,
        Self::Undefined,
        Self::NoLaunch,
        Self::Watchdog,
        Self::Unsupported,
        Self::InterpError,
        Self::JitError,
        Self::JitFault,
        Self::Order,
        Self::Mismatch,
        Self::Crash,
        Self::Unreadable,
        Self::Absent,
    ];

    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::LowCoverage => "low coverage",
            Self::Reflection => "reflection differs",
            Self::Undefined => "undefined values",
            Self::NoLaunch => "no launch in bounds",
            Self::Watchdog => "watchdog",
            Self::Unsupported => "unsupported",
            Self::InterpError => "interpreter error",
            Self::JitError => "compiler error",
            Self::JitFault => "fault in compiled code",
            Self::Order => "depends on thread count",
            Self::Mismatch => "mismatch",
            Self::Crash => "crash",
            Self::Unreadable => "unreadable",
            Self::Absent => "not in the other library",
        }
    }

    /// Whether something is wrong. Undefined values are the kernel's own fault, low coverage is the launch's:
    /// both are listed, neither fails a sweep.
    pub fn fails(self) -> bool {
        !matches!(self, Self::Ok | Self::LowCoverage | Self::Undefined)
    }

    /// Whether the engines were run and agreed.
    pub fn agrees(self) -> bool {
        matches!(self, Self::Ok | Self::LowCoverage)
    }
}

/// The result of checking one kernel.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Kernel name.
    pub name: String,
    /// SHA-256 of its bitcode, in hexadecimal.
    pub hash: String,
    /// How it ended.
    pub class: Class,
    /// Why, in a sentence; empty for `ok`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Blocks of the kernel.
    pub blocks: usize,
    /// Blocks that an active lane executed in some case.
    pub executed: usize,
    /// Blocks that none executed, as `function:block`, where they are too many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<String>,
    /// An output changed.
    pub changed: bool,
    /// Cases that ran on both engines.
    pub cases: usize,
    /// What the kernel should not have done, by kind, in kernels' places.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub findings: BTreeMap<String, usize>,
    /// Operations of the interpreter.
    pub steps: u64,
    /// Milliseconds in the interpreter.
    pub interp_ms: u64,
    /// Milliseconds of compiling and running compiled code.
    pub cpu_ms: u64,
}

impl Outcome {
    /// An outcome without a run.
    pub fn new(name: &str, hash: &str, class: Class, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            hash: hash.to_owned(),
            class,
            detail: detail.into(),
            blocks: 0,
            executed: 0,
            missed: Vec::new(),
            changed: false,
            cases: 0,
            findings: BTreeMap::new(),
            steps: 0,
            interp_ms: 0,
            cpu_ms: 0,
        }
    }

    /// Share of blocks that were executed; 1 for a kernel without blocks.
    pub fn coverage(&self) -> f64 {
        if self.blocks == 0 { 1.0 } else { self.executed as f64 / self.blocks as f64 }
    }
}
