//! `air.convert.<kind>.<type>.<kind>.<type>`: conversions between numbers, for one element.
//!
//! - To a float: rounded to nearest even, once.
//! - Float to integer: towards zero; out of range gives the nearest end, NaN gives 0.
//! - To bool: whether it differs from zero.
//! - Integer to integer: extended as the source's kind says, or cut.

use mw_air::{CastOp, Scalar, Type};

use crate::expr::{Expr, select, suffix};
use crate::name::{Kind, Rounding};

/// A scalar with its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Number {
    pub(crate) kind: Kind,
    pub(crate) scalar: Scalar,
}

/// `x` of type `from` as a `to`.
pub(crate) fn convert(x: Expr<'_>, from: Number, to: Number, rounding: Option<Rounding>) -> Expr<'_> {
    let ty = Type::Scalar(to.scalar);
    let signed = from.kind == Kind::Signed;
    match (from.kind, to.kind) {
        (Kind::Float, Kind::Float) => x.to_float(&ty),
        (Kind::Float, _) if to.scalar == Scalar::Int(1) => x.to_f32().ne(0.0),
        (Kind::Float, kind) => {
            let x = x.to_f32();
            let x = match rounding {
                None | Some(Rounding::TowardsZero) => x,
                Some(Rounding::ToNearestEven) => x.roundeven(),
                Some(Rounding::Up) => x.ceil(),
                Some(Rounding::Down) => x.floor(),
            };
            let operation = if kind == Kind::Signed { "fptosi" } else { "fptoui" };
            x.body.call(&format!("llvm.{operation}.sat.{}.f32", suffix(&ty)), &[x], &ty)
        }
        (_, Kind::Float) if from.scalar == Scalar::Int(1) => {
            let body = x.body;
            select(x, body.float(&ty, 1.0), 0.0)
        }
        (_, Kind::Float) => int_to_float(x, signed, &ty),
        (_, _) if to.scalar == Scalar::Int(1) => x.ne(0),
        (_, _) => x.to_int(&ty, signed),
    }
}

fn int_to_float<'a>(x: Expr<'a>, signed: bool, ty: &Type) -> Expr<'a> {
    let op = if signed { CastOp::SiToFp } else { CastOp::UiToFp };
    // Integers that f32 cannot hold lie beyond the range of half: only bfloat could be rounded twice.
    let x = if ty.scalar() == Some(Scalar::BFloat) && x.bits() > 16 { round_to_odd(x, signed) } else { x };
    x.cast(op, &Type::FLOAT).to_float(ty)
}

/// Shortens `x` to at most 24 significant bits, the last of which is set when anything was cut off.
fn round_to_odd(x: Expr<'_>, signed: bool) -> Expr<'_> {
    let ty = x.ty();
    let magnitude = if signed { select(x.lt(0), -x, x) } else { x };
    let zeros = magnitude.intrinsic("ctlz", &[x.body.int(&Type::I1, 0)]);
    let excess = x.body.int(&ty, x.bits() - 24) - zeros;
    let excess = select(excess.gt(0), excess, 0);
    let cut = magnitude.lshr(excess) << excess;
    let sticky = select(cut.ne(magnitude), x.body.int(&ty, 1) << excess, 0);
    let short = cut | sticky;
    if signed { select(x.lt(0), -short, short) } else { short }
}
