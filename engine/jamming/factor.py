"""The factor of a stiffness matrix: LDLᵀ by dense blocks along the tree of `dissection` (the multifrontal method).

The matrix is Σ D c cᵀ over links, with c at one disc and -c at the other, plus a diagonal. Every node assembles its
links and what its children have left, eliminates its own discs and leaves the rest for its parent.
"""

from __future__ import annotations

import numpy as np

from engine.jamming.dissection import Elimination
from engine.jamming.neighbours import Floats
from engine.kernels import kernel

SMALLEST_PIVOT = 1e-300  # below it the unknown stays zero


@kernel
def factorise(
    tree: Elimination, direction: Floats, weight: Floats, diagonal: Floats, factor: Floats, pivot: Floats
) -> None:
    """Fill `factor` (flat) and `pivot` (N d,), the inverses of D.

    direction : (m, d), c; weight : (m,); diagonal : (N d,), both by place. The factor of node t is L transposed: for
    each of its unknowns a row over all unknowns of the node.
    """
    d = direction.shape[1]
    wide = tree.widest * d
    front = np.empty(wide * wide)
    stack = np.empty(tree.stack * d * d)
    top = 0
    for t in range(len(tree.children)):
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
def _extend(f: Floats, rest: Floats, into: Floats, d: int) -> None:
    """Adds what a child has left; its rows keep their order in the parent."""
    for a in range(len(into)):
        for x in range(d):
            row = into[a] * d + x
            for b in range(a, len(into)):
                column = into[b] * d
                for y in range(x if a == b else 0, d):
                    f[row, column + y] += rest[a * d + x, b * d + y]


@kernel
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
            for a in range(last, size):
                x0, x1, x2, x3 = p0[a] * inverse[k], p1[a] * inverse[k + 1], p2[a] * inverse[k + 2], p3[a] * inverse[k + 3]
                row = f[a]
                for b in range(a, size):
                    row[b] -= x0 * p0[b] + x1 * p1[b] + x2 * p2[b] + x3 * p3[b]
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


@kernel
def solve(tree: Elimination, factor: Floats, pivot: Floats, x: Floats) -> None:
    """Solve in place: x (N d,), by place, becomes the solution."""
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
def _node(tree: Elimination, t: int, d: int) -> tuple[int, int, Floats, int]:
    """Unknowns of a node, its own, its rows, and where its factor begins."""
    rows = tree.rows[tree.rows_start[t] : tree.rows_start[t + 1]]
    return len(rows) * d, (tree.pivots[t + 1] - tree.pivots[t]) * d, rows, tree.entries[t] * d * d
