//! `?:`, and the common type of two operands.

use super::convert::usual;
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self};
use crate::hir::{Cast, Constant, Expr, ExprKind as Hir};
use crate::types::{QualType, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    pub(crate) fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        span: Span,
    ) -> R<Val<'a>> {
        let test = self.expr(condition)?;
        let then = self.expr(then)?;
        let otherwise = self.expr(otherwise)?;
        let test_type = test.ty().map(|ty| self.ty(ty.ty).clone());
        if let Some(Type::Vector(_, len)) = test_type {
            let test = self.rvalue(test, span)?;
            let bools = self.intern(Type::Vector(Scalar::Bool, len));
            let test = self.numeric(test, bools);
            let then = self.rvalue(then, span)?;
            let otherwise = self.rvalue(otherwise, span)?;
            let (then, otherwise) = self.balance(then, otherwise, span)?;
            let (then, otherwise) = match self.ty(then.ty).clone() {
                Type::Scalar(scalar) => {
                    let vector = self.intern(Type::Vector(scalar, len));
                    (self.splat(then, vector), self.splat(otherwise, vector))
                }
                _ => (then, otherwise),
            };
            let ty = then.ty;
            return Ok(Val::Value(Expr {
                kind: Hir::Conditional(Box::new(test), Box::new(then), Box::new(otherwise)),
                ty,
                span,
            }));
        }
        let test = self.condition(test, condition.span)?;
        // A known condition chooses when compiling; both sides were checked.
        let make = |test: Expr, then: Expr, otherwise: Expr| {
            let ty = then.ty;
            Expr { kind: Hir::Conditional(Box::new(test), Box::new(then), Box::new(otherwise)), ty, span }
        };
        let (Some(a), Some(b)) = (self.branch_type(&then), self.branch_type(&otherwise)) else {
            // A list or overloaded name takes the other side's type.
            let target = self.branch_type(&then).or(self.branch_type(&otherwise));
            let Some(target) = target else {
                return self.error(&codes::INVALID_OPERANDS, span, "neither side of `?:` has a type");
            };
            let to = QualType::plain(target.ty);
            let then = self.convert(then, to, span)?;
            let otherwise = self.convert(otherwise, to, span)?;
            return Ok(Val::Value(make(test, then, otherwise)));
        };
        if a.ty == b.ty && self.is_in_memory(a.ty) {
            if let (Val::Place(..), Val::Place(..)) = (&then, &otherwise)
                && a.space == b.space
            {
                let target = QualType { is_const: a.is_const || b.is_const, ..a };
                let pointer = self.intern(Type::Pointer(target));
                let then = self.place_of(then, span)?;
                let otherwise = self.place_of(otherwise, span)?;
                let (mut then, mut otherwise) = (self.address(then), self.address(otherwise));
                then.ty = pointer;
                otherwise.ty = pointer;
                let chosen = make(test, then, otherwise);
                return Ok(Val::Place(self.deref(chosen, target), false));
            }
            let to = QualType::plain(a.ty);
            let then = self.convert(then, to, span)?;
            let otherwise = self.convert(otherwise, to, span)?;
            return Ok(Val::Value(make(test, then, otherwise)));
        }
        if self.is_record(a.ty) || self.is_record(b.ty) {
            let to_a = self.implicit(&otherwise, QualType::plain(a.ty), true).is_some();
            let to_b = self.implicit(&then, QualType::plain(b.ty), true).is_some();
            let target = if to_a && (!to_b || self.is_record(a.ty)) {
                a
            } else if to_b {
                b
            } else {
                let (x, y) = (self.show(QualType::plain(a.ty)), self.show(QualType::plain(b.ty)));
                return self.error(
                    &codes::INVALID_OPERANDS,
                    span,
                    format!("the two sides of `?:` have different types, `{x}` and `{y}`"),
                );
            };
            let to = QualType::plain(target.ty);
            let then = self.convert(then, to, span)?;
            let otherwise = self.convert(otherwise, to, span)?;
            return Ok(Val::Value(make(test, then, otherwise)));
        }
        let then = self.rvalue(then, span)?;
        let otherwise = self.rvalue(otherwise, span)?;
        let (then, otherwise) = self.balance(then, otherwise, span)?;
        Ok(Val::Value(make(test, then, otherwise)))
    }

    fn branch_type(&mut self, value: &Val<'a>) -> Option<QualType> {
        value.ty()
    }

    /// Brings two values to their common type.
    pub(crate) fn balance(&mut self, a: Expr, b: Expr, span: Span) -> R<(Expr, Expr)> {
        if a.ty == b.ty {
            return Ok((a, b));
        }
        let a = self.unpack(a);
        let b = self.unpack(b);
        match (self.ty(a.ty).clone(), self.ty(b.ty).clone()) {
            _ if a.ty == b.ty => Ok((a, b)),
            (Type::Scalar(x), Type::Scalar(y)) => {
                let ty = self.scalar(usual(x, y));
                Ok((self.numeric(a, ty), self.numeric(b, ty)))
            }
            (Type::Enum(_), Type::Scalar(_) | Type::Enum(_)) | (Type::Scalar(_), Type::Enum(_)) => {
                let a = self.promoted(a)?;
                let b = self.promoted(b)?;
                let (Some(x), Some(y)) = (self.as_scalar(a.ty), self.as_scalar(b.ty)) else {
                    return self.cannot_balance(&a, &b, span);
                };
                let ty = self.scalar(usual(x, y));
                Ok((self.numeric(a, ty), self.numeric(b, ty)))
            }
            (Type::Vector(element, _), Type::Scalar(from)) => {
                let b = self.splat_operand(b, from, element, a.ty, span)?;
                Ok((a, b))
            }
            (Type::Scalar(from), Type::Vector(element, _)) => {
                let a = self.splat_operand(a, from, element, b.ty, span)?;
                Ok((a, b))
            }
            (Type::Pointer(_), Type::NullPointer) => {
                let null = self.constant(a.ty, Constant::Zero, b.span);
                Ok((a, null))
            }
            (Type::NullPointer, Type::Pointer(_)) => {
                let null = self.constant(b.ty, Constant::Zero, a.span);
                Ok((null, b))
            }
            (Type::Pointer(_), Type::Scalar(_)) if matches!(b.kind, Hir::Constant(Constant::Int(0))) => {
                let null = self.constant(a.ty, Constant::Zero, b.span);
                Ok((a, null))
            }
            (Type::Scalar(_), Type::Pointer(_)) if matches!(a.kind, Hir::Constant(Constant::Int(0))) => {
                let null = self.constant(b.ty, Constant::Zero, a.span);
                Ok((null, b))
            }
            (Type::Pointer(x), Type::Pointer(y)) => {
                if x.space != y.space {
                    return self.different_spaces(&a, &b, span);
                }
                if self.standard(a.ty, b.ty).is_none() && self.standard(b.ty, a.ty).is_none() {
                    return self.cannot_balance(&a, &b, span);
                }
                if self.standard(a.ty, b.ty).is_some() {
                    let to = b.ty;
                    let a = self.convert(Val::Value(a), QualType::plain(to), span)?;
                    return Ok((a, b));
                }
                let to = a.ty;
                let b = self.convert(Val::Value(b), QualType::plain(to), span)?;
                Ok((a, b))
            }
            _ => self.cannot_balance(&a, &b, span),
        }
    }

    /// A scalar beside a vector becomes a vector of its elements.
    fn splat_operand(
        &mut self,
        value: Expr,
        from: Scalar,
        element: Scalar,
        vector: TypeId,
        span: Span,
    ) -> R<Expr> {
        if from.is_float() && !element.is_float() {
            return self.fail(|s| {
                let (x, y) = (s.show(QualType::plain(vector)), from.name());
                Diagnostic::new(&codes::INVALID_OPERANDS, span, format!("`{y}` does not go with `{x}`"))
                    .note("a floating-point number does not become an integer by itself beside a vector")
                    .help(format!("convert one of them: `{}(…)`", element.name()))
            });
        }
        let element = self.scalar(element);
        let value = self.numeric(value, element);
        Ok(self.splat(value, vector))
    }

    /// Two pointers, of which one must be chosen or which are compared.
    pub(crate) fn different_spaces<T>(&mut self, a: &Expr, b: &Expr, span: Span) -> R<T> {
        let operands = [(a.span, a.ty), (b.span, b.ty)];
        self.fail(|s| {
            let [(left, x), (right, y)] = operands;
            let space = |ty: TypeId| match s.ty(ty) {
                Type::Pointer(target) => target.space.name(),
                _ => "thread",
            };
            let (x, y) = (space(x), space(y));
            Diagnostic::new(
                &codes::ADDRESS_SPACE_MISMATCH,
                span,
                format!("one pointer leads to `{x}` memory, the other to `{y}` memory"),
            )
            .with_label(left, format!("points to `{x}` memory"))
            .with_label(right, format!("points to `{y}` memory"))
            .note(
                "pointers of different address spaces never convert (MSL specification, \"Address Spaces\")",
            )
            .help(
                "choose between the values: `c ? *p : *q`, or use an `if` with its own code for each memory",
            )
        })
    }

    fn cannot_balance<T>(&mut self, a: &Expr, b: &Expr, span: Span) -> R<T> {
        let (x, y) = (a.ty, b.ty);
        let (left, right) = (a.span, b.span);
        if self.is_error(x) || self.is_error(y) {
            return Err(Failed);
        }
        self.fail(|s| {
            let (x, y) = (s.show(QualType::plain(x)), s.show(QualType::plain(y)));
            let diagnostic = Diagnostic::new(
                &codes::INVALID_OPERANDS,
                span,
                format!("`{x}` and `{y}` have no common type"),
            );
            if left.end <= right.start && left.start >= span.start && right.end <= span.end {
                diagnostic.with_label(left, format!("is `{x}`")).with_label(right, format!("is `{y}`"))
            } else {
                diagnostic
            }
        })
    }

    /// A packed vector as the vector that it converts to.
    pub(crate) fn unpack(&mut self, value: Expr) -> Expr {
        match *self.ty(value.ty) {
            Type::PackedVector(element, len) => {
                let vector = self.intern(Type::Vector(element, len));
                self.cast(Cast::Packed, value, vector)
            }
            _ => value,
        }
    }

    /// An enumeration without scope as its integer.
    pub(crate) fn promoted(&mut self, value: Expr) -> R<Expr> {
        match *self.ty(value.ty) {
            Type::Enum(id) if !self.program.enumeration(id).is_scoped => {
                let underlying = self.program.enumeration(id).underlying;
                let ty = self.scalar(super::convert::promote(underlying));
                Ok(self.enum_to_scalar(value, ty))
            }
            _ => Ok(value),
        }
    }
}
