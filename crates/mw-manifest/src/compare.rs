//! Comparing a result with what was expected.

use std::fmt;

use crate::Dtype;
use crate::error::ManifestError;
use crate::tensor::Tensor;

/// How far a result may be from what was expected. An element passes when any of the three allows it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// Absolute: |actual − expected| ≤ `absolute` + `relative` · |expected|.
    pub absolute: f64,
    /// Relative.
    pub relative: f64,
    /// Units in the last place of the result's own type.
    pub ulp: u64,
}

impl Tolerance {
    /// Reads `1e-5` (absolute and relative), or `rtol=1e-5,atol=1e-6,ulp=4` in any selection.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(both) = crate::dtype::parse_float::<f64>(text.trim()) {
            return Self { absolute: both, relative: both, ulp: 0 }.checked();
        }
        let mut tolerance = Self::default();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| Self::usage(part))?;
            let number = || crate::dtype::parse_float::<f64>(value.trim()).ok_or_else(|| Self::usage(part));
            match key.trim() {
                "atol" | "absolute" => tolerance.absolute = number()?,
                "rtol" | "relative" => tolerance.relative = number()?,
                "ulp" => tolerance.ulp = value.trim().parse().map_err(|_| Self::usage(part))?,
                _ => return Err(Self::usage(part)),
            }
        }
        tolerance.checked()
    }

    fn usage(part: &str) -> String {
        format!("`{part}` is no tolerance: write `1e-5`, or any of `rtol=1e-5,atol=1e-6,ulp=4`")
    }

    fn checked(self) -> Result<Self, String> {
        // A negative or NaN tolerance would fail every element for no visible reason.
        let is_sound = self.absolute >= 0.0 && self.relative >= 0.0;
        if is_sound { Ok(self) } else { Err("a tolerance is at least 0".to_owned()) }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rtol={},atol={},ulp={}", self.relative, self.absolute, self.ulp)
    }
}

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// Elements compared.
    pub count: usize,
    /// Elements outside the tolerance.
    pub mismatches: usize,
    /// The largest absolute difference; infinite when only one side is NaN.
    pub largest_absolute: f64,
    /// The largest relative difference.
    pub largest_relative: f64,
    /// The largest distance in units in the last place; 0 for integers that are equal.
    pub largest_ulp: u64,
    /// The first element outside the tolerance: index, actual, expected.
    pub first: Option<(usize, String, String)>,
}

impl Comparison {
    /// Whether every element is within the tolerance.
    pub fn passes(&self) -> bool {
        self.mismatches == 0
    }
}

/// Compares element by element. Any NaN equals any NaN, and −0 equals +0.
///
/// The expected tensor may have another element type; it is rounded to the result's type for the distance in
/// units in the last place. Shapes need only have the same number of elements.
pub fn compare(
    actual: &Tensor,
    expected: &Tensor,
    tolerance: Tolerance,
) -> Result<Comparison, ManifestError> {
    if actual.count() != expected.count() {
        return Err(ManifestError::Incomparable {
            actual: actual.describe(),
            expected: expected.describe(),
            reason: "they have different numbers of elements",
        });
    }
    if (actual.dtype == Dtype::Complex64) != (expected.dtype == Dtype::Complex64) {
        return Err(ManifestError::Incomparable {
            actual: actual.describe(),
            expected: expected.describe(),
            reason: "only one of them is complex",
        });
    }
    let mut outcome = Comparison {
        count: actual.count(),
        mismatches: 0,
        largest_absolute: 0.0,
        largest_relative: 0.0,
        largest_ulp: 0,
        first: None,
    };
    // A complex number is compared as two floats; positions are those of the numbers.
    let parts = if actual.dtype == Dtype::Complex64 { 2 } else { 1 };
    for index in 0..actual.count() {
        let mut is_within = true;
        for part in 0..parts {
            let [a, e] = [actual, expected].map(|tensor| Element::of(tensor, index, part));
            let distance = a.distance(&e);
            outcome.largest_absolute = outcome.largest_absolute.max(distance.absolute);
            outcome.largest_relative = outcome.largest_relative.max(distance.relative);
            outcome.largest_ulp = outcome.largest_ulp.max(distance.ulp);
            let allowed = tolerance.absolute + tolerance.relative * e.value.abs();
            is_within &= distance.absolute == 0.0
                || (distance.absolute.is_finite() && distance.absolute <= allowed)
                || (distance.ulp <= tolerance.ulp && a.dtype.is_float());
        }
        if !is_within {
            outcome.mismatches += 1;
            outcome.first.get_or_insert_with(|| {
                let text = |tensor: &Tensor| tensor.dtype.format(tensor.element(index));
                (index, text(actual), text(expected))
            });
        }
    }
    Ok(outcome)
}

/// One real number of a tensor.
struct Element {
    dtype: Dtype,
    value: f64,
    /// Exact, for integer types.
    integer: Option<i128>,
}

struct Distance {
    absolute: f64,
    relative: f64,
    ulp: u64,
}

impl Element {
    fn of(tensor: &Tensor, index: usize, part: usize) -> Self {
        let bytes = tensor.element(index);
        let (dtype, bytes) = match tensor.dtype {
            Dtype::Complex64 => (Dtype::F32, &bytes[part * 4..]),
            dtype => (dtype, bytes),
        };
        let integer = dtype.integer_range().map(|_| dtype.read_i128(bytes));
        Self { dtype, value: dtype.read_f64(bytes), integer }
    }

    fn distance(&self, expected: &Self) -> Distance {
        if let (Some(a), Some(e)) = (self.integer, expected.integer) {
            let difference = a.abs_diff(e);
            let absolute = difference as f64;
            let ulp = u64::try_from(difference).unwrap_or(u64::MAX);
            return Distance { absolute, relative: relative(absolute, e as f64), ulp };
        }
        let (a, e) = (self.value, expected.value);
        if a == e || (a.is_nan() && e.is_nan()) {
            return Distance { absolute: 0.0, relative: 0.0, ulp: 0 };
        }
        let absolute = (a - e).abs();
        // NaN against a number, or infinity against anything else, is as far as can be.
        let absolute = if absolute.is_nan() { f64::INFINITY } else { absolute };
        let ulp = if a.is_nan() || e.is_nan() { u64::MAX } else { self.ulp_to(e) };
        Distance { absolute, relative: relative(absolute, e), ulp }
    }

    /// Steps from this value to `other` among the values of this element's type.
    fn ulp_to(&self, other: f64) -> u64 {
        let place = |value: f64| {
            let mut bytes = Vec::with_capacity(8);
            self.dtype.push_f64(value, &mut bytes);
            bytes.resize(8, 0);
            let bits = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            let sign = 1_u64 << (self.dtype.size() * 8 - 1);
            let magnitude = i128::from(bits & (sign - 1));
            if bits & sign == 0 { magnitude } else { -magnitude }
        };
        if !self.dtype.is_float() {
            return (self.value - other).abs() as u64;
        }
        u64::try_from(place(self.value).abs_diff(place(other))).unwrap_or(u64::MAX)
    }
}

fn relative(absolute: f64, expected: f64) -> f64 {
    if absolute == 0.0 { 0.0 } else { absolute / expected.abs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(dtype: Dtype, texts: &[&str]) -> Tensor {
        let mut bytes = Vec::new();
        for text in texts {
            dtype.push_text(text, &mut bytes).unwrap();
        }
        Tensor { dtype, shape: vec![texts.len()], bytes }
    }

    #[test]
    fn each_kind_of_tolerance_allows() {
        let expected = tensor(Dtype::F32, &["1", "1000", "0"]);
        let actual = tensor(Dtype::F32, &["1.0000001", "1000.1", "1e-9"]);
        let mismatches =
            |text| compare(&actual, &expected, Tolerance::parse(text).unwrap()).unwrap().mismatches;
        assert_eq!(mismatches("0"), 3);
        assert_eq!(mismatches("ulp=1"), 2);
        assert_eq!(mismatches("rtol=1e-3"), 1);
        assert_eq!(mismatches("rtol=1e-3,atol=1e-8"), 0);
        assert_eq!(mismatches("1e-3"), 0);
        Tolerance::parse("rtol=-1").unwrap_err();
        Tolerance::parse("near").unwrap_err();
    }

    #[test]
    fn special_values_are_told_apart() {
        let one = |actual: &str, expected: &str| {
            let outcome = compare(
                &tensor(Dtype::F16, &[actual]),
                &tensor(Dtype::F32, &[expected]),
                Tolerance { absolute: 1.0, relative: 0.5, ulp: 3 },
            );
            outcome.unwrap().passes()
        };
        assert!(one("nan", "nan"));
        assert!(one("inf", "inf"));
        assert!(one("-0", "0"));
        assert!(!one("nan", "0"));
        assert!(!one("0", "nan"));
        assert!(!one("inf", "-inf"));
        assert!(!one("inf", "nan"));
        assert!(one("1", "1.0009765625"), "one step of half");
    }

    #[test]
    fn distances_in_steps_cross_zero() {
        let actual = tensor(Dtype::F32, &["1e-45"]);
        let expected = tensor(Dtype::F32, &["-1e-45"]);
        assert_eq!(compare(&actual, &expected, Tolerance::default()).unwrap().largest_ulp, 2);
    }

    #[test]
    fn integers_are_exact_and_the_first_mismatch_is_told() {
        let actual = tensor(Dtype::I64, &["9223372036854775807", "5"]);
        let expected = tensor(Dtype::I64, &["9223372036854775807", "6"]);
        let outcome = compare(&actual, &expected, Tolerance { ulp: 10, ..Tolerance::default() }).unwrap();
        assert_eq!(outcome.first, Some((1, "5".to_owned(), "6".to_owned())));
        let other = tensor(Dtype::I64, &["1"]);
        compare(&actual, &other, Tolerance::default()).unwrap_err();
    }
}
