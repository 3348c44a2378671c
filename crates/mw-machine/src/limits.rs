//! What a Metal device of a family allows, and which features it has.

use serde::Deserialize;

use crate::data::tables;
use crate::fact::Fact;
use crate::family::{AppleFamily, GpuFamily};

/// The limits of a Metal device, as plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Threads of a simdgroup.
    pub thread_execution_width: u32,
    /// Threads of a threadgroup; a pipeline may allow fewer, never more.
    pub max_threads_per_threadgroup: u32,
    /// Bytes of threadgroup memory of one threadgroup, static and dynamic together.
    pub max_threadgroup_memory_bytes: u32,
    /// The multiple that a threadgroup-memory length must be of.
    pub threadgroup_memory_alignment_bytes: u32,
    /// Entries of the buffer argument table; indices run from 0 to one less.
    pub max_buffer_arguments: u32,
    /// Entries of the texture argument table.
    pub max_texture_arguments: u32,
    /// Entries of the sampler argument table.
    pub max_sampler_arguments: u32,
    /// Entries of the threadgroup-memory argument table.
    pub max_threadgroup_memory_arguments: u32,
    /// The longest block that `setBytes` takes.
    pub max_inline_bytes: u32,
    /// The multiple that the offset of a buffer in the `constant` address space must be of.
    pub constant_buffer_offset_alignment_bytes: u32,
    /// Function constants of one library function.
    pub max_function_constants: u32,
}

/// How much memory a device lets one program use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// `recommendedMaxWorkingSetSize`.
    pub recommended_working_set_bytes: u64,
    /// `maxBufferLength`.
    pub max_buffer_bytes: u64,
}

/// Something that a kernel may need and that not every GPU family has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    /// `quad_shuffle` and its kin.
    QuadPermute,
    /// Grids that are no multiple of the threadgroup.
    NonuniformThreadgroups,
    /// `simd_shuffle` and its kin.
    SimdPermute,
    /// The type `bfloat`.
    Bfloat,
    /// Visible functions and function tables in compute.
    FunctionPointers,
    /// `simd_sum` and its kin.
    SimdReduction,
    /// `simdgroup_matrix`.
    SimdgroupMatrix,
    /// `atomic<float>`.
    FloatAtomics,
    /// `simd_shuffle_and_fill_up` and its kin.
    SimdShiftAndFill,
    /// Minimum and maximum of `atomic<ulong>`.
    Atomic64MinMax,
    /// All 64-bit atomics.
    Atomic64,
    /// The Metal 3 feature set.
    Metal3,
    /// The Metal 4 feature set.
    Metal4,
    /// The matrix units of M5.
    NeuralAccelerators,
}

impl Limits {
    pub(crate) fn of_apple_family(generation: u8) -> Self {
        let pick = |field: fn(&LimitsRow) -> Option<&Fact<u32>>| {
            // `tests/tables.rs` checks that the oldest row names every field.
            fact_for(generation, field).expect("every limit is in the embedded table").value
        };
        Self {
            thread_execution_width: pick(|row| row.thread_execution_width.as_ref()),
            max_threads_per_threadgroup: pick(|row| row.max_threads_per_threadgroup.as_ref()),
            max_threadgroup_memory_bytes: pick(|row| row.max_threadgroup_memory_bytes.as_ref()),
            threadgroup_memory_alignment_bytes: pick(|row| row.threadgroup_memory_alignment_bytes.as_ref()),
            max_buffer_arguments: pick(|row| row.max_buffer_arguments.as_ref()),
            max_texture_arguments: pick(|row| row.max_texture_arguments.as_ref()),
            max_sampler_arguments: pick(|row| row.max_sampler_arguments.as_ref()),
            max_threadgroup_memory_arguments: pick(|row| row.max_threadgroup_memory_arguments.as_ref()),
            max_inline_bytes: pick(|row| row.max_inline_bytes.as_ref()),
            constant_buffer_offset_alignment_bytes: pick(|row| {
                row.constant_buffer_offset_alignment_bytes.as_ref()
            }),
            max_function_constants: pick(|row| row.max_function_constants.as_ref()),
        }
    }
}

impl MemoryLimits {
    /// The limits on a machine with so much memory, by the shares that real devices report.
    ///
    /// Both are whole multiples of 16 KiB, the page of Apple's systems.
    pub fn for_memory(memory_bytes: u64) -> Self {
        let shares = &tables().memory;
        let working_set = share_of(memory_bytes, *shares.recommended_working_set_share);
        Self {
            recommended_working_set_bytes: working_set,
            max_buffer_bytes: share_of(working_set, *shares.max_buffer_share_of_working_set),
        }
    }
}

impl Feature {
    /// Every feature, in the order of the data file.
    pub const ALL: [Self; 14] = [
        Self::QuadPermute,
        Self::NonuniformThreadgroups,
        Self::SimdPermute,
        Self::Bfloat,
        Self::FunctionPointers,
        Self::SimdReduction,
        Self::SimdgroupMatrix,
        Self::FloatAtomics,
        Self::SimdShiftAndFill,
        Self::Atomic64MinMax,
        Self::Atomic64,
        Self::Metal3,
        Self::Metal4,
        Self::NeuralAccelerators,
    ];

    /// The name in the data file and in messages: `simd-reduction`.
    pub fn name(self) -> &'static str {
        match self {
            Self::QuadPermute => "quad-permute",
            Self::NonuniformThreadgroups => "nonuniform-threadgroups",
            Self::SimdPermute => "simd-permute",
            Self::Bfloat => "bfloat",
            Self::FunctionPointers => "function-pointers",
            Self::SimdReduction => "simd-reduction",
            Self::SimdgroupMatrix => "simdgroup-matrix",
            Self::FloatAtomics => "float-atomics",
            Self::SimdShiftAndFill => "simd-shift-and-fill",
            Self::Atomic64MinMax => "atomic-64-min-max",
            Self::Atomic64 => "atomic-64",
            Self::Metal3 => "metal3",
            Self::Metal4 => "metal4",
            Self::NeuralAccelerators => "neural-accelerators",
        }
    }

    /// The first GPU family that has the feature, with the source of that.
    pub fn first_family(self) -> Fact<GpuFamily> {
        let Fact { value, source, confidence, note } = self.row().family.clone();
        Fact { value: GpuFamily::Apple(value.0), source, confidence, note }
    }

    pub(crate) fn first_apple_family(self) -> u8 {
        self.row().family.value.0
    }

    fn row(self) -> &'static FeatureRow {
        // `tests/tables.rs` checks that the file and this enum name the same features.
        tables()
            .features
            .iter()
            .find(|row| row.name == self.name())
            .expect("every feature is in the embedded table")
    }
}

/// A row of `[[limits]]`: what holds from this family on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LimitsRow {
    family: AppleFamily,
    thread_execution_width: Option<Fact<u32>>,
    max_threads_per_threadgroup: Option<Fact<u32>>,
    max_threadgroup_memory_bytes: Option<Fact<u32>>,
    threadgroup_memory_alignment_bytes: Option<Fact<u32>>,
    max_buffer_arguments: Option<Fact<u32>>,
    max_texture_arguments: Option<Fact<u32>>,
    max_sampler_arguments: Option<Fact<u32>>,
    max_threadgroup_memory_arguments: Option<Fact<u32>>,
    max_inline_bytes: Option<Fact<u32>>,
    constant_buffer_offset_alignment_bytes: Option<Fact<u32>>,
    max_function_constants: Option<Fact<u32>>,
}

/// The table `[memory]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryShares {
    recommended_working_set_share: Fact<f64>,
    max_buffer_share_of_working_set: Fact<f64>,
}

/// A row of `[[feature]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeatureRow {
    name: String,
    family: Fact<AppleFamily>,
}

/// The youngest row that is not younger than the family and names the field.
fn fact_for(generation: u8, field: fn(&LimitsRow) -> Option<&Fact<u32>>) -> Option<&'static Fact<u32>> {
    tables()
        .limits
        .iter()
        .filter(|row| row.family <= AppleFamily(generation))
        .filter_map(|row| Some((row.family, field(row)?)))
        .max_by_key(|(family, _)| *family)
        .map(|(_, fact)| fact)
}

fn share_of(bytes: u64, share: f64) -> u64 {
    const PAGE: u64 = 16 * 1024;
    ((bytes as f64 * share) as u64) / PAGE * PAGE
}

#[cfg(test)]
mod tests {
    use super::{Feature, tables};

    #[test]
    fn the_file_and_the_enum_name_the_same_features() {
        let in_file: Vec<&str> = tables().features.iter().map(|row| row.name.as_str()).collect();
        let in_enum: Vec<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
        let mut file_sorted = in_file.clone();
        let mut enum_sorted = in_enum.clone();
        file_sorted.sort_unstable();
        enum_sorted.sort_unstable();
        assert_eq!(file_sorted, enum_sorted);
    }
}
