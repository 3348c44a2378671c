//! The two ceilings of a chip, and where a kernel lies under them.

use crate::chip::{Chip, Configuration};
use crate::fact::Fact;
use crate::measurement::Measurement;

/// What the arithmetic runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// 32-bit floats on the ordinary lanes.
    Fp32,
    /// 16-bit floats on the ordinary lanes.
    Fp16,
    /// 16-bit floats on the matrix units of M5 and later.
    MatrixFp16,
}

impl Arithmetic {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fp32, Self::Fp16, Self::MatrixFp16];

    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Fp16 => "fp16",
            Self::MatrixFp16 => "matrix-fp16",
        }
    }
}

/// The roofs of one configuration of a chip.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// Peak arithmetic rate in TFLOPS (1e12 operations a second, a multiply-add is two).
    pub compute_tflops: Fact<f64>,
    /// Peak memory bandwidth in GB/s (1e9 bytes a second).
    pub bandwidth_gb_per_s: Fact<f64>,
    /// Best published copy or read bandwidth on this configuration.
    pub measured_bandwidth: Option<&'static Measurement>,
}

/// Which roof is above a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Roof {
    /// Memory bandwidth.
    Memory,
    /// Arithmetic.
    Compute,
}

/// A kernel under a roofline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Operations for each byte.
    pub flop_per_byte: f64,
    /// Which roof it is under.
    pub roof: Roof,
    /// The rate that the roof allows, in TFLOPS.
    pub attainable_tflops: f64,
    /// Least time for the bytes, in microseconds.
    pub memory_us: f64,
    /// Least time for the operations, in microseconds.
    pub compute_us: f64,
}

impl Roofline {
    /// The roofs of a configuration; `None` when its clock or bandwidth was never published, or it has no
    /// such arithmetic.
    pub fn of(chip: &Chip, configuration: &Configuration, arithmetic: Arithmetic) -> Option<Self> {
        let cores = configuration.gpu_cores;
        let compute_tflops = match arithmetic {
            Arithmetic::Fp32 => chip.peak_fp32_tflops(cores),
            Arithmetic::Fp16 => chip.peak_fp16_tflops(cores),
            Arithmetic::MatrixFp16 => chip.peak_matrix_fp16_tflops(cores),
        }?;
        let bandwidth_gb_per_s = configuration.bandwidth_gb_per_s.clone()?;
        let measured_bandwidth = Measurement::best(chip.name(), cores, "bandwidth-stream", "bandwidth");
        Some(Self { compute_tflops, bandwidth_gb_per_s, measured_bandwidth })
    }

    /// Operations for each byte at which both roofs meet.
    pub fn ridge_flop_per_byte(&self) -> f64 {
        self.compute_tflops.value * 1e12 / (self.bandwidth_gb_per_s.value * 1e9)
    }

    /// Where a kernel lies that does so many operations and moves so many bytes to and from memory.
    pub fn place(&self, flops: f64, bytes: f64) -> Placement {
        let memory_us = bytes / (self.bandwidth_gb_per_s.value * 1e3);
        let compute_us = flops / (self.compute_tflops.value * 1e6);
        let roof = if memory_us >= compute_us { Roof::Memory } else { Roof::Compute };
        let time_us = memory_us.max(compute_us);
        Placement {
            flop_per_byte: flops / bytes,
            roof,
            attainable_tflops: if time_us > 0.0 { flops / time_us / 1e6 } else { 0.0 },
            memory_us,
            compute_us,
        }
    }
}
