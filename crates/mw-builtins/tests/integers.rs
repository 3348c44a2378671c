//! Integer functions against wide arithmetic, at every width.

mod support;

use mw_builtins::link;
use support::evaluate::Evaluator;

fn mask(bits: u32) -> u64 {
    if bits == 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Numbers with interesting bits, cut to the width, and some without.
fn samples(bits: u32) -> Vec<u64> {
    let mut values =
        vec![0, 1, 2, 3, 5, mask(bits), mask(bits) - 1, mask(bits) >> 1, (mask(bits) >> 1) + 1, 0x5a, 0x81];
    let mut state = 0x1234_5678_9abc_def1u64;
    for _ in 0..12 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        values.push(state & mask(bits));
        values.push((state >> 32) & mask(bits) & 0xffff);
    }
    values
}

/// The value as its type reads it.
fn read(value: u64, bits: u32, signed: bool) -> i128 {
    if signed { i128::from(((value << (64 - bits)) as i64) >> (64 - bits)) } else { i128::from(value) }
}

/// Compares `air.<name>.<s|u>.i<bits>` with `exact` (in wide arithmetic, wrapped to the width) on samples.
fn check(name: &str, arity: usize, widths: &[u32], exact: impl Fn(&[i128], u32, bool) -> i128) {
    for &bits in widths {
        for signed in [true, false] {
            let symbol = format!("air.{name}.{}.i{bits}", if signed { "s" } else { "u" });
            let params = vec![format!("i{bits}"); arity].join(", ");
            let mut module = support::module(&[&format!("{symbol} = i{bits} ({params})")], true);
            link(&mut module).expect("links");
            let samples = samples(bits);
            let count = samples.len();
            for index in 0..count.pow(arity.min(2) as u32) {
                let mut picked = vec![samples[index % count], samples[index / count]];
                picked.push(samples[(index * 7 + 3) % count]);
                picked.truncate(arity);
                let wide: Vec<i128> = picked.iter().map(|value| read(*value, bits, signed)).collect();
                let expected = exact(&wide, bits, signed) as u64 & mask(bits);
                let args: Vec<_> = picked.iter().map(|value| vec![*value]).collect();
                let result = Evaluator::new(&module, true).call(&symbol, &args)[0];
                assert_eq!(result, expected, "{symbol}{wide:?}");
            }
        }
    }
}

const ALL: &[u32] = &[8, 16, 32, 64];

fn range(bits: u32, signed: bool) -> (i128, i128) {
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn middle(x: &[i128]) -> i128 {
    x[0].min(x[1]).max(x[0].max(x[1]).min(x[2]))
}

#[test]
fn order() {
    check("min", 2, ALL, |x, _, _| x[0].min(x[1]));
    check("max", 2, ALL, |x, _, _| x[0].max(x[1]));
    check("min3", 3, ALL, |x, _, _| x[0].min(x[1]).min(x[2]));
    check("max3", 3, ALL, |x, _, _| x[0].max(x[1]).max(x[2]));
    check("median3", 3, ALL, |x, _, _| middle(x));
    check("clamp", 3, ALL, |x, _, _| x[0].max(x[1]).min(x[2]));
    check("abs", 1, ALL, |x, _, _| x[0].abs());
    check("abs_diff", 2, ALL, |x, _, _| (x[0] - x[1]).abs());
}

#[test]
fn arithmetic() {
    let saturate = |value: i128, bits, signed| {
        let (low, high) = range(bits, signed);
        value.clamp(low, high)
    };
    check("add_sat", 2, ALL, |x, bits, signed| saturate(x[0] + x[1], bits, signed));
    check("sub_sat", 2, ALL, |x, bits, signed| saturate(x[0] - x[1], bits, signed));
    check("mad_sat", 3, &[8, 16, 32], |x, bits, signed| saturate(x[0] * x[1] + x[2], bits, signed));
    check("hadd", 2, ALL, |x, _, _| (x[0] + x[1]) >> 1);
    check("rhadd", 2, ALL, |x, _, _| (x[0] + x[1] + 1) >> 1);
    check("mul_hi", 2, &[8, 16, 32], |x, bits, _| (x[0] * x[1]) >> bits);
    check("mad_hi", 3, &[8, 16, 32], |x, bits, _| ((x[0] * x[1]) >> bits) + x[2]);
    let low24 = |x: i128, signed| if signed { (x << 104) >> 104 } else { x & 0xff_ffff };
    check("mul24", 2, &[32], move |x, _, signed| low24(x[0], signed) * low24(x[1], signed));
    check("mad24", 3, &[32], move |x, _, signed| low24(x[0], signed) * low24(x[1], signed) + x[2]);
}

#[test]
fn wide_products() {
    check("mul_hi", 2, &[64], |x, _, signed| {
        if signed { (x[0] * x[1]) >> 64 } else { ((x[0] as u128 * x[1] as u128) >> 64) as i128 }
    });
    check("mad_sat", 3, &[64], |x, bits, signed| {
        let (low, high) = range(bits, signed);
        if signed {
            (x[0] * x[1] + x[2]).clamp(low, high)
        } else {
            let exact = (x[0] as u128 * x[1] as u128).saturating_add(x[2] as u128);
            exact.min(high as u128) as i128
        }
    });
}

/// Compares a function whose name has no sign.
fn check_bits(name: &str, ret: &str, params: &str, cases: &[(&[u64], u64)]) {
    let symbol = format!("air.{name}");
    let mut module = support::module(&[&format!("{symbol} = {ret} ({params})")], true);
    link(&mut module).expect("links");
    for (args, expected) in cases {
        let args: Vec<_> = args.iter().map(|arg| vec![*arg]).collect();
        assert_eq!(Evaluator::new(&module, true).call(&symbol, &args)[0], *expected, "{symbol}{args:x?}");
    }
}

#[test]
fn bits() {
    check_bits("clz.i32", "i32", "i32, i1", &[(&[0, 0], 32), (&[1, 0], 31), (&[0xffff_ffff, 0], 0)]);
    check_bits("clz.i16", "i16", "i16, i1", &[(&[0, 0], 16), (&[0xff, 0], 8)]);
    check_bits("ctz.i8", "i8", "i8, i1", &[(&[0, 0], 8), (&[0x50, 0], 4)]);
    check_bits("popcount.i64", "i64", "i64", &[(&[u64::MAX], 64), (&[0x11], 2)]);
    check_bits("reverse_bits.i16", "i16", "i16", &[(&[0x0001], 0x8000), (&[0xf0a0], 0x050f)]);
    check_bits("rotate.i8", "i8", "i8, i8", &[(&[0x81, 1], 0x03), (&[0x81, 8], 0x81), (&[0x12, 0xff], 0x09)]);
    let field = &[
        (&[0xabcd_ef01, 8, 12][..], 0xdef),
        (&[0xabcd_ef01, 0, 32], 0xabcd_ef01),
        (&[0xabcd_ef01, 32, 0], 0),
        (&[0xabcd_ef01, 5, 0], 0),
        (&[0xabcd_ef01, 31, 1], 1),
        (&[0xabcd_ef01, 28, 16], 0xa),
    ];
    check_bits("extract_bits.u.i32", "i32", "i32, i32, i32", field);
    check_bits(
        "extract_bits.s.i32",
        "i32",
        "i32, i32, i32",
        &[(&[0xabcd_ef01, 8, 12], 0xffff_fdef), (&[0x70, 4, 4], 7)],
    );
    check_bits("extract_bits.u.i64", "i64", "i64, i32, i32", &[(&[0x1234_5678_9abc_def0, 60, 4], 1)]);
    check_bits("extract_bits.s.i8", "i8", "i8, i32, i32", &[(&[0x90, 4, 4], 0xf9), (&[0x90, 0, 8], 0x90)]);
    let insert = &[
        (&[0xffff_ffff, 0, 8, 8][..], 0xffff_00ff),
        (&[0, 0x1ff, 4, 4], 0xf0),
        (&[0x1234_5678, 0xabcd_ef01, 0, 32], 0xabcd_ef01),
        (&[0x1234_5678, 0xabcd_ef01, 32, 0], 0x1234_5678),
        (&[0x1234_5678, 0xf, 28, 4], 0xf234_5678),
    ];
    check_bits("insert_bits.u.i32", "i32", "i32, i32, i32, i32", insert);
}
