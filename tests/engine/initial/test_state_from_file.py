"""What a file with discs decides: which of them may overlap, how many there are, and how much of the box they fill."""

from __future__ import annotations

import re
from dataclasses import replace
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.errors import InputError
from engine.files import FileFrame, read, write
from engine.initial import initial_state
from engine.jamming.checks import without_overlap
from engine.overlaps import OVERLAP_TOLERANCE, deepest_overlap
from engine.scenario import Scenario
from engine.system import system_of

BOX = np.array([8.0, 4.0])
RADII = np.full(3, 0.6)
POSITIONS = np.array([[1.0, 1.0], [2.0, 1.0], [6.0, 2.0]])  # the first two overlap by a sixth
FILLED = 3.0 * pi * 0.36 / 32.0


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "state.gsd"
    cluster = np.array([4, 4, 1], np.int32)
    state = FileFrame(POSITIONS, np.ones((3, 2)), RADII, None, cluster, BOX, True, 0.0)
    write(path, replace(state, **changes))
    return path


@pytest.mark.parametrize("system", ["hard-discs", "jamming"])
def test_overlaps_in_a_file_are_refused_where_nothing_sticks(tmp_path: Path, system: str) -> None:
    scenario = engine.open_scenario(written(tmp_path)).with_values({"system": system})
    with pytest.raises(
        InputError, match=r"discs 0 and 1.* by 0\.167 of the sum of their radii.*apart, each by at most 0\.2"
    ):
        engine.create(scenario)
    state = initial_state(scenario.with_values({"discs.fix_overlaps": True}))
    assert state.notice == "2 discs were moved apart, by at most 0.1"
    np.testing.assert_allclose(state.positions, [[0.9, 1.0], [2.1, 1.0], [6.0, 2.0]], atol=1e-8)


def rounded_packing(folder: Path, name: str, digits: int | None, boundary: str) -> Path:
    """A jammed packing as other programs write it: with few digits, or in single precision."""
    values = {"system": "jamming", "discs.count": 60, "discs.arrangement": "random", "discs.volume_fraction": 0.7}
    values |= {"discs.radii": "bidisperse", "discs.spread": 1.4, "box.boundary": boundary}
    simulation = engine.create(Scenario().with_values(values))
    simulation.advance()
    frame = FileFrame.of(simulation.frame(), simulation)
    assert frame.radii is not None
    few = np.float32 if digits is None else (lambda numbers: np.round(numbers, digits))
    positions, radii = (np.asarray(few(numbers), np.float64) for numbers in (frame.positions, frame.radii))
    path = folder / name
    write(path, FileFrame(positions, np.zeros_like(positions), radii, None, None, frame.box, frame.periodic))
    return path


@pytest.mark.parametrize(("digits", "boundary"), [(None, "periodic"), (3, "periodic"), (5, "walls")])
@pytest.mark.parametrize("system", ["aggregation", "hard-discs"])
def test_states_with_few_digits_start_when_the_advice_is_followed(
    tmp_path: Path, system: str, digits: int | None, boundary: str
) -> None:
    scenario = engine.open_scenario(rounded_packing(tmp_path, "a.csv", digits, boundary)).with_values(
        {"system": system}
    )
    with pytest.raises(InputError) as caught:
        engine.create(scenario)
    found = re.search(
        r"a\.csv: (discs \d+ and \d+ overlap by [\d.e-]+ of the sum of their radii|disc .* beyond a wall); "
        r"discs\.fix_overlaps = true \(--fix-overlaps\) moves discs apart, each by at most ([\d.e-]+)",
        str(caught.value),
    )
    assert found is not None, str(caught.value)
    most = float(found.group(2))
    fixed = initial_state(scenario.with_values({"discs.fix_overlaps": True}))
    engine.create(scenario.with_values({"discs.fix_overlaps": True}), fixed)
    before = read(tmp_path / "a.csv")[0]
    assert before.radii is not None
    moved = fixed.positions - before.positions
    moved -= fixed.box * np.round(moved / fixed.box) if fixed.periodic else 0.0
    assert 0.0 < np.hypot(*moved.T).max() <= most * 1.006  # three digits are told
    assert (fixed.radii / before.radii).min() > 1.0 - 3.0 * most
    deepest = deepest_overlap(fixed.positions, fixed.radii, fixed.cluster, fixed.box, fixed.periodic)[0]
    assert deepest <= OVERLAP_TOLERANCE
    assert "discs were moved apart, by at most" in fixed.notice
    again = initial_state(scenario.with_values({"discs.fix_overlaps": True}))
    assert again.positions.tobytes() == fixed.positions.tobytes()


def test_jamming_takes_small_overlaps_out_of_all_radii_as_jam_this_does(tmp_path: Path) -> None:
    path = rounded_packing(tmp_path, "a.gsd", 3, "periodic")
    scenario = engine.open_scenario(path).with_values({"system": "jamming"})
    state = initial_state(scenario)
    (frame,) = read(path)
    assert frame.radii is not None
    assert frame.box is not None
    wanted = without_overlap(frame.positions, frame.radii, frame.box, True, most=0.01)
    assert state.radii.tobytes() == wanted.tobytes()
    assert 1e-4 < 1.0 - (state.radii / frame.radii).max() < 0.01
    assert state.positions.tobytes() == frame.positions.tobytes()
    assert state.notice.startswith("all radii were reduced by a fraction of ")
    assert engine.create(scenario).scenario.discs.volume_fraction < 0.85
    frame.radii *= 1.02
    write(path, frame)
    with pytest.raises(InputError, match=r"by 0\.02.* more than 0\.01; this state cannot be jammed"):
        initial_state(scenario)


def test_discs_beyond_the_walls_are_reported_with_their_depth(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    text = "# box = 4 4 {}\nx,y,radius\n0.499999,1,0.5\n4.0000002,3,0.5\n"
    path.write_text(text.format("walls"), encoding="utf-8")
    scenario = engine.open_scenario(path)
    with pytest.raises(InputError, match=r"disc 1 at \(4, 3\) .* reaches 0\.5 beyond a wall; .* by at most 0\.5$"):
        initial_state(scenario)
    state = initial_state(scenario.with_values({"discs.fix_overlaps": True}))
    np.testing.assert_allclose(state.positions, [[0.5, 1.0], [3.5, 3.0]], atol=1e-9)
    path.write_text(text.format("periodic"), encoding="utf-8")
    np.testing.assert_allclose(initial_state(engine.open_scenario(path)).positions[1], [2e-7, 3.0], atol=1e-12)
    path.write_text(text.format("walls"), encoding="utf-8")  # the scenario decides
    wrapped = initial_state(scenario.with_values({"box.boundary": "periodic"}))
    np.testing.assert_allclose(wrapped.positions[1], [2e-7, 3.0], atol=1e-12)


def test_discs_of_a_cluster_move_together(tmp_path: Path) -> None:
    positions = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    path = written(tmp_path, positions=positions, cluster=np.array([4, 4, 1], np.int32))
    state = initial_state(engine.open_scenario(path).with_values({"discs.fix_overlaps": True}))
    np.testing.assert_allclose(state.positions, [[0.9, 1.0], [1.9, 1.0], [3.1, 1.0]], atol=1e-8)


def test_discs_without_room_in_the_box_are_reported(tmp_path: Path) -> None:
    path = written(tmp_path, radii=np.full(3, 1.9), cluster=np.arange(3, dtype=np.int32))
    scenario = engine.open_scenario(path)
    with pytest.raises(InputError, match=r"of the sum of their radii; the discs do not fit when each moves"):
        initial_state(scenario)
    with pytest.raises(InputError, match=r"not enough room: with moves of at most .*"):
        initial_state(scenario.with_values({"discs.fix_overlaps": True}))


def test_discs_of_one_cluster_may_overlap_where_discs_stick(tmp_path: Path) -> None:
    assert engine.create(engine.open_scenario(written(tmp_path))).frame().clusters == 2
    with pytest.raises(InputError, match="discs 0 and 1 overlap"):
        engine.create(engine.open_scenario(written(tmp_path, cluster=np.arange(3, dtype=np.int32))))


def test_a_file_that_is_opened_says_how_much_it_fills(tmp_path: Path) -> None:
    for scenario in (Scenario(), Scenario().with_values({"discs.volume_fraction": 0.7})):
        found = engine.open_scenario(written(tmp_path, scenario=scenario.to_toml()))
        assert found.discs.volume_fraction == pytest.approx(FILLED, rel=1e-12)
        assert found.discs.count == 3


def test_a_scenario_that_names_a_file_runs_with_its_numbers(tmp_path: Path) -> None:
    text = f'[discs]\narrangement = "file"\nfile = "{written(tmp_path).name}"\n[box]\nboundary = "periodic"\n'
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    scenario = engine.load_scenario(tmp_path / "a.toml")
    assert scenario.discs.volume_fraction == 0.2
    simulation = engine.create(scenario)
    assert simulation.scenario.discs.volume_fraction == pytest.approx(FILLED, rel=1e-12)
    assert simulation.scenario.discs.count == 3
    assert engine.create(simulation.scenario).scenario == simulation.scenario
    stepping = {"aggregation.method": "time-stepping"}
    for asked in (scenario, simulation.scenario):  # with the numbers of the file or without
        assert engine.carry_on(simulation, asked.with_values(stepping)).method == "time-stepping"


def test_radii_that_the_scenario_decides_leave_it_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("# box = 8 4 periodic\nx,y\n1,1\n3,1\n6,2\n", encoding="utf-8")
    scenario = Scenario().with_values(
        {"discs.arrangement": "file", "discs.file": str(path), "discs.count": 3, "box.boundary": "periodic"}
    )
    assert engine.create(scenario).scenario == scenario


def test_a_packing_begins_anew_with_the_volume_fraction_that_it_has(tmp_path: Path) -> None:
    values = {"system": "jamming", "discs.count": 64, "discs.arrangement": "random", "discs.volume_fraction": 0.7}
    values |= {"discs.radii": "bidisperse", "discs.spread": 1.4, "box.boundary": "periodic"}
    simulation = engine.create(Scenario().with_values(values))
    simulation.advance()
    state = FileFrame.of(simulation.frame(), simulation, simulation.scenario.to_toml())
    write(tmp_path / "packing.gsd", state)
    found = engine.open_scenario(tmp_path / "packing.gsd")
    area = pi * float(np.square(read(tmp_path / "packing.gsd")[0].radii).sum())
    assert found.discs.volume_fraction == pytest.approx(area / found.box_size()[0] ** 2, rel=1e-12)
    assert found.discs.volume_fraction > 0.8


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("distribution", ["circle", "square", "maxwell"])
def test_velocities_drawn_for_discs_of_a_file_have_no_total_momentum_in_a_periodic_box(
    tmp_path: Path, distribution: str, dimensions: int
) -> None:
    """Of unequal masses too. Where walls or joining discs stop them, and where the file has them, they stay."""
    rng = np.random.default_rng(1)
    places = np.stack(np.meshgrid(*[np.arange(6.0)] * dimensions), axis=-1).reshape(-1, dimensions) + 0.5
    count, masses = len(places), rng.uniform(0.5, 8.0, len(places))
    own = rng.normal(size=(count, dimensions)) + 3.0
    state = FileFrame(places, own, np.full(count, 0.3), masses, None, np.full(dimensions, 6.0), True, 0.0)
    write(tmp_path / "state.gsd", state)
    drawn = engine.open_scenario(tmp_path / "state.gsd").with_values(
        {"system": "hard-discs", "velocities.distribution": distribution}
    )

    def momentum(**values: Any) -> float:
        found = initial_state(drawn.with_values({name.replace("__", "."): value for name, value in values.items()}))
        np.testing.assert_array_equal(found.masses, masses)
        total = np.linalg.norm(masses @ found.velocities)
        return float(total / (masses @ np.linalg.norm(found.velocities, axis=1)))

    assert momentum() < 1e-14
    assert momentum(box__boundary="walls") > 1e-3
    assert momentum(system="aggregation") > 1e-3
    assert momentum(velocities__distribution="file") > 0.5


@pytest.mark.parametrize("dimensions", [2, 3])
def test_discs_of_a_file_with_drawn_velocities_cool_by_haffs_law(tmp_path: Path, dimensions: int) -> None:
    """With the motion of the centre of mass, which never ends, T came to 1e8 times the law."""
    places = np.stack(np.meshgrid(*[np.arange(6.0)] * dimensions), axis=-1).reshape(-1, dimensions) + 0.5
    state = FileFrame(places, None, np.full(len(places), 0.3), None, None, np.full(dimensions, 6.0), True, 0.0)
    write(tmp_path / "state.gsd", state)
    values = {"system": "hard-discs", "velocities.distribution": "maxwell", "hard_discs.restitution": 0.9}
    simulation = engine.create(engine.open_scenario(tmp_path / "state.gsd").with_values(values))
    simulation.advance(max_events=50 * len(places))
    found = system_of(simulation.scenario).results_of(simulation)
    assert 0.5 < found["temperature_over_haff"] < 4.0
    assert simulation.frame().kinetic_energy < 0.01 * simulation.history().kinetic_energy[0]
