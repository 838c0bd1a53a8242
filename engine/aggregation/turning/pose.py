"""How a cluster moves and turns, and what changes that: the one place that knows of the two kinds, those of the plane
and those of space.

In the plane a cluster turns by the angle φ at a constant ω. In space its angular momentum is constant and its pose is
that of a free top (`engine.aggregation.turning.top`). Everything else about clusters that turn is the same code.
Vectors that functions take as `like` only say in which dimension they compute.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.event_driven.clusters import ClusterArrays
from engine.aggregation.turning import top
from engine.aggregation.turning.bodies import (
    centre,
    disc_orientation,
    put_disc_orientation,
    put_seen,
    put_spin,
    seen,
    spin,
)
from engine.aggregation.turning.motion import (
    BodyPose,
    Spin,
    around,
    cos_sin,
    cross,
    followed,
    half_turns_off,
    opposite,
    pose_of,
    quaternion_of,
    quaternion_product,
    turned,
    turned_back,
    unit,
)
from engine.geometry.minimum_image import into_box, periods_of, wraps
from engine.geometry.vectors import (
    Vector,
    dot,
    minus,
    place,
    plus,
    put_place,
    put_row,
    times,
    velocity,
    with_component,
)
from engine.kernels import inlined, vector_field
from engine.records import Record

facing, put_facing = vector_field("angle", *top.ORIENTATION)
"""How the frame of a body is turned: (φ,), in space a unit quaternion."""
inertia, put_inertia = vector_field("inertia", *top.TENSOR)
"""Its moment of inertia as (I,), in space the six components of the tensor in its frame."""


@inlined
def pose_of_facing(turned_by: Vector) -> BodyPose:
    """The pose of a frame that is turned like this, see `facing`."""
    if len(turned_by) > 1:
        return pose_of(turned_by)
    return cos_sin(turned_by[0])


@inlined
def no_turn(like: Vector) -> BodyPose:
    """The pose of a frame with the axes of the box."""
    if len(like) > 2:
        return 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    return 1.0, 0.0


@inlined
def no_spin(like: Vector) -> Spin:
    """ω, or angular momentum, of what does not turn."""
    if len(like) > 2:
        return 0.0, 0.0, 0.0
    return 0.0


@inlined
def angles_at(cluster: Record, now: float, like: Vector) -> Any:
    """What a search that begins at `now` goes on from: φ, in space the angles of the top."""
    after = now - cluster.time
    if len(like) > 2:
        wobble = half_turns_off(cluster.wobble + cluster.wobble_rate * after)
        return wobble, half_turns_off(cluster.phase + cluster.phase_rate * after)
    return half_turns_off(cluster.angle + cluster.spin * after)


@inlined
def posed(cluster: Record, angles: Any, t: float, like: Vector) -> tuple[BodyPose, Spin]:
    """The pose of a cluster and its ω at the time t after that of `angles`. Of a single sphere, which looks the same
    from all sides, any pose will do."""
    if len(like) > 2:
        if cluster.bend == 0.0 and cluster.alone:
            return no_turn(like), no_spin(like)
        return top.top_at(cluster, angles[0] + cluster.wobble_rate * t, angles[1] + cluster.phase_rate * t)
    return cos_sin(angles + cluster.spin * t), cluster.spin


@inlined
def pose_at(cluster: Record, now: float, like: Vector) -> tuple[BodyPose, Spin]:
    """The pose of a cluster and its ω at a time, which remain known until another time is asked for."""
    angles = angles_at(cluster, now, like)
    if len(like) > 2:
        if cluster.seen_time != now:
            pose, omega = top.top_at(cluster, angles[0], angles[1])
            put_seen(cluster, pose)
            put_spin(cluster, omega)
            cluster.seen_time = now
        return seen(cluster), spin(cluster)
    return cos_sin(angles), cluster.spin


@inlined
def bending(cluster: Record, b: Vector) -> float:
    """A bound of the acceleration of a point at b from the centre of mass."""
    if len(b) > 2:
        return float(cluster.bend * sqrt(dot(b, b)))
    omega = cluster.spin
    return float(omega * omega * sqrt(dot(b, b))) if omega != 0.0 else 0.0


@inlined
def fastest(cluster: Record, like: Vector) -> float:
    """A bound of |ω|; 0 for a single sphere."""
    if len(like) > 2:
        return float(cluster.fastest)
    return float(abs(cluster.spin))


@inlined
def from_centre(cluster: Record, pose: BodyPose, b: Vector) -> Vector:
    """From the centre of mass of a cluster in this pose to the place b in its frame."""
    return turned(pose, minus(b, centre(cluster)))


@inlined
def turn_on(cluster: Record, now: float, like: Vector) -> None:
    """Let a cluster turn until `now`."""
    if len(like) > 2:
        cluster.wobble, cluster.phase = angles_at(cluster, now, like)
        return
    cluster.angle = angles_at(cluster, now, like)


@inlined
def move_to(st: ClusterArrays, c: int, now: float) -> None:
    """Move a cluster to `now`, and its centre of mass back into the box along periodic axes."""
    cluster = st.clusters[c]
    x = into_box(plus(place(cluster), times(now - cluster.time, velocity(cluster))), periods_of(st.sim[0]))
    put_place(cluster, x)
    turn_on(cluster, now, x)
    cluster.time = now


@inlined
def turning_energy(cluster: Record, like: Vector) -> float:
    """½ L · ω."""
    if len(like) > 2:
        return float(cluster.turning_energy)
    return float(0.5 * cluster.spin_momentum * cluster.spin_momentum / cluster.inertia)


@inlined
def set_spin(st: ClusterArrays, c: int, like: Vector) -> None:
    """Let a cluster turn with its angular momentum and moments of inertia from its `time` on. One that touches an image
    of itself keeps no angular momentum."""
    cluster = st.clusters[c]
    if len(like) > 2:
        if cluster.spans:
            top.put_spin_momentum(cluster, (0.0, 0.0, 0.0))
        pose, _ = top.top_at(cluster, cluster.wobble, cluster.phase)
        top.put_orientation(cluster, quaternion_of(pose))
        set_top(cluster, cluster.mass == st.discs[c].mass)
        return
    if cluster.spans:
        cluster.spin_momentum = 0.0
    cluster.spin = cluster.spin_momentum / cluster.inertia


@inlined
def set_top(cluster: Record, alone: bool) -> None:
    """Prepare the motion of a cluster in space from its orientation, angular momentum and tensor of inertia.

    alone : whether it is a single sphere.
    """
    top.set_top(cluster)
    cluster.seen_time = -1.0
    cluster.alone = alone
    if alone:
        cluster.fastest = cluster.bend = 0.0


@inlined
def set_again(st: ClusterArrays, c: int, like: Vector) -> None:
    """Prepare the motion of a cluster of a checkpoint."""
    if len(like) > 2:
        cluster = st.clusters[c]
        wobble, phase = cluster.wobble, cluster.phase
        set_top(cluster, cluster.mass == st.discs[c].mass)
        cluster.wobble, cluster.phase = wobble, phase


@inlined
def begin_turning(cluster: Record, like: Vector) -> None:
    """Give a cluster the axes of the box as those of its frame."""
    if len(like) > 2:
        top.put_frame(cluster, no_turn(like), no_turn(like))


@inlined
def add_disc(cluster: Record, disc: Record, r: Vector, v: Vector, omega: Spin) -> None:
    """Add angular momentum and moments of inertia of a solid disc or sphere at r from the centre of mass.

    v : its velocity relative to that; omega : its ω. The frame of the body has the axes of the box.
    """
    m = disc.mass
    if len(r) > 2:
        own = 0.4 * m * disc.radius * disc.radius
        add_spin_momentum(cluster, plus(times(m, cross(r, v)), times(own, omega)), r)
        put_inertia(cluster, _with_point(inertia(cluster), m, r, own))
        return
    own = 0.5 * m * disc.radius * disc.radius
    cluster.spin_momentum += m * cross(r, v) + own * omega
    cluster.inertia += m * dot(r, r) + own


@inlined
def join_spins(keeps: Record, goes: Record, mass: float, r: Vector, u: Vector) -> None:
    """Add to the angular momentum of a cluster that of another one, and that of the two about their common centre of
    mass.

    mass : the reduced one; r, u : the vector between the centres of mass, and their relative velocity.
    """
    if len(r) > 2:
        both = plus(top.spin_momentum(keeps), top.spin_momentum(goes))
        top.put_spin_momentum(keeps, plus(both, times(mass, cross(r, u))))
        return
    keeps.spin_momentum += goes.spin_momentum + mass * cross(r, u)


@inlined
def inertia_of_both(one: Vector, two: Vector, pose: BodyPose, turn: BodyPose, mass: float, r: Vector) -> Vector:
    """The `inertia` of two clusters about their common centre of mass, in the frame of the first.

    one, two : their own; pose : of the first; turn : from the frame of the second to that; mass, r : see `join_spins`.
    """
    if len(r) > 2:
        return _with_point(_with_tensor(one, turn, two), mass, turned_back(pose, r), 0.0)
    return (one[0] + (two[0] + mass * dot(r, r)),)


@inlined
def inertia_of_moved(one: Vector, mass: float, share: float, r: Vector, step: Vector) -> Vector:
    """The `inertia` of a cluster one of whose discs moves, about its centre of mass, which moves with it.

    mass, share : of the disc, and its share in that of the cluster; r, step : where it is, from the centre of mass, and
        how far it moves, in the frame of the cluster.
    """
    if len(r) > 2:
        xx, yy, zz, yz, xz, xy = one
        x, y, z = r
        a, b, c = step
        part = 1.0 - share
        aa, bb, cc = (2.0 * x + part * a) * a, (2.0 * y + part * b) * b, (2.0 * z + part * c) * c
        xx, yy, zz = xx + mass * (bb + cc), yy + mass * (aa + cc), zz + mass * (aa + bb)
        yz -= mass * (y * c + z * b + part * b * c)
        xz -= mass * (x * c + z * a + part * a * c)
        return xx, yy, zz, yz, xz, xy - mass * (x * b + y * a + part * a * b)
    return (one[0] + mass * (2.0 * dot(r, step) + (1.0 - share) * dot(step, step)),)


@inlined
def _with_point(tensor: Vector, mass: float, r: Vector, own: float) -> Vector:
    """A tensor of inertia with that of a point mass at r, in the frame of the body, and `own` for every axis."""
    xx, yy, zz, yz, xz, xy = tensor
    x, y, z = r
    xx += mass * (y * y + z * z) + own
    yy += mass * (x * x + z * z) + own
    zz += mass * (x * x + y * y) + own
    return xx, yy, zz, yz - mass * y * z, xz - mass * x * z, xy - mass * x * y


@inlined
def _with_tensor(tensor: Vector, turn: BodyPose, other: Vector) -> Vector:
    """A tensor of inertia with that of another body, which `turn` brings into the frame of the first."""
    xx, yy, zz, yz, xz, xy = other
    more = followed(turn, followed((xx, xy, xz, xy, yy, yz, xz, yz, zz), opposite(turn)))
    xx, yy, zz, yz, xz, xy = tensor
    return xx + more[0], yy + more[4], zz + more[8], yz + more[5], xz + more[2], xy + more[1]


@inlined
def add_spin_momentum(cluster: Record, twist: Spin, like: Vector) -> None:
    """Add to the angular momentum of a cluster."""
    if len(like) > 2:
        top.put_spin_momentum(cluster, plus(top.spin_momentum(cluster), twist))
        return
    cluster.spin_momentum += twist


@inlined
def drop_spin_momentum(cluster: Record, like: Vector) -> None:
    """Take the angular momentum of a cluster away."""
    if len(like) > 2:
        top.put_spin_momentum(cluster, (0.0, 0.0, 0.0))
        return
    cluster.spin_momentum = 0.0


@inlined
def yielding(moments: Vector, pose: BodyPose, arm: Spin) -> float:
    """(a × n) · I⁻¹ (a × n): how much turning adds to how easily a cluster in this pose is pushed along n at a.

    moments : its `inertia`; arm : a × n. With L in its place this is twice the energy of turning.
    """
    if len(moments) > 1:
        x, y, z = turned_back(pose, arm)
        xx, yy, zz, yz, xz, xy = moments
        # by the adjoint matrix
        a, b, c = yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy
        d, e, f = xz * xy - xx * yz, xy * yz - yy * xz, xz * yz - zz * xy
        whole = xx * a + xy * f + xz * e
        return float((a * x * x + b * y * y + c * z * z + 2.0 * (d * y * z + e * x * z + f * x * y)) / whole)
    return float(arm * arm / moments[0])


@inlined
def wall_push(body: Record, pose: BodyPose, v: Vector, omega: Spin, a: Vector, normal: Vector) -> Vector:
    """The impulse that a wall with this normal gives a body in this pose at a from its centre of mass, without friction
    and loss: J = −2 v_n / (1/M + (a × n) · I⁻¹ (a × n)), in the plane with (a × n)² / I.

    v, omega : of the body. One that spans the box does not turn, however it is pushed.
    """
    toward = dot(plus(v, around(omega, a)), normal)
    yields = 0.0 if body.spans else yielding(inertia(body), pose, cross(a, normal))
    return times(-2.0 * toward / (1.0 / body.mass + yields), normal)


@inlined
def between_walls(a: Vector, periodic: int) -> Vector:
    """A vector without its components along the periodic axes of a box, see `minimum_image.wraps`."""
    for axis in range(len(a)):
        if wraps(periodic, axis):
            a = with_component(a, axis, 0.0)
    return a


@inlined
def disc_turn(goes: Record, keeps: Record, turn: BodyPose) -> Any:
    """By how much the discs of a cluster are turned when they come into the frame of another; see `turn_disc`.

    turn : from the frame of the first to that of the second.
    """
    if len(turn) > 2:
        return quaternion_of(turn)
    return goes.angle - keeps.angle


@inlined
def turn_disc(disc: Record, further: Any, like: Vector) -> None:
    """Turn a disc in the frame of its cluster."""
    if len(like) > 2:
        put_disc_orientation(disc, unit(quaternion_product(further, disc_orientation(disc))))
        return
    disc.disc_angle = half_turns_off(disc.disc_angle + further)


@inlined
def first_spin(cluster: Record, like: Vector) -> Spin:
    """ω with which a disc starts."""
    if len(like) > 2:
        return spin(cluster)
    return cluster.spin


@inlined
def put_turning(
    turns: NDArray[np.float64],
    spins: NDArray[np.float64],
    i: int,
    cluster: Record,
    disc: Record,
    now: float,
    like: Vector,
) -> None:
    """Write how far a disc is turned at a time, and the ω of its cluster, into rows i of arrays.

    turns : (N,), angles, or (N, 4), unit quaternions; spins : (N,) or (N, 3).
    """
    pose, omega = pose_at(cluster, now, like)
    if len(like) > 2:
        put_turned(turns, spins, i, quaternion_of(pose), omega, disc)
        return
    put_turned(turns, spins, i, (angles_at(cluster, now, like),), omega, disc)


@inlined
def put_turned(
    turns: NDArray[np.float64], spins: NDArray[np.float64], i: int, turned_by: Vector, omega: Spin, disc: Record
) -> None:
    """`put_turning` of a cluster that is turned like this, see `facing`, and has this ω.

    turns : (N,) or (N, 4); spins : (N,) or (N, 3).
    """
    if len(turned_by) > 1:
        turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3] = unit(quaternion_product(turned_by, disc_orientation(disc)))
        put_row(spins, i, omega)
        return
    turns[i] = half_turns_off(turned_by[0] + disc.disc_angle)
    spins[i] = omega
