//! Assignments, and what may be changed.

use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, BinaryOp, ExprKind as Ast, OverloadedOperator, UnaryOp};
use crate::hir::{Cast, Expr, ExprKind, Place, PlaceKind};
use crate::types::{QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// Fails for what cannot be changed.
    pub(crate) fn check_assignable(&mut self, place: &Place, span: Span) -> R<()> {
        if self.is_error(place.ty.ty) {
            return Err(Failed);
        }
        if let PlaceKind::Temporary(..) = place.kind
            && !self.is_record(place.ty.ty)
        {
            return self.not_a_variable(span);
        }
        if let Type::Array(..) = self.ty(place.ty.ty) {
            return self.fail(|_| {
                Diagnostic::new(&codes::NOT_ASSIGNABLE, span, "an array cannot be assigned as a whole")
                    .help("copy its elements in a loop, or use `array<T, N>`")
            });
        }
        if let PlaceKind::Swizzle(_, components) = &place.kind {
            let mut seen = 0u8;
            for component in components {
                if seen & (1 << component) != 0 {
                    return self.error(
                        &codes::NOT_ASSIGNABLE,
                        span,
                        "a component is named twice on the left side",
                    );
                }
                seen |= 1 << component;
            }
        }
        if place.ty.is_const || place.ty.space == crate::types::AddressSpace::Constant {
            let ty = place.ty;
            let is_static = super::visit::root_global(place).is_some();
            return self.fail(|s| {
                let shown = s.show(ty);
                let diagnostic = Diagnostic::new(
                    &codes::NOT_ASSIGNABLE,
                    span,
                    format!("an object of type `{shown}` cannot be changed"),
                );
                if ty.space == crate::types::AddressSpace::Constant {
                    diagnostic
                        .label("lives in `constant` memory")
                        .note(
                            "`constant` memory is read-only (MSL specification, \"constant Address Space\")",
                        )
                        .help(if is_static {
                            "variables at program scope and `static` ones are constant: use a local variable, or a `device` buffer"
                        } else {
                            "declare the buffer `device` to write to it"
                        })
                } else {
                    diagnostic.label("is `const`")
                }
            });
        }
        Ok(())
    }

    /// A place that may be evaluated several times; what to bind first, if anything.
    pub(crate) fn repeatable(&mut self, place: Place) -> (Option<(crate::hir::LocalId, Place)>, Place) {
        if Self::is_repeatable(&place) {
            return (None, place);
        }
        let span = place.span;
        match place.kind {
            // Only the object in the middle must be found once.
            PlaceKind::Swizzle(inner, components) => {
                let (wrap, inner) = self.repeatable(*inner);
                (wrap, Place { kind: PlaceKind::Swizzle(Box::new(inner), components), ty: place.ty, span })
            }
            PlaceKind::Temporary(..) => (None, place),
            _ => {
                let pointer = self.intern(Type::Pointer(place.ty));
                let local = self.new_local("", QualType::plain(pointer), span);
                let ty = place.ty;
                let load = self.load(self.local_place(local, span));
                let again = Place { kind: PlaceKind::Deref(Box::new(load)), ty, span };
                (Some((local, place)), again)
            }
        }
    }

    pub(crate) fn wrapped(wrap: Option<(crate::hir::LocalId, Place)>, then: Expr) -> Expr {
        match wrap {
            None => then,
            Some((local, place)) => {
                let (ty, span) = (then.ty, then.span);
                Expr {
                    kind: ExprKind::LetPointer { local, place: Box::new(place), then: Box::new(then) },
                    ty,
                    span,
                }
            }
        }
    }

    pub(crate) fn assign_expr(&mut self, place: Place, value: Expr, span: Span) -> Expr {
        let value = if self.is_in_memory(value.ty)
            && !matches!(value.kind, ExprKind::Load(_) | ExprKind::Call { .. } | ExprKind::CallPointer { .. })
        {
            // The new value may be made from the old one: it is complete before it is stored.
            let temporary = self.materialize(value);
            self.load(temporary)
        } else {
            value
        };
        Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty: self.t.void, span }
    }

    fn not_a_variable<T>(&mut self, span: Span) -> R<T> {
        self.fail(|_| {
            Diagnostic::new(
                &codes::NOT_ASSIGNABLE,
                span,
                "a value that lives in no variable cannot be changed",
            )
            .label("is a value, no variable")
        })
    }

    /// `a = b`, `a op= b`
    pub(crate) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        target: Val<'a>,
        value: Val<'a>,
        (target_span, value_span): (Span, Span),
        span: Span,
    ) -> R<Val<'a>> {
        if let Some(op) = op {
            return self.compound(op, target, value, span);
        }
        let ty = target.ty().ok_or(Failed)?;
        if let Type::Record(record) = *self.ty(ty.ty) {
            let _ = self.complete(record);
            if self.is_user_assignable(record) {
                let args = vec![target.clone(), value.clone()];
                if let Some(result) = self.overloaded(OverloadedOperator::Assign, args, span)? {
                    return Ok(result);
                }
            }
        }
        if let Val::Value(_) = &target
            && !self.is_record(ty.ty)
        {
            return self.not_a_variable(target_span);
        }
        if let Type::Atomic(_) = self.ty(ty.ty) {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::INVALID_OPERANDS,
                    target_span,
                    "an atomic object cannot be assigned like a variable",
                )
                .help("write `atomic_store_explicit(&x, value, memory_order_relaxed)`")
            });
        }
        let place = self.place_of(target, span)?;
        self.check_assignable(&place, target_span)?;
        let value = self.convert_for(value, QualType::plain(ty.ty), value_span, target_span, place.ty)?;
        let (wrap, place) = self.repeatable(place);
        let effect = self.assign_expr(place.clone(), value, span);
        Ok(Val::After(Box::new(Self::wrapped(wrap, effect)), place))
    }

    fn is_user_assignable(&self, record: crate::types::RecordId) -> bool {
        let info = &self.records[record.0 as usize];
        info.is_user_assignable || info.bases.iter().any(|base| self.is_user_assignable(*base))
    }

    pub(crate) fn compound(
        &mut self,
        op: BinaryOp,
        target: Val<'a>,
        value: Val<'a>,
        span: Span,
    ) -> R<Val<'a>> {
        if self.may_overload(&target) || self.may_overload(&value) {
            let args = vec![target.clone(), value.clone()];
            if let Some(result) = self.overloaded(OverloadedOperator::CompoundAssign(op), args, span)? {
                return Ok(result);
            }
        }
        let target_span = match &target {
            Val::Place(place, _) | Val::After(_, place) => place.span,
            Val::Value(value) => return self.not_a_variable(value.span),
            Val::Functions(..) | Val::List(_) | Val::Method(..) => return self.not_a_variable(span),
        };
        if let Some(ty) = target.ty()
            && let Type::Atomic(_) = self.ty(ty.ty)
        {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::INVALID_OPERANDS,
                    target_span,
                    "an atomic object cannot be changed like a variable",
                )
                .help(format!(
                    "write `atomic_fetch_{}_explicit(&x, value, memory_order_relaxed)`",
                    match op {
                        BinaryOp::Sub => "sub",
                        BinaryOp::And => "and",
                        BinaryOp::Or => "or",
                        BinaryOp::Xor => "xor",
                        _ => "add",
                    }
                ))
            });
        }
        let place = self.place_of(target, span)?;
        self.check_assignable(&place, target_span)?;
        let (wrap, place) = self.repeatable(place);
        let old = match self.is_record(place.ty.ty) {
            true => Val::Place(place.clone(), false),
            false => Val::Value(self.read(place.clone())?),
        };
        let sum = self.binary(op, old, value, span)?;
        let sum = self.narrowed(sum, place.ty, span)?;
        let effect = self.assign_expr(place.clone(), sum, span);
        Ok(Val::After(Box::new(Self::wrapped(wrap, effect)), place))
    }

    /// The result of an operation back in the type of its target.
    pub(crate) fn narrowed(&mut self, value: Val<'a>, to: QualType, span: Span) -> R<Expr> {
        let target = QualType::plain(to.ty);
        let ty = value.ty().ok_or(Failed)?;
        match (self.ty(ty.ty).clone(), self.ty(to.ty).clone()) {
            (Type::Vector(element, n), Type::PackedVector(other, m)) if element == other && n == m => {
                let value = self.rvalue(value, span)?;
                Ok(self.cast(Cast::Packed, value, to.ty))
            }
            (Type::Vector(..), Type::Scalar(_)) => {
                let from = ty.ty;
                self.fail(|s| s.no_conversion(from, to.ty, span))
            }
            _ => self.convert(value, target, span),
        }
    }

    /// Is an expression an increment whose old value nobody takes?
    pub(crate) fn statement_expr(&mut self, expr: &'a ast::Expr) -> R<Expr> {
        match &expr.kind {
            Ast::Paren(inner) => self.statement_expr(inner),
            Ast::Unary(op @ (UnaryOp::PostIncrement | UnaryOp::PostDecrement), inner) => {
                let value = self.expr(inner)?;
                if self.may_overload(&value) {
                    let value = self.unary(*op, inner, expr.span)?;
                    return self.discard(value, expr.span);
                }
                let one = self.one_for(&value, expr.span);
                let op = if *op == UnaryOp::PostIncrement { BinaryOp::Add } else { BinaryOp::Sub };
                let value = self.compound(op, value, Val::Value(one), expr.span)?;
                self.discard(value, expr.span)
            }
            Ast::Comma(first, then) => {
                let first = self.statement_expr(first)?;
                let then = self.statement_expr(then)?;
                Ok(self.sequence(first, then))
            }
            _ => {
                let value = self.expr(expr)?;
                self.discard(value, expr.span)
            }
        }
    }
}
