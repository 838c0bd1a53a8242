"""The parameters panel: fields, drafts and restarts."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest
from PyQt6 import sip
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QShortcut

from aggviewer.parameters import ParametersPanel, in_words
from aggviewer.parameters.editors import ChoiceEditor, Control, FileEditor, NumberEditor, SeedEditor, SizeEditor
from aggviewer.systems.registry import layouts
from aggviewer.widgets import file_dialogs
from aggviewer.widgets.number_edit import NumberEdit
from engine.derived import mean_radius
from engine.errors import InputError
from engine.scenario import Scenario, scenario_keys
from tests.parameters.live_panel import FakeSession, as_new
from tests.parameters.live_panel import kept_session as kept_session
from tests.parameters.live_panel import session as session
from tests.waiting import delete_now, nothing_put_off


@pytest.fixture
def panel(session):
    return as_new(session, Scenario(), height=760)


def type_in(qtbot, line, text, enter=False):
    """Type into a line and leave it, by Enter or for another field, with no need of an active window."""
    line.selectAll()
    qtbot.keyClick(line, Qt.Key.Key_Delete)
    qtbot.keyClicks(line, text)
    if enter:
        qtbot.keyClick(line.parent() if isinstance(line.parent(), NumberEdit) else line, Qt.Key.Key_Return)
    else:
        line.editingFinished.emit()


def type_number(qtbot, panel, key, text, enter=False):
    editor = panel.rows[key].editor
    assert isinstance(editor, NumberEditor | SeedEditor)
    type_in(qtbot, editor.edit.lineEdit(), text, enter)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("discs.count", "10 000", 10_000),
        ("discs.count", "1e6", 1_000_000),
        ("discs.count", "10^7", 10_000_000),
        ("discs.volume_fraction", "0,35", 0.35),
        ("velocities.speed", "2.5", 2.5),
        ("seed", "9223372036854775807", 2**63 - 1),
    ],
)
def test_a_typed_number_changes_the_draft(qtbot, panel, key, text, value):
    type_number(qtbot, panel, key, text)
    assert panel.draft == {key: value}
    assert type(panel.draft[key]) is type(value)


@pytest.mark.parametrize("key", ["discs.arrangement", "discs.radii", "box.boundary", "velocities.distribution"])
def test_every_choice_changes_the_draft(qtbot, panel, key):
    editor = panel.rows[key].editor
    assert isinstance(editor, ChoiceEditor)
    assert list(editor.values) == list(scenario_keys()[key].choices)
    qtbot.keyClick(editor.combo, Qt.Key.Key_Down)
    assert panel.draft[key] == list(scenario_keys()[key].choices)[1]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_box_with_walls_along_some_axes_can_be_chosen_and_is_shown(qtbot, dimensions):
    field = scenario_keys(dimensions)["box.boundary"]
    editor = ChoiceEditor(field, Control())
    qtbot.addWidget(editor)
    edited = []
    editor.edited.connect(edited.append)
    assert [len(value) for value in editor.values[2:]] == [dimensions] * (2**dimensions - 2)
    for value in editor.values:
        editor.combo.activated.emit(editor.values.index(value))
        assert edited.pop() == value
        editor.set_value(list(value) if isinstance(value, tuple) else value)  # as a file has it
        assert editor.value == value
        assert editor.combo.currentText() == field.choices[value]
        assert Scenario().with_values({"dimensions": dimensions, "box.boundary": value}).box.boundary == value
    editor.set_value("neither")
    assert editor.value is None


@pytest.mark.parametrize(
    ("text", "value"), [("40", 40.0), ("50 x 40", (50.0, 40.0)), ("[50; 40]", (50.0, 40.0)), ("60×30", (60.0, 30.0))]
)
def test_the_box_takes_one_side_or_two_and_nothing_is_automatic(qtbot, panel, text, value):
    editor = panel.rows["box.size"].editor
    assert isinstance(editor, SizeEditor)
    assert editor.line.placeholderText() == "automatic: 50"
    type_in(qtbot, editor.line, text)
    assert panel.draft == {"box.size": value}
    type_in(qtbot, editor.line, "")
    assert panel.draft == {}


def test_the_count_slider_is_logarithmic(panel):
    editor = panel.rows["discs.count"].editor
    slider = editor.slider
    assert slider is not None
    slider.setValue(slider.maximum() // 2)
    assert panel.draft == {"discs.count": 1000}
    slider.setValue(slider.maximum())
    assert panel.draft == {"discs.count": 1_000_000}
    assert editor.edit.value == 1_000_000


def test_steps_go_along_one_two_five_for_the_count_and_stay_within_what_is_allowed(panel):
    edit = panel.rows["discs.count"].editor.edit
    edit.stepBy(1)
    assert panel.draft == {"discs.count": 5000}
    edit.stepBy(-2)
    assert panel.draft == {"discs.count": 1000}
    edit.stepBy(-40)
    assert panel.draft == {"discs.count": 1}
    fraction = panel.rows["discs.volume_fraction"].editor.edit
    fraction.stepBy(200)
    assert panel.draft["discs.volume_fraction"] == pytest.approx(0.99)
    fraction.stepBy(-200)
    assert panel.draft["discs.volume_fraction"] == pytest.approx(0.01)


@pytest.mark.parametrize("key", ["discs.count", "discs.volume_fraction"])
@pytest.mark.parametrize(
    ("typed", "steps", "at"), [("1e400", 1, 1), ("1e308", -1, 1), ("-1e308", 1, 0), ("-inf", 1, 0), ("inf", -1, 1)]
)
def test_a_step_from_a_number_that_is_far_too_large_leads_back(panel, key, typed, steps, at):
    edit = panel.rows[key].editor.edit
    edit.lineEdit().setText(typed)
    edit.stepBy(steps)
    assert edit.value == {"discs.count": (1, 10_000_000), "discs.volume_fraction": (0.01, 0.99)}[key][at]


def test_the_dice_give_another_seed(qtbot, panel):
    editor = panel.rows["seed"].editor
    qtbot.mouseClick(editor.button, Qt.MouseButton.LeftButton)
    first = panel.draft["seed"]
    assert first != 1
    panel.new_seed()
    assert panel.draft["seed"] != first


def test_double_click_on_the_name_and_the_mark_reset(qtbot, panel):
    row = panel.rows["discs.count"]
    assert not row.mark.isVisible()
    type_number(qtbot, panel, "discs.count", "400")
    assert row.mark.isVisible()
    assert row.label.font().bold()
    qtbot.mouseDClick(row.label, Qt.MouseButton.LeftButton)
    assert panel.draft == {}
    assert not row.mark.isVisible()
    assert not row.label.font().bold()
    type_number(qtbot, panel, "discs.count", "400")
    qtbot.mouseClick(row.mark, Qt.MouseButton.LeftButton)
    assert panel.draft == {}


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("discs.count", "0", "Number of discs must be a whole number from 1"),
        ("discs.count", "many", 'not "many"'),
        ("discs.volume_fraction", "nan", "Volume fraction must be"),
        ("seed", "-4", "not -4"),
    ],
)
def test_a_bad_value_is_told_at_its_field_and_not_loaded(qtbot, panel, session, key, text, said):
    panel.bar.at_once.setChecked(True)
    type_number(qtbot, panel, key, text)
    message = panel.rows[key].message
    assert message.isVisible()
    assert said in message.text()
    assert "discs." not in message.text()
    assert not panel.bar.apply_button.isEnabled()
    panel.apply()
    nothing_put_off(panel)
    assert session.loaded == []
    qtbot.mouseDClick(panel.rows[key].label, Qt.MouseButton.LeftButton)
    assert not message.isVisible()


def test_apply_by_button_by_enter_and_by_ctrl_enter(qtbot, panel, session):
    type_number(qtbot, panel, "discs.count", "400")
    assert session.loaded == []
    assert panel.bar.state.text() == "1 change needs a restart."
    with qtbot.waitSignal(panel.applied):
        qtbot.mouseClick(panel.bar.apply_button, Qt.MouseButton.LeftButton)
    assert [s.discs.count for s in session.loaded] == [400]
    type_number(qtbot, panel, "discs.count", "900", enter=True)
    assert session.loaded[-1].discs.count == 900
    edit = panel.rows["discs.count"].editor.edit
    edit.selectAll()
    qtbot.keyClicks(edit.lineEdit(), "1600")  # typed, not left
    for shortcut in panel.findChildren(QShortcut):
        assert shortcut.key().toString().startswith("Ctrl+")
        shortcut.activated.emit()
        assert session.loaded[-1].discs.count == 1600


def test_revert_goes_back_to_what_runs(qtbot, panel, session):
    type_number(qtbot, panel, "discs.count", "0")
    panel.rows["box.boundary"].editor.edited.emit("periodic")
    assert set(panel.draft) == {"discs.count", "box.boundary"}
    qtbot.mouseClick(panel.bar.revert_button, Qt.MouseButton.LeftButton)
    assert panel.draft == {}
    assert panel.rows["discs.count"].editor.edit.value == 2500
    assert not panel.rows["discs.count"].message.isVisible()
    assert not panel.bar.revert_button.isEnabled()
    assert session.loaded == []


def test_restart_at_once_takes_the_last_of_many_values_together(qtbot, panel, session):
    panel.bar.at_once.setChecked(True)
    slider = panel.rows["discs.volume_fraction"].editor.slider
    for _ in range(5):
        slider.setValue(slider.value() + 1)
    assert session.loaded == []
    qtbot.waitUntil(lambda: bool(session.loaded))
    assert [s.discs.volume_fraction for s in session.loaded] == [0.25]


def test_a_drag_does_not_pile_up_restarts(qtbot, panel, session):
    panel.bar.at_once.setChecked(True)
    slider = panel.rows["discs.volume_fraction"].editor.slider
    slider.setValue(slider.value() + 1)
    qtbot.waitUntil(lambda: len(session.loaded) == 1)
    panel.set_busy(True)
    for _ in range(5):
        slider.setValue(slider.value() + 1)
        nothing_put_off(panel)
    assert len(session.loaded) == 1
    panel.set_scenario(session.loaded[0])
    panel.set_busy(False)
    assert [s.discs.volume_fraction for s in session.loaded] == [0.21, 0.26]


def test_many_discs_wait_for_apply_and_the_panel_says_so(qtbot, panel, session):
    panel.bar.at_once.setChecked(True)
    type_number(qtbot, panel, "discs.count", "100000")
    nothing_put_off(panel)
    assert session.loaded == []
    assert panel.bar.state.text() == "1 change needs a restart."
    panel.apply()
    panel.set_scenario(session.loaded[-1])
    assert "wait for Apply" in panel.bar.state.text()


def test_edits_made_while_a_restart_is_on_its_way_stay(panel, session):
    panel.rows["discs.count"].editor.edited.emit(400)
    panel.apply()
    panel.rows["discs.volume_fraction"].editor.edited.emit(0.3)
    panel.set_scenario(session.loaded[-1])
    assert panel.draft == {"discs.volume_fraction": 0.3}


def test_a_scenario_from_elsewhere_replaces_edits_but_a_new_seed_does_not(panel):
    panel.rows["discs.count"].editor.edited.emit(400)
    panel.rows["seed"].editor.edited.emit(5)
    panel.set_scenario(Scenario().with_values({"seed": 9}))
    assert panel.draft == {"discs.count": 400}
    assert panel.rows["seed"].editor.edit.value == 9
    panel.set_scenario(Scenario().with_values({"box.boundary": "periodic"}))
    assert panel.draft == {}


def test_an_error_of_the_session_shows_at_its_field_until_the_next_edit(qtbot, panel, session):
    panel.sections["Discs"].head.setChecked(False)
    panel.show_error("discs.volume_fraction", "discs.volume_fraction must be at most 0.785 for a square lattice")
    message = panel.rows["discs.volume_fraction"].message
    assert message.isVisible()  # the section has opened
    assert message.text() == "Volume fraction must be at most 0.785 for a square lattice"
    panel.rows["discs.volume_fraction"].editor.edited.emit(0.3)
    assert not message.isVisible()
    session.refuse = InputError("no such thing", "nowhere")
    panel.apply()
    assert panel.bar.state.text() == "no such thing"
    panel.revert()
    assert panel.bar.state.text() != "no such thing"


def test_only_what_has_an_effect_is_shown(panel):
    rows = panel.rows
    assert not rows["discs.file"].isVisible()
    assert not rows["discs.spread"].isVisible()
    rows["discs.radii"].editor.edited.emit("bidisperse")
    assert rows["discs.spread"].isVisible()
    assert panel.draft == {"discs.radii": "bidisperse", "discs.spread": 1.4}
    rows["velocities.distribution"].editor.edited.emit("rest")
    assert not rows["velocities.speed"].isVisible()
    rows["discs.arrangement"].editor.edited.emit("file")
    assert rows["discs.file"].isVisible()
    assert not rows["discs.count"].isVisible()


def test_a_state_file_is_chosen(qtbot, panel, monkeypatch):
    panel.rows["discs.arrangement"].editor.edited.emit("file")
    assert panel.rows["discs.file"].message.isVisible()
    editor = panel.rows["discs.file"].editor
    assert isinstance(editor, FileEditor)
    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_: Path("state.csv"))
    qtbot.mouseClick(editor.button, Qt.MouseButton.LeftButton)
    assert panel.draft == {"discs.arrangement": "file", "discs.file": "state.csv"}
    assert not panel.rows["discs.file"].message.isVisible()


def test_leaving_the_file_leaves_its_velocities_as_well(panel):
    base = Scenario().with_values(
        {"discs.arrangement": "file", "discs.file": "a.csv", "velocities.distribution": "file"}
    )
    panel.set_scenario(base)
    panel.rows["discs.arrangement"].editor.edited.emit("lattice")
    assert panel.draft == {"discs.arrangement": "lattice", "velocities.distribution": "circle"}


def test_derived_numbers_follow_the_draft(panel):
    assert panel.read_outs["box"].text() == "50"
    assert panel.read_outs["radius"].text() == "0.2523"  # √(0.2 / π)
    panel.rows["box.size"].editor.edited.emit((100.0, 25.0))
    assert panel.read_outs["box"].text() == "100 × 25"
    panel.rows["discs.count"].editor.edited.emit(0)
    assert panel.read_outs["radius"].text() == "–"


def test_a_system_has_read_outs_of_its_own(panel):
    assert panel.read_outs["first_step"].text() == "–"  # the event-driven method has no steps
    stepping = Scenario().with_values({"aggregation.method": "time-stepping"})
    panel.set_scenario(stepping)
    fraction = stepping.value("aggregation.time_stepping.fraction")
    assert panel.read_outs["first_step"].text() == f"≈ {fraction * mean_radius(stepping):.2g}"
    value = panel.read_outs["first_step"]
    panel.set_scenario(Scenario().with_values({"system": "hard-discs"}))
    assert "first_step" not in panel.read_outs
    assert panel.read_outs["box"].text() == "50"
    assert not sip.isdeleted(value), "the mouse may be pressed on it just now"
    delete_now()
    assert sip.isdeleted(value)


def test_text_being_typed_survives_news_from_the_session(qtbot, panel):
    edit = panel.rows["discs.count"].editor.edit
    edit.selectAll()
    qtbot.keyClicks(edit.lineEdit(), "77")
    panel.set_scenario(Scenario().with_values({"seed": 3}))
    assert edit.lineEdit().text() == "77"


def test_every_field_has_a_name_a_tool_tip_and_is_reached_by_the_keyboard(panel):
    for key, row in panel.rows.items():
        editor = row.editor.focus_widget
        assert editor.focusPolicy() & Qt.FocusPolicy.TabFocus, key
        assert editor.accessibleName() == scenario_keys()[key].label
        assert "Default" in row.editor.toolTip()


def test_a_closed_panel_is_freed_with_its_timer(qtbot):
    session = FakeSession()
    panel = ParametersPanel(session, layouts())
    panel.set_scenario(Scenario())
    panel.rows["discs.count"].editor.edited.emit(400)  # the timer runs
    gone = weakref.ref(panel)
    panel.close()
    panel.deleteLater()
    del panel

    def is_gone():
        gc.collect()
        return gone() is None

    qtbot.waitUntil(is_gone)  # its timer is its child
    assert session.loaded == []


@pytest.mark.parametrize("early", [True, False])
def test_a_closed_panel_applies_nothing(qtbot, early):
    session = FakeSession()
    panel = ParametersPanel(session, layouts())
    qtbot.addWidget(panel)
    panel.set_scenario(Scenario())
    panel.show()
    if early:
        panel.rows["discs.count"].editor.edited.emit(400)  # the timer runs
    panel.close()
    if not early:
        panel.rows["discs.count"].editor.edited.emit(400)  # a field that is typed in loses the focus
    nothing_put_off(panel)
    assert session.loaded == []


def test_parameters_unused_by_the_method_are_one_line_that_unfolds(panel, qtbot):
    used = ("aggregation.method", "aggregation.rotation", "aggregation.event_driven.search")
    keys = [key for key in panel.rows if key.startswith("aggregation.") and key not in used]
    seen = lambda: [key for key in keys if panel.rows[key].isVisible()]  # noqa: E731
    assert seen() == []
    assert panel.form.aside.isVisible()
    assert not panel.sections["Damping"].isVisible()
    assert "11 settings" in panel.form.aside.words.text()
    height = panel.form.aside.height()
    assert height < 32
    qtbot.mouseClick(panel.form.aside.head, Qt.MouseButton.LeftButton)
    assert seen() == keys
    qtbot.mouseClick(panel.form.aside.head, Qt.MouseButton.LeftButton)
    assert seen() == []
    panel.show_error(keys[-1], "no")
    assert panel.rows[keys[-1]].isVisible(), "a message opens it"
    panel.set_scenario(Scenario().with_values({"aggregation.method": "time-stepping"}))
    assert not panel.form.aside.isVisible()
    assert seen() == keys
    panel.set_scenario(Scenario().with_values({"system": "hard-discs"}))
    assert not panel.form.aside.isVisible()
    assert not any(part.section.isVisible() for part in panel.form._parts if part.title == "Damping")


def test_messages_use_the_names_of_the_panel() -> None:
    assert in_words("discs.spread must be above 0 when discs.radii is equal") == (
        "Spread of the radii must be above 0 when radii is equal"
    )
