"""Made-up data of discs that bounce, of which all that the plots should draw is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from aggviewer.session.data import Analysis
from aggviewer.systems.hard_discs.analysis import GasData, velocity_profile
from engine.analysis import GAS, MOTION, STRUCTURE, Sample, measure
from engine.hard_discs.fields import GasHistory
from engine.hard_discs.pressure import Stretch
from engine.hard_discs.rheology import FlowHistory, FlowingDiscs, rheology
from engine.hard_discs.theory import haff, haff_time, henderson
from engine.scenario import Scenario
from tests.plots.aggregate_data import system_of

COUNT, RADIUS, RATE = 400, 0.4, 6.0
BOX = np.array([20.0, 20.0])
FRACTION = COUNT * np.pi * RADIUS**2 / 400.0
START = 400.0  # kinetic energy, so that kT is about 1


def history(restitution: float = 1.0, end: float = 20.0, growing: bool = False, rows: int = 200) -> GasHistory:
    """Discs that follow Haff's law exactly, with Henderson's pressure."""
    t = np.linspace(0.0, end, rows)
    energy = haff(t, restitution, RATE, START)
    if restitution < 1.0:
        tau = haff_time(restitution, RATE)
        met = RATE * tau * np.log1p(t / tau)
    else:
        met = RATE * t
    fraction = np.linspace(0.3, 0.6, rows) if growing else np.full(rows, FRACTION)
    warmth = np.concatenate([[0.0], np.cumsum(0.5 * (energy[1:] + energy[:-1]) * np.diff(t))]) * COUNT / (COUNT - 1)
    z = henderson(0.5 * (fraction[1:] + fraction[:-1]))
    virial = np.concatenate([[0.0], np.cumsum(2.0 * (z - 1.0) * np.diff(warmth))])
    collisions = np.rint(met * COUNT / 2).astype(np.int64)
    heat = warmth * (COUNT - 1) / COUNT
    return GasHistory(t, np.full(rows, COUNT), energy, collisions, virial, fraction, energy, heat)


def flowing(past: GasHistory, rate: float) -> FlowHistory:
    """The same history of discs in a flow of this shear rate, with a viscosity of 0.8 between collisions and 0.2 in
    them."""
    area, t = float(BOX.prod()), past.time
    stress = rate * np.sqrt(past.thermal_energy / (COUNT - 1)) / (2.0 * RADIUS)
    zeros, warm = np.zeros(len(t)), past.thermal_energy
    virial = -0.2 * area * np.concatenate([[0.0], np.cumsum(0.5 * (stress[1:] + stress[:-1]) * np.diff(t))])
    return FlowHistory(
        **vars(past), strain=rate * t, virial_xx=zeros, virial_yy=zeros, virial_zz=zeros, virial_xy=virial,
        flight_xx=warm, flight_yy=warm, flight_zz=zeros, flight_xy=-0.8 * area * stress,
    )  # fmt: skip


def impacts() -> tuple[np.ndarray, np.ndarray]:
    """Separations as rounding makes them: whole units around 0."""
    edges = np.arange(-20, 21) - 0.5
    middle = 0.5 * (edges[1:] + edges[:-1])
    return edges, np.rint(1e5 * np.exp(-0.5 * (middle / 1.4) ** 2)).astype(np.int64)


def gas(
    restitution: float = 1.0,
    *,
    growing: bool = False,
    periodic: bool = True,
    seed: int = 1,
    time: float = 20.0,
    values: Mapping[str, object] | None = None,
    **data: object,
) -> Analysis:
    """A measured state of a gas of 400 discs on a shaken lattice. values : of its scenario, which may have a flow;
    data : fields of `GasData` that are to be others."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(20) + 0.5, np.arange(20) + 0.5)
    positions = np.column_stack([x.ravel(), y.ravel()]) + rng.uniform(-0.1, 0.1, (COUNT, 2))
    velocities = rng.normal(size=(COUNT, 2))
    radii, masses = np.full(COUNT, RADIUS), np.ones(COUNT)
    sample = Sample(positions, radii, BOX, periodic=periodic, velocities=velocities, masses=masses)
    past = history(restitution, growing=growing)
    t = np.geomspace(0.01, 20.0, 120)
    tuned = {"hard_discs.restitution": restitution, "hard_discs.growth_rate": 0.001 if growing else 0.0}
    tuned["box.boundary"] = "periodic" if periodic else "walls"
    scenario = Scenario().with_values(tuned | dict(values or {}))
    rate, rheology_found = scenario.shear.rate, None
    if rate:
        flow = FlowingDiscs(COUNT, 2.0 * RADIUS, 1.0, 400.0, 2, FRACTION, restitution, equal=True)
        moving = velocities + np.stack([rate * (positions[:, 1] - 10.0), np.zeros(COUNT)], axis=1)
        past = flowing(past, rate)
        rheology_found = rheology(past, flow, 0.0)
        data = {"flow": flow, "profile": velocity_profile(positions, moving, 20.0), "shear_rate": rate} | data
    given = GasData(
        scenario,
        (Stretch(0.0, restitution, START, RATE),),
        SimpleNamespace(
            compressibility=float(henderson(past.volume_fraction[-1])) if periodic else None,
            compressibility_error=0.002 if periodic else None,
            energy_drift=2.5e-14,
            volume_fraction=float(past.volume_fraction[-1]),
            time_measured=time,
            rheology=rheology_found,
        ),  # type: ignore[arg-type]
        impacts(),
        (t, 2.0 * t**2 / (1.0 + t / 0.2)),
        2.0,
        (t, np.exp(-t / 0.4)),
    )
    seen = SimpleNamespace(**measure(sample, (*STRUCTURE, *MOTION, *GAS)))
    return Analysis(system_of(scenario, COUNT, RADIUS), time, seen, past, replace(given, **data))  # type: ignore[arg-type]
