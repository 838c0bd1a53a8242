"""Time of impact of two rigid, translating trees of discs: one walk down both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.box_tree import CHILD
from engine.geometry.swept import box_entry, disc_impact, reciprocal
from engine.kernels import inner


@inner
def tree_impact(
    nf: NDArray[np.float32],
    ni: NDArray[np.int32],
    disc: NDArray[np.float64],
    stack: NDArray[np.int32],
    times: NDArray[np.float64],
    a: int,
    b: int,
    dx: float,
    dy: float,
    ux: float,
    uy: float,
    w: float,
    limit: float,
) -> tuple[float, int, int, int, int]:
    """First impact of the trees at nodes `a` and `b` before `limit`.

    (dx, dy), (ux, uy): origin and velocity of b's frame relative to a's; `w` as in `swept`.
    Returns (time or inf, disc of a, disc of b, pairs of nodes visited, pairs of discs tested). Pairs of nodes are
    taken nearest in time first and dropped when they cannot meet before the best time so far.
    Scratch: stack (K, 2) int32, times (K,), K at least the depth of both trees.
    """
    if ux == 0.0 and uy == 0.0 and w == 0.0:
        return np.inf, -1, -1, 0, 0
    qxl = ux - w
    qxh = ux + w
    qyl = uy - w
    qyh = uy + w
    ixl = reciprocal(qxl)
    ixh = reciprocal(qxh)
    iyl = reciprocal(qyl)
    iyh = reciprocal(qyh)
    best = limit
    bi = -1
    bj = -1
    visits = 0
    tests = 0
    enter, leave = box_entry(
        nf[b, 0] + dx - nf[a, 2], nf[b, 2] + dx - nf[a, 0], nf[b, 1] + dy - nf[a, 3], nf[b, 3] + dy - nf[a, 1],
        qxl, qxh, qyl, qyh, ixl, ixh, iyl, iyh,
    )  # fmt: skip
    if enter > leave or enter >= best:
        return np.inf, -1, -1, 1, 0
    top = 0
    stack[0, 0] = a
    stack[0, 1] = b
    times[0] = enter
    while top >= 0:
        if times[top] >= best:
            top -= 1
            continue
        a = stack[top, 0]
        b = stack[top, 1]
        top -= 1
        visits += 1
        ca = ni[a, CHILD]
        cb = ni[b, CHILD]
        if ca < 0 and cb < 0:
            i = ~ca
            j = ~cb
            tests += 1
            t = disc_impact(
                disc[j, 0] + dx - disc[i, 0],
                disc[j, 1] + dy - disc[i, 1],
                ux,
                uy,
                disc[i, 2] + disc[j, 2],
                w,
            )
            if t < best:
                best = t
                bi = i
                bj = j
            continue
        if ca < 0 or (
            cb >= 0 and nf[b, 2] - nf[b, 0] + nf[b, 3] - nf[b, 1] > nf[a, 2] - nf[a, 0] + nf[a, 3] - nf[a, 1]
        ):
            a0 = a1 = a
            b0 = cb
            b1 = cb + 1
        else:
            b0 = b1 = b
            a0 = ca
            a1 = ca + 1
        e0, l0 = box_entry(
            nf[b0, 0] + dx - nf[a0, 2], nf[b0, 2] + dx - nf[a0, 0],
            nf[b0, 1] + dy - nf[a0, 3], nf[b0, 3] + dy - nf[a0, 1],
            qxl, qxh, qyl, qyh, ixl, ixh, iyl, iyh,
        )  # fmt: skip
        e1, l1 = box_entry(
            nf[b1, 0] + dx - nf[a1, 2], nf[b1, 2] + dx - nf[a1, 0],
            nf[b1, 1] + dy - nf[a1, 3], nf[b1, 3] + dy - nf[a1, 1],
            qxl, qxh, qyl, qyh, ixl, ixh, iyl, iyh,
        )  # fmt: skip
        meet0 = e0 <= l0 and e0 < best
        meet1 = e1 <= l1 and e1 < best
        if meet0 and meet1 and e0 < e1:
            # the nearer one goes on top
            a0, a1 = a1, a0
            b0, b1 = b1, b0
            e0, e1 = e1, e0
        if meet0 or meet1:
            if meet0:
                top += 1
                stack[top, 0] = a0
                stack[top, 1] = b0
                times[top] = e0
            if meet1:
                top += 1
                stack[top, 0] = a1
                stack[top, 1] = b1
                times[top] = e1
    if bi < 0:
        return np.inf, -1, -1, visits, tests
    return best, bi, bj, visits, tests
