//! Functions of whole vectors and matrices, and packing.

use crate::program::{describe, overloads, run_call, safe};
use crate::value::{Value, layout};
use mw_msl::ast::MathMode;
use mw_msl::stdlib::{Candidate, LibraryNamespace};
use mw_msl::types::{Scalar, Type, TypeStore};

const THREADS: usize = 32;

/// A small number without pattern, the same in every format.
fn number(seed: usize) -> f64 {
    let mixed = (seed as u64 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    (mixed % 33) as f64 / 8.0 - 2.0
}

fn floats(values: &[Value]) -> Vec<f64> {
    values.iter().map(|value| value.float()).collect()
}

/// Runs a row's overloads with small numbers and compares all components with `compute`.
fn check(name: &str, tolerance: f64, compute: impl Fn(&[Vec<f64>]) -> Vec<f64>) {
    for (space, mode) in [(LibraryNamespace::Metal, MathMode::Safe), (LibraryNamespace::Fast, MathMode::Fast)]
    {
        let mut types = TypeStore::default();
        let Some(found) = mw_msl::stdlib::candidates(space, name, &mut types) else {
            assert_eq!(space, LibraryNamespace::Fast, "no {name}");
            continue;
        };
        for candidate in found {
            let what = describe(&candidate, &types);
            let inputs: Vec<Vec<Vec<Value>>> = candidate
                .parameters
                .iter()
                .enumerate()
                .map(|(index, parameter)| {
                    let count = layout(&types, parameter.ty).offsets.len();
                    (0..THREADS)
                        .map(|thread| {
                            (0..count)
                                .map(|component| {
                                    let seed = 64 * thread + 16 * index + component;
                                    let x = number(seed);
                                    // A ratio of refraction is positive.
                                    Value::Float(if name == "refract" && index == 2 {
                                        x.abs() / 2.0
                                    } else {
                                        x
                                    })
                                })
                                .collect()
                        })
                        .collect()
                })
                .collect();
            let outcome = run_call(&types, &candidate, mode, &inputs, &safe());
            let half = layout(&types, candidate.result.ty).scalar == Scalar::Half;
            for thread in 0..THREADS {
                let arguments: Vec<Vec<f64>> =
                    inputs.iter().map(|parameter| floats(&parameter[thread])).collect();
                let expected = compute(&arguments);
                let scale = expected.iter().fold(1.0, |scale: f64, x| scale.max(x.abs()));
                let room = scale * tolerance * if half { 4e-3 } else { 1e-6 };
                for (have, want) in outcome.result[thread].iter().zip(&expected) {
                    let near = (have.float() - want).abs() <= room || have.float().is_nan() && want.is_nan();
                    assert!(
                        near,
                        "{what} of {arguments:?} is {:?}, not {expected:?}",
                        outcome.result[thread]
                    );
                }
                assert_eq!(outcome.result[thread].len(), expected.len(), "{what}");
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[test]
fn geometric_functions() {
    check("dot", 4.0, |x| vec![dot(&x[0], &x[1])]);
    check("length", 4.0, |x| vec![length(&x[0])]);
    check("length_squared", 4.0, |x| vec![dot(&x[0], &x[0])]);
    check("distance", 4.0, |x| vec![length(&minus(&x[0], &x[1]))]);
    check("distance_squared", 4.0, |x| {
        let d = minus(&x[0], &x[1]);
        vec![dot(&d, &d)]
    });
    check("normalize", 4.0, |x| x[0].iter().map(|c| c / length(&x[0])).collect());
    check("cross", 8.0, |x| {
        let (a, b) = (&x[0], &x[1]);
        vec![a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    });
    check("faceforward", 0.0, |x| {
        let sign = if dot(&x[1], &x[2]) < 0.0 { 1.0 } else { -1.0 };
        x[0].iter().map(|c| sign * c).collect()
    });
    check("reflect", 32.0, |x| {
        let factor = 2.0 * dot(&x[1], &x[0]);
        x[0].iter().zip(&x[1]).map(|(i, n)| i - factor * n).collect()
    });
}

#[test]
fn refraction() {
    check("refract", 200.0, |x| {
        let (i, n, eta) = (&x[0], &x[1], x[2][0]);
        let cosine = dot(n, i);
        let k = 1.0 - eta * eta * (1.0 - cosine * cosine);
        let direction = |(i, n): (&f64, &f64)| {
            if k < 0.0 { 0.0 } else { eta * i - (eta * cosine + k.sqrt()) * n }
        };
        i.iter().zip(n).map(direction).collect()
    });
}

fn determinant(m: &[Vec<f64>]) -> f64 {
    if m.len() == 1 {
        return m[0][0];
    }
    (0..m.len())
        .map(|column| {
            let rest: Vec<Vec<f64>> =
                (0..m.len()).filter(|c| *c != column).map(|c| m[c][1..].to_vec()).collect();
            let term = m[column][0] * determinant(&rest);
            if column % 2 == 0 { term } else { -term }
        })
        .sum()
}

#[test]
fn matrix_functions() {
    check("determinant", 200.0, |x| {
        let side = x[0].len().isqrt();
        let columns: Vec<Vec<f64>> = x[0].chunks(side).map(<[f64]>::to_vec).collect();
        vec![determinant(&columns)]
    });
    let mut types = TypeStore::default();
    for candidate in overloads(LibraryNamespace::Metal, "transpose", &mut types) {
        let Type::Matrix { columns, rows, .. } = *types.get(candidate.parameters[0].ty) else {
            panic!("transpose of no matrix");
        };
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        let input: Vec<Value> = (0..columns * rows).map(|index| Value::Float(index as f64)).collect();
        let outcome = run_call(&types, &candidate, MathMode::Safe, &[vec![input]], &safe());
        for column in 0..columns {
            for row in 0..rows {
                let have = outcome.result[0][row * columns + column].float();
                assert_eq!(have, (column * rows + row) as f64, "{}", describe(&candidate, &types));
            }
        }
    }
}

#[test]
fn all_and_any() {
    let mut types = TypeStore::default();
    for name in ["all", "any"] {
        for candidate in overloads(LibraryNamespace::Metal, name, &mut types) {
            let lanes = layout(&types, candidate.parameters[0].ty).offsets.len();
            let input: Vec<Vec<Value>> = (0..1_usize << lanes)
                .map(|bits| (0..lanes).map(|lane| Value::Int((bits >> lane & 1) as i128)).collect())
                .collect();
            let outcome = run_call(&types, &candidate, MathMode::Safe, std::slice::from_ref(&input), &safe());
            for (bits, result) in outcome.result.iter().enumerate() {
                let expected = if name == "all" { bits == (1 << lanes) - 1 } else { bits != 0 };
                assert_eq!(result[0].int() != 0, expected, "{name} of {:?}", input[bits]);
            }
        }
    }
}

/// The formats: a part of the name, and the width of each component.
const FORMATS: [(&str, &[u32]); 3] =
    [("4x8", &[8, 8, 8, 8]), ("2x16", &[16, 16]), ("10a2", &[10, 10, 10, 2])];

fn only(name: &str, types: &mut TypeStore) -> Candidate {
    overloads(LibraryNamespace::Metal, name, types).remove(0)
}

fn packed(name: &str, values: &[f64]) -> u32 {
    let mut types = TypeStore::default();
    let candidate = only(name, &mut types);
    let input = vec![vec![values.iter().map(|x| Value::Float(*x)).collect()]];
    run_call(&types, &candidate, MathMode::Safe, &input, &safe()).result[0][0].int() as u32
}

fn unpacked(name: &str, bits: u32) -> Vec<f64> {
    let mut types = TypeStore::default();
    let candidate = only(name, &mut types);
    let input = vec![vec![vec![Value::Int(bits.into())]]];
    floats(&run_call(&types, &candidate, MathMode::Safe, &input, &safe()).result[0])
}

fn to_srgb(c: f64) -> f64 {
    if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
}

#[test]
fn packing() {
    let values = [0.25, 1.5, -0.75, f64::NAN];
    for row in mw_msl::stdlib::table::ROWS {
        let name = row.name;
        if !name.starts_with("pack_") || name.contains("565") {
            continue;
        }
        let (_, widths) = FORMATS.iter().find(|(part, _)| name.contains(part)).expect("a format");
        let signed = name.contains("snorm");
        let mut expected = 0_u32;
        let mut position = 0;
        for (index, (width, value)) in widths.iter().zip(values).enumerate() {
            let value = if value.is_nan() { 0.0 } else { value };
            let value = if name.contains("srgb") && index < 3 { to_srgb(value) } else { value };
            let scale = f64::from((1_u32 << (width - u32::from(signed))) - 1);
            let held = value.clamp(if signed { -1.0 } else { 0.0 }, 1.0);
            let bits = (held * scale).round_ties_even() as i32 as u32 & ((1 << width) - 1);
            expected |= bits << position;
            position += width;
        }
        assert_eq!(packed(name, &values[..widths.len()]), expected, "{name}");
    }
}

#[test]
fn unpacking() {
    for bits in [0x8001_7fff_u32, 0xff80_40c3, 0, u32::MAX, 0x1234_5678] {
        for row in mw_msl::stdlib::table::ROWS {
            let name = row.name;
            if !name.starts_with("unpack_") || name.contains("565") {
                continue;
            }
            let (_, widths) = FORMATS.iter().find(|(part, _)| name.contains(part)).expect("a format");
            let signed = name.contains("snorm");
            let mut position = 0;
            let mut expected = Vec::new();
            for (index, width) in widths.iter().enumerate() {
                let field = i64::from(bits >> position) & ((1 << width) - 1);
                let value = if signed {
                    let number = if field >> (width - 1) == 1 { field - (1 << width) } else { field };
                    (number as f64 / f64::from((1_u32 << (width - 1)) - 1)).max(-1.0)
                } else {
                    field as f64 / f64::from((1_u32 << width) - 1)
                };
                let value = if name.contains("srgb") && index < 3 {
                    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
                } else {
                    value
                };
                expected.push(value);
                position += width;
            }
            let room = if name.ends_with("half") { 1e-3 } else { 1e-6 };
            let have = unpacked(name, bits);
            let near = have.iter().zip(&expected).all(|(have, want)| (have - want).abs() <= room);
            assert!(near && have.len() == expected.len(), "{name} of {bits:#x}: {have:?}, not {expected:?}");
        }
    }
}
