//! Symbols with a meaning that is fixed elsewhere: engines rely on their types.

use super::Verifier;
use crate::{AddressSpace, Function, FunctionType, Global, Intrinsic, Linkage, Scalar, Type};

impl Verifier<'_> {
    /// A variable whose name LLVM gives a meaning has the type that it needs.
    pub(super) fn special_global(&mut self, global: &Global) {
        let thread = Type::ptr(AddressSpace::THREAD);
        let element = match &*global.name {
            "llvm.global_ctors" | "llvm.global_dtors" => {
                Type::literal_struct(vec![Type::I32, thread.clone(), thread])
            }
            "llvm.used" | "llvm.compiler.used" => thread,
            _ => return,
        };
        let fits = matches!(&global.ty, Type::Array(inner, _) if **inner == element);
        self.check(fits && global.linkage == Linkage::Appending, || {
            format!("`@{}` is an appending array of `{element}`", global.name)
        });
    }

    /// A declaration whose name is known has a type that fits it.
    pub(super) fn external(&mut self, function: &Function) {
        let fits = match Intrinsic::classify(&function.name) {
            Some(intrinsic) => intrinsic.signatures().accept(&function.ty),
            None => match function.name.strip_prefix("llvm.") {
                Some(name) => llvm_type_fits(name, &function.ty),
                None => true,
            },
        };
        self.check(fits, || format!("`@{}` cannot have this type", function.name));
    }
}

/// Whether an LLVM intrinsic of the set that engines implement has a type that it can have. Others are left
/// to the engines, which refuse them by name.
fn llvm_type_fits(name: &str, ty: &FunctionType) -> bool {
    let params = ty.params.as_slice();
    let all_same = |count: usize| params.len() == count && params.iter().all(|param| *param == ty.ret);
    let float = ty.ret.is_float();
    let int = ty.ret.is_int();
    let stem = name.split('.').next().unwrap_or("");
    if ty.varargs {
        return false;
    }
    match stem {
        "fmuladd" | "fma" => all_same(3) && float,
        "sqrt" | "floor" | "ceil" | "trunc" | "roundeven" | "rint" | "nearbyint" | "round" | "fabs"
        | "canonicalize" => all_same(1) && float,
        "copysign" | "minnum" | "maxnum" | "minimum" | "maximum" => all_same(2) && float,
        "ctpop" | "bitreverse" | "bswap" => all_same(1) && int,
        "ctlz" | "cttz" | "abs" => matches!(params, [value, Type::I1] if *value == ty.ret) && int,
        "fshl" | "fshr" => all_same(3) && int,
        "smin" | "smax" | "umin" | "umax" => all_same(2) && int,
        "uadd" | "usub" | "sadd" | "ssub" | "ushl" | "sshl" if name.contains(".sat.") => all_same(2) && int,
        "fptosi" | "fptoui" if name.contains(".sat.") => {
            int && matches!(params, [value] if value.is_float() && value.lanes() == ty.ret.lanes())
        }
        "expect" => all_same(2) && int,
        "assume" => ty.ret == Type::Void && params == [Type::I1],
        "lifetime" => ty.ret == Type::Void && matches!(params, [ptr] if ptr.is_ptr()),
        "memcpy" | "memmove" => {
            ty.ret == Type::Void
                && matches!(params, [to, from, length, Type::I1]
                    if to.is_ptr() && from.is_ptr() && is_scalar_int(length))
        }
        "memset" => {
            ty.ret == Type::Void
                && matches!(params, [to, Type::I8, length, Type::I1] if to.is_ptr() && is_scalar_int(length))
        }
        _ => true,
    }
}

fn is_scalar_int(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::Int(_)))
}
