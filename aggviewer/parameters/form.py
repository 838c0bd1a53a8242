"""The form of the parameters panel: rows in sections, derived values, rows that act on the run at once, and
scrolling to a row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from PyQt6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QFontInfo, QResizeEvent
from PyQt6.QtWidgets import QApplication, QFormLayout, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from aggviewer.parameters.editors import Control, SizeEditor
from aggviewer.parameters.field_row import MARK_WIDTH, FieldRow
from aggviewer.parameters.layout import (
    COMMON_CONTROLS,
    COMMON_READ_OUTS,
    FIRST_SECTIONS,
    LAST_SECTIONS,
    SHEAR,
    Aside,
    AsideLine,
    FoldingSection,
    Layout,
    ReadOut,
    box_sides,
    live_keys,
)
from aggviewer.style.theme import tabular, usual_pixels
from aggviewer.widgets.labels import set_tip
from engine.errors import InputError
from engine.scenario import Scenario, scenario_keys
from engine.system import find
from engine.words import body_names

_FAR_DOWN = 1_000_000  # pixels, more than any form is high
_LABELS = 0.4  # of the width of the form, at most, for names in one line
_LEAST = 232  # pixels of the form in the usual type
_BESIDE = 195  # pixels that are left beside them, for fields whose choices can be read in full


@dataclass(frozen=True)
class _Part:
    """A section with its keys. system : the system it belongs to, "" if shared by all."""

    title: str
    keys: tuple[str, ...]
    system: str
    section: FoldingSection


class ParameterForm(QScrollArea):
    """rows : by dotted key; controls : how each is presented; live : keys that act on the run at once; read_outs :
    derived numbers that cannot be edited."""

    menu_asked = pyqtSignal(str, QPoint)
    """A key, and the screen position for its menu."""

    def __init__(self, layouts: Mapping[str, Layout], dimensions: int = 2, parent: QWidget | None = None) -> None:
        """layouts : the layout of each system, by its name; dimensions : of the box, which decide the words."""
        super().__init__(parent)
        self.rows: dict[str, FieldRow] = {}
        self.controls: dict[str, Control] = {}
        self.dimensions = dimensions
        self.read_outs = ReadOuts(dimensions)
        self.aside = AsideLine()
        self.aside.toggled.connect(self._arrange)
        self._layouts = layouts
        self._system = Scenario().system
        self._parts: list[_Part] = []
        known = scenario_keys(dimensions)
        self.live_keys = live_keys()
        self._told_at = ""
        self._everything = True
        self._useless: frozenset[str] = frozenset()  # keys that mean nothing beside the present choices
        self._asked_for: set[str] = set()  # keys that are shown although they are not among the simple ones
        content = QWidget()
        layout = self._column = QVBoxLayout(content)
        layout.setContentsMargins(4, 8, 8, 8)
        layout.setSpacing(16)
        first, last = Layout(FIRST_SECTIONS, COMMON_CONTROLS), Layout(LAST_SECTIONS)
        for system, one in [("", first), *layouts.items(), ("", last)]:
            for declared, keys in one.sections.items():
                title = body_names(dimensions).fill(declared)
                section = FoldingSection(title)
                for key in keys:
                    control = self.controls[key] = one.controls.get(key, Control())
                    row = self.rows[key] = FieldRow(known[key], control, key in self.live_keys)
                    row.message.lie_over(content)
                    row.menu_asked.connect(self.menu_asked)
                    section.add(row)
                self._parts.append(_Part(title, tuple(keys), system, section))
                layout.addWidget(section)
        layout.addWidget(self.read_outs)
        layout.addStretch(1)
        self._foot: QWidget | None = None
        self._widths = 0, 0  # of names and of rows
        self._scroll_to = 0
        self._type = self._usual_type = usual_pixels(self.font())
        self._measure()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Qt's hook: do not scroll to the next field where the one with the focus has been hidden."""
        focus, panel = QApplication.focusWidget(), self.parentWidget()
        if focus is not None and not focus.isVisible() and panel is not None:
            return panel.focusNextPrevChild(forward)
        return super().focusNextPrevChild(forward)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """A wide form can show longer names on one line."""
        super().resizeEvent(event)
        self._share_width()

    def changeEvent(self, event: QEvent | None) -> None:
        """Adapt the width of the form to larger type."""
        super().changeEvent(event)
        if event is not None and event.type() == QEvent.Type.FontChange and self.rows:
            self._measure()

    def _measure(self) -> None:
        """Measure the names, and take as much width as the type needs."""
        self._type = QFontInfo(self.font()).pixelSize()
        self.setMinimumWidth(round(_LEAST * self._type / self._usual_type))
        self._widths = 0, 0
        self._names = {key: (row.least_label_width(), row.whole_label_width()) for key, row in self.rows.items()}
        self._share_width()

    def _share_width(self) -> None:
        """Divide the width: as much as needed for the names that are shown, but the larger part for fields."""
        names = [self._names[key] for key, row in self.rows.items() if not row.isHidden()]
        least = max((wrapped for wrapped, _ in names), default=0)
        room = min(_LABELS * self.width(), self.width() - _BESIDE * self._type / self._usual_type)
        width = max((whole for _, whole in names if least < whole <= room), default=least)
        margins, view = self._column.contentsMargins(), self.viewport()
        whole = (self.width() if view is None else view.width()) - margins.left() - margins.right()
        if (width, whole) != self._widths:
            self._widths = width, whole
            with self.laid_out_once():
                for row in self.rows.values():
                    row.set_widths(width, whole)
            # at once: Qt would go up one layout in each turn of the event loop
            inner = [layout for part in self._parts for layout in reversed(part.section.layouts)]
            for layout in [*(row.layout() for row in self.rows.values()), *inner, self._column]:
                if layout is not None:
                    layout.activate()
            content = self.widget()
            if content is not None:  # the scroll area adapts to it
                QApplication.sendEvent(content, QEvent(QEvent.Type.LayoutRequest))

    def set_foot(self, foot: QWidget | None) -> None:
        """Put a widget at the foot of the form, below all parameters, instead of the one there; None for none."""
        if self._foot is not None:
            self._foot.hide()
            self._foot.deleteLater()
        self._foot = foot
        if foot is not None:
            self._column.addWidget(foot)
            foot.show()

    def reveal_foot(self) -> None:
        """Scroll to the foot."""
        self._scroll_to = _FAR_DOWN
        QTimer.singleShot(0, self._scroll)  # after the layout

    def fold_as(self, other: ParameterForm) -> None:
        """Copy the folded sections and scroll position of another form, and take over its foot."""
        foot, other._foot = other._foot, None
        self.set_foot(foot)
        for part, before in zip(self._parts, other._parts, strict=True):  # titles may differ: Discs, Spheres
            part.section.head.setChecked(before.section.head.isChecked())
        self.aside.head.setChecked(other.aside.opened)
        self.show_everything(other._everything)
        there = other.verticalScrollBar()
        if there is not None:
            self._scroll_to = there.value()
            QTimer.singleShot(0, self._scroll)  # after the layout; Qt drops the call if the form is gone by then

    def _scroll(self) -> None:
        bar = self.verticalScrollBar()
        if bar is not None:
            bar.setValue(self._scroll_to)

    @property
    def layout_shown(self) -> Layout:
        """The layout of the system shown."""
        return self._layouts.get(self._system, Layout({}))

    @property
    def sections(self) -> dict[str, FoldingSection]:
        """The sections of the system shown, by title."""
        return {part.title: part.section for part in self._parts if self._has_place(part)}

    def _has_place(self, part: _Part) -> bool:
        if part.system:
            return part.system == self._system
        known = find(self._system)
        flows = part.title != SHEAR or (known is not None and known.shears)
        return flows and part.title not in self.layout_shown.without

    @contextmanager
    def laid_out_once(self) -> Iterator[None]:
        """Context in which rows and sections can be shown and hidden with a single layout at the end; Qt would
        otherwise lay out the form for each. Nested blocks have no effect."""
        if not self._column.isEnabled():
            yield
            return
        layouts = [self._column, *(layout for part in self._parts for layout in part.section.layouts)]
        for layout in layouts:
            layout.setEnabled(False)
        try:
            yield
        finally:
            for layout in layouts:
                layout.setEnabled(True)
            self._column.activate()

    def commit(self) -> None:
        """Accept what is being typed."""
        for row in self.rows.values():
            row.editor.commit()

    def offers(self, key: str) -> bool:
        """Whether the form has a row for a key: the present system uses it."""
        return any(key in part.keys and self._has_place(part) for part in self._parts)

    def show_system(self, system: str, useless: Collection[str] = ()) -> None:
        """Show only the sections of this system. useless : keys that have no meaning with the present choices."""
        if system != self._system:
            self._asked_for.clear()
        self._system = system
        self._useless = frozenset(useless)
        self.read_outs.set_own(self.layout_shown.read_outs)
        self._arrange()

    def show_everything(self, everything: bool) -> None:
        """Show all parameters, or the few for beginners (`Layout.simple`)."""
        self._everything = everything
        self._asked_for.clear()
        self._arrange()

    def set_aside(self, aside: Aside) -> None:
        """Replace unused keys by a single line, if there are any."""
        if aside != self.aside.content:
            self.aside.show_content(aside)
            whole = [part.section for part in self._parts if aside.keys and set(part.keys) <= set(aside.keys)]
            if whole:
                self._column.removeWidget(self.aside)
                self._column.insertWidget(self._column.indexOf(whole[0]), self.aside)
            self._arrange()

    def _arrange(self) -> None:
        """Show everything that belongs to the system and is not folded."""
        with self.laid_out_once():
            self._show_what_belongs()

    def _show_what_belongs(self) -> None:
        shown = self.rows.keys() - self._useless
        if not self._everything:
            shown &= {*self.layout_shown.simple, *self._asked_for}
        elif not self.aside.opened:
            shown -= set(self.aside.content.keys)
        for key, row in self.rows.items():
            if row.isHidden() == (key in shown):
                row.setVisible(key in shown)
        for part in self._parts:
            part.section.set_bare(not self._everything)
            part.section.setVisible(self._has_place(part) and not shown.isdisjoint(part.keys))
        self.aside.setVisible(self._everything and not self._useless.issuperset(self.aside.content.keys))
        self.read_outs.setVisible(self._everything)
        self._share_width()

    def show_derived(self, scenario: Scenario | None) -> None:
        """Show derived values of a scenario; None for an invalid one."""
        self.read_outs.show_scenario(scenario)
        sides = "" if scenario is None else box_sides(scenario)
        size = self.rows["box.size"].editor
        assert isinstance(size, SizeEditor)
        size.set_automatic(f"automatic: {sides}" if sides else "automatic")
        for key, value in (self.layout_shown.suggestions(scenario) if scenario is not None else {}).items():
            self.rows[key].editor.set_suggestion(value)

    def reveal(self, key: str) -> None:
        """Open the section of a key and scroll its row into view, after the next layout, so that a new message has its
        place. Does nothing for a key without a row."""
        if key in self.aside.content.keys:
            self.aside.open()
        if not self._everything and key in self.rows:
            self._asked_for.add(key)
            self._arrange()
        for part in self._parts:
            if key in part.keys:
                part.section.open()
                self.rows[key].message.place()
        self._told_at = key
        QTimer.singleShot(0, self._scroll_there)

    def _scroll_there(self) -> None:
        if self._told_at in self.rows:
            self.ensureWidgetVisible(self.rows[self._told_at])


_UNKNOWN = "–"


class ReadOuts(FoldingSection):
    """Numbers that cannot be edited: those common to all systems, and those of the system shown.

    dimensions : of the box.

    values : the label of each number shown, by the name of its `ReadOut`.
    """

    def __init__(self, dimensions: int = 2, parent: QWidget | None = None) -> None:
        super().__init__("Derived values", parent)
        self._dimensions = dimensions
        box = QWidget()
        self._form = form = QFormLayout(box)
        form.setContentsMargins(MARK_WIDTH, 0, 0, 0)
        form.setVerticalSpacing(4)
        form.setHorizontalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.values: dict[str, QLabel] = {}
        self._own: tuple[ReadOut, ...] = ()
        for one in COMMON_READ_OUTS:
            self._add_row(one)
        self.add(box)

    def _add_row(self, one: ReadOut) -> None:
        value = self.values[one.name] = QLabel(_UNKNOWN)
        value.setFont(tabular())
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        caption = QLabel(one.label)
        for widget in (caption, value):
            set_tip(widget, f"<p>{(self._dimensions > 2 and one.tip_in_space) or one.tip}</p>")
        self._form.addRow(caption, value)

    def set_own(self, read_outs: tuple[ReadOut, ...]) -> None:
        """Show a system's own values below the common ones, replacing those of another system."""
        if read_outs == self._own:
            return
        for one in self._own:
            row = self._form.takeRow(self.values.pop(one.name))
            for item in (row.labelItem, row.fieldItem):
                if item is not None and (widget := item.widget()) is not None:
                    widget.hide()
                    widget.deleteLater()  # the mouse may be pressed on it just now
        self._own = read_outs
        for one in read_outs:
            self._add_row(one)

    def show_scenario(self, scenario: Scenario | None) -> None:
        """Show the numbers of a scenario; dashes for None and for numbers it does not determine."""
        for one in (*COMMON_READ_OUTS, *self._own):
            self.values[one.name].setText((scenario is not None and one.text(scenario)) or _UNKNOWN)


_INTERVAL_MS = 33  # a drag sends no more often than this


class LiveRows(QObject):
    """Sends edits of the live keys. Shows their running values, keys without effect with the reason, and rejected
    values.

    During a drag, the first value is sent at once, further values 30 times a second, and the last value always.

    Parameters
    ----------
    form : the parameters panel.
    session : its ``set_parameter(key, value)`` is called.
    base : the running scenario.

    Attributes
    ----------
    requested : dotted key to a value that was set but not yet confirmed by the session; shown instead of the running
        value.
    errors : dotted key to the message at its field.
    """

    def __init__(self, form: ParameterForm, session: Any, base: Scenario, parent: QObject) -> None:
        super().__init__(parent)
        self._form = form
        self._rows = {key: row for key, row in form.rows.items() if key in form.live_keys}
        self._session = session
        self._base = base
        self._methods: frozenset[str] = frozenset()
        self.requested: dict[str, Any] = {}
        self.errors: dict[str, str] = {}
        self._waiting: dict[str, Any] = {}  # not sent yet
        self._sent: dict[str, list[Any]] = {}  # sent, in order
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._flush)

    def set_scenario(self, scenario: Scenario, replaced: bool) -> None:
        """Set the running scenario. replaced : it is a different scenario, so pending edits are dropped."""
        if replaced:
            for values in (self.requested, self._waiting, self._sent, self.errors):
                values.clear()
        else:
            self._confirm(scenario)
        self._base = scenario

    def _confirm(self, scenario: Scenario) -> None:
        """Drop pending edits that the session has confirmed or that were changed elsewhere meanwhile."""
        for key in list(self.requested):
            value, sent = scenario.value(key), self._sent.get(key, [])
            if value in sent:
                del sent[: sent.index(value) + 1]
                if not sent and key not in self._waiting:
                    self._drop(key)
            elif value != self._base.value(key):
                self._drop(key)

    def set_methods(self, methods: Collection[str]) -> None:
        """The running methods; empty: the scenario's method."""
        if self._methods != frozenset(methods):
            self._methods = frozenset(methods)
            self.show()

    @property
    def methods(self) -> frozenset[str]:
        """Set the running methods, if they differ from the scenario's."""
        return self._methods

    def end(self) -> None:
        """Send the values that wait to be sent, and stop."""
        self._flush()
        self._timer.stop()

    def edit(self, key: str, value: Any) -> bool:
        """Change the run. An invalid value is not sent but gets a message at its field; returns False then."""
        try:
            good = self._base.with_values({key: value}).value(key)
        except InputError as error:
            self.refuse(key, str(error))
            return False
        self.errors.clear()
        self.requested[key] = self._waiting[key] = good
        if not self._timer.isActive():
            self._flush()
        self.show()
        return True

    def refuse(self, key: str, message: str) -> None:
        """Return to the running value, with a message at the field."""
        self._drop(key)
        self.errors = {key: self._rows[key].in_words(message)}
        self.show()

    def show(self) -> None:
        """Show the present values in the rows."""
        with self._form.laid_out_once():
            self._show_all()

    def _show_all(self) -> None:
        without_effect = self._form.layout_shown.inert(self.value, self._methods)
        for key, row in self._rows.items():
            row.set_inert(without_effect.reasons.get(key, ""))
            row.show_message(self.errors.get(key, ""))  # first, because a rejected text stays during editing
            row.show_value(self.value(key), False)
        for title, section in self._form.sections.items():
            section.set_note(without_effect.notes.get(title, ""))
        self._form.set_aside(without_effect.aside)

    def value(self, key: str) -> Any:
        """The pending value of a key, else the running one."""
        return self.requested[key] if key in self.requested else self._base.value(key)

    def _drop(self, key: str) -> None:
        """Forget a value that was refused, so that the row shows the value of the run."""
        for values in (self.requested, self._waiting, self._sent):
            values.pop(key, None)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for key, value in waiting.items():
            self._sent.setdefault(key, []).append(value)
            self._session.set_parameter(key, value)
        if waiting:
            self._timer.start()
