//! Nothing in the table goes untested, and every overload of every namespace becomes valid AIR.

use crate::program::{Builder, constant, describe, lower, safe};
use crate::reference::{FLOATS, INTEGERS, TESTS};
use mw_lower::LowerOptions;
use mw_msl::ast::MathMode;
use mw_msl::hir::Constant;
use mw_msl::stdlib::table::ROWS;
use mw_msl::stdlib::{LibraryNamespace, Op};
use mw_msl::types::{AddressSpace, Type, TypeStore};

/// Rows whose values other tests of this folder check.
const ELSEWHERE: &[&str] = &[
    "frexp",
    "ilogb",
    "ldexp",
    "modf",
    "nextafter",
    "sincos",
    "__metal_frexp",
    "select",
    "not",
    "all",
    "any",
    "cross",
    "distance",
    "distance_squared",
    "dot",
    "faceforward",
    "length",
    "length_squared",
    "normalize",
    "reflect",
    "refract",
    "determinant",
    "transpose",
    "threadgroup_barrier",
    "simdgroup_barrier",
    "atomic_thread_fence",
    "simdgroup_load",
    "simdgroup_store",
    "simdgroup_multiply",
    "simdgroup_multiply_accumulate",
    "__metal_simdgroup_matrix_init_filled",
    "__metal_simdgroup_matrix_init_diag",
    "__metal_get_simdgroup_size",
    "__metal_get_thread_index_in_simdgroup",
];

#[test]
fn every_row_is_tested() {
    for row in ROWS {
        let name = row.name;
        let family = ["simd_", "quad_", "__metal_simd_", "__metal_quad_", "atomic_", "pack_", "unpack_"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        let known = family
            || matches!(row.op, Op::Unsupported(_))
            || ELSEWHERE.contains(&name)
            || FLOATS.iter().any(|reference| reference.name == name)
            || INTEGERS.iter().any(|(known, _)| *known == name)
            || TESTS.iter().any(|(known, _)| *known == name);
        assert!(known, "no test checks the values of `{name}`");
        assert!(!row.doc.is_empty(), "`{name}` has no description");
    }
}

/// Lowers one call of each overload, with undefined arguments, and verifies the module.
fn lower_all(space: LibraryNamespace, prefix: &str, mode: MathMode, options: &LowerOptions) -> usize {
    let mut count = 0;
    for name in mw_msl::stdlib::function_names() {
        let name = format!("{prefix}{}", name.trim_start_matches(prefix));
        let mut types = TypeStore::default();
        let Some(candidates) = mw_msl::stdlib::candidates(space, &name, &mut types) else { continue };
        for candidate in candidates {
            if matches!(candidate.id.row().op, Op::Unsupported(_)) {
                continue;
            }
            let mut builder = Builder::new(types.clone());
            let mut arguments = Vec::new();
            let row_parameters = candidate.id.row().signature.split_ascii_whitespace().count();
            for (index, parameter) in candidate.parameters.iter().enumerate() {
                let has_flag = row_parameters > 0 && index + 1 >= row_parameters;
                arguments.push(match types.get(parameter.ty).clone() {
                    Type::Reference { target, .. } | Type::Pointer(target) => match target.space {
                        AddressSpace::Device => {
                            let buffer = builder.buffer(target.ty);
                            builder.local_value(buffer)
                        }
                        AddressSpace::Threadgroup => builder.threadgroup_array(target.ty, 64),
                        _ => constant(parameter.ty, Constant::Undefined),
                    },
                    _ if has_flag => constant(parameter.ty, Constant::Int(1)),
                    _ => constant(parameter.ty, Constant::Zero),
                });
            }
            let call = builder.call(&candidate, mode, arguments);
            builder.evaluate(call);
            let what = describe(&candidate, &types);
            let module = lower(&builder.finish(), options, &what);
            for function in module.functions.iter().filter(|function| function.is_declaration()) {
                let known = function.name.starts_with("llvm.")
                    || mw_air::Intrinsic::classify(&function.name).is_some();
                assert!(known, "{what} calls `{}`, which AIR does not have", function.name);
            }
            count += 1;
        }
    }
    count
}

#[test]
fn every_overload_becomes_valid_air() {
    let fast = LowerOptions::default();
    let tensor = LowerOptions { language_version: (4, 0), ..safe() };
    let mut count = lower_all(LibraryNamespace::Metal, "", MathMode::Fast, &fast);
    count += lower_all(LibraryNamespace::Metal, "", MathMode::Safe, &tensor);
    count += lower_all(LibraryNamespace::Fast, "", MathMode::Fast, &safe());
    count += lower_all(LibraryNamespace::Precise, "", MathMode::Safe, &fast);
    count += lower_all(LibraryNamespace::Global, "__metal_", MathMode::Safe, &safe());
    count += lower_all(LibraryNamespace::Global, "__builtin_", MathMode::Safe, &safe());
    assert!(count > 4000, "only {count} overloads");
}

#[test]
fn what_is_not_supported_says_so() {
    let mut types = TypeStore::default();
    let candidate = mw_msl::stdlib::candidates(LibraryNamespace::Metal, "simd_is_helper_thread", &mut types)
        .unwrap()
        .remove(0);
    let mut builder = Builder::new(types);
    let call = builder.call(&candidate, MathMode::Safe, Vec::new());
    builder.evaluate(call);
    let error = mw_lower::lower(&builder.finish(), &safe()).unwrap_err().to_string();
    assert!(error.contains("simd_is_helper_thread") && error.contains("fragment"), "{error}");
}
