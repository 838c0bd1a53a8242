"""The dialog *Export*: pages made from `ExportKind`, a preview, and the file to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from aggviewer.export.files import SaveSteps, finished
from aggviewer.export.kinds import (
    Drawn,
    ExportChoices,
    ExportContents,
    ExportKind,
    ExportPlot,
    FieldSpec,
    new_path,
    shown,
)
from aggviewer.extensions.export_dialogs.fields import FieldEditor, ItemList, Preview, field_editor
from aggviewer.widgets.buttons import FoldButton
from aggviewer.widgets.file_dialogs import FileField
from aggviewer.widgets.form_dialog import FittingDialog, Form
from aggviewer.widgets.gui_thread import GuiJob
from aggviewer.widgets.number_edit import entries_taken
from aggviewer.widgets.screen import copy_image
from engine.errors import InputError

_T = TypeVar("_T")

_AGAIN = 1000  # milliseconds until the preview follows a live run
_SOON = 60  # milliseconds: quick key presses share one preview
_LABEL = 104  # pixels of the labels of all pages: they stand in line


class ExportPage(QWidget):
    """The form of one kind.

    Parameters
    ----------
    kind : the kind of export.
    contents : the contents to export.
    last : the last choices.
    changed : called when a field changes.
    """

    def __init__(
        self, kind: ExportKind, contents: ExportContents, last: ExportChoices | None, changed: Callable[[], object]
    ) -> None:
        super().__init__()
        self.kind = kind
        choices = kind.choices(contents, last)
        self.suffix = choices.suffix
        self._specs = {spec.key: spec for spec in kind.fields(contents)}
        self.editors: dict[str, FieldEditor] = {}
        self._rows: dict[str, tuple[QFormLayout, QWidget, QLabel]] = {}
        self._folded = QWidget()
        form, more = Form(), Form(self._folded)
        for spec in self._specs.values():
            self._add(more if spec.more else form, spec, choices[spec.key])
            self.editors[spec.key].changed.connect(lambda *_: changed())
        self.fold = FoldButton("More options")
        self.fold.toggled.connect(self._folded.setVisible)
        self.fold.setChecked(False)
        self.fold.setVisible(any(spec.more for spec in self._specs.values()))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(form)
        column.addWidget(self.fold)
        column.addWidget(self._folded)
        column.addStretch(1)
        self.show_fields()

    @property
    def choices(self) -> ExportChoices:
        """The present choices."""
        return ExportChoices(self.suffix, {key: editor.value() for key, editor in self.editors.items()})

    def show_fields(self) -> None:
        """Show the fields that apply to the format."""
        for key, (form, row, _) in self._rows.items():
            form.setRowVisible(row, shown(self._specs[key], self.suffix))

    def show_problem(self, key: str, words: str) -> bool:
        """Show an error at the field with this key and clear all others; False if there is no such field."""
        for other, (_, _, label) in self._rows.items():
            label.setText(words if other == key else "")
            label.setVisible(bool(words) and other == key)
        if words and key in self._specs and self._specs[key].more:
            self.fold.setChecked(True)
        return key in self._rows

    def mark_empty(self, keys: Sequence[str]) -> None:
        """Mark these items in the lists as having no data yet."""
        for editor in self.editors.values():
            if isinstance(editor.widget, ItemList):
                editor.widget.mark_empty(keys)

    def _add(self, form: QFormLayout, spec: FieldSpec, value: object) -> None:
        editor = self.editors[spec.key] = field_editor(spec, value)
        if spec.tip:
            editor.widget.setToolTip(spec.tip)
        if not editor.widget.accessibleName() and spec.label:
            editor.widget.setAccessibleName(spec.label)
        problem = QLabel()
        problem.setObjectName("problem")
        problem.setWordWrap(True)
        problem.hide()
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(editor.widget)
        column.addWidget(problem)
        label = QLabel(spec.label)
        label.setBuddy(editor.widget)
        label.setMinimumWidth(_LABEL)
        form.addRow(label, row)
        self._rows[spec.key] = form, row, problem


def _has_data(plot: ExportPlot) -> bool:
    """Whether a plot still exists and has something to export."""
    try:
        return plot.has_data()
    except InputError:
        return False


class ExportDialog(FittingDialog):
    """A page for each kind, a preview, and the file. It closes when the files are written, when an image has been
    copied, or on Cancel. Errors are shown at their field, and the dialog stays open.

    Parameters
    ----------
    kinds : the pages, from left to right.
    contents : the contents to export.
    first : the kind shown first.
    last : the last choices, by the names of the kinds.
    folder : returns the proposed folder for a kind.
    job : draws previews and writes files on its thread.

    Attributes
    ----------
    written : the files that were written.
    copied : whether an image was copied.
    """

    def __init__(
        self,
        kinds: Sequence[ExportKind],
        contents: ExportContents,
        first: ExportKind,
        last: Mapping[str, ExportChoices],
        folder: Callable[[ExportKind], Path],
        job: GuiJob,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Export", parent)
        self.written: Sequence[Path] = ()
        self.copied = False
        self._contents, self._last, self._folder, self._job = contents, last, folder, job
        self._pages: dict[str, ExportPage] = {}
        self._files: dict[str, Path] = {}  # what was typed for the file on each page that was left
        self._unprepared = list(contents.plots.values())
        self._focus: QWidget | None = None  # where it was before files are written
        self._refused = False  # they could not be written; the message stays until something changes
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setAccessibleName("What is exported")
        self._stack = QStackedWidget()
        self.preview = Preview()
        self.size_label, self.file, self.problem = QLabel(), FileField("Export to", _LABEL), QLabel()
        self._soon, self._again, self._drawing = self._timers = QTimer(self), QTimer(self), QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON)
        self._again.setInterval(_AGAIN)
        self._drawing.setSingleShot(True)
        self._lay_out()
        for kind in kinds:
            missing = kind.missing(contents)
            index = self.tabs.addTab(kind.title)
            self.tabs.setTabData(index, kind)
            self.tabs.setTabEnabled(index, missing is None)
            self.tabs.setTabToolTip(index, kind.tip if missing is None else missing[0])
        self.tabs.setCurrentIndex(kinds.index(first))
        self._show_page()
        self.tabs.currentChanged.connect(self._show_page)
        self.file.changed.connect(self._on_file)
        self.preview.resized.connect(self._soon.start)
        self._soon.timeout.connect(self._draw)
        self._drawing.timeout.connect(self._draw)
        self._again.timeout.connect(self._follow)
        self._soon.start()  # when the dialog is there

    @property
    def kind(self) -> ExportKind:
        """The contents of the export."""
        found = self.tabs.tabData(self.tabs.currentIndex())
        assert isinstance(found, ExportKind)
        return found

    @property
    def page(self) -> ExportPage:
        """The visible page."""
        return self._pages[self.kind.name]

    @property
    def all_choices(self) -> dict[str, ExportChoices]:
        """The choices on each page, by the names of the kinds."""
        return {**self._last, **{name: page.choices for name, page in self._pages.items()}}

    # pages

    def _show_page(self) -> None:
        kind = self.kind
        if kind.name not in self._pages:
            page = self._pages[kind.name] = ExportPage(kind, self._contents, self._last.get(kind.name), self._on_change)
            self._stack.addWidget(page)
            self._files[kind.name] = new_path(self._folder(kind), kind.file_name, page.suffix, datetime.now())
        page = self.page
        for index in range(self._stack.count()):  # the height is that of the page that is shown
            other = self._stack.widget(index)
            assert other is not None
            policy = QSizePolicy.Policy.Preferred if other is page else QSizePolicy.Policy.Ignored
            other.setSizePolicy(policy, policy)
        self._stack.setCurrentWidget(page)
        self.file.begin(self._files[kind.name], kind.formats)
        self.preview.clear()
        self.size_label.clear()
        self._on_change()

    def _on_change(self) -> None:
        """Clear earlier errors, and redraw the preview soon."""
        self._refused = False
        self._soon.start()

    def _on_file(self) -> None:
        page, path = self.page, self.file.path
        if path is not None:
            self._files[self.kind.name] = path
        if page.suffix != self.file.suffix:
            page.suffix = self.file.suffix
            page.show_fields()
        self._on_change()
        self._tell_files()

    # preview

    def _follow(self) -> None:
        if not (self._drawing.isActive() or self._job.busy):
            self._draw()

    def _draw(self) -> None:
        """Start drawing a preview, replacing one in progress. Before the first preview, the contents of folded plots
        are created, one per turn of the event loop."""
        if self.busy:
            return
        if self._unprepared:
            with suppress(InputError):  # it was removed while the dialog is open
                self._unprepared.pop(0).prepare()
            self._drawing.start()
            return
        self._job.cancel()
        self._again.start()
        try:
            steps = self.kind.draw(self._contents, self.page.choices, self.preview.pixels)
        except InputError as error:
            self._show_no_preview(error)
        else:
            self._job.submit(partial(finished, steps, self._cancelled), self._show_drawn, self._show_no_preview)
        self.page.mark_empty([key for key, plot in self._contents.plots.items() if not _has_data(plot)])

    def _cancelled(self) -> bool:
        """Whether the thread's result is no longer wanted. Any thread."""
        return self._job.cancelled

    def _show_drawn(self, drawn: Drawn) -> None:
        image, words = drawn
        self.preview.show_image(image)
        self.size_label.setText(words)
        if not self._refused:
            self._show_problem("", "")

    def _show_no_preview(self, error: Exception) -> None:
        self.preview.clear()
        self.size_label.clear()
        self._show_error(error)

    def _show_error(self, error: Exception) -> None:
        """Show why an export failed; errors other than InputError are bugs."""
        if not isinstance(error, InputError):
            raise error
        self._show_problem(error.key, str(error))

    def _show_problem(self, key: str, words: str) -> None:
        """Show an error at its field, or else above the buttons."""
        words = words[:1].upper() + words[1:]
        at_field = self.page.show_problem(key, words)
        self.problem.setText("" if at_field else words)
        self.problem.setVisible(bool(words) and not at_field)
        self._tell_files(possible=not words)

    def _tell_files(self, *, possible: bool = True) -> None:
        """Show which files will be written, and which of them replace others."""
        path = self.file.path
        files = [] if path is None or not possible else list(self.kind.files(self._contents, self.page.choices, path))
        replaces = self.file.show_effect(files)
        self.export_button.setText("Replace" if replaces else "Export")
        self.export_button.setEnabled(possible and path is not None)
        self.copy_button.setEnabled(possible)

    # the end

    @property
    def busy(self) -> bool:
        """Whether files are being written, or an image for the clipboard is being drawn."""
        return self._focus is not None

    def accept(self) -> None:
        """Write the files and close; on failure the dialog stays open."""
        path = self.file.path
        if path is None:
            return
        choices = self.page.choices
        files = self.kind.files(self._contents, choices, path)

        def close(_none: None) -> None:
            self.written = files
            self.done(QDialog.DialogCode.Accepted)

        self._make(self.export_button, "Exporting…", lambda: self.kind.write(self._contents, choices, path), close)

    def copy(self) -> None:
        """Copy an image of the export to the clipboard, and close."""

        def close(drawn: Drawn) -> None:
            copy_image(drawn[0])
            self.copied = True
            self.done(QDialog.DialogCode.Accepted)

        self._make(self.copy_button, "Copying…", lambda: self.kind.draw(self._contents, self.page.choices, None), close)

    def _make(
        self, button: QPushButton, words: str, gather: Callable[[], SaveSteps[_T]], close: Callable[[_T], None]
    ) -> None:
        """Run the steps returned by `gather` on the thread, then call `close` with their result. Meanwhile only Cancel
        is enabled, and `button` shows `words`."""
        if self.busy or not entries_taken(self):
            return
        for timer in self._timers:
            timer.stop()
        self._job.cancel()
        try:
            steps = gather()
        except InputError as error:
            self._show_error(error)
            return
        focus = self._focus = self.focusWidget() or self
        self.setFocus()  # otherwise Cancel would get the focus, and Enter would press it
        self._enable(False)
        before = button.text()
        button.setText(words)

        def stay(error: Exception) -> None:
            self._enable(True)
            button.setText(before)
            self._focus, self._refused = None, True
            try:
                self._show_error(error)
            finally:
                self._tell_files()  # it may be tried again
                focus.setFocus()

        self._job.submit(partial(finished, steps, self._cancelled), close, stay)

    def _enable(self, on: bool) -> None:
        """Enable or disable everything except Cancel."""
        for widget in (self.tabs, self.content, self.file, self.export_button, self.copy_button):
            widget.setEnabled(on)

    def done(self, result: int) -> None:
        """Close and cancel work in progress; no file appears afterwards."""
        for timer in self._timers:
            timer.stop()
        self._job.cancel()
        self._focus = None
        super().done(result)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(16, 16, 16, 0)
        top.addWidget(self.tabs)
        top.addStretch(1)
        self.add_head(top)
        self.column.addWidget(self._stack)
        self.column.addStretch(1)
        right = QVBoxLayout()
        right.setContentsMargins(0, 16, 16, 16)
        right.addWidget(self.preview, 1)
        self.size_label.setProperty("quiet", True)
        self.size_label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.size_label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        right.addWidget(self.size_label)
        self.top.addLayout(right, 1)
        self.problem.setWordWrap(True)
        self.problem.setObjectName("problem")
        self.problem.hide()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        save = buttons.button(QDialogButtonBox.StandardButton.Save)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        assert save is not None
        assert copy is not None
        self.export_button, self.copy_button = save, copy
        save.setText("Export")
        copy.setToolTip("Copy an image to the clipboard")
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: self.copy())
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.add_foot(self.file, self.problem, buttons)
