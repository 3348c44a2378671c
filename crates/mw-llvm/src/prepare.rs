//! What must change in a module before LLVM may see it.
//!
//! **Requires** function constants set, library functions linked.
//! **Ensures** no target that LLVM does not know; no promise that loops end (`mustprogress`: LLVM deletes a
//! spin loop); helpers internal and, but for recursive ones, inlined always; collectives opaque and
//! convergent; `llvm.fmuladd` spelled `llvm.fma`, which it is here; every integer operation defined.

use std::sync::Arc;

use mw_air::{
    AIR_DATA_LAYOUT, AddressSpace, Attribute, Attributes, Callee, FuncId, Inst, Linkage, MdId, MdNode,
    MdOperand, Module, Terminator,
};

use crate::{CodegenOptions, ScalarOptions, define, zero_compare};

/// A copy of the module that LLVM may optimise.
pub(crate) fn for_scalar(module: &Module, options: ScalarOptions) -> Module {
    let mut module = module.clone();
    module.triple = String::new();
    module.data_layout = AIR_DATA_LAYOUT.into();
    define::run(&mut module);
    merge_declarations(&mut module);
    drop_ranges(&mut module);
    drop_loop_places(&mut module);
    drop_progress_promises(&mut module);
    declare_collectives(&mut module);
    promise_constants(&mut module);
    define_simdgroup_size(&mut module);
    // The constants are set, and LLVM folds the variables away that the list names.
    module.metadata.named.retain(|list| &*list.name != "air.function_constants");
    internalize_helpers(&mut module);
    if options.flush_f32_denormals {
        flush_f32_denormals(&mut module);
        zero_compare::fence(&mut module);
    }
    module
}

/// Steps in which large frames touch the stack: half of the guard that every stack of a kernel has.
const STACK_PROBE_BYTES: &str = "32768";

/// Gives a 32-lane module the attributes that code generation goes by.
pub(crate) fn for_codegen(module: &mut Module, options: &CodegenOptions) {
    if options.flush_f32_denormals {
        flush_f32_denormals(module);
        zero_compare::fence(module);
    }
    for function in module.functions.iter_mut().filter(|function| !function.is_declaration()) {
        // Nothing unwinds through kernels, so that no tables are needed. Large frames touch the stack on
        // their way, so that the stack's guard is not stepped over.
        add(&mut function.attrs, "nounwind");
        function.attrs.0.push(Attribute::String("probe-stack".into(), "inline-asm".into()));
        function.attrs.0.push(Attribute::String("stack-probe-size".into(), STACK_PROBE_BYTES.into()));
        // Vector registers spill to aligned slots; without this the decision falls too late.
        function.attrs.0.push(Attribute::String("stackrealign".into(), "".into()));
    }
}

/// Marks every definition as one whose f32 arithmetic flushes denormals, so that constants fold that way.
pub(crate) fn flush_f32_denormals(module: &mut Module) {
    for function in module.functions.iter_mut().filter(|function| !function.is_declaration()) {
        function
            .attrs
            .0
            .push(Attribute::String("denormal-fp-math-f32".into(), "preserve-sign,preserve-sign".into()));
    }
}

fn remove(attrs: &mut Attributes, names: &[&str]) {
    attrs.0.retain(|attribute| match attribute {
        Attribute::Enum(name) | Attribute::Int(name, _) => !names.contains(&&**name),
        Attribute::String(..) | Attribute::Type(..) => true,
    });
}

fn add(attrs: &mut Attributes, name: &str) {
    if !attrs.has(name) {
        attrs.0.push(Attribute::Enum(name.into()));
    }
}

/// Renames `llvm.fmuladd` and lets functions of equal name be one.
fn merge_declarations(module: &mut Module) {
    let mut first: std::collections::BTreeMap<Arc<str>, FuncId> = std::collections::BTreeMap::new();
    let mut target: Vec<FuncId> = Vec::with_capacity(module.functions.len());
    for id in module.function_ids() {
        let function = module.function_mut(id);
        if let Some(overload) = function.name.strip_prefix("llvm.fmuladd.") {
            function.name = format!("llvm.fma.{overload}").into();
        }
        target.push(*first.entry(function.name.clone()).or_insert(id));
    }
    if target.iter().enumerate().all(|(index, id)| id.index() == index) {
        return;
    }
    for function in &mut module.functions {
        for block in function.block_ids() {
            for index in 0..function.block(block).insts.len() {
                let inst = function.block(block).insts[index];
                if let Inst::Call(call) = &mut function.inst_mut(inst).inst
                    && let Callee::Function(callee) = &mut call.callee
                {
                    *callee = target[callee.index()];
                }
            }
        }
    }
    // Handles are positions, so a duplicate keeps its place under a name that nothing uses.
    for (index, id) in target.iter().enumerate() {
        if id.index() != index {
            module.functions[index].name = format!("mw.unused.{index}").into();
        }
    }
}

/// Removes what the compiler says about the values that loads give: a byte that holds neither 0 nor 1 where it
/// promises a `bool` would make two engines disagree.
fn drop_ranges(module: &mut Module) {
    const RANGES: [&str; 4] = ["range", "noundef", "nonnull", "align"];
    for function in &mut module.functions {
        for block in function.block_ids() {
            for index in 0..function.block(block).insts.len() {
                let inst = function.block(block).insts[index];
                function.inst_mut(inst).metadata.retain(|(kind, _)| !RANGES.contains(&&**kind));
            }
        }
    }
}

/// Removes the places in the source from the nodes of loops. They are not kept when bitcode is read, and LLVM
/// follows what stands in their place without looking whether it is there.
fn drop_loop_places(module: &mut Module) {
    let mut loops = Vec::new();
    for function in &module.functions {
        let attached = function.blocks.iter().flat_map(|block| &block.metadata);
        loops.extend(attached.filter(|(kind, _)| &**kind == "llvm.loop").map(|(_, node)| *node));
    }
    for node in loops {
        module.metadata.nodes[node.index()].operands.retain(|operand| *operand != MdOperand::Null);
    }
}

/// Removes `mustprogress` and `willreturn` from code, and `llvm.loop.mustprogress` from loops.
fn drop_progress_promises(module: &mut Module) {
    for function in module.functions.iter_mut().filter(|function| !function.is_declaration()) {
        remove(&mut function.attrs, &["mustprogress", "willreturn", "noinline", "optnone"]);
    }
    let promise = |module: &Module, id: MdId| {
        matches!(module.metadata.node(id).operands.first(),
            Some(MdOperand::String(text)) if &**text == "llvm.loop.mustprogress")
    };
    let promises: Vec<bool> =
        (0..module.metadata.nodes.len()).map(|index| promise(module, MdId::new(index))).collect();
    for node in &mut module.metadata.nodes {
        node.operands.retain(|operand| !matches!(operand, MdOperand::Node(id) if promises[id.index()]));
    }
    for function in &mut module.functions {
        for block in function.block_ids() {
            for index in 0..function.block(block).insts.len() {
                let inst = function.block(block).insts[index];
                if let Inst::Call(call) = &mut function.inst_mut(inst).inst
                    && matches!(call.callee, Callee::Value(_))
                {
                    remove(&mut call.attrs, &["mustprogress", "willreturn"]);
                }
            }
        }
    }
}

/// Says of every load from `constant` memory that its value does not change while the kernel runs, which a
/// barrier would hide.
fn promise_constants(module: &mut Module) {
    let node = module.metadata.nodes.len();
    module.metadata.nodes.push(MdNode { distinct: false, operands: Vec::new() });
    let kind: Arc<str> = "invariant.load".into();
    for function in &mut module.functions {
        for block in function.block_ids() {
            for index in 0..function.block(block).insts.len() {
                let inst = function.block(block).insts[index];
                let Inst::Load { ptr, volatile: false, ordering: None, .. } = function.inst(inst).inst else {
                    continue;
                };
                if function.value_type(ptr).address_space() == Some(AddressSpace::CONSTANT) {
                    let metadata = &mut function.inst_mut(inst).metadata;
                    if metadata.iter().all(|(name, _)| *name != kind) {
                        metadata.push((Arc::clone(&kind), MdId::new(node)));
                    }
                }
            }
        }
    }
}

/// A simdgroup has 32 threads: said as code, so that what depends on it folds.
fn define_simdgroup_size(module: &mut Module) {
    const THREADS: u64 = 32;
    for function in module.functions.iter_mut().filter(|function| function.is_declaration()) {
        if function.name.starts_with("air.get_simdgroup_size") && function.ty.ret.is_int() {
            let block = function.add_block();
            let size = function.const_int(function.ty.ret.clone(), THREADS);
            function.block_mut(block).terminator = Terminator::Ret(Some(size));
        }
    }
}

/// What the lanes of a simdgroup or the simdgroups of a threadgroup do together.
const COLLECTIVE_PREFIXES: [&str; 7] = [
    "air.wg.barrier",
    "air.simdgroup.barrier",
    "air.simd_",
    "air.quad_",
    "air.simdgroup_matrix_",
    "air.simdgroup_async_copy",
    "air.wait_simdgroup_events",
];

/// Makes collectives convergent; those that are no matrix accesses may touch any memory, so that LLVM
/// neither deletes nor merges them.
fn declare_collectives(module: &mut Module) {
    for function in module.functions.iter_mut().filter(|function| function.is_declaration()) {
        let name = function.name.clone();
        if COLLECTIVE_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
            add(&mut function.attrs, "convergent");
            if !name.starts_with("air.simdgroup_matrix_") {
                remove(&mut function.attrs, &["memory", "readnone", "readonly", "speculatable"]);
            }
        } else if !name.starts_with("air.") && !name.starts_with("llvm.") {
            // A function that nothing knows: a name of the linker's, or a mistake that comes out later.
            add(&mut function.attrs, "convergent");
        }
    }
}

/// Makes everything internal that the module's metadata does not name, and lets it be inlined.
fn internalize_helpers(module: &mut Module) {
    let mut named = vec![false; module.functions.len()];
    for list in &module.metadata.named {
        for node in &list.nodes {
            for operand in &module.metadata.node(*node).operands {
                if let MdOperand::Value(value) = operand
                    && let mw_air::Constant::Function(function) = value.value
                {
                    named[function.index()] = true;
                }
            }
        }
    }
    let recursive = recursive_functions(module);
    for (index, function) in module.functions.iter_mut().enumerate() {
        if function.is_declaration() || named[index] {
            continue;
        }
        function.linkage = Linkage::Internal;
        remove(&mut function.attrs, &["noinline", "optnone"]);
        if !recursive[index] {
            add(&mut function.attrs, "alwaysinline");
        }
    }
}

/// Functions that reach themselves through direct calls.
fn recursive_functions(module: &Module) -> Vec<bool> {
    let calls: Vec<Vec<usize>> = module
        .functions
        .iter()
        .map(|function| {
            let mut callees: Vec<usize> = function
                .blocks
                .iter()
                .flat_map(|block| &block.insts)
                .filter_map(|inst| match &function.inst(*inst).inst {
                    Inst::Call(call) => match call.callee {
                        Callee::Function(callee) => Some(callee.index()),
                        Callee::Value(_) => None,
                    },
                    _ => None,
                })
                .filter(|callee| !module.functions[*callee].is_declaration())
                .collect();
            callees.sort_unstable();
            callees.dedup();
            callees
        })
        .collect();
    (0..calls.len())
        .map(|start| {
            let mut seen = vec![false; calls.len()];
            let mut stack = calls[start].clone();
            while let Some(next) = stack.pop() {
                if next == start {
                    return true;
                }
                if !std::mem::replace(&mut seen[next], true) {
                    stack.extend(&calls[next]);
                }
            }
            false
        })
        .collect()
}
