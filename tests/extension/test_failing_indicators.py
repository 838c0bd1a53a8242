"""Indicators of plug-ins that fail: null and a sentence with their names; all else is measured and written."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import engine
from aggviewer.session.analyst import Analyst, MeasuredState
from aggviewer.session.data import DiscSet
from aggviewer.systems.registry import view_of
from engine import indicators, plugins
from engine.analysis import Sample
from engine.indicators import Indicator
from engine.scenario import Scenario
from tests.cli.conftest import Call

TEXT = """
from engine.indicators import Indicator

PLUG_POINTS = 1


def broken(sample):
    return 1 / 0


def register(points):
    points.indicator(Indicator("broken", "broken", broken, dimensions=(2, 3)))
    points.indicator(Indicator("strange", "strange", lambda sample: object(), dimensions=(2, 3)))
    points.indicator(Indicator("unsayable", "unsayable", lambda sample: 1.0, in_words=broken, dimensions=(2, 3)))
    points.indicator(Indicator("undeclared", "undeclared", lambda sample: 2.0))
    points.indicator(Indicator("fine", "fine", lambda sample: 3.0, dimensions=(2, 3)))
"""
BROKEN = "the indicator broken of the plug-in mine.py has no value: ZeroDivisionError: division by zero"
ASKS = (
    "the indicator undeclared of the plug-in mine.py has no value: it does not say whether it is defined for spheres: "
    "give it dimensions=(2, 3) if it is, else dimensions=(2,)"
)
FILES = ["final.aggsession", "final.csv", "final.csv-metadata.json", "final.gsd", "scenario.toml", "series.csv"]


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TEXT, encoding="utf-8")
    assert not plugins.load_file(path).problem
    return path


def small(dimensions: int) -> list[str]:
    values = {"system": '"hard-discs"', "dimensions": dimensions, "discs.count": 27, "discs.arrangement": '"lattice"'}
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.usefixtures("mine")
def test_a_run_writes_all_its_files_though_indicators_fail(call: Call, tmp_path: Path, dimensions: int) -> None:
    done = call("run", "gas-10000", *small(dimensions), "--until-events", "5", "--json", "--out", tmp_path / "out")
    assert done.status == 0, done.err
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [*FILES, "summary.json"]
    for values in (done.json, json.loads((tmp_path / "out" / "summary.json").read_text())):
        found, problems = values["indicators"], values["problems"]
        assert (found["broken"], found["strange"], found["unsayable"], found["fine"]) == (None, None, 1.0, 3.0)
        assert found["undeclared"] == (2.0 if dimensions == 2 else None)
        assert found["contacts_relative"] is not None
        assert list(problems) == ["broken", *["undeclared"] * (dimensions == 3), "strange"]
        assert problems["broken"] == f"{BROKEN} (mine.py, line 8)"
        assert "the indicator strange of the plug-in mine.py has no value: TypeError" in problems["strange"]
        assert problems.get("undeclared", ASKS) == ASKS
    assert [line.removeprefix("aggviewer: ") for line in done.err.splitlines()] == list(problems.values())


def test_a_study_gives_the_other_quantities_and_says_what_is_missing(call: Call, mine: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'title = "t"\nscenario = "gas-10000"\n[seeds]\ncount = 2\n[stop]\nuntil_events = 5\n'
        '[base]\n"discs.count" = 16\n"discs.arrangement" = "lattice"\n'
        '[[vary]]\nkey = "discs.volume_fraction"\nvalues = [0.2]\n'
        '[measure]\nquantities = ["fine", "broken"]\n',
        encoding="utf-8",
    )
    done = call("study", study, "--out", tmp_path / "out", "--workers", "1", "--json")
    assert done.status == 0, done.err
    assert done.json["done"] == 2
    assert done.json["problems"] == {f"{BROKEN} (mine.py, line 8)": 2}
    rows = (tmp_path / "out" / "runs.csv").read_text()
    assert rows.count(BROKEN) == 2
    assert BROKEN in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize("system", ["aggregation", "hard-discs", "jamming"])
def test_the_window_measures_the_others_and_tells_once_of_each_that_fails(system: str) -> None:
    scenario = Scenario().with_values({"system": system, "discs.count": 20})
    simulation = engine.create(scenario)
    told: list[str] = []
    errors: list[Exception] = []
    analyst = Analyst(errors.append, on_problem=told.append)
    info, kind = DiscSet.of(scenario, simulation), view_of(system).analysis()
    kind.begin(simulation)
    analyst.want(frozenset({"broken", "fine", "contacts_relative"}))
    for _ in range(2):
        frame = simulation.frame()
        analyst.hurry()
        analyst.offer(
            kind, info, frame, simulation.history, partial(kind.observe, simulation, frame, MeasuredState(ended=False))
        )
        assert analyst._job.wait(60.0)
    found = analyst.take()
    assert not errors
    assert found is not None
    measured = found.data.arrangement if system == "jamming" else found.indicators
    assert (measured.broken, measured.fine) == (None, 3.0)
    assert measured.contacts_relative is not None
    assert told == [f"{BROKEN} (mine.py, line 8)"]
    assert analyst.close()


def test_dimensions_and_needs_that_make_no_sense_are_refused_when_they_are_registered(tmp_path: Path) -> None:
    for wrong, says in (
        ("dimensions=3", "the indicator fine has dimensions=3; it must be (2,), (3,) or (2, 3)"),
        ("dimensions=(2, 3), needs=('speeds',)", "the indicator fine needs speeds; it can need velocities, masses"),
    ):
        path = tmp_path / "other.py"
        path.write_text(
            TEXT.replace('fine", lambda sample: 3.0, dimensions=(2, 3)', f'fine", lambda sample: 3.0, {wrong}'),
            encoding="utf-8",
        )
        assert says in plugins.load_file(path).problem


def test_from_python_an_indicator_that_fails_raises_unless_problems_are_asked_for() -> None:
    from engine.analysis import Sample, measure

    one = Indicator("no_number", "no number", lambda sample: [][0])
    plane = Sample(np.ones((1, 2)), np.full(1, 0.5), np.full(2, 4.0), periodic=True)
    space = Sample(np.ones((1, 3)), np.full(1, 0.5), np.full(3, 4.0), periodic=True)
    with pytest.raises(IndexError):
        measure(plane, [one])
    with pytest.raises(engine.InputError, match="does not say whether it is defined for spheres"):
        measure(space, [one])
    problems = indicators.Problems()
    assert measure(plane, [one], problems) == {"no_number": None}
    assert "the indicator no_number has no value: IndexError: list index out of range" in problems["no_number"]


def test_an_indicator_that_ends_the_program_has_no_value() -> None:
    problems: dict[str, str] = {}
    sample = Sample(np.array([[1.0, 1.0]]), np.ones(1), np.array([9.0, 9.0]), periodic=True)
    leaves = Indicator("leaves", "leaves", lambda sample: sys.exit(3), dimensions=(2,), origin="mine.py")
    assert indicators.measure(sample, [leaves], problems) == {"leaves": None}
    assert "SystemExit: 3" in problems["leaves"]
