//! Encoders: they record commands into a command buffer and check Metal's rules while they do.

mod arguments;
mod blit;
mod compute;
pub(crate) mod limits;

pub use blit::BlitCommandEncoder;
pub use compute::{BarrierScope, ComputeCommandEncoder, DispatchType};

use crate::command::Pass;
use crate::command_buffer::CommandBuffer;
use crate::error::EncodeError;

/// What both kinds of encoder are: a pass in the making, and the first fault.
#[derive(Debug)]
struct Recorder {
    buffer: CommandBuffer,
    pass: Pass,
    fault: Option<EncodeError>,
    /// False for an encoder that was asked for while another was open.
    owns_slot: bool,
    has_ended: bool,
}

impl Recorder {
    fn new(buffer: CommandBuffer, fault: Option<EncodeError>) -> Self {
        Self { buffer, pass: Pass::default(), owns_slot: fault.is_none(), fault, has_ended: false }
    }

    /// Does a step of encoding unless there was a fault; keeps the first fault.
    fn record(&mut self, step: impl FnOnce(&mut Self) -> Result<(), EncodeError>) {
        if self.has_ended {
            // Too late for `end_encoding` to tell: the command buffer will.
            let ended = Some(EncodeError::EncodingEnded);
            drop(self.buffer.close_encoder(Pass::default(), ended, false));
            return;
        }
        if self.fault.is_some() {
            return;
        }
        if let Err(fault) = step(self) {
            self.fault = Some(fault);
        }
    }

    fn end(&mut self) -> Result<(), EncodeError> {
        if self.has_ended {
            return Err(EncodeError::EncodingEnded);
        }
        self.has_ended = true;
        let pass = std::mem::take(&mut self.pass);
        self.buffer.close_encoder(pass, self.fault.take(), self.owns_slot)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if !self.has_ended {
            let fault = self.fault.take().unwrap_or(EncodeError::EncoderDropped);
            drop(self.buffer.close_encoder(Pass::default(), Some(fault), self.owns_slot));
        }
    }
}
