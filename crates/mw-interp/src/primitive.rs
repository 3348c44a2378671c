//! The functions without a body that the engine implements itself, by name.

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

/// Kind of an atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomicKind {
    Load,
    Store,
    Exchange,
    CompareExchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Min,
    Max,
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
        op: AtomicKind,
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
        let rest = name.strip_prefix("air.")?;
        if let Some(rest) = rest.strip_prefix("atomic.") {
            return atomic(rest);
        }
        if let Some(rest) = rest.strip_prefix("simdgroup_") {
            return simdgroup(rest);
        }
        let (head, suffix) = rest.split_once('.').unwrap_or((rest, ""));
        if let Some(collective) = head.strip_prefix("simd_") {
            return collective_named(collective, suffix, false);
        }
        if let Some(collective) = head.strip_prefix("quad_") {
            return collective_named(collective, suffix, true);
        }
        match head {
            "wg" if suffix == "barrier" => Some(Self::Barrier),
            "simdgroup" if suffix == "barrier" => Some(Self::Nothing),
            "wait_simdgroup_events" => Some(Self::Nothing),
            "get_simdgroup_size" => Some(Self::SimdgroupSize),
            "get_thread_index_in_simdgroup" => Some(Self::LaneIndex),
            "is_uniform" => Some(Self::Vote { kind: VoteKind::IsUniform, quad: false }),
            "normalize_function_constant_predicate" => Some(Self::NormalizePredicate),
            "load" if is_coherent(suffix) => Some(Self::CoherentLoad),
            "store" if is_coherent(suffix) => Some(Self::CoherentStore),
            "get_function_pointer_visible_function_table" => Some(Self::Refused),
            _ => None,
        }
    }
}

fn is_coherent(suffix: &str) -> bool {
    suffix.starts_with("device_coherent.") || suffix.starts_with("system_coherent.")
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

fn atomic(rest: &str) -> Option<Primitive> {
    if rest == "fence" {
        return Some(Primitive::Nothing);
    }
    let mut parts = rest.split('.');
    let space = parts.next()?;
    if space != "global" && space != "local" {
        return None;
    }
    let op = match parts.next()? {
        "load" => AtomicKind::Load,
        "store" => AtomicKind::Store,
        "xchg" => AtomicKind::Exchange,
        "cmpxchg" => AtomicKind::CompareExchange,
        "add" => AtomicKind::Add,
        "sub" => AtomicKind::Sub,
        "and" => AtomicKind::And,
        "or" => AtomicKind::Or,
        "xor" => AtomicKind::Xor,
        "min" => AtomicKind::Min,
        "max" => AtomicKind::Max,
        _ => return None,
    };
    Some(Primitive::Atomic { op, signed: parts.next() == Some("s") })
}

fn simdgroup(rest: &str) -> Option<Primitive> {
    let head = rest.split('.').next()?;
    Some(match head {
        "matrix_8x8_load" => Primitive::MatrixLoad,
        "matrix_8x8_store" => Primitive::MatrixStore,
        "matrix_8x8_multiply_accumulate" => Primitive::MatrixMultiply,
        "matrix_8x8_init_filled" => Primitive::MatrixFill { diagonal: false },
        "matrix_8x8_init_diag" => Primitive::MatrixFill { diagonal: true },
        "async_copy_1d" => Primitive::AsyncCopy1d,
        "async_copy_2d" => Primitive::AsyncCopy2d,
        _ => return None,
    })
}

fn collective_named(name: &str, suffix: &str, quad: bool) -> Option<Primitive> {
    let shuffle = |kind| Some(Primitive::Shuffle { kind, quad });
    let vote = |kind| Some(Primitive::Vote { kind, quad });
    match name {
        "shuffle" | "broadcast" => return shuffle(ShuffleKind::Index),
        "shuffle_xor" => return shuffle(ShuffleKind::Xor),
        "shuffle_up" => return shuffle(ShuffleKind::Up),
        "shuffle_down" => return shuffle(ShuffleKind::Down),
        "shuffle_rotate_up" => return shuffle(ShuffleKind::RotateUp),
        "shuffle_rotate_down" => return shuffle(ShuffleKind::RotateDown),
        "shuffle_and_fill_up" => return shuffle(ShuffleKind::FillUp),
        "shuffle_and_fill_down" => return shuffle(ShuffleKind::FillDown),
        "broadcast_first" => return shuffle(ShuffleKind::First),
        "any" => return vote(VoteKind::Any),
        "all" => return vote(VoteKind::All),
        "ballot" => return vote(VoteKind::Ballot),
        "vote_all" => return vote(VoteKind::MaskAll),
        "vote_any" => return vote(VoteKind::MaskAny),
        "active_threads_mask" => return vote(VoteKind::Active),
        "is_first" => return vote(VoteKind::IsFirst),
        _ => {}
    }
    let signed = suffix.starts_with("s.");
    for (prefix, inclusive) in [("prefix_inclusive_", true), ("prefix_exclusive_", false)] {
        if let Some(op) = name.strip_prefix(prefix) {
            let op = match op {
                "sum" => Reduction::Sum,
                "product" => Reduction::Product,
                _ => return None,
            };
            return Some(Primitive::Prefix { op, inclusive, quad });
        }
    }
    let op = match name {
        "sum" => Reduction::Sum,
        "product" => Reduction::Product,
        "min" => Reduction::Min,
        "max" => Reduction::Max,
        "and" => Reduction::And,
        "or" => Reduction::Or,
        "xor" => Reduction::Xor,
        _ => return None,
    };
    Some(Primitive::Reduce { op, signed, quad })
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
            Some(Primitive::Atomic { op: AtomicKind::CompareExchange, signed: false })
        );
        assert_eq!(
            named("air.atomic.global.max.s.i32"),
            Some(Primitive::Atomic { op: AtomicKind::Max, signed: true })
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
