"""`aggviewer run`: the JSON, the limits, the files, and Ctrl-C."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import gsd.hoomd
import numpy as np
import pytest

import engine
from engine.files import open_trajectory, read
from engine.scenario import Scenario
from tests.cli.conftest import Call, refused, settings

KEYS = (
    "version",
    "system",
    "method",
    "count",
    "seed",
    "sim_time",
    "clusters",
    "events",
    "steps",
    "wall_s",
    "compile_s",
    "stop_reason",
    "momentum_error",
    "kinetic_energy",
    "max_overlap",
    "volume_fraction",
    "indicators",
)
INDICATORS = (
    "contacts_relative",
    "contacts_histogram",
    "pair_distribution",
    "box_counting",
    "fractal_dimension",
    "aspect_ratio",
    "orientation",
    "cluster_sizes",
)


def test_json_has_the_stable_keys(call: Call) -> None:
    done = call("run", "lattice-100", "--json")
    assert done.status == 0
    assert done.err == ""
    found = done.json
    assert set(KEYS) <= set(found)
    assert set(INDICATORS) <= set(found["indicators"])
    assert found["version"] == engine.__version__
    assert (found["system"], found["method"], found["count"], found["seed"]) == ("aggregation", "event-driven", 100, 1)
    assert found["clusters"] == 1
    assert found["events"]["merge"] == 99
    assert found["stop_reason"] == "finished"
    assert found["wall_s"] > 0.0
    assert found["compile_s"] >= 0.0
    assert abs(found["momentum_error"]) < 1e-12
    assert 0.0 <= found["max_overlap"] < 1e-9
    assert found["indicators"]["cluster_sizes"] == {"100": 1}


def test_people_get_a_table(call: Call) -> None:
    done = call("run", "lattice-100", "--until-clusters", "10")
    assert done.status == 0
    assert "relative contacts N_c" in done.out
    assert "clusters M" in done.out


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (("--until-clusters", "30"), "clusters"),
        (("--until-clusters", "99999999999999999999"), "clusters"),
        (("--until-events", "12"), "events"),
        (("--until-time", "0.5"), "time"),
        (("--until-time", "0"), "time"),
        (("--max-wall", "1e-9"), "wall"),
        ((), "finished"),
    ],
)
def test_a_run_ends_at_the_limit_that_is_given(call: Call, tmp_path: Path, limit: tuple[str, ...], reason: str) -> None:
    found = call("run", "lattice-100", "--json", *limit).json
    assert found["stop_reason"] == reason
    if reason == "clusters":
        assert found["clusters"] == min(int(limit[1]), 100)
    elif reason == "events":
        assert found["events"]["merge"] + found["events"]["wall"] == int(limit[1])
    elif reason == "time":
        assert found["sim_time"] == float(limit[1])
    elif reason == "wall":
        assert found["clusters"] > 1
    else:
        assert found["clusters"] == 1


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of one run."""
    from aggviewer.__main__ import main

    out = tmp_path_factory.mktemp("run") / "new" / "folder"
    values = settings("discs.arrangement=random", "discs.radii=uniform", "discs.spread=0.5", "seed=9")
    status = main(["run", "lattice-400", *values, "--until-clusters", "20", "--json", "--out", str(out)])
    assert status == 0
    return out


def test_files_of_a_run(written: Path) -> None:
    assert {path.name for path in written.iterdir()} == {
        "scenario.toml",
        "summary.json",
        "final.aggsession",
        "final.gsd",
        "final.csv",
        "final.csv-metadata.json",
        "series.csv",
    }
    scenario = engine.load_scenario(written / "scenario.toml")
    assert scenario.seed == 9
    assert scenario.box.size == 20.0
    assert scenario.discs.radii == "uniform"
    tables = tomllib.loads((written / "scenario.toml").read_text(encoding="utf-8"))
    assert tables["jamming"]["max_iterations"] == 1000


def test_running_the_written_scenario_again_gives_the_same_bits(call: Call, written: Path, tmp_path: Path) -> None:
    done = call("run", written / "scenario.toml", "--until-clusters", "20", "--out", tmp_path)
    assert done.status == 0
    for name in ("final.csv", "series.csv", "scenario.toml"):
        assert (tmp_path / name).read_bytes() == (written / name).read_bytes()


def test_indicators_of_the_final_state_are_those_of_the_run(call: Call, written: Path) -> None:
    import json

    summary = json.loads((written / "summary.json").read_text(encoding="utf-8"))
    found = call("analyse", written / "final.csv", "--json").json
    assert found["indicators"].pop("velocity_autocorrelation") is None, "a state does not know how its run began"
    assert summary["indicators"].pop("velocity_autocorrelation") is not None
    assert found["indicators"] == summary["indicators"]
    for key in ("count", "clusters", "sim_time", "box", "boundary"):
        assert found[key] == summary[key]
    assert found["kinetic_energy"] == pytest.approx(summary["kinetic_energy"], rel=1e-12)
    assert found["max_overlap"] == summary["max_overlap"]


def test_series_of_many_merges_is_thinned(tmp_path: Path) -> None:
    from aggviewer.cli.output import _spread

    assert _spread(5, 10) == [0, 1, 2, 3, 4]
    kept = _spread(1_000_000, 1000)
    assert 500 < len(kept) <= 1000
    assert (kept[0], kept[-1]) == (0, 999_999)
    assert kept == sorted(set(kept))


def test_a_run_goes_on_from_its_final_state(call: Call, written: Path, tmp_path: Path) -> None:
    before = call("analyse", written / "final.csv", "--json").json
    found = call("run", written / "final.csv", "--until-clusters", "1", "--json", "--out", tmp_path).json
    assert found["count"] == 400
    assert found["clusters"] == 1
    assert found["events"]["merge"] == 19
    assert found["kinetic_energy"] < before["kinetic_energy"]
    scenario = engine.load_scenario(tmp_path / "scenario.toml")
    assert scenario.discs.arrangement == "file"
    assert Path(scenario.discs.file).is_absolute()


def test_not_a_number_becomes_null() -> None:
    from engine.runs.summary import to_json

    values = {"a": math.nan, "b": [math.inf, np.float64(0.5), np.int64(3)], "c": None, "d": True}
    assert to_json(values) == '{"a": null, "b": [null, 0.5, 3.0], "c": null, "d": true}'


def test_steps_in_time_write_a_state_that_can_be_read_again(call: Call, tmp_path: Path) -> None:
    """Between whole steps clusters may overlap for a moment: what is written is the last whole step."""
    method = "aggregation.method=time-stepping"
    found = call("run", "lattice-400", "--set", method, "--until-time", "3.333", "--out", tmp_path, "--json").json
    assert found["method"] == "time-stepping"
    assert 3.0 < found["sim_time"] <= 3.333
    assert found["steps"]["step"] > 5
    assert found["max_overlap"] < 2e-3
    again = call("run", tmp_path / "final.csv", "--until-clusters", "1", "--json").json
    assert again["method"] == "event-driven"
    assert again["clusters"] == 1


def test_record_writes_a_trajectory_that_hoomd_s_library_reads(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = call("run", "lattice-100", "--until-time", "1.1", "--out", str(out), "--record", "--every", "0.25", "--json")
    assert done.status == 0
    with open_trajectory(out / "trajectory.gsd") as trajectory:
        assert trajectory.times.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0, 1.1]
        last = trajectory[-1]
        assert Scenario.from_toml(trajectory.scenario).discs.count == 100
    assert np.array_equal(last.positions, read(out / "final.gsd")[0].positions)
    with gsd.hoomd.open(str(out / "trajectory.gsd"), "r") as file:
        assert len(file) == 6
        assert file[3].particles.N == 100


def test_record_has_an_interval_of_its_own(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = call("run", "lattice-100", "--until-time", "2", "--out", str(out), "--record", "--json")
    assert done.status == 0
    with open_trajectory(out / "trajectory.gsd") as trajectory:
        diameter = 2.0 * float(np.mean(trajectory[0].radii))
        assert np.allclose(np.diff(trajectory.times)[:-1], diameter)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--record"], "--out"),
        (["--every", "0.5"], "--record"),
        (["--record", "--every", "0", "--out", "OUT"], "above 0"),
        (["--record", "--every", "nan", "--out", "OUT"], "above 0"),
        (["--record", "--set", "velocities.distribution=rest", "--out", "OUT"], "--every"),
    ],
)
def test_recording_options_that_make_no_sense(call: Call, tmp_path: Path, options: list[str], words: str) -> None:
    given = (str(tmp_path) if option == "OUT" else option for option in options)
    assert words in refused(call("run", "lattice-100", *given))
