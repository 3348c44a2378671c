//! How many simdgroups a core holds at one time, what decides it, and what would change it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use thiserror::Error;

use crate::chip::Chip;
use crate::fact::{Confidence, Fact, Trust};
use crate::instruction::ModelValue;

const OCCUPANCY: &str = include_str!("../data/occupancy.toml");

/// Bytes of a 16-bit register half.
const HALF_BYTES: u32 = 2;

/// What a kernel asks of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Registers of a thread in 16-bit halves (a 32-bit register is two).
    pub register_halves: u32,
    /// Threadgroup memory of a threadgroup in bytes.
    pub threadgroup_bytes: u32,
    /// Threads of a threadgroup.
    pub threads: u32,
}

/// What a core can hold of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residency {
    /// Threadgroups at one time.
    pub threadgroups: u32,
    /// Simdgroups at one time.
    pub simdgroups: u32,
    /// What allows no more.
    pub limiter: Limiter,
    /// How many threadgroups each limit alone would allow.
    pub allowed: Vec<(Limiter, u32)>,
    /// How far to trust the answer.
    pub trust: Trust,
}

/// What bounds the number of resident threadgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limiter {
    /// The register file.
    Registers,
    /// The threadgroup memory of the core.
    ThreadgroupMemory,
    /// The number of threads that a core keeps track of.
    ResidentThreads,
    /// Registers and threadgroup memory together, where they share one pool (M3 and later).
    SharedPool,
}

impl Limiter {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::ThreadgroupMemory => "threadgroup memory",
            Self::ResidentThreads => "resident threads",
            Self::SharedPool => "shared pool",
        }
    }
}

/// A demand that no core can meet.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DemandError {
    /// No threads, or more than a threadgroup may have.
    #[error("a threadgroup has 1 to {limit} threads, not {threads}: use a smaller threadgroup")]
    Threads {
        /// What was asked for.
        threads: u32,
        /// What a threadgroup may have.
        limit: u32,
    },
    /// No registers, or more than an instruction can name.
    #[error(
        "a thread has 1 to {limit} 32-bit registers, not {registers}: what is above lives in memory (spills)"
    )]
    Registers {
        /// What was asked for, in 32-bit registers, rounded up.
        registers: u32,
        /// What a thread may have.
        limit: u32,
    },
    /// More threadgroup memory than one threadgroup may have.
    #[error(
        "a threadgroup has at most {limit} bytes of threadgroup memory, not {bytes}: use smaller tiles or a smaller type"
    )]
    ThreadgroupMemory {
        /// What was asked for.
        bytes: u32,
        /// What a threadgroup may have.
        limit: u32,
    },
    /// The threadgroup alone is more than a core has.
    #[error(
        "{threads} threads of {registers} registers do not fit a core: at most {most} threads do; use fewer registers or a smaller threadgroup"
    )]
    DoesNotFit {
        /// Threads of the threadgroup.
        threads: u32,
        /// Registers of a thread, in 32-bit registers, rounded up.
        registers: u32,
        /// Threads that would fit.
        most: u32,
    },
}

/// The largest register count with which so many threads are resident.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OccupancyRow {
    /// Registers of a thread in 16-bit halves.
    pub max_halves: u32,
    /// Resident threads.
    pub threads: u32,
    /// Key into [`crate::sources`].
    pub source: String,
    /// How far to trust the row.
    pub confidence: Confidence,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OccupancyFile {
    sources: BTreeMap<String, String>,
    #[serde(rename = "static")]
    fixed: Static,
    dynamic: Dynamic,
}

#[derive(Deserialize)]
struct Static {
    register_file_bytes_per_core: Fact<u32>,
    registers_per_thread_max_halves: Fact<u32>,
    register_granularity_halves: Fact<u32>,
    thread_granularity: Fact<u32>,
    max_resident_threads_per_core: Fact<u32>,
    max_threads_per_threadgroup: Fact<u32>,
    alu_saturation_simdgroups: Fact<u32>,
    threadgroup_pool_bytes_per_core: Fact<u32>,
    threadgroup_limit_bytes: Fact<u32>,
    threadgroup_granularity_bytes: Fact<u32>,
    formula: String,
    table: Vec<OccupancyRow>,
}

#[derive(Deserialize)]
struct Dynamic {
    pool_bytes_per_core: Fact<u32>,
    max_resident_threads_per_core: Fact<u32>,
}

/// The same file as a tree, for figures that no rule reads.
#[derive(Deserialize)]
struct AsFigures {
    #[serde(rename = "static")]
    fixed: BTreeMap<String, toml::Value>,
    dynamic: BTreeMap<String, toml::Value>,
}

static FILE: LazyLock<OccupancyFile> = LazyLock::new(|| {
    // Part of this crate, and parsed by its tests.
    toml::from_str(OCCUPANCY).expect("the embedded occupancy rules parse")
});

static FIGURES: LazyLock<BTreeMap<String, Fact<ModelValue>>> = LazyLock::new(|| {
    let file: AsFigures = toml::from_str(OCCUPANCY).expect("the embedded occupancy rules parse");
    let of = |prefix: &str, table: BTreeMap<String, toml::Value>| {
        let entries = table.into_iter().filter_map(|(key, value)| {
            Fact::<ModelValue>::deserialize(value).ok().map(|fact| (format!("{prefix}.{key}"), fact))
        });
        entries.collect::<Vec<_>>()
    };
    let mut figures = of("static", file.fixed);
    figures.extend(of("dynamic", file.dynamic));
    figures.into_iter().collect()
});

pub(crate) fn sources() -> &'static BTreeMap<String, String> {
    &FILE.sources
}

/// Every figure of the occupancy rules by name, `static.…` for M1 and M2, `dynamic.…` for M3 and later.
pub fn occupancy_figures() -> &'static BTreeMap<String, Fact<ModelValue>> {
    &FIGURES
}

/// The table of Mesa's driver and its extension: register counts against resident threads, for M1 and M2.
pub fn occupancy_table() -> &'static [OccupancyRow] {
    &FILE.fixed.table
}

/// The rule that gives the table, as text.
pub fn occupancy_formula() -> &'static str {
    &FILE.fixed.formula
}

/// Resident simdgroups from which the arithmetic units of a core are busy (measured on M1).
pub fn saturation_simdgroups() -> &'static Fact<u32> {
    &FILE.fixed.alu_saturation_simdgroups
}

/// The most registers that a thread can name, in 16-bit halves.
pub fn max_register_halves() -> u32 {
    *FILE.fixed.registers_per_thread_max_halves
}

/// What a core of the chip holds of a kernel.
///
/// M1 and M2 divide registers once, so the answer follows from the driver's table. From M3 on registers,
/// threadgroup memory and cache share a pool whose size nobody published: the answer then assumes the pool
/// of M1, says so by its trust, and is an upper bound, since cached data takes room too.
///
/// # Errors
/// [`DemandError`] when no core can meet the demand.
pub fn residency(chip: &Chip, demand: Demand) -> Result<Residency, DemandError> {
    let rules = &FILE.fixed;
    check(demand)?;
    let dynamic = *chip.core().dynamic_register_allocation;
    let threads = demand.threads.next_multiple_of(32);
    let halves = demand.register_halves.next_multiple_of(*rules.register_granularity_halves);
    let memory = demand.threadgroup_bytes.next_multiple_of(*rules.threadgroup_granularity_bytes);
    let (mut allowed, trust) = if dynamic {
        let pool = &FILE.dynamic.pool_bytes_per_core;
        let group = threads * halves * HALF_BYTES + memory;
        let track = *FILE.dynamic.max_resident_threads_per_core / threads;
        (vec![(Limiter::SharedPool, **pool / group), (Limiter::ResidentThreads, track)], Trust::Inferred)
    } else {
        let granularity = *rules.thread_granularity;
        let by_file = *rules.register_file_bytes_per_core / (HALF_BYTES * halves);
        let mut allowed = vec![
            (Limiter::Registers, by_file / granularity * granularity / threads),
            (Limiter::ResidentThreads, *rules.max_resident_threads_per_core / threads),
        ];
        if let Some(groups) = rules.threadgroup_pool_bytes_per_core.checked_div(memory) {
            allowed.push((Limiter::ThreadgroupMemory, groups));
        }
        (allowed, Trust::Reported)
    };
    // The tightest first; the order above decides between equals.
    allowed.sort_by_key(|(_, groups)| *groups);
    let (limiter, threadgroups) = allowed[0];
    if threadgroups == 0 {
        let most = *rules.register_file_bytes_per_core / (HALF_BYTES * halves);
        let most = most / *rules.thread_granularity * *rules.thread_granularity;
        let registers = demand.register_halves.div_ceil(2);
        return Err(DemandError::DoesNotFit { threads: demand.threads, registers, most });
    }
    Ok(Residency { threadgroups, simdgroups: threadgroups * threads / 32, limiter, allowed, trust })
}

fn check(demand: Demand) -> Result<(), DemandError> {
    let rules = &FILE.fixed;
    let limit = *rules.max_threads_per_threadgroup;
    if !(1..=limit).contains(&demand.threads) {
        return Err(DemandError::Threads { threads: demand.threads, limit });
    }
    let limit = *rules.registers_per_thread_max_halves;
    if !(1..=limit).contains(&demand.register_halves) {
        let registers = demand.register_halves.div_ceil(2);
        return Err(DemandError::Registers { registers, limit: limit / 2 });
    }
    let limit = *rules.threadgroup_limit_bytes;
    if demand.threadgroup_bytes > limit {
        return Err(DemandError::ThreadgroupMemory { bytes: demand.threadgroup_bytes, limit });
    }
    Ok(())
}

/// What would change if one part of the demand changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Knob {
    /// Registers of a thread.
    Registers,
    /// Threadgroup memory.
    ThreadgroupMemory,
    /// Threads of a threadgroup.
    Threads,
}

/// One step of a what-if curve: from this value on, so many simdgroups are resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The largest value of the knob with this residency (registers and memory), or the value itself
    /// (threads). Registers are 16-bit halves.
    pub value: u32,
    /// Simdgroups resident; 0 where the kernel does not fit.
    pub simdgroups: u32,
}

/// The residency as one part of the demand runs over its range, the rest unchanged.
///
/// For registers and threadgroup memory only the values are listed after which the residency falls.
pub fn what_if(chip: &Chip, demand: Demand, knob: Knob) -> Vec<Step> {
    let rules = &FILE.fixed;
    let values: Vec<u32> = match knob {
        Knob::Registers => {
            let step = *rules.register_granularity_halves;
            (1..=*rules.registers_per_thread_max_halves / step).map(|n| n * step).collect()
        }
        Knob::ThreadgroupMemory => (0..=*rules.threadgroup_limit_bytes / 256).map(|n| n * 256).collect(),
        Knob::Threads => (1..=*rules.max_threads_per_threadgroup / 32).map(|n| n * 32).collect(),
    };
    let mut steps: Vec<Step> = Vec::new();
    for value in values {
        let mut changed = demand;
        match knob {
            Knob::Registers => changed.register_halves = value,
            Knob::ThreadgroupMemory => changed.threadgroup_bytes = value,
            Knob::Threads => changed.threads = value,
        }
        let simdgroups = residency(chip, changed).map_or(0, |residency| residency.simdgroups);
        match steps.last_mut() {
            Some(last) if last.simdgroups == simdgroups && knob != Knob::Threads => last.value = value,
            _ => steps.push(Step { value, simdgroups }),
        }
    }
    steps
}
