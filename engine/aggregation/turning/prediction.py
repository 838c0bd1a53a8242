"""Which clusters that turn meet next: their horizons, walls, own images and neighbours in the broad phase.

The broad phase is that of clusters that translate (`engine.aggregation.event_driven.prediction`), of the circles about
the centres of mass: turning leaves these as they are. There are no envelopes: a big cluster whose motion changes has
all clusters near it predicted again.
"""

from __future__ import annotations

from math import inf, sqrt

from engine.aggregation.event_driven.broad_phase import enter_grid, place_at, search, search_own_cells
from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.event_driven.prediction import forget_predictions, schedule, set_impact
from engine.aggregation.event_driven.registration import set_horizon, swept_box
from engine.aggregation.turning import bodies
from engine.aggregation.turning.contact import (
    circles_meet,
    contact_of_images,
    images_within,
    is_nearest_only,
    nearest,
    own_image,
    wall_contact,
)
from engine.aggregation.turning.pose import fastest, move_to
from engine.geometry.bucket_grid import add_big, leave_cells
from engine.geometry.minimum_image import periods_of, shifted, third_range, wraps
from engine.geometry.vectors import (
    Vector,
    box_sides,
    dot,
    every,
    greatest,
    least,
    minus,
    place,
    plus,
    smallest,
    times,
    velocity,
)
from engine.kernels import inlined, inner
from engine.records import Record

_LONGEST_TURN = 12.0  # radians that a cluster turns until its horizon: a search ends, also where nothing meets


@inlined
def meeting_time(st: ClusterArrays, c: int, other: int, now: float, limit: float) -> float:
    """The time from now at which the circles of two clusters first touch, in any image; inf if not within `limit`."""
    one, two = st.clusters[c], st.clusters[other]
    sim = st.sim[0]
    d = minus(place_at(st, other, now), place_at(st, c, now))
    u = minus(velocity(two), velocity(one))
    sigma = one.reach + two.reach
    if is_nearest_only(sim, u, sigma, limit):
        t = circles_meet(nearest(sim, d), u, sigma)
        return t if t < limit else inf
    first, last = images_within(sim, d, u, sigma, limit)
    kz0, kz1 = third_range(first, last)
    best = inf
    for kx in range(first[0], last[0] + 1):
        for ky in range(first[1], last[1] + 1):
            for kz in range(kz0, kz1):
                best = min(best, circles_meet(shifted(d, kx, ky, kz, box_sides(sim)), u, sigma))
    return best if best < limit else inf


@inlined
def longest_turn(cluster: Record, like: Vector) -> float:
    """The longest time until the horizon of a cluster, as it turns."""
    spin = fastest(cluster, like)
    return _LONGEST_TURN / spin if spin != 0.0 else inf


@inner
def next_of_its_own(st: ClusterArrays, c: int, now: float) -> None:
    """Let the cluster's own event be its next wall, or its first contact with an image of itself, if that comes before
    its horizon. It must be at `now`."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    sides = box_sides(sim)
    for axis in range(len(sides)):
        if not wraps(sim.periodic, axis):
            for outward in (-1.0, 1.0):
                t, i = wall_contact(st, c, axis, outward, now, cluster.own_time - now)
                if now + t < cluster.own_time:
                    cluster.own_time = now + t
                    cluster.own_kind = bodies.OWN_WALL_X + axis
                    cluster.own_disc = i
    if fastest(cluster, sides) != 0.0 and 2.0 * cluster.reach >= smallest(periods_of(sim)):
        t, i = own_image(st, c, now, cluster.own_time - now)
        if now + t < cluster.own_time:
            cluster.own_time = now + t
            cluster.own_kind = bodies.OWN_IMAGE
            cluster.own_disc = i


@inner
def predict(st: ClusterArrays, c: int, now: float, count: int) -> None:
    """Find the earliest contact that `c` answers for, among `found[:count]` and the big clusters, and schedule it."""
    forget_predictions(st, c)
    found, found_time = st.found, st.found_time
    own = st.clusters[c]
    limit = own.own_time - now
    kept = 0
    total = count + st.sim[0].bigs
    for m in range(total):
        other = found[m] if m < count else st.bigs[m - count]
        if other == c:
            continue
        reach = limit if m >= count else min(limit, st.clusters[other].own_time - now)
        t = meeting_time(st, c, other, now, reach)
        if t == inf:
            continue
        # in the order in which the circles meet, so that the best time so far bounds the rest; the cells of the grid
        # have no order
        at = kept
        while at > 0 and (found_time[at - 1] > t or (m < count and found_time[at - 1] == t and found[at - 1] > other)):
            found_time[at] = found_time[at - 1]
            found[at] = found[at - 1]
            at -= 1
        found_time[at] = t
        found[at] = other
        kept += 1
    st.sim[0].work += total
    best = limit
    for m in range(kept):
        if found_time[m] >= best:
            break
        other = found[m]
        them = st.clusters[other]
        reach = best if them.big >= 0 else min(best, them.own_time - now)
        t, i, j = contact_of_images(st, c, other, now, reach)
        if t < best:
            best = t
            set_impact(st, c, now + t, other, i, j, 0)
    schedule(st, c)


@inner
def repredict(st: ClusterArrays, c: int, now: float) -> None:
    """Predict and schedule again a cluster whose entry in the grid is still valid."""
    count = 0
    if st.clusters[c].big < 0:
        count = search_own_cells(st, c)
    predict(st, c, now, count)


@inner
def predict_for_neighbours(st: ClusterArrays, big: int, now: float) -> None:
    """Let all small clusters near a big one answer for their contacts with it, if earlier than what they have."""
    cluster = st.clusters[big]
    sim = st.sim[0]
    way = times(sim.longest_horizon, velocity(cluster))
    nowhere = every(0.0, way)
    reach = every(cluster.reach, way)
    x = place(cluster)
    low = minus(plus(x, least(nowhere, way)), reach)
    high = plus(plus(x, greatest(nowhere, way)), reach)
    count = search(st, big, low, high)
    for m in range(count):
        c = st.found[m]
        small = st.clusters[c]
        limit = min(small.impact_time, small.own_time) - now
        if meeting_time(st, c, big, now, limit) == inf:
            continue
        t, i, j = contact_of_images(st, c, big, now, limit)
        if t < limit:
            set_impact(st, c, now + t, big, i, j, 0)
            schedule(st, c)


@inner
def register(st: ClusterArrays, c: int, now: float) -> None:
    """Enter cluster `c` in the broad phase from `now` on, and find what it meets.

    Before, `trajectory` must have been incremented if its motion has changed.
    """
    cluster = st.clusters[c]
    sim = st.sim[0]
    move_to(st, c, now)
    v = velocity(cluster)
    speed = sqrt(dot(v, v))
    cluster.own_time = inf
    cluster.own_kind = bodies.OWN_HORIZON
    duration = sim.longest_horizon
    duration = min(duration, longest_turn(cluster, v))
    if cluster.big < 0:
        if speed * duration > sim.travel * sim.cell:
            duration = sim.travel * sim.cell / speed
        set_horizon(st, c, now + duration)
        low, high = swept_box(st, c)
        leave_cells(st.buckets, sim, cluster, c)
        count = enter_grid(st, c, low, high)
        if count >= 0:
            next_of_its_own(st, c, now)
            predict(st, c, now, count)
            return
        add_big(st.bigs, sim, cluster, c)
        cluster.own_time = inf
    sim.big_registrations += 1
    cluster.trajectory += 1
    extend_horizon(st, c, now)
    predict_for_neighbours(st, c, now)


@inner
def extend_horizon(st: ClusterArrays, c: int, now: float) -> None:
    """Let a big cluster find what it meets among the other big ones until a new horizon. It must be at `now`."""
    cluster = st.clusters[c]
    sim = st.sim[0]
    cluster.own_time = inf
    cluster.own_kind = bodies.OWN_HORIZON
    duration = sim.longest_horizon * (sim.big_patience / sim.patience)
    duration = min(duration, longest_turn(cluster, place(cluster)))
    set_horizon(st, c, now + duration)
    next_of_its_own(st, c, now)
    predict(st, c, now, 0)
