//! The embedded tables: their shape on disk, parsed once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::Error as _;

use crate::chip::{Chip, Configuration};
use crate::fact::Fact;
use crate::family::AppleFamily;
use crate::limits::{FeatureRow, LimitsRow, MemoryShares};
use crate::shader_core::{self, ShaderCore};
use crate::{instruction, occupancy};

const CHIPS: &str = include_str!("../data/chips.toml");
const LIMITS: &str = include_str!("../data/limits.toml");

/// Everything that the two files hold, in their order.
pub(crate) struct Tables {
    pub(crate) chips: Vec<Chip>,
    pub(crate) limits: Vec<LimitsRow>,
    pub(crate) memory: MemoryShares,
    pub(crate) features: Vec<FeatureRow>,
    sources: BTreeMap<String, String>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    // The text is part of this crate, so a failure here is ours; `tests/tables.rs` parses it.
    Tables::parse(CHIPS, LIMITS).expect("the embedded chip and limit tables parse")
});

pub(crate) fn tables() -> &'static Tables {
    &TABLES
}

static SOURCES: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let mut sources = tables().sources.clone();
    for (key, text) in shader_core::sources().iter().chain(instruction::sources()).chain(occupancy::sources())
    {
        // The first description is the longest: it was written for the chips.
        sources.entry(key.clone()).or_insert_with(|| text.clone());
    }
    sources
});

/// Where the figures were read: key as in [`Fact::source`], description.
pub fn sources() -> &'static BTreeMap<String, String> {
    &SOURCES
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChipFile {
    sources: BTreeMap<String, String>,
    chip: Vec<ChipRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChipRow {
    slug: String,
    name: String,
    family: Fact<AppleFamily>,
    architecture: Option<Fact<String>>,
    year: Fact<u16>,
    gpu_cores: Fact<Vec<u32>>,
    memory_gib: Option<Fact<Vec<u32>>>,
    memory_type: Fact<String>,
    core: String,
    gpu_generation: Option<Fact<String>>,
    gpu_clock_mhz: Option<Fact<f64>>,
    fp32_fma_lanes_per_core: Option<Fact<u32>>,
    fp16_rate_vs_fp32: Option<Fact<f64>>,
    slc_mib: Option<Fact<u32>>,
    l2_kib: Option<Fact<u32>>,
    note: Option<String>,
    #[serde(default)]
    bandwidth_gb_per_s: BTreeMap<String, Fact<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsFile {
    sources: BTreeMap<String, String>,
    limits: Vec<LimitsRow>,
    memory: MemoryShares,
    feature: Vec<FeatureRow>,
}

impl Tables {
    fn parse(chips: &str, limits: &str) -> Result<Self, toml::de::Error> {
        let chip_file: ChipFile = toml::from_str(chips)?;
        let limits_file: LimitsFile = toml::from_str(limits)?;
        let count = chip_file.chip.len();
        let chips: Vec<Chip> = chip_file.chip.into_iter().filter_map(ChipRow::into_chip).collect();
        if chips.len() != count {
            return Err(toml::de::Error::custom("a chip names a core that cores.toml does not describe"));
        }
        let mut sources = chip_file.sources;
        for (key, text) in limits_file.sources {
            // A key that both files use says what both took from it.
            sources.entry(key).and_modify(|known| *known = format!("{known}; {text}")).or_insert(text);
        }
        Ok(Self {
            chips,
            limits: limits_file.limits,
            memory: limits_file.memory,
            features: limits_file.feature,
            sources,
        })
    }
}

impl ChipRow {
    /// The chip; `None` when its core is in no row of cores.toml.
    fn into_chip(self) -> Option<Chip> {
        let configurations = self
            .gpu_cores
            .iter()
            .map(|&gpu_cores| Configuration {
                gpu_cores,
                bandwidth_gb_per_s: self.bandwidth_gb_per_s.get(&gpu_cores.to_string()).cloned(),
            })
            .collect();
        Some(Chip {
            slug: self.slug,
            name: self.name,
            family: self.family,
            architecture: self.architecture,
            year: self.year,
            gpu_cores: self.gpu_cores,
            memory_gib: self.memory_gib,
            memory_type: self.memory_type,
            core: ShaderCore::by_slug(&self.core)?,
            gpu_generation: self.gpu_generation,
            gpu_clock_mhz: self.gpu_clock_mhz,
            fp32_fma_lanes_per_core: self.fp32_fma_lanes_per_core,
            fp16_rate_vs_fp32: self.fp16_rate_vs_fp32,
            slc_mib: self.slc_mib,
            l2_kib: self.l2_kib,
            note: self.note,
            configurations,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{CHIPS, ChipFile, LIMITS, Tables};

    #[test]
    fn a_figure_without_a_source_is_refused() {
        let broken = CHIPS.replacen("source = \"metal-benchmarks\", ", "", 1);
        assert!(Tables::parse(&broken, LIMITS).is_err());
        let broken = CHIPS.replacen("confidence = \"stated by Apple\"", "confidence = \"sure\"", 1);
        assert!(Tables::parse(&broken, LIMITS).is_err());
    }

    #[test]
    fn a_misspelled_field_is_refused() {
        let broken = CHIPS.replacen("gpu_cores = ", "gpu_core = ", 1);
        assert!(Tables::parse(&broken, LIMITS).is_err());
    }

    #[test]
    fn every_bandwidth_belongs_to_a_core_count() {
        let file: ChipFile = toml::from_str(CHIPS).expect("chips.toml parses");
        for row in &file.chip {
            for cores in row.bandwidth_gb_per_s.keys() {
                assert!(
                    row.gpu_cores.iter().any(|known| known.to_string() == *cores),
                    "{}: bandwidth for {cores} cores, which is no configuration of it",
                    row.slug
                );
            }
        }
    }
}
