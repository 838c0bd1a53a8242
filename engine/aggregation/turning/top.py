"""The motion of a free rigid body in space, exactly: Jacobi's elliptic functions, no integrator.

The body keeps its angular momentum L. In the frame of its principal axes, numbered so that it circulates about the
third one, Euler's equations have the solution

    L_1 = A_1 cn u,  L_2 = A_2 sn u,  L_3 = A_3 dn u,  u = p t + u_0,

and the axes turn about L by an angle φ with dφ/dt = |L| (L_1²/I_1 + L_2²/I_2) / (L_1² + L_2²), an elliptic integral of
the third kind (Jacobi 1849; van Zon and Schofield, J. Comput. Phys. 225, 145 (2007)). With z = π u / (2 K), the nome q
and a constant y, φ is linear in time but for the argument of a theta function:

    φ = k t − arg F,
    F = Σ (−1)^n q^(n (n + 1)) [cosh((2 n + 1) y) sin((2 n + 1) z) + i sinh((2 n + 1) y) cos((2 n + 1) z)],

of which three or four terms are enough; k follows from dφ/dt = |L|/I_2 at z = π/2. The other three functions come from
descending Landen transformations, which lead to sin z and cos z. What tends to 0 for a body that turns about one axis
or has two equal moments is computed without cancellation.

The record of a cluster holds what the motion needs: `set_top` prepares it, `top_at` evaluates it.
"""

from __future__ import annotations

from math import inf, pi, sqrt

from engine.aggregation.turning.motion import (
    BodyPose,
    Spin,
    cos_sin,
    cross,
    followed,
    half_turns_off,
    opposite,
    pose_of,
    turned,
    turned_back,
)
from engine.geometry.vectors import Vector, dot, times
from engine.kernels import inlined, inner, vector_field
from engine.records import Record

FIELDS = (
    "f8 q_w q_i q_j q_k spin_momentum_x spin_momentum_y spin_momentum_z",
    "f8 inertia_xx inertia_yy inertia_zz inertia_yz inertia_xz inertia_xy",
    "f8 phase wobble phase_rate wobble_rate turning_energy fastest bend",
    "f8 moment_1 moment_2 moment_3 peak_1 peak_2 peak_3",
    "f8 root_1 root_2 root_3 root_4 root_5 root_6 root_7 root_8",
    "f8 even odd grow_even grow_odd nome_squared",
    *(f"f8 {name}_{i}{j}" for name in ("base", "axis") for i in "123" for j in "123"),
    "i4 terms",
)
"""The fields of a body that turns in space.

q_w … q_k : its orientation when its motion last changed, a unit quaternion; spin_momentum_x … : L about its centre of
mass, along the axes of the box; inertia_xx … inertia_xy : the tensor of inertia about it, in the frame of the body.

phase, wobble : k t and z, angles from -π to π, at the `time` of the cluster; phase_rate, wobble_rate : how fast they
grow; turning_energy; fastest : a bound of |ω|; bend : one of ω² + |dω/dt|. All rest follows from L, q and the tensor:
moment_1 … : I_1 … I_3; peak_1 … : A_1 … A_3; root_1 … : the roots of the parameters after each Landen transformation,
the last one first;
even, odd : 2 e^-y cosh y and 2 e^-y sinh y; grow_even, grow_odd : q² cosh 2 y and q² sinh 2 y; nome_squared : q²;
base_11 … : the rotation from the frame of L to the box; axis_11 … : that from the body to its principal axes; terms :
of the sums, 0 for a body that turns about a fixed axis.
"""

ORIENTATION = ("q_w", "q_i", "q_j", "q_k")
TENSOR = ("inertia_xx", "inertia_yy", "inertia_zz", "inertia_yz", "inertia_xz", "inertia_xy")

orientation, put_orientation = vector_field(*ORIENTATION)
spin_momentum, put_spin_momentum = vector_field("spin_momentum_x", "spin_momentum_y", "spin_momentum_z")
tensor, put_tensor = vector_field(*TENSOR)
_moments, _put_moments = vector_field("moment_1", "moment_2", "moment_3")
_peaks, _put_peaks = vector_field("peak_1", "peak_2", "peak_3")
_roots, _put_roots = vector_field(*(f"root_{k}" for k in range(1, 9)))
_base, _put_base = vector_field(*(f"base_{i}{j}" for i in "123" for j in "123"))
_axes, _put_axes = vector_field(*(f"axis_{i}{j}" for i in "123" for j in "123"))
_sums, _put_sums = vector_field("even", "odd", "grow_even", "grow_odd", "nome_squared")

_ALIKE = 1e-13  # relative difference of moments of inertia that counts as none
_STEADY = 1e-32  # below this 1 - m, L lies along the middle axis to rounding
_MOST_TERMS = 40


@inner
def _carlson_f(x: float, y: float, z: float) -> float:
    """Carlson's R_F of numbers >= 0, at most one of which is 0, by the duplication theorem (Numer. Algorithms 10, 13
    (1995))."""
    mean = (x + y + z) / 3.0
    spread = max(abs(mean - x), abs(mean - y), abs(mean - z))
    x0, y0, mean0 = x, y, mean
    share = 1.0
    while 460.0 * share * spread > mean:  # (3 ε)^(-1/6)
        a, b, c = sqrt(x), sqrt(y), sqrt(z)
        more = a * b + b * c + c * a
        x, y, z, mean = 0.25 * (x + more), 0.25 * (y + more), 0.25 * (z + more), 0.25 * (mean + more)
        share *= 0.25
    a, b = share * (mean0 - x0) / mean, share * (mean0 - y0) / mean
    c = -a - b
    e, f = a * b - c * c, a * b * c
    return (1.0 - e / 10.0 + f / 14.0 + e * e / 24.0 - 3.0 * e * f / 44.0) / sqrt(mean)


@inner
def _less_exp(x: float) -> float:
    """1 - e^-x for x >= 0, to the precision of the number itself."""
    if x > 800.0:
        return 1.0
    halved = 0
    while x > 0.25:
        x *= 0.5
        halved += 1
    found = 1.0
    for n in range(14, 1, -1):
        found = 1.0 - x / n * found
    found *= x
    for _ in range(halved):
        found *= 2.0 - found
    return found


@inner
def principal_axes(inertia: Vector) -> tuple[Vector, BodyPose]:
    """The principal moments, rising, and the axes, as rows that form a right-handed frame, by Jacobi's rotations.

    inertia : the components xx, yy, zz, yz, xz and xy of a symmetric tensor.
    """
    xx, yy, zz, yz, xz, xy = inertia
    axes = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    quiet = 0
    k = 0
    while quiet < 3 and k < 90:
        # turn about the third axis, then let the axes take each other's places, so that each pair has its turn
        t = 0.0
        if abs(xy) <= 1e-17 * (abs(xx) + abs(yy)):
            quiet += 1
        else:
            quiet = 0
            ratio = (yy - xx) / (2.0 * xy)
            t = 1.0 / (abs(ratio) + sqrt(ratio * ratio + 1.0))
            if ratio < 0.0:
                t = -t
        c = 1.0 / sqrt(t * t + 1.0)
        s = t * c
        xx, yy = xx - t * xy, yy + t * xy
        xz, yz = c * xz - s * yz, s * xz + c * yz
        axes = followed((c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0), axes)
        xx, yy, zz, xy, xz, yz = yy, zz, xx, yz, 0.0 if t != 0.0 else xy, xz
        axes = axes[3], axes[4], axes[5], axes[6], axes[7], axes[8], axes[0], axes[1], axes[2]
        k += 1
    for k in range(3):
        # rising; an exchange of two axes changes the sense of one
        if k == 1:
            if yy > zz:
                yy, zz = zz, yy
                axes = axes[0], axes[1], axes[2], axes[6], axes[7], axes[8], -axes[3], -axes[4], -axes[5]
        elif xx > yy:
            xx, yy = yy, xx
            axes = axes[3], axes[4], axes[5], -axes[0], -axes[1], -axes[2], axes[6], axes[7], axes[8]
    return (xx, yy, zz), axes


@inlined
def put_frame(top: Record, base: BodyPose, axes: BodyPose) -> None:
    """Let a body be at rest in the pose that is the product of two."""
    _put_base(top, base)
    _put_axes(top, axes)


@inlined
def _axes_with_third(way: Vector) -> BodyPose:
    """The rows of a right-handed frame whose third axis is this unit vector."""
    x, y, z = way
    if abs(x) < 0.8:
        one = cross(way, (1.0, 0.0, 0.0))
    else:
        one = cross(way, (0.0, 1.0, 0.0))
    one = times(1.0 / sqrt(dot(one, one)), one)
    two = cross(way, one)
    return one[0], one[1], one[2], two[0], two[1], two[2], x, y, z


@inner
def set_top(top: Record) -> None:
    """Prepare the motion of a body from now on, from its orientation, angular momentum and tensor of inertia."""
    turn = pose_of(orientation(top))
    momentum = turned_back(turn, spin_momentum(top))
    moments, axes = principal_axes(tensor(top))
    size = sqrt(dot(momentum, momentum))
    own = turned(axes, momentum)
    energy = own[0] * own[0] / moments[0] + own[1] * own[1] / moments[1] + own[2] * own[2] / moments[2]
    top.turning_energy = 0.5 * energy
    top.phase = top.wobble = top.wobble_rate = 0.0
    top.terms = 0
    slow, fast = moments[1] / moments[2] - 1.0, moments[1] / moments[0] - 1.0
    # L_3 circulates about the axis of the largest moment if this is above 0, else L_1 about that of the smallest one
    above = own[2] * own[2] * (0.0 - slow) - own[0] * own[0] * fast
    if above >= 0.0:
        i1, i2, i3 = moments[0], moments[1], moments[2]
        l1, l2, l3 = own
    else:
        i1, i2, i3 = moments[2], moments[1], moments[0]
        l1, l2, l3 = own[2], -own[1], own[0]
        axes = axes[6], axes[7], axes[8], -axes[3], -axes[4], -axes[5], axes[0], axes[1], axes[2]
    if l3 < 0.0:
        axes = -axes[0], -axes[1], -axes[2], axes[3], axes[4], axes[5], -axes[6], -axes[7], -axes[8]
        l1, l3 = -l1, -l3
    low, high = (i2 - i1) * i3, (i3 - i2) * i1  # of one sign, as their sum i2 (i3 - i1)
    whole = i2 * (i3 - i1)
    rest = 0.0
    if moments[2] - moments[0] > _ALIKE * moments[2] and l1 * l1 + l2 * l2 > 1e-300 * size * size:
        # 1 - m; in A_3² (I_3 - I_2) I_1 as a whole
        peak = (l3 * l3 * whole + l2 * l2 * low) * high
        rest = (l3 * l3 * high - l1 * l1 * low) * whole
        rest = rest / peak if peak > 0.0 or peak < 0.0 else 0.0
    if rest <= _STEADY:
        top.phase_rate = top.fastest = energy / size if size > 0.0 else 0.0
        top.bend = top.fastest * top.fastest
        if size > 0.0:
            axes = _axes_with_third(times(1.0 / size, momentum))
        _put_axes(top, axes)
        _put_base(top, followed(turn, opposite(axes)))
        return
    rest = min(rest, 1.0)
    peak1, peak3 = sqrt(l1 * l1 + l2 * l2 * high / whole), sqrt(l3 * l3 + l2 * l2 * low / whole)
    stretch = sqrt(whole / high)
    peak2 = stretch * peak1
    _put_moments(top, (i1, i2, i3))
    _put_peaks(top, (peak1, peak2, peak3))
    _put_axes(top, axes)
    m = min(peak1 * peak1 * low / (peak3 * peak3 * high), 1.0)
    top.wobble_rate = peak3 * stretch * (i3 - i2) / (i2 * i3)
    quarter = _set_roots(top, rest)
    sn, cn, dn = l2 / peak2, l1 / peak1, l3 / peak3
    top.wobble_rate *= 0.5 * pi / quarter
    u = sn * _carlson_f(cn * cn, dn * dn, 1.0)
    top.wobble = half_turns_off(0.5 * pi * u / quarter if cn >= 0.0 else pi - 0.5 * pi * u / quarter)
    _set_phase(top, low / high, m, rest, quarter, size / i2)
    _put_base(top, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    begin, _ = top_at(top, top.wobble, 0.0)
    _put_base(top, followed(turn, opposite(begin)))
    # |ω|² is largest where cn² or sn² is 1
    at_cn = (peak1 / i1) * (peak1 / i1) + (peak3 / i3) * (peak3 / i3)
    at_sn = (peak2 / i2) * (peak2 / i2) + (peak3 / i3) * (peak3 / i3) * rest
    rates = (
        (i2 - i3) / i1 * (peak2 / i2) * (peak3 / i3),
        (i3 - i1) / i2 * (peak3 / i3) * (peak1 / i1),
        (i1 - i2) / i3 * (peak1 / i1) * (peak2 / i2),
    )
    most = max(at_cn, at_sn) * (1.0 + 1e-12)
    top.fastest = sqrt(most)
    top.bend = most + sqrt(dot(rates, rates))


@inlined
def _set_roots(top: Record, rest: float) -> float:
    """Set the roots of the parameters after each Landen transformation of m = 1 - `rest`; returns K(m)."""
    other = sqrt(rest)
    quarter = 0.5 * pi
    found = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for _ in range(8):
        root = (1.0 - other) / (1.0 + other)
        quarter *= 1.0 + root
        other = 2.0 * sqrt(other) / (1.0 + other)
        found = root, found[0], found[1], found[2], found[3], found[4], found[5], found[6]
    _put_roots(top, found)
    return quarter


@inlined
def _set_phase(top: Record, ratio: float, m: float, rest: float, quarter: float, rate: float) -> None:
    """Set the sums of theta functions and how fast the phase grows.

    ratio : (I_2 - I_1) I_3 / ((I_3 - I_2) I_1) = sn(i y)^-2; rest : 1 - m; quarter : K(m); rate : |L|/I_2.
    """
    nome, square, even, odd = 0.0, 0.0, 1.0, 1.0
    other = inf
    if m > 1e-290:
        other = _carlson_f(0.0, m, 1.0)
        nome = 1.0 - _less_exp(pi * other / quarter)
    if ratio > 0.0:
        # y = π/2K F(am), am of this tangent squared: 1 / ratio
        cosine = ratio / (1.0 + ratio)
        y = 0.5 * pi / quarter * sqrt(1.0 / (1.0 + ratio)) * _carlson_f(cosine, cosine + m / (1.0 + ratio), 1.0)
        odd = _less_exp(2.0 * y)
        even = 2.0 - odd
        below = 1.0 - odd  # e^-2y
        square = nome * nome / below if below > 0.0 else 0.0
    grow_even, grow_odd = 0.5 * square * (even * even - 2.0 * (1.0 - odd)), 0.5 * square * even * odd
    _put_sums(top, (even, odd, grow_even, grow_odd, nome * nome))
    terms = 0
    c, s, power = even, odd, 1.0
    above, below = 0.0, 0.0
    while terms < _MOST_TERMS and c > 1e-18 * even:
        above += (2 * terms + 1) * s
        below += c
        c, s = power * (c * grow_even + s * grow_odd), power * (s * grow_even + c * grow_odd)
        power *= nome * nome
        terms += 1
    top.terms = terms
    top.phase_rate = rate - top.wobble_rate * above / below


@inner
def top_at(top: Record, wobble: float, phase: float) -> tuple[BodyPose, Spin]:
    """The pose of a body, and ω along the axes of the box, where its angles are z = wobble and k t = phase."""
    c, s = cos_sin(phase)
    terms = top.terms
    if terms == 0:
        pose = followed(followed(_base(top), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)), _axes(top))
        return pose, turned(_base(top), (0.0, 0.0, top.phase_rate))
    cz, sz = cos_sin(wobble)
    sn, cn, dn = sz, cz, 1.0
    for root in _roots(top):
        if root > 1e-17:
            square = root * sn * sn
            over = 1.0 / (1.0 + square)
            sn, cn, dn = (1.0 + root) * sn * over, cn * dn * over, (1.0 - square) * over
    peaks, moments = _peaks(top), _moments(top)
    l1, l2, l3 = peaks[0] * cn, peaks[1] * sn, peaks[2] * dn
    even, odd, grow_even, grow_odd, nome_squared = _sums(top)
    c2, s2 = cz * cz - sz * sz, 2.0 * sz * cz
    re, im, power = even * sz, odd * cz, 1.0
    for _ in range(1, terms):
        even, odd = -power * (even * grow_even + odd * grow_odd), -power * (odd * grow_even + even * grow_odd)
        power *= nome_squared
        cz, sz = cz * c2 - sz * s2, sz * c2 + cz * s2
        re += even * sz
        im += odd * cz
    over = 1.0 / sqrt(re * re + im * im)
    c, s = (c * re + s * im) * over, (s * re - c * im) * over
    # R_x(θ) R_z(ψ), which turns L to the third axis, and the turn about it by φ
    across = sqrt(l1 * l1 + l2 * l2)
    over = 1.0 / sqrt(across * across + l3 * l3)
    tilt, up = across * over, l3 * over
    over = 1.0 / across
    sin, cos = l1 * over, l2 * over
    beside = (
        c * cos - s * up * sin,
        -c * sin - s * up * cos,
        s * tilt,
        s * cos + c * up * sin,
        -s * sin + c * up * cos,
        -c * tilt,
        tilt * sin,
        tilt * cos,
        up,
    )
    base = followed(_base(top), beside)
    return followed(base, _axes(top)), turned(base, (l1 / moments[0], l2 / moments[1], l3 / moments[2]))
