//! Packs of arguments, and folds over them.

use super::lookup::Found;
use super::scope::{Entry, Key};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, BinaryOp, ExprKind, FoldOp};
use crate::hir::Constant;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// Arguments of a call, packs expanded.
    pub(crate) fn expand_args(&mut self, args: &'a [ast::Expr]) -> R<Vec<Val<'a>>> {
        let mut values = Vec::with_capacity(args.len());
        let mut failed = false;
        for arg in args {
            match &arg.kind {
                ExprKind::PackExpansion(pattern) => values.extend(self.expand_values(pattern)?),
                _ => match self.expr(arg) {
                    Ok(value) => values.push(value),
                    Err(_) => failed = true,
                },
            }
        }
        if failed { Err(Failed) } else { Ok(values) }
    }

    pub(crate) fn expand_values(&mut self, pattern: &'a ast::Expr) -> R<Vec<Val<'a>>> {
        let mut names = Vec::new();
        super::walk::names_in_expr(pattern, &mut names);
        let scopes = self.expansion_scopes(&names, pattern.span)?;
        scopes.into_iter().map(|scope| self.within(scope, |s| s.expr(pattern))).collect()
    }

    pub(crate) fn fold(
        &mut self,
        op: FoldOp,
        left: Option<&'a ast::Expr>,
        right: Option<&'a ast::Expr>,
        span: Span,
    ) -> R<Val<'a>> {
        // `(pack op ...)` has only a left side, `(... op pack)` only a right one.
        let has_pack = |s: &mut Self, expr: &'a ast::Expr| {
            let mut names = Vec::new();
            super::walk::names_in_expr(expr, &mut names);
            names.iter().any(|name| matches!(s.lookup(Key::Name(*name)), Found::Entry(Entry::Pack(_))))
        };
        let (pack, initial, is_left) = match (left, right) {
            (Some(pack), None) => (pack, None, false),
            (None, Some(pack)) => (pack, None, true),
            (Some(a), Some(b)) => {
                if has_pack(self, a) {
                    (a, Some(b), false)
                } else {
                    (b, Some(a), true)
                }
            }
            (None, None) => return Err(Failed),
        };
        let mut values = self.expand_values(pack)?;
        if let Some(initial) = initial {
            let initial = self.expr(initial)?;
            if is_left {
                values.insert(0, initial);
            } else {
                values.push(initial);
            }
        }
        if values.is_empty() {
            return match op {
                FoldOp::Binary(BinaryOp::LogicalAnd) => {
                    Ok(Val::Value(self.constant(self.t.bool, Constant::Bool(true), span)))
                }
                FoldOp::Binary(BinaryOp::LogicalOr) => {
                    Ok(Val::Value(self.constant(self.t.bool, Constant::Bool(false), span)))
                }
                FoldOp::Comma => Ok(Val::Value(self.constant(self.t.void, Constant::Undefined, span))),
                _ => self.error(&codes::INVALID_PACK, span, "this fold of an empty pack has no value"),
            };
        }
        let combine = |s: &mut Self, a: Val<'a>, b: Val<'a>| match op {
            FoldOp::Binary(op) => s.binary(op, a, b, span),
            FoldOp::Assign(op) => s.assign(op, a, b, (span, span), span),
            FoldOp::Comma => s.comma(a, b, span),
        };
        if is_left {
            let mut values = values.into_iter();
            let mut result = values.next().ok_or(Failed)?;
            for value in values {
                result = combine(self, result, value)?;
            }
            Ok(result)
        } else {
            let mut result = values.pop().ok_or(Failed)?;
            while let Some(value) = values.pop() {
                result = combine(self, value, result)?;
            }
            Ok(result)
        }
    }
}
