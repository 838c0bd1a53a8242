"""A parameters panel that the tests of a file share, and whose session answers when the test says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import Qt

from aggviewer.parameters import ParametersPanel
from aggviewer.parameters.editors import ChoiceEditor, StepEditor
from aggviewer.systems.registry import layouts
from engine.scenario import Scenario
from tests.waiting import delete_now, nothing_put_off

ALPHA, BETA, GAMMA, C = (f"aggregation.damping.{name}" for name in ("alpha", "beta", "gamma", "c"))
METHOD = "aggregation.method"
STEP, FRACTION, CLUSTERS = (f"aggregation.time_stepping.{name}" for name in ("step", "fraction", "clusters"))
SCHEME = "aggregation.damping.scheme"
STEPPING = Scenario().with_values({METHOD: "time-stepping"})
STICKING = {key for keys in layouts()["aggregation"].sections.values() for key in keys}


class FakeSession:
    """Takes commands down; `answer` does what the session does with the oldest one.

    Attributes
    ----------
    sent : keys and values that change what runs.
    loaded : scenarios of restarts.
    commands : of both, what is not answered yet.
    refuse : raised by `load`, if it is not None.
    """

    def __init__(self):
        self.panel = None
        self.begin(STEPPING)

    def begin(self, scenario):
        """Forget what was commanded; this is what runs."""
        self.scenario = scenario
        self.commands, self.sent, self.loaded = [], [], []
        self.refuse = None

    def set_parameter(self, key, value):
        self.sent.append((key, value))
        self.commands.append({key: value})

    def load(self, scenario):
        self.loaded.append(scenario)
        self.commands.append(scenario)
        if self.refuse is not None:
            raise self.refuse

    def answer(self):
        command = self.commands.pop(0)
        self.scenario = self.scenario.with_values(command) if isinstance(command, dict) else command
        self.panel.set_scenario(self.scenario)

    def answer_all(self):
        while self.commands:
            self.answer()


def shown_panel(qtbot, session, scenario, *, width=320, height=900):
    """A new panel on the screen whose changes wait for *Apply*."""
    panel = ParametersPanel(session, layouts())
    qtbot.addWidget(panel)
    panel.bar.at_once.setChecked(False)
    panel.set_scenario(scenario)
    panel.resize(width, height)
    panel.show()
    return panel


@pytest.fixture(scope="module")
def kept_session(qapp) -> Iterator[FakeSession]:
    """The session of a panel on the screen, which all tests of a file use: a new one takes a tenth of a second."""
    session = FakeSession()
    session.panel = ParametersPanel(session, layouts())
    session.panel.show()
    yield session
    session.panel.close()
    session.panel.deleteLater()
    delete_now()


def as_new(session, scenario, *, width=320, height=900):
    """The panel of `kept_session`, like a new one: another system ends all that was wanted and typed before."""
    panel = session.panel
    panel.setFocus()
    panel.bar.at_once.setChecked(False)
    panel.set_scenario(Scenario(system="jamming"))
    panel.set_scenario(scenario)
    panel.form.aside.head.setChecked(False)
    panel.show_everything(True)
    for section in panel.sections.values():
        section.head.setChecked(True)
    panel.resize(width, height)
    nothing_put_off(panel)
    session.begin(scenario)
    return panel


@pytest.fixture
def session(kept_session):
    return kept_session


@pytest.fixture
def panel(session):
    return as_new(session, STEPPING)


def edit(panel, key, value):
    panel.rows[key].editor.edited.emit(value)


def type_in(qtbot, panel, key, text):
    editor = panel.rows[key].editor
    line = (editor.number if isinstance(editor, StepEditor) else editor).edit.lineEdit()
    line.selectAll()
    qtbot.keyClick(line, Qt.Key.Key_Delete)
    qtbot.keyClicks(line, text)
    line.editingFinished.emit()


def shown(panel, key):
    editor = panel.rows[key].editor
    return editor.value if isinstance(editor, ChoiceEditor) else editor.edit.value
