//! The functions without a body that the engine implements itself, by name.

use mw_air::intrinsics::{AtomicOp, CollectiveOp, Intrinsic, MatrixOp};

use crate::number::{FloatOp1, IntOp, IntOp1};
use crate::program::{ShuffleKind, VoteKind};

/// Kind of reduction of a collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduction {
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// A function that the engine implements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Primitive {
    Fma,
    Float1(FloatOp1),
    FloatMin,
    FloatMax,
    FloatAbs,
    CopySign,
    FloatToInt {
        signed: bool,
    },
    Int1(IntOp1),
    Int2(IntOp),
    Funnel {
        left: bool,
    },
    MemCopy,
    MemSet,
    /// Has no effect and no result that matters.
    Nothing,
    /// Gives its first operand.
    First,
    Barrier,
    SimdgroupSize,
    LaneIndex,
    Vote {
        kind: VoteKind,
        quad: bool,
    },
    Shuffle {
        kind: ShuffleKind,
        quad: bool,
    },
    Reduce {
        op: Reduction,
        signed: bool,
        quad: bool,
    },
    Prefix {
        op: Reduction,
        inclusive: bool,
        quad: bool,
    },
    MatrixLoad,
    MatrixStore,
    MatrixMultiply,
    MatrixFill {
        diagonal: bool,
    },
    AsyncCopy1d,
    AsyncCopy2d,
    CoherentLoad,
    CoherentStore,
    Atomic {
        op: AtomicOp,
        signed: bool,
    },
    NormalizePredicate,
    /// Known, not implemented, and only wrong when it is reached.
    Refused,
}

impl Primitive {
    /// The primitive called `name`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        if let Some(rest) = name.strip_prefix("llvm.") {
            return llvm(rest);
        }
        Some(match Intrinsic::classify(name)? {
            Intrinsic::ThreadgroupBarrier => Self::Barrier,
            // A simdgroup runs in lockstep, and one simdgroup at a time.
            Intrinsic::SimdgroupBarrier | Intrinsic::Fence | Intrinsic::WaitEvents => Self::Nothing,
            Intrinsic::Atomic { op, ty, .. } => Self::Atomic { op, signed: ty.is_signed() },
            Intrinsic::Simd { op, ty } => collective(op, ty.is_signed(), false),
            Intrinsic::Quad { op, ty } => collective(op, ty.is_signed(), true),
            Intrinsic::Matrix(op) => match op {
                MatrixOp::Load { .. } => Self::MatrixLoad,
                MatrixOp::Store { .. } => Self::MatrixStore,
                MatrixOp::MultiplyAccumulate { .. } => Self::MatrixMultiply,
                MatrixOp::InitDiagonal { .. } => Self::MatrixFill { diagonal: true },
                MatrixOp::InitFilled { .. } => Self::MatrixFill { diagonal: false },
            },
            Intrinsic::AsyncCopy { dimensions: 1, .. } => Self::AsyncCopy1d,
            Intrinsic::AsyncCopy { .. } => Self::AsyncCopy2d,
            Intrinsic::Coherent { store: false, .. } => Self::CoherentLoad,
            Intrinsic::Coherent { store: true, .. } => Self::CoherentStore,
            Intrinsic::SimdgroupSize { .. } => Self::SimdgroupSize,
            Intrinsic::ThreadIndexInSimdgroup { .. } => Self::LaneIndex,
            Intrinsic::IsUniform { .. } => Self::Vote { kind: VoteKind::IsUniform, quad: false },
            Intrinsic::NormalizePredicate { .. } => Self::NormalizePredicate,
            Intrinsic::VisibleFunctionPointer => Self::Refused,
            Intrinsic::Math { .. }
            | Intrinsic::Integer { .. }
            | Intrinsic::Relational { .. }
            | Intrinsic::Convert { .. }
            | Intrinsic::IsFunctionConstantDefined
            | Intrinsic::Tensor(_)
            | Intrinsic::TensorOperations => return None,
        })
    }
}

fn llvm(rest: &str) -> Option<Primitive> {
    // Overload suffixes follow the operation's own name, which may have dots itself.
    for (name, primitive) in [
        ("lifetime.", Primitive::Nothing),
        ("experimental.noalias.scope.decl", Primitive::Nothing),
        ("assume", Primitive::Nothing),
        ("donothing", Primitive::Nothing),
        ("dbg.", Primitive::Nothing),
        ("fptosi.sat.", Primitive::FloatToInt { signed: true }),
        ("fptoui.sat.", Primitive::FloatToInt { signed: false }),
        ("uadd.sat.", Primitive::Int2(IntOp::UAddSat)),
        ("usub.sat.", Primitive::Int2(IntOp::USubSat)),
        ("sadd.sat.", Primitive::Int2(IntOp::SAddSat)),
        ("ssub.sat.", Primitive::Int2(IntOp::SSubSat)),
    ] {
        if rest.starts_with(name) {
            return Some(primitive);
        }
    }
    Some(match rest.split('.').next()? {
        "fmuladd" | "fma" => Primitive::Fma,
        "sqrt" => Primitive::Float1(FloatOp1::Sqrt),
        "floor" => Primitive::Float1(FloatOp1::Floor),
        "ceil" => Primitive::Float1(FloatOp1::Ceil),
        "trunc" => Primitive::Float1(FloatOp1::Trunc),
        "roundeven" | "rint" | "nearbyint" => Primitive::Float1(FloatOp1::RoundEven),
        "round" => Primitive::Float1(FloatOp1::Round),
        "fabs" => Primitive::FloatAbs,
        "copysign" => Primitive::CopySign,
        "minnum" => Primitive::FloatMin,
        "maxnum" => Primitive::FloatMax,
        "ctpop" => Primitive::Int1(IntOp1::PopCount),
        "ctlz" => Primitive::Int1(IntOp1::LeadingZeros),
        "cttz" => Primitive::Int1(IntOp1::TrailingZeros),
        "bitreverse" => Primitive::Int1(IntOp1::ReverseBits),
        "bswap" => Primitive::Int1(IntOp1::SwapBytes),
        "abs" => Primitive::Int1(IntOp1::Abs),
        "smin" => Primitive::Int2(IntOp::SMin),
        "smax" => Primitive::Int2(IntOp::SMax),
        "umin" => Primitive::Int2(IntOp::UMin),
        "umax" => Primitive::Int2(IntOp::UMax),
        "fshl" => Primitive::Funnel { left: true },
        "fshr" => Primitive::Funnel { left: false },
        "memcpy" | "memmove" => Primitive::MemCopy,
        "memset" => Primitive::MemSet,
        "expect" => Primitive::First,
        _ => return None,
    })
}

fn collective(op: CollectiveOp, signed: bool, quad: bool) -> Primitive {
    let shuffle = |kind| Primitive::Shuffle { kind, quad };
    let vote = |kind| Primitive::Vote { kind, quad };
    let reduce = |op| Primitive::Reduce { op, signed, quad };
    let prefix = |op, inclusive| Primitive::Prefix { op, inclusive, quad };
    match op {
        CollectiveOp::Sum => reduce(Reduction::Sum),
        CollectiveOp::Product => reduce(Reduction::Product),
        CollectiveOp::Min => reduce(Reduction::Min),
        CollectiveOp::Max => reduce(Reduction::Max),
        CollectiveOp::And => reduce(Reduction::And),
        CollectiveOp::Or => reduce(Reduction::Or),
        CollectiveOp::Xor => reduce(Reduction::Xor),
        CollectiveOp::PrefixInclusiveSum => prefix(Reduction::Sum, true),
        CollectiveOp::PrefixInclusiveProduct => prefix(Reduction::Product, true),
        CollectiveOp::PrefixExclusiveSum => prefix(Reduction::Sum, false),
        CollectiveOp::PrefixExclusiveProduct => prefix(Reduction::Product, false),
        CollectiveOp::Shuffle | CollectiveOp::Broadcast => shuffle(ShuffleKind::Index),
        CollectiveOp::BroadcastFirst => shuffle(ShuffleKind::First),
        CollectiveOp::ShuffleXor => shuffle(ShuffleKind::Xor),
        CollectiveOp::ShuffleUp => shuffle(ShuffleKind::Up),
        CollectiveOp::ShuffleDown => shuffle(ShuffleKind::Down),
        CollectiveOp::ShuffleRotateUp => shuffle(ShuffleKind::RotateUp),
        CollectiveOp::ShuffleRotateDown => shuffle(ShuffleKind::RotateDown),
        CollectiveOp::ShuffleAndFillUp => shuffle(ShuffleKind::FillUp),
        CollectiveOp::ShuffleAndFillDown => shuffle(ShuffleKind::FillDown),
        CollectiveOp::All => vote(VoteKind::All),
        CollectiveOp::Any => vote(VoteKind::Any),
        CollectiveOp::Ballot => vote(VoteKind::Ballot),
        CollectiveOp::VoteAll => vote(VoteKind::MaskAll),
        CollectiveOp::VoteAny => vote(VoteKind::MaskAny),
        CollectiveOp::IsFirst => vote(VoteKind::IsFirst),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let named = |name| Primitive::named(name);
        assert_eq!(
            named("air.simd_shuffle_and_fill_up.u.v2i32"),
            Some(Primitive::Shuffle { kind: ShuffleKind::FillUp, quad: false })
        );
        assert_eq!(
            named("air.quad_min.s.i32"),
            Some(Primitive::Reduce { op: Reduction::Min, signed: true, quad: true })
        );
        assert_eq!(
            named("air.simd_prefix_exclusive_sum.f32"),
            Some(Primitive::Prefix { op: Reduction::Sum, inclusive: false, quad: false })
        );
        assert_eq!(
            named("air.atomic.local.cmpxchg.weak.i32"),
            Some(Primitive::Atomic { op: AtomicOp::CompareExchangeWeak, signed: false })
        );
        assert_eq!(
            named("air.atomic.global.max.s.i32"),
            Some(Primitive::Atomic { op: AtomicOp::Max, signed: true })
        );
        assert_eq!(named("air.simdgroup.barrier"), Some(Primitive::Nothing));
        assert_eq!(named("air.wg.barrier"), Some(Primitive::Barrier));
        assert_eq!(named("llvm.fptosi.sat.i32.f32"), Some(Primitive::FloatToInt { signed: true }));
        assert_eq!(named("llvm.lifetime.start.p0"), Some(Primitive::Nothing));
        assert_eq!(named("air.load.system_coherent.volatile.i32.p1i32"), Some(Primitive::CoherentLoad));
        assert_eq!(named("air.exp.f32"), None);
        assert_eq!(named("air.convert.f.f32.s.i32"), None);
        assert_eq!(named("__tensorops_impl_matmul2d_op_run"), None);
        assert_eq!(named("air.atomic.global.frobnicate.i32"), None);
    }
}
