//! Declarations of templates and their specialisations.

use super::lookup::{Found, Qualifier, segment_name};
use super::report::forbidden;
use super::scope::{
    Arg, Entry, ExplicitFunction, Key, OutOfClass, OutOfClassDecl, Partial, RecordState, ScopeKind, Template,
    TemplateBody, TemplateId,
};
use super::{R, Sema};
use crate::ast::{self, DeclKind, FunctionDecl, RecordDecl, TemplateDecl, TemplateParameter, VariableDecl};
use crate::names::Name;
use crate::types::Type;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// `template <…> declaration`
    pub(crate) fn declare_template(&mut self, template: &'a TemplateDecl) -> R<()> {
        if let Some(requires) = &template.requires {
            self.report(
                forbidden(requires.span, "`requires`, which is C++20")
                    .help("use `enable_if_t` in a template parameter"),
            );
        }
        let parameters = template.parameters.as_slice();
        match &template.decl.kind {
            DeclKind::Function(function) => {
                if parameters.is_empty() {
                    return self.specialize_function(function);
                }
                if !function.name.qualifiers.is_empty() || function.name.global {
                    self.define_outside(function, None, Some(parameters))?;
                    return Ok(());
                }
                self.declare_function(function, Some(parameters))?;
                Ok(())
            }
            // A member template of a class template, defined outside.
            DeclKind::Template(inner) => match &inner.decl.kind {
                DeclKind::Function(function) => {
                    self.define_outside(function, Some(parameters), Some(&inner.parameters))?;
                    Ok(())
                }
                _ => self.error(
                    &codes::INVALID_DECLARATION,
                    template.decl.span,
                    "only member functions of class templates are declared so",
                ),
            },
            DeclKind::Record(record) => self.declare_class_template(record, parameters),
            DeclKind::TypeAlias(alias) => {
                self.new_template(alias.name.name, parameters, TemplateBody::Alias(alias));
                Ok(())
            }
            DeclKind::Variables(variables) => {
                for variable in variables {
                    self.declare_variable_template(variable, parameters)?;
                }
                Ok(())
            }
            DeclKind::DeductionGuide(guide) => self.declare_guide(guide, parameters),
            DeclKind::Friend(_) | DeclKind::Empty => Ok(()),
            _ => self.error(
                &codes::INVALID_DECLARATION,
                template.decl.span,
                "templates are of classes, functions, variables and type aliases",
            ),
        }
    }

    /// `S(T) -> S<T>;`
    pub(crate) fn declare_guide(
        &mut self,
        guide: &'a ast::DeductionGuide,
        parameters: &'a [TemplateParameter],
    ) -> R<()> {
        match self.lookup(Key::Name(guide.name.name)) {
            Found::Entry(Entry::ClassTemplate(id)) => {
                self.templates[id.0 as usize].guides.push((parameters, guide));
                Ok(())
            }
            _ => self.error(
                &codes::INVALID_DECLARATION,
                guide.name.span,
                "a deduction guide belongs to a class template",
            ),
        }
    }

    pub(crate) fn new_template(
        &mut self,
        name: Name,
        parameters: &'a [TemplateParameter],
        what: TemplateBody<'a>,
    ) -> TemplateId {
        let entry = self.scopes[self.scope.0 as usize].get(Key::Name(name)).map(|(entry, _)| entry.clone());
        if let Some(Entry::ClassTemplate(id)) = entry
            && let TemplateBody::Class(new) = what
        {
            // Declared before: this one may be the definition.
            let limit = self.order + 1;
            let info = &mut self.templates[id.0 as usize];
            if new.members.is_some() {
                info.earlier.push(info.parameters);
                info.parameters = parameters;
                info.what = what;
                info.limit = limit;
            } else {
                info.earlier.push(parameters);
            }
            return id;
        }
        self.order += 1;
        let limit = match self.enclosing_record(self.scope) {
            Some(record) => self.records[record.0 as usize].limit,
            None => self.order + 1,
        };
        self.templates.push(Template {
            name,
            parameters,
            earlier: Vec::new(),
            what,
            scope: self.scope,
            rules: self.global_rules(),
            limit,
            partial: Vec::new(),
            explicit: rustc_hash::FxHashMap::default(),
            instances: rustc_hash::FxHashMap::default(),
            members: Vec::new(),
            guides: Vec::new(),
        });
        let id = TemplateId(self.templates.len() as u32 - 1);
        let entry = match what {
            TemplateBody::Class(_) => Entry::ClassTemplate(id),
            TemplateBody::Alias(_) => Entry::AliasTemplate(id),
            TemplateBody::Variable(_) => Entry::VariableTemplate(id),
        };
        self.bind(self.scope, Key::Name(name), entry);
        id
    }

    pub(crate) fn declare_class_template(
        &mut self,
        record: &'a RecordDecl,
        parameters: &'a [TemplateParameter],
    ) -> R<()> {
        let Some(name) = &record.name else {
            return self.error(&codes::INVALID_DECLARATION, record.span, "a class template needs a name");
        };
        let Some(last) = segment_name(&name.last) else { return Err(super::Failed) };
        let Some(arguments) = &name.last.arguments else {
            self.new_template(last, parameters, TemplateBody::Class(record));
            return Ok(());
        };
        let Arg::Template(id) = self.template_from(name)? else { return Err(super::Failed) };
        self.specialize(id, arguments, parameters, TemplateBody::Class(record), name.span)
    }

    fn declare_variable_template(
        &mut self,
        variable: &'a VariableDecl,
        parameters: &'a [TemplateParameter],
    ) -> R<()> {
        let Some(name) = &variable.name else {
            return self.error(
                &codes::INVALID_DECLARATION,
                variable.span,
                "a variable template needs a name",
            );
        };
        let Some(last) = segment_name(&name.last) else { return Err(super::Failed) };
        if !name.qualifiers.is_empty()
            && let Some(template) = self.outside_template(name)?
        {
            self.templates[template.0 as usize].members.push(OutOfClass {
                outer: parameters,
                own: None,
                decl: OutOfClassDecl::Variable(variable),
            });
            return Ok(());
        }
        let Some(arguments) = &name.last.arguments else {
            self.new_template(last, parameters, TemplateBody::Variable(variable));
            return Ok(());
        };
        let (found, inside) = self.find(name)?;
        match found {
            Found::Entry(Entry::VariableTemplate(id)) => {
                self.specialize(id, arguments, parameters, TemplateBody::Variable(variable), name.span)
            }
            Found::Nothing => self.unknown_name(last, name.span, inside),
            _ => self.error(&codes::NOT_A_TEMPLATE, name.span, "this is no variable template"),
        }
    }

    /// A full or partial specialisation of a class or variable template.
    fn specialize(
        &mut self,
        id: TemplateId,
        arguments: &'a [ast::TemplateArgument],
        parameters: &'a [TemplateParameter],
        body: TemplateBody<'a>,
        span: Span,
    ) -> R<()> {
        if parameters.is_empty() {
            let given = self.given_arguments(arguments)?;
            let args = self.bind_template(id, given, span)?;
            if let Some(instance) = self.template(id).instances.get(&args).copied() {
                // Named before, but not needed yet: it gets this body now.
                if let (super::scope::Instantiated::Type(ty), TemplateBody::Class(decl)) = (instance, body)
                    && let Type::Record(record) = *self.ty(ty.ty)
                    && self.records[record.0 as usize].state == RecordState::Declared
                {
                    let scope = self.push_scope(self.template(id).scope, ScopeKind::Template);
                    let info = &mut self.records[record.0 as usize];
                    info.is_primary = false;
                    info.limit = u32::MAX;
                    if decl.members.is_some() {
                        info.decl = Some(decl);
                    }
                    let inner = info.scope;
                    self.scopes[inner.0 as usize].parent = Some(scope);
                } else if let super::scope::Instantiated::Type(_) = instance {
                    return self.error(
                        &codes::REDEFINED,
                        span,
                        "this specialisation comes after the first use of what it replaces",
                    );
                }
            }
            self.templates[id.0 as usize].explicit.insert(args, body);
            return Ok(());
        }
        let scope = self.scope;
        self.templates[id.0 as usize].partial.push(Partial { parameters, pattern: arguments, body, scope });
        Ok(())
    }

    /// `template <> void f<int>(…) { … }`
    fn specialize_function(&mut self, decl: &'a FunctionDecl) -> R<()> {
        if !decl.name.qualifiers.is_empty()
            && let Ok(Some(Qualifier::Record(record))) = self.quietly(|s| s.qualifier(&decl.name))
        {
            // A member of one instantiation: `template <> void S<int>::f() { … }`
            for id in self.member_functions(record, decl) {
                if self.matches_member(record, id, decl) && self.function(id).parameters.is_none() {
                    self.functions[id.0 as usize].definition = Some((decl, None));
                    return Ok(());
                }
            }
        }
        let (function, args) = self.match_function_template(decl)?;
        let scope = self.scope;
        let key = (function, args.clone());
        self.functions[function.0 as usize].specializations.push(ExplicitFunction { args, decl, scope });
        if let Some(Some(instance)) = self.instance_ids.get(&key).copied() {
            self.instances[instance.0 as usize].special = Some((decl, scope));
        }
        // A specialised kernel is one only when it is instantiated by name.
        if self.is_entry_point(decl) && self.host_name(&decl.attributes).is_some() {
            let instance = self.function_instance(function, key.1)?;
            self.add_kernel(function, Some(instance), decl, None, decl.span);
        }
        Ok(())
    }
}
