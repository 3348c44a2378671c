//! Runs a case on the interpreter, and finds out how long its buffers must be.
//!
//! Buffers start small. When the kernel reaches past the end of one, the buffer grows and the case starts
//! again; what a buffer held before does not change. When the kernel has run through, every buffer is cut
//! to what was touched, so that other engines fault where they touch more.

use mw_air::schema::{ArgRole, KernelInfo};
use mw_air::{BlockId, FuncId};
use mw_backend::{Argument, BufferView, Kernel as _, Launch, LaunchError, ThreadgroupOrder};
use mw_interp::{Access, Finding, InterpKernel, Observer, Position};
use std::time::Duration;

use crate::guard::GrowingBuffer;
use crate::plan::{ArgPlan, Case, Slot};

/// A buffer may grow to this size: a kernel that needs more was not launched as it is meant to be.
const LIMIT: usize = 16 << 20;

/// Size that buffers of any length start with.
const START: usize = 4 << 10;

/// Bytes of a pointer in an argument buffer.
pub const POINTER_BYTES: usize = 8;

/// How often a case starts again.
const ATTEMPTS: usize = 60;

/// Contents of one buffer, as long as the kernel needs it.
#[derive(Clone, PartialEq, Debug)]
pub struct BufferContents {
    /// Before the launch.
    pub before: Vec<u8>,
    /// After it.
    pub after: Vec<u8>,
}

/// A case that ran through.
#[derive(Debug)]
pub struct Interpreted {
    /// By slot ([`Case::slots`]); `None` for what is no buffer.
    pub buffers: Vec<Option<BufferContents>>,
    /// What the kernel should not have done.
    pub findings: Vec<Finding>,
    /// Operations executed.
    pub steps: u64,
    /// Blocks that an active lane executed.
    pub executed: Blocks,
}

/// A case that did not.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum InterpretError {
    /// The kernel reached outside of what buffers can be.
    #[error("the launch is not in bounds: {0}")]
    OutOfBounds(String),
    /// The step or time limit was hit.
    #[error("{0}")]
    Watchdog(String),
    /// Anything else that the interpreter reports.
    #[error("{0}")]
    Launch(LaunchError),
    /// There is no memory for the buffers.
    #[error("memory for the buffers: {0}")]
    Memory(String),
}

/// A set of blocks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Blocks(Vec<Vec<bool>>);

impl Blocks {
    /// Whether the set has a block.
    pub fn contains(&self, function: FuncId, block: BlockId) -> bool {
        self.0.get(function.index()).and_then(|blocks| blocks.get(block.index())).copied().unwrap_or(false)
    }

    /// Adds a block.
    pub fn insert(&mut self, function: FuncId, block: BlockId) {
        let (function, block) = (function.index(), block.index());
        if self.0.len() <= function {
            self.0.resize(function + 1, Vec::new());
        }
        let blocks = &mut self.0[function];
        if blocks.len() <= block {
            blocks.resize(block + 1, false);
        }
        blocks[block] = true;
    }
}

/// Buffers of a case.
struct Buffers {
    slots: Vec<Slot>,
    /// By slot.
    buffers: Vec<Option<GrowingBuffer>>,
}

impl Buffers {
    fn new(case: &Case, kernel: &KernelInfo, active: &[bool]) -> std::io::Result<Self> {
        let slots = case.slots();
        let make = |slot: &Slot| {
            let exists = active.get(slot.arg).copied().unwrap_or(true);
            let start = match (&case.args[slot.arg], slot.pointer) {
                (ArgPlan::Builtin | ArgPlan::Threadgroup(_), _) => return Ok(None),
                _ if !exists => return Ok(None),
                (ArgPlan::Fill(_), _) => START.max(declared_size(kernel, slot.arg)),
                (ArgPlan::Exact { bytes, .. }, _) => bytes.len(),
                (ArgPlan::Pointers(fills), None) => fills.len() * POINTER_BYTES,
                (ArgPlan::Pointers(_), Some(_)) => START,
            };
            let mut buffer = GrowingBuffer::new(LIMIT)?;
            buffer.grow(start, |from, out| contents(case, *slot, from, out))?;
            Ok(Some(buffer))
        };
        let buffers = slots.iter().map(make).collect::<std::io::Result<_>>()?;
        let buffers = Self { slots, buffers };
        buffers.point(case);
        Ok(buffers)
    }

    /// Writes addresses into argument buffers.
    fn point(&self, case: &Case) {
        for (slot, buffer) in self.slots.iter().zip(&self.buffers) {
            if let (ArgPlan::Pointers(_), Some(pointer), Some(buffer)) =
                (&case.args[slot.arg], slot.pointer, buffer)
                && let Some(table) = &self.buffers[slot.arg]
            {
                let address = buffer.view().address().to_le_bytes();
                let written = table.view().write(pointer * POINTER_BYTES, &address);
                debug_assert!(written.is_some(), "the table has room for each pointer");
            }
        }
    }

    fn arguments(&self, case: &Case) -> Vec<Argument> {
        case.args
            .iter()
            .zip(&self.buffers)
            .map(|(arg, buffer)| match (arg, buffer) {
                (_, Some(buffer)) => Argument::Buffer(buffer.view()),
                (ArgPlan::Threadgroup(length), None) => Argument::Threadgroup { length: *length },
                (ArgPlan::Builtin, None) => Argument::Builtin,
                (ArgPlan::Fill(_) | ArgPlan::Exact { .. } | ArgPlan::Pointers(_), None) => Argument::Absent,
            })
            .collect()
    }

    /// What argument buffers point to.
    fn resident(&self, case: &Case) -> Vec<BufferView> {
        self.buffers.iter().skip(case.args.len()).flatten().map(GrowingBuffer::view).collect()
    }

    /// Grows every buffer to what was reached. An error when that cannot help.
    fn grow(&mut self, case: &Case, extents: &[[i64; 2]], fault: &str) -> Result<(), InterpretError> {
        let mut grown = false;
        for (index, buffer) in self.buffers.iter_mut().enumerate() {
            let Some(buffer) = buffer else { continue };
            let [low, high] = extents[index];
            if low < 0 || high > LIMIT as i64 {
                return Err(InterpretError::OutOfBounds(fault.to_owned()));
            }
            let (high, slot) = (high as usize, self.slots[index]);
            if high > buffer.len() {
                let target = (2 * high).next_multiple_of(START).min(LIMIT);
                let fill = |from: usize, out: &mut [u8]| contents(case, slot, from, out);
                buffer.grow(target, fill).map_err(|error| InterpretError::Memory(error.to_string()))?;
                grown = true;
            }
            buffer.set(|from, out| contents(case, slot, from, out));
        }
        self.point(case);
        if grown { Ok(()) } else { Err(InterpretError::OutOfBounds(fault.to_owned())) }
    }
}

/// Writes what a slot holds from `from` on. Addresses come later.
fn contents(case: &Case, slot: Slot, from: usize, out: &mut [u8]) {
    match (case.fill(slot), &case.args[slot.arg]) {
        (Some(fill), _) => fill.write(from, out),
        (None, ArgPlan::Exact { bytes, .. }) => {
            out.fill(0);
            if let Some(rest) = bytes.get(from..) {
                let count = rest.len().min(out.len());
                out[..count].copy_from_slice(&rest[..count]);
            }
        }
        (None, _) => out.fill(0),
    }
}

/// Bytes that the compiler may assume to be there.
pub fn declared_size(kernel: &KernelInfo, arg: usize) -> usize {
    match &kernel.args[arg].role {
        ArgRole::Buffer(buffer) => buffer.size.unwrap_or(0) as usize,
        _ => 0,
    }
}

/// Runs a case. `active` says which arguments exist.
pub fn interpret(kernel: &InterpKernel, case: &Case, active: &[bool]) -> Result<Interpreted, InterpretError> {
    let mut buffers = Buffers::new(case, kernel.info(), active)
        .map_err(|error| InterpretError::Memory(error.to_string()))?;
    let mut fault = String::new();
    for _ in 0..ATTEMPTS {
        let mut watch = Watch::new(&buffers);
        let (args, resident) = (buffers.arguments(case), buffers.resident(case));
        let launch = Launch {
            grid: case.grid,
            args: &args,
            resident: &resident,
            order: ThreadgroupOrder::Ascending,
            time_limit: Some(Duration::from_secs(20)),
        };
        match kernel.run_observed(&launch, Some(&mut watch)) {
            Ok(report) => {
                let contents_of = buffers.buffers.iter().enumerate().map(|(index, buffer)| {
                    let buffer = buffer.as_ref()?;
                    let slot = buffers.slots[index];
                    if let (ArgPlan::Pointers(fills), None) = (&case.args[slot.arg], slot.pointer) {
                        // Every engine has addresses of its own.
                        let bytes = vec![0; fills.len() * POINTER_BYTES];
                        return Some(BufferContents { before: bytes.clone(), after: bytes });
                    }
                    let touched = usize::try_from(watch.extents[index][1]).unwrap_or(0);
                    let declared =
                        if slot.pointer.is_none() { declared_size(kernel.info(), slot.arg) } else { 0 };
                    let len = touched.max(declared).min(buffer.len());
                    let mut before = vec![0; len];
                    contents(case, slot, 0, &mut before);
                    Some(BufferContents { before, after: buffer.bytes(len) })
                });
                let contents = contents_of.collect();
                let executed = watch.executed;
                return Ok(Interpreted {
                    buffers: contents,
                    findings: report.findings,
                    steps: report.steps,
                    executed,
                });
            }
            Err(LaunchError::Fault { message, .. }) => {
                let extents = watch.extents;
                buffers.grow(case, &extents, &message)?;
                fault = message;
            }
            Err(error @ LaunchError::Watchdog { .. }) => {
                return Err(InterpretError::Watchdog(error.to_string()));
            }
            Err(error) => return Err(InterpretError::Launch(error)),
        }
    }
    Err(InterpretError::OutOfBounds(fault))
}

/// Watches a run: what was touched, and which blocks were executed.
struct Watch<'a> {
    buffers: &'a [Option<GrowingBuffer>],
    /// Least offset and end of what was touched, by slot.
    extents: Vec<[i64; 2]>,
    /// The buffer that was touched last.
    last: usize,
    executed: Blocks,
}

impl<'a> Watch<'a> {
    fn new(buffers: &'a Buffers) -> Self {
        let buffers = &buffers.buffers;
        Self { buffers, extents: vec![[0; 2]; buffers.len()], last: 0, executed: Blocks::default() }
    }

    fn touch(&mut self, access: &Access<'_>) {
        let mut lanes = access.mask;
        while lanes != 0 {
            let address = access.addresses[lanes.trailing_zeros() as usize];
            lanes &= lanes - 1;
            // Above this are the interpreter's own memories.
            if address >> 56 != 0 {
                continue;
            }
            let Some((index, offset)) = self.find(address) else { continue };
            let extent = &mut self.extents[index];
            extent[0] = extent[0].min(offset);
            extent[1] = extent[1].max(offset + access.size as i64);
        }
    }

    #[inline]
    fn find(&mut self, address: u64) -> Option<(usize, i64)> {
        if let Some(Some(buffer)) = self.buffers.get(self.last)
            && let Some(offset) = buffer.offset_of(address)
        {
            return Some((self.last, offset));
        }
        for (index, buffer) in self.buffers.iter().enumerate() {
            if let Some(offset) = buffer.as_ref().and_then(|buffer| buffer.offset_of(address)) {
                self.last = index;
                return Some((index, offset));
            }
        }
        None
    }
}

impl Observer for Watch<'_> {
    fn enter_block(&mut self, at: &Position, mask: u32) {
        if mask != 0 {
            self.executed.insert(at.function, at.block);
        }
    }

    fn load(&mut self, _: &Position, access: &Access<'_>) {
        self.touch(access);
    }

    fn store(&mut self, _: &Position, access: &Access<'_>) {
        self.touch(access);
    }

    fn atomic(&mut self, _: &Position, access: &Access<'_>) {
        self.touch(access);
    }
}
