//! Every external function of the libraries seen so far links, and everything else is refused by name.

mod support;

use mw_builtins::{Problem, link};
use support::module;

/// Names and types of all external functions of the libraries, as their modules declare them.
const SURFACE: &str = include_str!("surface.txt");

#[test]
fn whole_surface_links() {
    for flush in [false, true] {
        for line in SURFACE.lines().filter(|line| !line.contains("_tensor") && !line.starts_with("__")) {
            let mut module = module(&[line], flush);
            link(&mut module).unwrap_or_else(|error| panic!("{error}"));
            let once = module.clone();
            link(&mut module).expect("links again");
            assert_eq!(module, once, "{line}: linking twice changes the module");
        }
    }
}

#[test]
fn what_is_left_is_a_primitive() {
    let lines: Vec<&str> = SURFACE.lines().filter(|line| line.starts_with("air.convert.")).collect();
    let mut module = module(&lines, true);
    link(&mut module).expect("links");
    for function in module.functions.iter().filter(|function| function.is_declaration()) {
        assert!(function.name.starts_with("llvm."), "{}", function.name);
    }
}

#[test]
fn tensors_are_refused_by_name() {
    let lines: Vec<&str> =
        SURFACE.lines().filter(|line| line.contains("_tensor") || line.starts_with("__")).collect();
    assert_eq!(lines.len(), 43);
    let error = link(&mut module(&lines, true)).expect_err("tensors are not supported");
    let names: Vec<&str> = error.problems.iter().map(Problem::name).collect();
    let expected: Vec<&str> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, expected);
}

#[test]
fn every_problem_is_listed() {
    let lines = [
        "air.exp.f32 = float (float)",
        "air.frobnicate.f32 = float (float)",
        "air.exp.f32.f32 = float (float)",
        "air.log.f16 = float (half)",
        "puts = i32 (ptr*)",
        "llvm.sin.f32 = float (float)",
        "air.convert.f.f16.f.f32.rtz = half (float)",
        "air.min.u.i1 = i1 (i1, i1)",
        "air.dot.v2i32 = i32 (<2 x i32>, <2 x i32>)",
    ];
    let error = link(&mut module(&lines, false)).expect_err("most of these do not exist");
    let names: Vec<&str> = error.problems.iter().map(Problem::name).collect();
    let expected: Vec<&str> = lines[1..].iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, expected);
    let message = error.to_string();
    assert!(message.starts_with("8 external functions are not provided: `air.frobnicate.f32`"), "{message}");
    assert!(message.contains("`air.log.f16` (declared with another type: float (half))"), "{message}");
}

#[test]
fn overloads_beyond_the_surface_link() {
    let mut module = module(
        &[
            "air.exp.v8bf16 = <8 x bfloat> (<8 x bfloat>)",
            "air.fast_pow.v3f16 = <3 x half> (<3 x half>, <3 x half>)",
            "air.sincos.v4f16 = <4 x half> (<4 x half>, half*)",
            "air.frexp.v2f32 = <2 x float> (<2 x float>, i32*)",
            "air.ldexp.v2bf16 = <2 x bfloat> (<2 x bfloat>, <2 x i32>)",
            "air.ilogb.v2f16 = <2 x i32> (<2 x half>)",
            "air.modf.bf16 = bfloat (bfloat, bfloat*)",
            "air.mad_sat.s.v4i64 = <4 x i64> (<4 x i64>, <4 x i64>, <4 x i64>)",
            "air.extract_bits.s.v2i8 = <2 x i8> (<2 x i8>, i32, i32)",
            "air.insert_bits.u.i16 = i16 (i16, i16, i32, i32)",
            "air.clz.v2i8 = <2 x i8> (<2 x i8>, i1)",
            "air.dot.v8bf16 = bfloat (<8 x bfloat>, <8 x bfloat>)",
            "air.convert.s.v16i8.f.v16bf16 = <16 x i8> (<16 x bfloat>)",
            "air.pack.snorm4x8.v4f16 = i32 (<4 x half>)",
            "air.unpack.unorm.rgb10a2.v4f32 = <4 x float> (i32)",
        ],
        true,
    );
    link(&mut module).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        module
            .functions
            .iter()
            .all(|function| { !function.is_declaration() || function.name.starts_with("llvm.") })
    );
}

#[test]
fn primitives_stay_declarations() {
    let lines = [
        "llvm.fmuladd.v4bf16 = <4 x bfloat> (<4 x bfloat>, <4 x bfloat>, <4 x bfloat>)",
        "llvm.memcpy.p3i8.p1i8.i64 = void (i8 as(3)*, i8 as(1)*, i64, i1)",
        "llvm.lifetime.start.p0i8 = void (i64, i8*)",
        "llvm.assume = void (i1)",
        "llvm.usub.sat.i32 = i32 (i32, i32)",
        "llvm.abs.i64 = i64 (i64, i1)",
        "air.wg.barrier = void (i32, i32)",
        "air.simd_shuffle_rotate_up.f32 = float (float, i16)",
        "air.atomic.global.or.u.i32 = i32 (i32 as(1)*, i32, i32, i32, i1)",
    ];
    let mut module = module(&lines, true);
    let before = module.clone();
    link(&mut module).expect("links");
    assert_eq!(module, before);
}

#[test]
fn fast_math_is_decided() {
    use mw_air::{BinaryOp, Builder, Flags, Function, Inst};

    let mut module = module(&[], false);
    let mut function = Function::new("f", support::parse_signature("float (float, float)"));
    let entry = function.add_block();
    let (x, y) = (function.param(0), function.param(1));
    let mut builder = Builder::at(&mut function, entry);
    let product = builder.binary_flags(BinaryOp::FMul, x, y, Flags::FAST);
    let shifted = builder.fneg(product);
    builder.ret(Some(shifted));
    module.add_function(function);
    link(&mut module).expect("links");
    for index in 0..2 {
        let inst = &module.functions[0].inst(mw_air::InstId::new(index)).inst;
        let (Inst::Binary { flags, .. } | Inst::FNeg { flags, .. }) = inst else { panic!("{inst:?}") };
        assert_eq!(*flags, Flags::NONE);
    }
}

#[test]
fn bodies_are_verified() {
    for line in SURFACE.lines().filter(|line| !line.contains("tensor") && line.starts_with("air.")) {
        let mut module = module(&[line], true);
        link(&mut module).expect("links");
        mw_air::verify::verify(&module).unwrap_or_else(|error| panic!("{line}: {error:?}"));
    }
}
