//! Arithmetic on lanes. Each operation is chosen once, outside the loop over lanes.

use mw_air::{FloatPredicate, IntPredicate};

use super::lanes::Lanes;
use crate::number::{self, FloatOp, FloatOp1, Format, IntOp, IntOp1, mask};
use crate::program::{Op, Reg, SignOp};

/// One arm for each variant, so that the operation is a constant inside the loop.
macro_rules! each {
    ($value:expr, $name:ident: [$($path:path),* $(,)?], $body:expr) => {
        match $value {
            $($path => {
                let $name = $path;
                $body
            })*
        }
    };
}

/// Executes an arithmetic operation; gives `false` for any other.
pub(super) fn arithmetic(lanes: &mut Lanes<'_>, op: &Op) -> bool {
    let flushing = lanes.program.flushing;
    match *op {
        Op::Int2 { op, bits, dst, a, b } => int2(lanes, op, bits, dst, a, b),
        Op::Int1 { op, bits, dst, a } => each!(
            op,
            op: [IntOp1::PopCount, IntOp1::LeadingZeros, IntOp1::TrailingZeros, IntOp1::ReverseBits,
                IntOp1::SwapBytes, IntOp1::Abs],
            lanes.map1(dst, a, |x| number::int1(op, bits, x))
        ),
        Op::Funnel { left, bits, dst, a, b, c } => {
            lanes.map3(dst, [a, b, c], |x, y, z| number::funnel(left, bits, x, y, z));
        }
        Op::Float2 { op, format, dst, a, b } => float2(lanes, op, format, flushing, dst, a, b),
        Op::Float1 { op, format, dst, a } => each!(
            op,
            op: [FloatOp1::Sqrt, FloatOp1::Floor, FloatOp1::Ceil, FloatOp1::Trunc, FloatOp1::RoundEven,
                FloatOp1::Round],
            lanes.map1(dst, a, |x| number::float1(op, format, flushing, x))
        ),
        Op::Fma { format, dst, a, b, c } => each!(
            format,
            format: [Format::Half, Format::BFloat, Format::Float, Format::Double],
            lanes.map3(dst, [a, b, c], |x, y, z| number::fma(format, flushing, x, y, z))
        ),
        Op::Sign { op, bits, dst, a, b } => {
            let sign = 1_u64 << (bits - 1);
            match op {
                SignOp::Negate => lanes.map1(dst, a, |x| x ^ sign),
                SignOp::Absolute => lanes.map1(dst, a, |x| x & !sign),
                SignOp::Copy => lanes.map2(dst, a, b, |x, y| x & !sign | y & sign),
            }
        }
        Op::IntCompare { predicate, bits, dst, a, b } => each!(
            predicate,
            predicate: [IntPredicate::Eq, IntPredicate::Ne, IntPredicate::Ugt, IntPredicate::Uge,
                IntPredicate::Ult, IntPredicate::Ule, IntPredicate::Sgt, IntPredicate::Sge,
                IntPredicate::Slt, IntPredicate::Sle],
            lanes.map2(dst, a, b, |x, y| u64::from(number::int_compare(predicate, bits, x, y)))
        ),
        Op::FloatCompare { predicate, format, dst, a, b } => {
            float_compare(lanes, predicate, format, flushing, dst, a, b);
        }
        Op::Select { dst, condition, a, b } => select(lanes, dst, condition, a, b),
        Op::Freeze { dst, a } => {
            let row = *lanes.row(a);
            lanes.put(dst, &row, 0);
        }
        Op::Truncate { bits, dst, a } => {
            let keep = mask(bits);
            lanes.map1(dst, a, |x| x & keep);
        }
        Op::SignExtend { from, to, dst, a } => {
            let keep = mask(to);
            lanes.map1(dst, a, |x| number::signed(x, from) as u64 & keep);
        }
        Op::FloatToFloat { from, to, dst, a } => {
            lanes.map1(dst, a, |x| number::float_to_float(from, to, flushing, x));
        }
        Op::FloatToInt { format, bits, signed, dst, a } => {
            lanes.map1(dst, a, |x| number::float_to_int(format, bits, signed, x));
        }
        Op::IntToFloat { bits, signed, format, dst, a } => {
            lanes.map1(dst, a, |x| number::int_to_float(bits, signed, format, x));
        }
        Op::Index { bits, dst, base, index, stride, offset } => {
            lanes.map2(dst, base, index, |base, index| {
                let distance = number::signed(index, bits).wrapping_mul(stride).wrapping_add(offset);
                base.wrapping_add(distance as u64)
            });
        }
        Op::Offset { dst, base, offset } => lanes.map1(dst, base, |base| base.wrapping_add(offset as u64)),
        _ => return false,
    }
    true
}

fn int2(lanes: &mut Lanes<'_>, op: IntOp, bits: u8, dst: Reg, a: Reg, b: Reg) {
    each!(
        op,
        op: [IntOp::Add, IntOp::Sub, IntOp::Mul, IntOp::UDiv, IntOp::SDiv, IntOp::URem, IntOp::SRem,
            IntOp::Shl, IntOp::LShr, IntOp::AShr, IntOp::And, IntOp::Or, IntOp::Xor, IntOp::UMin,
            IntOp::UMax, IntOp::SMin, IntOp::SMax, IntOp::UAddSat, IntOp::USubSat, IntOp::SAddSat,
            IntOp::SSubSat],
        lanes.map2(dst, a, b, |x, y| number::int2(op, bits, x, y))
    );
    match op {
        IntOp::And => lanes.decide(dst, a, b, 0),
        IntOp::Or => lanes.decide(dst, a, b, mask(bits)),
        _ => {}
    }
}

fn float2(lanes: &mut Lanes<'_>, op: FloatOp, format: Format, flushing: bool, dst: Reg, a: Reg, b: Reg) {
    if format == Format::Float {
        each!(
            op,
            op: [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div, FloatOp::Rem, FloatOp::Min,
                FloatOp::Max],
            lanes.map2(dst, a, b, |x, y| number::float2(op, Format::Float, flushing, x, y))
        );
    } else {
        lanes.map2(dst, a, b, |x, y| number::float2(op, format, flushing, x, y));
    }
}

fn float_compare(
    lanes: &mut Lanes<'_>,
    predicate: FloatPredicate,
    format: Format,
    flushing: bool,
    dst: Reg,
    a: Reg,
    b: Reg,
) {
    if format == Format::Float {
        each!(
            predicate,
            predicate: [FloatPredicate::False, FloatPredicate::Oeq, FloatPredicate::Ogt,
                FloatPredicate::Oge, FloatPredicate::Olt, FloatPredicate::Ole, FloatPredicate::One,
                FloatPredicate::Ord, FloatPredicate::Uno, FloatPredicate::Ueq, FloatPredicate::Ugt,
                FloatPredicate::Uge, FloatPredicate::Ult, FloatPredicate::Ule, FloatPredicate::Une,
                FloatPredicate::True],
            lanes.map2(dst, a, b, |x, y| {
                u64::from(number::float_compare(predicate, Format::Float, flushing, x, y))
            })
        );
    } else {
        lanes.map2(dst, a, b, |x, y| u64::from(number::float_compare(predicate, format, flushing, x, y)));
    }
}

fn select(lanes: &mut Lanes<'_>, dst: Reg, condition: Reg, a: Reg, b: Reg) {
    let (chosen, x, y) = (*lanes.row(condition), *lanes.row(a), *lanes.row(b));
    let mut values = y;
    let mut first = 0_u32;
    for lane in 0..values.len() {
        if chosen[lane] != 0 {
            values[lane] = x[lane];
            first |= 1 << lane;
        }
    }
    let undef = lanes.undef(condition) | lanes.undef(a) & first | lanes.undef(b) & !first;
    lanes.put(dst, &values, undef);
}
