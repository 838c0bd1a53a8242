"""Indicators do not depend on the unit of length: lengths times a power of two give the same ones, without overflow."""

from __future__ import annotations

import re
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import analysis
from engine.analysis.fluctuations import density_map
from engine.analysis.local_cells import local_cells
from engine.analysis.voronoi import hexatic_order
from engine.errors import InputError

BOX = np.array([60.0, 44.0])


def state(spread: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    positions = random.uniform(0.0, 1.0, (150, 2)) * BOX
    positions[:40] = 20.0 + 1.9 * np.indices((8, 5)).reshape(2, -1).T
    radii = np.exp(spread * random.standard_normal(150))
    return positions, radii, np.arange(150, dtype=np.int32) // 40


def numbers_in(value: Any) -> list[float]:
    """All numbers of a result, in their order; but for a prefactor, whose unit has a power of its own."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return [number for key in value if key != "prefactor" for number in numbers_in(value[key])]
    if isinstance(value, list | tuple | np.ndarray):
        return [number for part in value for number in numbers_in(part)]
    return [] if value is None or isinstance(value, str | bool | np.bool_) else [float(value)]


def same_but_for_the_unit(found: list[float], usual: list[float], unit: float) -> bool:
    """Each number is the usual one times a power of the unit from -4 to 4, exactly but for rounding."""
    a, b = np.array(found), np.array(usual)
    powers = [np.isclose(a * unit**power, b, rtol=1e-9, atol=0.0, equal_nan=True) for power in (0, -1, 1, -2, 2)]
    return len(a) == len(b) and bool(np.logical_or.reduce(powers).all())


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("spread", [0.0, 0.2])
@settings(max_examples=4)
@given(power=st.integers(-140, 140))
@example(power=-83)  # about 1e-25
@example(power=-140)
@example(power=140)
def test_a_state_in_other_units(spread: float, periodic: bool, power: int) -> None:
    positions, radii, cluster = state(spread)
    unit = 2.0**power

    def measured(unit: float) -> list[float]:
        scaled = (positions * unit, radii * unit, BOX * unit)
        whole = analysis.analyse(*scaled, periodic=periodic, cluster=cluster)
        local = local_cells(*scaled, periodic=periodic).density
        order = np.abs(hexatic_order(*scaled, periodic=periodic))
        coarse = density_map(*scaled, periodic=periodic).values[::7, ::7]
        return [number for found in (whole, local, order, coarse) for number in numbers_in(found)]

    found, usual = measured(unit), measured(1.0)
    assert same_but_for_the_unit(found, usual, unit)


def test_discs_that_are_astronomically_far_apart() -> None:
    """Two pairs of discs in contact, and between them more than single precision can hold."""
    for side in (1e20, 1e30, 1e51, 1e90):
        far = side / 2.0
        positions = np.array([[1.0, 1.0], [3.0, 1.0], [far, far], [1.0, far], [3.0, far]])
        found = analysis.analyse(positions, np.ones(5), np.full(2, side), periodic=False)
        assert found.pair_distribution["p"][-1] == pytest.approx(1.0 + 4.0 / 5.0), side
        assert found.contacts_histogram[1] == 4


@pytest.mark.parametrize("unit", [1e-160, 1e160])
def test_lengths_whose_squares_are_no_numbers_are_refused(unit: float) -> None:
    positions, radii, _ = state(0.0)
    with pytest.raises(InputError, match=re.escape("lengths must be from 1e-120 to 1e+120")):
        analysis.analyse(positions * unit, radii * unit, BOX * unit, periodic=True)
