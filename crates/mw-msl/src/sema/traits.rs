//! `__is_…` and other questions about types that the compiler answers.

use super::value::Val;
use super::{R, Sema};
use crate::ast::{self, Ident};
use crate::hir::{Constant, PlaceKind};
use crate::types::{QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    pub(crate) fn type_trait(
        &mut self,
        name: Ident,
        arguments: &'a [ast::TemplateArgument],
        span: Span,
    ) -> R<Val<'a>> {
        let given = self.given_arguments(arguments)?;
        let mut types = Vec::with_capacity(given.len());
        for argument in given {
            match argument {
                super::arguments::Given::Syntax(argument, scope) => {
                    types.push(self.within(scope, |s| s.expanded_type(argument))?);
                }
                super::arguments::Given::Done(_) => {}
            }
        }
        let text = self.text(name.name);
        let Some(first) = types.first().copied() else {
            return self.error(&codes::TEMPLATE_ARGUMENTS, span, format!("`{text}` takes a type"));
        };
        let second = types.get(1).copied();
        let shape = self.ty(first.ty).clone();
        let answer = match (text, second) {
            ("__is_same", Some(second)) => first == second,
            ("__is_convertible" | "__is_convertible_to", Some(second)) => self.is_convertible(first, second),
            ("__is_base_of", Some(second)) => match (shape, self.ty(second.ty).clone()) {
                (Type::Record(base), Type::Record(derived)) => {
                    base == derived || self.base_path(derived, base).is_some()
                }
                _ => false,
            },
            ("__is_constructible" | "__is_trivially_constructible" | "__is_nothrow_constructible", _) => {
                self.is_constructible(first, &types[1..])
            }
            ("__is_assignable", Some(second)) => self.is_convertible(second, first),
            ("__is_empty", _) => match shape {
                Type::Record(record) => self.complete(record).is_ok() && self.is_empty_record(record),
                _ => false,
            },
            ("__is_enum", _) => matches!(shape, Type::Enum(_)),
            ("__is_class", _) => {
                matches!(shape, Type::Record(record) if !self.program.record(record).is_union)
            }
            ("__is_union", _) => {
                matches!(shape, Type::Record(record) if self.program.record(record).is_union)
            }
            (
                "__is_trivially_copyable"
                | "__is_trivial"
                | "__is_pod"
                | "__is_standard_layout"
                | "__is_literal_type",
                _,
            ) => match shape {
                Type::Record(record) => !self.has_copy_constructor(record),
                Type::Reference { .. } => false,
                _ => true,
            },
            ("__is_aggregate", _) => match shape {
                Type::Record(record) => {
                    self.complete(record).is_ok() && self.records[record.0 as usize].is_aggregate
                }
                Type::Array(..) => true,
                _ => false,
            },
            ("__is_integral", _) => matches!(shape, Type::Scalar(scalar) if scalar.is_integer()),
            ("__is_floating_point", _) => matches!(shape, Type::Scalar(scalar) if scalar.is_float()),
            ("__is_arithmetic", _) => matches!(shape, Type::Scalar(_)),
            ("__is_void", _) => matches!(shape, Type::Void),
            ("__is_pointer", _) => matches!(shape, Type::Pointer(_)),
            ("__is_array", _) => matches!(shape, Type::Array(..) | Type::UnsizedArray(_)),
            ("__is_reference", _) => matches!(shape, Type::Reference { .. }),
            ("__is_lvalue_reference", _) => matches!(shape, Type::Reference { is_rvalue: false, .. }),
            ("__is_rvalue_reference", _) => matches!(shape, Type::Reference { is_rvalue: true, .. }),
            ("__is_function", _) => matches!(shape, Type::Function { .. }),
            ("__is_const", _) => first.is_const,
            ("__is_volatile", _) => first.is_volatile,
            ("__is_signed", _) => {
                matches!(shape, Type::Scalar(scalar) if scalar.is_float() || scalar.is_signed_integer())
            }
            ("__is_unsigned", _) => {
                matches!(shape, Type::Scalar(scalar) if !scalar.is_float() && !scalar.is_signed_integer())
            }
            _ => {
                return self.fail(|_| {
                    Diagnostic::new(
                        &codes::UNKNOWN_NAME,
                        name.span,
                        format!("the compiler does not know `{text}`"),
                    )
                });
            }
        };
        Ok(Val::Value(self.constant(self.t.bool, Constant::Bool(answer), span)))
    }

    fn expanded_type(&mut self, argument: &'a ast::TemplateArgument) -> R<QualType> {
        if let ast::TemplateArgumentKind::Type(ty) = &argument.kind
            && let ast::TypeKind::PackExpansion(pattern) = &ty.kind
        {
            return self.resolve(pattern);
        }
        self.type_argument(argument)
    }

    /// A value of a type that is never evaluated.
    fn imagined(&mut self, ty: QualType) -> Val<'a> {
        let (target, is_expiring) = match *self.ty(ty.ty) {
            Type::Reference { target, is_rvalue } => (target, is_rvalue),
            _ => (ty, true),
        };
        let place = crate::hir::Place {
            kind: PlaceKind::Local(crate::hir::LocalId(u32::MAX)),
            ty: target,
            span: Span::default(),
        };
        Val::Place(place, is_expiring)
    }

    fn is_convertible(&mut self, from: QualType, to: QualType) -> bool {
        if let Type::Void = self.ty(to.ty) {
            return matches!(self.ty(from.ty), Type::Void);
        }
        if matches!(self.ty(to.ty), Type::Array(..) | Type::Function { .. }) || from.ty == self.t.void {
            return false;
        }
        let value = self.imagined(from);
        self.unevaluated += 1;
        let found = self.implicit(&value, to, true);
        self.unevaluated -= 1;
        found.is_some_and(|ics| {
            ics.rank != super::rank::Rank::Reluctant && ics.second != super::rank::Rank::Reluctant
        })
    }

    fn is_constructible(&mut self, ty: QualType, from: &[QualType]) -> bool {
        let args: Vec<Val<'a>> = from.iter().map(|ty| self.imagined(*ty)).collect();
        let locals = self.frame.locals.len();
        self.unevaluated += 1;
        let result = match *self.ty(ty.ty) {
            Type::Reference { .. } => match args.as_slice() {
                [only] => self.implicit(only, ty, true).map(|_| ()).ok_or(super::Failed),
                _ => Err(super::Failed),
            },
            Type::Void => Err(super::Failed),
            _ => self.quietly(|s| s.construct_type(ty, args, Span::default()).map(|_| ())),
        };
        self.unevaluated -= 1;
        self.frame.locals.truncate(locals);
        result.is_ok()
    }
}
