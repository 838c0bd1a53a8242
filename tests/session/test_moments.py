"""A moment of a run is shown again as it was, by the same program or the next one."""

from __future__ import annotations

from pathlib import Path

import pytest

from aggviewer.session.commands.moments import Moment
from aggviewer.systems.registry import view_of
from engine.scenario import Scenario
from tests.session.driving import load, real_session, settle, until

GAS = Scenario.from_values({"system": "hard-discs", "box": {"boundary": "periodic"}, "discs": {"count": 64}, "seed": 3})
OTHER = GAS.with_values({"seed": 4})


@pytest.mark.parametrize("writable", [True, False])
def test_a_kept_moment_comes_back_exactly_with_its_look_and_in_another_session(tmp_path: Path, writable: bool) -> None:
    folder = tmp_path / "pages"
    if not writable:
        folder.write_text("no folder can be made here")
    moment = Moment(folder / "1.aggsession", GAS)
    with real_session(GAS, measuring_view_of=view_of) as session:
        session.set_speed(1e9)
        session.step_event()
        settle(session)
        with session.document.unrecorded():
            session.view.color_by = "collisions"
        session.keep_moment(moment)
        settle(session)
        time = session.status().time
        positions = session._runner.lanes[0].simulation.frame().positions.tobytes()
        run = session._runner.present
        session.return_to(moment)
        settle(session)
        assert session._runner.present is run, "nothing has changed: nothing is made again"
        load(session, OTHER)
        settle(session)
        theme = session.view.theme = "light"
        session.return_to(moment)
        settle(session)
        assert (session.status().time, session.status().state) == (time, "paused")
        assert session._runner.lanes[0].simulation.frame().positions.tobytes() == positions
        assert session.view.theme == theme, "the theme is not a part of the picture"
    if writable:
        with real_session(OTHER, measuring_view_of=view_of) as later:
            later.return_to(Moment(moment.path))
            until(lambda: later.status().time == time)
            assert later._runner.lanes[0].simulation.frame().positions.tobytes() == positions


def test_a_moment_of_a_run_that_was_not_built_keeps_nothing_and_says_so(tmp_path: Path) -> None:
    moment = Moment(tmp_path / "1.aggsession", OTHER)
    with real_session(GAS) as session:
        told: list[str] = []
        session.notices.sent.connect(lambda notice: told.append(notice.title))
        session.keep_moment(moment)
        session.return_to(moment)
        settle(session)
        assert told == ["the picture of this page was not kept; the picture still shows another page"]
        assert session.scenario == GAS
