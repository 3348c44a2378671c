//! Members of objects: fields, functions, components of vectors.

use super::lookup::{FnSet, Qualifier, segment_key, segment_name};
use super::scope::{Entry, FnSource};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{NameSegment, OverloadedOperator, SegmentKind};
use crate::hir::{Constant, Expr, ExprKind, Place, PlaceKind};
use crate::types::{QualType, RecordId, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// `a.b`, `a->b`
    pub(crate) fn member_access(
        &mut self,
        object: Val<'a>,
        is_arrow: bool,
        qualifiers: &'a [NameSegment],
        name: &'a NameSegment,
        span: Span,
    ) -> R<Val<'a>> {
        let object = if is_arrow { self.through_arrow(object, span)? } else { object };
        let Some(ty) = object.ty() else {
            return self.error(&codes::NO_MEMBER, span, "this has no members");
        };
        match self.ty(ty.ty).clone() {
            Type::Error => Err(Failed),
            Type::Record(record) => self.record_member(object, record, qualifiers, name, span),
            Type::Vector(element, len) | Type::PackedVector(element, len) => {
                self.components(object, ty, element, len, name, span)
            }
            Type::Pointer(_) if !is_arrow => self.fail(|s| {
                let shown = s.show(ty);
                Diagnostic::new(&codes::NO_MEMBER, span, format!("`{shown}` is a pointer"))
                    .help("write `->` instead of `.`")
            }),
            Type::Opaque(kind) => self.fail(|_| {
                Diagnostic::new(
                    &codes::UNSUPPORTED,
                    name.span,
                    format!("`{kind}` is not supported in compute kernels here"),
                )
                .note("textures, samplers and tensors can be declared and passed on, but not used")
                .help("read and write a `device` buffer instead")
            }),
            // `x.~T()`
            _ if matches!(name.kind, SegmentKind::Destructor(_)) => Ok(object),
            _ => self.fail(|s| {
                let shown = s.show(QualType::plain(ty.ty));
                let text = s.sources.text(name.span).to_owned();
                let diagnostic = Diagnostic::new(
                    &codes::NO_MEMBER,
                    name.span,
                    format!("`{shown}` has no member `{text}`"),
                );
                match s.ty(ty.ty) {
                    Type::Scalar(_) => diagnostic.note("it is one number, without components"),
                    Type::Array(..) => diagnostic.note("it is an array: its elements are `a[i]`"),
                    Type::Matrix { .. } => diagnostic.note("it is a matrix: its columns are `m[i]`"),
                    Type::Atomic(_) => diagnostic.help(
                        "use the atomic functions, such as `atomic_load_explicit(&x, memory_order_relaxed)`",
                    ),
                    _ => diagnostic,
                }
            }),
        }
    }

    fn through_arrow(&mut self, object: Val<'a>, span: Span) -> R<Val<'a>> {
        let Some(ty) = object.ty() else { return Err(Failed) };
        match self.ty(ty.ty).clone() {
            Type::Pointer(target) => {
                let pointer = self.rvalue(object, span)?;
                let mut place = self.deref(pointer, target);
                place.span = span;
                Ok(Val::Place(place, false))
            }
            Type::Array(element, _) => {
                let target = QualType { ty: element, ..ty };
                let pointer = self.rvalue(object, span)?;
                Ok(Val::Place(self.deref(pointer, target), false))
            }
            Type::Record(record) => {
                let key = super::Key::Operator(OverloadedOperator::Arrow);
                match self.member(record, key) {
                    Some(Entry::Functions(set)) => {
                        let set = FnSet { functions: self.sets[set.0 as usize].clone(), library: Vec::new() };
                        let next =
                            self.call_value(Val::Method(Box::new(object), set, None, key), Vec::new(), span)?;
                        self.through_arrow(next, span)
                    }
                    _ => self.fail(|s| {
                        let shown = s.show(QualType::plain(ty.ty));
                        Diagnostic::new(
                            &codes::NO_MEMBER,
                            span,
                            format!("`{shown}` is an object, no pointer"),
                        )
                        .help("write `.` instead of `->`")
                    }),
                }
            }
            Type::Error => Err(Failed),
            _ => self.fail(|s| {
                let shown = s.show(QualType::plain(ty.ty));
                Diagnostic::new(&codes::NO_MEMBER, span, format!("`{shown}` is no pointer"))
            }),
        }
    }

    fn record_member(
        &mut self,
        object: Val<'a>,
        record: RecordId,
        qualifiers: &'a [NameSegment],
        name: &'a NameSegment,
        span: Span,
    ) -> R<Val<'a>> {
        self.require_complete(object.ty().ok_or(Failed)?.ty, span)?;
        if let SegmentKind::Destructor(_) = name.kind {
            return Ok(object);
        }
        let mut object = object;
        let mut inside = record;
        if !qualifiers.is_empty() {
            // `a.B::b`: as a member of the base.
            let scope = self.records[record.0 as usize].scope;
            let qualifier = match self.quietly(|s| s.qualifier_of(false, qualifiers)) {
                Ok(found) => found,
                Err(_) => self.within(scope, |s| s.qualifier_of(false, qualifiers))?,
            };
            if let Some(Qualifier::Record(base)) = qualifier {
                let place = self.place_of(object, span)?;
                let target = self.record_type(base);
                object = Val::Place(self.upcast(place, target)?, false);
                inside = base;
            }
        }
        if let SegmentKind::Conversion(ty) = &name.kind {
            let to = self.resolve(ty)?;
            let conversion = self.user_conversion(&object, to, true).ok_or(Failed);
            return match conversion {
                Ok(conversion) => {
                    let instance = Self::conversion_target(&conversion);
                    let functions = vec![self.instance(instance).entity];
                    let set = FnSet { functions, library: Vec::new() };
                    let key = super::Key::Operator(OverloadedOperator::Arrow);
                    Ok(Val::Method(Box::new(object), set, None, key))
                }
                Err(failed) => Err(failed),
            };
        }
        let Some(key) = segment_key(name) else { return Err(Failed) };
        if let Some(access) = self.is_hidden(inside, key) {
            return self.fail(|s| {
                let (class, member) = (s.program.record(inside).name.clone(), s.show_key(key));
                let word = match access {
                    crate::ast::AccessKind::Protected => "protected",
                    _ => "private",
                };
                Diagnostic::new(
                    &codes::HIDDEN_MEMBER,
                    name.span,
                    format!("`{member}` is a {word} member of `{class}`"),
                )
                .help("declare it behind `public:`, or write `struct` instead of `class`")
            });
        }
        match self.member(inside, key) {
            Some(Entry::Field(path)) => match object {
                Val::Place(place, is_expiring) => {
                    let mut place = self.field_place(place, &path);
                    place.span = span;
                    Ok(Val::Place(place, is_expiring))
                }
                Val::After(..) => {
                    let place = self.place_of(object, span)?;
                    Ok(Val::Place(self.field_place(place, &path), false))
                }
                object => {
                    let value = self.rvalue(object, span)?;
                    let place = self.materialize(value);
                    Ok(Val::Place(self.field_place(place, &path), true))
                }
            },
            Some(Entry::Functions(set)) => {
                let functions = self.sets[set.0 as usize].clone();
                let given = self.segment_arguments(name)?;
                let only_static = functions.iter().all(|id| match self.function(*id).source {
                    FnSource::Declared(decl) => decl.specifiers.is_static,
                    FnSource::Lambda(..) => false,
                });
                let set = FnSet { functions, library: Vec::new() };
                if only_static {
                    return Ok(Val::Functions(set, given, key));
                }
                Ok(Val::Method(Box::new(object), set, given, key))
            }
            Some(entry) => self.entry_value(entry, name, name.span),
            None => {
                let Some(last) = segment_name(name) else {
                    return self.error(&codes::NO_MEMBER, name.span, "no such member is declared");
                };
                self.fail(|s| {
                    let shown = s.program.record(inside).name.clone();
                    let text = s.text(last);
                    let mut diagnostic = Diagnostic::new(
                        &codes::NO_MEMBER,
                        name.span,
                        format!("`{shown}` has no member `{text}`"),
                    );
                    let scope = s.records[inside.0 as usize].scope;
                    let names: Vec<&str> = s.scopes[scope.0 as usize]
                        .keys()
                        .filter_map(|key| match key {
                            super::Key::Name(name) => Some(s.names.text(name)),
                            super::Key::Operator(_) => None,
                        })
                        .collect();
                    if let Some(closest) = Self::closest(text, names.into_iter()) {
                        diagnostic = diagnostic
                            .help(format!("did you mean `{closest}`?"))
                            .with_fix(name.span, closest.to_owned());
                    }
                    diagnostic
                })
            }
        }
    }

    /// `v.x`, `v.xyz`, `v.rgba`
    fn components(
        &mut self,
        object: Val<'a>,
        ty: QualType,
        element: crate::types::Scalar,
        len: u8,
        name: &'a NameSegment,
        span: Span,
    ) -> R<Val<'a>> {
        let text = segment_name(name).map_or("", |name| self.text(name));
        let find = |set: &str| -> Option<Vec<u8>> {
            text.chars().map(|letter| set.find(letter).map(|at| at as u8).filter(|at| *at < len)).collect()
        };
        let Some(components) =
            find("xyzw").or_else(|| find("rgba")).filter(|found| (1..=4).contains(&found.len()))
        else {
            return self.fail(|s| {
                let shown = s.show(QualType::plain(ty.ty));
                let letters = &"xyzw"[..usize::from(len.min(4))];
                Diagnostic::new(&codes::NO_MEMBER, name.span, format!("`{shown}` has no component `{text}`"))
                    .note(format!("its components are `{letters}`, also `{}`, not mixed (MSL specification, \"Accessing Vector Components\")", &"rgba"[..usize::from(len.min(4))]))
            });
        };
        let result = if components.len() == 1 {
            self.scalar(element)
        } else {
            self.intern(Type::Vector(element, components.len() as u8))
        };
        let object = match object {
            Val::After(..) => Val::Place(self.place_of(object, span)?, false),
            object => object,
        };
        match object {
            Val::Place(place, is_expiring) => {
                let ty = QualType { ty: result, ..place.ty };
                // A choice of a choice is one choice.
                let (base, components) = match place.kind {
                    PlaceKind::Swizzle(inner, outer) => {
                        (*inner, components.iter().map(|at| outer[*at as usize]).collect())
                    }
                    _ => (place, components),
                };
                let kind = if let [only] = components.as_slice() {
                    let index = self.int_value(i128::from(*only), self.t.long, span);
                    PlaceKind::Index(Box::new(base), Box::new(index))
                } else {
                    PlaceKind::Swizzle(Box::new(base), components)
                };
                Ok(Val::Place(Place { kind, ty, span }, is_expiring))
            }
            object => {
                let value = self.rvalue(object, span)?;
                let value = self.unpack(value);
                let kind = if let [only] = components.as_slice() {
                    let index = self.constant(self.t.long, Constant::Int(i128::from(*only)), span);
                    ExprKind::Extract(Box::new(value), Box::new(index))
                } else {
                    ExprKind::Swizzle(Box::new(value), components)
                };
                Ok(Val::Value(Expr { kind, ty: result, span }))
            }
        }
    }
}
