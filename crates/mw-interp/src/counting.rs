//! [`CountingBackend`]: the interpreter, and what each launch did, counted.

use std::sync::{Arc, Mutex, PoisonError};

use mw_air::Module;
use mw_air::schema::{KernelInfo, ModuleInfo};
use mw_backend::{Backend, CompileError, Kernel, Launch, LaunchError};

use crate::counts::Counts;
use crate::kernel::{InterpBackend, InterpKernel};

/// The interpreter as a counter. Clones share what was counted.
#[derive(Clone, Debug, Default)]
pub struct CountingBackend {
    /// The interpreter.
    pub interpreter: InterpBackend,
    last: Arc<Mutex<Option<Counts>>>,
}

impl CountingBackend {
    /// What the last launch did, as far as it came.
    pub fn last(&self) -> Option<Counts> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Backend for CountingBackend {
    fn name(&self) -> &'static str {
        "interp"
    }

    fn compile(
        &self,
        module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        let kernel = self.interpreter.prepare(module, info, kernel)?;
        Ok(Arc::new(CountingKernel { kernel, last: Arc::clone(&self.last) }))
    }
}

#[derive(Debug)]
struct CountingKernel {
    kernel: InterpKernel,
    last: Arc<Mutex<Option<Counts>>>,
}

impl Kernel for CountingKernel {
    fn info(&self) -> &KernelInfo {
        self.kernel.info()
    }

    fn static_threadgroup_memory(&self) -> u32 {
        self.kernel.static_threadgroup_memory()
    }

    fn run(&self, launch: &Launch<'_>) -> Result<(), LaunchError> {
        let mut counts = self.kernel.counts();
        let outcome = self.kernel.run_observed(launch, Some(&mut counts));
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(counts);
        outcome.map(|_| ())
    }
}
