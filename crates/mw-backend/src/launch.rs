//! Launches, and the traits that a backend implements.

use std::sync::Arc;
use std::time::Duration;

use mw_air::Module;
use mw_air::schema::{KernelInfo, ModuleInfo};

use crate::{BufferView, CompileError, Grid, LaunchError, ThreadgroupOrder};

/// What one kernel parameter receives.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Memory in the device or constant address space.
    Buffer(BufferView),
    /// Threadgroup memory of this many bytes.
    Threadgroup {
        /// Size in bytes.
        length: u32,
    },
    /// A built-in: the backend supplies it.
    Builtin,
    /// Not there: gated off by a function constant, or not used by the body.
    Absent,
}

/// One execution of a kernel.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// Shape.
    pub grid: Grid,
    /// One entry for each kernel parameter, in order.
    pub args: &'a [Argument],
    /// Buffers that the kernel reaches by address through argument buffers.
    pub resident: &'a [BufferView],
    /// Order of threadgroups.
    pub order: ThreadgroupOrder,
    /// Stop the kernel after this time; `None` for the backend's default.
    pub time_limit: Option<Duration>,
}

/// Turns modules into kernels.
pub trait Backend: Send + Sync {
    /// Short name, such as `cpu` or `interp`.
    fn name(&self) -> &'static str;

    /// Prepares kernel `kernel` of `info` (an index into its kernels). Function constants are set in
    /// `module` already; its constructors have not run.
    fn compile(
        &self,
        module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
    ) -> Result<Arc<dyn Kernel>, CompileError>;
}

/// A kernel that is ready to run.
pub trait Kernel: Send + Sync {
    /// What the module says about it.
    fn info(&self) -> &KernelInfo;

    /// Bytes of threadgroup memory that the kernel declares itself.
    fn static_threadgroup_memory(&self) -> u32;

    /// Runs it and returns when every threadgroup has ended.
    fn run(&self, launch: &Launch<'_>) -> Result<(), LaunchError>;
}
