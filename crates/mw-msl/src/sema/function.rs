//! Functions for one set of arguments: their signatures and bodies.

use super::scope::{
    Arg, Args, BodyState, Entry, FnId, FnSource, InstId, Instance, Key, LocalEntry, OutOfClassDecl,
    PROTOTYPE_FRAME, Param, ScopeId, ScopeKind,
};
use super::{MAX_CHAIN, MAX_DEPTH, MAX_INSTANCES, R, Sema};
use crate::ast::{
    self, FunctionBody, FunctionDecl, FunctionKind, ParameterDecl, TemplateParameter, TypeKind,
};
use crate::hir::{Expr, ExprKind, Function, FunctionId, Local, LocalId, Place, PlaceKind, Stmt, StmtKind};
use crate::types::{AddressSpace, QualType, Type};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use std::rc::Rc;

impl<'a> Sema<'a> {
    /// The one instance of a function that is no template.
    pub(crate) fn plain_instance(&mut self, id: FnId) -> R<InstId> {
        let args: Args = Rc::from([]);
        if let Some(Some(known)) = self.instance_ids.get(&(id, args.clone())) {
            return Ok(*known);
        }
        let scope = self.function(id).scope;
        self.make_instance(id, args, scope)
    }

    /// The instance of a function template for all of its arguments.
    pub(crate) fn function_instance(&mut self, id: FnId, args: Args) -> R<InstId> {
        let key = (id, args);
        if let Some(Some(known)) = self.instance_ids.get(&key) {
            return Ok(*known);
        }
        let (parent, parameters) = {
            let function = self.function(id);
            (function.scope, function.parameters.unwrap_or_default())
        };
        let scope = self.push_scope(parent, ScopeKind::Template);
        for (parameter, arg) in parameters.iter().zip(key.1.iter()) {
            self.bind_argument(scope, parameter, arg);
        }
        self.make_instance(id, key.1, scope)
    }

    /// Reads a signature in a scope in which the template's arguments are bound.
    pub(crate) fn make_instance(&mut self, id: FnId, args: Args, scope: ScopeId) -> R<InstId> {
        if self.instances.len() > MAX_INSTANCES {
            return self.error(&codes::TOO_DEEP, Span::default(), "this program makes too many functions");
        }
        let function = self.function(id);
        let (source, owner, limit) = (function.source, function.owner, function.limit);
        let outer_limit = std::mem::replace(&mut self.limit, limit);
        self.depth += 1;
        let result = if self.depth > MAX_DEPTH {
            self.too_deep(Span::default())
        } else {
            self.within(scope, |s| match source {
                FnSource::Declared(decl) => {
                    let parameters = s.signature_parameters(&decl.parameters.parameters)?;
                    let written = match &decl.name.last.kind {
                        ast::SegmentKind::Conversion(ty) => ty,
                        _ => &decl.result,
                    };
                    let result = s.signature_result(written, &parameters, decl.span)?;
                    let is_plain = decl.kind == FunctionKind::Plain || decl.kind == FunctionKind::Conversion;
                    let result = if is_plain { result } else { Some(QualType::plain(s.t.void)) };
                    Ok((parameters, result))
                }
                FnSource::Lambda(lambda, _) => {
                    let parameters = s.signature_parameters(&lambda.signature.parameters.parameters)?;
                    let result =
                        s.signature_result(&lambda.signature.result, &parameters, lambda.body.span)?;
                    Ok((parameters, result))
                }
            })
        };
        self.depth -= 1;
        self.limit = outer_limit;
        let (parameters, result) = result?;
        let this = match (source, owner) {
            (FnSource::Declared(decl), Some(record)) if !decl.specifiers.is_static => {
                let ty = self.record_type(record);
                Some(QualType {
                    space: decl.this_qualifiers.space.map_or(AddressSpace::Thread, |(space, _)| space),
                    is_const: decl.this_qualifiers.is_const,
                    is_volatile: decl.this_qualifiers.is_volatile,
                    ..ty
                })
            }
            (FnSource::Lambda(lambda, _), Some(record)) => {
                let ty = self.record_type(record);
                Some(QualType { is_const: !lambda.is_mutable, ..ty })
            }
            _ => None,
        };
        let special = self
            .function(id)
            .specializations
            .iter()
            .find(|special| special.args == args)
            .map(|special| (special.decl, special.scope));
        self.instances.push(Instance {
            entity: id,
            args: args.clone(),
            scope,
            parameters: parameters.into(),
            result,
            this,
            function: None,
            state: BodyState::Declared,
            special,
            chain: self.chain.clone(),
        });
        let instance = InstId(self.instances.len() as u32 - 1);
        self.instance_ids.insert((id, args), Some(instance));
        Ok(instance)
    }

    /// Types of parameters, packs expanded.
    fn signature_parameters(&mut self, parameters: &'a [ParameterDecl]) -> R<Vec<Param<'a>>> {
        let mut out = Vec::with_capacity(parameters.len());
        if let [only] = parameters
            && only.name.is_none()
            && matches!(only.ty.kind, TypeKind::Void)
        {
            return Ok(out);
        }
        // Later parameters may name earlier ones in `decltype`.
        let scope = self.push_scope(self.scope, ScopeKind::Block);
        let mut has_failed = false;
        self.within(scope, |s| {
            for (source, decl) in parameters.iter().enumerate() {
                let types = if decl.is_pack || matches!(decl.ty.kind, TypeKind::PackExpansion(_)) {
                    let pattern = match &decl.ty.kind {
                        TypeKind::PackExpansion(pattern) => pattern,
                        _ => &decl.ty,
                    };
                    if contains_auto(pattern) {
                        std::mem::take(&mut s.auto_types).into()
                    } else {
                        s.expand_types(pattern)?
                    }
                } else {
                    match s.parameter_or_auto(decl) {
                        Ok(ty) => vec![ty],
                        // Each parameter's mistake is one of its own.
                        Err(failed) if s.quiet > 0 => return Err(failed),
                        Err(_) => {
                            has_failed = true;
                            continue;
                        }
                    }
                };
                for ty in types {
                    let extent = match *s.ty(ty.ty) {
                        Type::Array(_, length) => Some(length),
                        _ => None,
                    };
                    let ty = s.parameter_type(ty);
                    if let Type::Void = s.ty(ty.ty) {
                        return s.error(&codes::INVALID_TYPE, decl.span, "a parameter cannot be `void`");
                    }
                    out.push(Param {
                        name: decl.name.map(|name| name.name),
                        ty,
                        default: decl.default.as_ref(),
                        decl,
                        source: source as u32,
                        extent,
                    });
                }
                if let (Some(name), Some(last)) = (decl.name, out.last()) {
                    let entry = LocalEntry { frame: PROTOTYPE_FRAME, local: LocalId(0), ty: last.ty };
                    let entry = if decl.is_pack {
                        let elements: Vec<_> = out
                            .iter()
                            .filter(|param| param.source == source as u32)
                            .map(|param| {
                                Entry::Local(LocalEntry {
                                    frame: PROTOTYPE_FRAME,
                                    local: LocalId(0),
                                    ty: param.ty,
                                })
                            })
                            .collect();
                        Entry::Pack(elements.into())
                    } else {
                        Entry::Local(entry)
                    };
                    s.bind(scope, Key::Name(name.name), entry);
                }
            }
            if has_failed { Err(super::Failed) } else { Ok(out) }
        })
    }

    fn parameter_or_auto(&mut self, decl: &'a ParameterDecl) -> R<QualType> {
        if contains_auto(&decl.ty)
            && let Some(ty) = self.auto_types.pop_front()
        {
            return Ok(ty);
        }
        self.resolve(&decl.ty)
    }

    /// The result's type, or none if the body decides.
    fn signature_result(
        &mut self,
        result: &'a ast::Type,
        parameters: &[Param<'a>],
        span: Span,
    ) -> R<Option<QualType>> {
        if contains_auto(result) {
            return Ok(None);
        }
        let scope = self.push_scope(self.scope, ScopeKind::Block);
        for param in parameters {
            if let Some(name) = param.name {
                let entry = LocalEntry { frame: PROTOTYPE_FRAME, local: LocalId(0), ty: param.ty };
                self.bind(scope, Key::Name(name), Entry::Local(entry));
            }
        }
        let ty = self.within(scope, |s| s.resolve(result))?;
        if let Type::Array(..) | Type::Function { .. } = self.ty(ty.ty) {
            return self.error(&codes::INVALID_TYPE, span, "a function cannot return an array or a function");
        }
        Ok(Some(match self.ty(ty.ty) {
            Type::Reference { .. } => ty,
            _ => QualType::plain(ty.ty),
        }))
    }

    /// The result of calling an instance: known, or found out from its body.
    pub(crate) fn result_of(&mut self, id: InstId, span: Span) -> R<QualType> {
        if let Some(result) = self.instance(id).result {
            return Ok(result);
        }
        if self.instance(id).state == BodyState::Checking {
            return self.error(
                &codes::AUTO_WITHOUT_VALUE,
                span,
                "the result of this function is not known before its first `return`",
            );
        }
        self.need_function(id, span);
        self.check_now(id);
        self.instance(id).result.ok_or(super::Failed)
    }

    /// The program's handle of an instance; its body will be checked.
    pub(crate) fn need_function(&mut self, id: InstId, span: Span) -> FunctionId {
        if let Some(function) = self.instance(id).function {
            return function;
        }
        let name = self.instance_name(id);
        let function = FunctionId(self.program.functions.len() as u32);
        let air_name = self.function_air_name(id);
        self.program.functions.push(Function {
            name: name.clone(),
            air_name,
            result: QualType::plain(self.t.void),
            parameters: 0,
            locals: Vec::new(),
            body: None,
            is_always_inline: false,
            is_noinline: false,
            span,
        });
        self.instance_of.push(id);
        let entity = self.instance(id).entity;
        let owner = self.function(entity).owner;
        let is_template = !self.instance(id).args.is_empty()
            || owner.is_some_and(|record| self.records[record.0 as usize].template.is_some())
            || self.instance(id).special.is_some();
        let mut chain = self.chain.clone();
        if is_template && span != Span::default() {
            chain.push((span, format!("in the instantiation of `{name}`")));
        }
        let is_too_deep = chain.len() > MAX_CHAIN;
        if is_too_deep {
            let _ = self.error::<()>(
                &codes::TOO_DEEP,
                span,
                format!("templates instantiate each other more than {MAX_CHAIN} levels deep"),
            );
        }
        let instance = &mut self.instances[id.0 as usize];
        instance.function = Some(function);
        instance.chain = chain;
        if is_too_deep {
            instance.state = BodyState::Done;
        } else if instance.state == BodyState::Declared {
            instance.state = BodyState::Queued;
            self.queue.push_back(id);
        }
        function
    }

    /// As [`Self::need_function`], but nothing where only a type is wanted.
    pub(crate) fn used_function(&mut self, id: InstId, span: Span) -> FunctionId {
        if self.unevaluated > 0 { FunctionId(u32::MAX) } else { self.need_function(id, span) }
    }

    pub(crate) fn function_address(&mut self, id: InstId, span: Span) -> Expr {
        let function = self.need_function(id, span);
        let target = self.function_type(id);
        let ty = self.intern(Type::Pointer(target));
        Expr { kind: ExprKind::FunctionAddress(function), ty, span }
    }

    pub(crate) fn function_type(&mut self, id: InstId) -> QualType {
        let parameters: Vec<QualType> = self.instance(id).parameters.iter().map(|param| param.ty).collect();
        let parameters = parameters.into_iter().map(|ty| self.signature_type(ty)).collect();
        let result = self.instance(id).result.unwrap_or(QualType::plain(self.t.void));
        self.plain(Type::Function { result, parameters })
    }

    /// Checks a body before anything else goes on.
    pub(crate) fn check_now(&mut self, id: InstId) {
        if matches!(self.instance(id).state, BodyState::Checking | BodyState::Done) {
            return;
        }
        if self.depth > MAX_DEPTH {
            let _ = self.too_deep::<()>(self.function_span(id));
            return;
        }
        self.depth += 1;
        self.aloud(|s| {
            let (scope, limit) = (s.scope, s.limit);
            s.check_body(id);
            (s.scope, s.limit) = (scope, limit);
        });
        self.depth -= 1;
    }

    fn function_span(&self, id: InstId) -> Span {
        match self.function(self.instance(id).entity).source {
            FnSource::Declared(decl) => decl.span,
            FnSource::Lambda(lambda, _) => lambda.body.span,
        }
    }

    /// A function that nothing reaches is checked for mistakes.
    pub(crate) fn check_unreached(&mut self, id: FnId) {
        if self.function(id).parameters.is_some() {
            return;
        }
        if let Ok(instance) = self.plain_instance(id) {
            self.need_function(instance, Span::default());
        }
    }

    /// The declaration with the body, and the scope to check it in.
    fn definition_of(&mut self, id: InstId) -> Option<(&'a FunctionDecl, ScopeId)> {
        let instance = self.instance(id);
        let (entity, scope, args) = (instance.entity, instance.scope, instance.args.clone());
        if let Some((decl, outer)) = instance.special {
            let scope = match self.function(entity).owner {
                Some(_) => scope,
                None => outer,
            };
            return Some((decl, scope));
        }
        let function = self.function(entity);
        let FnSource::Declared(declared) = function.source else { return None };
        if let Some((decl, own)) = function.definition {
            if std::ptr::eq(decl, declared) {
                return Some((decl, scope));
            }
            // Another declaration has other names for the template's parameters.
            let scope = self.push_scope(scope, ScopeKind::Template);
            self.bind_own(scope, own, &args);
            return Some((decl, scope));
        }
        let record = function.owner?;
        let (template, class_args) = self.records[record.0 as usize].template.clone()?;
        let candidates: Vec<_> = self
            .template(template)
            .members
            .iter()
            .filter_map(|member| match member.decl {
                OutOfClassDecl::Function(decl)
                    if decl.kind == declared.kind
                        && same_last_name(decl, declared)
                        && decl.parameters.parameters.len() == declared.parameters.parameters.len()
                        && decl.this_qualifiers.is_const == declared.this_qualifiers.is_const
                        && decl.this_qualifiers.space.map_or(AddressSpace::Thread, |(space, _)| space)
                            == declared
                                .this_qualifiers
                                .space
                                .map_or(AddressSpace::Thread, |(space, _)| space) =>
                {
                    Some((*member, decl))
                }
                _ => None,
            })
            .collect();
        let parameters = self.instance(id).parameters.clone();
        for (member, decl) in &candidates {
            let inner = self.push_scope(scope, ScopeKind::Template);
            self.bind_own(inner, Some(member.outer), &class_args);
            self.bind_own(inner, member.own, &args);
            if candidates.len() == 1 {
                return Some((decl, inner));
            }
            let same = decl.parameters.parameters.iter().zip(parameters.iter()).all(|(decl, param)| {
                self.within(inner, |s| s.quietly(|s| s.resolve(&decl.ty)))
                    .map(|ty| self.parameter_type(ty))
                    .is_ok_and(|ty| ty.ty == param.ty.ty)
            });
            if same {
                return Some((decl, inner));
            }
        }
        None
    }

    fn bind_own(&mut self, scope: ScopeId, parameters: Option<&'a [TemplateParameter]>, args: &[Arg]) {
        for (parameter, arg) in parameters.unwrap_or_default().iter().zip(args) {
            self.bind_argument(scope, parameter, arg);
        }
    }

    /// Checks the body of an instance and puts it into the program.
    pub(crate) fn check_body(&mut self, id: InstId) {
        if matches!(self.instance(id).state, BodyState::Checking | BodyState::Done) {
            return;
        }
        let Some(function) = self.instance(id).function else { return };
        self.instances[id.0 as usize].state = BodyState::Checking;
        let entity = self.instance(id).entity;
        let chain = self.instance(id).chain.clone();
        let outer_chain = std::mem::replace(&mut self.chain, chain);
        let outer_calls = std::mem::take(&mut self.calls);
        let source = self.function(entity).source;
        let (definition, scope) = match source {
            FnSource::Declared(_) => match self.definition_of(id) {
                Some((decl, scope)) => (Some(decl), scope),
                None => (None, self.instance(id).scope),
            },
            FnSource::Lambda(..) => (None, self.instance(id).scope),
        };
        let limit = match self.instance(id).special {
            Some(_) => u32::MAX,
            None => self.function(entity).limit,
        };
        let outer_limit = std::mem::replace(&mut self.limit, limit);
        let rules = self.function(entity).rules;
        let outer_scope = self.scope;
        self.outside(|s| {
            s.frame.rules = rules;
            s.frame.name = s.program.function(function).name.clone();
            s.frame.mangled = s.program.function(function).air_name.clone();
            s.frame.is_template = !s.instance(id).args.is_empty();
            s.frame.is_kernel = definition.is_none_or(|decl| s.is_kernel(decl));
            s.check_definition(id, function, source, definition, scope);
        });
        self.scope = outer_scope;
        self.limit = outer_limit;
        self.chain = outer_chain;
        self.calls = outer_calls;
        self.instances[id.0 as usize].state = BodyState::Done;
    }

    fn check_definition(
        &mut self,
        id: InstId,
        function: FunctionId,
        source: FnSource<'a>,
        definition: Option<&'a FunctionDecl>,
        scope: ScopeId,
    ) {
        let instance = self.instance(id);
        let (parameters, this, result) = (instance.parameters.clone(), instance.this, instance.result);
        let block = self.push_scope(scope, ScopeKind::Block);
        self.scope = block;
        let mistakes = self.mistakes;
        if let Some(this) = this {
            let pointer = self.plain(Type::Pointer(this));
            let local = self.new_local("this", pointer, Span::default());
            self.frame.this = Some((local, this));
        }
        // Names come from the declaration that has the body.
        let names: Vec<&'a ParameterDecl> = match (source, definition) {
            (_, Some(decl)) => decl.parameters.parameters.iter().collect(),
            (FnSource::Lambda(lambda, _), None) => lambda.signature.parameters.parameters.iter().collect(),
            (FnSource::Declared(decl), None) => decl.parameters.parameters.iter().collect(),
        };
        let mut packs: Vec<(u32, Vec<Entry<'a>>)> = Vec::new();
        for param in parameters.iter() {
            let named = names.get(param.source as usize).and_then(|decl| decl.name);
            let text = named.map_or("", |name| self.text(name.name));
            let ty = self.hir_type(param.ty);
            let local = self.new_local(text, ty, named.map_or(param.decl.span, |name| name.span));
            let entry = Entry::Local(LocalEntry { frame: self.frame.id, local, ty: param.ty });
            if param.decl.is_pack {
                match packs.iter_mut().find(|(source, _)| *source == param.source) {
                    Some((_, elements)) => elements.push(entry),
                    None => packs.push((param.source, vec![entry])),
                }
            } else if let Some(name) = named {
                self.bind(block, Key::Name(name.name), entry);
            }
        }
        for (source, decl) in names.iter().enumerate() {
            if decl.is_pack
                && let Some(name) = decl.name
            {
                let elements =
                    packs.iter().find(|(at, _)| *at == source as u32).map_or(Vec::new(), |(_, e)| e.clone());
                self.bind(block, Key::Name(name.name), Entry::Pack(elements.into()));
            }
        }
        let count = self.frame.locals.len() as u32;
        self.frame.result = result;
        self.frame.deduces_result = result.is_none();
        if result.is_none() {
            self.frame.result_pattern = match (source, definition) {
                (_, Some(decl)) => Some(&decl.result),
                (FnSource::Lambda(lambda, _), None) => Some(&lambda.signature.result),
                (FnSource::Declared(decl), None) => Some(&decl.result),
            };
        }
        let mut body: Option<Vec<Stmt>> = None;
        let (mut always_inline, mut noinline) = (false, false);
        match (source, definition) {
            (FnSource::Lambda(lambda, record), _) => {
                self.frame.captures =
                    self.records[record.0 as usize].captures.clone().map(|captures| (captures, record));
                self.frame.lambda_this = true;
                body = Some(self.function_block(&lambda.body));
            }
            (FnSource::Declared(_), Some(decl)) => {
                for attribute in &decl.attributes {
                    match self.text(attribute.name.name) {
                        "always_inline" | "__always_inline__" => always_inline = true,
                        "noinline" | "__noinline__" => noinline = true,
                        _ => {}
                    }
                }
                match &decl.body {
                    FunctionBody::Block(stmt) => {
                        let mut stmts = Vec::new();
                        if decl.kind == FunctionKind::Constructor {
                            self.frame.is_constructor = true;
                            self.member_initializers(decl, this, &mut stmts);
                        }
                        stmts.extend(self.function_block(stmt));
                        body = Some(stmts);
                    }
                    FunctionBody::Default => {
                        let mut stmts = Vec::new();
                        self.defaulted_body(decl, this, &mut stmts);
                        body = Some(stmts);
                    }
                    FunctionBody::None | FunctionBody::Delete => {}
                }
            }
            (FnSource::Declared(decl), None) => {
                if let Some(label) = &decl.asm_label {
                    self.program.functions[function.0 as usize].air_name = label.to_string();
                } else {
                    let name = self.program.function(function).name.clone();
                    let at = self.program.function(function).span;
                    let at = if at == Span::default() { decl.span } else { at };
                    self.report(
                        Diagnostic::new(
                            &codes::UNDEFINED_FUNCTION,
                            at,
                            format!("`{name}` is declared but defined nowhere"),
                        )
                        .with_label(decl.name.span, "declared here"),
                    );
                }
            }
        }
        let has_failed = self.mistakes > mistakes;
        if self.frame.deduces_result && self.frame.result.is_none() {
            // Where the body failed, what it would have returned is not known.
            self.frame.result = Some(QualType::plain(if has_failed { self.t.error } else { self.t.void }));
        }
        if let (Some(body), false) = (&body, has_failed) {
            self.check_returns(body, source, definition);
        }
        let result = self.frame.result.unwrap_or(QualType::plain(self.t.void));
        self.instances[id.0 as usize].result = Some(result);
        let result = self.hir_type(result);
        let locals: Vec<Local> = std::mem::take(&mut self.frame.locals);
        let out = &mut self.program.functions[function.0 as usize];
        out.result = result;
        out.parameters = count;
        out.locals = locals;
        out.body = body;
        out.is_always_inline = always_inline;
        out.is_noinline = noinline;
        if let Some(decl) = definition {
            out.span = decl.name.span;
        }
    }

    /// `= default`: what assigns copies the whole object.
    fn defaulted_body(&mut self, decl: &'a FunctionDecl, this: Option<QualType>, out: &mut Vec<Stmt>) {
        let span = decl.span;
        let Some(this) = this else { return };
        let object = self.this_place(span);
        if decl.kind == FunctionKind::Constructor && decl.parameters.parameters.is_empty() {
            self.member_initializers(decl, Some(this), out);
            return;
        }
        let first = usize::from(self.frame.this.is_some());
        if let (Ok(object), Some(local)) = (object, self.frame.locals.get(first).cloned()) {
            let Type::Pointer(target) = *self.ty(local.ty.ty) else { return };
            let pointer = self.load(self.local_place(LocalId(first as u32), span));
            let source = self.deref(pointer, target);
            let value = self.load(source);
            let void = self.t.void;
            out.push(Stmt {
                kind: StmtKind::Expr(Expr {
                    kind: ExprKind::Assign(Box::new(object.clone()), Box::new(value)),
                    ty: void,
                    span,
                }),
                span,
            });
            if decl.kind == FunctionKind::Plain
                && let Some(result) = self.frame.result
                && let Type::Reference { .. } = self.ty(result.ty)
            {
                let address = self.address(object);
                out.push(Stmt { kind: StmtKind::Return(Some(address)), span });
            }
        }
    }

    /// The object of the member function that is being checked.
    pub(crate) fn this_place(&mut self, span: Span) -> R<Place> {
        if let Some((place, used)) = &mut self.frame.object {
            *used = true;
            return Ok(place.clone());
        }
        if self.frame.lambda_this {
            return self.captured_this(span);
        }
        let Some((local, this)) = self.frame.this else {
            return self.error(&codes::INVALID_OPERANDS, span, "`this` exists in member functions only");
        };
        let pointer = self.load(self.local_place(local, span));
        Ok(Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: this, span })
    }
}

/// Does a written type hold `auto`?
pub(crate) fn contains_auto(ty: &ast::Type) -> bool {
    match &ty.kind {
        TypeKind::Auto | TypeKind::DecltypeAuto => true,
        TypeKind::Pointer(inner)
        | TypeKind::LvalueReference(inner)
        | TypeKind::RvalueReference(inner)
        | TypeKind::Array(inner, _) => contains_auto(inner),
        _ => false,
    }
}

fn same_last_name(a: &FunctionDecl, b: &FunctionDecl) -> bool {
    use crate::ast::SegmentKind;
    match (&a.name.last.kind, &b.name.last.kind) {
        (SegmentKind::Name(a), SegmentKind::Name(b)) => a == b,
        (SegmentKind::Operator(a), SegmentKind::Operator(b)) => a == b,
        (SegmentKind::Conversion(_), SegmentKind::Conversion(_)) => true,
        (SegmentKind::Destructor(_), SegmentKind::Destructor(_)) => true,
        _ => false,
    }
}
