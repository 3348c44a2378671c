#!/usr/bin/env python3
"""Derives the minimax polynomials of mw-builtins and writes src/math/coefficients.rs.

Each function is approximated as  F(x) ~ base(x) + factor(x) * q(v(x))  with the largest relative error
made as small as possible (Remez exchange on a grid, 40 digits). Coefficients are then rounded to their
format one after the other, lowest power first, and the remaining ones are fitted again each time, so that
the rounding of one is made up for by the others.

Usage: python3 tools/coefficients.py > src/math/coefficients.rs     (needs mpmath and numpy)
"""
import struct
import numpy
from mpmath import mp, mpf, exp, expm1, log, log1p, sin, cos, asin, atan, sinh, sqrt, pi, matrix, lu_solve

mp.dps = 40
GRID = 600


def to_f32(value):
    return mpf(struct.unpack("f", struct.pack("f", float(value)))[0])


def to_f64(value):
    return mpf(float(value))


def solve_minimax(points, target, basis):
    """Coefficients that minimise max |target - sum c_k basis_k| over the grid, and that maximum."""
    count = len(basis)
    if count == 0:
        return [], max(abs(t) for t in target)
    last = len(points) - 1
    # Chebyshev extrema as the first reference.
    reference = sorted({round(last * (1 - mp.cos(pi * i / count)) / 2) for i in range(count + 1)})
    coefficients = None
    for _ in range(40):
        system = matrix(count + 1, count + 1)
        right = matrix(count + 1, 1)
        for row, index in enumerate(reference):
            for column in range(count):
                system[row, column] = basis[column][index]
            system[row, count] = mpf(-1) ** row
            right[row] = target[index]
        solution = lu_solve(system, right)
        coefficients = [solution[k] for k in range(count)]
        level = abs(solution[count])
        error = [t - sum(c * b[i] for c, b in zip(coefficients, basis)) for i, t in enumerate(target)]
        # Extremes of each run of one sign.
        extremes = []
        for i, e in enumerate(error):
            if extremes and (error[extremes[-1]] > 0) == (e > 0):
                if abs(e) > abs(error[extremes[-1]]):
                    extremes[-1] = i
            else:
                extremes.append(i)
        while len(extremes) > count + 1:
            extremes.pop(0 if abs(error[extremes[0]]) < abs(error[extremes[-1]]) else -1)
        worst = max(abs(e) for e in error)
        if len(extremes) < count + 1 or worst <= level * mpf("1.001"):
            return coefficients, worst
        reference = extremes
    return coefficients, worst


def solve_lawson(target, basis):
    """The same by reweighted least squares in double: needs no alternation, which is lost when powers that
    vanish inside the range are all that is left."""
    scale = float(max(abs(t) for t in target)) or 1.0
    t = numpy.array([float(v) / scale for v in target])
    b = numpy.array([[float(v) for v in row] for row in basis]).T
    norm = numpy.abs(b).max(axis=0)
    b = b / norm
    weight, best, best_worst = numpy.full(len(t), 1.0 / len(t)), None, None
    for _ in range(300):
        root = numpy.sqrt(weight)
        c = numpy.linalg.lstsq(b * root[:, None], t * root, rcond=None)[0]
        error = numpy.abs(t - b @ c)
        if best is None or error.max() < best_worst:
            best, best_worst = c, error.max()
        weight = weight * error
        weight = weight / weight.sum()
    return [mpf(float(v)) * scale for v in best / norm]


def fit(name, note, function, base, factor, variable, low, high, count, rounding):
    low, high = mpf(low), mpf(high)
    points = [low + (high - low) * (1 - mp.cos(pi * (i + mpf("0.5")) / GRID)) / 2 for i in range(GRID)]
    points = [x for x in points if x != 0]
    values = [function(x) for x in points]
    # Where the factor's sign changes, so would that of the error: the exchange wants a positive weight.
    signs = [mp.sign(factor(x) / f) for x, f in zip(points, values)]
    target = [s * (f - base(x)) / f for s, x, f in zip(signs, points, values)]
    basis = [[s * factor(x) / f * variable(x) ** k for s, x, f in zip(signs, points, values)] for k in range(count)]
    coefficients, ideal = solve_minimax(points, target, basis)
    done = []
    for k in range(count):
        if rounding is to_f32 and k > 0:
            coefficients = [None] * k + solve_lawson(target, basis[k:])
        value = rounding(coefficients[k])
        done.append(value)
        target = [t - value * b for t, b in zip(target, basis[k])]
    reached = max(abs(t) for t in target)
    kind = "f32" if rounding is to_f32 else "f64"
    print()
    print(f"/// {note}")
    print("///")
    print(f"/// Range [{float(low):.6g}, {float(high):.6g}], {kind} coefficients, relative error "
          f"2^{float(log(reached, 2)):.1f} (2^{float(log(ideal, 2)):.1f} before rounding).")
    body = ", ".join(repr(float(value)) for value in done)
    line = f"pub(super) const {name}: [f64; {count}] = [{body}];"
    if len(line) <= 110:
        print(line)
    else:
        print(f"pub(super) const {name}: [f64; {count}] = [")
        for value in done:
            print(f"    {float(value)!r},")
        print("];")


def parts(name, note, value, rounding, count, below=False):
    """Splits a constant; with `below`, into pieces of its own sign."""
    value, pieces = mpf(value), []
    for _ in range(count):
        piece = rounding(value)
        if below and piece > value:
            piece = mpf(float(numpy.nextafter(numpy.float32(float(piece)), numpy.float32(0))))
        pieces.append(piece)
        value -= pieces[-1]
    print()
    print(f"/// {note}")
    body = ", ".join(repr(float(piece)) for piece in pieces)
    print(f"pub(super) const {name}: [f64; {count}] = [{body}];")


def one(_):
    return mpf(1)


def same(x):
    return x


def square(x):
    return x * x


LN2 = log(mpf(2))

print("""//! Minimax polynomials and split constants.
//!
//! Written by `tools/coefficients.py`, which says how they are found; do not edit by hand.
//! Tables go from the lowest power to the highest.

#![expect(clippy::approx_constant, reason = \"fitted coefficients come close to well-known constants\")]""")

margin = mpf("0.001")
low = -LN2 / 2 - margin
fit("EXP", "`e^r = 1 + r q(r)`.", exp, one, same, same, low, LN2 + margin, 7, to_f32)
fit("FAST_EXP", "`e^r = 1 + r q(r)`, one term less.", exp, one, same, same, low, LN2 + margin, 6, to_f32)
low = -mpf("0.5") - margin
fit("EXP2", "`2^r = 1 + r q(r)`.", lambda x: mpf(2) ** x, one, same, same, low, 1, 7, to_f32)
fit("FAST_EXP2", "`2^r = 1 + r q(r)`, one term less.", lambda x: mpf(2) ** x, one, same, same, low, 1, 6, to_f32)
fit("EXP10", "`10^r = 1 + r q(r)`.", lambda x: mpf(10) ** x, one, same, same, -log(2) / log(10) / 2 - margin,
    log(2) / log(10) + margin, 7, to_f32)
fit("EXPM1_2", "`e^2r - 1 = 2 r + r² q(r)`.", lambda x: expm1(2 * x), lambda x: 2 * x, square, same,
    -LN2 / 4 - margin, LN2 / 4 + margin, 5, to_f32)
fit("LOG1P", "`log(1 + f) = f + f² q(f)`.", log1p, same, square, same, sqrt(mpf(2)) / 2 - 1, sqrt(mpf(2)) - 1, 9,
    to_f32)
fit("SIN", "`sin r = r + r s q(s)` with `s = r²`.", sin, same, lambda x: x ** 3, square, mpf("0.0001"),
    pi / 4 + mpf("0.006"), 3, to_f32)
fit("COS", "`cos r = 1 + s q(s)` with `s = r²`.", cos, one, square, square, mpf("0.0001"), pi / 4 + mpf("0.006"), 4,
    to_f32)
fit("EXP2_F64", "`2^r = 1 + r q(r)` in double.", lambda x: mpf(2) ** x, one, same, same, -mpf("0.5"), mpf("0.5"), 8,
    to_f64)
R = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)
fit("LOG_F64", "`log((1 + t) / (1 - t)) = 2 t + t s q(s)` with `s = t²`, in double.",
    lambda x: log((1 + x) / (1 - x)), lambda x: 2 * x, lambda x: x ** 3, square, mpf("0.00001"), R, 5, to_f64)
fit("SIN_F64", "`sin r = r + r s q(s)` with `s = r²`, in double.", sin, same, lambda x: x ** 3, square,
    mpf("0.00001"), pi / 4 + margin, 4, to_f64)
fit("COS_F64", "`cos r = 1 + s q(s)` with `s = r²`, in double.", cos, one, square, square, mpf("0.00001"),
    pi / 4 + margin, 4, to_f64)
fit("ASIN_F64", "`asin w = w + w z q(z)` with `z = w²`, in double.", asin, same, lambda x: x ** 3, square,
    mpf("0.00001"), mpf("0.5"), 8, to_f64)
fit("ATAN_F64", "`atan t = t + t s q(s)` with `s = t²`, in double.", atan, same, lambda x: x ** 3, square,
    mpf("0.00001"), mpf("0.41422"), 6, to_f64)
fit("SINH_F64", "`sinh x = x + x s q(s)` with `s = x²`, in double.", sinh, same, lambda x: x ** 3, square,
    mpf("0.00001"), mpf("0.5"), 3, to_f64)

parts("LN2", "`log 2` in f32 pieces.", LN2, to_f32, 2)
parts("HALF_LN2", "`log 2 / 2` in f32 pieces.", LN2 / 2, to_f32, 2)
parts("LOG10_2", "`log10 2` in f32 pieces.", log(2) / log(10), to_f32, 2)
parts("LOG2_E", "`log2 e` in f32 pieces.", 1 / LN2, to_f32, 2)
parts("LOG10_E", "`log10 e` in f32 pieces.", 1 / log(mpf(10)), to_f32, 2)
parts("HALF_PI", "`π / 2` in f32 pieces of one sign.", pi / 2, to_f32, 3, below=True)
parts("HALF_PI_F64", "`π / 2` in double pieces.", pi / 2, to_f64, 2)

mp.dps = 120
bits = int(mp.floor(mpf(2) ** 224 / pi))
words = [0] + [(bits >> (224 - 32 * (i + 1))) & 0xffffffff for i in range(7)]
print()
print("/// The binary digits of `1 / π`, 32 in a word, after one word of zeros before the point.")
print("pub(super) const INVERSE_PI_BITS: [i64; 8] = [")
for word in words:
    print(f"    0x{word >> 16:04x}_{word & 0xffff:04x},")
print("];")
