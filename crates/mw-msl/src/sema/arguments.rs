//! Template arguments: from syntax to their canonical form, bound to parameters.

use super::lookup::{Found, segment_key};
use super::scope::{Arg, Args, Entry, Key, ScopeId, ScopeKind, TemplateId};
use super::walk::names_in_argument;
use super::{Failed, R, Sema};
use crate::ast::{
    ExprKind, QualifiedName, TemplateArgument, TemplateArgumentKind, TemplateParameter,
    TemplateParameterKind, TypeKind,
};
use crate::hir::{self, Constant};
use crate::names::Name;
use crate::types::{QualType, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use std::rc::Rc;

/// A template argument that may still be syntax.
#[derive(Clone)]
pub(crate) enum Given<'a> {
    /// To be read in a scope.
    Syntax(&'a TemplateArgument, ScopeId),
    Done(Arg),
}

impl<'a> Sema<'a> {
    /// Written arguments with their packs expanded.
    pub(crate) fn given_arguments(&mut self, arguments: &'a [TemplateArgument]) -> R<Vec<Given<'a>>> {
        let mut given = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let is_expansion = argument.is_pack_expansion
                || matches!(&argument.kind, TemplateArgumentKind::Type(ty) if matches!(ty.kind, TypeKind::PackExpansion(_)));
            if is_expansion {
                let mut names = Vec::new();
                names_in_argument(argument, &mut names);
                for scope in self.expansion_scopes(&names, argument.span)? {
                    given.push(Given::Syntax(argument, scope));
                }
            } else {
                given.push(Given::Syntax(argument, self.scope));
            }
        }
        Ok(given)
    }

    /// One scope for each element of the packs among `names`, with the element bound to the pack's name.
    pub(crate) fn expansion_scopes(&mut self, names: &[Name], span: Span) -> R<Vec<ScopeId>> {
        let mut packs: Vec<(Key, Rc<[Entry<'a>]>)> = Vec::new();
        for name in names {
            let key = Key::Name(*name);
            if packs.iter().any(|(other, _)| *other == key) {
                continue;
            }
            if let Found::Entry(Entry::Pack(elements)) = self.lookup(key) {
                packs.push((key, elements));
            }
        }
        let Some(count) = packs.first().map(|(_, elements)| elements.len()) else {
            return self.fail(|_| {
                Diagnostic::new(
                    &codes::INVALID_PACK,
                    span,
                    "`...` expands nothing: no pack is named before it",
                )
            });
        };
        if packs.iter().any(|(_, elements)| elements.len() != count) {
            return self.error(
                &codes::INVALID_PACK,
                span,
                "the packs that are expanded here differ in length",
            );
        }
        let mut scopes = Vec::with_capacity(count);
        for at in 0..count {
            let scope = self.push_scope(self.scope, ScopeKind::Template);
            for (key, elements) in &packs {
                let element = elements[at].clone();
                self.bind(scope, *key, element);
            }
            scopes.push(scope);
        }
        Ok(scopes)
    }

    /// The types of an expanded pattern.
    pub(crate) fn expand_types(&mut self, pattern: &'a crate::ast::Type) -> R<Vec<QualType>> {
        let mut names = Vec::new();
        super::walk::names_in_type(pattern, &mut names);
        let scopes = self.expansion_scopes(&names, pattern.span)?;
        scopes.into_iter().map(|scope| self.within(scope, |s| s.resolve(pattern))).collect()
    }

    /// Binds arguments to a template's parameters, with defaults.
    pub(crate) fn bind_template(
        &mut self,
        template: TemplateId,
        given: Vec<Given<'a>>,
        span: Span,
    ) -> R<Args> {
        let info = self.template(template);
        let (parameters, scope, name) = (info.parameters, info.scope, info.name);
        let earlier = info.earlier.clone();
        let limit = std::mem::replace(&mut self.limit, u32::MAX);
        let bound = self.bind_parameters(parameters, &earlier, scope, given, Some(name), span);
        self.limit = limit;
        bound.map(|(args, _)| args)
    }

    /// Binds arguments to parameters in a new scope inside `parent`.
    pub(crate) fn bind_parameters(
        &mut self,
        parameters: &'a [TemplateParameter],
        earlier: &[&'a [TemplateParameter]],
        parent: ScopeId,
        given: Vec<Given<'a>>,
        name: Option<Name>,
        span: Span,
    ) -> R<(Args, ScopeId)> {
        let scope = self.push_scope(parent, ScopeKind::Template);
        let mut args = Vec::with_capacity(parameters.len());
        let count = given.len();
        let mut given = given.into_iter();
        for (at, parameter) in parameters.iter().enumerate() {
            let arg = if parameter.is_pack {
                let mut elements = Vec::new();
                for element in given.by_ref() {
                    elements.push(self.argument(parameter, element, scope)?);
                }
                // An already bound pack is passed on whole.
                if let [Arg::Pack(inner)] = elements.as_slice() {
                    Arg::Pack(inner.clone())
                } else {
                    Arg::Pack(elements.into())
                }
            } else {
                match given.next() {
                    Some(argument) => self.argument(parameter, argument, scope)?,
                    None => match self.default_argument(parameter, at, earlier, scope)? {
                        Some(arg) => arg,
                        None => {
                            return self.fail(|s| {
                                let name = name.map_or("the template", |name| s.text(name));
                                let missing = parameter.name.map_or("?", |name| s.text(name.name));
                                Diagnostic::new(
                                    &codes::TEMPLATE_ARGUMENTS,
                                    span,
                                    format!("`{name}` needs an argument for its parameter `{missing}`"),
                                )
                                .with_label(parameter.span, "no default")
                            });
                        }
                    },
                }
            };
            self.bind_argument(scope, parameter, &arg);
            args.push(arg);
        }
        if given.next().is_some() {
            return self.fail(|s| {
                let name = name.map_or("the template", |name| s.text(name));
                Diagnostic::new(
                    &codes::TEMPLATE_ARGUMENTS,
                    span,
                    format!("{count} arguments for `{name}`, which has {} parameters", parameters.len()),
                )
            });
        }
        Ok((args.into(), scope))
    }

    /// The default of a parameter, from this or an earlier declaration.
    pub(crate) fn default_argument(
        &mut self,
        parameter: &'a TemplateParameter,
        at: usize,
        earlier: &[&'a [TemplateParameter]],
        scope: ScopeId,
    ) -> R<Option<Arg>> {
        let mut sources = vec![parameter];
        sources.extend(earlier.iter().filter_map(|parameters| parameters.get(at)));
        for source in sources {
            let arg = match &source.kind {
                TemplateParameterKind::Type { default: Some(default) } => {
                    Some(self.within(scope, |s| s.resolve(default).map(Arg::Type))?)
                }
                TemplateParameterKind::Value { ty, default: Some(default) } => {
                    let wanted = self.value_parameter_type(ty, scope)?;
                    Some(self.within(scope, |s| s.value_from(default, wanted))?)
                }
                TemplateParameterKind::Template { default: Some(default), .. } => {
                    Some(self.within(scope, |s| s.template_from(default))?)
                }
                _ => None,
            };
            if arg.is_some() {
                return Ok(arg);
            }
        }
        Ok(None)
    }

    /// The type of a value parameter; none for `auto`.
    pub(crate) fn value_parameter_type(
        &mut self,
        ty: &'a crate::ast::Type,
        scope: ScopeId,
    ) -> R<Option<TypeId>> {
        if matches!(ty.kind, TypeKind::Auto | TypeKind::DecltypeAuto) {
            return Ok(None);
        }
        let ty = self.within(scope, |s| s.resolve(ty))?;
        Ok(Some(self.signature_type(ty).ty))
    }

    /// One argument for one parameter.
    pub(crate) fn explicit_argument(
        &mut self,
        parameter: &'a TemplateParameter,
        given: Given<'a>,
        scope: ScopeId,
    ) -> R<Arg> {
        self.argument(parameter, given, scope)
    }

    fn argument(&mut self, parameter: &'a TemplateParameter, given: Given<'a>, scope: ScopeId) -> R<Arg> {
        match given {
            Given::Done(arg) => match (&parameter.kind, &arg) {
                (TemplateParameterKind::Value { ty, .. }, Arg::Value(_, value)) => {
                    match self.value_parameter_type(ty, scope)? {
                        Some(wanted) => Ok(Arg::Value(wanted, self.wrap_to(*value, wanted))),
                        None => Ok(arg),
                    }
                }
                _ => Ok(arg),
            },
            Given::Syntax(argument, at) => match &parameter.kind {
                TemplateParameterKind::Type { .. } => {
                    if let TemplateArgumentKind::Type(ty) = &argument.kind
                        && let TypeKind::PackExpansion(pattern) = &ty.kind
                    {
                        return self.within(at, |s| s.resolve(pattern)).map(Arg::Type);
                    }
                    self.within(at, |s| s.type_argument(argument)).map(Arg::Type)
                }
                TemplateParameterKind::Value { ty, .. } => {
                    let wanted = self.value_parameter_type(ty, scope)?;
                    self.within(at, |s| s.value_from_argument(argument, wanted))
                }
                TemplateParameterKind::Template { .. } => self.within(at, |s| {
                    let name = match &argument.kind {
                        TemplateArgumentKind::Type(ty) => match &ty.kind {
                            TypeKind::Named(name) => Some(name),
                            TypeKind::PackExpansion(pattern) => match &pattern.kind {
                                TypeKind::Named(name) => Some(name),
                                _ => None,
                            },
                            _ => None,
                        },
                        TemplateArgumentKind::Expr(expr) => match &expr.kind {
                            ExprKind::Name(name) => Some(name),
                            _ => None,
                        },
                    };
                    match name {
                        Some(name) => s.template_from(name),
                        None => s.error(
                            &codes::TEMPLATE_ARGUMENTS,
                            argument.span,
                            "the name of a class template must stand here",
                        ),
                    }
                }),
            },
        }
    }

    fn value_from_argument(&mut self, argument: &'a TemplateArgument, wanted: Option<TypeId>) -> R<Arg> {
        match &argument.kind {
            TemplateArgumentKind::Expr(expr) => match &expr.kind {
                ExprKind::PackExpansion(pattern) => self.value_from(pattern, wanted),
                _ => self.value_from(expr, wanted),
            },
            TemplateArgumentKind::Type(ty) => {
                let ty = match &ty.kind {
                    TypeKind::PackExpansion(pattern) => pattern,
                    _ => ty,
                };
                match &ty.kind {
                    TypeKind::Named(name) => {
                        let value = self.name_value(name)?;
                        self.value_arg(value, wanted, ty.span)
                    }
                    _ => self.error(&codes::TEMPLATE_ARGUMENTS, argument.span, "a value must stand here"),
                }
            }
        }
    }

    /// A value argument from an expression.
    pub(crate) fn value_from(&mut self, expr: &'a crate::ast::Expr, wanted: Option<TypeId>) -> R<Arg> {
        let (unevaluated, locals) = (std::mem::take(&mut self.unevaluated), self.frame.locals.len());
        let result = self.expr(expr).and_then(|value| self.value_arg(value, wanted, expr.span));
        self.unevaluated = unevaluated;
        self.frame.locals.truncate(locals);
        result
    }

    fn value_arg(&mut self, value: super::value::Val<'a>, wanted: Option<TypeId>, span: Span) -> R<Arg> {
        let value = match wanted {
            Some(wanted) => self.convert(value, QualType::plain(wanted), span)?,
            None => self.rvalue(value, span)?,
        };
        self.constant_of(&value, span)
    }

    /// The canonical argument that a constant expression is.
    pub(crate) fn constant_of(&mut self, value: &hir::Expr, span: Span) -> R<Arg> {
        let constant = self.evaluate(value, span)?;
        Ok(match constant {
            Constant::Bool(truth) => Arg::Value(value.ty, i128::from(truth)),
            Constant::Int(number) => Arg::Value(value.ty, number),
            Constant::Zero => Arg::Value(value.ty, 0),
            Constant::Function(id) => Arg::Function(value.ty, self.instance_of[id.0 as usize]),
            _ => {
                return self.fail(|s| {
                    let shown = s.show(QualType::plain(value.ty));
                    Diagnostic::new(
                        &codes::TEMPLATE_ARGUMENTS,
                        span,
                        format!("a value of type `{shown}` cannot be a template argument"),
                    )
                    .note("template arguments are types, templates, integers, enumerators and functions")
                });
            }
        })
    }

    /// The class or alias template that a name means.
    pub(crate) fn template_from(&mut self, name: &'a QualifiedName) -> R<Arg> {
        let inside = self.qualifier(name)?;
        let Some(key) = segment_key(&name.last) else { return Err(Failed) };
        let found = match inside {
            None => self.lookup(key),
            Some(inside) => self.lookup_in(inside, key),
        };
        match (found, key) {
            (Found::Entry(Entry::ClassTemplate(id) | Entry::AliasTemplate(id)), _) => Ok(Arg::Template(id)),
            (Found::Entry(Entry::Type(ty)), Key::Name(name))
                if self.injected_template(ty.ty, name).is_some() =>
            {
                Ok(Arg::Template(self.injected_template(ty.ty, name).ok_or(Failed)?))
            }
            (Found::Nothing, Key::Name(last)) => self.unknown_name(last, name.span, inside),
            _ => self.error(
                &codes::TEMPLATE_ARGUMENTS,
                name.span,
                "the name of a class template must stand here",
            ),
        }
    }

    /// Makes a parameter's name mean its argument.
    pub(crate) fn bind_argument(&mut self, scope: ScopeId, parameter: &TemplateParameter, arg: &Arg) {
        if let Some(name) = parameter.name {
            let entry = self.arg_entry(arg);
            self.bind(scope, Key::Name(name.name), entry);
        }
    }

    fn arg_entry(&mut self, arg: &Arg) -> Entry<'a> {
        match arg {
            Arg::Type(ty) => Entry::Type(*ty),
            Arg::Value(ty, value) => Entry::Constant(*ty, self.int_constant(*ty, *value)),
            Arg::Function(ty, instance) => {
                let id = self.need_function(*instance, Span::default());
                Entry::Constant(*ty, Constant::Function(id))
            }
            Arg::Template(id) => match self.template(*id).what {
                super::scope::TemplateBody::Class(_) => Entry::ClassTemplate(*id),
                super::scope::TemplateBody::Alias(_) => Entry::AliasTemplate(*id),
                super::scope::TemplateBody::Variable(_) => Entry::VariableTemplate(*id),
            },
            Arg::Pack(elements) => {
                let entries: Vec<_> = elements.iter().map(|element| self.arg_entry(element)).collect();
                Entry::Pack(entries.into())
            }
        }
    }

    /// An integer as a constant of a type.
    pub(crate) fn int_constant(&self, ty: TypeId, value: i128) -> Constant {
        match self.ty(ty) {
            Type::Scalar(crate::types::Scalar::Bool) => Constant::Bool(value != 0),
            Type::Scalar(scalar) if scalar.is_float() => Constant::Float(value as f64),
            _ => Constant::Int(value),
        }
    }
}
