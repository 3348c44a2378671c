//! One chip: what it is called, what it is made of, what a device of it supports.

use crate::data::tables;
use crate::fact::Fact;
use crate::family::{AppleFamily, GpuFamily};
use crate::limits::{Feature, Limits};
use crate::lookup::{self, UnknownChip};

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
