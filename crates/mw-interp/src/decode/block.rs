//! Functions: registers for values, operations for instructions, edges for control flow.

use mw_air::analysis::{Cfg, DominatorTree, LoopForest, convergence_order};
use mw_air::{
    BinaryOp, BlockId, CastOp, FuncId, Function, Inst, InstId, IntPredicate, RmwOp, Terminator, Type,
    ValueDef, ValueId,
};

use super::layout;
use super::{Decoder, Result, int_bits, invalid, unsupported};
use crate::exec::MAX_ROWS;
use crate::number::{FloatOp, Format, IntOp};
use crate::program::{BlockCode, Combine, Edge, FunctionCode, List, Move, Op, Reg, SignOp, SwitchTable};

/// Most registers of a function.
const MAX_REGISTERS: usize = MAX_ROWS;

/// State of decoding a function.
pub(super) struct FunctionDecoder<'d, 'm> {
    pub(super) module: &'d mut Decoder<'m>,
    pub(super) function: &'m Function,
    pub(super) code: FunctionCode,
    /// Registers of each value that has been met.
    values: Vec<Option<Vec<Reg>>>,
    /// Position of each block in the code; `None` for unreachable ones.
    positions: Vec<Option<u32>>,
    /// Source and target of each edge.
    edges: Vec<(BlockId, BlockId)>,
    /// The instruction being decoded.
    pub(super) current: Option<InstId>,
}

/// Decodes a function with a body.
pub(super) fn decode_function(module: &mut Decoder<'_>, id: FuncId) -> Result<FunctionCode> {
    let function = &module.module.functions[id.index()];
    if function.is_declaration() {
        return unsupported(
            format!("function `{}` without a body", function.name),
            "link the library that defines it",
        );
    }
    let cfg = Cfg::new(function);
    let dominators = DominatorTree::new(&cfg);
    let loops = match LoopForest::new(&cfg, &dominators) {
        Ok(loops) => loops,
        Err(error) => {
            return unsupported(
                format!("{error} in function `{}`", function.name),
                "write the loop with one entry",
            );
        }
    };
    let order = convergence_order(&cfg, &loops);
    let mut positions = vec![None; function.blocks.len()];
    for (position, block) in order.iter().enumerate() {
        positions[block.index()] = Some(position as u32);
    }
    let code = FunctionCode {
        id,
        registers: 0,
        params: 0,
        results: layout::scalar_count(&function.ty.ret)? as u32,
        private: 0,
        ops: Vec::new(),
        origin: Vec::new(),
        blocks: Vec::with_capacity(order.len()),
        edges: Vec::new(),
        moves: Vec::new(),
        lists: Vec::new(),
        switches: Vec::new(),
    };
    let mut decoder = FunctionDecoder {
        module,
        function,
        code,
        values: vec![None; function.values().len()],
        positions,
        edges: Vec::new(),
        current: None,
    };
    for index in 0..function.ty.params.len() {
        let registers = decoder.fresh_list(&function.ty.params[index])?;
        decoder.code.params += registers.len() as u32;
        decoder.values[index] = Some(registers);
    }
    for block in &order {
        decoder.block(*block)?;
    }
    decoder.finish_edges()?;
    Ok(decoder.code)
}

impl<'m> FunctionDecoder<'_, 'm> {
    /// A new register of the frame.
    pub(super) fn fresh(&mut self) -> Result<Reg> {
        let index = self.code.registers as usize;
        if index >= MAX_REGISTERS {
            return unsupported(
                format!("function `{}` with more than {MAX_REGISTERS} scalar values", self.function.name),
                "split it",
            );
        }
        self.code.registers += 1;
        Ok(Reg::frame(index))
    }

    /// New registers for a value of type `ty`.
    pub(super) fn fresh_list(&mut self, ty: &Type) -> Result<Vec<Reg>> {
        let count = layout::scalar_count(ty)?;
        (0..count).map(|_| self.fresh()).collect()
    }

    pub(super) fn ty(&self, value: ValueId) -> &'m Type {
        self.function.value_type(value)
    }

    /// The registers of a value.
    pub(super) fn value(&mut self, value: ValueId) -> Result<Vec<Reg>> {
        if let Some(registers) = &self.values[value.index()] {
            return Ok(registers.clone());
        }
        let data = self.function.value(value);
        let ValueDef::Const(constant) = &data.def else {
            return invalid(format!(
                "value {} of function `{}` is used where it is not defined",
                value.0, self.function.name
            ));
        };
        let scalars = self.module.scalars(&data.ty, constant, 0)?;
        let registers: Vec<Reg> =
            scalars.into_iter().map(|(bits, undef)| self.module.constant(bits, undef)).collect();
        self.values[value.index()] = Some(registers.clone());
        Ok(registers)
    }

    /// The register of a value that is one scalar.
    pub(super) fn scalar(&mut self, value: ValueId) -> Result<Reg> {
        match self.value(value)?.as_slice() {
            [register] => Ok(*register),
            _ => invalid(format!(
                "value {} of function `{}`, of type {}, is used as a scalar",
                value.0,
                self.function.name,
                self.ty(value)
            )),
        }
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.origin.push(self.current);
    }

    /// A constant register.
    pub(super) fn constant(&mut self, value: u64) -> Reg {
        self.module.constant(value, false)
    }

    /// The register of undefined zeros.
    pub(super) fn undef(&mut self) -> Reg {
        self.module.constant(0, true)
    }

    pub(super) fn list(&mut self, registers: &[Reg]) -> List {
        let start = self.code.lists.len() as u32;
        self.code.lists.extend_from_slice(registers);
        List { start, len: registers.len() as u32 }
    }

    fn block(&mut self, id: BlockId) -> Result<()> {
        let function = self.function;
        let block = function.block(id);
        let start = self.code.ops.len();
        let telling = self.module.telling && function.subprogram.is_some();
        let mut told = 0;
        for inst in &block.insts {
            self.current = Some(*inst);
            let data = function.inst(*inst);
            let registers = self.instruction(&data.inst, data.result, id)?;
            if let (Some(registers), Some(result)) = (registers, data.result) {
                if layout::scalar_count(self.ty(result))? != registers.len() {
                    return invalid(format!(
                        "instruction {} of function `{}` has {} scalars, its type {} has not",
                        inst.0,
                        function.name,
                        registers.len(),
                        self.ty(result)
                    ));
                }
                if telling && data.location.is_some() {
                    let list = self.list(&registers);
                    self.emit(Op::Tell { list });
                    told += 1;
                }
                self.values[result.index()] = Some(registers);
            }
        }
        self.current = None;
        self.terminator(&block.terminator, id)?;
        self.code.blocks.push(BlockCode {
            id,
            start: start as u32,
            len: (self.code.ops.len() - start - told) as u32,
        });
        Ok(())
    }

    fn edge(&mut self, from: BlockId, to: BlockId) -> Result<u32> {
        if self.positions.get(to.index()).copied().flatten().is_none() {
            return invalid(format!(
                "function `{}` jumps to block {}, which is not there",
                self.function.name, to.0
            ));
        }
        self.edges.push((from, to));
        Ok(self.edges.len() as u32 - 1)
    }

    fn terminator(&mut self, terminator: &Terminator, from: BlockId) -> Result<()> {
        let op = match terminator {
            Terminator::Ret(value) => {
                let registers = match value {
                    Some(value) => self.value(*value)?,
                    None => Vec::new(),
                };
                if registers.len() != self.code.results as usize {
                    return invalid(format!(
                        "function `{}` returns another type than its own",
                        self.function.name
                    ));
                }
                Op::Return { list: self.list(&registers) }
            }
            Terminator::Br(target) => Op::Jump { edge: self.edge(from, *target)? },
            Terminator::CondBr { condition, on_true, on_false } => Op::Branch {
                condition: self.scalar(*condition)?,
                on_true: self.edge(from, *on_true)?,
                on_false: self.edge(from, *on_false)?,
            },
            Terminator::Switch { value, default, cases } => {
                let value = self.scalar(*value)?;
                let default = self.edge(from, *default)?;
                let mut table = Vec::with_capacity(cases.len());
                for (case, target) in cases {
                    table.push((*case, self.edge(from, *target)?));
                }
                self.code.switches.push(SwitchTable { default, cases: table });
                Op::Switch { value, table: self.code.switches.len() as u32 - 1 }
            }
            Terminator::Unreachable => Op::Unreachable,
        };
        self.emit(op);
        Ok(())
    }

    /// Turns φ-functions into moves on the edges into their block.
    fn finish_edges(&mut self) -> Result<()> {
        let function = self.function;
        for (from, to) in std::mem::take(&mut self.edges) {
            let start = self.code.moves.len();
            for inst in &function.block(to).insts {
                let data = function.inst(*inst);
                let Inst::Phi { incoming, .. } = &data.inst else { break };
                let Some((_, value)) = incoming.iter().find(|(block, _)| *block == from) else {
                    return invalid(format!(
                        "a phi of block {} of function `{}` has no value for block {}",
                        to.0, function.name, from.0
                    ));
                };
                let sources = self.value(*value)?;
                let Some(targets) = data.result.and_then(|result| self.values[result.index()].clone()) else {
                    return invalid(format!("a phi of function `{}` has no result", function.name));
                };
                if sources.len() != targets.len() {
                    return invalid(format!(
                        "a phi of function `{}` has operands of another type",
                        function.name
                    ));
                }
                let moves = targets.into_iter().zip(sources).filter(|(dst, src)| dst != src);
                self.code.moves.extend(moves.map(|(dst, src)| Move { dst, src }));
            }
            let moves = &self.code.moves[start..];
            let parallel = moves
                .iter()
                .enumerate()
                .any(|(index, later)| moves[..index].iter().any(|m| m.dst == later.src));
            self.code.edges.push(Edge {
                target: self.positions[to.index()].unwrap_or(0),
                start: start as u32,
                len: (self.code.moves.len() - start) as u32,
                parallel,
            });
        }
        Ok(())
    }

    /// Decodes one instruction and gives the registers of its result.
    fn instruction(
        &mut self,
        inst: &Inst,
        result: Option<ValueId>,
        block: BlockId,
    ) -> Result<Option<Vec<Reg>>> {
        let result_type = result.map_or(&Type::Void, |value| self.ty(value));
        Ok(Some(match inst {
            Inst::Binary { op, lhs, rhs, .. } => self.binary(*op, *lhs, *rhs)?,
            Inst::FNeg { value, .. } => {
                let bits = int_bits(self.ty(*value))?;
                self.map1(*value, |dst, a| Op::Sign { op: SignOp::Negate, bits, dst, a, b: a })?
            }
            Inst::Cast { op, value, .. } => self.cast(*op, *value, result_type)?,
            Inst::ICmp { predicate, lhs, rhs, .. } => {
                let (predicate, bits) = (*predicate, int_bits(self.ty(*lhs))?);
                self.map2(*lhs, *rhs, |dst, a, b| Op::IntCompare { predicate, bits, dst, a, b })?
            }
            Inst::FCmp { predicate, lhs, rhs, .. } => {
                let (predicate, format) = (*predicate, self.format(*lhs)?);
                self.map2(*lhs, *rhs, |dst, a, b| Op::FloatCompare { predicate, format, dst, a, b })?
            }
            Inst::Select { condition, on_true, on_false, .. } => {
                let conditions = self.value(*condition)?;
                let (left, right) = (self.value(*on_true)?, self.value(*on_false)?);
                if left.len() != right.len() || conditions.len() != 1 && conditions.len() != left.len() {
                    return invalid("a select has operands of different sizes");
                }
                let mut out = Vec::with_capacity(left.len());
                for (index, (a, b)) in left.into_iter().zip(right).enumerate() {
                    let condition = conditions[if conditions.len() == 1 { 0 } else { index }];
                    let dst = self.fresh()?;
                    self.emit(Op::Select { dst, condition, a, b });
                    out.push(dst);
                }
                out
            }
            Inst::Freeze { value } => self.map1(*value, |dst, a| Op::Freeze { dst, a })?,
            Inst::Phi { .. } => self.fresh_list(result_type)?,
            Inst::ExtractElement { vector, index } => {
                let elements = self.value(*vector)?;
                let bits = int_bits(self.ty(*index))?;
                let index = self.scalar(*index)?;
                let undef = self.undef();
                match self.module.known(index) {
                    Some(known) => vec![elements.get(known as usize).copied().unwrap_or(undef)],
                    None => vec![self.choose(&elements, index, bits)?],
                }
            }
            Inst::InsertElement { vector, element, index } => {
                let mut elements = self.value(*vector)?;
                let element = self.scalar(*element)?;
                let bits = int_bits(self.ty(*index))?;
                let index = self.scalar(*index)?;
                if let Some(known) = self.module.known(index) {
                    if let Some(slot) = elements.get_mut(known as usize) {
                        *slot = element;
                    }
                } else {
                    for (position, slot) in elements.iter_mut().enumerate() {
                        let condition = self.is_equal(index, position as u64, bits)?;
                        let dst = self.fresh()?;
                        self.emit(Op::Select { dst, condition, a: element, b: *slot });
                        *slot = dst;
                    }
                }
                elements
            }
            Inst::ShuffleVector { first, second, mask } => self.shuffle(*first, *second, mask)?,
            Inst::ExtractValue { aggregate, indices } => {
                let (start, ty) = layout::member(self.ty(*aggregate), indices)?;
                let count = layout::scalar_count(&ty)?;
                self.value(*aggregate)?[start..start + count].to_vec()
            }
            Inst::InsertValue { aggregate, element, indices } => {
                let (start, _) = layout::member(self.ty(*aggregate), indices)?;
                let mut scalars = self.value(*aggregate)?;
                for (offset, register) in self.value(*element)?.into_iter().enumerate() {
                    match scalars.get_mut(start + offset) {
                        Some(slot) => *slot = register,
                        None => return invalid("insertvalue of a value that does not fit"),
                    }
                }
                scalars
            }
            Inst::Alloca { ty, count, align, .. } => vec![self.alloca(ty, *count, *align, block)?],
            Inst::Load { ptr, .. } => self.load(*ptr, result_type)?,
            Inst::Store { ptr, value, .. } => {
                let ptr = self.scalar(*ptr)?;
                self.store(ptr, *value)?;
                return Ok(None);
            }
            Inst::Gep { source, base, indices, .. } => self.gep(source, *base, indices, result_type)?,
            Inst::Call(call) => return self.call(call, result_type),
            Inst::AtomicRmw { op, ptr, value, .. } => {
                let ty = self.ty(*value);
                let combine = rmw(*op, ty)?;
                let (size, ptr, value) =
                    (int_bits(ty)?.div_ceil(8), self.scalar(*ptr)?, self.scalar(*value)?);
                let dst = self.fresh()?;
                self.emit(Op::Atomic { op: combine, size, dst: Some(dst), ptr, value });
                vec![dst]
            }
            Inst::CmpXchg { ptr, expected, new, .. } => {
                let size = int_bits(self.ty(*new))?.div_ceil(8);
                let (dst, success) = (self.fresh()?, self.fresh()?);
                let (ptr, expected, desired) =
                    (self.scalar(*ptr)?, self.scalar(*expected)?, self.scalar(*new)?);
                self.emit(Op::CompareExchange {
                    size,
                    dst,
                    success: Some(success),
                    ptr,
                    expected,
                    desired,
                    by_pointer: false,
                });
                vec![dst, success]
            }
            Inst::Fence { .. } => return Ok(None),
        }))
    }

    pub(super) fn format(&self, value: ValueId) -> Result<Format> {
        let ty = self.ty(value);
        match ty.scalar().and_then(Format::of) {
            Some(format) => Ok(format),
            None => invalid(format!("a value of type {ty} is used as a float")),
        }
    }

    /// Emits an operation for each scalar of `value`.
    pub(super) fn map1(&mut self, value: ValueId, op: impl Fn(Reg, Reg) -> Op) -> Result<Vec<Reg>> {
        let mut out = Vec::new();
        for a in self.value(value)? {
            let dst = self.fresh()?;
            self.emit(op(dst, a));
            out.push(dst);
        }
        Ok(out)
    }

    /// Emits an operation for each pair of scalars.
    pub(super) fn map2(
        &mut self,
        lhs: ValueId,
        rhs: ValueId,
        op: impl Fn(Reg, Reg, Reg) -> Op,
    ) -> Result<Vec<Reg>> {
        let (left, right) = (self.value(lhs)?, self.value(rhs)?);
        if left.len() != right.len() {
            return invalid(format!("operands of types {} and {}", self.ty(lhs), self.ty(rhs)));
        }
        let mut out = Vec::with_capacity(left.len());
        for (a, b) in left.into_iter().zip(right) {
            let dst = self.fresh()?;
            self.emit(op(dst, a, b));
            out.push(dst);
        }
        Ok(out)
    }

    fn binary(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId) -> Result<Vec<Reg>> {
        let ty = self.ty(lhs);
        if let Some(op) = float_op(op) {
            let format = self.format(lhs)?;
            return self.map2(lhs, rhs, |dst, a, b| Op::Float2 { op, format, dst, a, b });
        }
        let bits = int_bits(ty)?;
        match int_op(op) {
            Some(op) if !ty.is_float() => self.map2(lhs, rhs, |dst, a, b| Op::Int2 { op, bits, dst, a, b }),
            _ => invalid(format!("{} of type {ty}", op.name())),
        }
    }

    fn cast(&mut self, op: CastOp, value: ValueId, to: &Type) -> Result<Vec<Reg>> {
        let from = self.ty(value);
        if op == CastOp::Bitcast {
            return self.bitcast(value, to);
        }
        let (Some(from_scalar), Some(to_scalar)) = (from.scalar(), to.scalar()) else {
            return invalid(format!("{} from {from} to {to}", op.name()));
        };
        let (from_bits, to_bits) = (int_bits(from)?, int_bits(to)?);
        let formats = (Format::of(from_scalar), Format::of(to_scalar));
        match (op, formats) {
            // Integers are kept zero-extended.
            (CastOp::ZExt | CastOp::IntToPtr | CastOp::AddrSpaceCast, (None, None)) => self.value(value),
            (CastOp::PtrToInt, (None, None)) if to_bits == 64 => self.value(value),
            (CastOp::Trunc | CastOp::PtrToInt, (None, None)) => {
                self.map1(value, |dst, a| Op::Truncate { bits: to_bits, dst, a })
            }
            (CastOp::SExt, (None, None)) => {
                self.map1(value, |dst, a| Op::SignExtend { from: from_bits, to: to_bits, dst, a })
            }
            (CastOp::FpTrunc | CastOp::FpExt, (Some(from), Some(to))) => {
                self.map1(value, |dst, a| Op::FloatToFloat { from, to, dst, a })
            }
            (CastOp::FpToUi | CastOp::FpToSi, (Some(format), None)) => {
                let signed = op == CastOp::FpToSi;
                self.map1(value, |dst, a| Op::FloatToInt { format, bits: to_bits, signed, dst, a })
            }
            (CastOp::UiToFp | CastOp::SiToFp, (None, Some(format))) => {
                let signed = op == CastOp::SiToFp;
                self.map1(value, |dst, a| Op::IntToFloat { bits: from_bits, signed, format, dst, a })
            }
            _ => invalid(format!("{} from {from} to {to}", op.name())),
        }
    }

    /// Reads the bits of one list of scalars as another list.
    fn bitcast(&mut self, value: ValueId, to: &Type) -> Result<Vec<Reg>> {
        let from = self.ty(value);
        let sources = self.value(value)?;
        let count = layout::scalar_count(to)?;
        if count == sources.len() {
            return Ok(sources);
        }
        let (from_bits, to_bits) = (u32::from(int_bits(from)?), u32::from(int_bits(to)?));
        if from_bits as usize * sources.len() != to_bits as usize * count {
            return unsupported(format!("bitcast from {from} to {to}"), "copy through memory");
        }
        let mut out = Vec::with_capacity(count);
        for index in 0..count as u32 {
            let (low, high) = (index * to_bits, (index + 1) * to_bits);
            let mut sum: Option<Reg> = None;
            for (position, source) in sources.iter().enumerate() {
                let start = position as u32 * from_bits;
                if start + from_bits <= low || start >= high {
                    continue;
                }
                let mut part = *source;
                if start < low {
                    part = self.shift(IntOp::LShr, part, low - start)?;
                }
                // Bits of this part that lie past the end of the target go, before or by the shift.
                let dst = self.fresh()?;
                self.emit(Op::Truncate { bits: (high - start.max(low)).min(64) as u8, dst, a: part });
                part = dst;
                if start > low {
                    part = self.shift(IntOp::Shl, part, start - low)?;
                }
                sum = Some(match sum {
                    None => part,
                    Some(sum) => {
                        let dst = self.fresh()?;
                        self.emit(Op::Int2 { op: IntOp::Or, bits: 64, dst, a: sum, b: part });
                        dst
                    }
                });
            }
            let undef = self.undef();
            out.push(sum.unwrap_or(undef));
        }
        Ok(out)
    }

    pub(super) fn shift(&mut self, op: IntOp, a: Reg, count: u32) -> Result<Reg> {
        let b = self.constant(u64::from(count));
        let dst = self.fresh()?;
        self.emit(Op::Int2 { op, bits: 64, dst, a, b });
        Ok(dst)
    }

    fn is_equal(&mut self, a: Reg, value: u64, bits: u8) -> Result<Reg> {
        let b = self.constant(value);
        let dst = self.fresh()?;
        self.emit(Op::IntCompare { predicate: IntPredicate::Eq, bits, dst, a, b });
        Ok(dst)
    }

    /// The element at a variable index; undefined when there is none.
    fn choose(&mut self, elements: &[Reg], index: Reg, bits: u8) -> Result<Reg> {
        let mut out = self.undef();
        for (position, element) in elements.iter().enumerate() {
            let condition = self.is_equal(index, position as u64, bits)?;
            let dst = self.fresh()?;
            self.emit(Op::Select { dst, condition, a: *element, b: out });
            out = dst;
        }
        Ok(out)
    }

    fn shuffle(&mut self, first: ValueId, second: ValueId, mask: &[i32]) -> Result<Vec<Reg>> {
        let lanes = self.ty(first).lanes().unwrap_or(1) as usize;
        let (left, right) = (self.value(first)?, self.value(second)?);
        let undef = self.undef();
        let live = layout::live_lanes(mask.len() as u32) as usize;
        Ok(mask[..live]
            .iter()
            .map(|choice| match usize::try_from(*choice) {
                Ok(index) if index < lanes => left.get(index),
                Ok(index) => right.get(index - lanes),
                Err(_) => None,
            })
            .map(|register| register.copied().unwrap_or(undef))
            .collect())
    }
}

/// The integer operation of an instruction.
pub(super) fn int_op(op: BinaryOp) -> Option<IntOp> {
    Some(match op {
        BinaryOp::Add => IntOp::Add,
        BinaryOp::Sub => IntOp::Sub,
        BinaryOp::Mul => IntOp::Mul,
        BinaryOp::UDiv => IntOp::UDiv,
        BinaryOp::SDiv => IntOp::SDiv,
        BinaryOp::URem => IntOp::URem,
        BinaryOp::SRem => IntOp::SRem,
        BinaryOp::Shl => IntOp::Shl,
        BinaryOp::LShr => IntOp::LShr,
        BinaryOp::AShr => IntOp::AShr,
        BinaryOp::And => IntOp::And,
        BinaryOp::Or => IntOp::Or,
        BinaryOp::Xor => IntOp::Xor,
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => return None,
    })
}

/// The float operation of an instruction.
pub(super) fn float_op(op: BinaryOp) -> Option<FloatOp> {
    Some(match op {
        BinaryOp::FAdd => FloatOp::Add,
        BinaryOp::FSub => FloatOp::Sub,
        BinaryOp::FMul => FloatOp::Mul,
        BinaryOp::FDiv => FloatOp::Div,
        BinaryOp::FRem => FloatOp::Rem,
        _ => return None,
    })
}

fn rmw(op: RmwOp, ty: &Type) -> Result<Combine> {
    let bits = int_bits(ty)?;
    let int = |op| Ok(Combine::Int(op, bits));
    let float = |op| match ty.scalar().and_then(Format::of) {
        Some(format) => Ok(Combine::Float(op, format)),
        None => invalid(format!("a float atomic on type {ty}")),
    };
    match op {
        RmwOp::Xchg => Ok(Combine::Exchange),
        RmwOp::Nand => Ok(Combine::Nand(bits)),
        RmwOp::Add => int(IntOp::Add),
        RmwOp::Sub => int(IntOp::Sub),
        RmwOp::And => int(IntOp::And),
        RmwOp::Or => int(IntOp::Or),
        RmwOp::Xor => int(IntOp::Xor),
        RmwOp::Max => int(IntOp::SMax),
        RmwOp::Min => int(IntOp::SMin),
        RmwOp::UMax => int(IntOp::UMax),
        RmwOp::UMin => int(IntOp::UMin),
        RmwOp::FAdd => float(FloatOp::Add),
        RmwOp::FSub => float(FloatOp::Sub),
        RmwOp::FMax => float(FloatOp::Max),
        RmwOp::FMin => float(FloatOp::Min),
    }
}
