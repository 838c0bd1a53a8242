"""A cluster has the same colour at the same moment: live, looking back, in films, beside another run, and reopened."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from aggviewer.canvas import colors
from aggviewer.canvas.scene import Scene
from aggviewer.document.view import ViewModel
from aggviewer.export.pictures import write_picture
from aggviewer.export.sources import copy_of, recording
from aggviewer.export.states import FilmColors, show_state
from aggviewer.session import Session, Shown
from aggviewer.session.color_history import Change, ColorHistory
from aggviewer.session.commands.values import SwitchMethod
from aggviewer.session.log.log import Repetition
from aggviewer.session.publish.coloring import Coloring
from engine.scenario import Scenario
from tests.cli.conftest import Call
from tests.session.driving import real_session, settle, until

SCENARIO = Scenario.from_values({"seed": 3, "discs": {"count": 225, "volume_fraction": 0.4}})
STEPS = 40

Pixels = NDArray[np.uint8]
Seen = dict[float, Pixels]


@pytest.fixture
def session() -> Iterator[Session]:
    with real_session(SCENARIO) as made:
        made.set_speed(3.0)
        yield made


def on_screen(scalar: NDArray[np.float32], coloring: Coloring) -> Pixels:
    """(N, 3): the colour of each disc."""
    return colors.table(coloring, ViewModel())[scalar.astype(int), :3]


def newest(session: Session, lane: int = 0) -> Shown:
    settle(session)
    shown = session.publishers.latest_frame(lane)
    assert shown is not None
    return shown


def run_live(session: Session, steps: int = STEPS) -> tuple[Seen, int]:
    """The colours of every frame that is shown, and how many clusters have changed theirs."""
    seen, changed = {}, 0
    for _ in range(steps):
        session.step_frame()
        shown = newest(session)
        seen[shown.frame.time] = on_screen(shown.scalar, shown.coloring)
        changed = len(shown.coloring.changed)
    return seen, changed


def look_back(session: Session, seen: Seen, times: list[float]) -> None:
    for time in times:
        session.look_at(time)
        shown = newest(session)
        assert shown.frame.time == time
        assert_array_equal(on_screen(shown.scalar, shown.coloring), seen[time], err_msg=f"t = {time}")


def test_looking_back_has_the_colours_of_then_in_any_order(session: Session) -> None:
    seen, changed = run_live(session)
    assert changed >= 3, "too few changes for a test"
    assert len({pixels.tobytes() for pixels in seen.values()}) > STEPS / 2
    look_back(session, seen, np.random.default_rng(1).permutation(list(seen)).tolist())
    look_back(session, seen, sorted(seen)[::-1])
    session.look_at(inf)
    shown = newest(session)
    assert_array_equal(on_screen(shown.scalar, shown.coloring), seen[max(seen)])


def test_playing_backwards_has_the_colours_of_then(session: Session) -> None:
    seen, _ = run_live(session)
    session.set_speed(inf)
    session.play(backwards=True)
    played: Seen = {}

    def at_the_start() -> bool:
        shown = session.publishers.latest_frame()
        if shown is not None:
            played[shown.frame.time] = on_screen(shown.scalar, shown.coloring)
        return session.status().past == 0.0 and session.status().state == "paused"

    until(at_the_start)
    again = played.keys() & seen.keys()
    assert len(again) > STEPS / 4
    for time in again:
        assert_array_equal(played[time], seen[time], err_msg=f"t = {time}")


def test_a_film_has_the_colours_of_the_window_and_goes_on_without_touching_them(session: Session) -> None:
    seen, _ = run_live(session)
    copy = session.copies()[0]
    assert copy.checkpoint is not None
    with copy_of(copy.checkpoint, copy.past, colors=copy.colors) as source:
        film = FilmColors(source, "cluster", newest_or_refreshed(session).coloring)
        for time in sorted(seen):
            assert_array_equal(on_screen(*film.color(source.frame_at(time))), seen[time], err_msg=f"t = {time}")
        for time in np.linspace(max(seen), max(seen) + 8.0, 30):
            film.color(source.frame_at(float(time)))
    look_back(session, seen, sorted(seen)[::3])


def newest_or_refreshed(session: Session) -> Shown:
    session.refresh()
    return newest(session)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("method", ["event-driven", "time-stepping"])
def test_a_run_has_the_same_colours_whatever_is_shown_of_it(method: str, tmp_path: Path, call: Call) -> None:
    """In the window at two frame rates and event by event, in the film of a run, and in pictures of the command
    line."""
    scenario = SCENARIO.with_values({"aggregation.method": method})
    lives: list[Seen] = []
    for speed, steps in ((15.0, 16), (30.0, 10)):  # to t = 5
        with real_session(scenario) as live:
            live.set_speed(speed)
            if speed == 15.0:
                for _ in range(5):
                    live.step_event()
            seen, changed = run_live(live, steps)
            lives.append(seen)
            copy = live.copies()[0]
    assert changed >= 3, "too few changes for a test"
    assert copy.checkpoint is not None
    view, end = ViewModel(), max(*lives[0], *lives[1])
    with copy_of(copy.checkpoint, copy.past, Repetition(copy.log), copy.colors) as source:
        film, scene, out = FilmColors(source, "cluster"), Scene(), tmp_path / "film.png"
        for time in sorted({*lives[0], *lives[1]}):
            pixels = on_screen(*film.color(source.frame_at(time)))
            for number, seen in enumerate(lives):
                if time in seen:
                    assert_array_equal(seen[time], pixels, err_msg=f"t = {time}, run {number}")
        later = end + 3.0
        for time in (end, later):
            show_state(scene, source, source.frame_at(time), film, view)
            write_picture(out, scene, None, view, (400, 400))
            path = tmp_path / "scenario.toml"
            path.write_text(scenario.to_toml())
            done = call("render", path, "--out", tmp_path / "cli.png", "--until-time", str(time), "--size", "400x400")
            assert done.status == 0, done.err
            assert (tmp_path / "cli.png").read_bytes() == out.read_bytes(), f"t = {time}"


def test_a_recording_has_the_same_colours_in_any_order(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "run.gsd"
    session.record(path, 0.2)
    run_live(session)
    session.stop_recording()
    settle(session)
    with recording(path) as source:
        film = FilmColors(source, "cluster")
        seen = [on_screen(*film.color(source.frame(number))) for number in range(source.frames)]
        assert len(source.colors["cluster"].changes) >= 3
    with recording(path) as source:
        film = FilmColors(source, "cluster")
        for number in np.random.default_rng(1).permutation(len(seen)).tolist():
            assert_array_equal(on_screen(*film.color(source.frame(number))), seen[number], err_msg=str(number))


def test_a_saved_session_goes_on_with_the_same_colours(session: Session, tmp_path: Path) -> None:
    seen, _ = run_live(session)
    path = tmp_path / "run.aggsession"
    session.save_session(path)
    further = run_live(session, 12)[0]
    with real_session() as other:
        other.open(path, run=False)
        settle(other)
        shown = newest_or_refreshed(other)
        assert_array_equal(on_screen(shown.scalar, shown.coloring), seen[max(seen)])
        other.set_speed(3.0)
        for time, pixels in run_live(other, 12)[0].items():
            assert_array_equal(pixels, further[time], err_msg=f"t = {time}")


@pytest.mark.parametrize("from_start", [True, False])
def test_the_same_clusters_have_the_same_colours_in_both_lanes(session: Session, from_start: bool) -> None:
    """Two runs of the same discs: all their clusters are the same, and so are all their colours."""
    if not from_start:
        run_live(session)
    session.compare({"seed": SCENARIO.seed}, from_start=from_start)
    settle(session)
    assert len(session.status().lanes) == 2
    changed = 0
    for _ in range(STEPS if from_start else 1):
        session.step_frame()
        settle(session)
        one, other = newest(session, 0), newest(session, 1)
        assert_array_equal(one.frame.cluster, other.frame.cluster)
        changed = len(one.coloring.changed)
        assert_array_equal(on_screen(one.scalar, one.coloring), on_screen(other.scalar, other.coloring))
    assert changed >= 3


def test_another_method_and_undo_keep_what_was_seen(session: Session) -> None:
    seen, _ = run_live(session)
    session.give(SwitchMethod("time-stepping"))
    settle(session)
    run_live(session, 5)
    look_back(session, seen, sorted(seen)[::5])


# the history itself


def test_a_moment_has_the_changes_up_to_it_and_the_first_lane_comes_first() -> None:
    history = ColorHistory([Change(1.0, 0, 7, 1)])
    history.add([Change(3.0, 1, 7, 3), Change(3.0, 1, 9, 4)])
    assert history.at(0.5, 0) == {}
    assert history.at(1.0, 0) == history.at(3.0, 0) == {7: 1}
    assert history.at(3.0, 1) == history.at(3.1, 0) == {7: 3, 9: 4}
    assert history.up_to(2.0).at(9.0, 0) == {7: 1}
