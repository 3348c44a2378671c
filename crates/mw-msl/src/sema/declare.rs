//! Declarations of namespaces and blocks.

use super::lookup::{Found, Qualifier, segment_key, segment_name};
use super::scope::{
    Args, Entry, FnEntity, FnId, FnSource, Key, OutOfClass, OutOfClassDecl, ScopeId, ScopeKind, TemplateId,
};
use super::{R, Sema};
use crate::ast::{
    self, ContractMode, Decl, DeclKind, FunctionBody, FunctionDecl, MathMode, Pragma, TemplateParameter,
};
use crate::hir::FloatRules;
use crate::names::Name;
use crate::types::{AddressSpace, RecordId, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;

impl<'a> Sema<'a> {
    /// Declares in the current scope, a namespace.
    pub(crate) fn declare(&mut self, decl: &'a Decl) {
        match &decl.kind {
            DeclKind::Namespace { name, is_inline, decls } => {
                let scope = self.namespace(name.map(|name| name.name), *is_inline);
                let (contract, math) = (self.global_contract, self.global_math);
                self.within(scope, |s| {
                    for decl in decls {
                        s.declare(decl);
                    }
                });
                (self.global_contract, self.global_math) = (contract, math);
            }
            DeclKind::Linkage(decls) => {
                for decl in decls {
                    self.declare(decl);
                }
            }
            DeclKind::Function(function) => {
                let _ = self.declare_function(function, None);
            }
            DeclKind::Variables(variables) => {
                for variable in variables {
                    let _ = self.declare_static(variable);
                }
            }
            DeclKind::Template(template) => {
                let _ = self.declare_template(template);
            }
            DeclKind::ExplicitInstantiation { decl: inner, is_extern } => {
                let _ = self.explicit_instantiation(inner, *is_extern, decl.span);
            }
            DeclKind::Pragma(pragma) => match pragma {
                Pragma::Contract(mode) => self.global_contract = *mode != ContractMode::Off,
                Pragma::MathMode(mode) => self.global_math = *mode,
                Pragma::Internals(_) => {}
            },
            _ => {
                let _ = self.declare_common(decl);
            }
        }
    }

    pub(crate) fn global_rules(&self) -> FloatRules {
        FloatRules { contract: self.global_contract, math_mode: self.global_math }
    }

    /// What may stand in namespaces, classes and blocks alike.
    pub(crate) fn declare_common(&mut self, decl: &'a Decl) -> R<()> {
        match &decl.kind {
            DeclKind::NamespaceAlias { name, target } => {
                let scope = self.named_namespace(target)?;
                self.bind(self.scope, Key::Name(name.name), Entry::Namespace(scope));
            }
            DeclKind::UsingNamespace(name) => {
                let scope = self.named_namespace(name)?;
                let usings = &mut self.scopes[self.scope.0 as usize].usings;
                if scope != self.scope && !usings.contains(&scope) {
                    usings.push(scope);
                }
            }
            DeclKind::UsingName(name) => self.using_name(name)?,
            DeclKind::TypeAlias(alias) => {
                let ty = self.resolve(&alias.ty);
                let entry = ty.map_or(Entry::Error, Entry::Type);
                // A class that has no other name takes this one.
                if let Entry::Type(ty) = &entry
                    && let Type::Record(record) = *self.ty(ty.ty)
                    && self.records[record.0 as usize].name.is_none()
                {
                    let text = self.text(alias.name.name).to_owned();
                    let qualification = self.qualification(self.scope);
                    let info = &mut self.program.records[record.0 as usize];
                    info.air_name = format!("struct.{qualification}{text}");
                    info.name = text;
                    self.records[record.0 as usize].name = Some(alias.name.name);
                }
                self.bind(self.scope, Key::Name(alias.name.name), entry);
            }
            DeclKind::DeductionGuide(guide) => self.declare_guide(guide, &[])?,
            DeclKind::Record(record) => {
                self.declare_record(record)?;
            }
            DeclKind::Enum(enumeration) => {
                self.declare_enum(enumeration)?;
            }
            DeclKind::StaticAssert { condition, message } => {
                self.static_assert(condition, message.as_deref())?;
            }
            DeclKind::Friend(_)
            | DeclKind::Access(_)
            | DeclKind::Pragma(_)
            | DeclKind::Empty
            | DeclKind::Namespace { .. }
            | DeclKind::Linkage(_)
            | DeclKind::AnonymousRecord(_)
            | DeclKind::Function(_)
            | DeclKind::Variables(_)
            | DeclKind::Template(_)
            | DeclKind::ExplicitInstantiation { .. } => {}
        }
        Ok(())
    }

    fn namespace(&mut self, name: Option<Name>, is_inline: bool) -> ScopeId {
        let parent = self.scope;
        if let Some(name) = name {
            if parent == ScopeId(0) && Some(name) == self.well_known.metal {
                return self.metal_namespace();
            }
            if Some(parent) == self.metal
                && (Some(name) == self.well_known.fast || Some(name) == self.well_known.precise)
                && let Found::Entry(Entry::Namespace(scope)) =
                    self.lookup_in(Qualifier::Namespace(parent), Key::Name(name))
            {
                return scope;
            }
            if let Some((Entry::Namespace(scope), _)) = self.scopes[parent.0 as usize].get(Key::Name(name)) {
                return *scope;
            }
        }
        let scope = self.push_scope(parent, ScopeKind::Namespace);
        self.scopes[scope.0 as usize].name = name;
        match name {
            Some(name) => self.bind(parent, Key::Name(name), Entry::Namespace(scope)),
            None => self.scopes[parent.0 as usize].usings.push(scope),
        }
        if is_inline && name.is_some() {
            self.scopes[parent.0 as usize].usings.push(scope);
        }
        scope
    }

    fn named_namespace(&mut self, name: &'a ast::QualifiedName) -> R<ScopeId> {
        let inside = self.qualifier(name)?;
        let Some(last) = segment_name(&name.last) else {
            return self.error(&codes::UNKNOWN_NAME, name.span, "this is no namespace");
        };
        let found = match inside {
            None => self.lookup(Key::Name(last)),
            Some(inside) => self.lookup_in(inside, Key::Name(last)),
        };
        match found {
            Found::Entry(Entry::Namespace(scope)) => Ok(scope),
            Found::Nothing if inside.is_none() && Some(last) == self.well_known.metal => {
                Ok(self.metal_namespace())
            }
            _ => self.unknown_name(last, name.span, inside),
        }
    }

    fn using_name(&mut self, name: &'a ast::QualifiedName) -> R<()> {
        let (found, inside) = self.find(name)?;
        let Some(key) = segment_key(&name.last) else { return Ok(()) };
        match found {
            Found::Nothing => {
                // `using Base::Base;` takes over constructors.
                if let (Some(Qualifier::Record(base)), Some(record)) =
                    (inside, self.enclosing_record(self.scope))
                    && self.records[base.0 as usize].name == segment_name(&name.last)
                {
                    let inherited = self.records[base.0 as usize].constructors.clone();
                    self.records[record.0 as usize].constructors.extend(inherited);
                    return Ok(());
                }
                match segment_name(&name.last) {
                    Some(last) => self.unknown_name(last, name.span, inside),
                    None => Ok(()),
                }
            }
            Found::Entry(entry) => {
                self.bind(self.scope, key, entry);
                Ok(())
            }
            Found::Functions(set) => {
                for entry in set.library {
                    self.scopes[self.scope.0 as usize].imported.push(entry);
                }
                for id in set.functions {
                    self.add_to_set(self.scope, key, id);
                }
                Ok(())
            }
        }
    }

    /// Adds a function to the overloads of a name.
    pub(crate) fn add_to_set(&mut self, scope: ScopeId, key: Key, id: FnId) {
        match self.scopes[scope.0 as usize].get(key) {
            Some((Entry::Functions(set), _)) => {
                let set = set.0 as usize;
                if !self.sets[set].contains(&id) {
                    self.sets[set].push(id);
                }
            }
            _ => {
                let set = self.new_set(vec![id]);
                self.bind(scope, key, Entry::Functions(set));
            }
        }
    }

    /// Declares a function, not a member.
    pub(crate) fn declare_function(
        &mut self,
        decl: &'a FunctionDecl,
        parameters: Option<&'a [TemplateParameter]>,
    ) -> R<FnId> {
        if decl.name.global || !decl.name.qualifiers.is_empty() {
            return self.define_outside(decl, None, parameters);
        }
        let Some(key) = segment_key(&decl.name.last) else {
            return self.error(
                &codes::INVALID_DECLARATION,
                decl.span,
                "this function needs a class to belong to",
            );
        };
        if let Key::Name(name) = key
            && self.scope == ScopeId(0)
            && self.text(name) == "main"
        {
            self.report(
                Diagnostic::new(
                    &codes::INVALID_DECLARATION,
                    decl.name.span,
                    "no function of Metal is called `main`",
                )
                .note("MSL specification, \"Restrictions\"")
                .help("give it another name, and start kernels from the host"),
            );
        }
        let id = self.new_function(FnSource::Declared(decl), parameters, self.scope, None);
        let existing = match self.scopes[self.scope.0 as usize].get(key) {
            Some((Entry::Functions(set), _)) => self.sets[set.0 as usize].clone(),
            _ => Vec::new(),
        };
        for other in existing {
            if self.redeclares(id, other) {
                self.functions.pop();
                self.redeclare(other, decl, parameters)?;
                self.after_function(other, decl, parameters);
                return Ok(other);
            }
        }
        self.add_to_set(self.scope, key, id);
        if parameters.is_none() {
            // Types of the signature are checked at once.
            let result = self.plain_instance(id);
            self.functions[id.0 as usize].is_invalid = result.is_err();
        }
        self.after_function(id, decl, parameters);
        Ok(id)
    }

    fn after_function(
        &mut self,
        id: FnId,
        decl: &'a FunctionDecl,
        parameters: Option<&'a [TemplateParameter]>,
    ) {
        if parameters.is_some() || !matches!(decl.body, FunctionBody::Block(_)) {
            return;
        }
        if self.is_entry_point(decl) {
            self.add_kernel(id, None, decl, None, decl.span);
        } else if self.is_user(decl.span) {
            self.user_functions.push(id);
        }
    }

    pub(crate) fn new_function(
        &mut self,
        source: FnSource<'a>,
        parameters: Option<&'a [TemplateParameter]>,
        scope: ScopeId,
        owner: Option<RecordId>,
    ) -> FnId {
        self.order += 1;
        let (definition, is_deleted) = match source {
            FnSource::Declared(decl) => (
                (!matches!(decl.body, FunctionBody::None)).then_some((decl, parameters)),
                matches!(decl.body, FunctionBody::Delete),
            ),
            FnSource::Lambda(..) => (None, false),
        };
        let order = if owner.is_some() { 0 } else { self.order };
        let limit = match owner {
            Some(record) => self.records[record.0 as usize].limit,
            None => self.order + 1,
        };
        let rules = match owner {
            Some(record) => self.records[record.0 as usize].rules,
            None if self.frame.name.is_empty() => self.global_rules(),
            None => self.frame.rules,
        };
        self.functions.push(FnEntity {
            source,
            parameters,
            scope,
            owner,
            order,
            limit,
            definition,
            specializations: Vec::new(),
            deduction_scope: None,
            rules,
            is_deleted,
            is_invalid: false,
        });
        FnId(self.functions.len() as u32 - 1)
    }

    /// Do two declarations declare the same function?
    fn redeclares(&mut self, new: FnId, old: FnId) -> bool {
        let (FnSource::Declared(a), FnSource::Declared(b)) =
            (self.function(new).source, self.function(old).source)
        else {
            return false;
        };
        if a.parameters.parameters.len() != b.parameters.parameters.len() {
            return false;
        }
        match (self.function(new).parameters, self.function(old).parameters) {
            (None, None) => {
                let Ok(first) = self.quietly(|s| s.plain_instance(new)) else { return false };
                let Ok(second) = self.quietly(|s| s.plain_instance(old)) else { return false };
                let types = |s: &mut Self, id| -> Vec<TypeId> {
                    let parameters = s.instance(id).parameters.clone();
                    parameters.iter().map(|parameter| s.signature_type(parameter.ty).ty).collect()
                };
                let same = types(self, first) == types(self, second);
                if same {
                    // The trial instance must not stay under a handle that will be used again.
                    self.instance_ids.remove(&(new, Args::from([])));
                } else {
                    self.instance_ids.remove(&(new, Args::from([])));
                }
                same
            }
            (Some(p), Some(q)) => {
                // Templates: as written, up to the names of their parameters.
                let is_forward =
                    matches!(a.body, FunctionBody::None) || self.function(old).definition.is_none();
                // Overloads that only `enable_if` tells apart are different functions.
                let text = |s: &Self, span: Span| -> Vec<String> {
                    s.sources.text(span).split_whitespace().map(str::to_owned).collect()
                };
                is_forward
                    && p.len() == q.len()
                    && text(self, a.result.span) == text(self, b.result.span)
                    && p.iter().zip(q).all(|(x, y)| match (&x.kind, &y.kind) {
                        (
                            ast::TemplateParameterKind::Value { ty: x, .. },
                            ast::TemplateParameterKind::Value { ty: y, .. },
                        ) => text(self, x.span) == text(self, y.span),
                        (
                            ast::TemplateParameterKind::Type { default: Some(x) },
                            ast::TemplateParameterKind::Type { default: Some(y) },
                        ) => text(self, x.span) == text(self, y.span),
                        (x, y) => std::mem::discriminant(x) == std::mem::discriminant(y),
                    })
                    && a.parameters.parameters.iter().zip(&b.parameters.parameters).all(|(x, y)| {
                        self.sources
                            .text(x.ty.span)
                            .split_whitespace()
                            .eq(self.sources.text(y.ty.span).split_whitespace())
                    })
            }
            _ => false,
        }
    }

    fn redeclare(
        &mut self,
        id: FnId,
        decl: &'a FunctionDecl,
        parameters: Option<&'a [TemplateParameter]>,
    ) -> R<()> {
        if matches!(decl.body, FunctionBody::None) {
            return Ok(());
        }
        if let Some((before, _)) = self.function(id).definition {
            if !matches!(before.body, FunctionBody::None) && !self.is_user(before.span) {
                // A user's definition replaces the library's.
                self.functions[id.0 as usize].definition = Some((decl, parameters));
                return Ok(());
            }
            let before = before.name.span;
            return self.fail(|s| {
                let name = s.sources.text(decl.name.span).to_owned();
                Diagnostic::new(&codes::REDEFINED, decl.name.span, format!("`{name}` is defined twice"))
                    .with_label(before, "first defined here")
            });
        }
        let limit = self.order + 1;
        let function = &mut self.functions[id.0 as usize];
        function.definition = Some((decl, parameters));
        function.limit = limit;
        Ok(())
    }

    /// `void S::f() { … }`, `template <…> void S<T>::f() { … }`, `void ns::f() { … }`
    pub(crate) fn define_outside(
        &mut self,
        decl: &'a FunctionDecl,
        outer: Option<&'a [TemplateParameter]>,
        own: Option<&'a [TemplateParameter]>,
    ) -> R<FnId> {
        // `template <typename T> void S<T>::f()`: the class is a template, named by its parameters.
        let outer = outer.or(own);
        if let Some(template) = self.outside_template(&decl.name)? {
            let own = if outer.map(<[_]>::as_ptr) == own.map(<[_]>::as_ptr) { None } else { own };
            self.templates[template.0 as usize].members.push(OutOfClass {
                outer: outer.unwrap_or_default(),
                own,
                decl: OutOfClassDecl::Function(decl),
            });
            return Ok(FnId(u32::MAX));
        }
        match self.qualifier(&decl.name)? {
            Some(Qualifier::Record(record)) => {
                let members = self.member_functions(record, decl);
                for id in members {
                    if self.function(id).definition.is_none() && self.matches_member(record, id, decl) {
                        let limit = self.order + 1;
                        let function = &mut self.functions[id.0 as usize];
                        function.definition = Some((decl, own));
                        function.limit = limit;
                        if own.is_none() && self.is_user(decl.span) {
                            self.user_functions.push(id);
                        }
                        return Ok(id);
                    }
                }
                self.fail(|s| {
                    let name = s.program.record(record).name.clone();
                    Diagnostic::new(
                        &codes::INVALID_DECLARATION,
                        decl.name.span,
                        format!("`{name}` declares no such member function"),
                    )
                })
            }
            Some(Qualifier::Namespace(scope)) => {
                let Some(key) = segment_key(&decl.name.last) else { return Err(super::Failed) };
                self.within(scope, |s| {
                    let id = s.new_function(FnSource::Declared(decl), own, scope, None);
                    s.add_to_set(scope, key, id);
                    s.after_function(id, decl, own);
                    Ok(id)
                })
            }
            _ => {
                self.error(&codes::INVALID_DECLARATION, decl.name.span, "this name does not lead to a class")
            }
        }
    }

    /// The class template that a qualified name's last qualifier means, if it is written with arguments.
    pub(crate) fn outside_template(&mut self, name: &'a ast::QualifiedName) -> R<Option<TemplateId>> {
        let Some(last) = name.qualifiers.last() else { return Ok(None) };
        if last.arguments.is_none() {
            return Ok(None);
        }
        let before = &name.qualifiers[..name.qualifiers.len() - 1];
        let inside = self.qualifier_of(name.global, before)?;
        let Some(key) = segment_key(last) else { return Ok(None) };
        let found = match inside {
            None => self.lookup(key),
            Some(inside) => self.lookup_in(inside, key),
        };
        Ok(match found {
            Found::Entry(Entry::ClassTemplate(id)) => Some(id),
            _ => None,
        })
    }

    pub(crate) fn member_functions(&mut self, record: RecordId, decl: &'a FunctionDecl) -> Vec<FnId> {
        match decl.kind {
            ast::FunctionKind::Constructor => self.records[record.0 as usize].constructors.clone(),
            ast::FunctionKind::Conversion => self.records[record.0 as usize].conversions.clone(),
            ast::FunctionKind::Destructor => self.records[record.0 as usize].destructor.into_iter().collect(),
            ast::FunctionKind::Plain => {
                let Some(key) = segment_key(&decl.name.last) else { return Vec::new() };
                match self.member(record, key) {
                    Some(Entry::Functions(set)) => self.sets[set.0 as usize].clone(),
                    _ => Vec::new(),
                }
            }
        }
    }

    pub(crate) fn matches_member(&mut self, record: RecordId, id: FnId, decl: &'a FunctionDecl) -> bool {
        let FnSource::Declared(inside) = self.function(id).source else { return false };
        if inside.parameters.parameters.len() != decl.parameters.parameters.len()
            || inside.this_qualifiers.is_const != decl.this_qualifiers.is_const
            || inside.this_qualifiers.space.map_or(AddressSpace::Thread, |(space, _)| space)
                != decl.this_qualifiers.space.map_or(AddressSpace::Thread, |(space, _)| space)
        {
            return false;
        }
        if self.function(id).parameters.is_some() {
            return true;
        }
        let Ok(instance) = self.quietly(|s| s.plain_instance(id)) else { return false };
        let have: Vec<TypeId> = self.instance(instance).parameters.iter().map(|p| p.ty.ty).collect();
        let scope = self.records[record.0 as usize].scope;
        decl.parameters.parameters.iter().zip(have).all(|(parameter, have)| {
            self.within(scope, |s| s.quietly(|s| s.resolve(&parameter.ty)))
                .map(|ty| self.parameter_type(ty))
                .is_ok_and(|ty| ty.ty == have)
        })
    }

    pub(crate) fn static_assert(&mut self, condition: &'a ast::Expr, message: Option<&str>) -> R<()> {
        let locals = self.frame.locals.len();
        let unevaluated = std::mem::take(&mut self.unevaluated);
        let result = (|| {
            let value = self.expr(condition)?;
            let value = self.condition(value, condition.span)?;
            self.evaluate(&value, condition.span)
        })();
        self.unevaluated = unevaluated;
        self.frame.locals.truncate(locals);
        if result? == crate::hir::Constant::Bool(true) {
            return Ok(());
        }
        self.fail(|_| {
            let text = message.map_or_else(
                || "static assertion failed".to_owned(),
                |text| format!("static assertion failed: {text}"),
            );
            Diagnostic::new(&codes::STATIC_ASSERTION, condition.span, text).label("this is false")
        })
    }

    pub(crate) fn math_mode_of(&self) -> MathMode {
        self.frame.rules.math_mode
    }
}
