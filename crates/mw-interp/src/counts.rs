//! [`Counts`]: what a run did, counted: instructions, arithmetic, and bytes by memory.

use std::collections::BTreeMap;

use mw_air::{BinaryOp, FuncId, Inst, Intrinsic, Module, Terminator, Type};

use crate::memory::Place;
use crate::observe::{Access, FindingKind, Observer, Position};
use crate::place_of;

/// Accesses of one kind to one memory. A lane that accesses counts, not a simdgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Accesses by lanes.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Traffic {
    fn add(&mut self, access: &Access<'_>) {
        let lanes = u64::from(access.mask.count_ones());
        self.count += lanes;
        self.bytes = self.bytes.saturating_add(lanes.saturating_mul(access.size));
    }
}

/// Traffic of one memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryCounts {
    /// Reads.
    pub loads: Traffic,
    /// Writes.
    pub stores: Traffic,
    /// Both in one step.
    pub atomics: Traffic,
}

/// What lanes did in one place, or in all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Instructions, counted for each simdgroup that executed them.
    pub instructions: u64,
    /// The same, counted for each active lane.
    pub lane_instructions: u64,
    /// Floating-point operations of lanes: a fused product and sum is two, a vector counts by element.
    pub flops: u64,
    /// Integer operations of lanes, comparisons and shifts among them, a vector by element.
    pub integer_operations: u64,
    /// Calls of library functions (`exp`, `simd_sum`) by lanes.
    pub library_calls: u64,
    /// Buffers.
    pub device: MemoryCounts,
    /// Threadgroup memory.
    pub threadgroup: MemoryCounts,
    /// Private memory: local arrays, and variables whose address is taken.
    pub private: MemoryCounts,
    /// Constant data of the module.
    pub constant: MemoryCounts,
    /// Threadgroup barriers, counted for each simdgroup.
    pub barriers: u64,
}

impl Work {
    /// All figures with their names, which `mw run --counts` and the browser's engine print alike; a point leads
    /// into a memory and a direction.
    pub fn figures(&self) -> Vec<(String, u64)> {
        let mut all = vec![
            ("instructions".to_owned(), self.instructions),
            ("lane_instructions".to_owned(), self.lane_instructions),
            ("flops".to_owned(), self.flops),
            ("integer_operations".to_owned(), self.integer_operations),
            ("library_calls".to_owned(), self.library_calls),
            ("barriers".to_owned(), self.barriers),
        ];
        for (memory, counts) in [
            ("device", &self.device),
            ("threadgroup", &self.threadgroup),
            ("private", &self.private),
            ("constant", &self.constant),
        ] {
            for (direction, traffic) in
                [("loads", counts.loads), ("stores", counts.stores), ("atomics", counts.atomics)]
            {
                all.push((format!("{memory}.{direction}.count"), traffic.count));
                all.push((format!("{memory}.{direction}.bytes"), traffic.bytes));
            }
        }
        all
    }

    fn memory(&mut self, place: Place) -> Option<&mut MemoryCounts> {
        Some(match place {
            Place::Host => &mut self.device,
            Place::Threadgroup => &mut self.threadgroup,
            Place::Private => &mut self.private,
            Place::Constants => &mut self.constant,
            Place::Functions | Place::Absent => return None,
        })
    }
}

/// What one instruction costs an active lane.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    line: Option<u32>,
    flops: u32,
    integer_operations: u32,
    library_calls: u32,
}

/// Counts the work of a run: in all, and by line of the source where the module knows lines.
///
/// Only the kernel's own functions are counted; what a library function does inside is one call.
#[derive(Clone, Debug)]
pub struct Counts {
    /// Everything.
    pub total: Work,
    /// By line of the main file.
    pub lines: BTreeMap<u32, Work>,
    /// By function and block: the costs of its instructions. Empty for library functions.
    costs: Vec<Vec<Vec<Cost>>>,
    /// Line of each instruction of each function.
    inst_lines: Vec<Vec<Option<u32>>>,
}

impl Counts {
    /// Counters for the module that runs, of which `is_own` says which functions are the kernel's own.
    pub(crate) fn new(module: &Module, is_own: &dyn Fn(FuncId) -> bool) -> Self {
        let line = |location: Option<mw_air::LocationId>| {
            let location = module.debug.location(location?)?;
            let is_main = module.debug.subprogram(location.scope)?.file == 0;
            (is_main && location.line != 0).then_some(location.line)
        };
        let mut costs = Vec::new();
        let mut inst_lines = Vec::new();
        for id in module.function_ids() {
            let function = module.function(id);
            if !is_own(id) {
                costs.push(Vec::new());
                inst_lines.push(Vec::new());
                continue;
            }
            let of_block = |block: &mw_air::Block| {
                let mut all: Vec<Cost> = (block.insts.iter())
                    .map(|id| {
                        let data = function.inst(*id);
                        let ty = data.result.map_or(&Type::Void, |result| function.value_type(result));
                        Cost { line: line(data.location), ..cost(module, is_own, &data.inst, ty) }
                    })
                    .collect();
                if !matches!(block.terminator, Terminator::Unreachable) {
                    all.push(Cost { line: line(block.location), ..Cost::default() });
                }
                all
            };
            costs.push(function.blocks.iter().map(of_block).collect());
            inst_lines.push(
                (0..function.inst_count())
                    .map(|index| line(function.inst(mw_air::InstId::new(index)).location))
                    .collect(),
            );
        }
        Self { total: Work::default(), lines: BTreeMap::new(), costs, inst_lines }
    }

    fn line_of(&self, at: &Position) -> Option<u32> {
        self.inst_lines.get(at.function.index())?.get(at.inst?.index()).copied().flatten()
    }

    fn access(
        &mut self,
        at: &Position,
        access: &Access<'_>,
        which: impl Fn(&mut MemoryCounts) -> &mut Traffic,
    ) {
        if access.mask == 0 {
            return;
        }
        let place = place_of(access.addresses[access.mask.trailing_zeros() as usize]);
        if let Some(memory) = self.total.memory(place) {
            which(memory).add(access);
        }
        if let Some(line) = self.line_of(at)
            && let Some(memory) = self.lines.entry(line).or_default().memory(place)
        {
            which(memory).add(access);
        }
    }
}

impl Observer for Counts {
    fn enter_block(&mut self, at: &Position, mask: u32) {
        let Some(costs) = self.costs.get(at.function.index()).and_then(|blocks| blocks.get(at.block.index()))
        else {
            return;
        };
        let lanes = u64::from(mask.count_ones());
        let add = |work: &mut Work, cost: &Cost| {
            work.instructions += 1;
            work.lane_instructions += lanes;
            work.flops += lanes * u64::from(cost.flops);
            work.integer_operations += lanes * u64::from(cost.integer_operations);
            work.library_calls += lanes * u64::from(cost.library_calls);
        };
        for cost in costs {
            add(&mut self.total, cost);
            if let Some(line) = cost.line {
                add(self.lines.entry(line).or_default(), cost);
            }
        }
    }

    fn load(&mut self, at: &Position, access: &Access<'_>) {
        self.access(at, access, |memory| &mut memory.loads);
    }

    fn store(&mut self, at: &Position, access: &Access<'_>) {
        self.access(at, access, |memory| &mut memory.stores);
    }

    fn atomic(&mut self, at: &Position, access: &Access<'_>) {
        self.access(at, access, |memory| &mut memory.atomics);
    }

    fn barrier(&mut self, at: &Position, _mask: u32) {
        self.total.barriers += 1;
        if let Some(line) = self.line_of(at) {
            self.lines.entry(line).or_default().barriers += 1;
        }
    }

    fn call(&mut self, _at: &Position, _callee: FuncId, _mask: u32) {}

    fn finding(&mut self, _at: &Position, _kind: FindingKind, _mask: u32) {}
}

/// Operations of one lane.
fn cost(module: &Module, is_own: &dyn Fn(FuncId) -> bool, inst: &Inst, ty: &Type) -> Cost {
    let width = ty.lanes().unwrap_or(1);
    let float = |count: u32| Cost { flops: count * width, ..Cost::default() };
    let int = Cost { integer_operations: width, ..Cost::default() };
    match inst {
        Inst::Binary { op, .. } => match op {
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => float(1),
            _ => int,
        },
        Inst::FNeg { .. } | Inst::FCmp { .. } => float(1),
        Inst::ICmp { .. } => int,
        Inst::Call(call) => {
            let mw_air::Callee::Function(callee) = call.callee else { return Cost::default() };
            let Some(target) = module.functions.get(callee.index()) else { return Cost::default() };
            if target.name.starts_with("llvm.fmuladd.") || target.name.starts_with("air.fma.") {
                return float(2);
            }
            if is_own(callee) || Intrinsic::classify(&target.name).is_none() {
                return Cost::default();
            }
            let is_barrier = target.name.starts_with("air.wg.barrier");
            Cost { library_calls: u32::from(!is_barrier), ..Cost::default() }
        }
        _ => Cost::default(),
    }
}
