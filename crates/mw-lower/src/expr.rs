//! Expressions: values, and effects.

use mw_air::{Constant, Type, TypedConstant, ValueId};
use mw_msl::hir::{self, Cast, Expr, ExprKind};
use mw_msl::types;
use mw_source::Span;

use crate::context::FunctionLowering;
use crate::error::{LowerError, LowerErrorKind};
use crate::place::Local;
use crate::types::is_aggregate;

/// Expressions may nest this deep.
const MAX_DEPTH: usize = 384;

impl FunctionLowering<'_, '_> {
    /// One level deeper; whoever calls comes back up.
    pub(crate) fn enter(&mut self, span: Span) -> Result<(), LowerError> {
        if self.depth >= MAX_DEPTH {
            return Err(LowerError { span, kind: LowerErrorKind::TooDeep { limit: MAX_DEPTH } });
        }
        self.spans.truncate(self.depth);
        self.spans.push(span);
        self.depth += 1;
        Ok(())
    }

    /// The value of an expression that is no record, no array and not void.
    pub(crate) fn value(&mut self, expr: &Expr) -> Result<ValueId, LowerError> {
        self.enter(expr.span)?;
        let result = self.value_inner(expr);
        self.depth -= 1;
        result
    }

    fn value_inner(&mut self, expr: &Expr) -> Result<ValueId, LowerError> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(constant) => {
                let constant = self.module.value_constant(expr.ty, constant, span)?;
                Ok(self.constant(constant))
            }
            ExprKind::Load(place) => self.load_place(place),
            ExprKind::AddressOf(place) => Ok(self.address(place)?.ptr),
            ExprKind::FunctionAddress(function) => {
                let id = self.module.function(*function)?;
                Ok(self.constant(TypedConstant {
                    ty: Type::ptr(mw_air::AddressSpace::THREAD),
                    value: Constant::Function(id),
                }))
            }
            ExprKind::Negate(inner, rules) => self.negate(inner, *rules, span),
            ExprKind::Not(inner) => {
                let value = self.value(inner)?;
                let ones = self.int(&self.ty(value), u64::MAX);
                Ok(self.binary(mw_air::BinaryOp::Xor, value, ones))
            }
            ExprKind::Complement(inner) => {
                let value = self.value(inner)?;
                let ones = self.int(&self.ty(value), u64::MAX);
                Ok(self.binary(mw_air::BinaryOp::Xor, value, ones))
            }
            ExprKind::Binary(op, first, second, rules) => {
                self.binary_value(*op, first, second, *rules, expr.ty, span)
            }
            ExprKind::PointerOffset { pointer, offset, is_subtraction } => {
                self.pointer_offset(pointer, offset, *is_subtraction, span)
            }
            ExprKind::PointerDifference(first, second) => self.pointer_difference(first, second, span),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, expr)
            }
            ExprKind::Sequence(first, second) => {
                self.effect(first)?;
                self.value(second)
            }
            ExprKind::LetPointer { local, place, then } => {
                self.let_pointer(*local, place)?;
                self.value(then)
            }
            ExprKind::LetTemporary { local, value, then } => {
                self.bring_to_life(*local, Some(value), value.span)?;
                self.value(then)
            }
            ExprKind::Cast(cast, inner) => self.cast_value(*cast, inner, expr.ty, span),
            ExprKind::Vector(parts) => self.concatenate(parts, expr),
            ExprKind::Splat(inner) => {
                let value = self.value(inner)?;
                match self.value_type(expr.ty, span)? {
                    Type::Vector(_, lanes) => Ok(self.splat(value, lanes)),
                    other => Err(LowerError::malformed(span, format!("copies into a {other}"))),
                }
            }
            ExprKind::Swizzle(inner, components) => {
                let value = self.value(inner)?;
                if self.ty(value).lanes() == Some(1) {
                    // A scalar may be picked from too.
                    return Ok(if components.len() == 1 {
                        value
                    } else {
                        self.splat(value, components.len() as u32)
                    });
                }
                Ok(self.swizzle(value, components))
            }
            ExprKind::Extract(inner, index) => self.extract_element(inner, index, expr),
            ExprKind::MatrixColumns(parts) => {
                let columns = parts.iter().map(|part| self.value(part)).collect::<Result<Vec<_>, _>>()?;
                Ok(self.columns(&columns))
            }
            ExprKind::MatrixDiagonal(inner) => {
                let value = self.value(inner)?;
                self.matrix_diagonal(value, expr.ty, span)
            }
            ExprKind::Call { function, arguments } => {
                let result = self.call(*function, None, arguments, None, span)?;
                result.ok_or_else(|| LowerError::malformed(span, "a void call as a value"))
            }
            ExprKind::CallPointer { pointer, arguments } => {
                let result = self.call_through(pointer, arguments, None, span)?;
                result.ok_or_else(|| LowerError::malformed(span, "a void call as a value"))
            }
            ExprKind::Builtin(call) => {
                let result = self.builtin(call, expr)?;
                result.ok_or_else(|| LowerError::malformed(span, "a void library function as a value"))
            }
            ExprKind::IsFunctionConstantDefined(global) => self.is_defined(*global, span),
            ExprKind::Assign(..) => Err(LowerError::malformed(span, "an assignment as a value")),
            ExprKind::Aggregate(parts) => match &parts[..] {
                [] => {
                    let ty = self.value_type(expr.ty, span)?;
                    Ok(self.zero(&ty))
                }
                [single] => self.value(single),
                _ => Err(LowerError::malformed(span, "a list as the value of a scalar")),
            },
            ExprKind::UnionField(..) | ExprKind::Construct { .. } => {
                Err(LowerError::malformed(span, "a record as a value"))
            }
            ExprKind::Error => Err(LowerError::malformed(span, "an expression with an error")),
        }
    }

    /// Evaluates for the effects; the value, if there is one, is dropped.
    pub(crate) fn effect(&mut self, expr: &Expr) -> Result<(), LowerError> {
        self.enter(expr.span)?;
        let result = self.effect_inner(expr);
        self.depth -= 1;
        result
    }

    fn effect_inner(&mut self, expr: &Expr) -> Result<(), LowerError> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(_) => Ok(()),
            ExprKind::Assign(place, value) => self.assign(place, value),
            ExprKind::Sequence(first, second) => {
                self.effect(first)?;
                self.effect(second)
            }
            ExprKind::LetPointer { local, place, then } => {
                self.let_pointer(*local, place)?;
                self.effect(then)
            }
            ExprKind::LetTemporary { local, value, then } => {
                self.bring_to_life(*local, Some(value), value.span)?;
                self.effect(then)
            }
            ExprKind::Cast(Cast::ToVoid, inner) => self.effect(inner),
            ExprKind::Load(place) if !place.ty.is_volatile => {
                // Nothing is read, but the way to the place may have effects.
                self.address(place).map(|_| ())
            }
            ExprKind::Conditional(condition, then, otherwise)
                if matches!(self.shape(expr.ty), types::Type::Void) =>
            {
                let condition = self.value(condition)?;
                let (yes, no, join) = (self.add_block(), self.add_block(), self.add_block());
                self.cond_br(condition, yes, no);
                self.switch_to(yes);
                self.effect(then)?;
                self.br(join);
                self.switch_to(no);
                self.effect(otherwise)?;
                self.br(join);
                self.switch_to(join);
                Ok(())
            }
            ExprKind::Call { function, arguments } => {
                let to = self.result_room(expr)?;
                self.call(*function, to, arguments, None, span).map(|_| ())
            }
            ExprKind::CallPointer { pointer, arguments } => {
                let to = self.result_room(expr)?;
                self.call_through(pointer, arguments, to, span).map(|_| ())
            }
            ExprKind::Builtin(call) => self.builtin(call, expr).map(|_| ()),
            _ if is_aggregate(self.program(), expr.ty) => {
                let room = self.temporary(expr.ty, span)?;
                self.aggregate_into(room, expr.ty, expr)
            }
            _ => self.value(expr).map(|_| ()),
        }
    }

    /// `place = value`
    fn assign(&mut self, place: &hir::Place, value: &Expr) -> Result<(), LowerError> {
        if !is_aggregate(self.program(), place.ty.ty) {
            // The value first: the place may change while it is computed.
            let result = self.value(value)?;
            return self.store_place(place, result);
        }
        match &value.kind {
            ExprKind::Load(from) => {
                let from = self.address(from)?;
                let to = self.address(place)?;
                self.copy_object(to, from, place.ty.ty, value.span)
            }
            ExprKind::Constant(_) => {
                let to = self.address(place)?;
                self.aggregate_into(to, place.ty.ty, value)
            }
            // The value may look at the place, so it is made elsewhere first.
            _ => {
                let room = self.temporary(place.ty.ty, value.span)?;
                self.aggregate_into(room, place.ty.ty, value)?;
                let to = self.address(place)?;
                self.copy_object(to, room, place.ty.ty, value.span)
            }
        }
    }

    pub(crate) fn let_pointer(&mut self, local: hir::LocalId, place: &hir::Place) -> Result<(), LowerError> {
        let ptr = self.address(place)?.ptr;
        if self.in_memory(local) {
            let (ty, _) = self.local_data(local, place.span)?;
            let address = self.local_memory(local, place.span)?;
            return self.store_object(address, ty, ptr, place.span);
        }
        self.set_local(local, Local::Value(ptr), place.span)
    }

    /// A local comes to life.
    pub(crate) fn bring_to_life(
        &mut self,
        local: hir::LocalId,
        value: Option<&Expr>,
        span: Span,
    ) -> Result<(), LowerError> {
        let Some(value) = value else { return self.local_memory(local, span).map(|_| ()) };
        let (ty, _) = self.local_data(local, span)?;
        if self.in_memory(local) {
            let address = self.local_memory(local, span)?;
            return self.initialise(address, ty, value);
        }
        let value = self.value(value)?;
        self.set_local(local, Local::Value(value), span)
    }

    fn conditional(
        &mut self,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
        whole: &Expr,
    ) -> Result<ValueId, LowerError> {
        let condition = self.value(condition)?;
        if self.ty(condition) != Type::I1 {
            let (first, second) = (self.value(then)?, self.value(otherwise)?);
            return Ok(self.select(condition, first, second));
        }
        if let Some(known) = self.function.as_int(condition) {
            return self.value(if known == 1 { then } else { otherwise });
        }
        let ty = self.value_type(whole.ty, whole.span)?;
        let (yes, no, join) = (self.add_block(), self.add_block(), self.add_block());
        self.cond_br(condition, yes, no);
        self.switch_to(yes);
        let first = self.value(then)?;
        let first_end = self.block;
        self.br(join);
        self.switch_to(no);
        let second = self.value(otherwise)?;
        let second_end = self.block;
        self.br(join);
        self.switch_to(join);
        Ok(self.phi(&ty, vec![(first_end, first), (second_end, second)]))
    }

    fn concatenate(&mut self, parts: &[Expr], whole: &Expr) -> Result<ValueId, LowerError> {
        let Type::Vector(scalar, lanes) = self.value_type(whole.ty, whole.span)? else {
            return Err(LowerError::malformed(whole.span, "components of what is no vector"));
        };
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            values.push(self.value(part)?);
        }
        if let [single] = values[..]
            && self.ty(single) == Type::Vector(scalar, lanes)
        {
            return Ok(single);
        }
        let constants: Option<Vec<_>> =
            values.iter().map(|value| self.function.typed_constant(*value)).collect();
        if let Some(constants) = constants
            && constants.len() as u32 == lanes
            && constants.iter().all(|constant| constant.ty == Type::Scalar(scalar))
        {
            return Ok(self.constant(TypedConstant {
                ty: Type::Vector(scalar, lanes),
                value: Constant::Aggregate(constants.into()),
            }));
        }
        let mut vector = self.poison(&Type::Vector(scalar, lanes));
        let mut at = 0;
        for value in values {
            if let Type::Vector(_, count) = self.ty(value) {
                for index in 0..count {
                    let element = self.extract(value, index);
                    vector = self.insert(vector, element, at);
                    at += 1;
                }
            } else {
                vector = self.insert(vector, value, at);
                at += 1;
            }
        }
        if at == lanes {
            Ok(vector)
        } else {
            Err(LowerError::malformed(whole.span, format!("{at} components of a vector of {lanes}")))
        }
    }

    fn extract_element(&mut self, inner: &Expr, index: &Expr, whole: &Expr) -> Result<ValueId, LowerError> {
        let value = self.value(inner)?;
        let constant = crate::place::constant_index(index);
        if let types::Type::Matrix { columns, .. } = self.shape(inner.ty) {
            if let Some(constant) = constant.filter(|index| *index < u32::from(*columns)) {
                return Ok(self.extract_value(value, constant));
            }
            let room = self.temporary(inner.ty, whole.span)?;
            self.store_object(room, inner.ty, value, whole.span)?;
            let offset = self.index_value(index)?;
            let column = self.memory_type(whole.ty, whole.span)?;
            let ptr = self.gep(&column, room.ptr, vec![offset]);
            let address = crate::place::Address { ptr, ..room };
            return self.load_object(address, whole.ty, whole.span);
        }
        if let Some(constant) = constant {
            return Ok(self.extract(value, constant));
        }
        let index = self.index_value(index)?;
        Ok(self.extract_at(value, index))
    }

    fn builtin(&mut self, call: &hir::BuiltinCall, whole: &Expr) -> Result<Option<ValueId>, LowerError> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            if matches!(self.shape(argument.ty), types::Type::Void) {
                return Err(LowerError::malformed(argument.span, "a void argument"));
            }
            arguments.push(self.value(argument)?);
        }
        crate::builtins::lower(self, call, &arguments, whole.ty, whole.span)
    }

    fn is_defined(&mut self, global: hir::GlobalId, span: Span) -> Result<ValueId, LowerError> {
        if !matches!(self.program().global(global).kind, hir::GlobalKind::FunctionConstant { .. }) {
            return Err(LowerError::malformed(span, "the definedness of what is no function constant"));
        }
        self.module.optional.insert(global);
        let id = self.module.initialiser(global)?;
        let ptr = self.constant(TypedConstant {
            ty: Type::ptr(mw_air::AddressSpace::CONSTANT),
            value: Constant::Global(id),
        });
        Ok(self.call_value("air.is_function_constant_defined", &Type::I1, &[ptr]))
    }
}
