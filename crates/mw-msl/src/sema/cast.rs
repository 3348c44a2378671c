//! Casts.

use super::report::{across_spaces, forbidden};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, CastStyle};
use crate::hir::{Cast, Constant, Expr, ExprKind as Hir};
use crate::types::{QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    pub(crate) fn resolve_constructed(
        &mut self,
        ty: &'a ast::Type,
        first: Option<&'a ast::Expr>,
    ) -> R<QualType> {
        if let ast::TypeKind::Auto = ty.kind
            && let Some(first) = first
        {
            return self.unevaluated_type(first).map(|ty| QualType::plain(ty.ty));
        }
        // `T(x)` may turn out to be a call.
        self.resolve(ty)
    }

    pub(crate) fn cast_expr(
        &mut self,
        style: CastStyle,
        ty: &'a ast::Type,
        inner: &'a ast::Expr,
        span: Span,
    ) -> R<Val<'a>> {
        if style == CastStyle::Dynamic {
            return self.fail(|_| {
                forbidden(span, "`dynamic_cast`").help("write `static_cast` where the class is known")
            });
        }
        let to = self.resolve(ty);
        let value = self.expr(inner)?;
        self.cast_to(value, to?, style, span)
    }

    /// An explicit conversion.
    pub(crate) fn cast_to(
        &mut self,
        value: Val<'a>,
        to: QualType,
        style: CastStyle,
        span: Span,
    ) -> R<Val<'a>> {
        if let Type::Reference { target, is_rvalue } = *self.ty(to.ty) {
            return self.cast_to_reference(value, target, is_rvalue, style, span);
        }
        if to.ty == self.t.void {
            let value = self.discard(value, span)?;
            return Ok(Val::Value(value));
        }
        if let Val::List(list) = value {
            return self.initialize_from_list(list, to, span).map(Val::Value);
        }
        if let Val::Functions(..) = &value {
            return self.convert(value, to, span).map(Val::Value);
        }
        let from = value.ty().ok_or(Failed)?;
        if self.is_error(from.ty) || self.is_error(to.ty) {
            return Err(Failed);
        }
        let from_is_record = self.is_record(from.ty);
        if let Type::Record(record) = *self.ty(to.ty) {
            if from.ty == to.ty {
                return self.convert(value, QualType::plain(to.ty), span).map(Val::Value);
            }
            if from_is_record && self.standard(from.ty, to.ty).is_some() {
                return self.convert(value, QualType::plain(to.ty), span).map(Val::Value);
            }
            if let Some(conversion) = self.user_conversion(&value, to, true) {
                return self.apply_user(value, conversion, to, span).map(Val::Value);
            }
            return self.construct_record(record, vec![value], true, span).map(Val::Value);
        }
        if from_is_record {
            return match self.user_conversion(&value, to, true) {
                Some(conversion) => self.apply_user(value, conversion, to, span).map(Val::Value),
                None => self.fail(|s| s.no_conversion(from.ty, to.ty, span)),
            };
        }
        let value = self.rvalue(value, span)?;
        self.cast_value(value, to, style, span).map(Val::Value)
    }

    fn cast_to_reference(
        &mut self,
        value: Val<'a>,
        target: QualType,
        is_rvalue: bool,
        style: CastStyle,
        span: Span,
    ) -> R<Val<'a>> {
        let from = value.ty().ok_or(Failed)?;
        let place = self.place_of(value, span)?;
        if from.space != target.space {
            return self.fail(|s| {
                let (a, b) = (s.show(from), s.show(target));
                across_spaces(span, "lives in", from.space, format!("cannot convert `{a}` to `{b} &`"))
            });
        }
        if from.ty == target.ty {
            let mut pointer = self.address(place);
            pointer.ty = self.intern(Type::Pointer(target));
            return Ok(Val::Place(self.deref(pointer, target), is_rvalue));
        }
        if let (Type::Record(a), Type::Record(b)) = (self.ty(from.ty).clone(), self.ty(target.ty).clone())
            && self.base_path(a, b).is_some()
        {
            let place = self.upcast(place, target)?;
            return Ok(Val::Place(place, is_rvalue));
        }
        if matches!(style, CastStyle::Reinterpret | CastStyle::C) {
            let pointer = self.address(place);
            let ty = self.intern(Type::Pointer(target));
            let pointer = self.cast(Cast::Pointer, pointer, ty);
            return Ok(Val::Place(self.deref(pointer, target), is_rvalue));
        }
        let value = self.read(place)?;
        let converted = self.convert(Val::Value(value), QualType::plain(target.ty), span)?;
        Ok(Val::Place(self.materialize(converted), is_rvalue))
    }

    fn cast_value(&mut self, value: Expr, to: QualType, style: CastStyle, span: Span) -> R<Expr> {
        let from = value.ty;
        if style == CastStyle::Reinterpret
            && from != to.ty
            && !matches!(self.ty(from), Type::Pointer(_) | Type::NullPointer)
            && !matches!(self.ty(to.ty), Type::Pointer(_))
        {
            let same_size = self.program.layout(from).0 == self.program.layout(to.ty).0;
            return self.fail(|s| {
                let (from, to) = (s.show_type(from), s.show(to));
                let diagnostic = Diagnostic::new(
                    &codes::NO_CONVERSION,
                    span,
                    format!("`reinterpret_cast` does not make a `{to}` of a `{from}`"),
                )
                .note("it converts pointers");
                if same_size {
                    diagnostic.help(format!(
                        "write `as_type<{to}>(…)` for the same bits, `{to}(…)` for the same value"
                    ))
                } else {
                    diagnostic.help(format!("write `{to}(…)`"))
                }
            });
        }
        let value = match self.apply_standard(value, to.ty)? {
            Ok(converted) => return Ok(converted),
            Err(value) => value,
        };
        let reinterprets = matches!(style, CastStyle::Reinterpret | CastStyle::C);
        match (self.ty(value.ty).clone(), self.ty(to.ty).clone()) {
            (Type::Vector(_, n), Type::Vector(_, m)) if n == m => Ok(self.numeric(value, to.ty)),
            (Type::PackedVector(..), Type::Vector(..)) => {
                let value = self.unpack(value);
                self.cast_value(value, to, style, span)
            }
            (Type::Vector(_, n) | Type::PackedVector(_, n), Type::PackedVector(element, m)) if n == m => {
                let value = self.unpack(value);
                let vector = self.intern(Type::Vector(element, m));
                let value = self.numeric(value, vector);
                Ok(self.cast(Cast::Packed, value, to.ty))
            }
            (Type::Matrix { columns: a, rows: b, .. }, Type::Matrix { columns: c, rows: d, .. })
                if a == c && b == d =>
            {
                Ok(self.cast(Cast::Matrix, value, to.ty))
            }
            (Type::SimdgroupMatrix { .. }, Type::SimdgroupMatrix { .. }) => {
                Ok(self.cast(Cast::SimdgroupMatrix, value, to.ty))
            }
            (Type::Enum(_), Type::Scalar(_)) => Ok(self.enum_to_scalar(value, to.ty)),
            (Type::Scalar(_) | Type::Enum(_), Type::Enum(id)) => {
                let underlying = self.program.enumeration(id).underlying;
                let underlying = self.scalar(underlying);
                let value = match self.ty(value.ty) {
                    Type::Enum(_) => self.enum_to_scalar(value, underlying),
                    _ => self.numeric(value, underlying),
                };
                Ok(match value.kind {
                    Hir::Constant(constant) => {
                        let constant = match constant {
                            Constant::Bool(truth) => Constant::Int(i128::from(truth)),
                            other => other,
                        };
                        self.constant(to.ty, constant, span)
                    }
                    _ => self.cast(Cast::Enum, value, to.ty),
                })
            }
            (Type::Pointer(a), Type::Pointer(b)) => {
                if a.space != b.space {
                    return self.fail(|s| s.no_conversion(from, to.ty, span));
                }
                if style == CastStyle::Static
                    && !matches!(self.ty(a.ty), Type::Void)
                    && !matches!(self.ty(b.ty), Type::Void)
                    && a.ty != b.ty
                {
                    if let (Type::Record(derived), Type::Record(base)) =
                        (self.ty(b.ty).clone(), self.ty(a.ty).clone())
                        && self.base_path(derived, base).is_some()
                    {
                        return Ok(self.cast(Cast::Pointer, value, to.ty));
                    }
                    return self.fail(|s| s.no_conversion(from, to.ty, span));
                }
                Ok(self.cast(Cast::Pointer, value, to.ty))
            }
            (Type::Pointer(_), Type::Scalar(scalar)) if reinterprets && scalar.is_integer() => {
                let ulong = self.t.ulong;
                let number = self.cast(Cast::PointerToInt, value, ulong);
                Ok(self.numeric(number, to.ty))
            }
            (Type::Scalar(scalar), Type::Pointer(_)) if reinterprets && scalar.is_integer() => {
                let ulong = self.t.ulong;
                let number = self.numeric(value, ulong);
                Ok(self.cast(Cast::IntToPointer, number, to.ty))
            }
            _ => self.fail(|s| s.no_conversion(from, to.ty, span)),
        }
    }
}
