"""What several tests of the plots start from: a measured state of aggregates, and a panel that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyqtgraph as pg
import pytest
from pytestqt.qtbot import QtBot

from aggviewer.plots import PlotsPanel
from aggviewer.session.data import Analysis
from aggviewer.systems.aggregation.analysis import Rotation
from engine.analysis import analyse
from tests.plots.aggregate_data import aggregate, history, steps_of
from tests.plots.gas_data import gas
from tests.plots.jamming_data import jammed
from tests.plots.panels import shown_panel


@pytest.fixture(scope="module", autouse=True)
def every_move_counts() -> Iterator[None]:
    """pyqtgraph else leaves out moves of the mouse that follow each other within milliseconds."""
    usual = pg.getConfigOption("mouseRateLimit")
    pg.setConfigOption("mouseRateLimit", -1)
    yield
    pg.setConfigOption("mouseRateLimit", usual)


@pytest.fixture(scope="package")
def indicators() -> Any:
    """Those of 400 discs of radius 0.25 at random in a box of 20 times 20."""
    positions = np.random.default_rng(1).uniform(0.0, 20.0, (400, 2))
    return analyse(positions, np.full(400, 0.25), np.array([20.0, 20.0]), periodic=False)


@pytest.fixture(scope="package")
def states() -> dict[str, Analysis]:
    """A state of each system of which everything is measured."""
    positions = np.random.default_rng(1).uniform(0.0, 20.0, (400, 2))
    found = analyse(
        positions,
        np.full(400, 0.25),
        np.array([20.0, 20.0]),
        periodic=False,
        cluster=(np.arange(400, dtype=np.int32) // 20) ** 2 // 9,
        velocities=np.random.default_rng(2).normal(size=(400, 2)),
        masses=np.ones(400),
    )
    spheres = analyse(
        np.random.default_rng(3).uniform(0.0, 8.0, (400, 3)), np.full(400, 0.25), np.full(3, 8.0), periodic=True
    )
    cells = {"voronoi_cells": found.voronoi_cells, "bond_orders": spheres.bond_orders}
    found = replace(found, **cells)
    time = np.linspace(0.0, 10.0, 50)
    curves = {"autocorrelation": (time, np.exp(-time)), "displacement": (time, time**2)}
    bouncing = gas(0.9, values={"system": "hard-discs", "shear.rate": 0.5}, **curves)
    packed = jammed()
    turned = Rotation(time, 0.4 * time / (1.0 + time), np.sin(time))
    return {
        "aggregation": aggregate(
            found, history(), 100.0, convergence=steps_of([10, 20, 30], [0, 0, 1]), rotation=turned
        ),
        "hard-discs": replace(bouncing, indicators=SimpleNamespace(**vars(bouncing.indicators) | cells)),
        "jamming": replace(
            packed, data=replace(packed.data, arrangement=SimpleNamespace(**vars(packed.data.arrangement) | cells))
        ),
    }


@pytest.fixture
def panel(qtbot: QtBot, indicators: Any) -> PlotsPanel:
    """A panel that shows them, and a number of clusters that falls as a power of time."""
    made = shown_panel(qtbot, height=900)
    made.refresh(aggregate(indicators, history(), 100.0))
    return made
