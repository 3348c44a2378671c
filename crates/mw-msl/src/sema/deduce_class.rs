//! Class templates without written arguments: found from the arguments of a constructor.

use super::deduce::Deduction;
use super::lookup::{Found, simple_name};
use super::overload::is_pack;
use super::scope::{Entry, Instantiated, Key, ScopeId, TemplateBody, TemplateId};
use super::value::Val;
use super::{R, Sema};
use crate::ast::{self, DeclKind, FunctionKind, Initializer, TypeKind};
use crate::types::{QualType, Type};
use mw_source::Span;

impl<'a> Sema<'a> {
    /// The type of a variable or temporary that is declared with the name of a class template alone.
    pub(crate) fn placeholder_class(
        &mut self,
        ty: &'a ast::Type,
        initializer: Option<&'a Initializer>,
    ) -> Option<QualType> {
        let id = self.placeholder_template(ty)?;
        let values = match initializer? {
            Initializer::Copy(expr) => match &expr.kind {
                ast::ExprKind::InitList(list) => {
                    self.deducing_values(list.items.iter().map(|item| &item.value))?
                }
                _ => self.deducing_values(std::iter::once(expr))?,
            },
            Initializer::Parenthesized(args, _) => self.deducing_values(args.iter())?,
            Initializer::Braced(list) => self.deducing_values(list.items.iter().map(|item| &item.value))?,
        };
        let found = self.deduce_class(id, &values)?;
        Some(QualType { is_const: ty.qualifiers.is_const, is_volatile: ty.qualifiers.is_volatile, ..found })
    }

    /// As [`Self::placeholder_class`], for `T(a)` and `T{a}`.
    pub(crate) fn placeholder_of(
        &mut self,
        ty: &'a ast::Type,
        values: impl Iterator<Item = &'a ast::Expr>,
    ) -> Option<QualType> {
        let id = self.placeholder_template(ty)?;
        let values = self.deducing_values(values)?;
        self.deduce_class(id, &values)
    }

    /// The class template that a type names without arguments.
    fn placeholder_template(&mut self, ty: &'a ast::Type) -> Option<TemplateId> {
        let TypeKind::Named(name) = &ty.kind else { return None };
        let name = simple_name(name)?;
        match self.lookup(Key::Name(name.name)) {
            Found::Entry(Entry::ClassTemplate(id)) => Some(id),
            _ => None,
        }
    }

    /// Values as far as their types go.
    fn deducing_values(&mut self, exprs: impl Iterator<Item = &'a ast::Expr>) -> Option<Vec<Val<'a>>> {
        let locals = self.frame.locals.len();
        self.unevaluated += 1;
        let values: R<Vec<Val<'a>>> = self.quietly(|s| exprs.map(|expr| s.expr(expr)).collect());
        self.unevaluated -= 1;
        self.frame.locals.truncate(locals);
        values.ok()
    }

    /// A class template's arguments from those of a constructor, or from an object of the class.
    pub(crate) fn deduce_class(&mut self, id: TemplateId, args: &[Val<'a>]) -> Option<QualType> {
        let info = self.template(id);
        let TemplateBody::Class(decl) = info.what else { return None };
        let (parameters, parent) = (info.parameters, info.scope);
        // A copy.
        if let [only] = args
            && let Some(ty) = only.ty()
            && let Type::Record(record) = *self.ty(ty.ty)
            && self.records[record.0 as usize].template.as_ref().is_some_and(|(of, _)| *of == id)
        {
            return Some(QualType::plain(ty.ty));
        }
        for (own, guide) in self.template(id).guides.clone() {
            if let Some(ty) = self.guided_class(own, guide, parent, args) {
                return Some(ty);
            }
        }
        let scope = self.deduction_scope(parameters, parent);
        for member in decl.members.iter().flatten() {
            let DeclKind::Function(function) = &member.kind else { continue };
            let declared = &function.parameters.parameters;
            let required = declared.iter().filter(|decl| decl.default.is_none()).count();
            if function.kind != FunctionKind::Constructor
                || declared.iter().any(is_pack)
                || !(required..=declared.len()).contains(&args.len())
            {
                continue;
            }
            let mut deduction = Deduction::new(parameters);
            let fits = declared.iter().zip(args).all(|(parameter, arg)| {
                !self.type_depends(&parameter.ty, scope)
                    || self.deduce_from_value(&parameter.ty, scope, arg, &mut deduction)
            });
            if fits && let Some(ty) = self.deduced_class(id, &deduction) {
                return Some(ty);
            }
        }
        None
    }

    /// The class that a deduction guide makes of some arguments.
    fn guided_class(
        &mut self,
        own: &'a [ast::TemplateParameter],
        guide: &'a ast::DeductionGuide,
        parent: ScopeId,
        args: &[Val<'a>],
    ) -> Option<QualType> {
        let declared = &guide.parameters.parameters;
        let required = declared.iter().filter(|decl| decl.default.is_none()).count();
        if declared.iter().any(is_pack) || !(required..=declared.len()).contains(&args.len()) {
            return None;
        }
        let scope = self.deduction_scope(own, parent);
        let mut deduction = Deduction::new(own);
        for (parameter, arg) in declared.iter().zip(args) {
            let fits = if self.type_depends(&parameter.ty, scope) {
                self.deduce_from_value(&parameter.ty, scope, arg, &mut deduction)
            } else {
                let ty = self.within(parent, |s| s.quietly(|s| s.resolve(&parameter.ty))).ok()?;
                self.implicit(arg, ty, true).is_some()
            };
            if !fits {
                return None;
            }
        }
        self.quietly(|s| {
            let (_, bound) = s.substitute(own, &[], parent, &deduction, |_, _| Ok(()))?;
            s.within(bound, |s| s.resolve(&guide.result))
        })
        .ok()
    }

    fn deduced_class(&mut self, id: TemplateId, deduction: &Deduction) -> Option<QualType> {
        let info = self.template(id);
        let (parameters, parent) = (info.parameters, info.scope);
        let found = self.quietly(|s| {
            let (args, _) = s.substitute(parameters, &[], parent, deduction, |_, _| Ok(()))?;
            s.instantiate_template(id, &args, Span::default())
        });
        match found {
            Ok(Instantiated::Type(ty)) => Some(ty),
            _ => None,
        }
    }
}
