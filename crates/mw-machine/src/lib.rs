//! Apple GPU chips and Metal limits as data.
//!
//! The figures live in `data/*.toml`, each with the place it was read and how far to trust it.
//! This crate parses them once and answers three questions: which chip is meant by a name
//! ([`Chip::by_name`], [`Chip::from_setting`]), what a Metal device of that chip reports
//! ([`Chip::limits`], [`Chip::supports_family`], [`Chip::supports`]), and where a figure came from
//! ([`Fact`], [`sources`]).
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
mod limits;
mod lookup;

pub use chip::{Chip, Configuration};
pub use data::sources;
pub use fact::{Confidence, Fact, Trust};
pub use family::GpuFamily;
pub use limits::{Feature, Limits, MemoryLimits};
pub use lookup::{DEFAULT_CHIP, UnknownChip};
