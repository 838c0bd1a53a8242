"""The events of ballistic aggregation: reflection, merge, and a bound that is reached."""

from __future__ import annotations

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import lay_grid, leave_grid
from engine.aggregation.event_driven.clusters import Clusters
from engine.aggregation.event_driven.measures import sums
from engine.aggregation.event_driven.prediction import impact, look_again, look_before, offer_to_bigs, schedule
from engine.aggregation.event_driven.recent import note
from engine.aggregation.event_driven.registration import (
    bring_to,
    next_wall,
    offer_part,
    register,
    round_box,
    set_horizon,
    set_velocity,
)
from engine.geometry.box_tree import insert_subtree, translate_tree
from engine.geometry.event_heap import heap_remove, heap_second_key
from engine.geometry.tree_build import build_tree
from engine.kernels import inlined, inner

INF = float("inf")


@inlined
def forget_big(st: Clusters, c: int) -> None:
    """Take a cluster out of the list of big ones."""
    at = st.ci[c, cl.BIG]
    if at < 0:
        return
    last = st.si[cl.BIGS] - 1
    moved = st.bigs[last]
    st.bigs[at] = moved
    st.ci[moved, cl.BIG] = at
    st.si[cl.BIGS] = last
    st.ci[c, cl.BIG] = -1


@inner
def wake_watchers(st: Clusters, big: int, now: float) -> None:
    """Look again at the clusters that rely on the exact velocity of `big`."""
    k = st.ci[big, cl.WATCHERS]
    st.ci[big, cl.WATCHERS] = -1
    while k >= 0:
        after = st.watch[k, cl.W_NEXT]
        c = st.watch[k, cl.W_CLUSTER]
        valid = st.watch[k, cl.W_EVAL] == st.ci[c, cl.EVAL] and st.ci[c, cl.LIVE] >= 0
        st.watch[k, cl.W_NEXT] = st.si[cl.WATCH_FREE]
        st.si[cl.WATCH_FREE] = k
        if valid and c != big:
            st.si[cl.WATCH_EVENTS] += 1
            look_again(st, c, now)
        k = after


@inlined
def within_envelope(st: Clusters, c: int) -> bool:
    """Is `c` a big cluster whose velocity is still one that the others reckon with?"""
    cf = st.cf
    if st.ci[c, cl.BIG] < 0:
        return False
    ux = cf[c, cl.VX] - st.more[c, cl.EX]
    uy = cf[c, cl.VY] - st.more[c, cl.EY]
    return bool(ux * ux + uy * uy <= cf[c, cl.W] * cf[c, cl.W])


@inner
def announce_velocity(st: Clusters, c: int, now: float, light: bool) -> None:
    """A cluster, its reference at `now`, has a new velocity; what it and others know of it is brought up to date.

    light : it has stayed within its envelope, so that only those need to look again who rely on the exact velocity.
    """
    if light:
        next_wall(st, c, now)
        set_horizon(st, c, st.more[c, cl.HORIZON])
        if st.ci[c, cl.WATCHING]:
            look_again(st, c, now)
        else:
            schedule(st, c)
    else:
        st.ci[c, cl.TRAJ] += 1
        register(st, c, now)
    wake_watchers(st, c, now)


@inlined
def wedged(side: float, size: float, speed: float, now: float) -> bool:
    """Does a cluster of this size fill the box within rounding, or does the way to the other wall take no time?

    No motion is left in that direction then: it would be reflected for ever at one time.
    """
    gap = side - size
    return bool(gap <= 1e-12 * side or now + gap / abs(speed) <= now)


@inlined
def lose_energy(st: Clusters, loss: float) -> None:
    """Take `loss` off the kinetic energy; velocities and list of clusters must be up to date.

    Where hardly anything is left of what was subtracted from, it is summed anew: the rounding of lost energy would
    count, in the end as energy where there is none, or none where slow clusters go on.
    """
    sf = st.sf
    left = sf[cl.ENERGY] - loss
    if left < 1e-6 * sf[cl.ENERGY_REFERENCE]:
        _, _, _, left = sums(st)
        sf[cl.ENERGY_REFERENCE] = left
    sf[cl.ENERGY] = min(sf[cl.ENERGY], left)


@inlined
def note_wall(st: Clusters, c: int, axis: int, outward: float, now: float) -> None:
    """Keep where a cluster touches the wall that it is at: at its outermost disc."""
    node = st.nodes[c]
    while node.left >= 0:
        left = st.nodes[node.left]
        right = st.nodes[node.left + 1]
        if axis == 0:
            beyond = right.x_max > left.x_max if outward > 0.0 else right.x_min < left.x_min
        else:
            beyond = right.y_max > left.y_max if outward > 0.0 else right.y_min < left.y_min
        node = right if beyond else left
    disc = st.discs[~node.left]
    x = st.cf[c, cl.PX] + disc.x
    y = st.cf[c, cl.PY] + disc.y
    if axis == 0:
        x += outward * disc.radius
    else:
        y += outward * disc.radius
    note(st.recent_f, st.recent_i, now, x, y, ~node.left, -1)


@inner
def reflect(st: Clusters, c: int, now: float) -> None:
    """Specular reflection (2.2) of a whole cluster at the wall that it has reached."""
    cf = st.cf
    bring_to(st, c, now)
    axis = 0 if st.ci[c, cl.OWN_KIND] == cl.OWN_WALL_X else 1
    if axis == 0:
        outward = 1.0 if cf[c, cl.VX] > 0.0 else -1.0
        size = cf[c, cl.BX1] - cf[c, cl.BX0]
        # the reference is put so that the outermost disc touches the wall exactly
        cf[c, cl.PX] = st.sf[cl.LX] - cf[c, cl.BX1] if outward > 0.0 else -cf[c, cl.BX0]
        before = cf[c, cl.MOMX]
        cf[c, cl.MOMX] = 0.0 if wedged(st.sf[cl.LX], size, cf[c, cl.VX], now) else -before
        st.sf[cl.IMPULSE_X] += cf[c, cl.MOMX] - before
        loss = 0.5 * (before * before - cf[c, cl.MOMX] * cf[c, cl.MOMX]) / cf[c, cl.MASS]
    else:
        outward = 1.0 if cf[c, cl.VY] > 0.0 else -1.0
        size = cf[c, cl.BY1] - cf[c, cl.BY0]
        cf[c, cl.PY] = st.sf[cl.LY] - cf[c, cl.BY1] if outward > 0.0 else -cf[c, cl.BY0]
        before = st.more[c, cl.MOMY]
        st.more[c, cl.MOMY] = 0.0 if wedged(st.sf[cl.LY], size, cf[c, cl.VY], now) else -before
        st.sf[cl.IMPULSE_Y] += st.more[c, cl.MOMY] - before
        loss = 0.5 * (before * before - st.more[c, cl.MOMY] * st.more[c, cl.MOMY]) / cf[c, cl.MASS]
    note_wall(st, c, axis, outward, now)
    set_velocity(st, c)
    lose_energy(st, loss)
    announce_velocity(st, c, now, within_envelope(st, c))


@inner
def drop(st: Clusters, c: int) -> None:
    """Take a cluster that has become part of another out of everything."""
    ci = st.ci
    si = st.si
    ci[c, cl.TRAJ] += 1
    leave_grid(st, c)
    ci[c, cl.EVAL] += 1
    si[cl.HEAP] = heap_remove(st.heap_key, st.heap_owner, st.heap_slot, si[cl.HEAP], c)
    forget_big(st, c)
    last = si[cl.M] - 1
    moved = st.live[last]
    st.live[ci[c, cl.LIVE]] = moved
    ci[moved, cl.LIVE] = ci[c, cl.LIVE]
    ci[c, cl.LIVE] = -1
    si[cl.M] = last


@inner
def rebuild_tree(st: Clusters, c: int) -> None:
    """Build the box tree of `c` anew, where it has enough discs for that to matter."""
    size = st.nodes[c].size
    st.ci[c, cl.BUILT] = size
    if size > 4:
        n = st.label.shape[0]
        build_tree(st.nodes, st.discs, st.ids[:n], st.ids[n : 2 * n], st.jobs, st.ids[2 * n :], c)
        st.si[cl.TREE_BUILDS] += 1
        st.si[cl.WORK] += 5 * size


@inner
def merge(st: Clusters, c: int, d: int, i: int, j: int, now: float) -> None:
    """Clusters c and d stick where disc i of c touches disc j of d (2.9); the heavier one keeps its name."""
    cf = st.cf
    ci = st.ci
    si = st.si
    sf = st.sf
    if cf[d, cl.MASS] > cf[c, cl.MASS] or (cf[d, cl.MASS] == cf[c, cl.MASS] and d < c):
        c, d = d, c
        i, j = j, i
    bring_to(st, c, now)
    bring_to(st, d, now)
    ox = cf[d, cl.PX] - cf[c, cl.PX]
    oy = cf[d, cl.PY] - cf[c, cl.PY]
    one = st.discs[i]
    two = st.discs[j]
    if si[cl.PERIODIC]:
        # the image in which the two discs touch
        ox -= sf[cl.LX] * round((ox + two.x - one.x) / sf[cl.LX])
        oy -= sf[cl.LY] * round((oy + two.y - one.y) / sf[cl.LY])
    ux = cf[d, cl.VX] - cf[c, cl.VX]
    uy = cf[d, cl.VY] - cf[c, cl.VY]
    reduced = cf[c, cl.MASS] * cf[d, cl.MASS] / (cf[c, cl.MASS] + cf[d, cl.MASS])
    loss = 0.5 * reduced * (ux * ux + uy * uy)
    cf[c, cl.MASS] += cf[d, cl.MASS]
    cf[c, cl.MOMX] += cf[d, cl.MOMX]
    st.more[c, cl.MOMY] += st.more[d, cl.MOMY]
    set_velocity(st, c)
    cf[c, cl.BX0] = min(cf[c, cl.BX0], cf[d, cl.BX0] + ox)
    cf[c, cl.BY0] = min(cf[c, cl.BY0], cf[d, cl.BY0] + oy)
    cf[c, cl.BX1] = max(cf[c, cl.BX1], cf[d, cl.BX1] + ox)
    cf[c, cl.BY1] = max(cf[c, cl.BY1], cf[d, cl.BY1] + oy)
    round_box(st, c)
    d_was_big = ci[d, cl.BIG] >= 0
    drop(st, d)
    lose_energy(st, loss)
    si[cl.MERGES] += 1
    k = si[cl.MERGES]
    st.log_f[k, 0] = now
    st.log_f[k, 1] = sf[cl.ENERGY]
    st.log_i[k, 0] = i
    st.log_i[k, 1] = j
    # the two discs touch on the line between them, each at its radius
    part = one.radius / (one.radius + two.radius)
    x = one.x + part * (ox + two.x - one.x)
    y = one.y + part * (oy + two.y - one.y)
    note(st.recent_f, st.recent_i, now, cf[c, cl.PX] + x, cf[c, cl.PY] + y, i, j)
    translate_tree(st.nodes, st.discs, st.label, st.ids, d, ox, oy, c)
    light = not d_was_big and within_envelope(st, c)
    if light:
        # before the tree of d is inserted: its discs alone are new to the neighbours
        offer_to_bigs(st, c, d, cf[c, cl.PX], cf[c, cl.PY], now)
        offer_part(st, c, d, cf[c, cl.PX], cf[c, cl.PY], now)
    insert_subtree(st.nodes, st.ids, c, d, si[cl.PAIR_FREE])
    si[cl.PAIR_FREE] += 2
    si[cl.WORK] += 20 + st.nodes[d].size
    if st.nodes[c].size > sf[cl.REBUILD] * ci[c, cl.BUILT]:
        rebuild_tree(st, c)
    if 2 * si[cl.M] <= si[cl.GRID_M]:
        lay_grid(st, now)
    else:
        announce_velocity(st, c, now, light)


@inner
def check(st: Clusters, c: int, now: float) -> None:
    """The bound of `c` has been reached: is the impact itself before everybody else's next event? Else look again."""
    cf = st.cf
    st.si[cl.CHECK_EVENTS] += 1
    other = st.ci[c, cl.PARTNER]
    second = heap_second_key(st.heap_key, st.si[cl.HEAP])
    limit = min(second, cf[c, cl.OWN_T]) - now
    dt = now - cf[c, cl.T]
    x = cf[c, cl.PX] + cf[c, cl.VX] * dt
    y = cf[c, cl.PY] + cf[c, cl.VY] * dt
    t, i, j = impact(st, c, c, x, y, other, True, now, limit)
    if t < limit:
        # nobody else has an event before, but `c` itself may have an impact that the bound has hidden
        look_before(st, c, now, t, other, i, j)
    else:
        look_again(st, c, now)
