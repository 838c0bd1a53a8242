"""Discs of several kinds from a table, ``[[discs.kinds]]``, or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from engine.arrangements.table import ARRANGEMENTS
from engine.derived import mean_radius
from engine.errors import InputError
from engine.initial import initial_radii, initial_state
from engine.scenario import Scenario
from engine.scenario.kinds import Kinds
from engine.state import volume_fraction
from engine.system import systems

TABLE = """
format = 1
dimensions = 3
[discs]
count = 10
volume_fraction = 0.04
[[discs.kinds]]
radius = 1.0
mass = 2
share = 60
[[discs.kinds]]
radius = 2.0
mass = 1
share = 25
[[discs.kinds]]
radius = 3.0
mass = 4
share = 15
"""


def of(kinds: Any, **values: Any) -> Scenario:
    return Scenario().with_values({"discs.kinds": kinds, "discs.count": 400} | values)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_two_kinds_are_the_bits_of_two_sizes(dimensions: int) -> None:
    """The same radii and masses in the same order, by the same draws of the seed."""
    shared = {"discs.arrangement": "random", "dimensions": dimensions, "seed": 5, "discs.count": 300}
    kinds = of([{"radius": 1.4}, {"radius": 1.0}], **shared)
    usual = Scenario().with_values(shared | {"discs.radii": "bidisperse", "discs.spread": 1.4})
    mine, theirs = initial_state(kinds), initial_state(usual)
    for name in ("radii", "masses", "positions", "velocities"):
        assert_array_equal(getattr(mine, name), getattr(theirs, name))
    assert_array_equal(initial_radii(kinds), mine.radii)
    assert mean_radius(kinds) == pytest.approx(mine.radii.mean(), rel=1e-12)
    other = initial_state(kinds.with_values({"seed": 6}))
    assert (other.radii != mine.radii).any()
    assert sorted(other.radii) == sorted(mine.radii)


def test_shares_become_numbers_by_the_largest_remainders() -> None:
    state = initial_state(Scenario.from_toml(TABLE))
    assert volume_fraction(state.radii, state.box) == pytest.approx(0.04)
    relative = np.rint(state.radii / state.radii.min())
    assert np.bincount(relative.astype(int)).tolist() == [0, 6, 3, 1]  # 6, 2.5 and 1.5: the first of equal remainders
    assert state.masses.mean() == pytest.approx(1.0)
    assert_allclose(state.masses / state.masses.min(), np.array([0.0, 2.0, 1.0, 4.0])[relative.astype(int)])
    thirds = Kinds(np.ones(3), None, np.ones(3))
    assert thirds.numbers(3000).tolist() == [1000] * 3
    assert thirds.numbers(2).tolist() == [1, 1, 0]


def test_a_file_has_a_row_for_each_kind_or_for_each_disc(tmp_path: Path) -> None:
    (tmp_path / "sizes.csv").write_text("radius,mass\n" + "".join(f"{1 + 0.01 * k},{2 + k}\n" for k in range(50)))
    text = '[discs]\ncount = 50\nkinds = "sizes.csv"\n'
    scenario = Scenario.from_toml(text, folder=tmp_path)
    state = initial_state(scenario)
    order = np.argsort(state.radii)
    assert_allclose(state.radii[order] / state.radii.min(), 1.0 + 0.01 * np.arange(50))
    assert_allclose(state.masses[order] / state.masses.min(), 1.0 + 0.5 * np.arange(50))
    assert not np.array_equal(order, np.arange(50))
    assert Scenario.from_toml(scenario.to_toml()) == scenario
    (tmp_path / "sizes.csv").write_text("radius share\n1 3\n2 1\n")
    assert_allclose(
        np.bincount(np.rint(initial_radii(scenario) / initial_radii(scenario).min()).astype(int)), [0, 38, 12]
    )


def test_a_scenario_with_kinds_is_written_read_and_changed() -> None:
    scenario = Scenario.from_toml(TABLE)
    assert Scenario.from_toml(scenario.to_toml()) == scenario
    assert scenario.to_values()["discs"]["kinds"][1] == {"radius": 2.0, "mass": 1.0, "share": 25.0}
    assert hash(scenario) == hash(Scenario.from_toml(scenario.to_toml()))
    changed = scenario.with_values({"discs.kinds": [{"radius": 1.0}]})
    assert changed.discs.kinds[0].share == 1.0
    assert changed.with_values({"discs.kinds": None}).discs.kinds == ()
    assert (
        Scenario().with_settings(["discs.kinds=[{radius = 1, share = 2}, {radius = 3}]"]).discs.kinds[1].radius == 3.0
    )


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("system", [system.name for system in systems()])
def test_every_system_and_arrangement_takes_kinds(system: str, dimensions: int) -> None:
    for placed in ARRANGEMENTS.values():
        if dimensions in placed.dimensions:
            count = 90 if placed.crystal is None else placed.crystal.fitting(90)[-1]
            shared = {
                "system": system,
                "dimensions": dimensions,
                "discs.arrangement": placed.name,
                "discs.count": count,
            }
            scenario = of(
                [{"radius": 1.0, "mass": 3.0}, {"radius": 1.1, "mass": 1.0}], **shared | {"discs.volume_fraction": 0.05}
            )
            state = initial_state(scenario)
            assert len(np.unique(state.masses)) == 2, placed.name


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ([{"radius": 0.0}], r"radius of kind 1 in discs.kinds must be from 1e-15 to 1e\+15, not 0"),
        ([{"radius": 1.0}, {"radius": -2}], "radius of kind 2 in discs.kinds must be from"),
        ([{"radius": float("nan")}], "radius of kind 1 in discs.kinds must be from .* not nan"),
        ([{"radius": 1.0, "share": 0}], "the shares in discs.kinds must sum to more than 0"),
        ([{"radius": 1.0, "share": -1}], "share of kind 1 in discs.kinds must be from 0"),
        (
            [{"radius": 1.0, "colour": 2}],
            "discs.kinds has 'colour', which is not a column; there are radius, mass and share",
        ),
        ([{"mass": 1.0}], "kind 1 in discs.kinds needs a radius"),
        ([{"radius": "big"}], "radius of kind 1 in discs.kinds must be a number, not 'big'"),
        ([{"radius": 1, "mass": 1}, {"radius": 2}], "the mass of every kind or of none, not only of kind 1"),
        ([1.0], "discs.kinds must be tables with radius, mass and share, not 1.0"),
        (3, r"discs.kinds must be tables \[\[discs.kinds\]\] with .*, not 3"),
    ],
)
def test_bad_kinds_are_refused_in_one_sentence(kinds: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Scenario.from_values({"discs": {"kinds": kinds}})
    assert caught.value.key == "discs.kinds"


def test_kinds_and_a_distribution_exclude_each_other() -> None:
    with pytest.raises(
        InputError, match=r'discs.radii must be left out when discs.kinds gives the sizes, not "uniform"'
    ):
        of([{"radius": 1.0}], **{"discs.radii": "uniform", "discs.spread": 0.1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file"),
        ("radius,weight\n1,2\n", "has 'weight', which is not a column"),
        ("mass\n1\n", "needs a header with radius"),
        ("radius\n", "needs a header with radius, perhaps mass and share, and a row for each kind"),
        ("", "needs a header"),
        ("radius,mass\n1,two\n", "must have numbers below its header"),
        ("radius,mass\n1\n", "has 2 names in its header and 1 numbers in a row"),
        ("radius\n1\n-1\n", "radius of row 2 in .* must be from 1e-15"),
        ("radius share\n1 0\n", "must sum to more than 0"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(tmp_path: Path, text: str | None, message: str) -> None:
    path = tmp_path / "sizes.csv"
    if text is not None:
        path.write_text(text)
    scenario = of(str(path))
    assert mean_radius(scenario) is None
    with pytest.raises(InputError, match=message) as caught:
        initial_state(scenario)
    assert str(path) in str(caught.value)
    assert caught.value.key == "discs.kinds"
