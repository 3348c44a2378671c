//! Operators: the user's, and those on numbers, vectors, matrices and pointers.

use super::convert::{promote, usual};
use super::lookup::{FnSet, Found};
use super::overload::Chosen;
use super::scope::{Entry, Key};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, BinaryOp, ExprKind as Ast, OperatorToken, OverloadedOperator, UnaryOp};
use crate::hir::{Cast, Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::{QualType, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    pub(crate) fn unary(&mut self, op: UnaryOp, inner: &'a ast::Expr, span: Span) -> R<Val<'a>> {
        let value = self.expr(inner)?;
        if op == UnaryOp::AddressOf {
            return self.address_of(value, span);
        }
        if let Some(result) = self.overloaded_unary(op, &value, span)? {
            return Ok(result);
        }
        match op {
            UnaryOp::Deref => {
                let pointer = self.rvalue(value, span)?;
                match *self.ty(pointer.ty) {
                    Type::Pointer(target) => {
                        if let Type::Function { .. } = self.ty(target.ty) {
                            return Ok(Val::Value(pointer));
                        }
                        let mut place = self.deref(pointer, target);
                        place.span = span;
                        Ok(Val::Place(place, false))
                    }
                    _ => {
                        let ty = pointer.ty;
                        self.fail(|s| {
                            let shown = s.show(QualType::plain(ty));
                            Diagnostic::new(
                                &codes::INVALID_OPERANDS,
                                span,
                                format!("`*` needs a pointer, this is `{shown}`"),
                            )
                        })
                    }
                }
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Complement => self.arithmetic_unary(op, value, span),
            UnaryOp::Not => {
                if let Some(ty) = value.ty()
                    && let Type::Vector(_, len) = *self.ty(ty.ty)
                {
                    let vector = self.rvalue(value, span)?;
                    let bools = self.intern(Type::Vector(Scalar::Bool, len));
                    let vector = self.numeric(vector, bools);
                    return Ok(Val::Value(Expr { kind: ExprKind::Not(Box::new(vector)), ty: bools, span }));
                }
                let value = self.condition(value, span)?;
                if let ExprKind::Constant(Constant::Bool(truth)) = value.kind {
                    return Ok(Val::Value(self.constant(self.t.bool, Constant::Bool(!truth), span)));
                }
                Ok(Val::Value(Expr { kind: ExprKind::Not(Box::new(value)), ty: self.t.bool, span }))
            }
            UnaryOp::PreIncrement | UnaryOp::PreDecrement => {
                let one = self.one_for(&value, span);
                let op = if op == UnaryOp::PreIncrement { BinaryOp::Add } else { BinaryOp::Sub };
                self.compound(op, value, Val::Value(one), span)
            }
            UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                let op = if op == UnaryOp::PostIncrement { BinaryOp::Add } else { BinaryOp::Sub };
                self.post(op, value, span)
            }
            UnaryOp::AddressOf => Err(Failed),
        }
    }

    fn one_for(&mut self, value: &Val<'a>, span: Span) -> Expr {
        let ty = match value.ty().map(|ty| self.ty(ty.ty).clone()) {
            Some(Type::Scalar(scalar)) if scalar.is_float() => self.scalar(scalar),
            _ => self.t.int,
        };
        self.int_value(1, ty, span)
    }

    fn post(&mut self, op: BinaryOp, value: Val<'a>, span: Span) -> R<Val<'a>> {
        let place = self.place_of(value, span)?;
        self.check_assignable(&place, span)?;
        let (wrap, place) = self.repeatable(place);
        let old = self.read(place.clone())?;
        let local = self.new_local("", QualType::plain(old.ty), span);
        let old_place = self.local_place(local, span);
        let kept = self.load(old_place);
        let one = self.one_for(&Val::Value(kept.clone()), span);
        let sum = self.binary(op, Val::Value(kept.clone()), Val::Value(one), span)?;
        let sum = self.narrowed(sum, place.ty, span)?;
        let assign = self.assign_expr(place, sum, span);
        let ty = kept.ty;
        let then = self.sequence(assign, kept);
        let result = Expr {
            kind: ExprKind::LetTemporary { local, value: Box::new(old), then: Box::new(then) },
            ty,
            span,
        };
        Ok(Val::Value(Self::wrapped(wrap, result)))
    }

    /// `&x`
    fn address_of(&mut self, value: Val<'a>, span: Span) -> R<Val<'a>> {
        match value {
            Val::Place(place, false) => {
                match &place.kind {
                    PlaceKind::Swizzle(..) | PlaceKind::ThreadElements(_) => {
                        return self.fail(|_| {
                            Diagnostic::new(
                                &codes::ADDRESS_OF_VALUE,
                                span,
                                "components of a vector chosen together have no address",
                            )
                        });
                    }
                    PlaceKind::Temporary(..) => return self.address_of_value(place.ty, span),
                    _ => {}
                }
                let mut pointer = self.address(place);
                pointer.span = span;
                Ok(Val::Value(pointer))
            }
            Val::After(..) => {
                let place = self.place_of(value, span)?;
                Ok(Val::Value(self.address(place)))
            }
            Val::Functions(..) => Ok(value),
            other => {
                let ty = other.ty().unwrap_or(QualType::plain(self.t.error));
                self.address_of_value(ty, span)
            }
        }
    }

    fn address_of_value<T>(&mut self, ty: QualType, span: Span) -> R<T> {
        if self.is_error(ty.ty) {
            return Err(Failed);
        }
        self.fail(|s| {
            let shown = s.show(ty);
            Diagnostic::new(
                &codes::ADDRESS_OF_VALUE,
                span,
                format!("cannot take the address of a value of type `{shown}`"),
            )
            .label("is an rvalue: it lives in no memory")
            .help("take the address of a variable or of an element of a buffer")
        })
    }

    fn arithmetic_unary(&mut self, op: UnaryOp, value: Val<'a>, span: Span) -> R<Val<'a>> {
        let value = match value.ty() {
            Some(ty) if self.is_record(ty.ty) => self.scalar_from_record(value, span)?,
            _ => self.rvalue(value, span)?,
        };
        let value = self.unpack(value);
        let value = self.promoted(value)?;
        let value = match self.ty(value.ty) {
            Type::Scalar(scalar) => {
                let ty = self.scalar(promote(*scalar));
                self.numeric(value, ty)
            }
            _ => value,
        };
        let element = match self.ty(value.ty) {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(*scalar),
            Type::Matrix { element, .. } if op != UnaryOp::Complement => Some(*element),
            Type::Pointer(_) if op == UnaryOp::Plus => return Ok(Val::Value(value)),
            _ => None,
        };
        let Some(element) = element.filter(|element| op != UnaryOp::Complement || element.is_integer())
        else {
            let ty = value.ty;
            return self.fail(|s| {
                let shown = s.show(QualType::plain(ty));
                let sign = match op {
                    UnaryOp::Plus => "+",
                    UnaryOp::Minus => "-",
                    _ => "~",
                };
                Diagnostic::new(
                    &codes::INVALID_OPERANDS,
                    span,
                    format!("`{sign}` does not go with `{shown}`"),
                )
            });
        };
        let ty = value.ty;
        if let ExprKind::Constant(constant) = &value.kind {
            let folded = match (op, constant) {
                (UnaryOp::Minus, Constant::Int(number)) => Some(Constant::Int(self.wrap_to(-number, ty))),
                (UnaryOp::Minus, Constant::Float(number)) => Some(Constant::Float(-number)),
                (UnaryOp::Complement, Constant::Int(number)) => {
                    Some(Constant::Int(self.wrap_to(!number, ty)))
                }
                _ => None,
            };
            if let Some(folded) = folded {
                return Ok(Val::Value(self.constant(ty, folded, span)));
            }
        }
        let _ = element;
        Ok(Val::Value(match op {
            UnaryOp::Plus => value,
            UnaryOp::Minus => Expr { kind: ExprKind::Negate(Box::new(value), self.frame.rules), ty, span },
            _ => Expr { kind: ExprKind::Complement(Box::new(value)), ty, span },
        }))
    }

    /// Is an operand of a type for which a user may write operators?
    fn may_overload(&self, value: &Val<'a>) -> bool {
        match value {
            Val::List(_) => false,
            _ => value.ty().is_some_and(|ty| matches!(self.ty(ty.ty), Type::Record(_) | Type::Enum(_))),
        }
    }

    fn overloaded_unary(&mut self, op: UnaryOp, value: &Val<'a>, span: Span) -> R<Option<Val<'a>>> {
        if !self.may_overload(value) {
            return Ok(None);
        }
        let operator = match op {
            UnaryOp::Plus => OverloadedOperator::Arithmetic(OperatorToken::Plus),
            UnaryOp::Minus => OverloadedOperator::Arithmetic(OperatorToken::Minus),
            UnaryOp::Not => OverloadedOperator::Arithmetic(OperatorToken::Exclamation),
            UnaryOp::Complement => OverloadedOperator::Arithmetic(OperatorToken::Tilde),
            UnaryOp::Deref => OverloadedOperator::Arithmetic(OperatorToken::Star),
            UnaryOp::AddressOf => return Ok(None),
            UnaryOp::PreIncrement | UnaryOp::PostIncrement => OverloadedOperator::Increment,
            UnaryOp::PreDecrement | UnaryOp::PostDecrement => OverloadedOperator::Decrement,
        };
        let is_post = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
        let mut args = vec![value.clone()];
        if is_post {
            args.push(Val::Value(self.int_value(0, self.t.int, span)));
        }
        self.overloaded(operator, args, span)
    }

    /// Calls the user's operator, if one fits.
    fn overloaded(
        &mut self,
        operator: OverloadedOperator,
        args: Vec<Val<'a>>,
        span: Span,
    ) -> R<Option<Val<'a>>> {
        let key = Key::Operator(operator);
        if let Some(ty) = args[0].ty()
            && let Type::Record(record) = *self.ty(ty.ty)
        {
            let _ = self.complete(record);
            if let Some(Entry::Functions(set)) = self.member(record, key) {
                let set = FnSet { functions: self.sets[set.0 as usize].clone(), library: Vec::new() };
                let rest = args[1..].to_vec();
                if let Ok(Chosen::Instance(instance)) = self.choose(&set, None, Some(ty), &rest, true) {
                    let mut args = args.into_iter();
                    let object = args.next().ok_or(Failed)?;
                    let value = self.call_instance(instance, Some(object), args.collect(), span)?;
                    return Ok(Some(value));
                }
            }
        }
        let mut set = match self.lookup(key) {
            Found::Functions(set) => set,
            _ => FnSet::default(),
        };
        // Members that the scope shows are no candidates here.
        set.functions.retain(|id| self.functions[id.0 as usize].owner.is_none());
        let types: Vec<TypeId> = args.iter().filter_map(|arg| arg.ty().map(|ty| ty.ty)).collect();
        let found = self.argument_dependent(key, &types);
        self.merge_sets(&mut set, found);
        set.functions.retain(|id| self.functions[id.0 as usize].owner.is_none());
        if set.is_empty() {
            return Ok(None);
        }
        match self.choose(&set, None, None, &args, true) {
            Ok(chosen) => self.call_chosen(chosen, None, args, span).map(Some),
            Err(tied) if tied.len() > 1 => {
                let name = self.show_key(key);
                self.call_failed(&name, &set, &tied, &args, span)
            }
            Err(_) => Ok(None),
        }
    }

    /// `a op b`
    pub(crate) fn binary(&mut self, op: BinaryOp, left: Val<'a>, right: Val<'a>, span: Span) -> R<Val<'a>> {
        if op == BinaryOp::MemberPointer {
            return self.error(&codes::FORBIDDEN, span, "Metal has no pointers to members");
        }
        if self.may_overload(&left) || self.may_overload(&right) {
            let args = vec![left.clone(), right.clone()];
            if let Some(value) = self.overloaded(OverloadedOperator::Arithmetic(token(op)), args, span)? {
                return Ok(value);
            }
        }
        if matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            return self.logical(op, left, right, span);
        }
        let other = (left.ty(), right.ty());
        let a = self.operand(left, other.1, op, span)?;
        let b = self.operand(right, other.0, op, span)?;
        self.arithmetic(op, a, b, span).map(Val::Value)
    }

    /// An operand of a built-in operator; classes convert to numbers.
    fn operand(&mut self, value: Val<'a>, other: Option<QualType>, op: BinaryOp, span: Span) -> R<Expr> {
        let Some(ty) = value.ty() else {
            if let Val::Functions(..) = value {
                return self.rvalue(value, span);
            }
            return self.error(&codes::INVALID_OPERANDS, span, "this operand has no type");
        };
        if !self.is_record(ty.ty) {
            return self.rvalue(value, span);
        }
        if let Some(other) = other
            && !self.is_record(other.ty)
            && let Some(conversion) = self.user_conversion(&value, QualType::plain(other.ty), false)
            && let super::convert::UserConversion::Function(..) = conversion
        {
            // A class with one number to give gives that number, whatever stands beside it.
            if let Ok(number) = self.quietly(|s| s.scalar_from_record(value.clone(), span)) {
                return Ok(number);
            }
            return self.apply_user(value, conversion, QualType::plain(other.ty), span);
        }
        if let Ok(number) = self.quietly(|s| s.scalar_from_record(value.clone(), span)) {
            return Ok(number);
        }
        self.fail(|s| {
            let shown = s.show(QualType::plain(ty.ty));
            let sign = sign(op);
            Diagnostic::new(
                &codes::INVALID_OPERANDS,
                span,
                format!("no `operator{sign}` takes a `{shown}` here"),
            )
        })
    }

    fn logical(&mut self, op: BinaryOp, left: Val<'a>, right: Val<'a>, span: Span) -> R<Val<'a>> {
        let vector = |s: &Self, value: &Val<'a>| match value.ty().map(|ty| s.ty(ty.ty)) {
            Some(Type::Vector(_, len)) => Some(*len),
            _ => None,
        };
        let len = vector(self, &left).or_else(|| vector(self, &right));
        let rules = self.frame.rules;
        if let Some(len) = len {
            let bools = self.intern(Type::Vector(Scalar::Bool, len));
            let side = |s: &mut Self, value: Val<'a>| -> R<Expr> {
                let value = s.rvalue(value, span)?;
                Ok(match s.ty(value.ty) {
                    Type::Vector(..) => s.numeric(value, bools),
                    _ => {
                        let value = s.condition(Val::Value(value), span)?;
                        s.splat(value, bools)
                    }
                })
            };
            let (a, b) = (side(self, left)?, side(self, right)?);
            return Ok(Val::Value(Expr {
                kind: ExprKind::Binary(op, Box::new(a), Box::new(b), rules),
                ty: bools,
                span,
            }));
        }
        let a = self.condition(left, span)?;
        let b = self.condition(right, span)?;
        let bool_type = self.t.bool;
        // `false && x` and `true || x` are known.
        match (&a.kind, op) {
            (ExprKind::Constant(Constant::Bool(false)), BinaryOp::LogicalAnd)
            | (ExprKind::Constant(Constant::Bool(true)), BinaryOp::LogicalOr) => return Ok(Val::Value(a)),
            (ExprKind::Constant(Constant::Bool(_)), _) => return Ok(Val::Value(b)),
            _ => {}
        }
        Ok(Val::Value(Expr {
            kind: ExprKind::Binary(op, Box::new(a), Box::new(b), rules),
            ty: bool_type,
            span,
        }))
    }

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
                    _ => self.balance(a, b, span)?,
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
            && let Some(folded) = super::evaluate::integer_operation(op, *x, *y, scalar)
        {
            return Ok(self.constant(ty, folded, span));
        }
        let rules = self.frame.rules;
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b), rules), ty, span })
    }

    fn invalid<T>(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span) -> R<T> {
        let (x, y) = (a.ty, b.ty);
        self.fail(|s| {
            let (ta, tb) = (s.ty(x).clone(), s.ty(y).clone());
            let (x, y) = (s.show(QualType::plain(x)), s.show(QualType::plain(y)));
            let sign = sign(op);
            let mut diagnostic = Diagnostic::new(
                &codes::INVALID_OPERANDS,
                span,
                format!("`{sign}` does not go with `{x}` and `{y}`"),
            );
            match (ta, tb) {
                (Type::Vector(a, n), Type::Vector(b, m)) if n == m && a != b => {
                    diagnostic = diagnostic
                        .note("vectors of different elements do not convert by themselves (MSL specification, \"Implicit Type Conversions\")")
                        .help(format!("convert one side: `{x}(…)`"));
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
                return self.fail(|s| {
                    let name = s.show_type(if is_left { a.ty } else { b.ty });
                    let vector = format!("{}{len}", element.name());
                    let text = s.sources.text(operand).to_owned();
                    let mut diagnostic = Diagnostic::new(
                        &codes::PACKED_OPERAND,
                        span,
                        format!("a matrix is not multiplied with a packed vector: this operand is `{name}`"),
                    )
                    .with_label(operand, format!("is `{name}`"))
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
            return Ok(binary(a, b, self.t.bool));
        }
        self.invalid(op, &a, &b, span)
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
                    let (from, to) = (b.ty, a.ty);
                    return self.fail(|s| s.no_conversion(from, to, span));
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

    fn check_element(&mut self, target: QualType, span: Span) -> R<()> {
        if let Type::Void | Type::Function { .. } = self.ty(target.ty) {
            return self.error(
                &codes::INVALID_OPERANDS,
                span,
                "a pointer to `void` has no elements to step over",
            );
        }
        self.require_complete(target.ty, span)
    }

    /// Fails for what cannot be changed.
    pub(crate) fn check_assignable(&mut self, place: &Place, span: Span) -> R<()> {
        if self.is_error(place.ty.ty) {
            return Err(Failed);
        }
        if let PlaceKind::Temporary(..) = place.kind
            && !self.is_record(place.ty.ty)
        {
            return self.error(
                &codes::NOT_ASSIGNABLE,
                span,
                "a value that lives in no variable cannot be changed",
            );
        }
        if let Type::Array(..) = self.ty(place.ty.ty) {
            return self.fail(|_| {
                Diagnostic::new(&codes::NOT_ASSIGNABLE, span, "an array cannot be assigned as a whole")
                    .help("copy its elements in a loop, or use `array<T, N>`")
            });
        }
        if let PlaceKind::Swizzle(_, components) = &place.kind {
            let mut seen = 0u8;
            for component in components {
                if seen & (1 << component) != 0 {
                    return self.error(
                        &codes::NOT_ASSIGNABLE,
                        span,
                        "a component is named twice on the left side",
                    );
                }
                seen |= 1 << component;
            }
        }
        if place.ty.is_const || place.ty.space == crate::types::AddressSpace::Constant {
            let ty = place.ty;
            return self.fail(|s| {
                let shown = s.show(ty);
                let diagnostic = Diagnostic::new(
                    &codes::NOT_ASSIGNABLE,
                    span,
                    format!("an object of type `{shown}` cannot be changed"),
                );
                if ty.space == crate::types::AddressSpace::Constant {
                    diagnostic
                        .label("lives in `constant` memory")
                        .note(
                            "`constant` memory is read-only (MSL specification, \"constant Address Space\")",
                        )
                        .help("declare the buffer `device` to write to it")
                } else {
                    diagnostic.label("is `const`")
                }
            });
        }
        Ok(())
    }

    /// A place that may be evaluated several times; what to bind first, if anything.
    pub(crate) fn repeatable(&mut self, place: Place) -> (Option<(crate::hir::LocalId, Place)>, Place) {
        if Self::is_repeatable(&place) {
            return (None, place);
        }
        let span = place.span;
        match place.kind {
            // Only the object in the middle must be found once.
            PlaceKind::Swizzle(inner, components) => {
                let (wrap, inner) = self.repeatable(*inner);
                (wrap, Place { kind: PlaceKind::Swizzle(Box::new(inner), components), ty: place.ty, span })
            }
            PlaceKind::Temporary(..) => (None, place),
            _ => {
                let pointer = self.intern(Type::Pointer(place.ty));
                let local = self.new_local("", QualType::plain(pointer), span);
                let ty = place.ty;
                let load = self.load(self.local_place(local, span));
                let again = Place { kind: PlaceKind::Deref(Box::new(load)), ty, span };
                (Some((local, place)), again)
            }
        }
    }

    pub(crate) fn wrapped(wrap: Option<(crate::hir::LocalId, Place)>, then: Expr) -> Expr {
        match wrap {
            None => then,
            Some((local, place)) => {
                let (ty, span) = (then.ty, then.span);
                Expr {
                    kind: ExprKind::LetPointer { local, place: Box::new(place), then: Box::new(then) },
                    ty,
                    span,
                }
            }
        }
    }

    pub(crate) fn assign_expr(&mut self, place: Place, value: Expr, span: Span) -> Expr {
        let value = if self.is_in_memory(value.ty)
            && !matches!(value.kind, ExprKind::Load(_) | ExprKind::Call { .. } | ExprKind::CallPointer { .. })
        {
            // The new value may be made from the old one: it is complete before it is stored.
            let temporary = self.materialize(value);
            self.load(temporary)
        } else {
            value
        };
        Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty: self.t.void, span }
    }

    /// `a = b`, `a op= b`
    pub(crate) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        target: Val<'a>,
        value: Val<'a>,
        span: Span,
    ) -> R<Val<'a>> {
        if let Some(op) = op {
            return self.compound(op, target, value, span);
        }
        let ty = target.ty().ok_or(Failed)?;
        if let Type::Record(record) = *self.ty(ty.ty) {
            let _ = self.complete(record);
            if self.is_user_assignable(record) {
                let args = vec![target.clone(), value.clone()];
                if let Some(result) = self.overloaded(OverloadedOperator::Assign, args, span)? {
                    return Ok(result);
                }
            }
        }
        if let Val::Value(_) = &target
            && !self.is_record(ty.ty)
        {
            return self.error(
                &codes::NOT_ASSIGNABLE,
                span,
                "a value that lives in no variable cannot be changed",
            );
        }
        if let Type::Atomic(_) = self.ty(ty.ty) {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::INVALID_OPERANDS,
                    span,
                    "an atomic object cannot be assigned like a variable",
                )
                .help("write `atomic_store_explicit(&x, value, memory_order_relaxed)`")
            });
        }
        let place = self.place_of(target, span)?;
        self.check_assignable(&place, span)?;
        let value_span = span;
        let value = self.convert(value, QualType::plain(ty.ty), value_span)?;
        let (wrap, place) = self.repeatable(place);
        let effect = self.assign_expr(place.clone(), value, span);
        Ok(Val::After(Box::new(Self::wrapped(wrap, effect)), place))
    }

    fn is_user_assignable(&self, record: crate::types::RecordId) -> bool {
        let info = &self.records[record.0 as usize];
        info.is_user_assignable || info.bases.iter().any(|base| self.is_user_assignable(*base))
    }

    fn compound(&mut self, op: BinaryOp, target: Val<'a>, value: Val<'a>, span: Span) -> R<Val<'a>> {
        if self.may_overload(&target) || self.may_overload(&value) {
            let args = vec![target.clone(), value.clone()];
            if let Some(result) = self.overloaded(OverloadedOperator::CompoundAssign(op), args, span)? {
                return Ok(result);
            }
        }
        if let Val::Value(_) | Val::Functions(..) | Val::List(_) | Val::Method(..) = &target {
            return self.error(
                &codes::NOT_ASSIGNABLE,
                span,
                "a value that lives in no variable cannot be changed",
            );
        }
        let place = self.place_of(target, span)?;
        self.check_assignable(&place, span)?;
        let (wrap, place) = self.repeatable(place);
        let old = match self.is_record(place.ty.ty) {
            true => Val::Place(place.clone(), false),
            false => Val::Value(self.read(place.clone())?),
        };
        let sum = self.binary(op, old, value, span)?;
        let sum = self.narrowed(sum, place.ty, span)?;
        let effect = self.assign_expr(place.clone(), sum, span);
        Ok(Val::After(Box::new(Self::wrapped(wrap, effect)), place))
    }

    /// The result of an operation back in the type of its target.
    fn narrowed(&mut self, value: Val<'a>, to: QualType, span: Span) -> R<Expr> {
        let target = QualType::plain(to.ty);
        let ty = value.ty().ok_or(Failed)?;
        match (self.ty(ty.ty).clone(), self.ty(to.ty).clone()) {
            (Type::Vector(element, n), Type::PackedVector(other, m)) if element == other && n == m => {
                let value = self.rvalue(value, span)?;
                Ok(self.cast(Cast::Packed, value, to.ty))
            }
            (Type::Vector(..), Type::Scalar(_)) => {
                let from = ty.ty;
                self.fail(|s| s.no_conversion(from, to.ty, span))
            }
            _ => self.convert(value, target, span),
        }
    }

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
            }),
        }
    }

    fn index_value(&mut self, index: Val<'a>, span: Span) -> R<Expr> {
        let index = match index.ty() {
            Some(ty) if self.is_record(ty.ty) => self.scalar_from_record(index, span)?,
            _ => self.rvalue(index, span)?,
        };
        self.wide_index(index, span)
    }

    /// A component of a vector or column of a matrix.
    fn element(&mut self, object: Val<'a>, index: Val<'a>, element: TypeId, span: Span) -> R<Val<'a>> {
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

    /// Is an expression an increment whose old value nobody takes?
    pub(crate) fn statement_expr(&mut self, expr: &'a ast::Expr) -> R<Expr> {
        match &expr.kind {
            Ast::Paren(inner) => self.statement_expr(inner),
            Ast::Unary(op @ (UnaryOp::PostIncrement | UnaryOp::PostDecrement), inner) => {
                let value = self.expr(inner)?;
                if self.may_overload(&value) {
                    let value = self.unary(*op, inner, expr.span)?;
                    return self.discard(value, expr.span);
                }
                let one = self.one_for(&value, expr.span);
                let op = if *op == UnaryOp::PostIncrement { BinaryOp::Add } else { BinaryOp::Sub };
                let value = self.compound(op, value, Val::Value(one), expr.span)?;
                self.discard(value, expr.span)
            }
            Ast::Comma(first, then) => {
                let first = self.statement_expr(first)?;
                let then = self.statement_expr(then)?;
                Ok(self.sequence(first, then))
            }
            _ => {
                let value = self.expr(expr)?;
                self.discard(value, expr.span)
            }
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
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

/// The operator's token, by which overloads are found.
pub(crate) fn token(op: BinaryOp) -> OperatorToken {
    match op {
        BinaryOp::Add => OperatorToken::Plus,
        BinaryOp::Sub => OperatorToken::Minus,
        BinaryOp::Mul => OperatorToken::Star,
        BinaryOp::Div => OperatorToken::Slash,
        BinaryOp::Rem => OperatorToken::Percent,
        BinaryOp::ShiftLeft => OperatorToken::ShiftLeft,
        BinaryOp::ShiftRight => OperatorToken::ShiftRight,
        BinaryOp::And => OperatorToken::Ampersand,
        BinaryOp::Or => OperatorToken::Pipe,
        BinaryOp::Xor => OperatorToken::Caret,
        BinaryOp::LogicalAnd => OperatorToken::AmpersandAmpersand,
        BinaryOp::LogicalOr => OperatorToken::PipePipe,
        BinaryOp::Equal => OperatorToken::EqualEqual,
        BinaryOp::NotEqual | BinaryOp::MemberPointer => OperatorToken::ExclamationEqual,
        BinaryOp::Less => OperatorToken::Less,
        BinaryOp::LessEqual => OperatorToken::LessEqual,
        BinaryOp::Greater => OperatorToken::Greater,
        BinaryOp::GreaterEqual => OperatorToken::GreaterEqual,
    }
}

/// As it is written.
pub(crate) fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::MemberPointer => "->*",
    }
}
