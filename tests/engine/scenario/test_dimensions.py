"""Scenarios in two and three dimensions: what each key means there, and what is refused."""

from __future__ import annotations

from math import inf, pi
from typing import Any

import numpy as np
import pytest

from engine.derived import mean_free_path, mean_radius, number_density
from engine.errors import InputError
from engine.initial import draw_sizes, initial_state
from engine.scenario import Scenario
from engine.state import flight_time, masses_of, volume_fraction

SPHERES: dict[str, Any] = {"system": "hard-discs", "dimensions": 3, "discs.count": 500, "discs.volume_fraction": 0.3}


def spheres(**more: Any) -> Scenario:
    return Scenario().with_values(SPHERES | {key.replace("__", "."): value for key, value in more.items()})


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        ({"box.size": [3.0, 3.0]}, "box.size", "a number or three numbers [x, y, z] when dimensions = 3, not [3, 3]"),
        ({"dimensions": 2, "box.size": [1.0, 2.0, 3.0]}, "box.size", "two numbers [x, y] when dimensions = 2"),
        ({"hard_discs.gravity": [0.0, -1.0]}, "hard_discs.gravity", "three numbers [x, y, z] when dimensions = 3"),
        ({"dimensions": 2, "hard_discs.gravity": [0.0, 0.0, -1.0]}, "hard_discs.gravity", "two numbers [x, y]"),
        (
            {"discs.arrangement": "sierpinski"},
            "discs.arrangement",
            'must be "lattice", "fcc", "bcc", "hcp", "random" or "file" when',
        ),
        ({"hard_discs.plates": 3}, "hard_discs.plates", "must be 0 when dimensions = 3"),
        ({"dimensions": 4}, "dimensions", "must be 2 or 3, not 4"),
        (
            {"box.boundary": "periodic", "hard_discs.gravity": [0.0, 0.0, -1.0]},
            "hard_discs.gravity",
            "be [0, 0, 0] when",
        ),
    ],
)
def test_values_for_the_wrong_dimensions_are_refused(changes: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        Scenario().with_values(SPHERES | changes)
    assert caught.value.key == key
    assert words in str(caught.value)


def test_a_box_of_spheres_has_three_sides() -> None:
    assert spheres().box_size() == pytest.approx((500.0 ** (1 / 3),) * 3)
    assert spheres(box__size=7.0).box_size() == (7.0, 7.0, 7.0)
    assert spheres(box__size=[5.0, 6.0, 7.0]).box_size() == (5.0, 6.0, 7.0)
    assert Scenario.from_toml(spheres(box__size=[5.0, 6.0, 7.0]).to_toml()).box_size() == (5.0, 6.0, 7.0)


@pytest.mark.parametrize("radii", ["equal", "bidisperse", "uniform", "lognormal"])
def test_spheres_fill_what_the_scenario_says(radii: str) -> None:
    scenario = spheres(discs__radii=radii, discs__spread=1.4, discs__count=20_000)
    box = np.array(scenario.box_size())
    found, _ = draw_sizes(scenario, 20_000, box, np.random.default_rng(1))
    assert volume_fraction(found, box) == pytest.approx(0.3, rel=1e-12)
    assert 4.0 / 3.0 * pi * (found**3).sum() / box.prod() == pytest.approx(0.3, rel=1e-12)
    assert mean_radius(scenario) == pytest.approx(found.mean(), rel=0.05)
    assert number_density(scenario) == pytest.approx(1.0)
    masses = masses_of(found, 3)
    assert masses.mean() == pytest.approx(1.0)
    assert np.ptp(masses / found**3) < 1e-12 * masses[0] / found[0] ** 3


def test_the_mean_free_path_is_that_of_enskog() -> None:
    radius = mean_radius(spheres(discs__volume_fraction=0.1))
    contact = (1.52165 - 1.0) / 0.4  # (Z - 1) / (4 φ), Kolafa, Labík and Malijevský 2004
    assert radius is not None
    want = 1.0 / (np.sqrt(2.0) * pi * 4.0 * radius**2 * contact)
    assert mean_free_path(spheres(discs__volume_fraction=0.1)) == pytest.approx(want, rel=1e-4)


def test_too_dense_a_lattice_is_refused() -> None:
    with pytest.raises(InputError, match=r"at most 0\.7404 for this lattice") as caught:
        initial_state(spheres(discs__volume_fraction=0.75, box__boundary="periodic", discs__count=108), check=False)
    assert caught.value.key == "discs.volume_fraction"


@pytest.mark.parametrize(
    ("distribution", "mean_square"), [("circle", 4.0), ("square", 1.0), ("maxwell", 12.0), ("rest", 0.0)]
)
def test_velocities_of_spheres(distribution: str, mean_square: float) -> None:
    values = {"discs__count": 8000, "velocities__speed": 2.0, "velocities__distribution": distribution}
    v = initial_state(spheres(**values), check=False).velocities
    assert (v**2).sum(axis=1).mean() == pytest.approx(mean_square, rel=0.05)
    assert (v**2).mean(axis=0) == pytest.approx(mean_square / 3.0, rel=0.05)
    if distribution == "circle":
        assert np.allclose((v**2).sum(axis=1), 4.0)
    if mean_square:
        assert np.abs(np.corrcoef(v.T) - np.eye(3)).max() < 0.05


def test_spheres_fly_along_z_too() -> None:
    velocities = np.array([[0.0, 0.0, 0.1], [3.0, 0.0, 4.0]])
    assert flight_time(velocities, np.array([0.5, 1.0])) == pytest.approx(1.5 / 5.0)
    assert flight_time(np.zeros((2, 3)), np.ones(2)) == inf
