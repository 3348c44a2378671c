//! Every external function that Apple-compiled libraries name is classified, with its type.

use mw_air::Intrinsic;
use mw_air::intrinsics::{IntrinsicClass, MatrixOp, MemoryAccess, Signatures};
use mw_air::{AddressSpace, Scalar};

const TABLE: &str = include_str!("../data/intrinsics.txt");

/// Declarations of the table with their names.
fn declarations() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let rest = line.split_once('@').expect("a declaration").1;
        (line, rest.split_once('(').expect("a parameter list").0)
    })
}

#[test]
fn every_name_is_classified_and_spelt_back() {
    let mut names = std::collections::BTreeSet::new();
    for (_, name) in declarations() {
        names.insert(name);
        let intrinsic = Intrinsic::classify(name).unwrap_or_else(|| panic!("{name} is not classified"));
        if intrinsic.class() == IntrinsicClass::TensorOperations {
            assert!(name.starts_with("__tensorops_impl_"), "{name}");
        } else {
            assert_eq!(intrinsic.to_string(), name);
        }
    }
    assert_eq!(names.len(), 409);
}

#[test]
fn every_declaration_has_a_type_that_the_name_allows() {
    for (line, name) in declarations() {
        let intrinsic = Intrinsic::classify(name).expect("classified");
        let Signatures::Known(types) = intrinsic.signatures() else { continue };
        let written: Vec<String> = types
            .iter()
            .map(|ty| {
                let params: Vec<String> = ty.params.iter().map(ToString::to_string).collect();
                format!("declare {} @{name}({})", ty.ret, params.join(", "))
            })
            .collect();
        assert!(written.iter().any(|text| text == line), "{line}\nis none of {written:#?}");
    }
}

#[test]
fn unseen_overloads_are_understood() {
    for name in [
        "air.atan2.v3f16",
        "air.fast_pow.v4f32",
        "air.convert.u.v3i16.f.v3bf16",
        "air.atomic.local.xchg.i32",
        "air.atomic.global.min.s.i32",
        "air.quad_shuffle_xor.u.v2i32",
        "air.simd_xor.s.i8",
        "air.simd_shuffle_rotate_up.f16",
        "air.simdgroup_matrix_8x8_store.v64bf16.p1bf16",
        "air.load.device_coherent.v3i16.p1v3i16",
        "air.mul_hi.u.i64",
    ] {
        let intrinsic = Intrinsic::classify(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(intrinsic.to_string(), name);
    }
}

#[test]
fn malformed_names_are_refused() {
    for name in [
        "",
        "air.",
        "air.exp",
        "air.exp.",
        "air.exp.i32",
        "air.exp.f32.f32",
        "air.exp.v1f32",
        "air.exp.v04f32",
        "air.exp.v65f32",
        "air.fast_max.s.i32",
        "air.frobnicate.f32",
        "air.convert.f.f32.s",
        "air.convert.f.i32.s.i32",
        "air.convert.f.v4f32.s.v2i32",
        "air.atomic.private.add.u.i32",
        "air.atomic.global.frob.i32",
        "air.dot.f32",
        "air.simd_any.f32",
        "air.simd_sum",
        "air.load.device_coherent.f32.p1i32",
        "air.simdgroup_matrix_8x8_load.v32f32.p1f32",
        "air.simdgroup_async_copy_2d.p3i8.p1i16",
        "llvm.exp.f32",
    ] {
        assert_eq!(Intrinsic::classify(name), None, "{name}");
    }
}

#[test]
fn what_passes_rely_on() {
    let of = |name| Intrinsic::classify(name).expect("known");
    assert!(of("air.simd_sum.f32").is_convergent());
    assert!(!of("air.exp.f32").is_convergent());
    assert!(of("air.exp.f32").is_library());
    assert!(!of("air.simd_any").is_library());
    assert_eq!(of("air.sincos.f32").memory(), MemoryAccess::Write);
    assert_eq!(of("air.wg.barrier").memory(), MemoryAccess::ReadWrite);
    assert_eq!(
        of("air.simdgroup_matrix_8x8_load.v64f16.p3f16"),
        Intrinsic::Matrix(MatrixOp::Load { element: Scalar::Half, space: AddressSpace::THREADGROUP })
    );
}
