"""Vectors of two or three components in kernels: tuples, whose length is a part of their type.

So the same code computes in the plane and in space, and the branch that is not taken is gone before it is compiled.
Sums are taken from the first component to the last. Records keep the components in fields of their own
(`engine.kernels.vector_field`).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined, vector_field

Vector: TypeAlias = Any
"""A tuple of two or three floats. In kernels its type says how many."""


# what records of several users keep along each axis
place, put_place = vector_field("x", "y", "z")
velocity, put_velocity = vector_field("vx", "vy", "vz")
momentum, put_momentum = vector_field("px", "py", "pz")
low_corner, put_low_corner = vector_field("x_min", "y_min", "z_min")
high_corner, put_high_corner = vector_field("x_max", "y_max", "z_max")
box_sides, put_box_sides = vector_field("box_x", "box_y", "box_z")


@inlined
def row_of(array: NDArray[Any], i: int, like: Vector) -> Vector:
    """Row i of an array (N, d), with as many components as `like`."""
    if len(like) > 2:
        return array[i, 0], array[i, 1], array[i, 2]
    return array[i, 0], array[i, 1]


@inlined
def plus(a: Vector, b: Vector) -> Vector:
    """a + b."""
    if len(a) > 2:
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]
    return a[0] + b[0], a[1] + b[1]


@inlined
def minus(a: Vector, b: Vector) -> Vector:
    """a - b."""
    if len(a) > 2:
        return a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return a[0] - b[0], a[1] - b[1]


@inlined
def times(factor: float, a: Vector) -> Vector:
    """A number times a."""
    if len(a) > 2:
        return factor * a[0], factor * a[1], factor * a[2]
    return factor * a[0], factor * a[1]


@inlined
def dot(a: Vector, b: Vector) -> float:
    """The scalar product of a and b."""
    product: float = a[0] * b[0] + a[1] * b[1]
    if len(a) > 2:
        product += a[2] * b[2]
    return product


@inlined
def component(a: Vector, axis: int) -> float:
    """The component of a along an axis."""
    if len(a) > 2 and axis == 2:
        return float(a[2])
    return float(a[0] if axis == 0 else a[1])


@inlined
def over(a: Vector, divisor: float) -> Vector:
    """a divided by a number."""
    if len(a) > 2:
        return a[0] / divisor, a[1] / divisor, a[2] / divisor
    return a[0] / divisor, a[1] / divisor


@inlined
def add_dot(start: float, a: Vector, b: Vector) -> float:
    """`start` and the scalar product of a and b, added to it component by component."""
    total: float = start + a[0] * b[0] + a[1] * b[1]
    if len(a) > 2:
        total += a[2] * b[2]
    return total


@inlined
def less_square(start: float, a: Vector) -> float:
    """`start` less the square of a, taken off component by component."""
    rest: float = start - a[0] * a[0] - a[1] * a[1]
    if len(a) > 2:
        rest -= a[2] * a[2]
    return rest


@inlined
def is_below(a: Vector, b: Vector) -> bool:
    """Whether some component of a is less than that of b."""
    if len(a) > 2:
        return bool(a[0] < b[0] or a[1] < b[1] or a[2] < b[2])
    return bool(a[0] < b[0] or a[1] < b[1])


@inlined
def is_zero(a: Vector) -> bool:
    """Whether all components are 0."""
    if len(a) > 2:
        return bool(a[0] == 0.0 and a[1] == 0.0 and a[2] == 0.0)
    return bool(a[0] == 0.0 and a[1] == 0.0)


@inlined
def largest(a: Vector) -> float:
    """The largest component."""
    most: float = max(a[0], a[1])
    if len(a) > 2:
        most = max(most, a[2])
    return most


@inlined
def absolute(a: Vector) -> Vector:
    """The absolute values of the components."""
    if len(a) > 2:
        return abs(a[0]), abs(a[1]), abs(a[2])
    return abs(a[0]), abs(a[1])


@inlined
def single_precision(a: Vector) -> Vector:
    """The components as numbers of four bytes."""
    if len(a) > 2:
        return np.float32(a[0]), np.float32(a[1]), np.float32(a[2])
    return np.float32(a[0]), np.float32(a[1])


@inlined
def put_row(array: NDArray[Any], i: int, a: Vector) -> None:
    """Write a into row i of an array (N, d)."""
    array[i, 0] = a[0]
    array[i, 1] = a[1]
    if len(a) > 2:
        array[i, 2] = a[2]


@inlined
def every(value: float, like: Vector) -> Vector:
    """A vector with this value in every component, as many as `like` has."""
    if len(like) > 2:
        return value, value, value
    return value, value


@inlined
def along_axis(value: float, axis: int, like: Vector) -> Vector:
    """A vector that is `value` along an axis and 0 along the others, with as many components as `like`."""
    x = value if axis == 0 else 0.0
    y = value if axis == 1 else 0.0
    if len(like) > 2:
        return x, y, value if axis == 2 else 0.0
    return x, y


@inlined
def with_component(a: Vector, axis: int, value: float) -> Vector:
    """a with another component along an axis."""
    x = value if axis == 0 else a[0]
    y = value if axis == 1 else a[1]
    if len(a) > 2:
        return x, y, value if axis == 2 else a[2]
    return x, y


@inlined
def least(a: Vector, b: Vector) -> Vector:
    """The smaller one of each two components."""
    if len(a) > 2:
        return min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])
    return min(a[0], b[0]), min(a[1], b[1])


@inlined
def greatest(a: Vector, b: Vector) -> Vector:
    """The larger one of each two components."""
    if len(a) > 2:
        return max(a[0], b[0]), max(a[1], b[1]), max(a[2], b[2])
    return max(a[0], b[0]), max(a[1], b[1])


@inlined
def within(a: Vector, low: Vector, high: Vector) -> Vector:
    """a with each component brought into the range from that of `low` to that of `high`."""
    return least(greatest(a, low), high)


@inlined
def smallest(a: Vector) -> float:
    """The smallest component."""
    value: float = min(a[0], a[1])
    if len(a) > 2:
        value = min(value, a[2])
    return value


@inlined
def longest_axis(a: Vector) -> int:
    """The axis of the largest component, the first of equals."""
    axis = 1 if a[1] > a[0] else 0
    if len(a) > 2 and a[2] > max(a[0], a[1]):
        axis = 2
    return axis


@inlined
def cross_squared(a: Vector, b: Vector) -> float:
    """The square of the vector product of a and b."""
    z = a[0] * b[1] - a[1] * b[0]
    squared: float = z * z
    if len(a) > 2:
        x = a[1] * b[2] - a[2] * b[1]
        y = a[2] * b[0] - a[0] * b[2]
        squared += x * x
        squared += y * y
    return squared


@inlined
def product(a: Vector) -> Any:
    """The product of the components, of their type."""
    both = a[0] * a[1]
    if len(a) > 2:
        return both * a[2]
    return both


@inlined
def total(a: Vector) -> float:
    """The sum of the components."""
    summed: float = a[0] + a[1]
    if len(a) > 2:
        summed += a[2]
    return summed
