//! Declarations of classes and enumerations.

use super::lookup::{segment_name, simple_name};
use super::scope::{Entry, Key, ScopeId, ScopeKind};
use super::{R, Sema};
use crate::ast::{self, EnumDecl, RecordDecl, TagKind};
use crate::hir::Enum;
use crate::names::Name;
use crate::types::{EnumId, RecordId, Scalar, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// Declares (and perhaps defines) a class that is no template.
    pub(crate) fn declare_record(&mut self, decl: &'a RecordDecl) -> R<TypeId> {
        let name = match &decl.name {
            None => None,
            Some(name) => match simple_name(name) {
                Some(simple) => Some(simple.name),
                None if name.last.arguments.is_some() => {
                    self.declare_class_template(decl, &[])?;
                    return Ok(self.t.void);
                }
                None => return self.define_nested(decl, name),
            },
        };
        let scope = self.scope;
        let existing = name.and_then(|name| match self.scopes[scope.0 as usize].get(Key::Name(name)) {
            Some((Entry::Type(ty), _)) => match self.ty(ty.ty) {
                Type::Record(record) => Some(*record),
                _ => None,
            },
            _ => None,
        });
        let record = match existing {
            Some(record) if self.records[record.0 as usize].decl.is_none() || decl.members.is_none() => {
                record
            }
            Some(record) => {
                let before = self.records[record.0 as usize].span;
                return self.fail(|s| {
                    let name = s.program.record(record).name.clone();
                    Diagnostic::new(&codes::REDEFINED, decl.span, format!("`{name}` is defined twice"))
                        .with_label(before, "first defined here")
                });
            }
            None => {
                let record = self.new_record(name, None, scope, decl.span);
                self.program.records[record.0 as usize].is_union = decl.tag == TagKind::Union;
                if let Some(name) = name {
                    let ty = self.plain(Type::Record(record));
                    self.bind(scope, Key::Name(name), Entry::Type(ty));
                }
                record
            }
        };
        if decl.members.is_some() {
            self.order += 1;
            let limit = match self.enclosing_record(scope) {
                Some(outer) => self.records[outer.0 as usize].limit,
                None if self.frame.name.is_empty() => self.order + 1,
                None => self.limit,
            };
            let info = &mut self.records[record.0 as usize];
            info.decl = Some(decl);
            info.limit = limit;
            info.span = decl.span;
            let _ = self.complete(record);
        }
        Ok(self.intern(Type::Record(record)))
    }

    fn define_nested(&mut self, decl: &'a RecordDecl, name: &'a ast::QualifiedName) -> R<TypeId> {
        let ty = self.resolve_name(name)?;
        let Type::Record(record) = *self.ty(ty.ty) else {
            return self.error(&codes::INVALID_DECLARATION, name.span, "this is no class");
        };
        if decl.members.is_some() && self.records[record.0 as usize].decl.is_none() {
            self.records[record.0 as usize].decl = Some(decl);
            self.complete(record)?;
        }
        Ok(ty.ty)
    }

    /// A class that is only named so far.
    pub(crate) fn forward_record(
        &mut self,
        name: Name,
        scope: ScopeId,
        span: Span,
        is_union: bool,
    ) -> RecordId {
        let record = self.new_record(Some(name), None, scope, span);
        self.program.records[record.0 as usize].is_union = is_union;
        let ty = self.plain(Type::Record(record));
        self.bind(scope, Key::Name(name), Entry::Type(ty));
        record
    }

    pub(crate) fn declare_enum(&mut self, decl: &'a EnumDecl) -> R<TypeId> {
        let scope = self.scope;
        let name = decl.name.as_ref().and_then(|name| segment_name(&name.last));
        let text = name.map_or_else(String::new, |name| self.text(name).to_owned());
        let fixed = match &decl.underlying {
            Some(ty) => {
                let ty = self.resolve(ty)?;
                match self.as_scalar(ty.ty) {
                    Some(scalar) if scalar.is_integer() => Some(scalar),
                    _ => {
                        return self.error(
                            &codes::INVALID_TYPE,
                            decl.span,
                            "an enumeration is based on an integer type",
                        );
                    }
                }
            }
            None => None,
        };
        let existing = name.and_then(|name| match self.scopes[scope.0 as usize].get(Key::Name(name)) {
            Some((Entry::Type(ty), _)) => match self.ty(ty.ty) {
                Type::Enum(id) => Some(*id),
                _ => None,
            },
            _ => None,
        });
        let id = existing.unwrap_or_else(|| {
            self.program.enums.push(Enum {
                name: text.clone(),
                underlying: fixed.unwrap_or(Scalar::Int),
                is_scoped: decl.is_scoped,
            });
            let inner = self.push_scope(scope, ScopeKind::Block);
            self.enum_scopes.push(inner);
            EnumId(self.program.enums.len() as u32 - 1)
        });
        let ty = self.intern(Type::Enum(id));
        if let Some(name) = name {
            self.bind(scope, Key::Name(name), Entry::Type(crate::types::QualType::plain(ty)));
            if !self.is_user(decl.span) {
                self.program.types.set_library_type(&text, ty);
            }
        }
        let inner = self.enum_scopes[id.0 as usize];
        let mut next: i128 = 0;
        let (mut low, mut high) = (0i128, 0i128);
        for enumerator in decl.enumerators.iter().flatten() {
            if let Some(value) = &enumerator.value {
                next = self.within(inner, |s| s.integer_constant(value)).unwrap_or(next);
            }
            low = low.min(next);
            high = high.max(next);
            let entry = Entry::Constant(ty, crate::hir::Constant::Int(next));
            let key = Key::Name(enumerator.name.name);
            self.bind(inner, key, entry.clone());
            if !decl.is_scoped {
                self.bind(scope, key, entry);
            }
            next += 1;
        }
        if fixed.is_none() && !decl.is_scoped {
            self.program.enums[id.0 as usize].underlying = if low < 0 {
                if low >= i128::from(i32::MIN) && high <= i128::from(i32::MAX) {
                    Scalar::Int
                } else {
                    Scalar::Long
                }
            } else if high <= i128::from(u32::MAX) {
                Scalar::UInt
            } else {
                Scalar::ULong
            };
        }
        Ok(ty)
    }
}
