"""Own quantities of systems that exist: the plug-in of docs/extending.md, and what happens when one of them fails."""

from __future__ import annotations

import csv
import json
import logging
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.export.sources import FilmColors, SimulationSource
from aggviewer.extensions.lessons.conditions import condition
from aggviewer.session.analyst import Analyst, MeasuredState
from aggviewer.session.coloring import Colorist
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.systems.registry import plots_of, view_of
from engine import plugins
from engine.errors import InputError
from engine.scenario import Scenario
from engine.simulation import Simulation
from tests.cli.conftest import Call
from tests.extension.conftest import POINTS
from tests.extensions.lessons.lesson_texts import situation

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(
    r"^```python\n(.*?)^```$",
    PAGE.partition("\n## Own quantities\n")[2].partition("\n## ")[0],
    re.MULTILINE | re.DOTALL,
)
EVERY = [("aggregation", 2), ("aggregation", 3), ("hard-discs", 2), ("hard-discs", 3), ("jamming", 2), ("jamming", 3)]


@pytest.fixture
def crowding(tmp_path: Path) -> plugins.PlugIn:
    """The plug-in of the page, loaded."""
    path = tmp_path / "crowding.py"
    path.write_text("\n\n".join(BLOCKS), encoding="utf-8")
    return plugins.load_file(path)


def mistaken(folder: Path, body: str, **more: str) -> plugins.PlugIn:
    """A plug-in whose quantities are all of one function with this body; its line is 9."""
    said = {"dimensions": "dimensions=(2, 3)", **more}
    path = folder / "mine.py"
    path.write_text(
        f"""import numpy as np

from engine.fields import Field, of_sample
from engine.indicators import Indicator, IndicatorPlot

PLUG_POINTS = 1

def wrong(sample, value=0):
    {body}

def register(points):
    points.field(Field("heat", "Heat", measure=of_sample(wrong), {said["dimensions"]}))
    points.indicator(Indicator("warmth", "warmth", wrong, in_history=True, dimensions=(2, 3)))
    points.indicator(Indicator("glow", "glow", wrong, plot=IndicatorPlot("x", "y"), dimensions=(2, 3)))
    points.condition("hot", wrong)
""",
        encoding="utf-8",
    )
    return plugins.load_file(path)


def small(system: str, dimensions: int, **more: Any) -> Simulation:
    values = {"system": system, "dimensions": dimensions, "discs.count": 27, "discs.volume_fraction": 0.1, "seed": 3}
    return engine.create(Scenario().with_values(values | more))


def by_hand(simulation: Simulation) -> np.ndarray:
    """The crowding of each disc, from all pairs of discs."""
    frame, box = simulation.frame(), simulation.box
    apart = frame.positions[:, None] - frame.positions[None]
    if simulation.periodic:
        apart -= box * np.rint(apart / box)
    reach = 4.0 * (simulation.radii * frame.radius_factor).mean()
    return (np.sqrt((apart**2).sum(axis=2)) <= reach).sum(axis=1) / 4.0 ** len(box)


def rows_of(folder: Path) -> list[dict[str, str]]:
    """The rows of ``series.csv``."""
    with (folder / "series.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measured(simulation: Simulation, advance: tuple[float, ...] = (), told: list[str] | None = None) -> Analysis:
    """What the window measures of a run, now and after each of these events."""
    problems: list[str] = [] if told is None else told
    errors: list[Exception] = []
    analyst = Analyst(errors.append, on_problem=problems.append)
    info, kind = DiscSet.of(simulation.scenario, simulation), view_of(simulation.system).analysis()
    kind.begin(simulation)
    analyst.want(frozenset({"crowding_distribution", "glow"}))
    for events in (0, *advance):
        simulation.advance(max_events=int(events))
        frame = simulation.frame()
        analyst.hurry()
        observe = partial(kind.observe, simulation, frame, MeasuredState(ended=False))
        analyst.offer(kind, info, frame, simulation.history, observe)
        assert analyst._job.wait(60.0)
    found = analyst.take()
    assert not errors
    assert analyst.close()
    assert found is not None
    return found


def test_each_part_of_the_page_is_at_most_20_lines_and_all_of_it_is_loaded(crowding: plugins.PlugIn) -> None:
    assert len(BLOCKS) == 4
    assert [len([line for line in block.splitlines() if line.strip()]) <= 20 for block in BLOCKS] == [True] * 4
    assert crowding.problem == ""
    assert crowding.adds == (
        "field crowding",
        "indicator crowding_distribution",
        "indicator mean_crowding",
        "condition crowded",
    )


@pytest.mark.usefixtures("crowding")
@pytest.mark.parametrize(("system", "dimensions"), EVERY)
def test_an_own_field_colours_and_chooses_discs_of_every_system_by_the_right_numbers(
    system: str, dimensions: int
) -> None:
    simulation = small(system, dimensions)
    simulation.advance(max_events=12)
    wanted, frame = by_hand(simulation), simulation.frame()
    mask = engine.select(simulation, "crowding > mean(crowding)")
    np.testing.assert_array_equal(mask, wanted > wanted.mean())
    fields = DiscSet.of(simulation.scenario, simulation).fields
    assert fields[0].name != "crowding"  # the first colour of a system stays
    scalar, coloring = Colorist(fields, simulation).color(
        frame, "crowding", lambda field: None if field.measure is None else field.measure(frame, simulation)
    )
    np.testing.assert_allclose(scalar, wanted, rtol=1e-6)
    assert coloring.label == "Crowding"


@pytest.mark.usefixtures("crowding")
@pytest.mark.parametrize(("system", "dimensions"), EVERY)
def test_an_own_number_is_a_column_of_series_csv_of_every_system(
    system: str, dimensions: int, call: Call, tmp_path: Path
) -> None:
    simulation = small(system, dimensions)
    (tmp_path / "a.toml").write_text(simulation.scenario.to_toml(), encoding="utf-8")
    run = ("run", tmp_path / "a.toml", "--until-events", "12", "--json", "--out")
    done = call(*run, tmp_path / "one")
    assert done.status == 0, done.err
    simulation.advance(max_events=12)
    assert done.json["indicators"]["mean_crowding"] == pytest.approx(by_hand(simulation).mean())
    rows = rows_of(tmp_path / "one")
    values = [float(row["mean_crowding"]) for row in rows if row["mean_crowding"]]
    assert 2 <= len(values) <= len(rows)
    assert values[0] == pytest.approx(by_hand(small(system, dimensions)).mean())
    assert values[-1] == done.json["indicators"]["mean_crowding"]
    assert [float(row["time"]) for row in rows] == sorted(float(row["time"]) for row in rows)
    call(*run, tmp_path / "two")
    again = [(row["time"], row["mean_crowding"]) for row in rows_of(tmp_path / "two")]
    assert again == [(row["time"], row["mean_crowding"]) for row in rows]


@pytest.mark.usefixtures("crowding")
@pytest.mark.parametrize("system", ["aggregation", "hard-discs", "jamming", "points"])
def test_the_window_shows_an_own_curve_and_an_own_number_over_time(system: str) -> None:
    plugins.load_file(POINTS)  # a system that measures nothing by itself
    simulation = small(system, 2)
    found = measured(simulation, (2, 2, 2))
    plots = {plot.key(): plot for plot in plots_of(system)}
    histogram = plots["crowding_distribution"].prepare(found, {}, None)
    assert histogram is not None
    heights, edges = np.histogram(by_hand(simulation), bins=np.arange(0.03, 1.2, 1 / 16), density=True)
    np.testing.assert_allclose(histogram["curve"].y, heights)
    np.testing.assert_allclose(histogram["curve"].x, edges)
    over_time = plots["mean_crowding"].prepare(found, {}, None)
    assert over_time is not None
    assert over_time["curve"].x[-1] == simulation.time
    assert over_time["curve"].y[-1] == pytest.approx(by_hand(simulation).mean())
    assert len(over_time["curve"].x) == 4
    in_space = plots["crowding_distribution"].about(3)
    assert in_space.dimensions == (2,)  # as it says


@pytest.mark.usefixtures("crowding")
def test_a_lesson_can_wait_for_an_own_number() -> None:
    waits = condition("crowded", 0.66)
    assert waits.by_running
    assert not waits.met(situation())
    for mean, met in ((0.65, False), (0.67, True)):
        assert waits.met(situation(measured=lambda name, mean=mean: mean if name == "mean_crowding" else None)) is met
    with pytest.raises(InputError, match=r"when\.lonely is not a known condition: time, .*, crowded; one of a plug-in"):
        condition("lonely", 1)


@pytest.mark.parametrize(
    ("body", "of_field", "of_number", "of_curve"),
    [
        ("return 1 / 0", *["ZeroDivisionError: division by zero (mine.py, line 9)"] * 3),
        ("raise SystemExit(3)", *["SystemExit: 3 (mine.py, line 9)"] * 3),
        (
            "return np.ones(3)",
            "it gives an array of shape (3,) instead of (27,), one number for each disc (mine.py, line 8)",
            (
                "it gives an array of float64 of shape (3,) instead of a number, which a column of the history needs "
                "(mine.py, line 8)"
            ),
            "it gives an array of float64 of shape (3,) instead of two arrays, x and y, which a plot needs (mine.py,",
        ),
        (
            "return ['a'] * 27",
            "it gives values of the type <U1 instead of numbers",
            "it gives a value of the type list instead of a number",
            "it gives a value of the type list instead of two arrays",
        ),
        (
            "return np.full(27, np.nan) if value == 0 and len(sample.positions) == 27 else 1",
            "it gives NaN for every disc; return None where there is nothing to show",
            "it gives an array of float64 of shape (27,) instead of a number",
            "it gives an array of float64 of shape (27,) instead of two arrays",
        ),
        (
            "return float('nan')",
            "it gives an array of shape () instead of (27,)",
            "it gives nan; return None where there is no number (mine.py, line 8)",
            "it gives a value of the type float instead of two arrays",
        ),
        (
            "return np.ones(4), np.ones(2)",
            "ValueError: setting an array element with a sequence",
            "ValueError: setting an array element with a sequence",
            "it gives an array of float64 of shape (4,) and an array of float64 of shape (2,); a plot needs x and y",
        ),
    ],
)
def test_an_own_quantity_that_fails_is_told_once_by_plug_in_and_line_and_costs_nothing_else(
    body: str,
    of_field: str,
    of_number: str,
    of_curve: str,
    call: Call,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert mistaken(tmp_path, body).problem == ""
    start = "of the plug-in mine.py has no value: "
    simulation = small("hard-discs", 2)
    frame = simulation.frame()
    field = next(one for one in DiscSet.of(simulation.scenario, simulation).fields if one.name == "heat")
    with caplog.at_level(logging.WARNING, "engine"):
        for _ in range(3):
            assert field.measure is not None
            assert np.isnan(field.measure(frame, simulation)).all()
            assert not engine.select(simulation, "heat > 0").any()
        film_colors = FilmColors(SimulationSource(simulation), "heat")
        assert film_colors.color(frame)[1].classes == ("Heat: no value",)
    assert [record.getMessage() for record in caplog.records if "heat" in record.getMessage()] == [caplog.messages[0]]
    assert f"the field heat {start}{of_field}" in caplog.messages[0]

    told: list[str] = []
    found = measured(simulation, (2, 2), told)
    assert found.history is not None
    assert len(told) == 2
    for name, why in (("warmth", of_number), ("glow", of_curve)):
        assert f"the indicator {name} {start}{why}" in next(one for one in told if f" {name} " in one)
    assert all(plot.prepare(found, {}, None) is None for plot in plots_of("hard-discs")[-2:])

    (tmp_path / "a.toml").write_text(simulation.scenario.to_toml(), encoding="utf-8")
    done = call("run", tmp_path / "a.toml", "--until-events", "12", "--json", "--out", tmp_path / "out")
    assert done.status == 0, done.err
    assert (done.json["indicators"]["warmth"], done.json["indicators"]["glow"]) == (None, None)
    assert list(done.json["problems"]) == ["warmth", "glow"]
    assert done.err.count("warmth") == done.err.count("glow") == 1
    assert {row["warmth"] for row in rows_of(tmp_path / "out")} == {""}
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["problems"] == done.json["problems"]


def test_a_condition_that_fails_is_not_met_and_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    mistaken(tmp_path, "return 1 / 0")
    waits = condition("hot", 3)
    with caplog.at_level(logging.WARNING, "engine"):
        assert [waits.met(situation()) for _ in range(3)] == [False] * 3
    assert caplog.messages == [
        "the condition hot of the plug-in mine.py has no value: ZeroDivisionError: division by zero (mine.py, line 9)"
    ]


@pytest.mark.parametrize(
    ("name", "dimensions", "problem"),
    [
        ("heat", "", "the field heat must say where it has a meaning: give it dimensions=(2,), (3,) or (2, 3)"),
        ("heat", "dimensions=2", "the field heat has dimensions=2; it must be (2,), (3,) or (2, 3)"),
        ("speed", "dimensions=(2,)", "there is a field speed already"),
        ("mass", "dimensions=(2,)", "there is a field mass already"),
        ("my heat", "dimensions=(2,)", "the field my heat must be named by letters, digits and _"),
    ],
)
def test_a_field_that_does_not_say_its_dimensions_or_has_no_good_name_is_refused(
    name: str, dimensions: str, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from engine.fields import Field\nPLUG_POINTS = 1\ndef register(points):\n"
        f"    points.field(Field({name!r}, 'Heat', lambda frame, discs: None, {dimensions}))\n",
        encoding="utf-8",
    )
    assert problem in plugins.load_file(path).problem


def test_a_field_of_the_plane_is_not_offered_for_spheres(tmp_path: Path) -> None:
    mistaken(tmp_path, "return np.ones(len(sample.positions))", dimensions="dimensions=(2,)")
    offered = {
        number: [field.name for field in DiscSet.of(one.scenario, one).fields]
        for number in (2, 3)
        for one in [small("hard-discs", number)]
    }
    assert "heat" in offered[2]
    assert "heat" not in offered[3]
    with pytest.raises(InputError, match="heat"):
        engine.select(small("hard-discs", 3), "heat > 0")


def test_any_plot_can_be_added_to_every_system_and_what_is_no_plot_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        """PLUG_POINTS = 1

def plot():
    from aggviewer.plots.plot import Plot

    class MinePlot(Plot):
        title = "Mine"
        indicators = frozenset()

    return MinePlot()

def register(points):
    points.plot("mine", plot)
    points.plot("none", dict)
""",
        encoding="utf-8",
    )
    plugins.load_file(path)
    assert [plots_of(system)[-1].key() for system in ("aggregation", "hard-discs", "jamming")] == ["mine"] * 3
    (known,) = (one for one in plugins.known() if one.name == "mine.py")
    assert "what it adds as a plot is of the type dict, not a Plot" in known.problem
