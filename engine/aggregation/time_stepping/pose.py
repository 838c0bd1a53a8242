"""How a cluster stands at a time: what clusters that turn add to a straight flight.

The arrays of clusters that turn have records with more fields (`arrays.TURNING_CLUSTER`): then the origin of a
cluster's motion is its centre of mass, and its frame turns with it, as in the event-driven method
(`engine.aggregation.turning`). For all others the origin is that of the frame, and what is read here is the empty
tuple, on whose length kernels branch, so that the code for turning is gone before it is compiled.
"""

from __future__ import annotations

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.turning.motion import cos_sin, cross, half_turns_off, turned, turned_back
from engine.geometry.vectors import Vector, dot, minus, place, plus, put_place, times, velocity
from engine.kernels import inlined, vector_field
from engine.records import Record

turning, put_turning = vector_field("angle", "spin")
"""φ and ω of a cluster that turns, or nothing."""
centre, put_centre = vector_field("centre_x", "centre_y")
"""The centre of mass in the frame of a cluster that turns, or nothing."""
offset, put_offset = vector_field("offset_x", "offset_y")


@inlined
def origin_at(cluster: Record, time: float) -> Vector:
    """Where the origin of a cluster's motion is at a time, without walls."""
    return plus(place(cluster), times(time - cluster.time, velocity(cluster)))


@inlined
def angle_at(cluster: Record, time: float) -> float:
    """φ of a cluster that turns at a time, from -π to π."""
    return half_turns_off(cluster.angle + cluster.spin * (time - cluster.time))


@inlined
def _pose(turns: Vector, cluster: Record, time: float, further: float) -> Vector:
    if len(turns) > 0:
        if cluster.arm == 0.0:  # a single disc, whose place does not change as it turns
            return 1.0, 0.0
        return cos_sin(angle_at(cluster, time) + further)
    return ()


@inlined
def pose_at(cluster: Record, time: float) -> Vector:
    """Cosine and sine of the angle of a cluster at a time; nothing where it does not turn."""
    return _pose(turning(cluster), cluster, time, 0.0)


@inlined
def pose_turned(cluster: Record, time: float, further: float) -> Vector:
    """`pose_at`, turned further by an angle."""
    return _pose(turning(cluster), cluster, time, further)


@inlined
def from_origin(pose: Vector, middle: Vector, b: Vector) -> Vector:
    """From the origin of a cluster's motion to the place b in its frame; middle : its `centre`."""
    if len(pose) > 0:
        return turned(pose, minus(b, middle))
    return b


@inlined
def into_frame(pose: Vector, middle: Vector, r: Vector) -> Vector:
    """The place in a cluster's frame of what is at r from the origin of its motion."""
    if len(pose) > 0:
        return plus(turned_back(pose, r), middle)
    return r


@inlined
def pose_between(one: Vector, two: Vector) -> Vector:
    """The pose of a frame with the pose `two` in one with the pose `one`."""
    if len(one) > 0:
        return one[0] * two[0] + one[1] * two[1], one[0] * two[1] - one[1] * two[0]
    return ()


@inlined
def in_other_frame(pose: Vector, origin: Vector, b: Vector) -> Vector:
    """The place b of one frame in another, in which its origin is at `origin` and its pose is `pose`."""
    if len(pose) > 0:
        return plus(origin, turned(pose, b))
    return plus(b, origin)


@inlined
def turn_to(turns: Vector, st: Stepping, c: int, time: float) -> None:
    """As the frame of a cluster is anchored anew at `time`: turn it until then, and begin to note how its discs are
    moved in this step."""
    if len(turns) > 0:
        cluster = st.clusters[c]
        cluster.flown_inertia = cluster.inertia
        if cluster.undone == st.sim[0].steps:
            cluster.angle = cluster.undone_angle
        else:
            cluster.angle = angle_at(cluster, time)
            put_offset(cluster, (0.0, 0.0))


@inlined
def _move_disc(turns: Vector, st: Stepping, i: int, by: Vector) -> None:
    disc = st.discs[i]
    if len(turns) > 0:
        cluster = st.clusters[st.label[i]]
        step = turned_back(cos_sin(cluster.angle), by)
        r, share = minus(place(disc), centre(cluster)), disc.mass / cluster.mass
        square = dot(step, step)
        cluster.inertia += disc.mass * (2.0 * dot(r, step) + (1.0 - share) * square)
        put_centre(cluster, plus(centre(cluster), times(share, step)))
        put_place(cluster, plus(place(cluster), times(share, by)))
        put_offset(cluster, plus(offset(cluster), times(share, by)))
        cluster.arm = -1.0
        put_place(disc, plus(place(disc), step))
    else:
        put_place(disc, plus(place(disc), by))


@inlined
def move_disc(st: Stepping, i: int, by: Vector) -> None:
    """Move disc i in the frame of its cluster, which is anchored at the end of the step, by a vector of the box.

    Where clusters turn, centre of mass and moment of inertia follow.
    """
    _move_disc(turning(st.clusters[st.label[i]]), st, i, by)


@inlined
def unite(turns: Vector, st: Stepping, c: int, d: int, by: Vector, u: Vector) -> tuple[Vector, Vector]:
    """Where the frame of cluster d is in that of c, which it joins: its origin and its pose.

    by : from the origin of c's motion to that of d's, in the image in which they touch; u : the velocity of d relative
    to c. Masses and momenta are those before. Where clusters turn, c gets the angular momentum of both: with μ the
    reduced mass and r between their centres of mass, before the minimisation, L = L_c + L_d + μ r × u; and their moment
    of inertia, after it.
    """
    if len(turns) > 0:
        keeps, goes = st.clusters[c], st.clusters[d]
        share = goes.mass / (keeps.mass + goes.mass)
        reduced = keeps.mass * share
        drifted = minus(offset(goes), offset(keeps))
        flown = minus(by, drifted)
        keeps.spin_momentum += goes.spin_momentum + reduced * cross(flown, u)
        keeps.flown_inertia += goes.flown_inertia + reduced * dot(flown, flown)
        keeps.inertia += goes.inertia + reduced * dot(by, by)
        keeps.spans = max(keeps.spans, goes.spans)
        pose_c, pose_d = cos_sin(keeps.angle), cos_sin(goes.angle)
        pose, back = pose_between(pose_c, pose_d), turned_back(pose_c, by)
        origin = minus(plus(centre(keeps), back), turned(pose, centre(goes)))
        put_place(keeps, plus(place(keeps), times(share, by)))
        put_centre(keeps, plus(centre(keeps), times(share, back)))
        put_offset(keeps, plus(offset(keeps), times(share, drifted)))
        keeps.arm = -1.0
        return origin, pose
    return by, ()


@inlined
def join_disc(pose: Vector, st: Stepping, k: int, c: int, d: int, origin: Vector) -> None:
    """Bring disc k of cluster d into the frame of cluster c, see `unite`."""
    put_place(st.discs[k], in_other_frame(pose, origin, place(st.discs[k])))
    st.label[k] = c
    if len(pose) > 0:
        further = st.clusters[d].angle - st.clusters[c].angle
        st.clusters[k].disc_angle = half_turns_off(st.clusters[k].disc_angle + further)
