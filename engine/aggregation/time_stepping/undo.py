"""Taking clusters back in time, to their first contact, where a minimisation cannot bring them together.

Large steps let discs pass through each other, and then some links have no place at which all of them are at contact
(four discs that all overlap each other; a disc caught between two of a rigid cluster). Such a group is undone: every
cluster that new links join, directly or through others, goes back to where its free flight was when the first of
these links came to contact. Shapes are those of the last whole step. That link stays, the others are no contacts and
are dropped; the next step finds what comes together later.
"""

from __future__ import annotations

import numpy as np

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import group_arrays as ga
from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.flight import fold, image
from engine.aggregation.time_stepping.groups import close_group, displace, gather_clusters
from engine.aggregation.time_stepping.links import MOST_ROUNDS, overlap
from engine.aggregation.time_stepping.motion import extent
from engine.kernels import inner

SAMPLES = 32  # moments of the step that are looked at for the first overlap
BISECTIONS = 40
FARTHEST = 4.0  # in largest radii: clusters that fly farther in a step are not taken back, the grid would be too coarse


@inner
def can_undo(st: Stepping) -> bool:
    """Whether flights of this step may still be undone: not without end, and not from too far."""
    far = st.sf[ts.V_MAX] * st.sf[ts.DT] > FARTHEST * st.sf[ts.R_MAX]
    return not far and st.si[ts.STEP_ROUNDS] < MOST_ROUNDS


@inner
def measure(st: Stepping, k: int) -> None:
    """Note the extent of cluster k of the group at the last whole step, in the columns of its limits."""
    x0, x1, y0, y1, _ = extent(st, st.pos[st.si[ts.WHICH]], st.member[k])
    st.body[k, ga.X_LOW] = x0
    st.body[k, ga.X_HIGH] = x1
    st.body[k, ga.Y_LOW] = y0
    st.body[k, ga.Y_HIGH] = y1


@inner
def fly_group(st: Stepping, dt: float) -> float:
    """Displacements of the clusters of the group, of the last whole step, by a flight of length `dt`, walls included.

    Returns the largest overlap φ / s that the links of the group have there.
    """
    body = st.body
    for k in range(st.gi[ga.BODIES]):
        c = st.member[k]
        vx = st.motion[c, ts.VX]
        vy = st.motion[c, ts.VY]
        sx = vx * dt
        sy = vy * dt
        if not st.si[ts.PERIODIC]:
            fx, vx = fold(body[k, ga.X_LOW] + sx, body[k, ga.X_HIGH] + sx, st.sf[ts.LX], vx)
            fy, vy = fold(body[k, ga.Y_LOW] + sy, body[k, ga.Y_HIGH] + sy, st.sf[ts.LY], vy)
            sx += fx
            sy += fy
            if st.mark[c] >= 0:
                st.hit[st.mark[c], 0] = vx
                st.hit[st.mark[c], 1] = vy
        body[k, ga.DX] = sx
        body[k, ga.DY] = sy
    pos = st.pos[st.si[ts.WHICH]]
    deepest = -np.inf
    for k in range(st.gi[ga.LINKS]):
        a = st.li[k, ga.BODY_A]
        b = st.li[k, ga.BODY_B]
        i = st.pool[st.li[k, ga.TAG], ts.LINK_I]
        j = st.pool[st.li[k, ga.TAG], ts.LINK_J]
        dx = pos[i, 0] + body[a, ga.DX] - pos[j, 0] - body[b, ga.DX]
        dy = pos[i, 1] + body[a, ga.DY] - pos[j, 1] - body[b, ga.DY]
        if st.si[ts.PERIODIC]:
            dx = image(dx, st.sf[ts.LX])
            dy = image(dy, st.sf[ts.LY])
        st.lf[k, ga.PHI] = (st.lf[k, ga.SIGMA2] - dx * dx - dy * dy) * st.lf[k, ga.PER_S]
        deepest = max(deepest, st.lf[k, ga.PHI])
    return float(deepest)


@inner
def fly_to_first_contact(st: Stepping) -> None:
    """Displacements at the first moment of the step at which a link of the group overlaps, to within rounding."""
    dt = st.sf[ts.DT]
    early = 0.0
    late = 0.0
    if fly_group(st, 0.0) <= 0.0:
        late = dt
        for sample in range(1, SAMPLES + 1):
            now = dt * sample / SAMPLES
            if fly_group(st, now) > 0.0:
                late = now
                break
            early = now
        if early < late:
            for _ in range(BISECTIONS):
                middle = 0.5 * (early + late)
                if fly_group(st, middle) > 0.0:
                    late = middle
                else:
                    early = middle
    fly_group(st, late)


@inner
def settle_links(st: Stepping) -> None:
    """Links of the clusters that were taken back: new ones hold where they are at contact, older ones hold again."""
    tolerance = st.gf[ga.TOLERANCE]
    for k in range(st.si[ts.INSERTED]):
        i = st.fresh[k, ts.FRESH_I]
        j = st.fresh[k, ts.FRESH_J]
        if st.place[st.label[i]] >= 0 and st.place[st.label[j]] >= 0 and overlap(st, i, j) < -tolerance:
            st.pool[st.fresh[k, ts.FRESH_ROW], ts.SLACK] = 1
    for k in range(st.gi[ga.BODIES]):
        c = st.member[k]
        i = c
        while True:
            row = st.head[i]
            while row >= 0:
                first = st.pool[row, ts.LINK_I] == i
                j = st.pool[row, ts.LINK_J] if first else st.pool[row, ts.LINK_I]
                if st.pool[row, ts.SLACK] and st.label[j] == c and abs(overlap(st, i, j)) <= tolerance:
                    st.pool[row, ts.SLACK] = 0
                row = st.pool[row, ts.NEXT_I] if first else st.pool[row, ts.NEXT_J]
            i = st.ring[i]
            if i == c:
                break


@inner
def undo(st: Stepping, i: int) -> None:
    """Take back the flight of all clusters that new links join to the one of disc i; they become the group.

    Where they are then, they may overlap others: all of their discs have to be looked at.
    """
    close_group(st)
    gather_clusters(st, st.label[i])
    for k in range(st.gi[ga.BODIES]):
        measure(st, k)
    fly_to_first_contact(st)
    before = st.pos[st.si[ts.WHICH]]
    now = st.pos[1 - st.si[ts.WHICH]]
    for k in range(st.gi[ga.BODIES]):
        c = st.member[k]
        j = c
        while True:
            dx = before[j, 0] + st.body[k, ga.DX] - now[j, 0]
            dy = before[j, 1] + st.body[k, ga.DY] - now[j, 1]
            if st.si[ts.PERIODIC]:
                dx = image(dx, st.sf[ts.LX])
                dy = image(dy, st.sf[ts.LY])
            displace(st, j, dx, dy)
            st.si[ts.WORK] += 1
            j = st.ring[j]
            if j == c:
                break
    settle_links(st)
