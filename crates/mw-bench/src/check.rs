//! Judging results: units in the last place, or error over the size of the terms.

use std::path::Path;

use half::{bf16, f16};
use mw_manifest::{Dtype, ManifestError, Tensor, npy};

use crate::case::{Output, Scale};

/// The first element that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Its index, row-major.
    pub index: usize,
    /// What it is.
    pub actual: String,
    /// What it should be.
    pub expected: String,
}

/// How far a result is from what was expected.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Elements compared.
    pub count: usize,
    /// Elements outside of what is allowed.
    pub wrong: usize,
    /// Largest distance in units in the last place.
    pub ulp: u64,
    /// Largest error as a part of the scale; `None` without a scale.
    pub relative: Option<f64>,
    /// The first wrong element.
    pub first: Option<Mismatch>,
}

impl Outcome {
    /// The largest error in the unit that the case judges by.
    pub fn describe(&self, output: &Output) -> String {
        match self.relative {
            Some(relative) if !output.unit.is_empty() => format!("{relative:.1e} {}", output.unit),
            Some(relative) => format!("{relative:.1e}"),
            None if self.ulp == 0 => "exact".to_owned(),
            None => format!("{} ulp", self.ulp),
        }
    }
}

/// Compares a buffer's contents with an output's expectation. Any NaN equals any NaN, and −0 equals +0.
///
/// # Errors
/// A file is missing or has another number of elements.
pub fn check(actual: &Tensor, output: &Output, folder: &Path) -> Result<Outcome, ManifestError> {
    let expected = npy::read(&folder.join(&output.expected))?;
    let scale = match &output.scale {
        None => None,
        Some(Scale::Number(number)) => Some(vec![*number]),
        Some(Scale::File(file)) => Some(reals(&npy::read(&folder.join(file))?)),
    };
    let has_shape = expected.count() == actual.count()
        && scale.as_ref().is_none_or(|scale| scale.len() == 1 || scale.len() == parts(actual));
    if !has_shape {
        return Err(ManifestError::Incomparable {
            actual: actual.describe(),
            expected: expected.describe(),
            reason: "they have different numbers of elements",
        });
    }
    let mut outcome = Outcome { count: actual.count(), ..Outcome::default() };
    if actual.dtype.integer_range().is_some() && expected.dtype.integer_range().is_some() {
        compare_integers(actual, &expected, &mut outcome);
        return Ok(outcome);
    }
    let (found, wanted) = (reals(actual), reals(&expected));
    let parts_of_element = parts(actual) / actual.count().max(1);
    let mut worst = 0.0_f64;
    let mut last_wrong = usize::MAX;
    for (part, (a, e)) in found.iter().zip(&wanted).enumerate() {
        if a == e || (a.is_nan() && e.is_nan()) {
            continue;
        }
        let ulp = ulp_distance(actual.dtype, *a, *e);
        // Both may be equal once what is expected is rounded to the result's type.
        if ulp == 0 {
            continue;
        }
        let error = (a - e).abs();
        let of_scale = scale.as_ref().map(|scale| error / scale[if scale.len() == 1 { 0 } else { part }]);
        let is_within_scale = of_scale.is_some_and(|relative| relative <= output.tolerance);
        outcome.ulp = outcome.ulp.max(ulp);
        worst = worst.max(of_scale.map_or(0.0, |it| if it.is_nan() { f64::INFINITY } else { it }));
        if ulp > output.ulp && !is_within_scale {
            let index = part / parts_of_element;
            if index != last_wrong {
                outcome.wrong += 1;
                last_wrong = index;
            }
            outcome.first.get_or_insert_with(|| Mismatch {
                index,
                actual: format!("{a:e}"),
                expected: format!("{e:e}"),
            });
        }
    }
    outcome.relative = scale.map(|_| worst);
    Ok(outcome)
}

fn compare_integers(actual: &Tensor, expected: &Tensor, outcome: &mut Outcome) {
    for index in 0..actual.count() {
        let a = actual.dtype.read_i128(actual.element(index));
        let e = expected.dtype.read_i128(expected.element(index));
        if a != e {
            outcome.wrong += 1;
            outcome.ulp = outcome.ulp.max(u64::try_from(a.abs_diff(e)).unwrap_or(u64::MAX));
            outcome.first.get_or_insert_with(|| Mismatch {
                index,
                actual: a.to_string(),
                expected: e.to_string(),
            });
        }
    }
}

/// Real numbers of a tensor: two for a complex element.
fn parts(tensor: &Tensor) -> usize {
    if tensor.dtype == Dtype::Complex64 { tensor.count() * 2 } else { tensor.count() }
}

fn reals(tensor: &Tensor) -> Vec<f64> {
    let bytes = &tensor.bytes;
    match tensor.dtype {
        Dtype::F32 | Dtype::Complex64 => {
            bytes.as_chunks().0.iter().map(|it| f64::from(f32::from_le_bytes(*it))).collect()
        }
        Dtype::F16 => bytes.as_chunks().0.iter().map(|it| f16::from_le_bytes(*it).to_f64()).collect(),
        Dtype::Bf16 => bytes.as_chunks().0.iter().map(|it| bf16::from_le_bytes(*it).to_f64()).collect(),
        Dtype::F64 => bytes.as_chunks().0.iter().map(|it| f64::from_le_bytes(*it)).collect(),
        dtype => (0..tensor.count()).map(|index| dtype.read_f64(tensor.element(index))).collect(),
    }
}

/// Steps from `a` to `e`, rounded to the type, among the values of the type. NaN is as far as can be.
fn ulp_distance(dtype: Dtype, a: f64, e: f64) -> u64 {
    if a.is_nan() || e.is_nan() {
        return u64::MAX;
    }
    let place = |value: f64| match dtype {
        Dtype::F16 => place(u64::from(f16::from_f64(value).to_bits()), 16),
        Dtype::Bf16 => place(u64::from(bf16::from_f64(value).to_bits()), 16),
        Dtype::F64 => place(value.to_bits(), 64),
        _ => place(u64::from((value as f32).to_bits()), 32),
    };
    u64::try_from(place(a).abs_diff(place(e))).unwrap_or(u64::MAX)
}

/// Position of a floating-point number among all of its type, in order.
fn place(bits: u64, width: u32) -> i128 {
    let sign = 1_u64 << (width - 1);
    let magnitude = i128::from(bits & (sign - 1));
    if bits & sign == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(expected: &Tensor, scale: Option<&Tensor>) -> std::path::PathBuf {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("mw-bench-check-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        npy::write(&folder.join("e.npy"), expected).unwrap();
        if let Some(scale) = scale {
            npy::write(&folder.join("s.npy"), scale).unwrap();
        }
        folder
    }

    fn f32s(values: &[f32]) -> Tensor {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Tensor { dtype: Dtype::F32, shape: vec![values.len()], bytes }
    }

    fn f64s(values: &[f64]) -> Tensor {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Tensor { dtype: Dtype::F64, shape: vec![values.len()], bytes }
    }

    fn output(ulp: u64, scale: Option<Scale>, tolerance: f64) -> Output {
        let expected = "e.npy".to_owned();
        Output { buffer: String::new(), expected, ulp, scale, tolerance, unit: String::new() }
    }

    #[test]
    fn units_in_the_last_place_are_those_of_the_result() {
        let folder = folder_with(&f64s(&[1.0, 1.0 + 1e-12, f64::NAN, f64::INFINITY, 0.0]), None);
        let near = f32s(&[1.0 + f32::EPSILON, 1.0, f32::NAN, f32::INFINITY, -0.0]);
        assert_eq!(check(&near, &output(1, None, 0.0), &folder).unwrap().wrong, 0);
        let outcome = check(&near, &output(0, None, 0.0), &folder).unwrap();
        assert_eq!((outcome.wrong, outcome.ulp, outcome.first.unwrap().index), (1, 1, 0));
        let far = f32s(&[1.0, 1.0, 0.0, f32::NEG_INFINITY, f32::NAN]);
        assert_eq!(check(&far, &output(1000, None, 0.0), &folder).unwrap().wrong, 3);
    }

    #[test]
    fn errors_are_measured_against_their_own_scale() {
        let folder = folder_with(&f64s(&[0.0, 0.0]), Some(&f64s(&[1.0, 100.0])));
        let found = f32s(&[1e-5, 1e-4]);
        let file = Some(Scale::File("s.npy".to_owned()));
        let outcome = check(&found, &output(0, file.clone(), 1e-6), &folder).unwrap();
        assert_eq!(outcome.wrong, 1);
        assert!((outcome.relative.unwrap() - 1e-5).abs() < 1e-9);
        assert_eq!(check(&found, &output(0, file, 2e-5), &folder).unwrap().wrong, 0);
        let nan = f32s(&[f32::NAN, 0.0]);
        let outcome = check(&nan, &output(0, Some(Scale::Number(1.0)), 1.0), &folder).unwrap();
        assert_eq!((outcome.wrong, outcome.relative), (1, Some(f64::INFINITY)));
    }

    #[test]
    fn integers_are_exact() {
        let tensor = |values: &[i64]| {
            let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            Tensor { dtype: Dtype::I64, shape: vec![values.len()], bytes }
        };
        let folder = folder_with(&tensor(&[i64::MAX, 5]), None);
        let outcome = check(&tensor(&[i64::MAX - 1, 5]), &output(9, None, 0.0), &folder).unwrap();
        assert_eq!((outcome.wrong, outcome.ulp), (1, 1));
        check(&tensor(&[1]), &output(0, None, 0.0), &folder).unwrap_err();
    }
}
