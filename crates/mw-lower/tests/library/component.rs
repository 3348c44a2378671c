//! Functions that work component by component, in every overload.

use crate::program::{describe, overloads, run_call, safe};
use crate::reference::{FLOATS, INTEGERS, TESTS, next_after};
use crate::value::{Value, layout, rounded, steps_between};
use mw_msl::ast::MathMode;
use mw_msl::stdlib::{Candidate, LibraryNamespace};
use mw_msl::types::{Scalar, Type, TypeStore};

/// Threads of each launch; each has other arguments.
const THREADS: usize = 48;

const FLOAT_SAMPLES: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    0.25,
    -0.75,
    3.25,
    -10.3125,
    0.0625,
    7.75,
    -3.0,
    20.5,
    100.0,
    -87.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    0.999,
];

/// Element type of a parameter's value.
fn scalar_of(types: &TypeStore, candidate: &Candidate, index: usize) -> Scalar {
    layout(types, target(types, candidate, index)).scalar
}

fn target(types: &TypeStore, candidate: &Candidate, index: usize) -> mw_msl::types::TypeId {
    match types.get(candidate.parameters[index].ty) {
        Type::Reference { target, .. } | Type::Pointer(target) => target.ty,
        _ => candidate.parameters[index].ty,
    }
}

/// A number for parameter `index`, component `component` of thread `thread`.
fn sample(scalar: Scalar, first: Scalar, name: &str, index: usize, thread: usize, component: usize) -> Value {
    let position = thread + 7 * component + (11 + thread / FLOAT_SAMPLES.len() * 3) * index;
    if scalar.is_float() {
        return rounded(scalar, Value::Float(FLOAT_SAMPLES[position % FLOAT_SAMPLES.len()]));
    }
    let bits = scalar.size_bytes() as u32 * 8;
    // Offset and length of a bit field.
    if index >= 1 && name == "extract_bits" || index >= 2 && name == "insert_bits" {
        return Value::Int((position as u32 % (first.size_bytes() as u32 * 4)).into());
    }
    if name == "ldexp" {
        return Value::Int(position as i128 % 21 - 10);
    }
    let mut state = (position as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state ^= state >> 29;
    let value = match position % 12 {
        0 => 0,
        1 => 1,
        2 => -1,
        3 => 1 << (bits - 1),
        4 => (1 << (bits - 1)) - 1,
        5 => 5,
        _ => i128::from(state),
    };
    rounded(scalar, Value::Int(value))
}

fn inputs(types: &TypeStore, candidate: &Candidate, name: &str) -> Vec<Vec<Vec<Value>>> {
    let first = scalar_of(types, candidate, 0);
    (0..candidate.required)
        .map(|index| {
            let shape = layout(types, target(types, candidate, index));
            (0..THREADS)
                .map(|thread| {
                    (0..shape.offsets.len())
                        .map(|component| sample(shape.scalar, first, name, index, thread, component))
                        .collect()
                })
                .collect()
        })
        .collect()
}

/// Calls `check` with arguments and result of each component of each thread.
fn each_component(
    types: &TypeStore,
    candidate: &Candidate,
    mode: MathMode,
    mut check: impl FnMut(&[Value], Value, &str),
) {
    let name = candidate.id.row().name;
    let given = inputs(types, candidate, name);
    let outcome = run_call(types, candidate, mode, &given, &safe());
    let what = describe(candidate, types);
    for (thread, result) in outcome.result.iter().enumerate() {
        for (component, value) in result.iter().enumerate() {
            let arguments: Vec<Value> = given
                .iter()
                .map(|parameter| {
                    let values = &parameter[thread];
                    values[component.min(values.len() - 1)]
                })
                .collect();
            check(&arguments, *value, &what);
        }
    }
}

fn least_normal(scalar: Scalar) -> f64 {
    if scalar == Scalar::Half { 6.103_515_625e-5 } else { f64::from(f32::MIN_POSITIVE) }
}

fn check_floats(space: LibraryNamespace, prefix: &str, mode: MathMode, extra_tolerance: u64) {
    for reference in FLOATS {
        let mut types = TypeStore::default();
        let name = format!("{prefix}{}", reference.name);
        for candidate in overloads(space, &name, &mut types) {
            let scalar = scalar_of(&types, &candidate, 0);
            if !scalar.is_float() || candidate.parameters.len() != candidate.required {
                continue;
            }
            // The internal form with a flag gets its flag elsewhere.
            let row_parameters = candidate.id.row().signature.split_ascii_whitespace().count() - 1;
            if candidate.parameters.len() != row_parameters {
                continue;
            }
            let mut checked = 0;
            each_component(&types, &candidate, mode, |arguments, result, what| {
                let arguments: Vec<f64> = arguments.iter().map(|argument| argument.float()).collect();
                if !(reference.admits)(&arguments) {
                    return;
                }
                let exact = (reference.compute)(&arguments);
                let expected = rounded(scalar, Value::Float(exact)).float();
                checked += 1;
                // Denormal results may be flushed.
                if expected.abs() < least_normal(scalar) && result.float().abs() <= least_normal(scalar) {
                    return;
                }
                if reference.tolerance == u64::MAX {
                    let room = arguments.iter().map(|x| x.abs()).fold(1.0, f64::max).powi(2)
                        * if scalar == Scalar::Half { 4e-3 } else { 1e-6 };
                    assert!((result.float() - exact).abs() <= room || expected.is_infinite());
                    return;
                }
                let steps = steps_between(scalar, result.float(), expected);
                let tolerance = reference.tolerance + extra_tolerance;
                assert!(
                    steps <= tolerance,
                    "{what} of {arguments:?} is {}, not {expected}: {steps} steps",
                    result.float()
                );
            });
            assert!(checked >= 8, "{name}: only {checked} results were defined");
        }
    }
}

#[test]
fn floating_point_functions() {
    check_floats(LibraryNamespace::Metal, "", MathMode::Safe, 0);
}

#[test]
fn precise_and_fast_forms() {
    check_floats(LibraryNamespace::Precise, "", MathMode::Safe, 0);
    check_floats(LibraryNamespace::Fast, "", MathMode::Fast, 64);
}

#[test]
fn integer_functions() {
    for (name, compute) in INTEGERS {
        let mut types = TypeStore::default();
        let space = if name.starts_with("__") { LibraryNamespace::Global } else { LibraryNamespace::Metal };
        for candidate in overloads(space, name, &mut types) {
            let scalar = scalar_of(&types, &candidate, 0);
            if scalar.is_float() {
                continue;
            }
            let bits = scalar.size_bytes() as u32 * 8;
            let result_scalar = layout(&types, candidate.result.ty).scalar;
            each_component(&types, &candidate, MathMode::Safe, |arguments, result, what| {
                let mut arguments: Vec<i128> = arguments.iter().map(|argument| argument.int()).collect();
                if *name == "clamp" && arguments[1] > arguments[2] {
                    return;
                }
                if *name == "rotate" {
                    arguments[1] = arguments[1].rem_euclid(i128::from(bits));
                }
                let expected = compute(&arguments, bits, scalar.is_signed_integer());
                let expected = rounded(result_scalar, Value::Int(expected)).int();
                assert_eq!(result.int(), expected, "{what} of {arguments:?}");
            });
        }
    }
}

#[test]
fn tests_of_numbers() {
    for (name, answer) in TESTS {
        let mut types = TypeStore::default();
        for candidate in overloads(LibraryNamespace::Metal, name, &mut types) {
            let scalar = scalar_of(&types, &candidate, 0);
            each_component(&types, &candidate, MathMode::Fast, |arguments, result, what| {
                let arguments: Vec<f64> = arguments.iter().map(|argument| argument.float()).collect();
                assert_eq!(result.int() != 0, answer(scalar, &arguments), "{what} of {arguments:?}");
            });
        }
    }
}

#[test]
fn selection_and_negation() {
    let mut types = TypeStore::default();
    for candidate in overloads(LibraryNamespace::Metal, "select", &mut types) {
        each_component(&types, &candidate, MathMode::Safe, |arguments, result, what| {
            let expected = if arguments[2].int() != 0 { arguments[1] } else { arguments[0] };
            let same = result.float().to_bits() == expected.float().to_bits() || result.float().is_nan();
            assert!(same && result.int() == expected.int(), "{what} of {arguments:?}");
        });
    }
    for candidate in overloads(LibraryNamespace::Metal, "not", &mut types) {
        each_component(&types, &candidate, MathMode::Safe, |arguments, result, what| {
            assert_eq!(result.int() != 0, arguments[0].int() == 0, "{what}");
        });
    }
}

#[test]
fn nextafter_steps_once() {
    let mut types = TypeStore::default();
    for candidate in overloads(LibraryNamespace::Metal, "nextafter", &mut types) {
        let scalar = scalar_of(&types, &candidate, 0);
        each_component(&types, &candidate, MathMode::Safe, |arguments, result, what| {
            let (x, y) = (arguments[0].float(), arguments[1].float());
            let expected = next_after(scalar, x, y);
            assert_eq!(steps_between(scalar, result.float(), expected), 0, "{what} of {x}, {y}");
        });
    }
}

#[test]
fn ldexp_scales() {
    let mut types = TypeStore::default();
    for candidate in overloads(LibraryNamespace::Metal, "ldexp", &mut types) {
        let scalar = scalar_of(&types, &candidate, 0);
        each_component(&types, &candidate, MathMode::Safe, |arguments, result, what| {
            let (x, k) = (arguments[0].float(), arguments[1].int());
            let expected = rounded(scalar, Value::Float(x * 2_f64.powi(k as i32))).float();
            assert_eq!(steps_between(scalar, result.float(), expected), 0, "{what} of {x}, {k}");
        });
    }
}

#[test]
fn ilogb_gives_the_exponent() {
    let mut types = TypeStore::default();
    for candidate in overloads(LibraryNamespace::Metal, "ilogb", &mut types) {
        each_component(&types, &candidate, MathMode::Safe, |arguments, result, what| {
            let x = arguments[0].float();
            let expected = if x == 0.0 || x.is_nan() {
                i128::from(i32::MIN)
            } else if x.is_infinite() {
                i128::from(i32::MAX)
            } else {
                x.abs().log2().floor() as i128
            };
            assert_eq!(result.int(), expected, "{what} of {x}");
        });
    }
}

/// Functions with a second result: the stored value is checked with the returned one.
fn check_stored(space: LibraryNamespace, name: &str, check: impl Fn(Scalar, f64, f64, Value, &str)) {
    let mut types = TypeStore::default();
    for candidate in overloads(space, name, &mut types) {
        if candidate.parameters.len() != 2 {
            continue;
        }
        let scalar = scalar_of(&types, &candidate, 0);
        let given = inputs(&types, &candidate, name);
        let outcome = run_call(&types, &candidate, MathMode::Safe, &given, &safe());
        let what = describe(&candidate, &types);
        for ((x, result), stored) in given[0].iter().zip(&outcome.result).zip(&outcome.stored[0]) {
            for ((x, result), stored) in x.iter().zip(result).zip(stored) {
                check(scalar, x.float(), result.float(), *stored, &what);
            }
        }
    }
}

#[test]
fn frexp_takes_apart() {
    for (space, name) in [(LibraryNamespace::Metal, "frexp"), (LibraryNamespace::Global, "__metal_frexp")] {
        check_stored(space, name, |_, x, fraction, exponent, what| {
            if x == 0.0 || !x.is_finite() {
                assert!(fraction == x || x.is_nan() && fraction.is_nan(), "{what} of {x}");
                return;
            }
            assert!((0.5..1.0).contains(&fraction.abs()), "{what} of {x} is {fraction}");
            assert_eq!(fraction * 2_f64.powi(exponent.int() as i32), x, "{what}");
        });
    }
}

#[test]
fn modf_splits() {
    check_stored(LibraryNamespace::Metal, "modf", |_, x, fraction, whole, what| {
        if x.is_nan() {
            assert!(fraction.is_nan(), "{what}");
            return;
        }
        let expected = if x.is_infinite() { 0.0 } else { x - x.trunc() };
        assert_eq!((whole.float(), fraction), (x.trunc(), expected), "{what} of {x}");
        assert_eq!(fraction.is_sign_negative(), x.is_sign_negative(), "{what} of {x}");
    });
}

#[test]
fn sincos_gives_both() {
    check_stored(LibraryNamespace::Metal, "sincos", |scalar, x, sine, cosine, what| {
        if !x.is_finite() {
            return;
        }
        let near = |value: f64, expected: f64| {
            (value - expected).abs() <= if scalar == Scalar::Half { 1e-3 } else { 1e-6 }
        };
        assert!(near(sine, x.sin()) && near(cosine.float(), x.cos()), "{what} of {x}");
    });
}
