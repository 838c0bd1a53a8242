"""How much room each disc or sphere has: size and number of sides of its Voronoi cell, local density and free volume;
and the means and distributions of these and of the bond orders, for plots and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from engine.analysis.bond_orders import BondOrders, sphere_orders
from engine.analysis.sample import Sample
from engine.analysis.sphere_cells import sphere_cells
from engine.analysis.state import DiscState, disc_state
from engine.analysis.voronoi import voronoi
from engine.arrays import Floats, Longs
from engine.boundary import Periodic
from engine.indicators import ANY, Averaging, Indicator, plain
from engine.state import sizes_of

MOST = 100_000
"""Spheres whose cells are measured for JSON and plots; those of more take many seconds, and are left to colours."""

_BINS = 100  # from 0 to 1
_SMALLEST = 1e-6  # of the perimeter of a cell: shorter sides come from rounding


class LocalCells(NamedTuple):
    """The Voronoi cells of N discs or spheres, each (N,).

    Attributes
    ----------
    size : the area or volume of each cell.
    sides : the number of its sides, or faces, those at walls included.
    density : the share of its cell that the disc or sphere covers; nan without a cell.
    free : the rest of the cell, in mean areas or volumes of the discs or spheres.
    """

    size: Floats
    sides: Longs
    density: Floats
    free: Floats


def local_cells(positions: Floats, radii: Floats, box: Floats, *, periodic: Periodic | bool) -> LocalCells:
    """The Voronoi cell of each disc or sphere.

    Parameters
    ----------
    positions : (N, d), centres inside the box, d = 2 or 3.
    radii : (N,).
    box : (d,), sides of the box.
    periodic : along which axes; walls along the others cut the cells.

    Raises
    ------
    InputError
        An array has the wrong shape, or holds values that are not finite or not positive.
    """
    state = disc_state(positions, radii, box, periodic=periodic)
    return _cells_of(state)


def _cells_of(state: DiscState) -> LocalCells:
    count = len(state.radii)
    if state.dimensions > 2:
        cells = sphere_cells(state)
        size, sides = cells.volume, np.bincount(cells.sphere, minlength=count)
    else:
        found = voronoi(state.positions, state.radii, state.box, periodic=state.periodic)
        length = np.linalg.norm(found.segments[:, 1] - found.segments[:, 0], axis=1)
        ends, length = found.pairs.ravel(), np.repeat(length, 2)
        ends, length = ends[ends >= 0], length[ends >= 0]
        around = np.bincount(ends, length, count)
        size, sides = found.area, np.bincount(ends[length > _SMALLEST * around[ends]], minlength=count)
    own = sizes_of(state.radii, state.dimensions)
    with np.errstate(divide="ignore"):
        density = np.where(size > 0.0, own / size, np.nan)
    return LocalCells(size, sides, density, (size - own) / own.mean())


@dataclass(frozen=True, eq=False)
class Histogram:
    """edges : (B + 1,), of the bins; density : (B,), whose integral is 1."""

    edges: Floats
    density: Floats


def _histogram(values: Floats) -> Histogram:
    """The distribution of values (N,) from 0 to 1; larger ones, of discs that overlap, count in the last bin."""
    edges = np.linspace(0.0, 1.0, _BINS + 1)
    known = values[np.isfinite(values)]
    counts = np.histogram(np.clip(known, 0.0, 1.0), edges)[0]
    return Histogram(edges, counts * (_BINS / max(len(known), 1)))


@dataclass(frozen=True)
class CellMeans:
    """Voronoi cells of a state: means over its discs or spheres.

    Attributes
    ----------
    local_density, free_volume, sides : see `LocalCells`.
    sides_histogram : (K,), how many have 0, 1, … sides.
    distribution : of the local densities.
    """

    local_density: float
    free_volume: float
    sides: float
    sides_histogram: Longs
    distribution: Histogram


@dataclass(frozen=True)
class OrderMeans:
    """Bond orders of a state of spheres.

    Attributes
    ----------
    q4, q6, w6, averaged_q4, averaged_q6, averaged_w6 : the means over the spheres, see `BondOrders`.
    q6_distribution, averaged_q6_distribution : over the spheres.
    orders : of each sphere.
    """

    q4: float
    q6: float
    w6: float
    averaged_q4: float
    averaged_q6: float
    averaged_w6: float
    q6_distribution: Histogram
    averaged_q6_distribution: Histogram
    orders: BondOrders


def cell_means(sample: Sample) -> CellMeans | None:
    """The means of the Voronoi cells; None for more than 100 000 spheres."""
    if sample.dimensions > 2 and sample.count > MOST:
        return None
    cells = _cells_of(sample.state)
    return CellMeans(
        float(np.nanmean(cells.density)) if np.isfinite(cells.density).any() else 0.0,
        float(cells.free.mean()),
        float(cells.sides.mean()),
        np.bincount(cells.sides),
        _histogram(cells.density),
    )


def order_means(sample: Sample) -> OrderMeans | None:
    """The means of the bond orders; None for more than 100 000 spheres."""
    if sample.count > MOST:
        return None
    found = sphere_orders(sample.state)
    means = {name: float(values.mean()) for name, values in found._asdict().items()}
    return OrderMeans(
        **means,
        q6_distribution=_histogram(found.q6),
        averaged_q6_distribution=_histogram(found.averaged_q6),
        orders=found,
    )


def _orders_json(found: OrderMeans) -> dict[str, Any]:
    values: dict[str, Any] = plain(found)
    del values["orders"]
    return values


CELLS = (
    Indicator(
        "voronoi_cells",
        "local density in Voronoi cells",
        cell_means,
        "φ_i",
        in_words=lambda value: value["local_density"],
        dimensions=ANY,
        averaging=Averaging(
            ("distribution.density", "local_density", "free_volume", "sides", "sides_histogram"), absent=0.0
        ),
    ),
    Indicator(
        "bond_orders",
        "bond order",
        order_means,
        "q₆",
        to_json=_orders_json,
        in_words=lambda value: value["q6"],
        dimensions=(3,),
        averaging=Averaging(("averaged_q6_distribution.density", "q6_distribution.density", *BondOrders._fields)),
    ),
)
"""The indicators of Voronoi cells, for every system."""
