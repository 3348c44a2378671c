//! Minimax polynomials and split constants.
//!
//! Written by `tools/coefficients.py`, which says how they are found; do not edit by hand.
//! Tables go from the lowest power to the highest.

#![expect(clippy::approx_constant, reason = "fitted coefficients come close to well-known constants")]

/// `e^r = 1 + r q(r)`.
///
/// Range [-0.347574, 0.694147], f32 coefficients, relative error 2^-29.2 (2^-29.7 before rounding).
pub(super) const EXP: [f64; 7] = [
    1.0,
    0.4999999403953552,
    0.16666696965694427,
    0.041668180376291275,
    0.008326925337314606,
    0.0013833901612088084,
    0.0002327722468180582,
];

/// `e^r = 1 + r q(r)`, one term less.
///
/// Range [-0.347574, 0.694147], f32 coefficients, relative error 2^-24.6 (2^-24.7 before rounding).
pub(super) const FAST_EXP: [f64; 6] = [
    0.9999998807907104,
    0.5000023245811462,
    0.16667190194129944,
    0.041619546711444855,
    0.00832023099064827,
    0.0016306234756484628,
];

/// `2^r = 1 + r q(r)`.
///
/// Range [-0.501, 1], f32 coefficients, relative error 2^-29.1 (2^-29.7 before rounding).
pub(super) const EXP2: [f64; 7] = [
    0.6931471824645996,
    0.24022649228572845,
    0.055504199117422104,
    0.009618395008146763,
    0.001332380692474544,
    0.0001535555929876864,
    1.7791315258364193e-05,
];

/// `2^r = 1 + r q(r)`, one term less.
///
/// Range [-0.501, 1], f32 coefficients, relative error 2^-24.6 (2^-24.7 before rounding).
pub(super) const FAST_EXP2: [f64; 6] = [
    0.6931471228599548,
    0.2402275800704956,
    0.055505670607089996,
    0.009607512503862381,
    0.0013314803363755345,
    0.0001805560605134815,
];

/// `10^r = 1 + r q(r)`.
///
/// Range [-0.151515, 0.30203], f32 coefficients, relative error 2^-28.6 (2^-29.7 before rounding).
pub(super) const EXP10: [f64; 7] = [
    2.3025851249694824,
    2.650949001312256,
    2.0346791744232178,
    1.1712825298309326,
    0.5390660166740417,
    0.2063349336385727,
    0.07905647158622742,
];

/// `e^2r - 1 = 2 r + r² q(r)`.
///
/// Range [-0.174287, 0.174287], f32 coefficients, relative error 2^-26.1 (2^-26.1 before rounding).
pub(super) const EXPM1_2: [f64; 5] =
    [1.9999998807907104, 1.3333234786987305, 0.6666790246963501, 0.26773276925086975, 0.08877330273389816];

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
/// Range [0.0001, 0.791398], f32 coefficients, relative error 2^-27.8 (2^-27.9 before rounding).
pub(super) const SIN: [f64; 3] = [-0.16666653752326965, 0.008332106284797192, -0.00019507878459990025];

/// `cos r = 1 + s q(s)` with `s = r²`.
///
/// Range [0.0001, 0.791398], f32 coefficients, relative error 2^-32.8 (2^-33.8 before rounding).
pub(super) const COS: [f64; 4] = [-0.5, 0.04166664555668831, -0.00138873013202101, 2.4430752091575414e-05];

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

/// `log 2 / 2` in f32 pieces.
pub(super) const HALF_LN2: [f64; 2] = [0.3465735912322998, -9.523271060629668e-10];

/// `log10 2` in f32 pieces.
pub(super) const LOG10_2: [f64; 2] = [0.3010300099849701, -1.432098883924482e-08];

/// `log2 e` in f32 pieces.
pub(super) const LOG2_E: [f64; 2] = [1.4426950216293335, 1.925963033500011e-08];

/// `log10 e` in f32 pieces.
pub(super) const LOG10_E: [f64; 2] = [0.4342944920063019, -1.0103049952192578e-08];

/// `π / 2` in f32 pieces of one sign.
pub(super) const HALF_PI: [f64; 3] = [1.570796251296997, 7.549789415861596e-08, 5.390302529957765e-15];

/// `π / 2` in double pieces.
pub(super) const HALF_PI_F64: [f64; 2] = [1.5707963267948966, 6.123233995736766e-17];

/// The binary digits of `1 / π`, 32 in a word, after one word of zeros before the point.
pub(super) const INVERSE_PI_BITS: [i64; 8] =
    [0x0000_0000, 0x517c_c1b7, 0x2722_0a94, 0xfe13_abe8, 0xfa9a_6ee0, 0x6db1_4acc, 0x9e21_c820, 0xff28_b1d5];
