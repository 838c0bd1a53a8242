"""Groups: the discs (or rigid clusters) that one minimisation moves, how a group grows, and its new contacts.

A group starts from one new link and grows only as far as necessary: a disc is frozen at first, and is woken, with all
of its links added to the group, once a link to it is farther from contact than the tolerance. The result equals that
for the whole clusters to within the tolerance, because no force acts on a disc whose links are all at contact (λ =
1/2).

For rigid clusters, the bodies are the clusters, the links are only the new ones, and a group contains all clusters that
these join. If a group cannot bring its links to contact, see `undo`. If a flight must not be undone and rigid clusters
still overlap, the group is minimised again with discs as bodies.
"""

from __future__ import annotations

import numpy as np

from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping import arrow_hurwicz as ah
from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.time_stepping.arrow_hurwicz import (
    STRIDE_RADII,
    add_force_of_link,
    displacement,
    put_lower_limit,
    put_upper_limit,
    reset_body,
)
from engine.aggregation.time_stepping.calendar_arrays import Calendar
from engine.aggregation.time_stepping.flight import bring, bring_cluster, extent, position, walls_of
from engine.aggregation.time_stepping.links import link_contacts_of
from engine.aggregation.time_stepping.meeting import vector_between
from engine.geometry.minimum_image import folded, has_walls, periods_of
from engine.geometry.vectors import (
    Vector,
    box_sides,
    dot,
    every,
    greatest,
    is_zero,
    least,
    minus,
    plus,
    put_place,
    put_row,
)
from engine.kernels import inlined, inner


@inlined
def add_body(st: Stepping, member: int) -> int:
    """Add a body to the group, frozen and without limits; returns its number. member : its disc or cluster."""
    k = st.group[0].bodies
    st.group[0].bodies = k + 1
    st.member[k] = member
    st.place[member] = k
    reset_body(st.bodies[k])
    st.bodies[k].mobility = st.bodies[k].stride = 0.0
    sides = box_sides(st.sim[0])
    put_lower_limit(st.bodies[k], every(-np.inf, sides))
    put_upper_limit(st.bodies[k], every(np.inf, sides))
    return int(k)


@inlined
def set_limits(st: Stepping, k: int, low: Vector, high: Vector) -> None:
    """Set the limits that keep a body that extends from one corner to the other between the walls."""
    if has_walls(st.sim[0].periodic):
        none = every(0.0, low)
        lower, upper = walls_of(st.sim[0])
        put_lower_limit(st.bodies[k], least(none, minus(lower, low)))
        put_upper_limit(st.bodies[k], greatest(none, minus(upper, high)))


@inlined
def disc_body(st: Stepping, i: int) -> int:
    """The body of a disc, made if there is none yet."""
    k = st.place[i]
    if k >= 0:
        return int(k)
    k = add_body(st, i)
    bring(st, i)
    x = position(st, i)
    r = every(st.radius[i], x)
    set_limits(st, k, minus(x, r), plus(x, r))
    st.bodies[k].stride = STRIDE_RADII * st.radius[i]
    return int(k)


@inlined
def lean(one: float, other: float) -> float:
    """(m_b - m_a) / (m_a + m_b) of two masses, exactly 0 where they are equal."""
    return (other - one) / (one + other)


@inlined
def add_group_link(st: Stepping, a: int, b: int, i: int, j: int, row: int) -> int:
    """Add a link of discs i and j to the group, joining its bodies a and b, at λ = 1/2; returns its number.

    row : the place of the link among all links.
    """
    k = st.group[0].links
    st.group[0].links = k + 1
    sigma2 = (st.radius[i] + st.radius[j]) ** 2
    link = st.group_links[k]
    put_place(link, vector_between(st, i, j))
    link.multiplier = 0.5
    link.sigma2 = sigma2
    link.per_s = 4.0 / sigma2
    link.a = a
    link.b = b
    link.row = row
    # clusters have a mobility; single discs of rigid clusters are moved only as a last resort, without it
    weighted = st.group[0].conserving or not st.sim[0].rigid
    link.lean = lean(st.discs[i].mass, st.discs[j].mass) if weighted and not st.sim[0].by_cluster else 0.0
    return int(k)


@inner
def wake(st: Stepping, a: int, with_forces: bool) -> None:
    """Wake a frozen disc, and add its links to frozen discs, which are new in the group.

    a : its body; with_forces : add the forces of these links, in the middle of a minimisation.
    """
    if st.bodies[a].mobility > 0.0:
        return
    st.bodies[a].mobility = 1.0
    i = st.member[a]
    gamma = st.group[0].gamma * st.group[0].scale if st.group[0].damped else 0.0
    k = st.head[i]
    links = st.links
    while k >= 0:
        first = links[k].i == i
        j = links[k].j if first else links[k].i
        if not links[k].slack:
            b = disc_body(st, j)
            if st.bodies[b].mobility == 0.0:
                new = add_group_link(st, a, b, i, j, k)
                if with_forces:
                    add_force_of_link(st.bodies, st.group_links, new, st.group[0].alpha * st.group[0].scale, gamma)
        k = links[k].next_i if first else links[k].next_j
    st.sim[0].work += 4


@inner
def gather_clusters(st: Stepping, seed: int) -> None:
    """Make the group of all clusters that new links join to `seed`, directly or indirectly, with these links."""
    add_body(st, seed)
    k = 0
    while k < st.group[0].bodies:
        c = st.member[k]
        e = st.chain[c]
        while e >= 0:
            i = st.fresh[e].i
            j = st.fresh[e].j
            row = st.fresh[e].row
            first = st.label[i] == c
            other = st.label[j] if first else st.label[i]
            if not st.links[row].slack and other != c:
                b = st.place[other]
                if b < 0:
                    b = add_body(st, other)
                # each link once, when its first body is processed
                if b > k:
                    add_group_link(st, k if first else b, b if first else k, i, j, row)
            e = st.fresh[e].next_i if first else st.fresh[e].next_j
        k += 1


@inner
def set_mobilities(st: Stepping) -> None:
    """Set limits, strides and mobilities of a group of whole clusters."""
    lightest = np.inf
    for k in range(st.group[0].bodies):
        lightest = min(lightest, st.clusters[st.member[k]].mass)
    for k in range(st.group[0].bodies):
        c = st.member[k]
        bring_cluster(st, c)
        low, high, smallest_radius, discs = extent(st, st.pos, c)
        st.sim[0].work += discs
        set_limits(st, k, low, high)
        st.bodies[k].stride = STRIDE_RADII * smallest_radius
        st.bodies[k].mobility = lightest / st.clusters[c].mass


@inlined
def wake_listed(st: Stepping) -> None:
    """Wake the discs listed by the minimisation."""
    for k in range(st.group[0].wakes):
        wake(st, st.wake[k], True)
    st.group[0].wakes = 0


@inner
def start_group(st: Stepping, i: int, j: int) -> None:
    """Start a group from the new link between discs i and j, and its minimisation."""
    st.group[0].bodies = 0
    st.group[0].links = 0
    if st.sim[0].by_cluster:
        gather_clusters(st, st.label[i])
        set_mobilities(st)
    else:
        wake(st, disc_body(st, i), False)
        wake(st, disc_body(st, j), False)
    ah.begin(st.bodies, st.group_links, st.wake, st.group[0])
    wake_listed(st)


@inlined
def displace(st: Stepping, i: int, by: Vector) -> None:
    """Move a disc in the current step, and add up its possible distance from its position in the grid."""
    put_row(st.pos, i, folded(plus(position(st, i), by), periods_of(st.sim[0])))
    far = np.sqrt(dot(by, by))
    if st.drift[i] == 0.0 and far > 0.0:  # else it would be listed again later: the list has room for each disc once
        st.moved[st.sim[0].moved] = i
        st.sim[0].moved += 1
    st.drift[i] += far
    st.sim[0].drift = max(st.sim[0].drift, st.drift[i])


@inlined
def move_group(st: Stepping) -> None:
    """Apply the displacements of the minimisation to the discs."""
    for k in range(st.group[0].bodies):
        by = displacement(st.bodies[k])
        if is_zero(by):
            continue
        first = st.member[k]
        displace(st, first, by)
        if st.sim[0].by_cluster:
            i = st.ring[first]
            while i != first:
                displace(st, i, by)
                i = st.ring[i]
                st.sim[0].work += 1


@inner
def link_contacts_of_body(st: Stepping, cal: Calendar, k: int, thoroughly: bool) -> bool:
    """Make new links of the discs of body k with discs that they overlap. False if an array was too short.

    thoroughly : even if the body has hardly moved, because its flight was undone.
    """
    by = displacement(st.bodies[k])
    # a shorter displacement makes no overlap beyond the tolerance, and the next step searches anyway
    enough = 0.02 * st.group[0].tolerance * st.bodies[k].stride / STRIDE_RADII
    if not thoroughly and dot(by, by) <= enough * enough:
        return True
    first = st.member[k]
    i = first
    while True:
        if not link_contacts_of(st, cal, i):
            return False
        if not st.sim[0].by_cluster:
            return True
        i = st.ring[i]
        if i == first:
            return True


@inlined
def close_group(st: Stepping) -> None:
    """Empty the group, so that a new one can begin."""
    for k in range(st.group[0].bodies):
        st.place[st.member[k]] = ts.NOWHERE
    st.group[0].bodies = 0
    st.group[0].links = 0
