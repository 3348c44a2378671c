//! Which parameters nothing comes of, not even through the functions that they are handed to.
//!
//! Looked up in the lowered code, where branches on constants are gone: a value counts when it reaches
//! memory, a branch, a result or a call that does something. Stores to a variable count when the variable is
//! read.

use mw_air::{Attribute, Callee, FuncId, Function, Inst, InstId, Module, Terminator, ValueDef, ValueId};

/// For each parameter of `function` whether it is unused.
pub(crate) fn unused_parameters(module: &Module, function: FuncId) -> Vec<bool> {
    // Nothing counts until it is seen to; a round may find more.
    let mut used: Vec<Vec<bool>> =
        module.functions.iter().map(|function| vec![false; function.ty.params.len()]).collect();
    loop {
        let mut is_changed = false;
        for (index, function) in module.functions.iter().enumerate() {
            if function.is_declaration() {
                continue;
            }
            let found = Liveness::of(module, function, &used);
            if found != used[index] {
                used[index] = found;
                is_changed = true;
            }
        }
        if !is_changed {
            break;
        }
    }
    used.get(function.index()).map(|used| used.iter().map(|used| !used).collect()).unwrap_or_default()
}

struct Liveness<'m> {
    module: &'m Module,
    function: &'m Function,
    used: &'m [Vec<bool>],
    live: Vec<bool>,
    pending: Vec<ValueId>,
    /// Instructions that write to a private variable, by the variable.
    writes: Vec<(ValueId, InstId)>,
}

impl<'m> Liveness<'m> {
    fn of(module: &'m Module, function: &'m Function, used: &'m [Vec<bool>]) -> Vec<bool> {
        let mut this = Self {
            module,
            function,
            used,
            live: vec![false; function.values().len()],
            pending: Vec::new(),
            writes: Vec::new(),
        };
        this.roots();
        while let Some(value) = this.pending.pop() {
            let Some(inst) = function.defining_inst(value) else { continue };
            if matches!(function.inst(inst).inst, Inst::Alloca { .. }) {
                let writes: Vec<InstId> = this
                    .writes
                    .iter()
                    .filter(|(target, _)| *target == value)
                    .map(|(_, inst)| *inst)
                    .collect();
                for inst in writes {
                    this.operands(inst);
                }
            }
            this.operands(inst);
        }
        (0..function.ty.params.len()).map(|index| this.live[function.param(index).index()]).collect()
    }

    fn mark(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.live[value.index()], true) {
            self.pending.push(value);
        }
    }

    fn roots(&mut self) {
        for block in &self.function.blocks {
            for inst in &block.insts {
                match &self.function.inst(*inst).inst {
                    Inst::Store { ptr, volatile: false, .. } => self.write(*ptr, *inst),
                    Inst::Call(call) => match call.callee {
                        Callee::Function(callee) => {
                            let name = &*self.module.function(callee).name;
                            if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memset.") {
                                match call.args.first() {
                                    Some(target) => self.write(*target, *inst),
                                    None => self.operands(*inst),
                                }
                            } else if !is_pure(self.module.function(callee)) {
                                self.operands(*inst);
                            }
                        }
                        Callee::Value(_) => self.operands(*inst),
                    },
                    Inst::Store { .. }
                    | Inst::Load { volatile: true, .. }
                    | Inst::AtomicRmw { .. }
                    | Inst::CmpXchg { .. }
                    | Inst::Fence { .. } => self.operands(*inst),
                    _ => {}
                }
            }
            match &block.terminator {
                Terminator::Ret(Some(value))
                | Terminator::CondBr { condition: value, .. }
                | Terminator::Switch { value, .. } => self.mark(*value),
                Terminator::Ret(None) | Terminator::Br(_) | Terminator::Unreachable => {}
            }
        }
    }

    /// A write counts at once, or when its private variable is read.
    fn write(&mut self, ptr: ValueId, inst: InstId) {
        match self.variable(ptr) {
            Some(variable) => self.writes.push((variable, inst)),
            None => self.operands(inst),
        }
    }

    /// The private variable that an address leads into.
    fn variable(&self, mut ptr: ValueId) -> Option<ValueId> {
        loop {
            let ValueDef::Inst(inst) = self.function.value(ptr).def else { return None };
            match &self.function.inst(inst).inst {
                Inst::Alloca { .. } => return Some(ptr),
                Inst::Gep { base, .. } => ptr = *base,
                Inst::Cast { value, .. } => ptr = *value,
                _ => return None,
            }
        }
    }

    /// What an instruction that counts takes in.
    fn operands(&mut self, inst: InstId) {
        let function = self.function;
        let inst = &function.inst(inst).inst;
        if let Inst::Call(call) = inst
            && let Callee::Function(callee) = call.callee
            && !self.module.function(callee).is_declaration()
        {
            let used = self.used;
            for (arg, is_used) in call.args.iter().zip(&used[callee.index()]) {
                if *is_used {
                    self.mark(*arg);
                }
            }
            return;
        }
        inst.for_each_operand(|operand| self.mark(operand));
    }
}

/// Whether a call does nothing but give its result.
fn is_pure(function: &Function) -> bool {
    function.is_declaration()
        && (function
            .attrs
            .0
            .iter()
            .any(|attribute| matches!(attribute, Attribute::Int(name, 0) if &**name == "memory"))
            || function.name.starts_with("llvm.fmuladd."))
}
