//! Sizes as Python writes them: `256`, `(16, 16)`, `(8, 8, 4)`.

use metalworking as mw;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// One to three whole numbers.
#[derive(Clone, Copy)]
pub(crate) struct SizeArg(pub(crate) mw::Size);

impl<'py> FromPyObject<'_, 'py> for SizeArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.hasattr("__index__")? {
            return Ok(Self(mw::Size::from(dimension(&object)?)));
        }
        let wrong = |_| PyTypeError::new_err("a size is a whole number or a tuple of up to three");
        let parts: Vec<Bound<'py, PyAny>> = object.extract().map_err(wrong)?;
        if parts.is_empty() || parts.len() > 3 {
            return Err(PyValueError::new_err(format!(
                "a size has one to three dimensions, not {}",
                parts.len()
            )));
        }
        let mut size = [1; 3];
        for (dimension_of_size, part) in size.iter_mut().zip(&parts) {
            *dimension_of_size = dimension(part)?;
        }
        Ok(Self(size.into()))
    }
}

fn dimension(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    object.extract().map_err(|_| {
        let given = object.repr().map_or_else(|_| "a value".to_owned(), |text| text.to_string());
        PyValueError::new_err(format!("a dimension of a size is a whole number from 0 on, not {given}"))
    })
}
