//! `Library`, `Function`, and options of compiling.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use half::{bf16, f16};
use metalworking as mw;
use metalworking::{ConstantScalar, FileProvider, FunctionConstantValues};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt};

use crate::error::{NativeError, exception};
use crate::reflection::PyFunctionConstant;

/// Compiled functions (``MTLLibrary``). Made by :meth:`Device.new_library_with_source` and its relatives.
#[pyclass(frozen, module = "metalworking", name = "Library")]
pub(crate) struct PyLibrary(pub(crate) mw::Library);

#[pymethods]
impl PyLibrary {
    /// Names of all kernels, in the order of the source or file.
    #[getter]
    fn function_names(&self) -> Vec<String> {
        self.0.function_names().into_iter().map(str::to_owned).collect()
    }

    /// The warnings of the compilation as text; empty when there were none.
    #[getter]
    fn warnings(&self) -> String {
        self.0.source_program().map(|program| program.diagnostics().to_string()).unwrap_or_default()
    }

    /// A kernel.
    ///
    /// Args:
    ///     name: Its name, as in the source; instantiated templates by their ``[[host_name]]``.
    ///     constants: Values of function constants, by index or by name: ``{0: 16, "is_causal": True}``.
    ///
    /// Returns:
    ///     The function. Constants that are left out stay unset; a pipeline can be made once all required
    ///     ones are set.
    ///
    /// Raises:
    ///     FunctionError: There is no such function, or a value does not suit its constant.
    ///     UnsupportedError: The kernel uses what cannot be compiled; the text says what and where.
    #[pyo3(signature = (name, constants = None))]
    fn function(
        &self,
        py: Python<'_>,
        name: &str,
        constants: Option<&Bound<'_, PyDict>>,
    ) -> Result<PyFunction, NativeError> {
        let function = py.detach(|| self.0.function(name))?;
        match constants {
            None => Ok(PyFunction(function)),
            Some(constants) => PyFunction(function).specialized(py, constants),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.0.function_names().contains(&name)
    }

    fn __len__(&self) -> usize {
        self.0.function_names().len()
    }

    fn __repr__(&self) -> String {
        format!("<metalworking.Library: {} functions>", self.0.function_names().len())
    }
}

/// A kernel of a library (``MTLFunction``).
#[pyclass(frozen, module = "metalworking", name = "Function")]
pub(crate) struct PyFunction(pub(crate) mw::Function);

#[pymethods]
impl PyFunction {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The function constants that it declares.
    #[getter]
    fn function_constants(&self) -> Vec<PyFunctionConstant> {
        self.0.function_constants().iter().map(PyFunctionConstant::of).collect()
    }

    /// Whether its function constants have been set.
    #[getter]
    fn is_specialized(&self) -> bool {
        self.0.is_specialized()
    }

    /// The same function with its constants set.
    ///
    /// Args:
    ///     constants: Values by index or by name. Indices that it does not declare are passed over, as Metal
    ///         does; an unknown name is an error.
    ///
    /// Raises:
    ///     FunctionError: A required constant has no value, or a value does not suit its constant.
    fn specialized(&self, py: Python<'_>, constants: &Bound<'_, PyDict>) -> Result<Self, NativeError> {
        let mut values = FunctionConstantValues::new();
        for (key, value) in constants.iter() {
            let declared = self.0.function_constants();
            if let Ok(name) = key.extract::<String>() {
                let constant = declared.iter().find(|constant| *constant.name == *name);
                // The type of an unknown one does not matter: setting it is the error.
                let type_name = constant.map_or("int", |constant| &*constant.type_name);
                let scalar = scalar(type_name, &name, &value);
                if constant.is_none() {
                    values.set_named(name, 0_i32);
                } else {
                    values.set_named(name, scalar?);
                }
            } else {
                let index = key.extract::<u32>().map_err(|_| {
                    PyTypeError::new_err("a function constant is named by its index or by its name")
                })?;
                if let Some(constant) = declared.iter().find(|constant| constant.index == index) {
                    values.set(index, scalar(&constant.type_name, &constant.name, &value)?);
                }
            }
        }
        Ok(Self(py.detach(|| self.0.specialized(&values))?))
    }

    fn __repr__(&self) -> String {
        format!("<metalworking.Function {:?}>", self.0.name())
    }
}

/// A Python number as a value of the type that the constant declares.
fn scalar(type_name: &str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<ConstantScalar> {
    let wrong = |_: PyErr| {
        let given = value.repr().map_or_else(|_| "a value".to_owned(), |text| text.to_string());
        let message = format!(
            "function constant `{name}` is declared `{type_name}`, and {given} is no value of that type"
        );
        exception("FunctionError", message)
    };
    let is_bool = value.is_instance_of::<PyBool>();
    let is_whole = value.is_instance_of::<PyInt>() && !is_bool;
    let is_real = value.is_instance_of::<PyFloat>() || is_whole || value.hasattr("__float__")? && !is_bool;
    // NumPy's integers say by `__index__` that they are whole.
    let is_whole = is_whole || value.hasattr("__index__")? && !is_bool;
    let mismatch = || wrong(PyTypeError::new_err(""));
    Ok(match type_name {
        "bool" if is_bool => ConstantScalar::Bool(value.extract().map_err(wrong)?),
        "char" if is_whole => ConstantScalar::Char(value.extract().map_err(wrong)?),
        "uchar" if is_whole => ConstantScalar::UChar(value.extract().map_err(wrong)?),
        "short" if is_whole => ConstantScalar::Short(value.extract().map_err(wrong)?),
        "ushort" if is_whole => ConstantScalar::UShort(value.extract().map_err(wrong)?),
        "int" if is_whole => ConstantScalar::Int(value.extract().map_err(wrong)?),
        "uint" if is_whole => ConstantScalar::UInt(value.extract().map_err(wrong)?),
        "long" if is_whole => ConstantScalar::Long(value.extract().map_err(wrong)?),
        "ulong" if is_whole => ConstantScalar::ULong(value.extract().map_err(wrong)?),
        "half" if is_real => ConstantScalar::Half(f16::from_f64(value.extract().map_err(wrong)?)),
        "bfloat" if is_real => ConstantScalar::BFloat(bf16::from_f64(value.extract().map_err(wrong)?)),
        "float" if is_real => ConstantScalar::Float(value.extract().map_err(wrong)?),
        _ => return Err(mismatch()),
    })
}

/// What `Device.new_library_with_source` takes beside the text.
pub(crate) struct SourceArgs<'a> {
    pub(crate) language_version: Option<&'a str>,
    pub(crate) fast_math: bool,
    pub(crate) macros: Option<&'a Bound<'a, PyDict>>,
    pub(crate) include_folders: Vec<PathBuf>,
    pub(crate) headers: Option<&'a Bound<'a, PyDict>>,
    pub(crate) file_name: Option<String>,
}

impl SourceArgs<'_> {
    pub(crate) fn options(self) -> PyResult<mw::CompileOptions> {
        let mut options = mw::CompileOptions::new().fast_math(self.fast_math);
        if let Some(version) = self.language_version {
            let version = version.parse().map_err(PyValueError::new_err::<String>)?;
            options = options.language_version(version);
        }
        if let Some(macros) = self.macros {
            for (name, body) in macros.iter() {
                let body = if body.is_instance_of::<PyBool>() {
                    u8::from(body.extract::<bool>()?).to_string()
                } else {
                    body.str()?.to_string()
                };
                options = options.with_macro(name.extract::<String>()?, body);
            }
        }
        if let Some(name) = self.file_name {
            options = options.file_name(name);
        }
        let mut memory = mw::MemoryFiles::default();
        if let Some(headers) = self.headers {
            for (name, text) in headers.iter() {
                memory.add(name.extract::<String>()?, text.extract::<String>()?);
            }
            // Where `#include "name"` from a source without a folder looks.
            options.include_folders.push(String::new());
        }
        let folders = self.include_folders;
        options.include_folders.extend(folders.iter().map(|folder| folder.to_string_lossy().into_owned()));
        options.files = Arc::new(Files { memory, reads_disk: !folders.is_empty() });
        Ok(options)
    }
}

/// Headers that the caller gave as text, and those on disk if it named a folder to look in.
struct Files {
    memory: mw::MemoryFiles,
    reads_disk: bool,
}

/// No header is longer.
const MAX_HEADER_BYTES: u64 = 64 << 20;

impl FileProvider for Files {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        if let Some(text) = self.memory.read(path) {
            return Some(text);
        }
        let file = Path::new(path);
        if !self.reads_disk || std::fs::metadata(file).ok()?.len() > MAX_HEADER_BYTES {
            return None;
        }
        Some(String::from_utf8_lossy(&std::fs::read(file).ok()?).into())
    }
}
