//! `a[i]`: elements of arrays, pointers, vectors and matrices.

use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::OverloadedOperator;
use crate::hir::{Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::{QualType, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// `a[i]`
    pub(crate) fn index(&mut self, object: Val<'a>, index: Val<'a>, span: Span) -> R<Val<'a>> {
        let ty = object.ty().ok_or(Failed)?;
        match self.ty(ty.ty).clone() {
            Type::Error => Err(Failed),
            Type::Record(_) => {
                let args = vec![object, index];
                match self.overloaded(OverloadedOperator::Index, args.clone(), span)? {
                    Some(value) => Ok(value),
                    None => {
                        if let Some(Type::Record(_)) = args[0].ty().map(|ty| self.ty(ty.ty).clone())
                            && let Ok(pointer) = self.quietly(|s| s.scalar_from_record(args[0].clone(), span))
                            && let Type::Pointer(_) = self.ty(pointer.ty)
                        {
                            return self.index(Val::Value(pointer), args[1].clone(), span);
                        }
                        self.fail(|s| {
                            let shown = s.show(QualType::plain(ty.ty));
                            Diagnostic::new(
                                &codes::INVALID_OPERANDS,
                                span,
                                format!("`{shown}` cannot be indexed so"),
                            )
                        })
                    }
                }
            }
            Type::Array(element, _) => {
                let place = self.place_of(object, span)?;
                let index = self.index_value(index, span)?;
                let ty = QualType { ty: element, ..place.ty };
                Ok(Val::Place(
                    Place { kind: PlaceKind::Index(Box::new(place), Box::new(index)), ty, span },
                    false,
                ))
            }
            Type::Pointer(target) => {
                self.check_element(target, span)?;
                let pointer = self.rvalue(object, span)?;
                let index = self.index_value(index, span)?;
                if let ExprKind::Constant(Constant::Int(0)) = index.kind {
                    let mut place = self.deref(pointer, target);
                    place.span = span;
                    return Ok(Val::Place(place, false));
                }
                let ty = pointer.ty;
                let element = Expr {
                    kind: ExprKind::PointerOffset {
                        pointer: Box::new(pointer),
                        offset: Box::new(index),
                        is_subtraction: false,
                    },
                    ty,
                    span,
                };
                Ok(Val::Place(Place { kind: PlaceKind::Deref(Box::new(element)), ty: target, span }, false))
            }
            Type::UnsizedArray(_) => {
                let pointer = self.rvalue(object, span)?;
                self.index(Val::Value(pointer), index, span)
            }
            Type::Vector(element, _) | Type::PackedVector(element, _) => {
                let element = self.scalar(element);
                self.element(object, index, element, span)
            }
            Type::Matrix { element, rows, .. } => {
                let column = self.intern(Type::Vector(element, rows));
                self.element(object, index, column, span)
            }
            // `i[a]`
            Type::Scalar(_)
                if index
                    .ty()
                    .is_some_and(|ty| matches!(self.ty(ty.ty), Type::Pointer(_) | Type::Array(..))) =>
            {
                self.index(index, object, span)
            }
            _ => self.fail(|s| {
                let shown = s.show(QualType::plain(ty.ty));
                Diagnostic::new(&codes::INVALID_OPERANDS, span, format!("`{shown}` cannot be indexed"))
                    .note("arrays, pointers, vectors and matrices can")
            }),
        }
    }

    fn index_value(&mut self, index: Val<'a>, span: Span) -> R<Expr> {
        let span = self.value_span(&index).unwrap_or(span);
        let index = match index.ty() {
            Some(ty) if self.is_record(ty.ty) => self.scalar_from_record(index, span)?,
            _ => self.rvalue(index, span)?,
        };
        self.wide_index(index, span)
    }

    /// A component of a vector or column of a matrix.
    pub(crate) fn element(
        &mut self,
        object: Val<'a>,
        index: Val<'a>,
        element: TypeId,
        span: Span,
    ) -> R<Val<'a>> {
        let index = self.index_value(index, span)?;
        match object {
            Val::Place(place, is_expiring) => {
                let ty = QualType { ty: element, ..place.ty };
                Ok(Val::Place(
                    Place { kind: PlaceKind::Index(Box::new(place), Box::new(index)), ty, span },
                    is_expiring,
                ))
            }
            object => {
                let value = self.rvalue(object, span)?;
                let value = self.unpack(value);
                Ok(Val::Value(Expr {
                    kind: ExprKind::Extract(Box::new(value), Box::new(index)),
                    ty: element,
                    span,
                }))
            }
        }
    }
}
