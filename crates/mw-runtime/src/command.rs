//! What a command buffer holds once it is encoded, and how that is executed.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use mw_backend::{Argument, BufferView, Grid, Launch, ThreadgroupOrder};

use crate::Size;
use crate::buffer::Buffer;
use crate::encoder::limits;
use crate::error::CommandBufferError;
use crate::event::SharedEvent;
use crate::memory::{self, Arena};
use crate::pipeline::ComputePipelineState;

/// A step of a command buffer.
#[derive(Debug)]
pub(crate) enum Step {
    Pass(Pass),
    Signal(SharedEvent, u64),
    Wait(SharedEvent, u64),
}

/// The commands of one encoder, with all that keeps their memory alive.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    pub(crate) commands: Vec<Command>,
    pub(crate) resident: Vec<BufferView>,
    pub(crate) retained: Vec<Buffer>,
    pub(crate) inline_bytes: Arena,
    pub(crate) label: Option<String>,
}

/// A command of an encoder.
#[derive(Debug)]
pub(crate) enum Command {
    Dispatch {
        pipeline: ComputePipelineState,
        grid: Grid,
        args: Vec<Argument>,
        /// Buffers bound from an offset on, whole.
        around: Vec<BufferView>,
    },
    /// The number of threadgroups is read from `threadgroups` when the command runs.
    DispatchIndirect {
        pipeline: ComputePipelineState,
        threadgroups: BufferView,
        threads_per_threadgroup: [u32; 3],
        args: Vec<Argument>,
        around: Vec<BufferView>,
    },
    Copy {
        from: BufferView,
        to: BufferView,
    },
    Fill {
        target: BufferView,
        value: u8,
    },
}

/// How a queue wants its kernels launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchOptions {
    pub(crate) order: ThreadgroupOrder,
    pub(crate) time_limit: Option<Duration>,
}

impl Pass {
    /// Runs all commands in order, up to the first that fails.
    pub(crate) fn execute(&self, options: LaunchOptions) -> Result<(), CommandBufferError> {
        self.commands.iter().try_for_each(|command| self.run(command, options))
    }

    fn run(&self, command: &Command, options: LaunchOptions) -> Result<(), CommandBufferError> {
        match command {
            Command::Dispatch { pipeline, grid, args, around } => {
                self.launch(pipeline, *grid, args, around, options)
            }
            Command::DispatchIndirect { pipeline, threadgroups, threads_per_threadgroup, args, around } => {
                let counts = read_counts(*threadgroups);
                if counts.contains(&0) {
                    // Metal's rule: an indirect dispatch of no threadgroups does nothing.
                    return Ok(());
                }
                let grid = limits::threadgroup_grid(
                    Size::from(counts.map(|count| count as usize)),
                    *threads_per_threadgroup,
                )
                .map_err(|source| CommandBufferError::Indirect {
                    kernel: pipeline.name().to_owned(),
                    source: Box::new(source),
                })?;
                self.launch(pipeline, grid, args, around, options)
            }
            Command::Copy { from, to } => {
                memory::copy(*from, *to);
                Ok(())
            }
            Command::Fill { target, value } => {
                memory::fill(*target, *value);
                Ok(())
            }
        }
    }

    fn launch(
        &self,
        pipeline: &ComputePipelineState,
        grid: Grid,
        args: &[Argument],
        around: &[BufferView],
        options: LaunchOptions,
    ) -> Result<(), CommandBufferError> {
        let resident = match around {
            [] => Cow::Borrowed(self.resident.as_slice()),
            _ => Cow::Owned([&self.resident, around].concat()),
        };
        let launch =
            Launch { grid, args, resident: &resident, order: options.order, time_limit: options.time_limit };
        match catch_unwind(AssertUnwindSafe(|| pipeline.kernel().run(&launch))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(source)) => {
                Err(CommandBufferError::Launch { source, grid: describe(grid), label: self.label.clone() })
            }
            Err(panic) => Err(CommandBufferError::Panicked {
                kernel: pipeline.name().to_owned(),
                message: panic_message(&*panic),
            }),
        }
    }
}

fn read_counts(view: BufferView) -> [u32; 3] {
    let mut bytes = [0; 12];
    view.read(0, &mut bytes).expect("checked when the command was encoded");
    std::array::from_fn(|axis| {
        u32::from_le_bytes(bytes[axis * 4..axis * 4 + 4].try_into().expect("four bytes"))
    })
}

fn describe(grid: Grid) -> String {
    let [x, y, z] = grid.threads;
    let [w, h, d] = grid.threads_per_threadgroup;
    format!("grid of ({x}, {y}, {z}) threads in threadgroups of ({w}, {h}, {d})")
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}
