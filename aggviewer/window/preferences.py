"""*Preferences*: the offered settings (`aggviewer.window.settings`) in a dialog and as commands of the palette, and
the list of plug-ins that are loaded when the window opens the next time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QPalette
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from aggviewer.widgets.command import Command, Place
from aggviewer.widgets.file_dialogs import FileChooser
from aggviewer.widgets.form_dialog import FittingDialog, Form
from aggviewer.widgets.number_edit import NumberField
from aggviewer.widgets.part import Context, Part
from aggviewer.window.settings import TEXT_SIZES, DocumentSetting, StoredSetting, WindowSettings
from aggviewer.window.side_panels import SidePanels

_WIDTH = 480  # pixels
_STEP = 64  # of a number


class PreferencesDialog(FittingDialog):
    """A field for each setting, grouped in sections. Changes take effect at once, but for the list of plug-ins."""

    def __init__(self, settings: WindowSettings, files: FileChooser, parent: QWidget | None = None) -> None:
        super().__init__("Preferences", parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._settings = settings
        self.fields: dict[str, QWidget] = {}
        self._show: dict[str, Callable[[Any], object]] = {}
        form, section = Form(), ""
        for setting in settings.offered():
            assert setting.offered is not None
            if setting.offered.section != section:
                section = setting.offered.section
                form.addRow(_heading(section))
            self._add(form, setting)
        self.plug_ins = PlugInList(settings, files)
        form.addRow(_heading("Plug-ins"))
        form.addRow(self.plug_ins)
        form.addRow(_note(NOTE))
        self.column.addLayout(form)
        self.column.addStretch(1)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.RestoreDefaults | QDialogButtonBox.StandardButton.Close
        )
        buttons.rejected.connect(self.reject)
        usual = buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults)
        assert usual is not None
        usual.setText("Restore defaults")
        usual.setAutoDefault(False)
        usual.clicked.connect(settings.restore_usual)
        self.add_foot(buttons)
        self.setMinimumWidth(_WIDTH)
        settings.changed.connect(self._on_change)

    def _add(self, form: QFormLayout, setting: StoredSetting[Any] | DocumentSetting) -> None:
        offered, name = setting.offered, setting.name
        assert offered is not None
        choose = partial(setattr, self._settings, name)
        field: QWidget
        if offered.choices:
            field = choice = QComboBox()
            for value, text in offered.choices.items():
                choice.addItem(text, value)
            choice.activated.connect(lambda index: choose(choice.itemData(index)))
            self._show[name] = lambda value: choice.setCurrentIndex(choice.findData(value))
        elif offered.limits is not None:
            low, high = offered.limits
            field = number = NumberField(True, low, high, _STEP, unit=offered.unit, name=offered.title, tracking=False)
            number.edited.connect(lambda value: choose(int(value)))
            self._show[name] = number.set_value
        else:
            field = switch = QCheckBox(offered.title)
            switch.clicked.connect(choose)
            self._show[name] = switch.setChecked
        field.setAccessibleName(offered.title)
        field.setToolTip(offered.tip)
        self.fields[name] = field
        if isinstance(field, QCheckBox):
            form.addRow("", field)
        else:
            form.addRow(offered.title, field)
        if offered.tip:
            form.addRow("", _note(offered.tip))
        self._show[name](getattr(self._settings, name))

    def _on_change(self, name: str) -> None:
        if name in self._show:
            self._show[name](getattr(self._settings, name))

    def done(self, result: int) -> None:
        """Close."""
        self._settings.changed.disconnect(self._on_change)
        super().done(result)


def _heading(words: str) -> QLabel:
    label = QLabel(words)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    label.setContentsMargins(0, 8, 0, 0)
    return label


def _note(words: str) -> QLabel:
    label = QLabel(words)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    label.setWordWrap(True)
    return label


class PreferencesCommands(Part):
    """Opens the dialog. Its switches and choices are also in the palette."""

    def __init__(self, context: Context) -> None:
        self._settings, self._window, self._commands = context[WindowSettings], context.window, context.commands
        self._files, self._panels, self._theme = context.files, context[SidePanels], context.theme
        self._settings.changed.connect(self._on_setting)
        self._on_setting("single_keys")

    def commands(self) -> Iterator[Command]:
        """The dialog, and a command for each switch and each choice."""
        yield Command(
            "edit.preferences",
            "Preferences…",
            lambda: PreferencesDialog(self._settings, self._files, self._window).open(),
            ("Ctrl+,",),
            "Theme, drawing, memory, shortcuts, plug-ins",
            menu=Place("Edit", 9, 1),
            words="settings options configuration appearance theme dark light background renderer memory keyboard "
            "plug-in plugin extension",
        )
        for name, step, words in (("larger", 1, "bigger increase"), ("smaller", -1, "decrease")):
            yield Command(
                f"view.text_{name}",
                f"{name.capitalize()} text",
                partial(self._step_text, step),
                tooltip="The size of all text in the window, see Preferences",
                reason=partial(self._why_no_step, step),
                words=f"{words} text size font type letters",
            )
        for setting in self._settings.offered():
            offered, name = setting.offered, setting.name
            assert offered is not None
            if offered.command and offered.choices:
                for value, text in offered.choices.items():
                    yield Command(
                        f"{offered.command}_{value}",
                        f"{offered.title}: {text.lower() if text.istitle() else text}",
                        partial(setattr, self._settings, name, value),
                        tooltip=offered.tip,
                        checked=partial(self._is, name, value),
                        words=offered.words,
                    )
            elif offered.command:
                yield Command(
                    offered.command,
                    offered.title,
                    partial(self._switch, name),
                    tooltip=offered.tip,
                    checked=partial(self._is, name, True),
                    words=offered.words,
                )

    def _step_text(self, step: int) -> None:
        sizes = list(TEXT_SIZES)
        self._settings.text_size = sizes[sizes.index(self._settings.text_size) + step]

    def _why_no_step(self, step: int) -> str:
        last = list(TEXT_SIZES)[-1 if step > 0 else 0]
        which = "largest" if step > 0 else "smallest"
        return f"This is the {which} text size" if self._settings.text_size == last else ""

    def _is(self, name: str, value: object) -> bool:
        return bool(getattr(self._settings, name) == value)

    def _switch(self, name: str) -> None:
        setattr(self._settings, name, not getattr(self._settings, name))

    def _on_setting(self, name: str) -> None:
        if name == "single_keys":
            self._commands.use_single_keys(self._settings.single_keys)
        if name == "text_size":
            self._theme.set_text_size(float(self._settings.text_size))
            QTimer.singleShot(0, self._panels.lay_out)  # when the texts have their new widths


NOTE = (
    "A change takes effect from the next start. A plug-in is a program and can do anything on this computer that you "
    "can: add it only if you wrote it or trust its author."
)
_ROWS = 3


class PlugInList(QWidget):
    """Shows the plug-ins of the settings; files can be added and removed."""

    def __init__(self, settings: WindowSettings, files: FileChooser) -> None:
        super().__init__()
        self._settings, self._files = settings, files
        self.list = QListWidget()
        self.list.setAccessibleName("Plug-ins")
        self.list.setFixedHeight((_ROWS + 1) * self.list.fontMetrics().height())
        self.list.currentRowChanged.connect(lambda row: self.remove.setEnabled(row >= 0))
        self.add, self.remove = QPushButton("Add…"), QPushButton("Remove")
        self.add.clicked.connect(self._add)
        self.remove.clicked.connect(self._remove)
        buttons = QVBoxLayout()
        for button in (self.add, self.remove):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        buttons.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.list, 1)
        row.addLayout(buttons)
        self._show()

    def _show(self) -> None:
        self.list.clear()
        for path in self._settings.plug_ins:
            item = QListWidgetItem(path.name)
            item.setToolTip(str(path))
            item.setData(Qt.ItemDataRole.UserRole, path)
            self.list.addItem(item)
        self.remove.setEnabled(False)

    def _add(self) -> None:
        path = self._files.to_open("plug-in", "Add a plug-in", "Plug-ins (*.py)")
        if path is not None and path.resolve() not in self._settings.plug_ins:
            self._settings.plug_ins = [*self._settings.plug_ins, path.resolve()]
            self._show()

    def _remove(self) -> None:
        chosen: Path = self.list.currentItem().data(Qt.ItemDataRole.UserRole)  # type: ignore[union-attr]
        self._settings.plug_ins = [path for path in self._settings.plug_ins if path != chosen]
        self._show()
