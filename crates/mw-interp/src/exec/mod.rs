//! Running a simdgroup: blocks in convergence order, each with every lane that stands there.

mod access;
mod arith;
mod collective;
mod lanes;
mod matrix;
mod simdgroup;

use std::collections::BTreeMap;

use mw_air::Module;
use mw_backend::LaunchError;

use self::lanes::{Lanes, for_lanes};
pub(crate) use self::simdgroup::Simdgroup;
use self::simdgroup::{FRAME_ALIGN, Frame, MAX_FRAMES};
pub(crate) use self::simdgroup::{MAX_PRIVATE, MAX_ROWS};
use crate::memory::{Memory, PRIVATE, PRIVATE_GUARD, function_at};
use crate::observe::{Access, Finding, FindingKind, Observer, Position, ThreadgroupMemory};
use crate::program::{FunctionCode, LANES, Op, Program, Row};

/// Why a simdgroup stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// It stands at a threadgroup barrier.
    Barrier,
    /// All its lanes returned.
    Ended,
}

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Operations of simdgroups.
    pub(crate) steps: u64,
    /// Time of a launch.
    #[cfg_attr(target_arch = "wasm32", expect(dead_code, reason = "a browser gives no clock here"))]
    pub(crate) time: Option<std::time::Duration>,
}

/// The threadgroup that runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Threadgroup {
    pub(crate) position: [u32; 3],
    /// Its own size: smaller than full at the edges.
    pub(crate) size: [u32; 3],
    /// Size of a full one.
    pub(crate) full: [u32; 3],
}

impl Threadgroup {
    /// Position in the threadgroup of thread `index`.
    pub(crate) fn thread(&self, index: u32) -> [u32; 3] {
        let [x, y, _] = self.size.map(|size| size.max(1));
        [index % x, index / x % y, index / x / y]
    }

    /// Position in the grid of thread `index`.
    pub(crate) fn thread_in_grid(&self, index: u32) -> [u32; 3] {
        let thread = self.thread(index);
        std::array::from_fn(|axis| {
            self.position[axis].wrapping_mul(self.full[axis]).wrapping_add(thread[axis])
        })
    }
}

/// What all simdgroups of a launch share.
pub(crate) struct Machine<'r> {
    pub(crate) program: &'r Program,
    pub(crate) module: &'r Module,
    pub(crate) kernel: &'r str,
    /// Name of each kernel parameter, for messages.
    pub(crate) names: &'r [String],
    pub(crate) memory: Memory<'r>,
    pub(crate) threadgroup: Threadgroup,
    observer: Option<&'r mut dyn Observer>,
    findings: BTreeMap<(u32, u32, u32, u8), Finding>,
    /// Operations executed.
    pub(crate) steps: u64,
    next_check: u64,
    limits: Limits,
    #[cfg(not(target_arch = "wasm32"))]
    started: std::time::Instant,
}

/// A place in the code, cheap to carry.
#[derive(Clone, Copy)]
struct Here<'a> {
    code: &'a FunctionCode,
    block: u32,
    /// The operation after the one that runs.
    next: u32,
    simdgroup: u32,
}

/// Why the code of one frame was left.
enum Leave {
    /// Another frame is on top.
    Frame,
    Barrier,
}

/// How often the clock is looked at.
const STEPS_PER_CHECK: u64 = 1 << 16;

impl<'r> Machine<'r> {
    pub(crate) fn new(
        program: &'r Program,
        module: &'r Module,
        kernel: &'r str,
        names: &'r [String],
        memory: Memory<'r>,
        limits: Limits,
        observer: Option<&'r mut dyn Observer>,
    ) -> Self {
        Self {
            program,
            module,
            kernel,
            names,
            memory,
            threadgroup: Threadgroup::default(),
            observer,
            findings: BTreeMap::new(),
            steps: 0,
            next_check: 0,
            limits,
            #[cfg(not(target_arch = "wasm32"))]
            started: std::time::Instant::now(),
        }
    }

    /// Findings in the order of the code.
    pub(crate) fn findings(self) -> Vec<Finding> {
        self.findings.into_values().collect()
    }

    pub(crate) fn begin_threadgroup(&mut self, threadgroup: Threadgroup, threadgroup_bytes: usize) {
        self.threadgroup = threadgroup;
        self.memory.threadgroup.copy_from(&self.program.threadgroup_memory);
        self.memory.threadgroup.grow(threadgroup_bytes);
        if let Some(observer) = &mut self.observer {
            observer.begin_threadgroup(threadgroup.position, threadgroup.size);
        }
    }

    /// Every simdgroup of the threadgroup stands at a barrier or has ended.
    pub(crate) fn end_phase(&mut self) {
        if let Some(observer) = &mut self.observer {
            observer.phase(self.threadgroup.position, &ThreadgroupMemory(&self.memory.threadgroup));
        }
    }

    /// Runs a simdgroup until it ends or stands at a barrier.
    pub(crate) fn run(&mut self, simdgroup: &mut Simdgroup) -> Result<Stop, LaunchError> {
        while !simdgroup.frames.is_empty() {
            match self.run_frame(simdgroup)? {
                Leave::Frame => {}
                Leave::Barrier => return Ok(Stop::Barrier),
            }
        }
        Ok(Stop::Ended)
    }

    /// Runs the frame on top until another one is, or a barrier is met.
    fn run_frame(&mut self, simdgroup: &mut Simdgroup) -> Result<Leave, LaunchError> {
        let program = self.program;
        let depth = simdgroup.frames.len();
        let Simdgroup { rows, undef, frames, pending, ready, private, index, alive } = simdgroup;
        let simdgroup_index = *index;
        let Some(frame) = frames.last_mut() else { return Ok(Leave::Frame) };
        let code = &program.functions[frame.function as usize];
        self.memory.private_end = u64::from(frame.private_end);
        let (base, end) = (frame.base as usize, frame.base as usize + code.registers as usize);
        let mut lanes =
            Lanes { rows: &mut rows[base..end], undef: &mut undef[base..end], program, mask: frame.mask };
        if !frame.entered {
            frame.entered = true;
            let (block, mask) = (frame.block, frame.mask);
            self.enter(code, frame, &mut lanes, block, mask, simdgroup_index)?;
        }
        loop {
            let op = &code.ops[frame.next as usize];
            frame.next += 1;
            if arith::arithmetic(&mut lanes, op) {
                continue;
            }
            let here = Here { code, block: frame.block, next: frame.next, simdgroup: simdgroup_index };
            match *op {
                Op::Load { dst, ptr, offset, size, bits } => {
                    self.load(&mut lanes, private, here, dst, ptr, offset, size, bits)?;
                }
                Op::Store { value, ptr, offset, size } => {
                    self.store(&lanes, private, here, value, ptr, offset, size)?;
                }
                Op::Atomic { op, size, dst, ptr, value } => {
                    self.atomic(&mut lanes, private, here, op, size, dst, ptr, value)?;
                }
                Op::CompareExchange { .. } => self.compare_exchange(&mut lanes, private, here, op)?,
                Op::MemCopy { dst, src, len } => self.mem_copy(&lanes, private, here, dst, src, len)?,
                Op::MemSet { dst, value, len } => self.mem_set(&lanes, private, here, dst, value, len)?,
                Op::AsyncCopy1d { list } => self.async_copy_1d(&lanes, private, here, list)?,
                Op::AsyncCopy2d { list } => self.async_copy_2d(&lanes, private, here, list)?,
                Op::MatrixLoad { size, list } => self.matrix_load(&mut lanes, private, here, size, list)?,
                Op::MatrixStore { size, list } => self.matrix_store(&lanes, private, here, size, list)?,
                Op::MatrixMultiply { formats, list } => matrix::multiply(&mut lanes, code, formats, list),
                Op::MatrixFill { diagonal, list } => matrix::fill(&mut lanes, code, diagonal, list),
                Op::Alloca { dst, offset, size } => {
                    let offset = u64::from(frame.private) + u64::from(offset);
                    for_lanes(lanes.mask, |lane| private.clear(offset, size as usize, lane, false));
                    lanes.put(dst, &[PRIVATE + offset; LANES], 0);
                }
                Op::AllocaDynamic { dst, count, size, align } => {
                    let row = *lanes.row(count);
                    let mut most = 0;
                    for_lanes(lanes.mask, |lane| most = most.max(row[lane]));
                    let offset = u64::from(frame.private_end).next_multiple_of(u64::from(align));
                    let bytes = most.saturating_mul(u64::from(size));
                    let end = offset.saturating_add(bytes);
                    if end > u64::from(MAX_PRIVATE) {
                        return Err(self.fault(here, lanes.lead(), &private_full()));
                    }
                    private.grow(end as usize + PRIVATE_GUARD as usize);
                    frame.private_end = end as u32;
                    self.memory.private_end = end;
                    for_lanes(lanes.mask, |lane| private.clear(offset, bytes as usize, lane, false));
                    lanes.put(dst, &[PRIVATE + offset; LANES], 0);
                }
                Op::Barrier => {
                    if lanes.mask != *alive {
                        self.find(here, FindingKind::DivergentBarrier, lanes.mask);
                    }
                    if let Some(observer) = &mut self.observer {
                        observer.barrier(&position(&self.threadgroup, here), lanes.mask);
                    }
                    return Ok(Leave::Barrier);
                }
                Op::Call { function, args, results } => {
                    frame.results = results;
                    let mask = lanes.mask;
                    self.push(simdgroup, here, function, code.list(args), mask)?;
                    return Ok(Leave::Frame);
                }
                Op::CallPointer { pointer, args, results } => {
                    let row = *lanes.row(pointer);
                    if frame.indirect == 0 {
                        frame.indirect = lanes.mask;
                    }
                    let lead = frame.indirect.trailing_zeros() as usize & (LANES - 1);
                    let mut group = 0;
                    for_lanes(frame.indirect, |lane| group |= u32::from(row[lane] == row[lead]) << lane);
                    frame.indirect &= !group;
                    if frame.indirect != 0 {
                        // The other lanes' functions are called when this one has returned.
                        frame.next -= 1;
                    }
                    frame.results = results;
                    let Some(function) = self.callee(row[lead], args.len, results.len) else {
                        let message = format!("calls {:#x}, which is no function of that type", row[lead]);
                        return Err(self.fault(here, lead, &message));
                    };
                    self.push(simdgroup, here, function, code.list(args), group)?;
                    return Ok(Leave::Frame);
                }
                Op::Tell { list } => {
                    if let Some(observer) = &mut self.observer {
                        let registers = code.list(list);
                        let rows: Vec<&Row> = registers.iter().map(|register| lanes.row(*register)).collect();
                        let undef =
                            registers.iter().fold(0, |undef, register| undef | lanes.undef(*register));
                        observer.values(&position(&self.threadgroup, here), lanes.mask, &rows, undef);
                    }
                }
                Op::Unsupported { feature } => {
                    let feature = program.unsupported.get(feature as usize).cloned().unwrap_or_default();
                    return Err(LaunchError::Unsupported { kernel: self.kernel.into(), feature });
                }
                Op::Unreachable => {
                    return Err(self.fault(here, lanes.lead(), "reaches code that is marked unreachable"));
                }
                Op::Jump { edge } => {
                    let edge = &code.edges[edge as usize];
                    let mask = lanes.mask;
                    lanes.travel(code, edge, mask);
                    if frame.waiting == 0 {
                        self.enter(code, frame, &mut lanes, edge.target, mask, simdgroup_index)?;
                    } else {
                        arrive(frame, pending, ready, edge.target, mask);
                        self.resume(code, frame, pending, ready, &mut lanes, simdgroup_index)?;
                    }
                }
                Op::Branch { condition, on_true, on_false } => {
                    let mask = lanes.mask;
                    if lanes.undef(condition) & mask != 0 {
                        let undef = lanes.undef(condition) & mask;
                        self.find(here, FindingKind::BranchOnUndef, undef);
                    }
                    let row = lanes.row(condition);
                    let mut taken = 0_u32;
                    for (lane, value) in row.iter().enumerate() {
                        taken |= u32::from(*value != 0) << lane;
                    }
                    for (edge, mask) in [(on_true, taken & mask), (on_false, mask & !taken)] {
                        if mask != 0 {
                            let edge = &code.edges[edge as usize];
                            lanes.travel(code, edge, mask);
                            arrive(frame, pending, ready, edge.target, mask);
                        }
                    }
                    self.resume(code, frame, pending, ready, &mut lanes, simdgroup_index)?;
                }
                Op::Switch { value, table } => {
                    let mask = lanes.mask;
                    if lanes.undef(value) & mask != 0 {
                        let undef = lanes.undef(value) & mask;
                        self.find(here, FindingKind::BranchOnUndef, undef);
                    }
                    let (row, table) = (*lanes.row(value), &code.switches[table as usize]);
                    let mut left = mask;
                    while left != 0 {
                        let chosen = row[left.trailing_zeros() as usize & (LANES - 1)];
                        let mut same = 0;
                        for_lanes(left, |lane| same |= u32::from(row[lane] == chosen) << lane);
                        left &= !same;
                        let edge = table
                            .cases
                            .iter()
                            .find(|(case, _)| *case == chosen)
                            .map_or(table.default, |(_, edge)| *edge);
                        let edge = &code.edges[edge as usize];
                        lanes.travel(code, edge, same);
                        arrive(frame, pending, ready, edge.target, same);
                    }
                    self.resume(code, frame, pending, ready, &mut lanes, simdgroup_index)?;
                }
                Op::Return { list } => {
                    let mask = lanes.mask;
                    if let Some(observer) = &mut self.observer {
                        observer.ret(&position(&self.threadgroup, here), mask);
                    }
                    if frame.waiting != 0 {
                        let resumed = pop_ready(frame, pending, ready);
                        simdgroup.give_back(program, depth, code.list(list), mask);
                        if let Some((block, next_mask)) = resumed {
                            simdgroup.enter_later(depth, block, next_mask);
                        }
                    } else {
                        simdgroup.give_back(program, depth, code.list(list), mask);
                        simdgroup.pop();
                    }
                    return Ok(Leave::Frame);
                }
                _ => {
                    collective::collective(&mut lanes, code, op);
                }
            }
        }
    }

    /// Starts a block with the lanes of `mask`.
    #[inline(always)]
    fn enter(
        &mut self,
        code: &FunctionCode,
        frame: &mut Frame,
        lanes: &mut Lanes<'_>,
        block: u32,
        mask: u32,
        simdgroup: u32,
    ) -> Result<(), LaunchError> {
        let start = code.blocks[block as usize];
        frame.block = block;
        frame.next = start.start;
        frame.mask = mask;
        lanes.mask = mask;
        self.steps += u64::from(start.len);
        if self.steps >= self.next_check {
            self.check_limits()?;
        }
        if let Some(observer) = &mut self.observer {
            let here = Here { code, block, next: 0, simdgroup };
            observer.enter_block(&position(&self.threadgroup, here), mask);
        }
        Ok(())
    }

    /// Goes on with the first block where lanes stand.
    #[inline(always)]
    fn resume(
        &mut self,
        code: &FunctionCode,
        frame: &mut Frame,
        pending: &mut [u32],
        ready: &mut [u64],
        lanes: &mut Lanes<'_>,
        simdgroup: u32,
    ) -> Result<(), LaunchError> {
        match pop_ready(frame, pending, ready) {
            Some((block, mask)) => self.enter(code, frame, lanes, block, mask, simdgroup),
            None => Err(self.internal("no lane stands anywhere")),
        }
    }

    /// The function at an address, if it takes and gives that many scalars.
    fn callee(&self, address: u64, args: u32, results: u32) -> Option<u32> {
        let id = function_at(address)?;
        let position = self.program.position.get(id.index()).copied().flatten()?;
        let code = &self.program.functions[position as usize];
        (code.params == args && code.results == results).then_some(position)
    }

    /// Puts a frame on top.
    fn push(
        &mut self,
        simdgroup: &mut Simdgroup,
        here: Here<'_>,
        function: u32,
        args: &[crate::program::Reg],
        mask: u32,
    ) -> Result<(), LaunchError> {
        let code = &self.program.functions[function as usize];
        if let Some(observer) = &mut self.observer {
            observer.call(&position(&self.threadgroup, here), code.id, mask);
        }
        let lead = mask.trailing_zeros() as usize & (LANES - 1);
        if simdgroup.frames.len() >= MAX_FRAMES {
            return Err(self.fault(here, lead, &format!("calls functions more than {MAX_FRAMES} deep")));
        }
        let top = simdgroup.frames.last().map_or((0, 0), |frame| (frame.end, frame.private_end));
        if top.0 as usize + code.registers as usize > MAX_ROWS {
            return Err(self.fault(here, lead, "calls functions so deep that their values fill all memory"));
        }
        if u64::from(top.1) + u64::from(code.private) + u64::from(FRAME_ALIGN) > u64::from(MAX_PRIVATE) {
            return Err(self.fault(here, lead, &private_full()));
        }
        simdgroup.push(code, function, mask);
        simdgroup.pass(self.program, args);
        Ok(())
    }

    #[cold]
    fn check_limits(&mut self) -> Result<(), LaunchError> {
        self.next_check = self.steps.saturating_add(STEPS_PER_CHECK);
        let watchdog = |limit| Err(LaunchError::Watchdog { kernel: self.kernel.into(), limit });
        if self.steps > self.limits.steps {
            return watchdog(format!("{} steps", self.limits.steps));
        }
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(time) = self.limits.time.filter(|time| self.started.elapsed() > *time) {
            return watchdog(format!("{time:?}"));
        }
        Ok(())
    }

    /// Counts work inside one operation.
    fn spend(&mut self, steps: u64) -> Result<(), LaunchError> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps >= self.next_check { self.check_limits() } else { Ok(()) }
    }

    #[cold]
    fn find(&mut self, here: Here<'_>, kind: FindingKind, mask: u32) {
        let at = position(&self.threadgroup, here);
        let key = (at.function.0, at.block.0, here.next, kind as u8);
        self.findings.entry(key).and_modify(|finding| finding.count += 1).or_insert(Finding {
            kind,
            first: at,
            mask,
            count: 1,
        });
        if let Some(observer) = &mut self.observer {
            observer.finding(&at, kind, mask);
        }
    }

    #[cold]
    fn internal(&self, message: &str) -> LaunchError {
        LaunchError::Compile(mw_backend::CompileError::Internal {
            kernel: self.kernel.into(),
            stage: "interpreter",
            message: message.into(),
        })
    }

    /// A fault of one thread; `what` continues the sentence "thread (x, y, z) …".
    #[cold]
    fn fault(&self, here: Here<'_>, lane: usize, what: &str) -> LaunchError {
        let [x, y, z] = self.threadgroup.thread_in_grid(here.simdgroup * LANES as u32 + lane as u32);
        let [gx, gy, gz] = self.threadgroup.position;
        let at = position(&self.threadgroup, here);
        let function = self.module.functions.get(at.function.index());
        let name = function.map_or("?", |function| &*function.name);
        let source = location(self.module, &at).and_then(|location| self.module.debug.describe(location));
        let place = if let Some(source) = source {
            source
        } else if let Some(inst) = at.inst {
            format!("instruction {} of block {}", inst.0, at.block.0)
        } else {
            format!("the end of block {}", at.block.0)
        };
        LaunchError::Fault {
            kernel: self.kernel.into(),
            message: format!(
                "thread ({x}, {y}, {z}) of the grid {what} (lane {lane} of simdgroup {} of threadgroup \
                 ({gx}, {gy}, {gz}), in function `{name}`, {place})",
                here.simdgroup
            ),
        }
    }
}

fn private_full() -> String {
    format!("needs more than {MAX_PRIVATE} bytes of private memory")
}

/// Lets lanes stand at a block.
#[inline(always)]
fn arrive(frame: &mut Frame, pending: &mut [u32], ready: &mut [u64], block: u32, mask: u32) {
    let slot = &mut pending[frame.pending as usize + block as usize];
    if *slot == 0 {
        frame.waiting += 1;
        ready[frame.ready as usize + block as usize / 64] |= 1 << (block % 64);
    }
    *slot |= mask;
}

/// Takes the first block where lanes stand.
#[inline(always)]
fn pop_ready(frame: &mut Frame, pending: &mut [u32], ready: &mut [u64]) -> Option<(u32, u32)> {
    for (index, word) in ready[frame.ready as usize..].iter_mut().enumerate() {
        if *word != 0 {
            let block = index as u32 * 64 + word.trailing_zeros();
            *word &= *word - 1;
            frame.waiting -= 1;
            let mask = std::mem::take(&mut pending[frame.pending as usize + block as usize]);
            return Some((block, mask));
        }
    }
    None
}

fn position(threadgroup: &Threadgroup, here: Here<'_>) -> Position {
    Position {
        threadgroup: threadgroup.position,
        simdgroup: here.simdgroup,
        function: here.code.id,
        block: here.code.blocks[here.block as usize].id,
        inst: (here.next as usize).checked_sub(1).and_then(|op| here.code.origin.get(op).copied().flatten()),
    }
}

/// The position in the source of an instruction or terminator.
pub(crate) fn location(module: &Module, at: &Position) -> Option<mw_air::LocationId> {
    let function = module.functions.get(at.function.index())?;
    match at.inst {
        Some(inst) if inst.index() < function.inst_count() => function.inst(inst).location,
        Some(_) => None,
        None => function.blocks.get(at.block.index())?.location,
    }
}
