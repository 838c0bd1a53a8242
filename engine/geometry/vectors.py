"""Vectors of two or three components in kernels: tuples, whose length is a part of their type.

So the same code computes in the plane and in space, and the branch that is not taken is gone before it is compiled.
Sums are taken from the first component to the last.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.kernels import inlined

Vector: TypeAlias = Any
"""A tuple of two or three floats. In kernels its type says how many."""


@inlined
def row_of(array: NDArray[np.float64], i: int, like: Vector) -> Vector:
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
def clipped(a: Vector, most: Vector) -> Vector:
    """a with each component brought into the range from 0 to that of `most`."""
    x = min(max(a[0], 0.0), most[0])
    y = min(max(a[1], 0.0), most[1])
    if len(a) > 2:
        return x, y, min(max(a[2], 0.0), most[2])
    return x, y
