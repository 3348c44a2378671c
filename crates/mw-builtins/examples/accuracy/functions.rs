//! The functions that are measured, with their references and Metal's bounds.

/// A format that results are rounded to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Float,
    Half,
    BFloat,
}

impl Format {
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Float => "f32",
            Self::Half => "f16",
            Self::BFloat => "bf16",
        }
    }

    pub(crate) fn llvm(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Half => "half",
            Self::BFloat => "bfloat",
        }
    }

    /// Bits of the fraction, and exponent of the smallest normal number.
    pub(crate) fn precision(self) -> (i32, i32) {
        match self {
            Self::Float => (23, -126),
            Self::Half => (10, -14),
            Self::BFloat => (7, -126),
        }
    }

    /// The value of a bit pattern.
    pub(crate) fn value(self, bits: u32) -> f64 {
        match self {
            Self::Float => f64::from(f32::from_bits(bits)),
            Self::BFloat => f64::from(f32::from_bits(bits << 16)),
            Self::Half => {
                let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
                let (exponent, fraction) = ((bits >> 10 & 0x1f) as i32, f64::from(bits & 0x3ff));
                sign * match exponent {
                    0 => fraction * 2f64.powi(-24),
                    31 if fraction == 0.0 => f64::INFINITY,
                    31 => f64::NAN,
                    _ => (fraction + 1024.0) * 2f64.powi(exponent - 25),
                }
            }
        }
    }
}

/// The mathematical function, in double.
#[derive(Clone, Copy)]
pub(crate) enum Reference {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
}

/// A function of the library.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) reference: Reference,
    /// Metal's bound for f32 in ULP; 0 means correctly rounded.
    pub(crate) bound: f64,
    /// Bound of the fast form, in words; `None` where it shares the body.
    pub(crate) fast: Option<&'static str>,
}

/// A function with a format.
#[derive(Clone)]
pub(crate) struct Instance {
    pub(crate) name: &'static str,
    pub(crate) fast: Option<&'static str>,
    pub(crate) format: Format,
    pub(crate) reference: Reference,
    pub(crate) bound: f64,
}

impl Function {
    /// The forms that are measured.
    pub(crate) fn instances(&self) -> Vec<Instance> {
        let instance = |format, fast, bound| Instance {
            name: self.name,
            fast,
            format,
            reference: self.reference,
            bound,
        };
        let mut all = vec![instance(Format::Float, None, self.bound)];
        if self.fast.is_some() {
            all.push(instance(Format::Float, self.fast, f64::NAN));
        }
        // Metal asks for 1 ULP or correct rounding of half.
        all.push(instance(Format::Half, None, self.bound.min(1.0)));
        all.push(instance(Format::BFloat, None, self.bound.min(1.0)));
        all
    }
}

impl Instance {
    pub(crate) fn air_name(&self) -> String {
        let prefix = if self.fast.is_some() { "fast_" } else { "" };
        format!("air.{prefix}{}.{}", self.name, self.format.suffix())
    }

    pub(crate) fn arity(&self) -> usize {
        match self.reference {
            Reference::One(_) => 1,
            Reference::Two(_) => 2,
        }
    }

    pub(crate) fn matches(&self, pattern: &str) -> bool {
        pattern == self.name || pattern == self.air_name()
    }
}

const fn one(name: &'static str, bound: f64, reference: fn(f64) -> f64) -> Function {
    Function { name, reference: Reference::One(reference), bound, fast: None }
}

const fn two(name: &'static str, bound: f64, reference: fn(f64, f64) -> f64) -> Function {
    Function { name, reference: Reference::Two(reference), bound, fast: None }
}

const fn fast(function: Function, bound: &'static str) -> Function {
    Function { fast: Some(bound), ..function }
}

/// `x` modulo 2 in −1…1, exactly.
fn half_turns(x: f64) -> f64 {
    x - 2.0 * (x * 0.5).round_ties_even()
}

fn sinpi(x: f64) -> f64 {
    if x.is_infinite() {
        return f64::NAN;
    }
    let r = half_turns(x);
    let folded = if r.abs() > 0.5 { r.signum() * (1.0 - r.abs()) } else { r };
    if folded == 0.0 { 0f64.copysign(x) } else { (folded * std::f64::consts::PI).sin() }
}

fn cospi(x: f64) -> f64 {
    if x.is_infinite() {
        return f64::NAN;
    }
    let r = half_turns(x).abs();
    if r == 0.5 { 0.0 } else { ((0.5 - r) * std::f64::consts::PI).sin() }
}

fn tanpi(x: f64) -> f64 {
    if x.is_infinite() {
        return f64::NAN;
    }
    let floor = x.floor();
    let odd = (floor * 0.5).fract() != 0.0;
    let sign = if odd { -1.0 } else { 1.0 };
    if x == floor {
        return sign * 0f64.copysign(x);
    }
    if x - floor == 0.5 {
        return sign * f64::INFINITY;
    }
    sinpi(x) / cospi(x)
}

fn fract(x: f64) -> f64 {
    if x.is_infinite() { 0.0 } else { x - x.floor() }
}

fn powr(x: f64, y: f64) -> f64 {
    let edge = x == 0.0 || x.is_infinite();
    if x < 0.0 || (y == 0.0 && edge) || (x == 1.0 && y.is_infinite()) || y.is_nan() || x.is_nan() {
        f64::NAN
    } else {
        x.abs().powf(y)
    }
}

fn fmax(x: f64, y: f64) -> f64 {
    if x == y { if x.is_sign_positive() { x } else { y } } else { x.max(y) }
}

fn fmin(x: f64, y: f64) -> f64 {
    if x == y { if x.is_sign_negative() { x } else { y } } else { x.min(y) }
}

/// Everything that has an error to measure, in the order of the specification.
pub(crate) const FUNCTIONS: &[Function] = &[
    one("acos", 4.0, f64::acos),
    one("acosh", 4.0, f64::acosh),
    one("asin", 4.0, f64::asin),
    one("asinh", 4.0, f64::asinh),
    one("atan", 5.0, f64::atan),
    two("atan2", 6.0, f64::atan2),
    one("atanh", 5.0, f64::atanh),
    one("ceil", 0.0, f64::ceil),
    one("cos", 4.0, f64::cos),
    one("cosh", 4.0, f64::cosh),
    one("cospi", 4.0, cospi),
    fast(one("exp", 4.0, f64::exp), "3 + ⌊|2 x|⌋"),
    fast(one("exp2", 4.0, f64::exp2), "3 + ⌊|2 x|⌋"),
    one("exp10", 4.0, |x| 10f64.powf(x)),
    one("fabs", 0.0, f64::abs),
    one("floor", 0.0, f64::floor),
    two("fmax", 0.0, fmax),
    two("fmin", 0.0, fmin),
    two("fmod", 0.0, |x, y| x % y),
    one("fract", 0.0, fract),
    one("log", 4.0, f64::ln),
    one("log2", 4.0, f64::log2),
    one("log10", 4.0, f64::log10),
    two("pow", 16.0, f64::powf),
    two("powr", 16.0, powr),
    one("rint", 0.0, f64::round_ties_even),
    one("round", 0.0, f64::round),
    fast(one("rsqrt", 0.0, |x| 1.0 / x.sqrt()), "2"),
    one("sin", 4.0, f64::sin),
    one("sinh", 4.0, f64::sinh),
    one("sinpi", 4.0, sinpi),
    one("sqrt", 0.0, f64::sqrt),
    one("tan", 6.0, f64::tan),
    one("tanh", 5.0, f64::tanh),
    one("tanpi", 6.0, tanpi),
    one("trunc", 0.0, f64::trunc),
];
