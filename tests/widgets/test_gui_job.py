"""Results of a thread on the GUI thread."""

from __future__ import annotations

import threading

import pytest
from pytestqt.qtbot import QtBot

from aggviewer.widgets.gui_thread import GuiJob


def test_results_and_errors_come_to_the_gui_thread(qtbot: QtBot) -> None:
    job = GuiJob("job")
    found: list[tuple[object, int]] = []

    def take(value: object) -> None:
        found.append((value, threading.get_ident()))

    def fail() -> str:
        raise ValueError("no")

    job.submit(lambda: "made", take)
    assert job.wait(60.0)
    assert found == [], "by the event loop alone"
    job.submit(fail, take, lambda error: take(str(error)))
    qtbot.waitUntil(lambda: len(found) == 2)
    assert found == [("made", threading.get_ident()), ("no", threading.get_ident())]
    assert job.close()


@pytest.mark.parametrize("ends", ["cancel", "close"])
def test_a_replaced_job_delivers_no_result(qtbot: QtBot, ends: str) -> None:
    job = GuiJob("job")
    found: list[str] = []
    job.submit(lambda: "old", found.append)
    assert job.wait(60.0)
    getattr(job, ends)()
    job.submit(lambda: "new", found.append)
    qtbot.waitUntil(lambda: not job.busy)
    job.wait()
    late = GuiJob("late")
    late.submit(lambda: "end", found.append)
    qtbot.waitUntil(lambda: "end" in found)
    assert found == (["new", "end"] if ends == "cancel" else ["end"])
    job.close()
    late.close()
