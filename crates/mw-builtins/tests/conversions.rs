//! Conversions, packing, and functions of vectors, half and bfloat.

mod support;

use half::{bf16, f16};
use mw_builtins::link;
use support::evaluate::{Evaluator, Value};

fn call(symbol: &str, signature: &str, args: &[Value]) -> Value {
    let mut module = support::module(&[&format!("{symbol} = {signature}")], true);
    link(&mut module).unwrap_or_else(|error| panic!("{error}"));
    Evaluator::new(&module, true).call(symbol, args)
}

fn float(value: f32) -> Value {
    vec![u64::from(value.to_bits())]
}

fn half(value: f64) -> Value {
    vec![u64::from(f16::from_f64(value).to_bits())]
}

fn bfloat(value: f64) -> Value {
    vec![u64::from(bf16::from_f64(value).to_bits())]
}

#[test]
fn float_to_integer_saturates() {
    for (value, i32_, u32_, i8_, u8_) in [
        (1.9f32, 1, 1, 1, 1),
        (-1.9, -1, 0, -1, 0),
        (300.0, 300, 300, 127, 255),
        (-300.0, -300, 0, -128, 0),
        (3e9, i32::MAX, 3_000_000_000, 127, 255),
        (1e20, i32::MAX, u32::MAX, 127, 255),
        (f32::NEG_INFINITY, i32::MIN, 0, -128, 0),
        (f32::NAN, 0, 0, 0, 0),
    ] {
        let x = [float(value)];
        assert_eq!(call("air.convert.s.i32.f.f32", "i32 (float)", &x)[0] as i32, i32_, "{value}");
        assert_eq!(call("air.convert.u.i32.f.f32", "i32 (float)", &x)[0] as u32, u32_, "{value}");
        assert_eq!(call("air.convert.s.i8.f.f32", "i8 (float)", &x)[0] as i8, i8_, "{value}");
        assert_eq!(call("air.convert.u.i8.f.f32", "i8 (float)", &x)[0] as u8, u8_, "{value}");
        let expected = value as i64 as u64;
        assert_eq!(call("air.convert.s.i64.f.f32", "i64 (float)", &x)[0], expected, "{value}");
    }
    assert_eq!(call("air.convert.s.i16.f.f16", "i16 (half)", &[half(-65504.0)])[0] as i16, i16::MIN);
    assert_eq!(call("air.convert.u.i64.f.bf16", "i64 (bfloat)", &[bfloat(1e30)])[0], u64::MAX);
    // Named roundings.
    for (suffix, expected) in [("rte", 2), ("rtz", 2), ("rtp", 3), ("rtn", 2)] {
        let symbol = format!("air.convert.s.i32.f.f32.{suffix}");
        assert_eq!(call(&symbol, "i32 (float)", &[float(2.5)])[0], expected, "{suffix}");
    }
}

#[test]
fn bools() {
    for (value, expected) in [(0.0f32, 0), (-0.0, 0), (0.1, 1), (f32::NAN, 1), (1e-40, 0)] {
        assert_eq!(call("air.convert.u.i1.f.f32", "i1 (float)", &[float(value)])[0], expected, "{value}");
    }
    assert_eq!(call("air.convert.u.i1.f.f16", "i1 (half)", &[half(6e-8)])[0], 1, "half denormals stay");
    assert_eq!(call("air.convert.u.v2i1.u.v2i32", "<2 x i1> (<2 x i32>)", &[vec![2, 0]]), [1, 0]);
    assert_eq!(call("air.convert.f.f32.u.i1", "float (i1)", &[vec![1]]), float(1.0));
    assert_eq!(call("air.convert.f.bf16.u.i1", "bfloat (i1)", &[vec![0]]), bfloat(0.0));
}

#[test]
fn integer_to_float_rounds_once() {
    for value in [0i64, 1, -1, 16_777_217, -16_777_219, i64::MAX, i64::MIN, 0x7fff_ffff, 33_685_504, 1 << 40]
    {
        let x = [vec![value as u64]];
        assert_eq!(call("air.convert.f.f32.s.i64", "float (i64)", &x), float(value as f32), "{value}");
        assert_eq!(call("air.convert.f.f32.u.i64", "float (i64)", &x), float(value as u64 as f32), "{value}");
        assert_eq!(call("air.convert.f.f16.s.i64", "half (i64)", &x), half(value as f64), "{value}");
    }
    // Just above the middle of two bfloats, by less than a float can tell.
    for value in
        [0x0101_0001i64, 0x0101_0000, 0x0103_0000, -0x0101_0001, 0x4040_0000_0000_0001, i64::MIN, 257, 259]
    {
        // Exactly: the nearest bfloat, ties to even, by integers.
        let magnitude = u128::from(value.unsigned_abs());
        let excess = 128 - magnitude.leading_zeros() as i32 - 8;
        let rounded = if excess <= 0 {
            magnitude
        } else {
            let (unit, half) = (1u128 << excess, 1u128 << (excess - 1));
            let (quotient, rest) = (magnitude / unit, magnitude % unit);
            (quotient + u128::from(rest > half || (rest == half && quotient % 2 == 1))) * unit
        };
        let expected = bfloat(rounded as f64 * if value < 0 { -1.0 } else { 1.0 });
        assert_eq!(
            call("air.convert.f.bf16.s.i64", "bfloat (i64)", &[vec![value as u64]]),
            expected,
            "{value:x}"
        );
    }
    assert_eq!(
        call("air.convert.f.bf16.u.i32", "bfloat (i32)", &[vec![0x0101_0001]]),
        bfloat(f64::from(0x0102_0000))
    );
}

#[test]
fn formats_and_widths() {
    assert_eq!(
        call("air.convert.f.bf16.f.f16", "bfloat (half)", &[half(1.003)]),
        bfloat(f16::from_f64(1.003).to_f64())
    );
    assert_eq!(call("air.convert.f.f16.f.bf16", "half (bfloat)", &[bfloat(1e30)]), half(f64::INFINITY));
    let narrowed = call(
        "air.convert.f.v2f16.f.v2f32",
        "<2 x half> (<2 x float>)",
        &[[float(0.1), float(-7.0)].concat()],
    );
    assert_eq!(narrowed, [half(0.1), half(-7.0)].concat());
    assert_eq!(
        call("air.convert.s.v2i64.u.v2i32", "<2 x i64> (<2 x i32>)", &[vec![0xffff_ffff, 1]]),
        [0xffff_ffff, 1]
    );
    assert_eq!(call("air.convert.s.i64.s.i8", "i64 (i8)", &[vec![0x80]]), [0xffff_ffff_ffff_ff80]);
    assert_eq!(call("air.convert.u.i8.s.i32", "i8 (i32)", &[vec![0x1234]]), [0x34]);
}

#[test]
fn narrow_formats_go_through_float() {
    let exact = |x: f64| f16::from_f64(f16::from_f64(x).to_f64().exp());
    let result = call(
        "air.exp.v4f16",
        "<4 x half> (<4 x half>)",
        &[[0.5, -3.0, 11.0, 100.0].map(|x| half(x)[0]).to_vec()],
    );
    let expected = [0.5, -3.0, 11.0, 100.0].map(|x| u64::from(exact(x).to_bits()));
    assert_eq!(result, expected);
    assert_eq!(call("air.fabs.bf16", "bfloat (bfloat)", &[vec![0x8001]]), [1], "a magnitude flushes nothing");
    assert_eq!(call("air.nextafter.f16", "half (half, half)", &[vec![0], half(1.0)]), [1]);
    assert_eq!(call("air.nextafter.bf16", "bfloat (bfloat, bfloat)", &[bfloat(1.0), bfloat(0.0)]), [0x3f7f]);
    assert_eq!(call("air.fract.f16", "half (half)", &[half(-1e-6)]), half(1.0 - 2f64.powi(-11)));
    assert_eq!(call("air.ldexp.f16", "half (half, i32)", &[half(1.0), vec![(-24i32) as u32 as u64]]), [1]);
    assert_eq!(call("air.ilogb.f16", "i32 (half)", &[vec![1]]), [(-24i32) as u32 as u64]);
    assert_eq!(
        call(
            "air.fma.f16",
            "half (half, half, half)",
            &[half(1.0 + 2f64.powi(-10)), half(1.0 - 2f64.powi(-10)), half(-1.0)]
        ),
        half(-(2f64.powi(-20)))
    );
}

#[test]
fn scaling() {
    let ldexp = |x: f32, n: i32| {
        f32::from_bits(
            call("air.ldexp.f32", "float (float, i32)", &[float(x), vec![u64::from(n as u32)]])[0] as u32,
        )
    };
    for (x, n, expected) in [
        (1.5, 4, 24.0),
        (f32::MIN_POSITIVE, 253, 2f32.powi(127)),
        (f32::MAX, -253, f32::MAX * 2f32.powi(-127) * 2f32.powi(-126)),
        (1.0, i32::MAX, f32::INFINITY),
        (-1.0, i32::MIN, -0.0),
        (1.0, -127, 0.0),
        (0.0, i32::MAX, 0.0),
        (-f32::INFINITY, -5, -f32::INFINITY),
    ] {
        assert_eq!(ldexp(x, n).to_bits(), f32::to_bits(expected), "ldexp({x}, {n})");
    }
    assert!(ldexp(f32::NAN, 3).is_nan());
}

#[test]
fn stored_results() {
    // The pointer is a byte offset into the evaluator's memory.
    let run = |symbol: &str, signature: &str, x: Value| {
        let mut module = support::module(&[&format!("{symbol} = {signature}")], false);
        link(&mut module).expect("links");
        let mut evaluator = Evaluator::new(&module, false);
        let result = evaluator.call(symbol, &[x, vec![8]]);
        (result, evaluator.memory()[8..24].to_vec())
    };
    let (sin, memory) = run("air.sincos.f32", "float (float, ptr*)", float(1.0));
    assert_eq!(sin, call("air.sin.f32", "float (float)", &[float(1.0)]));
    assert_eq!(memory[..4], call("air.cos.f32", "float (float)", &[float(1.0)])[0].to_le_bytes()[..4]);
    let (sines, memory) =
        run("air.sincos.v2f16", "<2 x half> (<2 x half>, ptr*)", [half(0.0), half(1.0)].concat());
    assert_eq!(sines, [half(0.0), half(1f64.sin())].concat());
    assert_eq!(memory[..2], f16::from_f64(1.0).to_le_bytes());
    assert_eq!(memory[2..4], f16::from_f64(1f64.cos()).to_le_bytes());
    let (fraction, memory) = run("air.frexp.f32", "float (float, ptr*)", float(-12.0));
    assert_eq!((fraction, &memory[..4]), (float(-0.75), &4i32.to_le_bytes()[..]));
    let (fraction, memory) = run("air.frexp.f32", "float (float, ptr*)", float(f32::from_bits(3)));
    assert_eq!((fraction, &memory[..4]), (float(0.75), &(-147i32).to_le_bytes()[..]));
    let (fraction, memory) = run("air.frexp.f32", "float (float, ptr*)", float(f32::NEG_INFINITY));
    assert_eq!((fraction, &memory[..4]), (float(f32::NEG_INFINITY), &[0; 4][..]));
    let (fraction, memory) = run("air.modf.f32", "float (float, ptr*)", float(-2.75));
    assert_eq!((fraction, &memory[..4]), (float(-0.75), &(-2f32).to_le_bytes()[..]));
    let (fraction, memory) = run("air.modf.f32", "float (float, ptr*)", float(f32::NEG_INFINITY));
    assert_eq!((fraction, &memory[..4]), (float(-0.0), &f32::NEG_INFINITY.to_le_bytes()[..]));
    let (fraction, memory) = run("air.modf.bf16", "bfloat (bfloat, ptr*)", bfloat(3.5));
    assert_eq!((fraction, &memory[..2]), (bfloat(0.5), &bf16::from_f64(3.0).to_le_bytes()[..]));
}

#[test]
fn vectors() {
    let x = [1e8f32, 1.0, -1e8, 3.0];
    let y = [1.0f32, 0.25, 1.0, 0.5];
    let chain = x[3].mul_add(y[3], x[2].mul_add(y[2], x[1].mul_add(y[1], x[0] * y[0])));
    let lanes = |values: &[f32]| values.iter().map(|value| u64::from(value.to_bits())).collect::<Value>();
    let result = call("air.dot.v4f32", "float (<4 x float>, <4 x float>)", &[lanes(&x), lanes(&y)]);
    assert_eq!(result, float(chain));
    let ones = vec![half(1.0)[0]; 2];
    let small = [half(2048.0), half(1.0)].concat();
    assert_eq!(call("air.dot.v2f16", "half (<2 x half>, <2 x half>)", &[small, ones]), half(2049.0));
    assert_eq!(call("air.all.v3i1", "i1 (<3 x i1>)", &[vec![1, 0, 1]]), [0]);
    assert_eq!(call("air.all.v3i1", "i1 (<3 x i1>)", &[vec![1, 1, 1]]), [1]);
    assert_eq!(call("air.any.v2i1", "i1 (<2 x i1>)", &[vec![0, 1]]), [1]);
    assert_eq!(call("air.any.v2i1", "i1 (<2 x i1>)", &[vec![0, 0]]), [0]);
    assert_eq!(
        call("air.max.u.v2i8", "<2 x i8> (<2 x i8>, <2 x i8>)", &[vec![0x80, 1], vec![0x7f, 2]]),
        [0x80, 2]
    );
}

#[test]
fn packing() {
    let lanes = |values: &[f32]| values.iter().map(|value| u64::from(value.to_bits())).collect::<Value>();
    let pack = |format: &str, signature: &str, values: &[f32]| {
        call(&format!("air.pack.{format}"), signature, &[lanes(values)])[0]
    };
    assert_eq!(pack("unorm4x8.v4f32", "i32 (<4 x float>)", &[0.0, 1.0, 0.5, 2.0]), 0xff80_ff00);
    assert_eq!(pack("snorm4x8.v4f32", "i32 (<4 x float>)", &[-1.0, 1.0, f32::NAN, -0.5]), 0xc000_7f81);
    assert_eq!(pack("unorm2x16.v2f32", "i32 (<2 x float>)", &[1.0, 0.25]), 0x4000_ffff);
    assert_eq!(pack("unorm.rgb10a2.v4f32", "i32 (<4 x float>)", &[1.0, 0.0, 1.0, 1.0]), 0xfff0_03ff);
    let unpacked = call("air.unpack.unorm4x8.v4f32", "<4 x float> (i32)", &[vec![0xff80_0001]]);
    assert_eq!(unpacked, lanes(&[1.0 / 255.0, 0.0, 128.0 / 255.0, 1.0]));
    let unpacked = call("air.unpack.snorm4x8.v4f32", "<4 x float> (i32)", &[vec![0x8081_7f00]]);
    assert_eq!(unpacked, lanes(&[0.0, 1.0, -1.0, -1.0]));
    let unpacked = call("air.unpack.snorm2x16.v2f16", "<2 x half> (i32)", &[vec![0x8000_7fff]]);
    assert_eq!(unpacked, [half(1.0), half(-1.0)].concat());
}
