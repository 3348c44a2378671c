//! Carry simdgroup matrices round loops as matrices instead of as two elements of each lane.
//!
//! **Before** `%c0 = phi float […, %d0]`, `%c1 = phi float […, %d1]`, `%c = mw.matrix.pack(%c0, %c1)` where
//! `%d0` and `%d1` are the slots of one matrix.
//! **After** `%c = phi <64 x float> […]`; what used the elements takes them from it.
//! **Requires** scalar form.
//! **Ensures** no value changes.
//! **Cost** O(instructions).

use mw_air::{
    BlockId, Call, Callee, Constant, FuncId, Function, FunctionType, Inst, InstId, Module, Type,
    TypedConstant, ValueId,
};
use rustc_hash::FxHashMap;

use crate::scalarize::{MATRIX_PACK, MATRIX_SLOT};

/// Runs on every function of a module in scalar form. Says how many pairs became matrices.
pub(crate) fn run(module: &mut Module) -> usize {
    let mut count = 0;
    for id in module.function_ids() {
        if !module.function(id).is_declaration() {
            while let Some(pair) = find(module, id) {
                replace(module, id, &pair);
                count += 1;
            }
        }
    }
    count
}

/// Two φ-functions that are one matrix.
struct Pair {
    block: BlockId,
    first: ValueId,
    second: ValueId,
    pack: FuncId,
    matrix: Type,
}

fn callee_name<'m>(module: &'m Module, inst: &'m Inst) -> Option<(&'m str, &'m Call)> {
    let Inst::Call(call) = inst else { return None };
    let Callee::Function(id) = call.callee else { return None };
    Some((&module.function(id).name, call))
}

/// The matrix and slot that `value` is taken from.
fn slot_of(module: &Module, function: &Function, value: ValueId) -> Option<(ValueId, u64)> {
    let inst = function.defining_inst(value)?;
    let (name, call) = callee_name(module, &function.inst(inst).inst)?;
    name.starts_with(MATRIX_SLOT).then(|| (call.args[0], function.as_int(call.args[1]).unwrap_or(0)))
}

fn is_undefined(function: &Function, value: ValueId) -> bool {
    matches!(function.constant(value), Some(Constant::Undef | Constant::Poison))
}

fn find(module: &Module, id: FuncId) -> Option<Pair> {
    let function = module.function(id);
    let mut home: FxHashMap<InstId, BlockId> = FxHashMap::default();
    for block in function.block_ids() {
        for inst in &function.block(block).insts {
            if matches!(function.inst(*inst).inst, Inst::Phi { .. }) {
                home.insert(*inst, block);
            }
        }
    }
    for block in function.block_ids() {
        for inst in &function.block(block).insts {
            let data = function.inst(*inst);
            let Some((name, call)) = callee_name(module, &data.inst) else { continue };
            if !name.starts_with(MATRIX_PACK) {
                continue;
            }
            let (first, second) = (call.args[0], call.args[1]);
            let (Some(a), Some(b)) = (function.defining_inst(first), function.defining_inst(second)) else {
                continue;
            };
            let (Some(place), Some(other)) = (home.get(&a), home.get(&b)) else { continue };
            let (Inst::Phi { incoming: list, .. }, Inst::Phi { incoming: others, .. }) =
                (&function.inst(a).inst, &function.inst(b).inst)
            else {
                continue;
            };
            if place != other || list.len() != others.len() {
                continue;
            }
            // Worth it when one of the edges brings a matrix already.
            let mut whole = false;
            let mut fits = true;
            for (from, value) in list {
                let Some((_, partner)) = others.iter().find(|(block, _)| block == from) else {
                    fits = false;
                    break;
                };
                match (slot_of(module, function, *value), slot_of(module, function, *partner)) {
                    (Some((m, 0)), Some((n, 1))) if m == n => whole = true,
                    _ => {}
                }
            }
            if fits && whole {
                let Callee::Function(pack) = call.callee else { continue };
                let matrix = function.value_type(data.result?).clone();
                return Some(Pair { block: *place, first, second, pack, matrix });
            }
        }
    }
    None
}

fn replace(module: &mut Module, id: FuncId, pair: &Pair) {
    let slot_name = format!("{MATRIX_SLOT}.{}", pair.matrix.scalar().expect("matrix").suffix());
    let element = Type::Scalar(pair.matrix.scalar().expect("matrix"));
    let slot_ty = FunctionType { ret: element, params: vec![pair.matrix.clone(), Type::I32], varargs: false };
    let slot = module
        .function_named(&slot_name)
        .unwrap_or_else(|| module.add_function(Function::new(&slot_name, slot_ty.clone())));
    let pack_ty = module.function(pair.pack).ty.clone();
    let function = module.function(id);
    let incoming = |value: ValueId| match &function.inst(function.defining_inst(value).expect("φ")).inst {
        Inst::Phi { incoming, .. } => incoming.clone(),
        _ => unreachable!("is a φ-function"),
    };
    let (list, others) = (incoming(pair.first), incoming(pair.second));
    let mut edges = Vec::new();
    for (from, value) in list {
        let partner = others.iter().find(|(block, _)| *block == from).expect("was checked").1;
        let known = match (slot_of(module, function, value), slot_of(module, function, partner)) {
            (Some((m, 0)), Some((n, 1))) if m == n => Some(m),
            _ => None,
        };
        edges.push((from, value, partner, known));
    }
    let function = module.function_mut(id);
    let mut phi = Vec::new();
    for (from, value, partner, known) in edges {
        let matrix = known.unwrap_or_else(|| {
            if is_undefined(function, value) && is_undefined(function, partner) {
                let ty = pair.matrix.clone();
                return function.add_constant(TypedConstant { ty, value: Constant::Undef });
            }
            mw_air::Builder::at(function, from)
                .call(pair.pack, &pack_ty, vec![value, partner])
                .expect("gives a matrix")
        });
        phi.push((from, matrix));
    }
    let phi =
        function.make_inst(Inst::Phi { incoming: phi, flags: mw_air::Flags::NONE }, pair.matrix.clone());
    let matrix = function.inst(phi).result.expect("has a value");
    let mut takes = Vec::new();
    for (index, old) in [(0, pair.first), (1, pair.second)] {
        let index = function.const_int(Type::I32, index);
        let call = Call {
            callee: Callee::Function(slot),
            ty: slot_ty.clone(),
            args: vec![matrix, index],
            attrs: mw_air::Attributes::default(),
            ret_attrs: mw_air::Attributes::default(),
            arg_attrs: Vec::new(),
            calling_convention: 0,
            tail: 0,
            flags: mw_air::Flags::NONE,
        };
        let take = function.make_inst(Inst::Call(Box::new(call)), slot_ty.ret.clone());
        takes.push((take, old, function.inst(take).result.expect("has a value")));
    }
    // The old φ-functions go; what used them takes the elements from the matrix.
    let gone: Vec<InstId> =
        [pair.first, pair.second].iter().filter_map(|value| function.defining_inst(*value)).collect();
    let insts = &mut function.block_mut(pair.block).insts;
    insts.retain(|inst| !gone.contains(inst));
    insts.insert(0, phi);
    let insts = function.block(pair.block).insts.clone();
    let head = insts.iter().take_while(|inst| matches!(function.inst(**inst).inst, Inst::Phi { .. })).count();
    for (offset, (take, old, new)) in takes.iter().enumerate() {
        function.block_mut(pair.block).insts.insert(head + offset, *take);
        function.replace_uses(*old, *new);
    }
    // Packs of the two elements are the matrix itself.
    let (first, second) = (takes[0].2, takes[1].2);
    let mut packs = Vec::new();
    for block in function.block_ids() {
        for inst in &function.block(block).insts {
            let data = function.inst(*inst);
            if let Inst::Call(call) = &data.inst
                && call.callee == Callee::Function(pair.pack)
                && call.args == [first, second]
                && let Some(result) = data.result
            {
                packs.push((block, *inst, result));
            }
        }
    }
    for (block, inst, result) in packs {
        function.block_mut(block).insts.retain(|other| *other != inst);
        function.replace_uses(result, matrix);
    }
}
