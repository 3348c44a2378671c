//! Expressions: literals, names, casts, conditionals and the rest that is no operator or call.

use super::lookup::{Found, segment_key, segment_name};
use super::report::forbidden;
use super::scope::{Arg, Entry, Instantiated, Key};
use super::unknown::Wanted;
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, ExprKind, NameSegment, QualifiedName};
use crate::hir::{Cast, Constant, Expr, ExprKind as Hir, GlobalKind, Place, PlaceKind};
use crate::types::{AddressSpace, QualType, Type};
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
                let value = super::evaluate_number::round(*value, scalar);
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
                let places = (target.span, value.span);
                let target = self.expr(target);
                let value = self.expr(value);
                self.assign(*op, target?, value?, places, span)
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
                let ty = match self.placeholder_of(ty, args.iter()) {
                    Some(ty) => ty,
                    None => self.resolve_constructed(ty, args.first())?,
                };
                let args = self.expand_args(args)?;
                self.construct_type(ty, args, span)
            }
            ExprKind::ConstructBraced(ty, list) => {
                let ty = match self.placeholder_of(ty, list.items.iter().map(|item| &item.value)) {
                    Some(ty) => ty,
                    None => self.resolve(ty)?,
                };
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
            ExprKind::Forbidden(word) => self.fail(|_| forbidden(span, &format!("`{word}`"))),
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

    pub(crate) fn unevaluated_type(&mut self, expr: &'a ast::Expr) -> R<QualType> {
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
                Some(last) => self.unknown(last, name.last.span, inside, Wanted::Value),
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
