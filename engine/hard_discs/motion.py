"""Places and velocities of discs and spheres in kernels, as vectors of two or three components.

All that kernels read and write of single axes stands here; what they compute with it is the same in the plane and in
space (`engine.geometry.vectors`).
"""

from __future__ import annotations

import numpy as np

from engine.geometry import vectors
from engine.geometry.minimum_image import nearest_image, rounded_image
from engine.geometry.vectors import Vector, dot, minus, place, plus, put_place, times, with_component
from engine.hard_discs import discs as d
from engine.hard_discs.discs import PLANE, DiscArrays
from engine.kernels import inlined


@inlined
def zero(st: DiscArrays) -> Vector:
    """The vector 0."""
    if len(st) > PLANE:
        return 0.0, 0.0, 0.0
    return 0.0, 0.0


@inlined
def ones(st: DiscArrays) -> Vector:
    """A vector whose components are all 1."""
    if len(st) > PLANE:
        return 1.0, 1.0, 1.0
    return 1.0, 1.0


@inlined
def sides(st: DiscArrays) -> Vector:
    """The sides of the box."""
    if len(st) > PLANE:
        return st.state.lx, st.state.ly, st.state.lz
    return st.state.lx, st.state.ly


@inlined
def half_sides(st: DiscArrays) -> Vector:
    """Half the periods of the box; infinite along an axis with walls, and along y in a shear flow."""
    if len(st) > PLANE:
        return st.state.half_x, st.state.half_y, st.state.half_z
    return st.state.half_x, st.state.half_y


@inlined
def nearest(st: DiscArrays, delta: Vector) -> Vector:
    """The difference of two places in the box to the nearest image; in a shear flow not across y, see `apart`."""
    state = st.state
    x = nearest_image(delta[0], state.lx, state.half_x)
    y = nearest_image(delta[1], state.ly, state.half_y)
    if len(st) > PLANE:
        return x, y, nearest_image(delta[2], state.lz, state.half_z)
    return x, y


@inlined
def flow(st: DiscArrays, y: float) -> float:
    """The velocity along x of the flow at the height y; 0 at half the height of the box, and without shear."""
    return float(st.state.shear_rate * (y - 0.5 * st.state.ly))


@inlined
def strain_at(st: DiscArrays, t: float) -> float:
    """The strain at a time of the epoch."""
    return float(st.state.strain + st.state.shear_rate * t)


@inlined
def upper_image(st: DiscArrays, turns: int, x: Vector, v: Vector, t: float) -> tuple[Vector, Vector]:
    """Place and velocity at the time t of the image of a disc that is `turns` boxes further up (Lees and Edwards 1972).
    x, v : those of the disc at that time."""
    ly = st.state.ly
    x = with_component(x, 0, x[0] + turns * (strain_at(st, t) * ly))
    return (
        with_component(x, 1, x[1] + turns * ly),
        with_component(v, 0, v[0] + turns * (st.state.shear_rate * ly)),
    )


@inlined
def thermal(st: DiscArrays, x: Vector, v: Vector) -> Vector:
    """The velocity v of a disc at x, relative to the flow at that height."""
    if st.state.sheared:
        return with_component(v, 0, v[0] - flow(st, x[1]))
    return v


@inlined
def apart(st: DiscArrays, i: int, j: int) -> tuple[Vector, Vector, int]:
    """Place and velocity of the nearest image of disc j relative to disc i, both up to date at the same time; and how
    many boxes further up that image is, 0 without a flow."""
    y = place(st.motion[j])
    w = velocity(st, j)
    if not st.state.sheared:
        delta = minus(y, position(st, i))
        if st.state.periodic:
            delta = nearest(st, delta)
        return delta, minus(w, velocity(st, i)), 0
    x = position(st, i)
    turns = 0
    if y[1] - x[1] > 0.5 * st.state.ly:
        turns = -1
    elif y[1] - x[1] < -0.5 * st.state.ly:
        turns = 1
    y, w = upper_image(st, turns, y, w, st.motion[j].time)
    delta = minus(y, x)
    # the image above may be any number of periods ahead
    delta = with_component(delta, 0, rounded_image(delta[0], st.state.lx))
    return nearest(st, delta), minus(w, velocity(st, i)), turns


@inlined
def pull(st: DiscArrays) -> Vector:
    """The gravity of the scenario."""
    if len(st) > PLANE:
        return st.state.gx, st.state.gy, st.state.gz
    return st.state.gx, st.state.gy


@inlined
def gravity(st: DiscArrays, flags: int) -> Vector:
    """Acceleration of a disc with these flags: none along an axis on whose wall it rests."""
    gx: float = 0.0 if flags & d.HELD_X else st.state.gx
    gy: float = 0.0 if flags & d.HELD_Y else st.state.gy
    if len(st) > PLANE:
        gz: float = 0.0 if flags & d.HELD_Z else st.state.gz
        return gx, gy, gz
    return gx, gy


@inlined
def held_along(axis: int) -> int:
    """The flag of a disc that rests on a wall across this axis."""
    return d.HELD_Z if axis == 2 else d.HELD_X << axis


@inlined
def position(st: DiscArrays, i: int) -> Vector:
    """The place of disc i at its own time."""
    return place(st.motion[i])


@inlined
def put_position(st: DiscArrays, i: int, x: Vector) -> None:
    """Set the place of disc i at its own time."""
    put_place(st.motion[i], x)


@inlined
def velocity(st: DiscArrays, i: int) -> Vector:
    """The velocity of disc i at its own time."""
    return vectors.velocity(st.motion[i])


@inlined
def put_velocity(st: DiscArrays, i: int, v: Vector) -> None:
    """Set the velocity of disc i at its own time."""
    vectors.put_velocity(st.motion[i], v)


@inlined
def put_velocity_along(st: DiscArrays, i: int, axis: int, speed: float) -> None:
    """Set one component of the velocity of disc i."""
    put_velocity(st, i, with_component(velocity(st, i), axis, speed))


@inlined
def spot(st: DiscArrays, i: int) -> Vector:
    """The reference point of disc i, in double precision."""
    place = st.place[i]
    if len(st) > PLANE:
        return np.float64(place.x), np.float64(place.y), np.float64(place.z)
    return np.float64(place.x), np.float64(place.y)


@inlined
def put_spot(st: DiscArrays, i: int, x: Vector) -> None:
    """Set the reference point of disc i."""
    put_place(st.place[i], x)


@inlined
def spot_in_cell(st: DiscArrays, at: int) -> Vector:
    """The reference point, in double precision, whose x stands at this place of `spots`."""
    room = d.cell_room(st)
    x = np.float64(st.spots[at])
    y = np.float64(st.spots[at + room])
    if len(st) > PLANE:
        return x, y, np.float64(st.spots[at + 2 * room])
    return x, y


@inlined
def put_spot_in_cell(st: DiscArrays, at: int, i: int) -> None:
    """Write the reference point of disc i into `spots`, its x to this place."""
    room = d.cell_room(st)
    place = st.place[i]
    st.spots[at] = place.x
    st.spots[at + room] = place.y
    if len(st) > PLANE:
        st.spots[at + 2 * room] = place.z


@inlined
def motion_at(st: DiscArrays, i: int, t: float) -> tuple[Vector, Vector]:
    """Position and velocity of disc i at time t, in free flight or free fall."""
    disc = st.motion[i]
    dt = t - disc.time
    x = position(st, i)
    v = velocity(st, i)
    if st.state.gravity:
        g = gravity(st, disc.flags)
        return plus(x, times(dt, plus(v, times(dt, times(0.5, g))))), plus(v, times(dt, g))
    return plus(x, times(dt, v)), v


@inlined
def move_to(st: DiscArrays, i: int, t: float) -> None:
    """Bring disc i to the time t."""
    x, v = motion_at(st, i, t)
    put_position(st, i, x)
    put_velocity(st, i, v)
    st.motion[i].time = t


@inlined
def distance2(st: DiscArrays, x: Vector, j: int) -> float:
    """Squared distance of a reference point x from the nearest image of that of disc j, symmetric in rounding."""
    delta = minus(spot(st, j), x)
    if st.state.periodic:
        delta = nearest(st, delta)
    return dot(delta, delta)
