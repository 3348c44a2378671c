//! Forms of older LLVMs that LLVM 22 spells otherwise.

use mw_air::{BlockId, Callee, CastOp, Function, Inst, InstId, Module, ValueId};

/// Brings `llvm.lifetime` markers into LLVM 22's form: the size operand goes, and the pointer is the alloca itself.
///
/// A marker whose pointer cannot be traced to an alloca through casts and empty address computations is removed:
/// markers are promises, and LLVM 22 refuses that one.
pub(super) fn lifetime_markers(module: &mut Module) {
    let markers: Vec<bool> = module.functions.iter_mut().map(upgrade_declaration).collect();
    if !markers.contains(&true) {
        return;
    }
    for function in &mut module.functions {
        for block in function.block_ids() {
            upgrade_calls(function, block, &markers);
        }
    }
}

/// Drops the size parameter of a marker's declaration; `false` if the function is none with that parameter.
fn upgrade_declaration(function: &mut Function) -> bool {
    let is_marker = matches!(&*function.name, "llvm.lifetime.start.p0" | "llvm.lifetime.end.p0");
    if !is_marker || function.ty.params.len() != 2 || !function.is_declaration() {
        return false;
    }
    let mut ty = function.ty.clone();
    ty.params.remove(0);
    let mut upgraded = Function::new(&function.name, ty);
    upgraded.linkage = function.linkage;
    upgraded.attrs = std::mem::take(&mut function.attrs);
    upgraded.param_attrs = std::mem::take(&mut function.param_attrs);
    if !upgraded.param_attrs.is_empty() {
        upgraded.param_attrs.remove(0);
    }
    *function = upgraded;
    true
}

fn upgrade_calls(function: &mut Function, block: BlockId, markers: &[bool]) {
    let is_marker = |function: &Function, inst: InstId| match &function.inst(inst).inst {
        Inst::Call(call) => {
            call.args.len() == 2 && matches!(call.callee, Callee::Function(callee) if markers[callee.index()])
        }
        _ => false,
    };
    let calls: Vec<InstId> =
        function.block(block).insts.iter().copied().filter(|&inst| is_marker(function, inst)).collect();
    let mut removed = Vec::new();
    for inst in calls {
        let Inst::Call(call) = &function.inst(inst).inst else { continue };
        let alloca = underlying_alloca(function, call.args[1]);
        let data = function.inst_mut(inst);
        match (alloca, &mut data.inst) {
            (Some(alloca), Inst::Call(call)) => {
                call.args = vec![alloca];
                call.ty.params.remove(0);
                call.attrs.0.clear();
                call.arg_attrs.clear();
                call.tail = 0;
                data.metadata.clear();
            }
            _ => removed.push(inst),
        }
    }
    if !removed.is_empty() {
        // Instructions were made in the order of the file, and so were found.
        function.block_mut(block).insts.retain(|inst| removed.binary_search(inst).is_err());
    }
}

/// The alloca that a pointer is, behind casts and address computations whose indices are all zero.
fn underlying_alloca(function: &Function, mut pointer: ValueId) -> Option<ValueId> {
    // Malformed code may define a pointer by itself.
    for _ in 0..64 {
        match &function.inst(function.defining_inst(pointer)?).inst {
            Inst::Alloca { .. } => return Some(pointer),
            Inst::Cast { op: CastOp::Bitcast | CastOp::AddrSpaceCast, value, .. } => pointer = *value,
            Inst::Gep { base, indices, .. }
                if indices.iter().all(|&index| function.as_int(index) == Some(0)) =>
            {
                pointer = *base;
            }
            _ => return None,
        }
    }
    None
}
