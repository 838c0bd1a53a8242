"""The events of ballistic aggregation: reflections, merges, and bounds that are reached."""

from __future__ import annotations

from engine.aggregation.event_driven import clusters as cl
from engine.aggregation.event_driven.broad_phase import build_grid, place_at
from engine.aggregation.event_driven.clusters import (
    ClusterArrays,
    envelope_velocity,
    put_wall_impulse,
    wall_impulse,
)
from engine.aggregation.event_driven.prediction import (
    first_impact,
    predict_with_bigs,
    repredict,
    repredict_before,
    schedule,
)
from engine.aggregation.event_driven.registration import (
    move_to,
    next_wall,
    predict_near_part,
    register,
    round_box_outwards,
    set_horizon,
    set_velocity,
)
from engine.aggregation.recent import note
from engine.geometry.box_tree import insert_subtree, translate_tree
from engine.geometry.bucket_grid import leave_cells, remove_big
from engine.geometry.event_heap import heap_remove, heap_second_key
from engine.geometry.minimum_image import periods_of, periods_to_nearest
from engine.geometry.tree_build import build_tree
from engine.geometry.vectors import (
    along_axis,
    box_sides,
    component,
    dot,
    greatest,
    high_corner,
    least,
    low_corner,
    minus,
    momentum,
    place,
    plus,
    put_high_corner,
    put_low_corner,
    put_momentum,
    put_place,
    times,
    velocity,
    with_component,
)
from engine.kernels import inlined, inner

INF = float("inf")


@inner
def wake_watchers(st: ClusterArrays, big: int, now: float) -> None:
    """Repredict the clusters that rely on the exact velocity of `big`."""
    sim = st.sim[0]
    k = st.clusters[big].watchers
    st.clusters[big].watchers = -1
    while k >= 0:
        watch = st.watches[k]
        after = watch.next
        c = watch.cluster
        valid = watch.evaluation == st.clusters[c].evaluation and st.clusters[c].seat >= 0
        watch.next = sim.free_watch
        sim.free_watch = k
        if valid and c != big:
            sim.watch_events += 1
            repredict(st, c, now)
        k = after


@inlined
def within_envelope(st: ClusterArrays, c: int) -> bool:
    """Whether `c` is a big cluster whose velocity is still within the envelope used in others' predictions."""
    cluster = st.clusters[c]
    if cluster.big < 0:
        return False
    u = minus(velocity(cluster), envelope_velocity(cluster))
    return bool(dot(u, u) <= cluster.envelope * cluster.envelope)


@inner
def announce_velocity(st: ClusterArrays, c: int, now: float, light: bool) -> None:
    """Repredict everything that depends on the changed velocity of a cluster; its reference must be at `now`.

    light : it has stayed within its envelope, so that only clusters that rely on the exact velocity are repredicted.
    """
    cluster = st.clusters[c]
    if light:
        next_wall(st, c, now)
        set_horizon(st, c, cluster.horizon)
        if cluster.watching:
            repredict(st, c, now)
        else:
            schedule(st, c)
    else:
        cluster.trajectory += 1
        register(st, c, now)
    wake_watchers(st, c, now)


@inlined
def wedged(side: float, size: float, speed: float, now: float) -> bool:
    """Whether a cluster of this size fills the box to within rounding, or reaches the other wall in no time.

    Then it comes to rest in that direction, because it would be reflected forever while time stands still.
    """
    gap = side - size
    return bool(gap <= 1e-12 * side or now + gap / abs(speed) <= now)


@inlined
def lose_energy(st: ClusterArrays, loss: float) -> None:
    """Subtract `loss` from the kinetic energy; velocities and list of clusters must be up to date.

    When hardly any energy is left, it is summed again: otherwise the rounding errors of the losses would appear as
    energy although nothing moves, or hide the energy of slow clusters.
    """
    sim = st.sim[0]
    left = sim.energy - loss
    if left < 1e-6 * sim.energy_reference:
        left = 0.0
        for k in range(sim.clusters):
            cluster = st.clusters[st.live[k]]
            left += 0.5 * dot(momentum(cluster), momentum(cluster)) / cluster.mass
        sim.energy_reference = left
    sim.energy = min(sim.energy, left)


@inlined
def note_wall(st: ClusterArrays, c: int, axis: int, outward: float, now: float) -> None:
    """Record where a cluster touches the wall: at its outermost disc."""
    node = st.nodes[c]
    while node.left >= 0:
        left = st.nodes[node.left]
        right = st.nodes[node.left + 1]
        if outward > 0.0:
            beyond = component(high_corner(right), axis) > component(high_corner(left), axis)
        else:
            beyond = component(low_corner(right), axis) < component(low_corner(left), axis)
        node = right if beyond else left
    i = ~node.left
    disc = st.discs[i]
    x = plus(place(st.clusters[c]), place(disc))
    note(st.recent, st.recent_next, now, plus(x, along_axis(outward * disc.radius, axis, x)), i, -1)


@inlined
def turn_back(st: ClusterArrays, c: int, now: float) -> None:
    """Specular reflection (2.2) of a whole cluster at the wall that it has reached, without predictions."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    move_to(st, c, now)
    axis = cluster.own_kind - cl.OWN_WALL_X
    speed = component(velocity(cluster), axis)
    outward = 1.0 if speed > 0.0 else -1.0
    side = component(box_sides(sim), axis)
    low, high = component(low_corner(cluster), axis), component(high_corner(cluster), axis)
    # the reference is set so that the outermost disc touches the wall exactly
    put_place(cluster, with_component(place(cluster), axis, side - high if outward > 0.0 else -low))
    before = component(momentum(cluster), axis)
    after = 0.0 if wedged(side, high - low, speed, now) else -before
    put_momentum(cluster, with_component(momentum(cluster), axis, after))
    put_wall_impulse(sim, plus(wall_impulse(sim), along_axis(after - before, axis, momentum(cluster))))
    loss = 0.5 * (before * before - after * after) / cluster.mass
    note_wall(st, c, axis, outward, now)
    set_velocity(st, c)
    lose_energy(st, loss)


@inner
def reflect(st: ClusterArrays, c: int, now: float) -> None:
    """Reflect a cluster at the wall that it has reached, and repredict what depends on its velocity."""
    turn_back(st, c, now)
    announce_velocity(st, c, now, within_envelope(st, c))


@inner
def remove_cluster(st: ClusterArrays, c: int) -> None:
    """Remove a cluster that has merged into another one from grid, queue and lists."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    cluster.trajectory += 1
    leave_cells(st.buckets, sim, cluster, c)
    cluster.evaluation += 1
    sim.queued = heap_remove(st.heap_key, st.heap_owner, st.heap_slot, sim.queued, c)
    remove_big(st.bigs, sim, st.clusters, c)
    last = sim.clusters - 1
    moved = st.live[last]
    st.live[cluster.seat] = moved
    st.clusters[moved].seat = cluster.seat
    cluster.seat = -1
    sim.clusters = last


@inner
def rebuild_tree(st: ClusterArrays, c: int) -> None:
    """Rebuild the box tree of `c`, unless it has at most four discs."""
    size = st.nodes[c].size
    st.clusters[c].built = size
    if size > 4:
        n = st.label.shape[0]
        build_tree(st.nodes, st.discs, st.parts, st.ids[:n], st.ids[n : 2 * n], st.jobs, st.ids[2 * n :], c)
        st.sim[0].tree_builds += 1


@inlined
def unite(st: ClusterArrays, c: int, d: int, i: int, j: int, now: float) -> tuple[int, int, bool]:
    """Join clusters c and d, whose discs i and j touch (2.4), (2.5). The heavier one keeps its name.

    The tree of the other one is then in its frame, but not yet in its tree: see `graft`. Nothing is predicted. Returns
    the cluster that stays, the one that disappears, and whether that was a big one.
    """
    sim = st.sim[0]
    if st.clusters[d].mass > st.clusters[c].mass or (st.clusters[d].mass == st.clusters[c].mass and d < c):
        c, d = d, c
        i, j = j, i
    move_to(st, c, now)
    move_to(st, d, now)
    keeps = st.clusters[c]
    goes = st.clusters[d]
    one = st.discs[i]
    two = st.discs[j]
    o = minus(place(goes), place(keeps))
    # the image in which the two discs touch
    o = minus(o, periods_to_nearest(minus(plus(o, place(two)), place(one)), periods_of(sim)))
    u = minus(velocity(goes), velocity(keeps))
    reduced = keeps.mass * goes.mass / (keeps.mass + goes.mass)
    loss = 0.5 * reduced * dot(u, u)
    keeps.mass += goes.mass
    put_momentum(keeps, plus(momentum(keeps), momentum(goes)))
    set_velocity(st, c)
    put_low_corner(keeps, least(low_corner(keeps), plus(low_corner(goes), o)))
    put_high_corner(keeps, greatest(high_corner(keeps), plus(high_corner(goes), o)))
    round_box_outwards(st, c)
    was_big = goes.big >= 0
    remove_cluster(st, d)
    lose_energy(st, loss)
    sim.merges += 1
    entry = st.log[sim.merges]
    entry.time = now
    entry.kinetic_energy = sim.energy
    entry.i = i
    entry.j = j
    # the contact lies on the line between the two discs, at their radii
    part = one.radius / (one.radius + two.radius)
    x = plus(place(one), times(part, minus(plus(o, place(two)), place(one))))
    note(st.recent, st.recent_next, now, plus(place(keeps), x), i, j)
    translate_tree(st.nodes, st.discs, st.label, st.ids, d, o, c)
    return c, d, was_big


@inlined
def pair_of(st: ClusterArrays, d: int) -> int:
    """The pair of tree nodes for the merge in which cluster d goes: its own.

    Discs are numbered along a curve that fills the box, so that what is near in space is near in memory.
    """
    return int(st.label.shape[0] + 2 * d)


@inlined
def graft(st: ClusterArrays, c: int, d: int) -> None:
    """Insert the tree of cluster d, which has merged into c, into that of c."""
    sim = st.sim[0]
    insert_subtree(st.nodes, st.ids, c, d, pair_of(st, d))
    sim.work += 20 + st.nodes[d].size
    if st.nodes[c].size > sim.rebuild * st.clusters[c].built:
        rebuild_tree(st, c)


@inner
def merge(st: ClusterArrays, c: int, d: int, i: int, j: int, now: float) -> None:
    """Merge two clusters whose discs i and j touch, and repredict what depends on their velocities."""
    sim = st.sim[0]
    c, d, was_big = unite(st, c, d, i, j, now)
    keeps = st.clusters[c]
    light = not was_big and within_envelope(st, c)
    if light:
        # before the tree of d is inserted: only its discs are new to the neighbours
        predict_with_bigs(st, c, d, place(keeps), now)
        predict_near_part(st, c, d, place(keeps), now)
    graft(st, c, d)
    if 2 * sim.clusters <= sim.grid_clusters:
        build_grid(st, now)
    else:
        announce_velocity(st, c, now, light)


@inner
def check_bound(st: ClusterArrays, c: int, now: float) -> None:
    """The bound of `c` is reached: find the impact itself if it is the next event of all, else repredict."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    sim.bound_events += 1
    other = cluster.partner
    second = heap_second_key(st.heap_key, sim.queued)
    limit = min(second, cluster.own_time) - now
    t, i, j = first_impact(st, c, c, place_at(st, c, now), other, True, now, limit)
    if t < limit:
        # no other cluster has an earlier event, but `c` may have an earlier impact that it did not search for
        repredict_before(st, c, now, t, other, i, j)
    else:
        repredict(st, c, now)
