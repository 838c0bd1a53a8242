"""Angles, poses and vectors that turn, in the plane and in space.

A pose says how far a body is turned: (cos φ, sin φ) in the plane, the rows of the rotation matrix R, one after the
other, in space. An angular velocity or momentum is a number in the plane and a vector in space. Sine and cosine are
polynomials of our own: those of the system's library differ between machines, and with them the bits of a run.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any, TypeAlias

from engine.geometry.vectors import Vector, absolute, dot
from engine.kernels import inlined

BodyPose: TypeAlias = Any
"""A tuple of two or nine floats. In kernels its type says which."""

Spin: TypeAlias = Any
"""A float in the plane, a tuple of three floats in space."""

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
def turned(pose: BodyPose, b: Vector) -> Vector:
    """The vector b turned by a pose, R b."""
    if len(b) > 2:
        return (
            pose[0] * b[0] + pose[1] * b[1] + pose[2] * b[2],
            pose[3] * b[0] + pose[4] * b[1] + pose[5] * b[2],
            pose[6] * b[0] + pose[7] * b[1] + pose[8] * b[2],
        )
    return pose[0] * b[0] - pose[1] * b[1], pose[1] * b[0] + pose[0] * b[1]


@inlined
def turned_back(pose: BodyPose, b: Vector) -> Vector:
    """The vector b turned the other way, R⁻¹ b."""
    if len(b) > 2:
        return (
            pose[0] * b[0] + pose[3] * b[1] + pose[6] * b[2],
            pose[1] * b[0] + pose[4] * b[1] + pose[7] * b[2],
            pose[2] * b[0] + pose[5] * b[1] + pose[8] * b[2],
        )
    return pose[0] * b[0] + pose[1] * b[1], pose[0] * b[1] - pose[1] * b[0]


@inlined
def extent_of(pose: BodyPose, half: Vector) -> Vector:
    """How far a box of these half sides, turned by a pose, extends from its centre along each axis."""
    if len(half) > 2:
        one = dot(absolute((pose[0], pose[1], pose[2])), half)
        two = dot(absolute((pose[3], pose[4], pose[5])), half)
        return one, two, dot(absolute((pose[6], pose[7], pose[8])), half)
    c, s = abs(pose[0]), abs(pose[1])
    return c * half[0] + s * half[1], s * half[0] + c * half[1]


@inlined
def opposite(pose: BodyPose) -> BodyPose:
    """The pose that turns back, R⁻¹."""
    if len(pose) > 2:
        return pose[0], pose[3], pose[6], pose[1], pose[4], pose[7], pose[2], pose[5], pose[8]
    return pose[0], -pose[1]


@inlined
def followed(second: BodyPose, first: BodyPose) -> BodyPose:
    """The pose that turns as `first` and then as `second`, the product of their matrices."""
    if len(first) > 2:
        a = turned(second, (first[0], first[3], first[6]))
        b = turned(second, (first[1], first[4], first[7]))
        c = turned(second, (first[2], first[5], first[8]))
        return a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]
    return first[0] * second[0] - first[1] * second[1], first[0] * second[1] + first[1] * second[0]


@inlined
def around(spin: Spin, r: Vector) -> Vector:
    """The velocity ω × r that turning gives a point at r from the centre of mass."""
    if len(r) > 2:
        return cross(spin, r)
    return -spin * r[1], spin * r[0]


@inlined
def cross(a: Vector, b: Vector) -> Spin:
    """The vector product, a number in the plane."""
    if len(a) > 2:
        return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    return float(a[0] * b[1] - a[1] * b[0])


@inlined
def pose_of(q: Vector) -> BodyPose:
    """The rotation matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@inlined
def unit(q: Vector) -> Vector:
    """A quaternion divided by its length; that of no rotation for one without a length."""
    size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if size == 0.0:
        return 1.0, 0.0, 0.0, 0.0
    return q[0] / size, q[1] / size, q[2] / size, q[3] / size


@inlined
def quaternion_of(pose: BodyPose) -> Vector:
    """The unit quaternion (w, x, y, z) of a rotation matrix, from its largest component."""
    xx, yy, zz = pose[0], pose[4], pose[8]
    if xx + yy + zz > 0.0:
        return unit((1.0 + xx + yy + zz, pose[7] - pose[5], pose[2] - pose[6], pose[3] - pose[1]))
    if xx >= yy and xx >= zz:
        return unit((pose[7] - pose[5], 1.0 + xx - yy - zz, pose[1] + pose[3], pose[2] + pose[6]))
    if yy >= zz:
        return unit((pose[2] - pose[6], pose[1] + pose[3], 1.0 - xx + yy - zz, pose[5] + pose[7]))
    return unit((pose[3] - pose[1], pose[2] + pose[6], pose[5] + pose[7], 1.0 - xx - yy + zz))


@inlined
def quaternion_product(a: Vector, b: Vector) -> Vector:
    """The quaternion that turns as b and then as a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )
