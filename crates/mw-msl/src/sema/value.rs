//! What an expression is while it is being checked, and the small builders of typed expressions.

use super::arguments::Given;
use super::lookup::FnSet;
use super::scope::{Key, LocalEntry};
use super::{Failed, R, Sema};
use crate::ast::InitList;
use crate::hir::{Cast, Constant, Expr, ExprKind, Local, LocalId, Place, PlaceKind};
use crate::types::{QualType, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use std::rc::Rc;

/// A checked expression.
#[derive(Clone)]
pub(crate) enum Val<'a> {
    /// An object; `true` if it is about to expire.
    Place(Place, bool),
    /// An effect, then the object that it leaves: `a = b`, `++a`.
    After(Box<Expr>, Place),
    Value(Expr),
    /// A function's name, with the template arguments written behind it.
    Functions(FnSet, Option<Rc<[Given<'a>]>>, Key),
    /// A member function's name behind an object.
    Method(Box<Val<'a>>, FnSet, Option<Rc<[Given<'a>]>>, Key),
    /// `{…}`
    List(&'a InitList),
}

impl Val<'_> {
    /// Its type, if it has one by itself.
    pub(crate) fn ty(&self) -> Option<QualType> {
        match self {
            Self::Place(place, _) | Self::After(_, place) => Some(place.ty),
            Self::Value(expr) => Some(QualType::plain(expr.ty)),
            Self::Functions(..) | Self::Method(..) | Self::List(_) => None,
        }
    }

    pub(crate) fn is_lvalue(&self) -> bool {
        matches!(self, Self::Place(_, false) | Self::After(..))
    }
}

impl<'a> Sema<'a> {
    /// A fresh local of the function that is being checked.
    pub(crate) fn new_local(&mut self, name: &str, ty: QualType, span: Span) -> LocalId {
        let align_bytes = self.program.layout(ty.ty).1;
        self.frame.locals.push(Local { name: name.to_owned(), ty, align_bytes, span });
        LocalId(self.frame.locals.len() as u32 - 1)
    }

    pub(crate) fn local_place(&self, local: LocalId, span: Span) -> Place {
        let ty =
            self.frame.locals.get(local.0 as usize).map_or(QualType::plain(self.t.error), |local| local.ty);
        Place { kind: PlaceKind::Local(local), ty, span }
    }

    /// How a type is passed: references are pointers.
    pub(crate) fn hir_type(&mut self, ty: QualType) -> QualType {
        match *self.ty(ty.ty) {
            Type::Reference { target, .. } => self.plain(Type::Pointer(target)),
            _ => ty,
        }
    }

    pub(crate) fn constant(&self, ty: TypeId, constant: Constant, span: Span) -> Expr {
        Expr { kind: ExprKind::Constant(constant), ty, span }
    }

    pub(crate) fn int_value(&self, value: i128, ty: TypeId, span: Span) -> Expr {
        self.constant(ty, self.int_constant(ty, value), span)
    }

    pub(crate) fn load(&self, place: Place) -> Expr {
        let (ty, span) = (place.ty.ty, place.span);
        Expr { kind: ExprKind::Load(Box::new(place)), ty, span }
    }

    pub(crate) fn address(&mut self, place: Place) -> Expr {
        let span = place.span;
        let ty = self.intern(Type::Pointer(place.ty));
        match place.kind {
            PlaceKind::Deref(pointer) => Expr { ty, ..*pointer },
            _ => Expr { kind: ExprKind::AddressOf(Box::new(place)), ty, span },
        }
    }

    /// The object behind a pointer.
    pub(crate) fn deref(&self, pointer: Expr, target: QualType) -> Place {
        let span = pointer.span;
        match pointer.kind {
            ExprKind::AddressOf(place) if place.ty == target => *place,
            _ => Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: target, span },
        }
    }

    pub(crate) fn cast(&self, cast: Cast, value: Expr, ty: TypeId) -> Expr {
        let span = value.span;
        Expr { kind: ExprKind::Cast(cast, Box::new(value)), ty, span }
    }

    pub(crate) fn sequence(&self, first: Expr, then: Expr) -> Expr {
        let (ty, span) = (then.ty, first.span);
        Expr { kind: ExprKind::Sequence(Box::new(first), Box::new(then)), ty, span }
    }

    pub(crate) fn is_error(&self, ty: TypeId) -> bool {
        matches!(self.ty(ty), Type::Error)
    }

    pub(crate) fn as_scalar(&self, ty: TypeId) -> Option<Scalar> {
        match self.ty(ty) {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    pub(crate) fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.ty(ty), Type::Record(_))
    }

    /// Records and arrays: what lives in memory only.
    pub(crate) fn is_in_memory(&self, ty: TypeId) -> bool {
        matches!(self.ty(ty), Type::Record(_) | Type::Array(..))
    }

    /// The value that an expression gives; arrays become pointers, functions their address.
    pub(crate) fn rvalue(&mut self, value: Val<'a>, span: Span) -> R<Expr> {
        match value {
            Val::Value(expr) => {
                if self.is_error(expr.ty) {
                    return Err(Failed);
                }
                if let Type::Array(element, _) = *self.ty(expr.ty) {
                    let place = self.materialize(expr);
                    return Ok(self.decay(place, element));
                }
                Ok(expr)
            }
            Val::Place(place, _) => self.read(place),
            Val::After(effect, place) => {
                let value = self.read(place)?;
                Ok(self.sequence(*effect, value))
            }
            Val::Functions(set, given, key) => {
                let instance = self.only_function(&set, given.as_deref(), key, span)?;
                Ok(self.function_address(instance, span))
            }
            Val::Method(..) => self.fail(|_| {
                Diagnostic::new(&codes::INVALID_OPERANDS, span, "a member function can only be called")
                    .help("write its arguments in parentheses")
            }),
            Val::List(_) => self.error(&codes::INVALID_OPERANDS, span, "a list in braces has no type here"),
        }
    }

    /// Reads an object.
    pub(crate) fn read(&mut self, place: Place) -> R<Expr> {
        match *self.ty(place.ty.ty) {
            Type::Error => Err(Failed),
            Type::Array(element, _) | Type::UnsizedArray(element) => Ok(self.decay(place, element)),
            Type::Atomic(_) => {
                let span = place.span;
                self.fail(|_| {
                    Diagnostic::new(&codes::INVALID_OPERANDS, span, "an atomic object cannot be read like a variable")
                        .note("atomic objects are only used through the atomic functions (MSL specification, \"Atomic Functions\")")
                        .help("write `atomic_load_explicit(&x, memory_order_relaxed)`")
                })
            }
            Type::Void => {
                let span = place.span;
                self.error(&codes::INVALID_OPERANDS, span, "`void` has no value")
            }
            _ => {
                if let PlaceKind::Temporary(_, value) = place.kind {
                    return Ok(*value);
                }
                // What is known when compiling needs no memory.
                if let Some(constant) = self.known_value(&place) {
                    return Ok(self.constant(place.ty.ty, constant, place.span));
                }
                Ok(self.load(place))
            }
        }
    }

    /// The value of a constant scalar.
    fn known_value(&self, place: &Place) -> Option<Constant> {
        if !matches!(self.ty(place.ty.ty), Type::Scalar(_) | Type::Enum(_) | Type::Vector(..)) {
            return None;
        }
        match &place.kind {
            PlaceKind::Local(local) => {
                self.constants.get(&(self.frame.id, *local)).map(|constant| (**constant).clone())
            }
            PlaceKind::Global(id) => match &self.program.globals.get(id.0 as usize)?.kind {
                crate::hir::GlobalKind::Constant(constant) if *constant != Constant::Undefined => {
                    Some(constant.clone())
                }
                _ => None,
            },
            _ => None,
        }
        .map(|constant| match (constant, self.ty(place.ty.ty)) {
            (Constant::Zero, Type::Scalar(Scalar::Bool)) => Constant::Bool(false),
            (Constant::Zero, Type::Scalar(scalar)) if scalar.is_float() => Constant::Float(0.0),
            (Constant::Zero, Type::Scalar(_) | Type::Enum(_)) => Constant::Int(0),
            (constant, _) => constant,
        })
    }

    /// A pointer to an array's first element.
    pub(crate) fn decay(&mut self, array: Place, element: TypeId) -> Expr {
        let target = QualType { ty: element, ..array.ty };
        let span = array.span;
        let zero = self.int_value(0, self.t.int, span);
        let first = Place { kind: PlaceKind::Index(Box::new(array), Box::new(zero)), ty: target, span };
        self.address(first)
    }

    /// Puts a value into a temporary.
    pub(crate) fn materialize(&mut self, value: Expr) -> Place {
        let ty = QualType::plain(value.ty);
        let span = value.span;
        if let ExprKind::Load(place) = &value.kind
            && let PlaceKind::Temporary(..) = place.kind
        {
            return (**place).clone();
        }
        let local = self.new_local("", ty, span);
        Place { kind: PlaceKind::Temporary(local, Box::new(value)), ty, span }
    }

    /// An object for a value: itself, or a temporary.
    pub(crate) fn place_of(&mut self, value: Val<'a>, span: Span) -> R<Place> {
        match value {
            Val::Place(place, _) => {
                if self.is_error(place.ty.ty) {
                    Err(Failed)
                } else {
                    Ok(place)
                }
            }
            Val::After(effect, place) => {
                let target = place.ty;
                let address = self.address(place);
                let pointer = self.sequence(*effect, address);
                Ok(self.deref(pointer, target))
            }
            value => {
                let value = self.rvalue(value, span)?;
                Ok(self.materialize(value))
            }
        }
    }

    /// The object that a local's name means.
    pub(crate) fn local_value(&mut self, entry: LocalEntry, span: Span) -> R<Val<'a>> {
        if entry.frame == super::scope::PROTOTYPE_FRAME {
            // Only its type matters.
            return Ok(self.prototype_value(entry.ty, span));
        }
        let place = if entry.frame == self.frame.id {
            self.local_place(entry.local, span)
        } else {
            match self.captured(entry, span)? {
                Some(place) => place,
                None => return Ok(self.prototype_value(entry.ty, span)),
            }
        };
        Ok(Val::Place(self.through_reference(place, entry.ty, span), false))
    }

    fn prototype_value(&mut self, ty: QualType, span: Span) -> Val<'a> {
        let target = match *self.ty(ty.ty) {
            Type::Reference { target, .. } => target,
            _ => ty,
        };
        Val::Place(Place { kind: PlaceKind::Local(LocalId(u32::MAX)), ty: target, span }, false)
    }

    /// A variable declared as a reference means what it refers to.
    pub(crate) fn through_reference(&mut self, place: Place, declared: QualType, span: Span) -> Place {
        match *self.ty(declared.ty) {
            Type::Reference { target, .. } => {
                let pointer = self.load(place);
                let mut place = self.deref(pointer, target);
                place.span = span;
                place
            }
            _ => place,
        }
    }

    /// May an expression be evaluated twice instead of once?
    pub(crate) fn is_repeatable(place: &Place) -> bool {
        fn value(expr: &Expr) -> bool {
            match &expr.kind {
                ExprKind::Constant(_) | ExprKind::FunctionAddress(_) => true,
                ExprKind::Load(place) | ExprKind::AddressOf(place) => Sema::is_repeatable(place),
                ExprKind::Cast(_, inner) => value(inner),
                ExprKind::Binary(_, a, b, _) => value(a) && value(b),
                ExprKind::PointerOffset { pointer, offset, .. } => value(pointer) && value(offset),
                ExprKind::Negate(inner, _) => value(inner),
                _ => false,
            }
        }
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Global(_) => true,
            PlaceKind::Deref(pointer) => value(pointer),
            PlaceKind::Field(inner, _) | PlaceKind::Swizzle(inner, _) | PlaceKind::ThreadElements(inner) => {
                Self::is_repeatable(inner)
            }
            PlaceKind::Index(inner, index) => Self::is_repeatable(inner) && value(index),
            PlaceKind::Temporary(..) => false,
        }
    }
}
