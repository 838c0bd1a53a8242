"""A parameters panel whose session answers when the test says so."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt

from aggviewer.parameters import ParametersPanel
from aggviewer.parameters.editors import ChoiceEditor, StepEditor
from aggviewer.systems.registry import layouts
from engine.scenario import Scenario

ALPHA, BETA, GAMMA, C = (f"aggregation.damping.{name}" for name in ("alpha", "beta", "gamma", "c"))
METHOD = "aggregation.method"
STEP, FRACTION, CLUSTERS = (f"aggregation.time_stepping.{name}" for name in ("step", "fraction", "clusters"))
SCHEME = "aggregation.damping.scheme"
STEPPING = Scenario().with_values({METHOD: "time-stepping"})
STICKING = {key for keys in layouts()["aggregation"].sections.values() for key in keys}


class FakeSession:
    """Takes commands down; `answer` does what the session does with the oldest one."""

    def __init__(self):
        self.scenario = STEPPING
        self.commands = []
        self.sent = []
        self.loaded = []
        self.panel = None

    def set_parameter(self, key, value):
        self.sent.append((key, value))
        self.commands.append({key: value})

    def load(self, scenario):
        self.loaded.append(scenario)
        self.commands.append(scenario)

    def answer(self):
        command = self.commands.pop(0)
        self.scenario = self.scenario.with_values(command) if isinstance(command, dict) else command
        self.panel.set_scenario(self.scenario)

    def answer_all(self):
        while self.commands:
            self.answer()


def shown_panel(qtbot, session, scenario, *, width=320, height=900):
    """A panel on the screen whose changes wait for *Apply*."""
    panel = ParametersPanel(session, layouts())
    qtbot.addWidget(panel)
    panel.bar.at_once.setChecked(False)
    panel.set_scenario(scenario)
    panel.resize(width, height)
    panel.show()
    return panel


@pytest.fixture
def session():
    return FakeSession()


@pytest.fixture
def panel(qtbot, session):
    session.panel = shown_panel(qtbot, session, session.scenario)
    return session.panel


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
    return editor.combo.currentData() if isinstance(editor, ChoiceEditor) else editor.edit.value
