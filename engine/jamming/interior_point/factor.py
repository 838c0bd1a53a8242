"""The factor of a stiffness matrix: LDLᵀ by dense blocks along the tree of `nested_dissection` (multifrontal method).

The matrix is Σ D c cᵀ over links, with c at one disc and -c at the other, plus a diagonal. Links may have a tension T
as well: -T times the unit matrix in the same places; the matrix need not be positive definite then. Every node of the
tree assembles its links and what its children have left, eliminates its own discs and leaves the rest for its parent.

Two instructions that numba has no words for are at the end: addresses into a matrix, and products of blocks in
registers. numba compiles loops over the rows of a matrix to vector instructions too, but each pass reads and writes
every number again. Here a tile of the result stays in the registers while all products that belong to it are
subtracted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from engine.arrays import Floats, Longs
from engine.jamming.interior_point.nested_dissection import Elimination
from engine.kernels import fused, inlined, pointer
from engine.records import record

SMALLEST_PIVOT = 1e-300  # below it the unknown stays zero
_SLICE = 2e8  # multiplications and additions between two questions whether to stop: some 0.05 s
_DEPTH = 48  # pivots that are eliminated together: what fits into the fastest memory


REACHED = record("i8 node pivot stack wrong")
"""How far a factorisation has come: the node that is eliminated, the first of its pivots that is left, and how much of
the stack is in use, and how many pivots were not above zero."""

_NONE: Floats = np.zeros(0)


class Factor:
    """The factor of one pattern of links, for any number of weights. Unknowns are (N d,), in the order of elimination.

    Parameters
    ----------
    tree : the elimination.
    direction : (m, d), the vectors c of the links; they may change between two factorisations.

    Attributes
    ----------
    positive : whether the last matrix was positive definite.
    """

    def __init__(self, tree: Elimination, direction: Floats) -> None:
        d = direction.shape[1]
        self.tree, self.direction = tree, direction
        size, own = np.diff(tree.rows_start) * d, np.diff(tree.pivots) * d
        # tiles reach beyond the last row and column
        self._strides: Longs = (size + (TALL - 1) + (WIDE - 1)) // WIDE * WIDE
        self._starts: Longs = np.concatenate(([0], np.cumsum(own * self._strides)))
        self._factor = np.empty(int(self._starts[-1]))
        self._pivot = np.empty(len(tree.order) * d)
        widest = int(self._strides.max(initial=0))
        self._front = np.empty(widest * widest)
        self._stack = np.empty(tree.stack * d * d)
        self.positive = True

    def factorise(
        self, weight: Floats, diagonal: Floats, stop: Callable[[], bool] = lambda: False, tension: Floats = _NONE
    ) -> bool:
        """Factorise Σ (weight c cᵀ - tension 1) + diagonal, (m,), (m,) and (N d,); without `tension` there is none.

        False if `stop` says so; then there is no factor. With tension the work ends where the matrix is not `positive`,
        and there is none either.
        """
        reached = np.zeros(1, REACHED)[0]
        while reached["node"] < len(self._strides):
            if stop():
                return False
            _factorise(
                self.tree, self._starts, self._strides, self.direction, weight, tension, diagonal, reached,
                self._front, self._stack, self._factor, self._pivot,
            )  # fmt: skip
            if len(tension) and reached["wrong"]:
                break
        self.positive = not reached["wrong"]
        return True

    def solve(self, x: Floats) -> Floats:
        """Solve in place: x (N d,), or (k, N d) for k right sides, becomes the solution, and is returned.

        Two right sides together take little longer than one: the time is that of reading the factor.
        """
        _solve(self.tree, self._starts, self._strides, self._factor, self._pivot, x.reshape(-1, x.shape[-1]))
        return x


@fused
def _factorise(
    tree: Elimination,
    starts: Longs,
    strides: Longs,
    direction: Floats,
    weight: Floats,
    tension: Floats,
    diagonal: Floats,
    reached: Any,
    front: Floats,
    stack: Floats,
    factor: Floats,
    pivot: Floats,
) -> None:
    """Do a slice of the work from `reached` on: fill a part of `factor` (flat) and `pivot` (N d,), the inverses of D.

    The factor of a node is L transposed: for each of its unknowns a row over all unknowns of the node. `front` is the
    matrix of the node that is being eliminated; `stack` holds what nodes have left, until their parents take it.
    """
    d = direction.shape[1]
    t, begin, top = reached.node, reached.pivot, reached.stack
    where = np.empty(tree.widest * d, np.int64)
    work = 0.0
    while t < len(strides) and work < _SLICE:
        own = (tree.pivots[t + 1] - tree.pivots[t]) * d
        size = (tree.rows_start[t + 1] - tree.rows_start[t]) * d
        f, stride, first = pointer(front), strides[t], tree.pivots[t] * d
        if begin == 0:
            front[: (size + TALL - 1) * stride] = 0.0
            for k in range(own):
                f[k * stride + k] = diagonal[first + k]
            for q in range(tree.links_start[t], tree.links_start[t + 1]):
                k = tree.links[q]
                _assemble(f, stride, direction, weight, tension, k, tree.one[k] * d, tree.other[k] * d)
            for side in range(1, -1, -1):
                if tree.children[t, side] >= 0:
                    top = _extend(tree, tree.children[t, side], d, f, stride, stack, top, where)
        rows, inverse = beyond(pointer(factor), starts[t]), beyond(pointer(pivot), first)
        while begin < own and work < _SLICE:
            end = min(begin + _DEPTH, own)
            reached.wrong += _eliminate(f, rows, stride, size, begin, end, inverse)
            work += (end - begin) * float(size - begin) ** 2
            begin = end
        if begin < own:
            break
        below = size - own
        for a in range(below):
            row, line = (own + a) * stride + own, top + a * below
            for b in range(a, below):
                stack[line + b] = f[row + b]
        top += below * below
        t, begin = t + 1, 0
    reached.node, reached.pivot, reached.stack = t, begin, top


@inlined
def _extend(tree: Elimination, child: int, d: int, f: Any, stride: int, stack: Floats, top: int, where: Longs) -> int:
    """Add what a child has left, the last block on the stack; return how much of the stack is in use then."""
    into = tree.into_start[child]
    below = (tree.into_start[child + 1] - into) * d
    for a in range(below):
        where[a] = tree.into[into + a // d] * d + a % d
    top -= below * below
    for a in range(below):  # rows keep their order in the parent
        row, line = where[a] * stride, top + a * below
        for b in range(a, below):
            f[row + where[b]] += stack[line + b]
    return top


@inlined
def _assemble(
    f: Any, stride: int, direction: Floats, weight: Floats, tension: Floats, k: int, one: int, other: int
) -> None:
    """Add link k to the upper triangle of f."""
    d = direction.shape[1]
    for a in range(d):
        for b in range(d):
            value = weight[k] * direction[k, a] * direction[k, b]
            if a == b and len(tension) > 0:
                value -= tension[k]
            if b >= a:
                f[(one + a) * stride + one + b] += value
                if other >= 0:
                    f[(other + a) * stride + other + b] += value
            if other >= 0:
                if one < other:
                    f[(one + a) * stride + other + b] -= value
                else:
                    f[(other + a) * stride + one + b] -= value


@fused
def _eliminate(f: Any, rows: Any, stride: int, size: int, begin: int, end: int, inverse: Any) -> int:
    """Eliminate unknowns `begin` to `end` of f, an upper triangle of `size`; what is below its diagonal is not read.
    Returns how many pivots were not above zero.

    f, rows, inverse : pointers; these `rows` of Lᵀ (own, stride) and the inverses of their pivots (own,) are filled.
    """
    wrong = 0
    for k in range(begin, end, TALL):
        last = min(k + TALL, end)
        left, right, depth = begin * stride + k, begin * stride, k - begin
        for b in range(k // WIDE * WIDE, size, WIDE):
            if last - k == TALL:
                subtract_tall(beyond(f, k * stride + b), beyond(rows, left), beyond(f, right + b), stride, depth)
            else:  # the rows after `last` wait for all pivots up to `end`
                for p in range(k, last):
                    subtract_row(
                        beyond(f, p * stride + b), beyond(rows, left + p - k), beyond(f, right + b), stride, depth
                    )
        for p in range(k, last):
            line = beyond(f, p * stride)
            for q in range(k, p):
                x, above = rows[q * stride + p], beyond(f, q * stride)
                for b in range(p // WIDE * WIDE, stride):
                    line[b] -= x * above[b]
            x, row = 1.0 / line[p] if line[p] > SMALLEST_PIVOT else 0.0, beyond(rows, p * stride)
            wrong += x == 0.0
            inverse[p] = x
            for b in range(p // WIDE * WIDE, stride):
                row[b] = x * line[b]
    for a in range(end, size, TALL):
        for b in range(a // WIDE * WIDE, size, WIDE):
            subtract_tall(
                beyond(f, a * stride + b), beyond(rows, begin * stride + a), beyond(f, begin * stride + b),
                stride, end - begin,
            )  # fmt: skip
    return wrong


@fused
def _solve(tree: Elimination, starts: Longs, strides: Longs, factor: Floats, pivot: Floats, x: Floats) -> None:
    """Solve for the right sides x (k, N d), in place."""
    nodes, sides = len(tree.children), len(x)
    d = len(pivot) // max(len(tree.order), 1)
    local = np.empty((sides, tree.widest * d))
    for t in range(nodes):
        own, size = _load(tree, t, d, x, local)
        _forward(beyond(pointer(factor), starts[t]), strides[t], own, size, local)
        for r in range(size // d):
            for side in range(sides):
                for a in range(d):
                    x[side, tree.rows[tree.rows_start[t] + r] * d + a] = local[side, r * d + a]
    for side in range(sides):
        for k in range(len(pivot)):
            x[side, k] *= pivot[k]
    for t in range(nodes - 1, -1, -1):
        own, size = _load(tree, t, d, x, local)
        _backward(beyond(pointer(factor), starts[t]), strides[t], own, size, local)
        for side in range(sides):
            for p in range(own):
                x[side, tree.pivots[t] * d + p] = local[side, p]


@inlined
def _load(tree: Elimination, t: int, d: int, x: Floats, local: Floats) -> tuple[int, int]:
    """Copy the unknowns of a node into `local`, by its rows; return how many are its own, and how many there are."""
    start, end = tree.rows_start[t], tree.rows_start[t + 1]
    for r in range(end - start):
        for side in range(len(x)):
            for a in range(d):
                local[side, r * d + a] = x[side, tree.rows[start + r] * d + a]
    return (tree.pivots[t + 1] - tree.pivots[t]) * d, (end - start) * d


@fused
def _forward(rows: Any, stride: int, own: int, size: int, x: Floats) -> None:
    """x = L⁻¹ x, four pivots at a time."""
    p = 0
    while p + 3 < own:
        r0, r1 = beyond(rows, p * stride), beyond(rows, (p + 1) * stride)
        r2, r3 = beyond(rows, (p + 2) * stride), beyond(rows, (p + 3) * stride)
        for side in range(len(x)):
            y = beyond(pointer(x), side * x.shape[1])
            x0 = y[p]
            x1 = y[p + 1] - r0[p + 1] * x0
            x2 = y[p + 2] - r0[p + 2] * x0 - r1[p + 2] * x1
            x3 = y[p + 3] - r0[p + 3] * x0 - r1[p + 3] * x1 - r2[p + 3] * x2
            y[p + 1], y[p + 2], y[p + 3] = x1, x2, x3
            for b in range(p + 4, size):
                y[b] -= (r0[b] * x0 + r1[b] * x1) + (r2[b] * x2 + r3[b] * x3)
        p += 4
    while p < own:
        row = beyond(rows, p * stride)
        for side in range(len(x)):
            y = beyond(pointer(x), side * x.shape[1])
            for b in range(p + 1, size):
                y[b] -= row[b] * y[p]
        p += 1


@fused
def _backward(rows: Any, stride: int, own: int, size: int, x: Floats) -> None:
    """x = L⁻ᵀ x for the node's own unknowns."""
    for p in range(own - 1, -1, -1):
        row = beyond(rows, p * stride)
        for side in range(len(x)):
            y = beyond(pointer(x), side * x.shape[1])
            total = 0.0
            for b in range(p + 1, size):
                total += row[b] * y[b]
            y[p] -= total


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
