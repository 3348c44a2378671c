//! Functions on memory: atomics, simdgroup matrices, barriers and fences.

use crate::program::{Builder, constant, describe, overloads, prepare, run, safe};
use crate::value::{Value, layout};
use mw_lower::LowerOptions;
use mw_msl::ast::MathMode;
use mw_msl::hir::Constant;
use mw_msl::stdlib::{Candidate, LibraryNamespace};
use mw_msl::types::{AddressSpace, Scalar, Type, TypeId, TypeStore};

const THREADS: usize = 32;

fn object(types: &TypeStore, candidate: &Candidate) -> (TypeId, Scalar, AddressSpace) {
    match types.get(candidate.parameters[0].ty) {
        Type::Pointer(target) => match types.get(target.ty) {
            Type::Atomic(scalar) => (target.ty, *scalar, target.space),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// One thread calls an atomic function on an object that holds `before` with `operands`; gives what the call
/// gave, and what the object (and the expected value of a comparison) holds afterwards.
fn atomic(
    types: &TypeStore,
    candidate: &Candidate,
    before: i128,
    operands: &[i128],
) -> (Option<i128>, i128, i128) {
    let what = describe(candidate, types);
    let mut types = types.clone();
    let (atomic_ty, scalar, space) = object(&types, candidate);
    let value_ty = types.intern(Type::Scalar(scalar));
    let is_void = matches!(types.get(candidate.result.ty), Type::Void);
    let shape = layout(&types, value_ty);
    let bytes = |value: i128| {
        let mut bytes = vec![0; shape.size];
        shape.write(&[Value::Int(value)], &mut bytes);
        bytes
    };
    let result_shape = layout(&types, if is_void { value_ty } else { candidate.result.ty });
    let mut buffers =
        vec![vec![0; result_shape.size], bytes(before), bytes(operands.first().copied().unwrap_or(0))];
    let mut builder = Builder::new(types.clone());
    let result_ty = if is_void { value_ty } else { candidate.result.ty };
    let result_buffer = builder.buffer(result_ty);
    let memory = builder.buffer(atomic_ty);
    let expected_buffer = builder.buffer(value_ty);
    let pointer = if space == AddressSpace::Device {
        builder.local_value(memory)
    } else {
        builder.threadgroup_array(atomic_ty, 1)
    };
    let order = Constant::Int(0);
    // A threadgroup object is filled and read by other atomic functions.
    let helper = |builder: &mut Builder, name: &str| {
        let overloads = overloads(LibraryNamespace::Metal, name, builder.types());
        let types = builder.types().clone();
        let wanted = |found: &Candidate| {
            let (_, of, place) = object(&types, found);
            of == scalar && place == AddressSpace::Threadgroup
        };
        overloads.into_iter().find(wanted).expect("an atomic helper")
    };
    let is_threadgroup = space == AddressSpace::Threadgroup;
    if is_threadgroup {
        let store = helper(&mut builder, "atomic_store_explicit");
        let initial = number(value_ty, scalar, before);
        let order = constant(store.parameters[2].ty, order.clone());
        let call = builder.call(&store, MathMode::Safe, vec![pointer.clone(), initial, order]);
        builder.evaluate(call);
    }
    let mut arguments = vec![pointer.clone()];
    let mut operands = operands.iter();
    let expected = builder.local("expected", value_ty);
    for parameter in &candidate.parameters[1..] {
        let argument = match types.get(parameter.ty) {
            Type::Pointer(_) => {
                operands.next();
                let value = builder.load_element(expected_buffer, value_ty);
                builder.declare(expected, Some(value));
                builder.address_of_local(expected)
            }
            _ if parameter.ty == value_ty && operands.len() > 0 => {
                number(value_ty, scalar, *operands.next().expect("an operand"))
            }
            _ => constant(parameter.ty, order.clone()),
        };
        arguments.push(argument);
    }
    let is_comparison = candidate.parameters.len() == 5;
    let call = builder.call(candidate, MathMode::Safe, arguments);
    if is_void {
        builder.evaluate(call);
    } else {
        builder.store_element(result_buffer, result_ty, call);
    }
    if is_comparison {
        let value = builder.local_value(expected);
        builder.store_element(expected_buffer, value_ty, value);
    }
    if is_threadgroup {
        let load = helper(&mut builder, "atomic_load_explicit");
        let order = constant(load.parameters[1].ty, order);
        let call = builder.call(&load, MathMode::Safe, vec![pointer, order]);
        builder.store_element(memory, value_ty, call);
    }
    let program = builder.finish();
    let kernel = prepare(&program, &safe(), &what);
    run(&kernel, 1, &mut buffers, &what);
    let result = result_shape.read(&buffers[0])[0];
    let after = shape.read(&buffers[1])[0];
    let expected = shape.read(&buffers[2])[0];
    ((!is_void).then_some(result.int()), after.int(), expected.int())
}

fn number(ty: TypeId, scalar: Scalar, value: i128) -> mw_msl::hir::Expr {
    constant(
        ty,
        match scalar {
            Scalar::Bool => Constant::Bool(value != 0),
            scalar if scalar.is_float() => Constant::Float(value as f64),
            _ => Constant::Int(value),
        },
    )
}

#[test]
fn atomic_functions() {
    let (signed_before, signed_operand) = (-5_i128, 3_i128);
    for (name, compute) in [
        ("atomic_load_explicit", (|old, _| old) as fn(i128, i128) -> i128),
        ("atomic_store_explicit", |_, new| new),
        ("atomic_exchange_explicit", |_, new| new),
        ("atomic_fetch_add_explicit", |old, new| old + new),
        ("atomic_fetch_sub_explicit", |old, new| old - new),
        ("atomic_fetch_and_explicit", |old, new| old & new),
        ("atomic_fetch_or_explicit", |old, new| old | new),
        ("atomic_fetch_xor_explicit", |old, new| old ^ new),
        ("atomic_fetch_min_explicit", std::cmp::Ord::min),
        ("atomic_fetch_max_explicit", std::cmp::Ord::max),
        ("atomic_min_explicit", std::cmp::Ord::min),
        ("atomic_max_explicit", std::cmp::Ord::max),
    ] {
        let mut types = TypeStore::default();
        for candidate in overloads(LibraryNamespace::Metal, name, &mut types) {
            let (_, scalar, _) = object(&types, &candidate);
            let (before, operand) = match scalar {
                Scalar::Bool => (1, 0),
                Scalar::UInt => (0xffff_fff0, 7),
                Scalar::ULong => (0xffff_ffff_ffff_fff0, 7),
                _ => (signed_before, signed_operand),
            };
            let (result, after, _) = atomic(&types, &candidate, before, &[operand]);
            let what = describe(&candidate, &types);
            if let Some(result) = result {
                assert_eq!(result, before, "{what} gives the old value");
            }
            assert_eq!(after, compute(before, operand), "{what} of {before} and {operand}");
        }
    }
}

#[test]
fn compare_and_exchange() {
    let mut types = TypeStore::default();
    for candidate in overloads(LibraryNamespace::Metal, "atomic_compare_exchange_weak_explicit", &mut types) {
        let what = describe(&candidate, &types);
        let (result, after, expected) = atomic(&types, &candidate, 1, &[1, 0]);
        assert_eq!((result, after, expected), (Some(1), 0, 1), "{what} when equal");
        let (result, after, expected) = atomic(&types, &candidate, 1, &[0, 0]);
        assert_eq!((result, after, expected), (Some(0), 1, 1), "{what} when not equal");
    }
}

/// A number of row `row` and column `column` of operand `operand`.
fn entry(operand: usize, row: usize, column: usize) -> f64 {
    ((row * 3 + column * 5 + operand * 7) % 9) as f64 - 4.0
}

fn tile(operand: usize, pitch: usize, transposed: bool) -> Vec<f64> {
    let mut memory = vec![0.0; pitch * 8];
    for row in 0..8 {
        for column in 0..8 {
            let (r, c) = if transposed { (column, row) } else { (row, column) };
            memory[r * pitch + c] = entry(operand, row, column);
        }
    }
    memory
}

fn write(types: &TypeStore, element: TypeId, values: &[f64]) -> Vec<u8> {
    let shape = layout(types, element);
    let mut bytes = vec![0; shape.size * values.len()];
    for (index, value) in values.iter().enumerate() {
        shape.write(&[Value::Float(*value)], &mut bytes[index * shape.size..]);
    }
    bytes
}

fn read(types: &TypeStore, element: TypeId, bytes: &[u8]) -> Vec<f64> {
    let shape = layout(types, element);
    bytes.chunks_exact(shape.size).map(|chunk| shape.read(chunk)[0].float()).collect()
}

fn matrix_scalar(types: &TypeStore, id: TypeId) -> Scalar {
    match types.get(id) {
        Type::SimdgroupMatrix { element, .. } => *element,
        Type::Reference { target, .. } => matrix_scalar(types, target.ty),
        other => panic!("{other:?}"),
    }
}

/// The load or store of a matrix of `scalar` in `space`.
fn transfer(name: &str, scalar: Scalar, space: AddressSpace, types: &mut TypeStore) -> Candidate {
    let found = overloads(LibraryNamespace::Metal, name, types);
    let fits = |candidate: &Candidate| {
        let Type::Pointer(target) = types.get(candidate.parameters[1].ty) else { return false };
        target.space == space && matrix_scalar(types, candidate.parameters[0].ty) == scalar
    };
    found.into_iter().find(fits).expect("an overload")
}

/// Loads A, B (transposed), C with pitches, computes, stores with a pitch; in AIR 2.6 and 2.8.
fn multiply(types: &TypeStore, candidate: &Candidate, options: &LowerOptions, transposed: bool) {
    let what = describe(candidate, types);
    let device = AddressSpace::Device;
    let mut builder = Builder::new(types.clone());
    let pitches = [8, 9, 10, 8];
    let operands: Vec<Scalar> =
        candidate.parameters.iter().map(|parameter| matrix_scalar(types, parameter.ty)).collect();
    let ulong = builder.types().intern(Type::Scalar(Scalar::ULong));
    let ulong2 = builder.types().intern(Type::Vector(Scalar::ULong, 2));
    let bool_ty = builder.types().intern(Type::Scalar(Scalar::Bool));
    // Parameters come before other locals.
    let elements: Vec<TypeId> =
        operands.iter().map(|scalar| builder.types().intern(Type::Scalar(*scalar))).collect();
    let types = builder.types().clone();
    let buffers: Vec<_> = elements.iter().map(|element| builder.buffer(*element)).collect();
    let mut bytes: Vec<Vec<u8>> = (0..operands.len())
        .map(|index| {
            let memory = if index == 0 { vec![0.0; 80] } else { tile(index, pitches[index], transposed) };
            write(&types, elements[index], &memory)
        })
        .collect();
    let shape = |pitch: usize, transposed: bool| {
        vec![
            constant(ulong, Constant::Int(pitch as i128)),
            constant(ulong2, Constant::Zero),
            constant(bool_ty, Constant::Bool(transposed)),
        ]
    };
    let mut locals = Vec::new();
    for (index, scalar) in operands.iter().enumerate() {
        let ty = builder.types().intern(Type::SimdgroupMatrix { element: *scalar, columns: 8, rows: 8 });
        let local = builder.local("matrix", ty);
        builder.declare(local, None);
        locals.push(local);
        if index > 0 {
            let load = transfer("simdgroup_load", *scalar, device, builder.types());
            let mut arguments = vec![builder.address_of_local(local), builder.local_value(buffers[index])];
            arguments.extend(shape(pitches[index], transposed));
            let call = builder.call(&load, MathMode::Safe, arguments);
            builder.evaluate(call);
        }
    }
    let mut arguments = vec![builder.address_of_local(locals[0])];
    arguments.extend(locals[1..].iter().map(|local| builder.local_value(*local)).collect::<Vec<_>>());
    let call = builder.call(candidate, MathMode::Safe, arguments);
    builder.evaluate(call);
    let store = transfer("simdgroup_store", operands[0], device, builder.types());
    let mut arguments = vec![builder.local_value(locals[0]), builder.local_value(buffers[0])];
    arguments.extend(shape(10, false));
    let call = builder.call(&store, MathMode::Safe, arguments);
    builder.evaluate(call);
    let program = builder.finish();
    let kernel = prepare(&program, options, &what);
    run(&kernel, THREADS as u32, &mut bytes, &what);
    let result = read(&types, elements[0], &bytes[0]);
    for row in 0..8 {
        for column in 0..8 {
            let product: f64 = (0..8).map(|k| entry(1, row, k) * entry(2, k, column)).sum();
            let expected = product + if operands.len() > 3 { entry(3, row, column) } else { 0.0 };
            // Sums of small integers: exact in half and float, rounded in bfloat.
            let room = if operands.contains(&Scalar::BFloat) { 1.0 } else { 0.0 };
            let have = result[row * 10 + column];
            assert!((have - expected).abs() <= room, "{what}: [{row}][{column}] is {have}, not {expected}");
        }
    }
}

fn both_versions() -> [LowerOptions; 2] {
    [safe(), LowerOptions { language_version: (4, 0), ..safe() }]
}

#[test]
fn simdgroup_matrices_multiply() {
    for name in ["simdgroup_multiply", "simdgroup_multiply_accumulate"] {
        for options in both_versions() {
            let mut types = TypeStore::default();
            for (index, candidate) in overloads(LibraryNamespace::Metal, name, &mut types).iter().enumerate()
            {
                multiply(&types, candidate, &options, index % 2 == 1);
            }
        }
    }
}

#[test]
fn simdgroup_matrices_through_threadgroup_memory() {
    for options in both_versions() {
        for scalar in [Scalar::Float, Scalar::Half, Scalar::BFloat] {
            let mut builder = Builder::new(TypeStore::default());
            let element = builder.types().intern(Type::Scalar(scalar));
            let ty = builder.types().intern(Type::SimdgroupMatrix { element: scalar, columns: 8, rows: 8 });
            let (input, output) = (builder.buffer(element), builder.buffer(element));
            let shared = builder.threadgroup_array(element, 64);
            let (first, second) = (builder.local("first", ty), builder.local("second", ty));
            builder.declare(first, None);
            builder.declare(second, None);
            for (name, space, local, memory) in [
                ("simdgroup_load", AddressSpace::Device, first, builder.local_value(input)),
                ("simdgroup_store", AddressSpace::Threadgroup, first, shared.clone()),
                ("simdgroup_load", AddressSpace::Threadgroup, second, shared),
                ("simdgroup_store", AddressSpace::Device, second, builder.local_value(output)),
            ] {
                let candidate = transfer(name, scalar, space, builder.types());
                let matrix = if name == "simdgroup_load" {
                    builder.address_of_local(local)
                } else {
                    builder.local_value(local)
                };
                // Defaults: 8 elements per row, no origin, not transposed.
                let call = builder.call(&candidate, MathMode::Safe, vec![matrix, memory]);
                builder.evaluate(call);
            }
            let types = builder.types().clone();
            let program = builder.finish();
            let kernel = prepare(&program, &options, "copy");
            let values: Vec<f64> = (0..64).map(f64::from).collect();
            let mut buffers = vec![write(&types, element, &values), write(&types, element, &[0.0; 64])];
            run(&kernel, THREADS as u32, &mut buffers, "copy");
            assert_eq!(read(&types, element, &buffers[1]), values);
        }
    }
}

#[test]
fn simdgroup_matrices_from_numbers() {
    for (name, diagonal) in
        [("__metal_simdgroup_matrix_init_filled", false), ("__metal_simdgroup_matrix_init_diag", true)]
    {
        let mut types = TypeStore::default();
        for candidate in overloads(LibraryNamespace::Global, name, &mut types) {
            let scalar = matrix_scalar(&types, candidate.result.ty);
            let element = candidate.parameters[0].ty;
            let mut builder = Builder::new(types.clone());
            let output = builder.buffer(element);
            let local = builder.local("matrix", candidate.result.ty);
            let three = constant(element, Constant::Float(3.0));
            let value = builder.call(&candidate, MathMode::Safe, vec![three]);
            builder.declare(local, Some(value));
            let store = transfer("simdgroup_store", scalar, AddressSpace::Device, builder.types());
            let arguments = vec![builder.local_value(local), builder.local_value(output)];
            let call = builder.call(&store, MathMode::Safe, arguments);
            builder.evaluate(call);
            let types = builder.types().clone();
            let program = builder.finish();
            let kernel = prepare(&program, &safe(), name);
            let mut buffers = vec![write(&types, element, &[0.0; 64])];
            run(&kernel, THREADS as u32, &mut buffers, name);
            for (index, value) in read(&types, element, &buffers[0]).iter().enumerate() {
                let expected = if !diagonal || index / 8 == index % 8 { 3.0 } else { 0.0 };
                assert_eq!(*value, expected, "{name} at {index}");
            }
        }
    }
}

/// What barriers and fences are in AIR.
#[test]
fn barriers_and_fences() {
    for (name, operands, versions) in [
        ("threadgroup_barrier", vec![2], ["@air.wg.barrier(i32 2, i32 1)", "@air.wg.barrier(i32 2, i32 1)"]),
        (
            "simdgroup_barrier",
            vec![0],
            ["@air.simdgroup.barrier(i32 0, i32 1)", "@air.simdgroup.barrier(i32 0, i32 4)"],
        ),
        (
            "atomic_thread_fence",
            vec![1, 5],
            ["@air.atomic.fence(i32 1, i32 5, i32 2)", "@air.atomic.fence(i32 1, i32 5, i32 2)"],
        ),
    ] {
        for (options, expected) in both_versions().iter().zip(versions) {
            let mut types = TypeStore::default();
            let candidate = overloads(LibraryNamespace::Metal, name, &mut types).remove(0);
            let mut builder = Builder::new(types);
            let arguments = operands
                .iter()
                .zip(&candidate.parameters)
                .map(|(operand, parameter)| constant(parameter.ty, Constant::Int(*operand)))
                .collect();
            let call = builder.call(&candidate, MathMode::Safe, arguments);
            builder.evaluate(call);
            let module = crate::program::lower(&builder.finish(), options, name);
            let text = mw_air::print(&module, &mw_air::PrintOptions::default());
            assert!(text.contains(expected), "{name}: no `{expected}` in\n{text}");
        }
    }
}
