"""The parameters panel of discs that bounce: its sections, and keys that change what runs."""

from __future__ import annotations

import pytest

from aggviewer.parameters.editors import VectorEditor
from aggviewer.parameters.layout import ADVANCED, FoldingSection
from aggviewer.systems.registry import layouts
from engine.scenario import Scenario
from tests.parameters.live_panel import as_new
from tests.parameters.live_panel import kept_session as kept_session
from tests.parameters.live_panel import session as session
from tests.parameters.test_parameters import type_in
from tests.waiting import nothing_put_off

RESTITUTION, GRAVITY, GROWTH = (f"hard_discs.{name}" for name in ("restitution", "gravity", "growth_rate"))
GAS = Scenario().with_values({"system": "hard-discs"})


@pytest.fixture
def panel(session):
    return as_new(session, GAS, width=280)


def shown(panel):
    return {part.title for part in panel.form._parts if part.section.isVisible()}


def test_the_sections_follow_the_system_that_runs(panel):
    common = {"Discs", "Box", "Motion", "Advanced", "Random numbers"}
    assert shown(panel) == common | {"Shear", "Preparation", "Collisions", "Gravity", "Growth"}
    panel.set_scenario(Scenario())
    assert shown(panel) == common | {"Method"}  # time stepping is a folded line
    panel.set_scenario(Scenario(system="jamming"))
    jamming = (common - {"Motion"}) | {"Jamming"}  # they begin at rest
    assert shown(panel) == set(panel.sections) == jamming
    titles = {part.title for part in panel.form._parts}
    assert titles == common.union({"Shear"}, *(layout.sections for layout in layouts().values()))


@pytest.mark.parametrize("system", layouts())
def test_a_beginner_sees_the_three_parameters_that_the_system_names(qtbot, panel, system):
    panel.set_scenario(Scenario(system=system))
    panel.show_everything(False)
    seen = lambda: [key for key, row in panel.rows.items() if row.isVisible()]  # noqa: E731
    assert seen() == list(layouts()[system].simple)
    assert len(seen()) == 3
    assert not panel.bar.isVisible()
    with qtbot.waitSignal(panel.everything_asked):
        panel.more.click()
    panel.show_everything(True)
    assert len(seen()) > 8
    assert not panel.more.isVisible()
    assert panel.bar.isVisible()


def test_rarely_changed_sections_are_folded_and_a_message_opens_them(panel):
    assert not FoldingSection(ADVANCED).head.isChecked()
    panel.sections[ADVANCED].head.setChecked(False)
    assert not panel.rows["hard_discs.contact_time"].isVisible()
    panel.show_error("hard_discs.contact_time", "no")
    assert panel.rows["hard_discs.contact_time"].isVisible()


def test_another_system_is_a_restart(panel, session):
    editor = panel.rows["system"].editor
    assert editor.values == ("aggregation", "hard-discs", "jamming")
    editor.combo.activated.emit(0)
    assert panel.draft == {"system": "aggregation"}
    assert "Gravity" in shown(panel)  # they are of what runs
    panel.apply()
    assert session.loaded[-1].system == "aggregation"
    assert session.sent == []
    panel.set_scenario(session.loaded[-1])
    assert "Method" in shown(panel)
    assert "Gravity" not in shown(panel)


def test_restitution_and_growth_change_what_runs(qtbot, panel, session):
    type_in(qtbot, panel.rows[RESTITUTION].editor.edit.lineEdit(), "0.9")
    assert session.sent == [(RESTITUTION, 0.9)]
    slider = panel.rows[GROWTH].editor.slider
    slider.setValue(10)
    qtbot.waitUntil(lambda: len(session.sent) == 2)
    assert session.sent[-1] == (GROWTH, 0.01)
    assert panel.draft == {}
    type_in(qtbot, panel.rows[RESTITUTION].editor.edit.lineEdit(), "1.5")
    assert panel.rows[RESTITUTION].message.isVisible()
    nothing_put_off(panel)
    assert len(session.sent) == 2


def test_gravity_is_two_numbers(qtbot, panel, session):
    editor = panel.rows[GRAVITY].editor
    assert isinstance(editor, VectorEditor)
    type_in(qtbot, editor.edits[1].lineEdit(), "-2")
    assert session.sent == [(GRAVITY, (0.0, -2.0))]
    panel.set_scenario(GAS.with_values({GRAVITY: [0.0, -2.0]}))
    assert [edit.value for edit in editor.edits] == [0.0, -2.0]
    type_in(qtbot, editor.edits[0].lineEdit(), "0.5")
    qtbot.waitUntil(lambda: len(session.sent) == 2)
    assert session.sent[-1] == (GRAVITY, (0.5, -2.0))
    type_in(qtbot, editor.edits[0].lineEdit(), "down")
    assert panel.rows[GRAVITY].message.isVisible()
    assert len(session.sent) == 2
    assert [edit.value for edit in editor.edits] == [0.0, -2.0]  # back to what runs


def test_parameters_without_effect_are_grey_and_say_why(panel):
    row = panel.rows["hard_discs.growth_to_fraction"]
    assert not row.editor.isEnabled()
    assert panel.sections["Growth"].note.text() == "Grow to: used only while discs grow."
    panel.set_scenario(GAS.with_values({GROWTH: 0.01}))
    assert row.editor.isEnabled()
    assert not panel.sections["Growth"].note.isVisible()
    assert panel.rows[GRAVITY].editor.isEnabled()
    panel.set_scenario(GAS.with_values({"box.boundary": "periodic"}))
    assert not panel.rows[GRAVITY].editor.isEnabled()
    assert not panel.rows["hard_discs.wall_restitution"].editor.isEnabled()
    assert panel.rows[RESTITUTION].editor.isEnabled()
    assert "periodic" in panel.sections["Gravity"].note.text()
    panel.set_scenario(GAS.with_values({"box.boundary": ["periodic", "walls"]}))
    assert panel.rows[GRAVITY].editor.isEnabled()
    assert panel.rows["hard_discs.wall_restitution"].editor.isEnabled()
    assert "along an axis with walls" in panel.sections["Gravity"].note.text()


def test_a_periodic_box_is_refused_while_gravity_pulls(panel):
    panel.set_scenario(GAS.with_values({GRAVITY: [0.0, -2.0]}))
    for boundary in ("periodic", ("walls", "periodic")):
        panel.rows["box.boundary"].editor.edited.emit(boundary)
        assert "ravity" in panel.rows["box.boundary"].message.text()
        assert not panel.bar.apply_button.isEnabled()
    panel.rows["box.boundary"].editor.edited.emit(("periodic", "walls"))  # a floor is left
    assert panel.bar.apply_button.isEnabled()


def test_a_periodic_scenario_after_one_with_gravity(panel):
    panel.set_scenario(GAS.with_values({GRAVITY: [0.0, -2.0]}))
    periodic = GAS.with_values({"box.boundary": "periodic"})
    panel.set_scenario(periodic)  # the gravity of before would not fit to it
    assert panel.draft == {}
    assert not panel.rows[GRAVITY].editor.isEnabled()
    panel.set_scenario(GAS.with_values({GRAVITY: [0.0, -2.0]}))
    assert panel.rows["box.boundary"].editor.value == "walls"


def test_rules_restart_and_tolerances_change_what_runs(qtbot, panel, session):
    panel.set_scenario(Scenario(system="jamming"))
    editor = panel.rows["jamming.rules"].editor
    editor.combo.activated.emit(editor.values.index("calippso"))
    assert panel.draft == {"jamming.rules": "calippso"}
    type_in(qtbot, panel.rows["jamming.tolerance_inflation"].editor.edit.lineEdit(), "1e-10")
    assert session.sent == [("jamming.tolerance_inflation", 1e-10)]
    assert panel.draft == {"jamming.rules": "calippso"}
