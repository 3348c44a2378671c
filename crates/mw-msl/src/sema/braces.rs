//! Lists in braces: aggregates and their members.

use super::scope::{Entry, Key};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{Designator, ExprKind as Ast, InitItem, InitList};
use crate::hir::{Constant, Expr, ExprKind};
use crate::types::{QualType, RecordId, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// `T x[] = {…}` takes its size from the list.
    pub(crate) fn sized(&mut self, ty: QualType, list: &'a InitList) -> R<QualType> {
        let Type::UnsizedArray(element) = *self.ty(ty.ty) else { return Ok(ty) };
        let mut count = 0i128;
        let mut at = 0i128;
        for item in &list.items {
            if let Some(Designator::Index(index)) = item.designators.first() {
                at = self.integer_constant(index)?;
            }
            let width = match &item.value.kind {
                Ast::PackExpansion(pattern) => self.expand_values(pattern)?.len() as i128,
                _ => 1,
            };
            at += width;
            count = count.max(at);
        }
        // Elements may be written without their own braces.
        if let Type::Array(_, inner) = *self.ty(element)
            && inner > 0
            && list.items.iter().all(|item| !matches!(item.value.kind, Ast::InitList(_)))
        {
            count = (count + i128::from(inner) - 1) / i128::from(inner);
        }
        let array = self.intern(Type::Array(element, count as u64));
        Ok(QualType { ty: array, ..ty })
    }

    /// An object from a list in braces.
    pub(crate) fn initialize_from_list(&mut self, list: &'a InitList, ty: QualType, span: Span) -> R<Expr> {
        match self.ty(ty.ty).clone() {
            Type::Error => Err(Failed),
            Type::Reference { target, is_rvalue } => {
                if let [item] = list.items.as_slice()
                    && item.designators.is_empty()
                {
                    let value = self.expr(&item.value)?;
                    return self.convert(value, ty, span);
                }
                let value = self.initialize_from_list(list, QualType::plain(target.ty), span)?;
                let _ = is_rvalue;
                self.convert(Val::Value(value), ty, span)
            }
            Type::Array(..) => {
                let mut items = list.items.as_slice();
                let value = self.aggregate(ty, &mut items, span)?;
                self.check_left(items, ty, span)?;
                Ok(value)
            }
            Type::Record(record) => {
                self.require_complete(ty.ty, span)?;
                if list.items.is_empty() {
                    return self.value_init(ty, span);
                }
                if let [item] = list.items.as_slice()
                    && item.designators.is_empty()
                    && !matches!(item.value.kind, Ast::InitList(_) | Ast::PackExpansion(_))
                    && self.records[record.0 as usize].is_aggregate
                {
                    // One object of the same type is copied.
                    let locals = self.frame.locals.len();
                    let value = self.expr(&item.value)?;
                    if let Some(from) = value.ty()
                        && let Type::Record(other) = *self.ty(from.ty)
                        && (other == record || self.base_path(other, record).is_some())
                    {
                        return self.convert(value, QualType::plain(ty.ty), span);
                    }
                    self.frame.locals.truncate(locals);
                }
                if self.records[record.0 as usize].is_aggregate {
                    let mut items = list.items.as_slice();
                    let value = self.aggregate(ty, &mut items, span)?;
                    self.check_left(items, ty, span)?;
                    return Ok(value);
                }
                let args = self.list_values(list)?;
                self.construct_record(record, args, true, span)
            }
            Type::Vector(..)
            | Type::PackedVector(..)
            | Type::Matrix { .. }
            | Type::SimdgroupMatrix { .. } => {
                let args = self.list_values(list)?;
                if let Type::Vector(element, len) = *self.ty(ty.ty)
                    && args.len() > 1
                    && args.len() < len as usize
                    && args
                        .iter()
                        .all(|arg| arg.ty().is_some_and(|ty| matches!(self.ty(ty.ty), Type::Scalar(_))))
                {
                    let scalar = self.scalar(element);
                    let mut args = args;
                    while args.len() < len as usize {
                        args.push(Val::Value(self.int_value(0, scalar, span)));
                    }
                    let value = self.construct_type(ty, args, span)?;
                    return self.rvalue(value, span);
                }
                let value = self.construct_type(ty, args, span)?;
                self.rvalue(value, span)
            }
            _ => match list.items.as_slice() {
                [] => self.value_init(ty, span),
                [item] => {
                    let value = self.expr(&item.value)?;
                    self.convert_in_braces(value, QualType::plain(ty.ty), item.value.span)
                }
                _ => self.fail(|s| {
                    let shown = s.show(ty);
                    Diagnostic::new(
                        &codes::INITIALIZER,
                        span,
                        format!("{} values for one `{shown}`", list.items.len()),
                    )
                }),
            },
        }
    }

    fn list_values(&mut self, list: &'a InitList) -> R<Vec<Val<'a>>> {
        let mut values = Vec::with_capacity(list.items.len());
        for item in &list.items {
            match &item.value.kind {
                Ast::PackExpansion(pattern) => values.extend(self.expand_values(pattern)?),
                _ => values.push(self.expr(&item.value)?),
            }
        }
        Ok(values)
    }

    fn check_left(&mut self, items: &[InitItem], ty: QualType, span: Span) -> R<()> {
        match items.first() {
            None => Ok(()),
            Some(item) => {
                let at = item.value.span;
                self.fail(|s| {
                    let shown = s.show(QualType::plain(ty.ty));
                    Diagnostic::new(
                        &codes::INITIALIZER,
                        at,
                        format!("more values than `{shown}` has members"),
                    )
                    .with_label(span, "")
                })
            }
        }
    }

    /// Takes as many items as an aggregate needs.
    fn aggregate(&mut self, ty: QualType, items: &mut &'a [InitItem], span: Span) -> R<Expr> {
        self.nested(span, |s| match *s.ty(ty.ty) {
            Type::Array(element, count) => s.aggregate_array(ty, element, count, items, span),
            Type::Record(record) => s.aggregate_record(ty, record, items, span),
            _ => Err(Failed),
        })
    }

    fn aggregate_array(
        &mut self,
        ty: QualType,
        element: TypeId,
        count: u64,
        items: &mut &'a [InitItem],
        span: Span,
    ) -> R<Expr> {
        if let Some(first) = items.first()
            && let Ast::String(text) = &first.value.kind
            && element == self.t.char
        {
            let bytes = text.bytes().map(|b| Constant::Int(i128::from(b as i8))).collect();
            *items = &items[1..];
            return Ok(self.constant(ty.ty, Constant::Aggregate(bytes), span));
        }
        let element_type = QualType::plain(element);
        let mut values: Vec<Option<Expr>> = Vec::new();
        let mut at = 0usize;
        while let Some(item) = items.first() {
            if let Some(Designator::Index(index)) = item.designators.first() {
                at = self.integer_constant(index)?.clamp(0, i128::from(u32::MAX)) as usize;
            } else if let Some(Designator::Field(_)) = item.designators.first() {
                break;
            }
            if at as u64 >= count {
                break;
            }
            let mut put = |at: usize, value: Expr| {
                if values.len() <= at {
                    values.resize(at + 1, None);
                }
                values[at] = Some(value);
            };
            if let Ast::PackExpansion(pattern) = &item.value.kind {
                for value in self.expand_values(pattern)? {
                    let value = self.convert(value, element_type, item.value.span)?;
                    put(at, value);
                    at += 1;
                }
                *items = &items[1..];
                continue;
            }
            let value = self.aggregate_element(element_type, items, span)?;
            put(at, value);
            at += 1;
        }
        if values.len() as u64 > count {
            return self.error(&codes::INITIALIZER, span, "more values than the array has elements");
        }
        // What is not written is zero, or what its class says.
        let needs = self.type_needs_init(element);
        let total = if needs { count as usize } else { values.len() };
        values.resize(total, None);
        let mut out = Vec::with_capacity(values.len());
        for value in values {
            out.push(match value {
                Some(value) => value,
                None => self.value_init(element_type, span)?,
            });
        }
        Ok(Expr { kind: ExprKind::Aggregate(out), ty: ty.ty, span })
    }

    fn aggregate_record(
        &mut self,
        ty: QualType,
        record: RecordId,
        items: &mut &'a [InitItem],
        span: Span,
    ) -> R<Expr> {
        self.require_complete(ty.ty, span)?;
        let fields = self.records[record.0 as usize].fields.clone();
        let is_union = self.program.record(record).is_union;
        let mut values: Vec<Option<Expr>> = vec![None; fields.len()];
        let mut at = 0usize;
        while let Some(item) = items.first() {
            let mut inner_path: Vec<u32> = Vec::new();
            if let Some(Designator::Field(name)) = item.designators.first() {
                match self.member(record, Key::Name(name.name)) {
                    Some(Entry::Field(path)) => {
                        at = path[0] as usize;
                        inner_path = path[1..].to_vec();
                    }
                    _ => {
                        return self.fail(|s| {
                            let (shown, text) = (s.program.record(record).name.clone(), s.text(name.name));
                            Diagnostic::new(
                                &codes::NO_MEMBER,
                                name.span,
                                format!("`{shown}` has no member `{text}`"),
                            )
                        });
                    }
                }
            } else if let Some(Designator::Index(_)) = item.designators.first() {
                break;
            }
            if at >= fields.len() || (is_union && values.iter().any(Option::is_some)) {
                break;
            }
            let field_type = fields[at].ty;
            let value = if inner_path.is_empty() {
                self.aggregate_element(field_type, items, span)?
            } else {
                self.through_anonymous(field_type, &inner_path, items, span)?
            };
            values[at] = Some(value);
            at += 1;
        }
        if is_union {
            for (at, value) in values.into_iter().enumerate() {
                if let Some(value) = value {
                    return Ok(Expr {
                        kind: ExprKind::UnionField(at as u32, Box::new(value)),
                        ty: ty.ty,
                        span,
                    });
                }
            }
            return Ok(self.constant(ty.ty, Constant::Zero, span));
        }
        let has_defaults =
            values.iter().zip(&fields).any(|(value, field)| value.is_none() && field.initializer.is_some());
        if has_defaults {
            return self.with_object(QualType::plain(ty.ty), span, |s| {
                let mut out = Vec::with_capacity(values.len());
                for (at, value) in values.into_iter().enumerate() {
                    out.push(match value {
                        Some(value) => value,
                        None => {
                            let hir = s.hir_type(fields[at].ty);
                            match s.field_default(record, at, span)? {
                                Some(value) => value,
                                None => s.value_init(QualType::plain(hir.ty), span)?,
                            }
                        }
                    });
                }
                Ok(out)
            });
        }
        let mut out = Vec::with_capacity(values.len());
        for (at, value) in values.into_iter().enumerate() {
            out.push(match value {
                Some(value) => value,
                None if fields[at].initializer.is_some() => {
                    let hir = self.hir_type(fields[at].ty).ty;
                    self.field_default(record, at, span)?
                        .unwrap_or_else(|| self.constant(hir, Constant::Zero, span))
                }
                None => {
                    let hir = self.hir_type(fields[at].ty);
                    self.value_init(QualType::plain(hir.ty), span)?
                }
            });
        }
        Ok(Expr { kind: ExprKind::Aggregate(out), ty: ty.ty, span })
    }

    /// A member of an anonymous struct or union, named by a designator.
    fn through_anonymous(
        &mut self,
        ty: QualType,
        path: &[u32],
        items: &mut &'a [InitItem],
        span: Span,
    ) -> R<Expr> {
        let [first, rest @ ..] = path else { return self.aggregate_element(ty, items, span) };
        let Type::Record(record) = *self.ty(ty.ty) else { return Err(Failed) };
        let fields = self.records[record.0 as usize].fields.clone();
        let field = fields.get(*first as usize).ok_or(Failed)?.ty;
        let value = self.through_anonymous(field, rest, items, span)?;
        if self.program.record(record).is_union {
            return Ok(Expr { kind: ExprKind::UnionField(*first, Box::new(value)), ty: ty.ty, span });
        }
        let mut values = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            if at == *first as usize {
                values.push(value.clone());
            } else {
                let hir = self.hir_type(field.ty);
                values.push(self.value_init(QualType::plain(hir.ty), span)?);
            }
        }
        Ok(Expr { kind: ExprKind::Aggregate(values), ty: ty.ty, span })
    }

    /// One element or member: its own braces, a value, or as many items as it needs.
    fn aggregate_element(&mut self, ty: QualType, items: &mut &'a [InitItem], span: Span) -> R<Expr> {
        let Some(item) = items.first() else { return self.value_init(ty, span) };
        if let Ast::InitList(list) = &item.value.kind {
            *items = &items[1..];
            return self.initialize_from_list(list, QualType::plain(ty.ty), list.span);
        }
        let is_aggregate = match *self.ty(ty.ty) {
            Type::Array(..) => true,
            Type::Record(record) => self.records[record.0 as usize].is_aggregate,
            _ => false,
        };
        let locals = self.frame.locals.len();
        let value = self.expr(&item.value)?;
        if is_aggregate && self.implicit(&value, QualType::plain(ty.ty), true).is_none() {
            // Its braces were left out.
            self.frame.locals.truncate(locals);
            return self.aggregate(QualType::plain(ty.ty), items, span);
        }
        *items = &items[1..];
        self.convert_in_braces(value, ty, item.value.span)
    }

    /// As [`Self::convert`], where numbers must not lose anything.
    fn convert_in_braces(&mut self, value: Val<'a>, ty: QualType, span: Span) -> R<Expr> {
        let (Some(from), Some(to)) = (value.ty().and_then(|ty| self.as_scalar(ty.ty)), self.as_scalar(ty.ty))
        else {
            return self.convert(value, ty, span);
        };
        if from == to || !self.is_user(span) {
            return self.convert(value, ty, span);
        }
        let value = self.rvalue(value, span)?;
        let known = match &value.kind {
            ExprKind::Constant(constant) => Some(constant.clone()),
            _ => self.quietly(|s| s.evaluate(&value, span)).ok(),
        };
        if super::evaluate_number::narrows(from, to, known.as_ref()) {
            return self.fail(|_| {
                let (from, to) = (from.name(), to.name());
                Diagnostic::new(
                    &codes::NARROWING,
                    span,
                    format!("`{from}` does not become `{to}` in braces: it may lose its value"),
                )
                .label(format!("is `{from}`"))
                .help(format!("convert it: `{to}(…)`"))
            });
        }
        self.convert(Val::Value(value), ty, span)
    }
}

/// Members that are left alone become zero.
pub(crate) fn fill_zero(mut value: Expr) -> Expr {
    match &mut value.kind {
        ExprKind::Constant(constant @ Constant::Undefined) => *constant = Constant::Zero,
        ExprKind::Aggregate(values) => {
            for inner in values {
                let taken =
                    std::mem::replace(inner, Expr { kind: ExprKind::Error, ty: inner.ty, span: inner.span });
                *inner = fill_zero(taken);
            }
        }
        _ => {}
    }
    value
}
