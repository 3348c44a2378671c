//! Keeps comparisons of f32 with zero from becoming tests of bits.
//!
//! Where denormals count as zero, `x != 0` is false for a denormal. LLVM turns the comparison into one of bits
//! when `x` comes from integers, without a look at the mode, and then it is true. A comparison with the
//! smallest denormal, which the processor takes for zero as well, means the same and stays what it is.

use mw_air::{Constant, FloatPredicate, Function, Inst, Module, Scalar, Type, TypedConstant, ValueId};

/// Bits of the smallest positive f32.
const SMALLEST: u64 = 1;

/// Compares with the smallest denormal where the module compares with zero. Only for modules whose f32
/// arithmetic takes denormals as zero.
pub(crate) fn run(module: &mut Module) {
    for function in &mut module.functions {
        for block in function.block_ids() {
            for index in 0..function.block(block).insts.len() {
                let inst = function.block(block).insts[index];
                let Inst::FCmp { predicate, lhs, rhs, .. } = function.inst(inst).inst else { continue };
                if !matches!(predicate, FloatPredicate::Oeq | FloatPredicate::Une) {
                    continue;
                }
                let (left, right) = (smallest_for_zero(function, lhs), smallest_for_zero(function, rhs));
                if let Inst::FCmp { lhs, rhs, .. } = &mut function.inst_mut(inst).inst {
                    *lhs = left.unwrap_or(*lhs);
                    *rhs = right.unwrap_or(*rhs);
                }
            }
        }
    }
}

/// The constant that takes the place of an f32 zero.
fn smallest_for_zero(function: &mut Function, value: ValueId) -> Option<ValueId> {
    let constant = function.typed_constant(value)?;
    let smallest = TypedConstant { ty: Type::FLOAT, value: Constant::Float(SMALLEST) };
    let constant = match &constant.ty {
        ty if *ty == Type::FLOAT && is_zero(&constant.value) => smallest,
        Type::Vector(scalar, lanes) if *scalar == Scalar::Float && is_zero(&constant.value) => {
            let lanes = vec![smallest; *lanes as usize];
            TypedConstant { ty: constant.ty.clone(), value: Constant::Aggregate(lanes.into()) }
        }
        _ => return None,
    };
    Some(function.add_constant(constant))
}

fn is_zero(constant: &Constant) -> bool {
    const NEGATIVE: u64 = 1 << 31;
    match constant {
        Constant::Zero | Constant::Float(0 | NEGATIVE) => true,
        Constant::Aggregate(elements) => elements.iter().all(|element| is_zero(&element.value)),
        _ => false,
    }
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
        let options = CodegenOptions::new(TargetSpec::named("x86-64-v3").unwrap());
        let text = assembly(&mw_air::parse(TEXT).unwrap(), &options).unwrap();
        assert!(text.contains("cmpneqps"), "{text}");
    }
}
