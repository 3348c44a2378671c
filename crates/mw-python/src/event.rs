//! `SharedEvent`: order between queues and the host.

use std::time::Duration;

use metalworking as mw;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A counter that the host and command buffers of any queue set and wait for (``MTLSharedEvent``).
///
/// A wait for a value ends when the counter is at least that.
#[pyclass(frozen, module = "metalworking", name = "SharedEvent")]
pub(crate) struct PySharedEvent(pub(crate) mw::SharedEvent);

#[pymethods]
impl PySharedEvent {
    /// The value now. Setting it wakes who waits for it.
    #[getter]
    fn signaled_value(&self) -> u64 {
        self.0.signaled_value()
    }

    #[setter]
    fn set_signaled_value(&self, py: Python<'_>, value: u64) {
        // Listeners may run Python on this thread.
        py.detach(|| self.0.set_signaled_value(value));
    }

    /// Waits, without the GIL, until the value is at least `value`.
    ///
    /// Args:
    ///     value: The value.
    ///     timeout: Seconds to wait at most; None waits for ever.
    ///
    /// Returns:
    ///     False when the time ran out.
    #[pyo3(signature = (value, timeout = None))]
    fn wait_until_signaled_value(&self, py: Python<'_>, value: u64, timeout: Option<f64>) -> PyResult<bool> {
        let timeout = timeout.map(Duration::try_from_secs_f64).transpose();
        let timeout = timeout.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(py.detach(|| self.0.wait_until_signaled_value(value, timeout)))
    }
}
