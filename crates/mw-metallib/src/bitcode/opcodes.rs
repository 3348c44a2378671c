//! LLVM's numbers for operations, flags, orderings, linkages.

use mw_air::{AtomicOrdering, BinaryOp, CastOp, Flags, FloatPredicate, IntPredicate, Linkage, RmwOp};

/// Arithmetic; division and remainder share numbers between integers and floats.
pub(super) fn binary_op(code: u64, is_float: bool) -> Option<BinaryOp> {
    if is_float {
        return Some(match code {
            0 => BinaryOp::FAdd,
            1 => BinaryOp::FSub,
            2 => BinaryOp::FMul,
            4 => BinaryOp::FDiv,
            6 => BinaryOp::FRem,
            _ => return None,
        });
    }
    Some(match code {
        0 => BinaryOp::Add,
        1 => BinaryOp::Sub,
        2 => BinaryOp::Mul,
        3 => BinaryOp::UDiv,
        4 => BinaryOp::SDiv,
        5 => BinaryOp::URem,
        6 => BinaryOp::SRem,
        7 => BinaryOp::Shl,
        8 => BinaryOp::LShr,
        9 => BinaryOp::AShr,
        10 => BinaryOp::And,
        11 => BinaryOp::Or,
        12 => BinaryOp::Xor,
        _ => return None,
    })
}

/// Flags of arithmetic, whose bits mean what the operation makes of them.
pub(super) fn binary_flags(op: BinaryOp, bits: u64) -> Flags {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => wrap_flags(bits),
        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::LShr | BinaryOp::AShr => one_flag(bits, Flags::EXACT),
        BinaryOp::Or => one_flag(bits, Flags::DISJOINT),
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
            fast_flags(bits)
        }
        BinaryOp::URem | BinaryOp::SRem | BinaryOp::And | BinaryOp::Xor => Flags::NONE,
    }
}

/// Conversions.
pub(super) fn cast_op(code: u64) -> Option<CastOp> {
    Some(match code {
        0 => CastOp::Trunc,
        1 => CastOp::ZExt,
        2 => CastOp::SExt,
        3 => CastOp::FpToUi,
        4 => CastOp::FpToSi,
        5 => CastOp::UiToFp,
        6 => CastOp::SiToFp,
        7 => CastOp::FpTrunc,
        8 => CastOp::FpExt,
        9 => CastOp::PtrToInt,
        10 => CastOp::IntToPtr,
        11 => CastOp::Bitcast,
        12 => CastOp::AddrSpaceCast,
        _ => return None,
    })
}

/// Flags of conversions.
pub(super) fn cast_flags(op: CastOp, bits: u64) -> Flags {
    match op {
        CastOp::Trunc => wrap_flags(bits),
        CastOp::ZExt | CastOp::UiToFp => one_flag(bits, Flags::NNEG),
        CastOp::FpTrunc | CastOp::FpExt => fast_flags(bits),
        CastOp::SExt
        | CastOp::FpToUi
        | CastOp::FpToSi
        | CastOp::SiToFp
        | CastOp::Bitcast
        | CastOp::PtrToInt
        | CastOp::IntToPtr
        | CastOp::AddrSpaceCast => Flags::NONE,
    }
}

/// `nuw` and `nsw`.
fn wrap_flags(bits: u64) -> Flags {
    one_flag(bits, Flags::NUW).union(one_flag(bits >> 1, Flags::NSW))
}

/// `flag` if bit 0 is set.
pub(super) fn one_flag(bits: u64, flag: Flags) -> Flags {
    if bits & 1 == 0 { Flags::NONE } else { flag }
}

/// Fast-math flags.
pub(super) fn fast_flags(bits: u64) -> Flags {
    // Bit 0 is the old "everything is allowed".
    if bits & 1 != 0 {
        return Flags::FAST;
    }
    [
        (1, Flags::NNAN),
        (2, Flags::NINF),
        (3, Flags::NSZ),
        (4, Flags::ARCP),
        (5, Flags::CONTRACT),
        (6, Flags::AFN),
        (7, Flags::REASSOC),
    ]
    .into_iter()
    .fold(Flags::NONE, |flags, (bit, flag)| flags.union(one_flag(bits >> bit, flag)))
}

/// Flags of address computations; before LLVM 19 bit 0 was the only one.
pub(super) fn gep_flags(bits: u64) -> Flags {
    let nuw = one_flag(bits >> 2, Flags::NUW);
    // `inbounds` implies `nusw`, which LLVM then neither prints nor needs.
    let bounds = if bits & 1 != 0 { Flags::INBOUNDS } else { one_flag(bits >> 1, Flags::NUSW) };
    bounds.union(nuw)
}

/// Integer comparisons.
pub(super) fn int_predicate(code: u64) -> Option<IntPredicate> {
    Some(match code {
        32 => IntPredicate::Eq,
        33 => IntPredicate::Ne,
        34 => IntPredicate::Ugt,
        35 => IntPredicate::Uge,
        36 => IntPredicate::Ult,
        37 => IntPredicate::Ule,
        38 => IntPredicate::Sgt,
        39 => IntPredicate::Sge,
        40 => IntPredicate::Slt,
        41 => IntPredicate::Sle,
        _ => return None,
    })
}

/// Floating-point comparisons.
pub(super) fn float_predicate(code: u64) -> Option<FloatPredicate> {
    Some(match code {
        0 => FloatPredicate::False,
        1 => FloatPredicate::Oeq,
        2 => FloatPredicate::Ogt,
        3 => FloatPredicate::Oge,
        4 => FloatPredicate::Olt,
        5 => FloatPredicate::Ole,
        6 => FloatPredicate::One,
        7 => FloatPredicate::Ord,
        8 => FloatPredicate::Uno,
        9 => FloatPredicate::Ueq,
        10 => FloatPredicate::Ugt,
        11 => FloatPredicate::Uge,
        12 => FloatPredicate::Ult,
        13 => FloatPredicate::Ule,
        14 => FloatPredicate::Une,
        15 => FloatPredicate::True,
        _ => return None,
    })
}

/// Orderings; `Some(None)` is "not atomic".
#[expect(clippy::option_option, reason = "not atomic and not a number are different answers")]
pub(super) fn ordering(code: u64) -> Option<Option<AtomicOrdering>> {
    Some(match code {
        0 => None,
        1 => Some(AtomicOrdering::Unordered),
        2 => Some(AtomicOrdering::Monotonic),
        3 => Some(AtomicOrdering::Acquire),
        4 => Some(AtomicOrdering::Release),
        5 => Some(AtomicOrdering::AcqRel),
        6 => Some(AtomicOrdering::SeqCst),
        _ => return None,
    })
}

/// Operations of `atomicrmw`; the newest ones are not AIR's.
pub(super) fn rmw_op(code: u64) -> Option<RmwOp> {
    Some(match code {
        0 => RmwOp::Xchg,
        1 => RmwOp::Add,
        2 => RmwOp::Sub,
        3 => RmwOp::And,
        4 => RmwOp::Nand,
        5 => RmwOp::Or,
        6 => RmwOp::Xor,
        7 => RmwOp::Max,
        8 => RmwOp::Min,
        9 => RmwOp::UMax,
        10 => RmwOp::UMin,
        11 => RmwOp::FAdd,
        12 => RmwOp::FSub,
        13 => RmwOp::FMax,
        14 => RmwOp::FMin,
        _ => return None,
    })
}

/// Linkages, old numbers included.
pub(super) fn linkage(code: u64) -> Option<Linkage> {
    Some(match code {
        // 5 and 6 were Windows' import and export, 15 a linker's hint.
        0 | 5 | 6 | 15 => Linkage::External,
        1 | 16 => Linkage::Weak,
        2 => Linkage::Appending,
        3 => Linkage::Internal,
        4 | 18 => Linkage::LinkOnce,
        7 => Linkage::ExternWeak,
        8 => Linkage::Common,
        9 | 13 | 14 => Linkage::Private,
        10 | 17 => Linkage::WeakOdr,
        11 | 19 => Linkage::LinkOnceOdr,
        12 => Linkage::AvailableExternally,
        _ => return None,
    })
}
