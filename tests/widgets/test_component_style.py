"""All parts of the window have one style: names on the line of their fields, fields of one height, one button that
stands out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from aggviewer.style.theme import DARK, give_theme
from aggviewer.widgets.form_dialog import Form
from aggviewer.widgets.number_edit import NumberField
from aggviewer.widgets.popup import Popup
from aggviewer.widgets.transport import PaceRange, Transport


@pytest.fixture(params=[12, 26])
def styled(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[QApplication]:
    """The program in its style, with text of a size."""
    font, palette, sheet = qapp.font(), qapp.palette(), qapp.styleSheet()
    sized = qapp.font()
    sized.setPixelSize(request.param)
    qapp.setFont(sized)
    give_theme(qapp, DARK)
    yield qapp
    qapp.setFont(font)
    qapp.setPalette(palette)
    qapp.setStyleSheet(sheet)


def middle(widget: QWidget) -> float:
    """Of the height of a widget in its window."""
    return widget.mapTo(widget.window(), QPoint(0, 0)).y() + 0.5 * widget.height()


def test_names_stand_on_the_line_of_their_fields_which_are_all_as_high(styled: QApplication, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    form = Form(window)
    fields: list[QWidget] = [QComboBox(), QLineEdit(), NumberField(True, 0, 9, name="n"), QPushButton("Browse")]
    for field in (*fields, QCheckBox("On")):
        form.addRow("Name", field)
    window.show()
    assert len({field.height() for field in fields}) == 1, [(type(f).__name__, f.height()) for f in fields]
    for row in range(form.rowCount()):
        label, field = (form.itemAt(row, role) for role in (Form.ItemRole.LabelRole, Form.ItemRole.FieldRole))
        assert label is not None
        assert field is not None
        name, widget = label.widget(), field.widget()
        assert isinstance(name, QLabel)
        assert widget is not None
        assert name.height() >= name.fontMetrics().height()
        assert middle(name) == pytest.approx(middle(widget), abs=1.0), type(widget)


def test_run_is_quiet_while_a_dialog_or_a_popup_is_open(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    transport = Transport(PaceRange(0.1, 10.0, 1.0, str))
    window.setCentralWidget(transport)
    window.show()
    dialog, popup = QDialog(window), Popup("commandPalette", "Commands", window)
    for opened in (dialog, popup):
        (opened.open if isinstance(opened, QDialog) else opened.show)()
        assert transport.run_button.property("quiet") is True, type(opened)
        opened.close()
        assert transport.run_button.property("quiet") is False, type(opened)
    popup.show()
    dialog.open()
    popup.close()
    assert transport.run_button.property("quiet") is True, "the dialog that a command of the palette has opened"
    transport.let_others_stand_out(True)
    dialog.close()
    assert transport.run_button.property("quiet") is True, "another button of the window stands out"
    transport.let_others_stand_out(False)
    assert transport.run_button.property("quiet") is False
