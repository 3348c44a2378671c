//! Operators: the user's, and those on numbers, vectors, matrices and pointers.

use super::convert::promote;
use super::lookup::{FnSet, Found};
use super::overload::Chosen;
use super::report::forbidden;
use super::scope::{Entry, Key};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, BinaryOp, OperatorToken, OverloadedOperator, UnaryOp};
use crate::hir::{Constant, Expr, ExprKind, PlaceKind};
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

    pub(crate) fn one_for(&mut self, value: &Val<'a>, span: Span) -> Expr {
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
    pub(crate) fn may_overload(&self, value: &Val<'a>) -> bool {
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
    pub(crate) fn overloaded(
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
                self.call_failed(&name, &set, None, &tied, &args, span)
            }
            Err(_) => Ok(None),
        }
    }

    /// `a op b`
    pub(crate) fn binary(&mut self, op: BinaryOp, left: Val<'a>, right: Val<'a>, span: Span) -> R<Val<'a>> {
        if op == BinaryOp::MemberPointer {
            return self.fail(|_| forbidden(span, "pointers to members"));
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
    pub(crate) fn operand(
        &mut self,
        value: Val<'a>,
        other: Option<QualType>,
        op: BinaryOp,
        span: Span,
    ) -> R<Expr> {
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
            && let super::rank::UserConversion::Function(..) = conversion
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
            let key = Key::Operator(OverloadedOperator::Arithmetic(token(op)));
            let diagnostic = Diagnostic::new(
                &codes::INVALID_OPERANDS,
                span,
                format!("no `operator{sign}` takes a `{shown}` here"),
            );
            let has_one = match *s.ty(ty.ty) {
                Type::Record(record) => matches!(s.member(record, key), Some(Entry::Functions(_))),
                _ => false,
            };
            let space = ty.space.name();
            if has_one && ty.space != crate::types::AddressSpace::Thread {
                diagnostic
                    .note(format!("this object lives in `{space}` memory, and the class's operators serve `thread` memory"))
                    .help(format!("copy the object into a variable first, or add an operator marked `{space}`"))
            } else if has_one {
                diagnostic.note("the class has one, for other operands")
            } else {
                let result = if super::arithmetic::is_comparison(op) { "bool" } else { shown.as_str() };
                diagnostic.help(format!(
                    "write one: `{result} operator{sign}({shown} a, {shown} b)`, or work on its members"
                ))
            }
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
