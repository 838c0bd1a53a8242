"""The reference points of a cell, compared with a point all at once: eight lanes of a vector register."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from engine.hard_discs import discs as d
from engine.kernels import CHECKED

_LANES = 8
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, _LANES)


def _spread(builder: Any, value: Any) -> Any:
    """A vector of eight times the same number."""
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [0] * _LANES)
    return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), order)


def _loaded(builder: Any, first: Any, at: Any) -> Any:
    """Eight numbers of an array."""
    address = builder.bitcast(builder.gep(first, [at]), _VECTOR.as_pointer())
    value = builder.load(address)
    value.align = 4
    return value


def _nearest(builder: Any, delta: Any, side: Any, half: Any) -> Any:
    """`engine.geometry.minimum_image.nearest_image`."""
    less = builder.select(builder.fcmp_ordered(">", delta, half), builder.fsub(delta, side), delta)
    return builder.select(builder.fcmp_ordered("<", delta, builder.fneg(half)), builder.fadd(delta, side), less)


@intrinsic
def spots_near(
    typing_context: Any,
    spots: Any,
    line: Any,
    x: Any,
    y: Any,
    most: Any,
    step_x: Any,
    step_y: Any,
    least: Any,
    side_x: Any,
    side_y: Any,
    half_x: Any,
    half_y: Any,
) -> Any:
    """Which reference points of the block of a cell are near a point, and not near another one: bit k for slot k.

    In single precision: the caller makes the limits wide enough.

    Parameters
    ----------
    spots, line
        The array, and where the block begins in it.
    x, y, most
        The point, and the square of the distance that is near.
    step_x, step_y, least
        The way from the other point to this one, and the square of the distance that is near that.
    side_x, side_y, half_x, half_y
        Of the box and of half of it; these infinite between walls.
    """
    single = (types.float32,) * 10
    signature = types.int64(spots, types.int64, *single)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = context.make_array(spots)(context, builder, value=args[0]).data if CHECKED else args[0]
        at = args[1]
        px, py, near, move_x, move_y, known, lx, ly, hx, hy = (_spread(builder, value) for value in args[2:])
        dx = _loaded(builder, first, builder.add(at, ir.Constant(at.type, d.CELL_X)))
        dy = _loaded(builder, first, builder.add(at, ir.Constant(at.type, d.CELL_Y)))
        dx = _nearest(builder, builder.fsub(dx, px), lx, hx)
        dy = _nearest(builder, builder.fsub(dy, py), ly, hy)
        here = builder.fadd(builder.fmul(dx, dx), builder.fmul(dy, dy))
        dx = builder.fadd(dx, move_x)
        dy = builder.fadd(dy, move_y)
        there = builder.fadd(builder.fmul(dx, dx), builder.fmul(dy, dy))
        hits = builder.and_(builder.fcmp_ordered("<=", here, near), builder.fcmp_ordered(">", there, known))
        bits = builder.bitcast(hits, ir.IntType(_LANES))
        return builder.zext(bits, ir.IntType(64))

    return signature, codegen
