//! The argument tables of a compute encoder, and what a dispatch makes of them.

use mw_backend::{Argument, BufferView};

use super::limits;
use crate::error::EncodeError;
use crate::pipeline::{BufferParam, ComputePipelineState, Param};

/// What is bound at a buffer index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    /// The whole of it.
    pub(super) whole: BufferView,
    /// First byte that the kernel sees.
    pub(super) offset: usize,
}

/// Argument tables. They keep their contents from one dispatch to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct ArgumentTables {
    pub(super) buffers: Vec<Option<Bound>>,
    /// Lengths of dynamic threadgroup memory.
    pub(super) threadgroup: Vec<Option<u32>>,
}

/// Puts a value into a table that grows as needed.
pub(super) fn put<T: Clone>(table: &mut Vec<Option<T>>, index: usize, value: Option<T>) {
    if table.len() <= index {
        table.resize(index + 1, None);
    }
    table[index] = value;
}

impl ArgumentTables {
    /// Buffers of which the kernel sees a part that does not start at their start: it may reach the rest too,
    /// at negative offsets, as on a GPU.
    pub(super) fn reached_around(&self, pipeline: &ComputePipelineState) -> Vec<BufferView> {
        let bound = |param: &Param| match param {
            Param::Buffer(param) => self.buffers.get(param.location as usize).copied().flatten(),
            Param::Builtin | Param::Absent | Param::Threadgroup { .. } => None,
        };
        let bound = pipeline.params().iter().filter_map(bound);
        bound.filter(|bound| bound.offset != 0).map(|bound| bound.whole).collect()
    }

    /// One argument for each parameter of the kernel.
    pub(super) fn arguments(&self, pipeline: &ComputePipelineState) -> Result<Vec<Argument>, EncodeError> {
        let mut dynamic = 0;
        let mut arguments = Vec::with_capacity(pipeline.params().len());
        for param in pipeline.params() {
            arguments.push(match param {
                Param::Builtin => Argument::Builtin,
                Param::Absent => Argument::Absent,
                Param::Buffer(param) => self.buffer(pipeline, param)?,
                Param::Threadgroup { location, name } => {
                    let length = self.threadgroup.get(*location as usize).copied().flatten();
                    let length = length.ok_or_else(|| EncodeError::MissingThreadgroupMemory {
                        kernel: pipeline.name().to_owned(),
                        argument: name.clone(),
                        index: *location,
                    })?;
                    dynamic += u64::from(length);
                    Argument::Threadgroup { length }
                }
            });
        }
        limits::threadgroup_memory(pipeline, dynamic)?;
        Ok(arguments)
    }

    fn buffer(&self, pipeline: &ComputePipelineState, param: &BufferParam) -> Result<Argument, EncodeError> {
        let Some(bound) = self.buffers.get(param.location as usize).copied().flatten() else {
            if param.is_optional {
                return Ok(Argument::Absent);
            }
            return Err(EncodeError::MissingBuffer {
                kernel: pipeline.name().to_owned(),
                argument: param.name.clone(),
                type_name: param.type_name.clone(),
                index: param.location,
            });
        };
        // `set_bytes` takes any length, as Metal does; its start is always aligned.
        if !bound.offset.is_multiple_of(param.align as usize) {
            return Err(EncodeError::MisalignedOffset {
                kernel: pipeline.name().to_owned(),
                argument: param.name.clone(),
                type_name: param.type_name.clone(),
                index: param.location,
                offset: bound.offset,
                align: param.align,
            });
        }
        let available = bound.whole.len() - bound.offset;
        if available < param.size as usize {
            return Err(EncodeError::ShortBuffer {
                kernel: pipeline.name().to_owned(),
                argument: param.name.clone(),
                type_name: param.type_name.clone(),
                index: param.location,
                needed: param.size as usize,
                available,
                offset: bound.offset,
            });
        }
        Ok(Argument::Buffer(crate::memory::part(bound.whole, bound.offset, available)))
    }
}
