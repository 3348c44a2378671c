//! Classes: their members, layout, and what making an object takes.

use super::lookup::segment_key;
use super::report::forbidden;
use super::scope::{
    Entry, FieldInfo, FnSource, Frame, Key, OutOfClassDecl, RecordInfo, RecordState, ScopeId, ScopeKind,
    VarId, Variable, VariableState,
};
use super::{Failed, R, Sema};
use crate::ast::{
    self, AccessKind, Decl, DeclKind, FunctionBody, FunctionDecl, FunctionKind, OverloadedOperator,
    RecordDecl, TagKind, TemplateDecl, TemplateParameter, VariableDecl,
};
use crate::hir::{Field, Record};
use crate::names::Name;
use crate::types::{QualType, RecordId, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::lowering::OBJECT_TOO_LARGE;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use rustc_hash::FxHashMap;

/// Structures are no larger; objects that a kernel can have are far smaller.
const MAX_RECORD_BYTES: u64 = 1 << 40;

impl<'a> Sema<'a> {
    /// A new class whose members are not known yet.
    pub(crate) fn new_record(
        &mut self,
        name: Option<Name>,
        decl: Option<&'a RecordDecl>,
        parent: ScopeId,
        span: Span,
    ) -> RecordId {
        let id = RecordId(self.records.len() as u32);
        let scope = self.push_scope(parent, ScopeKind::Record(id));
        let text = name.map_or("anon", |name| self.text(name));
        let qualification = self.qualification(parent);
        self.program.records.push(Record {
            name: text.to_owned(),
            air_name: format!("struct.{qualification}{text}"),
            is_union: false,
            fields: Vec::new(),
            bases: 0,
            size_bytes: 1,
            align_bytes: 1,
            span,
        });
        self.records.push(RecordInfo {
            decl,
            name,
            scope,
            template: None,
            state: RecordState::Declared,
            fields: Vec::new(),
            bases: Vec::new(),
            constructors: Vec::new(),
            conversions: Vec::new(),
            is_user_assignable: false,
            is_aggregate: true,
            needs_init: false,
            destructor: None,
            is_primary: false,
            captures: None,
            rules: if self.frame.name.is_empty() { self.global_rules() } else { self.frame.rules },
            hidden: FxHashMap::default(),
            limit: u32::MAX,
            span,
        });
        if let Some(name) = name {
            let ty = self.plain(Type::Record(id));
            self.bind(scope, Key::Name(name), Entry::Type(ty));
        }
        id
    }

    /// Runs `body` outside of the function that is being checked.
    pub(crate) fn outside<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let id = self.next_frame;
        self.next_frame += 1;
        let fresh = Frame::outside(id, self.options.math_mode);
        let frame = std::mem::replace(&mut self.frame, fresh);
        let (unevaluated, nesting) =
            (std::mem::take(&mut self.unevaluated), std::mem::take(&mut self.nesting));
        let result = body(self);
        (self.unevaluated, self.nesting) = (unevaluated, nesting);
        self.frame = frame;
        result
    }

    /// Finds out a class's members. Fails if it is declared only.
    pub(crate) fn complete(&mut self, record: RecordId) -> R<()> {
        let info = &self.records[record.0 as usize];
        match info.state {
            RecordState::Complete | RecordState::Completing => return Ok(()),
            RecordState::Failed => return Err(Failed),
            RecordState::Declared => {}
        }
        let Some(decl) = info.decl else { return Err(Failed) };
        if self.depth > super::MAX_DEPTH {
            return self.too_deep(decl.span);
        }
        let (scope, limit) = (info.scope, info.limit);
        self.records[record.0 as usize].state = RecordState::Completing;
        self.depth += 1;
        let outer_limit = std::mem::replace(&mut self.limit, limit);
        let is_template = self.records[record.0 as usize].template.is_some();
        if is_template {
            let name = self.program.record(record).name.clone();
            let asked = self.records[record.0 as usize].span;
            self.chain.push((asked, format!("in the instantiation of `{name}`")));
        }
        let keeps_frame = !is_template && !self.frame.name.is_empty();
        let work = |s: &mut Self| s.aloud(|s| s.within(scope, |s| s.complete_members(record, decl)));
        let result = if keeps_frame { work(self) } else { self.outside(work) };
        if is_template {
            self.chain.pop();
        }
        self.limit = outer_limit;
        self.depth -= 1;
        self.records[record.0 as usize].state =
            if result.is_ok() { RecordState::Complete } else { RecordState::Failed };
        result
    }

    /// Fails with a message if objects of a type cannot be made yet.
    pub(crate) fn require_complete(&mut self, ty: TypeId, span: Span) -> R<()> {
        match *self.ty(ty) {
            Type::Record(record) => {
                if self.complete(record).is_err()
                    || self.records[record.0 as usize].state != RecordState::Complete
                {
                    if self.records[record.0 as usize].state == RecordState::Failed {
                        return Err(Failed);
                    }
                    let is_inside = self.records[record.0 as usize].state == RecordState::Completing;
                    return self.fail(|s| {
                        let name = s.program.record(record).name.clone();
                        if is_inside {
                            return Diagnostic::new(
                                &codes::INCOMPLETE_TYPE,
                                span,
                                format!("`{name}` cannot hold an object of itself"),
                            )
                            .help(format!("hold a pointer to it: `device {name} *`"));
                        }
                        Diagnostic::new(
                            &codes::INCOMPLETE_TYPE,
                            span,
                            format!("`{name}` is declared but not defined here"),
                        )
                        .help("put its definition before this use")
                    });
                }
                Ok(())
            }
            Type::Array(element, _) => self.require_complete(element, span),
            _ => Ok(()),
        }
    }

    /// Reads the signatures of member functions, so that what is wrong there is told there.
    fn check_signatures(&mut self, record: RecordId, first: usize) {
        for at in first..self.functions.len() {
            let function = &self.functions[at];
            if function.owner == Some(record) && function.parameters.is_none() {
                let result = self.plain_instance(super::scope::FnId(at as u32));
                self.functions[at].is_invalid = result.is_err();
            }
        }
    }

    fn complete_members(&mut self, record: RecordId, decl: &'a RecordDecl) -> R<()> {
        let first = self.functions.len();
        let is_union = decl.tag == TagKind::Union;
        self.program.records[record.0 as usize].is_union = is_union;
        let mut ok = true;
        for base in &decl.bases {
            if base.is_virtual {
                self.report(forbidden(base.span, "virtual base classes"));
                continue;
            }
            let types = if base.is_pack_expansion {
                let pattern = match &base.ty.kind {
                    ast::TypeKind::PackExpansion(pattern) => pattern,
                    _ => &base.ty,
                };
                self.expand_types(pattern)
            } else {
                self.resolve(&base.ty).map(|ty| vec![ty])
            };
            let Ok(types) = types else {
                ok = false;
                continue;
            };
            for ty in types {
                let Type::Record(id) = *self.ty(ty.ty) else {
                    let _ = self.fail::<()>(|s| {
                        let shown = s.show(ty);
                        Diagnostic::new(
                            &codes::INVALID_TYPE,
                            base.span,
                            format!("`{shown}` cannot be a base class"),
                        )
                    });
                    ok = false;
                    continue;
                };
                if self.require_complete(ty.ty, base.span).is_err() {
                    ok = false;
                    continue;
                }
                let needs_init = self.records[id.0 as usize].needs_init;
                let info = &mut self.records[record.0 as usize];
                info.bases.push(id);
                info.needs_init |= needs_init;
                info.fields.push(FieldInfo { ty, name: None, initializer: None, is_mutable: false });
                self.program.records[record.0 as usize].bases += 1;
            }
        }
        let mut access = match decl.tag {
            TagKind::Class => AccessKind::Private,
            _ => AccessKind::Public,
        };
        // What a friend is, is not looked into: classes with friends hide nothing.
        let has_friends =
            decl.members.iter().flatten().any(|member| matches!(member.kind, DeclKind::Friend(_)));
        for member in decl.members.iter().flatten() {
            if let DeclKind::Access(kind) = member.kind {
                access = kind;
            } else if access != AccessKind::Public && !has_friends {
                self.hide_member(record, member, access);
            }
            ok &= self.declare_member(record, member).is_ok();
        }
        // Static members and functions may be used while members are still being declared; layout comes last.
        ok &= self.lay_out(record, decl).is_ok();
        if ok && self.records[record.0 as usize].template.is_none() && self.is_user(decl.span) {
            self.check_signatures(record, first);
        }
        if ok { Ok(()) } else { Err(Failed) }
    }

    /// Notes that a member is private or protected.
    fn hide_member(&mut self, record: RecordId, decl: &'a Decl, access: AccessKind) {
        let mut keys: Vec<Key> = Vec::new();
        match &decl.kind {
            DeclKind::Variables(variables) => {
                keys.extend(variables.iter().filter_map(|decl| segment_key(&decl.name.as_ref()?.last)));
            }
            DeclKind::Function(function) if function.kind == FunctionKind::Plain => {
                keys.extend(segment_key(&function.name.last));
            }
            _ => {}
        }
        for key in keys {
            self.records[record.0 as usize].hidden.insert(key, access);
        }
    }

    /// May a member be named from the current scope?
    pub(crate) fn is_hidden(&mut self, record: RecordId, key: Key) -> Option<AccessKind> {
        let access = *self.records[record.0 as usize].hidden.get(&key)?;
        let mut at = Some(self.scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0 as usize];
            at = scope.parent;
            if let ScopeKind::Record(inside) = scope.kind {
                let is_same_template = match (
                    &self.records[inside.0 as usize].template,
                    &self.records[record.0 as usize].template,
                ) {
                    (Some((a, _)), Some((b, _))) => a == b,
                    _ => false,
                };
                if inside == record
                    || is_same_template
                    || access == AccessKind::Protected && self.base_path(inside, record).is_some()
                {
                    return None;
                }
            }
        }
        Some(access)
    }

    fn declare_member(&mut self, record: RecordId, decl: &'a Decl) -> R<()> {
        match &decl.kind {
            DeclKind::Variables(variables) => {
                for variable in variables {
                    self.declare_data_member(record, variable)?;
                }
                Ok(())
            }
            DeclKind::Function(function) => {
                self.declare_method(record, function, None);
                Ok(())
            }
            DeclKind::Template(template) => self.declare_member_template(record, template),
            DeclKind::AnonymousRecord(inner) => self.declare_anonymous(record, inner),
            DeclKind::Record(inner) if inner.name.is_none() => self.declare_anonymous(record, inner),
            DeclKind::Friend(inner) => {
                self.declare_friend(inner);
                Ok(())
            }
            _ => {
                let result = self.declare_common(decl);
                if let DeclKind::StaticAssert { .. } = &decl.kind {
                    return Ok(());
                }
                result
            }
        }
    }

    fn declare_friend(&mut self, decl: &'a Decl) {
        let (function, parameters) = match &decl.kind {
            DeclKind::Function(function) => (function, None),
            DeclKind::Template(template) => match &template.decl.kind {
                DeclKind::Function(function) => (function, Some(template.parameters.as_slice())),
                _ => return,
            },
            _ => return,
        };
        if let Some(key) = segment_key(&function.name.last)
            && function.name.qualifiers.is_empty()
            && let Some(namespace) = self.enclosing_namespace(self.scope)
            && !matches!(function.body, FunctionBody::None)
        {
            let id = self.new_function(FnSource::Declared(function), parameters, self.scope, None);
            self.add_to_set(namespace, key, id);
        }
    }

    fn declare_member_template(&mut self, record: RecordId, template: &'a TemplateDecl) -> R<()> {
        match &template.decl.kind {
            DeclKind::Function(function) if !template.parameters.is_empty() => {
                self.declare_method(record, function, Some(&template.parameters));
                Ok(())
            }
            _ => self.declare_template(template),
        }
    }

    fn declare_method(
        &mut self,
        record: RecordId,
        decl: &'a FunctionDecl,
        parameters: Option<&'a [TemplateParameter]>,
    ) {
        if decl.specifiers.is_virtual {
            self.report(
                forbidden(decl.span, "virtual functions")
                    .help("use a template parameter or `if constexpr` instead"),
            );
        }
        let id = self.new_function(FnSource::Declared(decl), parameters, self.scope, Some(record));
        // A definition outside of the class template.
        if self.function(id).definition.is_none() && self.records[record.0 as usize].is_primary {
            // It may come later in the text: found when the body is needed.
        }
        let info = &mut self.records[record.0 as usize];
        match decl.kind {
            FunctionKind::Constructor => {
                if matches!(decl.body, FunctionBody::Default) {
                    return;
                }
                info.is_aggregate = false;
                info.constructors.push(id);
                let required = decl
                    .parameters
                    .parameters
                    .iter()
                    .filter(|parameter| parameter.default.is_none() && !parameter.is_pack)
                    .count();
                if required == 0 {
                    info.needs_init = true;
                }
            }
            FunctionKind::Destructor => {
                if let FunctionBody::Block(body) = &decl.body
                    && !matches!(&body.kind, ast::StmtKind::Block(stmts) if stmts.is_empty())
                {
                    self.report(
                        forbidden(decl.span, "destructors that do something")
                            .help("call a member function where the work must be done"),
                    );
                }
                self.records[record.0 as usize].destructor = Some(id);
            }
            FunctionKind::Conversion => info.conversions.push(id),
            FunctionKind::Plain => {
                if let ast::SegmentKind::Operator(OverloadedOperator::Assign) = decl.name.last.kind
                    && matches!(decl.body, FunctionBody::Default)
                {
                    return;
                }
                if let ast::SegmentKind::Operator(OverloadedOperator::Assign) = decl.name.last.kind {
                    info.is_user_assignable = true;
                }
                if let Some(key) = segment_key(&decl.name.last) {
                    let scope = info.scope;
                    self.add_to_set(scope, key, id);
                }
            }
        }
    }

    fn declare_data_member(&mut self, record: RecordId, decl: &'a VariableDecl) -> R<()> {
        let name = decl.name.as_ref().and_then(|name| super::lookup::segment_name(&name.last));
        let scope = self.records[record.0 as usize].scope;
        if decl.specifiers.is_static {
            let Some(name) = name else { return Err(Failed) };
            let definition = self.outside_variable(record, name);
            let id = self.new_variable(decl, scope, Some(record));
            self.variables[id.0 as usize].definition = definition;
            self.bind(scope, Key::Name(name), Entry::Variable(id));
            return Ok(());
        }
        let ty = match self.resolve(&decl.ty) {
            Ok(ty) => ty,
            Err(failed) => {
                if let Some(name) = name {
                    self.bind(scope, Key::Name(name), Entry::Error);
                }
                return Err(failed);
            }
        };
        self.require_complete(ty.ty, decl.span)?;
        if let Type::Void | Type::Function { .. } | Type::UnsizedArray(_) = self.ty(ty.ty) {
            return self.fail(|s| {
                let shown = s.show(ty);
                Diagnostic::new(
                    &codes::INVALID_TYPE,
                    decl.span,
                    format!("a member cannot have type `{shown}`"),
                )
            });
        }
        if decl.bit_width.is_some() {
            self.report(
                Diagnostic::new(&codes::UNSUPPORTED, decl.span, "bit-fields are not supported")
                    .help("use whole members, shifts and masks"),
            );
        }
        let inner_needs = self.type_needs_init(ty.ty);
        let info = &mut self.records[record.0 as usize];
        info.needs_init |= decl.initializer.is_some() || inner_needs;
        let at = info.fields.len() as u32;
        info.fields.push(FieldInfo {
            ty,
            name,
            initializer: decl.initializer.as_ref(),
            is_mutable: decl.specifiers.is_mutable,
        });
        if let Some(name) = name {
            self.bind(scope, Key::Name(name), Entry::Field([at].into()));
        }
        Ok(())
    }

    /// A static member's definition outside of its class template.
    fn outside_variable(&self, record: RecordId, name: Name) -> Option<&'a VariableDecl> {
        let (template, _) = self.records[record.0 as usize].template.as_ref()?;
        self.template(*template).members.iter().find_map(|member| match member.decl {
            OutOfClassDecl::Variable(decl)
                if decl.name.as_ref().and_then(|n| super::lookup::segment_name(&n.last)) == Some(name) =>
            {
                Some(decl)
            }
            _ => None,
        })
    }

    pub(crate) fn new_variable(
        &mut self,
        decl: &'a VariableDecl,
        scope: ScopeId,
        owner: Option<RecordId>,
    ) -> VarId {
        let limit = match owner {
            Some(record) => self.records[record.0 as usize].limit,
            None => self.limit.min(self.order + 1),
        };
        self.variables.push(Variable {
            decl,
            definition: None,
            scope,
            limit,
            state: VariableState::Declared,
            suffix: std::rc::Rc::from([]),
        });
        VarId(self.variables.len() as u32 - 1)
    }

    fn declare_anonymous(&mut self, record: RecordId, decl: &'a RecordDecl) -> R<()> {
        let scope = self.records[record.0 as usize].scope;
        let inner = self.new_record(None, Some(decl), scope, decl.span);
        self.complete(inner)?;
        let ty = self.plain(Type::Record(inner));
        let needs = self.records[inner.0 as usize].needs_init;
        let info = &mut self.records[record.0 as usize];
        let at = info.fields.len() as u32;
        info.needs_init |= needs;
        info.fields.push(FieldInfo { ty, name: None, initializer: None, is_mutable: false });
        let inner_scope = self.records[inner.0 as usize].scope;
        let entries: Vec<_> = self.scopes[inner_scope.0 as usize]
            .entries()
            .filter_map(|(key, entry)| match entry {
                Entry::Field(path) => {
                    let mut longer = vec![at];
                    longer.extend(path.iter());
                    Some((key, Entry::Field(longer.into())))
                }
                _ => None,
            })
            .collect();
        for (key, entry) in entries {
            self.bind(scope, key, entry);
        }
        Ok(())
    }

    pub(crate) fn type_needs_init(&self, ty: TypeId) -> bool {
        match self.ty(ty) {
            Type::Record(record) => self.records[record.0 as usize].needs_init,
            Type::Array(element, _) => self.type_needs_init(*element),
            _ => false,
        }
    }

    fn lay_out(&mut self, record: RecordId, decl: &'a RecordDecl) -> R<()> {
        let is_union = self.program.record(record).is_union;
        let infos = self.records[record.0 as usize].fields.clone();
        let bases = self.records[record.0 as usize].bases.clone();
        let is_packed = decl.attributes.iter().any(|a| self.text(a.name.name) == "packed");
        let alignments = self.member_alignments(decl);
        let (mut at, mut align) = (0u64, 1u64);
        let mut size = 0u64;
        let mut fields = Vec::with_capacity(infos.len());
        for (index, info) in infos.iter().enumerate() {
            let ty = self.hir_type(info.ty);
            let (field_size, mut field_align) = self.program.layout(ty.ty);
            if is_packed {
                field_align = 1;
            }
            if let Some((_, wanted)) = alignments.iter().find(|(name, _)| Some(*name) == info.name) {
                field_align = field_align.max(*wanted);
            }
            let is_empty_base = bases.get(index).is_some_and(|base| self.is_empty_record(*base));
            align = align.max(field_align);
            let offset = if is_union || is_empty_base { 0 } else { at.next_multiple_of(field_align.max(1)) };
            fields.push(Field {
                name: info.name.map_or_else(String::new, |name| self.text(name).to_owned()),
                ty,
                offset_bytes: offset,
                argument_id: None,
            });
            if !is_empty_base {
                at = offset.saturating_add(field_size);
                size = size.max(at);
            }
        }
        for attribute in &decl.attributes {
            if let Some(wanted) = self.alignment_attribute(attribute)? {
                align = align.max(wanted);
            }
        }
        if size > MAX_RECORD_BYTES {
            let message = format!(
                "this structure takes {size} bytes, more than the {MAX_RECORD_BYTES} that a type may have"
            );
            return self.error(&OBJECT_TOO_LARGE, decl.span, message);
        }
        let out = &mut self.program.records[record.0 as usize];
        out.fields = fields;
        out.align_bytes = align;
        out.size_bytes = size.max(1).next_multiple_of(align);
        Ok(())
    }

    fn member_alignments(&mut self, decl: &'a RecordDecl) -> Vec<(Name, u64)> {
        let mut found = Vec::new();
        for member in decl.members.iter().flatten() {
            let DeclKind::Variables(variables) = &member.kind else { continue };
            for variable in variables {
                for attribute in &variable.attributes {
                    if let (Ok(Some(align)), Some(name)) = (
                        self.alignment_attribute(attribute),
                        variable.name.as_ref().and_then(|name| super::lookup::segment_name(&name.last)),
                    ) {
                        found.push((name, align));
                    }
                }
            }
        }
        found
    }

    /// The alignment that `alignas(…)` or `aligned(…)` asks for.
    pub(crate) fn alignment_attribute(&mut self, attribute: &'a ast::Attribute) -> R<Option<u64>> {
        if !matches!(self.text(attribute.name.name), "alignas" | "aligned" | "__aligned__") {
            return Ok(None);
        }
        let Some(argument) = attribute.arguments.first() else { return Ok(Some(16)) };
        let align = match &argument.kind {
            ast::TemplateArgumentKind::Type(ty) if self.quietly(|s| s.resolve(ty)).is_ok() => {
                let ty = self.resolve(ty)?;
                i128::from(self.program.layout(ty.ty).1)
            }
            _ => self.value_argument(argument)?,
        };
        if align <= 0 || align > 4096 || !(align as u64).is_power_of_two() {
            return self.error(
                &codes::INVALID_TYPE,
                attribute.span,
                format!("{align} is no possible alignment"),
            );
        }
        Ok(Some(align as u64))
    }

    pub(crate) fn is_empty_record(&self, record: RecordId) -> bool {
        let info = &self.records[record.0 as usize];
        info.fields.len() == info.bases.len() && info.bases.iter().all(|base| self.is_empty_record(*base))
    }

    /// Does the user say how objects are copied?
    pub(crate) fn has_copy_constructor(&mut self, record: RecordId) -> bool {
        let constructors = self.records[record.0 as usize].constructors.clone();
        constructors.into_iter().any(|id| {
            if self.function(id).parameters.is_some() {
                return false;
            }
            let FnSource::Declared(decl) = self.function(id).source else { return false };
            if decl.parameters.parameters.len() != 1 {
                return false;
            }
            let Ok(instance) = self.quietly(|s| s.plain_instance(id)) else { return false };
            let Some(parameter) = self.instance(instance).parameters.first().map(|p| p.ty) else {
                return false;
            };
            match *self.ty(parameter.ty) {
                Type::Reference { target, is_rvalue: false } => *self.ty(target.ty) == Type::Record(record),
                _ => false,
            }
        })
    }

    /// A type's name, for a diagnostic or a record.
    pub(crate) fn record_type(&mut self, record: RecordId) -> QualType {
        self.plain(Type::Record(record))
    }
}
