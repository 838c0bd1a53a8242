"""The foot of the inspector: says whether changes restart the run at once or wait for Apply."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, Qt, pyqtSignal
from PyQt6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from aggviewer.style.theme import set_styled


class RestartBar(QFrame):
    """A switch for restarting at once, and the buttons Apply and Revert. The sentence always takes two lines, so that
    nothing moves."""

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
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.at_once, 1)
        row.addWidget(self.revert_button)
        row.addWidget(self.apply_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addLayout(row)
        layout.addWidget(self.state)
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
        self.apply_button.setEnabled(changes > 0 and valid)
        self.revert_button.setEnabled(changes > 0)
