"""The dialog *Export*: what, how, a preview of it, and where it goes. Its pages are made from `ExportKind`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from aggviewer.export.kinds import ExportChoices, ExportContents, ExportKind, ExportPlot, FieldSpec, new_path, shown
from aggviewer.export.steps import finished
from aggviewer.widgets.clipboard import copy_image
from aggviewer.widgets.fold_button import FoldButton
from aggviewer.widgets.form_dialog import FittingDialog
from aggviewer.widgets.number_edit import entries_taken
from aggviewer.window.dialogs.export_fields import FieldEditor, field_editor
from aggviewer.window.dialogs.item_list import ItemList
from aggviewer.window.dialogs.preview import Preview
from aggviewer.window.files.file_field import FileField
from engine.errors import InputError

_AGAIN = 1000  # milliseconds until the preview follows a run that goes on
_SOON = 60  # milliseconds: keys that follow each other make one preview
_LABEL = 104  # pixels of the labels of all pages: they stand in line


class ExportPage(QWidget):
    """The form of one kind.

    Parameters
    ----------
    kind : what is exported.
    contents : what there is to be exported.
    last : what was chosen last.
    changed : called when a field has changed.
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
        form, more = _form(), _form(self._folded)
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
        """What is set now."""
        return ExportChoices(self.suffix, {key: editor.value() for key, editor in self.editors.items()})

    def show_fields(self) -> None:
        """Show the fields that matter for the format."""
        for key, (form, row, _) in self._rows.items():
            form.setRowVisible(row, shown(self._specs[key], self.suffix))

    def show_problem(self, key: str, words: str) -> bool:
        """Show what is wrong at the field with this key, and nothing at the others; False where there is no such
        field."""
        for other, (_, _, label) in self._rows.items():
            label.setText(words if other == key else "")
            label.setVisible(bool(words) and other == key)
        if words and key in self._specs and self._specs[key].more:
            self.fold.setChecked(True)
        return key in self._rows

    def mark_empty(self, keys: Sequence[str]) -> None:
        """Show that these items have no data yet."""
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


def _form(parent: QWidget | None = None) -> QFormLayout:
    form = QFormLayout(parent) if parent is not None else QFormLayout()
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(16)
    form.setVerticalSpacing(8)
    return form


def _has_data(plot: ExportPlot) -> bool:
    """Whether there is something to export of a plot, which may have been taken away meanwhile."""
    try:
        return plot.has_data()
    except InputError:
        return False


class ExportDialog(FittingDialog):
    """A page for each kind, a preview, and the file. It closes when the files are written, when an image of them has
    been copied, or with Cancel; what cannot be written is said at the field, and the dialog stays open.

    Parameters
    ----------
    kinds : the pages, from left to right.
    contents : what there is to be exported.
    first : the kind whose page is shown at first.
    last : what was chosen last, by the names of the kinds.
    folder : the folder that is proposed for a kind.

    Attributes
    ----------
    written : the files that were written, none before.
    copied : whether an image was copied.
    """

    def __init__(
        self,
        kinds: Sequence[ExportKind],
        contents: ExportContents,
        first: ExportKind,
        last: Mapping[str, ExportChoices],
        folder: Callable[[ExportKind], Path],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Export", parent)
        self.written: Sequence[Path] = ()
        self.copied = False
        self._contents, self._last, self._folder = contents, last, folder
        self._pages: dict[str, ExportPage] = {}
        self._files: dict[str, Path] = {}  # what was typed for the file on each page that was left
        self._unprepared = list(contents.plots.values())
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setAccessibleName("What is exported")
        self._stack = QStackedWidget()
        self.preview = Preview()
        self.size_label, self.file, self.problem = QLabel(), FileField("Export to", _LABEL), QLabel()
        self._soon, self._again = QTimer(self), QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON)
        self._again.setInterval(_AGAIN)
        self._drawing = QTimer(self)  # a step each time that the event loop comes: a page takes long
        self._drawing.setSingleShot(True)
        self._steps: Generator[None, None, None] = self._draw()
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
        self._soon.timeout.connect(self._begin_drawing)
        self._drawing.timeout.connect(self._take_step)
        self._again.timeout.connect(self._follow)
        self._soon.start()  # when the dialog is there
        self._again.start()

    @property
    def kind(self) -> ExportKind:
        """What is exported."""
        found = self.tabs.tabData(self.tabs.currentIndex())
        assert isinstance(found, ExportKind)
        return found

    @property
    def page(self) -> ExportPage:
        """The page that is shown."""
        return self._pages[self.kind.name]

    @property
    def all_choices(self) -> dict[str, ExportChoices]:
        """What is set on each page, by the names of the kinds."""
        return {**self._last, **{name: page.choices for name, page in self._pages.items()}}

    # pages

    def _show_page(self) -> None:
        kind = self.kind
        if kind.name not in self._pages:
            page = self._pages[kind.name] = ExportPage(
                kind, self._contents, self._last.get(kind.name), self._soon.start
            )
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
        self._soon.start()

    def _on_file(self) -> None:
        page, path = self.page, self.file.path
        if path is not None:
            self._files[self.kind.name] = path
        if page.suffix != self.file.suffix:
            page.suffix = self.file.suffix
            page.show_fields()
            self._soon.start()
        self._tell_files()

    # preview

    def _follow(self) -> None:
        if not self._drawing.isActive():
            self._begin_drawing()

    def _begin_drawing(self) -> None:
        """Draw anew, in the place of what is under way."""
        self._steps = self._draw()
        self._drawing.start()

    def _take_step(self) -> None:
        steps = self._steps
        if next(steps, False) is not False and steps is self._steps:
            self._drawing.start()

    def _draw(self) -> Generator[None, None, None]:
        """Draw what would be written now, a panel in each step; then make what belongs to plots that are folded."""
        try:
            image, words = yield from self.kind.draw(self._contents, self.page.choices, self.preview.pixels)
            self.preview.show_image(image)
            self.size_label.setText(words)
            self._show_problem("", "")
        except InputError as error:
            self.preview.clear()
            self.size_label.clear()
            self._show_problem(error.key, str(error))
        while self._unprepared:
            yield
            with suppress(InputError):  # it was taken away while the dialog is open
                self._unprepared.pop(0).prepare()
        self.page.mark_empty([key for key, plot in self._contents.plots.items() if not _has_data(plot)])

    def _show_problem(self, key: str, words: str) -> None:
        """Say what is wrong at its field, or else above the buttons."""
        words = words[:1].upper() + words[1:]
        at_field = self.page.show_problem(key, words)
        self.problem.setText("" if at_field else words)
        self.problem.setVisible(bool(words) and not at_field)
        self._tell_files(possible=not words)

    def _tell_files(self, *, possible: bool = True) -> None:
        """Say which files there will be, and which of them replace others."""
        path = self.file.path
        files = [] if path is None or not possible else list(self.kind.files(self._contents, self.page.choices, path))
        replaces = self.file.tell(files)
        self.export_button.setText("Replace" if replaces else "Export")
        self.export_button.setEnabled(possible and path is not None)
        self.copy_button.setEnabled(possible)

    # the end

    def accept(self) -> None:
        """Write the files and close, unless an entry is refused or they cannot be written."""
        path = self.file.path
        if path is None or not entries_taken(self):
            return
        choices = self.page.choices
        self._drawing.stop()
        QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        try:
            self.kind.write(self._contents, choices, path)
        except InputError as error:
            self._show_problem(error.key, str(error))
            return
        finally:
            QApplication.restoreOverrideCursor()
        self.written = self.kind.files(self._contents, choices, path)
        super().accept()

    def copy(self) -> None:
        """Copy an image of what would be written, and close."""
        if not entries_taken(self):
            return
        self._drawing.stop()
        try:
            image, _ = finished(self.kind.draw(self._contents, self.page.choices, None))
        except InputError as error:
            self._show_problem(error.key, str(error))
            return
        copy_image(image)
        self.copied = True
        super().accept()

    def done(self, result: int) -> None:
        """Close; no preview goes on behind it."""
        self._soon.stop()
        self._again.stop()
        self._drawing.stop()
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
        copy.setToolTip("To the clipboard, as pixels")
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: self.copy())
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.add_foot(self.file, self.problem, buttons)
