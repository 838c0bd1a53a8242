"""Made-up data of discs that jam, for the plots."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from aggviewer.session.data import Analysis
from aggviewer.systems.jamming.view import JammingData
from engine.analysis import CellMeans, Density, PowerLaw, StructureFactor
from engine.analysis.local_cells import Histogram
from engine.jamming.fields import JammingHistory
from engine.scenario import Scenario
from engine.simulation import History
from tests.plots.aggregate_data import system_of


def history(programs: int = 30) -> JammingHistory:
    """A chain that converges: both lengths fall by a factor of ten every three programs; the first is the start."""
    k = np.arange(programs + 1, dtype=float)
    none = np.where(k > 0, 0.0, np.nan)
    contacts = np.where(k > 2, 400 + k, 0).astype(np.int64)
    return JammingHistory(
        time=k,
        clusters=np.full(len(k), 256),
        kinetic_energy=np.zeros(len(k)),
        inflation=10.0 ** (-2.0 - k / 3.0) + none,
        displacement=10.0 ** (-0.5 - k / 3.0) + none,
        displacement_all=10.0 ** (-0.3 - k / 3.0) + none,
        volume_fraction=0.84 - 0.04 * np.exp(-k / 5.0),
        contacts=contacts,
        isostatic_gap=np.where(contacts > 0, -programs + k, np.nan),
        rattlers=np.full(len(k), 12),
        force_mismatch=none,
        min_gap=none,
        seconds=none,
        bound=none,
        cutoff=none,
    )


def density(exponent: float, low: float = 1e-3, high: float = 4.0, fit: bool = True) -> Any:
    """P(x) ∝ x^exponent that is cut off at 1, with its fit."""
    edges = np.geomspace(low, high, 25)
    x = np.sqrt(edges[1:] * edges[:-1])
    law = PowerLaw(exponent=exponent, error=0.03, amplitude=0.5, low=low, high=0.1, count=123) if fit else None
    return Density(edges=edges, density=0.5 * x**exponent * np.exp(-x), count=400, fit=law)


def indicators(**changes: Any) -> Any:
    """Of a packing of 256 discs."""
    found: dict[str, Any] = {
        "extended_forces": density(0.42),
        "buckler_forces": density(0.17),
        "gaps": density(-0.41, 1e-6, 0.5),
        "contacts_histogram": np.array([12, 0, 0, 70, 104, 60, 10]),
        "rattlers": 12,
        "isostatic_gap": 0,
        "samples": samples(),
    }
    return SimpleNamespace(**(found | changes))


def samples() -> Any:
    """Values as they come from a packing."""
    rng = np.random.default_rng(1)
    sizes = {"extended": 300, "bucklers": 100, "gaps": 200}
    return SimpleNamespace(**{name: rng.random(size) + 0.01 for name, size in sizes.items()})


FOUND = indicators()
WAVES = StructureFactor(np.geomspace(1.0, 40.0, 30), np.geomspace(0.01, 1.0, 30), np.full(30, 0.01), 0.5)

PHI = np.linspace(0.0, 1.0, 101)
PEAK = np.exp(-(((PHI[1:] - 0.84) / 0.03) ** 2) / 2.0)
CELLS = CellMeans(0.84, 0.16, 6.0, np.array([0, 0, 0, 0, 10, 60, 116, 60, 10]), Histogram(PHI, PEAK))
ARRANGEMENT = SimpleNamespace(structure_factor=WAVES, voronoi_cells=CELLS, bond_orders=None)


def jammed(
    past: History | None = None, found: Any = FOUND, values: Mapping[str, object] | None = None, **data: Any
) -> Analysis:
    """A measured state of 256 discs, at the end, after 30 programs. found : its indicators; values : of its scenario;
    data : fields of `JammingData`."""
    scenario = Scenario(system="jamming").with_values(dict(values or {}))
    past = history() if past is None else past
    given = JammingData(scenario, **({"ended": True, "arrangement": ARRANGEMENT} | data))
    return Analysis(system_of(scenario, 256, 0.25), float(past.time[-1]), found, past, given)
