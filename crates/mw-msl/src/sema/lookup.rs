//! From names to entries: unqualified, qualified, members, and by the arguments' namespaces.

use super::scope::{Entry, FnId, Key, RecordState, ScopeId, ScopeKind};
use super::{Failed, R, Sema};
use crate::ast::{Ident, NameSegment, QualifiedName, SegmentKind};
use crate::names::Name;
use crate::stdlib::LibraryNamespace;
use crate::types::{EnumId, QualType, RecordId, Type, TypeId};
use mw_diagnostics::Diagnostic;
use mw_diagnostics::registry::semantics as codes;
use mw_source::Span;
use std::rc::Rc;

/// The result of a lookup.
#[derive(Clone, Debug)]
pub(crate) enum Found<'a> {
    Nothing,
    Entry(Entry<'a>),
    Functions(FnSet),
}

/// Functions that a name may mean.
#[derive(Clone, Debug, Default)]
pub(crate) struct FnSet {
    pub(crate) functions: Vec<FnId>,
    pub(crate) library: Vec<(LibraryNamespace, Name)>,
}

impl FnSet {
    fn merge(&mut self, other: FnSet) {
        for id in other.functions {
            if !self.functions.contains(&id) {
                self.functions.push(id);
            }
        }
        for entry in other.library {
            if !self.library.contains(&entry) {
                self.library.push(entry);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.library.is_empty()
    }
}

/// What stands before `::`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Qualifier {
    Namespace(ScopeId),
    Record(RecordId),
    Enum(EnumId),
}

impl<'a> Sema<'a> {
    /// Looks a name up from the current scope outwards.
    pub(crate) fn lookup(&mut self, key: Key) -> Found<'a> {
        let mut at = Some(self.scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0 as usize];
            at = scope.parent;
            match scope.kind {
                ScopeKind::Block | ScopeKind::Template => {
                    if let Some((entry, _)) = scope.get(key) {
                        let entry = entry.clone();
                        return self.found(entry);
                    }
                    if !scope.usings.is_empty() {
                        for used in scope.usings.clone() {
                            match self.lookup_namespace(used, key, true) {
                                Found::Nothing => {}
                                found => return found,
                            }
                        }
                    }
                }
                ScopeKind::Record(record) => {
                    if let Some(entry) = self.member(record, key) {
                        return self.found(entry);
                    }
                }
                ScopeKind::Namespace => match self.lookup_namespace(id, key, true) {
                    Found::Nothing => {}
                    found => return found,
                },
            }
        }
        Found::Nothing
    }

    fn found(&self, entry: Entry<'a>) -> Found<'a> {
        match entry {
            Entry::Functions(set) => {
                Found::Functions(FnSet { functions: self.sets[set.0 as usize].clone(), library: Vec::new() })
            }
            entry => Found::Entry(entry),
        }
    }

    /// Looks a name up in a namespace and the namespaces that show through it.
    pub(crate) fn lookup_namespace(&mut self, scope: ScopeId, key: Key, limited: bool) -> Found<'a> {
        let limit = if limited { self.limit } else { u32::MAX };
        let mut seen = Vec::new();
        let mut result = Found::Nothing;
        self.lookup_namespace_in(scope, key, limit, &mut seen, &mut result);
        result
    }

    fn lookup_namespace_in(
        &mut self,
        id: ScopeId,
        key: Key,
        limit: u32,
        seen: &mut Vec<ScopeId>,
        result: &mut Found<'a>,
    ) {
        if seen.contains(&id) {
            return;
        }
        seen.push(id);
        let scope = &self.scopes[id.0 as usize];
        let mut functions = FnSet::default();
        let mut other = None;
        if let Some((entry, order)) = scope.get(key) {
            match entry {
                Entry::Functions(set) => {
                    functions.functions = self.sets[set.0 as usize]
                        .iter()
                        .copied()
                        .filter(|id| self.functions[id.0 as usize].order < limit)
                        .collect();
                }
                entry if order < limit => other = Some(entry.clone()),
                _ => {}
            }
        }
        if let (Some(library), Key::Name(name)) = (scope.library, key)
            && other.is_none()
            && self.library_has(library, name)
        {
            functions.library.push((library, name));
        }
        if let Key::Name(name) = key {
            for (space, imported) in &self.scopes[id.0 as usize].imported {
                if *imported == name {
                    functions.library.push((*space, name));
                }
            }
        }
        if !functions.is_empty() {
            match result {
                Found::Functions(set) => set.merge(functions),
                Found::Nothing => *result = Found::Functions(functions),
                Found::Entry(_) => {}
            }
        } else if let Some(entry) = other
            && matches!(result, Found::Nothing)
        {
            *result = Found::Entry(entry);
        }
        let scope = &self.scopes[id.0 as usize];
        if !scope.usings.is_empty() {
            for used in scope.usings.clone() {
                self.lookup_namespace_in(used, key, limit, seen, result);
            }
        }
    }

    /// Does the library's table know a function?
    pub(crate) fn library_has(&mut self, space: LibraryNamespace, name: Name) -> bool {
        self.library_candidates(space, name).is_some()
    }

    pub(crate) fn library_candidates(
        &mut self,
        space: LibraryNamespace,
        name: Name,
    ) -> Option<Rc<Vec<crate::stdlib::Candidate>>> {
        if let Some(known) = self.library.get(&(space, name)) {
            return known.clone();
        }
        let text = self.text(name);
        let candidates = if space == LibraryNamespace::Global && !text.starts_with("__") {
            None
        } else {
            crate::stdlib::candidates(space, text, &mut self.program.types).map(Rc::new)
        };
        self.library.insert((space, name), candidates.clone());
        candidates
    }

    /// A member of a record or of its bases.
    pub(crate) fn member(&mut self, record: RecordId, key: Key) -> Option<Entry<'a>> {
        let info = &self.records[record.0 as usize];
        if info.state == RecordState::Declared {
            let _ = self.complete(record);
        }
        let info = &self.records[record.0 as usize];
        if let Some((entry, _)) = self.scopes[info.scope.0 as usize].get(key) {
            return Some(entry.clone());
        }
        for at in 0..info.bases.len() {
            let base = self.records[record.0 as usize].bases[at];
            if let Some(entry) = self.member(base, key) {
                return Some(match entry {
                    Entry::Field(path) => {
                        let mut longer = vec![at as u32];
                        longer.extend(path.iter());
                        Entry::Field(longer.into())
                    }
                    entry => entry,
                });
            }
        }
        None
    }

    /// What a segment before `::` stands for, and so on to the last qualifier.
    pub(crate) fn qualifier(&mut self, name: &'a QualifiedName) -> R<Option<Qualifier>> {
        self.qualifier_of(name.global, &name.qualifiers)
    }

    pub(crate) fn qualifier_of(&mut self, global: bool, segments: &'a [NameSegment]) -> R<Option<Qualifier>> {
        let mut at = global.then_some(Qualifier::Namespace(ScopeId(0)));
        for segment in segments {
            at = Some(self.qualifier_segment(at, segment)?);
        }
        Ok(at)
    }

    fn qualifier_segment(&mut self, inside: Option<Qualifier>, segment: &'a NameSegment) -> R<Qualifier> {
        let ty = match &segment.kind {
            SegmentKind::Decltype(expr) => self.decltype(expr)?,
            SegmentKind::Name(name) => {
                let found = match inside {
                    None => self.lookup_qualifier_name(*name),
                    Some(inside) => self.lookup_in(inside, Key::Name(*name)),
                };
                match found {
                    Found::Entry(Entry::Namespace(scope)) => return Ok(Qualifier::Namespace(scope)),
                    Found::Entry(entry) => self.entry_type(entry, segment, *name)?,
                    Found::Nothing if inside.is_none() && Some(*name) == self.well_known.metal => {
                        return Ok(Qualifier::Namespace(self.metal_namespace()));
                    }
                    _ => return self.unknown_name(*name, segment.span, inside),
                }
            }
            _ => {
                return self.error(
                    &codes::UNKNOWN_NAME,
                    segment.span,
                    "this is no namespace, class or enumeration",
                );
            }
        };
        self.type_qualifier(ty, segment.span)
    }

    /// As with other names, but functions and variables do not hide namespaces and types.
    fn lookup_qualifier_name(&mut self, name: Name) -> Found<'a> {
        let key = Key::Name(name);
        match self.lookup(key) {
            found @ Found::Entry(
                Entry::Namespace(_) | Entry::Type(_) | Entry::ClassTemplate(_) | Entry::AliasTemplate(_),
            ) => found,
            found => {
                // `metal::fast::min`: inside `metal`, `fast` is no entry but a part of the library.
                match found {
                    Found::Nothing => {
                        if let Some(scope) = self.library_part(None, name) {
                            return Found::Entry(Entry::Namespace(scope));
                        }
                        Found::Nothing
                    }
                    found => found,
                }
            }
        }
    }

    /// `metal::fast`, `metal::precise`.
    fn library_part(&mut self, inside: Option<ScopeId>, name: Name) -> Option<ScopeId> {
        let metal = self.metal?;
        let reachable = match inside {
            Some(scope) => scope == metal,
            None => {
                let mut at = Some(self.scope);
                let mut found = false;
                while let Some(id) = at {
                    let scope = &self.scopes[id.0 as usize];
                    found |= id == metal || scope.usings.contains(&metal);
                    at = scope.parent;
                }
                found
            }
        };
        if !reachable {
            return None;
        }
        let part = if Some(name) == self.well_known.fast {
            LibraryNamespace::Fast
        } else if Some(name) == self.well_known.precise {
            LibraryNamespace::Precise
        } else {
            return None;
        };
        if let Some((Entry::Namespace(scope), _)) = self.scopes[metal.0 as usize].get(Key::Name(name)) {
            return Some(*scope);
        }
        let scope = self.push_scope(metal, ScopeKind::Namespace);
        self.scopes[scope.0 as usize].library = Some(part);
        self.scopes[scope.0 as usize].name = Some(name);
        self.bind(metal, Key::Name(name), Entry::Namespace(scope));
        Some(scope)
    }

    /// The namespace `metal`, made when it is first needed.
    pub(crate) fn metal_namespace(&mut self) -> ScopeId {
        if let Some(metal) = self.metal {
            return metal;
        }
        let scope = self.push_scope(ScopeId(0), ScopeKind::Namespace);
        self.scopes[scope.0 as usize].library = Some(LibraryNamespace::Metal);
        self.scopes[scope.0 as usize].name = self.well_known.metal;
        if let Some(name) = self.well_known.metal {
            self.scopes[0].insert(Key::Name(name), Entry::Namespace(scope), 0);
        }
        self.metal = Some(scope);
        scope
    }

    pub(crate) fn type_qualifier(&mut self, ty: QualType, span: Span) -> R<Qualifier> {
        match *self.ty(ty.ty) {
            Type::Record(record) => {
                self.complete(record)?;
                Ok(Qualifier::Record(record))
            }
            Type::Enum(id) => Ok(Qualifier::Enum(id)),
            Type::Error => Err(Failed),
            Type::Reference { target, .. } => self.type_qualifier(target, span),
            _ => self.fail(|s| {
                let name = s.show(ty);
                Diagnostic::new(&codes::NO_MEMBER, span, format!("`{name}` has no members to name with `::`"))
            }),
        }
    }

    /// Looks a name up inside of a namespace, class or enumeration.
    pub(crate) fn lookup_in(&mut self, inside: Qualifier, key: Key) -> Found<'a> {
        match inside {
            Qualifier::Namespace(scope) => match self.lookup_namespace(scope, key, true) {
                Found::Nothing => match key {
                    Key::Name(name) => match self.library_part(Some(scope), name) {
                        Some(part) => Found::Entry(Entry::Namespace(part)),
                        None => Found::Nothing,
                    },
                    Key::Operator(_) => Found::Nothing,
                },
                found => found,
            },
            Qualifier::Record(record) => match self.member(record, key) {
                Some(entry) => self.found(entry),
                None => Found::Nothing,
            },
            Qualifier::Enum(id) => {
                let scope = self.enum_scopes[id.0 as usize];
                match self.scopes[scope.0 as usize].get(key) {
                    Some((entry, _)) => Found::Entry(entry.clone()),
                    None => Found::Nothing,
                }
            }
        }
    }

    /// Functions of a name in the namespaces of the arguments' types.
    pub(crate) fn argument_dependent(&mut self, key: Key, types: &[TypeId]) -> FnSet {
        let mut namespaces = Vec::new();
        for ty in types {
            self.associated(*ty, &mut namespaces, 0);
        }
        let mut set = FnSet::default();
        for scope in namespaces {
            if let Found::Functions(found) = self.lookup_namespace(scope, key, false) {
                set.merge(found);
            }
        }
        set
    }

    pub(crate) fn merge_sets(&self, set: &mut FnSet, other: FnSet) {
        set.merge(other);
    }

    fn associated(&mut self, ty: TypeId, into: &mut Vec<ScopeId>, depth: u32) {
        if depth > 6 {
            return;
        }
        let mut push = |scope: ScopeId| {
            if !into.contains(&scope) {
                into.push(scope);
            }
        };
        match self.ty(ty).clone() {
            Type::Pointer(target) | Type::Reference { target, .. } => {
                self.associated(target.ty, into, depth + 1);
            }
            Type::Array(element, _) | Type::UnsizedArray(element) => {
                self.associated(element, into, depth + 1);
            }
            Type::Atomic(_) | Type::SimdgroupMatrix { .. } | Type::Opaque(_) => {
                if let Some(metal) = self.metal {
                    push(metal);
                }
            }
            Type::Record(record) => {
                let scope = self.records[record.0 as usize].scope;
                if let Some(scope) = self.enclosing_namespace(scope) {
                    push(scope);
                }
                let bases = self.records[record.0 as usize].bases.clone();
                for base in bases {
                    let ty = self.intern(Type::Record(base));
                    self.associated(ty, into, depth + 1);
                }
                if let Some((_, args)) = self.records[record.0 as usize].template.clone() {
                    for arg in args.iter() {
                        if let super::Arg::Type(ty) = arg {
                            self.associated(ty.ty, into, depth + 1);
                        }
                    }
                }
            }
            Type::Enum(id) => {
                let scope = self.enum_scopes[id.0 as usize];
                if let Some(scope) = self.enclosing_namespace(scope) {
                    push(scope);
                }
            }
            _ => {}
        }
    }

    /// The innermost namespace around a scope.
    pub(crate) fn enclosing_namespace(&self, scope: ScopeId) -> Option<ScopeId> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0 as usize];
            if scope.kind == ScopeKind::Namespace {
                return Some(id);
            }
            at = scope.parent;
        }
        None
    }

    /// The innermost class around a scope.
    pub(crate) fn enclosing_record(&self, scope: ScopeId) -> Option<RecordId> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.0 as usize];
            match scope.kind {
                ScopeKind::Record(record) => return Some(record),
                ScopeKind::Namespace => return None,
                _ => at = scope.parent,
            }
        }
        None
    }

    /// Looks a whole name up, as far as its last segment.
    pub(crate) fn find(&mut self, name: &'a QualifiedName) -> R<(Found<'a>, Option<Qualifier>)> {
        let inside = self.qualifier(name)?;
        let Some(key) = segment_key(&name.last) else {
            return self.error(&codes::UNKNOWN_NAME, name.span, "this name cannot be used here");
        };
        let found = match inside {
            None => self.lookup(key),
            Some(inside) => self.lookup_in(inside, key),
        };
        Ok((found, inside))
    }
}

/// The key by which a segment is looked up.
pub(crate) fn segment_key(segment: &NameSegment) -> Option<Key> {
    match &segment.kind {
        SegmentKind::Name(name) => Some(Key::Name(*name)),
        SegmentKind::Operator(operator) => Some(Key::Operator(*operator)),
        SegmentKind::Destructor(_) | SegmentKind::Conversion(_) | SegmentKind::Decltype(_) => None,
    }
}

/// The plain identifier of a segment.
pub(crate) fn segment_name(segment: &NameSegment) -> Option<Name> {
    match &segment.kind {
        SegmentKind::Name(name) => Some(*name),
        _ => None,
    }
}

/// The identifier of a name without qualifiers and arguments.
pub(crate) fn simple_name(name: &QualifiedName) -> Option<Ident> {
    match &name.last.kind {
        SegmentKind::Name(simple)
            if !name.global && name.qualifiers.is_empty() && name.last.arguments.is_none() =>
        {
            Some(Ident { name: *simple, span: name.last.span })
        }
        _ => None,
    }
}
