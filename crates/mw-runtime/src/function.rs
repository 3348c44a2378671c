//! [`Function`]: a kernel of a library, with or without its function constants.

use std::fmt;
use std::sync::Arc;

use mw_air::Module;
use mw_air::schema::{FunctionConstant, KernelInfo, ModuleInfo};
use mw_backend::ConstantValues;
use mw_passes::specialize::{SpecializeError, SpecializeReport, specialize};

use crate::constants::{FunctionConstantValues, describe};
use crate::error::FunctionError;

/// A kernel function (`MTLFunction`). Clones are cheap.
#[derive(Clone)]
pub struct Function {
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    module: Arc<Module>,
    info: Arc<ModuleInfo>,
    kernel: usize,
    /// Set once the constants are in the module.
    specialized: Option<SpecializeReport>,
}

impl Function {
    pub(crate) fn read(entry: mw_metallib::FunctionEntry<'_>) -> Result<Self, FunctionError> {
        let name = entry.name();
        let unreadable = |message: String| FunctionError::Read { name: name.to_owned(), message };
        let module = entry.read_module().map_err(|error| unreadable(with_sources(&error)))?;
        let info = ModuleInfo::parse(&module).map_err(|error| unreadable(with_sources(&error)))?;
        Self::of_module(name, module, info)
    }

    /// A kernel of a module that was made or changed in memory.
    ///
    /// # Errors
    /// The module declares no kernel of this name.
    pub fn of_module(name: &str, module: Module, info: ModuleInfo) -> Result<Self, FunctionError> {
        let kernel = info
            .kernels
            .iter()
            .position(|kernel| *kernel.name == *name)
            .ok_or_else(|| FunctionError::NotAKernel { name: name.to_owned() })?;
        Ok(Self {
            inner: Arc::new(Inner {
                name: name.to_owned(),
                module: Arc::new(module),
                info: Arc::new(info),
                kernel,
                specialized: None,
            }),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its module; constants are set in it if [`Self::is_specialized`].
    pub fn module(&self) -> &Arc<Module> {
        &self.inner.module
    }

    /// What the module says about itself.
    pub fn module_info(&self) -> &Arc<ModuleInfo> {
        &self.inner.info
    }

    /// What the module says about this kernel.
    pub fn kernel_info(&self) -> &KernelInfo {
        &self.inner.info.kernels[self.inner.kernel]
    }

    /// Position of the kernel in [`Self::module_info`].
    pub fn kernel_index(&self) -> usize {
        self.inner.kernel
    }

    /// The function constants that it declares (`functionConstantsDictionary`).
    pub fn function_constants(&self) -> &[FunctionConstant] {
        &self.inner.info.function_constants
    }

    /// Whether its function constants have been set.
    pub fn is_specialized(&self) -> bool {
        self.inner.specialized.is_some()
    }

    /// The same function with its constants set.
    ///
    /// # Errors
    /// A required constant has no value, or a value has another type than its constant.
    pub fn specialized(&self, values: &FunctionConstantValues) -> Result<Self, FunctionError> {
        let bits = values.resolve(self.name(), &self.inner.info)?;
        let mut module = (*self.inner.module).clone();
        let report = self.put_in(&mut module, &bits)?;
        Ok(Self {
            inner: Arc::new(Inner {
                name: self.inner.name.clone(),
                module: Arc::new(module),
                info: self.inner.info.clone(),
                kernel: self.inner.kernel,
                specialized: Some(report),
            }),
        })
    }

    /// This function, ready to be compiled: constants are set if they were not.
    pub(crate) fn ready(&self) -> Result<Self, FunctionError> {
        if self.is_specialized() {
            Ok(self.clone())
        } else {
            self.specialized(&FunctionConstantValues::new())
        }
    }

    /// Which parameters exist, by position; all when the constants are not set.
    pub fn active_args(&self) -> Vec<bool> {
        match &self.inner.specialized {
            Some(report) => report.active_args[self.inner.kernel].clone(),
            None => vec![true; self.kernel_info().args.len()],
        }
    }

    fn put_in(&self, module: &mut Module, bits: &ConstantValues) -> Result<SpecializeReport, FunctionError> {
        specialize(module, &self.inner.info, bits).map_err(|error| match error {
            SpecializeError::Missing { .. } => FunctionError::MissingConstants {
                name: self.name().to_owned(),
                missing: self
                    .function_constants()
                    .iter()
                    .filter(|constant| constant.required && bits.get(constant.index).is_none())
                    .map(describe)
                    .collect(),
            },
            other => {
                FunctionError::Specialize { name: self.name().to_owned(), message: with_sources(&other) }
            }
        })
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.inner.name)
            .field("specialized", &self.is_specialized())
            .finish_non_exhaustive()
    }
}

/// An error with all of its sources in one line.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
