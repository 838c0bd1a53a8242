"""Dialog fields for what a film follows."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QWidget

from aggviewer.export.follow import Follow
from aggviewer.style.numbers import count
from aggviewer.widgets.number_edit import NumberField

_NOTHING, _DISC, _CLUSTER, _SELECTION = "nothing", "disc", "cluster", "selection"
_KEPT, _FITTED = "Same as in the window", "Fitted with a margin"


class FollowFields(QWidget):
    """A choice of nothing, a disc, a disc's cluster, or the selection; ``changed`` when it changes.

    Parameters
    ----------
    discs : N, the number of discs.
    followed : the disc that the window follows, None for none.
    selected : the numbers of the selected discs.
    fitted : whether the view was fitted last time.
    """

    changed = pyqtSignal()

    def __init__(self, discs: int, followed: int | None, selected: Sequence[int], fitted: bool) -> None:
        super().__init__()
        self._selected = tuple(selected)
        self.what = QComboBox()
        self.what.setAccessibleName("Follow")
        self.what.setToolTip("What stays at the centre of the picture")
        self.what.addItem("Nothing", _NOTHING)
        self.what.addItem("Disc", _DISC)
        self.what.addItem("Cluster of disc", _CLUSTER)
        if selected:
            number = len(selected)
            self.what.addItem(f"Selection, {count(number)} disc{'' if number == 1 else 's'}", _SELECTION)
        self.what.setCurrentIndex(self.what.findData(_NOTHING if followed is None else _DISC))
        self.disc = NumberField(True, 0, max(0, discs - 1), name="Disc number")
        self.disc.set_value(followed if followed is not None else self._selected[0] if self._selected else 0)
        self.view_size = QComboBox()
        self.view_size.setAccessibleName("Size of the view")
        self.view_size.addItems([_KEPT, _FITTED])
        self.view_size.setCurrentIndex(int(fitted))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.what, 1)
        row.addWidget(self.disc)
        for signal in (self.what.currentIndexChanged, self.disc.edited, self.view_size.currentIndexChanged):
            signal.connect(self._on_change)

    def add_to(self, form: QFormLayout) -> None:
        """Add the fields to a form, as two rows."""
        form.addRow("Follow", self)
        form.addRow("View", self.view_size)
        self._show_fields()

    @property
    def value(self) -> Follow | None:
        """The choice, None for nothing."""
        what, fitted = self.what.currentData(), self.view_size.currentIndex() == 1
        if what == _NOTHING:
            return None
        if what == _SELECTION:
            return Follow(self._selected, fitted=fitted)
        return Follow((int(self.disc.value),), cluster=what == _CLUSTER, fitted=fitted)

    def _on_change(self) -> None:
        self._show_fields()
        self.changed.emit()

    def _show_fields(self) -> None:
        what = self.what.currentData()
        self.disc.setVisible(what in (_DISC, _CLUSTER))
        self.view_size.setEnabled(what != _NOTHING)
