//! Apple Metal compute kernels on any machine.
//!
//! Metal's API in Rust spelling, over a CPU backend that compiles AIR, the code in `.metallib` files, to
//! SIMD code. No Mac is needed.
//!
//! ```
//! use metalworking::{Device, SystemDefault as _};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::system_default()?;
//! // A library comes from `device.new_library_with_file("mlx.metallib")`; this one from AIR text.
//! let library = metalworking::Library::from_air_text(include_str!("../examples/scale.ll"))?;
//! let pipeline = device.new_compute_pipeline_state(&library.function("scale")?)?;
//!
//! let x = device.new_buffer_with_data(&[1.0_f32, 2.0, 3.0])?;
//! let queue = device.new_command_queue();
//! let command_buffer = queue.command_buffer();
//! let mut encoder = command_buffer.compute_command_encoder();
//! encoder
//!     .set_compute_pipeline_state(&pipeline)
//!     .set_buffer(0, &x, 0)
//!     .set_value(1, &10.0_f32)
//!     .dispatch_threads(3, 32)
//!     .end_encoding()?;
//! command_buffer.commit()?;
//! command_buffer.wait_until_completed()?;
//! assert_eq!(x.to_vec::<f32>(), [10.0, 20.0, 30.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Settings
//! `MW_CHIP` names the chip whose limits hold (`m2` without it), `MW_ENGINE` the engine (`cpu`, `interp` or `checked`);
//! [`mw_cpu::CpuOptions`] lists what the CPU backend reads.
//!
//! What this crate does not re-export is internal and changes freely.
#![warn(missing_docs)]

mod engine;

pub use engine::{Engine, EngineError, SystemDefault, create_system_default_device};
pub use mw_cpu::{CpuBackend, CpuOptions};
pub use mw_interp::InterpBackend;
pub use mw_machine::{Chip, GpuFamily};
pub use mw_runtime::*;
