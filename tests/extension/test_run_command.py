"""A command that a plug-in adds in one place: it is undone, saved, made again, written as Python and named."""

from __future__ import annotations

import re
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from aggviewer.session.log import Repetition, Unknown, commands, repeatable, script
from aggviewer.session.saved.session_file import read_session
from engine import plugins
from engine.scenario import Scenario
from engine.simulation import Stride
from tests.session.driving import real_session, settle, until

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
[REVERSE] = re.findall(r"^```python\n(PLUG_POINTS = 1\n\n\ndef reverse.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
"""The example of docs/extending.md."""

GAS = Scenario.from_values(
    {
        "system": "hard-discs",
        "seed": 2,
        "discs": {"count": 36, "volume_fraction": 0.3},
        "box": {"boundary": "walls"},
        "velocities": {"distribution": "maxwell"},
    }
)


def loaded(folder: Path, text: str = REVERSE) -> plugins.PlugIn:
    path = folder / "reverse.py"
    path.write_text(text, encoding="utf-8")
    return plugins.load_file(path)


def run_to(session: Any, time: float) -> None:
    session.set_speed(inf)
    session.hold_at(Stride(time=time))
    session.run()
    settle(session)
    until(lambda: session.status().state == "paused")


def test_a_command_of_a_plug_in_is_undone_saved_repeated_named_and_written_as_python(tmp_path: Path) -> None:
    assert loaded(tmp_path).adds == ("run_command reverse",)
    path = tmp_path / "saved.aggsession"
    with real_session(GAS) as session:
        run_to(session, 0.5)
        before = engine.restore(session.checkpoint()).frame()
        session.give(commands()["reverse"](3))  # type: ignore[call-arg]
        settle(session)
        after = engine.restore(session.checkpoint()).frame()
        np.testing.assert_array_equal(after.velocities[:3], -before.velocities[:3])
        np.testing.assert_array_equal(after.velocities[3:], before.velocities[3:])
        assert session.history.undo_text == "Undo reversing 3 discs"
        session.history.undo()
        settle(session)
        back = engine.restore(session.checkpoint()).frame()
        np.testing.assert_array_equal(back.velocities, before.velocities)
        session.history.redo()
        settle(session)
        run_to(session, 1.0)
        end = engine.restore(session.checkpoint())
        session.save_session(path)
        settle(session)
    log = read_session(path).log
    assert log is not None
    assert [entry.words for entry in log.entries][-1] == "reversing 3 discs"
    assert repeatable(log)
    again = Repetition(log)
    while not again.advance(end.time, inf).reached:
        pass
    names: dict[str, Any] = {}
    exec(script(log, end.time).partition("axes = ")[0], names)
    for made in (again.simulation, names["simulation"]):
        np.testing.assert_array_equal(made.frame().positions, end.frame().positions)


def test_a_session_with_a_command_that_this_program_does_not_have_opens_and_names_it(tmp_path: Path) -> None:
    loaded(tmp_path)
    path = tmp_path / "saved.aggsession"
    with real_session(GAS) as session:
        session.give(commands()["reverse"](2))  # type: ignore[call-arg]
        session.save_session(path)
        settle(session)
    for late in plugins.late_parts("run_command"):
        plugins.LATE_PARTS.remove(late)
    log = read_session(path).log
    assert log is not None
    assert log.entries[-1].command == Unknown("reversing 2 discs")
    assert not log.can_be_made_again()
    with real_session() as session:
        session.open(path)
        settle(session)
        assert session.status().count == 36
        assert session.log.can_be_made_again(), "from the saved state on"
        assert not repeatable(session.log)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("    return Reverse\n", "    return 5\n", "its command of a run is not a class derived from RunCommand"),
        ('"reverse"\n', '"set"\n', "the command Reverse needs its own kind, not 'set'"),
    ],
)
def test_one_that_does_not_fit_is_left_out_with_a_sentence(tmp_path: Path, old: str, new: str, problem: str) -> None:
    plug_in = loaded(tmp_path, REVERSE.replace(old, new, 1))
    commands()
    [found] = [one for one in plugins.known() if one.source == plug_in.source]
    assert problem in found.problem
