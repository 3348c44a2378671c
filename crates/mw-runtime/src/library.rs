//! [`Library`]: functions by name.

use std::path::Path;
use std::sync::Arc;

use crate::constants::FunctionConstantValues;
use crate::error::{FunctionError, LibraryError};
use crate::function::Function;

/// A library of compiled functions (`MTLLibrary`). Its code is read when a function is taken out.
#[derive(Clone, Debug)]
pub struct Library {
    inner: mw_metallib::Library,
}

impl Library {
    /// Opens a file that holds one library. The file must not change while the library is in use.
    pub fn open(path: &Path) -> Result<Self, LibraryError> {
        let inner = mw_metallib::Library::open(path)
            .map_err(|source| LibraryError::Read { path: Some(path.to_owned()), source: Arc::new(source) })?;
        Ok(Self { inner })
    }

    /// A library out of bytes.
    pub fn from_bytes(bytes: Arc<[u8]>) -> Result<Self, LibraryError> {
        let inner = mw_metallib::Library::from_bytes(bytes)
            .map_err(|source| LibraryError::Read { path: None, source: Arc::new(source) })?;
        Ok(Self { inner })
    }

    /// The container behind it.
    pub fn container(&self) -> &mw_metallib::Library {
        &self.inner
    }

    /// Names of all functions, in file order.
    pub fn function_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.inner.functions().map(|entry| entry.name())
    }

    /// A function. If it has function constants, they stay unset: making a pipeline of it fails when one of
    /// them is required.
    pub fn function(&self, name: &str) -> Result<Function, FunctionError> {
        Function::read(self.find(name)?)
    }

    /// A function with its function constants set (`newFunctionWithName:constantValues:`).
    pub fn function_with_constants(
        &self,
        name: &str,
        values: &FunctionConstantValues,
    ) -> Result<Function, FunctionError> {
        self.function(name)?.specialized(values)
    }

    fn find(&self, name: &str) -> Result<mw_metallib::FunctionEntry<'_>, FunctionError> {
        self.inner.function(name).ok_or_else(|| FunctionError::NotFound {
            name: name.to_owned(),
            suggestions: nearest(name, self.function_names()),
        })
    }
}

impl From<mw_metallib::Library> for Library {
    fn from(inner: mw_metallib::Library) -> Self {
        Self { inner }
    }
}

/// Up to three names that look most like `wanted`: same start and same end count, as long kernel names differ
/// in a type or a tile size in between.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    const SHOWN: usize = 3;
    let lower = wanted.to_lowercase();
    let mut scored: Vec<(usize, usize, &str)> = names
        .filter_map(|name| {
            let common = shared_ends(&lower, &name.to_lowercase());
            let longest = lower.len().max(name.len());
            // Half of the longer name must agree, or it is no slip.
            (common * 2 >= longest).then_some((longest - common, name.len(), name))
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
        assert_eq!(nearest("vv_addfloat32", names.into_iter())[0], "vv_Addfloat32");
        assert_eq!(nearest("vv_Adfloat16", names.into_iter())[0], "vv_Addfloat16");
        assert!(nearest("qqqqq", names.into_iter()).is_empty());
    }
}
