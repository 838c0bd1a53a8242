"""A dialog with a form and buttons below it."""

from __future__ import annotations

from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QHBoxLayout, QVBoxLayout, QWidget


class FormDialog(QDialog):
    """A dialog with a form, which ends with the button `accept` or with Cancel.

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

    def add_form(self) -> QFormLayout:
        """Another form, on the right of those that there are."""
        added = _form()
        self._forms.addLayout(added)
        return added


def _form() -> QFormLayout:
    form = QFormLayout()
    form.setHorizontalSpacing(16)
    form.setVerticalSpacing(8)
    return form
