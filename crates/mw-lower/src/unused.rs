//! Which parameters nothing comes of, not even through the functions that they are handed to.
//!
//! Looked up in the lowered code, where branches on constants are gone: a value counts when it reaches
//! memory, a branch, a result or a call that does something. Stores to a variable count when the variable is
//! read, and to one whose address goes nowhere when a read may follow them.

use mw_air::{Attribute, Callee, FuncId, Function, Inst, InstId, Module, Terminator, ValueDef, ValueId};

/// For each parameter of `function` whether it is unused.
pub(crate) fn unused_parameters(module: &Module, function: FuncId) -> Vec<bool> {
    // Nothing counts until it is seen to; a round may find more.
    let mut used: Vec<Vec<bool>> =
        module.functions.iter().map(|function| vec![false; function.ty.params.len()]).collect();
    let silent = silent_functions(module);
    loop {
        let mut is_changed = false;
        for (index, function) in module.functions.iter().enumerate() {
            if function.is_declaration() {
                continue;
            }
            let found = Liveness::of(module, function, &used, &silent);
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
    silent: &'m [bool],
    live: Vec<bool>,
    pending: Vec<ValueId>,
    /// Instructions that write to a private variable, by the variable.
    writes: Vec<(ValueId, InstId)>,
    /// Variables that are only loaded and stored whole.
    plain: Vec<bool>,
    /// Block and place of each instruction.
    places: Vec<(usize, usize)>,
    /// For each block those that may run after it; none of a large function.
    after: Vec<Vec<bool>>,
    /// Too large to ask what may run after what: every write counts.
    is_large: bool,
}

/// Functions of more blocks or instructions are large: the search takes the square of either.
const MAX_BLOCKS: usize = 2048;
const MAX_INSTRUCTIONS: usize = 1 << 14;

impl<'m> Liveness<'m> {
    fn of(
        module: &'m Module,
        function: &'m Function,
        used: &'m [Vec<bool>],
        silent: &'m [bool],
    ) -> Vec<bool> {
        let is_large = function.blocks.len() > MAX_BLOCKS || function.inst_count() > MAX_INSTRUCTIONS;
        let mut this = Self {
            module,
            function,
            used,
            silent,
            live: vec![false; function.values().len()],
            pending: Vec::new(),
            writes: Vec::new(),
            plain: plain_variables(function),
            places: places(function),
            after: if is_large { Vec::new() } else { successors(function) },
            is_large,
        };
        this.roots();
        while let Some(value) = this.pending.pop() {
            let Some(inst) = function.defining_inst(value) else { continue };
            // Reads of plain variables are looked at one by one.
            if matches!(function.inst(inst).inst, Inst::Alloca { .. }) && !this.plain[value.index()] {
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
                            } else if !self.silent[callee.index()] {
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
            Some(variable) if !self.is_large => self.writes.push((variable, inst)),
            _ => self.operands(inst),
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
    fn operands(&mut self, id: InstId) {
        let function = self.function;
        let inst = &function.inst(id).inst;
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
        if let Inst::Load { ptr, .. } = inst
            && self.plain[ptr.index()]
        {
            let ptr = *ptr;
            let writes: Vec<InstId> = self
                .writes
                .iter()
                .filter(|(target, write)| *target == ptr && self.may_follow(*write, id))
                .map(|(_, write)| *write)
                .collect();
            for write in writes {
                if let Inst::Store { value, .. } = &function.inst(write).inst {
                    self.mark(*value);
                }
            }
            return;
        }
        inst.for_each_operand(|operand| self.mark(operand));
    }

    /// Whether `second` may run after `first`.
    fn may_follow(&self, first: InstId, second: InstId) -> bool {
        let ((block, place), (other, other_place)) =
            (self.places[first.index()], self.places[second.index()]);
        self.after[block][other] || (block == other && place < other_place)
    }
}

/// By value, whether it is a variable that is only loaded and stored whole, so that its address goes nowhere.
fn plain_variables(function: &Function) -> Vec<bool> {
    let mut plain = vec![false; function.values().len()];
    for block in &function.blocks {
        for inst in &block.insts {
            if let (Inst::Alloca { .. }, Some(result)) =
                (&function.inst(*inst).inst, function.inst(*inst).result)
            {
                plain[result.index()] = true;
            }
        }
    }
    for block in &function.blocks {
        for inst in &block.insts {
            match &function.inst(*inst).inst {
                Inst::Load { volatile: false, .. } => {}
                Inst::Store { value, volatile: false, .. } => plain[value.index()] = false,
                other => other.for_each_operand(|operand| plain[operand.index()] = false),
            }
        }
        match &block.terminator {
            Terminator::Ret(Some(value))
            | Terminator::CondBr { condition: value, .. }
            | Terminator::Switch { value, .. } => plain[value.index()] = false,
            Terminator::Ret(None) | Terminator::Br(_) | Terminator::Unreachable => {}
        }
    }
    plain
}

fn places(function: &Function) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (block, content) in function.blocks.iter().enumerate() {
        for (place, inst) in content.insts.iter().enumerate() {
            if places.len() <= inst.index() {
                places.resize(inst.index() + 1, (0, 0));
            }
            places[inst.index()] = (block, place);
        }
    }
    places
}

/// For each block the blocks that can be reached by at least one branch.
fn successors(function: &Function) -> Vec<Vec<bool>> {
    let count = function.blocks.len();
    let mut after = vec![vec![false; count]; count];
    for (start, reached) in after.iter_mut().enumerate() {
        let mut pending = vec![start];
        while let Some(block) = pending.pop() {
            for next in function.blocks[block].terminator.successors() {
                if !std::mem::replace(&mut reached[next.index()], true) {
                    pending.push(next.index());
                }
            }
        }
    }
    after
}

/// By function, whether a call does nothing but give its result.
fn silent_functions(module: &Module) -> Vec<bool> {
    let mut silent: Vec<bool> =
        module.functions.iter().map(|function| !function.is_declaration() || is_pure(function)).collect();
    loop {
        let mut is_changed = false;
        for (index, function) in module.functions.iter().enumerate() {
            if silent[index] && !function.is_declaration() && !is_silent(function, module, &silent) {
                silent[index] = false;
                is_changed = true;
            }
        }
        if !is_changed {
            return silent;
        }
    }
}

/// Whether a function only computes and reads: it writes to nothing but variables of its own. Loops end, as
/// C++ lets a compiler assume.
fn is_silent(function: &Function, module: &Module, silent: &[bool]) -> bool {
    let own = |mut ptr: ValueId| loop {
        let ValueDef::Inst(inst) = function.value(ptr).def else { return false };
        match &function.inst(inst).inst {
            Inst::Alloca { .. } => return true,
            Inst::Gep { base, .. } => ptr = *base,
            Inst::Cast { value, .. } => ptr = *value,
            _ => return false,
        }
    };
    function.blocks.iter().flat_map(|block| &block.insts).all(|inst| match &function.inst(*inst).inst {
        Inst::Store { ptr, volatile, .. } => !volatile && own(*ptr),
        Inst::Load { volatile, .. } => !volatile,
        Inst::AtomicRmw { .. } | Inst::CmpXchg { .. } | Inst::Fence { .. } => false,
        Inst::Call(call) => match call.callee {
            Callee::Function(callee) => {
                let name = &*module.function(callee).name;
                silent[callee.index()]
                    || (name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memset."))
                        && call.args.first().is_some_and(|target| own(*target))
                    || name.starts_with("llvm.lifetime.")
            }
            Callee::Value(_) => false,
        },
        _ => true,
    })
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
