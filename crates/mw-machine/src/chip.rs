//! One chip: what it is called, what it is made of, what a device of it supports.

use crate::data::tables;
use crate::fact::{Confidence, Fact, Trust};
use crate::family::{AppleFamily, GpuFamily};
use crate::limits::{Feature, Limits};
use crate::lookup::{self, UnknownChip};
use crate::shader_core::ShaderCore;

/// A chip with an Apple GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Chip {
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) family: Fact<AppleFamily>,
    pub(crate) architecture: Option<Fact<String>>,
    pub(crate) year: Fact<u16>,
    pub(crate) gpu_cores: Fact<Vec<u32>>,
    pub(crate) memory_gib: Option<Fact<Vec<u32>>>,
    pub(crate) memory_type: Fact<String>,
    pub(crate) core: &'static ShaderCore,
    pub(crate) gpu_generation: Option<Fact<String>>,
    pub(crate) gpu_clock_mhz: Option<Fact<f64>>,
    pub(crate) fp32_fma_lanes_per_core: Option<Fact<u32>>,
    pub(crate) fp16_rate_vs_fp32: Option<Fact<f64>>,
    pub(crate) slc_mib: Option<Fact<u32>>,
    pub(crate) l2_kib: Option<Fact<u32>>,
    pub(crate) note: Option<String>,
    pub(crate) configurations: Vec<Configuration>,
}

/// One number of GPU cores that a chip was sold with, and what depends on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// GPU cores.
    pub gpu_cores: u32,
    /// Memory bandwidth in GB/s (1e9 bytes a second); `None` when no figure was found.
    pub bandwidth_gb_per_s: Option<Fact<f64>>,
}

impl Chip {
    /// All known chips, in the order of the data file (A series first, then M series, by age).
    pub fn all() -> &'static [Self] {
        &tables().chips
    }

    /// The chip of a name in any of its usual spellings: `m4-max`, `M4 Max`, `Apple M4 Max`, `m4max`.
    ///
    /// # Errors
    /// [`UnknownChip`] when no chip has the name; it suggests near ones and lists all.
    pub fn by_name(name: &str) -> Result<&'static Self, UnknownChip> {
        lookup::by_name(name)
    }

    /// The chip that a setting names (the value of `MW_CHIP`, or of `--chip`); the default when it is
    /// absent or blank.
    ///
    /// # Errors
    /// [`UnknownChip`] when the setting names no chip.
    pub fn from_setting(setting: Option<&str>) -> Result<&'static Self, UnknownChip> {
        lookup::from_setting(setting)
    }

    /// The name for command lines and settings: `m4-max`.
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// The name that a Metal device reports: `Apple M4 Max`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The GPU family that the chip belongs to, always a [`GpuFamily::Apple`].
    pub fn family(&self) -> GpuFamily {
        GpuFamily::Apple(self.family.value.0)
    }

    /// The family as a fact with its source.
    pub fn family_fact(&self) -> Fact<GpuFamily> {
        let Fact { source, confidence, note, .. } = self.family.clone();
        Fact { value: self.family(), source, confidence, note }
    }

    /// The string of `MTLArchitecture.name`, such as `applegpu_g14g`; `None` when no reading is known.
    pub fn architecture(&self) -> Option<&Fact<String>> {
        self.architecture.as_ref()
    }

    /// The year in which the chip was first sold.
    pub fn year(&self) -> &Fact<u16> {
        &self.year
    }

    /// The numbers of GPU cores that the chip was sold with, ascending.
    pub fn gpu_cores(&self) -> &Fact<Vec<u32>> {
        &self.gpu_cores
    }

    /// The unified-memory sizes in GiB that the chip was sold with, ascending.
    pub fn memory_gib(&self) -> Option<&Fact<Vec<u32>>> {
        self.memory_gib.as_ref()
    }

    /// Kind and width of the memory, such as `LPDDR5-6400 128-bit`.
    pub fn memory_type(&self) -> &Fact<String> {
        &self.memory_type
    }

    /// The shader core of the chip's generation.
    pub fn core(&self) -> &'static ShaderCore {
        self.core
    }

    /// The name of the GPU in drivers, such as `G14G`; `None` when no reading is known.
    pub fn gpu_generation(&self) -> Option<&Fact<String>> {
        self.gpu_generation.as_ref()
    }

    /// The highest clock of the GPU; sustained clocks can be lower.
    pub fn gpu_clock_mhz(&self) -> Option<&Fact<f64>> {
        self.gpu_clock_mhz.as_ref()
    }

    /// The system-level cache, shared with the CPU.
    pub fn slc_mib(&self) -> Option<&Fact<u32>> {
        self.slc_mib.as_ref()
    }

    /// The L2 cache of the GPU.
    pub fn l2_kib(&self) -> Option<&Fact<u32>> {
        self.l2_kib.as_ref()
    }

    /// What to know about the chip beside its figures.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Multiply-add lanes of a core for 32-bit floats.
    pub fn fp32_lanes_per_core(&self) -> Fact<u32> {
        self.fp32_fma_lanes_per_core.clone().unwrap_or_else(|| self.core.fp32_fma_lanes_per_core.clone())
    }

    /// Rate of 16-bit over 32-bit multiply-adds.
    pub fn fp16_rate_vs_fp32(&self) -> Fact<f64> {
        self.fp16_rate_vs_fp32.clone().unwrap_or_else(|| self.core.fp16_rate_vs_fp32.clone())
    }

    /// The peak rate of 32-bit floats in TFLOPS: cores × lanes × 2 × clock; `None` without a clock.
    pub fn peak_fp32_tflops(&self, gpu_cores: u32) -> Option<Fact<f64>> {
        let lanes = f64::from(*self.fp32_lanes_per_core());
        Some(Self::derived(gpu_cores, lanes * 2.0, self.gpu_clock_mhz.as_ref()?, "cores x lanes x 2 x clock"))
    }

    /// The peak rate of 16-bit floats on the ordinary lanes in TFLOPS; `None` without a clock.
    pub fn peak_fp16_tflops(&self, gpu_cores: u32) -> Option<Fact<f64>> {
        let flop = f64::from(*self.fp32_lanes_per_core()) * 2.0 * *self.fp16_rate_vs_fp32();
        let rule = "cores x lanes x 2 x clock x rate of 16-bit over 32-bit floats";
        Some(Self::derived(gpu_cores, flop, self.gpu_clock_mhz.as_ref()?, rule))
    }

    /// The peak rate of 16-bit floats on the matrix units in TFLOPS; `None` without them or without a clock.
    pub fn peak_matrix_fp16_tflops(&self, gpu_cores: u32) -> Option<Fact<f64>> {
        let flop = **self.core.neural_accelerator_fp16_flop_per_core_cycle.as_ref()?;
        let rule = "cores x operations of a core's matrix unit per cycle x clock";
        Some(Self::derived(gpu_cores, flop, self.gpu_clock_mhz.as_ref()?, rule))
    }

    /// A peak rate in TFLOPS, no surer than the clock it rests on.
    fn derived(gpu_cores: u32, flop_per_cycle: f64, clock: &Fact<f64>, rule: &str) -> Fact<f64> {
        let trust = clock.confidence.trust.min(Trust::Inferred);
        let mut note = rule.to_owned();
        if let Some(of_clock) = &clock.note {
            note = format!("{note}; clock: {of_clock}");
        }
        Fact {
            value: f64::from(gpu_cores) * flop_per_cycle * **clock * 1e-6,
            source: "derived".to_owned(),
            confidence: Confidence { trust, by: String::new() },
            note: Some(note),
        }
    }

    /// What the chip was sold as, by number of GPU cores, ascending.
    pub fn configurations(&self) -> &[Configuration] {
        &self.configurations
    }

    /// The limits that a Metal device of this chip reports.
    pub fn limits(&self) -> Limits {
        Limits::of_apple_family(self.family.value.0)
    }

    /// Whether a device of this chip says yes to `supportsFamily`.
    ///
    /// It supports its own Apple family and all older ones, the common families, Mac2 (Apple GPUs in a
    /// Mac report it: M series), and Metal 3 and 4 from the family that the data names.
    pub fn supports_family(&self, family: GpuFamily) -> bool {
        match family {
            GpuFamily::Apple(generation) => (1..=self.family.value.0).contains(&generation),
            GpuFamily::Common(_) => true,
            GpuFamily::Mac2 => self.slug.starts_with('m'),
            GpuFamily::Metal3 => self.supports(Feature::Metal3),
            GpuFamily::Metal4 => self.supports(Feature::Metal4),
        }
    }

    /// Whether the chip's family has a feature.
    pub fn supports(&self, feature: Feature) -> bool {
        self.family.value.0 >= feature.first_apple_family()
    }
}

impl Default for Chip {
    /// The chip that a device reports unless another is asked for: [`crate::DEFAULT_CHIP`].
    fn default() -> Self {
        lookup::default_chip().clone()
    }
}
