"""What is measured of a gas as it runs, and the state as others see it."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.hard_discs.fields import FRAME_FIELDS
from engine.hard_discs.log import fraction_now, totals
from engine.hard_discs.prediction import pull_x, pull_y
from engine.kernels import kernel
from engine.simulation import Frame, Impacts


@dataclass(frozen=True)
class Collapse:
    """Collisions that pile up while the clock stands: when, between which discs (k,), and a sentence that says so."""

    time: float
    discs: NDArray[np.int32]
    text: str


@dataclass(frozen=True)
class GasMeasures:
    """Measured since the start or the last `reset_measures`.

    collision_rate : collisions of a disc a time; compressibility : Z = β P / ρ from the virial, None where walls,
    gravity or a time of 0 leave it without meaning; temperature : k T at the end, of the motion about the centre of
    mass in a periodic box; energy_drift : relative change of kinetic and potential energy, None where collisions, walls
    or growth are meant to change it; momentum_error : relative to the sum of |m v|, periodic only; stabilising_events :
    collisions of discs that had overlapped when predicted; three_body_events : collisions at which a disc overlapped
    another one too; collapse : the first one, if any; volume_fraction : now; pair_collisions, wall_collisions;
    time_measured.
    """

    collision_rate: float
    compressibility: float | None
    temperature: float
    energy_drift: float | None
    momentum_error: float
    stabilising_events: int
    three_body_events: int
    collapse: Collapse | None
    volume_fraction: float
    pair_collisions: int
    wall_collisions: int
    time_measured: float


@dataclass(frozen=True)
class Mark:
    """What has been counted up to the moment from which is measured."""

    time: float
    pairs: int
    walls: int
    stabilised: int
    three_body: int
    virial: float
    kinetic_time: float
    energy: float
    momentum_x: float
    momentum_y: float

    def to_array(self) -> NDArray[Any]:
        """(1,), for a checkpoint."""
        return np.array([astuple(self)], MARK)

    @staticmethod
    def from_array(values: NDArray[Any]) -> Mark:
        """The mark that `to_array` gave."""
        return Mark(*values.tolist()[0])


MARK = np.dtype([(field.name, "i8" if field.type == "int" else "f8") for field in fields(Mark)], align=True)
"""A `Mark` in a checkpoint."""


def mark(st: Discs, time: float) -> Mark:
    """The present moment."""
    state = st.state
    _, px, py, kinetic, potential = totals(st)
    return Mark(
        time,
        int(state.pair_collisions),
        int(state.wall_collisions),
        int(state.stabilising_events),
        int(state.three_body_events),
        float(state.virial),
        kinetic_time(st),
        kinetic + potential,
        px,
        py,
    )


def kinetic_time(st: Discs) -> float:
    """The integral of the kinetic energy up to now."""
    state = st.state
    return float(state.kinetic_integral + state.kinetic_energy * (state.now - state.kinetic_since))


def measure(st: Discs, since: Mark, time: float, collapse: Collapse | None, conserved: bool) -> GasMeasures:
    """What happened from `since` to `time`, which is now; `conserved`: energy should not have changed."""
    now = mark(st, time)
    n = len(st.original)
    elapsed = time - since.time
    pairs = now.pairs - since.pairs
    periodic, gravity = bool(st.state.periodic), bool(st.state.gravity)
    kinetic = totals(st)[3]
    com = float(st.state.kinetic_com) if periodic else 0.0
    freedom = max(n - 1, 1) if periodic else n
    z = None
    if periodic and not gravity and elapsed > 0.0 and n > 1:
        heat = (now.kinetic_time - since.kinetic_time - com * elapsed) / freedom  # k T times the time
        z = 1.0 + (now.virial - since.virial) / (2.0 * n * heat) if heat > 0.0 else None
    drift = None
    if conserved:
        scale = max(abs(since.energy), kinetic)
        drift = (now.energy - since.energy) / scale if scale > 0.0 else 0.0
    return GasMeasures(
        collision_rate=2.0 * pairs / (n * elapsed) if elapsed > 0.0 else 0.0,
        compressibility=z,
        temperature=max(kinetic - com, 0.0) / freedom,
        energy_drift=drift,
        momentum_error=_momentum_error(st, now, since) if periodic else 0.0,
        stabilising_events=now.stabilised - since.stabilised,
        three_body_events=now.three_body - since.three_body,
        collapse=collapse,
        volume_fraction=float(fraction_now(st)),
        pair_collisions=pairs,
        wall_collisions=now.walls - since.walls,
        time_measured=elapsed,
    )


def _momentum_error(st: Discs, now: Mark, since: Mark) -> float:
    scale = float((st.mass * np.hypot(st.motion["vx"], st.motion["vy"])).sum())
    error = float(np.hypot(now.momentum_x - since.momentum_x, now.momentum_y - since.momentum_y))
    return error / scale if scale > 0.0 else 0.0


@kernel
def _fill(
    arrays: Discs,
    positions: NDArray[np.float64],
    velocities: NDArray[np.float64],
    images: NDArray[np.int32],
    collisions: NDArray[np.int32],
    last_contact: NDArray[np.float64],
) -> None:
    st = pointers(arrays)
    state = st.state
    now = state.now
    epoch = state.epoch + state.epoch_rest
    for k in range(state.count):
        i = st.original[k]
        disc = st.motion[k]
        dt = now - disc.time
        flags = st.entry[k].flags
        for axis in range(2):
            v = disc.vx if axis == 0 else disc.vy
            x = disc.x if axis == 0 else disc.y
            if state.gravity:
                g = pull_x(st, flags) if axis == 0 else pull_y(st, flags)
                x += dt * (v + 0.5 * g * dt)
                v += g * dt
            else:
                x += dt * v
            turns = st.images[k].x if axis == 0 else st.images[k].y
            if state.periodic:
                side = state.lx if axis == 0 else state.ly
                more = np.floor(x / side)
                x -= more * side
                turns += np.int32(more)
                if x >= side:
                    x -= side
                    turns += 1
            positions[i, axis] = x
            velocities[i, axis] = v
            images[i, axis] = turns
        collisions[i] = st.entry[k].hits
        last_contact[i] = disc.last_contact + epoch


def fill_frame(st: Discs, frame: Frame) -> None:
    """The present state in the caller's order of discs; all but the time."""
    n = len(st.original)
    frame.lay_out(FRAME_FIELDS)
    said = frame.fields
    _fill(st, frame.positions, frame.velocities, said["images"], said["collisions"], said["last_contact"])
    frame.clusters = n
    frame.kinetic_energy = float(totals(st)[3])
    frame.radius_factor = float(st.state.radius_factor * (1.0 + st.state.growth_rate * st.state.now))
    frame.impacts = newest_impacts(st)


def newest_impacts(st: Discs) -> Impacts:
    """The newest collisions, oldest first, in the caller's numbers."""
    count = int(st.state.pair_collisions + st.state.wall_collisions)
    places = np.arange(max(0, count - d.RING), count) % d.RING
    contacts = st.newest[places]
    pairs = np.column_stack((contacts["one"], contacts["other"]))
    named = np.where(pairs >= 0, st.original[pairs], np.int32(-1)).astype(np.int32)
    return Impacts(contacts["time"] + (st.state.epoch + st.state.epoch_rest), named)
