//! Template argument deduction: written types matched against concrete ones.

use super::instantiate::same_arg;
use super::lookup::{Found, segment_name};
use super::scope::{Arg, Args, Entry, Key, ScopeId, ScopeKind, TemplateBody, TemplateId};
use super::walk::{names_in_argument, names_in_type};
use super::{R, Sema};
use crate::ast::{
    self, BuiltinTemplate, ExprKind, TemplateArgument, TemplateArgumentKind, TemplateParameter, TypeKind,
};
use crate::names::Name;
use crate::types::{AddressSpace, QualType, RecordId, Type, TypeId};

/// What is deduced so far.
#[derive(Clone, Debug)]
pub(crate) struct Deduction {
    pub(crate) args: Vec<Option<Arg>>,
    /// Elements of packs, collected one by one.
    packs: Vec<Vec<Arg>>,
    is_pack: Vec<bool>,
}

impl Deduction {
    pub(crate) fn new(parameters: &[TemplateParameter]) -> Self {
        Self {
            args: vec![None; parameters.len()],
            packs: vec![Vec::new(); parameters.len()],
            is_pack: parameters.iter().map(|parameter| parameter.is_pack).collect(),
        }
    }

    fn bind(&mut self, at: u32, arg: Arg) -> bool {
        match &mut self.args[at as usize] {
            Some(before) => {
                if let (Arg::Type(_), Arg::Value(..)) | (Arg::Value(..), Arg::Type(_)) = (&*before, &arg) {
                    return false;
                }
                same_arg(before, &arg)
            }
            empty => {
                *empty = Some(arg);
                true
            }
        }
    }

    /// All arguments, if all were found; packs may be empty.
    pub(crate) fn finish(self, parameters: &[TemplateParameter]) -> Option<Vec<Arg>> {
        let Self { args, packs, is_pack } = self;
        debug_assert_eq!(args.len(), parameters.len());
        args.into_iter()
            .zip(packs)
            .zip(is_pack)
            .map(|((arg, pack), is_pack)| match (arg, is_pack) {
                (Some(arg @ Arg::Pack(_)), true) => Some(arg),
                (_, true) => Some(Arg::Pack(pack.into())),
                (arg, false) => arg,
            })
            .collect()
    }

    /// What is known of one parameter.
    pub(crate) fn known(&self, at: usize) -> Option<Arg> {
        if self.is_pack[at] {
            match &self.args[at] {
                Some(arg @ Arg::Pack(_)) => Some(arg.clone()),
                _ => Some(Arg::Pack(self.packs[at].clone().into())),
            }
        } else {
            self.args[at].clone()
        }
    }
}

impl<'a> Sema<'a> {
    /// A scope in which parameters are marked as deduced.
    pub(crate) fn deduction_scope(
        &mut self,
        parameters: &'a [TemplateParameter],
        parent: ScopeId,
    ) -> ScopeId {
        let scope = self.push_scope(parent, ScopeKind::Template);
        for (at, parameter) in parameters.iter().enumerate() {
            if let Some(name) = parameter.name {
                self.bind(scope, Key::Name(name.name), Entry::Deduced(at as u32));
            }
        }
        scope
    }

    /// Does any of the names depend on a parameter that is being deduced?
    fn depends(&mut self, names: &[Name], scope: ScopeId) -> bool {
        names.iter().any(|name| match self.within(scope, |s| s.lookup_local(Key::Name(*name))) {
            Some(Entry::Deduced(_)) => true,
            Some(Entry::Pattern(Some(arguments), at)) => arguments.iter().any(|argument| {
                let mut names = Vec::new();
                names_in_argument(argument, &mut names);
                self.depends(&names, at)
            }),
            _ => false,
        })
    }

    pub(crate) fn type_depends(&mut self, ty: &'a ast::Type, scope: ScopeId) -> bool {
        let mut names = Vec::new();
        names_in_type(ty, &mut names);
        self.depends(&names, scope)
    }

    /// Looks a name up in template and block scopes only.
    fn lookup_local(&mut self, key: Key) -> Option<Entry<'a>> {
        let mut at = Some(self.scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0 as usize];
            match scope.kind {
                ScopeKind::Template | ScopeKind::Block => {
                    if let Some((entry, _)) = scope.get(key) {
                        return Some(entry.clone());
                    }
                }
                ScopeKind::Namespace => return None,
                ScopeKind::Record(_) => {}
            }
            at = scope.parent;
        }
        None
    }

    /// Matches a written type against a concrete one.
    pub(crate) fn deduce_type(
        &mut self,
        pattern: &'a ast::Type,
        scope: ScopeId,
        actual: QualType,
        deduction: &mut Deduction,
    ) -> bool {
        if self.nesting > super::MAX_NESTING {
            return false;
        }
        self.nesting += 1;
        let result = self.deduce_type_inner(pattern, scope, actual, deduction);
        self.nesting -= 1;
        result
    }

    fn deduce_type_inner(
        &mut self,
        pattern: &'a ast::Type,
        scope: ScopeId,
        actual: QualType,
        deduction: &mut Deduction,
    ) -> bool {
        // Qualifiers of the pattern are consumed; what is left belongs to the parameter.
        let mut rest = actual;
        if pattern.qualifiers.is_const {
            rest.is_const = false;
        }
        if pattern.qualifiers.is_volatile {
            rest.is_volatile = false;
        }
        if pattern.qualifiers.is_coherent {
            rest.is_coherent = false;
        }
        if let Some((space, _)) = pattern.qualifiers.space {
            if actual.space != space {
                return false;
            }
            rest.space = AddressSpace::Thread;
        }
        match &pattern.kind {
            TypeKind::Named(name) => {
                if !name.qualifiers.is_empty() || name.global {
                    // A nested name of a dependent class deduces nothing; a qualified template-id may.
                    let mut names = Vec::new();
                    for segment in &name.qualifiers {
                        if let Some(name) = segment_name(segment) {
                            names.push(name);
                        }
                        for argument in segment.arguments.iter().flatten() {
                            names_in_argument(argument, &mut names);
                        }
                    }
                    if self.depends(&names, scope) {
                        return true;
                    }
                    if let Some(arguments) = &name.last.arguments {
                        let template = self.within(scope, |s| s.quietly(|s| s.template_from(name)));
                        return match template {
                            Ok(Arg::Template(id)) => {
                                self.deduce_template(id, arguments, scope, rest, deduction)
                            }
                            _ => false,
                        };
                    }
                    return self.same_type(pattern, scope, actual);
                }
                let Some(last) = segment_name(&name.last) else {
                    return self.same_type(pattern, scope, actual);
                };
                let found = self.within(scope, |s| s.lookup(Key::Name(last)));
                match (found, &name.last.arguments) {
                    (Found::Entry(Entry::Deduced(at)), None) => deduction.bind(at, Arg::Type(rest)),
                    (Found::Entry(Entry::Deduced(at)), Some(arguments)) => {
                        // A template template parameter.
                        self.deduce_template_parameter(at, arguments, scope, rest, deduction)
                    }
                    (Found::Entry(Entry::Pattern(Some([argument]), inner)), None) => {
                        self.deduce_argument(argument, inner, &Arg::Type(rest), deduction)
                    }
                    (Found::Entry(Entry::ClassTemplate(id) | Entry::AliasTemplate(id)), Some(arguments)) => {
                        self.deduce_template(id, arguments, scope, rest, deduction)
                    }
                    (Found::Entry(Entry::Type(ty)), Some(arguments)) => {
                        match self.injected_template(ty.ty, last) {
                            Some(id) => self.deduce_template(id, arguments, scope, rest, deduction),
                            None => false,
                        }
                    }
                    _ => self.same_type(pattern, scope, actual),
                }
            }
            TypeKind::Builtin(template, arguments) => {
                self.deduce_builtin(*template, arguments, scope, rest, deduction)
            }
            TypeKind::Pointer(target) => match *self.ty(actual.ty) {
                Type::Pointer(pointee) => self.deduce_type(target, scope, pointee, deduction),
                _ => false,
            },
            TypeKind::LvalueReference(target) | TypeKind::RvalueReference(target) => {
                match *self.ty(actual.ty) {
                    Type::Reference { target: referee, is_rvalue } => {
                        is_rvalue == matches!(pattern.kind, TypeKind::RvalueReference(_))
                            && self.deduce_type(target, scope, referee, deduction)
                    }
                    _ => false,
                }
            }
            TypeKind::Array(element, size) => match (self.ty(actual.ty).clone(), size) {
                (Type::Array(inner, count), Some(size)) => {
                    self.deduce_type(element, scope, QualType { ty: inner, ..actual }, deduction)
                        && self.deduce_value(size, scope, i128::from(count), self.t.ulong, deduction)
                }
                (Type::UnsizedArray(inner), None) => {
                    self.deduce_type(element, scope, QualType { ty: inner, ..actual }, deduction)
                }
                _ => false,
            },
            TypeKind::Function(function) => match self.ty(actual.ty).clone() {
                Type::Function { result, parameters } => {
                    let patterns = &function.parameters.parameters;
                    if !self.deduce_type(&function.result, scope, result, deduction) {
                        return false;
                    }
                    for (at, pattern) in patterns.iter().enumerate() {
                        let written = match &pattern.ty.kind {
                            TypeKind::PackExpansion(inner) => inner,
                            _ => &pattern.ty,
                        };
                        if pattern.is_pack || matches!(pattern.ty.kind, TypeKind::PackExpansion(_)) {
                            let rest: Vec<_> = parameters[at.min(parameters.len())..].to_vec();
                            return rest.iter().all(|ty| {
                                self.pack_element(deduction, |s, d| s.deduce_type(written, scope, *ty, d))
                            });
                        }
                        let Some(ty) = parameters.get(at) else { return false };
                        if !self.deduce_type(written, scope, *ty, deduction) {
                            return false;
                        }
                    }
                    patterns.len() == parameters.len()
                }
                _ => false,
            },
            TypeKind::Decltype(_) => {
                if self.type_depends(pattern, scope) {
                    return true;
                }
                self.same_type(pattern, scope, actual)
            }
            TypeKind::PackExpansion(inner) => self.deduce_type(inner, scope, actual, deduction),
            _ => self.same_type(pattern, scope, actual),
        }
    }

    /// A pattern without parameters: is it this type?
    fn same_type(&mut self, pattern: &'a ast::Type, scope: ScopeId, actual: QualType) -> bool {
        match self.within(scope, |s| s.quietly(|s| s.resolve(pattern))) {
            Ok(ty) => ty.ty == actual.ty && ty.space == actual.space,
            // It depends on parameters in a way that deduces nothing.
            Err(_) => self.type_depends(pattern, scope),
        }
    }

    /// Matches `C<arguments>` for a class or alias template against a type.
    fn deduce_template(
        &mut self,
        id: TemplateId,
        arguments: &'a [TemplateArgument],
        scope: ScopeId,
        actual: QualType,
        deduction: &mut Deduction,
    ) -> bool {
        let info = self.template(id);
        match info.what {
            TemplateBody::Alias(decl) => {
                // Look through the alias: its parameters stand for the written arguments.
                let (parameters, parent) = (info.parameters, info.scope);
                let inner = self.push_scope(parent, ScopeKind::Template);
                for (at, parameter) in parameters.iter().enumerate() {
                    if let Some(name) = parameter.name {
                        let entry = if parameter.is_pack {
                            Entry::Pattern(arguments.get(at..), scope)
                        } else if at < arguments.len() {
                            Entry::Pattern(arguments.get(at..=at), scope)
                        } else {
                            match self.default_argument(parameter, at, &[], inner) {
                                Ok(Some(arg)) => {
                                    self.bind_argument(inner, parameter, &arg);
                                    continue;
                                }
                                _ => return true,
                            }
                        };
                        self.bind(inner, Key::Name(name.name), entry);
                    }
                }
                self.deduce_type(&decl.ty, inner, actual, deduction)
            }
            TemplateBody::Class(_) => {
                let Type::Record(record) = *self.ty(actual.ty) else { return false };
                self.deduce_from_record(id, arguments, scope, record, deduction)
            }
            TemplateBody::Variable(_) => false,
        }
    }

    fn deduce_from_record(
        &mut self,
        id: TemplateId,
        arguments: &'a [TemplateArgument],
        scope: ScopeId,
        record: RecordId,
        deduction: &mut Deduction,
    ) -> bool {
        if let Some((template, args)) = self.records[record.0 as usize].template.clone()
            && template == id
        {
            return self.deduce_arguments(arguments, scope, &args, deduction);
        }
        let _ = self.complete(record);
        for base in self.records[record.0 as usize].bases.clone() {
            let mut attempt = deduction.clone();
            if self.deduce_from_record(id, arguments, scope, base, &mut attempt) {
                *deduction = attempt;
                return true;
            }
        }
        false
    }

    fn deduce_template_parameter(
        &mut self,
        at: u32,
        arguments: &'a [TemplateArgument],
        scope: ScopeId,
        actual: QualType,
        deduction: &mut Deduction,
    ) -> bool {
        let Type::Record(record) = *self.ty(actual.ty) else { return false };
        let Some((template, args)) = self.records[record.0 as usize].template.clone() else { return false };
        deduction.bind(at, Arg::Template(template))
            && self.deduce_arguments(arguments, scope, &args, deduction)
    }

    fn deduce_builtin(
        &mut self,
        template: BuiltinTemplate,
        arguments: &'a [TemplateArgument],
        scope: ScopeId,
        actual: QualType,
        deduction: &mut Deduction,
    ) -> bool {
        let (element, sizes): (_, Vec<u8>) = match (template, self.ty(actual.ty)) {
            (BuiltinTemplate::Vector, Type::Vector(element, size))
            | (BuiltinTemplate::PackedVector, Type::PackedVector(element, size)) => (*element, vec![*size]),
            (BuiltinTemplate::Matrix, Type::Matrix { element, columns, rows })
            | (BuiltinTemplate::SimdgroupMatrix, Type::SimdgroupMatrix { element, columns, rows }) => {
                (*element, vec![*columns, *rows])
            }
            (BuiltinTemplate::Atomic, Type::Atomic(element)) => (*element, Vec::new()),
            _ => return false,
        };
        let mut args = vec![Arg::Type(self.plain(Type::Scalar(element)))];
        args.extend(sizes.iter().map(|size| Arg::Value(self.t.int, i128::from(*size))));
        self.deduce_arguments(arguments, scope, &args.into(), deduction)
    }

    /// Matches written arguments against canonical ones.
    pub(crate) fn deduce_arguments(
        &mut self,
        patterns: &'a [TemplateArgument],
        scope: ScopeId,
        args: &Args,
        deduction: &mut Deduction,
    ) -> bool {
        let flat: Vec<Arg> = args
            .iter()
            .flat_map(|arg| match arg {
                Arg::Pack(elements) => elements.to_vec(),
                arg => vec![arg.clone()],
            })
            .collect();
        let mut at = 0;
        for pattern in patterns {
            let is_expansion = pattern.is_pack_expansion
                || matches!(&pattern.kind, TemplateArgumentKind::Type(ty) if matches!(ty.kind, TypeKind::PackExpansion(_)));
            if is_expansion {
                for arg in &flat[at.min(flat.len())..] {
                    if !self.pack_element(deduction, |s, d| s.deduce_argument(pattern, scope, arg, d)) {
                        return false;
                    }
                }
                return true;
            }
            let Some(arg) = flat.get(at) else { return false };
            if !self.deduce_argument(pattern, scope, arg, deduction) {
                return false;
            }
            at += 1;
        }
        // Arguments that come from defaults are matched when the pattern is substituted.
        at == flat.len() || patterns.len() < args.len()
    }

    /// Deduces one element of a pack.
    pub(crate) fn pack_element(
        &mut self,
        deduction: &mut Deduction,
        body: impl FnOnce(&mut Self, &mut Deduction) -> bool,
    ) -> bool {
        let packs: Vec<usize> = (0..deduction.args.len()).filter(|at| deduction.is_pack[*at]).collect();
        let saved: Vec<_> = packs.iter().map(|at| deduction.args[*at].take()).collect();
        if !body(self, deduction) {
            return false;
        }
        for (at, saved) in packs.into_iter().zip(saved) {
            match deduction.args[at].take() {
                Some(arg) => deduction.packs[at].push(arg),
                None => deduction.args[at] = saved,
            }
        }
        true
    }

    fn deduce_argument(
        &mut self,
        pattern: &'a TemplateArgument,
        scope: ScopeId,
        arg: &Arg,
        deduction: &mut Deduction,
    ) -> bool {
        match (&pattern.kind, arg) {
            (TemplateArgumentKind::Type(ty), Arg::Type(actual)) => {
                self.deduce_type(ty, scope, *actual, deduction)
            }
            (TemplateArgumentKind::Expr(expr), Arg::Value(ty, value)) => {
                self.deduce_value(expr, scope, *value, *ty, deduction)
            }
            (TemplateArgumentKind::Expr(expr), Arg::Type(actual)) => match &expr.kind {
                ExprKind::Name(name) => match self.deduced_name(name, scope) {
                    Some(Entry::Deduced(at)) => deduction.bind(at, Arg::Type(*actual)),
                    Some(Entry::Pattern(Some([argument]), inner)) => {
                        self.deduce_argument(argument, inner, arg, deduction)
                    }
                    _ => {
                        let resolved = self.within(scope, |s| s.quietly(|s| s.resolve_name(name)));
                        resolved.is_ok_and(|ty| ty == *actual)
                    }
                },
                _ => false,
            },
            (TemplateArgumentKind::Type(ty), Arg::Value(..) | Arg::Template(_) | Arg::Function(..)) => {
                let ty = match &ty.kind {
                    TypeKind::PackExpansion(inner) => inner,
                    _ => ty,
                };
                let TypeKind::Named(name) = &ty.kind else { return false };
                match self.deduced_name(name, scope) {
                    Some(Entry::Deduced(at)) => deduction.bind(at, arg.clone()),
                    Some(Entry::Pattern(Some([argument]), inner)) => {
                        self.deduce_argument(argument, inner, arg, deduction)
                    }
                    _ => match arg {
                        Arg::Value(_, value) => {
                            let found = self.within(scope, |s| s.quietly(|s| s.value_argument(pattern)));
                            match found {
                                Ok(found) => found == *value,
                                Err(_) => self.type_depends(ty, scope),
                            }
                        }
                        Arg::Template(id) => {
                            let found = self.within(scope, |s| s.quietly(|s| s.template_from(name)));
                            matches!(found, Ok(Arg::Template(other)) if other == *id)
                        }
                        _ => true,
                    },
                }
            }
            (TemplateArgumentKind::Expr(expr), Arg::Template(_) | Arg::Function(..)) => match &expr.kind {
                ExprKind::Name(name) => match self.deduced_name(name, scope) {
                    Some(Entry::Deduced(at)) => deduction.bind(at, arg.clone()),
                    _ => true,
                },
                _ => true,
            },
            (_, Arg::Pack(_)) => false,
        }
    }

    fn deduced_name(&mut self, name: &'a ast::QualifiedName, scope: ScopeId) -> Option<Entry<'a>> {
        if !name.qualifiers.is_empty() || name.global || name.last.arguments.is_some() {
            return None;
        }
        let last = segment_name(&name.last)?;
        self.within(scope, |s| s.lookup_local(Key::Name(last)))
    }

    /// Matches a written value against a number.
    fn deduce_value(
        &mut self,
        pattern: &'a ast::Expr,
        scope: ScopeId,
        value: i128,
        ty: TypeId,
        deduction: &mut Deduction,
    ) -> bool {
        match &pattern.kind {
            ExprKind::Paren(inner) | ExprKind::PackExpansion(inner) => {
                return self.deduce_value(inner, scope, value, ty, deduction);
            }
            ExprKind::Name(name) => match self.deduced_name(name, scope) {
                Some(Entry::Deduced(at)) => return deduction.bind(at, Arg::Value(ty, value)),
                Some(Entry::Pattern(Some([argument]), inner)) => {
                    return self.deduce_argument(argument, inner, &Arg::Value(ty, value), deduction);
                }
                _ => {}
            },
            _ => {}
        }
        match self.within(scope, |s| s.quietly(|s| s.integer_constant(pattern))) {
            Ok(found) => found == value,
            Err(_) => {
                let mut names = Vec::new();
                super::walk::names_in_expr(pattern, &mut names);
                // An expression of parameters deduces nothing; substitution decides.
                self.depends(&names, scope)
            }
        }
    }

    /// A type with a deduced parameter's name bound: for `R<T>`-like uses.
    pub(crate) fn substitute(
        &mut self,
        parameters: &'a [TemplateParameter],
        earlier: &[&'a [TemplateParameter]],
        parent: ScopeId,
        deduction: &Deduction,
        mut given_types: impl FnMut(&mut Self, ScopeId) -> R<()>,
    ) -> R<(Args, ScopeId)> {
        let scope = self.push_scope(parent, ScopeKind::Template);
        let mut args = Vec::with_capacity(parameters.len());
        for (at, parameter) in parameters.iter().enumerate() {
            let arg = match deduction.known(at) {
                Some(arg) => match (&parameter.kind, arg) {
                    (ast::TemplateParameterKind::Value { ty, .. }, Arg::Value(found, value)) => {
                        match self.value_parameter_type(ty, scope)? {
                            Some(wanted) => Arg::Value(wanted, self.wrap_to(value, wanted)),
                            None => Arg::Value(found, value),
                        }
                    }
                    (_, arg) => arg,
                },
                None => match self.default_argument(parameter, at, earlier, scope)? {
                    Some(arg) => arg,
                    None => return Err(super::Failed),
                },
            };
            self.bind_argument(scope, parameter, &arg);
            args.push(arg);
        }
        given_types(self, scope)?;
        Ok((args.into(), scope))
    }
}
