//! Remove unused: drop functions, variables and metadata that nothing reaches.
//!
//! **Keeps** definitions that are visible outside (kernels are `weak_odr`), variables with `appending`
//! linkage (`llvm.global_ctors`, `llvm.compiler.used`), what named metadata lists, and everything that these
//! use. **Requires** a verified module; the result verifies. **Cost** linear in the module.

use super::compact::for_each_symbol;
use crate::{
    Callee, Constant, FuncId, GlobalId, Inst, InstId, Linkage, MdId, MdNode, MdOperand, Module, Symbol,
    TypedConstant,
};

/// Drops what nothing reaches, and compacts the tables of what stays.
pub fn remove_unused(module: &mut Module) {
    for function in &mut module.functions {
        function.compact();
    }
    let reached = Reached::of(module);
    let functions = renumber(&reached.functions);
    let globals = renumber(&reached.globals);
    let nodes = renumber(&reached.nodes);
    retain(&mut module.functions, &reached.functions);
    retain(&mut module.globals, &reached.globals);
    retain(&mut module.metadata.nodes, &reached.nodes);
    // Everything that stays refers to what stays.
    let mut symbol = |symbol: Symbol| match symbol {
        Symbol::Global(id) => Symbol::Global(GlobalId(globals[id.index()])),
        Symbol::Function(id) => Symbol::Function(FuncId(functions[id.index()])),
    };
    let node = |id: &mut MdId| id.0 = nodes[id.index()];
    for global in &mut module.globals {
        global.metadata.iter_mut().for_each(|(_, id)| node(id));
        if let Some(initializer) = &mut global.initializer {
            *initializer = initializer.map_symbols(&mut symbol);
        }
    }
    for function in &mut module.functions {
        function.metadata.iter_mut().for_each(|(_, id)| node(id));
        for block in &mut function.blocks {
            block.metadata.iter_mut().for_each(|(_, id)| node(id));
        }
        for index in 0..function.inst_count() {
            let data = function.inst_mut(InstId::new(index));
            data.metadata.iter_mut().for_each(|(_, id)| node(id));
            if let Inst::Call(call) = &mut data.inst
                && let Callee::Function(callee) = &mut call.callee
            {
                callee.0 = functions[callee.index()];
            }
        }
        function.map_constants(|constant| constant.map_symbols(&mut symbol));
    }
    for named in &mut module.metadata.named {
        named.nodes.iter_mut().for_each(node);
    }
    for MdNode { operands, .. } in &mut module.metadata.nodes {
        for operand in operands {
            match operand {
                MdOperand::Null | MdOperand::String(_) => {}
                MdOperand::Node(id) => node(id),
                MdOperand::Value(constant) => *constant = constant.map_symbols(&mut symbol),
            }
        }
    }
}

/// New numbers of what is kept.
fn renumber(kept: &[bool]) -> Vec<u32> {
    let mut next = 0;
    kept.iter()
        .map(|kept| {
            let number = next;
            next += u32::from(*kept);
            number
        })
        .collect()
}

fn retain<T>(table: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    table.retain(|_| *kept.next().expect("one flag for each entry"));
}

/// What the roots use.
struct Reached {
    functions: Vec<bool>,
    globals: Vec<bool>,
    nodes: Vec<bool>,
}

#[derive(Clone, Copy)]
enum Work {
    Symbol(Symbol),
    Node(MdId),
}

impl Reached {
    fn of(module: &Module) -> Self {
        let mut reached = Self {
            functions: vec![false; module.functions.len()],
            globals: vec![false; module.globals.len()],
            nodes: vec![false; module.metadata.nodes.len()],
        };
        let mut work: Vec<Work> = Vec::new();
        for id in module.function_ids() {
            let function = module.function(id);
            if !function.is_declaration() && is_visible(function.linkage) {
                work.push(Work::Symbol(Symbol::Function(id)));
            }
        }
        for id in module.global_ids() {
            let global = module.global(id);
            if global.initializer.is_some() && is_visible(global.linkage) {
                work.push(Work::Symbol(Symbol::Global(id)));
            }
        }
        for named in &module.metadata.named {
            work.extend(named.nodes.iter().map(|id| Work::Node(*id)));
        }
        while let Some(item) = work.pop() {
            reached.visit(module, item, &mut work);
        }
        reached
    }

    fn visit(&mut self, module: &Module, item: Work, work: &mut Vec<Work>) {
        match item {
            Work::Symbol(Symbol::Function(id)) => {
                if std::mem::replace(&mut self.functions[id.index()], true) {
                    return;
                }
                let function = module.function(id);
                for_each_symbol(function, &mut |symbol| work.push(Work::Symbol(symbol)));
                work.extend(function.metadata.iter().map(|(_, node)| Work::Node(*node)));
                for block in &function.blocks {
                    work.extend(block.metadata.iter().map(|(_, node)| Work::Node(*node)));
                    for inst in &block.insts {
                        work.extend(function.inst(*inst).metadata.iter().map(|(_, node)| Work::Node(*node)));
                    }
                }
            }
            Work::Symbol(Symbol::Global(id)) => {
                if std::mem::replace(&mut self.globals[id.index()], true) {
                    return;
                }
                let global = module.global(id);
                if let Some(TypedConstant { value, .. }) = &global.initializer {
                    symbols_of(value, work);
                }
                work.extend(global.metadata.iter().map(|(_, node)| Work::Node(*node)));
            }
            Work::Node(id) => {
                if std::mem::replace(&mut self.nodes[id.index()], true) {
                    return;
                }
                for operand in &module.metadata.node(id).operands {
                    match operand {
                        MdOperand::Null | MdOperand::String(_) => {}
                        MdOperand::Node(child) => work.push(Work::Node(*child)),
                        MdOperand::Value(constant) => symbols_of(&constant.value, work),
                    }
                }
            }
        }
    }
}

fn symbols_of(constant: &Constant, work: &mut Vec<Work>) {
    constant.for_each_symbol(&mut |symbol| work.push(Work::Symbol(symbol)));
}

/// Whether somebody outside the module may name it.
fn is_visible(linkage: Linkage) -> bool {
    match linkage {
        Linkage::External | Linkage::WeakOdr | Linkage::Weak | Linkage::Appending | Linkage::Common => true,
        Linkage::Internal
        | Linkage::Private
        | Linkage::LinkOnceOdr
        | Linkage::LinkOnce
        | Linkage::AvailableExternally
        | Linkage::ExternWeak => false,
    }
}
