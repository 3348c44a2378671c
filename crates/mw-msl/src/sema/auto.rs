//! `auto`: types taken from values.

use super::function::contains_auto;
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, Initializer, TypeKind};
use crate::hir::Expr;
use crate::types::{QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// A variable whose type is taken from its value.
    pub(crate) fn auto_value(
        &mut self,
        pattern: &'a ast::Type,
        initializer: Option<&'a Initializer>,
        span: Span,
    ) -> R<(QualType, Option<Expr>)> {
        let expr = match initializer {
            Some(Initializer::Copy(expr)) => expr,
            Some(Initializer::Parenthesized(exprs, _)) if exprs.len() == 1 => &exprs[0],
            Some(Initializer::Braced(list)) if list.items.len() == 1 => &list.items[0].value,
            _ => {
                return self.fail(|_| {
                    Diagnostic::new(
                        &codes::AUTO_WITHOUT_VALUE,
                        span,
                        "`auto` needs a value to take its type from",
                    )
                    .help("give it a value, or write its type")
                });
            }
        };
        let value = self.expr(expr)?;
        let ty = self.deduce_auto(pattern, &value, expr.span)?;
        let value = self.convert(value, ty, expr.span)?;
        Ok((ty, Some(value)))
    }

    /// The type that `auto` in a written type gets from a value.
    pub(crate) fn deduce_auto(&mut self, pattern: &'a ast::Type, value: &Val<'a>, span: Span) -> R<QualType> {
        if !contains_auto(pattern) {
            return self.resolve(pattern);
        }
        let actual = match value {
            Val::Functions(set, given, key) => {
                let instance = self.only_function(set, given.as_deref(), *key, span)?;
                self.function_type(instance)
            }
            _ => match value.ty() {
                Some(ty) => ty,
                None => {
                    return self.error(&codes::AUTO_WITHOUT_VALUE, span, "this value has no type for `auto`");
                }
            },
        };
        if self.is_error(actual.ty) {
            return Err(Failed);
        }
        if actual.ty == self.t.void {
            return self.error(&codes::AUTO_WITHOUT_VALUE, span, "`void` is no value for `auto`");
        }
        let ty = match &pattern.kind {
            TypeKind::DecltypeAuto => return self.decltype_of(value.clone(), span),
            TypeKind::Auto => match *self.ty(actual.ty) {
                Type::Array(element, _) | Type::UnsizedArray(element) => {
                    self.plain(Type::Pointer(QualType { ty: element, ..actual }))
                }
                Type::Function { .. } => self.plain(Type::Pointer(actual)),
                _ => QualType::plain(actual.ty),
            },
            TypeKind::LvalueReference(inner) => {
                let target = self.auto_target(inner, actual, span)?;
                self.reference_to(target, false)
            }
            TypeKind::RvalueReference(inner) => {
                let target = self.auto_target(inner, actual, span)?;
                let is_rvalue = !value.is_lvalue();
                self.reference_to(target, is_rvalue)
            }
            TypeKind::Pointer(inner) => {
                let decayed = match *self.ty(actual.ty) {
                    Type::Array(element, _) => QualType { ty: element, ..actual },
                    Type::Pointer(target) => target,
                    _ => {
                        return self.fail(|s| {
                            let shown = s.show(actual);
                            Diagnostic::new(
                                &codes::NO_CONVERSION,
                                span,
                                format!("`auto *` needs a pointer, this is `{shown}`"),
                            )
                        });
                    }
                };
                let target = self.auto_target(inner, decayed, span)?;
                self.plain(Type::Pointer(target))
            }
            _ => return self.error(&codes::AUTO_WITHOUT_VALUE, span, "`auto` cannot stand in this type"),
        };
        self.qualify(ty, &pattern.qualifiers, pattern.span)
    }

    fn auto_target(&mut self, pattern: &'a ast::Type, actual: QualType, span: Span) -> R<QualType> {
        match &pattern.kind {
            TypeKind::Auto => {
                let mut ty = actual;
                ty.is_const |= pattern.qualifiers.is_const;
                ty.is_volatile |= pattern.qualifiers.is_volatile;
                if let Some((space, at)) = pattern.qualifiers.space
                    && space != ty.space
                {
                    return self.fail(|s| {
                        let shown = s.show(actual);
                        Diagnostic::new(
                            &codes::ADDRESS_SPACE_MISMATCH,
                            at,
                            format!("the value is `{shown}`, not in `{}` memory", space.name()),
                        )
                        .with_label(span, format!("lives in `{}` memory", actual.space.name()))
                    });
                }
                Ok(ty)
            }
            TypeKind::Pointer(inner) => match *self.ty(actual.ty) {
                Type::Pointer(target) => {
                    let target = self.auto_target(inner, target, span)?;
                    let ty = self.plain(Type::Pointer(target));
                    self.qualify(QualType { ty: ty.ty, ..actual }, &pattern.qualifiers, pattern.span)
                }
                _ => Err(Failed),
            },
            _ => self.resolve(pattern),
        }
    }
}
