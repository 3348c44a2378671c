//! Implicit conversions as overload resolution sees them: their ranks.

use super::Sema;
use super::convert::promote;
use super::scope::{FnId, InstId};
use super::value::Val;
use crate::hir::{Constant, Expr, ExprKind};
use crate::types::{AddressSpace, QualType, RecordId, Scalar, Type, TypeId};
use mw_source::Span;

/// How good an implicit conversion is; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ics {
    pub(crate) rank: Rank,
    /// Within the rank: added qualifiers, steps to a base, temporaries.
    pub(crate) detail: u32,
    /// The function of a user's conversion: only conversions by one function are compared further.
    pub(crate) user: Option<InstId>,
    /// Rank of what follows a user's conversion.
    pub(crate) second: Rank,
}

/// The classes of conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Exact,
    Promotion,
    Conversion,
    /// A scalar into all components of a vector.
    Splat,
    /// To bfloat, which only assignments do.
    Reluctant,
    User,
    Ellipsis,
}

impl Ics {
    pub(crate) fn new(rank: Rank, detail: u32) -> Self {
        Self { rank, detail, user: None, second: Rank::Exact }
    }

    /// Is `self` better than `other`? None if neither is.
    pub(crate) fn is_better(&self, other: &Self) -> Option<bool> {
        if self.rank != other.rank {
            return Some(self.rank < other.rank);
        }
        if self.rank == Rank::User {
            if self.user.is_none() || self.user != other.user || self.second == other.second {
                return None;
            }
            return Some(self.second < other.second);
        }
        (self.detail != other.detail).then_some(self.detail < other.detail)
    }
}

/// A conversion that a user's function makes.
#[derive(Clone, Debug)]
pub(crate) enum UserConversion {
    Constructor(InstId),
    /// A conversion function, then a standard conversion.
    Function(InstId, Rank),
}

impl UserConversion {
    fn instance(&self) -> InstId {
        match self {
            Self::Constructor(id) | Self::Function(id, _) => *id,
        }
    }
}

impl<'a> Sema<'a> {
    /// The rank of a standard conversion between values of two types.
    pub(crate) fn standard(&mut self, from: TypeId, to: TypeId) -> Option<Ics> {
        if from == to {
            return Some(Ics::new(Rank::Exact, 0));
        }
        let numeric = |from: Scalar, to: Scalar| -> Rank {
            match (from, to) {
                (
                    Scalar::Bool | Scalar::Char | Scalar::UChar | Scalar::Short | Scalar::UShort,
                    Scalar::Int,
                ) => Rank::Promotion,
                (Scalar::BFloat, Scalar::Float) => Rank::Promotion,
                (Scalar::BFloat, _) | (_, Scalar::BFloat) => Rank::Reluctant,
                _ => Rank::Conversion,
            }
        };
        let (from_type, to_type) = (self.ty(from).clone(), self.ty(to).clone());
        let rank = match (&from_type, &to_type) {
            (Type::Error, _) | (_, Type::Error) => Rank::Exact,
            (Type::Scalar(a), Type::Scalar(b)) => numeric(*a, *b),
            (Type::Scalar(a), Type::Vector(b, _)) => {
                let second = if a == b { Rank::Exact } else { numeric(*a, *b) };
                if second == Rank::Reluctant {
                    return Some(Ics::new(Rank::Reluctant, 8));
                }
                return Some(Ics::new(Rank::Splat, u32::from(second != Rank::Exact)));
            }
            (Type::Scalar(_), Type::PackedVector(..)) => return Some(Ics::new(Rank::Splat, 4)),
            (Type::PackedVector(a, n), Type::Vector(b, m)) if a == b && n == m => Rank::Promotion,
            (Type::Vector(a, n), Type::PackedVector(b, m)) if a == b && n == m => Rank::Conversion,
            (Type::Enum(id), Type::Scalar(to)) => {
                let info = self.program.enumeration(*id);
                if info.is_scoped {
                    return None;
                }
                let underlying = info.underlying;
                let promoted = promote(underlying);
                if *to == promoted { Rank::Promotion } else { Rank::Conversion }
            }
            (Type::NullPointer, Type::Pointer(_)) => Rank::Conversion,
            (Type::NullPointer | Type::Pointer(_), Type::Scalar(Scalar::Bool)) => {
                return Some(Ics::new(Rank::Conversion, 64));
            }
            (Type::Pointer(a), Type::Pointer(b)) => return self.pointer_conversion(*a, *b),
            (Type::Record(a), Type::Record(b)) => {
                let path = self.base_path(*a, *b)?;
                return Some(Ics::new(Rank::Conversion, path.len() as u32));
            }
            _ => return None,
        };
        Some(Ics::new(rank, 0))
    }

    pub(crate) fn pointer_conversion(&mut self, a: QualType, b: QualType) -> Option<Ics> {
        // What lives in constant memory is constant, whether it says so or not.
        let is_constant_memory = b.space == AddressSpace::Constant;
        if a.space != b.space
            || (a.is_const && !b.is_const && !is_constant_memory)
            || (a.is_volatile && !b.is_volatile)
            || (a.is_coherent && !b.is_coherent)
        {
            return None;
        }
        let qualifiers = u32::from(a.is_const != b.is_const)
            + u32::from(a.is_volatile != b.is_volatile)
            + u32::from(a.is_coherent != b.is_coherent);
        if a.ty == b.ty {
            return Some(Ics::new(Rank::Exact, qualifiers));
        }
        match (self.ty(a.ty).clone(), self.ty(b.ty).clone()) {
            (Type::Function { .. }, _) => None,
            (_, Type::Void) => Some(Ics::new(Rank::Conversion, 32 + qualifiers)),
            (Type::Record(from), Type::Record(to)) => {
                let path = self.base_path(from, to)?;
                Some(Ics::new(Rank::Conversion, 2 * path.len() as u32 + qualifiers))
            }
            (Type::Pointer(a), Type::Pointer(b)) if b.is_const || a.is_const == b.is_const => {
                let inner = self.pointer_conversion(a, b)?;
                (inner.rank == Rank::Exact).then(|| Ics::new(Rank::Exact, qualifiers + inner.detail))
            }
            _ => None,
        }
    }

    /// The fields that lead from a class to one of its bases.
    pub(crate) fn base_path(&mut self, from: RecordId, to: RecordId) -> Option<Vec<u32>> {
        if from == to {
            return Some(Vec::new());
        }
        self.complete(from).ok()?;
        for (at, base) in self.records[from.0 as usize].bases.clone().into_iter().enumerate() {
            if let Some(rest) = self.base_path(base, to) {
                let mut path = vec![at as u32];
                path.extend(rest);
                return Some(path);
            }
        }
        None
    }

    /// The implicit conversion of an expression to a parameter's type, if there is one.
    pub(crate) fn implicit(&mut self, value: &Val<'a>, to: QualType, allow_user: bool) -> Option<Ics> {
        if let Type::Reference { target, is_rvalue } = *self.ty(to.ty) {
            return self.reference_binding(value, target, is_rvalue, allow_user);
        }
        self.by_value(value, to, allow_user)
    }

    fn reference_binding(
        &mut self,
        value: &Val<'a>,
        target: QualType,
        is_rvalue: bool,
        allow_user: bool,
    ) -> Option<Ics> {
        if let Some(ty) = value.ty()
            && let Val::Place(..) | Val::After(..) = value
        {
            let is_lvalue = value.is_lvalue();
            let related = self.is_same_or_base(ty.ty, target.ty);
            if let Some(steps) = related {
                let fits = ty.space == target.space
                    && (!ty.is_const || target.is_const || target.space == AddressSpace::Constant)
                    && (!ty.is_volatile || target.is_volatile);
                if fits && is_lvalue && !is_rvalue {
                    let qualifiers = u32::from(ty.is_const != target.is_const)
                        + u32::from(ty.is_volatile != target.is_volatile);
                    let rank = if steps == 0 { Rank::Exact } else { Rank::Conversion };
                    return Some(Ics::new(rank, 4 * steps + qualifiers));
                }
                if fits && !is_lvalue && (is_rvalue || target.is_const) {
                    return Some(Ics::new(
                        if steps == 0 { Rank::Exact } else { Rank::Conversion },
                        4 * steps + u32::from(!is_rvalue),
                    ));
                }
                if is_lvalue && is_rvalue {
                    return None;
                }
                if fits || ty.space == target.space {
                    return None;
                }
            }
            // A component of a vector has no address: a constant reference gets a copy.
        }
        if let Val::Functions(set, given, key) = value {
            let instance = self
                .quietly(|s| s.function_for(set, given.as_deref(), *key, target, Span::default()))
                .ok()?;
            let _ = instance;
            return Some(Ics::new(Rank::Exact, 0));
        }
        // A temporary, which must live in thread memory and may not be changed through the reference.
        if target.space != AddressSpace::Thread || !(target.is_const || is_rvalue) || target.is_volatile {
            return None;
        }
        let mut ics = self.by_value(value, QualType::plain(target.ty), allow_user)?;
        ics.detail += if is_rvalue { 1 } else { 2 };
        Some(ics)
    }

    /// How many steps it is from a type to itself or a base class.
    pub(crate) fn is_same_or_base(&mut self, from: TypeId, to: TypeId) -> Option<u32> {
        if from == to {
            return Some(0);
        }
        match (self.ty(from).clone(), self.ty(to).clone()) {
            (Type::Record(a), Type::Record(b)) => self.base_path(a, b).map(|path| path.len() as u32),
            // `T (&)[]` and the like do not occur.
            _ => None,
        }
    }

    fn by_value(&mut self, value: &Val<'a>, to: QualType, allow_user: bool) -> Option<Ics> {
        match value {
            Val::List(list) => return self.list_conversion(list, to, allow_user),
            Val::Functions(set, given, key) => {
                let Type::Pointer(target) = *self.ty(to.ty) else {
                    if let Type::Function { .. } = self.ty(to.ty) {
                        self.quietly(|s| s.function_for(set, given.as_deref(), *key, to, Span::default()))
                            .ok()?;
                        return Some(Ics::new(Rank::Exact, 0));
                    }
                    return None;
                };
                self.quietly(|s| s.function_for(set, given.as_deref(), *key, target, Span::default()))
                    .ok()?;
                return Some(Ics::new(Rank::Exact, 0));
            }
            Val::Method(..) => return None,
            _ => {}
        }
        let from = value.ty()?;
        let from_type = match *self.ty(from.ty) {
            Type::Array(element, _) | Type::UnsizedArray(element)
                if !matches!(self.ty(to.ty), Type::Array(..)) =>
            {
                self.intern(Type::Pointer(QualType { ty: element, ..from }))
            }
            _ => from.ty,
        };
        if let Some(ics) = self.standard(from_type, to.ty) {
            return Some(ics);
        }
        // `0` is a null pointer.
        if let (Type::Pointer(_), Val::Value(Expr { kind: ExprKind::Constant(Constant::Int(0)), .. })) =
            (self.ty(to.ty), value)
        {
            return Some(Ics::new(Rank::Conversion, 1));
        }
        if !allow_user {
            return None;
        }
        let conversion = self.user_conversion(value, to, false)?;
        let second = match &conversion {
            UserConversion::Constructor(_) => Rank::Exact,
            UserConversion::Function(_, rank) => *rank,
        };
        Some(Ics { rank: Rank::User, detail: 0, user: Some(conversion.instance()), second })
    }

    fn list_conversion(
        &mut self,
        list: &'a crate::ast::InitList,
        to: QualType,
        allow_user: bool,
    ) -> Option<Ics> {
        match self.ty(to.ty).clone() {
            Type::Record(_) if allow_user => {
                self.quietly(|s| s.initialize_from_list(list, to, list.span)).ok()?;
                Some(Ics::new(Rank::User, 0))
            }
            Type::Record(_) => None,
            Type::Scalar(_) | Type::Pointer(_) | Type::Enum(_) => match list.items.as_slice() {
                [] => Some(Ics::new(Rank::Exact, 0)),
                [item] => {
                    let value = self.quietly(|s| s.expr(&item.value)).ok()?;
                    self.by_value(&value, to, allow_user)
                }
                _ => None,
            },
            _ => {
                self.quietly(|s| s.initialize_from_list(list, to, list.span)).ok()?;
                Some(Ics::new(Rank::Conversion, 0))
            }
        }
    }

    /// The user's function that converts an expression to a type.
    pub(crate) fn user_conversion(
        &mut self,
        value: &Val<'a>,
        to: QualType,
        explicit: bool,
    ) -> Option<UserConversion> {
        let mut found: Option<UserConversion> = None;
        if let Type::Record(record) = *self.ty(to.ty) {
            self.complete(record).ok()?;
            if let Ok(instance) = self.quietly(|s| {
                s.choose_constructor(record, std::slice::from_ref(value), explicit, false, Span::default())
            }) {
                found = Some(UserConversion::Constructor(instance));
            }
        }
        if found.is_none()
            && let Some(from) = value.ty()
            && let Type::Record(record) = *self.ty(from.ty)
        {
            found = self.conversion_function(record, from, to, explicit);
        }
        found
    }

    /// A class's conversion function to a type.
    fn conversion_function(
        &mut self,
        record: RecordId,
        object: QualType,
        to: QualType,
        explicit: bool,
    ) -> Option<UserConversion> {
        let mut best: Option<(Rank, u32, InstId)> = None;
        for id in self.conversions(record) {
            let decl = match self.function(id).source {
                super::scope::FnSource::Declared(decl) => decl,
                super::scope::FnSource::Lambda(..) => continue,
            };
            if decl.specifiers.is_explicit && !explicit {
                continue;
            }
            let Some(instance) = self.conversion_instance(id, to) else { continue };
            let Some(this) = self.instance(instance).this else { continue };
            let Some(object_rank) = self.object_fits(object, this) else { continue };
            let Some(result) = self.instance(instance).result else { continue };
            let result = match *self.ty(result.ty) {
                Type::Reference { target, .. } => target,
                _ => result,
            };
            let rank = match self.standard(result.ty, to.ty) {
                Some(ics) => ics.rank,
                _ if explicit && self.is_explicitly_convertible(result.ty, to.ty) => Rank::Conversion,
                _ => continue,
            };
            if best.is_none_or(|(other, other_object, _)| (rank, object_rank) < (other, other_object)) {
                best = Some((rank, object_rank, instance));
            }
        }
        best.map(|(rank, _, instance)| UserConversion::Function(instance, rank))
    }

    fn is_explicitly_convertible(&self, from: TypeId, to: TypeId) -> bool {
        matches!((self.ty(from), self.ty(to)), (Type::Scalar(_), Type::Scalar(_) | Type::Enum(_)))
    }

    /// Conversion functions of a class and its bases.
    pub(crate) fn conversions(&mut self, record: RecordId) -> Vec<FnId> {
        if self.complete(record).is_err() {
            return Vec::new();
        }
        let info = &self.records[record.0 as usize];
        let mut all = info.conversions.clone();
        for base in info.bases.clone() {
            all.extend(self.conversions(base));
        }
        all
    }

    /// Can a member function be called on an object? Smaller is better.
    pub(crate) fn object_fits(&self, object: QualType, this: QualType) -> Option<u32> {
        if object.space != this.space
            || (object.is_const && !this.is_const && this.space != AddressSpace::Constant)
            || (object.is_volatile && !this.is_volatile)
        {
            return None;
        }
        Some(u32::from(object.is_const != this.is_const))
    }
}
