"""Groups: the discs (or rigid clusters) that one minimisation moves, how they grow, and what they newly touch.

A group starts from one new link. Only discs near it do work: a disc joins, with all of its links, when a link from a
disc in the group to it is farther from contact than the tolerance; until then it stays where it is. The result is
that of the whole clusters to within the tolerance, because a disc whose links are all at contact has no force (λ =
1/2). Rigid clusters: the bodies are clusters, the links the new ones alone, and a group holds all clusters so joined.
What a group cannot bring to contact: see `stepping_undo`. Where that is not allowed and rigid clusters still overlap,
the group is done once more with discs as bodies.
"""

from __future__ import annotations

from math import floor

import numpy as np

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import arrow_hurwicz as ah
from engine.aggregation.time_stepping import group_arrays as ga
from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.arrow_hurwicz_step import pull
from engine.aggregation.time_stepping.links import between, touch
from engine.aggregation.time_stepping.motion import extent
from engine.kernels import inner


@inner
def add_body(st: Stepping, member: int) -> int:
    """A new body of the group, frozen and without limits; returns its number."""
    k = st.gi[ga.BODIES]
    st.gi[ga.BODIES] = k + 1
    st.member[k] = member
    st.place[member] = k
    for column in range(ga.BODY_COLUMNS):
        st.body[k, column] = 0.0
    st.body[k, ga.X_LOW] = st.body[k, ga.Y_LOW] = -np.inf
    st.body[k, ga.X_HIGH] = st.body[k, ga.Y_HIGH] = np.inf
    return int(k)


@inner
def set_limits(st: Stepping, k: int, x0: float, y0: float, x1: float, y1: float) -> None:
    """Keep a body that reaches from (x0, y0) to (x1, y1) between the walls."""
    if not st.si[ts.PERIODIC]:
        st.body[k, ga.X_LOW] = min(0.0, -x0)
        st.body[k, ga.Y_LOW] = min(0.0, -y0)
        st.body[k, ga.X_HIGH] = max(0.0, st.sf[ts.LX] - x1)
        st.body[k, ga.Y_HIGH] = max(0.0, st.sf[ts.LY] - y1)


@inner
def disc_body(st: Stepping, i: int) -> int:
    """The body of a disc, made where there is none yet."""
    k = st.place[i]
    if k >= 0:
        return int(k)
    k = add_body(st, i)
    pos = st.pos[1 - st.si[ts.WHICH]]
    r = st.radius[i]
    set_limits(st, k, pos[i, 0] - r, pos[i, 1] - r, pos[i, 0] + r, pos[i, 1] + r)
    st.body[k, ga.STRIDE] = ga.STRIDE_RADII * r
    return int(k)


@inner
def add_group_link(st: Stepping, a: int, b: int, i: int, j: int, row: int) -> int:
    """A link of the group, the pool's `row`, between discs i and j of bodies a and b, at λ = 1/2; returns its
    number."""
    k = st.gi[ga.LINKS]
    st.gi[ga.LINKS] = k + 1
    dx, dy = between(st, i, j)
    sigma2 = (st.radius[i] + st.radius[j]) ** 2
    st.lf[k, ga.BASE_X] = dx
    st.lf[k, ga.BASE_Y] = dy
    st.lf[k, ga.LAMBDA] = 0.5
    st.lf[k, ga.SIGMA2] = sigma2
    st.lf[k, ga.PER_S] = 4.0 / sigma2
    st.li[k, ga.BODY_A] = a
    st.li[k, ga.BODY_B] = b
    st.li[k, ga.TAG] = row
    return int(k)


@inner
def wake(st: Stepping, a: int, pulling: bool) -> None:
    """Let a frozen disc move: its links to discs that do not move yet are new to the group."""
    if st.body[a, ga.MOBILITY] > 0.0:
        return
    st.body[a, ga.MOBILITY] = 1.0
    i = st.member[a]
    gamma = st.gf[ga.GAMMA] * st.gf[ga.SCALE] if st.gi[ga.DAMPED] else 0.0
    k = st.head[i]
    pool = st.pool
    while k >= 0:
        first = pool[k, ts.LINK_I] == i
        j = pool[k, ts.LINK_J] if first else pool[k, ts.LINK_I]
        if not pool[k, ts.SLACK]:
            b = disc_body(st, j)
            if st.body[b, ga.MOBILITY] == 0.0:
                new = add_group_link(st, a, b, i, j, k)
                if pulling:
                    pull(st.body, st.lf, st.li, new, st.gf[ga.ALPHA] * st.gf[ga.SCALE], gamma)
        k = pool[k, ts.NEXT_I] if first else pool[k, ts.NEXT_J]
    st.si[ts.WORK] += 4


@inner
def gather_clusters(st: Stepping, seed: int) -> None:
    """All clusters joined to `seed` by new links, directly or through others, with these links."""
    add_body(st, seed)
    k = 0
    while k < st.gi[ga.BODIES]:
        c = st.member[k]
        e = st.chain[c]
        while e >= 0:
            i = st.fresh[e, ts.FRESH_I]
            j = st.fresh[e, ts.FRESH_J]
            row = st.fresh[e, ts.FRESH_ROW]
            first = st.label[i] == c
            other = st.label[j] if first else st.label[i]
            if not st.pool[row, ts.SLACK] and other != c:
                b = st.place[other]
                if b < 0:
                    b = add_body(st, other)
                # each link once, from the body that was met first
                if b > k:
                    add_group_link(st, k if first else b, b if first else k, i, j, row)
            e = st.fresh[e, ts.FRESH_NEXT_I] if first else st.fresh[e, ts.FRESH_NEXT_J]
        k += 1


@inner
def weigh_clusters(st: Stepping) -> None:
    """Limits, strides and mobilities of a group of whole clusters."""
    lightest = np.inf
    for k in range(st.gi[ga.BODIES]):
        lightest = min(lightest, st.motion[st.member[k], ts.MASS])
    pos = st.pos[1 - st.si[ts.WHICH]]
    for k in range(st.gi[ga.BODIES]):
        c = st.member[k]
        x0, x1, y0, y1, least = extent(st, pos, c)
        set_limits(st, k, x0, y0, x1, y1)
        st.body[k, ga.STRIDE] = ga.STRIDE_RADII * least
        st.body[k, ga.MOBILITY] = lightest / st.motion[c, ts.MASS]


@inner
def wake_listed(st: Stepping, pulling: bool) -> None:
    """Wake the discs that the last iteration asked for."""
    for k in range(st.gi[ga.WAKES]):
        wake(st, st.wake[k], pulling)
    st.gi[ga.WAKES] = 0


@inner
def seed_group(st: Stepping, i: int, j: int) -> None:
    """Start the group of the new link between discs i and j."""
    st.gi[ga.BODIES] = 0
    st.gi[ga.LINKS] = 0
    if st.si[ts.BY_CLUSTER]:
        gather_clusters(st, st.label[i])
        weigh_clusters(st)
        ah.begin(st.body, st.lf, st.li, st.wake, st.gi, st.gf)
    else:
        wake(st, disc_body(st, i), False)
        wake(st, disc_body(st, j), False)
        ah.begin(st.body, st.lf, st.li, st.wake, st.gi, st.gf)
        wake_listed(st, True)


@inner
def displace(st: Stepping, i: int, dx: float, dy: float) -> None:
    """Move a disc of the step under way, and remember how far it may be from its place on the grid."""
    pos = st.pos[1 - st.si[ts.WHICH]]
    x = pos[i, 0] + dx
    y = pos[i, 1] + dy
    if st.si[ts.PERIODIC]:
        x -= st.sf[ts.LX] * floor(x / st.sf[ts.LX])
        y -= st.sf[ts.LY] * floor(y / st.sf[ts.LY])
    pos[i, 0] = x
    pos[i, 1] = y
    if st.drift[i] == 0.0:
        st.moved[st.si[ts.MOVED]] = i
        st.si[ts.MOVED] += 1
    st.drift[i] += np.sqrt(dx * dx + dy * dy)
    st.sf[ts.DRIFT] = max(st.sf[ts.DRIFT], st.drift[i])


@inner
def apply_group(st: Stepping) -> None:
    """Move the discs to where the minimisation has put them."""
    for k in range(st.gi[ga.BODIES]):
        dx = st.body[k, ga.DX]
        dy = st.body[k, ga.DY]
        if dx == 0.0 and dy == 0.0:
            continue
        first = st.member[k]
        displace(st, first, dx, dy)
        if st.si[ts.BY_CLUSTER]:
            i = st.ring[first]
            while i != first:
                displace(st, i, dx, dy)
                i = st.ring[i]
                st.si[ts.WORK] += 1


@inner
def touch_group(st: Stepping, k: int, thoroughly: bool) -> bool:
    """New links of body k of the group. False where an array was too short: grow it and repeat.

    thoroughly : even if the body itself has not been displaced, its discs have.
    """
    dx = st.body[k, ga.DX]
    dy = st.body[k, ga.DY]
    # what moves less makes no overlap beyond the tolerance, and the next step looks at it in any case
    least = 0.02 * st.gf[ga.TOLERANCE] * st.body[k, ga.STRIDE] / ga.STRIDE_RADII
    if not thoroughly and dx * dx + dy * dy <= least * least:
        return True
    first = st.member[k]
    i = first
    while True:
        if not touch(st, i):
            return False
        if not st.si[ts.BY_CLUSTER]:
            return True
        i = st.ring[i]
        if i == first:
            return True


@inner
def close_group(st: Stepping) -> None:
    """Forget the bodies of the group."""
    for k in range(st.gi[ga.BODIES]):
        st.place[st.member[k]] = ts.NOWHERE
    st.gi[ga.BODIES] = 0
    st.gi[ga.LINKS] = 0
