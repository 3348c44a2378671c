//! What instructions cost: issue cycles, latencies, and the constants of the cycle model.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::fact::{Confidence, Fact};

const INSTRUCTIONS: &str = include_str!("../data/instructions.toml");

/// One instruction, or a short sequence that a library function becomes.
///
/// Measured on M1 and A14 unless the note says otherwise; later cores have no public table.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instruction {
    /// Name in the data file: `ffma32`.
    pub name: String,
    /// How it is written in MSL.
    pub msl: String,
    /// Type of the operands, where one name has several.
    pub dtype: Option<String>,
    /// Which part of the core executes it.
    pub unit: Unit,
    /// Issue cycles of one simdgroup on one scheduler at full occupancy.
    pub throughput_cycles: Option<f64>,
    /// Cycles until a dependent instruction may issue.
    pub latency_cycles: Option<f64>,
    /// Latency in the cycle model of Mesa's driver.
    pub mesa_latency: Option<f64>,
    /// Throughput in the cycle model of Mesa's driver.
    pub mesa_throughput: Option<f64>,
    /// Key into [`crate::sources`].
    pub source: String,
    /// How far to trust the row.
    pub confidence: Confidence,
    /// What to know before using it.
    pub note: Option<String>,
}

/// Part of a core that executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Floating point.
    F,
    /// Simple integer, compare, bitwise.
    Scib,
    /// Integer-complex and transcendental; runs beside the first two.
    Ic,
    /// Data exchange between lanes.
    Shuffle,
    /// Memory.
    Mem,
    /// Several instructions.
    Seq,
}

/// A figure of the cycle model: a number, a yes or no, or a formula.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum ModelValue {
    /// Whether something holds.
    Flag(bool),
    /// A number, in the unit that the name ends with.
    Number(f64),
    /// A formula or a sentence.
    Text(String),
}

impl fmt::Display for ModelValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(if *flag { "yes" } else { "no" }),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Named figures of one generation.
pub type Model = BTreeMap<String, Fact<ModelValue>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InstructionFile {
    sources: BTreeMap<String, String>,
    model: BTreeMap<String, Model>,
    memory: BTreeMap<String, Model>,
    instruction: Vec<Instruction>,
}

static FILE: LazyLock<InstructionFile> = LazyLock::new(|| {
    // Part of this crate, and parsed by its tests.
    toml::from_str(INSTRUCTIONS).expect("the embedded instruction table parses")
});

pub(crate) fn sources() -> &'static BTreeMap<String, String> {
    &FILE.sources
}

impl Instruction {
    /// All rows, in the order of the data file.
    pub fn all() -> &'static [Self] {
        &FILE.instruction
    }

    /// The row of a name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|row| row.name == name)
    }
}

/// The constants of the cycle model, by generation: `g13` (M1, M2), `apple9`, `apple10`.
pub fn cycle_models() -> &'static BTreeMap<String, Model> {
    &FILE.model
}

/// What each level of memory delivers, by table name; `bytes_per_core_cycle` is one.
pub fn memory_rates() -> &'static BTreeMap<String, Model> {
    &FILE.memory
}
