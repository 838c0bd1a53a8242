"""Run in a copy of the program: the window starts, runs all three systems, undoes, saves and reopens a session."""

from __future__ import annotations

import sys
from pathlib import Path

from aggviewer import extensions
from aggviewer.session import Session
from aggviewer.systems.registry import view_of
from aggviewer.widgets.gui_thread import GuiThread
from aggviewer.window.app import create_application
from aggviewer.window.main_window import MainWindow
from aggviewer.window.settings import WindowSettings
from engine.scenario import Scenario
from tests.waiting import wait_until


def main(folder: Path) -> None:
    """folder : an empty one, for files."""
    application = create_application()
    settings = WindowSettings(folder / "window.ini")
    settings.welcome_dismissed = True
    gui_thread = GuiThread()
    window = MainWindow(Session(measuring_view_of=view_of, post_to_owner=gui_thread.later), settings, gui_thread)
    session, problems = window.session, []
    session.notices.sent.connect(lambda notice: problems.append(notice) if notice.level != "info" else None)
    window.resize(1280, 800)
    window.show()
    for system in ("aggregation", "hard-discs", "jamming"):
        values = {"system": system, "discs.count": 60, "discs.arrangement": "random", "box.boundary": "periodic"}
        if system == "hard-discs":
            values["velocities.distribution"] = "maxwell"
        session.load(Scenario().with_values(values), run=True)
        wait_until(lambda system=system: session.status().system == system and session.status().time > 0.0)
        session.pause()
        wait_until(lambda: session.status().state in ("paused", "finished"))
        session.step_event()
    path = folder / "kept.aggsession"
    session.save_session(path)
    wait_until(path.exists)
    session.history.undo()
    wait_until(lambda: session.status().system == "hard-discs")
    session.open(path)
    wait_until(lambda: session.status().system == "jamming")
    assert not problems, problems
    window.close()
    application.processEvents()
    print(
        "without:",
        *(set(map(str, sys.argv[2:])) - set(extensions.EXTENSIONS)),
        "from",
        Path(extensions.__file__).parents[2],
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
