"""Measurements of a running gas, and its frames."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.boundary import AXES
from engine.frame import Frame, Impacts
from engine.geometry.minimum_image import wraps
from engine.geometry.vectors import dot
from engine.hard_discs import discs as d
from engine.hard_discs.discs import PLANE, DiscArrays, axes_of, box_of, dimensions_of, periodic_of, pointers
from engine.hard_discs.fields import frame_fields
from engine.hard_discs.impacts import mass_of
from engine.hard_discs.log import fraction_now, growth_now, half_freedom, heat_now, strain_now, totals
from engine.hard_discs.motion import motion_at, thermal, upper_image, zero
from engine.hard_discs.rheology import Rheology
from engine.kernels import inlined, kernel, pointer, prefetch, whole

WALLS = ("left", "right", "bottom", "top", "front", "back")
"""The walls of a box, two across each axis."""

_AHEAD = 24  # discs between the one whose memory is asked for and the one that is written


@dataclass(frozen=True)
class Collapse:
    """An inelastic collapse: more and more collisions while time stands still.

    time : of the collapse; discs : (k,), those that take part; text : the message.
    """

    time: float
    discs: NDArray[np.int32]
    text: str


@dataclass(frozen=True)
class GasMeasures:
    """Measurements since the start or the last `reset_measures`.

    collision_rate : ω, collisions of a disc in a unit of time; compressibility : Z = β P / ρ from the virial, without
    the first collisions, in which discs forget where they were placed (`pressure.mean_pressure`), None if walls,
    gravity or a time of 0 make it undefined; compressibility_error : its standard error as a mean over time, None if
    that is not known; temperature : kT at the end, in a periodic box of the motion relative to the centre of mass;
    energy_drift : relative change of kinetic plus potential energy, None if collisions, walls or growth are meant to
    change it; momentum_error : relative to Σ |m v|, 0 with walls; stabilising_events : collisions of discs that
    overlapped when the collision was predicted; three_body_events : collisions at which one of the discs overlapped a
    third one; collapse : the first one, if any; volume_fraction : at the end; pair_collisions, wall_collisions;
    wall_pressure : the momentum that each wall has taken, over its area and the time: two numbers for each axis with
    walls, by its name, None without walls or time; time_measured; rheology : of discs that flow, else None.
    """

    collision_rate: float
    compressibility: float | None
    compressibility_error: float | None
    temperature: float
    energy_drift: float | None
    momentum_error: float
    stabilising_events: int
    three_body_events: int
    collapse: Collapse | None
    volume_fraction: float
    pair_collisions: int
    wall_collisions: int
    wall_pressure: dict[str, list[float]] | None
    time_measured: float
    rheology: Rheology | None = None


class Snapshot(NamedTuple):
    """Clock, counters, sums over the collisions, energy and momentum at one moment.

    kinetic_time : the integral of the thermal energy over time (`log.heat_now`); before : collisions per disc that have
    already happened in the same conditions; push_… : momentum that each wall has taken.
    """

    time: float
    pairs: int
    walls: int
    stabilised: int
    three_body: int
    virial: float
    kinetic_time: float
    energy: float
    before: float
    push_left: float
    push_right: float
    push_bottom: float
    push_top: float
    push_front: float
    push_back: float
    momentum_x: float
    momentum_y: float
    momentum_z: float = 0.0

    @property
    def push(self) -> NDArray[np.float64]:
        """The momentum that the two walls across each axis have taken, (3, 2)."""
        return np.array(self[self._fields.index("push_left") :][:6]).reshape(3, 2)

    @property
    def momentum(self) -> NDArray[np.float64]:
        """The total momentum, (3,); the last component is 0 in the plane."""
        return np.array([self.momentum_x, self.momentum_y, self.momentum_z])


def snapshot(st: DiscArrays, time: float, before: float = 0.0) -> Snapshot:
    """What has been counted up to now. before : as in `Snapshot`."""
    state = st.state
    _, momentum, kinetic, potential = totals(st)
    return Snapshot(
        time,
        int(state.pair_collisions),
        int(state.wall_collisions),
        int(state.stabilising_events),
        int(state.three_body_events),
        float(state.virial),
        float(heat_now(state)),
        kinetic + potential,
        before,
        *(float(state[f"push_{wall}"]) for wall in WALLS),
        *momentum,
    )


def measure(
    st: DiscArrays,
    since: Snapshot,
    now: Snapshot,
    pressure: tuple[float, float],
    collapse: Collapse | None,
    conserved: bool,
    rheology: Rheology | None,
) -> GasMeasures:
    """Measurements from `since` to the present. pressure : Z and its error, nan for none; conserved : whether energy
    should be constant."""
    n = int(st.state.count)
    elapsed = now.time - since.time
    pairs = now.pairs - since.pairs
    kinetic = totals(st)[2]
    z, error = (value if isfinite(value) else None for value in pressure)
    drift = None
    if conserved:
        scale = max(abs(since.energy), kinetic)
        drift = (now.energy - since.energy) / scale if scale > 0.0 else 0.0
    return GasMeasures(
        collision_rate=2.0 * pairs / (n * elapsed) if elapsed > 0.0 else 0.0,
        compressibility=z,
        compressibility_error=error,
        temperature=max(kinetic - float(st.state.kinetic_com), 0.0) / half_freedom(st),
        energy_drift=drift,
        momentum_error=_momentum_error(st, now, since),
        stabilising_events=now.stabilised - since.stabilised,
        three_body_events=now.three_body - since.three_body,
        collapse=collapse,
        volume_fraction=fraction_now(st),
        pair_collisions=pairs,
        wall_collisions=now.walls - since.walls,
        wall_pressure=_wall_pressure(st, (now.push - since.push) / elapsed) if elapsed > 0.0 else None,
        time_measured=elapsed,
        rheology=rheology,
    )


def _wall_pressure(st: DiscArrays, force: NDArray[np.float64]) -> dict[str, list[float]] | None:
    """As in `GasMeasures`. force : (3, 2), on the two walls across each axis."""
    box = box_of(st)
    return {AXES[axis]: (force[axis] * box[axis] / box.prod()).tolist() for axis in periodic_of(st).walls} or None


def _momentum_error(st: DiscArrays, now: Snapshot, since: Snapshot) -> float:
    """Change of the total momentum along the periodic axes relative to Σ |m v|; 0 with walls along every axis."""
    axes = list(periodic_of(st).axes)
    if not axes:
        return 0.0
    scale = float((st.mass * np.hypot.reduce([st.motion[f"v{axis}"] for axis in axes_of(st)])).sum())
    error = float(np.hypot.reduce((now.momentum - since.momentum)[axes]))
    return error / scale if scale > 0.0 else 0.0


@inlined
def _wrapped(x: float, side: float, image: int) -> tuple[float, int]:
    """A coordinate brought into [0, side), and the image it was in."""
    if not 0.0 < x < side:  # most are inside, so that no division is needed
        more = np.floor(x / side)
        x -= more * side
        image += whole(more)
        if x >= side:
            x -= side
            image += 1
    return x, image


@kernel
def _fill(
    arrays: DiscArrays,
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    images: NDArray[np.int32],
    collisions: NDArray[np.int32],
    last_contact: NDArray[np.float64],
) -> float:
    """Write the frame's data of each disc in the caller's order, and return the kinetic energy with the same bits as
    `totals`, since another pass over all discs would take a third of the time of this one."""
    st = pointers(arrays)
    state = st.state
    kinetic = 0.0
    epoch = state.epoch + state.epoch_rest
    count = state.count
    # neighbours in this order may be anywhere in the caller's: they are prefetched
    at, speed, image = pointer(positions), pointer(velocities), pointer(images)
    hits, last = pointer(collisions), pointer(last_contact)
    row = len(zero(st))
    for k in range(count):
        ahead = whole(st.original[min(k + _AHEAD, count - 1)])
        prefetch(at, row * ahead)
        prefetch(speed, row * ahead)
        prefetch(image, row * ahead)
        prefetch(hits, ahead)
        prefetch(last, ahead)
        i = whole(st.original[k])
        x, v = motion_at(st, k, state.now)
        entry = st.entry[k]
        c = thermal(st, x, v)
        kinetic += 0.5 * mass_of(st, k) * dot(c, c)
        image_y = whole(entry.image_y)
        if state.sheared:
            _, turns = _wrapped(x[1], state.ly, whole(0))
            x, v = upper_image(st, -turns, x, v, state.now)
            image_y += turns
        _fill_along(st, 0, i, x[0], state.lx, whole(entry.image_x), positions, images)
        _fill_along(st, 1, i, x[1], state.ly, image_y, positions, images)
        if len(arrays) > PLANE:
            _fill_along(st, 2, i, x[2], state.lz, whole(entry.image_z), positions, images)
        velocities[i, 0] = v[0]
        velocities[i, 1] = v[1]
        if len(arrays) > PLANE:
            velocities[i, 2] = v[2]
        collisions[i] = st.motion[k].hits
        last_contact[i] = st.entry[k].last_contact + epoch
    return kinetic


@inlined
def _fill_along(
    st: DiscArrays,
    axis: int,
    i: int,
    x: float,
    side: float,
    image: int,
    positions: NDArray[np.float64],
    images: NDArray[np.int32],
) -> None:
    """Write the coordinate x of disc i along an axis, brought into the box where that is
    periodic, and the image that it is in."""
    if wraps(st.state.periodic, axis):
        x, image = _wrapped(x, side, image)
    positions[i, axis] = x
    images[i, axis] = image


def fill_frame(st: DiscArrays, frame: Frame) -> None:
    """The present state in the caller's order of discs; all but the time."""
    frame.lay_out(frame_fields(dimensions_of(st)))
    own = (frame.fields[name] for name in ("images", "collisions", "last_contact"))
    frame.kinetic_energy = float(_fill(st, frame.positions, frame.velocities, *own))
    frame.clusters = int(st.state.count)
    frame.radius_factor = float(growth_now(st.state))
    frame.strain, frame.shear_rate = strain_now(st.state), float(st.state.shear_rate)
    frame.impacts = newest_impacts(st)


def newest_impacts(st: DiscArrays) -> Impacts:
    """The newest collisions, oldest first, with the caller's numbers of the discs."""
    count = int(st.state.pair_collisions + st.state.wall_collisions)
    places = np.arange(max(0, count - d.RING), count) % d.RING
    contacts = st.newest[places]
    pairs = np.column_stack((contacts["one"], contacts["other"]))
    named = np.where(pairs >= 0, st.original[pairs], np.int32(-1)).astype(np.int32)
    return Impacts(contacts["time"] + (st.state.epoch + st.state.epoch_rest), named)
