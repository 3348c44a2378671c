//! Functions among the lanes of simdgroups and quadgroups.

use crate::program::{describe, overloads, run_call, safe};
use crate::value::{Layout, Value, layout, rounded};
use mw_msl::ast::MathMode;
use mw_msl::stdlib::{Candidate, LibraryNamespace};
use mw_msl::types::{Scalar, TypeStore};

/// Two simdgroups.
const THREADS: usize = 64;

/// The number that lane `thread` has in component `component` of parameter `index`: small, so that products
/// stay exact.
fn number(scalar: Scalar, index: usize, thread: usize, component: usize, is_product: bool) -> Value {
    let value = if is_product {
        // Mostly ones.
        [1, 1, 2, 1, 1, 1, 1, 1][(thread + component + 3 * index) % 8]
    } else {
        ((thread * 5 + component * 3 + index * 11) % 23) as i128 + 1
    };
    rounded(scalar, if scalar.is_float() { Value::Float(value as f64) } else { Value::Int(value) })
}

fn reduce(name: &str, values: &[f64]) -> f64 {
    let bits = |f: fn(u64, u64) -> u64| values.iter().map(|x| *x as u64).reduce(f).unwrap_or(0) as f64;
    match name {
        "sum" => values.iter().sum(),
        "product" => values.iter().product(),
        "min" => values.iter().copied().fold(f64::INFINITY, f64::min),
        "max" => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        "and" => bits(|a, b| a & b),
        "or" => bits(|a, b| a | b),
        "xor" => bits(|a, b| a ^ b),
        other => panic!("{other}"),
    }
}

/// What lane `lane` of a group gets; `None` where the specification leaves it open. `second` is the filling
/// of `…_and_fill_…`.
fn expected(
    op: &str,
    lane: usize,
    data: &[f64],
    second: &[f64],
    operand: usize,
    modulo: usize,
) -> Option<f64> {
    let size = data.len();
    let at = |index: usize| data.get(index).copied();
    if let Some(prefix) = op.strip_prefix("prefix_") {
        let (kind, op) = prefix.split_once('_')?;
        let end = if kind == "inclusive" { lane + 1 } else { lane };
        return Some(reduce(op, &data[..end]));
    }
    match op {
        "broadcast" | "shuffle" => at(operand),
        "broadcast_first" => at(0),
        "shuffle_xor" => at(lane ^ operand),
        "shuffle_up" => lane.checked_sub(operand).and_then(at),
        "shuffle_down" => at(lane + operand),
        "shuffle_rotate_up" => at((lane + size - operand) % size),
        "shuffle_rotate_down" => at((lane + operand) % size),
        "shuffle_and_fill_up" => {
            let (base, within) = (lane / modulo * modulo, lane % modulo);
            Some(if within >= operand {
                data[lane - operand]
            } else {
                second[base + modulo - operand + within]
            })
        }
        "shuffle_and_fill_down" => {
            let (base, within) = (lane / modulo * modulo, lane % modulo);
            Some(if within + operand < modulo {
                data[lane + operand]
            } else {
                second[base + within + operand - modulo]
            })
        }
        other => Some(reduce(other, data)),
    }
}

/// Runs an overload on numbers; `lanes` are the values of its lane operands, by thread.
fn check_numbers(types: &TypeStore, candidate: &Candidate, op: &str, size: usize) {
    let what = describe(candidate, types);
    let shapes: Vec<Layout> =
        candidate.parameters.iter().map(|parameter| layout(types, parameter.ty)).collect();
    let data_parameters = if op.contains("and_fill") { 2 } else { 1 };
    let operand_of = |thread: usize| match op {
        "shuffle" => (thread * 7 + 3) % size,
        "broadcast" => size - 2,
        "shuffle_xor" => size / 2 + 1,
        _ => 1,
    };
    let modulo = if candidate.parameters.len() == 4 { size / 2 } else { size };
    let is_product = op.contains("product");
    let inputs: Vec<Vec<Vec<Value>>> = shapes
        .iter()
        .enumerate()
        .map(|(index, shape)| {
            (0..THREADS)
                .map(|thread| {
                    (0..shape.offsets.len())
                        .map(|component| match index {
                            index if index < data_parameters => {
                                number(shape.scalar, index, thread, component, is_product)
                            }
                            index if index == data_parameters => Value::Int(operand_of(thread) as i128),
                            _ => Value::Int(modulo as i128),
                        })
                        .collect()
                })
                .collect()
        })
        .collect();
    let outcome = run_call(types, candidate, MathMode::Safe, &inputs, &safe());
    let scalar = shapes[0].scalar;
    for (thread, result) in outcome.result.iter().enumerate() {
        let base = thread / size * size;
        for (component, have) in result.iter().enumerate() {
            let column = |index: usize| -> Vec<f64> {
                (base..base + size).map(|lane| inputs[index][lane][component].float()).collect()
            };
            let data = column(0);
            let second = if data_parameters == 2 { column(1) } else { Vec::new() };
            let Some(value) = expected(op, thread - base, &data, &second, operand_of(thread), modulo) else {
                continue;
            };
            let value = if scalar.is_float() { Value::Float(value) } else { Value::Int(value as i128) };
            let want = rounded(scalar, value).float();
            assert_eq!(have.float(), want, "{what}: thread {thread}, component {component} of {data:?}");
        }
    }
}

const OPS: [&str; 22] = [
    "sum",
    "product",
    "min",
    "max",
    "and",
    "or",
    "xor",
    "prefix_inclusive_sum",
    "prefix_exclusive_sum",
    "prefix_inclusive_product",
    "prefix_exclusive_product",
    "broadcast",
    "broadcast_first",
    "shuffle",
    "shuffle_up",
    "shuffle_down",
    "shuffle_rotate_up",
    "shuffle_rotate_down",
    "shuffle_xor",
    "shuffle_and_fill_up",
    "shuffle_and_fill_down",
    "sum",
];

#[test]
fn simdgroup_functions_on_numbers() {
    for op in OPS {
        let mut types = TypeStore::default();
        for candidate in overloads(LibraryNamespace::Metal, &format!("simd_{op}"), &mut types) {
            check_numbers(&types, &candidate, op, 32);
        }
    }
}

#[test]
fn quadgroup_functions_on_numbers() {
    for op in OPS {
        let mut types = TypeStore::default();
        for candidate in overloads(LibraryNamespace::Metal, &format!("quad_{op}"), &mut types) {
            check_numbers(&types, &candidate, op, 4);
        }
    }
}

/// Results of a function of a predicate that `holds` says.
fn votes(space: LibraryNamespace, name: &str, holds: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut types = TypeStore::default();
    let candidate = overloads(space, name, &mut types).remove(0);
    let input: Vec<Vec<Value>> = (0..THREADS).map(|thread| vec![Value::Int(holds(thread).into())]).collect();
    let inputs = if candidate.parameters.is_empty() { Vec::new() } else { vec![input] };
    let outcome = run_call(&types, &candidate, MathMode::Safe, &inputs, &safe());
    outcome.result.iter().map(|result| result[0].int() as u64).collect()
}

#[test]
fn votes_and_masks() {
    let metal = LibraryNamespace::Metal;
    let predicate = |thread: usize| thread % 3 == 1 || (32..36).contains(&thread);
    for (name, size) in [("simd", 32), ("quad", 4)] {
        let all = votes(metal, &format!("{name}_all"), predicate);
        let any = votes(metal, &format!("{name}_any"), predicate);
        let ballot = votes(LibraryNamespace::Global, &format!("__metal_{name}_ballot"), predicate);
        for thread in 0..THREADS {
            let base = thread / size * size;
            let group: Vec<bool> = (base..base + size).map(predicate).collect();
            assert_eq!(all[thread] != 0, group.iter().all(|x| *x), "{name}_all in {thread}");
            assert_eq!(any[thread] != 0, group.iter().any(|x| *x), "{name}_any in {thread}");
            let mask = group.iter().enumerate().fold(0, |mask, (lane, x)| mask | u64::from(*x) << lane);
            assert_eq!(ballot[thread], mask, "{name}_ballot in {thread}");
        }
    }
}

#[test]
fn votes_on_masks() {
    let mut types = TypeStore::default();
    for (name, mask, expected) in [
        ("__metal_simd_vote_all", 0xffff_ffff_i128, 1),
        ("__metal_simd_vote_all", 0xffff_fffe, 0),
        ("__metal_simd_vote_any", 0, 0),
        ("__metal_simd_vote_any", 4, 1),
    ] {
        let candidate = overloads(LibraryNamespace::Global, name, &mut types).remove(0);
        let input = vec![vec![vec![Value::Int(mask)]; 32]];
        let outcome = run_call(&types, &candidate, MathMode::Safe, &input, &safe());
        assert_eq!(outcome.result[0][0].int(), expected, "{name} of {mask:#x}");
    }
}

/// Functions without arguments that matter run in one thread: it is lane 0 of a simdgroup of its own.
#[test]
fn lanes_and_sizes() {
    let mut types = TypeStore::default();
    let mut only = |space, name: &str| {
        let candidate = overloads(space, name, &mut types).remove(0);
        let outcome = run_call(&types, &candidate, MathMode::Safe, &[], &safe());
        outcome.result[0][0].int()
    };
    assert_eq!(only(LibraryNamespace::Metal, "simd_is_first"), 1);
    assert_eq!(only(LibraryNamespace::Metal, "quad_is_first"), 1);
    assert_eq!(only(LibraryNamespace::Global, "__metal_simd_active_threads_mask"), 1);
    for (name, of_lane) in [
        ("__metal_get_simdgroup_size", (|_| 32) as fn(usize) -> i128),
        ("__metal_get_thread_index_in_simdgroup", |thread| thread as i128 % 32),
    ] {
        for candidate in overloads(LibraryNamespace::Global, name, &mut types) {
            let input = vec![vec![vec![Value::Int(0)]; THREADS]];
            let outcome = run_call(&types, &candidate, MathMode::Safe, &input, &safe());
            for (thread, result) in outcome.result.iter().enumerate() {
                assert_eq!(result[0].int(), of_lane(thread), "{name} in {thread}");
            }
        }
    }
}
