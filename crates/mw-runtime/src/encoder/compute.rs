//! [`ComputeCommandEncoder`]: binds arguments and dispatches kernels.

use mw_backend::BufferView;

use super::arguments::{ArgumentTables, Bound, put};
use super::{Recorder, limits};
use crate::Size;
use crate::buffer::Buffer;
use crate::command::Command;
use crate::command_buffer::CommandBuffer;
use crate::error::EncodeError;
use crate::event::Fence;
use crate::pipeline::ComputePipelineState;

/// How the dispatches of an encoder may run (`MTLDispatchType`).
///
/// Both run in order here, which is one of the ways in which a concurrent encoder may run on a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DispatchType {
    /// One after another.
    #[default]
    Serial,
    /// At the same time, except across barriers.
    Concurrent,
}

/// What a barrier orders (`MTLBarrierScope`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BarrierScope {
    /// Accesses to buffers.
    Buffers,
    /// Accesses to textures.
    Textures,
}

/// Encodes kernel launches (`MTLComputeCommandEncoder`).
///
/// Methods chain. The first fault is kept and returned by [`Self::end_encoding`] and by
/// [`CommandBuffer::commit`]; after it nothing more is recorded. An encoder that is dropped without
/// `end_encoding` makes the commit fail, so that no dispatch is lost in silence.
///
/// Bindings keep from one dispatch to the next, also when the pipeline state changes.
#[derive(Debug)]
pub struct ComputeCommandEncoder {
    recorder: Recorder,
    dispatch_type: DispatchType,
    pipeline: Option<ComputePipelineState>,
    tables: ArgumentTables,
}

impl ComputeCommandEncoder {
    pub(crate) fn new(
        buffer: CommandBuffer,
        dispatch_type: DispatchType,
        fault: Option<EncodeError>,
    ) -> Self {
        let recorder = Recorder::new(buffer, fault);
        Self { recorder, dispatch_type, pipeline: None, tables: ArgumentTables::default() }
    }

    /// Serial or concurrent.
    pub fn dispatch_type(&self) -> DispatchType {
        self.dispatch_type
    }

    /// The kernel of the dispatches that follow.
    pub fn set_compute_pipeline_state(&mut self, pipeline: &ComputePipelineState) -> &mut Self {
        let slot = &mut self.pipeline;
        self.recorder.record(|recorder| {
            if !pipeline.device().is_same(recorder.buffer.queue().device()) {
                return Err(EncodeError::OtherDevice);
            }
            *slot = Some(pipeline.clone());
            Ok(())
        });
        self
    }

    /// Binds a buffer, from byte `offset` on, at `[[buffer(index)]]`.
    pub fn set_buffer(&mut self, index: usize, buffer: &Buffer, offset: usize) -> &mut Self {
        let tables = &mut self.tables;
        self.recorder.record(|recorder| set_buffer(recorder, tables, index, buffer, offset));
        self
    }

    /// Binds several buffers with their offsets at consecutive indices, beginning at `first_index`.
    pub fn set_buffers<'a>(
        &mut self,
        first_index: usize,
        buffers: impl IntoIterator<Item = (&'a Buffer, usize)>,
    ) -> &mut Self {
        for (position, (buffer, offset)) in buffers.into_iter().enumerate() {
            self.set_buffer(first_index.saturating_add(position), buffer, offset);
        }
        self
    }

    /// Changes the offset of the buffer that is bound at an index.
    pub fn set_buffer_offset(&mut self, index: usize, offset: usize) -> &mut Self {
        let tables = &mut self.tables;
        self.recorder.record(|_| {
            let bound = tables.buffers.get_mut(index).and_then(Option::as_mut);
            let bound = bound.ok_or(EncodeError::OffsetWithoutBuffer { index })?;
            check_offset(offset, bound.whole)?;
            bound.offset = offset;
            Ok(())
        });
        self
    }

    /// Unbinds what is bound at an index.
    pub fn clear_buffer(&mut self, index: usize) -> &mut Self {
        let tables = &mut self.tables;
        self.recorder.record(|recorder| {
            check_buffer_index(recorder, index)?;
            put(&mut tables.buffers, index, None);
            Ok(())
        });
        self
    }

    /// Binds a copy of these bytes (at most 4 KiB, and none is allowed) at `[[buffer(index)]]`.
    pub fn set_bytes(&mut self, index: usize, bytes: &[u8]) -> &mut Self {
        let tables = &mut self.tables;
        self.recorder.record(|recorder| {
            let limit = recorder.buffer.queue().device().limits().max_inline_bytes as usize;
            check_buffer_index(recorder, index)?;
            let length = bytes.len();
            if length > limit {
                return Err(EncodeError::TooManyBytes { length, limit });
            }
            let view = recorder.pass.inline_bytes.push(bytes).ok_or(EncodeError::OutOfMemory { length })?;
            put(&mut tables.buffers, index, Some(Bound { whole: view, offset: 0 }));
            Ok(())
        });
        self
    }

    /// Binds a copy of a plain value at `[[buffer(index)]]`.
    pub fn set_value<T: zerocopy::IntoBytes + zerocopy::Immutable>(
        &mut self,
        index: usize,
        value: &T,
    ) -> &mut Self {
        self.set_bytes(index, value.as_bytes())
    }

    /// Length in bytes of the threadgroup memory at `[[threadgroup(index)]]`: a multiple of 16.
    pub fn set_threadgroup_memory_length(&mut self, length: usize, index: usize) -> &mut Self {
        let tables = &mut self.tables;
        self.recorder.record(|recorder| {
            let limits = recorder.buffer.queue().device().limits();
            check_index("threadgroup", index, limits.max_threadgroup_memory_arguments)?;
            let multiple = limits.threadgroup_memory_alignment_bytes as usize;
            if !length.is_multiple_of(multiple) {
                return Err(EncodeError::ThreadgroupMemoryAlignment { length, multiple });
            }
            // A length that does not fit is over the limit, which the dispatch reports.
            put(&mut tables.threadgroup, index, Some(u32::try_from(length).unwrap_or(u32::MAX)));
            Ok(())
        });
        self
    }

    /// Makes a buffer reachable through pointers in argument buffers.
    pub fn use_resource(&mut self, buffer: &Buffer) -> &mut Self {
        self.recorder.record(|recorder| {
            recorder.pass.resident.push(buffer.view());
            recorder.pass.retained.push(buffer.clone());
            Ok(())
        });
        self
    }

    /// Launches `threads` threads in threadgroups of `threads_per_threadgroup`; those at the far edges are
    /// smaller where the division leaves a rest. `threads` counts threads, not threadgroups.
    pub fn dispatch_threads(
        &mut self,
        threads: impl Into<Size>,
        threads_per_threadgroup: impl Into<Size>,
    ) -> &mut Self {
        let (threads, group) = (threads.into(), threads_per_threadgroup.into());
        self.dispatch(|pipeline| {
            limits::thread_grid(threads, limits::threadgroup_size(pipeline, group)?).map(Shape::Grid)
        })
    }

    /// Launches `threadgroups` whole threadgroups of `threads_per_threadgroup` threads.
    pub fn dispatch_threadgroups(
        &mut self,
        threadgroups: impl Into<Size>,
        threads_per_threadgroup: impl Into<Size>,
    ) -> &mut Self {
        let (threadgroups, group) = (threadgroups.into(), threads_per_threadgroup.into());
        self.dispatch(|pipeline| {
            let group = limits::threadgroup_size(pipeline, group)?;
            limits::threadgroup_grid(threadgroups, group).map(Shape::Grid)
        })
    }

    /// Launches as many threadgroups as three `uint`s in a buffer say when the command runs.
    pub fn dispatch_threadgroups_indirect(
        &mut self,
        buffer: &Buffer,
        offset: usize,
        threads_per_threadgroup: impl Into<Size>,
    ) -> &mut Self {
        const ARGUMENTS_BYTES: usize = 12;
        let group = threads_per_threadgroup.into();
        self.recorder.record(|recorder| {
            recorder.pass.retained.push(buffer.clone());
            Ok(())
        });
        self.dispatch(|pipeline| {
            if !offset.is_multiple_of(4) {
                return Err(EncodeError::MisalignedIndirect { offset });
            }
            let end = offset.checked_add(ARGUMENTS_BYTES);
            if end.is_none_or(|end| end > buffer.length()) {
                return Err(EncodeError::BlitOutOfRange {
                    what: "reading the indirect arguments",
                    offset,
                    length: ARGUMENTS_BYTES,
                    buffer_length: buffer.length(),
                });
            }
            let threads_per_threadgroup = limits::threadgroup_size(pipeline, group)?;
            let threadgroups = crate::memory::part(buffer.view(), offset, ARGUMENTS_BYTES);
            Ok(Shape::Indirect { threadgroups, threads_per_threadgroup })
        })
    }

    fn dispatch(
        &mut self,
        shape: impl FnOnce(&ComputePipelineState) -> Result<Shape, EncodeError>,
    ) -> &mut Self {
        let Self { recorder, pipeline, tables, .. } = self;
        recorder.record(|recorder| {
            let pipeline = pipeline.clone().ok_or(EncodeError::NoPipeline)?;
            let shape = shape(&pipeline)?;
            let args = tables.arguments(&pipeline)?;
            let around = tables.reached_around(&pipeline);
            recorder.pass.commands.push(match shape {
                Shape::Grid(grid) => Command::Dispatch { pipeline, grid, args, around },
                Shape::Indirect { threadgroups, threads_per_threadgroup } => Command::DispatchIndirect {
                    pipeline,
                    threadgroups,
                    threads_per_threadgroup,
                    args,
                    around,
                },
            });
            Ok(())
        });
        self
    }

    /// Orders the dispatches before it against those after it. They run in order here anyway.
    pub fn memory_barrier(&mut self, _scope: BarrierScope) -> &mut Self {
        self.recorder.record(|_| Ok(()));
        self
    }

    /// Orders accesses to these buffers. As [`Self::memory_barrier`].
    pub fn memory_barrier_with_resources(&mut self, _buffers: &[&Buffer]) -> &mut Self {
        self.recorder.record(|_| Ok(()));
        self
    }

    /// Signals a fence at the end of this encoder. See [`Fence`].
    pub fn update_fence(&mut self, _fence: &Fence) -> &mut Self {
        self.recorder.record(|_| Ok(()));
        self
    }

    /// Waits for a fence before this encoder. See [`Fence`].
    pub fn wait_for_fence(&mut self, _fence: &Fence) -> &mut Self {
        self.recorder.record(|_| Ok(()));
        self
    }

    /// Name for messages: errors of its kernels carry it.
    pub fn set_label(&mut self, label: impl Into<String>) -> &mut Self {
        self.recorder.record(|recorder| {
            recorder.pass.label = Some(label.into());
            Ok(())
        });
        self
    }

    /// Ends the encoder and hands its commands to the command buffer.
    ///
    /// # Errors
    /// The first fault of this encoder; the command buffer will not run then.
    pub fn end_encoding(&mut self) -> Result<(), EncodeError> {
        self.recorder.end()
    }
}

/// What a dispatch launches.
enum Shape {
    Grid(mw_backend::Grid),
    Indirect { threadgroups: BufferView, threads_per_threadgroup: [u32; 3] },
}

fn set_buffer(
    recorder: &mut Recorder,
    tables: &mut ArgumentTables,
    index: usize,
    buffer: &Buffer,
    offset: usize,
) -> Result<(), EncodeError> {
    check_buffer_index(recorder, index)?;
    check_offset(offset, buffer.view())?;
    recorder.pass.retained.push(buffer.clone());
    put(&mut tables.buffers, index, Some(Bound { whole: buffer.view(), offset }));
    Ok(())
}

fn check_offset(offset: usize, whole: BufferView) -> Result<(), EncodeError> {
    let length = whole.len();
    if offset > length { Err(EncodeError::OffsetPastEnd { offset, length }) } else { Ok(()) }
}

fn check_buffer_index(recorder: &Recorder, index: usize) -> Result<(), EncodeError> {
    check_index("buffer", index, recorder.buffer.queue().device().limits().max_buffer_arguments)
}

fn check_index(table: &'static str, index: usize, entries: u32) -> Result<(), EncodeError> {
    let last = (entries as usize).saturating_sub(1);
    if index > last { Err(EncodeError::IndexOutOfRange { table, index, last }) } else { Ok(()) }
}
