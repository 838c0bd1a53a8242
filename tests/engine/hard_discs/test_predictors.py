"""When discs meet: against high precision, and the stable rule at its edges."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import inf, sqrt

import mpmath
import numpy as np
import pytest

from engine.hard_discs import prediction as p
from engine.hard_discs.discs import MOTION
from engine.hard_discs.meetings import NOBODY, first_meeting
from engine.kernels import elements, kernel
from tests.builders.states import bouncing, discs


@kernel
def _meetings(motion, numbers, dx, dy, ux, uy, sigma, times, partners):
    lines = elements(motion)
    for k in range(len(dx)):
        other = lines[1 + k % 8]
        other.x, other.y, other.vx, other.vy, other.radius = dx[k], dy[k], ux[k], uy[k], sigma[k]
        rest = 0.0, 0.0
        times[k], partners[k], _, _ = first_meeting(lines, elements(numbers), 0, 8, 0, rest, rest, 0.0, 0.0)
        other.x, other.y, other.vx, other.vy, other.radius = 9.0, 9.0, 0.0, 0.0, 0.0


def pair_roots(dx, dy, ux, uy, sigma):
    """When a disc at rest in the middle meets each of these, with seven others far away, in each lane by turns."""
    motion = np.zeros(9, MOTION)
    motion["x"] = motion["y"] = 9.0
    motion["renewal"] = inf
    times, partners = np.empty(len(dx)), np.empty(len(dx), np.int64)
    _meetings(motion, np.arange(1, 9, dtype=np.int32), dx, dy, ux, uy, sigma, times, partners)
    assert (partners == np.where(times < inf, 1 + np.arange(len(dx)) % 8, NOBODY)).all()
    return times


def pair(*case):
    return pair_roots(*np.array([[number] for number in case]))[0]


@kernel
def growing_roots(dx, dy, ux, uy, sigma, alpha):
    times = np.empty(len(dx))
    for k in range(len(dx)):
        times[k] = p.growing_pair_time((dx[k], dy[k]), (ux[k], uy[k]), sigma[k], alpha[k])
    return times


@kernel
def growing(dx, dy, ux, uy, sigma, alpha):
    return p.growing_pair_time((dx, dy), (ux, uy), sigma, alpha)


@kernel
def falling(dx, dy, ux, uy, ax, ay, sigma, alpha, limit):
    return p.falling_pair_time((dx, dy), (ux, uy), (ax, ay), sigma, alpha, limit)


plate, wall = (kernel(part.py_func) for part in (p.plate_time, p.wall_time))


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
    for case in cases(600, glancing):
        dx, dy, ux, uy, _ = case
        scale = (dx * dx + dy * dy) * max(1.0, ux * ux + uy * uy)
        agree(pair(*case), quadratic(*case), scale)


def test_growing_pairs_against_high_precision():
    rng = np.random.default_rng(8)
    for case in cases(600, False):
        dx, dy, ux, uy, _ = case
        alpha = np.hypot(ux, uy) * 10 ** rng.uniform(-4, 1)
        scale = (dx * dx + dy * dy) * max(1.0, ux * ux + uy * uy, alpha * alpha)
        agree(growing(*case, alpha), quadratic(*case, alpha), scale)


def test_one_that_falls_against_high_precision():
    rng = np.random.default_rng(9)
    mpmath.mp.dps = 60
    for case in cases(20, False):
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
    for _ in range(800):
        gap, speed = 10 ** rng.uniform(-8, 2), rng.normal()
        pull = rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 2)
        if rng.random() < 0.3:  # rises to the plate, or just not
            pull = speed * speed / (2 * gap) * (1 + rng.choice([-1, 1]) * 10 ** rng.uniform(-14, -2))
        half = mpmath.mpf(float(pull)) / 2
        scale = max(gap, abs(speed), abs(pull))
        agree(plate(gap, speed, pull), [half, mpmath.mpf(float(speed)), mpmath.mpf(float(gap))], scale)


U = 2.0**-53
"""Greatest relative error of one operation."""


def encounters(count, seed):
    """a, b, c of `count` pairs that are apart: gaps from 1e-15 to 10 of σ, a third of them aimed so that they just
    touch or just miss; distances and speeds over many orders of magnitude."""
    rng = np.random.default_rng(seed)
    sigma = rng.uniform(0.5, 2.0, count)
    angle, distance = rng.uniform(0, 2 * np.pi, count), sigma * (1.0 + 10 ** rng.uniform(-15, 1, count))
    speed = 10 ** rng.uniform(-3, 3, count)
    turn = np.arcsin(sigma / distance) * (1 + rng.choice([-1, 1], count) * 10 ** rng.uniform(-16, -3, count))
    turn = np.where(rng.random(count) < 1 / 3, turn, rng.uniform(0, np.pi / 2, count))
    way = angle + np.pi + rng.choice([-1, 1], count) * turn
    dx, dy = distance * np.cos(angle), distance * np.sin(angle)
    ux, uy = speed * np.cos(way), speed * np.sin(way)
    return dx, dy, ux, uy, sigma


def coefficients(dx, dy, ux, uy, sigma, alpha=0.0):
    """As the predictors round them."""
    return ux * ux + uy * uy - alpha * alpha, dx * ux + dy * uy - alpha * sigma, dx * dx + dy * dy - sigma * sigma


def beyond_rounding(a, b, c, got):
    """Which times (n,) are no root of a t² + 2 b t + c with c > 0 to within the rounding of its stable form.

    Of the coefficients as they are, so that what rounding has done to them does not hide what is lost in the root. The
    discriminant D is off by up to E = u (b² + |a c| + |D|), its root by E / √D or √E, whichever is less, and by u √D;
    with one rounding each for the sum and the quotient the time is off by that over √D + |b|, and 2 u, of itself. A
    difference of the two would lose about b² / (a c) times as much. Where |D| <= E rounding decides whether they touch.
    """
    wrong = np.zeros(len(got), bool)
    with localcontext() as context:
        context.prec = 80
        for k, (fa, fb, fc, t) in enumerate(zip(a.tolist(), b.tolist(), c.tolist(), got.tolist(), strict=True)):
            da, db, dc = Decimal(fa), Decimal(fb), Decimal(fc)
            exact = db * db - da * dc
            lost = U * (fb * fb + abs(fa * fc) + abs(float(exact)))
            meets = exact > 0 and (fb < 0.0 or fa < 0.0)
            if meets != (t < inf):
                wrong[k] = abs(float(exact)) > lost
            elif meets:
                root = exact.sqrt()
                want = dc / (root - db) if fb < 0.0 else (root + db) / -da
                height = float(root)
                off = (min(lost / height, sqrt(lost)) + U * height) / (height + abs(fb)) + 2.0 * U
                wrong[k] = abs(float((Decimal(t) - want) / want)) > 1.01 * off
    return wrong


def test_a_root_loses_nothing_to_cancellation():
    """30 000 pairs, each time within what rounding may do to the stable form, and the cancelling form is not."""
    case = encounters(33_000, 12)
    a, b, c = coefficients(*case)
    nearer = (c > 0.0) & (b < 0.0)
    assert nearer.sum() > 30_000
    a, b, c = a[nearer], b[nearer], c[nearer]
    got = pair_roots(*(part[nearer] for part in case))
    hits = got < inf
    assert 0.5 < hits.mean() < 0.95
    assert not beyond_rounding(a, b, c, got).any()
    few = slice(3000)
    with np.errstate(invalid="ignore"):
        cancelling = np.where(hits, (-b - np.sqrt(b * b - a * c)) / a, inf)[few]
    assert beyond_rounding(a[few], b[few], c[few], cancelling).mean() > 0.3
    # one more rounding of the discriminant is seen, too
    late = (c / (np.sqrt(np.where(hits, b * b - a * c, 0.0) * (1.0 + 64 * U)) - b))[few]
    assert beyond_rounding(a[few], b[few], c[few], np.where(hits[few], late, inf)).any()


def test_a_root_of_growing_discs_loses_nothing_to_cancellation():
    case = encounters(6_000, 13)
    rng = np.random.default_rng(14)
    speed = np.hypot(case[2], case[3])
    # half of them recede from each other, and most of these grow fast enough
    side = np.where(rng.random(len(speed)) < 0.5, -1.0, 1.0)
    case = (case[0], case[1], side * case[2], side * case[3], case[4])
    faster = rng.random(len(speed)) < 0.5  # a little
    alpha = speed * np.where(faster, 1.0 + 10 ** rng.uniform(-6, 0, len(speed)), 10 ** rng.uniform(-4, 1, len(speed)))
    a, b, c = coefficients(*case, alpha)
    apart = c > 0.0
    got = growing_roots(*case, alpha)
    assert not beyond_rounding(a[apart], b[apart], c[apart], got[apart]).any()
    assert ((b > 0.0) & (a < 0.0) & (got < inf)).sum() > 50


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


@pytest.mark.parametrize("gap", [0.0, -1e-15, -0.1])
def test_a_disc_at_a_wall_or_inside_it_is_reflected_now_where_it_goes_on(gap):
    assert wall(gap, -1.0) == plate(gap, -1.0, 0.0) == plate(gap, -1.0, -0.3) == 0.0
    assert wall(gap, 0.0) == wall(gap, 1.0) == inf
    assert wall(0.5, -2.0) == 0.25


@pytest.mark.parametrize("depth", [1e-15, 1e-12])
@pytest.mark.parametrize("speed", [1.0, -1.0])
def test_the_gas_keeps_to_the_stable_rule(depth, speed):
    """Discs that rounding has left overlapping collide at once where they approach, and fly apart where they recede."""
    distance = 1.0 - depth
    state = discs([[4.0, 5.0], [4.0 + distance, 5.0]], [[speed, 0.0], [-speed, 0.0]], 0.5, 10)
    gas = bouncing(state)
    progress = gas.advance(1.0)
    frame = gas.frame()
    assert progress.events["collision"] == (1 if speed > 0.0 else 0)
    assert gas.measures().stabilising_events == progress.events["collision"]
    np.testing.assert_array_equal(frame.velocities, [[-1.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(frame.positions[:, 0], [3.0, 5.0 + distance], rtol=1e-15)


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
