"""Where the discs of a cluster that turns are, and how fast: the one place that knows how clusters move.

A pose is (cos φ, sin φ). Sine and cosine are polynomials of our own: those of the system's library differ between
machines, and with them the bits of a run.
"""

from __future__ import annotations

from math import pi

from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.turning.bodies import centre
from engine.geometry.vectors import Vector, box_sides, into_box, minus, place, plus, put_place, times, velocity
from engine.kernels import inlined
from engine.records import Record

_TWO_PI = 2.0 * pi
_TWO_PI_REST = 2.4492935982947064e-16  # what 2 π in double precision lacks
_HALF_PI = 0.5 * pi
_HALF_PI_REST = 0.25 * _TWO_PI_REST


@inlined
def half_turns_off(angle: float) -> float:
    """The angle brought into -π … π."""
    if -pi <= angle <= pi:
        return angle
    turns = round(angle / _TWO_PI)
    return angle - turns * _TWO_PI - turns * _TWO_PI_REST


@inlined
def cos_sin(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle, to about one unit in the last place; the same bits on every machine.

    Taylor polynomials on -π/4 … π/4, where their next terms are below 10⁻¹⁷.
    """
    if angle == 0.0:
        return 1.0, 0.0
    a = half_turns_off(angle)
    quarter = round(a / _HALF_PI)
    r = (a - quarter * _HALF_PI) - quarter * _HALF_PI_REST
    q = r * r
    s = -1.0 / 1307674368000.0
    s = 1.0 / 6227020800.0 + q * s
    s = -1.0 / 39916800.0 + q * s
    s = 1.0 / 362880.0 + q * s
    s = -1.0 / 5040.0 + q * s
    s = 1.0 / 120.0 + q * s
    s = -1.0 / 6.0 + q * s
    s = r + r * (q * s)
    c = 1.0 / 20922789888000.0
    c = -1.0 / 87178291200.0 + q * c
    c = 1.0 / 479001600.0 + q * c
    c = -1.0 / 3628800.0 + q * c
    c = 1.0 / 40320.0 + q * c
    c = -1.0 / 720.0 + q * c
    c = 1.0 / 24.0 + q * c
    c = 1.0 - (0.5 * q - q * (q * c))
    if quarter == 0.0:
        return c, s
    if quarter == 1.0:
        return -s, c
    if quarter == -1.0:
        return s, -c
    return -c, -s


@inlined
def turned(pose: Vector, b: Vector) -> Vector:
    """The vector b turned by a pose, R b."""
    return pose[0] * b[0] - pose[1] * b[1], pose[1] * b[0] + pose[0] * b[1]


@inlined
def turned_back(pose: Vector, b: Vector) -> Vector:
    """The vector b turned the other way, R⁻¹ b."""
    return pose[0] * b[0] + pose[1] * b[1], pose[0] * b[1] - pose[1] * b[0]


@inlined
def around(spin: float, r: Vector) -> Vector:
    """The velocity ω × r that turning gives a point at r from the centre of mass."""
    return -spin * r[1], spin * r[0]


@inlined
def cross(a: Vector, b: Vector) -> float:
    """The vector product of two vectors in the plane."""
    return float(a[0] * b[1] - a[1] * b[0])


@inlined
def angle_at(cluster: Record, now: float) -> float:
    """φ of a cluster at a time."""
    return half_turns_off(cluster.angle + cluster.spin * (now - cluster.time))


@inlined
def from_centre(cluster: Record, pose: Vector, b: Vector) -> Vector:
    """From the centre of mass of a cluster in this pose to the place b in its frame."""
    return turned(pose, minus(b, centre(cluster)))


@inlined
def move_to(st: ClusterArrays, c: int, now: float) -> None:
    """Move a cluster to `now`, and its centre of mass back into a periodic box."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    x = plus(place(cluster), times(now - cluster.time, velocity(cluster)))
    if sim.periodic:
        x = into_box(x, box_sides(sim))
    put_place(cluster, x)
    cluster.angle = angle_at(cluster, now)
    cluster.time = now
