"""A dialog with a form and buttons below it."""

from __future__ import annotations

from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from aggviewer.widgets.number_edit import NumberField, entries_taken


class FormDialog(QDialog):
    """A dialog with a form, which ends with the button `accept` or with Cancel. It stays while a field refuses what is
    typed.

    Attributes
    ----------
    rows : the layout of the form, which rows are added to.
    buttons : the box with the two buttons.
    column : the layout of the dialog, with the form and the buttons.
    """

    def __init__(
        self,
        title: str,
        accept: QDialogButtonBox.StandardButton = QDialogButtonBox.StandardButton.Save,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.rows = _form()
        self._forms = QHBoxLayout()
        self._forms.setSpacing(24)
        self._forms.addLayout(self.rows)
        self.buttons = QDialogButtonBox(accept | QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(16, 16, 16, 16)
        self.column.setSpacing(16)
        self.column.addLayout(self._forms)
        self.column.addWidget(self.buttons)

    def accept(self) -> None:
        """Take what is being typed, and end where no field refuses it."""
        if entries_taken(self):
            super().accept()

    def add_form(self) -> QFormLayout:
        """Another form, on the right of those that there are."""
        added = _form()
        self._forms.addLayout(added)
        return added


def ask_whole_number(
    parent: QWidget, title: str, words: str, value: int, low: int, high: int, *, step: int = 1, unit: str = ""
) -> int | None:
    """Ask a person for a whole number, `value` at first; None where they leave it."""
    dialog = FormDialog(title, QDialogButtonBox.StandardButton.Ok, parent)
    label = QLabel(words)
    field = NumberField(True, low, high, step, unit=unit, name=words.rstrip(":?"))
    field.set_value(value)
    label.setBuddy(field)
    dialog.rows.addRow(label)
    dialog.rows.addRow(field)
    try:
        return int(field.value) if dialog.exec() else None
    finally:
        dialog.deleteLater()


def _form() -> QFormLayout:
    form = QFormLayout()
    form.setHorizontalSpacing(16)
    form.setVerticalSpacing(8)
    return form
