//! Implicit conversions: their ranks for overload resolution, and their making.

use super::rank::UserConversion;
use super::report::across_spaces;
use super::value::Val;
use super::{Failed, R, Sema};
use crate::hir::{Cast, Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// As [`Self::convert`], of a value at `span` for an object at `target` that has a type.
    pub(crate) fn convert_for(
        &mut self,
        value: Val<'a>,
        to: QualType,
        span: Span,
        target: Span,
        declared: QualType,
    ) -> R<Expr> {
        let label = match self.ty(declared.ty) {
            Type::Pointer(object) => format!("points to `{}` memory", object.space.name()),
            _ => format!("is `{}`", self.show(declared)),
        };
        let outer = self.purpose.replace((target, label));
        let result = self.convert(value, to, span);
        self.purpose = outer;
        result
    }

    /// Converts implicitly, or reports why not. A reference becomes the pointer that it is.
    pub(crate) fn convert(&mut self, value: Val<'a>, to: QualType, span: Span) -> R<Expr> {
        if self.is_error(to.ty) || value.ty().is_some_and(|ty| self.is_error(ty.ty)) {
            return Err(Failed);
        }
        if let Type::Reference { target, is_rvalue } = *self.ty(to.ty) {
            return self.bind_reference(value, target, is_rvalue, span);
        }
        self.convert_value(value, to, span)
    }

    fn bind_reference(&mut self, value: Val<'a>, target: QualType, is_rvalue: bool, span: Span) -> R<Expr> {
        let pointer_type = self.intern(Type::Pointer(target));
        if let Val::Functions(set, given, key) = &value {
            let instance = self.function_for(set, given.as_deref(), *key, target, span)?;
            return Ok(self.function_address(instance, span));
        }
        if let Some(ty) = value.ty()
            && let Val::Place(..) | Val::After(..) = &value
            && let Some(_) = self.is_same_or_base(ty.ty, target.ty)
        {
            let fits = ty.space == target.space
                && (!ty.is_const || target.is_const || target.space == AddressSpace::Constant)
                && (!ty.is_volatile || target.is_volatile);
            let category = if is_rvalue { !value.is_lvalue() } else { value.is_lvalue() || target.is_const };
            if fits && category {
                let place = self.place_of(value, span)?;
                let place = self.upcast(place, target)?;
                self.check_addressable(&place, span, target.is_const)?;
                let place = match place.kind {
                    PlaceKind::Swizzle(..) if target.is_const => {
                        let value = self.read(place)?;
                        self.materialize(value)
                    }
                    _ => place,
                };
                let mut pointer = self.address(place);
                pointer.ty = pointer_type;
                return Ok(pointer);
            }
            let thread_copy = target.space == AddressSpace::Thread
                && (target.is_const || is_rvalue)
                && ty.space != target.space;
            if !thread_copy {
                return self.fail(|s| s.reference_mismatch(ty, target, is_rvalue, span));
            }
        }
        if target.space != AddressSpace::Thread || !(target.is_const || is_rvalue) {
            let ty = value.ty();
            return self.fail(|s| match ty {
                Some(ty) => s.reference_mismatch(ty, target, is_rvalue, span),
                None => Diagnostic::new(&codes::NO_CONVERSION, span, "this cannot be bound to a reference"),
            });
        }
        let value = self.convert_value(value, QualType::plain(target.ty), span)?;
        let place = self.materialize(value);
        let mut pointer = self.address(place);
        pointer.ty = pointer_type;
        Ok(pointer)
    }

    fn reference_mismatch(
        &mut self,
        from: QualType,
        target: QualType,
        is_rvalue: bool,
        span: Span,
    ) -> Diagnostic {
        let mark = if is_rvalue { "&&" } else { "&" };
        let from_text = self.show(from);
        let to_text = match target.space {
            AddressSpace::Thread => format!("thread {}", self.show(target)),
            _ => self.show(target),
        };
        if from.space != target.space {
            return across_spaces(
                span,
                "lives in",
                from.space,
                format!("`{to_text} {mark}` cannot refer to an object in `{}` memory", from.space.name()),
            )
            .help(format!(
                "write `{} {} {mark}` for a reference to it, or copy the value",
                from.space.name(),
                self.show(QualType { space: AddressSpace::Thread, ..target })
            ));
        }
        if from.is_const && !target.is_const {
            return Diagnostic::new(
                &codes::NO_CONVERSION,
                span,
                format!("`{to_text} {mark}` cannot refer to a constant object"),
            )
            .label(format!("is `{from_text}`"));
        }
        Diagnostic::new(
            &codes::NO_CONVERSION,
            span,
            format!("`{to_text} {mark}` cannot be bound to a value of type `{from_text}`"),
        )
        .help("a reference that may change its object needs a variable of exactly its type")
    }

    /// Fails for what has no address: components written together, values.
    pub(crate) fn check_addressable(&mut self, place: &Place, span: Span, is_const: bool) -> R<()> {
        if let PlaceKind::Swizzle(..) = place.kind
            && !is_const
        {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::INVALID_OPERANDS,
                    span,
                    "components of a vector chosen together have no address",
                )
                .help("take the address of the whole vector, or use a variable")
            });
        }
        Ok(())
    }

    /// The base class part of an object.
    pub(crate) fn upcast(&mut self, place: Place, target: QualType) -> R<Place> {
        if place.ty.ty == target.ty {
            return Ok(place);
        }
        let (Type::Record(from), Type::Record(to)) =
            (self.ty(place.ty.ty).clone(), self.ty(target.ty).clone())
        else {
            return Ok(place);
        };
        let path = self.base_path(from, to).ok_or(Failed)?;
        Ok(self.field_place(place, &path))
    }

    /// A member by the way through the fields.
    pub(crate) fn field_place(&mut self, mut place: Place, path: &[u32]) -> Place {
        for at in path {
            let Type::Record(record) = *self.ty(place.ty.ty) else { return place };
            let Some(info) = self.records[record.0 as usize].fields.get(*at as usize).copied() else {
                return place;
            };
            let span = place.span;
            let outer = place.ty;
            let declared = info.ty;
            let mut ty = QualType {
                ty: declared.ty,
                space: outer.space,
                is_const: declared.is_const || (outer.is_const && !info.is_mutable),
                is_volatile: declared.is_volatile || outer.is_volatile,
                is_coherent: declared.is_coherent || outer.is_coherent,
            };
            if let Type::Reference { target, .. } = *self.ty(declared.ty) {
                ty = QualType { ty: self.intern(Type::Pointer(target)), ..ty };
            }
            let field = Place { kind: PlaceKind::Field(Box::new(place), *at), ty, span };
            place = self.through_reference(field, declared, span);
        }
        place
    }

    fn convert_value(&mut self, value: Val<'a>, to: QualType, span: Span) -> R<Expr> {
        match &value {
            Val::List(list) => return self.initialize_from_list(list, to, span),
            Val::Functions(set, given, key) => {
                if let Type::Pointer(target) = *self.ty(to.ty)
                    && let Type::Function { .. } = self.ty(target.ty)
                {
                    let instance = self.function_for(set, given.as_deref(), *key, target, span)?;
                    let mut address = self.function_address(instance, span);
                    address.ty = to.ty;
                    return Ok(address);
                }
            }
            _ => {}
        }
        if let Some(from) = value.ty()
            && let Type::Record(_) = self.ty(to.ty)
        {
            if from.ty == to.ty {
                return self.copy_record(value, span);
            }
            if let Type::Record(_) = self.ty(from.ty)
                && self.is_same_or_base(from.ty, to.ty).is_some()
            {
                let place = self.place_of(value, span)?;
                let place = self.upcast(place, to)?;
                return Ok(self.load(place));
            }
            return self.convert_by_user(value, to, span);
        }
        if value.ty().is_some_and(|from| self.is_record(from.ty)) {
            return self.convert_by_user(value, to, span);
        }
        if let Some(from) = value.ty()
            && from.ty == to.ty
            && let Type::Array(..) = self.ty(to.ty)
        {
            let place = self.place_of(value, span)?;
            return Ok(self.load(place));
        }
        let from = self.rvalue(value, span)?;
        match self.apply_standard(from, to.ty)? {
            Ok(converted) => Ok(converted),
            Err(from) => self.fail(|s| s.no_conversion(from.ty, to.ty, span)),
        }
    }

    fn copy_record(&mut self, value: Val<'a>, span: Span) -> R<Expr> {
        // A constructor of the user that copies takes part; otherwise objects are copied whole.
        let ty = value.ty().ok_or(Failed)?;
        if let (Type::Record(record), Val::Place(..)) = (self.ty(ty.ty).clone(), &value)
            && self.has_copy_constructor(record)
            && let Ok(instance) = self.quietly(|s| {
                s.choose_constructor(record, std::slice::from_ref(&value), false, false, Span::default())
            })
        {
            return self.construct(record, instance, vec![value], span);
        }
        self.rvalue(value, span)
    }

    fn convert_by_user(&mut self, value: Val<'a>, to: QualType, span: Span) -> R<Expr> {
        match self.user_conversion(&value, to, false) {
            Some(conversion) => self.apply_user(value, conversion, to, span),
            None => {
                let from = value.ty();
                self.fail(|s| match from {
                    Some(from) => s.no_conversion(from.ty, to.ty, span),
                    None => Diagnostic::new(&codes::NO_CONVERSION, span, "this has no type to convert"),
                })
            }
        }
    }

    /// Makes a user's conversion.
    pub(crate) fn apply_user(
        &mut self,
        value: Val<'a>,
        conversion: UserConversion,
        to: QualType,
        span: Span,
    ) -> R<Expr> {
        match conversion {
            UserConversion::Constructor(instance) => {
                let Type::Record(record) = *self.ty(to.ty) else { return Err(Failed) };
                self.construct(record, instance, vec![value], span)
            }
            UserConversion::Function(instance, _) => {
                let result = self.call_instance(instance, Some(value), Vec::new(), span)?;
                if let Type::Record(_) = self.ty(to.ty) {
                    return self.rvalue(result, span);
                }
                let result = self.rvalue(result, span)?;
                self.convert_explicitly(result, to, span)
            }
        }
    }

    /// As written with a cast: a standard conversion or a numeric one.
    pub(crate) fn convert_explicitly(&mut self, value: Expr, to: QualType, span: Span) -> R<Expr> {
        let from = value.ty;
        match self.apply_standard(value, to.ty)? {
            Ok(converted) => Ok(converted),
            Err(_) => self.fail(|s| s.no_conversion(from, to.ty, span)),
        }
    }

    pub(crate) fn no_conversion(&mut self, from: TypeId, to: TypeId, span: Span) -> Diagnostic {
        let diagnostic = self.conversion_mistake(from, to, span);
        match self.purpose.clone() {
            Some((target, label)) if target != span => diagnostic.with_label(target, label),
            _ => diagnostic,
        }
    }

    fn conversion_mistake(&mut self, from: TypeId, to: TypeId, span: Span) -> Diagnostic {
        let (from_text, to_text) = (self.show(QualType::plain(from)), self.show(QualType::plain(to)));
        match (self.ty(from).clone(), self.ty(to).clone()) {
            (Type::Pointer(a), Type::Pointer(b)) if a.space != b.space => across_spaces(
                span,
                "points to",
                a.space,
                format!("cannot convert `{from_text}` to `{to_text}`"),
            )
            .help("copy the value that it points to, or declare the pointer in the same address space"),
            (Type::Pointer(a), Type::Pointer(b)) if a.ty == b.ty && a.is_const && !b.is_const => Diagnostic::new(
                &codes::NO_CONVERSION,
                span,
                format!("cannot convert `{from_text}` to `{to_text}`: the objects are constant"),
            )
            .help("add `const` to the pointer that receives it"),
            (Type::Vector(_, n), Type::Vector(_, m)) if n == m => Diagnostic::new(
                &codes::NO_CONVERSION,
                span,
                format!("`{from_text}` does not convert to `{to_text}` by itself"),
            )
            .label(format!("is `{from_text}`"))
            .note("vectors of different elements convert only when asked to (MSL specification, \"Implicit Type Conversions\")")
            .help(format!("write `{to_text}(…)`")),
            (from, to) => {
                let diagnostic = Diagnostic::new(
                    &codes::NO_CONVERSION,
                    span,
                    format!("cannot convert `{from_text}` to `{to_text}`"),
                )
                .label(format!("is `{from_text}`"));
                match conversion_help(&from, &to, &to_text) {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                }
            }
        }
    }

    /// Makes a standard conversion; gives the value back if there is none.
    pub(crate) fn apply_standard(&mut self, value: Expr, to: TypeId) -> R<Result<Expr, Expr>> {
        if value.ty == to {
            return Ok(Ok(value));
        }
        let (from_type, to_type) = (self.ty(value.ty).clone(), self.ty(to).clone());
        Ok(match (from_type, to_type) {
            (Type::Error, _) | (_, Type::Error) => return Err(Failed),
            (Type::Scalar(_), Type::Scalar(_)) => Ok(self.numeric(value, to)),
            (Type::Scalar(_), Type::Vector(element, _)) => {
                let element = self.scalar(element);
                let value = self.numeric(value, element);
                Ok(self.splat(value, to))
            }
            (Type::Scalar(_), Type::PackedVector(element, len)) => {
                let scalar = self.scalar(element);
                let value = self.numeric(value, scalar);
                let vector = self.intern(Type::Vector(element, len));
                let value = self.splat(value, vector);
                Ok(self.cast(Cast::Packed, value, to))
            }
            (Type::PackedVector(a, n), Type::Vector(b, m))
            | (Type::Vector(a, n), Type::PackedVector(b, m))
                if a == b && n == m =>
            {
                Ok(self.cast(Cast::Packed, value, to))
            }
            (Type::Enum(id), Type::Scalar(_)) if !self.program.enumeration(id).is_scoped => {
                Ok(self.enum_to_scalar(value, to))
            }
            (Type::NullPointer, Type::Pointer(_)) => {
                let null = self.constant(to, Constant::Zero, value.span);
                Ok(null)
            }
            (Type::NullPointer, Type::Scalar(Scalar::Bool)) => {
                Ok(self.constant(to, Constant::Bool(false), value.span))
            }
            (Type::Scalar(scalar), Type::Pointer(_)) if scalar.is_integer() => match value.kind {
                ExprKind::Constant(Constant::Int(0)) => Ok(self.constant(to, Constant::Zero, value.span)),
                _ => Err(value),
            },
            (Type::Pointer(_), Type::Scalar(Scalar::Bool)) => {
                let ulong = self.t.ulong;
                let number = self.cast(Cast::PointerToInt, value, ulong);
                Ok(self.cast(Cast::Numeric, number, to))
            }
            (Type::Pointer(a), Type::Pointer(b)) => {
                if self.pointer_conversion(a, b).is_none() {
                    return Ok(Err(value));
                }
                if a.ty == b.ty {
                    return Ok(Ok(Expr { ty: to, ..value }));
                }
                if let (Type::Record(from), Type::Record(base)) =
                    (self.ty(a.ty).clone(), self.ty(b.ty).clone())
                {
                    let path = self.base_path(from, base).ok_or(Failed)?;
                    let place = self.deref(value, a);
                    let place = self.field_place(place, &path);
                    let pointer = self.address(place);
                    return Ok(Ok(Expr { ty: to, ..pointer }));
                }
                Ok(self.cast(Cast::Pointer, value, to))
            }
            (Type::Record(_), Type::Record(_)) if self.is_same_or_base(value.ty, to).is_some() => {
                let place = self.materialize(value);
                let place = self.upcast(place, QualType::plain(to))?;
                Ok(self.load(place))
            }
            _ => Err(value),
        })
    }

    pub(crate) fn splat(&mut self, value: Expr, to: TypeId) -> Expr {
        let span = value.span;
        Expr { kind: ExprKind::Splat(Box::new(value)), ty: to, span }
    }

    pub(crate) fn enum_to_scalar(&mut self, value: Expr, to: TypeId) -> Expr {
        let Type::Enum(id) = *self.ty(value.ty) else { return value };
        let underlying = self.program.enumeration(id).underlying;
        let underlying = self.scalar(underlying);
        let value = match value.kind {
            ExprKind::Constant(Constant::Int(number)) => {
                self.constant(underlying, self.int_constant(underlying, number), value.span)
            }
            _ => self.cast(Cast::Enum, value, underlying),
        };
        self.numeric(value, to)
    }

    /// A number (or vector of numbers) as another type of number.
    pub(crate) fn numeric(&mut self, value: Expr, to: TypeId) -> Expr {
        if value.ty == to {
            return value;
        }
        if let ExprKind::Constant(constant) = &value.kind
            && let (Some(from), Some(scalar)) = (self.as_scalar(value.ty), self.as_scalar(to))
            && let Some(converted) = super::evaluate_number::convert_scalar(constant, from, scalar)
        {
            return self.constant(to, converted, value.span);
        }
        self.cast(Cast::Numeric, value, to)
    }

    /// A condition: a scalar bool.
    pub(crate) fn condition(&mut self, value: Val<'a>, span: Span) -> R<Expr> {
        let bool_type = self.t.bool;
        if let Some(ty) = value.ty()
            && let Type::Vector(..) = self.ty(ty.ty)
        {
            return self.fail(|s| {
                let shown = s.show(ty);
                Diagnostic::new(
                    &codes::NO_CONVERSION,
                    span,
                    format!("a condition is one `bool`, this is `{shown}`"),
                )
                .help("write `all(…)` or `any(…)`")
            });
        }
        if value.ty().is_some_and(|ty| self.is_record(ty.ty)) {
            // An explicit `operator bool` counts here.
            let to = QualType::plain(bool_type);
            return match self.user_conversion(&value, to, true) {
                Some(conversion) => self.apply_user(value, conversion, to, span),
                None => self.convert(value, to, span),
            };
        }
        self.convert(value, QualType::plain(bool_type), span)
    }
}

/// What to write where a value does not convert by itself.
pub(crate) fn conversion_help(from: &Type, to: &Type, to_text: &str) -> Option<String> {
    let letters = |count: u8| &"xyzw"[..usize::from(count.min(4))];
    Some(match (from, to) {
        (Type::Vector(_, n) | Type::PackedVector(_, n), Type::Vector(_, m) | Type::PackedVector(_, m)) if n > m => {
            format!("take its first {m} components: `.{}`", letters(*m))
        }
        (Type::Vector(_, n) | Type::PackedVector(_, n), Type::Vector(_, m) | Type::PackedVector(_, m)) if n < m => {
            format!("give the missing components: `{to_text}(…, 0)`")
        }
        (Type::Vector(..) | Type::PackedVector(..), Type::Scalar(_)) => {
            "take one of its components: `.x`".to_owned()
        }
        (Type::Atomic(_), _) => "write `atomic_load_explicit(&x, memory_order_relaxed)` for its value".to_owned(),
        (Type::Enum(_), Type::Scalar(_)) => {
            format!("a scoped enumeration becomes a number only when asked to: `{to_text}(…)`")
        }
        (Type::Scalar(_), Type::Enum(_)) => {
            format!("a number becomes an enumeration only when asked to: `{to_text}(…)`")
        }
        (Type::Pointer(_), Type::Scalar(_)) => "take the object that it points to: `*p` or `p[i]`".to_owned(),
        (Type::Scalar(_), Type::Pointer(_)) => "take the address of an object: `&x`".to_owned(),
        (Type::Pointer(_), Type::Pointer(_)) => {
            "read the same memory as another type with `reinterpret_cast`, or declare the pointer with the other type"
                .to_owned()
        }
        (Type::Matrix { columns: a, rows: b, .. }, Type::Matrix { columns: c, rows: d, .. }) => {
            if (a, b) == (c, d) {
                format!("write `{to_text}(…)`")
            } else {
                format!("make it of columns: `{to_text}(m[0].{0}, …)`", letters(*d))
            }
        }
        _ => return None,
    })
}

/// The type in which a scalar takes part in arithmetic.
pub(crate) fn promote(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort => Scalar::Int,
        other => other,
    }
}

/// The common type of two scalars in arithmetic.
pub(crate) fn usual(a: Scalar, b: Scalar) -> Scalar {
    if a == b && a.is_float() {
        return a;
    }
    match (a.is_float(), b.is_float()) {
        (true, true) => Scalar::Float,
        (true, false) => a,
        (false, true) => b,
        (false, false) => {
            let (a, b) = (promote(a), promote(b));
            let rank = |scalar| match scalar {
                Scalar::ULong => 3,
                Scalar::Long => 2,
                Scalar::UInt => 1,
                _ => 0,
            };
            if rank(a) >= rank(b) { a } else { b }
        }
    }
}
