"""Indicators as entries of lists: what follows from one that is added, and what a sample lacks."""

from __future__ import annotations

import json

import numpy as np
import pytest

import engine
from engine import indicators
from engine.analysis import GAS, MOTION, PACKING, STRUCTURE, Held, Sample, analyse, every_indicator, measure
from engine.indicators import Indicator, as_json, in_words
from engine.scenario import Scenario
from engine.system import system_of
from tests.builders.file_frames import some_packings
from tests.cli.conftest import call

__all__ = ["call"]


@pytest.fixture
def mean_height(monkeypatch: pytest.MonkeyPatch) -> Indicator:
    """An indicator that a plug-in adds, with everything that follows from it in this test alone."""
    monkeypatch.setattr(indicators.INDICATORS, "parts", ())
    return indicators.register(
        Indicator("mean_height", "mean height", lambda sample: float(sample.positions[:, 1].mean()), "⟨y⟩", "length")
    )


def a_sample(count: int = 200, *, periodic: bool = True, **parts: object) -> Sample:
    rng = np.random.default_rng(11)
    box = np.array([20.0, 15.0])
    return Sample(rng.random((count, 2)) * box, rng.uniform(0.2, 0.6, count), box, periodic=periodic, **parts)  # type: ignore[arg-type]


@pytest.mark.parametrize("system", ["aggregation", "hard-discs", "jamming"])
def test_an_indicator_that_is_registered_is_measured_of_every_system(system: str, mean_height: Indicator) -> None:
    simulation = engine.create(Scenario().with_values({"system": system, "discs.count": 30}))
    frame = simulation.frame()
    found = system_of(simulation.scenario).analyse(simulation, frame)
    assert found["mean_height"] == frame.positions[:, 1].mean()
    assert list(found)[-1] == "mean_height"
    assert json.loads(json.dumps(found)) == found


@pytest.mark.usefixtures("mean_height")
def test_a_registered_indicator_does_not_change_typed_results() -> None:
    sample = a_sample()
    found = analyse(sample.positions, sample.radii, sample.box, periodic=True)
    assert set(found.to_dict()) == {indicator.name for indicator in (*STRUCTURE, *MOTION)}
    with pytest.raises(ValueError, match="there is an indicator mean_height already"):
        indicators.register(Indicator("mean_height", "again", lambda _: 0.0))
    with pytest.raises(ValueError, match="there is an indicator aspect_ratio already"):
        indicators.register(Indicator("aspect_ratio", "again", lambda _: 0.0))


@pytest.mark.usefixtures("mean_height")
def test_the_names_of_the_built_in_ones_are_known_without_their_kernels() -> None:
    assert tuple(indicator.name for indicator in every_indicator()) == (*indicators.BUILT_IN, "mean_height")


def test_indicators_without_their_data_are_left_out() -> None:
    bare = measure(a_sample(), every_indicator())
    assert {"speeds", "packing"}.isdisjoint(bare)
    assert bare["mean_square_displacement"] is None
    assert "speeds" not in measure(a_sample(velocities=np.ones((200, 2))), GAS), "masses are needed too"
    moving = a_sample(velocities=np.random.default_rng(1).normal(size=(200, 2)), masses=np.ones(200))
    assert measure(moving, GAS)["speeds"].temperature > 0.0
    packing = some_packings(1)[0]
    held = Held(packing.positions, packing.radii, packing.box, True, packing.network)  # type: ignore[arg-type]
    found = measure(Sample(held.positions, held.radii, held.box, periodic=True, packing=held), PACKING)
    assert found["packing"].contacts == len(packing.network.forces)


def test_indicators_of_clusters_are_nothing_where_discs_do_not_join() -> None:
    joined, apart = a_sample(joins=True), a_sample(joins=False)
    of_clusters = {indicator.name for indicator in STRUCTURE if indicator.of_clusters}
    assert of_clusters == {
        *("box_counting", "fractal_dimension", "fractal_fit", "aspect_ratio", "orientation", "cluster_sizes"),
        *("cluster_size_distribution", "cluster_profile", "minimum_cover", "minimum_cover_dimension"),
        *("minimum_cover_fit", "mesh_matters", "cluster_masses"),
    }
    found = measure(apart, STRUCTURE)
    in_space = {"bond_orders"}
    assert {name for name, value in found.items() if value is None} == of_clusters | in_space
    assert measure(joined, STRUCTURE)["box_counting"] is not None


def test_intermediate_results_of_indicators_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.analysis import sample as of_sample

    counted = []
    shared = ["contact_compressibility", "count_boxes", "counts_of_pairs", "have_gathered", "lay_out", "list_contacts"]
    shared += ["minimum_cover", "shape_of"]
    for name in shared:
        found = getattr(of_sample, name)
        monkeypatch.setattr(
            of_sample, name, lambda *given, name=name, found=found: (counted.append(name), found(*given))[1]
        )
    measure(a_sample(cluster=np.repeat(np.arange(50, dtype=np.int32), 4)), every_indicator())
    assert sorted(counted) == shared


def test_every_indicator_has_words_and_plain_json() -> None:
    everything = a_sample(
        periodic=False,  # where the largest cluster need not hang together to have a shape
        velocities=np.random.default_rng(1).normal(size=(200, 2)),
        masses=np.ones(200),
        cluster=np.repeat(np.arange(50, dtype=np.int32), 4),
        spin=np.repeat(np.random.default_rng(2).normal(size=50), 4),
        images=np.zeros((200, 2), np.int32),
        start=np.zeros((200, 2)),
    )
    listed = every_indicator()
    assert len({indicator.name for indicator in listed}) == len(listed)
    assert all(indicator.label and indicator.label == indicator.label.strip() for indicator in listed)
    values = as_json(measure(everything, listed), listed)
    assert list(values) == [indicator.name for indicator in listed if indicator.name != "packing"]
    assert json.loads(json.dumps(values)) == values
    assert [label for label, _ in in_words(values, listed)] == [
        *("relative contacts N_c", "{discs} with 0, 1, … contacts", "fractal dimension D_f"),
        "fractal dimension by minimum cover D_min",
        *("aspect ratio A_r", "orientation D", "local density in Voronoi cells φ_i"),
        "share of the kinetic energy in rotation E_rot/E",
        "total angular momentum about the centre of the box, or sum of spins in a periodic box L [mass·length²/time]",
    ]
