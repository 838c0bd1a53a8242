"""The first collision of a disc with one of its neighbours: eight of these at once, in vector registers.

Which neighbours come nearer, and which of them meet the disc first, is hard to guess. Code with branches guesses wrong
four or five times for each prediction, and each wrong guess costs as much as fifty instructions. So the time of impact
is computed for all neighbours, and those that do not count are left out afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from engine.hard_discs import discs as d
from engine.hard_discs.spots import address, nearest

EIGHT = 8
"""Neighbours that are seen to at once."""

NOBODY = 2**31 - 1
"""A partner of larger number than any disc."""

_REAL, _NUMBER = ir.DoubleType(), ir.IntType(32)
_REALS, _NUMBERS = (ir.VectorType(kind, EIGHT) for kind in (_REAL, _NUMBER))
_FOUR = ir.VectorType(_REAL, 4)
_RESULT = types.Tuple((types.float64, types.int64, types.int64, types.int64))  # type: ignore[attr-defined]


def _picked(builder: Any, one: Any, other: Any, order: list[int]) -> Any:
    """The elements of two vectors that `order` numbers."""
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(_NUMBER, len(order)), order))


def _spread(builder: Any, kind: Any, value: Any) -> Any:
    """A vector of eight times the same number."""
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, _NUMBER(0))
    return _picked(builder, one, one, [0] * EIGHT)


def _fields(builder: Any, motion: np.dtype[np.void], lines: list[Any], first: str) -> list[Any]:
    """Four fields of a type of rows that follow each other, of the eight records at these addresses: a register for
    each."""
    halves = []
    offset = ir.Constant(ir.IntType(64), motion.fields[first][1])  # type: ignore[index]
    for four in (lines[:4], lines[4:]):
        rows = []
        for line in four:
            row = builder.bitcast(builder.gep(builder.bitcast(line, cgutils.voidptr_t), [offset]), _FOUR.as_pointer())
            rows.append(builder.load(row, align=8))
        columns = []
        for order in ([0, 4, 2, 6], [1, 5, 3, 7]):
            low, high = (_picked(builder, rows[k], rows[k + 1], order) for k in (0, 2))
            columns.append([_picked(builder, low, high, part) for part in ([0, 1, 4, 5], [2, 3, 6, 7])])
        halves.append([columns[0][0], columns[1][0], columns[0][1], columns[1][1]])
    return [_picked(builder, low, high, list(range(EIGHT))) for low, high in zip(*halves, strict=True)]


def _components(builder: Any, vector: Any, value: Any) -> list[Any]:
    """The components of a vector (`engine.geometry.vectors`) of this type, each spread over a register."""
    return [_spread(builder, _REALS, builder.extract_value(value, axis)) for axis in range(len(vector))]


def _smallest(builder: Any, values: Any, less: Callable[[Any, Any], Any]) -> Any:
    """A vector with the smallest of eight values in each place."""
    for step in (4, 2, 1):
        other = _picked(builder, values, values, [k ^ step for k in range(EIGHT)])
        values = builder.select(less(values, other), values, other)
    return values


def _first(context: Any, builder: Any, kinds: Any, args: Any, image: Callable[[Any, int], Any]) -> Any:
    """The code of `first_meeting`; image : a difference along an axis, 0, 1 or 2, to the nearest image."""
    motion = address(context, builder, kinds[0], args[0])
    listed = builder.gep(address(context, builder, kinds[1], args[1]), [args[2]])
    here = _spread(builder, _NUMBERS, builder.trunc(args[4], _NUMBER))
    left = _spread(builder, _NUMBERS, builder.trunc(args[3], _NUMBER))
    counted = builder.icmp_signed("<", ir.Constant(_NUMBERS, list(range(EIGHT))), left)
    discs = builder.load(builder.bitcast(listed, _NUMBERS.as_pointer()), align=4)
    discs = builder.select(counted, discs, here)  # beyond the last neighbour stand numbers of no meaning
    lines = [
        builder.gep(motion, [builder.sext(builder.extract_element(discs, _NUMBER(k)), ir.IntType(64))])
        for k in range(EIGHT)
    ]
    if len(kinds[5]) > 2:
        x, y, z, wx = _fields(builder, d.SPACE_MOTION, lines, "x")
        wy, wz, *_ = _fields(builder, d.SPACE_MOTION, lines, "vy")
        time, radius, renewal, _ = _fields(builder, d.SPACE_MOTION, lines, "time")
        places, speeds = [x, y, z], [wx, wy, wz]
    else:
        x, y, wx, wy = _fields(builder, d.MOTION, lines, "x")
        time, radius, renewal, _ = _fields(builder, d.MOTION, lines, "time")
        places, speeds = [x, y], [wx, wy]
    own, own_speed = (_components(builder, kinds[k], args[k]) for k in (5, 6))
    own_radius, t = (_spread(builder, _REALS, value) for value in args[7:9])
    add, less, times = builder.fadd, builder.fsub, builder.fmul
    dt = less(t, time)
    apart = [
        image(less(add(theirs, times(speed, dt)), mine), axis)
        for axis, (theirs, speed, mine) in enumerate(zip(places, speeds, own, strict=True))
    ]
    speeds = [less(speed, mine) for speed, mine in zip(speeds, own_speed, strict=True)]
    sigma = add(own_radius, radius)
    # f = |d + w t|² - σ² = c + 2 b t + a t², and its smaller root in the form without cancellation
    a, b, c = (
        reduce(add, [times(part, other) for part, other in zip(one, two, strict=True)])
        for one, two in ((speeds, speeds), (apart, speeds), (apart, apart))
    )
    c = less(c, times(sigma, sigma))
    discriminant = less(times(b, b), times(a, c))
    kind = ir.FunctionType(_REALS, [_REALS])
    root = builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.sqrt.v8f64"), [discriminant])
    zero = ir.Constant(_REALS, [0.0] * EIGHT)
    inside = builder.fcmp_ordered("<=", c, zero)
    when = add(t, builder.select(inside, zero, builder.fdiv(c, less(root, b))))
    meets = builder.and_(counted, builder.fcmp_ordered("<", b, zero))
    meets = builder.and_(meets, builder.or_(inside, builder.fcmp_ordered(">", discriminant, zero)))
    meets = builder.and_(meets, builder.fcmp_ordered("<", when, renewal))
    when = builder.select(meets, when, ir.Constant(_REALS, [float("inf")] * EIGHT))
    soonest = _smallest(builder, when, lambda one, other: builder.fcmp_ordered("<", one, other))
    meets = builder.and_(meets, builder.fcmp_ordered("==", when, soonest))
    partners = builder.select(meets, discs, ir.Constant(_NUMBERS, [NOBODY] * EIGHT))
    partner = _smallest(builder, partners, lambda one, other: builder.icmp_signed("<", one, other))
    overlap = builder.and_(counted, builder.fcmp_ordered("<", c, zero))
    stabilising = builder.and_(overlap, builder.and_(meets, builder.icmp_signed("==", discs, partner)))
    wide = ir.IntType(64)
    overlaps, found = (builder.zext(builder.bitcast(bits, ir.IntType(EIGHT)), wide) for bits in (overlap, stabilising))
    results = (
        builder.extract_element(soonest, _NUMBER(0)),
        builder.sext(builder.extract_element(partner, _NUMBER(0)), wide),
        builder.zext(builder.icmp_unsigned("!=", found, wide(0)), wide),
        builder.ctpop(overlaps),
    )
    return context.make_tuple(builder, _RESULT, results)


@intrinsic
def first_meeting(
    typing_context: Any,
    motion: Any,
    listed: Any,
    begin: Any,
    count: Any,
    i: Any,
    x: Any,
    v: Any,
    radius: Any,
    t: Any,
) -> Any:
    """The first collision of disc i with the first eight of `count` neighbours, whose numbers begin at listed[begin].

    A collision counts where it comes before the neighbour is predicted in full (`renewal`). No radius grows, nothing
    falls. Eight numbers are read, whatever `count` is.

    Parameters
    ----------
    motion, listed
        Arrays of `engine.kernels.elements`.
    x, v, radius
        Place, velocity and radius of disc i at the time t. The type of a vector says how many components there are.

    Returns
    -------
    When, inf for none; the partner, the one with the smallest number of several, `NOBODY` for none; 1 where it overlaps
    the disc; how many of the neighbours overlap it.
    """
    signature = _RESULT(motion, listed, *(types.int64,) * 3, x, v, types.float64, types.float64)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _first(context, builder, signature.args, args, lambda delta, axis: delta)

    return signature, codegen


@intrinsic
def first_meeting_of_images(
    typing_context: Any,
    motion: Any,
    listed: Any,
    begin: Any,
    count: Any,
    i: Any,
    x: Any,
    v: Any,
    radius: Any,
    t: Any,
    sides: Any,
    half_sides: Any,
) -> Any:
    """`first_meeting` with the nearest images in a periodic box with these sides and half sides."""
    signature = _RESULT(motion, listed, *(types.int64,) * 3, x, v, types.float64, types.float64, sides, half_sides)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole, half = (_components(builder, signature.args[k], args[k]) for k in (9, 10))

        def image(delta: Any, axis: int) -> Any:
            return nearest(builder, delta, whole[axis], half[axis])

        return _first(context, builder, signature.args, args, image)

    return signature, codegen
