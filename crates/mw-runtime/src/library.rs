//! [`Library`]: functions by name.

use std::path::Path;
use std::sync::Arc;

use mw_air::Module;
use mw_air::schema::ModuleInfo;

use crate::constants::FunctionConstantValues;
use crate::error::{FunctionError, LibraryError};
use crate::function::Function;
use crate::source::{CompileOptions, SourceProgram};

/// A library of compiled functions (`MTLLibrary`). Clones are cheap.
#[derive(Clone, Debug)]
pub struct Library {
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// Code is read when a function is taken out.
    Container(mw_metallib::Library),
    /// A module that is in memory already.
    Module(Arc<(Module, ModuleInfo)>),
    /// Checked source, whose kernels are lowered when they are taken out.
    Program(SourceProgram),
}

impl Library {
    /// Opens a `.metallib`, an `.air` file, a program that embeds one library, or AIR text (`.ll`).
    /// The file must not change while the library is in use.
    pub fn open(path: &Path) -> Result<Self, LibraryError> {
        if path.extension().is_some_and(|extension| extension == "ll") {
            let text = std::fs::read_to_string(path).map_err(|source| LibraryError::Read {
                path: Some(path.to_owned()),
                source: Arc::new(mw_metallib::LibraryError::Io { path: path.to_owned(), source }),
            })?;
            return Self::from_air_text(&text);
        }
        let container = mw_metallib::Library::open(path)
            .map_err(|source| LibraryError::Read { path: Some(path.to_owned()), source: Arc::new(source) })?;
        Ok(container.into())
    }

    /// A library out of bytes.
    pub fn from_bytes(bytes: Arc<[u8]>) -> Result<Self, LibraryError> {
        let container = mw_metallib::Library::from_bytes(bytes)
            .map_err(|source| LibraryError::Read { path: None, source: Arc::new(source) })?;
        Ok(container.into())
    }

    /// A library out of AIR as LLVM assembly, as `mw disassemble` prints it.
    pub fn from_air_text(text: &str) -> Result<Self, LibraryError> {
        let module = mw_air::parse(text).map_err(|error| LibraryError::Air(error.to_string()))?;
        Self::from_module(module)
    }

    /// A library out of a module in memory.
    ///
    /// # Errors
    /// The module breaks a rule of AIR, or its metadata is malformed.
    pub fn from_module(module: Module) -> Result<Self, LibraryError> {
        if let Err(errors) = mw_air::verify(&module) {
            let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
            return Err(LibraryError::Air(texts.join("; ")));
        }
        let info = ModuleInfo::parse(&module).map_err(|error| LibraryError::Air(error.to_string()))?;
        Ok(Self { source: Source::Module(Arc::new((module, info))) })
    }

    /// A library out of Metal source.
    ///
    /// # Errors
    /// The text has mistakes: the error shows each in its place.
    pub fn from_source(source: &str, options: &CompileOptions) -> Result<Self, LibraryError> {
        Ok(SourceProgram::compile(source, options)?.into())
    }

    /// The program behind it, if it was made from source.
    pub fn source_program(&self) -> Option<&SourceProgram> {
        match &self.source {
            Source::Program(program) => Some(program),
            Source::Container(_) | Source::Module(_) => None,
        }
    }

    /// The container behind it, if it came out of one.
    pub fn container(&self) -> Option<&mw_metallib::Library> {
        match &self.source {
            Source::Container(container) => Some(container),
            Source::Module(_) | Source::Program(_) => None,
        }
    }

    /// Names of all functions, in file order.
    pub fn function_names(&self) -> Vec<&str> {
        match &self.source {
            Source::Container(container) => container.functions().map(|entry| entry.name()).collect(),
            Source::Module(module) => module.1.kernels.iter().map(|kernel| &*kernel.name).collect(),
            Source::Program(program) => program.kernel_names().iter().map(String::as_str).collect(),
        }
    }

    /// A function. If it has function constants, they stay unset: making a pipeline of it fails when one of
    /// them is required.
    pub fn function(&self, name: &str) -> Result<Function, FunctionError> {
        let not_found = || FunctionError::NotFound {
            name: name.to_owned(),
            suggestions: nearest(name, &self.function_names()),
        };
        match &self.source {
            Source::Container(container) => Function::read(container.function(name).ok_or_else(not_found)?),
            Source::Module(module) => {
                let (module, info) = &**module;
                if !info.kernels.iter().any(|kernel| *kernel.name == *name) {
                    return Err(not_found());
                }
                Function::of_module(name, module.clone(), info.clone())
            }
            Source::Program(program) => program.function(name).ok_or_else(not_found)?,
        }
    }

    /// A function with its function constants set (`newFunctionWithName:constantValues:`).
    pub fn function_with_constants(
        &self,
        name: &str,
        values: &FunctionConstantValues,
    ) -> Result<Function, FunctionError> {
        self.function(name)?.specialized(values)
    }
}

impl From<mw_metallib::Library> for Library {
    fn from(container: mw_metallib::Library) -> Self {
        Self { source: Source::Container(container) }
    }
}

impl From<SourceProgram> for Library {
    fn from(program: SourceProgram) -> Self {
        Self { source: Source::Program(program) }
    }
}

/// Up to three names that look most like `wanted`: same start and same end count, as long kernel names differ
/// in a type or a tile size in between.
fn nearest(wanted: &str, names: &[&str]) -> Vec<String> {
    const SHOWN: usize = 3;
    let lower = wanted.to_lowercase();
    let mut scored: Vec<(usize, usize, &str)> = names
        .iter()
        .filter_map(|name| {
            let common = shared_ends(&lower, &name.to_lowercase());
            let longest = lower.len().max(name.len());
            // Half of the longer name must agree, or it is no slip.
            (common * 2 >= longest).then_some((longest - common, name.len(), *name))
        })
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(SHOWN).map(|(_, _, name)| name.to_owned()).collect()
}

/// Bytes in the common prefix and the common suffix, not counted twice.
fn shared_ends(a: &str, b: &str) -> usize {
    let prefix = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let shorter = a.len().min(b.len());
    let suffix = a.bytes().rev().zip(b.bytes().rev()).take_while(|(x, y)| x == y).count();
    prefix + suffix.min(shorter - prefix)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_find_their_name() {
        let names = ["vv_Addfloat32", "vv_Addfloat16", "rmsfloat32", "ss_Addfloat32"];
        assert_eq!(nearest("vv_addfloat32", &names)[0], "vv_Addfloat32");
        assert_eq!(nearest("vv_Adfloat16", &names)[0], "vv_Addfloat16");
        assert!(nearest("qqqqq", &names).is_empty());
    }
}
