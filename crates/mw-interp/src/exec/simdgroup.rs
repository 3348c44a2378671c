//! The state of a simdgroup between two steps: frames, registers, private memory.

use crate::memory::PRIVATE_GUARD;
use crate::program::{FunctionCode, LANES, List, Program, Reg, Row};
use crate::shadow::Shadowed;

/// Deepest nesting of calls.
pub(super) const MAX_FRAMES: usize = 1024;

/// Most registers of all frames.
pub(crate) const MAX_ROWS: usize = 1 << 18;

/// Most bytes of private memory of a thread.
pub(crate) const MAX_PRIVATE: u32 = 1 << 20;

/// Alignment of a frame's private memory: enough for every type.
pub(super) const FRAME_ALIGN: u32 = 256;

/// A function that runs.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) function: u32,
    /// First register.
    pub(super) base: u32,
    /// Register after the last.
    pub(super) end: u32,
    /// First entry in [`Simdgroup::pending`].
    pub(super) pending: u32,
    /// First word in [`Simdgroup::ready`].
    pub(super) ready: u32,
    /// First byte of private memory.
    pub(super) private: u32,
    /// Byte after the last.
    pub(super) private_end: u32,
    /// Number of blocks where lanes wait.
    pub(super) waiting: u32,
    /// Block that runs, or (before `entered`) that is to run.
    pub(super) block: u32,
    /// Next operation.
    pub(super) next: u32,
    /// Lanes that run.
    pub(super) mask: u32,
    /// Where the callee's results go.
    pub(super) results: List,
    /// Lanes whose function of an indirect call has not been called yet.
    pub(super) indirect: u32,
    /// Whether the block was entered.
    pub(super) entered: bool,
}

/// 32 threads in lockstep.
#[derive(Debug)]
pub(crate) struct Simdgroup {
    /// Index in the threadgroup.
    pub(super) index: u32,
    /// Lanes that exist and have not returned from the kernel.
    pub(super) alive: u32,
    pub(super) frames: Vec<Frame>,
    /// Registers of all frames. Longer than needed: they are kept for the next call.
    pub(super) rows: Vec<Row>,
    pub(super) undef: Vec<u32>,
    /// Lanes that stand at the entry of each block, for all frames.
    pub(super) pending: Vec<u32>,
    /// Bit for each block where lanes stand.
    pub(super) ready: Vec<u64>,
    pub(super) private: Shadowed,
}

impl Simdgroup {
    pub(crate) fn new() -> Self {
        Self {
            index: 0,
            alive: 0,
            frames: Vec::new(),
            rows: Vec::new(),
            undef: Vec::new(),
            pending: Vec::new(),
            ready: Vec::new(),
            private: Shadowed::new(0, LANES),
        }
    }

    /// Makes it stand at the entry of `function` with its first `lanes` lanes, and gives the registers of
    /// the parameters.
    pub(crate) fn start(&mut self, program: &Program, function: u32, index: u32, lanes: u32) -> &mut [Row] {
        self.index = index;
        self.alive = if lanes >= LANES as u32 { u32::MAX } else { (1 << lanes) - 1 };
        self.frames.clear();
        self.pending.clear();
        self.ready.clear();
        let code = &program.functions[function as usize];
        let registers = code.registers as usize;
        self.push(code, function, self.alive);
        self.rows[..registers].fill([0; LANES]);
        self.undef[..registers].fill(0);
        &mut self.rows[..code.params as usize]
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.frames.is_empty()
    }

    /// Puts a frame on top. The limits were checked.
    pub(super) fn push(&mut self, code: &FunctionCode, function: u32, mask: u32) {
        let (base, private) =
            self.frames.last().map_or((0, PRIVATE_GUARD), |frame| (frame.end, frame.private_end));
        let private = private.next_multiple_of(FRAME_ALIGN);
        let frame = Frame {
            function,
            base,
            end: base + code.registers,
            pending: self.pending.len() as u32,
            ready: self.ready.len() as u32,
            private,
            private_end: private + code.private,
            waiting: 0,
            block: 0,
            next: 0,
            mask,
            results: List { start: 0, len: 0 },
            indirect: 0,
            entered: false,
        };
        self.pending.resize(self.pending.len() + code.blocks.len(), 0);
        self.ready.resize(self.ready.len() + code.blocks.len().div_ceil(64), 0);
        self.private.grow((frame.private_end + PRIVATE_GUARD) as usize);
        let end = frame.end as usize;
        if self.rows.len() < end {
            self.rows.resize(end, [0; LANES]);
            self.undef.resize(end, 0);
        }
        self.frames.push(frame);
    }

    /// Copies the arguments of a call, registers of the frame below, into the parameters of the one on top.
    pub(super) fn pass(&mut self, program: &Program, args: &[Reg]) {
        let [.., below, top] = self.frames.as_slice() else { return };
        let (from, to) = (below.base as usize, top.base as usize);
        for (position, arg) in args.iter().enumerate() {
            let (row, undef) = match arg.place() {
                Ok(index) => (self.rows[from + index], self.undef[from + index]),
                Err(index) => (program.constants[index], program.constants_undef[index]),
            };
            self.rows[to + position] = row;
            self.undef[to + position] = undef;
        }
    }

    /// Copies results of the frame at `depth` into the registers where the one below wants them.
    pub(super) fn give_back(&mut self, program: &Program, depth: usize, values: &[Reg], mask: u32) {
        if depth == 1 {
            self.alive &= !mask;
            return;
        }
        let (below, top) = (&self.frames[depth - 2], &self.frames[depth - 1]);
        let (to, from) = (below.base as usize, top.base as usize);
        let results = program.functions[below.function as usize].list(below.results);
        for (value, result) in values.iter().zip(results) {
            let (row, undef) = match value.place() {
                Ok(index) => (self.rows[from + index], self.undef[from + index]),
                Err(index) => (program.constants[index], program.constants_undef[index]),
            };
            let target = to + result.0 as usize;
            for (lane, slot) in self.rows[target].iter_mut().enumerate() {
                if mask >> lane & 1 != 0 {
                    *slot = row[lane];
                }
            }
            self.undef[target] = self.undef[target] & !mask | undef & mask;
        }
    }

    /// Lets the frame at `depth` go on with another block.
    pub(super) fn enter_later(&mut self, depth: usize, block: u32, mask: u32) {
        let frame = &mut self.frames[depth - 1];
        frame.block = block;
        frame.mask = mask;
        frame.entered = false;
    }

    /// Takes the frame on top away.
    pub(super) fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.pending.truncate(frame.pending as usize);
            self.ready.truncate(frame.ready as usize);
        }
    }
}
