//! Settings of the backend, and the environment variables that set them.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use mw_llvm::{TargetSpec, UnknownCpu};

/// Settings of a [`CpuBackend`](crate::CpuBackend).
#[derive(Clone, Debug)]
pub struct CpuOptions {
    /// The machine that code is made for (`MW_CPU`).
    pub target: TargetSpec,
    /// Threads that run threadgroups at the same time (`MW_THREADS`).
    pub threads: NonZero<usize>,
    /// A launch that gives no limit of its own is stopped after this time (`MW_TIME_LIMIT`, in seconds).
    pub time_limit: Duration,
    /// Stack of a simdgroup, beside its private arrays. Address space; pages are used as they are touched.
    pub stack_bytes: usize,
    /// Clear threadgroup memory before each threadgroup, so that kernels which read what they have not
    /// written give the same result every time (`MW_CLEAR_MEMORY=1`).
    pub clear_threadgroup_memory: bool,
    /// Where compiled code is kept (`MW_CACHE_DIR`, `off` for nowhere).
    pub cache_folder: Option<PathBuf>,
    /// Bytes of compiled code that are kept (`MW_CACHE_BYTES`).
    pub cache_bytes: u64,
    /// What is printed about compilation (`MW_DEBUG`): 1 times, 2 also scalar code, 3 also 32-lane code, 4
    /// also assembly.
    pub debug: u8,
}

/// A setting that does not make sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// `MW_CPU` names no CPU.
    #[error(transparent)]
    UnknownCpu(#[from] UnknownCpu),
    /// `MW_CPU` names a CPU whose code this machine cannot run.
    #[error(
        "code for `{cpu}` does not run here: this machine has no {missing}; leave MW_CPU unset to use what it has"
    )]
    CannotRun {
        /// The CPU.
        cpu: String,
        /// The first feature that is not there.
        missing: &'static str,
    },
    /// A number is none.
    #[error("{variable}={value}: expected {expected}")]
    NotANumber {
        /// Name of the variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What should stand there.
        expected: &'static str,
    },
}

const DEFAULT_CACHE_BYTES: u64 = 2 << 30;

impl CpuOptions {
    /// What the environment says; defaults for the rest.
    pub fn from_environment() -> Result<Self, OptionsError> {
        let target = TargetSpec::from_environment()?;
        check_runs_here(&target)?;
        let all = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let threads = number("MW_THREADS", "a number of threads, at least 1")?
            .map_or(Some(all), |count| NonZero::new(count as usize))
            .ok_or(OptionsError::NotANumber {
                variable: "MW_THREADS",
                value: "0".into(),
                expected: "a number of threads, at least 1",
            })?;
        Ok(Self {
            target,
            threads,
            time_limit: Duration::from_secs(number("MW_TIME_LIMIT", "seconds")?.unwrap_or(60)),
            // Spills of the largest kernels (complex matrix products) take 1.7 MB beside their private arrays.
            stack_bytes: 8 << 20,
            clear_threadgroup_memory: number("MW_CLEAR_MEMORY", "0 or 1")?.unwrap_or(0) != 0,
            cache_folder: cache_folder(),
            cache_bytes: number("MW_CACHE_BYTES", "a number of bytes")?.unwrap_or(DEFAULT_CACHE_BYTES),
            debug: number("MW_DEBUG", "a level from 0 to 4")?.unwrap_or(0).min(4) as u8,
        })
    }
}

fn number(variable: &'static str, expected: &'static str) -> Result<Option<u64>, OptionsError> {
    match std::env::var(variable) {
        Ok(value) if !value.is_empty() => match value.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(OptionsError::NotANumber { variable, value, expected }),
        },
        _ => Ok(None),
    }
}

fn cache_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    match variable("MW_CACHE_DIR") {
        Some(folder) if folder.as_os_str() == "off" => None,
        Some(folder) => Some(folder),
        None => variable("XDG_CACHE_HOME")
            .or_else(|| variable("HOME").map(|home| home.join(".cache")))
            .map(|cache| cache.join("metalworking")),
    }
}

fn check_runs_here(target: &TargetSpec) -> Result<(), OptionsError> {
    let missing = |missing| OptionsError::CannotRun { cpu: target.cpu.clone(), missing };
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! require {
            ($($feature:tt),*) => {{
                $(if !std::arch::is_x86_feature_detected!($feature) {
                    return Err(missing($feature));
                })*
            }};
        }
        match target.cpu.as_str() {
            _ if !target.is_x86_64() => return Err(missing("AArch64 instructions")),
            "x86-64-v2" => require!("sse4.2", "popcnt"),
            "x86-64-v3" => require!("avx2", "fma", "f16c", "bmi1", "bmi2", "lzcnt", "movbe"),
            "x86-64-v4" => {
                require!("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "fma", "f16c");
            }
            _ => {}
        }
    }
    #[cfg(target_arch = "aarch64")]
    if !target.is_aarch64() {
        return Err(missing("x86-64 instructions"));
    }
    Ok(())
}
