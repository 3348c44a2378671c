//! What the parser knows of names: enough to tell types, templates and values apart.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use crate::names::Name;

/// A namespace's or class's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScopeId(u32);

/// What a name is known to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Symbol {
    flags: u8,
    /// The names inside it, for a namespace or class.
    pub(super) scope: Option<ScopeId>,
}

impl Symbol {
    pub(super) const TYPE: u8 = 1;
    /// A class or alias template, or a template template parameter.
    pub(super) const TYPE_TEMPLATE: u8 = 2;
    pub(super) const VALUE: u8 = 4;
    pub(super) const FUNCTION_TEMPLATE: u8 = 8;
    pub(super) const VARIABLE_TEMPLATE: u8 = 16;
    pub(super) const NAMESPACE: u8 = 32;
    /// What is inside depends on template arguments.
    pub(super) const DEPENDENT: u8 = 64;

    pub(super) fn of(flags: u8) -> Self {
        Self { flags, scope: None }
    }

    pub(super) fn with_scope(flags: u8, scope: Option<ScopeId>) -> Self {
        Self { flags, scope }
    }

    pub(super) fn has(self, flags: u8) -> bool {
        self.flags & flags != 0
    }

    /// Nothing is known.
    pub(super) fn is_unknown(self) -> bool {
        self.flags & !Self::DEPENDENT == 0
    }

    /// A type wherever both could stand: a value of the same name hides it.
    pub(super) fn is_type(self) -> bool {
        self.has(Self::TYPE | Self::TYPE_TEMPLATE)
            && !self.has(Self::VALUE | Self::FUNCTION_TEMPLATE | Self::VARIABLE_TEMPLATE)
    }

    pub(super) fn is_template(self) -> bool {
        self.has(Self::TYPE_TEMPLATE | Self::FUNCTION_TEMPLATE | Self::VARIABLE_TEMPLATE)
    }

    /// The kind without what is inside.
    pub(super) fn flags(self) -> u8 {
        self.flags
    }

    fn merge(&mut self, other: Self) {
        self.flags |= other.flags;
        self.scope = self.scope.or(other.scope);
    }
}

#[derive(Debug, Default)]
struct Scope {
    names: FxHashMap<Name, Symbol>,
    /// `using namespace`, and inline and anonymous namespaces.
    usings: Vec<ScopeId>,
    bases: Vec<ScopeId>,
    /// The lookup that was here last, so that none goes in circles.
    seen: Cell<u32>,
}

/// What encloses the place being parsed.
#[derive(Clone, Copy, Debug)]
enum Frame {
    /// A block, parameter list or template: its names begin here in the list of local names.
    Local(u32),
    Scope(ScopeId),
}

/// All scopes.
#[derive(Debug)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    locals: Vec<(Name, Symbol)>,
    /// `using namespace` in blocks: the number of frames when it was written.
    local_usings: Vec<(u32, ScopeId)>,
    frames: Vec<Frame>,
    lookups: Cell<u32>,
}

/// How deep the frames and local names were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level(usize, usize, usize);

impl Scopes {
    pub(super) const GLOBAL: ScopeId = ScopeId(0);

    pub(super) fn new() -> Self {
        Self {
            all: vec![Scope::default()],
            locals: Vec::new(),
            local_usings: Vec::new(),
            frames: vec![Frame::Scope(Self::GLOBAL)],
            lookups: Cell::new(0),
        }
    }

    /// A new scope, not yet entered.
    pub(super) fn create(&mut self) -> ScopeId {
        self.all.push(Scope::default());
        ScopeId(self.all.len() as u32 - 1)
    }

    pub(super) fn level(&self) -> Level {
        Level(self.frames.len(), self.locals.len(), self.local_usings.len())
    }

    /// Leaves everything entered since `level` was taken.
    pub(super) fn leave(&mut self, level: Level) {
        self.frames.truncate(level.0);
        self.locals.truncate(level.1);
        self.local_usings.truncate(level.2);
    }

    pub(super) fn enter_local(&mut self) {
        self.frames.push(Frame::Local(self.locals.len() as u32));
    }

    pub(super) fn enter(&mut self, scope: ScopeId) {
        self.frames.push(Frame::Scope(scope));
    }

    /// The namespace or class that is being parsed, if it is the innermost frame.
    pub(super) fn current(&self) -> Option<ScopeId> {
        match self.frames.last() {
            Some(Frame::Scope(scope)) => Some(*scope),
            _ => None,
        }
    }

    /// The innermost namespace or class.
    pub(super) fn enclosing(&self) -> ScopeId {
        let scopes = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Scope(scope) => Some(*scope),
            Frame::Local(_) => None,
        });
        scopes.unwrap_or(Self::GLOBAL)
    }

    /// Declares a name in the innermost frame.
    pub(super) fn declare(&mut self, name: Name, symbol: Symbol) {
        match self.frames.last() {
            Some(Frame::Scope(scope)) => self.declare_in(*scope, name, symbol),
            _ => self.locals.push((name, symbol)),
        }
    }

    pub(super) fn declare_in(&mut self, scope: ScopeId, name: Name, symbol: Symbol) {
        self.all[scope.0 as usize].names.entry(name).or_default().merge(symbol);
    }

    /// What a scope itself says of a name.
    pub(super) fn own(&self, scope: ScopeId, name: Name) -> Option<Symbol> {
        self.all[scope.0 as usize].names.get(&name).copied()
    }

    pub(super) fn add_base(&mut self, scope: ScopeId, base: ScopeId) {
        self.all[scope.0 as usize].bases.push(base);
    }

    pub(super) fn add_using(&mut self, scope: ScopeId, used: ScopeId) {
        let usings = &mut self.all[scope.0 as usize].usings;
        if scope != used && !usings.contains(&used) {
            usings.push(used);
        }
    }

    /// `using namespace` in the innermost frame.
    pub(super) fn use_namespace(&mut self, used: ScopeId) {
        match self.frames.last() {
            Some(Frame::Scope(scope)) => self.add_using(*scope, used),
            _ => self.local_usings.push((self.frames.len() as u32, used)),
        }
    }

    /// What a name means here.
    pub(super) fn lookup(&self, name: Name) -> Symbol {
        let mut end = self.locals.len();
        let mut using = self.local_usings.len();
        for (at, frame) in self.frames.iter().enumerate().rev() {
            match *frame {
                Frame::Local(start) => {
                    let own = &self.locals[start as usize..end];
                    if let Some((_, symbol)) = own.iter().rev().find(|(local, _)| *local == name) {
                        return *symbol;
                    }
                    end = start as usize;
                    while using > 0 && self.local_usings[using - 1].0 as usize > at {
                        using -= 1;
                        if let Some(symbol) = self.member(self.local_usings[using].1, name) {
                            return symbol;
                        }
                    }
                }
                Frame::Scope(scope) => {
                    if let Some(symbol) = self.member(scope, name) {
                        return symbol;
                    }
                }
            }
        }
        Symbol::default()
    }

    /// What a name means in a scope, its bases and the namespaces that it uses.
    pub(super) fn member(&self, scope: ScopeId, name: Name) -> Option<Symbol> {
        let only = &self.all[scope.0 as usize];
        if only.usings.is_empty() && only.bases.is_empty() {
            return only.names.get(&name).copied();
        }
        self.lookups.set(self.lookups.get().wrapping_add(1));
        self.search(scope, name, 0)
    }

    fn search(&self, scope: ScopeId, name: Name, depth: u32) -> Option<Symbol> {
        let scope = &self.all[scope.0 as usize];
        if scope.seen.replace(self.lookups.get()) == self.lookups.get() || depth > 100 {
            return None;
        }
        let mut found = scope.names.get(&name).copied();
        if found.is_none() {
            found = scope.bases.iter().find_map(|base| self.search(*base, name, depth + 1));
        }
        for used in &scope.usings {
            if let Some(symbol) = self.search(*used, name, depth + 1) {
                found.get_or_insert_default().merge(symbol);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Scopes, Symbol};
    use crate::names::Name;

    #[test]
    fn inner_names_hide_outer_ones_until_their_block_ends() {
        let mut scopes = Scopes::new();
        let name = Name(7);
        scopes.declare(name, Symbol::of(Symbol::TYPE));
        let level = scopes.level();
        scopes.enter_local();
        scopes.declare(name, Symbol::of(Symbol::VALUE));
        assert!(!scopes.lookup(name).is_type());
        scopes.leave(level);
        assert!(scopes.lookup(name).is_type());
    }

    #[test]
    fn namespaces_that_use_each_other_end() {
        let mut scopes = Scopes::new();
        let (a, b) = (scopes.create(), scopes.create());
        scopes.add_using(a, b);
        scopes.add_using(b, a);
        scopes.use_namespace(a);
        scopes.declare_in(b, Name(3), Symbol::of(Symbol::VALUE));
        assert!(scopes.lookup(Name(3)).has(Symbol::VALUE));
        assert!(scopes.lookup(Name(4)).is_unknown());
    }
}
