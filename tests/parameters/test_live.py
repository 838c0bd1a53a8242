"""Live keys of the parameters panel: what is sent to the session, and what its answers change."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import Qt

from aggviewer.parameters.editors import SwitchEditor
from aggviewer.parameters.layout import live_keys
from aggviewer.systems.aggregation.view import ROTATION, SEARCH
from aggviewer.systems.registry import layouts
from aggviewer.widgets.number_edit import NumberEdit
from engine.aggregation.time_stepping.simulation import TimeStepping
from engine.hard_discs.simulation import HardDiscGas
from engine.jamming.simulation import JammingPacking
from engine.scenario import Scenario, scenario_keys
from tests.parameters.live_panel import (
    ALPHA,
    BETA,
    CLUSTERS,
    FRACTION,
    GAMMA,
    METHOD,
    SCHEME,
    STEP,
    STEPPING,
    STICKING,
    C,
    edit,
    shown,
    type_in,
)
from tests.parameters.live_panel import kept_session as kept_session
from tests.parameters.live_panel import panel as panel
from tests.parameters.live_panel import session as session
from tests.waiting import nothing_put_off


def test_the_live_keys_are_those_that_the_engine_can_change():
    loose = {key for key, field in scenario_keys().items() if key.startswith("aggregation.") and not field.restart}
    assert loose | {METHOD, SEARCH, ROTATION, CLUSTERS} <= STICKING
    assert TimeStepping.tunable | {METHOD, SEARCH, ROTATION, CLUSTERS} == STICKING
    bouncing = {
        key for keys in layouts()["hard-discs"].sections.values() for key in keys if not scenario_keys()[key].restart
    }
    assert HardDiscGas.tunable == bouncing | {"shear.rate"}  # of a section that all systems with a flow have
    assert JammingPacking.tunable < set().union(*layouts()["jamming"].sections.values())
    assert STICKING | HardDiscGas.tunable | JammingPacking.tunable == live_keys()


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        (ALPHA, "0.25", 0.25),
        (BETA, "1", 1.0),
        (GAMMA, "0", 0.0),
        (C, "1,5", 1.5),
        (FRACTION, "0.75", 0.75),
        ("aggregation.damping.tolerance", "1e-5", 1e-5),
        ("aggregation.damping.max_iterations", "10 000", 10_000),
    ],
)
def test_a_typed_number_goes_to_the_session_at_once_and_restarts_nothing(qtbot, panel, session, key, text, value):
    panel.bar.at_once.setChecked(True)
    type_in(qtbot, panel, key, text)
    assert session.sent == [(key, value)]
    assert panel.draft == {}
    session.answer_all()
    nothing_put_off(panel)
    assert session.loaded == []
    assert session.sent == [(key, value)]
    assert shown(panel, key) == value
    assert not panel.rows[key].label.font().bold()
    assert panel.rows[key].mark.isVisible()


def settle(qtbot, session):
    """What was edited reaches the session, and the session answers."""
    qtbot.waitUntil(lambda: bool(session.commands))
    session.answer_all()


def test_choices_and_switches_are_live(qtbot, panel, session):
    for key, value in ((CLUSTERS, "rigid"), (SCHEME, "arrow-hurwicz"), (METHOD, "event-driven")):
        combo = panel.rows[key].editor.combo
        qtbot.keyClick(combo, Qt.Key.Key_Down if combo.currentIndex() == 0 else Qt.Key.Key_Up)
        settle(qtbot, session)
        assert session.sent[-1] == (key, value)
        assert shown(panel, key) == value
    panel.set_scenario(STEPPING)
    switch = panel.rows["aggregation.damping.adaptive"].editor
    assert isinstance(switch, SwitchEditor)
    assert switch.box.isChecked()
    qtbot.mouseClick(switch.box, Qt.MouseButton.LeftButton, pos=switch.box.rect().center())
    settle(qtbot, session)
    assert session.sent[-1] == ("aggregation.damping.adaptive", False)
    assert not switch.box.isChecked()
    assert panel.draft == {}


def test_a_drag_sends_the_first_value_and_the_last_and_not_all_between(qtbot, panel, session):
    slider = panel.rows[ALPHA].editor.slider
    for position in range(200, 800):
        slider.setValue(position)
    assert len(session.sent) == 1  # no time for more: the event loop has not run
    wanted = panel.rows[ALPHA].editor.edit.value
    qtbot.waitUntil(lambda: len(session.sent) == 2)
    assert session.sent[1] == (ALPHA, wanted)
    nothing_put_off(panel)
    assert len(session.sent) == 2


def test_late_answers_do_not_pull_a_slider_back(qtbot, panel, session):
    for value in (0.2, 0.3, 0.4):
        edit(panel, ALPHA, value)
        qtbot.waitUntil(lambda value=value: session.sent[-1] == (ALPHA, value))
    seen = []
    while session.commands:
        session.answer()
        seen.append(shown(panel, ALPHA))
    assert seen == [0.4, 0.4, 0.4]
    session.commands.append({ALPHA: 0.9})  # from elsewhere: the top bar, another panel
    session.answer()
    assert shown(panel, ALPHA) == 0.9


def test_a_refused_value_goes_back_to_what_runs_and_its_message_stays(panel, session):
    panel.sections["Damping"].head.setChecked(False)
    edit(panel, ALPHA, 5.0)
    assert shown(panel, ALPHA) == 5.0
    panel.show_error(ALPHA, f"{ALPHA} cannot change now")
    row = panel.rows[ALPHA]
    assert shown(panel, ALPHA) == 0.1
    assert row.message.isVisible()
    assert row.message.text() == "Step of the positions cannot change now"
    panel.set_scenario(session.scenario)
    assert row.message.isVisible()
    edit(panel, BETA, 0.2)
    assert not row.message.isVisible()


@pytest.mark.parametrize(("key", "text"), [(ALPHA, "0"), (ALPHA, "x"), (C, "2"), (FRACTION, "1.5"), (STEP, "-1")])
def test_a_bad_value_is_told_at_once_and_never_sent(qtbot, panel, session, key, text):
    if key == STEP:
        edit(panel, STEP, 0.1)
        session.answer_all()
        session.sent.clear()
    before = session.scenario.value(key)
    type_in(qtbot, panel, key, text)
    row = panel.rows[key]
    assert session.sent == []
    assert row.message.isVisible()
    assert "must be" in row.message.text()
    number = row.editor.number if key == STEP else row.editor
    assert number.edit.value == before
    assert panel.bar.state.text() == "A change restarts the run."


def test_restart_edits_survive_live_ones_and_are_applied_with_them(panel, session):
    edit(panel, "discs.count", 400)
    edit(panel, "seed", 7)
    edit(panel, ALPHA, 0.3)
    session.answer_all()
    assert panel.draft == {"discs.count": 400, "seed": 7}
    assert panel.bar.state.text() == "2 changes need a restart."
    edit(panel, BETA, 0.4)
    panel.apply()  # β is not confirmed yet
    assert session.loaded[-1].discs.count == 400
    assert (session.loaded[-1].aggregation.damping.alpha, session.loaded[-1].aggregation.damping.beta) == (0.3, 0.4)
    session.answer_all()
    assert panel.draft == {}
    assert shown(panel, BETA) == 0.4


def test_a_live_answer_does_not_end_the_wait_for_a_restart(qtbot, panel, session):
    panel.bar.at_once.setChecked(True)
    edit(panel, ALPHA, 0.3)
    edit(panel, "discs.count", 400)
    qtbot.waitUntil(lambda: len(session.loaded) == 1)
    edit(panel, "discs.count", 500)
    session.answer()  # of α: the restart with 400 discs is still on its way
    nothing_put_off(panel)
    assert len(session.loaded) == 1
    session.answer()
    qtbot.waitUntil(lambda: len(session.loaded) == 2)
    assert session.loaded[-1].discs.count == 500


def test_another_scenario_ends_what_was_wanted(panel, session):
    edit(panel, ALPHA, 0.3)
    panel.show_error(BETA, "no")
    panel.set_scenario(Scenario().with_values({"box.boundary": "periodic", METHOD: "time-stepping"}))
    assert shown(panel, ALPHA) == 0.1
    assert not panel.rows[BETA].message.isVisible()


def test_enter_in_a_live_field_does_not_restart(qtbot, panel, session):
    edit(panel, "discs.count", 400)
    number = panel.rows[ALPHA].editor.edit
    assert isinstance(number, NumberEdit)
    number.selectAll()
    qtbot.keyClicks(number.lineEdit(), "0.4")
    qtbot.keyClick(number, Qt.Key.Key_Return)
    assert session.sent == [(ALPHA, 0.4)]
    assert session.loaded == []


def test_double_click_and_mark_reset_a_live_key(qtbot, panel, session):
    edit(panel, ALPHA, 0.4)
    session.answer_all()
    row = panel.rows[ALPHA]
    qtbot.mouseDClick(row.label, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.sent[-1] == (ALPHA, 0.1))
    session.answer_all()
    assert not row.mark.isVisible()
    edit(panel, STEP, 0.2)
    qtbot.waitUntil(lambda: bool(session.commands))
    session.answer_all()
    qtbot.mouseClick(panel.rows[STEP].mark, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.sent[-1] == (STEP, "adaptive"))


def test_a_shear_rate_is_tuned_live_and_useless_between_walls(qtbot, panel, session):
    panel.set_scenario(Scenario().with_values({"system": "hard-discs", "box.boundary": "periodic"}))
    panel.bar.at_once.setChecked(True)
    type_in(qtbot, panel, "shear.rate", "0.25")
    assert session.sent == [("shear.rate", 0.25)]
    assert not panel.sections["Shear"].note.text()
    panel.set_scenario(Scenario().with_values({"system": "hard-discs", "box.boundary": "walls"}))
    assert panel.sections["Shear"].note.text() == "Needs a box that is periodic along every axis."
    panel.set_scenario(Scenario())
    assert "Shear" not in panel.sections
    assert not panel.form.offers("shear.rate")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("box.boundary", ("periodic", "walls"), 'unless boundary = "periodic"'),
        ("box.boundary", "walls", 'unless boundary = "periodic"'),
        ("system", "jamming", 'only "hard-discs" can be sheared'),
    ],
)
def test_a_change_that_the_running_value_of_a_live_key_forbids_is_refused_at_its_field(panel, key, value, said):
    flows = {"system": "hard-discs", "box.boundary": "periodic", "shear.rate": 0.5}
    panel.set_scenario(Scenario().with_values(flows))
    edit(panel, key, value)
    assert panel.rows[key].message.isVisible()
    assert panel.rows[key].message.text().startswith("Shear rate must be 0 ")
    assert said in panel.rows[key].message.text()
    assert panel.bar.state.text() == "Your run continues unchanged."
    panel.revert()
    assert not panel.rows[key].message.isVisible()


def test_a_change_that_was_refused_restarts_once_the_live_key_allows_it(qtbot, panel, session):
    flows = {"system": "hard-discs", "box.boundary": "periodic", "shear.rate": 0.5}
    panel.set_scenario(Scenario().with_values(flows))
    panel.bar.at_once.setChecked(True)
    edit(panel, "box.boundary", "walls")
    type_in(qtbot, panel, "shear.rate", "0.2")
    assert panel.rows["box.boundary"].message.isVisible()
    type_in(qtbot, panel, "shear.rate", "0")
    assert not panel.rows["box.boundary"].message.isVisible()
    qtbot.waitUntil(lambda: len(session.loaded) == 1)
    assert (session.loaded[0].box.boundary, session.loaded[0].shear.rate) == ("walls", 0.0)


def test_a_message_at_a_live_key_ends_with_the_run_that_it_was_about(qtbot, panel, session):
    panel.set_scenario(Scenario().with_values({"system": "hard-discs", "box.boundary": "walls"}))
    panel.show_error("shear.rate", 'shear.rate must be 0 unless box.boundary is "periodic"')
    assert panel.rows["shear.rate"].message.text()
    panel.bar.at_once.setChecked(True)
    edit(panel, "box.boundary", "periodic")
    qtbot.waitUntil(lambda: len(session.loaded) == 1)
    panel.set_scenario(session.loaded[0])
    assert not panel.rows["shear.rate"].message.text()
