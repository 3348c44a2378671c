//! A spot check of every function against double, on a few thousand inputs of all sizes. The whole
//! measurement is `examples/accuracy`; this one needs no compiler and fails when a body breaks.

mod support;

use mw_builtins::link;
use support::evaluate::Evaluator;

/// Distance in units of the last place of the exact value; flushed results count as right.
fn error(exact: f64, got: f32) -> f64 {
    let got = f64::from(got);
    if exact.is_nan() || got.is_nan() {
        return if exact.is_nan() == got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if exact.abs() < f64::from(f32::MIN_POSITIVE) && got == 0.0
        || (exact as f32).is_infinite() && got == f64::from(exact as f32)
    {
        return 0.0;
    }
    let exponent = ((exact.abs().to_bits() >> 52) as i32 - 1023).max(-126);
    (got - exact).abs() * 2f64.powi(23 - exponent)
}

/// Floats of all sizes, and many near 1.
fn inputs() -> impl Iterator<Item = f32> {
    let spread = (0..1500u32).map(|index| f32::from_bits(index.wrapping_mul(2_863_311_531)));
    let near = (0..1500u32).map(|index| {
        let bits = index.wrapping_mul(2_654_435_761);
        f32::from_bits((bits & 0x807f_ffff) | ((118 + index % 16) << 23))
    });
    spread.chain(near).filter(|x| !x.is_subnormal())
}

fn check(name: &str, bound: f64, reference: fn(f64) -> f64) {
    for flush in [true, false] {
        let symbol = format!("air.{name}.f32");
        let mut module = support::module(&[&format!("{symbol} = float (float)")], flush);
        link(&mut module).expect("links");
        for x in inputs() {
            let result = Evaluator::new(&module, flush).call(&symbol, &[vec![u64::from(x.to_bits())]])[0];
            let result = f32::from_bits(result as u32);
            let exact = reference(f64::from(x));
            let error = error(exact, result);
            assert!(
                error <= bound,
                "{name}({x:e}) is {result:e}, not {exact:e}: {error} ULP (flush: {flush})"
            );
        }
    }
}

#[test]
fn one_operand() {
    // Correctly rounded in double, then once more.
    for (name, reference) in [
        ("acos", f64::acos as fn(f64) -> f64),
        ("acosh", f64::acosh),
        ("asin", f64::asin),
        ("asinh", f64::asinh),
        ("atan", f64::atan),
        ("atanh", f64::atanh),
        ("cosh", f64::cosh),
        ("sinh", f64::sinh),
        ("tan", f64::tan),
        ("rsqrt", |x| 1.0 / x.sqrt()),
        ("sqrt", f64::sqrt),
        ("asinpi", |x| x.asin() / std::f64::consts::PI),
        ("acospi", |x| x.acos() / std::f64::consts::PI),
        ("atanpi", |x| x.atan() / std::f64::consts::PI),
    ] {
        check(name, 0.51, reference);
    }
    for (name, bound, reference) in [
        ("exp", 0.9, f64::exp as fn(f64) -> f64),
        ("exp2", 0.9, f64::exp2),
        ("exp10", 0.9, |x| 10f64.powf(x)),
        ("fast_exp", 1.4, f64::exp),
        ("fast_exp2", 1.4, f64::exp2),
        ("fast_rsqrt", 1.5, |x| 1.0 / x.sqrt()),
        ("log", 1.0, f64::ln),
        ("log2", 1.0, f64::log2),
        ("log10", 1.0, f64::log10),
        ("sin", 1.6, f64::sin),
        ("cos", 1.6, f64::cos),
        ("tanh", 2.4, f64::tanh),
    ] {
        check(name, bound, reference);
    }
}

#[test]
fn two_operands() {
    for (name, reference) in
        [("pow", f64::powf as fn(f64, f64) -> f64), ("atan2", f64::atan2), ("fmod", |x, y| x % y)]
    {
        let symbol = format!("air.{name}.f32");
        let mut module = support::module(&[&format!("{symbol} = float (float, float)")], true);
        link(&mut module).expect("links");
        let seconds: Vec<f32> = inputs().collect();
        for (x, index) in inputs().zip(0..) {
            let y = seconds[(index * 1009 + 1200) % seconds.len()];
            let args = [x, y].map(|value| vec![u64::from(value.to_bits())]);
            let result = f32::from_bits(Evaluator::new(&module, true).call(&symbol, &args)[0] as u32);
            let exact = reference(f64::from(x), f64::from(y));
            assert!(error(exact, result) <= 0.51, "{name}({x:e}, {y:e}) is {result:e}, not {exact:e}");
        }
    }
}

#[test]
fn hot_functions_stay_short() {
    // Instructions per element, constants excluded: softmax, GELU and rotary embeddings hang on them.
    for (name, most) in [
        ("exp", 19),
        ("fast_exp", 18),
        ("exp2", 18),
        ("fast_exp2", 17),
        ("tanh", 25),
        ("log", 36),
        ("sin", 31),
    ] {
        let symbol = format!("air.{name}.f32");
        let mut module = support::module(&[&format!("{symbol} = float (float)")], true);
        link(&mut module).expect("links");
        let mut evaluator = Evaluator::new(&module, true);
        evaluator.call(&symbol, &[vec![u64::from(0.7f32.to_bits())]]);
        assert!(evaluator.steps <= most, "{name} takes {} instructions", evaluator.steps);
        for function in &module.functions {
            let double = function.values().iter().any(|value| value.ty == mw_air::Type::DOUBLE);
            assert!(!double || name == "sin", "{name} computes in double");
        }
    }
}
