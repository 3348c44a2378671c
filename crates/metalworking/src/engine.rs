//! [`Engine`]: which backend runs the kernels, and devices that have one.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use mw_cpu::{CpuBackend, OptionsError};
use mw_interp::{CheckedBackend, InterpBackend};
use mw_machine::{Chip, UnknownChip};
use mw_runtime::{Device, DeviceError};

/// What runs kernels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Engine {
    /// Compiled to SIMD code of this machine, on all cores.
    #[default]
    Cpu,
    /// The reference interpreter: slow, checks every access.
    Interp,
    /// The interpreter again, for which uninitialised values that matter and barriers that not all threads
    /// reach are errors too.
    Checked,
}

impl Engine {
    /// All engines.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Interp, Self::Checked];

    /// Its name in `MW_ENGINE` and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Interp => "interp",
            Self::Checked => "checked",
        }
    }

    /// A device of this engine. `chip` is the value of a setting such as `MW_CHIP`; `None` is the default.
    pub fn device(self, chip: Option<&str>) -> Result<Device, EngineError> {
        let chip = Chip::from_setting(chip)?;
        Ok(match self {
            Self::Cpu => Device::with_chip(Arc::new(CpuBackend::from_environment()?), chip),
            Self::Interp => Device::with_chip(Arc::new(InterpBackend::default()), chip),
            Self::Checked => Device::with_chip(Arc::new(CheckedBackend::default()), chip),
        })
    }
}

impl FromStr for Engine {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let found = Self::ALL.into_iter().find(|engine| engine.name() == text);
        found.ok_or_else(|| EngineError::Unknown { name: text.to_owned() })
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No device could be made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EngineError {
    /// A name that no engine has.
    #[error("there is no engine `{name}`; engines are cpu, interp, checked")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A name that no chip has.
    #[error(transparent)]
    UnknownChip(#[from] UnknownChip),
    /// A setting of the device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A setting of the CPU backend.
    #[error(transparent)]
    Options(#[from] OptionsError),
}

/// Makes the system's default device (`MTLCreateSystemDefaultDevice`): the CPU backend with the chip that
/// `MW_CHIP` names; `MW_ENGINE` chooses another engine.
///
/// # Errors
/// A setting in the environment names something that does not exist.
pub fn create_system_default_device() -> Result<Device, EngineError> {
    let setting = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let engine = setting("MW_ENGINE").map_or(Ok(Engine::default()), |name| name.parse())?;
    engine.device(setting("MW_CHIP").as_deref())
}

/// [`Device`] constructors that know the backends.
pub trait SystemDefault: Sized {
    /// As [`create_system_default_device`].
    fn system_default() -> Result<Self, EngineError>;
}

impl SystemDefault for Device {
    fn system_default() -> Result<Self, EngineError> {
        create_system_default_device()
    }
}
