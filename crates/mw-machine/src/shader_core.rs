//! The shader core of a generation: registers, memories, lanes, widths.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::fact::Fact;

const CORES: &str = include_str!("../data/cores.toml");

/// What all GPU cores of a generation share. A figure that nobody published is `None`.
///
/// # Units
/// In the field's name: `kib` are 1024 bytes, `cycle` a cycle of the GPU's clock.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShaderCore {
    /// Name in the data files: `apple7-8`, `apple9`, `apple10`.
    pub slug: String,
    /// Which chips it is.
    pub about: String,
    /// Multiply-add lanes for 32-bit floats; a chip may say otherwise ([`crate::Chip::fp32_lanes_per_core`]).
    pub fp32_fma_lanes_per_core: Fact<u32>,
    /// Parts of a core that issue on their own.
    pub schedulers_per_core: Option<Fact<u32>>,
    /// Threads of a simdgroup.
    pub simd_width: Fact<u32>,
    /// Registers of all resident threads together.
    pub register_file_kib_per_core: Option<Fact<u32>>,
    /// L1 data cache.
    pub l1_data_kib_per_core: Option<Fact<u32>>,
    /// Instruction cache.
    pub instruction_cache_kib_per_core: Option<Fact<u32>>,
    /// Threadgroup memory of all resident threadgroups together.
    pub threadgroup_memory_pool_kib_per_core: Option<Fact<u32>>,
    /// Threadgroup memory that one threadgroup may ask for.
    pub threadgroup_memory_limit_bytes: Fact<u32>,
    /// Threads of one threadgroup.
    pub max_threads_per_threadgroup: Fact<u32>,
    /// Simdgroups that a core holds at most.
    pub max_simdgroups_per_core: Option<Fact<u32>>,
    /// Bytes of a cache line.
    pub cache_line_bytes: Option<Fact<u32>>,
    /// What the L1 delivers.
    pub l1_bytes_per_cycle_per_core: Option<Fact<f64>>,
    /// What the L2 delivers.
    pub l2_bytes_per_cycle_per_core: Option<Fact<f64>>,
    /// What shuffles move.
    pub shuffle_bytes_per_cycle_per_core: Option<Fact<f64>>,
    /// Bandwidth of the system-level cache over that of the memory.
    pub slc_to_dram_bandwidth_ratio: Option<Fact<f64>>,
    /// Banks of threadgroup memory; 0 where no simple model of banks holds.
    pub threadgroup_banks: Option<Fact<u32>>,
    /// Whether registers are handed out as they are used instead of once.
    pub dynamic_register_allocation: Fact<bool>,
    /// Rate of 16-bit over 32-bit multiply-adds.
    pub fp16_rate_vs_fp32: Fact<f64>,
    /// Operations (a multiply-add is two) of the matrix unit.
    pub neural_accelerator_fp16_flop_per_core_cycle: Option<Fact<f64>>,
    /// Integer operations of the matrix unit.
    pub neural_accelerator_int8_op_per_core_cycle: Option<Fact<f64>>,
    /// Edge of the tile that keeps the matrix unit busy.
    pub neural_accelerator_optimal_tile: Option<Fact<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CoreFile {
    sources: BTreeMap<String, String>,
    core: Vec<ShaderCore>,
}

static FILE: LazyLock<CoreFile> = LazyLock::new(|| {
    // Part of this crate, and parsed by its tests.
    toml::from_str(CORES).expect("the embedded core table parses")
});

pub(crate) fn sources() -> &'static BTreeMap<String, String> {
    &FILE.sources
}

impl ShaderCore {
    /// All generations, oldest first.
    pub fn all() -> &'static [Self] {
        &FILE.core
    }

    /// The generation of a name.
    pub fn by_slug(slug: &str) -> Option<&'static Self> {
        Self::all().iter().find(|core| core.slug == slug)
    }
}
