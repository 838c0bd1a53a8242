"""What every test may count on."""

from __future__ import annotations

import pytest
from PyQt6.QtGui import QColor, QPalette
from PyQt6.QtWidgets import QApplication

RED = QColor("#ff0000")


@pytest.mark.parametrize("turn", ["first", "second"])
def test_no_test_finds_the_colours_of_another(qapp: QApplication, turn: str) -> None:
    """Each turn finds Qt's own colours, and leaves others."""
    assert qapp.styleSheet() == ""
    assert qapp.palette().color(QPalette.ColorRole.Window) != RED
    qapp.setStyleSheet("QLabel { color: red }")
    qapp.setPalette(QPalette(RED))
