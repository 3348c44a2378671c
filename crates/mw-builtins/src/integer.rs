//! The bodies of integer functions, for one element of 8 to 64 bits.

use mw_air::{BinaryOp, Type};

use crate::expr::{Expr, select};

/// Whether the function is the signed or the unsigned one (`.s`, `.u`; names without either are signed).
pub(crate) type Signed = bool;

fn less<'a>(a: Expr<'a>, b: Expr<'a>, signed: Signed) -> Expr<'a> {
    if signed { a.lt(b) } else { a.ult(b) }
}

fn shift_right<'a>(a: Expr<'a>, count: impl crate::expr::Operand<'a>, signed: Signed) -> Expr<'a> {
    a.binary(if signed { BinaryOp::AShr } else { BinaryOp::LShr }, count)
}

/// Magnitude; the smallest number stays.
pub(crate) fn abs<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    if signed { select(args[0].lt(0), -args[0], args[0]) } else { args[0] }
}

/// Smaller of two.
pub(crate) fn min<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    args[0].intrinsic(if signed { "smin" } else { "umin" }, &[args[1]])
}

/// Greater of two.
pub(crate) fn max<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    args[0].intrinsic(if signed { "smax" } else { "umax" }, &[args[1]])
}

/// Smallest of three.
pub(crate) fn min3<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    min(&[min(args, signed), args[2]], signed)
}

/// Greatest of three.
pub(crate) fn max3<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    max(&[max(args, signed), args[2]], signed)
}

/// Middle one of three.
pub(crate) fn median3<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    let (low, high) = (min(args, signed), max(args, signed));
    max(&[low, min(&[high, args[2]], signed)], signed)
}

/// `min(max(x, low), high)`.
pub(crate) fn clamp<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    min(&[max(args, signed), args[2]], signed)
}

/// Distance, as an unsigned number.
pub(crate) fn abs_diff<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    select(less(args[0], args[1], signed), args[1] - args[0], args[0] - args[1])
}

/// Sum, held at the ends of the range.
pub(crate) fn add_sat<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    args[0].intrinsic(if signed { "sadd.sat" } else { "uadd.sat" }, &[args[1]])
}

/// Difference, held at the ends of the range.
pub(crate) fn sub_sat<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    args[0].intrinsic(if signed { "ssub.sat" } else { "usub.sat" }, &[args[1]])
}

/// `(x + y) >> 1` without overflow.
pub(crate) fn hadd<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    let (x, y) = (args[0], args[1]);
    (x & y) + shift_right(x ^ y, 1, signed)
}

/// `(x + y + 1) >> 1` without overflow.
pub(crate) fn rhadd<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    let (x, y) = (args[0], args[1]);
    (x | y) - shift_right(x ^ y, 1, signed)
}

/// Upper half of the product.
pub(crate) fn mul_hi<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    let (x, y) = (args[0], args[1]);
    let bits = x.bits();
    if bits < 64 {
        let wide = x.to_int(&Type::I64, signed) * y.to_int(&Type::I64, signed);
        return wide.lshr(bits).to_int(&x.ty(), false);
    }
    // Four products of 32-bit halves; the upper halves carry the sign.
    let (x_low, y_low) = (x & 0xffff_ffff, y & 0xffff_ffff);
    let (x_high, y_high) = (shift_right(x, 32, signed), shift_right(y, 32, signed));
    let low = x_low * y_low;
    let middle = x_high * y_low + low.lshr(32);
    let cross = x_low * y_high + (middle & 0xffff_ffff);
    x_high * y_high + shift_right(middle, 32, signed) + shift_right(cross, 32, signed)
}

/// `mul_hi(a, b) + c`.
pub(crate) fn mad_hi<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    mul_hi(args, signed) + args[2]
}

/// `a b + c`, held at the ends of the range.
pub(crate) fn mad_sat<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    let (a, b, c) = (args[0], args[1], args[2]);
    let ty = a.ty();
    let bits = a.bits();
    // The product in two halves, then the addition with its carry.
    let (low, high) = (a * b, mul_hi(args, signed));
    let sum = low + c;
    let carry = sum.ult(low).to_int(&ty, false);
    let c_high = if signed { c.ashr(bits - 1) } else { c.body.int(&ty, 0) };
    let high = high + c_high + carry;
    if signed {
        let fits = high.eq(sum.ashr(bits - 1));
        let largest = c.body.int(&ty, !(-1i64 << (bits - 1)));
        select(fits, sum, largest ^ high.ashr(bits - 1))
    } else {
        select(high.eq(0), sum, -1)
    }
}

/// Product of the low 24 bits, as an i32.
pub(crate) fn mul24<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    let low = |x: Expr<'a>| shift_right(x << 8, 8, signed);
    low(args[0]) * low(args[1])
}

/// `mul24(a, b) + c`.
pub(crate) fn mad24<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    mul24(args, signed) + args[2]
}

/// Zeros above the highest one; the width for zero.
pub(crate) fn clz<'a>(args: &[Expr<'a>], _: Signed) -> Expr<'a> {
    let zero_is_poison = args[0].body.int(&Type::I1, 0);
    args[0].intrinsic("ctlz", &[zero_is_poison])
}

/// Zeros below the lowest one; the width for zero.
pub(crate) fn ctz<'a>(args: &[Expr<'a>], _: Signed) -> Expr<'a> {
    let zero_is_poison = args[0].body.int(&Type::I1, 0);
    args[0].intrinsic("cttz", &[zero_is_poison])
}

/// Number of ones.
pub(crate) fn popcount<'a>(args: &[Expr<'a>], _: Signed) -> Expr<'a> {
    args[0].ctpop()
}

/// Bits in the opposite order.
pub(crate) fn reverse_bits<'a>(args: &[Expr<'a>], _: Signed) -> Expr<'a> {
    args[0].bitreverse()
}

/// Rotation to the left, by any count.
pub(crate) fn rotate<'a>(args: &[Expr<'a>], _: Signed) -> Expr<'a> {
    args[0].intrinsic("fshl", &[args[0], args[1]])
}

/// `x << count`, zero from the width on; the count is unsigned.
fn shift_left_or_zero<'a>(x: Expr<'a>, count: Expr<'a>) -> Expr<'a> {
    select(count.ult(x.bits()), x << count, 0)
}

/// `bits` bits from `offset` on, extended by the sign or by zeros. Counts past the width are outside the
/// specification: the field is cut off at the top.
pub(crate) fn extract_bits<'a>(args: &[Expr<'a>], signed: Signed) -> Expr<'a> {
    let x = args[0];
    let (offset, count) = (args[1].to_int(&x.ty(), false), args[2].to_int(&x.ty(), false));
    let width = x.body.int(&x.ty(), x.bits());
    // Up against the top, then down again; an empty field gives zero.
    let room = width - offset;
    let count = select(count.ult(room), count, room);
    let empty = count.eq(0) | !offset.ult(width);
    let left = x << (room - count);
    select(empty, x.body.int(&x.ty(), 0), shift_right(left, width - count, signed))
}

/// `base` with the field of `bits` bits from `offset` on taken from `insert`.
pub(crate) fn insert_bits<'a>(args: &[Expr<'a>], _: Signed) -> Expr<'a> {
    let (base, insert) = (args[0], args[1]);
    let ty = base.ty();
    let (offset, count) = (args[2].to_int(&ty, false), args[3].to_int(&ty, false));
    let one = base.body.int(&ty, 1);
    let mask = shift_left_or_zero(shift_left_or_zero(one, count) - 1, offset);
    (base & !mask) | (shift_left_or_zero(insert, offset) & mask)
}
