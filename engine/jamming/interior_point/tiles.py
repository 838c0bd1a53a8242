"""Two instructions that numba has no words for: addresses into a matrix, and products of blocks in registers.

numba compiles loops over the rows of a matrix to vector instructions too, but each pass reads and writes every number
again. Here a tile of the result stays in the registers while all products that belong to it are subtracted.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

TALL, WIDE = 4, 8  # rows and columns of a tile: eight vectors of four numbers, which all processors have room for
_LANES = 4  # numbers in a vector


@intrinsic
def beyond(typing_context: Any, address: Any, count: Any) -> Any:
    """The address `count` elements beyond `address`, a pointer."""
    signature = address(address, count)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return signature, codegen


def _subtraction(tall: int) -> Any:
    """The instruction that subtracts products from a tile with so many rows."""

    @intrinsic
    def subtract_products(typing_context: Any, tile: Any, left: Any, right: Any, stride: Any, depth: Any) -> Any:
        signature = types.void(tile, left, right, stride, depth)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            _emit(builder, tall, *args)
            return context.get_dummy_value()

        return signature, codegen

    return subtract_products


def _emit(builder: Any, tall: int, tile: Any, left: Any, right: Any, stride: Any, depth: Any) -> None:
    """Write the loop over `depth` products in LLVM's language."""
    number, index = ir.DoubleType(), ir.IntType(64)
    vector, places = ir.VectorType(number, _LANES), ir.VectorType(ir.IntType(32), _LANES)
    function = ir.FunctionType(vector, [vector] * 3)
    fma = cgutils.get_or_insert_function(builder.module, function, f"llvm.fma.v{_LANES}f64")
    unset = ir.Constant(vector, ir.Undefined)

    def address(base: Any, offset: Any) -> Any:
        return builder.bitcast(builder.gep(base, [offset]), vector.as_pointer())

    def load(place: Any) -> Any:
        loaded = builder.load(place)
        loaded.align = 8
        return loaded

    columns = [ir.Constant(index, column) for column in range(0, WIDE, _LANES)]
    rows = [builder.mul(stride, ir.Constant(index, row)) for row in range(tall)]
    targets = [[address(tile, builder.add(row, column)) for column in columns] for row in rows]
    sums = [[cgutils.alloca_once_value(builder, load(place)) for place in line] for line in targets]
    with cgutils.for_range(builder, depth) as loop:
        line = builder.mul(loop.index, stride)
        factors = [load(address(right, builder.add(line, column))) for column in columns]
        for row in range(tall):
            weight = builder.load(builder.gep(left, [builder.add(line, ir.Constant(index, row))]))
            weight = builder.fsub(ir.Constant(number, 0.0), weight)
            weight = builder.insert_element(unset, weight, ir.Constant(ir.IntType(32), 0))
            weight = builder.shuffle_vector(weight, unset, ir.Constant(places, [0] * _LANES))
            for factor, total in zip(factors, sums[row], strict=True):
                builder.store(builder.call(fma, [weight, factor, builder.load(total)]), total)
    for line, totals in zip(targets, sums, strict=True):
        for place, total in zip(line, totals, strict=True):
            builder.store(builder.load(total), place).align = 8


subtract_tall = _subtraction(TALL)
"""tile[r, c] -= Σ_k left[k, r] right[k, c] for TALL rows, WIDE columns, k below `depth`.

All three are pointers into matrices whose rows are `stride` numbers apart.
"""

subtract_row = _subtraction(1)
"""The same for one row."""
