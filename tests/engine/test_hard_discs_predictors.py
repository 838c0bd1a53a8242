"""When discs meet: against high precision, and the stable rule at its edges."""

from __future__ import annotations

from math import inf

import mpmath
import numpy as np
import pytest

from engine.hard_discs import predictors as p
from engine.kernels import kernel


@kernel
def pair(dx, dy, ux, uy, sigma):
    return p.pair_time(dx, dy, ux, uy, sigma)


@kernel
def growing(dx, dy, ux, uy, sigma, alpha):
    return p.growing_pair_time(dx, dy, ux, uy, sigma, alpha)


@kernel
def plate(gap, speed, pull):
    return p.plate_time(gap, speed, pull)


@kernel
def wall(gap, speed):
    return p.wall_time(gap, speed)


@kernel
def falling(dx, dy, ux, uy, ax, ay, sigma, alpha, limit):
    return p.falling_pair_time(dx, dy, ux, uy, ax, ay, sigma, alpha, limit)


def roots_of(coefficients):
    """All roots of a polynomial, highest power first."""
    if len(coefficients) != 3:
        return mpmath.polyroots(coefficients[::-1], asc=True, maxsteps=300, extraprec=400)
    a, b, c = coefficients
    with mpmath.workdps(180):  # digits enough to lose some in a difference
        root = mpmath.sqrt(b * b - 4 * a * c)
        return [(-b - root) / (2 * a), (-b + root) / (2 * a)]


def smallest_falling_root(coefficients):
    """The smallest t > 0 at which the polynomial (highest power first) passes 0 downwards, in 60 digits; and f'."""
    mpmath.mp.dps = 60
    while len(coefficients) > 1 and coefficients[0] == 0:
        coefficients = coefficients[1:]
    if len(coefficients) == 1:
        return inf, -inf
    roots = roots_of(coefficients)
    slope = [c * k for c, k in zip(coefficients, range(len(coefficients) - 1, 0, -1), strict=False)]
    found = []
    for z in roots:
        if abs(mpmath.im(z)) < mpmath.mpf(10) ** -40 * (1 + abs(z)) and mpmath.re(z) > 0:
            falls = mpmath.polyval(slope[::-1], mpmath.re(z), asc=True)
            if falls < 0:
                found.append((mpmath.re(z), falls))
    return min(found, default=(inf, -inf))


def agree(got, coefficients, scale):
    """`got` is the root but for rounding: a few units in the last place of f over its slope there."""
    want, slope = smallest_falling_root(coefficients)
    if want == inf or got == inf:
        # a glance: the rounding of f decides whether they touch
        if want == got:
            return
        t = float(want if got == inf else got)
        middle = mpmath.polyval(coefficients[::-1], mpmath.mpf(t), asc=True)
        assert abs(middle) < 1e-13 * scale * (1 + t) ** 2
        return
    slack = 1e-14 * scale / abs(float(slope)) + 4e-15 * float(want)
    glance = abs(float(slope)) < 1e-6 * scale
    assert abs(got - float(want)) < slack or glance


def quadratic(dx, dy, ux, uy, sigma, alpha=0.0):
    dx, dy, ux, uy, sigma, alpha = (mpmath.mpf(float(x)) for x in (dx, dy, ux, uy, sigma, alpha))
    return [
        ux * ux + uy * uy - alpha * alpha,
        2 * (dx * ux + dy * uy - alpha * sigma),
        dx * dx + dy * dy - sigma * sigma,
    ]


def cases(count, glancing):
    """Pairs apart; half of them aimed so that they just touch or just miss."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        sigma = rng.uniform(0.5, 2.0)
        angle, distance = rng.uniform(0, 2 * np.pi), sigma * (1.0 + 10 ** rng.uniform(-12, 1))
        d = distance * np.array([np.cos(angle), np.sin(angle)])
        speed = 10 ** rng.uniform(-3, 3)
        if glancing:
            turn = np.arcsin(sigma / distance) * (1 + rng.choice([-1, 1]) * 10 ** rng.uniform(-15, -3))
            way = angle + np.pi + rng.choice([-1, 1]) * turn
        else:
            way = rng.uniform(0, 2 * np.pi)
        yield (*d, speed * np.cos(way), speed * np.sin(way), sigma)


@pytest.mark.parametrize("glancing", [False, True])
def test_pairs_against_high_precision(glancing):
    for case in cases(1500, glancing):
        dx, dy, ux, uy, _ = case
        scale = (dx * dx + dy * dy) * max(1.0, ux * ux + uy * uy)
        agree(pair(*case), quadratic(*case), scale)


def test_growing_pairs_against_high_precision():
    rng = np.random.default_rng(8)
    for case in cases(1500, False):
        dx, dy, ux, uy, _ = case
        alpha = np.hypot(ux, uy) * 10 ** rng.uniform(-4, 1)
        scale = (dx * dx + dy * dy) * max(1.0, ux * ux + uy * uy, alpha * alpha)
        agree(growing(*case, alpha), quadratic(*case, alpha), scale)


def test_one_that_falls_against_high_precision():
    rng = np.random.default_rng(9)
    mpmath.mp.dps = 60
    for case in cases(300, False):
        case = tuple(case[:2]) + tuple(np.array(case[2:4]) / np.hypot(*case[2:4])) + case[4:]
        dx, dy, ux, uy, sigma = (mpmath.mpf(float(x)) for x in case)
        ax, ay = rng.normal(size=2)
        gx, gy = mpmath.mpf(float(ax)), mpmath.mpf(float(ay))
        coefficients = [
            (gx * gx + gy * gy) / 4,
            ux * gx + uy * gy,
            ux * ux + uy * uy + dx * gx + dy * gy,
            2 * (dx * ux + dy * uy),
            dx * dx + dy * dy - sigma * sigma,
        ]
        want, _ = smallest_falling_root(coefficients)
        limit = float(want) * 1.5 if want < inf else 50.0
        agree(falling(*case[:4], ax, ay, case[4], 0.0, limit), coefficients, float(dx * dx + dy * dy) + 1.0)


def test_plates_against_high_precision():
    rng = np.random.default_rng(10)
    for _ in range(2000):
        gap, speed = 10 ** rng.uniform(-8, 2), rng.normal()
        pull = rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 2)
        if rng.random() < 0.3:  # rises to the plate, or just not
            pull = speed * speed / (2 * gap) * (1 + rng.choice([-1, 1]) * 10 ** rng.uniform(-14, -2))
        half = mpmath.mpf(float(pull)) / 2
        scale = max(gap, abs(speed), abs(pull))
        agree(plate(gap, speed, pull), [half, mpmath.mpf(float(speed)), mpmath.mpf(float(gap))], scale)


def test_overlapping_and_approaching_is_now():
    rng = np.random.default_rng(11)
    for _ in range(500):
        d = rng.normal(size=2)
        u = rng.normal(size=2)
        u *= -np.sign(d @ u)
        sigma = np.hypot(*d) * (1 + 10 ** rng.uniform(-15.5, -1))
        assert pair(*d, *u, sigma) == 0.0
        assert growing(*d, *u, sigma, 0.1) == 0.0
        assert falling(*d, *u, 0.3, -0.4, sigma, 0.0, 5.0) == 0.0
        assert pair(*d, *-u, sigma) == inf


def test_overlapping_and_receding_never_meets_but_when_growth_is_faster():
    assert growing(0.9, 0.0, 1.0, 0.0, 1.0, 0.5) == inf
    # recedes at first, but sigma catches up: it overlaps all the while, so at the moment it stops improving
    t = growing(0.9999, 0.0, 0.0, 1.0, 1.0, 2.0)
    assert t == 0.0


def test_glancing_and_resting_is_no_event():
    assert pair(0.0, 1.0, -1.0, 0.0, 1.0) == inf
    assert pair(3.0, 1.0, -1.0, 0.0, 1.0) == inf
    assert pair(1.0, 0.0, 0.0, 0.0, 1.0) == inf
    assert wall(0.0, 0.0) == inf


def test_known_hits():
    assert pair(3.0, 0.0, -1.0, 0.0, 1.0) == pytest.approx(2.0, abs=1e-15)
    assert wall(2.0, -0.5) == 4.0
    assert plate(5.0, 0.0, -10.0) == pytest.approx(1.0, rel=1e-15)
    assert growing(3.0, 0.0, -1.0, 0.0, 1.0, 1.0) == pytest.approx(1.0, rel=1e-15)


def test_inside_the_plate():
    """Algorithm 2: it collides now, or, where it can no longer climb out, at its peak; never after."""
    assert plate(-1e-3, -1.0, -10.0) == 0.0
    assert plate(-1e-3, 0.1, -10.0) == pytest.approx(0.01)
    assert plate(-1e-3, 1.0, -10.0) == pytest.approx(0.1 + np.sqrt(1.0 - 0.02) / 10.0)
    assert plate(-1e-3, 0.0, -10.0) == 0.0
    assert plate(-1e-3, 1.0, 10.0) == inf


def test_one_that_falls_from_contact_meets_at_once():
    assert falling(0.0, 1.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0, 3.0) == 0.0
