//! Keeps `a > b ? a : b` from becoming one instruction that flushes what it only should have moved.
//!
//! A selection moves bits and keeps denormals. x86 has instructions that compare and select at once, and in
//! the mode that flushes denormals they give zero for one. LLVM takes them wherever a selection chooses between
//! the very values that its condition compares, and has no setting against it. A fence around one of the two
//! costs no instruction and hides that they are the same.
#![expect(unsafe_code, reason = "calls into LLVM's C API")]

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{
    LLVMBuildCall2, LLVMCreateBuilderInContext, LLVMDisposeBuilder, LLVMGetElementType,
    LLVMGetFirstBasicBlock, LLVMGetFirstFunction, LLVMGetFirstInstruction, LLVMGetIntrinsicDeclaration,
    LLVMGetModuleContext, LLVMGetNextBasicBlock, LLVMGetNextFunction, LLVMGetNextInstruction, LLVMGetOperand,
    LLVMGetTypeKind, LLVMIntrinsicGetType, LLVMIsAFCmpInst, LLVMIsASelectInst, LLVMIsConstant,
    LLVMLookupIntrinsicID, LLVMPositionBuilderBefore, LLVMSetOperand, LLVMTypeOf,
};
use llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};

use crate::context::LlvmModule;

const FENCE: &std::ffi::CStr = c"llvm.arithmetic.fence";

/// Fences one side of every such selection between f32 values.
pub(crate) fn keep_selections(module: &LlvmModule<'_>) {
    let selections = selections(module);
    // SAFETY: the module, its context and the selections are live; the builder is disposed of here. A fence
    // gives its operand, so that the module stays valid.
    unsafe {
        let context = LLVMGetModuleContext(module.raw());
        let builder = LLVMCreateBuilderInContext(context);
        let id = LLVMLookupIntrinsicID(FENCE.as_ptr(), FENCE.count_bytes());
        for (selection, side) in selections {
            let value = LLVMGetOperand(selection, side);
            let mut ty = LLVMTypeOf(value);
            let function = LLVMGetIntrinsicDeclaration(module.raw(), id, &raw mut ty, 1);
            let function_type = LLVMIntrinsicGetType(context, id, &raw mut ty, 1);
            LLVMPositionBuilderBefore(builder, selection);
            let mut arguments = [value];
            let name = c"".as_ptr();
            let fenced = LLVMBuildCall2(builder, function_type, function, arguments.as_mut_ptr(), 1, name);
            LLVMSetOperand(selection, side, fenced);
        }
        LLVMDisposeBuilder(builder);
    }
}

/// Selections of what their condition compares, each with the operand to fence.
fn selections(module: &LlvmModule<'_>) -> Vec<(LLVMValueRef, u32)> {
    let mut found = Vec::new();
    // SAFETY: the module is live and nothing changes it meanwhile; each call gets what the one before gave,
    // and lists end with null.
    unsafe {
        let mut function = LLVMGetFirstFunction(module.raw());
        while !function.is_null() {
            let mut block = LLVMGetFirstBasicBlock(function);
            while !block.is_null() {
                let mut inst = LLVMGetFirstInstruction(block);
                while !inst.is_null() {
                    found.extend(side(inst).map(|side| (inst, side)));
                    inst = LLVMGetNextInstruction(inst);
                }
                block = LLVMGetNextBasicBlock(block);
            }
            function = LLVMGetNextFunction(function);
        }
    }
    found
}

/// The operand to fence, where an instruction is such a selection.
///
/// # Safety
/// `inst` is a live instruction.
unsafe fn side(inst: LLVMValueRef) -> Option<u32> {
    // SAFETY: operands are asked for only of instructions that have them.
    unsafe {
        if LLVMIsASelectInst(inst).is_null() || !is_f32(LLVMTypeOf(inst)) {
            return None;
        }
        let condition = LLVMGetOperand(inst, 0);
        if LLVMIsAFCmpInst(condition).is_null() {
            return None;
        }
        let compared = [LLVMGetOperand(condition, 0), LLVMGetOperand(condition, 1)];
        let mut chosen = [LLVMGetOperand(inst, 1), LLVMGetOperand(inst, 2)];
        if compared != chosen {
            chosen.reverse();
            if compared != chosen {
                return None;
            }
        }
        [1, 2].into_iter().find(|side| LLVMIsConstant(LLVMGetOperand(inst, *side)) == 0)
    }
}

/// Whether a type is `float` or a vector of it.
///
/// # Safety
/// `ty` is a live type.
unsafe fn is_f32(ty: LLVMTypeRef) -> bool {
    // SAFETY: the element type is asked for of vectors only.
    unsafe {
        match LLVMGetTypeKind(ty) {
            LLVMTypeKind::LLVMFloatTypeKind => true,
            LLVMTypeKind::LLVMVectorTypeKind => {
                LLVMGetTypeKind(LLVMGetElementType(ty)) == LLVMTypeKind::LLVMFloatTypeKind
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::codegen::{CodegenOptions, generate};
    use crate::target::{Output, TargetSpec};

    fn assembly(body: &str) -> String {
        let text = format!("define void @f(ptr %p, ptr %q) {{\n{body}\nret void\n}}\n");
        let options = CodegenOptions::new(TargetSpec::named("x86-64-v3").unwrap());
        String::from_utf8(generate(text, &options, Output::Assembly).unwrap().0).unwrap()
    }

    #[test]
    fn the_greater_one_is_selected_and_not_computed() {
        for (ty, condition) in [("float", "i1"), ("<32 x float>", "<32 x i1>")] {
            for (compared, chosen) in [
                ("%a, %b", ["%a", "%b"]),
                ("%b, %a", ["%a", "%b"]),
                ("%a, zeroinitializer", ["%a", "zeroinitializer"]),
            ] {
                if ty == "float" && compared.contains("zero") {
                    continue;
                }
                let text = assembly(&format!(
                    "%a = load {ty}, ptr %p\n%b = load {ty}, ptr %q\n%c = fcmp ogt {ty} {compared}\n\
                     %s = select {condition} %c, {ty} {}, {ty} {}\nstore {ty} %s, ptr %p",
                    chosen[0], chosen[1]
                ));
                assert!(!text.contains("max") && !text.contains("min"), "{text}");
                assert!(text.contains("cmp"), "{text}");
            }
        }
    }
}
