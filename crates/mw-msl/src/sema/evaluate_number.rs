//! Constant evaluation: numbers as their types hold them, and what operators and the library make of them.

use super::evaluate::Value;
use crate::ast::BinaryOp;
use crate::hir::Constant;
use crate::types::Scalar;

pub(crate) fn int(value: &Value) -> i128 {
    match value {
        Value::Int(value) => *value,
        Value::Float(value) => *value as i128,
        Value::Pointer(_) | Value::Function(_) => 1,
        _ => 0,
    }
}

pub(crate) fn float(value: &Value) -> f64 {
    match value {
        Value::Float(value) => *value,
        Value::Int(value) => *value as f64,
        _ => 0.0,
    }
}

pub(crate) fn scalar_value(value: &Value, scalar: Scalar) -> Value {
    if scalar.is_float() { Value::Float(float(value)) } else { Value::Int(int(value)) }
}

pub(crate) fn convert_value(value: &Value, from: Scalar, to: Scalar) -> Value {
    if from.is_float() {
        let number = float(value);
        return if to.is_float() {
            Value::Float(round(number, to))
        } else if to == Scalar::Bool {
            Value::Int(i128::from(number != 0.0))
        } else {
            Value::Int(saturate(number, to))
        };
    }
    let number = int(value);
    if to.is_float() { Value::Float(round_integer(number, to)) } else { Value::Int(wrap(number, to)) }
}

/// A float as an integer: out of range it stops at the ends, as GPUs do.
fn saturate(value: f64, to: Scalar) -> i128 {
    if value.is_nan() {
        return 0;
    }
    let bits = 8 * to.size_bytes() as u32;
    let (low, high) = if to.is_signed_integer() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    (value as i128).clamp(low, high)
}

/// An integer in the range of a type.
pub(crate) fn wrap(value: i128, scalar: Scalar) -> i128 {
    match scalar {
        Scalar::Bool => i128::from(value != 0),
        Scalar::Char => i128::from(value as i8),
        Scalar::UChar => i128::from(value as u8),
        Scalar::Short => i128::from(value as i16),
        Scalar::UShort => i128::from(value as u16),
        Scalar::Int => i128::from(value as i32),
        Scalar::UInt => i128::from(value as u32),
        Scalar::Long => i128::from(value as i64),
        Scalar::ULong => i128::from(value as u64),
        Scalar::Half | Scalar::BFloat | Scalar::Float => value,
    }
}

/// A number rounded to a floating-point type, to the nearest and even.
pub(crate) fn round(value: f64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Float => f64::from(value as f32),
        Scalar::Half => round_bits(value, 11, -14, 65504.0),
        Scalar::BFloat => round_bits(value, 8, -126, f64::from(f32::from_bits(0x7f7f_0000))),
        _ => value,
    }
}

fn round_integer(value: i128, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Float => f64::from(value as f32),
        _ => round(value as f64, scalar),
    }
}

/// Rounds to a precision in bits; numbers below the least exponent lose bits.
fn round_bits(value: f64, precision: i32, least: i32, most: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let unit = exponent.max(least) - (precision - 1);
    let scale = 2f64.powi(unit);
    let rounded = (value / scale).round_ties_even() * scale;
    if rounded.abs() > most { f64::INFINITY.copysign(value) } else { rounded }
}

pub(crate) fn bits_of(value: &Value, scalar: Scalar) -> u128 {
    if scalar.is_float() {
        let number = float(value);
        return match scalar {
            Scalar::Float => u128::from((number as f32).to_bits()),
            Scalar::BFloat => u128::from((number as f32).to_bits() >> 16),
            _ => u128::from(half_bits(number)),
        };
    }
    let width = 8 * scalar.size_bytes();
    (int(value) as u128) & ((1u128 << width) - 1)
}

pub(crate) fn value_of_bits(bits: u128, scalar: Scalar) -> Value {
    match scalar {
        Scalar::Float => Value::Float(f64::from(f32::from_bits(bits as u32))),
        Scalar::BFloat => Value::Float(f64::from(f32::from_bits((bits as u32) << 16))),
        Scalar::Half => Value::Float(half_value(bits as u16)),
        _ => Value::Int(wrap(bits as i128, scalar)),
    }
}

fn half_bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let value = round(value, Scalar::Half).abs();
    if value.is_nan() {
        return sign | 0x7e00;
    }
    if value.is_infinite() {
        return sign | 0x7c00;
    }
    if value < 2f64.powi(-14) {
        return sign | (value * 2f64.powi(24)) as u16;
    }
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let fraction = ((value / 2f64.powi(exponent) - 1.0) * 1024.0) as u16;
    sign | (((exponent + 15) as u16) << 10) | fraction
}

fn half_value(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from((bits >> 10) & 0x1f), f64::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

pub(crate) fn operate(op: BinaryOp, scalar: Scalar, a: &Value, b: &Value) -> Option<Value> {
    if scalar.is_float() {
        let (x, y) = (float(a), float(b));
        let number = |value: f64| Some(Value::Float(round(value, scalar)));
        let truth = |value: bool| Some(Value::Int(i128::from(value)));
        return match op {
            BinaryOp::Add => number(x + y),
            BinaryOp::Sub => number(x - y),
            BinaryOp::Mul => number(x * y),
            BinaryOp::Div => number(x / y),
            BinaryOp::Equal => truth(x == y),
            BinaryOp::NotEqual => truth(x != y),
            BinaryOp::Less => truth(x < y),
            BinaryOp::LessEqual => truth(x <= y),
            BinaryOp::Greater => truth(x > y),
            BinaryOp::GreaterEqual => truth(x >= y),
            _ => None,
        };
    }
    integer_operation(op, int(a), int(b), scalar).map(|constant| match constant {
        Constant::Bool(value) => Value::Int(i128::from(value)),
        Constant::Int(value) => Value::Int(value),
        _ => Value::Zero,
    })
}

/// An operation on integers of one type; none if it has no value.
pub(crate) fn integer_operation(op: BinaryOp, a: i128, b: i128, scalar: Scalar) -> Option<Constant> {
    let bits = 8 * scalar.size_bytes() as i128;
    let number = |value: i128| Some(Constant::Int(wrap(value, scalar)));
    match op {
        BinaryOp::Add => number(a + b),
        BinaryOp::Sub => number(a - b),
        BinaryOp::Mul => number(a.wrapping_mul(b)),
        BinaryOp::Div if b != 0 => number(a / b),
        BinaryOp::Rem if b != 0 => number(a % b),
        BinaryOp::ShiftLeft if (0..bits).contains(&b) => number(a << b),
        BinaryOp::ShiftRight if (0..bits).contains(&b) => number(a >> b),
        BinaryOp::And => number(a & b),
        BinaryOp::Or => number(a | b),
        BinaryOp::Xor => number(a ^ b),
        BinaryOp::LogicalAnd => Some(Constant::Bool(a != 0 && b != 0)),
        BinaryOp::LogicalOr => Some(Constant::Bool(a != 0 || b != 0)),
        BinaryOp::Equal => Some(Constant::Bool(a == b)),
        BinaryOp::NotEqual => Some(Constant::Bool(a != b)),
        BinaryOp::Less => Some(Constant::Bool(a < b)),
        BinaryOp::LessEqual => Some(Constant::Bool(a <= b)),
        BinaryOp::Greater => Some(Constant::Bool(a > b)),
        BinaryOp::GreaterEqual => Some(Constant::Bool(a >= b)),
        _ => None,
    }
}

/// A scalar constant as another scalar type.
pub(crate) fn convert_scalar(constant: &Constant, from: Scalar, to: Scalar) -> Option<Constant> {
    let value = match constant {
        Constant::Bool(value) => Value::Int(i128::from(*value)),
        Constant::Int(value) => Value::Int(*value),
        Constant::Float(value) => Value::Float(*value),
        Constant::Zero => Value::Zero,
        _ => return None,
    };
    Some(match convert_value(&value, from, to) {
        Value::Float(value) => Constant::Float(value),
        value if to == Scalar::Bool => Constant::Bool(int(&value) != 0),
        value => Constant::Int(int(&value)),
    })
}

/// Functions of the library that constant expressions call.
pub(crate) fn library(name: &str, scalar: Scalar, argument: Scalar, values: &[Value]) -> Option<Value> {
    let name = name.strip_prefix("__metal_").or_else(|| name.strip_prefix("__builtin_")).unwrap_or(name);
    let name = name.trim_end_matches("ll").trim_end_matches('l');
    let first = values.first()?;
    if scalar.is_float() {
        let x = float(first);
        let y = values.get(1).map(float);
        let value = match (name, y) {
            ("min" | "fmin", Some(y)) => x.min(y),
            ("max" | "fmax", Some(y)) => x.max(y),
            ("abs" | "fabs", _) => x.abs(),
            ("floor", _) => x.floor(),
            ("ceil", _) => x.ceil(),
            ("trunc", _) => x.trunc(),
            ("sqrt", _) => x.sqrt(),
            ("rint", _) => x.round_ties_even(),
            ("clamp", Some(low)) => x.max(low).min(float(values.get(2)?)),
            _ => return None,
        };
        return Some(Value::Float(round(value, scalar)));
    }
    let x = int(first);
    let y = values.get(1).map(int);
    // The bits are those of the argument, whatever the type of the result.
    let bits = 8 * argument.size_bytes() as u32;
    let unsigned = (x as u128) & ((1u128 << bits) - 1);
    Some(Value::Int(match (name, y) {
        ("min", Some(y)) => x.min(y),
        ("max", Some(y)) => x.max(y),
        ("abs", _) => x.abs(),
        ("clamp", Some(low)) => x.max(low).min(int(values.get(2)?)),
        ("popcount", _) => i128::from(unsigned.count_ones()),
        ("clz", _) => i128::from(unsigned.leading_zeros() - (128 - bits)),
        ("ctz", _) => i128::from(unsigned.trailing_zeros().min(bits)),
        _ => return None,
    }))
}

/// Can a conversion between two types of numbers lose the value?
pub(crate) fn narrows(from: Scalar, to: Scalar, known: Option<&Constant>) -> bool {
    if from == to {
        return false;
    }
    if let Some(constant) = known
        && let Some(converted) = convert_scalar(constant, from, to)
    {
        return match (constant, &converted) {
            (Constant::Int(before), Constant::Int(after)) => before != after,
            (Constant::Int(before), Constant::Float(after)) => *before as f64 != *after,
            // Constants of floating point may be rounded, not overflow.
            (Constant::Float(before), Constant::Float(after)) => before.is_finite() && !after.is_finite(),
            (Constant::Bool(_), _) => false,
            (Constant::Int(before), Constant::Bool(_)) => !(0..=1).contains(before),
            _ => true,
        };
    }
    match (from.is_float(), to.is_float()) {
        (true, true) => to != Scalar::Float,
        (true, false) | (false, true) => true,
        (false, false) => {
            let range = |scalar: Scalar| -> (i128, i128) {
                match scalar {
                    Scalar::Bool => (0, 1),
                    Scalar::Char => (-128, 127),
                    Scalar::UChar => (0, 255),
                    Scalar::Short => (-32768, 32767),
                    Scalar::UShort => (0, 65535),
                    Scalar::Int => (i128::from(i32::MIN), i128::from(i32::MAX)),
                    Scalar::UInt => (0, i128::from(u32::MAX)),
                    Scalar::Long => (i128::from(i64::MIN), i128::from(i64::MAX)),
                    _ => (0, i128::from(u64::MAX)),
                }
            };
            let ((a, b), (c, d)) = (range(from), range(to));
            a < c || b > d
        }
    }
}
