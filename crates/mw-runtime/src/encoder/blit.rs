//! [`BlitCommandEncoder`]: copies and fills.

use std::ops::Range;

use super::Recorder;
use crate::buffer::Buffer;
use crate::command::Command;
use crate::command_buffer::CommandBuffer;
use crate::error::EncodeError;
use crate::event::Fence;
use crate::memory::part;

/// Encodes copies and fills of buffers (`MTLBlitCommandEncoder`). Faults are kept as in
/// [`ComputeCommandEncoder`](crate::ComputeCommandEncoder).
#[derive(Debug)]
pub struct BlitCommandEncoder {
    recorder: Recorder,
}

impl BlitCommandEncoder {
    pub(crate) fn new(buffer: CommandBuffer, fault: Option<EncodeError>) -> Self {
        Self { recorder: Recorder::new(buffer, fault) }
    }

    /// Copies `length` bytes. Spans of one buffer may overlap.
    pub fn copy_from_buffer(
        &mut self,
        source: &Buffer,
        source_offset: usize,
        destination: &Buffer,
        destination_offset: usize,
        length: usize,
    ) -> &mut Self {
        self.recorder.record(|recorder| {
            check_span("copying from a span", source, source_offset, length)?;
            check_span("copying to a span", destination, destination_offset, length)?;
            recorder.pass.retained.extend([source.clone(), destination.clone()]);
            recorder.pass.commands.push(Command::Copy {
                from: part(source.view(), source_offset, length),
                to: part(destination.view(), destination_offset, length),
            });
            Ok(())
        });
        self
    }

    /// Sets each byte of a range.
    pub fn fill_buffer(&mut self, buffer: &Buffer, range: Range<usize>, value: u8) -> &mut Self {
        self.recorder.record(|recorder| {
            let length = range.end.saturating_sub(range.start);
            check_span("filling a span", buffer, range.start, length)?;
            recorder.pass.retained.push(buffer.clone());
            let target = part(buffer.view(), range.start, length);
            recorder.pass.commands.push(Command::Fill { target, value });
            Ok(())
        });
        self
    }

    /// Makes a buffer's contents visible to the host: always so with shared memory.
    pub fn synchronize_resource(&mut self, _buffer: &Buffer) -> &mut Self {
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

    /// Name for messages.
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

fn check_span(what: &'static str, buffer: &Buffer, offset: usize, length: usize) -> Result<(), EncodeError> {
    let buffer_length = buffer.length();
    match offset.checked_add(length) {
        Some(end) if end <= buffer_length => Ok(()),
        _ => Err(EncodeError::BlitOutOfRange { what, offset, length, buffer_length }),
    }
}
