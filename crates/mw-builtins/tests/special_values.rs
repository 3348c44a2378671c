//! Special values of the floating-point functions, as C and Metal have them, with denormals flushed and kept.

mod support;

use mw_builtins::link;
use support::evaluate::Evaluator;

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;
const MAX: f32 = f32::MAX;
const TINY: f32 = f32::MIN_POSITIVE;

/// Calls a function of floats.
fn call(name: &str, args: &[f32], flush: bool) -> f32 {
    let params = vec!["float"; args.len()].join(", ");
    let mut module = support::module(&[&format!("air.{name}.f32 = float ({params})")], flush);
    link(&mut module).expect("links");
    let args: Vec<_> = args.iter().map(|arg| vec![u64::from(arg.to_bits())]).collect();
    let result = Evaluator::new(&module, flush).call(&format!("air.{name}.f32"), &args);
    f32::from_bits(result[0] as u32)
}

/// Checks results to the bit; any NaN is as good as another.
fn check(name: &str, cases: &[(&[f32], f32)]) {
    for (args, expected) in cases {
        for flush in [true, false] {
            for prefix in ["", "fast_"] {
                let result = call(&format!("{prefix}{name}"), args, flush);
                let same = result.to_bits() == expected.to_bits() || (result.is_nan() && expected.is_nan());
                assert!(same, "{prefix}{name}{args:?} is {result:e}, not {expected:e} (flush: {flush})");
            }
        }
    }
}

#[test]
fn exponentials() {
    check(
        "exp",
        &[
            (&[0.0], 1.0),
            (&[-0.0], 1.0),
            (&[INF], INF),
            (&[-INF], 0.0),
            (&[NAN], NAN),
            (&[MAX], INF),
            (&[-MAX], 0.0),
            (&[88.73], INF),
            (&[88.722_84], INF),
            (&[-104.0], 0.0),
        ],
    );
    check(
        "exp2",
        &[
            (&[0.0], 1.0),
            (&[1.0], 2.0),
            (&[-126.0], TINY),
            (&[127.0], 2f32.powi(127)),
            (&[128.0], INF),
            (&[MAX], INF),
            (&[INF], INF),
            (&[-INF], 0.0),
            (&[-MAX], 0.0),
            (&[-151.0], 0.0),
            (&[NAN], NAN),
            (&[10.0], 1024.0),
        ],
    );
    check(
        "exp10",
        &[(&[0.0], 1.0), (&[38.6], INF), (&[-46.0], 0.0), (&[INF], INF), (&[-INF], 0.0), (&[NAN], NAN)],
    );
    assert!(call("exp", &[88.722_83], true).is_finite());
}

#[test]
fn denormal_results() {
    // 2⁻¹³⁰ is a denormal: kept or flushed with the sign.
    assert_eq!(call("exp2", &[-130.0], false).to_bits(), 1 << 19);
    assert_eq!(call("exp2", &[-130.0], true).to_bits(), 0);
}

#[test]
fn logarithms() {
    for name in ["log", "log2", "log10"] {
        check(
            name,
            &[
                (&[1.0], 0.0),
                (&[0.0], -INF),
                (&[-0.0], -INF),
                (&[INF], INF),
                (&[-INF], NAN),
                (&[-1.0], NAN),
                (&[NAN], NAN),
            ],
        );
        // A denormal counts as zero only when it is flushed.
        assert_eq!(call(name, &[1e-40], true), -INF);
        assert!(
            (f64::from(call(name, &[1e-40], false))
                - 1e-40f32.log(match name {
                    "log" => std::f32::consts::E,
                    "log2" => 2.0,
                    _ => 10.0,
                }) as f64)
                .abs()
                < 1e-4
        );
    }
    for power in -126..128 {
        assert_eq!(call("log2", &[2f32.powi(power)], true), power as f32);
    }
}

#[test]
fn trigonometry() {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    for name in ["sin", "tan", "asin", "atan", "sinh", "asinh", "tanh", "atanh", "sinpi", "tanpi"] {
        check(name, &[(&[0.0], 0.0), (&[-0.0], -0.0), (&[NAN], NAN)]);
    }
    for name in ["sin", "cos", "tan", "sinpi", "cospi", "tanpi"] {
        check(name, &[(&[INF], NAN), (&[-INF], NAN)]);
    }
    check("cos", &[(&[0.0], 1.0), (&[-0.0], 1.0), (&[NAN], NAN)]);
    check(
        "sinpi",
        &[(&[1.0], 0.0), (&[-2.0], -0.0), (&[0.5], 1.0), (&[1.5], -1.0), (&[MAX], 0.0), (&[-MAX], -0.0)],
    );
    check(
        "cospi",
        &[
            (&[0.5], 0.0),
            (&[-1.5], 0.0),
            (&[1.0], -1.0),
            (&[2.0], 1.0),
            (&[MAX], 1.0),
            (&[16_777_217.0], 1.0),
        ],
    );
    check(
        "tanpi",
        &[
            (&[0.5], INF),
            (&[1.5], -INF),
            (&[-0.5], -INF),
            (&[1.0], -0.0),
            (&[2.0], 0.0),
            (&[-1.0], 0.0),
            (&[0.25], 1.0),
        ],
    );
    check("asin", &[(&[1.0], FRAC_PI_2), (&[-1.0], -FRAC_PI_2), (&[1.000_000_1], NAN), (&[INF], NAN)]);
    check(
        "acos",
        &[(&[1.0], 0.0), (&[-1.0], PI), (&[0.0], FRAC_PI_2), (&[-1.000_000_1], NAN), (&[NAN], NAN)],
    );
    check("atan", &[(&[INF], FRAC_PI_2), (&[-INF], -FRAC_PI_2), (&[1.0], FRAC_PI_4)]);
    check("sinh", &[(&[INF], INF), (&[-INF], -INF), (&[100.0], INF), (&[-MAX], -INF)]);
    check("cosh", &[(&[INF], INF), (&[-INF], INF), (&[0.0], 1.0), (&[-100.0], INF), (&[NAN], NAN)]);
    check("tanh", &[(&[INF], 1.0), (&[-INF], -1.0), (&[20.0], 1.0), (&[-MAX], -1.0)]);
    check("asinh", &[(&[INF], INF), (&[-INF], -INF)]);
    check(
        "acosh",
        &[(&[1.0], 0.0), (&[INF], INF), (&[0.5], NAN), (&[-2.0], NAN), (&[-INF], NAN), (&[NAN], NAN)],
    );
    check("atanh", &[(&[1.0], INF), (&[-1.0], -INF), (&[1.5], NAN), (&[INF], NAN), (&[-INF], NAN)]);
}

#[test]
fn large_angles() {
    // Rest of the division by π/2 among the smallest that floats have, and the ends of the range.
    for x in [131_072.0f32, 1e6, 5.367_094e15, 6.381_956e13, 2.612_419_4e36, MAX, -1e20, -MAX] {
        let wide = f64::from(x);
        for (name, exact) in [("sin", wide.sin()), ("cos", wide.cos()), ("tan", wide.tan())] {
            let result = f64::from(call(name, &[x], true));
            assert!(
                (result - exact).abs() <= 1e-7 * exact.abs(),
                "{name}({x:e}) is {result:e}, not {exact:e}"
            );
        }
    }
}

#[test]
fn angles_of_points() {
    use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    check(
        "atan2",
        &[
            (&[0.0, 0.0], 0.0),
            (&[-0.0, 0.0], -0.0),
            (&[0.0, -0.0], PI),
            (&[-0.0, -0.0], -PI),
            (&[0.0, 1.0], 0.0),
            (&[-0.0, 1.0], -0.0),
            (&[0.0, -1.0], PI),
            (&[-0.0, -1.0], -PI),
            (&[1.0, 0.0], FRAC_PI_2),
            (&[-1.0, 0.0], -FRAC_PI_2),
            (&[1.0, -0.0], FRAC_PI_2),
            (&[-1.0, -0.0], -FRAC_PI_2),
            (&[INF, INF], FRAC_PI_4),
            (&[-INF, INF], -FRAC_PI_4),
            (&[INF, -INF], 3.0 * FRAC_PI_4),
            (&[-INF, -INF], -3.0 * FRAC_PI_4),
            (&[INF, 1.0], FRAC_PI_2),
            (&[1.0, INF], 0.0),
            (&[-1.0, INF], -0.0),
            (&[1.0, -INF], PI),
            (&[-1.0, -INF], -PI),
            (&[MAX, INF], 0.0),
            (&[NAN, 1.0], NAN),
            (&[1.0, NAN], NAN),
            (&[TINY, MAX], 0.0),
            (&[MAX, TINY], FRAC_PI_2),
            (&[NAN, INF], NAN),
            (&[INF, NAN], NAN),
        ],
    );
}

#[test]
fn powers() {
    check(
        "pow",
        &[
            // x^0 and 1^y are 1, whatever the other is.
            (&[NAN, 0.0], 1.0),
            (&[INF, 0.0], 1.0),
            (&[0.0, 0.0], 1.0),
            (&[-3.0, -0.0], 1.0),
            (&[1.0, NAN], 1.0),
            (&[1.0, INF], 1.0),
            (&[1.0, -INF], 1.0),
            (&[-1.0, INF], 1.0),
            (&[-1.0, -INF], 1.0),
            (&[NAN, 1.0], NAN),
            (&[2.0, NAN], NAN),
            (&[0.0, NAN], NAN),
            (&[INF, NAN], NAN),
            // Zeros.
            (&[0.0, 3.0], 0.0),
            (&[-0.0, 3.0], -0.0),
            (&[-0.0, 2.0], 0.0),
            (&[-0.0, 2.5], 0.0),
            (&[0.0, -3.0], INF),
            (&[-0.0, -3.0], -INF),
            (&[-0.0, -2.0], INF),
            (&[-0.0, -2.5], INF),
            (&[0.0, INF], 0.0),
            (&[0.0, -INF], INF),
            (&[-0.0, -INF], INF),
            // Infinities.
            (&[INF, 2.0], INF),
            (&[INF, -2.0], 0.0),
            (&[-INF, 3.0], -INF),
            (&[-INF, 2.0], INF),
            (&[-INF, 0.5], INF),
            (&[-INF, -3.0], -0.0),
            (&[-INF, -2.0], 0.0),
            (&[2.0, INF], INF),
            (&[0.5, INF], 0.0),
            (&[2.0, -INF], 0.0),
            (&[0.5, -INF], INF),
            (&[-2.0, INF], INF),
            (&[-0.5, -INF], INF),
            (&[-INF, INF], INF),
            (&[-INF, -INF], 0.0),
            // Negative numbers.
            (&[-2.0, 3.0], -8.0),
            (&[-2.0, 2.0], 4.0),
            (&[-2.0, 0.5], NAN),
            (&[-2.0, -1.0], -0.5),
            (&[-1.0, 16_777_215.0], -1.0),
            (&[-1.0, 16_777_216.0], 1.0),
            (&[-1.0, MAX], 1.0),
            (&[-2.0, MAX], INF),
            // Exact ones, overflow, underflow.
            (&[3.0, 4.0], 81.0),
            (&[9.0, 0.5], 3.0),
            (&[10.0, 10.0], 1e10),
            (&[2.0, -126.0], TINY),
            (&[MAX, 2.0], INF),
            (&[MAX, -2.0], 0.0),
            (&[TINY, 2.0], 0.0),
            (&[-MAX, 3.0], -INF),
            (&[-MAX, -3.0], -0.0),
            (&[MAX, 1.0], MAX),
        ],
    );
    check(
        "powr",
        &[
            (&[2.0, 3.0], 8.0),
            (&[-1.0, 2.0], NAN),
            (&[0.0, 0.0], NAN),
            (&[INF, 0.0], NAN),
            (&[1.0, INF], NAN),
            (&[0.0, -1.0], INF),
            (&[0.0, 1.0], 0.0),
            (&[-0.0, 1.0], 0.0),
            (&[INF, 1.0], INF),
            (&[INF, -1.0], 0.0),
            (&[2.0, 0.0], 1.0),
            (&[2.0, INF], INF),
            (&[0.5, INF], 0.0),
            (&[NAN, 0.0], NAN),
            (&[1.0, NAN], NAN),
        ],
    );
}

#[test]
fn comparisons() {
    check(
        "fmax",
        &[
            (&[1.0, 2.0], 2.0),
            (&[NAN, 2.0], 2.0),
            (&[2.0, NAN], 2.0),
            (&[NAN, NAN], NAN),
            (&[0.0, -0.0], 0.0),
            (&[-0.0, 0.0], 0.0),
            (&[-0.0, -0.0], -0.0),
            (&[-1.0, NAN], -1.0),
            (&[NAN, -1.0], -1.0),
            (&[-INF, NAN], -INF),
            (&[INF, -INF], INF),
            (&[-3.0, -2.0], -2.0),
        ],
    );
    check(
        "fmin",
        &[
            (&[1.0, 2.0], 1.0),
            (&[NAN, 2.0], 2.0),
            (&[2.0, NAN], 2.0),
            (&[NAN, NAN], NAN),
            (&[0.0, -0.0], -0.0),
            (&[-0.0, 0.0], -0.0),
            (&[0.0, 0.0], 0.0),
            (&[-1.0, NAN], -1.0),
            (&[NAN, -1.0], -1.0),
            (&[INF, NAN], INF),
        ],
    );
    check("fmax3", &[(&[1.0, 3.0, 2.0], 3.0), (&[NAN, NAN, 2.0], 2.0)]);
    check("fmin3", &[(&[3.0, 1.0, 2.0], 1.0), (&[NAN, 4.0, NAN], 4.0)]);
    check("fmedian3", &[(&[3.0, 1.0, 2.0], 2.0), (&[1.0, 2.0, 3.0], 2.0), (&[2.0, 3.0, 1.0], 2.0)]);
    check("clamp", &[(&[5.0, 0.0, 1.0], 1.0), (&[-5.0, 0.0, 1.0], 0.0), (&[NAN, 0.0, 1.0], 0.0)]);
    check("saturate", &[(&[NAN], 0.0), (&[-0.0], 0.0), (&[0.25], 0.25), (&[INF], 1.0), (&[-INF], 0.0)]);
    check(
        "fdim",
        &[(&[3.0, 1.0], 2.0), (&[1.0, 3.0], 0.0), (&[NAN, 1.0], NAN), (&[1.0, NAN], NAN), (&[INF, INF], 0.0)],
    );
    check("sign", &[(&[-3.0], -1.0), (&[0.0], 0.0), (&[-0.0], -0.0), (&[NAN], 0.0), (&[INF], 1.0)]);
    check("step", &[(&[1.0, 0.5], 0.0), (&[1.0, 1.0], 1.0), (&[1.0, 2.0], 1.0)]);
    check("smoothstep", &[(&[0.0, 1.0, -1.0], 0.0), (&[0.0, 1.0, 0.5], 0.5), (&[0.0, 1.0, 2.0], 1.0)]);
    check("mix", &[(&[1.0, 3.0, 0.5], 2.0)]);
    check("copysign", &[(&[1.0, -0.0], -1.0), (&[-2.0, 1.0], 2.0)]);
    // A denormal loses its bits, and keeps its sign, when the module flushes.
    let denormal = f32::from_bits(0x8000_0003);
    assert_eq!(call("fmin", &[denormal, 1.0], true).to_bits(), 0x8000_0000);
    assert_eq!(call("fmin", &[denormal, 1.0], false).to_bits(), 0x8000_0003);
    assert_eq!(call("fabs", &[denormal], true).to_bits(), 3);
}

#[test]
fn rounding() {
    let below_half = 0.5f32.next_down();
    check(
        "round",
        &[
            (&[0.5], 1.0),
            (&[-0.5], -1.0),
            (&[1.5], 2.0),
            (&[2.5], 3.0),
            (&[below_half], 0.0),
            (&[-below_half], -0.0),
            (&[8_388_609.0], 8_388_609.0),
            (&[4_194_304.5], 4_194_305.0),
            (&[INF], INF),
            (&[NAN], NAN),
            (&[-0.0], -0.0),
        ],
    );
    check(
        "rint",
        &[(&[0.5], 0.0), (&[1.5], 2.0), (&[2.5], 2.0), (&[-0.5], -0.0), (&[-INF], -INF), (&[NAN], NAN)],
    );
    check("floor", &[(&[-0.5], -1.0), (&[1.5], 1.0), (&[-0.0], -0.0)]);
    check("ceil", &[(&[-0.5], -0.0), (&[1.5], 2.0)]);
    check("trunc", &[(&[-1.5], -1.0), (&[-0.5], -0.0), (&[1.5], 1.0)]);
    check(
        "fract",
        &[
            (&[1.25], 0.25),
            (&[-0.25], 0.75),
            (&[-1e-20], 1f32.next_down()),
            (&[INF], 0.0),
            (&[NAN], NAN),
            (&[-0.0], 0.0),
        ],
    );
    check("sqrt", &[(&[4.0], 2.0), (&[-0.0], -0.0), (&[-1.0], NAN), (&[INF], INF)]);
    check(
        "rsqrt",
        &[(&[4.0], 0.5), (&[0.0], INF), (&[-0.0], -INF), (&[INF], 0.0), (&[-1.0], NAN), (&[NAN], NAN)],
    );
}

#[test]
fn remainders() {
    check(
        "fmod",
        &[
            (&[5.5, 2.0], 1.5),
            (&[-5.5, 2.0], -1.5),
            (&[5.5, -2.0], 1.5),
            (&[6.0, 3.0], 0.0),
            (&[-6.0, 3.0], -0.0),
            (&[1.0, INF], 1.0),
            (&[-0.0, 1.0], -0.0),
            (&[INF, 1.0], NAN),
            (&[1.0, 0.0], NAN),
            (&[0.0, 0.0], NAN),
            (&[NAN, 1.0], NAN),
            (&[1.0, NAN], NAN),
            (&[INF, INF], NAN),
            (&[2.0, 3.0], 2.0),
        ],
    );
    for (x, y) in [(MAX, 3.0f32), (MAX, TINY * 1.3), (-1e30, 0.7), (1e38, 1.1e-37), (16_777_217.0, 0.1)] {
        let exact = x % y;
        let exact = if exact.is_subnormal() { 0f32.copysign(exact) } else { exact };
        assert_eq!(call("fmod", &[x, y], true).to_bits(), exact.to_bits(), "fmod({x}, {y})");
    }
}

#[test]
fn neighbours() {
    let smallest = f32::from_bits(1);
    check(
        "nextafter",
        &[
            (&[0.0, 1.0], smallest),
            (&[-0.0, 1.0], smallest),
            (&[0.0, -1.0], -smallest),
            (&[smallest, -1.0], 0.0),
            (&[-smallest, 1.0], -0.0),
            (&[1.0, 2.0], 1f32.next_up()),
            (&[1.0, 0.0], 1f32.next_down()),
            (&[-1.0, 0.0], -1f32.next_down()),
            (&[MAX, INF], INF),
            (&[INF, 0.0], MAX),
            (&[1.0, 1.0], 1.0),
            (&[0.0, -0.0], -0.0),
            (&[NAN, 1.0], NAN),
            (&[1.0, NAN], NAN),
            (&[TINY, 0.0], TINY.next_down()),
        ],
    );
}
