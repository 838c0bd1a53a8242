"""The fourth system, by the engine and on the command line: no line of the program knows it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.errors import InputError
from engine.plugins import PlugIn
from engine.scenario import Scenario, describe, scenario_keys
from engine.simulation import Simulation
from tests.cli.conftest import Call, Called
from tests.extension.conftest import POINTS

SCENARIO = {"system": "points", "discs.count": 16, "seed": 5}
RUN = ("run", "lattice-100", "--set", "system=points", "--set", "discs.count=16", "--plugin", POINTS)


def made(**changes: object) -> Simulation:
    return engine.create(Scenario().with_values(SCENARIO | {key.replace("__", "."): of for key, of in changes.items()}))


def same(one: Simulation, other: Simulation) -> None:
    assert one.time == other.time
    np.testing.assert_equal(vars(one.frame()), vars(other.frame()))
    for name in one.history().columns():
        np.testing.assert_array_equal(getattr(one.history(), name), getattr(other.history(), name))


def test_points_move_as_they_should(points: PlugIn) -> None:
    simulation = made()
    start = simulation.frame()
    before, velocity = start.positions.copy(), start.velocities.copy()
    simulation.advance(7.3)
    radius = simulation.radii[:, None]
    width = simulation.box - 2.0 * radius
    flown = before - radius + 7.3 * velocity  # the path in a row of mirror images of the box
    folded = np.abs((flown + width) % (2.0 * width) - width)
    np.testing.assert_allclose(simulation.frame().positions, folded + radius, atol=1e-12)
    impacts = int(np.abs(np.floor(flown / width)).sum())
    assert simulation.frame().fields["hits"].sum() == impacts
    assert simulation.advance(max_events=3).happened == impacts + 3


def test_a_run_in_many_short_slices_ends_like_a_run_in_one_piece(points: PlugIn) -> None:
    whole, parts = made(), made()
    whole.advance(9.0)
    for time in np.arange(0.25, 9.1, 0.25):
        parts.frame()
        parts.advance(float(time))
    same(whole, parts)


def test_a_checkpoint_goes_on_bit_for_bit(points: PlugIn) -> None:
    simulation = made(points__heat=1.5)
    simulation.advance(4.0)
    simulation.set("points.heat", 0.7)
    checkpoint = simulation.checkpoint()
    engine.check_checkpoint(checkpoint)
    again = engine.restore(checkpoint)
    simulation.advance(9.0)
    again.advance(9.0)
    same(simulation, again)


@pytest.mark.parametrize("name", ["box", "radii", "masses", "place", "velocity", "since", "hits", "rows", "clock"])
def test_a_damaged_checkpoint_is_refused(points: PlugIn, name: str) -> None:
    checkpoint = made().checkpoint()
    checkpoint.arrays[name] = np.full(99, np.nan)
    with pytest.raises(InputError, match="damaged"):
        engine.check_checkpoint(checkpoint)
    del checkpoint.arrays[name]
    with pytest.raises(InputError, match="damaged"):
        engine.check_checkpoint(checkpoint)


def test_keys_of_a_plug_in_s_system_are_keys_of_the_scenario(points: PlugIn) -> None:
    assert describe("points.heat").label == "Heat"
    assert "points.heat" in scenario_keys()
    assert describe("system").choices["points"] == "Free points"
    assert made().tunable == {"points.heat"}
    with pytest.raises(InputError, match=r"points\.heat must be a number above 0"):
        made(points__heat=0.0)
    with pytest.raises(InputError, match="something to bounce off"):
        made(box__boundary="periodic")
    with pytest.raises(InputError, match=r"did you mean points\.heat"):
        made(points__heta=1.0)


def test_a_run_without_an_end_is_refused_in_its_own_words(call: Call) -> None:
    done = call(*RUN)
    assert (done.status, done.err) == (
        2,
        "aggviewer: points fly forever; set an end with --until-time, --until-events or --max-wall\n",
    )


@pytest.fixture
def written(call: Call, tmp_path: Path) -> Path:
    """The folder of a run to the time 5, recorded."""
    done = call(*RUN, "--until-time", "5", "--out", tmp_path / "out", "--record", "--every", "0.5")
    assert (done.status, done.err) == (0, "")
    return tmp_path / "out"


def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that was started without the plug-in."""
    from engine import indicators, plugins
    from engine.scenario import section

    monkeypatch.setattr(indicators.INDICATORS, "parts", ())
    monkeypatch.setattr(plugins, "_known", {})
    monkeypatch.setattr(plugins.LATE_PARTS, "parts", ())
    monkeypatch.setattr(section.SYSTEMS, "parts", tuple(of for of in section.SYSTEMS.parts if not of.origin))


def test_written_files_can_be_read_measured_and_drawn(call: Call, written: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader((written / "series.csv").read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == ["time", "clusters", "kinetic_energy", "contacts_relative", "impacts"]
    assert int(rows[1]["impacts"]) == 16
    assert json.loads((written / "summary.json").read_text(encoding="utf-8"))["system"] == "points"
    analysed = call("analyse", written / "final.gsd", "--plugin", POINTS, "--json")
    assert analysed.json["sim_time"] == 5.0
    assert 0.0 < analysed.json["indicators"]["mean_height"] < 4.0
    from engine.files import open_trajectory

    with open_trajectory(written / "trajectory.gsd") as trajectory:
        assert [frame.time for frame in trajectory][:3] == [0.0, 0.5, 1.0]
    for name, options in (("a.png", ()), ("a.mp4", ("--speed", "5"))):
        drawn = call("render", written / "trajectory.gsd", "--out", tmp_path / name, "--plugin", POINTS, *options)
        assert (drawn.status, drawn.err) == (0, "")
        assert (tmp_path / name).stat().st_size > 1000


def test_a_session_is_carried_on_bit_for_bit(call: Call, written: Path, tmp_path: Path) -> None:
    further = call(
        "run", written / "final.aggsession", "--plugin", POINTS, "--until-time", "9", "--out", tmp_path / "b"
    )
    assert (further.status, further.err) == (0, "")
    straight = call(*RUN, "--until-time", "9", "--out", tmp_path / "c")
    assert straight.status == 0
    assert (tmp_path / "b" / "final.csv").read_bytes() == (tmp_path / "c" / "final.csv").read_bytes()
    assert (tmp_path / "b" / "series.csv").read_bytes() == (tmp_path / "c" / "series.csv").read_bytes()


@pytest.mark.parametrize("name", ["scenario.toml", "final.aggsession", "trajectory.gsd"])
def test_without_the_plug_in_a_file_is_refused_and_names_it(
    call: Call, written: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten(monkeypatch)
    done: Called = call("run", written / name, "--until-time", "6")
    assert done.status == 2
    assert done.err.startswith("aggviewer: ")
    assert done.err.endswith(
        'system "points" comes from the plug-in points.py, which is not loaded: load it with --plugin FILE.py; '
        'without it, system must be "aggregation", "hard-discs" or "jamming"\n'
    )
    assert call("run", written / name, "--until-time", "6", "--plugin", POINTS).status == 0
