//! Initialisation: default, direct, from lists, and what constructors do first.

use super::function::contains_auto;
use super::lookup::segment_name;
use super::scope::{Entry, Key};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{
    self, Designator, ExprKind as Ast, FunctionDecl, InitItem, InitList, Initializer, TypeKind,
};
use crate::hir::{Cast, Constant, Expr, ExprKind, Place, PlaceKind, Stmt, StmtKind};
use crate::types::{QualType, RecordId, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// The first value of a variable or member, and its type if an initialiser completes it.
    pub(crate) fn initial_value(
        &mut self,
        ty: QualType,
        initializer: Option<&'a Initializer>,
        span: Span,
    ) -> R<(QualType, Option<Expr>)> {
        match initializer {
            None => {
                if let Type::Reference { .. } = self.ty(ty.ty) {
                    return self.error(
                        &codes::INVALID_DECLARATION,
                        span,
                        "a reference must be bound where it is declared",
                    );
                }
                Ok((ty, self.default_init(ty, span)?))
            }
            Some(Initializer::Copy(expr)) => match &expr.kind {
                Ast::InitList(list) => {
                    let ty = self.sized(ty, list)?;
                    Ok((ty, Some(self.initialize_from_list(list, ty, expr.span)?)))
                }
                Ast::String(text) => {
                    if let Type::UnsizedArray(element) | Type::Array(element, _) = *self.ty(ty.ty)
                        && element == self.t.char
                    {
                        let mut bytes: Vec<Constant> =
                            text.bytes().map(|b| Constant::Int(i128::from(b as i8))).collect();
                        bytes.push(Constant::Int(0));
                        let count = match *self.ty(ty.ty) {
                            Type::Array(_, count) => count,
                            _ => bytes.len() as u64,
                        };
                        let array = self.intern(Type::Array(element, count));
                        let value = self.constant(array, Constant::Aggregate(bytes), span);
                        return Ok((QualType { ty: array, ..ty }, Some(value)));
                    }
                    let value = self.expr(expr)?;
                    Ok((ty, Some(self.convert(value, ty, expr.span)?)))
                }
                _ => {
                    let value = self.expr(expr)?;
                    Ok((ty, Some(self.convert(value, ty, expr.span)?)))
                }
            },
            Some(Initializer::Parenthesized(args, at)) => {
                if let [only] = args.as_slice()
                    && let Type::Reference { .. } = self.ty(ty.ty)
                {
                    let value = self.expr(only)?;
                    return Ok((ty, Some(self.convert(value, ty, only.span)?)));
                }
                let args = self.expand_args(args)?;
                let value = self.construct_type(ty, args, *at)?;
                let value = self.convert(value, QualType::plain(ty.ty), *at)?;
                Ok((ty, Some(value)))
            }
            Some(Initializer::Braced(list)) => {
                let ty = self.sized(ty, list)?;
                Ok((ty, Some(self.initialize_from_list(list, ty, span)?)))
            }
        }
    }

    /// `T x[] = {…}` takes its size from the list.
    fn sized(&mut self, ty: QualType, list: &'a InitList) -> R<QualType> {
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
                return self.error(
                    &codes::AUTO_WITHOUT_VALUE,
                    span,
                    "`auto` needs a value to take its type from",
                );
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

    /// What an object holds when nothing is said: none if it is not initialised.
    pub(crate) fn default_init(&mut self, ty: QualType, span: Span) -> R<Option<Expr>> {
        match *self.ty(ty.ty) {
            Type::Record(record) => {
                self.require_complete(ty.ty, span)?;
                let info = &self.records[record.0 as usize];
                if !info.constructors.is_empty() {
                    let has_default = info.decl.is_some_and(declares_default);
                    if let Ok(instance) =
                        self.quietly(|s| s.choose_constructor(record, &[], true, true, Span::default()))
                    {
                        return self.construct(record, instance, Vec::new(), span).map(Some);
                    }
                    if !has_default {
                        return self.fail(|s| {
                            let name = s.program.record(record).name.clone();
                            Diagnostic::new(
                                &codes::NO_MATCHING_FUNCTION,
                                span,
                                format!("`{name}` has no constructor without arguments"),
                            )
                            .help("give arguments for one of its constructors")
                        });
                    }
                }
                if !self.records[record.0 as usize].needs_init {
                    return Ok(None);
                }
                if self.program.record(record).is_union {
                    return Ok(None);
                }
                self.member_defaults(record, span).map(Some)
            }
            Type::Array(element, count) if self.type_needs_init(element) => {
                let Some(value) = self.default_init(QualType::plain(element), span)? else { return Ok(None) };
                if count > 65_536 {
                    return self.error(
                        &codes::INVALID_ARRAY,
                        span,
                        "this array has too many objects to initialise",
                    );
                }
                let values = vec![value; count as usize];
                Ok(Some(Expr { kind: ExprKind::Aggregate(values), ty: ty.ty, span }))
            }
            _ => Ok(None),
        }
    }

    /// Each member from its own initialiser.
    fn member_defaults(&mut self, record: RecordId, span: Span) -> R<Expr> {
        let fields = self.records[record.0 as usize].fields.clone();
        let ty = self.record_type(record);
        self.with_object(ty, span, |s| {
            let mut values = Vec::with_capacity(fields.len());
            for (at, field) in fields.iter().enumerate() {
                let value = s.field_default(record, at, span)?;
                let ty = s.hir_type(field.ty).ty;
                values.push(value.unwrap_or_else(|| s.constant(ty, Constant::Undefined, span)));
            }
            Ok(values)
        })
    }

    /// Checks members' own initialisers, which may name members that come before them.
    fn with_object(
        &mut self,
        ty: QualType,
        span: Span,
        make: impl FnOnce(&mut Self) -> R<Vec<Expr>>,
    ) -> R<Expr> {
        let local = self.new_local("", ty, span);
        let place = self.local_place(local, span);
        let outer = self.frame.object.replace((place.clone(), false));
        let values = make(self);
        let used = self.frame.object.take().is_some_and(|(_, used)| used);
        self.frame.object = outer;
        let values = values?;
        if !used {
            return Ok(Expr { kind: ExprKind::Aggregate(values), ty: ty.ty, span });
        }
        // The object is made in a temporary, member by member.
        let mut then = self.load(place.clone());
        for (at, value) in values.into_iter().enumerate().rev() {
            if matches!(value.kind, ExprKind::Constant(Constant::Undefined)) {
                continue;
            }
            let field = Place {
                kind: PlaceKind::Field(Box::new(place.clone()), at as u32),
                ty: QualType::plain(value.ty),
                span,
            };
            let assign =
                Expr { kind: ExprKind::Assign(Box::new(field), Box::new(value)), ty: self.t.void, span };
            then = self.sequence(assign, then);
        }
        let value = self.constant(ty.ty, Constant::Undefined, span);
        Ok(Expr {
            kind: ExprKind::LetTemporary { local, value: Box::new(value), then: Box::new(then) },
            ty: ty.ty,
            span,
        })
    }

    /// The value that a member has by itself.
    fn field_default(&mut self, record: RecordId, at: usize, span: Span) -> R<Option<Expr>> {
        let field = self.records[record.0 as usize].fields[at];
        match field.initializer {
            Some(initializer) => {
                let scope = self.records[record.0 as usize].scope;
                self.within(scope, |s| s.initial_value(field.ty, Some(initializer), span))
                    .map(|(_, value)| value)
            }
            None => self.default_init(QualType::plain(field.ty.ty), span),
        }
    }

    /// `T()`, `T{}`: zero unless the class says otherwise.
    pub(crate) fn value_init(&mut self, ty: QualType, span: Span) -> R<Expr> {
        if let Type::Record(_) | Type::Array(..) = self.ty(ty.ty) {
            self.require_complete(ty.ty, span)?;
            if self.type_needs_init(ty.ty)
                && let Some(value) = self.default_init(ty, span)?
            {
                return Ok(fill_zero(value));
            }
            if let Type::Record(record) = *self.ty(ty.ty)
                && !self.records[record.0 as usize].constructors.is_empty()
            {
                // Reports that there is no constructor without arguments.
                self.default_init(ty, span)?;
            }
            return Ok(self.constant(ty.ty, Constant::Zero, span));
        }
        let constant = match self.ty(ty.ty) {
            Type::Scalar(Scalar::Bool) => Constant::Bool(false),
            Type::Scalar(scalar) if scalar.is_float() => Constant::Float(0.0),
            Type::Scalar(_) | Type::Enum(_) => Constant::Int(0),
            _ => Constant::Zero,
        };
        Ok(self.constant(ty.ty, constant, span))
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
                    self.convert(value, QualType::plain(ty.ty), item.value.span)
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
        self.convert(value, ty, item.value.span)
    }

    /// `T(a, b)`
    pub(crate) fn construct_type(&mut self, ty: QualType, args: Vec<Val<'a>>, span: Span) -> R<Val<'a>> {
        match self.ty(ty.ty).clone() {
            Type::Error => Err(Failed),
            Type::Vector(element, len) => {
                self.construct_vector(ty.ty, element, len, args, span).map(Val::Value)
            }
            Type::PackedVector(element, len) => {
                let vector = self.intern(Type::Vector(element, len));
                let value = self.construct_vector(vector, element, len, args, span)?;
                Ok(Val::Value(self.cast(Cast::Packed, value, ty.ty)))
            }
            Type::Matrix { element, columns, rows } => {
                self.construct_matrix(ty.ty, element, columns, rows, args, span).map(Val::Value)
            }
            Type::SimdgroupMatrix { element, .. } => self.construct_simdgroup_matrix(ty, element, args, span),
            Type::Record(record) => {
                if args.is_empty() {
                    return self.value_init(ty, span).map(Val::Value);
                }
                self.construct_record(record, args, true, span).map(Val::Value)
            }
            Type::Opaque(name) => self.fail(|_| {
                Diagnostic::new(
                    &codes::UNSUPPORTED,
                    span,
                    format!("`{name}` is not supported in compute kernels here"),
                )
            }),
            Type::Void if args.is_empty() => {
                Ok(Val::Value(self.constant(self.t.void, Constant::Undefined, span)))
            }
            _ => {
                let count = args.len();
                let mut args = args.into_iter();
                match (args.next(), count) {
                    (None, _) => self.value_init(ty, span).map(Val::Value),
                    (Some(only), 1) => self.cast_to(only, ty, ast::CastStyle::C, span),
                    _ => self.fail(|s| {
                        let shown = s.show(ty);
                        Diagnostic::new(
                            &codes::INITIALIZER,
                            span,
                            format!("{count} values for one `{shown}`"),
                        )
                    }),
                }
            }
        }
    }

    pub(crate) fn construct_record(
        &mut self,
        record: RecordId,
        args: Vec<Val<'a>>,
        explicit: bool,
        span: Span,
    ) -> R<Expr> {
        let ty = self.record_type(record);
        self.require_complete(ty.ty, span)?;
        if let [only] = args.as_slice()
            && only.ty().is_some_and(|from| from.ty == ty.ty)
        {
            let only = args.into_iter().next().ok_or(Failed)?;
            return self.convert(only, ty, span);
        }
        if self.records[record.0 as usize].constructors.is_empty() {
            if args.is_empty() {
                return self.value_init(ty, span);
            }
            if let [only] = args.as_slice() {
                if let Val::List(list) = only {
                    return self.initialize_from_list(list, ty, span);
                }
                let only = only.clone();
                if let Some(from) = only.ty()
                    && self.standard(from.ty, ty.ty).is_some()
                {
                    return self.convert(only, ty, span);
                }
                if let Some(conversion) = self.user_conversion(&only, ty, explicit) {
                    return self.apply_user(only, conversion, ty, span);
                }
            }
            return self.fail(|s| {
                let name = s.program.record(record).name.clone();
                let shown: Vec<String> = args.iter().map(|arg| s.show_value(arg)).collect();
                Diagnostic::new(
                    &codes::NO_MATCHING_FUNCTION,
                    span,
                    format!("`{name}` has no constructor for ({})", shown.join(", ")),
                )
                .help(format!("write `{name}{{…}}` to give its members in order"))
            });
        }
        let instance = self.choose_constructor(record, &args, explicit, true, span)?;
        self.construct(record, instance, args, span)
    }

    fn construct_vector(
        &mut self,
        ty: TypeId,
        element: Scalar,
        len: u8,
        args: Vec<Val<'a>>,
        span: Span,
    ) -> R<Expr> {
        let scalar = self.scalar(element);
        if args.is_empty() {
            return Ok(self.constant(ty, Constant::Zero, span));
        }
        let mut parts = Vec::with_capacity(args.len());
        let mut total = 0u32;
        for arg in args {
            let arg = match arg {
                Val::List(list) => {
                    let value = self.initialize_from_list(list, QualType::plain(scalar), span)?;
                    Val::Value(value)
                }
                arg => arg,
            };
            if let Some(from) = arg.ty()
                && self.is_record(from.ty)
            {
                let target = QualType::plain(ty);
                let conversion = match self.user_conversion(&arg, target, true) {
                    Some(conversion) => Some((conversion, target)),
                    None => self
                        .user_conversion(&arg, QualType::plain(scalar), true)
                        .map(|conversion| (conversion, QualType::plain(scalar))),
                };
                let Some((conversion, target)) = conversion else {
                    return self.fail(|s| s.no_conversion(from.ty, ty, span));
                };
                let value = self.apply_user(arg, conversion, target, span)?;
                total += if target.ty == ty { u32::from(len) } else { 1 };
                parts.push(value);
                continue;
            }
            let value = self.rvalue(arg, span)?;
            let value = self.unpack(value);
            let value = self.promoted_enum(value);
            match *self.ty(value.ty) {
                Type::Scalar(_) => {
                    total += 1;
                    parts.push(self.numeric(value, scalar));
                }
                Type::Vector(_, n) => {
                    total += u32::from(n);
                    let part = self.intern(Type::Vector(element, n));
                    parts.push(self.numeric(value, part));
                }
                _ => {
                    let from = value.ty;
                    return self.fail(|s| s.no_conversion(from, ty, span));
                }
            }
        }
        if parts.len() == 1 {
            let Some(only) = parts.pop() else { return Err(Failed) };
            if only.ty == ty {
                return Ok(only);
            }
            if only.ty == scalar {
                return Ok(self.splat(only, ty));
            }
            parts.push(only);
        }
        if total != u32::from(len) {
            return self.fail(|s| {
                let shown = s.show_type(ty);
                Diagnostic::new(&codes::INITIALIZER, span, format!("{total} components for a `{shown}`, which has {len}"))
                    .note("the arguments' components together are the vector's (MSL specification, \"Vector Constructors\")")
            });
        }
        Ok(Expr { kind: ExprKind::Vector(parts), ty, span })
    }

    fn promoted_enum(&mut self, value: Expr) -> Expr {
        match *self.ty(value.ty) {
            Type::Enum(id) => {
                let underlying = self.program.enumeration(id).underlying;
                let ty = self.scalar(underlying);
                self.enum_to_scalar(value, ty)
            }
            _ => value,
        }
    }

    fn construct_matrix(
        &mut self,
        ty: TypeId,
        element: Scalar,
        columns: u8,
        rows: u8,
        args: Vec<Val<'a>>,
        span: Span,
    ) -> R<Expr> {
        if args.is_empty() {
            return Ok(self.constant(ty, Constant::Zero, span));
        }
        let scalar = self.scalar(element);
        let column = self.intern(Type::Vector(element, rows));
        let count = args.len();
        let mut values = Vec::with_capacity(count);
        for arg in args {
            let value = match arg {
                Val::List(list) => self.initialize_from_list(list, QualType::plain(column), span)?,
                arg => {
                    let value = self.rvalue(arg, span)?;
                    self.unpack(value)
                }
            };
            values.push(value);
        }
        if let [only] = values.as_slice() {
            match *self.ty(only.ty) {
                Type::Matrix { columns: c, rows: r, .. } => {
                    let only = values.pop().ok_or(Failed)?;
                    if only.ty == ty {
                        return Ok(only);
                    }
                    if (c, r) == (columns, rows) {
                        return Ok(self.cast(Cast::Matrix, only, ty));
                    }
                    return self.fail(|s| s.no_conversion(only.ty, ty, span));
                }
                Type::Scalar(_) => {
                    let only = values.pop().ok_or(Failed)?;
                    let only = self.numeric(only, scalar);
                    return Ok(Expr { kind: ExprKind::MatrixDiagonal(Box::new(only)), ty, span });
                }
                _ => {}
            }
        }
        let is_vector = |s: &Self, value: &Expr| matches!(s.ty(value.ty), Type::Vector(_, n) if *n == rows);
        if count == columns as usize && values.iter().all(|value| is_vector(self, value)) {
            let columns = values.into_iter().map(|value| self.numeric(value, column)).collect();
            return Ok(Expr { kind: ExprKind::MatrixColumns(columns), ty, span });
        }
        if count == columns as usize * rows as usize
            && values.iter().all(|value| matches!(self.ty(value.ty), Type::Scalar(_)))
        {
            let mut parts = Vec::new();
            let mut values = values.into_iter();
            for _ in 0..columns {
                let parts_of_column: Vec<Expr> =
                    values.by_ref().take(rows as usize).map(|value| self.numeric(value, scalar)).collect();
                parts.push(Expr { kind: ExprKind::Vector(parts_of_column), ty: column, span });
            }
            return Ok(Expr { kind: ExprKind::MatrixColumns(parts), ty, span });
        }
        self.fail(|s| {
            let shown = s.show_type(ty);
            Diagnostic::new(&codes::INITIALIZER, span, format!("these arguments make no `{shown}`"))
                .note(format!("it is made of {columns} columns with {rows} components, of all components, or of one number for the diagonal"))
        })
    }

    fn construct_simdgroup_matrix(
        &mut self,
        ty: QualType,
        element: Scalar,
        args: Vec<Val<'a>>,
        span: Span,
    ) -> R<Val<'a>> {
        let count = args.len();
        let mut args = args.into_iter();
        match (args.next(), count) {
            (None, _) => Ok(Val::Value(self.constant(ty.ty, Constant::Zero, span))),
            (Some(only), 1) => {
                if only.ty().is_some_and(|from| matches!(self.ty(from.ty), Type::SimdgroupMatrix { .. })) {
                    return self.cast_to(only, ty, ast::CastStyle::C, span);
                }
                // One number: the diagonal.
                let scalar = self.scalar(element);
                let value = self.convert(only, QualType::plain(scalar), span)?;
                let found = crate::stdlib::candidates(
                    crate::stdlib::LibraryNamespace::Global,
                    "__metal_simdgroup_matrix_init_diag",
                    &mut self.program.types,
                )
                .and_then(|candidates| {
                    candidates.into_iter().find(|candidate| {
                        candidate.result.ty == ty.ty
                            && candidate.parameters.len() == 1
                            && candidate.parameters[0].ty == scalar
                    })
                });
                match found {
                    Some(candidate) => Ok(Val::Value(Expr {
                        kind: ExprKind::Builtin(crate::hir::BuiltinCall {
                            builtin: candidate.id,
                            arguments: vec![value],
                            math_mode: self.math_mode_of(),
                        }),
                        ty: ty.ty,
                        span,
                    })),
                    None => self.error(
                        &codes::UNSUPPORTED,
                        span,
                        "a simdgroup matrix with a diagonal is not supported",
                    ),
                }
            }
            _ => self.error(
                &codes::INITIALIZER,
                span,
                "a simdgroup matrix is made from one number, or by a load",
            ),
        }
    }

    /// What a constructor does before its body.
    pub(crate) fn member_initializers(
        &mut self,
        decl: &'a FunctionDecl,
        this: Option<QualType>,
        out: &mut Vec<Stmt>,
    ) {
        let Some(this) = this else { return };
        let Type::Record(record) = *self.ty(this.ty) else { return };
        let Ok(object) = self.this_place(decl.span) else { return };
        let object = Place { ty: QualType { is_const: false, ..object.ty }, ..object };
        let fields = self.records[record.0 as usize].fields.clone();
        let bases = self.records[record.0 as usize].bases.clone();
        let mut given: Vec<Option<&'a ast::MemberInitializer>> = vec![None; fields.len()];
        for initializer in &decl.member_initializers {
            match self.initialized_member(record, &bases, &initializer.target) {
                Ok(Some(at)) => given[at] = Some(initializer),
                Ok(None) => {
                    // Another constructor of the class does it all.
                    if let Ok((_, Some(value))) = self.initial_value(
                        QualType::plain(this.ty),
                        Some(&initializer.value),
                        initializer.span,
                    ) {
                        let assign = Expr {
                            kind: ExprKind::Assign(Box::new(object.clone()), Box::new(value)),
                            ty: self.t.void,
                            span: initializer.span,
                        };
                        out.push(Stmt { kind: StmtKind::Expr(assign), span: initializer.span });
                    }
                    return;
                }
                Err(_) => {}
            }
        }
        let is_union = self.program.record(record).is_union;
        for at in 0..fields.len() {
            let field = fields[at];
            let span = given[at].map_or(decl.span, |initializer| initializer.span);
            let value = match given[at] {
                Some(initializer) => {
                    let is_empty = match &initializer.value {
                        Initializer::Parenthesized(args, _) => args.is_empty(),
                        Initializer::Braced(list) => list.items.is_empty(),
                        Initializer::Copy(_) => false,
                    };
                    if is_empty && !matches!(self.ty(field.ty.ty), Type::Reference { .. }) {
                        self.value_init(QualType::plain(field.ty.ty), span).map(Some)
                    } else {
                        self.initial_value(
                            QualType { is_const: false, ..field.ty },
                            Some(&initializer.value),
                            span,
                        )
                        .map(|(_, value)| value)
                    }
                }
                None if is_union => continue,
                None if matches!(self.ty(field.ty.ty), Type::Reference { .. }) => continue,
                None => self.field_default(record, at, span),
            };
            let Ok(Some(value)) = value else { continue };
            let ty = self.hir_type(field.ty);
            let place = Place {
                kind: PlaceKind::Field(Box::new(object.clone()), at as u32),
                ty: QualType { ty: ty.ty, space: object.ty.space, ..QualType::plain(ty.ty) },
                span,
            };
            let assign =
                Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty: self.t.void, span };
            out.push(Stmt { kind: StmtKind::Expr(assign), span });
        }
    }

    /// The field or base that a constructor's list names; none for the class itself.
    fn initialized_member(
        &mut self,
        record: RecordId,
        bases: &[RecordId],
        target: &'a ast::Type,
    ) -> R<Option<usize>> {
        if let TypeKind::Named(name) = &target.kind
            && name.qualifiers.is_empty()
            && name.last.arguments.is_none()
            && let Some(last) = segment_name(&name.last)
        {
            let scope = self.records[record.0 as usize].scope;
            if let Some((Entry::Field(path), _)) = self.scopes[scope.0 as usize].get(Key::Name(last)) {
                if let [only] = **path {
                    return Ok(Some(only as usize));
                }
                return self.error(
                    &codes::UNSUPPORTED,
                    target.span,
                    "members of anonymous structs cannot be initialised here",
                );
            }
        }
        let ty = self.resolve(target)?;
        if let Type::Record(other) = *self.ty(ty.ty) {
            if other == record {
                return Ok(None);
            }
            if let Some(at) = bases.iter().position(|base| *base == other) {
                return Ok(Some(at));
            }
        }
        self.fail(|s| {
            let name = s.program.record(record).name.clone();
            Diagnostic::new(&codes::NO_MEMBER, target.span, format!("this is no member or base of `{name}`"))
        })
    }
}

/// Does a class say `S() = default`?
fn declares_default(decl: &ast::RecordDecl) -> bool {
    decl.members.iter().flatten().any(|member| match &member.kind {
        ast::DeclKind::Function(function) => {
            function.kind == ast::FunctionKind::Constructor
                && function.parameters.parameters.is_empty()
                && matches!(function.body, ast::FunctionBody::Default)
        }
        _ => false,
    })
}

/// Members that are left alone become zero.
fn fill_zero(mut value: Expr) -> Expr {
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
