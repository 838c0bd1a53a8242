"""Taking clusters back in time, to their first contact, where a minimisation cannot bring them together.

Large steps let discs pass through each other, and then some links have no place at which all of them are at contact
(four discs that all overlap each other; a disc caught between two of a rigid cluster). Such a group is undone: every
cluster that new links join, directly or through others, goes back to where its free flight was when the first of
these links came to contact. Shapes are those of the last whole step. That link stays, the others are no contacts and
are dropped; the next step finds what comes together later.
"""

from __future__ import annotations

import numpy as np

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.flight import fold, to_nearest_image
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
    far = st.sim[0].fastest * st.sim[0].dt > FARTHEST * st.sim[0].largest_radius
    return not far and st.sim[0].step_rounds < MOST_ROUNDS


@inner
def measure(st: Stepping, k: int) -> None:
    """Note the extent of cluster k of the group at the last whole step, where its limits stand."""
    x0, x1, y0, y1, _ = extent(st, st.pos[st.sim[0].which], st.member[k])
    body = st.bodies[k]
    body.x_low = x0
    body.x_high = x1
    body.y_low = y0
    body.y_high = y1


@inner
def fly_group(st: Stepping, dt: float) -> float:
    """Displacements of the clusters of the group, of the last whole step, by a flight of length `dt`, walls included.

    Returns the largest overlap φ / s that the links of the group have there.
    """
    bodies = st.bodies
    for k in range(st.group[0].bodies):
        c = st.member[k]
        vx = st.clusters[c].vx
        vy = st.clusters[c].vy
        sx = vx * dt
        sy = vy * dt
        if not st.sim[0].periodic:
            fx, vx = fold(bodies[k].x_low + sx, bodies[k].x_high + sx, st.sim[0].box_x, vx)
            fy, vy = fold(bodies[k].y_low + sy, bodies[k].y_high + sy, st.sim[0].box_y, vy)
            sx += fx
            sy += fy
            if st.mark[c] >= 0:
                st.hit[st.mark[c], 0] = vx
                st.hit[st.mark[c], 1] = vy
        bodies[k].dx = sx
        bodies[k].dy = sy
    pos = st.pos[st.sim[0].which]
    deepest = -np.inf
    for k in range(st.group[0].links):
        link = st.group_links[k]
        a = bodies[link.a]
        b = bodies[link.b]
        i = st.links[link.row].i
        j = st.links[link.row].j
        dx, dy = to_nearest_image(st, pos[i, 0] + a.dx - pos[j, 0] - b.dx, pos[i, 1] + a.dy - pos[j, 1] - b.dy)
        link.phi = (link.sigma2 - dx * dx - dy * dy) * link.per_s
        deepest = max(deepest, link.phi)
    return float(deepest)


@inner
def fly_to_first_contact(st: Stepping) -> None:
    """Displacements at the first moment of the step at which a link of the group overlaps, to within rounding."""
    dt = st.sim[0].dt
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
    tolerance = st.group[0].tolerance
    for k in range(st.sim[0].inserted):
        i = st.fresh[k].i
        j = st.fresh[k].j
        if st.place[st.label[i]] >= 0 and st.place[st.label[j]] >= 0 and overlap(st, i, j) < -tolerance:
            st.links[st.fresh[k].row].slack = 1
    for k in range(st.group[0].bodies):
        c = st.member[k]
        i = c
        while True:
            row = st.head[i]
            while row >= 0:
                first = st.links[row].i == i
                j = st.links[row].j if first else st.links[row].i
                if st.links[row].slack and st.label[j] == c and abs(overlap(st, i, j)) <= tolerance:
                    st.links[row].slack = 0
                row = st.links[row].next_i if first else st.links[row].next_j
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
    for k in range(st.group[0].bodies):
        measure(st, k)
    fly_to_first_contact(st)
    before = st.pos[st.sim[0].which]
    now = st.pos[1 - st.sim[0].which]
    for k in range(st.group[0].bodies):
        c = st.member[k]
        j = c
        while True:
            flown_x = before[j, 0] + st.bodies[k].dx
            flown_y = before[j, 1] + st.bodies[k].dy
            dx, dy = to_nearest_image(st, flown_x - now[j, 0], flown_y - now[j, 1])
            displace(st, j, dx, dy)
            st.sim[0].work += 1
            j = st.ring[j]
            if j == c:
                break
    settle_links(st)
