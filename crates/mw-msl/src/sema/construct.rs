//! `T(a, b)`: objects made from arguments.

use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self};
use crate::hir::{Cast, Constant, Expr, ExprKind};
use crate::types::{QualType, RecordId, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
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
}
