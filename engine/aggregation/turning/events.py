"""The events of clusters that turn: merges, reflections, and the contact of a cluster with an image of itself."""

from __future__ import annotations

from math import inf, sqrt

from engine.aggregation.event_driven.broad_phase import build_grid, search_own_cells
from engine.aggregation.event_driven.clusters import ClusterArrays, put_wall_impulse, wall_impulse
from engine.aggregation.event_driven.events import graft, remove_cluster
from engine.aggregation.event_driven.registration import set_velocity
from engine.aggregation.recent import note
from engine.aggregation.turning import bodies
from engine.aggregation.turning.bodies import centre, put_centre
from engine.aggregation.turning.contact import contact_of_images
from engine.aggregation.turning.motion import BodyPose, around, cross, followed, opposite, turned, turned_back
from engine.aggregation.turning.pose import (
    add_spin_momentum,
    between_walls,
    disc_turn,
    drop_spin_momentum,
    fastest,
    from_centre,
    inertia,
    inertia_of_both,
    join_spins,
    move_to,
    pose_at,
    put_inertia,
    set_spin,
    turn_disc,
    turning_energy,
    wall_push,
)
from engine.aggregation.turning.prediction import meeting_time, register
from engine.geometry.box_tree import refit, store_leaf
from engine.geometry.minimum_image import periods_of, periods_to_nearest
from engine.geometry.vectors import (
    Vector,
    along_axis,
    component,
    dot,
    every,
    high_corner,
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

_MOST_REPEATS = 64  # walls that a cluster meets in hardly any time, before it comes to rest
_AT_ONCE = 1e-13  # of the time in which a cluster flies through a cell: contacts within it are at one time
_NO_TIME = 1e-9  # of the time in which it would fly as far as it is wide


@inlined
def energy_of(st: ClusterArrays, c: int) -> float:
    """The kinetic energy of a cluster, of flying and of turning."""
    cluster = st.clusters[c]
    p = momentum(cluster)
    return float(0.5 * dot(p, p) / cluster.mass + turning_energy(cluster, p))


@inlined
def lose_energy(st: ClusterArrays, loss: float) -> None:
    """Subtract `loss` from the kinetic energy; momenta and list of clusters must be up to date. When hardly any energy
    is left, it is summed again, so that rounding errors do not appear as energy."""
    sim = st.sim[0]
    left = sim.energy - loss
    if left < 1e-6 * sim.energy_reference:
        left = 0.0
        for k in range(sim.clusters):
            left += energy_of(st, st.live[k])
        sim.energy_reference = left
    sim.energy = min(sim.energy, left)


@inner
def set_reach(st: ClusterArrays, c: int) -> None:
    """Compute the radius of the circle about the centre of mass that holds all discs, and the square around it."""
    nodes, discs, stack = st.nodes, st.discs, st.node_pairs
    cluster = st.clusters[c]
    middle = centre(cluster)
    farthest = 0.0
    stack[0].a = c
    top = 0
    while top >= 0:
        node = nodes[stack[top].a]
        top -= 1
        if node.left < 0:
            disc = discs[~node.left]
            r = minus(place(disc), middle)
            farthest = max(farthest, sqrt(dot(r, r)) + disc.radius)
            continue
        low, high = low_corner(node), high_corner(node)
        corner = every(0.0, middle)
        for axis in range(len(middle)):
            away = max(component(high, axis) - component(middle, axis), component(middle, axis) - component(low, axis))
            corner = with_component(corner, axis, away)
        if dot(corner, corner) > farthest * farthest:
            stack[top + 1].a = node.left
            stack[top + 2].a = node.left + 1
            top += 2
    cluster.reach = farthest * (1.0 + 1e-12)
    put_low_corner(cluster, every(-cluster.reach, middle))
    put_high_corner(cluster, every(cluster.reach, middle))


@inner
def into_frame_of(st: ClusterArrays, d: int, c: int, origin: Vector, pose: BodyPose) -> None:
    """Bring discs and tree of cluster d into the frame of cluster c: b becomes `origin` + R b, R of the pose; the discs
    get the label c. Both clusters must be at the same time."""
    nodes, discs, pairs = st.nodes, st.discs, st.ids
    further = disc_turn(st.clusters[d], st.clusters[c], pose)
    # parents come before their children in the list
    pairs[0] = d
    count = 1
    at = 0
    while at < count:
        k = pairs[at]
        at += 1
        left = nodes[k].left
        if left >= 0:
            pairs[count] = left
            pairs[count + 1] = left + 1
            count += 2
            continue
        i = ~left
        put_place(discs[i], plus(origin, turned(pose, place(discs[i]))))
        st.label[i] = c
        turn_disc(st.clusters[i], further, origin)
        store_leaf(nodes, discs, k, i)
    for at in range(count - 1, -1, -1):
        if nodes[pairs[at]].left >= 0:
            refit(nodes, pairs[at])


@inner
def unite(st: ClusterArrays, c: int, d: int, i: int, j: int, now: float) -> tuple[int, int]:
    """Join clusters c and d, whose discs i and j touch. The heavier one keeps its name and its frame.

    With μ = M_c M_d / M, r = X_d − X_c and u = V_d − V_c: L = L_c + L_d + μ r × u and I = I_c + I_d + μ r², in space
    I_c + I_d + μ (r² − r rᵀ). Nothing is predicted, and the tree of the other one is not yet in the tree of the first.
    Returns the cluster that stays and the one that disappears.
    """
    sim = st.sim[0]
    if st.clusters[d].mass > st.clusters[c].mass or (st.clusters[d].mass == st.clusters[c].mass and d < c):
        c, d = d, c
        i, j = j, i
    move_to(st, c, now)
    move_to(st, d, now)
    keeps = st.clusters[c]
    goes = st.clusters[d]
    (pose_c, _), (pose_d, _) = pose_at(keeps, now, place(keeps)), pose_at(goes, now, place(keeps))
    from_c = turned(pose_c, minus(place(st.discs[i]), centre(keeps)))
    from_d = turned(pose_d, minus(place(st.discs[j]), centre(goes)))
    r = minus(place(goes), place(keeps))
    # the image in which the two discs touch
    r = minus(r, periods_to_nearest(minus(plus(r, from_d), from_c), periods_of(sim)))
    part = st.discs[i].radius / (st.discs[i].radius + st.discs[j].radius)
    contact = plus(from_c, times(part, minus(plus(r, from_d), from_c)))
    note(st.recent, st.recent_next, now, plus(place(keeps), contact), i, j)
    u = minus(velocity(goes), velocity(keeps))
    before = energy_of(st, c) + energy_of(st, d)
    mass = keeps.mass + goes.mass
    reduced = keeps.mass * goes.mass / mass
    pose = followed(opposite(pose_c), pose_d)  # from the frame of d to that of c
    join_spins(keeps, goes, reduced, r, u)
    put_inertia(keeps, inertia_of_both(inertia(keeps), inertia(goes), pose_c, pose, reduced, r))
    keeps.spans = keeps.spans or goes.spans
    share = times(goes.mass / mass, r)
    keeps.mass = mass
    put_momentum(keeps, plus(momentum(keeps), momentum(goes)))
    set_velocity(st, c)
    set_spin(st, c, r)
    origin = minus(plus(centre(keeps), turned_back(pose_c, r)), turned(pose, centre(goes)))
    put_place(keeps, plus(place(keeps), share))
    put_centre(keeps, plus(centre(keeps), turned_back(pose_c, share)))
    remove_cluster(st, d)
    lose_energy(st, before - energy_of(st, c))
    sim.merges += 1
    entry = st.log[sim.merges]
    entry.time = now
    entry.kinetic_energy = sim.energy
    entry.i = i
    entry.j = j
    into_frame_of(st, d, c, origin, pose)
    return c, d


@inner
def announce_motion(st: ClusterArrays, c: int, now: float) -> None:
    """Predict again what depends on the motion of a cluster, which has changed."""
    st.clusters[c].trajectory += 1
    register(st, c, now)


@inner
def add_touching(st: ClusterArrays, c: int, now: float, known: int) -> int:
    """Append to the pairs of discs in `near`, of which there are `known`, those in which `c` touches and approaches
    another cluster now; returns how many pairs there are."""
    sim = st.sim[0]
    found = search_own_cells(st, c) if st.clusters[c].big < 0 else 0
    wait = 8.9e-16 * now + _AT_ONCE * sim.cell / sim.typical_speed
    for m in range(found + sim.bigs):
        other = st.found[m] if m < found else st.bigs[m - found]
        if other == c or 2 * known == st.near.shape[0] or is_listed(st, known, c, other):
            continue
        if meeting_time(st, c, other, now, wait) == inf:
            continue
        t, i, j = contact_of_images(st, c, other, now, wait)
        if t < wait:
            st.near[2 * known] = i
            st.near[2 * known + 1] = j
            known += 1
    return known


@inlined
def is_listed(st: ClusterArrays, known: int, c: int, d: int) -> bool:
    """Whether there is a pair of discs of these two clusters among the first `known` in `near`."""
    for k in range(known):
        one, two = st.label[st.near[2 * k]], st.label[st.near[2 * k + 1]]
        if (one == c and two == d) or (one == d and two == c):
            return True
    return False


@inner
def merge(st: ClusterArrays, i: int, j: int, now: float) -> None:
    """Merge two clusters whose discs i and j touch, with all that touch at the same time, and predict again what
    depends on their motion.

    Who touches whom is judged by the velocities before any of these merges; in whichever order they are carried out,
    the same body comes out.
    """
    sim = st.sim[0]
    st.near[0], st.near[1] = i, j
    known = 1
    k = 0
    while k < known:
        one, two = st.label[st.near[2 * k]], st.label[st.near[2 * k + 1]]
        known = add_touching(st, one, now, known)
        known = add_touching(st, two, now, known)
        k += 1
    keeps = st.label[i]
    for k in range(known):
        i, j = st.near[2 * k], st.near[2 * k + 1]
        if st.label[i] != st.label[j]:
            keeps, goes = unite(st, st.label[i], st.label[j], i, j, now)
            graft(st, keeps, goes)
    set_reach(st, keeps)
    if 2 * sim.clusters <= sim.grid_clusters:
        new_grid(st, now)
    else:
        announce_motion(st, keeps, now)


@inner
def new_grid(st: ClusterArrays, now: float) -> None:
    """Start an empty grid, see `build_grid`. Clusters that turn meet also where all fly alike."""
    build_grid(st, now)
    sim = st.sim[0]
    for k in range(sim.clusters):
        cluster = st.clusters[st.live[k]]
        sim.spread += fastest(cluster, place(cluster)) * cluster.reach


@inner
def reflect(st: ClusterArrays, c: int, now: float) -> None:
    """Reflect a cluster at the wall that its disc `own_disc` has reached, see `wall_push`."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    move_to(st, c, now)
    axis = cluster.own_kind - bodies.OWN_WALL_X
    disc = st.discs[cluster.own_disc]
    pose, spin = pose_at(cluster, now, place(disc))
    a = from_centre(cluster, pose, place(disc))
    v = plus(velocity(cluster), around(spin, a))
    outward = 1.0 if component(v, axis) > 0.0 else -1.0
    normal = along_axis(outward, axis, a)
    before = energy_of(st, c)
    impulse = wall_push(cluster, pose, velocity(cluster), spin, a, normal)
    if is_wedged(st, c, now):
        impulse = between_walls(times(-1.0, momentum(cluster)), sim.periodic)
        drop_spin_momentum(cluster, a)
    else:
        add_spin_momentum(cluster, cross(a, impulse), a)
    put_momentum(cluster, plus(momentum(cluster), impulse))
    put_wall_impulse(sim, plus(wall_impulse(sim), impulse))
    set_velocity(st, c)
    set_spin(st, c, a)
    x = plus(plus(place(cluster), a), times(disc.radius, normal))
    note(st.recent, st.recent_next, now, x, cluster.own_disc, -1)
    lose_energy(st, before - energy_of(st, c))
    announce_motion(st, c, now)


@inlined
def is_wedged(st: ClusterArrays, c: int, now: float) -> bool:
    """Whether a cluster has met walls again and again while hardly any time has passed: then it comes to rest, because
    it would be reflected forever."""
    cluster = st.clusters[c]
    v = velocity(cluster)
    speed = sqrt(dot(v, v)) + fastest(cluster, v) * cluster.reach
    if (now - cluster.wall_time) * speed > _NO_TIME * cluster.reach and now > cluster.wall_time:
        cluster.wall_repeats = 0
        cluster.wall_time = now
    cluster.wall_repeats += 1
    return bool(cluster.wall_repeats > _MOST_REPEATS)


@inner
def stop_turning(st: ClusterArrays, c: int, now: float) -> None:
    """A cluster has met an image of itself: it spans the box and turns no more."""
    cluster = st.clusters[c]
    move_to(st, c, now)
    before = energy_of(st, c)
    cluster.spans = 1
    set_spin(st, c, place(cluster))
    st.sim[0].span_events += 1
    lose_energy(st, before - energy_of(st, c))
    announce_motion(st, c, now)
