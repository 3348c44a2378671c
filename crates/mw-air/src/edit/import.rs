//! Import functions from another module, with everything that they use.
//!
//! Symbols are matched by name: a definition fills a declaration of the same name, and one that is there
//! already is used as it is. Local symbols (`internal`, `private`) match nothing; where their name is taken
//! they get another. Metadata attachments are promises and stay behind.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Callee, FuncId, Function, Global, GlobalId, Inst, InstId, Linkage, Module, Symbol};

/// Two modules that disagree about a symbol.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImportError {
    /// The same name with another type or kind.
    #[error("`@{name}` is another thing in the module that it is imported into: its type differs")]
    Conflict {
        /// The symbol.
        name: Arc<str>,
    },
}

/// Imports from one module into another; each symbol once.
#[derive(Debug)]
pub struct Importer<'s> {
    source: &'s Module,
    functions: FxHashMap<FuncId, FuncId>,
    globals: FxHashMap<GlobalId, GlobalId>,
    names: Option<FxHashMap<Arc<str>, Symbol>>,
    /// Functions whose bodies are still to be moved.
    bodies: Vec<(FuncId, FuncId)>,
    /// Variables whose initialisers are still to be moved.
    initializers: Vec<(GlobalId, GlobalId)>,
}

impl<'s> Importer<'s> {
    /// An importer out of `source`, a verified module.
    pub fn new(source: &'s Module) -> Self {
        Self {
            source,
            functions: FxHashMap::default(),
            globals: FxHashMap::default(),
            names: None,
            bodies: Vec::new(),
            initializers: Vec::new(),
        }
    }

    /// Imports a function and what it uses; gives its handle in `target`.
    ///
    /// # Errors
    /// When both modules have a symbol of the same name with different types. `target` is then to be
    /// thrown away.
    pub fn function(&mut self, target: &mut Module, id: FuncId) -> Result<FuncId, ImportError> {
        let imported = self.symbol_function(target, id)?;
        loop {
            if let Some((from, to)) = self.bodies.pop() {
                self.body(target, from, to)?;
            } else if let Some((from, to)) = self.initializers.pop() {
                let initializer = self.source.global(from).initializer.clone();
                if let Some(initializer) = initializer {
                    let value = self.constant(target, &initializer)?;
                    target.globals[to.index()].initializer = Some(value);
                }
            } else {
                return Ok(imported);
            }
        }
    }

    fn names<'a>(&'a mut self, target: &Module) -> &'a mut FxHashMap<Arc<str>, Symbol> {
        self.names.get_or_insert_with(|| {
            let functions = target.function_ids().map(|id| (&target.function(id).name, Symbol::Function(id)));
            let globals = target.global_ids().map(|id| (&target.global(id).name, Symbol::Global(id)));
            functions.chain(globals).map(|(name, symbol)| (Arc::clone(name), symbol)).collect()
        })
    }

    /// A name that `target` does not have yet.
    fn free_name(&mut self, target: &Module, name: &Arc<str>) -> Arc<str> {
        let names = self.names(target);
        if name.is_empty() || !names.contains_key(name) {
            return Arc::clone(name);
        }
        // One of so many numbers is not taken.
        (0..=names.len())
            .map(|number| Arc::from(format!("{name}.{number}")))
            .find(|name| !names.contains_key(name))
            .expect("more numbers than names")
    }

    fn symbol_function(&mut self, target: &mut Module, id: FuncId) -> Result<FuncId, ImportError> {
        if let Some(known) = self.functions.get(&id) {
            return Ok(*known);
        }
        let source = self.source.function(id);
        let local = is_local(source.linkage);
        let name = if local { self.free_name(target, &source.name) } else { Arc::clone(&source.name) };
        let existing = self.names(target).get(&name).copied().filter(|_| !name.is_empty());
        let (imported, fill) = match existing {
            Some(Symbol::Function(found)) if target.function(found).ty == source.ty => {
                (found, target.function(found).is_declaration())
            }
            Some(_) => return Err(ImportError::Conflict { name }),
            None => {
                let imported = target.add_function(prototype(source, &name));
                self.names(target).insert(name, Symbol::Function(imported));
                (imported, true)
            }
        };
        self.functions.insert(id, imported);
        if fill && !source.is_declaration() {
            self.bodies.push((id, imported));
        }
        Ok(imported)
    }

    fn symbol_global(&mut self, target: &mut Module, id: GlobalId) -> Result<GlobalId, ImportError> {
        if let Some(known) = self.globals.get(&id) {
            return Ok(*known);
        }
        let source = self.source.global(id);
        let local = is_local(source.linkage);
        let name = if local { self.free_name(target, &source.name) } else { Arc::clone(&source.name) };
        let existing = self.names(target).get(&name).copied().filter(|_| !name.is_empty());
        let imported = match existing {
            Some(Symbol::Global(found)) => {
                let there = target.global(found);
                if there.ty != source.ty || there.space != source.space {
                    return Err(ImportError::Conflict { name });
                }
                if there.initializer.is_none() && source.initializer.is_some() {
                    target.globals[found.index()].linkage = source.linkage;
                    self.initializers.push((id, found));
                }
                found
            }
            Some(Symbol::Function(_)) => return Err(ImportError::Conflict { name }),
            None => {
                let global = Global {
                    name: Arc::clone(&name),
                    initializer: None,
                    metadata: Vec::new(),
                    ..source.clone()
                };
                let imported = target.add_global(global);
                self.names(target).insert(name, Symbol::Global(imported));
                if source.initializer.is_some() {
                    self.initializers.push((id, imported));
                }
                imported
            }
        };
        self.globals.insert(id, imported);
        Ok(imported)
    }

    fn constant(
        &mut self,
        target: &mut Module,
        constant: &crate::TypedConstant,
    ) -> Result<crate::TypedConstant, ImportError> {
        let mut failure = None;
        let mapped = constant.map_symbols(&mut |symbol| {
            let mapped = match symbol {
                Symbol::Global(id) => self.symbol_global(target, id).map(Symbol::Global),
                Symbol::Function(id) => self.symbol_function(target, id).map(Symbol::Function),
            };
            mapped.unwrap_or_else(|error| {
                failure = Some(error);
                symbol
            })
        });
        failure.map_or(Ok(mapped), Err)
    }

    fn body(&mut self, target: &mut Module, from: FuncId, to: FuncId) -> Result<(), ImportError> {
        let mut function = self.source.function(from).clone();
        function.compact();
        function.name = Arc::clone(&target.function(to).name);
        function.metadata.clear();
        // Positions count in the table of the module that they come from.
        function.strip_debug();
        for block in &mut function.blocks {
            block.metadata.clear();
        }
        let mut failure = None;
        function.map_constants(|constant| {
            self.constant(target, &constant).unwrap_or_else(|error| {
                failure = Some(error);
                constant
            })
        });
        if let Some(error) = failure {
            return Err(error);
        }
        for index in 0..function.inst_count() {
            let data = function.inst_mut(InstId::new(index));
            data.metadata.clear();
            if let Inst::Call(call) = &mut data.inst
                && let Callee::Function(callee) = &mut call.callee
            {
                *callee = self.symbol_function(target, *callee)?;
            }
        }
        *target.function_mut(to) = function;
        Ok(())
    }
}

/// A declaration like `source`, until its body comes.
fn prototype(source: &Function, name: &str) -> Function {
    let mut function = Function::new(name, source.ty.clone());
    function.linkage = if source.is_declaration() { source.linkage } else { Linkage::External };
    function.calling_convention = source.calling_convention;
    function.section.clone_from(&source.section);
    function.unnamed_addr = source.unnamed_addr;
    function.attrs = source.attrs.clone();
    function.ret_attrs = source.ret_attrs.clone();
    function.param_attrs.clone_from(&source.param_attrs);
    function
}

fn is_local(linkage: Linkage) -> bool {
    matches!(linkage, Linkage::Internal | Linkage::Private)
}
