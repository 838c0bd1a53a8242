"""What follows from a scenario before it runs."""

from math import pi, sqrt

import numpy as np
import pytest

from engine.derived import mean_free_path, mean_radius, number_density
from engine.scenario import Scenario


@pytest.mark.parametrize(
    ("radii", "spread"), [("equal", 0.0), ("bidisperse", 1.4), ("uniform", 0.8), ("lognormal", 0.3)]
)
def test_the_derived_radius_gives_the_volume_fraction(radii, spread):
    scenario = Scenario().with_values({"discs.radii": radii, "discs.spread": spread, "box.size": 80.0})
    radius = mean_radius(scenario)
    assert radius is not None
    rng = np.random.default_rng(1)
    sample = {
        "equal": np.ones(10),
        "bidisperse": np.array([1.0, 1.4]),
        "uniform": rng.uniform(0.6, 1.4, 400_000),
        "lognormal": rng.lognormal(-0.5 * np.log(1.09), sqrt(np.log(1.09)), 400_000),
    }[radii]
    area = pi * np.mean((sample / sample.mean() * radius) ** 2)
    assert 2500 * area / 80.0**2 == pytest.approx(0.2, rel=5e-3)
    assert number_density(scenario) == pytest.approx(2500 / 6400)


@pytest.mark.parametrize("derived", [mean_radius, number_density, mean_free_path])
def test_a_file_decides_the_derived_numbers(derived):
    assert derived(Scenario().with_values({"discs.arrangement": "file", "discs.file": "a.csv"})) is None


def test_the_mean_free_path_is_that_between_collisions_of_a_gas():
    scenario = Scenario().with_values({"discs.volume_fraction": 0.3})
    # collisions per disc √2 ⟨v⟩ 2 d n χ, with χ = (Z - 1) / (2 φ), Z = 2.0634 in the literature, and one disc per area
    diameter, density, chi = 2.0 * sqrt(0.3 / pi), 1.0, 1.0634 / 0.6
    assert scenario.box_size() == (50.0, 50.0)
    assert mean_free_path(scenario) == pytest.approx(1.0 / (2.0 * sqrt(2.0) * density * diameter * chi), rel=2e-4)
