//! Numbers of Metal's types as bytes in buffers.

use half::{bf16, f16};
use mw_msl::types::{Scalar, Type, TypeId, TypeStore};

/// One scalar.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Float(f64),
    /// Sign- or zero-extended.
    Int(i128),
}

impl Value {
    pub(crate) fn float(self) -> f64 {
        match self {
            Self::Float(x) => x,
            Self::Int(x) => x as f64,
        }
    }

    pub(crate) fn int(self) -> i128 {
        match self {
            Self::Float(x) => x as i128,
            Self::Int(x) => x,
        }
    }
}

/// The number that a type really holds.
pub(crate) fn rounded(scalar: Scalar, value: Value) -> Value {
    decode_scalar(scalar, &encode_scalar(scalar, value))
}

fn encode_scalar(scalar: Scalar, value: Value) -> Vec<u8> {
    match scalar {
        Scalar::Bool => vec![u8::from(value.int() != 0)],
        Scalar::Half => f16::from_f64(value.float()).to_le_bytes().to_vec(),
        Scalar::BFloat => bf16::from_f64(value.float()).to_le_bytes().to_vec(),
        Scalar::Float => (value.float() as f32).to_le_bytes().to_vec(),
        _ => value.int().to_le_bytes()[..scalar.size_bytes() as usize].to_vec(),
    }
}

fn decode_scalar(scalar: Scalar, bytes: &[u8]) -> Value {
    match scalar {
        Scalar::Half => Value::Float(f16::from_le_bytes([bytes[0], bytes[1]]).to_f64()),
        Scalar::BFloat => Value::Float(bf16::from_le_bytes([bytes[0], bytes[1]]).to_f64()),
        Scalar::Float => {
            Value::Float(f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
        }
        _ => {
            let size = scalar.size_bytes() as usize;
            let negative = scalar.is_signed_integer() && bytes[size - 1] & 0x80 != 0;
            let mut wide = [if negative { 0xff } else { 0 }; 16];
            wide[..size].copy_from_slice(&bytes[..size]);
            Value::Int(i128::from_le_bytes(wide))
        }
    }
}

/// Element, number of components, and the position of each in bytes; the size with padding.
pub(crate) struct Layout {
    pub(crate) scalar: Scalar,
    pub(crate) offsets: Vec<usize>,
    pub(crate) size: usize,
}

/// How a type lies in a buffer.
pub(crate) fn layout(types: &TypeStore, id: TypeId) -> Layout {
    let (scalar, columns, rows) = match types.get(id) {
        Type::Scalar(scalar) | Type::Atomic(scalar) => (*scalar, 1, 1),
        Type::Vector(scalar, lanes) => (*scalar, 1, *lanes),
        Type::Matrix { element, columns, rows } => (*element, *columns, *rows),
        other => panic!("{other:?} in a buffer"),
    };
    let element = scalar.size_bytes() as usize;
    let column = element * usize::from(rows.next_power_of_two());
    let offsets = (0..usize::from(columns))
        .flat_map(|c| (0..usize::from(rows)).map(move |r| c * column + r * element))
        .collect();
    Layout { scalar, offsets, size: usize::from(columns) * column }
}

impl Layout {
    pub(crate) fn write(&self, values: &[Value], bytes: &mut [u8]) {
        for (offset, value) in self.offsets.iter().zip(values) {
            let encoded = encode_scalar(self.scalar, *value);
            bytes[*offset..*offset + encoded.len()].copy_from_slice(&encoded);
        }
    }

    pub(crate) fn read(&self, bytes: &[u8]) -> Vec<Value> {
        self.offsets.iter().map(|offset| decode_scalar(self.scalar, &bytes[*offset..])).collect()
    }
}

/// Distance between two numbers in steps of a format; NaN is at NaN, and zeros are one.
pub(crate) fn steps_between(scalar: Scalar, a: f64, b: f64) -> u64 {
    if a == b || a.is_nan() && b.is_nan() {
        return 0;
    }
    if a.is_nan() || b.is_nan() {
        return u64::MAX;
    }
    let ordered = |x: f64| {
        let (bits, sign) = match scalar {
            Scalar::Half => (i64::from(f16::from_f64(x).to_bits()), 0x8000),
            Scalar::BFloat => (i64::from(bf16::from_f64(x).to_bits()), 0x8000),
            _ => (i64::from((x as f32).to_bits()), 0x8000_0000),
        };
        if bits & sign != 0 { sign - bits } else { bits }
    };
    ordered(a).abs_diff(ordered(b))
}
