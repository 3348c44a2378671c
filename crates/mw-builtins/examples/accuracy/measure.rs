//! Runs a function over its inputs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::compiled::Map;
use crate::functions::{Format, Instance, Reference};

/// How many inputs.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// Takes every n-th float.
    pub(crate) every: u64,
    /// Pairs for functions of two operands.
    pub(crate) pairs: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { every: 16, pairs: 100_000_000 }
    }
}

/// The largest error of one function.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) function: Instance,
    pub(crate) inputs: u64,
    /// In units of the last place of the result.
    pub(crate) error: f64,
    pub(crate) at: (u32, u32),
    pub(crate) got: u32,
    /// Inputs whose result is not the correctly rounded one.
    pub(crate) misrounded: u64,
}

const CHUNK: usize = 1 << 14;

/// Distance from `exact` in units of its last place. Special values count as 0 when right, else as ∞.
fn error(format: Format, exact: f64, got: f64) -> f64 {
    if exact.is_nan() || got.is_nan() {
        return if exact.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let (fraction, lowest) = format.precision();
    let largest = 2f64.powi(1 - lowest) * (2.0 - 2f64.powi(-fraction));
    let overflow = largest + 2f64.powi(1 - lowest - fraction - 1);
    if exact.abs() >= overflow || got.is_infinite() {
        // Correct when both are infinite; an infinity just before overflow is judged by its distance.
        if exact.abs() >= overflow && got == exact.signum() * f64::INFINITY {
            return 0.0;
        }
        if exact.is_infinite() || got.signum() != exact.signum() {
            return f64::INFINITY;
        }
        let unit = 2f64.powi(1 - lowest - fraction);
        let got = if got.is_infinite() { got.signum() * 2f64.powi(2 - lowest) } else { got };
        return (got - exact).abs() / unit;
    }
    if exact == 0.0 || got == 0.0 {
        if exact == 0.0 && got == 0.0 {
            return if exact.is_sign_negative() == got.is_sign_negative() { 0.0 } else { f64::INFINITY };
        }
        // f32 (and bfloat, which goes through it) flushes denormal results.
        if got == 0.0 && format != Format::Half && exact.abs() < 2f64.powi(lowest) {
            return 0.0;
        }
    }
    let exponent = ((exact.abs().to_bits() >> 52) as i32 - 1023).max(lowest);
    (got - exact).abs() * 2f64.powi(fraction - exponent)
}

struct Worst {
    error: f64,
    at: (u32, u32),
    got: u32,
    misrounded: u64,
}

/// What the processor sees of an input.
fn flush_input(format: Format, value: f64) -> f64 {
    let (_, lowest) = format.precision();
    if format != Format::Half && value.abs() < 2f64.powi(lowest) { 0f64.copysign(value) } else { value }
}

fn run_chunk(
    function: &Instance,
    code: Map,
    a: &[u32],
    b: &[u32],
    worst: &mut Worst,
    buffers: &mut [Vec<u8>; 3],
) {
    let format = function.format;
    let narrow = format != Format::Float;
    let width = if narrow { 2 } else { 4 };
    for (buffer, values) in buffers.iter_mut().zip([a, b]) {
        buffer.clear();
        for value in values {
            buffer.extend_from_slice(&value.to_le_bytes()[..width]);
        }
    }
    buffers[2].resize(a.len() * width, 0);
    let [first, second, out] = buffers;
    // SAFETY: all three buffers hold `a.len()` elements of the function's format.
    unsafe { code(first.as_ptr(), second.as_ptr(), out.as_mut_ptr(), a.len()) };
    for (index, bytes) in out.chunks_exact(width).enumerate() {
        let got = if narrow {
            u32::from(u16::from_le_bytes([bytes[0], bytes[1]]))
        } else {
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        };
        let x = flush_input(format, format.value(a[index]));
        let exact = match function.reference {
            Reference::One(f) => f(x),
            Reference::Two(f) => f(x, flush_input(format, format.value(b[index]))),
        };
        // The specification keeps a fraction below 1.
        let below_one = 1.0 - 2f64.powi(-1 - format.precision().0);
        let exact = if function.name == "fract" && exact > below_one { below_one } else { exact };
        let error = error(format, exact, format.value(got));
        worst.misrounded += u64::from(error > 0.5);
        if error > worst.error {
            (worst.error, worst.at, worst.got) = (error, (a[index], b[index]), got);
        }
    }
}

/// A small generator with a full period (splitmix64).
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Pair number `index`: special values, numbers of like size, and arbitrary bits in turn.
fn pair(format: Format, index: u64) -> (u32, u32) {
    const SPECIAL: [u32; 20] = [
        0,
        0x8000_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0000,
        0x0080_0000,
        0x8080_0000,
        0x7f7f_ffff,
        0x4000_0000,
        0xc000_0000,
        0x4040_0000,
        0xc040_0000,
        0x3f00_0000,
        0xbf00_0000,
        0x4b80_0001,
        0xcb7f_ffff,
        0x3f80_0001,
        0x3f7f_ffff,
    ];
    let count = SPECIAL.len() as u64;
    let random = mix(index);
    let (a, b) = if index < count * count {
        (SPECIAL[(index / count) as usize], SPECIAL[(index % count) as usize])
    } else {
        let (a, b) = (random as u32, (random >> 32) as u32);
        match index % 4 {
            // Near 1 in magnitude: exponents within ±8, so that powers and angles are ordinary.
            0 | 1 => {
                let near = |bits: u32, salt: u32| (bits & 0x807f_ffff) | ((119 + (salt & 15)) << 23);
                (near(a, b), near(b, a >> 4))
            }
            2 if a % 4 == 0 => (a, SPECIAL[(b % 20) as usize]),
            2 if a % 4 == 1 => (SPECIAL[(a as usize >> 2) % 20], b),
            _ => (a, b),
        }
    };
    match format {
        Format::Float => (a, b),
        Format::BFloat => (a >> 16, b >> 16),
        Format::Half => {
            // Keep sign and exponent near 1, or arbitrary bits.
            let narrow = |bits: u32| {
                let exponent = (bits >> 23 & 0xff) as i32 - 112;
                if (1..31).contains(&exponent) || bits << 1 == 0 {
                    (bits >> 16 & 0x8000) | ((exponent.max(0) as u32) << 10) | (bits >> 13 & 0x3ff)
                } else {
                    bits >> 16
                }
            };
            (narrow(a), narrow(b))
        }
    }
}

/// Sets the processor to flush denormals on input and output, as a kernel runs.
fn flush_denormals() {
    let control: u32 = 0x9fc0;
    // SAFETY: sets FTZ and DAZ and leaves exceptions masked; each thread of this program ends so.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const control, options(nostack, readonly));
    }
}

/// Measures one function over its inputs, on all processors.
pub(crate) fn accuracy(function: &Instance, code: Map, options: &Options) -> Row {
    let two = function.arity() == 2;
    let inputs = match (two, function.format) {
        (true, _) => options.pairs,
        (false, Format::Float) => (1u64 << 32) / options.every,
        (false, _) => 1 << 16,
    };
    let every = if function.format == Format::Float { options.every } else { 1 };
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Worst> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    flush_denormals();
                    let mut worst = Worst { error: -1.0, at: (0, 0), got: 0, misrounded: 0 };
                    let mut buffers = [Vec::new(), Vec::new(), Vec::new()];
                    loop {
                        let start = next.fetch_add(CHUNK as u64, Ordering::Relaxed);
                        if start >= inputs {
                            return worst;
                        }
                        let indices = start..inputs.min(start + CHUNK as u64);
                        let (a, b): (Vec<u32>, Vec<u32>) = indices
                            .map(|index| {
                                if two {
                                    pair(function.format, index)
                                } else {
                                    // Another residue in each group, so that no bit pattern is favoured.
                                    ((index * every + mix(index) % every) as u32, 0)
                                }
                            })
                            .unzip();
                        run_chunk(function, code, &a, &b, &mut worst, &mut buffers);
                    }
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("worker")).collect()
    });
    let misrounded = results.iter().map(|worst| worst.misrounded).sum();
    let worst = results.into_iter().max_by(|a, b| a.error.total_cmp(&b.error)).expect("a thread");
    let Worst { error, at, got, .. } = worst;
    Row { function: function.clone(), inputs, error, at, got, misrounded }
}

/// Nanoseconds per element on ordinary arguments, one thread.
pub(crate) fn speed(function: &Instance, code: Map) -> String {
    flush_denormals();
    let narrow = function.format != Format::Float;
    let width = if narrow { 2 } else { 4 };
    let count = 4096;
    let bytes: Vec<u8> = (0..count as u64)
        .flat_map(|index| {
            let (a, _) = pair(function.format, 400 + 4 * index);
            a.to_le_bytes()[..width].to_vec()
        })
        .collect();
    let mut out = vec![0u8; bytes.len()];
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..50 {
            // SAFETY: the buffers hold `count` elements.
            unsafe { code(bytes.as_ptr(), bytes.as_ptr(), out.as_mut_ptr(), count) };
        }
        best = best.min(start.elapsed().as_secs_f64() / 50.0 / count as f64);
    }
    format!("{:24} {:7.3} ns", function.air_name(), best * 1e9)
}
