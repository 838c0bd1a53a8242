"""The parameters panel: an inspector of the scenario."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QFormLayout, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from aggviewer.panels.derived import derive
from aggviewer.panels.draft import Draft, in_words, relevant
from aggviewer.panels.editors import Control, SeedEditor, SizeEditor
from aggviewer.panels.field_row import MARK_WIDTH, FieldRow
from aggviewer.panels.restart_bar import RestartBar
from aggviewer.panels.section import Section
from aggviewer.panels.style import tabular, theme
from engine.errors import InputError
from engine.scenario import Scenario, fields

# The keys that matter to discs that aggregate event by event, in the order of a person's questions.
_SECTIONS = {
    "Discs": (
        "discs.count",
        "discs.volume_fraction",
        "discs.arrangement",
        "discs.file",
        "discs.radii",
        "discs.spread",
    ),
    "Box": ("box.boundary", "box.size"),
    "Motion": ("velocities.distribution", "velocities.speed"),
    "Random numbers": ("seed",),
}
_CONTROLS = {
    "discs.count": Control(step=1, slider=(1, 1e6)),
    "discs.volume_fraction": Control(step=0.01, slider=(0.01, 0.78)),
    "discs.spread": Control(step=0.1),
    "velocities.speed": Control(step=0.1),
}
_READ_OUTS = {
    "radius": ("Mean radius <i>R</i>", "From N π ⟨R²⟩ = V_f L_x L_y."),
    "box": ("Box <i>L</i>", "Sides of the box."),
    "density": ("Number density <i>n</i>", "Discs per area, n = N / (L_x L_y)."),
    "mean_free_path": (
        "Mean free path <i>λ</i>",
        "Estimate for a gas of discs of diameter d: λ = 1 / (2 √2 n d χ), χ = (1 - 7 V_f/16) / (1 - V_f)².",
    ),
}
_AT_ONCE_LIMIT = 20_000  # discs that are set up quickly enough to follow a slider
_AT_ONCE_MS = 80  # a drag restarts the run no more often than this, nor before the last restart is through


class ParametersPanel(QWidget):
    """The scenario, to be changed. See `aggviewer.panels`."""

    applied = pyqtSignal(object)

    def __init__(self, session: Any, parent: QWidget | None = None) -> None:
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
        self._due = False  # and another is to follow

        self.rows: dict[str, FieldRow] = {}
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(4, 8, 8, 8)
        layout.setSpacing(16)
        self.sections: dict[str, Section] = {}
        for title, keys in _SECTIONS.items():
            section = self.sections[title] = Section(title)
            for key in keys:
                row = self.rows[key] = FieldRow(fields()[key], _CONTROLS.get(key, Control()))
                row.edited.connect(self._edited)
                row.reset_asked.connect(self.reset)
                row.entered.connect(self.apply)
                section.add(row)
            layout.addWidget(section)
        layout.addWidget(self._read_outs())
        layout.addStretch(1)
        width = max(row.least_label_width() for row in self.rows.values())
        for row in self.rows.values():
            row.set_label_width(width)

        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(content)
        self.bar = RestartBar(_AT_ONCE_LIMIT)
        self.bar.apply_asked.connect(self._commit_and_apply)
        self.bar.revert_asked.connect(self.revert)
        self.bar.at_once_changed.connect(self._at_once_changed)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(scroll, 1)
        outer.addWidget(self.bar)
        self._scroll = scroll
        for sequence in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(QKeySequence(sequence), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self._commit_and_apply)
        self.setMinimumWidth(280)
        self.set_theme(self.palette().window().color().lightnessF() < 0.5)

    def _read_outs(self) -> Section:
        section = Section("Follows from these")
        box = QWidget()
        form = QFormLayout(box)
        form.setContentsMargins(MARK_WIDTH, 0, 0, 0)
        form.setVerticalSpacing(4)
        form.setHorizontalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.read_outs: dict[str, QLabel] = {}
        for name, (label, tip) in _READ_OUTS.items():
            value = self.read_outs[name] = QLabel()
            value.setFont(tabular(value.font()))
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            caption = QLabel(label)
            for widget in (caption, value):
                widget.setToolTip(f"<p>{tip}</p>")
            form.addRow(caption, value)
        section.add(box)
        return section

    # for the window

    @property
    def draft(self) -> dict[str, Any]:
        """The values that differ from what runs."""
        return dict(self._draft.changes)

    def set_scenario(self, scenario: Scenario) -> None:
        """What runs now. Edits made since this panel sent it stay; a scenario from elsewhere replaces them, unless
        only the seed is another."""
        self._busy = False
        if scenario in self._sent:
            del self._sent[: self._sent.index(scenario) + 1]
            self._draft.rebase(scenario)
        elif scenario.with_values({"seed": self._draft.base.seed}) == self._draft.base:
            self._draft.changes.pop("seed", None)
            self._draft.rebase(scenario)
        else:
            self._sent.clear()
            self._timer.stop()
            self._errors.clear()
            self._draft = Draft(scenario)
            self._due = False
        self._show()
        self._follow_up()

    def set_busy(self, busy: bool) -> None:
        """Whether the session builds a scenario: what is changed meanwhile follows when it is through."""
        self._busy = busy
        self._follow_up()

    def show_error(self, key: str, message: str) -> None:
        """A message of the session at its field, or at the foot where `key` has none. The run goes on."""
        self._timer.stop()
        self._sent.clear()
        self._busy = self._due = False
        self._errors = {key if key in self.rows else "": in_words(message)}
        for section in self.sections.values():
            if key in self.rows and section.isAncestorOf(self.rows[key]):
                section.open()
        self._show()
        QTimer.singleShot(0, self._reveal_error)  # the message has its place after the next layout

    def clear_errors(self) -> None:
        """Take all messages away."""
        self._errors.clear()
        self._show()

    def apply(self) -> None:
        """Restart with the changes, if there are any and they are valid."""
        self._timer.stop()
        self._due = False
        if not self._draft.changes:
            return
        try:
            scenario = self._draft.scenario()
        except InputError as error:
            self.show_error(error.key, str(error))
            return
        self._sent = [*self._sent[-7:], scenario]  # the session may skip some, but not come back to old ones
        self._busy = True
        self.applied.emit(scenario)
        try:
            self._session.load(scenario)
        except InputError as error:
            self.show_error(error.key, str(error))

    def revert(self) -> None:
        """Drop the changes."""
        self._timer.stop()
        self._due = False
        self._errors.clear()
        self._draft.changes.clear()
        self._show()

    def reset(self, key: str) -> None:
        """The default of a key."""
        self._edited(key, fields()[key].default)

    def new_seed(self) -> None:
        """Another seed."""
        editor = self.rows["seed"].editor
        assert isinstance(editor, SeedEditor)
        editor.throw()

    def set_theme(self, dark: bool) -> None:
        """Colours for a dark or a light ground."""
        colours = theme(dark)
        for row in self.rows.values():
            row.set_theme(colours)
        self.bar.set_theme(colours)
        self._show()

    # inside

    def _edited(self, key: str, value: Any) -> None:
        self._errors.clear()
        self._draft.set(key, value)
        self._show()
        if not self._draft.changes or self._errors or not self._at_once:
            self._timer.stop()
            self._due = False
        elif not self._timer.isActive():
            self._timer.start()

    def _apply_when_free(self) -> None:
        self._due = True
        self._follow_up()

    def _follow_up(self) -> None:
        if self._due and not self._busy:
            self.apply()

    def _commit_and_apply(self) -> None:
        """A shortcut does not take the focus from the field that is being typed in."""
        for row in self.rows.values():
            row.editor.commit()
        self.apply()

    def _reveal_error(self) -> None:
        for key in self._errors:
            if key in self.rows:
                self._scroll.ensureWidgetVisible(self.rows[key])

    def _at_once_changed(self, on: bool) -> None:
        self._show()
        if on and self._at_once and self._draft.changes and not self._errors:
            self._timer.start()
        elif not on:
            self._timer.stop()

    @property
    def _large(self) -> bool:
        count = self._draft.value("discs.count")
        return isinstance(count, int) and count > _AT_ONCE_LIMIT

    @property
    def _at_once(self) -> bool:
        return self.bar.at_once.isChecked() and not self._large

    def _show(self) -> None:
        """Bring everything in line with the draft."""
        values = {key: self._draft.value(key) for key in self.rows}
        shown = relevant(values)
        for key, row in self.rows.items():
            row.show_value(values[key], key in self._draft.changes)
            row.setVisible(shown.get(key, True))
        scenario: Scenario | None = None
        try:
            scenario = self._draft.scenario()
        except InputError as error:
            key = error.key if error.key in self.rows else ""
            self._errors.setdefault(key, in_words(str(error)))
        for key, row in self.rows.items():
            row.show_message(self._errors.get(key, ""))
        self._show_derived(scenario)
        self.bar.show_state(
            len(self._draft.changes),
            scenario is not None and not self._errors,
            not self._at_once,
            self._large,
            self._errors.get("", ""),
        )

    def _show_derived(self, scenario: Scenario | None) -> None:
        derived = derive(scenario) if scenario is not None else None
        texts = dict.fromkeys(self.read_outs, "–")
        automatic = "automatic"
        if derived is not None:
            sides = " × ".join(f"{side:.5g}" for side in dict.fromkeys(derived.box))  # a square names its side once
            texts = {
                "radius": f"{derived.radius:.4g}",
                "box": sides,
                "density": f"{derived.density:.4g}",
                "mean_free_path": f"≈ {derived.mean_free_path:.3g}",
            }
            automatic = f"automatic: {sides}"
        for name, text in texts.items():
            self.read_outs[name].setText(text)
        size = self.rows["box.size"].editor
        assert isinstance(size, SizeEditor)
        size.set_automatic(automatic)
