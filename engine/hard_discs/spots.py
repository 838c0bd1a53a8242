"""The reference points of a cell, compared with a point all at once: eight lanes of a vector register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from engine.hard_discs import discs as d
from engine.kernels import CHECKED

_LANES = 8
_MOST = d.SPATIAL.cell_room  # slots of a block
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


def address(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """Where an array of `engine.kernels.elements` begins."""
    return context.make_array(kind)(context, builder, value=array).data if CHECKED else array


def nearest(builder: Any, delta: Any, side: Any, half: Any) -> Any:
    """`engine.geometry.minimum_image.nearest_image`."""
    less = builder.select(builder.fcmp_ordered(">", delta, half), builder.fsub(delta, side), delta)
    return builder.select(builder.fcmp_ordered("<", delta, builder.fneg(half)), builder.fadd(delta, side), less)


def cell_room(vector: Any) -> int:
    """Discs of a cell in one block, where vectors have this type."""
    return d.SPATIAL.cell_room if len(vector) > 2 else d.PLANAR.cell_room


def components(builder: Any, vector: Any, value: Any) -> list[Any]:
    """The components of a vector (`engine.geometry.vectors`) of this type, each spread over a register."""
    return [_spread(builder, builder.extract_value(value, axis)) for axis in range(len(vector))]


def _squared(builder: Any, parts: list[Any]) -> Any:
    """The sum of the squares, from the first part to the last."""
    total = builder.fmul(parts[0], parts[0])
    for part in parts[1:]:
        total = builder.fadd(total, builder.fmul(part, part))
    return total


def _compared(context: Any, builder: Any, kinds: Any, args: Any, image: Callable[[Any, int], Any]) -> Any:
    """The code of `spots_near`; image : a difference along an axis, 0, 1 or 2, to the nearest image."""
    first, at = address(context, builder, kinds[0], args[0]), args[1]
    place, step = (components(builder, kinds[k], args[k]) for k in (2, 4))
    near, known = (_spread(builder, args[k]) for k in (3, 5))
    room = cell_room(kinds[2])
    apart = []
    for axis, own in enumerate(place):
        theirs = _loaded(builder, first, builder.add(at, ir.Constant(at.type, axis * room)))
        apart.append(image(builder.fsub(theirs, own), axis))
    here = _squared(builder, apart)
    there = _squared(builder, [builder.fadd(part, more) for part, more in zip(apart, step, strict=True)])
    hits = builder.and_(builder.fcmp_ordered("<=", here, near), builder.fcmp_ordered(">", there, known))
    bits = builder.zext(builder.bitcast(hits, ir.IntType(_LANES)), ir.IntType(64))
    return builder.and_(bits, ir.Constant(bits.type, (1 << room) - 1))


@intrinsic
def spots_near(typing_context: Any, spots: Any, line: Any, x: Any, most: Any, step: Any, least: Any) -> Any:
    """Which reference points of the block of a cell are near a point, and not near another one: bit k for slot k.

    In single precision: the caller makes the limits wide enough.

    Parameters
    ----------
    spots, line
        The array, and where the block begins in it.
    x, most
        The point, and the square of the distance that is near.
    step, least
        The way from the other point to this one, and the square of the distance that is near that.
    """
    signature = types.int64(spots, types.int64, x, types.float32, step, types.float32)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _compared(context, builder, signature.args, args, lambda delta, axis: delta)

    return signature, codegen


@intrinsic
def images_near(
    typing_context: Any,
    spots: Any,
    line: Any,
    x: Any,
    most: Any,
    step: Any,
    least: Any,
    sides: Any,
    half_sides: Any,
) -> Any:
    """`spots_near` in a periodic box with these sides and half sides, for the nearest images."""
    signature = types.int64(spots, types.int64, x, types.float32, step, types.float32, sides, half_sides)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole, half = (components(builder, signature.args[k], args[k]) for k in (6, 7))

        def image(delta: Any, axis: int) -> Any:
            return nearest(builder, delta, whole[axis], half[axis])

        return _compared(context, builder, signature.args, args, image)

    return signature, codegen


_SLOTS = [[slot for slot in range(_MOST) if bits >> slot & 1] for bits in range(1 << _MOST)]
"""By the bits of `spots_near`, the slots that they stand for."""


@intrinsic
def write_slots(typing_context: Any, found: Any, count: Any, line: Any, bits: Any) -> Any:
    """Write where the slots of these bits are in `spots` (the block begins at `line`) into `found`, from `count` on.

    Returns how many they are. One store of eight numbers from a table, of which those beyond have no meaning, for any
    bits: which slots are near is hard to guess, and each wrong guess costs more than all of this.
    """
    signature = types.int64(found, types.int64, types.int64, types.int64)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target = address(context, builder, found, args[0])
        count, line, bits = args[1:]
        number = ir.IntType(32)
        eight = ir.VectorType(number, _LANES)
        rows = [ir.Constant(eight, slots + [0] * (_LANES - len(slots))) for slots in _SLOTS]
        table = ir.Constant(ir.ArrayType(eight, len(rows)), rows)
        held = cgutils.global_constant(builder.module, "slots_of_bits", table)
        wanted = builder.and_(bits, ir.Constant(bits.type, len(rows) - 1))
        slots = builder.load(builder.gep(held, [ir.Constant(bits.type, 0), wanted], inbounds=True))
        begin = builder.insert_element(ir.Constant(eight, ir.Undefined), builder.trunc(line, number), number(0))
        begin = builder.shuffle_vector(begin, ir.Constant(eight, ir.Undefined), ir.Constant(eight, [0] * _LANES))
        place = builder.bitcast(builder.gep(target, [count]), eight.as_pointer())
        builder.store(builder.add(slots, begin), place, align=4)
        return builder.ctpop(wanted)

    return signature, codegen
