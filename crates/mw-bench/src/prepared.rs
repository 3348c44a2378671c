//! [`Prepared`]: a case whose buffers are filled and whose kernels are compiled, ready to run many times.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use metalworking::{
    Buffer, CommandQueue, ComputeCommandEncoder, ComputePipelineState, ConstantScalar, Device, Error,
    FunctionConstantValues, Library,
};
use mw_manifest::{ConstantText, Dtype, ManifestError, Tensor, Value};

use crate::case::{Case, Step};

/// A case cannot be prepared or run.
#[derive(Debug, thiserror::Error)]
pub enum CaseError {
    /// The data.
    #[error("argument or buffer `{name}`")]
    Value {
        /// Name or index.
        name: String,
        /// Why.
        #[source]
        source: ManifestError,
    },
    /// The case contradicts itself.
    #[error("{0}")]
    Malformed(String),
    /// The runtime refused, or the kernel failed.
    #[error(transparent)]
    Runtime(#[from] Error),
}

macro_rules! from_runtime {
    ($($error:ident),*) => {
        $(impl From<metalworking::$error> for CaseError {
            fn from(error: metalworking::$error) -> Self {
                Self::Runtime(error.into())
            }
        })*
    };
}
from_runtime!(BufferError, FunctionError, PipelineError, EncodeError, CommandBufferError);

/// A named buffer with its type; `None` where it has no bytes.
struct NamedBuffer {
    dtype: Dtype,
    shape: Vec<usize>,
    initial: Vec<u8>,
    buffer: Option<Buffer>,
}

enum Bound {
    Buffer(Buffer, usize),
    Bytes(Vec<u8>),
}

struct PreparedStep {
    pipeline: ComputePipelineState,
    args: Vec<(usize, Bound)>,
    memory: Vec<(usize, usize)>,
    grid: Grid,
    threadgroup: [usize; 3],
}

#[derive(Clone, Copy)]
enum Grid {
    Threads([usize; 3]),
    Threadgroups([usize; 3]),
}

/// A case that can be run.
pub struct Prepared {
    queue: CommandQueue,
    buffers: BTreeMap<String, NamedBuffer>,
    steps: Vec<PreparedStep>,
    /// Time that compiling (or loading from the cache) took.
    pub compile_time: Duration,
}

impl Prepared {
    /// Fills the buffers and compiles the kernels of a case. Files are sought in `folder`.
    pub fn new(device: &Device, library: &Library, case: &Case, folder: &Path) -> Result<Self, CaseError> {
        let mut buffers = BTreeMap::new();
        for (name, text) in &case.buffers {
            let tensor = make(text, name, folder)?;
            let buffer = match tensor.bytes.len() {
                0 => None,
                _ => Some(device.new_buffer_with_bytes(&tensor.bytes)?),
            };
            let Tensor { dtype, shape, bytes: initial } = tensor;
            buffers.insert(name.clone(), NamedBuffer { dtype, shape, initial, buffer });
        }
        let start = Instant::now();
        let pipelines: Vec<ComputePipelineState> =
            case.steps.iter().map(|step| pipeline(device, library, step)).collect::<Result<_, _>>()?;
        let compile_time = start.elapsed();
        let steps = case
            .steps
            .iter()
            .zip(pipelines)
            .map(|(step, pipeline)| bind(device, &buffers, step, pipeline, folder))
            .collect::<Result<_, _>>()?;
        Ok(Self { queue: device.new_command_queue(), buffers, steps, compile_time })
    }

    /// Puts the initial contents back into every buffer.
    pub fn reset(&self) -> Result<(), CaseError> {
        for named in self.buffers.values() {
            if let Some(buffer) = &named.buffer {
                buffer.write_bytes(0, &named.initial)?;
            }
        }
        Ok(())
    }

    /// Encodes all steps, runs them and waits. Returns the time from the first encoding to completion.
    pub fn run(&self) -> Result<Duration, CaseError> {
        let start = Instant::now();
        let command_buffer = self.queue.command_buffer();
        let mut encoder = command_buffer.compute_command_encoder();
        for step in &self.steps {
            step.encode(&mut encoder);
        }
        encoder.end_encoding()?;
        command_buffer.commit()?;
        command_buffer.wait_until_completed()?;
        Ok(start.elapsed())
    }

    /// What a buffer holds now.
    pub fn contents(&self, name: &str) -> Option<Tensor> {
        let named = self.buffers.get(name)?;
        let bytes = named.buffer.as_ref().map(Buffer::to_vec::<u8>).unwrap_or_default();
        Some(Tensor { dtype: named.dtype, shape: named.shape.clone(), bytes })
    }
}

impl PreparedStep {
    fn encode(&self, encoder: &mut ComputeCommandEncoder) {
        encoder.set_compute_pipeline_state(&self.pipeline);
        for (index, bound) in &self.args {
            match bound {
                Bound::Buffer(buffer, offset) => encoder.set_buffer(*index, buffer, *offset),
                Bound::Bytes(bytes) => encoder.set_bytes(*index, bytes),
            };
        }
        for (index, length) in &self.memory {
            encoder.set_threadgroup_memory_length(*length, *index);
        }
        match self.grid {
            Grid::Threads(threads) => encoder.dispatch_threads(threads, self.threadgroup),
            Grid::Threadgroups(groups) => encoder.dispatch_threadgroups(groups, self.threadgroup),
        };
    }
}

fn make(text: &str, name: &str, folder: &Path) -> Result<Tensor, CaseError> {
    let value_error = |source| CaseError::Value { name: name.to_owned(), source };
    Value::parse(text).and_then(|value| value.make(name, 0, folder)).map_err(value_error)
}

fn pipeline(device: &Device, library: &Library, step: &Step) -> Result<ComputePipelineState, CaseError> {
    let function = library.function(&step.kernel)?;
    let mut values = FunctionConstantValues::new();
    for constant in function.function_constants() {
        let Some(text) = step.constants.get(&constant.index) else { continue };
        let bytes = ConstantText::parse(text).and_then(|text| text.to_bytes(&constant.type_name));
        let bytes = bytes.map_err(|reason| {
            CaseError::Malformed(format!("function constant {} = {text}: {reason}", constant.index))
        })?;
        let scalar = ConstantScalar::from_bytes(&constant.type_name, &bytes).ok_or_else(|| {
            CaseError::Malformed(format!("function constant {} is a {}", constant.index, constant.type_name))
        })?;
        values.set(constant.index, scalar);
    }
    Ok(device.new_compute_pipeline_state(&function.specialized(&values)?)?)
}

fn bind(
    device: &Device,
    buffers: &BTreeMap<String, NamedBuffer>,
    step: &Step,
    pipeline: ComputePipelineState,
    folder: &Path,
) -> Result<PreparedStep, CaseError> {
    /// Longer values go into a buffer of their own, as `set_bytes` takes no more.
    const INLINE_LIMIT: usize = 4096;
    let mut args = Vec::new();
    for (index, text) in &step.args {
        let bound = if let Some(reference) = text.strip_prefix('@') {
            let (name, offset) = match reference.split_once('+') {
                Some((name, offset)) => (name, offset.parse().ok()),
                None => (reference, Some(0)),
            };
            let (Some(named), Some(offset)) = (buffers.get(name), offset) else {
                return Err(CaseError::Malformed(format!("argument {index}: there is no buffer `{text}`")));
            };
            match &named.buffer {
                Some(buffer) => Bound::Buffer(buffer.clone(), offset),
                None => Bound::Bytes(Vec::new()),
            }
        } else {
            let bytes = make(text, &index.to_string(), folder)?.bytes;
            if bytes.len() > INLINE_LIMIT {
                Bound::Buffer(device.new_buffer_with_bytes(&bytes)?, 0)
            } else {
                Bound::Bytes(bytes)
            }
        };
        args.push((*index as usize, bound));
    }
    let grid = match (step.grid, step.threadgroups) {
        (Some(grid), None) => Grid::Threads(grid),
        (None, Some(groups)) => Grid::Threadgroups(groups),
        _ => return Err(CaseError::Malformed("a step has either `grid` or `threadgroups`".to_owned())),
    };
    let memory = step.memory.iter().map(|(index, length)| (*index as usize, *length)).collect();
    Ok(PreparedStep { pipeline, args, memory, grid, threadgroup: step.threadgroup })
}
