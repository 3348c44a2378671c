//! Compact a function's tables to what its blocks use.
//!
//! Passes leave instructions that no block lists and constants that nothing uses. This renumbers values and
//! instructions in the order in which they stand. **Requires** a verified function.

use crate::{
    AtomicOrdering, Callee, Constant, Function, Inst, InstId, Symbol, TypedConstant, ValueDef, ValueId,
};

impl Function {
    /// Drops instructions that no block lists and constants that nothing uses; renumbers the rest.
    pub fn compact(&mut self) {
        let mut compact = Self::new(&self.name, self.ty.clone());
        std::mem::swap(&mut compact.blocks, &mut self.blocks);
        compact.linkage = self.linkage;
        compact.calling_convention = self.calling_convention;
        compact.section = self.section.take();
        compact.unnamed_addr = self.unnamed_addr;
        compact.attrs = std::mem::take(&mut self.attrs);
        compact.ret_attrs = std::mem::take(&mut self.ret_attrs);
        compact.param_attrs = std::mem::take(&mut self.param_attrs);
        compact.metadata = std::mem::take(&mut self.metadata);
        compact.subprogram = self.subprogram;
        let mut map: Vec<Option<ValueId>> = vec![None; self.values().len()];
        for (index, slot) in map.iter_mut().take(self.ty.params.len()).enumerate() {
            *slot = Some(ValueId::new(index));
        }
        // Results first: φ-functions name values that come later.
        let mut results = Vec::new();
        for block in &compact.blocks {
            for inst in &block.insts {
                if let Some(result) = self.inst(*inst).result {
                    results.push(result);
                }
            }
        }
        for result in results {
            map[result.index()] = Some(compact.reserve_value(self.value_type(result).clone()));
        }
        let mut blocks = std::mem::take(&mut compact.blocks);
        for block in &mut blocks {
            for id in &mut block.insts {
                *id = self.move_inst(*id, &mut compact, &mut map);
            }
            block.terminator.map_operand(|value| self.move_operand(value, &mut compact, &mut map));
        }
        compact.blocks = blocks;
        *self = compact;
    }

    fn move_inst(&mut self, id: InstId, into: &mut Self, map: &mut [Option<ValueId>]) -> InstId {
        let data = self.inst_mut(id);
        // The place left behind is never looked at again.
        let placeholder = Inst::Fence { ordering: AtomicOrdering::Monotonic };
        let mut inst = std::mem::replace(&mut data.inst, placeholder);
        let result = data.result;
        let (metadata, location) = (std::mem::take(&mut data.metadata), data.location);
        inst.map_operands(|value| self.move_operand(value, into, map));
        let result = result.and_then(|result| map[result.index()]);
        let moved = into.define_inst(inst, result);
        let data = into.inst_mut(moved);
        (data.metadata, data.location) = (metadata, location);
        moved
    }

    fn move_operand(&self, value: ValueId, into: &mut Self, map: &mut [Option<ValueId>]) -> ValueId {
        if let Some(moved) = map[value.index()] {
            return moved;
        }
        let data = self.value(value);
        let constant = match &data.def {
            ValueDef::Const(constant) => constant.clone(),
            // Results that stand in no block; a verified function has none.
            ValueDef::Param(_) | ValueDef::Inst(_) => Constant::Poison,
        };
        let moved = into.add_constant(TypedConstant { ty: data.ty.clone(), value: constant });
        map[value.index()] = Some(moved);
        moved
    }
}

/// Functions that a body calls or takes the address of, and variables that it names.
pub(super) fn for_each_symbol(function: &Function, visit: &mut dyn FnMut(Symbol)) {
    let mut seen = vec![false; function.values().len()];
    let mut value = |id: ValueId, visit: &mut dyn FnMut(Symbol)| {
        if !std::mem::replace(&mut seen[id.index()], true)
            && let Some(constant) = function.constant(id)
        {
            constant.for_each_symbol(visit);
        }
    };
    for block in &function.blocks {
        for id in &block.insts {
            let inst = &function.inst(*id).inst;
            inst.for_each_operand(|operand| value(operand, visit));
            if let Inst::Call(call) = inst
                && let Callee::Function(callee) = call.callee
            {
                visit(Symbol::Function(callee));
            }
        }
        if let Some(operand) = block.terminator.operand() {
            value(operand, visit);
        }
    }
}
