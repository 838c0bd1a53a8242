"""Averages over the states of a run: means and errors against plain numpy, and errors against the spread over seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import engine
from engine.analysis import GAS, MOTION, STRUCTURE, Averages, Sample, diffusion, measure
from engine.analysis.averages import Blocks, errors_of, in_json
from engine.arrays import Floats
from engine.indicators import Averaging, Indicator
from engine.scenario import Scenario
from engine.system import System, system_of, systems

SEEDS = 20
NAMES = {
    *("pair_correlation", "structure_factor", "pair_distribution", "fluctuations", "contact_value", "speeds"),
    *("mean_square_displacement", "velocity_autocorrelation", "velocity_correlation", "contacts_relative"),
}
INDICATORS = [one for one in (*STRUCTURE, *MOTION, *GAS) if one.name in NAMES]


def largest_errors(values: Floats) -> Floats:
    """The errors (K,) of the means of values (n, K) of states."""
    blocks = Blocks(values.shape[1])
    for row in values:
        blocks.add(row)
    np.testing.assert_allclose(blocks.mean, values.mean(axis=0), rtol=1e-12, atol=1e-12)
    return np.asarray(errors_of(blocks.replicas).max(axis=0))


def spread_over_error(means: Floats, errors: Floats) -> float:
    """The rms over K numbers of their spread over seeds over the mean of their errors, both (seeds, K). Numbers without
    an error in any of the runs are left out: those that never change, and shares of intervals that are hardly met."""
    stated = errors.mean(axis=0)
    known = (errors > 0.0).all(axis=0)
    assert known.any()
    return float(np.sqrt(np.mean(np.square(means.std(axis=0, ddof=1)[known] / stated[known]))))


def test_without_correlation_the_error_is_that_of_independent_states() -> None:
    """Of 20 seeds with 200 numbers each; an error that is wrong by √2 is out of these limits."""
    rng = np.random.default_rng(5)
    for states in (64, 150, 1000):
        values = rng.standard_normal((SEEDS, states, 200))
        errors = np.array([largest_errors(one) for one in values])
        found = spread_over_error(values.mean(axis=1), errors)
        assert 0.75 < found < 1.05
        assert not 0.75 < found * np.sqrt(2.0) < 1.05


@pytest.mark.parametrize("memory", [2.0, 8.0, 30.0])
def test_the_error_of_correlated_states_is_the_spread_over_seeds(memory: float) -> None:
    """Where neighbours are alike, the error of independent states would be two to eight times too small."""
    rng = np.random.default_rng(6)
    kept = np.exp(-1.0 / memory)
    noise = rng.standard_normal((SEEDS, 2000, 100)) * np.sqrt(1.0 - kept**2)
    values = np.empty_like(noise)
    values[:, 0] = rng.standard_normal((SEEDS, 100))
    for k in range(1, 2000):
        values[:, k] = kept * values[:, k - 1] + noise[:, k]
    errors = np.array([largest_errors(one) for one in values])
    means = values.mean(axis=1)
    assert 0.75 < spread_over_error(means, errors) < 1.2
    ignored = values.std(axis=1, ddof=1) / np.sqrt(2000.0)
    assert spread_over_error(means, ignored) > 1.9


def test_numbers_that_some_states_lack_are_averaged_over_the_others() -> None:
    rng = np.random.default_rng(7)
    values = rng.random((300, 3))
    values[::2, 1] = np.nan
    values[:, 2] = np.nan
    blocks = Blocks(2)
    for k, row in enumerate(values):
        if k == 100:
            blocks.extend(1)
        blocks.add(row[: blocks.sums.shape[1]])
    np.testing.assert_allclose(blocks.mean, [values[:, 0].mean(), values[1::2, 1].mean(), np.nan])
    errors = errors_of(blocks.replicas).max(axis=0)
    assert errors[1] == pytest.approx(errors[0] * np.sqrt(2.0), rel=0.5)
    assert np.isnan(errors[2])


def states_of(seed: int, number: int, every: float, **keys: Any) -> list[tuple[float, Sample]]:
    """States of a gas at even times."""
    values = {"system": "hard-discs", "discs.count": 100, "box.boundary": "periodic", "seed": seed}
    values |= {"discs.volume_fraction": 0.3, "discs.arrangement": "random", "hard_discs.equilibration": 10.0}
    scenario = Scenario().with_values(values | {key.replace("__", "."): value for key, value in keys.items()})
    simulation = engine.create(scenario)
    begin, found = simulation.time, []
    for k in range(number):
        simulation.advance(begin + k * every)
        frame = simulation.frame()
        found.append((frame.time, system_of(scenario).sample(simulation, frame)))
    return found


def averaged(states: list[tuple[float, Sample]], indicators: list[Indicator] = INDICATORS) -> Averages:
    averages = Averages(indicators)
    for time, sample in states:
        averages.add(time, sample)
    return averages


def test_curves_are_averaged_point_by_point() -> None:
    states = states_of(1, 20, 0.5)
    averages = averaged(states)
    each = [measure(sample, INDICATORS) for _, sample in states]
    for name, part in (("pair_correlation", "g"), ("structure_factor", "s"), ("fluctuations", "ratio")):
        rows = np.array([getattr(one[name], part) for one in each])
        average = averages.average(name)
        assert average is not None
        np.testing.assert_allclose(getattr(average.value, part), rows.mean(axis=0), rtol=1e-12)
        by_hand = [largest_errors(rows[:, [k]])[0] for k in range(rows.shape[1])]
        np.testing.assert_allclose(average.error(part), by_hand, rtol=1e-9, atol=1e-12)
    found = averages.average("structure_factor")
    assert found is not None
    assert found.value.error is found.errors["s"]
    relative = averages.average("contacts_relative")
    assert relative is not None
    assert relative.value == pytest.approx(np.mean([one["contacts_relative"] for one in each]))
    assert (relative.states, relative.first, relative.last) == (20, states[0][0], states[-1][0])


@pytest.mark.parametrize("dimensions", [2, 3])
def test_displacement_and_autocorrelation_are_means_over_all_pairs_of_states(dimensions: int) -> None:
    states = states_of(2, 300, 0.4, dimensions=dimensions, discs__count=40)
    averages = averaged(states)
    places = np.array([sample.positions + sample.images * sample.box for _, sample in states])  # type: ignore[operator]
    places -= places.mean(axis=1, keepdims=True)  # masses are equal
    speeds = np.array([sample.velocities for _, sample in states])
    speeds -= speeds.mean(axis=1, keepdims=True)
    displacement, alike = (averages.average(name) for name in ("mean_square_displacement", "velocity_autocorrelation"))
    assert displacement is not None
    assert alike is not None
    lags = np.rint(displacement.value.time / 0.4).astype(int)
    assert lags.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16]
    for k, lag in enumerate(lags[:8]):  # longer ones begin at every second state only
        moved = np.square(places[lag:] - places[:-lag]).sum(axis=2).mean()
        assert displacement.value.value[k] == pytest.approx(moved, rel=1e-9)
        each = (speeds[lag:] * speeds[:-lag]).sum(axis=(1, 2)) / np.square(speeds[:-lag]).sum(axis=(1, 2))
        assert alike.value.value[k] == pytest.approx(each.mean(), abs=1e-9)
    time = displacement.value.time

    def coefficient(squared: Floats) -> float | None:
        found = diffusion(time, squared, None, dimensions)
        return None if found is None else found.coefficient

    error = displacement.error_of(coefficient, "value")
    assert error is not None
    assert 0.0 < error < 0.3 * (coefficient(displacement.value.value) or 0.0)


def test_an_average_begins_again_where_the_places_of_its_values_change() -> None:
    """As where discs grow: g(r) has other distances then, and a mean over both would be of neither."""
    before, after = states_of(3, 9, 0.5), states_of(3, 9, 0.5, discs__volume_fraction=0.2)
    later = [(time + 10.0, sample) for time, sample in after]
    averages = averaged([*before, *later], [one for one in INDICATORS if one.name == "pair_correlation"])
    average = averages.average("pair_correlation")
    assert average is not None
    assert (average.states, average.first) == (9, later[0][0])
    alone = averaged(later, [one for one in INDICATORS if one.name == "pair_correlation"]).average("pair_correlation")
    assert alone is not None
    np.testing.assert_array_equal(average.value.g, alone.value.g)


def test_states_at_uneven_times_have_no_average_of_what_compares_them() -> None:
    states = states_of(4, 40, 0.5)
    one_late = averaged([*states[:-1], (states[-1][0] + 0.1, states[-1][1])])  # the last state of a recording
    assert one_late.average("mean_square_displacement") is not None
    uneven = averaged([(time**1.1, sample) for time, sample in states])
    assert uneven.average("mean_square_displacement") is None
    assert uneven.problems["mean_square_displacement"] == "the states are not evenly spaced in time"
    assert uneven.average("pair_correlation") is not None


def test_an_indicator_of_a_plug_in_is_averaged_if_it_is_a_number_or_says_how() -> None:
    states = states_of(5, 10, 0.5)
    heights = [float(sample.positions[:, 1].mean()) for _, sample in states]

    def split(sample: Sample) -> dict[str, Any]:
        return {"part": np.array([0, 1]), "y": np.array([sample.positions[:50, 1].mean(), 1.0]), "words": "two"}

    plug_ins = [
        Indicator("height", "height", lambda sample: float(sample.positions[:, 1].mean())),
        Indicator("halves", "halves", split, averaging=Averaging(("y",), "part")),
        Indicator("words", "words", lambda sample: "many"),
    ]
    averages = averaged(states, plug_ins)
    height, halves = averages.average("height"), averages.average("halves")
    assert height is not None
    assert halves is not None
    assert height.value == pytest.approx(np.mean(heights))
    assert halves.value["y"].shape == (2,)
    assert averages.average("words") is None
    assert "does not say how" in averages.problems["words"]


def test_a_part_that_states_lack_stays_unknown() -> None:
    """As the speeds of discs in a file without velocities."""
    places = np.random.default_rng(8).random((10, 50, 2)) * 9.0
    averages = Averages([one for one in STRUCTURE if one.name in ("radial_profile", "contacts_histogram")])
    for k, positions in enumerate(places):
        averages.add(float(k), Sample(positions, np.full(50, 0.3), np.full(2, 9.0), periodic=True))
    profile, counts = averages.average("radial_profile"), averages.average("contacts_histogram")
    assert profile is not None
    assert counts is not None
    assert profile.value.speed is None
    assert profile.errors.keys() == {"density"}
    assert counts.value.sum() == pytest.approx(50.0)


def ratios(dimensions: int, count: int, states: int, names: set[str]) -> dict[str, float]:
    """For each of these quantities, the rms over its numbers of spread over seeds over stated error."""
    wanted = [one for one in INDICATORS if one.name in names]
    runs = [
        averaged(states_of(seed, states, 0.3, dimensions=dimensions, discs__count=count), wanted)
        for seed in range(1, SEEDS + 1)
    ]
    found: dict[str, float] = {}
    for one in wanted:
        averages = [run.average(one.name) for run in runs]
        there = [average for average in averages if average is not None]
        assert len(there) == SEEDS, one.name
        part = next(iter(there[0].errors))
        means = [getattr(average.value, part, average.value) for average in there]
        if isinstance(means[0], dict):
            means = [mean[part] for mean in means]
        errors = [average.errors[part] for average in there]
        length = min(np.size(mean) for mean in means)
        found[one.name] = spread_over_error(
            *(np.array([np.atleast_1d(row)[:length] for row in rows]) for rows in (means, errors))
        )
    return found


def test_errors_of_a_short_run_of_a_gas_are_the_spread_over_seeds() -> None:
    """A few quantities of a small gas; all of them, in longer runs, in the next test."""
    found = ratios(2, 64, 64, {"pair_correlation", "structure_factor", "speeds"})
    assert all(1.0 / 1.5 < ratio < 1.5 for ratio in found.values()), found


@pytest.mark.slow
@pytest.mark.parametrize("dimensions", [2, 3])
def test_errors_of_a_gas_are_the_spread_over_seeds(dimensions: int) -> None:
    found = ratios(dimensions, 256, 400, NAMES)
    assert all(1.0 / 1.5 < ratio < 1.5 for ratio in found.values()), found


def assert_within(error: Any, value: Any, path: str) -> None:
    """Every key of the error is one of the value, and every list as long."""
    assert isinstance(error, dict) == isinstance(value, dict), path
    if isinstance(error, dict):
        for key, part in error.items():
            assert key in value, f"{path}.{key}"
            assert_within(part, value[key], f"{path}.{key}")
    else:
        assert np.shape(error) == np.shape(value), path


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("system", systems(), ids=lambda system: system.name)
def test_in_json_an_error_has_the_key_of_its_value(system: System, dimensions: int) -> None:
    values = {"dimensions": dimensions, "discs.count": 50, "discs.volume_fraction": 0.3, "box.boundary": "periodic"}
    simulation = engine.create(Scenario().with_values({"system": system.name, **values}))
    averages = Averages(system.indicators())
    for k in range(20):
        simulation.advance(0.02 * k)
        frame = simulation.frame()
        averages.add(float(k), system.sample(simulation, frame))
    found = in_json(averages, system.indicators())["indicators"]
    known = {name: one for name, one in found.items() if one is not None and one["error"] is not None}
    assert {"contacts_relative", "structure_factor", "voronoi_cells"} < known.keys()
    assert ("bond_orders" in known) == (dimensions == 3)
    for name, one in known.items():
        assert_within(one["error"], one["value"], name)
