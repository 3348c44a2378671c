//! Operators.

use mw_air::{BinaryOp as Air, CastOp, Flags, FloatPredicate, IntPredicate, Scalar, Type, ValueId};
use mw_msl::ast::BinaryOp;
use mw_msl::hir::{Expr, ExprKind, FloatRules};
use mw_msl::types::{self, TypeId};
use mw_source::Span;

use crate::context::{FunctionLowering, flags};
use crate::error::LowerError;

impl FunctionLowering<'_, '_> {
    /// `first op second`
    pub(crate) fn binary_value(
        &mut self,
        op: BinaryOp,
        first: &Expr,
        second: &Expr,
        rules: FloatRules,
        ty: TypeId,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            return self.logical(op == BinaryOp::LogicalAnd, first, second);
        }
        let program = self.program();
        let is_matrix = |id: TypeId| matches!(program.ty(id), types::Type::Matrix { .. });
        if is_matrix(first.ty) || is_matrix(second.ty) {
            let (left, right) = (self.value(first)?, self.value(second)?);
            return self.matrix_binary(op, (left, first.ty), (right, second.ty), rules, span);
        }
        if matches!(op, BinaryOp::Add | BinaryOp::Sub)
            && rules.contract
            && self.element(ty).is_some_and(types::Scalar::is_float)
            && let Some(fused) = self.fused(op == BinaryOp::Sub, first, second, rules)?
        {
            return Ok(fused);
        }
        let (left, right) = (self.value(first)?, self.value(second)?);
        let Some(element) = self.element(first.ty) else {
            return self.pointer_comparison(op, left, right, span);
        };
        self.operator(op, left, right, element, rules, span)
    }

    /// Both operands have `element`s.
    pub(crate) fn operator(
        &mut self,
        op: BinaryOp,
        left: ValueId,
        right: ValueId,
        element: types::Scalar,
        rules: FloatRules,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        let is_float = element.is_float();
        let is_signed = element.is_signed_integer();
        let fast = flags(rules.math_mode);
        let float_only = |op, this: &mut Self| this.binary_flags(op, left, right, fast);
        if is_float {
            let predicate = match op {
                BinaryOp::Add => return Ok(float_only(Air::FAdd, self)),
                BinaryOp::Sub => return Ok(float_only(Air::FSub, self)),
                BinaryOp::Mul => return Ok(float_only(Air::FMul, self)),
                BinaryOp::Div => return Ok(float_only(Air::FDiv, self)),
                BinaryOp::Rem => return Ok(float_only(Air::FRem, self)),
                BinaryOp::Equal => FloatPredicate::Oeq,
                BinaryOp::NotEqual => FloatPredicate::Une,
                BinaryOp::Less => FloatPredicate::Olt,
                BinaryOp::LessEqual => FloatPredicate::Ole,
                BinaryOp::Greater => FloatPredicate::Ogt,
                BinaryOp::GreaterEqual => FloatPredicate::Oge,
                _ => return Err(LowerError::malformed(span, format!("{op:?} of floating-point numbers"))),
            };
            return Ok(self.fcmp(predicate, left, right, fast));
        }
        let signed = |this: &mut Self, yes, no| {
            let op = if is_signed { yes } else { no };
            this.binary(op, left, right)
        };
        let predicate = match op {
            BinaryOp::Add => return Ok(self.binary(Air::Add, left, right)),
            BinaryOp::Sub => return Ok(self.binary(Air::Sub, left, right)),
            BinaryOp::Mul => return Ok(self.binary(Air::Mul, left, right)),
            BinaryOp::Div => return Ok(signed(self, Air::SDiv, Air::UDiv)),
            BinaryOp::Rem => return Ok(signed(self, Air::SRem, Air::URem)),
            BinaryOp::ShiftLeft => {
                let count = self.shift_count(left, right);
                return Ok(self.binary(Air::Shl, left, count));
            }
            BinaryOp::ShiftRight => {
                let count = self.shift_count(left, right);
                return Ok(self.binary(if is_signed { Air::AShr } else { Air::LShr }, left, count));
            }
            BinaryOp::And => return Ok(self.binary(Air::And, left, right)),
            BinaryOp::Or => return Ok(self.binary(Air::Or, left, right)),
            BinaryOp::Xor => return Ok(self.binary(Air::Xor, left, right)),
            BinaryOp::Equal => IntPredicate::Eq,
            BinaryOp::NotEqual => IntPredicate::Ne,
            BinaryOp::Less if is_signed => IntPredicate::Slt,
            BinaryOp::LessEqual if is_signed => IntPredicate::Sle,
            BinaryOp::Greater if is_signed => IntPredicate::Sgt,
            BinaryOp::GreaterEqual if is_signed => IntPredicate::Sge,
            BinaryOp::Less => IntPredicate::Ult,
            BinaryOp::LessEqual => IntPredicate::Ule,
            BinaryOp::Greater => IntPredicate::Ugt,
            BinaryOp::GreaterEqual => IntPredicate::Uge,
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr | BinaryOp::MemberPointer => {
                return Err(LowerError::malformed(span, format!("{op:?} as arithmetic")));
            }
        };
        Ok(self.icmp(predicate, left, right))
    }

    /// The count modulo the width: LLVM leaves longer shifts undefined.
    fn shift_count(&mut self, value: ValueId, count: ValueId) -> ValueId {
        let ty = self.ty(value);
        let width = u64::from(ty.scalar().map_or(32, Scalar::bits));
        if let Some(count) = self.function.as_int(count) {
            return self.int(&ty, count & (width - 1));
        }
        let mask = self.int(&ty, width - 1);
        self.binary(Air::And, count, mask)
    }

    /// `a * b + c` and its kin as one rounding, where the rules allow it. Each use fuses its own product.
    fn fused(
        &mut self,
        is_subtraction: bool,
        first: &Expr,
        second: &Expr,
        rules: FloatRules,
    ) -> Result<Option<ValueId>, LowerError> {
        let fast = flags(rules.math_mode);
        if let Some((a, b)) = self.product(first) {
            let (a, b) = (self.value(a)?, self.value(b)?);
            let mut addend = self.value(second)?;
            if is_subtraction {
                addend = self.fneg(addend, fast);
            }
            return Ok(Some(self.multiply_add(a, b, addend, fast)));
        }
        if let Some((a, b)) = self.product(second) {
            let addend = self.value(first)?;
            let (mut a, b) = (self.value(a)?, self.value(b)?);
            if is_subtraction {
                a = self.fneg(a, fast);
            }
            return Ok(Some(self.multiply_add(a, b, addend, fast)));
        }
        Ok(None)
    }

    /// The factors of a product that may fuse.
    fn product<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, &'e Expr)> {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::Mul, a, b, rules) if rules.contract => {
                let is_plain =
                    |id| matches!(self.shape(id), types::Type::Scalar(_) | types::Type::Vector(..));
                (is_plain(a.ty)
                    && is_plain(b.ty)
                    && self.element(expr.ty).is_some_and(types::Scalar::is_float))
                .then_some((&**a, &**b))
            }
            _ => None,
        }
    }

    /// `a * b + c` with one rounding.
    pub(crate) fn multiply_add(&mut self, a: ValueId, b: ValueId, c: ValueId, fast: Flags) -> ValueId {
        let ty = self.ty(a);
        let scalar = ty.scalar().unwrap_or(Scalar::Float).suffix();
        let name = match ty.lanes() {
            Some(lanes) if lanes > 1 => format!("llvm.fmuladd.v{lanes}{scalar}"),
            _ => format!("llvm.fmuladd.{scalar}"),
        };
        self.call_external_flags(&name, &ty, &[a, b, c], fast).unwrap_or(a)
    }

    /// `&&` and `||`: the second side only if the first does not decide; on vectors both.
    fn logical(&mut self, is_and: bool, first: &Expr, second: &Expr) -> Result<ValueId, LowerError> {
        let left = self.value(first)?;
        if self.ty(left) != Type::I1 {
            let right = self.value(second)?;
            return Ok(self.binary(if is_and { Air::And } else { Air::Or }, left, right));
        }
        if let Some(known) = self.function.as_int(left) {
            return if (known == 1) == is_and { self.value(second) } else { Ok(left) };
        }
        let (other, join) = (self.add_block(), self.add_block());
        let from = self.block;
        if is_and {
            self.cond_br(left, other, join);
        } else {
            self.cond_br(left, join, other);
        }
        self.switch_to(other);
        let right = self.value(second)?;
        let last = self.block;
        self.br(join);
        self.switch_to(join);
        let decided = self.bool(!is_and);
        Ok(self.phi(&Type::I1, vec![(from, decided), (last, right)]))
    }

    fn pointer_comparison(
        &mut self,
        op: BinaryOp,
        left: ValueId,
        right: ValueId,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        let predicate = match op {
            BinaryOp::Equal => IntPredicate::Eq,
            BinaryOp::NotEqual => IntPredicate::Ne,
            BinaryOp::Less => IntPredicate::Ult,
            BinaryOp::LessEqual => IntPredicate::Ule,
            BinaryOp::Greater => IntPredicate::Ugt,
            BinaryOp::GreaterEqual => IntPredicate::Uge,
            _ => return Err(LowerError::malformed(span, format!("{op:?} of pointers"))),
        };
        let (mut left, mut right) = (left, right);
        // A null pointer has no space of its own.
        if self.ty(left) != self.ty(right) {
            if self.function.constant(right) == Some(&mw_air::Constant::Zero) {
                right = self.zero(&self.ty(left));
            } else {
                left = self.zero(&self.ty(right));
            }
        }
        Ok(self.icmp(predicate, left, right))
    }

    /// `-x`
    pub(crate) fn negate(
        &mut self,
        inner: &Expr,
        rules: FloatRules,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        let value = self.value(inner)?;
        let fast = flags(rules.math_mode);
        if let types::Type::Matrix { columns, .. } = self.shape(inner.ty) {
            let mut parts = Vec::new();
            for index in 0..*columns {
                let column = self.extract_value(value, u32::from(index));
                parts.push(self.fneg(column, fast));
            }
            return Ok(self.columns(&parts));
        }
        match self.element(inner.ty) {
            Some(element) if element.is_float() => Ok(self.fneg(value, fast)),
            Some(_) => {
                let zero = self.zero(&self.ty(value));
                Ok(self.binary(Air::Sub, zero, value))
            }
            None => Err(LowerError::malformed(span, "the negative of what is no number")),
        }
    }

    /// Pointer plus or minus an integer, in elements.
    pub(crate) fn pointer_offset(
        &mut self,
        pointer: &Expr,
        offset: &Expr,
        is_subtraction: bool,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        let Some(target) = self.pointee(pointer.ty) else {
            return Err(LowerError::malformed(span, "an offset from what is no pointer"));
        };
        let base = self.value(pointer)?;
        let mut offset = self.index_value(offset)?;
        if is_subtraction {
            let zero = self.i64(0);
            offset = self.binary(Air::Sub, zero, offset);
        }
        let element = match self.shape(target.ty) {
            types::Type::Void => Type::I8,
            _ => self.memory_type(target.ty, span)?,
        };
        Ok(self.gep(&element, base, vec![offset]))
    }

    /// Pointer minus pointer, in elements.
    pub(crate) fn pointer_difference(
        &mut self,
        first: &Expr,
        second: &Expr,
        span: Span,
    ) -> Result<ValueId, LowerError> {
        let Some(target) = self.pointee(first.ty) else {
            return Err(LowerError::malformed(span, "a difference of what is no pointer"));
        };
        let (left, right) = (self.value(first)?, self.value(second)?);
        let left = self.cast(CastOp::PtrToInt, left, &Type::I64);
        let right = self.cast(CastOp::PtrToInt, right, &Type::I64);
        let bytes = self.binary(Air::Sub, left, right);
        let size = self.layout(target.ty).0.max(1);
        if size == 1 {
            return Ok(bytes);
        }
        let size = self.i64(size);
        Ok(self.binary(Air::SDiv, bytes, size))
    }
}
