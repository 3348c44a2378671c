//! Overload resolution: viable candidates, and the best among them.

use super::arguments::Given;
use super::lookup::FnSet;
use super::rank::Ics;
use super::scope::{FnId, FnSource, InstId, Key};
use super::value::Val;
use super::{Failed, R, Sema};
use crate::ast::{self, TypeKind};
use crate::names::Name;
use crate::stdlib::{Candidate as LibraryCandidate, LibraryNamespace};
use crate::types::{AddressSpace, QualType, RecordId, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use std::rc::Rc;

/// The function that a call means.
#[derive(Clone, Debug)]
pub(crate) enum Chosen {
    Instance(InstId),
    Library(LibraryNamespace, Rc<Vec<LibraryCandidate>>, usize),
}

struct Viable {
    chosen: Chosen,
    conversions: Vec<Ics>,
    is_template: bool,
    entity: Option<FnId>,
}

impl<'a> Sema<'a> {
    /// Chooses among functions for a call; `object` is what a member function would be called on.
    pub(crate) fn choose(
        &mut self,
        set: &FnSet,
        given: Option<&[Given<'a>]>,
        object: Option<QualType>,
        args: &[Val<'a>],
        allow_user: bool,
    ) -> Result<Chosen, Vec<Chosen>> {
        let mut viable = Vec::new();
        for id in &set.functions {
            if let Some(candidate) = self.viable(*id, given, object, args, allow_user) {
                viable.push(candidate);
            }
        }
        if given.is_none() {
            for (space, name) in &set.library {
                self.viable_library(*space, *name, args, allow_user, &mut viable);
            }
        }
        self.best(viable, args)
    }

    fn viable(
        &mut self,
        id: FnId,
        given: Option<&[Given<'a>]>,
        object: Option<QualType>,
        args: &[Val<'a>],
        allow_user: bool,
    ) -> Option<Viable> {
        let function = self.function(id);
        if function.is_invalid {
            return None;
        }
        let is_template = function.parameters.is_some();
        let variadic = match function.source {
            FnSource::Declared(decl) => decl.parameters.is_c_variadic,
            FnSource::Lambda(..) => false,
        };
        let declared = self.declared_parameters(id);
        let has_pack = declared.iter().any(is_pack);
        if (args.len() > declared.len() && !has_pack && !variadic)
            || declared.iter().skip(args.len()).any(|decl| decl.default.is_none() && !is_pack(decl))
        {
            return None;
        }
        // The object must fit before types are deduced.
        let mut conversions = Vec::with_capacity(args.len() + 1);
        let function = self.function(id);
        if let (Some(object), FnSource::Declared(decl), Some(owner)) =
            (object, function.source, function.owner)
            && !decl.specifiers.is_static
            && decl.kind != ast::FunctionKind::Constructor
        {
            let this = QualType {
                space: decl.this_qualifiers.space.map_or(AddressSpace::Thread, |(space, _)| space),
                is_const: decl.this_qualifiers.is_const,
                is_volatile: decl.this_qualifiers.is_volatile,
                ..object
            };
            let fits = self.object_fits(object, this)?;
            let depth = match *self.ty(object.ty) {
                Type::Record(record) => self.base_path(record, owner).map_or(0, |path| path.len() as u32),
                _ => 0,
            };
            conversions.push(Ics::new(super::rank::Rank::Exact, fits + 2 * depth));
        } else if object.is_some() {
            conversions.push(Ics::new(super::rank::Rank::Exact, 0));
        }
        let generic = match self.function(id).source {
            FnSource::Lambda(lambda, _)
                if lambda
                    .signature
                    .parameters
                    .parameters
                    .iter()
                    .any(|parameter| super::function::contains_auto(&parameter.ty)) =>
            {
                Some(lambda)
            }
            _ => None,
        };
        let instance = if let Some(lambda) = generic {
            self.generic_lambda(id, lambda, args)?
        } else if is_template {
            self.deduce_call(id, given.unwrap_or_default(), args)?
        } else if given.is_some() {
            return None;
        } else {
            self.quietly(|s| s.plain_instance(id)).ok()?
        };
        let parameters = self.instance(instance).parameters.clone();
        let required = parameters.iter().take_while(|param| param.default.is_none()).count();
        if args.len() < required.min(parameters.len()) || (args.len() > parameters.len() && !variadic) {
            return None;
        }
        for (at, arg) in args.iter().enumerate() {
            let ics = match parameters.get(at) {
                Some(param) => self.implicit(arg, param.ty, allow_user)?,
                None => Ics::new(super::rank::Rank::Ellipsis, 0),
            };
            conversions.push(ics);
        }
        Some(Viable { chosen: Chosen::Instance(instance), conversions, is_template, entity: Some(id) })
    }

    fn viable_library(
        &mut self,
        space: LibraryNamespace,
        name: Name,
        args: &[Val<'a>],
        allow_user: bool,
        viable: &mut Vec<Viable>,
    ) {
        let Some(candidates) = self.library_candidates(space, name) else { return };
        // Most calls match one overload exactly: then no other one needs to be looked at.
        let exact: Option<Vec<TypeId>> = args.iter().map(|arg| arg.ty().map(|ty| ty.ty)).collect();
        if let Some(types) = exact
            && let Some(at) = candidates.iter().position(|candidate| {
                candidate.parameters.len() >= types.len()
                    && candidate.required <= types.len()
                    && candidate.parameters.iter().zip(&types).all(|(parameter, ty)| parameter.ty == *ty)
            })
        {
            let conversions = vec![Ics::new(super::rank::Rank::Exact, 0); args.len()];
            viable.push(Viable {
                chosen: Chosen::Library(space, candidates, at),
                conversions,
                is_template: false,
                entity: None,
            });
            return;
        }
        'candidates: for (at, candidate) in candidates.iter().enumerate() {
            if args.len() < candidate.required || args.len() > candidate.parameters.len() {
                continue;
            }
            let mut conversions = Vec::with_capacity(args.len());
            for (arg, parameter) in args.iter().zip(&candidate.parameters) {
                match self.implicit(arg, *parameter, allow_user) {
                    Some(ics) if ics.rank != super::rank::Rank::Reluctant => conversions.push(ics),
                    _ => continue 'candidates,
                }
            }
            viable.push(Viable {
                chosen: Chosen::Library(space, candidates.clone(), at),
                conversions,
                is_template: false,
                entity: None,
            });
        }
    }

    fn best(&mut self, mut viable: Vec<Viable>, args: &[Val<'a>]) -> Result<Chosen, Vec<Chosen>> {
        if viable.len() <= 1 {
            return viable.pop().map(|only| only.chosen).ok_or_else(Vec::new);
        }
        // One pass finds a candidate that may be best; a second one makes sure.
        let mut best = 0;
        for at in 1..viable.len() {
            if self.is_better(&viable, at, best, args.len()) {
                best = at;
            }
        }
        let rivals: Vec<usize> = (0..viable.len())
            .filter(|at| *at != best && !self.is_better(&viable, best, *at, args.len()))
            .collect();
        if rivals.is_empty() {
            return Ok(viable.swap_remove(best).chosen);
        }
        let mut tied: Vec<usize> =
            rivals.iter().copied().filter(|at| !self.is_better_any(&viable, *at, args.len())).collect();
        tied.push(best);
        Err(tied.into_iter().map(|at| viable[at].chosen.clone()).collect())
    }

    fn is_better_any(&mut self, viable: &[Viable], at: usize, count: usize) -> bool {
        (0..viable.len()).any(|other| other != at && self.is_better(viable, other, at, count))
    }

    /// Is candidate `a` better than `b`?
    fn is_better(&mut self, viable: &[Viable], a: usize, b: usize, count: usize) -> bool {
        let (first, second) = (&viable[a], &viable[b]);
        let mut some_better = false;
        for (x, y) in first.conversions.iter().zip(&second.conversions) {
            match x.is_better(y) {
                Some(true) => some_better = true,
                Some(false) => return false,
                None => {}
            }
        }
        if some_better {
            return true;
        }
        // A user's function hides the library's.
        match (&first.chosen, &second.chosen) {
            (Chosen::Instance(_), Chosen::Library(..)) if !first.is_template => return true,
            (Chosen::Library(..), Chosen::Instance(_)) if !second.is_template => return false,
            _ => {}
        }
        if first.is_template != second.is_template {
            return !first.is_template;
        }
        if let (true, Some(a), Some(b)) = (first.is_template, first.entity, second.entity) {
            return a != b && self.is_more_special(a, b, count);
        }
        false
    }

    /// Deduces a function template's arguments from a call.
    pub(crate) fn deduce_call(&mut self, id: FnId, given: &[Given<'a>], args: &[Val<'a>]) -> Option<InstId> {
        let (scope, mut deduction) = self.start_deduction(id, given)?;
        let parameters = self.declared_parameters(id);
        let mut rest = args.iter();
        for parameter in parameters {
            if is_pack(parameter) {
                let pattern = match &parameter.ty.kind {
                    TypeKind::PackExpansion(pattern) => pattern,
                    _ => &parameter.ty,
                };
                if !self.type_depends(pattern, scope) {
                    break;
                }
                for arg in rest.by_ref() {
                    if !self.pack_element(&mut deduction, |s, d| s.deduce_from_value(pattern, scope, arg, d))
                    {
                        return None;
                    }
                }
                break;
            }
            let Some(arg) = rest.next() else { break };
            if !self.type_depends(&parameter.ty, scope) {
                continue;
            }
            if !self.deduce_from_value(&parameter.ty, scope, arg, &mut deduction) {
                return None;
            }
        }
        self.finish_deduction(id, &deduction)
    }

    /// Matches a parameter's written type against an argument.
    pub(crate) fn deduce_from_value(
        &mut self,
        pattern: &'a ast::Type,
        scope: super::ScopeId,
        arg: &Val<'a>,
        deduction: &mut super::deduce::Deduction,
    ) -> bool {
        let actual = match arg {
            Val::Functions(set, None, _) if set.functions.len() == 1 && set.library.is_empty() => {
                let id = set.functions[0];
                if self.function(id).parameters.is_some() {
                    return true;
                }
                let Ok(instance) = self.quietly(|s| s.plain_instance(id)) else { return false };
                self.function_type(instance)
            }
            _ => match arg.ty() {
                Some(ty) => ty,
                None => return true,
            },
        };
        match &pattern.kind {
            TypeKind::LvalueReference(inner) => {
                let saved = deduction.clone();
                if self.deduce_type(inner, scope, actual, deduction) {
                    return true;
                }
                // A constant reference to thread memory takes a copy.
                if inner.qualifiers.is_const && actual.space != AddressSpace::Thread {
                    *deduction = saved;
                    return self.deduce_type(
                        inner,
                        scope,
                        QualType { space: AddressSpace::Thread, ..actual },
                        deduction,
                    );
                }
                if let Type::PackedVector(element, len) = *self.ty(actual.ty) {
                    *deduction = saved;
                    let vector = self.plain(Type::Vector(element, len));
                    return self.deduce_type(inner, scope, vector, deduction);
                }
                false
            }
            TypeKind::RvalueReference(inner) => {
                let forwards = matches!(inner.kind, TypeKind::Named(_))
                    && inner.qualifiers == ast::Qualifiers::default()
                    && self.type_depends(inner, scope);
                if forwards && arg.is_lvalue() {
                    let reference = self.reference_to(actual, false);
                    return self.deduce_type(inner, scope, reference, deduction);
                }
                self.deduce_type(inner, scope, actual, deduction)
            }
            _ => {
                let decayed = match *self.ty(actual.ty) {
                    Type::Array(element, _) | Type::UnsizedArray(element) => {
                        self.plain(Type::Pointer(QualType { ty: element, ..actual }))
                    }
                    Type::Function { .. } => self.plain(Type::Pointer(actual)),
                    _ => QualType::plain(actual.ty),
                };
                if let (TypeKind::Array(element, _), Type::Pointer(target)) =
                    (&pattern.kind, self.ty(decayed.ty).clone())
                {
                    return self.deduce_type(element, scope, target, deduction);
                }
                let unqualified = self.strip_written(pattern);
                let saved = deduction.clone();
                if self.deduce_type_as(pattern, unqualified, scope, decayed, deduction) {
                    return true;
                }
                // Packed vectors take part as the vectors that they convert to.
                if let Type::PackedVector(element, len) = *self.ty(decayed.ty) {
                    *deduction = saved;
                    let vector = self.plain(Type::Vector(element, len));
                    return self.deduce_type_as(pattern, unqualified, scope, vector, deduction);
                }
                false
            }
        }
    }

    /// Outer qualifiers of a parameter by value do not count.
    fn strip_written(&self, pattern: &'a ast::Type) -> bool {
        pattern.qualifiers != ast::Qualifiers::default()
    }

    fn deduce_type_as(
        &mut self,
        pattern: &'a ast::Type,
        has_qualifiers: bool,
        scope: super::ScopeId,
        actual: QualType,
        deduction: &mut super::deduce::Deduction,
    ) -> bool {
        let mut actual = actual;
        if has_qualifiers && let Some((space, _)) = pattern.qualifiers.space {
            actual.space = space;
        }
        self.deduce_type(pattern, scope, actual, deduction)
    }

    /// The constructor for some arguments.
    pub(crate) fn choose_constructor(
        &mut self,
        record: RecordId,
        args: &[Val<'a>],
        explicit: bool,
        allow_user: bool,
        span: Span,
    ) -> R<InstId> {
        self.complete(record)?;
        let functions: Vec<FnId> = self.records[record.0 as usize]
            .constructors
            .iter()
            .copied()
            .filter(|id| match self.function(*id).source {
                // Objects are made in thread memory, and copied from there.
                FnSource::Declared(decl) => {
                    (explicit || !decl.specifiers.is_explicit)
                        && decl.this_qualifiers.space.is_none_or(|(space, _)| space == AddressSpace::Thread)
                }
                FnSource::Lambda(..) => false,
            })
            .collect();
        let functions = if functions.is_empty() {
            // Only constructors for another address space: better than none.
            let is_asked = |id: &FnId| match self.function(*id).source {
                FnSource::Declared(decl) => explicit || !decl.specifiers.is_explicit,
                FnSource::Lambda(..) => false,
            };
            self.records[record.0 as usize].constructors.iter().copied().filter(is_asked).collect()
        } else {
            functions
        };
        let set = FnSet { functions, library: Vec::new() };
        match self.choose(&set, None, None, args, allow_user) {
            Ok(Chosen::Instance(instance)) => {
                if self.is_deleted(instance) {
                    return self.fail(|s| {
                        let name = s.program.record(record).name.clone();
                        Diagnostic::new(
                            &codes::DELETED_FUNCTION,
                            span,
                            format!("this constructor of `{name}` is deleted"),
                        )
                    });
                }
                Ok(instance)
            }
            Ok(Chosen::Library(..)) => Err(Failed),
            Err(tied) => {
                let name = self.program.record(record).name.clone();
                self.call_failed(&name, &set, None, &tied, args, span)
            }
        }
    }

    /// The only function that a name can mean without a call.
    pub(crate) fn only_function(
        &mut self,
        set: &FnSet,
        given: Option<&[Given<'a>]>,
        key: Key,
        span: Span,
    ) -> R<InstId> {
        let mut found = Vec::new();
        for id in &set.functions {
            if self.function(*id).parameters.is_some() {
                if let Some(given) = given
                    && let Some((_, deduction)) = self.start_deduction(*id, given)
                    && let Some(instance) = self.finish_deduction(*id, &deduction)
                {
                    found.push(instance);
                }
            } else if given.is_none() {
                found.push(self.plain_instance(*id)?);
            }
        }
        if let ([], [only], Some(given)) = (found.as_slice(), set.functions.as_slice(), given)
            && let Some(parameters) = self.function(*only).parameters
            && self.quiet == 0
        {
            // With one template only it is plain what does not fit.
            let scope = self.function(*only).scope;
            let name = match key {
                Key::Name(name) => Some(name),
                Key::Operator(_) => None,
            };
            let (args, _) = self.bind_parameters(parameters, &[], scope, given.to_vec(), name, span)?;
            return self.function_instance(*only, args);
        }
        match found.as_slice() {
            [only] => Ok(*only),
            [] => self.fail(|s| {
                let name = s.show_key(key);
                Diagnostic::new(
                    &codes::NO_MATCHING_FUNCTION,
                    span,
                    format!("`{name}` with these template arguments is no function"),
                )
            }),
            _ => self.fail(|s| {
                let name = s.show_key(key);
                Diagnostic::new(&codes::AMBIGUOUS, span, format!("`{name}` means several functions here"))
            }),
        }
    }

    /// The function of a set that has a certain type.
    pub(crate) fn function_for(
        &mut self,
        set: &FnSet,
        given: Option<&[Given<'a>]>,
        key: Key,
        target: QualType,
        span: Span,
    ) -> R<InstId> {
        let Type::Function { parameters, result } = self.ty(target.ty).clone() else {
            return self.error(&codes::NO_CONVERSION, span, "a function does not convert to this type");
        };
        let mut found: Vec<(InstId, bool)> = Vec::new();
        for id in &set.functions {
            let is_template = self.function(*id).parameters.is_some();
            let instance = if is_template {
                match self.deduce_exact(*id, given.unwrap_or_default(), &parameters, Some(result)) {
                    Some(args) => self.function_instance(*id, args)?,
                    None => continue,
                }
            } else if given.is_none() {
                match self.quietly(|s| s.plain_instance(*id)) {
                    Ok(instance) => instance,
                    Err(_) => continue,
                }
            } else {
                continue;
            };
            let ty = self.function_type(instance);
            if ty.ty == target.ty || self.instance(instance).result.is_none() {
                found.push((instance, is_template));
            }
        }
        if found.len() > 1 && found.iter().any(|(_, is_template)| !is_template) {
            found.retain(|(_, is_template)| !is_template);
        }
        match found.as_slice() {
            [(only, _)] => Ok(*only),
            [] => self.fail(|s| {
                let (name, shown) = (s.show_key(key), s.show(target));
                Diagnostic::new(&codes::NO_CONVERSION, span, format!("no `{name}` has the type `{shown}`"))
            }),
            _ => self.fail(|s| {
                let name = s.show_key(key);
                Diagnostic::new(&codes::AMBIGUOUS, span, format!("several `{name}` have this type"))
            }),
        }
    }

    /// A conversion function for a certain result.
    pub(crate) fn conversion_instance(&mut self, id: FnId, to: QualType) -> Option<InstId> {
        if self.function(id).parameters.is_none() {
            return self.quietly(|s| s.plain_instance(id)).ok();
        }
        let FnSource::Declared(decl) = self.function(id).source else { return None };
        let ast::SegmentKind::Conversion(pattern) = &decl.name.last.kind else { return None };
        let (scope, mut deduction) = self.start_deduction(id, &[])?;
        let pattern = match &pattern.kind {
            TypeKind::LvalueReference(inner) => inner,
            _ => pattern,
        };
        self.deduce_type(pattern, scope, QualType::plain(to.ty), &mut deduction)
            .then(|| self.finish_deduction(id, &deduction))?
    }
}

pub(crate) fn is_pack(decl: &ast::ParameterDecl) -> bool {
    decl.is_pack || matches!(decl.ty.kind, TypeKind::PackExpansion(_))
}
