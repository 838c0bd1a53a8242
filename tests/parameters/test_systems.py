"""The parameters panel of discs that bounce: its sections, and keys that change what runs."""

from __future__ import annotations

import pytest

from aggviewer.parameters.editors import PairEditor
from aggviewer.systems.registry import layouts
from engine.scenario import Scenario
from tests.parameters.live_panel import shown_panel
from tests.parameters.test_parameters import type_in

RESTITUTION, GRAVITY, GROWTH = (f"hard_discs.{name}" for name in ("restitution", "gravity", "growth_rate"))
GAS = Scenario().with_values({"system": "hard-discs"})


class FakeSession:
    def __init__(self):
        self.sent = []
        self.loaded = []

    def set_parameter(self, key, value):
        self.sent.append((key, value))

    def load(self, scenario):
        self.loaded.append(scenario)


@pytest.fixture
def session():
    return FakeSession()


@pytest.fixture
def panel(qtbot, session):
    return shown_panel(qtbot, session, GAS, width=280)


def shown(panel):
    return {part.title for part in panel.form._parts if part.section.isVisible()}


def test_the_sections_follow_the_system_that_runs(panel):
    common = {"System", "Discs", "Box", "Motion", "Random numbers"}
    assert shown(panel) == common | {"Preparation", "Collisions", "Gravity", "Growth"}
    panel.set_scenario(Scenario())
    assert shown(panel) == common | {"Method"}  # time stepping is a folded line
    panel.set_scenario(Scenario(system="jamming"))
    jamming = (common - {"Motion"}) | {"Jamming", "End of the chain"}  # they begin at rest
    assert shown(panel) == set(panel.sections) == jamming
    titles = [part.title for part in panel.form._parts]
    assert sorted(titles) == sorted(common.union(*(layout.sections for layout in layouts().values())))


def test_another_system_is_a_restart(panel, session):
    combo = panel.rows["system"].editor.combo
    assert [combo.itemData(k) for k in range(combo.count())] == ["aggregation", "hard-discs", "jamming"]
    combo.setCurrentIndex(0)
    combo.activated.emit(0)
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
    qtbot.wait(60)
    assert len(session.sent) == 2


def test_gravity_is_two_numbers(qtbot, panel, session):
    editor = panel.rows[GRAVITY].editor
    assert isinstance(editor, PairEditor)
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


def test_reset_brings_gravity_back_to_none(panel, session):
    panel.set_scenario(GAS.with_values({GRAVITY: [0.0, -2.0]}))
    assert panel.rows[GRAVITY].mark.isVisible()
    panel.reset(GRAVITY)
    assert session.sent == [(GRAVITY, (0.0, 0.0))]


def test_what_has_no_effect_is_greyed_and_says_why(panel):
    row = panel.rows["hard_discs.growth_to_fraction"]
    assert not row.editor.isEnabled()
    assert panel.sections["Growth"].note.text() == "Grow to: used while discs grow."
    panel.set_scenario(GAS.with_values({GROWTH: 0.01}))
    assert row.editor.isEnabled()
    assert not panel.sections["Growth"].note.isVisible()
    assert panel.rows[GRAVITY].editor.isEnabled()
    panel.set_scenario(GAS.with_values({"box.boundary": "periodic"}))
    assert not panel.rows[GRAVITY].editor.isEnabled()
    assert not panel.rows["hard_discs.wall_restitution"].editor.isEnabled()
    assert panel.rows[RESTITUTION].editor.isEnabled()
    assert "periodic" in panel.sections["Gravity"].note.text()


def test_a_periodic_box_is_refused_while_gravity_pulls(panel):
    panel.set_scenario(GAS.with_values({GRAVITY: [0.0, -2.0]}))
    panel.rows["box.boundary"].editor.edited.emit("periodic")
    assert "ravity" in panel.bar.state.text()
    assert not panel.bar.apply_button.isEnabled()


def test_a_periodic_scenario_after_one_with_gravity(panel):
    panel.set_scenario(GAS.with_values({GRAVITY: [0.0, -2.0]}))
    periodic = GAS.with_values({"box.boundary": "periodic"})
    panel.set_scenario(periodic)  # the gravity of before would not fit to it
    assert panel.draft == {}
    assert not panel.rows[GRAVITY].editor.isEnabled()
    panel.set_scenario(GAS.with_values({GRAVITY: [0.0, -2.0]}))
    assert panel.rows["box.boundary"].editor.combo.currentData() == "walls"


def test_the_panel_is_never_wider_than_a_narrow_dock(panel):
    content = panel.form.widget()
    assert content.minimumSizeHint().width() <= panel.form.viewport().width()


def test_rules_restart_and_tolerances_change_what_runs(qtbot, panel, session):
    panel.set_scenario(Scenario(system="jamming"))
    combo = panel.rows["jamming.rules"].editor.combo
    combo.setCurrentIndex(combo.findData("calippso"))
    combo.activated.emit(combo.currentIndex())
    assert panel.draft == {"jamming.rules": "calippso"}
    type_in(qtbot, panel.rows["jamming.tolerance_inflation"].editor.edit.lineEdit(), "1e-10")
    assert session.sent == [("jamming.tolerance_inflation", 1e-10)]
    assert panel.draft == {"jamming.rules": "calippso"}
