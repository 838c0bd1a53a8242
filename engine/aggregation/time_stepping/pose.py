"""How a cluster stands at a time: what clusters that turn add to a straight flight.

The arrays of clusters that turn have records with more fields (`arrays.TURNING_CLUSTER`): then the origin of a
cluster's motion is its centre of mass, and its frame turns with it, as in the event-driven method, in the plane by an
angle and in space as a free top (`engine.aggregation.turning.pose`). For all others the origin is that of the frame,
and what is read here is the empty tuple, on whose length kernels branch, so that the code for turning is gone before it
is compiled.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from engine.aggregation.time_stepping.arrays import Stepping
from engine.aggregation.turning import pose as of_turning
from engine.aggregation.turning import top
from engine.aggregation.turning.bodies import put_seen
from engine.aggregation.turning.motion import (
    BodyPose,
    Spin,
    followed,
    half_turns_off,
    opposite,
    quaternion_of,
    turned,
    turned_back,
)
from engine.aggregation.turning.pose import (
    angles_at,
    disc_turn,
    facing,
    inertia,
    inertia_of_both,
    inertia_of_moved,
    join_spins,
    no_spin,
    no_turn,
    pose_of_facing,
    posed,
    put_facing,
    put_inertia,
    turn_disc,
)
from engine.geometry.vectors import Vector, every, minus, place, plus, put_place, put_row, times, velocity
from engine.kernels import inlined, vector_field
from engine.records import Record

turning, _ = vector_field("reach")
"""What clusters that turn have, or nothing."""
centre, put_centre = vector_field("centre_x", "centre_y", "centre_z")
"""The centre of mass in the frame of a cluster that turns, or nothing."""
offset, put_offset = vector_field("offset_x", "offset_y", "offset_z")
undone_facing, put_undone_facing = vector_field("undone_angle", *(f"undone_{name}" for name in top.ORIENTATION))
flown_inertia, put_flown_inertia = vector_field("flown_inertia", *(f"flown_{name}" for name in top.TENSOR))


@inlined
def origin_at(cluster: Record, time: float) -> Vector:
    """Where the origin of a cluster's motion is at a time, without walls."""
    return plus(place(cluster), times(time - cluster.time, velocity(cluster)))


@inlined
def _pose_at(turns: Vector, cluster: Record, time: float) -> BodyPose:
    if len(turns) > 0:
        if cluster.arm == 0.0:  # a single disc, whose place does not change as it turns
            return no_turn(place(cluster))
        return of_turning.pose_at(cluster, time, place(cluster))[0]
    return ()


@inlined
def pose_at(cluster: Record, time: float) -> BodyPose:
    """The pose of a cluster at a time, without walls; nothing where it does not turn."""
    return _pose_at(turning(cluster), cluster, time)


@inlined
def pose_flown(turns: Vector, st: Stepping, c: int) -> BodyPose:
    """The pose of a cluster at the end of the current step, walls included; nothing where it does not turn.

    turns : its `turning`.
    """
    if len(turns) > 0:
        time, k = st.sim[0].time + st.sim[0].dt, st.mark[c]
        if k >= 0:
            return bent_pose(st.clusters[c], time, st.shift, k)
        return pose_at(st.clusters[c], time)
    return ()


@inlined
def pose_after(cluster: Record, angles: Any, t: float) -> tuple[BodyPose, Spin]:
    """The pose of a cluster that turns, and its ω, at the time t after that of `angles`
    (`engine.aggregation.turning.pose.angles_at`)."""
    like = place(cluster)
    if cluster.arm == 0.0:
        return no_turn(like), no_spin(like)
    return posed(cluster, angles, t, like)


@inlined
def bent_pose(cluster: Record, time: float, shift: NDArray[Any], k: int) -> BodyPose:
    """The pose at a time of a cluster that turns and whose flight something has changed; row k of `shift`, (N, 3) or
    (N, 7) as in `arrays.Stepping`, is its own."""
    like = place(cluster)
    if cluster.arm == 0.0:
        return no_turn(like)
    return pose_of_facing(bent_facing(cluster, time, shift, k, like))


@inlined
def bent_facing(cluster: Record, time: float, shift: NDArray[Any], k: int, like: Vector) -> Vector:
    """`bent_pose` as a `facing`; shift : (N, 3) or (N, 7)."""
    if len(like) > 2:
        return shift[k, 3], shift[k, 4], shift[k, 5], shift[k, 6]
    return (angles_at(cluster, time, like) + shift[k, 2],)


@inlined
def facing_after(cluster: Record, time: float, like: Vector) -> Vector:
    """How a cluster that turns is turned at a time, without walls, as a `facing`."""
    if len(like) > 2:
        return quaternion_of(of_turning.pose_at(cluster, time, like)[0])
    return (cluster.angle + cluster.spin * (time - cluster.time),)


@inlined
def wrapped_facing(turned_by: Vector) -> Vector:
    """A `facing` with its angle from -π to π."""
    if len(turned_by) > 1:
        return turned_by
    return (half_turns_off(turned_by[0]),)


@inlined
def put_bent_facing(turned_by: Vector, cluster: Record, time: float, shift: NDArray[Any], k: int) -> None:
    """Write into row k of `shift`, (N, 3) or (N, 7), how a cluster is turned at a time, see `bent_facing`."""
    if len(turned_by) > 1:
        shift[k, 3], shift[k, 4], shift[k, 5], shift[k, 6] = turned_by
    else:
        shift[k, 2] = turned_by[0] - (cluster.angle + cluster.spin * (time - cluster.time))


@inlined
def put_hit(hit: NDArray[Any], k: int, v: Vector, turn: Vector) -> None:
    """Write into row k of `hit`, (N, 3) or (N, 9), how a cluster flies on and turns, see `in_flight.landed`."""
    put_row(hit, k, v)
    for column in range(len(turn)):
        hit[k, len(v) + column] = turn[column]


@inlined
def bent_spin(hit: NDArray[Any], k: int, like: Vector) -> Spin:
    """ω of row k of `hit`, (N, 3) or (N, 9)."""
    if len(like) > 2:
        return hit[k, 6], hit[k, 7], hit[k, 8]
    return hit[k, 2]


@inlined
def anchored_pose(turns: Vector, cluster: Record) -> BodyPose:
    """The pose of a cluster at the time of its anchor; turns : its `turning`."""
    if len(turns) > 0:
        return pose_of_facing(facing(cluster))
    return ()


@inlined
def from_origin(pose: BodyPose, middle: Vector, b: Vector) -> Vector:
    """From the origin of a cluster's motion to the place b in its frame; middle : its `centre`."""
    if len(pose) > 0:
        return turned(pose, minus(b, middle))
    return b


@inlined
def into_frame(pose: BodyPose, middle: Vector, r: Vector) -> Vector:
    """The place in a cluster's frame of what is at r from the origin of its motion."""
    if len(pose) > 0:
        return plus(turned_back(pose, r), middle)
    return r


@inlined
def pose_between(one: BodyPose, two: BodyPose) -> BodyPose:
    """The pose of a frame with the pose `two` in one with the pose `one`."""
    if len(one) > 0:
        return followed(opposite(one), two)
    return ()


@inlined
def in_other_frame(pose: BodyPose, origin: Vector, b: Vector) -> Vector:
    """The place b of one frame in another, in which its origin is at `origin` and its pose is `pose`."""
    if len(pose) > 0:
        return plus(origin, turned(pose, b))
    return plus(b, origin)


@inlined
def face(cluster: Record, turned_by: Vector, time: float) -> None:
    """Turn the frame of a cluster, anchored at `time`; see `facing`. In space its motion is to be prepared again."""
    put_facing(cluster, turned_by)
    if len(turned_by) > 1:
        put_seen(cluster, pose_of_facing(turned_by))
        cluster.seen_time = time


@inlined
def turn_to(turns: Vector, st: Stepping, c: int, time: float) -> None:
    """As the frame of a cluster is anchored anew at `time`: turn it until then, and begin to note how its discs are
    moved in this step."""
    if len(turns) > 0:
        cluster = st.clusters[c]
        put_flown_inertia(cluster, inertia(cluster))
        like = place(cluster)
        turned_by = undone_facing(cluster)
        if cluster.undone != st.sim[0].steps:
            turned_by = wrapped_facing(facing_after(cluster, time, like))
            put_offset(cluster, every(0.0, like))
        face(cluster, turned_by, time)


@inlined
def _move_disc(turns: Vector, st: Stepping, i: int, by: Vector) -> None:
    disc = st.discs[i]
    if len(turns) > 0:
        cluster = st.clusters[st.label[i]]
        step = turned_back(anchored_pose(turns, cluster), by)
        r, share = minus(place(disc), centre(cluster)), disc.mass / cluster.mass
        put_inertia(cluster, inertia_of_moved(inertia(cluster), disc.mass, share, r, step))
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
def unite(turns: Vector, st: Stepping, c: int, d: int, by: Vector, u: Vector) -> tuple[Vector, BodyPose]:
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
        pose_c, pose_d = anchored_pose(turns, keeps), anchored_pose(turns, goes)
        pose, back = pose_between(pose_c, pose_d), turned_back(pose_c, by)
        join_spins(keeps, goes, reduced, flown, u)
        before = inertia_of_both(flown_inertia(keeps), flown_inertia(goes), pose_c, pose, reduced, flown)
        put_flown_inertia(keeps, before)
        put_inertia(keeps, inertia_of_both(inertia(keeps), inertia(goes), pose_c, pose, reduced, by))
        keeps.spans = max(keeps.spans, goes.spans)
        origin = minus(plus(centre(keeps), back), turned(pose, centre(goes)))
        put_place(keeps, plus(place(keeps), times(share, by)))
        put_centre(keeps, plus(centre(keeps), times(share, back)))
        put_offset(keeps, plus(offset(keeps), times(share, drifted)))
        keeps.arm = -1.0
        return origin, pose
    return by, ()


@inlined
def join_disc(pose: BodyPose, st: Stepping, k: int, further: Any, c: int, origin: Vector) -> None:
    """Bring disc k into the frame of cluster c, which its own one joins, see `unite` and `further_turned`."""
    put_place(st.discs[k], in_other_frame(pose, origin, place(st.discs[k])))
    st.label[k] = c
    if len(pose) > 0:
        turn_disc(st.clusters[k], further, origin)


@inlined
def further_turned(pose: BodyPose, st: Stepping, c: int, d: int) -> Any:
    """By how much the discs of cluster d are turned as they come into the frame of c; pose : of its frame there."""
    if len(pose) > 0:
        return disc_turn(st.clusters[d], st.clusters[c], pose)
    return 0.0
