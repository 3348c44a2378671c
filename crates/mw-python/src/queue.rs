//! `CommandQueue` and `CommandBuffer`.

use metalworking as mw;
use metalworking::{DispatchType, ThreadgroupOrder};
use pyo3::prelude::*;

use crate::encoder::{PyBlitEncoder, PyComputeEncoder};
use crate::error::NativeError;
use crate::event::PySharedEvent;

/// A queue of command buffers (``MTLCommandQueue``): they run in order; queues run side by side.
#[pyclass(frozen, module = "metalworking", name = "CommandQueue")]
pub(crate) struct PyCommandQueue(pub(crate) mw::CommandQueue);

#[pymethods]
impl PyCommandQueue {
    /// A new command buffer.
    fn command_buffer(&self) -> PyCommandBuffer {
        PyCommandBuffer(self.0.command_buffer())
    }

    /// Chooses in which order threadgroups of later launches start.
    ///
    /// Args:
    ///     seed: Shuffles them by this seed; None runs them in order. A kernel whose result changes with it
    ///         relies on an order that Metal does not promise.
    #[pyo3(signature = (seed))]
    fn shuffle_threadgroups(&self, seed: Option<u64>) {
        self.0.set_threadgroup_order(seed.map_or_else(ThreadgroupOrder::default, ThreadgroupOrder::Shuffled));
    }

    /// Name for messages.
    #[getter]
    fn label(&self) -> Option<String> {
        self.0.label()
    }

    #[setter]
    fn set_label(&self, label: String) {
        self.0.set_label(label);
    }
}

/// Work that is encoded, committed once, and completed later (``MTLCommandBuffer``).
///
/// Made by :meth:`CommandQueue.command_buffer`.
#[pyclass(frozen, module = "metalworking", name = "CommandBuffer")]
pub(crate) struct PyCommandBuffer(pub(crate) mw::CommandBuffer);

#[pymethods]
impl PyCommandBuffer {
    /// An encoder for kernels. Use it in a ``with`` statement, or call its ``end_encoding``.
    ///
    /// Args:
    ///     concurrent: Dispatches may run at the same time except across barriers, as the program says itself.
    #[pyo3(signature = (concurrent = false))]
    fn compute_command_encoder(&self, concurrent: bool) -> PyComputeEncoder {
        let kind = if concurrent { DispatchType::Concurrent } else { DispatchType::Serial };
        PyComputeEncoder::new(self.0.compute_command_encoder_with_dispatch_type(kind))
    }

    /// An encoder for copies and fills. Use it in a ``with`` statement, or call its ``end_encoding``.
    fn blit_command_encoder(&self) -> PyBlitEncoder {
        PyBlitEncoder::new(self.0.blit_command_encoder())
    }

    /// Sets an event to a value when all that was encoded before has run, well or not.
    fn encode_signal_event(&self, event: &PySharedEvent, value: u64) -> Result<(), NativeError> {
        Ok(self.0.encode_signal_event(&event.0, value)?)
    }

    /// Holds the queue here until the event's value is at least `value`.
    fn encode_wait_for_event(&self, event: &PySharedEvent, value: u64) -> Result<(), NativeError> {
        Ok(self.0.encode_wait_for_event(&event.0, value)?)
    }

    /// Calls `handler(command_buffer)` when the commands have run, well or not, on the thread that ran them.
    ///
    /// An exception in it is printed and goes no further.
    fn add_completed_handler(&self, handler: Py<PyAny>) -> Result<(), NativeError> {
        Ok(self.0.add_completed_handler(move |buffer| call_handler(&handler, buffer))?)
    }

    /// Calls `handler(command_buffer)` just before the commands run, on the thread that runs them.
    ///
    /// An exception in it is printed and goes no further.
    fn add_scheduled_handler(&self, handler: Py<PyAny>) -> Result<(), NativeError> {
        Ok(self.0.add_scheduled_handler(move |buffer| call_handler(&handler, buffer))?)
    }

    /// Takes a place in the queue now, before the commit.
    fn enqueue(&self) -> Result<(), NativeError> {
        Ok(self.0.enqueue()?)
    }

    /// Hands the work to the queue.
    ///
    /// Raises:
    ///     EncodeError: A fault was made while encoding: none of the commands run. Or it was committed before,
    ///         or an encoder is still open.
    fn commit(&self, py: Python<'_>) -> Result<(), NativeError> {
        Ok(py.detach(|| self.0.commit())?)
    }

    /// Waits, without the GIL, until the commands are about to run or have run.
    fn wait_until_scheduled(&self, py: Python<'_>) -> Result<(), NativeError> {
        Ok(py.detach(|| self.0.wait_until_scheduled())?)
    }

    /// Waits, without the GIL, until the commands have run and every completed handler has returned.
    ///
    /// Raises:
    ///     KernelFault: A kernel accessed memory outside its buffers, or did what the checked engine forbids.
    ///     WatchdogError: A kernel ran past the time limit.
    ///     UnsupportedError: A kernel reached what this engine cannot run.
    ///     EncodeError: It was never valid, or never committed.
    fn wait_until_completed(&self, py: Python<'_>) -> Result<(), NativeError> {
        Ok(py.detach(|| self.0.wait_until_completed())?)
    }

    /// How far it is: ``"not_enqueued"``, ``"enqueued"``, ``"committed"``, ``"scheduled"``, ``"completed"`` or
    /// ``"error"``.
    #[getter]
    fn status(&self) -> &'static str {
        match self.0.status() {
            mw::CommandBufferStatus::NotEnqueued => "not_enqueued",
            mw::CommandBufferStatus::Enqueued => "enqueued",
            mw::CommandBufferStatus::Committed => "committed",
            mw::CommandBufferStatus::Scheduled => "scheduled",
            mw::CommandBufferStatus::Completed => "completed",
            mw::CommandBufferStatus::Error => "error",
        }
    }

    /// The exception that it ended in, or None.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.0
            .error()
            .map(|error| PyErr::from(NativeError::from(error)).into_value(py).into_bound(py).into_any())
    }

    /// When the first command began, in seconds of a clock that only goes forward; 0 before completion.
    #[getter]
    fn gpu_start_time(&self) -> f64 {
        self.0.gpu_start_time()
    }

    /// When the last command ended, on the same clock.
    #[getter]
    fn gpu_end_time(&self) -> f64 {
        self.0.gpu_end_time()
    }

    /// Name for messages.
    #[getter]
    fn label(&self) -> Option<String> {
        self.0.label()
    }

    #[setter]
    fn set_label(&self, label: String) {
        self.0.set_label(label);
    }

    fn __repr__(&self) -> String {
        format!("<metalworking.CommandBuffer: {}>", self.status())
    }
}

fn call_handler(handler: &Py<PyAny>, buffer: &mw::CommandBuffer) {
    // At the interpreter's end there is nobody left to tell.
    Python::try_attach(|py| {
        let outcome = handler.call1(py, (PyCommandBuffer(buffer.clone()),));
        if let Err(error) = outcome {
            error.write_unraisable(py, Some(handler.bind(py)));
        }
    });
}
