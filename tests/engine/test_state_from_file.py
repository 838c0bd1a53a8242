"""What a file with discs decides: which of them may overlap, how many there are, and how much of the box they fill."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine.errors import InputError
from engine.files import FileFrame, read, write
from engine.scenario import Scenario

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
def test_where_nothing_sticks_nothing_may_overlap(tmp_path: Path, system: str) -> None:
    scenario = engine.open_scenario(written(tmp_path)).with_values({"system": system})
    with pytest.raises(InputError, match=r"discs 0 and 1 overlap by 0\.167 of the sum of their radii; only discs that"):
        engine.create(scenario)


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
