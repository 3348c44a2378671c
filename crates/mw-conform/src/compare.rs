//! Comparing what two engines left in a buffer: bit by bit, but that any NaN equals any NaN.

use serde::{Deserialize, Serialize};

use crate::plan::Element;

/// Where and how two buffers differ.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Difference {
    /// Name of the argument.
    pub argument: String,
    /// First element that differs.
    pub index: usize,
    /// Its value by the interpreter.
    pub expected: String,
    /// Its value by the other engine.
    pub actual: String,
    /// Distance in units in the last place.
    pub ulp: u64,
    /// Elements that differ.
    pub count: usize,
    /// Elements of the buffer.
    pub of: usize,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "`{}`[{}] is {} by the interpreter and {} by the compiled code ({} ULP); {} of {} elements differ",
            self.argument, self.index, self.expected, self.actual, self.ulp, self.count, self.of
        )
    }
}

/// The difference between two contents of a buffer, if there is one.
pub fn difference(argument: &str, element: Element, expected: &[u8], actual: &[u8]) -> Option<Difference> {
    if expected == actual {
        return None;
    }
    let size = element.size();
    let mut found: Option<Difference> = None;
    for (index, (expected, actual)) in expected.chunks(size).zip(actual.chunks(size)).enumerate() {
        let (left, right) = (element.bits(expected), element.bits(actual));
        if element.is_same(left, right) {
            continue;
        }
        match &mut found {
            Some(found) => found.count += 1,
            None => {
                found = Some(Difference {
                    argument: argument.to_owned(),
                    index,
                    expected: element.describe(left),
                    actual: element.describe(right),
                    ulp: element.distance(left, right),
                    count: 1,
                    of: 0,
                });
            }
        }
    }
    if let Some(found) = &mut found {
        found.of = expected.len().div_ceil(size);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nans_are_equal_by_type() {
        let left = [f32::NAN.to_bits(), 7].map(u32::to_le_bytes).concat();
        let right = [f32::NAN.to_bits() | 1, 7].map(u32::to_le_bytes).concat();
        assert_eq!(difference("out", Element::Float, &left, &right), None);
        let as_bits = difference("out", Element::Unsigned(4), &left, &right).unwrap();
        assert_eq!((as_bits.index, as_bits.count, as_bits.of, as_bits.ulp), (0, 1, 2, 1));
    }

    #[test]
    fn zeros_differ_by_sign() {
        let found = difference("out", Element::Float, &0_f32.to_le_bytes(), &(-0_f32).to_le_bytes()).unwrap();
        assert_eq!(found.ulp, 0);
        assert_eq!(found.actual, "-0e0 (0x80000000)");
    }
}
