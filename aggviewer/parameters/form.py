"""The form of the parameters panel: its rows in sections, what follows from them, and the way to a row."""

from __future__ import annotations

from collections.abc import Collection

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from aggviewer.parameters.aside_line import AsideLine
from aggviewer.parameters.derived import derive, first_step
from aggviewer.parameters.editors import Control, SizeEditor
from aggviewer.parameters.field_row import FieldRow
from aggviewer.parameters.inert import Aside
from aggviewer.parameters.layout import CONTROLS, LIVE, SECTIONS, STEP
from aggviewer.parameters.read_outs import ReadOuts
from aggviewer.parameters.section import Section
from aggviewer.parameters.switch_editors import StepEditor
from aggviewer.style.panel_theme import Theme
from engine.scenario import Scenario, fields


class ParameterForm(QScrollArea):
    """rows : by dotted key; sections : by title; read_outs : numbers that cannot be edited."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: dict[str, FieldRow] = {}
        self.sections: dict[str, Section] = {}
        self.read_outs = ReadOuts()
        self.aside = AsideLine()
        self.aside.toggled.connect(self._arrange)
        self._shown: frozenset[str] = frozenset(SECTIONS)  # titles of the sections of the present system
        self._told_at = ""
        content = QWidget()
        layout = self._column = QVBoxLayout(content)
        layout.setContentsMargins(4, 8, 8, 8)
        layout.setSpacing(16)
        for title, keys in SECTIONS.items():
            section = self.sections[title] = Section(title)
            for key in keys:
                row = self.rows[key] = FieldRow(fields()[key], CONTROLS.get(key, Control()), key in LIVE)
                row.message.lie_over(content)
                section.add(row)
            layout.addWidget(section)
        layout.addWidget(self.read_outs)
        layout.addStretch(1)
        width = max(row.least_label_width() for row in self.rows.values())
        for row in self.rows.values():
            row.set_label_width(width)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)

    def commit(self) -> None:
        """Take over what is being typed."""
        for row in self.rows.values():
            row.editor.commit()

    def set_theme(self, colours: Theme) -> None:
        """Colours of rows and sections."""
        for row in self.rows.values():
            row.set_theme(colours)
        for section in self.sections.values():
            section.set_theme(colours)
        self.aside.set_theme(colours)

    def show_sections(self, titles: Collection[str]) -> None:
        """These sections alone."""
        self._shown = frozenset(titles)
        self._arrange()

    def set_aside(self, aside: Aside) -> None:
        """One line in the place of keys that nothing uses now; none where there are no such keys."""
        if aside != self.aside.content:
            self.aside.show_content(aside)
            whole = [title for title, keys in SECTIONS.items() if aside.keys and set(keys) <= set(aside.keys)]
            if whole:
                self._column.removeWidget(self.aside)
                self._column.insertWidget(self._column.indexOf(self.sections[whole[0]]), self.aside)
            self._arrange()

    def _arrange(self) -> None:
        """Show what belongs to the system and is not folded away."""
        folded = frozenset() if self.aside.opened else frozenset(self.aside.content.keys)
        for key in self.aside.hidden | folded:
            self.rows[key].setVisible(key not in folded)
        self.aside.hidden = folded
        for title, section in self.sections.items():
            section.setVisible(title in self._shown and not set(SECTIONS[title]) <= folded)

    def show_derived(self, scenario: Scenario | None) -> None:
        """What follows from a scenario; None for one that cannot be."""
        sides = self.read_outs.show_derived(derive(scenario) if scenario is not None else None)
        size, step = self.rows["box.size"].editor, self.rows[STEP].editor
        assert isinstance(size, SizeEditor)
        assert isinstance(step, StepEditor)
        size.set_automatic(f"automatic: {sides}" if sides else "automatic")
        suggested = first_step(scenario) if scenario is not None else None
        if suggested is not None:
            step.set_suggestion(suggested)

    def reveal(self, key: str) -> None:
        """Open the section of a key and bring its row into view: soon, as a message has its place after the next
        layout. Nothing for a key without a row."""
        if key in self.aside.hidden:
            self.aside.open()
        for section in self.sections.values():
            if key in self.rows and section.isAncestorOf(self.rows[key]):
                section.open()
                self.rows[key].message.place()
        self._told_at = key
        QTimer.singleShot(0, self._scroll_there)

    def _scroll_there(self) -> None:
        if self._told_at in self.rows:
            self.ensureWidgetVisible(self.rows[self._told_at])
