//! Built-in operators on numbers, vectors, matrices and pointers.

use super::convert::{promote, usual};
use super::operators::sign;
use super::{Failed, R, Sema};
use crate::ast::BinaryOp;
use crate::hir::{Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::{QualType, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl Sema<'_> {
    /// A built-in operator on values.
    pub(crate) fn arithmetic(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let (ta, tb) = (self.ty(a.ty).clone(), self.ty(b.ty).clone());
        if let (Type::Error, _) | (_, Type::Error) = (&ta, &tb) {
            return Err(Failed);
        }
        if let (Type::Pointer(_), _) | (_, Type::Pointer(_)) | (Type::NullPointer, Type::NullPointer) =
            (&ta, &tb)
        {
            return self.pointer_arithmetic(op, a, b, span);
        }
        if let (Type::SimdgroupMatrix { .. }, Type::SimdgroupMatrix { .. }) = (&ta, &tb)
            && op == BinaryOp::Mul
        {
            return self.simdgroup_product(a, b, span);
        }
        if let (Type::Matrix { .. }, _) | (_, Type::Matrix { .. }) = (&ta, &tb) {
            return self.matrix_arithmetic(op, a, b, span);
        }
        let a = self.unpack(a);
        let b = self.unpack(b);
        let is_comparison = is_comparison(op);
        // Scoped enumerations only compare.
        if let (Type::Enum(x), Type::Enum(y)) = (&ta, &tb)
            && x == y
            && is_comparison
        {
            let underlying = self.program.enumeration(*x).underlying;
            let ty = self.scalar(underlying);
            let a = self.enum_to_scalar(a, ty);
            let b = self.enum_to_scalar(b, ty);
            return self.scalars(op, a, b, span);
        }
        let a = self.promoted(a)?;
        let b = self.promoted(b)?;
        match (self.ty(a.ty).clone(), self.ty(b.ty).clone()) {
            (Type::Scalar(x), Type::Scalar(y)) => {
                if matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
                    if x.is_float() || y.is_float() {
                        return self.invalid(op, &a, &b, span);
                    }
                    let ty = self.scalar(promote(x));
                    let a = self.numeric(a, ty);
                    let b = self.numeric(b, ty);
                    return self.scalars(op, a, b, span);
                }
                let ty = self.scalar(usual(x, y));
                let a = self.numeric(a, ty);
                let b = self.numeric(b, ty);
                self.scalars(op, a, b, span)
            }
            (Type::Vector(..), _) | (_, Type::Vector(..)) => {
                let (a, b) = match (self.ty(a.ty).clone(), self.ty(b.ty).clone()) {
                    (Type::Vector(x, n), Type::Vector(y, m)) => {
                        let is_shift = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
                        if n != m || (x != y && !is_shift) {
                            return self.invalid(op, &a, &b, span);
                        }
                        if is_shift && x.is_integer() && y.is_integer() {
                            let ty = a.ty;
                            let b = self.numeric(b, ty);
                            (a, b)
                        } else {
                            (a, b)
                        }
                    }
                    (Type::Vector(x, _), Type::Scalar(y)) | (Type::Scalar(y), Type::Vector(x, _))
                        if y.is_float() && !x.is_float() =>
                    {
                        return self.invalid(op, &a, &b, span);
                    }
                    (Type::Vector(..), Type::Scalar(_) | Type::Enum(_))
                    | (Type::Scalar(_) | Type::Enum(_), Type::Vector(..)) => self.balance(a, b, span)?,
                    _ => return self.invalid(op, &a, &b, span),
                };
                let Type::Vector(element, len) = *self.ty(a.ty) else {
                    return self.invalid(op, &a, &b, span);
                };
                if element.is_float() && needs_integers(op) {
                    return self.invalid(op, &a, &b, span);
                }
                let ty = if is_comparison { self.intern(Type::Vector(Scalar::Bool, len)) } else { a.ty };
                let rules = self.frame.rules;
                Ok(Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b), rules), ty, span })
            }
            _ => self.invalid(op, &a, &b, span),
        }
    }

    fn scalars(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let Some(scalar) = self.as_scalar(a.ty) else { return self.invalid(op, &a, &b, span) };
        if scalar.is_float() && needs_integers(op) {
            return self.invalid(op, &a, &b, span);
        }
        let ty = if is_comparison(op) { self.t.bool } else { a.ty };
        if let (ExprKind::Constant(Constant::Int(x)), ExprKind::Constant(Constant::Int(y))) =
            (&a.kind, &b.kind)
            && let Some(folded) = super::evaluate_number::integer_operation(op, *x, *y, scalar)
        {
            return Ok(self.constant(ty, folded, span));
        }
        let rules = self.frame.rules;
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b), rules), ty, span })
    }

    fn invalid<T>(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> R<T> {
        let (x, y) = (a.ty, b.ty);
        let operands = [(a.span, x), (b.span, y)];
        self.fail(|s| {
            let (ta, tb) = (s.ty(x).clone(), s.ty(y).clone());
            let (x, y) = (s.show(QualType::plain(x)), s.show(QualType::plain(y)));
            let sign = sign(op);
            let message = format!("`{sign}` does not go with `{x}` and `{y}`");
            let mut diagnostic = s.at_operator(&codes::INVALID_OPERANDS, sign, operands, span, message);
            match (ta, tb) {
                (Type::Vector(a, n), Type::Vector(b, m)) if n == m && a != b => {
                    diagnostic = diagnostic
                        .note("vectors of different elements do not convert by themselves (MSL specification, \"Implicit Type Conversions\")")
                        .help(format!("convert one side: `{x}(…)`"));
                }
                (Type::Vector(_, n), Type::Vector(_, m)) if n != m => {
                    diagnostic = diagnostic
                        .note("operators work on vectors of the same number of components")
                        .help(format!(
                            "take the first {0} of the longer one: `.{1}`",
                            n.min(m),
                            &"xyzw"[..usize::from(n.min(m))]
                        ));
                }
                (Type::Vector(element, _), Type::Scalar(number)) | (Type::Scalar(number), Type::Vector(element, _))
                    if number.is_float() && !element.is_float() =>
                {
                    diagnostic = diagnostic
                        .note("a floating-point number beside a vector of integers does not become an integer by itself")
                        .help(format!("convert one of them: `{}(…)`", element.name()));
                }
                (Type::Matrix { columns, rows, .. }, Type::Vector(_, len)) if op == BinaryOp::Mul => {
                    diagnostic = diagnostic.note(format!(
                        "the vector behind a matrix has as many components as the matrix has columns: {columns}, not {len} (the matrix has {rows} rows)"
                    ));
                }
                (Type::Vector(_, len), Type::Matrix { columns, rows, .. }) if op == BinaryOp::Mul => {
                    diagnostic = diagnostic.note(format!(
                        "the vector before a matrix has as many components as the matrix has rows: {rows}, not {len} (the matrix has {columns} columns)"
                    ));
                }
                (Type::Matrix { element: a, columns, .. }, Type::Matrix { element: b, rows, .. })
                    if op == BinaryOp::Mul =>
                {
                    diagnostic = if a == b {
                        diagnostic.note(format!(
                            "the left one's columns are as many as the right one's rows: {columns} and {rows}"
                        ))
                    } else {
                        diagnostic
                            .note("matrices of different elements do not convert by themselves")
                            .help(format!("convert one side: `{x}(…)`"))
                    };
                }
                (Type::SimdgroupMatrix { .. }, Type::SimdgroupMatrix { .. }) => {
                    diagnostic = diagnostic
                        .note("simdgroup matrices of one type have `*` only (MSL specification, \"SIMD-group Matrix Functions\")")
                        .help("write `simdgroup_multiply_accumulate(d, a, b, c)` for `a * b + c`, or work on `thread_elements()`");
                }
                (Type::Atomic(_), _) | (_, Type::Atomic(_)) => {
                    diagnostic = diagnostic.help("write `atomic_load_explicit(&x, memory_order_relaxed)` for its value");
                }
                (Type::Scalar(a), Type::Scalar(b)) if (a.is_float() || b.is_float()) && needs_integers(op) => {
                    diagnostic = match op {
                        BinaryOp::Rem => diagnostic.help("write `fmod(a, b)`"),
                        _ => diagnostic.note("bits belong to integers").help("write `as_type<uint>(x)` for the bits of a float"),
                    };
                }
                _ => {}
            }
            diagnostic
        })
    }

    /// `a * b` of simdgroup matrices: the library's `simdgroup_multiply` into a temporary.
    fn simdgroup_product(&mut self, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let candidates = crate::stdlib::candidates(
            crate::stdlib::LibraryNamespace::Metal,
            "simdgroup_multiply",
            &mut self.program.types,
        )
        .unwrap_or_default();
        let found = candidates.into_iter().find(|candidate| {
            let [into, x, y] = candidate.parameters.as_slice() else { return false };
            matches!(*self.ty(into.ty), Type::Reference { target, .. } if target.ty == a.ty)
                && x.ty == a.ty
                && y.ty == b.ty
        });
        let Some(candidate) = found else { return self.invalid(BinaryOp::Mul, &a, &b, span) };
        let ty = a.ty;
        let local = self.new_local("", QualType::plain(ty), span);
        let place = self.local_place(local, span);
        let into = self.address(place.clone());
        let call = Expr {
            kind: ExprKind::Builtin(crate::hir::BuiltinCall {
                builtin: candidate.id,
                arguments: vec![into, a, b],
                math_mode: self.math_mode_of(),
            }),
            ty: self.t.void,
            span,
        };
        let product = self.load(place);
        let then = self.sequence(call, product);
        let value = self.constant(ty, Constant::Undefined, span);
        Ok(Expr {
            kind: ExprKind::LetTemporary { local, value: Box::new(value), then: Box::new(then) },
            ty,
            span,
        })
    }

    fn matrix_arithmetic(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let rules = self.frame.rules;
        let binary = |a: Expr, b: Expr, ty: TypeId| Expr {
            kind: ExprKind::Binary(op, Box::new(a), Box::new(b), rules),
            ty,
            span,
        };
        match (self.ty(a.ty).clone(), self.ty(b.ty).clone()) {
            (
                Type::Matrix { element: x, columns: c, rows: r },
                Type::Matrix { element: y, columns: d, rows: q },
            ) => {
                if op == BinaryOp::Mul && x == y && c == q {
                    let ty = self.intern(Type::Matrix { element: x, columns: d, rows: r });
                    return Ok(binary(a, b, ty));
                }
                if matches!(op, BinaryOp::Add | BinaryOp::Sub) && a.ty == b.ty {
                    let ty = a.ty;
                    return Ok(binary(a, b, ty));
                }
            }
            (Type::Matrix { element, columns, rows }, Type::Vector(x, n))
                if op == BinaryOp::Mul && element == x && columns == n =>
            {
                let ty = self.intern(Type::Vector(element, rows));
                return Ok(binary(a, b, ty));
            }
            (Type::Vector(x, n), Type::Matrix { element, columns, rows })
                if op == BinaryOp::Mul && element == x && rows == n =>
            {
                let ty = self.intern(Type::Vector(element, columns));
                return Ok(binary(a, b, ty));
            }
            (Type::Matrix { element, .. }, Type::Scalar(_))
                if matches!(op, BinaryOp::Mul | BinaryOp::Div) =>
            {
                let scalar = self.scalar(element);
                let b = self.numeric(b, scalar);
                let ty = a.ty;
                return Ok(binary(a, b, ty));
            }
            (Type::Scalar(_), Type::Matrix { element, .. }) if op == BinaryOp::Mul => {
                let scalar = self.scalar(element);
                let a = self.numeric(a, scalar);
                let ty = b.ty;
                return Ok(binary(a, b, ty));
            }
            (Type::Matrix { .. }, Type::PackedVector(element, len))
            | (Type::PackedVector(element, len), Type::Matrix { .. }) => {
                let is_left = matches!(self.ty(a.ty), Type::PackedVector(..));
                let operand = if is_left { a.span } else { b.span };
                let operands = [(a.span, a.ty), (b.span, b.ty)];
                return self.fail(|s| {
                    let name = s.show_type(if is_left { a.ty } else { b.ty });
                    let vector = format!("{}{len}", element.name());
                    let text = s.sources.text(operand).to_owned();
                    let side = if is_left { "left" } else { "right" };
                    let message = format!(
                        "a matrix does not go with a packed vector: the {side} operand is `{name}`"
                    );
                    let mut diagnostic = s
                        .at_operator(&codes::PACKED_OPERAND, sign(op), operands, span, message)
                        .note("matrix products take vectors of the aligned types (MSL specification, \"Matrix Operators\")")
                    .help(format!("write `{vector}({text})`"));
                    if operand.expansion == mw_source::ExpansionId::ROOT && !text.is_empty() {
                        diagnostic = diagnostic.with_fix(operand, format!("{vector}({text})"));
                    }
                    diagnostic
                });
            }
            _ => {}
        }
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) && a.ty == b.ty {
            return self.matrix_comparison(op, a, b, span);
        }
        self.invalid(op, &a, &b, span)
    }

    /// `a == b` of matrices: one `bool`, whether all components are equal.
    fn matrix_comparison(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> R<Expr> {
        let matrix = a.ty;
        let Type::Matrix { element, columns, rows } = *self.ty(matrix) else {
            return self.invalid(op, &a, &b, span);
        };
        let bools = self.intern(Type::Vector(Scalar::Bool, rows));
        let column = self.intern(Type::Vector(element, rows));
        let all =
            crate::stdlib::candidates(crate::stdlib::LibraryNamespace::Metal, "all", &mut self.program.types)
                .unwrap_or_default()
                .into_iter()
                .find(|candidate| matches!(candidate.parameters.as_slice(), [only] if only.ty == bools));
        let Some(all) = all else { return self.invalid(op, &a, &b, span) };
        let (bool_type, rules) = (self.t.bool, self.frame.rules);
        let left = self.new_local("", QualType::plain(matrix), span);
        let right = self.new_local("", QualType::plain(matrix), span);
        let mut result: Option<Expr> = None;
        for at in 0..columns {
            let side = |local| {
                let place = self.local_place(local, span);
                let index = self.int_value(i128::from(at), self.t.long, span);
                let ty = QualType { ty: column, ..place.ty };
                self.load(Place { kind: PlaceKind::Index(Box::new(place), Box::new(index)), ty, span })
            };
            let (x, y) = (side(left), side(right));
            let equal = ExprKind::Binary(BinaryOp::Equal, Box::new(x), Box::new(y), rules);
            let equal = Expr { kind: equal, ty: bools, span };
            let call = ExprKind::Builtin(crate::hir::BuiltinCall {
                builtin: all.id,
                arguments: vec![equal],
                math_mode: self.math_mode_of(),
            });
            let call = Expr { kind: call, ty: bool_type, span };
            result = Some(match result {
                None => call,
                Some(before) => Expr {
                    kind: ExprKind::Binary(BinaryOp::LogicalAnd, Box::new(before), Box::new(call), rules),
                    ty: bool_type,
                    span,
                },
            });
        }
        let Some(mut result) = result else { return self.invalid(op, &a, &b, span) };
        if op == BinaryOp::NotEqual {
            result = Expr { kind: ExprKind::Not(Box::new(result)), ty: bool_type, span };
        }
        for (local, value) in [(right, b), (left, a)] {
            result = Expr {
                kind: ExprKind::LetTemporary { local, value: Box::new(value), then: Box::new(result) },
                ty: bool_type,
                span,
            };
        }
        Ok(result)
    }

    /// An index or distance as 64 bits.
    pub(crate) fn wide_index(&mut self, value: Expr, span: Span) -> R<Expr> {
        let value = self.promoted(value)?;
        match self.ty(value.ty) {
            Type::Scalar(Scalar::ULong) => Ok(value),
            Type::Scalar(scalar) if scalar.is_integer() => {
                let long = self.t.long;
                Ok(self.numeric(value, long))
            }
            _ => {
                let ty = value.ty;
                self.fail(|s| {
                    let shown = s.show(QualType::plain(ty));
                    Diagnostic::new(
                        &codes::INVALID_OPERANDS,
                        span,
                        format!("an index is an integer, this is `{shown}`"),
                    )
                    .help(match s.ty(ty) {
                        Type::Vector(..) => "take one of its components, such as `.x`",
                        _ => "convert it: `uint(…)`",
                    })
                })
            }
        }
    }

    fn pointer_arithmetic(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> R<Expr> {
        match (self.ty(a.ty).clone(), self.ty(b.ty).clone(), op) {
            (Type::Pointer(target), Type::Scalar(_) | Type::Enum(_), BinaryOp::Add | BinaryOp::Sub)
                if !is_comparison(op) =>
            {
                self.check_element(target, span)?;
                let offset = self.wide_index(b, span)?;
                let ty = a.ty;
                Ok(Expr {
                    kind: ExprKind::PointerOffset {
                        pointer: Box::new(a),
                        offset: Box::new(offset),
                        is_subtraction: op == BinaryOp::Sub,
                    },
                    ty,
                    span,
                })
            }
            (Type::Scalar(_) | Type::Enum(_), Type::Pointer(target), BinaryOp::Add) => {
                self.check_element(target, span)?;
                let offset = self.wide_index(a, span)?;
                let ty = b.ty;
                Ok(Expr {
                    kind: ExprKind::PointerOffset {
                        pointer: Box::new(b),
                        offset: Box::new(offset),
                        is_subtraction: false,
                    },
                    ty,
                    span,
                })
            }
            (Type::Pointer(x), Type::Pointer(y), BinaryOp::Sub) if x.ty == y.ty && x.space == y.space => {
                self.check_element(x, span)?;
                let long = self.t.long;
                Ok(Expr { kind: ExprKind::PointerDifference(Box::new(a), Box::new(b)), ty: long, span })
            }
            _ if is_comparison(op) => {
                if let (Type::Pointer(x), Type::Pointer(y)) = (self.ty(a.ty).clone(), self.ty(b.ty).clone())
                    && x.space != y.space
                {
                    return self.different_spaces(&a, &b, span);
                }
                let (a, b) = match (self.ty(a.ty).clone(), self.ty(b.ty).clone()) {
                    (Type::Pointer(x), Type::Pointer(y)) if x.ty == y.ty => (a, b),
                    _ => self.balance(a, b, span)?,
                };
                let rules = self.frame.rules;
                let bool_type = self.t.bool;
                Ok(Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b), rules), ty: bool_type, span })
            }
            _ => self.invalid(op, &a, &b, span),
        }
    }

    pub(crate) fn check_element(&mut self, target: QualType, span: Span) -> R<()> {
        if let Type::Void | Type::Function { .. } = self.ty(target.ty) {
            return self.error(
                &codes::INVALID_OPERANDS,
                span,
                "a pointer to `void` has no elements to step over",
            );
        }
        self.require_complete(target.ty, span)
    }
}

pub(crate) fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
    )
}

fn needs_integers(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Rem
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
    )
}
