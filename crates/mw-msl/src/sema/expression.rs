//! Expressions: literals, names, casts, conditionals and the rest that is no operator or call.

use super::convert::usual;
use super::lookup::{Found, segment_key, segment_name};
use super::scope::{Arg, Entry, Instantiated, Key};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, BinaryOp, CastStyle, ExprKind, FoldOp, NameSegment, QualifiedName};
use crate::hir::{Cast, Constant, Expr, ExprKind as Hir, GlobalKind, Place, PlaceKind};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// Checks an expression.
    pub(crate) fn expr(&mut self, expr: &'a ast::Expr) -> R<Val<'a>> {
        self.nested(expr.span, |s| s.expr_kind(expr))
    }

    fn expr_kind(&mut self, expr: &'a ast::Expr) -> R<Val<'a>> {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Bool(value) => Ok(Val::Value(self.constant(self.t.bool, Constant::Bool(*value), span))),
            ExprKind::Int(value, scalar) => {
                let ty = self.scalar(*scalar);
                let value = self.wrap_to(i128::from(*value), ty);
                Ok(Val::Value(self.constant(ty, Constant::Int(value), span)))
            }
            ExprKind::Float { value, ty, .. } => {
                let scalar = *ty;
                let ty = self.scalar(scalar);
                let value = super::evaluate::round(*value, scalar);
                Ok(Val::Value(self.constant(ty, Constant::Float(value), span)))
            }
            ExprKind::String(text) => Ok(self.string(text, span)),
            ExprKind::Null => Ok(Val::Value(self.constant(self.t.null, Constant::Zero, span))),
            ExprKind::This => {
                let place = self.this_place(span)?;
                Ok(Val::Value(self.address(place)))
            }
            ExprKind::Name(name) => self.name_value(name),
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Unary(op, inner) => self.unary(*op, inner, span),
            ExprKind::Binary(op, left, right) => {
                // Both sides are checked, so that a mistake in one hides none in the other.
                let left = self.expr(left);
                let right = self.expr(right);
                self.binary(*op, left?, right?, span)
            }
            ExprKind::Assign(op, target, value) => {
                let target = self.expr(target);
                let value = self.expr(value);
                self.assign(*op, target?, value?, span)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, span)
            }
            ExprKind::Comma(first, then) => {
                let first = self.expr(first)?;
                let then = self.expr(then)?;
                self.comma(first, then, span)
            }
            ExprKind::Call(callee, args) => self.call(callee, args, span),
            ExprKind::Index(object, index) => {
                let object = self.expr(object)?;
                let index = self.expr(index)?;
                self.index(object, index, span)
            }
            ExprKind::Member { object, is_arrow, qualifiers, name } => {
                let object = self.expr(object)?;
                self.member_access(object, *is_arrow, qualifiers, name, span)
            }
            ExprKind::Cast(style, ty, inner) => self.cast_expr(*style, ty, inner, span),
            ExprKind::Construct(ty, args) => {
                let ty = self.resolve_constructed(ty, args.first())?;
                let args = self.expand_args(args)?;
                self.construct_type(ty, args, span)
            }
            ExprKind::ConstructBraced(ty, list) => {
                let ty = self.resolve(ty)?;
                let value = self.initialize_from_list(list, ty, span)?;
                Ok(Val::Value(value))
            }
            ExprKind::InitList(list) => Ok(Val::List(list)),
            ExprKind::SizeofExpr(inner) => {
                let ty = self.unevaluated_type(inner)?;
                self.sizeof(ty, span)
            }
            ExprKind::SizeofType(ty) => {
                let ty = self.resolve(ty)?;
                self.sizeof(ty, span)
            }
            ExprKind::SizeofPack(name) => match self.lookup(Key::Name(name.name)) {
                Found::Entry(Entry::Pack(elements)) => {
                    Ok(Val::Value(self.int_value(elements.len() as i128, self.t.ulong, span)))
                }
                Found::Nothing => self.unknown_name(name.name, name.span, None),
                _ => self.error(&codes::INVALID_PACK, name.span, "`sizeof...` counts the elements of a pack"),
            },
            ExprKind::AlignofType(ty) => {
                let ty = self.resolve(ty)?;
                self.require_complete(ty.ty, span)?;
                let align = self.program.layout(ty.ty).1;
                Ok(Val::Value(self.int_value(i128::from(align), self.t.ulong, span)))
            }
            ExprKind::TypeTrait(name, args) => self.type_trait(*name, args, span),
            ExprKind::Lambda(lambda) => self.lambda(lambda, span),
            ExprKind::Fold { op, left, right } => self.fold(*op, left.as_deref(), right.as_deref(), span),
            ExprKind::PackExpansion(_) => {
                self.error(&codes::INVALID_PACK, span, "a pack cannot be expanded here")
            }
            ExprKind::Noexcept(_) => Ok(Val::Value(self.constant(self.t.bool, Constant::Bool(true), span))),
            ExprKind::Forbidden(word) => self.fail(|_| {
                Diagnostic::new(&codes::FORBIDDEN, span, format!("Metal has no `{word}`"))
                    .note("the language leaves it out of C++17 (MSL specification, \"Restrictions\")")
            }),
            ExprKind::Error => Err(Failed),
        }
    }

    /// A string: an array of `char` in constant memory.
    fn string(&mut self, text: &str, span: Span) -> Val<'a> {
        let mut bytes: Vec<Constant> = text.bytes().map(|b| Constant::Int(i128::from(b as i8))).collect();
        bytes.push(Constant::Int(0));
        let array = self.intern(Type::Array(self.t.char, bytes.len() as u64));
        let ty = QualType { space: AddressSpace::Constant, is_const: true, ..QualType::plain(array) };
        self.strings += 1;
        let global = self.new_global(
            format!(".str.{}", self.strings),
            ty,
            1,
            GlobalKind::Constant(Constant::Aggregate(bytes)),
            span,
        );
        Val::Place(Place { kind: PlaceKind::Global(global), ty, span }, false)
    }

    fn sizeof(&mut self, ty: QualType, span: Span) -> R<Val<'a>> {
        let ty = match *self.ty(ty.ty) {
            Type::Reference { target, .. } => target,
            _ => ty,
        };
        self.require_complete(ty.ty, span)?;
        if let Type::Void | Type::Function { .. } | Type::UnsizedArray(_) = self.ty(ty.ty) {
            return self.fail(|s| {
                let shown = s.show(ty);
                Diagnostic::new(&codes::INVALID_TYPE, span, format!("`{shown}` has no size"))
            });
        }
        let size = self.program.layout(ty.ty).0;
        Ok(Val::Value(self.int_value(i128::from(size), self.t.ulong, span)))
    }

    fn unevaluated_type(&mut self, expr: &'a ast::Expr) -> R<QualType> {
        let locals = self.frame.locals.len();
        self.unevaluated += 1;
        let value = self.expr(expr);
        self.unevaluated -= 1;
        self.frame.locals.truncate(locals);
        value?.ty().ok_or(Failed)
    }

    /// The value of a name.
    pub(crate) fn name_value(&mut self, name: &'a QualifiedName) -> R<Val<'a>> {
        let (found, inside) = self.find(name)?;
        match found {
            Found::Entry(entry) => self.entry_value(entry, &name.last, name.span),
            Found::Functions(set) => {
                let given = self.segment_arguments(&name.last)?;
                let key = segment_key(&name.last).ok_or(Failed)?;
                Ok(Val::Functions(set, given, key))
            }
            Found::Nothing => match segment_name(&name.last) {
                Some(last) => self.unknown_name(last, name.last.span, inside),
                None => self.error(&codes::UNKNOWN_NAME, name.span, "no such operator is declared"),
            },
        }
    }

    pub(crate) fn segment_arguments(
        &mut self,
        segment: &'a NameSegment,
    ) -> R<Option<std::rc::Rc<[super::arguments::Given<'a>]>>> {
        match &segment.arguments {
            Some(arguments) => Ok(Some(self.given_arguments(arguments)?.into())),
            None => Ok(None),
        }
    }

    pub(crate) fn entry_value(
        &mut self,
        entry: Entry<'a>,
        segment: &'a NameSegment,
        span: Span,
    ) -> R<Val<'a>> {
        match entry {
            Entry::Local(local) => self.local_value(local, span),
            Entry::Variable(id) => self.variable_value(id, span),
            Entry::Alias(place) => {
                let mut place = (*place).clone();
                place.span = span;
                Ok(Val::Place(place, false))
            }
            Entry::Constant(ty, constant) => Ok(Val::Value(match constant {
                Constant::Function(id) => Expr { kind: Hir::FunctionAddress(id), ty, span },
                constant => self.constant(ty, constant, span),
            })),
            Entry::Field(path) => {
                if self.frame.this.is_none()
                    && self.unevaluated > 0
                    && let Some(record) = self.enclosing_record(self.scope)
                {
                    let ty = self.record_type(record);
                    let place = Place { kind: PlaceKind::Local(crate::hir::LocalId(u32::MAX)), ty, span };
                    return Ok(Val::Place(self.field_place(place, &path), false));
                }
                let object = self.this_place(span)?;
                let mut place = self.field_place_in(object, &path)?;
                place.span = span;
                Ok(Val::Place(place, false))
            }
            Entry::VariableTemplate(id) => {
                let Some(arguments) = &segment.arguments else {
                    return self.error(
                        &codes::TEMPLATE_ARGUMENTS,
                        span,
                        "a variable template needs arguments",
                    );
                };
                let given = self.given_arguments(arguments)?;
                let args = self.bind_template(id, given, span)?;
                match self.instantiate_template(id, &args, span)? {
                    Instantiated::Variable(id) => self.variable_value(id, span),
                    Instantiated::Type(_) => Err(Failed),
                }
            }
            Entry::Pack(_) => self
                .fail(|_| Diagnostic::new(&codes::INVALID_PACK, span, "a pack must be expanded with `...`")),
            Entry::Error => Err(Failed),
            Entry::Functions(_) | Entry::Deduced(_) | Entry::Pattern(..) => Err(Failed),
            Entry::Type(_) | Entry::ClassTemplate(_) | Entry::AliasTemplate(_) | Entry::Namespace(_) => self
                .fail(|s| {
                    let text = s.sources.text(span).to_owned();
                    Diagnostic::new(&codes::NOT_A_VALUE, span, format!("`{text}` is no value"))
                        .label("names a type or namespace")
                }),
        }
    }

    /// A member of the current object, which may be in a base or in an enclosing class's object.
    fn field_place_in(&mut self, object: Place, path: &[u32]) -> R<Place> {
        Ok(self.field_place(object, path))
    }

    /// The declared type of a name, for `decltype`.
    pub(crate) fn declared_type(&mut self, name: &'a QualifiedName) -> R<Option<QualType>> {
        let (found, _) = self.find(name)?;
        Ok(match found {
            Found::Entry(Entry::Local(local)) => Some(local.ty),
            Found::Entry(Entry::Variable(id)) => Some(self.ready(id, name.span)?.ty),
            Found::Entry(Entry::Constant(ty, _)) => Some(QualType::plain(ty)),
            Found::Entry(Entry::Field(_)) => {
                let value = self.name_value(name)?;
                value.ty().map(|ty| QualType { space: AddressSpace::Thread, ..ty })
            }
            Found::Functions(set) => {
                let given = self.segment_arguments(&name.last)?;
                let key = segment_key(&name.last).ok_or(Failed)?;
                let instance = self.only_function(&set, given.as_deref(), key, name.span)?;
                if self.instance(instance).result.is_none() {
                    self.result_of(instance, name.span)?;
                }
                Some(self.function_type(instance))
            }
            _ => None,
        })
    }

    pub(crate) fn declared_member_type(&mut self, value: &Val<'a>) -> QualType {
        value.ty().map_or(QualType::plain(self.t.error), |ty| QualType::plain(ty.ty))
    }

    pub(crate) fn decltype_of(&mut self, value: Val<'a>, span: Span) -> R<QualType> {
        match value {
            Val::Place(place, is_expiring) => Ok(self.reference_to(place.ty, is_expiring)),
            Val::After(_, place) => Ok(self.reference_to(place.ty, false)),
            Val::Value(expr) => Ok(QualType::plain(expr.ty)),
            Val::Functions(set, given, key) => {
                let instance = self.only_function(&set, given.as_deref(), key, span)?;
                Ok(self.function_type(instance))
            }
            Val::Method(..) | Val::List(_) => {
                self.error(&codes::INVALID_TYPE, span, "this expression has no type of its own")
            }
        }
    }

    /// `a, b`
    pub(crate) fn comma(&mut self, first: Val<'a>, then: Val<'a>, span: Span) -> R<Val<'a>> {
        let first = self.discard(first, span)?;
        Ok(match then {
            Val::Place(place, is_expiring) => {
                let target = place.ty;
                let address = self.address(place);
                let pointer = self.sequence(first, address);
                let _ = is_expiring;
                Val::Place(self.deref(pointer, target), false)
            }
            then => {
                let then = self.rvalue(then, span)?;
                Val::Value(self.sequence(first, then))
            }
        })
    }

    /// Evaluates for the effects only.
    pub(crate) fn discard(&mut self, value: Val<'a>, span: Span) -> R<Expr> {
        match value {
            Val::After(effect, _) => Ok(*effect),
            Val::Place(place, _) => {
                let _ = span;
                if let Type::Atomic(_) | Type::Array(..) | Type::Opaque(_) = self.ty(place.ty.ty) {
                    return Ok(self.constant(self.t.void, Constant::Undefined, span));
                }
                let value = self.read(place)?;
                Ok(self.cast(Cast::ToVoid, value, self.t.void))
            }
            Val::Value(expr) if expr.ty == self.t.void => Ok(expr),
            Val::Value(expr) => Ok(self.cast(Cast::ToVoid, expr, self.t.void)),
            other => {
                let value = self.rvalue(other, span)?;
                Ok(self.cast(Cast::ToVoid, value, self.t.void))
            }
        }
    }

    fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        span: Span,
    ) -> R<Val<'a>> {
        let test = self.expr(condition)?;
        let then = self.expr(then)?;
        let otherwise = self.expr(otherwise)?;
        let test_type = test.ty().map(|ty| self.ty(ty.ty).clone());
        if let Some(Type::Vector(_, len)) = test_type {
            let test = self.rvalue(test, span)?;
            let bools = self.intern(Type::Vector(Scalar::Bool, len));
            let test = self.numeric(test, bools);
            let then = self.rvalue(then, span)?;
            let otherwise = self.rvalue(otherwise, span)?;
            let (then, otherwise) = self.balance(then, otherwise, span)?;
            let (then, otherwise) = match self.ty(then.ty).clone() {
                Type::Scalar(scalar) => {
                    let vector = self.intern(Type::Vector(scalar, len));
                    (self.splat(then, vector), self.splat(otherwise, vector))
                }
                _ => (then, otherwise),
            };
            let ty = then.ty;
            return Ok(Val::Value(Expr {
                kind: Hir::Conditional(Box::new(test), Box::new(then), Box::new(otherwise)),
                ty,
                span,
            }));
        }
        let test = self.condition(test, condition.span)?;
        // A known condition chooses when compiling; both sides were checked.
        let make = |test: Expr, then: Expr, otherwise: Expr| {
            let ty = then.ty;
            Expr { kind: Hir::Conditional(Box::new(test), Box::new(then), Box::new(otherwise)), ty, span }
        };
        let (Some(a), Some(b)) = (self.branch_type(&then), self.branch_type(&otherwise)) else {
            // A list or overloaded name takes the other side's type.
            let target = self.branch_type(&then).or(self.branch_type(&otherwise));
            let Some(target) = target else {
                return self.error(&codes::INVALID_OPERANDS, span, "neither side of `?:` has a type");
            };
            let to = QualType::plain(target.ty);
            let then = self.convert(then, to, span)?;
            let otherwise = self.convert(otherwise, to, span)?;
            return Ok(Val::Value(make(test, then, otherwise)));
        };
        if a.ty == b.ty && self.is_in_memory(a.ty) {
            if let (Val::Place(..), Val::Place(..)) = (&then, &otherwise)
                && a.space == b.space
            {
                let target = QualType { is_const: a.is_const || b.is_const, ..a };
                let pointer = self.intern(Type::Pointer(target));
                let then = self.place_of(then, span)?;
                let otherwise = self.place_of(otherwise, span)?;
                let (mut then, mut otherwise) = (self.address(then), self.address(otherwise));
                then.ty = pointer;
                otherwise.ty = pointer;
                let chosen = make(test, then, otherwise);
                return Ok(Val::Place(self.deref(chosen, target), false));
            }
            let to = QualType::plain(a.ty);
            let then = self.convert(then, to, span)?;
            let otherwise = self.convert(otherwise, to, span)?;
            return Ok(Val::Value(make(test, then, otherwise)));
        }
        if self.is_record(a.ty) || self.is_record(b.ty) {
            let to_a = self.implicit(&otherwise, QualType::plain(a.ty), true).is_some();
            let to_b = self.implicit(&then, QualType::plain(b.ty), true).is_some();
            let target = if to_a && (!to_b || self.is_record(a.ty)) {
                a
            } else if to_b {
                b
            } else {
                let (x, y) = (self.show(QualType::plain(a.ty)), self.show(QualType::plain(b.ty)));
                return self.error(
                    &codes::INVALID_OPERANDS,
                    span,
                    format!("the two sides of `?:` have different types, `{x}` and `{y}`"),
                );
            };
            let to = QualType::plain(target.ty);
            let then = self.convert(then, to, span)?;
            let otherwise = self.convert(otherwise, to, span)?;
            return Ok(Val::Value(make(test, then, otherwise)));
        }
        let then = self.rvalue(then, span)?;
        let otherwise = self.rvalue(otherwise, span)?;
        let (then, otherwise) = self.balance(then, otherwise, span)?;
        Ok(Val::Value(make(test, then, otherwise)))
    }

    fn branch_type(&mut self, value: &Val<'a>) -> Option<QualType> {
        value.ty()
    }

    /// Brings two values to their common type.
    pub(crate) fn balance(&mut self, a: Expr, b: Expr, span: Span) -> R<(Expr, Expr)> {
        if a.ty == b.ty {
            return Ok((a, b));
        }
        let a = self.unpack(a);
        let b = self.unpack(b);
        match (self.ty(a.ty).clone(), self.ty(b.ty).clone()) {
            _ if a.ty == b.ty => Ok((a, b)),
            (Type::Scalar(x), Type::Scalar(y)) => {
                let ty = self.scalar(usual(x, y));
                Ok((self.numeric(a, ty), self.numeric(b, ty)))
            }
            (Type::Enum(_), Type::Scalar(_) | Type::Enum(_)) | (Type::Scalar(_), Type::Enum(_)) => {
                let a = self.promoted(a)?;
                let b = self.promoted(b)?;
                let (Some(x), Some(y)) = (self.as_scalar(a.ty), self.as_scalar(b.ty)) else {
                    return self.cannot_balance(&a, &b, span);
                };
                let ty = self.scalar(usual(x, y));
                Ok((self.numeric(a, ty), self.numeric(b, ty)))
            }
            (Type::Vector(element, _), Type::Scalar(from)) => {
                let b = self.splat_operand(b, from, element, a.ty, span)?;
                Ok((a, b))
            }
            (Type::Scalar(from), Type::Vector(element, _)) => {
                let a = self.splat_operand(a, from, element, b.ty, span)?;
                Ok((a, b))
            }
            (Type::Pointer(_), Type::NullPointer) => {
                let null = self.constant(a.ty, Constant::Zero, b.span);
                Ok((a, null))
            }
            (Type::NullPointer, Type::Pointer(_)) => {
                let null = self.constant(b.ty, Constant::Zero, a.span);
                Ok((null, b))
            }
            (Type::Pointer(_), Type::Scalar(_)) if matches!(b.kind, Hir::Constant(Constant::Int(0))) => {
                let null = self.constant(a.ty, Constant::Zero, b.span);
                Ok((a, null))
            }
            (Type::Scalar(_), Type::Pointer(_)) if matches!(a.kind, Hir::Constant(Constant::Int(0))) => {
                let null = self.constant(b.ty, Constant::Zero, a.span);
                Ok((null, b))
            }
            (Type::Pointer(_), Type::Pointer(_)) => {
                if self.standard(a.ty, b.ty).is_some() {
                    let to = b.ty;
                    let a = self.convert(Val::Value(a), QualType::plain(to), span)?;
                    return Ok((a, b));
                }
                let to = a.ty;
                let b = self.convert(Val::Value(b), QualType::plain(to), span)?;
                Ok((a, b))
            }
            _ => self.cannot_balance(&a, &b, span),
        }
    }

    /// A scalar beside a vector becomes a vector of its elements.
    fn splat_operand(
        &mut self,
        value: Expr,
        from: Scalar,
        element: Scalar,
        vector: TypeId,
        span: Span,
    ) -> R<Expr> {
        if from.is_float() && !element.is_float() {
            return self.fail(|s| {
                let (x, y) = (s.show(QualType::plain(vector)), from.name());
                Diagnostic::new(&codes::INVALID_OPERANDS, span, format!("`{y}` does not go with `{x}`"))
                    .note("a floating-point number does not become an integer by itself beside a vector")
                    .help(format!("convert one of them: `{}(…)`", element.name()))
            });
        }
        let element = self.scalar(element);
        let value = self.numeric(value, element);
        Ok(self.splat(value, vector))
    }

    fn cannot_balance<T>(&mut self, a: &Expr, b: &Expr, span: Span) -> R<T> {
        let (x, y) = (a.ty, b.ty);
        if self.is_error(x) || self.is_error(y) {
            return Err(Failed);
        }
        self.fail(|s| {
            let (x, y) = (s.show(QualType::plain(x)), s.show(QualType::plain(y)));
            Diagnostic::new(&codes::INVALID_OPERANDS, span, format!("`{x}` and `{y}` have no common type"))
        })
    }

    /// A packed vector as the vector that it converts to.
    pub(crate) fn unpack(&mut self, value: Expr) -> Expr {
        match *self.ty(value.ty) {
            Type::PackedVector(element, len) => {
                let vector = self.intern(Type::Vector(element, len));
                self.cast(Cast::Packed, value, vector)
            }
            _ => value,
        }
    }

    /// An enumeration without scope as its integer.
    pub(crate) fn promoted(&mut self, value: Expr) -> R<Expr> {
        match *self.ty(value.ty) {
            Type::Enum(id) if !self.program.enumeration(id).is_scoped => {
                let underlying = self.program.enumeration(id).underlying;
                let ty = self.scalar(super::convert::promote(underlying));
                Ok(self.enum_to_scalar(value, ty))
            }
            _ => Ok(value),
        }
    }

    fn resolve_constructed(&mut self, ty: &'a ast::Type, first: Option<&'a ast::Expr>) -> R<QualType> {
        if let ast::TypeKind::Auto = ty.kind
            && let Some(first) = first
        {
            return self.unevaluated_type(first).map(|ty| QualType::plain(ty.ty));
        }
        // `T(x)` may turn out to be a call.
        self.resolve(ty)
    }

    fn cast_expr(
        &mut self,
        style: CastStyle,
        ty: &'a ast::Type,
        inner: &'a ast::Expr,
        span: Span,
    ) -> R<Val<'a>> {
        if style == CastStyle::Dynamic {
            return self.error(&codes::FORBIDDEN, span, "Metal has no `dynamic_cast`");
        }
        let to = self.resolve(ty);
        let value = self.expr(inner)?;
        self.cast_to(value, to?, style, span)
    }

    /// An explicit conversion.
    pub(crate) fn cast_to(
        &mut self,
        value: Val<'a>,
        to: QualType,
        style: CastStyle,
        span: Span,
    ) -> R<Val<'a>> {
        if let Type::Reference { target, is_rvalue } = *self.ty(to.ty) {
            return self.cast_to_reference(value, target, is_rvalue, style, span);
        }
        if to.ty == self.t.void {
            let value = self.discard(value, span)?;
            return Ok(Val::Value(value));
        }
        if let Val::List(list) = value {
            return self.initialize_from_list(list, to, span).map(Val::Value);
        }
        if let Val::Functions(..) = &value {
            return self.convert(value, to, span).map(Val::Value);
        }
        let from = value.ty().ok_or(Failed)?;
        if self.is_error(from.ty) || self.is_error(to.ty) {
            return Err(Failed);
        }
        let from_is_record = self.is_record(from.ty);
        if let Type::Record(record) = *self.ty(to.ty) {
            if from.ty == to.ty {
                return self.convert(value, QualType::plain(to.ty), span).map(Val::Value);
            }
            if from_is_record && self.standard(from.ty, to.ty).is_some() {
                return self.convert(value, QualType::plain(to.ty), span).map(Val::Value);
            }
            if let Some(conversion) = self.user_conversion(&value, to, true) {
                return self.apply_user(value, conversion, to, span).map(Val::Value);
            }
            return self.construct_record(record, vec![value], true, span).map(Val::Value);
        }
        if from_is_record {
            return match self.user_conversion(&value, to, true) {
                Some(conversion) => self.apply_user(value, conversion, to, span).map(Val::Value),
                None => self.fail(|s| s.no_conversion(from.ty, to.ty, span)),
            };
        }
        let value = self.rvalue(value, span)?;
        self.cast_value(value, to, style, span).map(Val::Value)
    }

    fn cast_to_reference(
        &mut self,
        value: Val<'a>,
        target: QualType,
        is_rvalue: bool,
        style: CastStyle,
        span: Span,
    ) -> R<Val<'a>> {
        let from = value.ty().ok_or(Failed)?;
        let place = self.place_of(value, span)?;
        if from.space != target.space {
            return self.fail(|s| {
                let (a, b) = (s.show(from), s.show(target));
                Diagnostic::new(&codes::ADDRESS_SPACE_MISMATCH, span, format!("cannot convert `{a}` to `{b} &`"))
                    .label(format!("lives in `{}` memory", from.space.name()))
                    .note("references of different address spaces never convert (MSL specification, \"Address Spaces\")")
            });
        }
        if from.ty == target.ty {
            let mut pointer = self.address(place);
            pointer.ty = self.intern(Type::Pointer(target));
            return Ok(Val::Place(self.deref(pointer, target), is_rvalue));
        }
        if let (Type::Record(a), Type::Record(b)) = (self.ty(from.ty).clone(), self.ty(target.ty).clone())
            && self.base_path(a, b).is_some()
        {
            let place = self.upcast(place, target)?;
            return Ok(Val::Place(place, is_rvalue));
        }
        if matches!(style, CastStyle::Reinterpret | CastStyle::C) {
            let pointer = self.address(place);
            let ty = self.intern(Type::Pointer(target));
            let pointer = self.cast(Cast::Pointer, pointer, ty);
            return Ok(Val::Place(self.deref(pointer, target), is_rvalue));
        }
        let value = self.read(place)?;
        let converted = self.convert(Val::Value(value), QualType::plain(target.ty), span)?;
        Ok(Val::Place(self.materialize(converted), is_rvalue))
    }

    fn cast_value(&mut self, value: Expr, to: QualType, style: CastStyle, span: Span) -> R<Expr> {
        let from = value.ty;
        let value = match self.apply_standard(value, to.ty)? {
            Ok(converted) => return Ok(converted),
            Err(value) => value,
        };
        let reinterprets = matches!(style, CastStyle::Reinterpret | CastStyle::C);
        match (self.ty(value.ty).clone(), self.ty(to.ty).clone()) {
            (Type::Vector(_, n), Type::Vector(_, m)) if n == m => Ok(self.numeric(value, to.ty)),
            (Type::PackedVector(..), Type::Vector(..)) => {
                let value = self.unpack(value);
                self.cast_value(value, to, style, span)
            }
            (Type::Vector(_, n) | Type::PackedVector(_, n), Type::PackedVector(element, m)) if n == m => {
                let value = self.unpack(value);
                let vector = self.intern(Type::Vector(element, m));
                let value = self.numeric(value, vector);
                Ok(self.cast(Cast::Packed, value, to.ty))
            }
            (Type::Matrix { columns: a, rows: b, .. }, Type::Matrix { columns: c, rows: d, .. })
                if a == c && b == d =>
            {
                Ok(self.cast(Cast::Matrix, value, to.ty))
            }
            (Type::SimdgroupMatrix { .. }, Type::SimdgroupMatrix { .. }) => {
                Ok(self.cast(Cast::SimdgroupMatrix, value, to.ty))
            }
            (Type::Enum(_), Type::Scalar(_)) => Ok(self.enum_to_scalar(value, to.ty)),
            (Type::Scalar(_) | Type::Enum(_), Type::Enum(id)) => {
                let underlying = self.program.enumeration(id).underlying;
                let underlying = self.scalar(underlying);
                let value = match self.ty(value.ty) {
                    Type::Enum(_) => self.enum_to_scalar(value, underlying),
                    _ => self.numeric(value, underlying),
                };
                Ok(match value.kind {
                    Hir::Constant(constant) => {
                        let constant = match constant {
                            Constant::Bool(truth) => Constant::Int(i128::from(truth)),
                            other => other,
                        };
                        self.constant(to.ty, constant, span)
                    }
                    _ => self.cast(Cast::Enum, value, to.ty),
                })
            }
            (Type::Pointer(a), Type::Pointer(b)) => {
                if a.space != b.space {
                    return self.fail(|s| s.no_conversion(from, to.ty, span));
                }
                if style == CastStyle::Static
                    && !matches!(self.ty(a.ty), Type::Void)
                    && !matches!(self.ty(b.ty), Type::Void)
                    && a.ty != b.ty
                {
                    if let (Type::Record(derived), Type::Record(base)) =
                        (self.ty(b.ty).clone(), self.ty(a.ty).clone())
                        && self.base_path(derived, base).is_some()
                    {
                        return Ok(self.cast(Cast::Pointer, value, to.ty));
                    }
                    return self.fail(|s| {
                        s.no_conversion(from, to.ty, span)
                            .help("`reinterpret_cast` reads the same memory as another type")
                    });
                }
                Ok(self.cast(Cast::Pointer, value, to.ty))
            }
            (Type::Pointer(_), Type::Scalar(scalar)) if reinterprets && scalar.is_integer() => {
                let ulong = self.t.ulong;
                let number = self.cast(Cast::PointerToInt, value, ulong);
                Ok(self.numeric(number, to.ty))
            }
            (Type::Scalar(scalar), Type::Pointer(_)) if reinterprets && scalar.is_integer() => {
                let ulong = self.t.ulong;
                let number = self.numeric(value, ulong);
                Ok(self.cast(Cast::IntToPointer, number, to.ty))
            }
            _ => self.fail(|s| s.no_conversion(from, to.ty, span)),
        }
    }

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

    fn fold(
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
            FoldOp::Assign(op) => s.assign(op, a, b, span),
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

    /// An expression that must be an integer known when compiling.
    pub(crate) fn integer_constant(&mut self, expr: &'a ast::Expr) -> R<i128> {
        let (unevaluated, locals) = (std::mem::take(&mut self.unevaluated), self.frame.locals.len());
        let result = (|| {
            let value = self.expr(expr)?;
            let value = match value.ty() {
                Some(ty) if self.is_record(ty.ty) => self.scalar_from_record(value, expr.span)?,
                _ => self.rvalue(value, expr.span)?,
            };
            match self.ty(value.ty) {
                Type::Scalar(scalar) if scalar.is_integer() => {}
                Type::Enum(_) => {}
                _ => {
                    let ty = value.ty;
                    return self.fail(|s| {
                        let shown = s.show(QualType::plain(ty));
                        Diagnostic::new(
                            &codes::NOT_CONSTANT,
                            expr.span,
                            format!("an integer is needed here, this is `{shown}`"),
                        )
                    });
                }
            }
            match self.constant_of(&value, expr.span)? {
                Arg::Value(_, value) => Ok(value),
                _ => Err(Failed),
            }
        })();
        self.unevaluated = unevaluated;
        self.frame.locals.truncate(locals);
        result
    }

    /// A class that converts to a number, as that number.
    pub(crate) fn scalar_from_record(&mut self, value: Val<'a>, span: Span) -> R<Expr> {
        let ty = value.ty().ok_or(Failed)?;
        let Type::Record(record) = *self.ty(ty.ty) else { return self.rvalue(value, span) };
        for id in self.conversions(record) {
            if self.function(id).parameters.is_some() {
                continue;
            }
            let Ok(instance) = self.quietly(|s| s.plain_instance(id)) else { continue };
            let Some(this) = self.instance(instance).this else { continue };
            if self.object_fits(ty, this).is_none() {
                continue;
            }
            let Some(result) = self.instance(instance).result else { continue };
            let result = match *self.ty(result.ty) {
                Type::Reference { target, .. } => target,
                _ => result,
            };
            if matches!(
                self.ty(result.ty),
                Type::Scalar(_) | Type::Enum(_) | Type::Pointer(_) | Type::Vector(..)
            ) {
                let value = self.call_instance(instance, Some(value), Vec::new(), span)?;
                return self.rvalue(value, span);
            }
        }
        self.fail(|s| {
            let shown = s.show(ty);
            Diagnostic::new(&codes::NO_CONVERSION, span, format!("`{shown}` does not convert to a number"))
        })
    }

    /// `is_function_constant_defined(x)`
    pub(crate) fn is_defined_constant(&mut self, args: &'a [ast::Expr], span: Span) -> R<Val<'a>> {
        if let [arg] = args
            && let ExprKind::Name(name) = &arg.kind
            && let (Found::Entry(Entry::Variable(id)), _) = self.find(name)?
        {
            let (global, _) = self.variable_global(id, arg.span)?;
            if let GlobalKind::FunctionConstant { .. } = self.program.global(global).kind {
                return Ok(Val::Value(Expr {
                    kind: Hir::IsFunctionConstantDefined(global),
                    ty: self.t.bool,
                    span,
                }));
            }
        }
        self.error(
            &codes::INVALID_OPERANDS,
            span,
            "`is_function_constant_defined` takes the name of a function constant",
        )
    }
}
