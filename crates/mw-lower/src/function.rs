//! Bodies of functions.

use mw_air::analysis::Cfg;
use mw_air::{BlockId, FuncId, Function, Inst, Terminator, Type};
use mw_msl::hir;

use crate::context::FunctionLowering;
use crate::error::LowerError;
use crate::module::ModuleLowering;
use crate::place::Local;
use crate::types::is_aggregate;
use crate::usage;

impl ModuleLowering<'_> {
    /// Lowers the bodies of all functions that are waiting, and of those that they call.
    pub(crate) fn lower_pending(&mut self) -> Result<(), LowerError> {
        while let Some((source, air)) = self.pending.pop() {
            self.lower_body(source, air)?;
        }
        Ok(())
    }

    fn lower_body(&mut self, source: hir::FunctionId, air: FuncId) -> Result<(), LowerError> {
        let program = self.program;
        let data = program.function(source);
        let Some(body) = &data.body else { return Ok(()) };
        let function = self.module.function(air).clone();
        let needs_memory = usage::needs_memory(program, data);
        let mut cx = FunctionLowering::new(self, function, &data.locals, needs_memory);
        cx.subprogram = cx.module.debug.as_mut().and_then(|debug| debug.subprogram(data, &cx.function.name));
        cx.function.subprogram = cx.subprogram;
        // What belongs to no statement belongs to the function.
        cx.enter(data.span)?;
        let mut param = 0;
        if is_aggregate(program, data.result.ty) {
            cx.result = Some(cx.function.param(0));
            param = 1;
        }
        for (index, local) in data.locals.iter().take(data.parameters as usize).enumerate() {
            let id = hir::LocalId(index as u32);
            let value = cx.function.param(param);
            param += 1;
            if is_aggregate(program, local.ty.ty) {
                // The caller made the copy.
                cx.set_local(id, Local::Memory(value), local.span)?;
            } else if cx.in_memory(id) {
                let address = cx.local_memory(id, local.span)?;
                cx.store_object(address, local.ty.ty, value, local.span)?;
            } else {
                cx.set_local(id, Local::Value(value), local.span)?;
            }
        }
        cx.block(body)?;
        cx.fall_off_the_end();
        let finished = cx.finish();
        *self.module.function_mut(air) = finished;
        Ok(())
    }
}

impl FunctionLowering<'_, '_> {
    /// Ends the last block: a function without result returns, the result of another is undefined there.
    pub(crate) fn fall_off_the_end(&mut self) {
        if self.is_terminated {
            return;
        }
        let ret = self.function.ty.ret.clone();
        let value = (ret != Type::Void).then(|| self.undef(&ret));
        self.terminate(Terminator::Ret(value));
    }

    /// The function, without blocks that nothing reaches.
    pub(crate) fn finish(self) -> Function {
        let mut function = self.function;
        drop_unreachable(&mut function);
        function
    }
}

/// Drops blocks that the entry does not reach, and their entries in φ-functions.
fn drop_unreachable(function: &mut Function) {
    let mut reached = vec![false; function.blocks.len()];
    let mut pending = vec![Function::ENTRY];
    while let Some(block) = pending.pop() {
        if std::mem::replace(&mut reached[block.index()], true) {
            continue;
        }
        pending.extend(function.block(block).terminator.successors());
    }
    if reached.iter().all(|flag| *flag) {
        return;
    }
    // What went there is gone, what comes from there too.
    let mut numbers = Vec::with_capacity(reached.len());
    let mut next = 0;
    for flag in &reached {
        numbers.push(BlockId::new(next));
        next += usize::from(*flag);
    }
    let mut index = 0;
    function.blocks.retain(|_| {
        index += 1;
        reached[index - 1]
    });
    for block in 0..function.blocks.len() {
        function.blocks[block].terminator.map_successors(|target| numbers[target.index()]);
        for inst in function.blocks[block].insts.clone() {
            if let Inst::Phi { incoming, .. } = &mut function.inst_mut(inst).inst {
                incoming.retain(|(from, _)| reached[from.index()]);
                for (from, _) in incoming {
                    *from = numbers[from.index()];
                }
            }
        }
    }
    debug_assert!(Cfg::new(function).predecessors.len() == function.blocks.len());
}
