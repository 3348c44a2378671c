//! Explicit specialisations and instantiations: which template they mean, with which arguments.

use super::arguments::Given;
use super::deduce::Deduction;
use super::lookup::{Found, segment_name};
use super::scope::{Arg, Args, Entry, FnId, FnSource, InstId, Key, ScopeId, ScopeKind};
use super::{Failed, R, Sema};
use crate::ast::{self, Decl, DeclKind, FunctionDecl, TemplateParameter, TypeKind};
use crate::types::{QualType, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// The function template and arguments that `f<int>(…)` in a declaration means.
    pub(crate) fn match_function_template(&mut self, decl: &'a FunctionDecl) -> R<(FnId, Args)> {
        let (found, inside) = self.find(&decl.name)?;
        let set = match found {
            Found::Functions(set) => set,
            Found::Nothing => {
                let name = segment_name(&decl.name.last).ok_or(Failed)?;
                return self.unknown_name(name, decl.name.last.span, inside);
            }
            Found::Entry(_) => {
                return self.error(&codes::NOT_A_TEMPLATE, decl.name.span, "this is no function template");
            }
        };
        let given = match &decl.name.last.arguments {
            Some(arguments) => self.given_arguments(arguments)?,
            None => Vec::new(),
        };
        let mut types = Vec::new();
        for parameter in &decl.parameters.parameters {
            if let TypeKind::Void = parameter.ty.kind
                && parameter.name.is_none()
            {
                continue;
            }
            let ty = self.resolve(&parameter.ty)?;
            types.push(self.parameter_type(ty));
        }
        let result = match super::function::contains_auto(&decl.result) {
            true => None,
            false => self.quietly(|s| s.resolve(&decl.result)).ok(),
        };
        let mut matching: Vec<(FnId, Args)> = Vec::new();
        for id in &set.functions {
            if self.function(*id).parameters.is_some()
                && let Some(args) = self.deduce_exact(*id, &given, &types, result)
            {
                matching.push((*id, args));
            }
        }
        match matching.len() {
            0 => self.fail(|s| {
                let name = s.sources.text(decl.name.span).to_owned();
                let mut diagnostic = Diagnostic::new(
                    &codes::NO_MATCHING_FUNCTION,
                    decl.name.span,
                    format!("no function template matches `{name}` with these parameters"),
                );
                for id in set.functions.iter().take(3) {
                    if let FnSource::Declared(decl) = s.function(*id).source {
                        diagnostic = diagnostic.with_label(decl.name.span, "does not match");
                    }
                }
                diagnostic
            }),
            1 => matching.pop().ok_or(Failed),
            _ => {
                let count = types.len();
                for at in 0..matching.len() {
                    let best = (0..matching.len()).all(|other| {
                        at == other || self.is_more_special(matching[at].0, matching[other].0, count)
                    });
                    if best {
                        return Ok(matching.swap_remove(at));
                    }
                }
                self.error(
                    &codes::AMBIGUOUS,
                    decl.name.span,
                    "several function templates match this declaration",
                )
            }
        }
    }

    /// Template arguments with which a function has exactly these parameter types.
    pub(crate) fn deduce_exact(
        &mut self,
        id: FnId,
        given: &[Given<'a>],
        types: &[QualType],
        result: Option<QualType>,
    ) -> Option<Args> {
        let (scope, mut deduction) = self.start_deduction(id, given)?;
        let parameters = self.declared_parameters(id);
        let mut at = 0;
        for parameter in parameters {
            let pattern = match &parameter.ty.kind {
                TypeKind::PackExpansion(pattern) => pattern,
                _ => &parameter.ty,
            };
            if parameter.is_pack || matches!(parameter.ty.kind, TypeKind::PackExpansion(_)) {
                while let Some(ty) = types.get(at) {
                    at += 1;
                    let ty = *ty;
                    if !self.pack_element(&mut deduction, |s, d| s.deduce_parameter(pattern, scope, ty, d)) {
                        return None;
                    }
                }
                continue;
            }
            let ty = *types.get(at)?;
            at += 1;
            if !self.deduce_parameter(pattern, scope, ty, &mut deduction) {
                return None;
            }
        }
        if at != types.len() {
            return None;
        }
        // Parameters that only the result names.
        if let (Some(result), FnSource::Declared(decl)) = (result, self.function(id).source)
            && !super::function::contains_auto(&decl.result)
            && self.type_depends(&decl.result, scope)
            && !self.deduce_type(&decl.result, scope, result, &mut deduction)
        {
            return None;
        }
        let instance = self.finish_deduction(id, &deduction)?;
        let have: Vec<QualType> = self.instance(instance).parameters.iter().map(|p| p.ty).collect();
        let have: Vec<TypeId> = have.into_iter().map(|ty| self.signature_type(ty).ty).collect();
        let want: Vec<TypeId> = types.iter().map(|ty| self.signature_type(*ty).ty).collect();
        (have == want).then(|| self.instance(instance).args.clone())
    }

    /// Matches a parameter as declared, arrays being pointers.
    fn deduce_parameter(
        &mut self,
        pattern: &'a ast::Type,
        scope: ScopeId,
        ty: QualType,
        deduction: &mut Deduction,
    ) -> bool {
        if let (TypeKind::Array(element, _), Type::Pointer(target)) = (&pattern.kind, self.ty(ty.ty).clone())
        {
            return self.deduce_type(element, scope, target, deduction);
        }
        if !self.type_depends(pattern, scope) {
            return true;
        }
        let ty = match self.ty(ty.ty) {
            Type::Reference { .. } => ty,
            _ => QualType { is_const: ty.is_const && pattern.qualifiers.is_const, ..ty },
        };
        self.deduce_type(pattern, scope, ty, deduction)
    }

    pub(crate) fn declared_parameters(&self, id: FnId) -> &'a [ast::ParameterDecl] {
        match self.function(id).source {
            FnSource::Declared(decl) => match decl.parameters.parameters.as_slice() {
                [only] if only.name.is_none() && matches!(only.ty.kind, TypeKind::Void) => &[],
                parameters => parameters,
            },
            FnSource::Lambda(lambda, _) => &lambda.signature.parameters.parameters,
        }
    }

    /// A scope for deducing a function template's arguments, explicit ones already bound.
    pub(crate) fn start_deduction(&mut self, id: FnId, given: &[Given<'a>]) -> Option<(ScopeId, Deduction)> {
        let parameters = self.function(id).parameters?;
        let mut deduction = Deduction::new(parameters);
        if given.is_empty() {
            if let Some(scope) = self.function(id).deduction_scope {
                return Some((scope, deduction));
            }
            let parent = self.function(id).scope;
            let scope = self.deduction_scope(parameters, parent);
            self.functions[id.0 as usize].deduction_scope = Some(scope);
            return Some((scope, deduction));
        }
        let parent = self.function(id).scope;
        let scope = self.push_scope(parent, ScopeKind::Template);
        let mut rest = given.iter().cloned();
        for (at, parameter) in parameters.iter().enumerate() {
            if parameter.is_pack {
                let elements: Vec<Given<'a>> = rest.by_ref().collect();
                if !elements.is_empty() {
                    let arg = self.explicit_pack(parameter, elements, scope)?;
                    self.bind_argument(scope, parameter, &arg);
                    deduction.args[at] = Some(arg);
                    continue;
                }
            } else if let Some(argument) = rest.next() {
                let arg = self.quietly(|s| s.explicit_argument(parameter, argument, scope)).ok()?;
                self.bind_argument(scope, parameter, &arg);
                deduction.args[at] = Some(arg);
                continue;
            }
            if let Some(name) = parameter.name {
                self.bind(scope, Key::Name(name.name), Entry::Deduced(at as u32));
            }
        }
        if rest.next().is_some() {
            return None;
        }
        Some((scope, deduction))
    }

    fn explicit_pack(
        &mut self,
        parameter: &'a TemplateParameter,
        elements: Vec<Given<'a>>,
        scope: ScopeId,
    ) -> Option<Arg> {
        let mut args = Vec::new();
        for element in elements {
            args.push(self.quietly(|s| s.explicit_argument(parameter, element, scope)).ok()?);
        }
        Some(Arg::Pack(args.into()))
    }

    /// Deduced arguments, defaults and the signature, substituted; none if that fails.
    pub(crate) fn finish_deduction(&mut self, id: FnId, deduction: &Deduction) -> Option<InstId> {
        let function = self.function(id);
        let (parameters, parent, limit) = (function.parameters?, function.scope, function.limit);
        let complete: Option<Vec<Arg>> = (0..parameters.len()).map(|at| deduction.known(at)).collect();
        if let Some(args) = &complete {
            let key = (id, Args::from(args.as_slice()));
            if let Some(Some(known)) = self.instance_ids.get(&key) {
                return Some(*known);
            }
        }
        if self.depth > super::MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let limit = limit.max(self.limit);
        let outer_limit = std::mem::replace(&mut self.limit, limit);
        let result = self.quietly(|s| {
            let (args, scope) = s.substitute(parameters, &[], parent, deduction, |_, _| Ok(()))?;
            if let Some(Some(known)) = s.instance_ids.get(&(id, args.clone())) {
                return Ok(*known);
            }
            s.make_instance(id, args, scope)
        });
        self.limit = outer_limit;
        self.depth -= 1;
        result.ok()
    }

    /// Is `a` at least as special as `b`, and not the other way round?
    pub(crate) fn is_more_special(&mut self, a: FnId, b: FnId, count: usize) -> bool {
        self.at_least_as_special(a, b, count) && !self.at_least_as_special(b, a, count)
    }

    /// Do `b`'s parameters match those of `a` with unique types?
    fn at_least_as_special(&mut self, a: FnId, b: FnId, count: usize) -> bool {
        let (Some(parameters), parent) = (self.function(a).parameters, self.function(a).scope) else {
            return true;
        };
        let scope = self.unique_scope(parameters, parent);
        let ours = self.declared_parameters(a);
        let theirs = self.declared_parameters(b);
        let Some((pattern_scope, mut deduction)) = self.start_deduction(b, &[]) else {
            return false;
        };
        let strip = |ty: &'a ast::Type| match &ty.kind {
            TypeKind::PackExpansion(inner) => &**inner,
            _ => ty,
        };
        let is_pack =
            |decl: &ast::ParameterDecl| decl.is_pack || matches!(decl.ty.kind, TypeKind::PackExpansion(_));
        for at in 0..count {
            let Some(our) = ours.get(at).or_else(|| ours.last().filter(|last| is_pack(last))) else { break };
            let Some(their) = theirs.get(at).or_else(|| theirs.last().filter(|last| is_pack(last))) else {
                break;
            };
            if is_pack(our) && !is_pack(their) {
                return false;
            }
            let mut our_type = strip(&our.ty);
            let mut their_type = strip(&their.ty);
            if let TypeKind::LvalueReference(inner) | TypeKind::RvalueReference(inner) = &our_type.kind {
                our_type = inner;
            }
            if let TypeKind::LvalueReference(inner) | TypeKind::RvalueReference(inner) = &their_type.kind {
                their_type = inner;
            }
            if let (TypeKind::Array(ours, _), TypeKind::Array(theirs, _)) = (&our_type.kind, &their_type.kind)
            {
                our_type = ours;
                their_type = theirs;
            }
            let actual = match self.within(scope, |s| {
                s.quietly(|s| {
                    if is_pack(our) {
                        let mut types = s.expand_types(our_type)?;
                        types.pop().ok_or(Failed)
                    } else {
                        s.resolve(our_type)
                    }
                })
            }) {
                Ok(ty) => ty,
                Err(_) => self.unique_type(),
            };
            let fits = if is_pack(their) {
                self.pack_element(&mut deduction, |s, d| s.deduce_type(their_type, pattern_scope, actual, d))
            } else {
                self.deduce_type(their_type, pattern_scope, actual, &mut deduction)
            };
            if !fits {
                return false;
            }
        }
        // `f(T, Ts...)` is less special than `f(T)`.
        let trailing =
            |decls: &[ast::ParameterDecl]| decls.len() > count && decls.last().is_some_and(is_pack);
        !trailing(ours) || trailing(theirs)
    }

    /// `template … f<int>(…);`, `template struct S<int>;`
    pub(crate) fn explicit_instantiation(&mut self, decl: &'a Decl, is_extern: bool, span: Span) -> R<()> {
        match &decl.kind {
            DeclKind::Function(function) => {
                let (id, args) = self.match_function_template(function)?;
                if is_extern {
                    return Ok(());
                }
                let instance = self.function_instance(id, args)?;
                self.instantiated(id, instance, function, &function.attributes, span)
            }
            DeclKind::Variables(variables) => {
                for variable in variables {
                    let Some(name) = &variable.name else { continue };
                    let (found, inside) = self.find(name)?;
                    match found {
                        Found::Functions(set) => {
                            let given = match &name.last.arguments {
                                Some(arguments) => self.given_arguments(arguments)?,
                                None => Vec::new(),
                            };
                            let key = super::lookup::segment_key(&name.last).ok_or(Failed)?;
                            let ty = self.resolve(&variable.ty)?;
                            let instance = match self.ty(ty.ty) {
                                Type::Function { .. } => {
                                    self.function_for(&set, Some(&given), key, ty, name.span)?
                                }
                                _ => self.only_function(&set, Some(&given), key, name.span)?,
                            };
                            let id = self.instance(instance).entity;
                            let FnSource::Declared(function) = self.function(id).source else { continue };
                            if !is_extern {
                                self.instantiated(id, instance, function, &variable.attributes, span)?;
                            }
                        }
                        Found::Nothing => {
                            let last = segment_name(&name.last).ok_or(Failed)?;
                            return self.unknown_name(last, name.span, inside);
                        }
                        Found::Entry(Entry::VariableTemplate(_)) => {}
                        Found::Entry(_) => {
                            return self.error(&codes::NOT_A_TEMPLATE, name.span, "this is no template");
                        }
                    }
                }
                Ok(())
            }
            DeclKind::Record(record) => {
                let Some(name) = &record.name else { return Ok(()) };
                let ty = self.resolve_name(name)?;
                self.require_complete(ty.ty, name.span)
            }
            _ => self.error(&codes::INVALID_DECLARATION, span, "only templates can be instantiated"),
        }
    }

    fn instantiated(
        &mut self,
        id: FnId,
        instance: InstId,
        decl: &'a FunctionDecl,
        attributes: &'a [ast::Attribute],
        span: Span,
    ) -> R<()> {
        let FnSource::Declared(template) = self.function(id).source else { return Ok(()) };
        let host_name = self.host_name(attributes);
        if self.is_entry_point(template) || self.is_entry_point(decl) || self.has_stage(attributes) {
            self.add_kernel(id, Some(instance), decl, host_name, span);
        } else {
            self.need_function(instance, span);
        }
        Ok(())
    }
}
