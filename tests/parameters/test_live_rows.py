"""Rows of live keys: the time step, sliders, what is greyed and why, notes and tool tips."""

from __future__ import annotations

from PyQt6.QtCore import Qt

from aggviewer.parameters.editors import StepEditor
from aggviewer.parameters.layout import SPIN
from aggviewer.parameters.single import SingleParameter
from aggviewer.systems.aggregation.view import ROTATION, SEARCH, first_step
from engine.scenario import Scenario
from tests.parameters.live_panel import (
    ALPHA,
    FRACTION,
    GAMMA,
    METHOD,
    SCHEME,
    STEP,
    STEPPING,
    STICKING,
    C,
    FakeSession,
    edit,
    shown_panel,
    type_in,
)
from tests.parameters.live_panel import kept_session as kept_session
from tests.parameters.live_panel import panel as panel
from tests.parameters.live_panel import session as session
from tests.waiting import nothing_put_off

# the time step


def test_a_fixed_step_begins_with_the_first_adaptive_one_and_comes_back(qtbot):
    session = FakeSession()
    session.panel = panel = shown_panel(qtbot, session, STEPPING)
    editor = panel.rows[STEP].editor
    assert isinstance(editor, StepEditor)
    assert editor.box.isChecked()
    assert not editor.number.isEnabled()
    assert editor.number.edit.lineEdit().text() == ""
    qtbot.mouseClick(editor.box, Qt.MouseButton.LeftButton, pos=editor.box.rect().center())
    assert session.sent == [(STEP, 0.13)]  # f R / V = 0.5 √(0.2 / π) / 1
    session.answer_all()
    assert editor.number.isEnabled()
    assert editor.number.edit.lineEdit().text().startswith("0.13")
    type_in(qtbot, panel, STEP, "0.02")
    qtbot.waitUntil(lambda: session.sent[-1] == (STEP, 0.02))
    session.answer_all()
    editor.box.click()
    qtbot.waitUntil(lambda: session.sent[-1] == (STEP, "adaptive"))
    session.answer_all()
    assert editor.number.edit.lineEdit().text() == ""
    editor.box.click()
    qtbot.waitUntil(lambda: session.sent[-1] == (STEP, 0.02))  # the last one that was chosen


def test_the_focus_leaves_a_step_that_becomes_adaptive_without_a_word(qtbot, panel, session):
    edit(panel, STEP, 0.2)
    session.answer_all()
    number = panel.rows[STEP].editor.number.edit
    panel.activateWindow()
    number.setFocus()
    qtbot.keyClicks(number.lineEdit(), "7")
    sent = list(session.sent)
    panel.set_scenario(session.scenario.with_values({STEP: "adaptive"}))
    panel._commit_and_apply()
    number.stepBy(1)
    nothing_put_off(panel)
    assert session.sent == sent
    assert not panel.rows[STEP].message.isVisible()


def test_the_first_step_follows_speed_and_radius():
    assert first_step(STEPPING) == 0.13
    assert first_step(STEPPING.with_values({"velocities.speed": 100.0})) == 0.0013
    assert first_step(STEPPING.with_values({"velocities.distribution": "rest"})) is None


# greyed


def enabled(panel):
    return {key for key in STICKING if panel.rows[key].editor.isEnabled()}


def test_the_event_driven_method_has_nothing_to_tune_and_says_why(panel, session):
    edit(panel, METHOD, "event-driven")
    for _ in range(2):  # at once, and when it runs
        assert enabled(panel) == {METHOD, ROTATION, SEARCH}
        assert panel.form.aside.isVisible()
        for title in ("Time step", "Damping"):
            assert not panel.sections[title].isVisible()
        for key in STICKING - {METHOD, ROTATION, SEARCH}:
            assert "Switch to time stepping to use these." in panel.rows[key].editor.toolTip()
            assert not panel.rows[key].label.isEnabled()
        session.answer_all()
    edit(panel, METHOD, "time-stepping")
    assert ALPHA in enabled(panel)
    assert "Used by the event-driven method only." in panel.rows[SEARCH].label.toolTip()
    assert not panel.sections["Damping"].note.isVisible()
    assert "Switch to" not in panel.rows[ALPHA].editor.toolTip()


def test_a_comparison_with_time_stepping_can_be_tuned(panel):
    panel.set_scenario(Scenario())
    assert enabled(panel) == {METHOD, ROTATION, SEARCH}
    panel.set_methods({"event-driven", "time-stepping"})
    assert enabled(panel) == STICKING
    panel.set_methods({"event-driven"})
    assert enabled(panel) == {METHOD, ROTATION, SEARCH}
    panel.set_methods(set())
    panel.set_scenario(STEPPING)
    assert enabled(panel) == STICKING - {SEARCH}


def test_parameters_unused_by_a_step_or_a_scheme_are_grey(panel):
    panel.set_scenario(STEPPING.with_values({STEP: 0.1}))
    assert enabled(panel) == STICKING - {SEARCH, FRACTION}
    assert panel.sections["Time step"].note.text() == "f: used by the adaptive step only."
    panel.set_scenario(STEPPING.with_values({SCHEME: "arrow-hurwicz"}))
    assert enabled(panel) == STICKING - {SEARCH, GAMMA, C}
    assert "Used by the damped scheme only." in panel.rows[GAMMA].label.toolTip()
    assert panel.sections["Damping"].note.text() == "γ and c: used by the damped scheme only."


def test_a_spin_is_asked_for_where_clusters_turn_and_is_a_number_or_thermal(qtbot, panel, session):
    turning = Scenario().with_values({ROTATION: True})
    assert not panel.rows[SPIN].isVisible(), "these clusters do not turn"
    panel.set_scenario(turning)
    assert panel.rows[SPIN].isVisible()
    editor = panel.rows[SPIN].editor
    assert isinstance(editor, StepEditor)
    assert (editor.box.text(), editor.box.isChecked()) == ("Thermal", False)
    editor.box.click()
    assert panel.draft == {SPIN: "thermal"}
    assert editor.number.edit.lineEdit().text() == ""
    editor.box.click()
    assert panel.draft == {}, "the number that was there before, though it is 0"
    type_in(qtbot, panel, SPIN, "-2.5")
    assert panel.draft == {SPIN: -2.5}
    panel.revert()
    panel.set_scenario(turning.with_values({SPIN: 3.0}))
    panel.set_scenario(Scenario().with_values({SPIN: 3.0}))
    assert panel.rows[SPIN].isVisible(), "what has to be changed before a new start is not hidden"


def test_what_cannot_turn_clusters_is_refused_at_the_field_with_one_sentence(panel, session):
    panel.set_scenario(Scenario().with_values({ROTATION: True}))
    session.answer_all()
    edit(panel, SEARCH, "all-pairs")
    assert session.sent == []
    refused = 'Search must be "trees" where clusters turn'
    assert panel.rows[SEARCH].message.text() == refused
    panel.set_scenario(Scenario().with_values({SEARCH: "all-pairs"}))
    edit(panel, ROTATION, True)
    assert session.sent == []
    assert panel.rows[ROTATION].message.text() == refused


def test_the_name_of_a_parameter_in_a_lesson_is_that_of_the_box_s_dimensions(qtbot):
    session = FakeSession()
    session.panel = panel = shown_panel(qtbot, session, Scenario())
    alone = SingleParameter(panel, "discs.count")
    qtbot.addWidget(alone)
    assert "discs" in alone.row.label.text()
    panel.set_scenario(Scenario().with_values({"dimensions": 3}))
    assert "spheres" in alone.row.label.text()
    assert alone.row.editor.focus_widget.accessibleName() == "Number of spheres"
