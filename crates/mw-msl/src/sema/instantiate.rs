//! Instantiating class, alias and variable templates, and choosing among their specialisations.

use super::arguments::Given;
use super::deduce::Deduction;
use super::scope::{
    Arg, Args, Instantiated, Partial, RecordState, ScopeId, ScopeKind, TemplateBody, TemplateId, VarId,
    Variable, VariableState,
};
use super::{MAX_DEPTH, R, Sema};
use crate::types::{QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// What a template is for canonical arguments.
    pub(crate) fn instantiate_template(
        &mut self,
        id: TemplateId,
        args: &Args,
        span: Span,
    ) -> R<Instantiated> {
        if let Some(done) = self.template(id).instances.get(args) {
            return Ok(*done);
        }
        if self.depth > MAX_DEPTH {
            return self.too_deep(span);
        }
        self.depth += 1;
        let limit = std::mem::replace(&mut self.limit, u32::MAX);
        let result = self.instantiate_chosen(id, args, span);
        self.limit = limit;
        self.depth -= 1;
        let done = result?;
        self.templates[id.0 as usize].instances.insert(args.clone(), done);
        Ok(done)
    }

    pub(crate) fn too_deep<T>(&mut self, span: Span) -> R<T> {
        self.aloud(|s| {
            s.fail(|_| {
                Diagnostic::new(
                    &codes::TOO_DEEP,
                    span,
                    format!("templates instantiate each other more than {MAX_DEPTH} levels deep"),
                )
                .note("this limit of the compiler is almost always an instantiation that never ends")
            })
        })
    }

    fn instantiate_chosen(&mut self, id: TemplateId, args: &Args, span: Span) -> R<Instantiated> {
        let info = self.template(id);
        let (parent, parameters, what) = (info.scope, info.parameters, info.what);
        if let Some(body) = info.explicit.get(args).copied() {
            let scope = self.push_scope(parent, ScopeKind::Template);
            return self.instantiate_body(id, args, body, scope, span, false);
        }
        if !info.partial.is_empty()
            && let Some((partial, bindings)) = self.choose_partial(id, args, span)?
        {
            let given = bindings.iter().cloned().map(Given::Done).collect();
            let (_, scope) =
                self.bind_parameters(partial.parameters, &[], partial.scope, given, None, span)?;
            return self.instantiate_body(id, args, partial.body, scope, span, false);
        }
        let scope = self.push_scope(parent, ScopeKind::Template);
        for (parameter, arg) in parameters.iter().zip(args.iter()) {
            self.bind_argument(scope, parameter, arg);
        }
        self.instantiate_body(id, args, what, scope, span, true)
    }

    fn instantiate_body(
        &mut self,
        id: TemplateId,
        args: &Args,
        body: TemplateBody<'a>,
        scope: ScopeId,
        span: Span,
        is_primary: bool,
    ) -> R<Instantiated> {
        match body {
            TemplateBody::Class(decl) => {
                let name = self.template(id).name;
                let limit = self.template(id).limit;
                let record = self.new_record(Some(name), Some(decl), scope, decl.span);
                let shown = format!("{}{}", self.text(name), self.show_args(args));
                let is_union = decl.tag == crate::ast::TagKind::Union;
                let tag = if is_union { "union" } else { "struct" };
                let air_name = format!("{tag}.{}{}", self.qualification(scope), self.text(name));
                let out = &mut self.program.records[record.0 as usize];
                out.name = shown;
                out.air_name = air_name;
                out.is_union = is_union;
                let rules = self.template(id).rules;
                let info = &mut self.records[record.0 as usize];
                info.span = span;
                info.rules = rules;
                info.template = Some((id, args.clone()));
                // A specialisation may stand behind what it uses, and before: all is visible.
                info.limit = if is_primary { limit } else { u32::MAX };
                info.is_primary = is_primary;
                if decl.members.is_none() {
                    info.state = RecordState::Declared;
                    info.decl = None;
                }
                Ok(Instantiated::Type(self.plain(Type::Record(record))))
            }
            TemplateBody::Alias(decl) => {
                let name = format!("{}{}", self.text(self.template(id).name), self.show_args(args));
                self.chain.push((span, format!("in `{name}`")));
                let ty = self.within(scope, |s| s.resolve(&decl.ty));
                self.chain.pop();
                Ok(Instantiated::Type(ty?))
            }
            TemplateBody::Variable(decl) => {
                let limit = if is_primary { self.template(id).limit } else { u32::MAX };
                self.variables.push(Variable {
                    decl,
                    definition: None,
                    scope,
                    limit,
                    state: VariableState::Declared,
                    suffix: args.clone(),
                });
                let _ = span;
                Ok(Instantiated::Variable(VarId(self.variables.len() as u32 - 1)))
            }
        }
    }

    /// The most specialised partial specialisation that matches, with its bindings.
    fn choose_partial(
        &mut self,
        id: TemplateId,
        args: &Args,
        span: Span,
    ) -> R<Option<(Partial<'a>, Vec<Arg>)>> {
        let partials = self.template(id).partial.clone();
        let mut matching: Vec<(Partial<'a>, Vec<Arg>)> = Vec::new();
        for partial in partials {
            if let Some(bindings) = self.match_partial(&partial, args) {
                matching.push((partial, bindings));
            }
        }
        if matching.len() < 2 {
            return Ok(matching.pop());
        }
        'candidates: for at in 0..matching.len() {
            for other in 0..matching.len() {
                if at != other && !self.is_more_specialized(&matching[at].0, &matching[other].0) {
                    continue 'candidates;
                }
            }
            return Ok(Some(matching.swap_remove(at)));
        }
        self.fail(|s| {
            let name = s.text(s.template(id).name);
            Diagnostic::new(
                &codes::AMBIGUOUS,
                span,
                format!("several partial specialisations of `{name}` match and none is more special"),
            )
            .with_label(matching[0].0.pattern.first().map_or(span, |argument| argument.span), "matches")
            .with_label(matching[1].0.pattern.first().map_or(span, |argument| argument.span), "matches too")
        })
    }

    /// The arguments of a partial specialisation's parameters that give `args`.
    pub(crate) fn match_partial(&mut self, partial: &Partial<'a>, args: &Args) -> Option<Vec<Arg>> {
        let scope = self.deduction_scope(partial.parameters, partial.scope);
        let mut deduction = Deduction::new(partial.parameters);
        if !self.deduce_arguments(partial.pattern, scope, args, &mut deduction) {
            return None;
        }
        let bindings = deduction.finish(partial.parameters)?;
        // Substitute: the pattern must give exactly these arguments (and SFINAE must hold).
        let given = bindings.iter().cloned().map(Given::Done).collect();
        self.quietly(|s| {
            let (_, scope) =
                s.bind_parameters(partial.parameters, &[], partial.scope, given, None, Span::default())?;
            let again = s.within(scope, |s| s.given_arguments(partial.pattern))?;
            let mut written: Vec<Arg> = Vec::new();
            let flat: Vec<Arg> = args
                .iter()
                .flat_map(|arg| match arg {
                    Arg::Pack(elements) => elements.to_vec(),
                    arg => vec![arg.clone()],
                })
                .collect();
            if again.len() > flat.len() {
                return Err(super::Failed);
            }
            for (given, wanted) in again.into_iter().zip(&flat) {
                let Given::Syntax(argument, at) = given else { continue };
                written.push(s.within(at, |s| s.same_kind_argument(argument, wanted))?);
            }
            if written.len() != flat.len() || written.iter().zip(&flat).any(|(a, b)| !same_arg(a, b)) {
                return Err(super::Failed);
            }
            Ok(())
        })
        .ok()?;
        Some(bindings)
    }

    /// Reads an argument as the kind of another.
    pub(crate) fn same_kind_argument(
        &mut self,
        argument: &'a crate::ast::TemplateArgument,
        wanted: &Arg,
    ) -> R<Arg> {
        use crate::ast::{TemplateArgumentKind, TypeKind};
        match wanted {
            Arg::Type(_) => match &argument.kind {
                TemplateArgumentKind::Type(ty) => match &ty.kind {
                    TypeKind::PackExpansion(pattern) => self.resolve(pattern).map(Arg::Type),
                    _ => self.resolve(ty).map(Arg::Type),
                },
                TemplateArgumentKind::Expr(_) => self.type_argument(argument).map(Arg::Type),
            },
            Arg::Value(ty, _) => self.value_argument(argument).map(|value| Arg::Value(*ty, value)),
            Arg::Template(_) => match &argument.kind {
                TemplateArgumentKind::Type(ty) => match &ty.kind {
                    TypeKind::Named(name) => self.template_from(name),
                    _ => Err(super::Failed),
                },
                TemplateArgumentKind::Expr(_) => Err(super::Failed),
            },
            Arg::Function(..) | Arg::Pack(_) => Ok(wanted.clone()),
        }
    }

    /// Does everything that `a` matches match `b` too, and not the other way round?
    fn is_more_specialized(&mut self, a: &Partial<'a>, b: &Partial<'a>) -> bool {
        self.partial_matches(a, b) && !self.partial_matches(b, a)
    }

    /// Does `general` match the arguments of `special` with unique types for its parameters?
    fn partial_matches(&mut self, special: &Partial<'a>, general: &Partial<'a>) -> bool {
        let scope = self.unique_scope(special.parameters, special.scope);
        let Ok(args) = self.quietly(|s| {
            let given = s.within(scope, |s| s.given_arguments(special.pattern))?;
            let mut args = Vec::new();
            for argument in given {
                let Given::Syntax(argument, at) = argument else { continue };
                let arg = s.within(at, |s| s.argument_of_any_kind(argument))?;
                args.push(arg);
            }
            Ok(Args::from(args))
        }) else {
            return false;
        };
        let scope = self.deduction_scope(general.parameters, general.scope);
        let mut deduction = Deduction::new(general.parameters);
        self.deduce_arguments(general.pattern, scope, &args, &mut deduction)
    }

    /// Reads an argument without knowing what its parameter is.
    pub(crate) fn argument_of_any_kind(&mut self, argument: &'a crate::ast::TemplateArgument) -> R<Arg> {
        use crate::ast::TemplateArgumentKind;
        if let Ok(ty) = self.quietly(|s| s.type_argument(argument)) {
            return Ok(Arg::Type(ty));
        }
        if let Ok(value) = self.quietly(|s| s.value_argument(argument)) {
            return Ok(Arg::Value(self.t.int, value));
        }
        match &argument.kind {
            TemplateArgumentKind::Type(ty) => match &ty.kind {
                crate::ast::TypeKind::Named(name) => self.template_from(name),
                // A type that depends on a unique one in a way that cannot be known: unlike all others.
                _ => Ok(Arg::Type(self.unique_type())),
            },
            TemplateArgumentKind::Expr(_) => {
                self.unique += 1;
                Ok(Arg::Value(self.t.int, unique_value(self.unique)))
            }
        }
    }

    pub(crate) fn unique_type(&mut self) -> QualType {
        self.unique += 1;
        self.plain(Type::Unique(self.unique))
    }

    /// A scope in which a template's parameters are unlike everything else.
    pub(crate) fn unique_scope(
        &mut self,
        parameters: &'a [crate::ast::TemplateParameter],
        parent: ScopeId,
    ) -> ScopeId {
        use crate::ast::TemplateParameterKind;
        let scope = self.push_scope(parent, ScopeKind::Template);
        for parameter in parameters {
            let arg = match &parameter.kind {
                TemplateParameterKind::Type { .. } => Arg::Type(self.unique_type()),
                TemplateParameterKind::Value { ty, .. } => {
                    let ty = self
                        .quietly(|s| s.value_parameter_type(ty, scope))
                        .ok()
                        .flatten()
                        .unwrap_or(self.t.int);
                    self.unique += 1;
                    Arg::Value(ty, unique_value(self.unique))
                }
                TemplateParameterKind::Template { .. } => continue,
            };
            let arg = if parameter.is_pack { Arg::Pack(vec![arg].into()) } else { arg };
            self.bind_argument(scope, parameter, &arg);
        }
        scope
    }
}

/// A number that no program writes.
pub(crate) fn unique_value(number: u32) -> i128 {
    (1 << 100) + i128::from(number)
}

/// Equal, where the type of a number does not count.
pub(crate) fn same_arg(a: &Arg, b: &Arg) -> bool {
    match (a, b) {
        (Arg::Value(_, a), Arg::Value(_, b)) => a == b,
        (Arg::Pack(a), Arg::Pack(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_arg(a, b))
        }
        (a, b) => a == b,
    }
}
