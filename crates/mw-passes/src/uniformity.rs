//! Which values are equal in all active lanes, which grow by a constant from lane to lane.
//!
//! **Requires** scalar form ([`crate::scalarize`]), LCSSA form, loops with preheaders.
//! **Cost** a few sweeps over the function: O(sweeps × instructions).

use std::cell::RefCell;

use mw_air::schema::{Builtin, KernelInfo};
use mw_air::{
    AddressSpace, BinaryOp, BlockId, Call, Callee, CastOp, Constant, Flags, FuncId, Function, Inst, Layout,
    Module, Scalar, Terminator, Type, ValueDef, ValueId,
};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::PassError;
use crate::abi::ThreadgroupShape;
use crate::control::{Control, Divergence};
use crate::scalarize::{BUILTIN_PREFIX, MATRIX_PACK, MATRIX_SLOT, is_matrix};

/// A table of 32 constants, one for each lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TableId(u32);

/// Offsets of the lanes from lane 0.
pub type LaneOffsets = [i64; 32];

/// How a value relates to the lanes of a simdgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Equal in all active lanes (a simdgroup matrix is one value of the simdgroup).
    Uniform,
    /// `value of lane 0 + stride × lane`, in the arithmetic of its type; bytes for pointers.
    Strided(i64),
    /// `value of lane 0 + offset of the lane`, by a table of constants.
    Table(TableId),
    /// Anything.
    Varying,
}

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Shape.
    pub shape: Shape,
    /// Upper bound as an unsigned number, over all lanes.
    pub max: Option<u64>,
    /// The strided form holds without wrap when read as unsigned numbers: `zext` keeps it.
    pub exact_unsigned: bool,
    /// The same for signed numbers and `sext`.
    pub exact_signed: bool,
    /// The strided form holds only under a condition that the code checks where it matters.
    pub conditional: bool,
    /// Power of two that divides the value of lane 0.
    pub base_align: u64,
    /// The values of all lanes, where they are known when compiling.
    pub known: Option<TableId>,
}

impl Fact {
    fn uniform() -> Self {
        Self {
            shape: Shape::Uniform,
            max: None,
            exact_unsigned: true,
            exact_signed: true,
            conditional: false,
            base_align: 1,
            known: None,
        }
    }

    fn varying() -> Self {
        Self { shape: Shape::Varying, ..Self::uniform() }
    }

    fn strided(stride: i64) -> Self {
        let shape = if stride == 0 { Shape::Uniform } else { Shape::Strided(stride) };
        Self { shape, exact_unsigned: false, exact_signed: false, ..Self::uniform() }
    }

    /// A value that grows from lane 0 by the same steps as this one.
    fn of_shape(shape: Shape) -> Self {
        Self { shape, exact_unsigned: false, exact_signed: false, ..Self::uniform() }
    }

    fn bounded(self, max: u64) -> Self {
        Self { max: Some(self.max.map_or(max, |known| known.min(max))), ..self }
    }

    /// Whether every lane holds the same.
    pub fn is_uniform(&self) -> bool {
        self.shape == Shape::Uniform
    }
}

/// Facts about all values of a function, and its divergent control flow.
#[derive(Debug)]
pub struct Uniformity {
    facts: Vec<Option<Fact>>,
    tables: Tables,
    units: FxHashSet<ValueId>,
    /// Divergent branches, joins and loops.
    pub divergence: Divergence,
}

impl Uniformity {
    /// Analyses `function` of `module`; `kernel` is given for the kernel itself.
    pub fn new(
        module: &Module,
        function: &Function,
        kernel: Option<&KernelInfo>,
        shape: ThreadgroupShape,
        control: &Control,
    ) -> Result<Self, PassError> {
        let mut analysis = Analysis {
            module,
            function,
            shape,
            control,
            facts: vec![None; function.values().len()],
            tables: Tables::default(),
            divergence: Divergence::default(),
        };
        for (index, value) in function.values().iter().enumerate() {
            analysis.facts[index] = match &value.def {
                ValueDef::Const(constant) => Some(constant_fact(&value.ty, constant)),
                // Buffers are the same for all threads; parameters of helpers can be anything.
                ValueDef::Param(_) => Some(if kernel.is_some() { Fact::uniform() } else { Fact::varying() }),
                ValueDef::Inst(_) => None,
            };
        }
        while analysis.sweep()? {}
        let units = analysis.units();
        let Analysis { facts, tables, divergence, .. } = analysis;
        Ok(Self { facts, tables, units, divergence })
    }

    /// Whether a uniform number is taken for 1, which the code checks: the stride of an array that is passed
    /// at run time most often is.
    pub fn is_unit(&self, value: ValueId) -> bool {
        self.units.contains(&value)
    }

    /// What is known of `value`. Values in unreachable code count as uniform.
    pub fn fact(&self, value: ValueId) -> Fact {
        self.facts[value.index()].unwrap_or_else(Fact::uniform)
    }

    /// Whether every lane holds the same.
    pub fn is_uniform(&self, value: ValueId) -> bool {
        self.fact(value).is_uniform()
    }

    /// The offsets in a table.
    pub fn table(&self, id: TableId) -> LaneOffsets {
        self.tables.get(id)
    }

    /// Offsets of the lanes from lane 0; `None` for a varying value.
    pub fn offsets(&self, value: ValueId) -> Option<LaneOffsets> {
        self.tables.offsets(self.fact(value).shape)
    }
}

/// Tables, each once.
#[derive(Debug, Default)]
struct Tables {
    all: RefCell<Vec<LaneOffsets>>,
    ids: RefCell<FxHashMap<LaneOffsets, TableId>>,
}

impl Tables {
    fn get(&self, id: TableId) -> LaneOffsets {
        self.all.borrow()[id.0 as usize]
    }

    fn intern(&self, offsets: LaneOffsets) -> TableId {
        *self.ids.borrow_mut().entry(offsets).or_insert_with(|| {
            let mut all = self.all.borrow_mut();
            all.push(offsets);
            TableId(all.len() as u32 - 1)
        })
    }

    fn offsets(&self, shape: Shape) -> Option<LaneOffsets> {
        match shape {
            Shape::Uniform => Some([0; 32]),
            Shape::Strided(stride) => Some(std::array::from_fn(|lane| stride.wrapping_mul(lane as i64))),
            Shape::Table(id) => Some(self.get(id)),
            Shape::Varying => None,
        }
    }

    /// The simplest shape with these offsets, which start with 0.
    fn shape(&self, offsets: &LaneOffsets) -> Shape {
        let step = offsets[1];
        if offsets.iter().enumerate().all(|(lane, offset)| *offset == step.wrapping_mul(lane as i64)) {
            return if step == 0 { Shape::Uniform } else { Shape::Strided(step) };
        }
        Shape::Table(self.intern(*offsets))
    }
}

fn constant_fact(ty: &Type, constant: &Constant) -> Fact {
    let fact = Fact::uniform();
    match (ty, constant) {
        (Type::Scalar(Scalar::Int(_)), Constant::Int(value)) => {
            Fact { base_align: align_of(*value), ..fact.bounded(*value) }
        }
        (Type::Scalar(Scalar::Int(_)), Constant::Zero) => Fact { base_align: align_of(0), ..fact.bounded(0) },
        _ => fact,
    }
}

fn align_of(value: u64) -> u64 {
    1 << value.trailing_zeros().min(12)
}

fn mask_of(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// `stride` as a signed number of `bits` bits.
fn wrap_stride(stride: i64, bits: u32) -> i64 {
    let shift = 64 - bits.min(64);
    stride << shift >> shift
}

struct Analysis<'m> {
    module: &'m Module,
    function: &'m Function,
    shape: ThreadgroupShape,
    control: &'m Control,
    facts: Vec<Option<Fact>>,
    tables: Tables,
    divergence: Divergence,
}

impl Analysis<'_> {
    /// One pass over all blocks; says whether anything changed.
    fn sweep(&mut self) -> Result<bool, PassError> {
        let mut changed = false;
        let control = self.control;
        for block in &control.order {
            for id in &self.function.block(*block).insts {
                let data = self.function.inst(*id);
                let Some(result) = data.result else { continue };
                let Some(new) = self.transfer(*block, &data.inst, result)? else { continue };
                let new = match self.facts[result.index()] {
                    None => new,
                    Some(old) => join(old, new, true),
                };
                if self.facts[result.index()] != Some(new) {
                    self.facts[result.index()] = Some(new);
                    changed = true;
                }
            }
            let terminator = &self.function.block(*block).terminator;
            if let (Some(condition), Terminator::CondBr { .. } | Terminator::Switch { .. }) =
                (terminator.operand(), terminator)
                && control.cfg.successors[block.index()].len() > 1
                && self.facts[condition.index()].is_some_and(|fact| !fact.is_uniform())
            {
                changed |= self.divergence.add_branch(control, *block);
            }
        }
        Ok(changed)
    }

    fn known(&self, value: ValueId) -> Option<Fact> {
        self.facts[value.index()]
    }

    /// The fact of an instruction's result; `None` while an operand is unknown.
    fn transfer(&self, block: BlockId, inst: &Inst, result: ValueId) -> Result<Option<Fact>, PassError> {
        let ty = self.function.value_type(result);
        if is_matrix(ty) {
            // One value of the whole simdgroup, whatever the lanes do.
            return Ok(Some(Fact::uniform()));
        }
        if let Inst::Phi { incoming, .. } = inst {
            return Ok(self.phi(block, incoming));
        }
        let mut known = true;
        let mut uniform = true;
        let mut conditional = false;
        inst.for_each_operand(|operand| match self.known(operand) {
            Some(fact) => {
                uniform &= fact.is_uniform();
                conditional |= fact.conditional;
            }
            None => known = false,
        });
        if !known {
            return Ok(None);
        }
        let fact = |value: ValueId| self.known(value).expect("all operands are known");
        let plain = if uniform { Fact::uniform() } else { Fact::varying() };
        let bits = ty.scalar().map_or(64, Scalar::bits);
        Ok(Some(match inst {
            Inst::Binary { op, lhs, rhs, flags } => self.binary(*op, *lhs, *rhs, *flags, bits, plain),
            Inst::Cast { op, value, .. } => self.cast(*op, *value, bits, plain),
            Inst::Select { condition, on_true, on_false, .. } => {
                if on_true == on_false {
                    fact(*on_true)
                } else if fact(*condition).is_uniform() {
                    join(fact(*on_true), fact(*on_false), false)
                } else {
                    let max = fact(*on_true).max.zip(fact(*on_false).max).map(|(a, b)| a.max(b));
                    Fact { max, ..Fact::varying() }
                }
            }
            Inst::Freeze { value } => fact(*value),
            Inst::Gep { source, base, indices, .. } => self.gep(source, *base, indices, conditional),
            Inst::Load { ptr, .. } => {
                let private = self.function.value_type(*ptr).address_space() == Some(AddressSpace::THREAD);
                let max = (bits < 64 && ty.is_int()).then(|| mask_of(bits));
                let shape = if private { Fact::varying() } else { plain };
                Fact { max, ..shape }
            }
            Inst::Alloca { .. } => Fact::uniform(),
            Inst::AtomicRmw { .. } | Inst::CmpXchg { .. } => Fact::varying(),
            Inst::Call(call) => self.call(call, plain)?,
            Inst::FNeg { .. }
            | Inst::ICmp { .. }
            | Inst::FCmp { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::ShuffleVector { .. }
            | Inst::ExtractValue { .. }
            | Inst::InsertValue { .. } => plain,
            Inst::Phi { .. } | Inst::Store { .. } | Inst::Fence { .. } => plain,
        }))
    }

    fn phi(&self, block: BlockId, incoming: &[(BlockId, ValueId)]) -> Option<Fact> {
        let header = self.control.loops.innermost[block.index()]
            .is_some_and(|id| self.control.loops.get(id).header == block);
        let mut sum: Option<Fact> = None;
        let mut first: Option<ValueId> = None;
        let mut same = true;
        for (from, value) in incoming {
            if !self.control.cfg.is_reachable(*from)
                || matches!(self.function.constant(*value), Some(Constant::Undef | Constant::Poison))
            {
                continue;
            }
            let Some(fact) = self.known(*value) else {
                same = false;
                continue;
            };
            same &= *first.get_or_insert(*value) == *value;
            // Values that leave a loop which lanes leave at different times differ between lanes.
            let computed = matches!(self.function.value(*value).def, ValueDef::Inst(_));
            let left = computed && self.divergence.is_left(self.control, *from, block);
            let fact = if left { Fact::varying() } else { fact };
            sum = Some(sum.map_or(fact, |sum| join(sum, fact, header)));
        }
        let sum =
            sum.or_else(|| incoming.iter().all(|(_, v)| self.known(*v).is_some()).then(Fact::uniform))?;
        if self.divergence.joins.contains(&block) && !same {
            return Some(Fact::varying());
        }
        Some(if header { Fact { max: if same { sum.max } else { None }, ..sum } } else { sum })
    }

    /// The values of all lanes, when they are known.
    fn known_values(&self, value: ValueId) -> Option<LaneOffsets> {
        if let Some(constant) = self.function.as_int(value) {
            return Some([constant as i64; 32]);
        }
        self.known(value)?.known.map(|id| self.tables.get(id))
    }

    /// The fact of a value whose lanes are all known, as numbers of `bits` bits.
    fn known_fact(&self, values: &LaneOffsets, bits: u32) -> Fact {
        let values = values.map(|value| value & mask_of(bits) as i64);
        let offsets = values.map(|value| wrap_stride(value.wrapping_sub(values[0]), bits));
        let shape = self.tables.shape(&offsets);
        let fits_signed = values.iter().all(|value| (*value as u64) <= mask_of(bits) >> 1);
        let known = (shape != Shape::Uniform).then(|| self.tables.intern(values));
        Fact {
            max: values.iter().map(|value| *value as u64).max(),
            exact_unsigned: offsets
                .iter()
                .zip(&values)
                .all(|(offset, value)| (values[0] as u64).checked_add_signed(*offset) == Some(*value as u64)),
            exact_signed: fits_signed,
            base_align: align_of(values[0] as u64),
            known,
            ..Fact::of_shape(shape)
        }
    }

    fn binary(&self, op: BinaryOp, lhs: ValueId, rhs: ValueId, flags: Flags, bits: u32, plain: Fact) -> Fact {
        let (l, r) = (self.known(lhs).expect("known"), self.known(rhs).expect("known"));
        if (l.known.is_some() || r.known.is_some())
            && let (Some(a), Some(b)) = (self.known_values(lhs), self.known_values(rhs))
            && let Some(values) = fold(op, &a, &b, bits)
        {
            return self.known_fact(&values, bits);
        }
        let constant = self.function.as_int(rhs);
        let type_max = mask_of(bits);
        let fits = |max: Option<u64>| max.filter(|max| *max <= type_max);
        let conditional = l.conditional || r.conditional;
        let offsets = |fact: Fact| self.tables.offsets(fact.shape);
        let linear = |offsets: Option<LaneOffsets>, max: Option<u64>, flags: Flags, align: u64| -> Fact {
            let max = fits(max);
            let Some(offsets) = offsets else { return Fact { max, ..Fact::varying() } };
            let offsets = offsets.map(|offset| wrap_stride(offset, bits));
            let base = Fact::of_shape(self.tables.shape(&offsets));
            // Flags speak of active lanes only, but the form starts at lane 0, which may be inactive: with
            // values that grow lane 0 holds the least, so what does not wrap above does not wrap there.
            let grows = op != BinaryOp::Sub && offsets.iter().all(|offset| *offset >= 0);
            let exact_signed = flags.contains(Flags::NSW) && l.exact_signed && r.exact_signed
                || max.is_some_and(|max| max <= type_max >> 1);
            let exact_unsigned =
                grows && flags.contains(Flags::NUW) && l.exact_unsigned && r.exact_unsigned || max.is_some();
            let uniform = base.is_uniform();
            if uniform && conditional {
                // Equal in all lanes only if the operands are what they seem.
                return Fact { max, ..Fact::varying() };
            }
            Fact {
                max,
                exact_signed: exact_signed || uniform,
                exact_unsigned: exact_unsigned || uniform,
                conditional,
                base_align: align,
                ..base
            }
        };
        let combine = |make: fn(i64, i64) -> i64| -> Option<LaneOffsets> {
            let (a, b) = (offsets(l)?, offsets(r)?);
            Some(std::array::from_fn(|lane| make(a[lane], b[lane])))
        };
        match op {
            BinaryOp::Add => {
                let max = l.max.zip(r.max).and_then(|(a, b)| a.checked_add(b));
                linear(combine(i64::wrapping_add), max, flags, l.base_align.min(r.base_align))
            }
            BinaryOp::Or if flags.contains(Flags::DISJOINT) => {
                let max = l.max.zip(r.max).and_then(|(a, b)| a.checked_add(b));
                let flags = Flags::NUW.union(Flags::NSW);
                linear(combine(i64::wrapping_add), max, flags, l.base_align.min(r.base_align))
            }
            BinaryOp::Sub => linear(combine(i64::wrapping_sub), None, flags, l.base_align.min(r.base_align)),
            BinaryOp::Mul if constant.is_some() => {
                let factor = constant.expect("is constant");
                let max = l.max.and_then(|max| max.checked_mul(factor));
                let signed = wrap_stride(factor as i64, bits);
                let align = (l.base_align * align_of(factor)).min(4096);
                linear(offsets(l).map(|list| list.map(|each| each.wrapping_mul(signed))), max, flags, align)
            }
            BinaryOp::Shl if constant.is_some_and(|count| count < u64::from(bits)) => {
                let count = constant.expect("is constant") as u32;
                let max = l.max.and_then(|max| max.checked_mul(1 << count.min(63)));
                let align = (l.base_align << count.min(12)).min(4096);
                linear(offsets(l).map(|list| list.map(|each| each << count)), max, flags, align)
            }
            BinaryOp::LShr if constant.is_some_and(|count| count < u64::from(bits)) => {
                let count = constant.expect("is constant");
                self.shifted_down(l, count, type_max)
                    .unwrap_or(Fact { max: l.max.map(|max| max >> count), ..plain })
            }
            BinaryOp::UDiv if constant.is_some_and(u64::is_power_of_two) => {
                let count = u64::from(constant.expect("is constant").trailing_zeros());
                self.shifted_down(l, count, type_max)
                    .unwrap_or(Fact { max: l.max.map(|max| max >> count), ..plain })
            }
            // Without negative values it is the unsigned division.
            BinaryOp::SDiv if constant.is_some_and(|c| c.is_power_of_two() && c <= type_max >> 1) => {
                let count = u64::from(constant.expect("is constant").trailing_zeros());
                let positive = l.max.is_some_and(|max| max <= type_max >> 1);
                let fact = if positive { self.shifted_down(l, count, type_max) } else { None };
                fact.unwrap_or(Fact { max: l.max.filter(|_| positive).map(|max| max >> count), ..plain })
            }
            BinaryOp::And if constant.is_some() => {
                let mask = constant.expect("is constant");
                self.masked(l, mask, bits)
                    .unwrap_or(Fact { max: Some(l.max.map_or(mask, |max| max.min(mask))), ..plain })
            }
            BinaryOp::URem if constant.is_some_and(u64::is_power_of_two) => {
                let mask = constant.expect("is constant") - 1;
                self.masked(l, mask, bits)
                    .unwrap_or(Fact { max: Some(l.max.map_or(mask, |max| max.min(mask))), ..plain })
            }
            BinaryOp::SRem if constant.is_some_and(|c| c.is_power_of_two() && c <= type_max >> 1) => {
                let mask = constant.expect("is constant") - 1;
                let positive = l.max.is_some_and(|max| max <= type_max >> 1);
                let fact = if positive { self.masked(l, mask, bits) } else { None };
                fact.unwrap_or(Fact { max: positive.then_some(mask), ..plain })
            }
            BinaryOp::URem => {
                let max = r.max.filter(|_| constant.is_some_and(|c| c > 0)).map(|max| max - 1).or(l.max);
                Fact { max, ..plain }
            }
            BinaryOp::UDiv => {
                let max = match constant {
                    Some(divisor) if divisor > 0 => l.max.map(|max| max / divisor),
                    _ => l.max,
                };
                Fact { max, ..plain }
            }
            BinaryOp::Or | BinaryOp::Xor => {
                let max = l.max.zip(r.max).map(|(a, b)| mask_of(64 - (a | b).leading_zeros()));
                Fact { max, ..plain }
            }
            BinaryOp::And => {
                let max = [l.max, r.max].into_iter().flatten().min();
                Fact { max, ..plain }
            }
            BinaryOp::Mul => {
                let max = fits(l.max.zip(r.max).and_then(|(a, b)| a.checked_mul(b)));
                let Some((index, _)) = self.index_and_unit(lhs, rhs) else { return Fact { max, ..plain } };
                let index = self.known(index).expect("known");
                let base_align = (l.base_align * r.base_align).min(4096);
                Fact { max, conditional: true, base_align, known: None, ..index }
            }
            BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::SDiv
            | BinaryOp::SRem
            | BinaryOp::FAdd
            | BinaryOp::FSub
            | BinaryOp::FMul
            | BinaryOp::FDiv
            | BinaryOp::FRem => plain,
        }
    }

    /// Of the factors of a product: one that grows from lane to lane, and one that was passed at run time.
    fn index_and_unit(&self, lhs: ValueId, rhs: ValueId) -> Option<(ValueId, ValueId)> {
        let grows = |value| {
            self.known(value).is_some_and(|fact| matches!(fact.shape, Shape::Strided(_) | Shape::Table(_)))
        };
        let is_passed = |value| {
            self.known(value).is_some_and(|fact| fact.is_uniform())
                && self.function.defining_inst(self.without_extension(value)).is_some_and(|id| {
                    match self.function.inst(id).inst {
                        Inst::Load { ptr, .. } => {
                            self.function.value_type(ptr).address_space() == Some(AddressSpace::CONSTANT)
                        }
                        _ => false,
                    }
                })
        };
        [(lhs, rhs), (rhs, lhs)].into_iter().find(|(index, unit)| grows(*index) && is_passed(*unit))
    }

    /// What a number was before it was made wider.
    fn without_extension(&self, value: ValueId) -> ValueId {
        let inst = self.function.defining_inst(value).map(|id| &self.function.inst(id).inst);
        match inst {
            Some(Inst::Cast { op: CastOp::ZExt | CastOp::SExt, value: from, .. }) => {
                self.without_extension(*from)
            }
            _ => value,
        }
    }

    /// The factors that are taken for 1, wide and narrow.
    fn units(&self) -> FxHashSet<ValueId> {
        let mut units = FxHashSet::default();
        for id in self.control.order.iter().flat_map(|block| &self.function.block(*block).insts) {
            let data = self.function.inst(*id);
            if let (Inst::Binary { op: BinaryOp::Mul, lhs, rhs, .. }, Some(result)) =
                (&data.inst, data.result)
                && self.known(result).is_some_and(|fact| fact.conditional)
                && let Some((_, unit)) = self.index_and_unit(*lhs, *rhs)
            {
                units.insert(unit);
                units.insert(self.without_extension(unit));
            }
        }
        units
    }

    /// A value divided by a power of two: a lane 0 that is a multiple of it takes part in no carry.
    fn shifted_down(&self, value: Fact, count: u64, type_max: u64) -> Option<Fact> {
        let offsets = self.tables.offsets(value.shape)?;
        let plain = value.exact_unsigned && !value.conditional && offsets.iter().all(|offset| *offset >= 0);
        if !plain || count >= 12 || value.base_align < 1 << count {
            return None;
        }
        let shape = self.tables.shape(&offsets.map(|offset| offset >> count));
        let max = value.max.map(|max| max >> count);
        Some(Fact {
            max,
            exact_unsigned: true,
            base_align: (value.base_align >> count).max(1),
            exact_signed: shape == Shape::Uniform || max.is_some_and(|max| max <= type_max >> 1),
            ..Fact::of_shape(shape)
        })
    }

    /// A value and a mask that keeps its lower or its upper bits.
    fn masked(&self, value: Fact, mask: u64, bits: u32) -> Option<Fact> {
        let offsets = self.tables.offsets(value.shape)?;
        let plain = value.exact_unsigned && !value.conditional && offsets.iter().all(|offset| *offset >= 0);
        if !plain || value.is_uniform() {
            return None;
        }
        let kept = offsets.map(|offset| offset & mask as i64);
        let low = mask.wrapping_add(1);
        if low.is_power_of_two() && value.base_align >= low {
            // The part that the lanes share is dropped.
            return Some(self.known_fact(&kept, bits));
        }
        let type_max = mask_of(bits);
        let high = (!mask & type_max).wrapping_add(1);
        if !high.is_power_of_two() || value.base_align < high {
            return None;
        }
        let shape = self.tables.shape(&kept);
        let max = Some(value.max.map_or(mask, |max| max.min(mask)));
        Some(Fact {
            max,
            exact_unsigned: true,
            exact_signed: shape == Shape::Uniform || max.is_some_and(|max| max <= type_max >> 1),
            base_align: value.base_align,
            ..Fact::of_shape(shape)
        })
    }

    fn gep(&self, source: &Type, base: ValueId, indices: &[ValueId], conditional: bool) -> Fact {
        let mut sum = [0_i64; 32];
        let mut add_stride = |fact: Fact, scale: u64| -> bool {
            let Some(list) = self.tables.offsets(fact.shape) else { return false };
            for (sum, each) in sum.iter_mut().zip(list) {
                *sum = sum.wrapping_add(each.wrapping_mul(scale as i64));
            }
            true
        };
        if !add_stride(self.known(base).expect("known"), 1) {
            return Fact::varying();
        }
        let mut ty = source.clone();
        for (position, index) in indices.iter().enumerate() {
            let scale = if position == 0 {
                Layout::alloc_size(&ty)
            } else if let Type::Struct(_) = &ty {
                let field = self.function.as_int(*index).unwrap_or(0);
                ty = ty.element(field).unwrap_or(Type::I8);
                continue;
            } else {
                ty = ty.element(0).unwrap_or(Type::I8);
                Layout::alloc_size(&ty)
            };
            let mut fact = self.known(*index).expect("known");
            // Indices narrower than a pointer are sign-extended.
            let bits = self.function.value_type(*index).scalar().map_or(64, Scalar::bits);
            if bits < 64 && !fact.exact_signed && fact.shape != Shape::Uniform {
                fact = Fact::varying();
            }
            if !add_stride(fact, scale) {
                return Fact::varying();
            }
        }
        let fact = Fact::of_shape(self.tables.shape(&sum));
        if conditional && fact.is_uniform() {
            return Fact::varying();
        }
        Fact { conditional, ..fact }
    }

    fn cast(&self, op: CastOp, value: ValueId, bits: u32, plain: Fact) -> Fact {
        let from = self.known(value).expect("known");
        let from_bits = self.function.value_type(value).scalar().map_or(64, Scalar::bits);
        if let Some(values) = from.known.map(|id| self.tables.get(id)) {
            match op {
                CastOp::Trunc | CastOp::ZExt => return self.known_fact(&values, bits),
                CastOp::SExt => {
                    return self.known_fact(&values.map(|value| wrap_stride(value, from_bits)), bits);
                }
                _ => {}
            }
        }
        let affine = matches!(from.shape, Shape::Strided(_) | Shape::Table(_));
        match op {
            CastOp::Trunc if affine => {
                let max = from.max.filter(|max| *max <= mask_of(bits));
                let list = self.tables.offsets(from.shape).expect("is affine");
                let fact = Fact::of_shape(self.tables.shape(&list.map(|offset| wrap_stride(offset, bits))));
                let uniform = fact.is_uniform();
                if uniform && from.conditional {
                    return Fact { max, ..Fact::varying() };
                }
                Fact {
                    max,
                    exact_unsigned: uniform || max.is_some(),
                    exact_signed: uniform || max.is_some_and(|max| max <= mask_of(bits) >> 1),
                    conditional: from.conditional,
                    base_align: from.base_align,
                    ..fact
                }
            }
            CastOp::Trunc => Fact {
                max: from.max.filter(|max| *max <= mask_of(bits)),
                base_align: from.base_align,
                ..plain
            },
            CastOp::ZExt if affine => Fact {
                max: from.max,
                exact_unsigned: true,
                exact_signed: true,
                conditional: from.conditional || !from.exact_unsigned,
                base_align: from.base_align,
                ..Fact::of_shape(from.shape)
            },
            CastOp::SExt if affine => Fact {
                exact_signed: true,
                conditional: from.conditional || !from.exact_signed,
                base_align: from.base_align,
                ..Fact::of_shape(from.shape)
            },
            CastOp::ZExt => Fact { max: from.max, base_align: from.base_align, ..plain },
            CastOp::Bitcast | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::AddrSpaceCast
                if affine && bits == 64 =>
            {
                Fact { exact_unsigned: false, exact_signed: false, max: None, known: None, ..from }
            }
            _ => plain,
        }
    }

    fn call(&self, call: &Call, plain: Fact) -> Result<Fact, PassError> {
        let Callee::Function(id) = call.callee else {
            return Err(PassError::unsupported("a call through a pointer".to_owned()));
        };
        let fact = call_fact(self.module, id, call, plain, self.shape, |value| {
            self.known(value).is_some_and(|fact| fact.is_uniform())
        });
        if fact == lane_index() {
            return Ok(self.known_fact(&std::array::from_fn(|lane| lane as i64), 32));
        }
        if fact == quad_lane_index() {
            return Ok(self.known_fact(&std::array::from_fn(|lane| lane as i64 % 4), 32));
        }
        Ok(fact)
    }
}

fn call_fact(
    module: &Module,
    id: FuncId,
    call: &Call,
    plain: Fact,
    shape: ThreadgroupShape,
    is_uniform: impl Fn(ValueId) -> bool,
) -> Fact {
    let callee = module.function(id);
    let name = &*callee.name;
    if let Some(builtin) = name.strip_prefix(BUILTIN_PREFIX) {
        return builtin_fact(builtin, shape);
    }
    if name.starts_with(MATRIX_PACK) {
        return Fact::uniform();
    }
    if name.starts_with(MATRIX_SLOT) || !callee.is_declaration() {
        return Fact::varying();
    }
    let Some(rest) = name.strip_prefix("air.") else {
        return plain;
    };
    if rest.starts_with("simdgroup_matrix") || rest.starts_with("get_simdgroup_size") {
        return Fact::uniform().bounded(32);
    }
    if rest.starts_with("get_thread_index_in_simdgroup") {
        return lane_index();
    }
    if let Some(operation) = rest.strip_prefix("simd_") {
        let head = operation.split('.').next().unwrap_or_default();
        return match head {
            "sum"
            | "product"
            | "min"
            | "max"
            | "and"
            | "or"
            | "xor"
            | "any"
            | "all"
            | "ballot"
            | "vote_any"
            | "vote_all"
            | "broadcast_first"
            | "active_threads_mask" => Fact::uniform(),
            "broadcast" | "shuffle" if call.args.get(1).is_some_and(|lane| is_uniform(*lane)) => {
                Fact::uniform()
            }
            _ => Fact::varying(),
        };
    }
    if rest.starts_with("quad_") || rest.starts_with("atomic.") {
        return Fact::varying();
    }
    plain
}

/// The lane's own index; [`Analysis::call`] adds that it is known.
fn lane_index() -> Fact {
    Fact { exact_unsigned: true, exact_signed: true, base_align: 4096, ..Fact::strided(1) }.bounded(31)
}

/// The lane's index in its quadgroup; known like [`lane_index`].
fn quad_lane_index() -> Fact {
    Fact { base_align: 2048, ..Fact::varying() }.bounded(3)
}

fn builtin_fact(name: &str, shape: ThreadgroupShape) -> Fact {
    let (role, axis) = name.rsplit_once('.').unwrap_or((name, "0"));
    let Some(builtin) = Builtin::from_role(&format!("air.{role}")) else { return Fact::varying() };
    let x = axis == "0";
    let exact = Fact { exact_unsigned: true, ..Fact::strided(1) };
    match builtin {
        Builtin::ThreadPositionInGrid => {
            let fact = match (shape.linear, x) {
                (true, true) => exact,
                (true, false) => Fact::uniform(),
                (false, _) => Fact::varying(),
            };
            fact.bounded(u64::from(u32::MAX))
        }
        Builtin::ThreadPositionInThreadgroup => {
            let fact = match (shape.linear, x) {
                (true, true) => Fact { exact_signed: true, base_align: 32, ..exact },
                (true, false) => Fact::uniform(),
                (false, _) => Fact::varying(),
            };
            fact.bounded(1023)
        }
        Builtin::ThreadIndexInThreadgroup => {
            Fact { exact_signed: true, base_align: 32, ..exact }.bounded(1023)
        }
        Builtin::ThreadIndexInSimdgroup => lane_index(),
        Builtin::ThreadIndexInQuadgroup => quad_lane_index(),
        Builtin::QuadgroupIndexInThreadgroup => Fact::varying().bounded(255),
        Builtin::SimdgroupIndexInThreadgroup => Fact::uniform().bounded(31),
        Builtin::SimdgroupsPerThreadgroup | Builtin::DispatchSimdgroupsPerThreadgroup => {
            Fact::uniform().bounded(32)
        }
        Builtin::ThreadsPerSimdgroup => Fact::uniform().bounded(32),
        Builtin::QuadgroupsPerThreadgroup | Builtin::DispatchQuadgroupsPerThreadgroup => {
            Fact::uniform().bounded(256)
        }
        Builtin::ThreadsPerThreadgroup | Builtin::DispatchThreadsPerThreadgroup => {
            Fact::uniform().bounded(1024)
        }
        Builtin::ThreadgroupPositionInGrid
        | Builtin::ThreadgroupsPerGrid
        | Builtin::ThreadsPerGrid
        | Builtin::GridOrigin
        | Builtin::GridSize => Fact::uniform().bounded(u64::from(u32::MAX)),
    }
}

/// An integer operation on all lanes at once, for known values; `None` where it is not plain.
fn fold(op: BinaryOp, lhs: &LaneOffsets, rhs: &LaneOffsets, bits: u32) -> Option<LaneOffsets> {
    let mask = mask_of(bits);
    let mut out = [0; 32];
    for lane in 0..32 {
        let (a, b) = (lhs[lane] as u64 & mask, rhs[lane] as u64 & mask);
        let value = match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::UDiv => a.checked_div(b)?,
            BinaryOp::URem => a.checked_rem(b)?,
            BinaryOp::Shl if b < u64::from(bits) => a << b,
            BinaryOp::LShr if b < u64::from(bits) => a >> b,
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            _ => return None,
        };
        out[lane] = (value & mask) as i64;
    }
    Some(out)
}

/// The weaker of two facts. `widen` drops bounds that differ, so that loops settle.
fn join(first: Fact, second: Fact, widen: bool) -> Fact {
    let shape = if first.shape == second.shape { first.shape } else { Shape::Varying };
    let max = match (first.max, second.max) {
        (Some(a), Some(b)) if a == b || !widen => Some(a.max(b)),
        _ => None,
    };
    Fact {
        shape,
        max,
        exact_unsigned: first.exact_unsigned && second.exact_unsigned,
        exact_signed: first.exact_signed && second.exact_signed,
        conditional: (first.conditional || second.conditional) && shape != Shape::Varying,
        base_align: first.base_align.min(second.base_align),
        known: if first.known == second.known { first.known } else { None },
    }
}
