//! Forms of older LLVMs that LLVM 22 spells otherwise.

use mw_air::{Callee, CastOp, FuncId, Function, Inst, Module, ValueId};

/// Drops the size operand of `llvm.lifetime.start` and `.end`: since LLVM 22 a marker takes only its pointer,
/// which is an `alloca` itself and no address computed from one.
pub(super) fn lifetime_markers(module: &mut Module) {
    let mut markers: Vec<FuncId> = Vec::new();
    for id in module.function_ids() {
        let function = module.function_mut(id);
        let is_marker = matches!(&*function.name, "llvm.lifetime.start.p0" | "llvm.lifetime.end.p0");
        if is_marker && function.ty.params.len() == 2 && function.is_declaration() {
            let mut upgraded = mw_air::Function::new(&function.name, function.ty.clone());
            upgraded.ty.params.remove(0);
            upgraded = mw_air::Function::new(&function.name, upgraded.ty);
            upgraded.linkage = function.linkage;
            upgraded.attrs = std::mem::take(&mut function.attrs);
            upgraded.param_attrs = std::mem::take(&mut function.param_attrs);
            if !upgraded.param_attrs.is_empty() {
                upgraded.param_attrs.remove(0);
            }
            *function = upgraded;
            markers.push(id);
        }
    }
    if markers.is_empty() {
        return;
    }
    for id in module.function_ids() {
        let function = module.function_mut(id);
        for block in function.block_ids() {
            for index in 0..function.block(block).insts.len() {
                let inst = function.block(block).insts[index];
                let object = match &function.inst(inst).inst {
                    Inst::Call(call) => call.args.get(1).map(|pointer| object_of(function, *pointer)),
                    _ => None,
                };
                let Inst::Call(call) = &mut function.inst_mut(inst).inst else { continue };
                if !matches!(call.callee, Callee::Function(callee) if markers.contains(&callee)) {
                    continue;
                }
                // The call may state another type than its function: then it is not a marker's call.
                if call.args.len() == 2 && call.ty.params.len() == 2 {
                    call.args.remove(0);
                    call.args[0] = object.unwrap_or(call.args[0]);
                    call.ty.params.remove(0);
                    if !call.arg_attrs.is_empty() {
                        call.arg_attrs.remove(0);
                    }
                }
            }
        }
    }
}

/// The value under casts and address computations that add nothing.
fn object_of(function: &Function, mut pointer: ValueId) -> ValueId {
    // Bounded: operands of instructions that are not φ lead upwards, but hostile code may not.
    for _ in 0..64 {
        let Some(inst) = function.defining_inst(pointer) else { break };
        pointer = match &function.inst(inst).inst {
            Inst::Cast { op: CastOp::Bitcast, value, .. } => *value,
            Inst::Gep { base, indices, .. }
                if indices.iter().all(|index| function.as_int(*index) == Some(0)) =>
            {
                *base
            }
            _ => break,
        };
    }
    pointer
}
