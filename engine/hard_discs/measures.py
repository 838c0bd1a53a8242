"""What is measured of a gas as it runs, and the state as others see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs import discs as d
from engine.hard_discs.discs import Discs, pointers
from engine.hard_discs.fields import FRAME_FIELDS
from engine.hard_discs.log import fraction_now, totals
from engine.hard_discs.prediction import pull_x, pull_y
from engine.hard_discs.section import HardDiscs
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
    momentum: tuple[float, float]

    def to_array(self) -> NDArray[np.float64]:
        """(10,), for a checkpoint."""
        counts = (self.pairs, self.walls, self.stabilised, self.three_body)
        return np.array([self.time, *counts, self.virial, self.kinetic_time, self.energy, *self.momentum], np.float64)

    @staticmethod
    def from_array(values: NDArray[np.float64]) -> Mark:
        """What `to_array` gave."""
        time, *counts, virial, kinetic_time, energy, px, py = (float(value) for value in values)
        pairs, walls, stabilised, three_body = (int(count) for count in counts)
        return Mark(time, pairs, walls, stabilised, three_body, virial, kinetic_time, energy, (px, py))


def mark(st: Discs, time: float) -> Mark:
    """The present moment."""
    si, sf = st.si, st.sf
    _, px, py, kinetic, potential = totals(st)
    return Mark(
        time,
        int(si[d.PAIRS]),
        int(si[d.WALLS]),
        int(si[d.STABILISED]),
        int(si[d.THREE_BODY]),
        float(sf[d.VIRIAL]),
        kinetic_time(st),
        kinetic + potential,
        (px, py),
    )


def kinetic_time(st: Discs) -> float:
    """The integral of the kinetic energy up to now."""
    sf = st.sf
    return float(sf[d.KINETIC_TIME] + sf[d.KINETIC] * (sf[d.NOW] - sf[d.KINETIC_SINCE]))


def conserves_energy(hard: HardDiscs, periodic: bool) -> bool:
    """Whether kinetic and potential energy together stay what they are: discs, and walls where there are any, give all
    of it back at an impact, and nothing grows into the others. Gravity only turns one into the other."""
    elastic = hard.restitution == 1.0 and (periodic or hard.wall_restitution == 1.0)
    return elastic and hard.growth_rate == 0.0


def measure(st: Discs, since: Mark, time: float, collapse: Collapse | None, conserved: bool) -> GasMeasures:
    """What happened from `since` to `time`, which is now; `conserved`: energy should not have changed."""
    now = mark(st, time)
    n = len(st.original)
    elapsed = time - since.time
    pairs = now.pairs - since.pairs
    periodic, gravity = bool(st.si[d.PERIODIC]), bool(st.si[d.GRAVITY])
    kinetic = totals(st)[3]
    com = float(st.sf[d.KINETIC_COM]) if periodic else 0.0
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
    v = st.rec.reshape(-1, 8)[:, d.VX : d.VY + 1]
    scale = float((st.mass * np.hypot(v[:, 0], v[:, 1])).sum())
    error = float(np.hypot(now.momentum[0] - since.momentum[0], now.momentum[1] - since.momentum[1]))
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
    sf = st.sf
    now = sf[d.NOW]
    epoch = sf[d.EPOCH] + sf[d.EPOCH_REST]
    for k in range(st.si[d.COUNT]):
        o = k << 3
        i = st.original[k]
        dt = now - st.rec[o + d.T]
        flags = st.ri[o + d.FLAGS]
        for axis in range(2):
            v = st.rec[o + d.VX + axis]
            x = st.rec[o + axis]
            if st.si[d.GRAVITY]:
                g = pull_x(st, flags) if axis == 0 else pull_y(st, flags)
                x += dt * (v + 0.5 * g * dt)
                v += g * dt
            else:
                x += dt * v
            turns = st.images[2 * k + axis]
            if st.si[d.PERIODIC]:
                side = sf[d.LX + axis]
                more = np.floor(x / side)
                x -= more * side
                turns += np.int32(more)
                if x >= side:
                    x -= side
                    turns += 1
            positions[i, axis] = x
            velocities[i, axis] = v
            images[i, axis] = turns
        collisions[i] = st.ri[o + d.HITS]
        last_contact[i] = st.rec[o + d.LAST] + epoch


def fill_frame(st: Discs, frame: Frame) -> None:
    """The state at NOW in the caller's order of discs; all but the time."""
    n = len(st.original)
    frame.lay_out(FRAME_FIELDS)
    said = frame.fields
    _fill(st, frame.positions, frame.velocities, said["images"], said["collisions"], said["last_contact"])
    frame.clusters = n
    frame.kinetic_energy = float(totals(st)[3])
    frame.radius_factor = float(st.sf[d.FACTOR] * (1.0 + st.sf[d.GAMMA] * st.sf[d.NOW]))
    frame.impacts = newest_impacts(st)


def newest_impacts(st: Discs) -> Impacts:
    """The newest collisions, oldest first, in the caller's numbers."""
    count = int(st.si[d.PAIRS] + st.si[d.WALLS])
    places = np.arange(max(0, count - d.RING), count) % d.RING
    pairs = st.ring_pair.reshape(-1, 2)[places]
    named = np.where(pairs >= 0, st.original[pairs], np.int32(-1)).astype(np.int32)
    return Impacts(st.ring_time[places] + (st.sf[d.EPOCH] + st.sf[d.EPOCH_REST]), named)
