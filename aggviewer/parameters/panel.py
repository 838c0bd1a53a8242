"""The parameters panel: edits, errors, restarts with changed parameters, and the foot that says whether changes
restart the run at once or wait for Apply."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from PyQt6.QtCore import QEvent, QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PyQt6.QtWidgets import QApplication, QCheckBox, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from aggviewer.parameters.editors import SeedEditor
from aggviewer.parameters.field_row import Draft, in_words, keys_in, relevant
from aggviewer.parameters.form import LiveRows, ParameterForm
from aggviewer.parameters.layout import FoldingSection, Layout
from aggviewer.style.theme import set_styled
from engine.errors import InputError
from engine.scenario import Scenario, scenario_keys
from engine.system import turns

_AT_ONCE_LIMIT = 20_000  # discs that are set up quickly enough to follow a slider
_AT_ONCE_MS = 80  # a drag restarts the run at most this often, and not before the last restart has finished


class ParametersPanel(QWidget):
    """The panel in which the scenario is changed.

    Most keys require a restart, so their edits are collected in a draft. Live keys (which the scenario model allows to
    change during a run) act at once: during a drag, values are sent about 30 times a second, and the last value always.
    The session replies with a scenario that contains the value, or with a message for the key.

    Parameters
    ----------
    session : only its ``load(scenario)`` and ``set_parameter(key, value)`` are called.
    layouts : the layout of each system, by its name. The panel itself knows no system.
    """

    applied = pyqtSignal(object)
    """Emitted with a scenario just before ``session.load``."""
    tried = pyqtSignal()
    """Another value was entered, or the changes were dropped: earlier refusals no longer matter."""
    menu_asked = pyqtSignal(str, QPoint)
    """A key, and the screen position for its menu."""
    everything_asked = pyqtSignal()
    """The user asked for all parameters."""
    shown = pyqtSignal()
    """Values, messages, or the keys with an effect may have changed."""
    focus_lost = pyqtSignal()
    """What had the keyboard focus here has been hidden."""

    def __init__(self, session: Any, layouts: Mapping[str, Layout], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("parameters")
        self._session = session
        self._draft = Draft(Scenario())
        self._sent: list[Scenario] = []
        self._errors: dict[str, str] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AT_ONCE_MS)
        self._timer.timeout.connect(self._apply_when_free)
        self._busy = False  # a scenario is on its way
        self._due = False  # and another one will follow
        self._closed = False
        self._everything = True
        self._entered = ""  # the key that Enter has sent, until it runs or is refused
        self._after_enter = QTimer(self)  # the refusal may arrive before Enter has reached the window
        self._after_enter.setSingleShot(True)
        self._after_enter.setInterval(0)
        self._after_enter.timeout.connect(self._begin_again)

        self._layouts = layouts
        self._make_form()
        self.bar = RestartBar(_AT_ONCE_LIMIT)
        self.bar.apply_asked.connect(self._commit_and_apply)
        self.bar.revert_asked.connect(self.revert)
        self.bar.at_once_changed.connect(self._at_once_changed)
        self.more = QPushButton("Show everything")
        self.more.setToolTip(
            "Show all parameters, plots and tools. The same command in the View menu hides them again."
        )
        self.more.clicked.connect(self.everything_asked)
        self.more.hide()
        self._outer = outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.form, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(8, 0, 8, 8)
        foot.addWidget(self.more)
        outer.addLayout(foot)
        outer.addWidget(self.bar)
        for sequence in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(QKeySequence(sequence), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self._commit_and_apply)
        self._show()

    def _make_form(self, dimensions: int = 2) -> None:
        self.form = ParameterForm(self._layouts, dimensions)
        self.form.menu_asked.connect(self.menu_asked)
        self.rows = self.form.rows
        self.read_outs = self.form.read_outs.values
        for key, row in self.rows.items():
            row.edited.connect(self._edited)
            row.reset_asked.connect(self.reset)
            if key not in self.form.live_keys:
                row.entered.connect(partial(self._enter, key))
        self._live = LiveRows(self.form, self._session, self._draft.base, self)

    # for the window

    def _rebuild(self, dimensions: int) -> None:
        """Make the form for a box of other dimensions, which has other keys. Unapplied changes and folded sections are
        kept."""
        form, live = self.form, self._live
        live.end()
        self._make_form(dimensions)
        self._live.set_methods(live.methods)
        self.form.fold_as(form)
        self._outer.insertWidget(0, self.form, 1)
        self._outer.removeWidget(form)
        form.hide()
        form.deleteLater()
        live.deleteLater()
        self._errors.clear()
        for key in self._draft.changes.keys() - self.rows.keys():
            del self._draft.changes[key]
        self._show()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Qt's hook: give the focus away if what had it here has been hidden; Qt would give it to what comes next."""
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus) and not focus.isVisible():
            self.focus_lost.emit()
            return True
        return super().focusNextPrevChild(forward)

    def show_everything(self, everything: bool) -> None:
        """Show all parameters, or the few for beginners with a button below that shows the others."""
        self.form.show_everything(everything)
        self.more.setVisible(not everything)
        self._everything = everything
        self._show()

    def set_foot(self, foot: QWidget | None) -> None:
        """Put a widget below the parameters, instead of the one there; None for none."""
        self.form.set_foot(foot)

    @property
    def draft(self) -> dict[str, Any]:
        """The values that differ from the running scenario."""
        return dict(self._draft.changes)

    @property
    def sections(self) -> dict[str, FoldingSection]:
        """The sections of the running system, by title."""
        return self.form.sections

    def set_scenario(self, scenario: Scenario) -> None:
        """Set the running scenario. Edits made since the panel sent it are kept; a scenario from elsewhere replaces
        them unless it differs only in the seed and live keys."""
        base = self._draft.base
        if scenario in self._sent:
            self._entered = ""
            del self._sent[: self._sent.index(scenario) + 1]
            self._busy = False
            self._live.errors.clear()  # of the run before
            self._live.set_scenario(scenario, replaced=False)
            self._draft.rebase(scenario)
        elif all(
            scenario.value(key) == base.value(key)
            for key in scenario_keys()
            if key not in {"seed", *self.form.live_keys}
        ):
            if scenario.seed != base.seed:
                self._draft.changes.pop("seed", None)
            self._live.set_scenario(scenario, replaced=False)
            self._draft.rebase(scenario)
        else:
            self._busy = self._due = False
            self._sent.clear()
            self._timer.stop()
            self._errors.clear()
            self._live.set_scenario(scenario, replaced=True)
            self._draft = Draft(scenario)
        if scenario.dimensions != self.form.dimensions:
            self._rebuild(scenario.dimensions)
        self._show()
        self._follow_up()

    def set_methods(self, methods: Collection[str]) -> None:
        """Set the running methods of a comparison. Empty: only the scenario's method."""
        self._live.set_methods(methods)

    def set_busy(self, busy: bool) -> None:
        """Whether the session is building a scenario; changes made meanwhile are applied afterwards."""
        self._busy = busy
        self._follow_up()

    def show_error(self, key: str, message: str) -> None:
        """Show a message of the session at its field, or at the foot if `key` has none. The run continues; a live key
        returns to its running value."""
        if key in self.form.live_keys:
            self._live.refuse(key, message)
        else:
            self._timer.stop()
            self._sent.clear()
            self._busy = self._due = False
            self._errors.clear()
            self._refuse(key, message)
        self._show()
        self.form.reveal(key)
        if key != self._entered or self._closed:
            self._entered = ""
        else:
            self._after_enter.start()

    def _begin_again(self) -> None:
        """Return the focus to the field: Enter gave it to the picture, but the entry was rejected."""
        focus = QApplication.focusWidget()
        row = self.rows.get(self._entered)
        self._entered = ""
        if row is not None and not (focus is not None and self.isAncestorOf(focus)):
            row.editor.begin_again()

    def _refuse(self, key: str, message: str) -> None:
        """Show a message at a field or at the foot, unless there is one already. It does not cover other fields that it
        mentions, since changing them may help."""
        row = self.rows.get(key)
        if row is None:
            self._errors.setdefault("", in_words(message))
        elif key not in self._errors:
            self._errors[key] = row.in_words(message)
            row.message.spares = [self.rows[other] for other in keys_in(message) if other in self.rows and other != key]

    def _change_in(self, message: str) -> str:
        """The first change that a message about a live key names: the running value was good before it. "" for none."""
        return next((key for key in self._draft.changes if re.search(rf"\b{re.escape(key)}\b", message)), "")

    def value(self, key: str) -> Any:
        """The value shown for a key: a change, or else the running value."""
        return self._live.value(key) if key in self.form.live_keys else self._draft.value(key)

    def change(self, key: str, value: Any) -> None:
        """Change a key from elsewhere in the window, at once, with a restart if needed."""
        self._edited(key, value)
        if key not in self.form.live_keys and not self._at_once:
            self.apply()

    def apply(self) -> None:
        """Restart with the changes, if there are any and they are valid."""
        self._timer.stop()
        self._due = False
        if not self._draft.changes:
            return
        try:
            scenario = self._scenario()
        except InputError as error:
            self.show_error(error.key, str(error))
            return
        self._sent = [*self._sent[-7:], scenario]  # the session may skip some, but never returns to old ones
        self._busy = True
        self.applied.emit(scenario)
        try:
            self._session.load(scenario)
        except InputError as error:
            self.show_error(error.key, str(error))

    def _enter(self, key: str) -> None:
        self._entered = key
        self.apply()

    def revert(self) -> None:
        """Drop the changes."""
        self._timer.stop()
        self._due = False
        self._errors.clear()
        self.tried.emit()
        self._draft.changes.clear()
        self._show()

    def reset(self, key: str) -> None:
        """Give a key its default value."""
        self._edited(key, scenario_keys()[key].default)

    def new_seed(self) -> None:
        """Choose a new seed."""
        editor = self.rows["seed"].editor
        assert isinstance(editor, SeedEditor)
        editor.throw()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Apply no more changes: the window is closing."""
        self._closed = True
        self._timer.stop()
        self._after_enter.stop()
        self._live.end()
        super().closeEvent(event)

    # inside

    def _edited(self, key: str, value: Any) -> None:
        if key in self.form.live_keys:
            refused = not self._fits()
            if not self._live.edit(key, value):
                self.form.reveal(key)
            self.shown.emit()
            if not refused or not self._fits():
                return  # else nothing stands against the changes any longer
        else:
            self.tried.emit()
            self._draft.set(key, value)
        self._errors.clear()
        self._show()
        if not self._draft.changes or self._errors or not self._at_once:
            self._timer.stop()
            self._due = False
        elif not self._timer.isActive():
            self._apply_soon()

    def _apply_soon(self) -> None:
        if not self._closed:  # a field that loses the focus while the window closes commits its text
            self._timer.start()

    def _apply_when_free(self) -> None:
        self._due = True
        self._follow_up()

    def _follow_up(self) -> None:
        if self._due and not self._busy:
            self.apply()

    def _commit_and_apply(self) -> None:
        """Keep shortcuts from taking the focus from a field during typing."""
        self.form.commit()
        self.apply()

    def _at_once_changed(self, on: bool) -> None:
        self._show()
        if on and self._at_once and self._draft.changes and not self._errors:
            self._apply_soon()
        elif not on:
            self._timer.stop()

    @property
    def _large(self) -> bool:
        count = self._draft.value("discs.count")
        return isinstance(count, int) and count > _AT_ONCE_LIMIT

    @property
    def _at_once(self) -> bool:
        return self.bar.at_once.isChecked() and not self._large

    def _scenario(self) -> Scenario:
        """The scenario that a restart would run; InputError names the faulty key."""
        return self._draft.base.with_values({**self._live.requested, **self._draft.changes})

    def _fits(self) -> bool:
        """Whether a restart could run, as far as is known without it."""
        if not self._errors:
            return True  # quickly, while a live key is dragged
        try:
            self._scenario()
        except InputError:
            return False
        return True

    def _show(self) -> None:
        """Update everything from the draft and the running scenario."""
        with self.form.laid_out_once():
            self._show_all()
        self.shown.emit()

    def _show_all(self) -> None:
        values = {key: self._draft.value(key) for key in self.rows if key not in self.form.live_keys}
        useless = [key for key, has_effect in relevant(values, turns=turns(self._draft.base)).items() if not has_effect]
        if self._draft.base.dimensions > 2:
            useless += [key for layout in self._layouts.values() for key in layout.in_plane]
        self.form.show_system(self._draft.base.system, useless)  # first, because a message needs a visible row
        scenario: Scenario | None = None
        try:
            scenario = self._scenario()
        except InputError as error:
            self._refuse(error.key if error.key in values else self._change_in(str(error)), str(error))
        for key, value in values.items():
            self.rows[key].show_message(self._errors.get(key, ""))  # first: see `LiveRows`
            self.rows[key].show_value(value, key in self._draft.changes)
        self.form.show_derived(scenario)
        self._live.show()
        self.bar.show_state(
            len(self._draft.changes),
            scenario is not None and not self._errors,
            not self._at_once,
            self._large,
            self._errors.get("", ""),
        )
        waits = bool(self._draft.changes) and not self._at_once
        self.bar.setVisible(self._everything or waits or "" in self._errors)


class RestartBar(QFrame):
    """A switch for restarting at once, a sentence, and the buttons Apply and Revert where changes wait for them. The
    sentence always takes two lines, so that nothing moves."""

    at_once_changed = pyqtSignal(bool)
    apply_asked = pyqtSignal()
    revert_asked = pyqtSignal()

    def __init__(self, limit: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limit = limit
        self.at_once = QCheckBox("Restart at once")
        self.at_once.setChecked(True)
        self.at_once.setToolTip(
            f"<p>Each change restarts the run at once, up to N = {limit}. Above that, or if this is off, changes "
            "wait for Apply.</p>"
        )
        self.at_once.toggled.connect(self.at_once_changed)
        self.state = QLabel()
        self.state.setWordWrap(True)
        self.state.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.apply_button = QPushButton("Apply")
        self.apply_button.setToolTip("Restart with the changes (Ctrl+Enter)")
        self.apply_button.clicked.connect(self.apply_asked)
        self.revert_button = QPushButton("Revert")
        self.revert_button.setToolTip("Discard the changes")
        self.revert_button.clicked.connect(self.revert_asked)
        self._buttons = QWidget()
        row = QHBoxLayout(self._buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.revert_button)
        row.addWidget(self.apply_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.setSpacing(4)
        layout.addWidget(self.at_once)
        layout.addWidget(self.state)
        layout.addWidget(self._buttons)
        self._measure()

    def changeEvent(self, event: QEvent | None) -> None:
        """Follow the size of the type."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange:
            self._measure()

    def _measure(self) -> None:
        letters = self.fontMetrics()
        # room for two lines, so that a longer sentence moves nothing; a tool tip has what is longer still
        self.state.setFixedHeight(2 * letters.lineSpacing() + 2)
        for button in (self.revert_button, self.apply_button):
            # the style's usual width would push the row beyond a narrow dock
            button.setFixedWidth(letters.horizontalAdvance(button.text()) + 24)

    def show_state(self, changes: int, valid: bool, waits_for_apply: bool, large: bool, error: str) -> None:
        """Show the state of the draft: number of changes, whether they are valid, and whether Apply is needed."""
        if error:
            text = error
        elif not changes:
            large_text = f"Above N = {self._limit}, changes wait for Apply."
            text = large_text if large and self.at_once.isChecked() else "A change restarts the run."
        elif not valid:
            text = "Your run continues unchanged."
        elif waits_for_apply:
            text = f"{changes} change{'s' if changes > 1 else ''} need{'' if changes > 1 else 's'} a restart."
        else:
            text = "Restarting …"
        self.state.setText(text)
        self.state.setToolTip(text)
        set_styled(self.state, "problem", bool(error))
        self._buttons.setVisible(waits_for_apply)
        self.apply_button.setEnabled(changes > 0 and valid)
        self.revert_button.setEnabled(changes > 0)
