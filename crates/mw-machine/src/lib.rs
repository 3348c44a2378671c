//! Apple GPU chips and Metal limits as data.
//!
//! The figures live in `data/*.toml`, each with the place it was read and how far to trust it.
//! This crate parses them when first asked and answers: which chip is meant by a name
//! ([`Chip::by_name`], [`Chip::from_setting`]), what a Metal device of that chip reports
//! ([`Chip::limits`], [`Chip::supports_family`], [`Chip::supports`]), what its core is made of
//! ([`ShaderCore`], [`Instruction`]), how much of a kernel a core holds ([`residency`], [`what_if`]), under
//! which roof a kernel lies ([`Roofline`]), what was measured and published ([`Measurement`]), and where a
//! figure came from ([`Fact`], [`sources`]). Pages name figures instead of repeating them ([`figure`]).
//!
//! It runs no kernel, reads no file and no environment variable, and knows nothing of the host:
//! whoever builds a device passes the value of `MW_CHIP` in, and the memory that the host has.
//!
//! ```
//! use mw_machine::{Chip, Feature, GpuFamily};
//!
//! let chip = Chip::from_setting(None).unwrap();
//! assert_eq!(chip.slug(), "m2");
//! assert_eq!(chip.limits().max_threads_per_threadgroup, 1024);
//! assert!(chip.supports(Feature::SimdgroupMatrix));
//! assert!(!chip.supports_family(GpuFamily::Apple(9)));
//! assert_eq!(Chip::by_name("M4 Max").unwrap().slug(), "m4-max");
//! ```
#![warn(missing_docs)]

mod chip;
mod data;
mod fact;
mod family;
mod figures;
mod instruction;
mod limits;
mod lookup;
mod measurement;
mod occupancy;
mod roofline;
mod shader_core;

pub use chip::{Chip, Configuration};
pub use data::sources;
pub use fact::{Confidence, Fact, Trust};
pub use family::GpuFamily;
pub use figures::{Figure, FigureError, FigureStyle, expand_figures, figure};
pub use instruction::{Instruction, Model, ModelValue, Unit, cycle_models, memory_rates};
pub use limits::{Feature, Limits, MemoryLimits};
pub use lookup::{DEFAULT_CHIP, UnknownChip};
pub use measurement::Measurement;
pub use occupancy::{
    Demand, DemandError, Knob, Limiter, OccupancyRow, Residency, Step, max_register_halves,
    occupancy_figures, occupancy_formula, occupancy_table, residency, saturation_simdgroups, what_if,
};
pub use roofline::{Arithmetic, Placement, Roof, Roofline};
pub use shader_core::ShaderCore;
