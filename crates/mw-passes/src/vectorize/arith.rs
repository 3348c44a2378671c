//! Arithmetic, comparisons, conversions and selection: on one scalar or on 32 lanes alike.

use mw_air::{
    BinaryOp, BlockId, CastOp, Flags, FloatPredicate, Inst, InstId, IntPredicate, Scalar, Type, ValueId,
};

use super::values::{Emitter, PTR, Wide, lowered, overload};
use crate::PassError;
use crate::scalarize::is_matrix;
use crate::uniformity::Shape;

impl Emitter<'_, '_> {
    /// Emits one instruction of the source.
    pub(super) fn emit_inst(&mut self, block: BlockId, id: InstId) -> Result<(), PassError> {
        let data = self.source.inst(id);
        match &data.inst {
            Inst::Phi { .. } => return Ok(()),
            Inst::Load { .. } => return self.emit_load(block, id),
            Inst::Store { .. } => return self.emit_store(id),
            Inst::Alloca { .. } => {
                self.emit_alloca(id);
                return Ok(());
            }
            Inst::Call(call) => {
                if self.emit_products(block, id)? {
                    return Ok(());
                }
                let call = call.clone();
                return self.emit_call(&call, data.result);
            }
            Inst::AtomicRmw { .. } | Inst::CmpXchg { .. } => {
                return Err(PassError::unsupported("an LLVM atomic instruction".to_owned()));
            }
            Inst::Fence { ordering } => {
                self.b().fence(*ordering);
                return Ok(());
            }
            Inst::Binary { .. }
            | Inst::FNeg { .. }
            | Inst::Cast { .. }
            | Inst::ICmp { .. }
            | Inst::FCmp { .. }
            | Inst::Select { .. }
            | Inst::Freeze { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::ShuffleVector { .. }
            | Inst::ExtractValue { .. }
            | Inst::InsertValue { .. }
            | Inst::Gep { .. } => {}
        }
        let result = data.result.expect("arithmetic gives a value");
        let ty = self.source.value_type(result).clone();
        let wide = match self.shape(result) {
            Shape::Uniform if is_matrix(&ty) => Wide::Uniform(self.matrix_inst(&data.inst)?),
            Shape::Uniform => Wide::Uniform(self.uniform_inst(&data.inst, &ty)?),
            shape @ (Shape::Strided(_) | Shape::Table(_)) => self.affine_inst(&data.inst, &ty, shape)?,
            Shape::Varying => Wide::Varying(self.vector_inst(&data.inst, &ty)?),
        };
        self.set(result, wide);
        Ok(())
    }

    /// The instruction once, for all lanes.
    fn uniform_inst(&mut self, inst: &Inst, ty: &Type) -> Result<ValueId, PassError> {
        let operands = inst
            .operands()
            .into_iter()
            .map(|operand| self.uniform(operand))
            .collect::<Result<Vec<_>, _>>()?;
        self.operate(inst, &operands, ty)
    }

    /// The instruction on all lanes.
    pub(super) fn vector_inst(&mut self, inst: &Inst, ty: &Type) -> Result<ValueId, PassError> {
        if let Inst::Select { condition, on_true, on_false, .. } = inst
            && self.is_uniform(*condition)
        {
            let condition = self.uniform(*condition)?;
            let (on_true, on_false) = (self.vector(*on_true)?, self.vector(*on_false)?);
            return Ok(self.b().select(condition, on_true, on_false));
        }
        if let Inst::Gep { source, base, indices, .. } = inst {
            return self.vector_gep(source, *base, indices);
        }
        let operands =
            inst.operands().into_iter().map(|operand| self.vector(operand)).collect::<Result<Vec<_>, _>>()?;
        self.operate(inst, &operands, ty)
    }

    /// Lane 0, the growth, and the condition under which they hold.
    fn affine_inst(&mut self, inst: &Inst, ty: &Type, shape: Shape) -> Result<Wide, PassError> {
        let mut oks = Vec::new();
        let mut bases = Vec::new();
        for operand in inst.operands() {
            match self.wide(operand)? {
                Wide::Uniform(value) => bases.push(value),
                Wide::Affine { base, ok, .. } => {
                    bases.push(base);
                    oks.extend(ok);
                }
                Wide::Varying(_) => {
                    return Err(PassError::invalid("a strided value of a varying one".to_owned()));
                }
            }
        }
        let base = match inst {
            // Disjoint in the lanes that are active, which lane 0 need not be.
            Inst::Binary { op: BinaryOp::Or, .. } => self.b().binary(BinaryOp::Add, bases[0], bases[1]),
            // Promises were made for active lanes only.
            Inst::Binary { op, .. } => self.b().binary(*op, bases[0], bases[1]),
            Inst::Select { .. } => self.b().select(bases[0], bases[1], bases[2]),
            Inst::Freeze { .. } => bases[0],
            _ => self.operate(inst, &bases, ty)?,
        };
        if let Inst::Cast { op: op @ (CastOp::ZExt | CastOp::SExt), value, .. } = inst {
            let fact = self.uniformity.fact(*value);
            let exact = if *op == CastOp::ZExt { fact.exact_unsigned } else { fact.exact_signed };
            if !exact {
                oks.push(self.no_wrap(bases[0], *value, *op == CastOp::SExt));
            }
        }
        if let Inst::Binary { op: BinaryOp::Mul, lhs, rhs, .. } = inst {
            for (operand, base) in [(*lhs, bases[0]), (*rhs, bases[1])] {
                if self.uniformity.is_unit(operand) {
                    let ty = self.function.value_type(base).clone();
                    let mut b = self.b();
                    let one = b.int(&ty, 1);
                    oks.push(b.icmp(IntPredicate::Eq, base, one));
                }
            }
        }
        let mut ok: Option<ValueId> = None;
        for each in oks {
            ok = Some(match ok {
                None => each,
                Some(sum) => self.b().binary(BinaryOp::And, sum, each),
            });
        }
        Ok(Wide::Affine { base, shape, ok })
    }

    /// Whether no lane of `value`, whose lane 0 is `base`, wraps around.
    fn no_wrap(&mut self, base: ValueId, value: ValueId, signed: bool) -> ValueId {
        let offsets = self.uniformity.offsets(value).unwrap_or([0; 32]);
        let highest = offsets.iter().copied().max().unwrap_or(0).max(0) as u64;
        let lowest = offsets.iter().copied().min().unwrap_or(0).min(0).unsigned_abs();
        let ty = self.function.value_type(base).clone();
        let bits = ty.scalar().expect("integer").bits();
        let all = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let (bottom, top) = if signed { ((all >> 1) + 1, all >> 1) } else { (0, all) };
        let (above, below) = if signed {
            (IntPredicate::Sge, IntPredicate::Sle)
        } else {
            (IntPredicate::Uge, IntPredicate::Ule)
        };
        let mut b = self.b();
        let limit = b.int(&ty, top.wrapping_sub(highest));
        let mut ok = b.icmp(below, base, limit);
        if lowest > 0 {
            let limit = b.int(&ty, bottom.wrapping_add(lowest));
            let over = b.icmp(above, base, limit);
            ok = b.binary(BinaryOp::And, ok, over);
        }
        ok
    }

    /// The operation on lowered operands, all scalars or all vectors. `ty` is the source's result type.
    fn operate(&mut self, inst: &Inst, operands: &[ValueId], ty: &Type) -> Result<ValueId, PassError> {
        let scalar_of = |this: &Self, value: ValueId| this.source.value_type(value).scalar().expect("scalar");
        Ok(match inst {
            Inst::Binary { op, lhs, flags, .. } => {
                let scalar = scalar_of(self, *lhs);
                self.binary(*op, scalar, operands[0], operands[1], *flags)?
            }
            Inst::FNeg { value, .. } => {
                let scalar = scalar_of(self, *value);
                if matches!(scalar, Scalar::Half | Scalar::BFloat) {
                    let ty = self.function.value_type(operands[0]).clone();
                    let mut b = self.b();
                    let sign = b.int(&ty, 0x8000);
                    b.binary(BinaryOp::Xor, operands[0], sign)
                } else {
                    self.b().fneg(operands[0])
                }
            }
            Inst::Cast { op, value, .. } => {
                let from = scalar_of(self, *value);
                let to = ty.scalar().expect("scalar");
                self.convert(*op, from, to, operands[0])?
            }
            Inst::ICmp { predicate, .. } => {
                let (lhs, rhs) = (operands[0], operands[1]);
                self.b().icmp(*predicate, lhs, rhs)
            }
            Inst::FCmp { predicate, lhs, .. } => {
                let scalar = scalar_of(self, *lhs);
                self.compare(*predicate, scalar, operands[0], operands[1])
            }
            Inst::Select { .. } => self.b().select(operands[0], operands[1], operands[2]),
            Inst::Freeze { .. } => {
                let ty = self.function.value_type(operands[0]).clone();
                self.b().push(Inst::Freeze { value: operands[0] }, ty)
            }
            Inst::Gep { source, base, indices, .. } => {
                if self.source.value_type(*base).address_space() == Some(mw_air::AddressSpace::THREAD) {
                    self.private_gep(source, operands[0], indices, &operands[1..])?
                } else {
                    self.b().gep(source, operands[0], operands[1..].to_vec())
                }
            }
            Inst::Phi { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::ShuffleVector { .. }
            | Inst::ExtractValue { .. }
            | Inst::InsertValue { .. }
            | Inst::Alloca { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::Call(_)
            | Inst::AtomicRmw { .. }
            | Inst::CmpXchg { .. }
            | Inst::Fence { .. } => {
                return Err(PassError::invalid(format!("{inst:?} in scalar form")));
            }
        })
    }

    fn compare(&mut self, predicate: FloatPredicate, scalar: Scalar, lhs: ValueId, rhs: ValueId) -> ValueId {
        let (lhs, rhs) = (self.widen_float(scalar, lhs), self.widen_float(scalar, rhs));
        self.b().fcmp(predicate, lhs, rhs)
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        lhs: ValueId,
        rhs: ValueId,
        flags: Flags,
    ) -> Result<ValueId, PassError> {
        if op.is_float() {
            if op == BinaryOp::FRem {
                return Err(PassError::unsupported("`frem`, which no Metal compiler writes,".to_owned()));
            }
            let (wide_lhs, wide_rhs) = (self.widen_float(scalar, lhs), self.widen_float(scalar, rhs));
            let value = self.b().binary(op, wide_lhs, wide_rhs);
            return Ok(self.narrow_float(scalar, value));
        }
        match op {
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                let count = self.shift_count(rhs);
                // Shift counts are taken modulo the width, so no promise survives.
                Ok(self.b().binary(op, lhs, count))
            }
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => {
                Ok(self.divide(op, lhs, rhs))
            }
            BinaryOp::Or => Ok(self.b().binary_flags(op, lhs, rhs, flags)),
            _ => Ok(self.b().binary(op, lhs, rhs)),
        }
    }

    fn shift_count(&mut self, count: ValueId) -> ValueId {
        let ty = self.function.value_type(count).clone();
        let bits = u64::from(ty.scalar().expect("integer").bits());
        if let Some(constant) = self.function.as_int(count)
            && constant < bits
        {
            return count;
        }
        let mut b = self.b();
        let mask = b.int(&ty, bits - 1);
        b.binary(BinaryOp::And, count, mask)
    }

    /// Division with defined results: x / 0 = 0, x % 0 = x, MIN / −1 = MIN, MIN % −1 = 0.
    fn divide(&mut self, op: BinaryOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        let ty = self.function.value_type(lhs).clone();
        let Scalar::Int(bits) = ty.scalar().expect("integer") else { return lhs };
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        if self.is_safe_divisor(rhs, signed) {
            return self.b().binary(op, lhs, rhs);
        }
        let quotient = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv);
        let mut b = self.b();
        // Inactive lanes may hold poison, by which not even a division that nobody needs may go.
        let rhs = b.push(Inst::Freeze { value: rhs }, ty.clone());
        let lhs = b.push(Inst::Freeze { value: lhs }, ty.clone());
        let (zero, one) = (b.int(&ty, 0), b.int(&ty, 1));
        let by_zero = b.icmp(IntPredicate::Eq, rhs, zero);
        let mut divisor = b.select(by_zero, one, rhs);
        let mut overflow = None;
        if signed {
            let minus_one = b.int(&ty, u64::MAX);
            let negates = b.icmp(IntPredicate::Eq, rhs, minus_one);
            divisor = b.select(negates, one, divisor);
            overflow = Some(negates);
        }
        let is_vector = matches!(ty, Type::Vector(..));
        if is_vector && bits <= 32 {
            let value = self.divide_by_float(lhs, divisor, signed, bits);
            return self.finish_division(quotient, lhs, divisor, value, by_zero, overflow);
        }
        let value = b.binary(if signed { BinaryOp::SDiv } else { BinaryOp::UDiv }, lhs, divisor);
        self.finish_division(quotient, lhs, divisor, value, by_zero, overflow)
    }

    fn finish_division(
        &mut self,
        quotient: bool,
        lhs: ValueId,
        divisor: ValueId,
        value: ValueId,
        by_zero: ValueId,
        overflow: Option<ValueId>,
    ) -> ValueId {
        let ty = self.function.value_type(lhs).clone();
        let mut b = self.b();
        let zero = b.int(&ty, 0);
        if quotient {
            let value = match overflow {
                // x / −1 = −x, which wraps where it must.
                Some(negates) => {
                    let negative = b.binary(BinaryOp::Sub, zero, lhs);
                    b.select(negates, negative, value)
                }
                None => value,
            };
            return b.select(by_zero, zero, value);
        }
        let product = b.binary(BinaryOp::Mul, value, divisor);
        let rest = b.binary(BinaryOp::Sub, lhs, product);
        let rest = match overflow {
            Some(negates) => b.select(negates, zero, rest),
            None => rest,
        };
        b.select(by_zero, lhs, rest)
    }

    /// A constant that is neither 0 nor −1.
    fn is_safe_divisor(&self, rhs: ValueId, signed: bool) -> bool {
        let Some(constant) = self.function.typed_constant(rhs) else { return false };
        let bits = constant.ty.scalar().map_or(64, Scalar::bits);
        let ones = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let safe = |value: u64| value != 0 && !(signed && value == ones);
        match &constant.value {
            mw_air::Constant::Int(value) => safe(*value),
            mw_air::Constant::Aggregate(elements) => {
                elements.iter().all(|element| element.as_int().is_some_and(safe))
            }
            _ => false,
        }
    }

    /// Quotient of integers of up to 32 bits through `double`, which holds them exactly; the rounded
    /// quotient truncates right because a non-integer quotient is further from the next integer than its
    /// rounding error.
    fn divide_by_float(&mut self, lhs: ValueId, rhs: ValueId, signed: bool, bits: u16) -> ValueId {
        let ty = self.function.value_type(lhs).clone();
        let double = ty.with_scalar(Scalar::Double);
        let int = ty.with_scalar(Scalar::Int(32));
        let (extend, to_float, to_int) = if signed {
            (CastOp::SExt, CastOp::SiToFp, CastOp::FpToSi)
        } else {
            (CastOp::ZExt, CastOp::UiToFp, CastOp::FpToUi)
        };
        let mut b = self.b();
        let (l, r) =
            if bits < 32 { (b.cast(extend, lhs, &int), b.cast(extend, rhs, &int)) } else { (lhs, rhs) };
        let (l, r) = (b.cast(to_float, l, &double), b.cast(to_float, r, &double));
        let quotient = b.binary(BinaryOp::FDiv, l, r);
        let value = b.cast(to_int, quotient, &int);
        if bits < 32 { b.cast(CastOp::Trunc, value, &ty) } else { value }
    }

    /// A conversion between source scalars on lowered values.
    fn convert(
        &mut self,
        op: CastOp,
        from: Scalar,
        to: Scalar,
        value: ValueId,
    ) -> Result<ValueId, PassError> {
        let shape = self.function.value_type(value).clone();
        let target = shape.with_scalar(lowered(to));
        Ok(match op {
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt => self.b().cast(op, value, &target),
            CastOp::FpExt => {
                let float = self.widen_float(from, value);
                if to == Scalar::Double { self.b().cast(CastOp::FpExt, float, &target) } else { float }
            }
            CastOp::FpTrunc => match (from, to) {
                (Scalar::Double, Scalar::Float) => self.b().cast(op, value, &target),
                (Scalar::Double, _) => {
                    let float = self.double_to_float_odd(value);
                    self.narrow_float(to, float)
                }
                _ => self.narrow_float(to, value),
            },
            CastOp::UiToFp | CastOp::SiToFp => match to {
                Scalar::Float | Scalar::Double => self.b().cast(op, value, &target),
                _ => {
                    // Through `double`, rounded to odd, so that only the last step rounds.
                    let double = shape.with_scalar(Scalar::Double);
                    let exact = self.b().cast(op, value, &double);
                    let float = self.double_to_float_odd(exact);
                    self.narrow_float(to, float)
                }
            },
            CastOp::FpToUi | CastOp::FpToSi => {
                let float = self.widen_float(from, value);
                self.saturating_to_int(float, &target, op == CastOp::FpToSi)
            }
            CastOp::Bitcast => {
                if target == shape {
                    value
                } else {
                    self.b().cast(op, value, &target)
                }
            }
            CastOp::PtrToInt | CastOp::IntToPtr => {
                if matches!(from, Scalar::Ptr(mw_air::AddressSpace::THREAD))
                    || matches!(to, Scalar::Ptr(mw_air::AddressSpace::THREAD))
                {
                    return Err(PassError::unsupported(
                        "the address of private memory as a number".to_owned(),
                    ));
                }
                self.b().cast(op, value, &target)
            }
            CastOp::AddrSpaceCast => {
                let private = |scalar| matches!(scalar, Scalar::Ptr(mw_air::AddressSpace::THREAD));
                if private(from) != private(to) {
                    return Err(PassError::unsupported(
                        "a private pointer in another address space".to_owned(),
                    ));
                }
                value
            }
        })
    }

    /// Float to integer with the nearest bound for what does not fit and 0 for NaN.
    pub(super) fn saturating_to_int(&mut self, value: ValueId, target: &Type, signed: bool) -> ValueId {
        let from = self.function.value_type(value).clone();
        let name = format!(
            "llvm.{}.sat.{}.{}",
            if signed { "fptosi" } else { "fptoui" },
            overload(target),
            overload(&from)
        );
        self.call_value(&name, vec![value], target)
    }

    fn vector_gep(
        &mut self,
        source: &Type,
        base: ValueId,
        indices: &[ValueId],
    ) -> Result<ValueId, PassError> {
        if self.source.value_type(base).address_space() == Some(mw_air::AddressSpace::THREAD) {
            let offset = self.vector(base)?;
            let mut values = Vec::new();
            for index in indices {
                values.push(self.vector(*index)?);
            }
            return self.private_gep(source, offset, indices, &values);
        }
        // A uniform base stays scalar: gathers want it so.
        let base_value = if self.is_uniform(base) { self.uniform(base)? } else { self.vector(base)? };
        let mut values = Vec::new();
        for index in indices {
            let constant = self.source.as_int(*index).is_some();
            values.push(if constant { self.uniform(*index)? } else { self.vector(*index)? });
        }
        let mut value = self.b().gep(source, base_value, values);
        if *self.function.value_type(value) == PTR {
            value = self.b().splat(value, super::values::LANES);
        }
        Ok(value)
    }
}
