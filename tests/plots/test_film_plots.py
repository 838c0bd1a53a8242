"""The plots of a film: in every frame those of its moment, with ranges that only grow; no more is measured than they
show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PyQt6.QtWidgets import QApplication

import engine
from aggviewer.canvas import warm_up
from aggviewer.document.view import ViewModel
from aggviewer.export.film import FilmRun, write_film
from aggviewer.export.sources import RecordingSource, SimulationSource, recording
from aggviewer.export.spec import FilmLayout, FilmSpec
from aggviewer.plots.card import PlotCard
from aggviewer.plots.film import FilmPlot, FilmPlots, film_plots, wanted_by
from aggviewer.plots.runs import RunStyle
from aggviewer.session.analyst import MeasuredState, StateCopy, SystemAnalysis
from aggviewer.session.data import Analysis, DiscSet
from aggviewer.systems.registry import plots_of, view_of
from engine.files import write
from engine.scenario import Scenario
from engine.simulation import Simulation
from tests.waiting import delete_now
from tests.window.conftest import SYSTEMS

NAMES = ("box_counting", "coarsening")
SIZE = (1280, 720)
ED, TS = RunStyle("ED", "event-driven"), RunStyle("TS", "time-stepping")


@pytest.fixture(scope="module", autouse=True)
def kernels(qapp: QApplication) -> None:
    warm_up()


def scenario() -> Scenario:
    return Scenario.from_toml(SYSTEMS["aggregation"], Path(), "a test")


def run_of(simulation: Simulation, past: tuple = ()) -> FilmRun:
    made, info = simulation.scenario, DiscSet.of(simulation.scenario, simulation)
    return FilmRun(
        SimulationSource(simulation, past), name="ED", disc_set=info, analysis=view_of(made.system).analysis()
    )


class Watched(FilmPlots):
    """Keeps what each plot draws in each frame, and the ranges of its axes."""

    def __init__(self, names: tuple[str, ...], runs: tuple[RunStyle, ...] = (ED,), **more: object) -> None:
        super().__init__(film_plots(names, plots_of("aggregation")), runs, (0, 0, 0), **more)  # type: ignore[arg-type]
        self.tables: list[list[dict[str, np.ndarray]]] = []
        self.ends: list[list[tuple[float, ...]]] = []

    def draw(self, analyses, places):  # type: ignore[no-untyped-def]
        found = super().draw(analyses, places)
        self.tables.append([{name: np.array(column) for name, column in card.table().items()} for card in self.cards])
        self.ends.append([card.view.ends for card in self.cards])
        return found


@pytest.fixture
def plots() -> Iterator[Watched]:
    made = Watched(NAMES)
    yield made
    made.close()


def tables_at(time: float, names: tuple[str, ...]) -> list[dict[str, np.ndarray]]:
    """What the plots of a run show at a moment: the run itself is measured, with all indicators."""
    simulation = engine.create(scenario())
    simulation.advance(time)
    frame, analysis = simulation.frame(), view_of("aggregation").analysis()
    info = DiscSet.of(simulation.scenario, simulation)
    observed = analysis.observe(simulation, frame, MeasuredState())
    sample = StateCopy(info, frame.time, frame.positions, 1.0, simulation.history(), observed)
    found = []
    for number, one in enumerate(film_plots(names, plots_of("aggregation"))):
        card = PlotCard(one.plot, number)
        card.make()
        card.set_runs([ED], [None])
        card.set_data(card.prepared(analysis.measure(sample)))
        card.draw_all()
        found.append({name: np.array(column) for name, column in card.table().items()})
        delete_now(card)
    return found


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    assert one
    for name, column in one.items():
        assert_array_equal(column, other[name], err_msg=name)


def test_every_frame_shows_the_plots_of_its_moment(tmp_path: Path, plots: Watched) -> None:
    spec = FilmSpec(SIZE, 10.0, speed=20.0, start=0.0, end=8.0, quality="high", plots=NAMES)
    path = tmp_path / "film.mp4"
    run = run_of(engine.create(scenario()))
    assert write_film(path, spec, (run,), ViewModel(background="black"), plots=plots) == 5
    assert len(plots.tables) == 5
    for number in (1, 4):
        for shown, expected in zip(plots.tables[number], tables_at(2.0 * number, NAMES), strict=True):
            same(shown, expected)
    # ranges grow, and never shrink; at the start itself M and E have no point on axes that are logarithmic
    for before, after in pairwise(plots.ends[1:]):
        for (x0, x1, y0, y1), (u0, u1, v0, v1) in zip(before, after, strict=True):
            assert u0 <= x0 * (1 + 1e-9)
            assert u1 >= x1 * (1 - 1e-9)
            assert v0 <= y0 * (1 + 1e-9)
            assert v1 >= y1 * (1 - 1e-9)
    with av.open(str(path)) as container:
        images = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]
    for place in FilmLayout.of(SIZE, 1, 2).plots:
        changes = [np.abs(one[place.area] - other[place.area]).max() for one, other in pairwise(images)]
        assert min(changes) > 60
        assert images[-1][place.area].max() > 180  # text and curves on black
    assert np.abs(images[0][20:700, 20:780] - images[4][20:700, 20:780]).max() > 60


def test_ranges_hold_the_whole_of_a_recording_from_the_first_frame(tmp_path: Path, plots: Watched) -> None:
    path = tmp_path / "run.gsd"
    _record(path, scenario())
    with recording(path) as source:
        made = source.scenario()
        info = DiscSet(made, source.radii, source.masses, source.box, source.periodic, source.count)
        run = FilmRun(source, disc_set=info, analysis=view_of(made.system).analysis())
        spec = FilmSpec(SIZE, 10.0, frames=(0, source.frames - 1), plots=NAMES)
        write_film(tmp_path / "film.mp4", spec, (run,), ViewModel(), plots=plots)
        assert isinstance(source, RecordingSource)
    assert len({tuple(ends) for ends in plots.ends}) == 1
    (expected, *_) = tables_at(10.0, NAMES)
    del expected["seed [1]"]  # discs of a file have none
    same(plots.tables[-1][0], expected)
    history = plots.tables[-1][1]
    assert len(next(iter(history.values()))) >= 5  # all frames up to the last one


def _record(path: Path, made: Scenario) -> None:
    from engine.files import FileFrame

    simulation, frames = engine.create(made), []
    for time in np.arange(0.0, 12.0, 2.0):
        simulation.advance(float(time))
        state = simulation.frame()
        frames.append(
            FileFrame(
                positions=state.positions.copy(),
                velocities=state.velocities.copy(),
                radii=simulation.radii,
                masses=simulation.masses,
                cluster=state.cluster.copy(),
                box=simulation.box,
                periodic=simulation.periodic,
                time=state.time,
            )
        )
    write(path, frames)


def test_the_past_is_measured_with_the_history_up_to_it(tmp_path: Path, plots: Watched) -> None:
    simulation = engine.create(scenario())
    past = []
    for time in (1.0, 2.0, 3.0):
        simulation.advance(time)
        past.append(simulation.frame())
    simulation.advance(4.0)
    spec = FilmSpec(SIZE, 10.0, speed=10.0, start=1.0, end=5.0, plots=NAMES)
    write_film(tmp_path / "film", spec, (run_of(simulation, tuple(past)),), ViewModel(), plots=plots)
    for number in (1, 4):  # t = 2, which is the past, and t = 5
        for shown, expected in zip(plots.tables[number], tables_at(1.0 + number, NAMES), strict=True):
            same(shown, expected)


def test_two_runs_side_by_side(tmp_path: Path) -> None:
    first = engine.create(scenario())
    second = engine.create(scenario().with_values({"aggregation.method": "time-stepping"}))
    runs = (run_of(first), FilmRun(**{**vars(run_of(second)), "name": "TS", "colour": "#ff0000"}))
    spec = FilmSpec(SIZE, 10.0, speed=10.0, start=0.0, end=3.0, plots=NAMES)
    made = Watched(NAMES, (ED, TS))
    write_film(tmp_path / "film", spec, runs, ViewModel(background="black"), plots=made)
    headings = list(made.tables[-1][0])
    assert any("ED" in heading for heading in headings)
    assert any("TS" in heading for heading in headings)
    made.close()
    from PyQt6.QtGui import QImage

    from aggviewer.canvas.qt_drawing import from_qimage

    image = from_qimage(QImage(str(tmp_path / "film" / "frame-000003.png"))).astype(int)
    layout = FilmLayout.of(SIZE, 2, 2)
    red = image[layout.names[1].area]
    assert ((red[..., 0] > 200) & (red[..., 1] < 80)).sum() > 20  # the name of the second run, in its colour
    for place in layout.pictures:
        assert image[place.area][..., :3].max() > 150


def test_only_the_indicators_that_plots_name_are_measured() -> None:
    by_key = {plot.key(): plot for plot in plots_of("aggregation")}
    assert wanted_by([by_key["contacts"], by_key["coarsening"]]) == {"contacts_histogram", "contacts_relative"}

    class Other(type(by_key["contacts"])):  # type: ignore[misc]
        indicators = None

    assert wanted_by([Other(), by_key["coarsening"]]) is None  # of a plug-in: all


def test_a_film_shows_a_plot_as_the_person_has_it(qapp: QApplication) -> None:
    card = PlotCard(film_plots(("box_counting",), plots_of("aggregation"))[0].plot, 1)
    card.make()
    card.set_runs([ED], [None])
    card.set_logarithmic(0, 0, False)
    card.view.set_range((1.0, 50.0, 2.0, 3000.0), lock=False)
    card.fits.choose((4.0, 20.0))
    copy = FilmPlots([FilmPlot.of(card, ())], [ED], (255, 255, 255))
    shown = copy.cards[0]
    assert shown.view.ends == pytest.approx((1.0, 50.0, 2.0, 3000.0))
    assert shown.fits.chosen == (4.0, 20.0)
    assert shown.view.logarithmic == (False, True)
    assert copy.colors.window == "#ffffff"
    copy.close()
    delete_now(card)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_branch_remembers_what_was_measured_and_goes_on_by_itself(system: str) -> None:
    made = Scenario.from_toml(SYSTEMS[system], Path(), "a test")
    simulation = engine.create(made)
    info, analysis = DiscSet.of(made, simulation), view_of(system).analysis()
    analysis.begin(simulation)

    def measured(by: SystemAnalysis) -> Analysis:
        frame = simulation.frame()
        observed = by.observe(simulation, frame, MeasuredState())
        return by.measure(
            StateCopy(info, frame.time, frame.positions.copy(), frame.radius_factor, simulation.history(), observed)
        )

    for _ in range(2):
        simulation.advance(simulation.time + 1.0)
        measured(analysis)
    branch = analysis.branch()
    simulation.advance(simulation.time + 1.0)
    beyond = measured(branch)
    live = measured(analysis)
    for plot in plots_of(system):
        one, other = plot.prepare(beyond, {}, None), plot.prepare(live, {}, None)
        assert (one is None) == (other is None), plot
    if system == "hard-discs":
        assert len(beyond.data.displacement[0]) == 3
        assert_array_equal(beyond.data.displacement[1], live.data.displacement[1])
        simulation.advance(simulation.time + 1.0)
        assert len(measured(branch).data.displacement[0]) == 4
        assert len(measured(analysis).data.displacement[0]) == 4
