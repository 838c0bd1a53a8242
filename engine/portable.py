"""Functions with the same bits on every processor, for what a run starts from.

Those of numpy and of the C library choose their code by the processor (AVX-512, fused multiply-add) and by their
version, and differ in the last bit. The ones here consist of sums, products, quotients and comparisons, which IEEE 754
rounds in one way, and of exact decimal arithmetic. The steps of `cos_sin` and `exp` are those of glibc 2.28 to
2.36 on a processor with fused multiply-add (tables, and a short polynomial between their entries), so that starts have
the bits that they always had there.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache
from math import isqrt

import numpy as np

from engine.arrays import Floats

_BLOCK = 4096  # values that are computed at a time, so that they stay in the processor's cache

_TAIL = 3.6541528853610088  # from where numpy's ziggurat takes the tail of the normal distribution
_TAIL_INVERSE = 0.27366123732975828
_hex = float.fromhex


def _fma(a: Floats, b: Floats, c: Floats) -> Floats:
    """a b + c rounded once, from products of halves of the digits (Dekker 1971) and an exact sum (Knuth)."""
    product = a * b
    a_high, b_high = _high(a), _high(b)
    a_low, b_low = a - a_high, b - b_high
    off = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    part = total - product
    return np.asarray(total + (((product - (total - part)) + (c - part)) + off))


def _high(x: Floats) -> Floats:
    """The upper half of the digits of each number, so that products of halves are exact."""
    scaled = 134217729.0 * x  # 2^27 + 1
    return scaled - (scaled - x)


_BITS = 200  # after the point, of numbers from which tables are rounded


def _two(exact: int) -> tuple[float, float]:
    """A number in units of 2^-_BITS as a float and the float that is nearest to the rest."""
    one = 1 << _BITS
    nearest = exact / one
    numerator, denominator = nearest.as_integer_ratio()
    return nearest, (exact - numerator * one // denominator) / one


@cache
def _sines() -> Floats:
    """Sine, its rest, cosine, its rest, at k / 128, (112, 4)."""
    rows = []
    for k in range(112):
        angle = (k << _BITS) // 128
        terms, term, n = [0, 0], 1 << _BITS, 0
        while term:
            terms[n % 2] += term if n % 4 < 2 else -term
            n += 1
            term = (term * angle >> _BITS) // n
        rows.append((*_two(terms[1]), *_two(terms[0])))
    return np.array(rows)


_S = [_hex(x) for x in ("-0x1.ADDFFC2FCDF59p-26", "0x1.71DE27B9A7ED9p-19", "-0x1.A01A019DB08B8p-13",
                        "0x1.1111111110ECEp-7", "-0x1.5555555555555p-3")]  # fmt: skip
"""Coefficients of x^11 … x^3 of the sine of small angles."""
_SN = (-1.66666666666664880952546298448555e-01, 8.33333214285722277379541354343671e-03)
_CS = (0.5, -4.16666666666664434524222570944589e-02, 1.38888874007937613028114285595617e-03)
"""The same between the entries of the table: of x^3, x^5 of the sine, of -x^2, -x^4, -x^6 of the cosine."""
_HALF_PI = (_hex("0x1.921fb54442d18p0"), _hex("0x1.1a62633145c07p-54"))
_PARTS = [_hex(x) for x in ("0x1.921fb58000000p0", "-0x1.dde973c000000p-27", "-0x1.cb3b398000000p-55",
                            "-0x1.d747f23e32ed7p-83")]  # fmt: skip
"""π/2 in parts that have short products with small whole numbers."""


def _sine(x: Floats, rest: Floats) -> Floats:
    """sin(x + rest), |x| up to 0.86."""
    square = x * x
    p = (((_S[0] * square + _S[1]) * square) + _S[2]) * square + _S[3]
    p = _fma(p, square, np.broadcast_to(_S[4], x.shape))
    small = x + _fma(_fma(p, x, -0.5 * rest), square, rest)
    sn, sn_rest, cs, cs_rest, left = _table(x)
    rest = np.where(x <= 0.0, -rest, rest)
    square = left * left
    s = left + (left * square * (square * _SN[1] + _SN[0]) + rest)
    c = left * rest + square * (square * (square * _CS[2] + _CS[1]) + _CS[0])
    more = _fma(cs, s, _fma(-sn, c, s * cs_rest + sn_rest))
    return np.where(np.abs(x) < 0.126, small, np.copysign(sn + more, x))


def _cosine(x: Floats, rest: Floats) -> Floats:
    """cos(x + rest), |x| up to 0.86."""
    sn, sn_rest, cs, cs_rest, left = _table(x)
    left = left + np.where(x < 0.0, -rest, rest)
    square = left * left
    s = left + left * square * (square * _SN[1] + _SN[0])
    c = square * (square * (square * _CS[2] + _CS[1]) + _CS[0])
    return np.asarray(cs + _fma(-sn, s, _fma(-cs, c, cs_rest - s * sn_rest)))


def _table(x: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """The row of `_sines` that is nearest to |x|, and what is left of |x|."""
    big = _hex("0x1.8p45")
    nearest = (big + np.abs(x)) - big
    sn, sn_rest, cs, cs_rest = _sines()[(128.0 * nearest).astype(np.int64)].T
    return sn, sn_rest, cs, cs_rest, np.abs(x) - nearest


def cos_sin(angle: Floats) -> Floats:
    """The unit vectors (N, 2) in these directions (N,), angles from 0 to a turn."""
    found = np.empty((len(angle), 2))
    for first in range(0, len(angle), _BLOCK):
        found[first : first + _BLOCK] = _cos_sin(angle[first : first + _BLOCK])
    return found


def _cos_sin(x: Floats) -> Floats:
    """`cos_sin` of a block: x is a number of quarter turns and what `_sine` and `_cosine` take."""
    quarters = _whole(x * _hex("0x1.45f306dc9c883p-1"))
    y = (x - quarters * _PARTS[0]) - quarters * _PARTS[1]
    near = y - quarters * _PARTS[2]
    left = near - quarters * _PARTS[3]
    rest = ((y - near) - quarters * _PARTS[2]) + ((near - left) - quarters * _PARTS[3])
    # glibc takes nothing from small angles, and the next ones from π/2, where the sine and the cosine change places
    small, middle = x < 0.855469, (x >= 0.855469) & (x < 2.426265)
    turns = np.where(small, 0, np.where(middle, 1, quarters.astype(np.int64)))
    left, rest = np.where(small, x, left), np.where(small, 0.0, rest)
    before = _HALF_PI[0] - x
    whole = before + _HALF_PI[1]
    sine = _sine(np.where(middle, whole, left), np.where(middle, (before - whole) + _HALF_PI[1], rest))
    cosine = _cosine(np.where(middle, before, left), np.where(middle, _HALF_PI[1], rest))
    odd = turns % 2 == 1
    x_sign = np.where(((turns + 1) & 2 != 0) & ~middle, -1.0, 1.0)
    y_sign = np.where(turns & 2 != 0, -1.0, 1.0)
    return np.stack([x_sign * np.where(odd, sine, cosine), y_sign * np.where(odd, cosine, sine)], axis=1)


def _whole(x: Floats) -> Floats:
    """The nearest whole numbers."""
    return (x + _hex("0x1.8p52")) - _hex("0x1.8p52")


@cache
def _powers_of_two() -> tuple[Floats, Floats]:
    """2^(k / 128) for k = 0 … 127, and the relative error of these floats."""
    root = 2 << _BITS
    for _ in range(7):
        root = isqrt(root << _BITS)
    exact, rows = 1 << _BITS, []
    for _ in range(128):
        nearest, rest = _two(exact)
        rows.append((nearest, rest / nearest))
        exact = exact * root >> _BITS
    nearest_all, relative = np.array(rows).T
    return nearest_all, relative


_EXP = [_hex(x) for x in ("0x1.ffffffffffdbdp-2", "0x1.555555555543cp-3", "0x1.55555cf172b91p-5",
                          "0x1.1111167a4d017p-7")]  # fmt: skip
"""Coefficients of x^2 … x^5 of e^x for |x| < ln 2 / 256."""


def exp(x: Floats) -> Floats:
    """e^x of numbers (N,), |x| < 700."""
    steps = _whole(x * (128.0 * _hex("0x1.71547652b82fep0")))
    r = (x - steps * _hex("0x1.62e42fefa0000p-8")) - steps * _hex("0x1.cf79abc9e3b39p-47")
    number = steps.astype(np.int64)
    power_of_two, tail = (table[number & 127] for table in _powers_of_two())
    square = r * r
    more = (tail + r) + square * (_EXP[0] + r * _EXP[1]) + square * square * (_EXP[2] + r * _EXP[3])
    return np.asarray(np.ldexp(_fma(power_of_two, more, power_of_two), number >> 7), np.float64)


_DIGITS = 60  # of decimal arithmetic


def log1p(x: float) -> float:
    """log(1 + x), rounded correctly."""
    with localcontext() as context:
        context.prec = _DIGITS
        return float((1 + Decimal(x)).ln())


def power(x: float, y: float) -> float:
    """x^y of x > 0, rounded correctly."""
    with localcontext() as context:
        context.prec = _DIGITS
        return float(Decimal(x) ** Decimal(y))


def normal(rng: np.random.Generator, shape: tuple[int, ...] | int) -> Floats:
    """Numbers with the standard normal distribution, of the given shape (any shape): those of ``rng.standard_normal``.

    Numpy takes a logarithm of the C library for the one in four thousand beyond 3.65. Their draws are repeated here,
    and their logarithm is `log1p`.
    """
    again = np.random.Generator(type(rng.bit_generator)())
    again.bit_generator.state = rng.bit_generator.state
    values = rng.standard_normal(shape)
    flat, done = values.reshape(-1), 0
    for place in np.flatnonzero(np.abs(flat) > _TAIL):
        again.standard_normal(int(place) - done)
        flat[place], done = _beyond(again), int(place) + 1
    return values


def _beyond(rng: np.random.Generator) -> float:
    """The next normal number of a generator, which is known to be in the tail (Marsaglia and Tsang 2000)."""
    while True:
        bits = int(rng.bit_generator.random_raw())
        if bits & 0xFF == 0:
            break
        rng.random()  # the place in another layer was not under the curve
    while True:
        far, other = -_TAIL_INVERSE * log1p(-rng.random()), -log1p(-rng.random())
        if other + other > far * far:
            return -(_TAIL + far) if bits >> 17 & 1 else _TAIL + far
