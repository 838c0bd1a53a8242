"""The factor of a stiffness matrix: LDLᵀ by dense blocks along the tree of `dissection` (the multifrontal method).

The matrix is Σ D c cᵀ over links, with c at one disc and -c at the other, plus a diagonal. Every node assembles its
links and what its children have left, eliminates its own discs and leaves the rest for its parent.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from engine.jamming.dissection import Elimination
from engine.jamming.neighbours import Floats, Ints
from engine.kernels import fused, kernel

SMALLEST_PIVOT = 1e-300  # below it the unknown stays zero
_SLICE = 1e8  # multiplications and additions


class Factor:
    """The factor of one pattern of links, for one set of weights after the other.

    tree : the elimination; direction : (m, d), the links' c. Unknowns are (N d,) by place.
    """

    def __init__(self, tree: Elimination, direction: Floats) -> None:
        d = direction.shape[1]
        self.tree, self.direction = tree, direction
        self._factor = np.empty(int(tree.entries[-1]) * d * d)
        self._pivot = np.empty(len(tree.order) * d)
        self._front = np.empty((tree.widest * d) ** 2)
        self._stack = np.empty(tree.stack * d * d)
        # nodes in slices of some 0.05 s, between which one can stop
        size, own = np.diff(tree.rows_start) * d, np.diff(tree.pivots) * d
        share = np.cumsum(own.astype(np.float64) * size * size) // _SLICE
        cuts = np.flatnonzero(np.diff(share)) + 1
        self._slices = [int(cut) for cut in (0, *cuts, len(size))]

    def factorise(self, weight: Floats, diagonal: Floats, stop: Callable[[], bool] = lambda: False) -> bool:
        """Factorise Σ weight c cᵀ + diagonal, (m,) and (N d,); False, and no factor, where `stop` says so."""
        top = 0
        for first, last in pairwise(self._slices):
            if stop():
                return False
            top = _factorise(
                self.tree, self.direction, weight, diagonal, first, last, top,
                self._front, self._stack, self._factor, self._pivot,
            )  # fmt: skip
        return True

    def solve(self, x: Floats) -> Floats:
        """Solve in place: x (N d,) becomes the solution, and is returned."""
        _solve(self.tree, self._factor, self._pivot, x)
        return x


@kernel
def _factorise(
    tree: Elimination,
    direction: Floats,
    weight: Floats,
    diagonal: Floats,
    first: int,
    last: int,
    top: int,
    front: Floats,
    stack: Floats,
    factor: Floats,
    pivot: Floats,
) -> int:
    """Nodes `first` to `last`; fills their part of `factor` (flat) and `pivot` (N d,), the inverses of D.

    The factor of a node is L transposed: for each of its unknowns a row over all unknowns of the node. What waits for
    parents fills `stack` up to `top`, which is returned.
    """
    d = direction.shape[1]
    for t in range(first, last):
        begin, end = tree.pivots[t], tree.pivots[t + 1]
        own = (end - begin) * d
        size = (tree.rows_start[t + 1] - tree.rows_start[t]) * d
        f = front[: size * size].reshape(size, size)
        f[:] = 0.0
        for k in range(own):
            f[k, k] = diagonal[begin * d + k]
        for q in range(tree.links_start[t], tree.links_start[t + 1]):
            k = tree.links[q]
            _assemble(f, direction[k], weight[k], tree.one[k] * d, tree.other[k] * d, d)
        for side in range(1, -1, -1):
            child = tree.children[t, side]
            if child >= 0:
                into = tree.into[tree.into_start[child] : tree.into_start[child + 1]]
                below = len(into) * d
                top -= below * below
                _extend(f, stack[top : top + below * below].reshape(below, below), into, d)
        _eliminate(f, own, pivot[begin * d : end * d])
        at = tree.entries[t] * d * d
        factor[at : at + own * size] = front[: own * size]
        below = size - own
        rest = stack[top : top + below * below].reshape(below, below)
        for a in range(below):
            rest[a, a:] = f[own + a, own + a :]
        top += below * below
    return top


@kernel
def _assemble(f: Floats, c: Floats, weight: float, one: int, other: int, d: int) -> None:
    """Adds one link to the upper triangle."""
    for a in range(d):
        for b in range(d):
            value = weight * c[a] * c[b]
            if b >= a:
                f[one + a, one + b] += value
                if other >= 0:
                    f[other + a, other + b] += value
            if other >= 0:
                if one < other:
                    f[one + a, other + b] -= value
                else:
                    f[other + a, one + b] -= value


@kernel
def _extend(f: Floats, rest: Floats, into: Ints, d: int) -> None:
    """Adds what a child has left; its rows keep their order in the parent."""
    for a in range(len(into)):
        for x in range(d):
            row = into[a] * d + x
            for b in range(a, len(into)):
                column = into[b] * d
                for y in range(x if a == b else 0, d):
                    f[row, column + y] += rest[a * d + x, b * d + y]


@fused
def _eliminate(f: Floats, own: int, inverse: Floats) -> None:
    """Eliminates the first `own` unknowns of the upper triangle, four at a time; their rows become rows of Lᵀ."""
    size = f.shape[0]
    k = 0
    while k < own:
        last = min(k + 4, own)
        for p in range(k, last):
            for q in range(k, p):
                x = f[q, p] * inverse[q]
                for b in range(p, size):
                    f[p, b] -= x * f[q, b]
            inverse[p] = 1.0 / f[p, p] if f[p, p] > SMALLEST_PIVOT else 0.0
        if last - k == 4:
            p0, p1, p2, p3 = f[k], f[k + 1], f[k + 2], f[k + 3]
            i0, i1, i2, i3 = inverse[k], inverse[k + 1], inverse[k + 2], inverse[k + 3]
            a = last
            while a + 3 < size:  # four rows at a time: each pivot row is read once for all of them
                r0, r1, r2, r3 = f[a], f[a + 1], f[a + 2], f[a + 3]
                w0, w1, w2, w3 = p0[a] * i0, p1[a] * i1, p2[a] * i2, p3[a] * i3
                x0, x1, x2, x3 = p0[a + 1] * i0, p1[a + 1] * i1, p2[a + 1] * i2, p3[a + 1] * i3
                y0, y1, y2, y3 = p0[a + 2] * i0, p1[a + 2] * i1, p2[a + 2] * i2, p3[a + 2] * i3
                z0, z1, z2, z3 = p0[a + 3] * i0, p1[a + 3] * i1, p2[a + 3] * i2, p3[a + 3] * i3
                for b in range(a, size):  # below the diagonal nothing is read
                    q0, q1, q2, q3 = p0[b], p1[b], p2[b], p3[b]
                    r0[b] -= w0 * q0 + w1 * q1 + w2 * q2 + w3 * q3
                    r1[b] -= x0 * q0 + x1 * q1 + x2 * q2 + x3 * q3
                    r2[b] -= y0 * q0 + y1 * q1 + y2 * q2 + y3 * q3
                    r3[b] -= z0 * q0 + z1 * q1 + z2 * q2 + z3 * q3
                a += 4
            while a < size:
                w0, w1, w2, w3 = p0[a] * i0, p1[a] * i1, p2[a] * i2, p3[a] * i3
                r0 = f[a]
                for b in range(a, size):
                    r0[b] -= w0 * p0[b] + w1 * p1[b] + w2 * p2[b] + w3 * p3[b]
                a += 1
        else:
            for p in range(k, last):
                for a in range(last, size):
                    x = f[p, a] * inverse[p]
                    for b in range(a, size):
                        f[a, b] -= x * f[p, b]
        k = last
    for p in range(own):
        for b in range(p + 1, size):
            f[p, b] *= inverse[p]


@fused
def _solve(tree: Elimination, factor: Floats, pivot: Floats, x: Floats) -> None:
    nodes = len(tree.children)
    d = len(pivot) // max(len(tree.order), 1)
    local = np.empty(tree.widest * d)
    for t in range(nodes):
        size, own, rows, at = _node(tree, t, d)
        for r in range(size // d):
            for a in range(d):
                local[r * d + a] = x[rows[r] * d + a]
        for p in range(own):
            row = factor[at + p * size : at + (p + 1) * size]
            value = local[p]
            for b in range(p + 1, size):
                local[b] -= row[b] * value
        for r in range(size // d):
            for a in range(d):
                x[rows[r] * d + a] = local[r * d + a]
    for k in range(len(pivot)):
        x[k] *= pivot[k]
    for t in range(nodes - 1, -1, -1):
        size, own, rows, at = _node(tree, t, d)
        for r in range(size // d):
            for a in range(d):
                local[r * d + a] = x[rows[r] * d + a]
        for p in range(own - 1, -1, -1):
            row = factor[at + p * size : at + (p + 1) * size]
            s0 = s1 = s2 = s3 = 0.0
            b = p + 1
            while b + 3 < size:
                s0 += row[b] * local[b]
                s1 += row[b + 1] * local[b + 1]
                s2 += row[b + 2] * local[b + 2]
                s3 += row[b + 3] * local[b + 3]
                b += 4
            while b < size:
                s0 += row[b] * local[b]
                b += 1
            local[p] -= (s0 + s1) + (s2 + s3)
        for p in range(own):
            x[tree.pivots[t] * d + p] = local[p]


@kernel
def _node(tree: Elimination, t: int, d: int) -> tuple[int, int, Ints, int]:
    """Unknowns of a node, its own, its rows, and where its factor begins."""
    rows = tree.rows[tree.rows_start[t] : tree.rows_start[t + 1]]
    return len(rows) * d, (tree.pivots[t + 1] - tree.pivots[t]) * d, rows, tree.entries[t] * d * d
