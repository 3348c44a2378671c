//! Keeps comparisons of f32 and bfloat with zero from becoming tests of bits.
//!
//! Where denormals count as zero, `x != 0` is false for a denormal. LLVM turns the comparison into one of bits
//! when `x` comes from integers, without a look at the mode, and then it is true. A fence around `x`, which
//! costs no instruction, hides where it comes from.

use mw_air::{
    Attributes, Call, Callee, Constant, Flags, FloatPredicate, FuncId, Function, FunctionType, Inst, InstId,
    Module, Scalar, Type, ValueId,
};

const FENCE: &str = "llvm.arithmetic.fence.";

/// Fences what is compared with zero. Only for modules whose f32 arithmetic takes denormals as zero.
pub(crate) fn fence(module: &mut Module) {
    for index in 0..module.functions.len() {
        for block in module.functions[index].block_ids() {
            let mut insts = Vec::new();
            for inst in module.functions[index].block(block).insts.clone() {
                if let Some(value) = compared_with_zero(&module.functions[index], inst) {
                    let ty = module.functions[index].value_type(value).clone();
                    let fence = declaration(module, &ty);
                    let function = &mut module.functions[index];
                    let call = function.make_inst(call(fence, &ty, value), ty);
                    if let (Some(fenced), Inst::FCmp { lhs, rhs, .. }) =
                        (function.inst(call).result, &mut function.inst_mut(inst).inst)
                    {
                        let side = if *lhs == value { lhs } else { rhs };
                        *side = fenced;
                    }
                    insts.push(call);
                }
                insts.push(inst);
            }
            module.functions[index].block_mut(block).insts = insts;
        }
    }
}

/// Removes the fences again.
pub(crate) fn unfence(module: &mut Module) {
    let is_fence: Vec<bool> =
        module.functions.iter().map(|function| function.name.starts_with(FENCE)).collect();
    if !is_fence.contains(&true) {
        return;
    }
    for function in &mut module.functions {
        for block in function.block_ids() {
            for inst in function.block(block).insts.clone() {
                let fenced = match (&function.inst(inst).inst, function.inst(inst).result) {
                    (Inst::Call(call), Some(result)) => match call.callee {
                        Callee::Function(callee) if is_fence[callee.index()] => Some((result, call.args[0])),
                        _ => None,
                    },
                    _ => None,
                };
                if let Some((result, value)) = fenced {
                    function.replace_uses(result, value);
                    function.block_mut(block).insts.retain(|other| *other != inst);
                }
            }
        }
    }
}

/// The value that an instruction compares with an f32 zero for being equal or not.
fn compared_with_zero(function: &Function, inst: InstId) -> Option<ValueId> {
    let Inst::FCmp { predicate: FloatPredicate::Oeq | FloatPredicate::Une, lhs, rhs, .. } =
        function.inst(inst).inst
    else {
        return None;
    };
    let scalar = match function.value_type(lhs) {
        Type::Scalar(scalar) | Type::Vector(scalar, _) => *scalar,
        _ => return None,
    };
    if !matches!(scalar, Scalar::Float | Scalar::BFloat) {
        return None;
    }
    match (function.constant(lhs), function.constant(rhs)) {
        (None, Some(zero)) if is_zero(zero) => Some(lhs),
        (Some(zero), None) if is_zero(zero) => Some(rhs),
        _ => None,
    }
}

fn is_zero(constant: &Constant) -> bool {
    // Of f32 and of bfloat. A fence too many, around what is compared with the other's number, does no harm.
    const NEGATIVE: [u64; 2] = [1 << 31, 1 << 15];
    match constant {
        Constant::Zero | Constant::Float(0) => true,
        Constant::Float(bits) => NEGATIVE.contains(bits),
        Constant::Aggregate(elements) => elements.iter().all(|element| is_zero(&element.value)),
        _ => false,
    }
}

fn call(fence: FuncId, ty: &Type, value: ValueId) -> Inst {
    Inst::Call(Box::new(Call {
        callee: Callee::Function(fence),
        ty: FunctionType { params: vec![ty.clone()], ret: ty.clone(), varargs: false },
        args: vec![value],
        attrs: Attributes::default(),
        ret_attrs: Attributes::default(),
        arg_attrs: Vec::new(),
        calling_convention: 0,
        tail: 0,
        flags: Flags::NONE,
    }))
}

fn suffix(scalar: Scalar) -> &'static str {
    if scalar == Scalar::BFloat { "bf16" } else { "f32" }
}

/// The fence for a type, declared when it is not.
fn declaration(module: &mut Module, ty: &Type) -> FuncId {
    let name = match ty {
        Type::Vector(scalar, lanes) => format!("{FENCE}v{lanes}{}", suffix(*scalar)),
        Type::Scalar(scalar) => format!("{FENCE}{}", suffix(*scalar)),
        _ => FENCE.to_owned(),
    };
    if let Some(known) = module.function_named(&name) {
        return known;
    }
    let ty = FunctionType { params: vec![ty.clone()], ret: ty.clone(), varargs: false };
    module.functions.push(Function::new(&name, ty));
    FuncId::new(module.functions.len() - 1)
}

#[cfg(test)]
mod tests {
    use crate::{CodegenOptions, ScalarOptions, TargetSpec, assembly, optimize_scalar};

    const TEXT: &str = "
        define void @kernel(ptr addrspace(1) %p, ptr addrspace(1) %out) nounwind {
          %bits = load <8 x i32>, ptr addrspace(1) %p, align 4
          %x = bitcast <8 x i32> %bits to <8 x float>
          %set = fcmp une <8 x float> %x, zeroinitializer
          %number = zext <8 x i1> %set to <8 x i32>
          store <8 x i32> %number, ptr addrspace(1) %out, align 4
          ret void
        }
        !air.kernel = !{!0}
        !0 = !{ptr @kernel, !1, !1}
        !1 = !{}";

    #[test]
    fn denormals_are_compared_as_numbers() {
        let module = mw_air::parse(TEXT).unwrap();
        let module = optimize_scalar(&module, ScalarOptions::default()).unwrap();
        let text = mw_air::print(&module, &mw_air::PrintOptions::default());
        assert!(text.contains("fcmp une"), "{text}");
        let narrow =
            TEXT.replace("8 x i32> %bits", "8 x i16> %bits").replace("8 x i32>, ptr", "8 x i16>, ptr");
        let narrow = narrow.replace("load <8 x i32>", "load <8 x i16>").replace("8 x float>", "8 x bfloat>");
        let module = mw_air::parse(&narrow).unwrap_or_else(|error| panic!("{error} {narrow}"));
        let module = optimize_scalar(&module, ScalarOptions::default()).unwrap();
        let text = mw_air::print(&module, &mw_air::PrintOptions::default());
        assert!(text.contains("fcmp une <8 x bfloat>"), "{text}");
        let options = CodegenOptions::new(TargetSpec::named("x86-64-v3").unwrap());
        let text = assembly(&mw_air::parse(TEXT).unwrap(), &options).unwrap();
        assert!(text.contains("cmpneqps"), "{text}");
    }

    /// A number that comes from half is never a denormal f32; the comparison is decided by its zeros all the
    /// same.
    #[test]
    fn comparisons_are_not_decided_by_what_is_hidden() {
        let from = "%bits = load <8 x i32>, ptr addrspace(1) %p, align 4\n          %x = bitcast <8 x i32> %bits to <8 x float>";
        let to = "%bits = load <8 x half>, ptr addrspace(1) %p, align 2\n          %x = fpext <8 x half> %bits to <8 x float>";
        assert!(TEXT.contains(from));
        let module = mw_air::parse(&TEXT.replace(from, to)).unwrap();
        let module = optimize_scalar(&module, ScalarOptions::default()).unwrap();
        let text = mw_air::print(&module, &mw_air::PrintOptions::default());
        assert!(text.contains("fcmp une") && !text.contains(" call "), "{text}");
    }
}
