//! Minimax polynomials and split constants.
//!
//! Written by `tools/coefficients.py`, which says how they are found; do not edit by hand.
//! Tables go from the lowest power to the highest.

#![expect(clippy::excessive_precision, reason = "each number is a float or double written exactly")]
#![expect(clippy::approx_constant, reason = "fitted coefficients come close to well-known constants")]

/// `e^r = 1 + r q(r)`.
///
/// Range [-0.001, 0.694147], f32 coefficients, relative error 2^-28.8 (2^-28.9 before rounding).
pub(super) const EXP: [f64; 6] = [
    0.9999998211860657,
    0.5000055432319641,
    0.1666117012500763,
    0.041911039501428604,
    0.0077968682162463665,
    0.001946764998137951,
];

/// `e^r = 1 + r q(r)`, one term less.
///
/// Range [-0.001, 0.694147], f32 coefficients, relative error 2^-23.5 (2^-23.5 before rounding).
pub(super) const FAST_EXP: [f64; 5] =
    [1.0000059604644775, 0.49987056851387024, 0.1675570160150528, 0.039057545363903046, 0.011673216708004475];

/// `2^r = 1 + r q(r)`.
///
/// Range [0, 1], f32 coefficients, relative error 2^-28.8 (2^-28.9 before rounding).
pub(super) const EXP2: [f64; 6] = [
    0.6931470632553101,
    0.24022908508777618,
    0.05548618361353874,
    0.009673775173723698,
    0.0012482289457693696,
    0.000215659718378447,
];

/// `2^r = 1 + r q(r)`, one term less.
///
/// Range [0, 1], f32 coefficients, relative error 2^-23.5 (2^-23.5 before rounding).
pub(super) const FAST_EXP2: [f64; 5] = [
    0.6931512951850891,
    0.2401645928621292,
    0.055799514055252075,
    0.009017481468617916,
    0.001866951584815979,
];

/// `10^r = 1 + r q(r)`.
///
/// Range [-0.001, 0.30203], f32 coefficients, relative error 2^-28.8 (2^-28.9 before rounding).
pub(super) const EXP10: [f64; 6] = [
    2.302584648132324,
    2.65097975730896,
    2.0339889526367188,
    1.1782454252243042,
    0.5042938590049744,
    0.2905578911304474,
];

/// `e^r - 1 = r + r² q(r)`.
///
/// Range [-0.347574, 0.347574], f32 coefficients, relative error 2^-26.1 (2^-26.2 before rounding).
pub(super) const EXPM1: [f64; 5] = [
    0.4999999701976776,
    0.1666654497385025,
    0.04166744276881218,
    0.008366450667381287,
    0.0013870203401893377,
];

/// `log(1 + f) = f + f² q(f)`.
///
/// Range [-0.292893, 0.414214], f32 coefficients, relative error 2^-27.8 (2^-27.9 before rounding).
pub(super) const LOG1P: [f64; 9] = [
    -0.49999988079071045,
    0.33333322405815125,
    -0.2500160336494446,
    0.20002207159996033,
    -0.16608871519565582,
    0.14177395403385162,
    -0.1323995292186737,
    0.12930093705654144,
    -0.07660098373889923,
];

/// `sin r = r + r s q(s)` with `s = r²`.
///
/// Range [0.0001, 1.5768], f32 coefficients, relative error 2^-27.2 (2^-27.2 before rounding).
pub(super) const SIN: [f64; 4] =
    [-0.16666659712791443, 0.008333067409694195, -0.00019809554214589298, 2.6054658519569784e-06];

/// `sin(π r) = r (π + s q(s))` with `s = r²`.
///
/// Range [0.0001, 0.5], f32 coefficients, relative error 2^-27.2 (2^-27.3 before rounding).
pub(super) const SINPI: [f64; 4] =
    [-5.167710781097412, 2.550086259841919, -0.5983313918113708, 0.07771934568881989];

/// `2^r = 1 + r q(r)` in double.
///
/// Range [-0.5, 0.5], f64 coefficients, relative error 2^-40.2 (2^-40.2 before rounding).
pub(super) const EXP2_F64: [f64; 8] = [
    0.6931471805482133,
    0.2402265069811004,
    0.05550410935268893,
    0.009618128616279493,
    0.001333345485687975,
    0.00015403825351224646,
    1.530915716479049e-05,
    1.3178956729310644e-06,
];

/// `log((1 + t) / (1 - t)) = 2 t + t s q(s)` with `s = t²`, in double.
///
/// Range [1e-05, 0.171573], f64 coefficients, relative error 2^-44.9 (2^-44.9 before rounding).
pub(super) const LOG_F64: [f64; 5] =
    [0.6666666667576865, 0.39999995632834023, 0.2857210799707605, 0.22176236940867236, 0.19583461523522402];

/// `sin r = r + r s q(s)` with `s = r²`, in double.
///
/// Range [1e-05, 0.786398], f64 coefficients, relative error 2^-37.5 (2^-37.5 before rounding).
pub(super) const SIN_F64: [f64; 4] =
    [-0.16666666640531672, 0.00833332927393344, -0.00019839302284698965, 2.718026076991951e-06];

/// `cos r = 1 + s q(s)` with `s = r²`, in double.
///
/// Range [1e-05, 0.786398], f64 coefficients, relative error 2^-33.8 (2^-33.8 before rounding).
pub(super) const COS_F64: [f64; 4] =
    [-0.499999996913238, 0.04166662000056413, -0.0013886670355170488, 2.4382502336240233e-05];

/// `asin w = w + w z q(z)` with `z = w²`, in double.
///
/// Range [1e-05, 0.5], f64 coefficients, relative error 2^-39.9 (2^-39.9 before rounding).
pub(super) const ASIN_F64: [f64; 8] = [
    0.1666666662748579,
    0.07500004964697447,
    0.044640714343196636,
    0.030426407715395783,
    0.02186680212818172,
    0.020640816274677933,
    0.0019938244687132097,
    0.03289599513449835,
];

/// `atan t = t + t s q(s)` with `s = t²`, in double.
///
/// Range [1e-05, 0.41422], f64 coefficients, relative error 2^-35.4 (2^-35.4 before rounding).
pub(super) const ATAN_F64: [f64; 6] = [
    -0.33333332499026547,
    0.19999903897558713,
    -0.14282007428943613,
    0.11044687236343081,
    -0.08476243283766868,
    0.047439921504841685,
];

/// `sinh x = x + x s q(s)` with `s = x²`, in double.
///
/// Range [1e-05, 0.5], f64 coefficients, relative error 2^-33.3 (2^-33.3 before rounding).
pub(super) const SINH_F64: [f64; 3] = [0.16666667451813547, 0.008333141868868452, 0.00019973698622137578];

/// `log 2` in f32 pieces.
pub(super) const LN2: [f64; 2] = [0.6931471824645996, -1.9046542121259336e-09];

/// `log10 2` in f32 pieces.
pub(super) const LOG10_2: [f64; 2] = [0.3010300099849701, -1.432098883924482e-08];

/// `log2 e` in f32 pieces.
pub(super) const LOG2_E: [f64; 2] = [1.4426950216293335, 1.925963033500011e-08];

/// `log10 e` in f32 pieces.
pub(super) const LOG10_E: [f64; 2] = [0.4342944920063019, -1.0103049952192578e-08];

/// `π` in f32 pieces.
pub(super) const PI: [f64; 3] = [3.1415927410125732, -8.742277657347586e-08, -3.4302490200117637e-15];

/// `π / 2` in double pieces.
pub(super) const HALF_PI_F64: [f64; 2] = [1.5707963267948966, 6.123233995736766e-17];

/// The binary digits of `1 / π`, 32 in a word, after one word of zeros before the point.
pub(super) const INVERSE_PI_BITS: [i64; 8] =
    [0x0000_0000, 0x517c_c1b7, 0x2722_0a94, 0xfe13_abe8, 0xfa9a_6ee0, 0x6db1_4acc, 0x9e21_c820, 0xff28_b1d5];
