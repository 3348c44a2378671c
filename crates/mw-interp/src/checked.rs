//! [`CheckedBackend`]: the interpreter, for whom what it finds is an error.

use std::sync::Arc;

use mw_air::Module;
use mw_air::schema::{KernelInfo, ModuleInfo};
use mw_backend::{Backend, CompileError, Kernel, Launch, LaunchError};

use crate::kernel::{InterpBackend, InterpKernel};
use crate::observe::Finding;

/// The interpreter as a checker: a launch fails when a kernel does what it should not, even if its result
/// may be right by chance ([`Finding`]).
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckedBackend {
    /// The interpreter.
    pub interpreter: InterpBackend,
}

impl Backend for CheckedBackend {
    fn name(&self) -> &'static str {
        "checked"
    }

    fn compile(
        &self,
        module: &Arc<Module>,
        info: &Arc<ModuleInfo>,
        kernel: usize,
    ) -> Result<Arc<dyn Kernel>, CompileError> {
        Ok(Arc::new(CheckedKernel(self.interpreter.prepare(module, info, kernel)?)))
    }
}

#[derive(Debug)]
struct CheckedKernel(InterpKernel);

impl Kernel for CheckedKernel {
    fn info(&self) -> &KernelInfo {
        self.0.info()
    }

    fn static_threadgroup_memory(&self) -> u32 {
        self.0.static_threadgroup_memory()
    }

    fn run(&self, launch: &Launch<'_>) -> Result<(), LaunchError> {
        let report = self.0.run_observed(launch, None)?;
        match report.findings.first() {
            None => Ok(()),
            Some(finding) => Err(LaunchError::Fault {
                kernel: self.info().name.to_string(),
                message: self.describe(finding, report.findings.len() - 1),
            }),
        }
    }
}

impl CheckedKernel {
    /// The first finding in words.
    fn describe(&self, finding: &Finding, others: usize) -> String {
        let at = &finding.first;
        let [x, y, z] = at.threadgroup;
        let function = self.0.module().functions.get(at.function.index());
        let name = function.map_or("?", |function| &*function.name);
        let more = match others {
            0 => String::new(),
            1 => "; one other place does something of the kind".to_owned(),
            others => format!("; {others} other places do something of the kind"),
        };
        let source = self.0.source_of(at).map_or_else(String::new, |source| format!(", {source}"));
        format!(
            "{} ({} of simdgroup {} of threadgroup ({x}, {y}, {z}), in function `{name}`{source}){more}",
            finding.kind.describe(),
            lanes(finding.mask),
            at.simdgroup,
        )
    }
}

/// The lanes of a mask in words.
fn lanes(mask: u32) -> String {
    match mask.count_ones() {
        1 => format!("lane {}", mask.trailing_zeros()),
        count => format!("{count} lanes, the first of them {},", mask.trailing_zeros()),
    }
}

#[cfg(test)]
mod tests {
    use super::lanes;

    #[test]
    fn lanes_are_counted() {
        assert_eq!(lanes(1 << 5), "lane 5");
        assert_eq!(lanes(0b1100), "2 lanes, the first of them 2,");
    }
}
