//! Which values are equal in all active lanes, which grow by a constant from lane to lane.
//!
//! **Requires** scalar form ([`crate::scalarize`]), LCSSA form, loops with preheaders.
//! **Cost** a few sweeps over the function: O(sweeps × instructions).

use mw_air::analysis::LoopId;
use mw_air::schema::{Builtin, KernelInfo};
use mw_air::{
    AddressSpace, BinaryOp, BlockId, Call, Callee, CastOp, Constant, Flags, FuncId, Function, Inst, Layout,
    Module, Scalar, Terminator, Type, ValueDef, ValueId,
};

use crate::PassError;
use crate::abi::ThreadgroupShape;
use crate::control::{Control, Divergence};
use crate::scalarize::{BUILTIN_PREFIX, MATRIX_PACK, MATRIX_SLOT, is_matrix};

/// How a value relates to the lanes of a simdgroup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Equal in all active lanes (a simdgroup matrix is one value of the simdgroup).
    Uniform,
    /// `value of lane 0 + stride × lane`, in the arithmetic of its type; bytes for pointers.
    Strided(i64),
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
        }
    }

    fn varying() -> Self {
        Self { shape: Shape::Varying, ..Self::uniform() }
    }

    fn strided(stride: i64) -> Self {
        let shape = if stride == 0 { Shape::Uniform } else { Shape::Strided(stride) };
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
        Ok(Self { facts: analysis.facts, divergence: analysis.divergence })
    }

    /// What is known of `value`. Values in unreachable code count as uniform.
    pub fn fact(&self, value: ValueId) -> Fact {
        self.facts[value.index()].unwrap_or_else(Fact::uniform)
    }

    /// Whether every lane holds the same.
    pub fn is_uniform(&self, value: ValueId) -> bool {
        self.fact(value).is_uniform()
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
            return Ok(self.phi(block, ty, incoming));
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
            Inst::Cast { op, value, .. } => cast(*op, fact(*value), bits, plain),
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

    fn phi(&self, block: BlockId, ty: &Type, incoming: &[(BlockId, ValueId)]) -> Option<Fact> {
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
            let fact = if self.leaves_divergent_loop(*from, block, *value) { Fact::varying() } else { fact };
            sum = Some(sum.map_or(fact, |sum| join(sum, fact, header)));
        }
        let sum =
            sum.or_else(|| incoming.iter().all(|(_, v)| self.known(*v).is_some()).then(Fact::uniform))?;
        let join_block = self.divergence.joins.contains(&block);
        if join_block && !same && !is_matrix(ty) {
            return Some(Fact::varying());
        }
        Some(if header { Fact { max: if same { sum.max } else { None }, ..sum } } else { sum })
    }

    fn leaves_divergent_loop(&self, from: BlockId, to: BlockId, value: ValueId) -> bool {
        let ValueDef::Inst(_) = self.function.value(value).def else { return false };
        if is_matrix(self.function.value_type(value)) {
            return false;
        }
        let left = |id: LoopId| !self.control.loops.contains(id, to) && self.divergence.loops.contains(&id);
        self.control.enclosing(from).into_iter().any(left)
    }

    fn binary(&self, op: BinaryOp, lhs: ValueId, rhs: ValueId, flags: Flags, bits: u32, plain: Fact) -> Fact {
        let (l, r) = (self.known(lhs).expect("known"), self.known(rhs).expect("known"));
        let constant = self.function.as_int(rhs);
        let type_max = mask_of(bits);
        let fits = |max: Option<u64>| max.filter(|max| *max <= type_max);
        let conditional = l.conditional || r.conditional;
        let stride = |fact: Fact| match fact.shape {
            Shape::Uniform => Some(0),
            Shape::Strided(stride) => Some(stride),
            Shape::Varying => None,
        };
        let linear = |stride_bytes: Option<i64>, max: Option<u64>, flags: Flags, align: u64| -> Fact {
            let Some(stride) = stride_bytes else { return Fact { max: fits(max), ..Fact::varying() } };
            let max = fits(max);
            let base = Fact::strided(wrap_stride(stride, bits));
            // Flags speak of active lanes only, but the strided form starts at lane 0, which may be inactive:
            // with a growing value lane 0 holds the least, so what does not wrap above does not wrap there.
            let grows = stride >= 0 && op != BinaryOp::Sub;
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
        match op {
            BinaryOp::Add => {
                let max = l.max.zip(r.max).and_then(|(a, b)| a.checked_add(b));
                linear(add(stride(l), stride(r)), max, flags, l.base_align.min(r.base_align))
            }
            BinaryOp::Or if flags.contains(Flags::DISJOINT) => {
                let max = l.max.zip(r.max).and_then(|(a, b)| a.checked_add(b));
                let flags = Flags::NUW.union(Flags::NSW);
                linear(add(stride(l), stride(r)), max, flags, l.base_align.min(r.base_align))
            }
            BinaryOp::Sub => {
                let negative = stride(r).map(i64::wrapping_neg);
                linear(add(stride(l), negative), None, flags, l.base_align.min(r.base_align))
            }
            BinaryOp::Mul if constant.is_some() => {
                let factor = constant.expect("is constant");
                let max = l.max.and_then(|max| max.checked_mul(factor));
                let signed = wrap_stride(factor as i64, bits);
                let align = (l.base_align * align_of(factor)).min(4096);
                linear(stride(l).map(|stride| stride.wrapping_mul(signed)), max, flags, align)
            }
            BinaryOp::Shl if constant.is_some_and(|count| count < u64::from(bits)) => {
                let count = constant.expect("is constant") as u32;
                let max = l.max.and_then(|max| max.checked_mul(1 << count.min(63)));
                let align = (l.base_align << count.min(12)).min(4096);
                linear(stride(l).map(|stride| stride << count), max, flags, align)
            }
            BinaryOp::LShr if constant.is_some_and(|count| count < u64::from(bits)) => {
                let count = constant.expect("is constant");
                let max = l.max.map(|max| max >> count);
                // Lanes that start at a multiple of the divisor and stay below the next share the quotient.
                if let Shape::Strided(stride) = l.shape
                    && count < 32
                    && l.exact_unsigned
                    && !l.conditional
                    && stride > 0
                    && l.base_align >= 1 << count
                    && stride * 31 < 1 << count
                {
                    return Fact { max, ..Fact::uniform() };
                }
                Fact { max, ..plain }
            }
            BinaryOp::And if constant.is_some() => {
                let mask = constant.expect("is constant");
                let max = Some(l.max.map_or(mask, |max| max.min(mask)));
                if let Shape::Strided(stride) = l.shape
                    && l.exact_unsigned
                    && !l.conditional
                    && stride > 0
                {
                    let span = (stride * 31) as u64;
                    let low = mask.wrapping_add(1);
                    if low.is_power_of_two() && l.base_align >= low && span < low {
                        // The upper bits of all lanes are equal and dropped.
                        return Fact {
                            max,
                            exact_unsigned: true,
                            exact_signed: true,
                            base_align: l.base_align,
                            ..Fact::strided(stride)
                        };
                    }
                    let high = (!mask & type_max).wrapping_add(1);
                    if high.is_power_of_two() && l.base_align >= high && span < high {
                        return Fact { max, base_align: l.base_align, ..Fact::uniform() };
                    }
                }
                Fact { max, ..plain }
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
                Fact { max, ..plain }
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

    fn gep(&self, source: &Type, base: ValueId, indices: &[ValueId], conditional: bool) -> Fact {
        let mut stride = 0_i64;
        let mut add_stride = |fact: Fact, scale: u64| -> bool {
            match fact.shape {
                Shape::Uniform => true,
                Shape::Strided(each) => {
                    stride = stride.wrapping_add(each.wrapping_mul(scale as i64));
                    true
                }
                Shape::Varying => false,
            }
        };
        if !add_stride(self.known(base).expect("known"), 1) {
            return Fact::varying();
        }
        let mut ty = source.clone();
        for (position, index) in indices.iter().enumerate() {
            let scale = if position == 0 {
                Layout::alloc_size(&ty)
            } else {
                match &ty {
                    Type::Struct(_) => {
                        let field = self.function.as_int(*index).unwrap_or(0);
                        ty = ty.element(field).unwrap_or(Type::I8);
                        continue;
                    }
                    _ => {
                        ty = ty.element(0).unwrap_or(Type::I8);
                        Layout::alloc_size(&ty)
                    }
                }
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
        let fact = Fact::strided(stride);
        if conditional && fact.is_uniform() {
            return Fact::varying();
        }
        Fact { conditional, ..fact }
    }

    fn call(&self, call: &Call, plain: Fact) -> Result<Fact, PassError> {
        let Callee::Function(id) = call.callee else {
            return Err(PassError::unsupported("a call through a pointer".to_owned()));
        };
        Ok(call_fact(self.module, id, call, plain, self.shape, |value| {
            self.known(value).is_some_and(|fact| fact.is_uniform())
        }))
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

fn lane_index() -> Fact {
    Fact { exact_unsigned: true, exact_signed: true, base_align: 4096, ..Fact::strided(1) }.bounded(31)
}

fn builtin_fact(name: &str, shape: ThreadgroupShape) -> Fact {
    let (role, axis) = name.rsplit_once('.').unwrap_or((name, "0"));
    let Some(builtin) = Builtin::from_role(&format!("air.{role}")) else { return Fact::varying() };
    let x = axis == "0";
    let exact = Fact { exact_unsigned: true, ..Fact::strided(1) };
    match builtin {
        Builtin::ThreadPositionInGrid => match shape {
            ThreadgroupShape::Linear if x => exact.bounded(u64::from(u32::MAX)),
            ThreadgroupShape::Linear => Fact::uniform().bounded(u64::from(u32::MAX)),
            ThreadgroupShape::General => Fact::varying().bounded(u64::from(u32::MAX)),
        },
        Builtin::ThreadPositionInThreadgroup => match shape {
            ThreadgroupShape::Linear if x => {
                Fact { exact_signed: true, base_align: 32, ..exact }.bounded(1023)
            }
            ThreadgroupShape::Linear => Fact::uniform().bounded(1023),
            ThreadgroupShape::General => Fact::varying().bounded(1023),
        },
        Builtin::ThreadIndexInThreadgroup => {
            Fact { exact_signed: true, base_align: 32, ..exact }.bounded(1023)
        }
        Builtin::ThreadIndexInSimdgroup => lane_index(),
        Builtin::ThreadIndexInQuadgroup => Fact::varying().bounded(3),
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

fn cast(op: CastOp, from: Fact, bits: u32, plain: Fact) -> Fact {
    match (op, from.shape) {
        (CastOp::Trunc, Shape::Strided(stride)) => {
            let max = from.max.filter(|max| *max <= mask_of(bits));
            let fact = Fact::strided(wrap_stride(stride, bits));
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
        (CastOp::Trunc, _) => {
            Fact { max: from.max.filter(|max| *max <= mask_of(bits)), base_align: from.base_align, ..plain }
        }
        (CastOp::ZExt, Shape::Strided(stride)) => Fact {
            max: from.max,
            exact_unsigned: true,
            exact_signed: true,
            conditional: from.conditional || !from.exact_unsigned,
            base_align: from.base_align,
            ..Fact::strided(stride)
        },
        (CastOp::SExt, Shape::Strided(stride)) => Fact {
            exact_signed: true,
            conditional: from.conditional || !from.exact_signed,
            base_align: from.base_align,
            ..Fact::strided(stride)
        },
        (CastOp::ZExt, _) => Fact { max: from.max, base_align: from.base_align, ..plain },
        (
            CastOp::Bitcast | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::AddrSpaceCast,
            Shape::Strided(_),
        ) if bits == 64 => Fact { exact_unsigned: false, exact_signed: false, max: None, ..from },
        _ => plain,
    }
}

fn add(first: Option<i64>, second: Option<i64>) -> Option<i64> {
    Some(first?.wrapping_add(second?))
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
    }
}
