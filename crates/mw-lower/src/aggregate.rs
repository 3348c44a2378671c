//! Records and arrays, which are made in place; and calls, which may give one.

use mw_air::{Type, ValueId};
use mw_msl::hir::{self, Cast, Expr, ExprKind, FunctionId};
use mw_msl::types::{self, TypeId};
use mw_source::Span;

use crate::context::FunctionLowering;
use crate::error::LowerError;
use crate::module::ModuleLowering;
use crate::place::Address;
use crate::types::is_aggregate;

impl FunctionLowering<'_, '_> {
    /// Makes a record or array at a place that the expression cannot see.
    pub(crate) fn aggregate_into(&mut self, to: Address, ty: TypeId, expr: &Expr) -> Result<(), LowerError> {
        self.enter(expr.span)?;
        let result = self.aggregate_inner(to, ty, expr);
        self.depth -= 1;
        result
    }

    fn aggregate_inner(&mut self, to: Address, ty: TypeId, expr: &Expr) -> Result<(), LowerError> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(constant) => self.constant_into(to, ty, constant, span),
            ExprKind::Load(place) => {
                let from = self.address(place)?;
                self.copy_object(to, from, ty, span)
            }
            ExprKind::Aggregate(parts) => self.list_into(to, ty, parts, span),
            ExprKind::UnionField(index, value) => {
                let types::Type::Record(record) = self.shape(ty) else {
                    return Err(LowerError::malformed(span, "a union member of what is no union"));
                };
                let field_ty = self.field_type(*record, *index, span)?;
                let address = self.field(to, *record, *index, span)?;
                self.initialise(address, field_ty, value)
            }
            ExprKind::Construct { constructor, arguments } => {
                self.call(*constructor, None, arguments, Some((to, ty)), span).map(|_| ())
            }
            ExprKind::Call { function, arguments } => {
                self.make_in_thread_memory(to, ty, span, |this, room| {
                    this.call(*function, Some(room), arguments, None, span).map(|_| ())
                })
            }
            ExprKind::CallPointer { pointer, arguments } => {
                self.make_in_thread_memory(to, ty, span, |this, room| {
                    this.call_through(pointer, arguments, Some(room), span).map(|_| ())
                })
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.value(condition)?;
                if let Some(known) = self.function.as_int(condition) {
                    return self.aggregate_into(to, ty, if known == 1 { then } else { otherwise });
                }
                let (yes, no, join) = (self.add_block(), self.add_block(), self.add_block());
                self.cond_br(condition, yes, no);
                self.switch_to(yes);
                self.aggregate_into(to, ty, then)?;
                self.br(join);
                self.switch_to(no);
                self.aggregate_into(to, ty, otherwise)?;
                self.br(join);
                self.switch_to(join);
                Ok(())
            }
            ExprKind::Sequence(first, second) => {
                self.effect(first)?;
                self.aggregate_into(to, ty, second)
            }
            ExprKind::LetPointer { local, place, then } => {
                self.let_pointer(*local, place)?;
                self.aggregate_into(to, ty, then)
            }
            ExprKind::LetTemporary { local, value, then } => {
                self.bring_to_life(*local, Some(value), value.span)?;
                self.aggregate_into(to, ty, then)
            }
            ExprKind::Cast(Cast::Bits, inner) => {
                let room = self.wider_temporary(inner.ty, ty, span)?;
                self.initialise(room, inner.ty, inner)?;
                self.copy_object(to, room, ty, span)
            }
            ExprKind::Error => Err(LowerError::malformed(span, "an expression with an error")),
            _ => Err(LowerError::malformed(span, "a record or array out of arithmetic")),
        }
    }

    fn field_type(&self, record: types::RecordId, index: u32, span: Span) -> Result<TypeId, LowerError> {
        self.program()
            .record(record)
            .fields
            .get(index as usize)
            .map(|field| field.ty.ty)
            .ok_or_else(|| LowerError::malformed(span, "a member that its record does not have"))
    }

    fn list_into(&mut self, to: Address, ty: TypeId, parts: &[Expr], span: Span) -> Result<(), LowerError> {
        match self.shape(ty) {
            types::Type::Record(record) => {
                let record = *record;
                let data = self.program().record(record);
                if data.is_union {
                    self.zero_object(to, ty, span)?;
                }
                for (index, field) in data.fields.iter().enumerate() {
                    if data.is_union && index >= parts.len() {
                        break;
                    }
                    let address = self.field(to, record, index as u32, span)?;
                    match parts.get(index) {
                        Some(part) => self.initialise(address, field.ty.ty, part)?,
                        None => self.zero_object(address, field.ty.ty, span)?,
                    }
                }
                Ok(())
            }
            types::Type::Array(element, count) => {
                let (element, count) = (*element, *count);
                let memory = self.memory_type(element, span)?;
                let (size, _) = self.layout(element);
                if (parts.len() as u64) + 4 < count {
                    // Most of it is zero: at once, and then what is given.
                    self.zero_object(to, ty, span)?;
                }
                for index in 0..count {
                    let part = parts.get(index as usize);
                    if part.is_none() && (parts.len() as u64) + 4 < count {
                        break;
                    }
                    let address = if index == 0 {
                        to
                    } else {
                        let offset = self.i64(index);
                        let ptr = self.gep(&memory, to.ptr, vec![offset]);
                        let reach = 1_u64 << (index * size).trailing_zeros().min(30);
                        Address { ptr, align: to.align.min(reach as u32), ..to }
                    };
                    match part {
                        Some(part) => self.initialise(address, element, part)?,
                        None => self.zero_object(address, element, span)?,
                    }
                }
                Ok(())
            }
            _ => Err(LowerError::malformed(span, "a list for what is no record and no array")),
        }
    }

    fn constant_into(
        &mut self,
        to: Address,
        ty: TypeId,
        constant: &hir::Constant,
        span: Span,
    ) -> Result<(), LowerError> {
        if *constant == hir::Constant::Undefined {
            return Ok(());
        }
        if ModuleLowering::is_zero(constant) {
            return self.zero_object(to, ty, span);
        }
        let global = self.module.constant_object(ty, constant, span)?;
        let ptr = self.constant(mw_air::TypedConstant {
            ty: Type::ptr(mw_air::AddressSpace::CONSTANT),
            value: mw_air::Constant::Global(global),
        });
        let from = Address::new(ptr, self.layout(ty).1);
        self.copy_object(to, from, ty, span)
    }

    /// Functions write their results to thread memory; what belongs elsewhere is copied there.
    fn make_in_thread_memory(
        &mut self,
        to: Address,
        ty: TypeId,
        span: Span,
        make: impl FnOnce(&mut Self, Address) -> Result<(), LowerError>,
    ) -> Result<(), LowerError> {
        if self.space_of(to.ptr) == mw_air::AddressSpace::THREAD {
            return make(self, to);
        }
        let room = self.temporary(ty, span)?;
        make(self, room)?;
        self.copy_object(to, room, ty, span)
    }

    /// Room for a result of record type that nobody wants.
    pub(crate) fn result_room(&mut self, call: &Expr) -> Result<Option<Address>, LowerError> {
        if is_aggregate(self.program(), call.ty) {
            return self.temporary(call.ty, call.span).map(Some);
        }
        Ok(None)
    }

    /// Calls a function. `to` is where a result of record type goes; `this` is the object that a constructor
    /// makes, of which the arguments do not speak.
    pub(crate) fn call(
        &mut self,
        function: FunctionId,
        to: Option<Address>,
        arguments: &[Expr],
        this: Option<(Address, TypeId)>,
        span: Span,
    ) -> Result<Option<ValueId>, LowerError> {
        let callee = self.module.function(function)?;
        let ty = self.module.module.function(callee).ty.clone();
        let data = self.program().function(function);
        let mut values = Vec::with_capacity(ty.params.len());
        if is_aggregate(self.program(), data.result.ty) {
            let to = match to {
                Some(to) => to,
                None => self.temporary(data.result.ty, span)?,
            };
            values.push(to.ptr);
        }
        let mut room = None;
        if let Some((to, object)) = this {
            let wanted = ty.params.get(values.len()).and_then(Type::address_space);
            if wanted == Some(self.space_of(to.ptr)) {
                values.push(to.ptr);
            } else {
                let place = self.temporary(object, span)?;
                values.push(place.ptr);
                room = Some((place, to, object));
            }
        }
        for argument in arguments {
            values.push(self.argument(argument)?);
        }
        let fits = values.len() == ty.params.len()
            && values.iter().zip(&ty.params).all(|(value, param)| self.function.value_type(*value) == param);
        if !fits {
            return Err(LowerError::malformed(
                span,
                format!("the arguments of `{}` do not fit its parameters", data.name),
            ));
        }
        let result = self.call_function(callee, ty, values, Self::NO_FLAGS);
        if let Some((from, to, object)) = room {
            self.copy_object(to, from, object, span)?;
        }
        Ok(result)
    }

    /// An argument as it is passed: records as pointers to copies.
    fn argument(&mut self, argument: &Expr) -> Result<ValueId, LowerError> {
        if !is_aggregate(self.program(), argument.ty) {
            return self.value(argument);
        }
        let room = self.temporary(argument.ty, argument.span)?;
        self.aggregate_into(room, argument.ty, argument)?;
        Ok(room.ptr)
    }

    /// Calls through a pointer.
    pub(crate) fn call_through(
        &mut self,
        pointer: &Expr,
        arguments: &[Expr],
        to: Option<Address>,
        span: Span,
    ) -> Result<Option<ValueId>, LowerError> {
        let Some(target) = self.pointee(pointer.ty) else {
            return Err(LowerError::malformed(span, "a call through what is no pointer"));
        };
        let ty = self.function_type(target, span)?;
        let callee = self.value(pointer)?;
        let mut values = Vec::with_capacity(ty.params.len());
        if let types::Type::Function { result, .. } = self.shape(target.ty)
            && is_aggregate(self.program(), result.ty)
        {
            let to = match to {
                Some(to) => to,
                None => self.temporary(result.ty, span)?,
            };
            values.push(to.ptr);
        }
        for argument in arguments {
            values.push(self.argument(argument)?);
        }
        Ok(self.call_pointer(callee, ty, values))
    }
}
