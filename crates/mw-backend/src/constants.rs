//! Values of function constants.

use std::collections::BTreeMap;

/// A value by its bits, zero-extended, in the type that the constant declares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConstantValue {
    /// The bits; a `bool` is 0 or 1.
    pub bits: u64,
    /// Size in bytes of the type: 1, 2, 4 or 8.
    pub size_bytes: u8,
}

/// Values by constant index. Ordered, so that it can be part of a cache key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ConstantValues(pub BTreeMap<u32, ConstantValue>);

impl ConstantValues {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a `bool`.
    pub fn set_bool(&mut self, index: u32, value: bool) -> &mut Self {
        self.set(index, u64::from(value), 1)
    }

    /// Sets an `int`.
    pub fn set_i32(&mut self, index: u32, value: i32) -> &mut Self {
        self.set(index, u64::from(value.cast_unsigned()), 4)
    }

    /// Sets a `uint`.
    pub fn set_u32(&mut self, index: u32, value: u32) -> &mut Self {
        self.set(index, u64::from(value), 4)
    }

    /// Sets a `ushort`.
    pub fn set_u16(&mut self, index: u32, value: u16) -> &mut Self {
        self.set(index, u64::from(value), 2)
    }

    /// Sets a `float`.
    pub fn set_f32(&mut self, index: u32, value: f32) -> &mut Self {
        self.set(index, u64::from(value.to_bits()), 4)
    }

    /// Sets a value of any type by its bits.
    pub fn set(&mut self, index: u32, bits: u64, size_bytes: u8) -> &mut Self {
        self.0.insert(index, ConstantValue { bits, size_bytes });
        self
    }

    /// The value of constant `index`.
    pub fn get(&self, index: u32) -> Option<ConstantValue> {
        self.0.get(&index).copied()
    }
}
