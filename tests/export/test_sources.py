"""Where states come from: recordings frame by frame, simulations at exact times; and colours that stay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import engine
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.film import FilmRun, write_film
from aggviewer.export.sources import FilmColors, RecordingSource, SimulationSource, copy_of, recording, show_state
from aggviewer.export.spec import FilmSpec
from aggviewer.latest_job import CancelledError
from aggviewer.session.analyst import SystemAnalysis
from aggviewer.session.coloring import Coloring
from aggviewer.session.commands.changes import SetValue, Throw
from aggviewer.session.data import DiscSet
from aggviewer.session.log import Beginning, Log, LogEntry, Repetition
from aggviewer.session.past.recording import open_recording, shared
from engine.errors import InputError
from engine.files import FileFrame, write
from engine.scenario import Scenario
from tests.builders.colorists import colorist_of
from tests.export.conftest import BARE, decoded, middle_of_light

TIMES = (0.0, 0.1, 0.5, 0.5, 2.0)


def state(number: int, **more: object) -> FileFrame:
    """Two discs; the first stands further to the right in each frame, the second is hidden below it."""
    x = 1.0 + number
    fields = {
        "positions": np.array([[x, 3.0], [x, 1.0]]),
        "velocities": np.array([[number, 0.0], [0.0, 0.0]]),
        "radii": np.array([0.9, 0.9]),
        "cluster": np.array([0, 0 if number else 1], np.int32),
        "box": np.array([8.0, 6.0]),
        "periodic": False,
        "time": TIMES[number],
    }
    return FileFrame(**(fields | more))  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "recorded.gsd"
    write(path, [state(number) for number in range(5)])
    return path


def test_each_recorded_frame_once(file: Path, tmp_path: Path) -> None:
    with recording(file) as source:
        spec = FilmSpec((160, 120), 10.0, frames=(1, 4), over=BARE)
        assert write_film(tmp_path / "film", spec, [FilmRun(source)], ViewModel(background="black")) == 4
    columns = [middle_of_light(image)[0] for image in decoded(tmp_path / "film")[0]]
    assert np.diff(columns).round() == pytest.approx(np.diff(columns)[0].round())  # as far apart as they are
    assert len(columns) == 4
    assert np.diff(columns).min() > 10.0


def test_a_recording_gives_the_last_frame_not_after_a_time(file: Path) -> None:
    with recording(file) as source:
        times = [-1.0, 0.0, 0.09, 0.1, 0.3, 0.5, 1.99, 0.1 + 0.2 - 0.2, 2.0, 9.0]
        assert [source.number_at(time) for time in times] == [0, 0, 0, 1, 1, 3, 3, 1, 4, 4]
        assert source.number_at(2.0 * (1.0 - 1e-15)) == 4  # rounding is no reason to show the one before
        found = source.frame_at(0.3)
        assert (found.time, found.positions[0, 0], found.clusters) == (0.1, 2.0, 1)
        assert (source.first_time, source.last_time, source.frames, source.count) == (0.0, 2.0, 5, 2)


def test_a_film_by_time_repeats_and_skips_frames_as_the_times_say(file: Path, tmp_path: Path) -> None:
    with recording(file) as source:
        spec = FilmSpec((160, 120), 10.0, speed=2.5, over=BARE)  # every 0.25
        assert write_film(tmp_path / "film", spec, [FilmRun(source)], ViewModel(background="black")) == 9
        seen = [source.number_at(0.25 * k) for k in range(9)]
    assert seen == [0, 1, 3, 3, 3, 3, 3, 3, 4]
    images = decoded(tmp_path / "film")[0]
    columns = [middle_of_light(image)[0] for image in images]
    assert_array_equal(np.sign(np.diff(columns).round(6)), np.sign(np.diff(seen)))


def test_radii_and_box_may_change_from_frame_to_frame(tmp_path: Path) -> None:
    path = tmp_path / "growing.gsd"
    write(path, [state(0, radii=np.array([0.3, 0.3])), state(1, radii=np.array([0.9, 0.9]))])
    with recording(path) as source:
        write_film(
            tmp_path / "film",
            FilmSpec((160, 120), frames=(0, 1), over=BARE),
            [FilmRun(source)],
            ViewModel(background="black"),
        )
    first, second = ((image.sum(axis=2) > 60).sum() for image in decoded(tmp_path / "film")[0])
    assert second / first == pytest.approx(9.0, rel=0.15)


def test_a_film_of_the_whole_box_holds_the_largest_one(tmp_path: Path) -> None:
    path = tmp_path / "wider.gsd"
    far = np.array([[14.0, 11.0], [15.0, 11.0]])
    write(path, [state(0), state(1, positions=far, box=np.array([16.0, 12.0]))])
    with recording(path) as source:
        spec = FilmSpec((160, 120), frames=(0, 1), over=BARE)
        write_film(tmp_path / "film", spec, [FilmRun(source)], ViewModel(background="black"))
    column, row = middle_of_light(decoded(tmp_path / "film")[0][1])
    assert (column / 160.0, row / 120.0) == pytest.approx((0.89, 0.11), abs=0.05)


def test_a_film_of_a_recording_that_is_open_reads_it_where_it_is(file: Path, tmp_path: Path) -> None:
    opened = open_recording(file)
    file.unlink()  # nothing can open it again
    spec = FilmSpec((160, 120), frames=(0, 4), over=BARE)
    with shared(opened) as film:
        source = RecordingSource(film)
        assert write_film(tmp_path / "film", spec, [FilmRun(source)], ViewModel()) == 5
        system = DiscSet(Scenario(), source.radii, source.masses, source.box, False, 2)
        source.frame(3)
        history = source.state_copy(SystemAnalysis(), system, None).history
    assert history is not None
    assert history.clusters.tolist() == [2, 1, 1, 1]
    assert opened.at(0).time == 0.0, "who plays it still has it"
    opened.close()


def test_the_time_of_a_packing_in_a_file_counts_iterations_and_that_of_others_does_not(tmp_path: Path) -> None:
    for system, counts in (("jamming", True), ("hard-discs", False)):
        write(tmp_path / f"{system}.gsd", state(0, scenario=Scenario().with_values({"system": system}).to_toml()))
        with recording(tmp_path / f"{system}.gsd") as source:
            scene = Scene()
            show_state(scene, source, source.frame(0), FilmColors(source, "radius"), ViewModel())
        assert scene.clock.counts == counts


def test_files_that_say_less(tmp_path: Path) -> None:
    path = tmp_path / "plain.xyz"
    path.write_text("1\n\nH 1.0 2.0 0\n1\n\nH 1.5 2.0 0\n")
    with pytest.raises(InputError, match="has no radii, which are needed to draw the discs"), recording(path):
        pass
    path = tmp_path / "timeless.gsd"
    write(path, [state(number, time=None, velocities=None, cluster=None) for number in range(3)])
    with recording(path) as source:
        assert source.frame(2).clusters == 2  # each disc is alone where nothing is said
        if not source.timed:
            with pytest.raises(InputError, match="does not say the times"):
                source.frame_at(0.5)
        with pytest.raises(InputError, match="no frame 3; its frames are 0 to 2"):
            source.frame(3)


def test_a_simulation_is_filmed_at_exact_times_and_the_original_goes_on_undisturbed() -> None:
    running = engine.create(engine.load_scenario("lattice-100"))
    running.advance(0.5)
    before = running.frame().positions.copy()
    plain = engine.restore(running.checkpoint())
    with copy_of(running.checkpoint()) as source:
        assert (source.first_time, source.last_time) == (0.5, np.inf)
        for time in (0.5, 0.8, 0.8, 1.7):
            plain.advance(time)
            expected = plain.frame()
            found = source.frame_at(time)
            assert found.time == time
            assert_array_equal(found.positions, expected.positions)
            assert_array_equal(found.cluster, expected.cluster)
    assert running.time == 0.5
    assert_array_equal(running.frame().positions, before)


def test_the_past_that_is_kept_comes_before_what_goes_on() -> None:
    running = engine.create(engine.load_scenario("lattice-100"))
    past = []
    for time in (0.0, 0.2, 0.3, 0.5):  # the last one is the present
        running.advance(time)
        past.append(running.frame())
    with copy_of(running.checkpoint(), past) as source:
        assert (source.first_time, source.last_time) == (0.0, np.inf)
        assert [frame.time for frame in source.samples()] == [0.0, 0.2, 0.3, 0.5]
        assert [source.frame_at(time).time for time in (0.0, 0.1, 0.2, 0.25, 0.49)] == [0.0, 0.0, 0.2, 0.2, 0.3]
        assert_array_equal(source.frame_at(0.3).positions, past[2].positions)
        assert [source.frame_at(time).time for time in (0.5, 0.6)] == [0.5, 0.6]
        running.advance(0.6)
        assert_array_equal(source.frame_at(0.6).positions, running.frame().positions)
    with copy_of(running.checkpoint()) as source:
        assert source.frame_at(0.1).time == 0.6  # nothing is kept, and a simulation goes on only


def test_a_past_of_few_stored_states_is_made_again_bit_for_bit_with_all_that_was_changed() -> None:
    log = Log((Beginning(engine.load_scenario("lattice-100")),))
    running = engine.create(log.beginnings[0].scenario)
    past, shown = [running.frame()], []
    for number in range(1, 21):
        running.advance(0.1 * number)
        if number == 7:
            log = log.with_entry(LogEntry(Throw(5, None, (3.0, 0.0)), (0,), running.time, "live", ""))
            running = engine.throw(running, 5, None, (3.0, 0.0))
        if number == 12:
            method = SetValue("aggregation.method", "time-stepping")
            log = log.with_entry(LogEntry(method, (0,), running.time, "anew", ""))
            running = engine.carry_on(running, running.scenario.with_values(method.values))
        shown.append(running.frame())
    with copy_of(running.checkpoint(), past, Repetition(log)) as source:
        for frame in shown:
            assert_array_equal(source.frame_at(frame.time).positions, frame.positions)
        assert source.frame_at(2.5).time == 2.5
    with copy_of(running.checkpoint(), past, Repetition(log)) as source, pytest.raises(CancelledError):
        source.frame_at(1.0, lambda: True)


def test_a_simulation_knows_when_it_ends_if_it_does() -> None:
    source = SimulationSource(engine.create(engine.load_scenario("lattice-100")))
    end = source.end_time()
    assert source.frame_at(0.99 * end).clusters > 1
    assert source.frame_at(end).clusters == 1
    with pytest.raises(CancelledError):
        source.end_time(lambda: True)
    gas = Scenario().with_values({"system": "hard-discs", "discs.count": 9})
    with pytest.raises(InputError, match="collisions never end"):
        SimulationSource(engine.create(gas)).end_time()


def test_a_simulation_that_has_come_to_its_end_stays_there() -> None:
    source = SimulationSource(engine.create(engine.load_scenario("lattice-100")))
    ended = source.frame_at(1e6)
    assert ended.clusters == 1
    kept = ended.positions.copy()
    assert_array_equal(source.frame_at(2e6).positions, kept)


def test_colours_are_those_of_the_window(file: Path) -> None:
    with recording(file) as source:
        frame = source.frame(3)
        for by in ("cluster", "size"):
            scalar, coloring = FilmColors(source, by).color(frame)
            wanted, same = colorist_of().color(frame, by)
            assert_array_equal(scalar, wanted)
            assert coloring == same


def test_limits_stay_from_the_first_frame_to_the_last(file: Path) -> None:
    with recording(file) as source:
        film_colors = FilmColors(source, "speed")
        told = [film_colors.color(source.frame(number))[1] for number in range(5)]
        assert len(set(map(repr, told))) == 1
        assert told[0].limits[1] >= 4.0  # the last frame is the fastest, and the first one has its scale
        like = Coloring("speed", "Speed", "length / time", (0.0, 0.5), open_top=True)
        assert FilmColors(source, "speed", like).color(source.frame(4))[1] is like
        assert FilmColors(source, "size", like).color(source.frame(4))[1].by == "size"  # of another quantity: not taken


def test_contacts_are_counted_in_every_frame(file: Path) -> None:
    with recording(file) as source:
        frame = source.frame(0)
        frame.positions[:] = [[1.0, 3.0], [2.8, 3.0]]
        scalar, coloring = FilmColors(source, "contacts").color(frame)
        assert scalar.tolist() == [1.0, 1.0]
        assert (coloring.limits, coloring.open_top) == ((0.0, 8.0), False)
