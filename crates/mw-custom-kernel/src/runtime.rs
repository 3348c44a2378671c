//! [`Runtime`]: the device, the compiled kernels and their launches.
#![expect(unsafe_code, reason = "hands memory of the caller to kernels")]

use std::cell::RefCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use metalworking::{
    BindingKind, Buffer, CommandQueue, ComputeCommandEncoder, ComputePipelineState, Device, Engine,
    create_system_default_device,
};
use rustc_hash::FxHashMap;

use crate::checked::is_checked;
use crate::counts;
use crate::definition::Generated;
use crate::error::Error;
use crate::launch::{Argument, Launch, Plan};
use crate::source::{KernelSource, MathMode};

/// Bound where an array has no elements: there is no address to give.
const EMPTY_BYTES: usize = 64;

/// A device with a cache of compiled kernels.
#[derive(Debug)]
pub struct Runtime {
    device: Device,
    empty: Buffer,
    kernels: Mutex<FxHashMap<CacheKey, Slot>>,
}

/// The whole text, never the name alone: two kernels of one name are two kernels.
type CacheKey = (String, String, MathMode);

/// Filled by whoever asks first; others that ask meanwhile wait for it.
type Slot = Arc<Mutex<Option<Arc<Prepared>>>>;

/// A compiled kernel.
#[derive(Debug)]
pub struct Prepared {
    pipeline: ComputePipelineState,
    label: String,
    dispatches: Arc<AtomicU64>,
}

impl Prepared {
    /// The user's name.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The device that it was made for.
    pub fn device(&self) -> &Device {
        self.pipeline.device()
    }

    /// Bytes that a view with negative strides has before its first element.
    fn bytes_before(&self, index: usize, array: &Argument<'_>) -> usize {
        let axes = array.shape.iter().zip(array.strides);
        let elements: i64 = axes
            .filter(|(length, stride)| **length > 0 && **stride < 0)
            .map(|(length, stride)| (i64::from(*length) - 1) * -stride)
            .sum();
        if elements == 0 {
            return 0;
        }
        let element = self.pipeline.bindings().iter().find_map(|binding| match &binding.kind {
            BindingKind::Buffer { index: at, element_size, .. } if *at as usize == index => *element_size,
            _ => None,
        });
        elements as usize * element.unwrap_or(0) as usize
    }

    /// What reflection says of it.
    pub fn pipeline(&self) -> &ComputePipelineState {
        &self.pipeline
    }

    /// Checks the sizes of a launch; `None` means that there is nothing to launch. `may_be_empty`: a grid without
    /// threads is fine, because outputs have no elements or have values already.
    ///
    /// # Errors
    /// A size is wrong; the message says what to write.
    pub fn plan(
        &self,
        grid: [i32; 3],
        threadgroup: [i32; 3],
        may_be_empty: bool,
    ) -> Result<Option<Plan>, Error> {
        Plan::new(grid, threadgroup, self.pipeline.max_total_threads_per_threadgroup(), may_be_empty)
    }
}

thread_local! {
    /// Launches of one thread run in order; those of several threads side by side.
    static QUEUE: RefCell<Option<CommandQueue>> = const { RefCell::new(None) };
}

impl Runtime {
    /// The runtime of this process, made when it is first asked for: the system's default device, or the engine
    /// that checks while [`is_checked`].
    ///
    /// # Errors
    /// A setting in the environment names something that does not exist.
    pub fn global() -> Result<&'static Self, Error> {
        static GLOBAL: OnceLock<Result<Runtime, Error>> = OnceLock::new();
        static CHECKED: OnceLock<Result<Runtime, Error>> = OnceLock::new();
        let runtime = if is_checked() {
            CHECKED.get_or_init(|| Self::new(Engine::Checked.device(chip_setting().as_deref())?))
        } else {
            GLOBAL.get_or_init(|| Self::new(create_system_default_device()?))
        };
        runtime.as_ref().map_err(Clone::clone)
    }

    fn new(device: Device) -> Result<Self, Error> {
        let empty = device.new_buffer(EMPTY_BYTES)?;
        Ok(Self { device, empty, kernels: Mutex::default() })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Compiles a generated kernel, or finds it.
    ///
    /// # Errors
    /// As for [`Self::prepare`].
    pub fn prepare_generated(&self, generated: &Generated) -> Result<Arc<Prepared>, Error> {
        let known = generated.prepared().get().filter(|prepared| self.device.is_same(prepared.device()));
        if let Some(prepared) = known {
            return Ok(prepared.clone());
        }
        let prepared = self.prepare(&generated.source)?;
        // Another device's kernel may have taken the place; then the text is looked up at each call.
        generated.prepared().get_or_init(|| prepared.clone());
        Ok(prepared)
    }

    /// Compiles a text, or finds what was made of it before. Threads that ask for the same text at the same time
    /// compile it once.
    ///
    /// # Errors
    /// The text has mistakes, each shown in its place; or the kernel needs more than the device has.
    pub fn prepare(&self, source: &KernelSource) -> Result<Arc<Prepared>, Error> {
        let key = (source.function.clone(), source.text.clone(), source.math_mode);
        let slot = lock(&self.kernels).entry(key).or_default().clone();
        let mut place = lock(&slot);
        if let Some(prepared) = &*place {
            return Ok(prepared.clone());
        }
        let prepared = Arc::new(self.compile(source)?);
        *place = Some(prepared.clone());
        Ok(prepared)
    }

    fn compile(&self, source: &KernelSource) -> Result<Prepared, Error> {
        if !is_identifier(&source.function) {
            return Err(Error::Name { what: "kernel name", name: source.label.clone() });
        }
        let (text, options) = source.compilation();
        let library = self.device.new_library_with_source(&text, &options).map_err(Error::Compile)?;
        let name = || source.function.clone();
        let function = library
            .function(&source.function)
            .map_err(|error| Error::Function { name: name(), source: error })?;
        let pipeline = self
            .device
            .new_compute_pipeline_state(&function)
            .map_err(|error| Error::Pipeline { name: name(), source: error })?;
        Ok(Prepared { pipeline, label: source.label.clone(), dispatches: counts::counter(&source.label) })
    }

    /// Runs a kernel on the caller's memory and returns when it has ended.
    ///
    /// # Errors
    /// An argument cannot be bound, or the kernel did not end well (a fault, or the time limit).
    ///
    /// # Safety
    /// Every argument's memory must be valid for its whole size until this returns, and for elements that negative
    /// strides name before its first one; outputs and atomics for writes; outputs must overlap nothing, and nobody else may write to any of it meanwhile.
    pub unsafe fn run(&self, kernel: &Prepared, launch: &Launch<'_>) -> Result<(), Error> {
        // A kernel that was made before the engine changed still runs where it was made for.
        let command_buffer = queue_of(kernel.device()).command_buffer();
        let mut encoder = command_buffer.compute_command_encoder();
        encoder.set_compute_pipeline_state(&kernel.pipeline);
        // SAFETY: the caller's promise; the command buffer has ended when this function returns.
        unsafe { self.bind(kernel, &mut encoder, launch)? };
        let Plan { grid, threadgroup } = launch.plan;
        let size = |size: [u32; 3]| size.map(|length| length as usize);
        encoder.dispatch_threads(size(grid), size(threadgroup)).end_encoding()?;
        kernel.dispatches.fetch_add(1, Ordering::Relaxed);
        command_buffer.commit_and_wait()?;
        Ok(())
    }

    /// # Safety
    /// As for [`Self::run`]; the command buffer must have ended before the memory goes.
    unsafe fn bind(
        &self,
        kernel: &Prepared,
        encoder: &mut ComputeCommandEncoder,
        launch: &Launch<'_>,
    ) -> Result<(), Error> {
        let mut index = 0;
        for (input, injected) in launch.inputs.iter().zip(launch.injected) {
            // SAFETY: the caller's promise.
            unsafe { self.bind_array(kernel, encoder, &mut index, input)? };
            if input.shape.is_empty() {
                continue;
            }
            let mut bytes = |needed: bool, bytes: &[u8]| {
                if needed {
                    encoder.set_bytes(index, bytes);
                    index += 1;
                }
            };
            let shape: Vec<u8> = input.shape.iter().flat_map(|length| length.to_ne_bytes()).collect();
            let strides: Vec<u8> = input.strides.iter().flat_map(|stride| stride.to_ne_bytes()).collect();
            bytes(injected.shape, &shape);
            bytes(injected.strides, &strides);
            bytes(injected.ndim, &(input.shape.len() as i32).to_ne_bytes());
        }
        for output in launch.outputs {
            // SAFETY: the caller's promise.
            unsafe { self.bind_array(kernel, encoder, &mut index, output)? };
        }
        Ok(())
    }

    /// # Safety
    /// As for [`Self::bind`].
    unsafe fn bind_array(
        &self,
        kernel: &Prepared,
        encoder: &mut ComputeCommandEncoder,
        index: &mut usize,
        array: &Argument<'_>,
    ) -> Result<(), Error> {
        match NonNull::new(array.data) {
            Some(data) if array.size_bytes > 0 => {
                let before = kernel.bytes_before(*index, array);
                // SAFETY: elements before the first one in row order are the array's own, and all of it is valid
                // until the command buffer has ended, by the caller's promise.
                let buffer = unsafe {
                    let begin = data.sub(before);
                    self.device.new_buffer_with_bytes_no_copy(begin, before + array.size_bytes, None)?
                };
                encoder.set_buffer(*index, &buffer, before);
            }
            _ => {
                encoder.set_buffer(*index, &self.empty, 0);
            }
        }
        *index += 1;
        Ok(())
    }
}

/// This thread's queue of a device.
fn queue_of(device: &Device) -> CommandQueue {
    QUEUE.with_borrow_mut(|queue| match queue {
        Some(queue) if queue.device().is_same(device) => queue.clone(),
        _ => queue.insert(device.new_command_queue()).clone(),
    })
}

fn chip_setting() -> Option<String> {
    std::env::var("MW_CHIP").ok().filter(|value| !value.is_empty())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
