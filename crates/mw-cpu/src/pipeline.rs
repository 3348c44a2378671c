//! From AIR to machine code: the one list of stages, in order.
//!
//! | stage | by | leaves |
//! | --- | --- | --- |
//! | `air` | `mw_passes::specialize`, before this crate sees the module | function constants set |
//! | `link` | `mw_builtins::link` | library functions with bodies |
//! | `scalar` | `mw_llvm::optimize_scalar` | one thread's code, small and flat |
//! | `simd` | `mw_passes::scalarize`, `mw_passes::vectorize` | one simdgroup's code |
//! | `asm` | `mw_llvm::compile` | machine code |

use std::time::Instant;

use mw_air::Module;
use mw_air::schema::{KernelInfo, ModuleInfo};
use mw_backend::CompileError;
use mw_llvm::{CodegenOptions, ScalarOptions, TargetSpec, Timings};
use mw_passes::abi::ThreadgroupShape;
use mw_passes::{PassError, scalarize, vectorize};

use crate::launch::KernelFacts;

/// Stages that can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// The kernel as it came, with its function constants set.
    Air,
    /// One thread's code after the scalar clean-up.
    Scalar,
    /// One simdgroup's code.
    Simd,
    /// Assembly.
    Asm,
}

/// A kernel on its way to code.
pub(crate) struct Pipeline<'a> {
    pub(crate) module: &'a Module,
    pub(crate) info: &'a ModuleInfo,
    pub(crate) kernel: &'a KernelInfo,
    pub(crate) shape: ThreadgroupShape,
    pub(crate) target: &'a TargetSpec,
    pub(crate) timings: Timings,
}

impl Pipeline<'_> {
    /// `link` and `scalar`.
    fn scalar(&mut self) -> Result<Module, CompileError> {
        let mut module = self.module.clone();
        let start = Instant::now();
        mw_builtins::link(&mut module).map_err(|error| self.unsupported(&error.to_string()))?;
        self.timings.0.push(("link", start.elapsed()));
        self.check("link", &module)?;
        let options =
            ScalarOptions { flush_f32_denormals: self.info.denorms_disabled, ..ScalarOptions::default() };
        let scalar = mw_llvm::optimize_scalar_timed(&module, options, &mut self.timings)
            .map_err(|error| self.internal("scalar", &error.to_string()))?;
        self.check("scalar", &scalar)?;
        Ok(scalar)
    }

    /// `simd`.
    fn simd(&mut self) -> Result<(KernelFacts, Module), CompileError> {
        let scalar = self.scalar()?;
        // LLVM has numbered the functions anew.
        let info = ModuleInfo::parse(&scalar).map_err(|error| self.internal("simd", &error.to_string()))?;
        let kernel = info
            .kernels
            .iter()
            .find(|kernel| kernel.name == self.kernel.name)
            .ok_or_else(|| self.internal("simd", "the scalar clean-up lost the kernel"))?;
        let start = Instant::now();
        let parts = scalarize::run(&scalar, kernel).map_err(|error| self.pass_error("simd", &error))?;
        drop(scalar);
        self.timings.0.push(("scalarize", start.elapsed()));
        let options = vectorize::Options {
            shape: self.shape,
            masked_memory: self.target.has_masked_memory(),
            two_register_permutes: self.target.has_two_register_permutes(),
            flush_denormals: self.info.denorms_disabled,
        };
        let start = Instant::now();
        let wide =
            vectorize::run(&parts, kernel, options).map_err(|error| self.pass_error("simd", &error))?;
        self.timings.0.push(("vectorize", start.elapsed()));
        self.check("simd", &wide.module)?;
        let facts = KernelFacts {
            has_barrier: wide.has_barriers,
            threadgroup_bytes: wide.threadgroup_memory,
            image: wide.threadgroup_image,
            private_bytes: wide.private_bytes,
        };
        Ok((facts, wide.module))
    }

    /// All stages.
    pub(crate) fn object(&mut self) -> Result<(KernelFacts, Vec<u8>), CompileError> {
        let (facts, module) = self.simd()?;
        let object = mw_llvm::compile_timed(&module, &self.codegen_options(), &mut self.timings)
            .map_err(|error| self.internal("asm", &error.to_string()))?;
        Ok((facts, object))
    }

    /// All stages, with more LLVM assembly in the same object.
    pub(crate) fn object_with(&mut self, text: &str) -> Result<(KernelFacts, Vec<u8>), CompileError> {
        let (facts, module) = self.simd()?;
        let object = mw_llvm::compile_with(&module, text, &self.codegen_options())
            .map_err(|error| self.internal("asm", &error.to_string()))?;
        Ok((facts, object))
    }

    /// The text of one stage.
    pub(crate) fn text(&mut self, stage: Stage) -> Result<String, CompileError> {
        let print = |module: &Module| mw_air::print(module, &mw_air::PrintOptions::default());
        match stage {
            Stage::Air => Ok(print(self.module)),
            Stage::Scalar => Ok(print(&self.scalar()?)),
            Stage::Simd => Ok(print(&self.simd()?.1)),
            Stage::Asm => {
                let (_, module) = self.simd()?;
                mw_llvm::assembly(&module, &self.codegen_options())
                    .map_err(|error| self.internal("asm", &error.to_string()))
            }
        }
    }

    fn codegen_options(&self) -> CodegenOptions {
        CodegenOptions {
            flush_f32_denormals: self.info.denorms_disabled,
            ..CodegenOptions::new(self.target.clone())
        }
    }

    /// In debug builds: a module that breaks an invariant is a fault of the stage that left it.
    fn check(&self, stage: &'static str, module: &Module) -> Result<(), CompileError> {
        if cfg!(debug_assertions)
            && let Err(errors) = mw_air::verify(module)
        {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            return Err(self.internal(stage, &errors.join("; ")));
        }
        Ok(())
    }

    fn unsupported(&self, feature: &str) -> CompileError {
        CompileError::Unsupported {
            kernel: self.kernel.name.to_string(),
            feature: feature.into(),
            help: "run it with the interpreter (`--engine interp`), or write the operation with simdgroup \
                   matrices and plain loops"
                .into(),
        }
    }

    fn pass_error(&self, stage: &'static str, error: &PassError) -> CompileError {
        match error {
            PassError::Unsupported(feature) => self.unsupported(feature),
            PassError::Invalid(message) => self.internal(stage, message),
        }
    }

    fn internal(&self, stage: &'static str, message: &str) -> CompileError {
        CompileError::Internal { kernel: self.kernel.name.to_string(), stage, message: message.into() }
    }
}
