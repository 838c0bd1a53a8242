"""The composer of figures: which panels, how wide, how large the text is, with a preview of the page."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

from PyQt6.QtCore import QSize, Qt, QTimer
from PyQt6.QtGui import QImage, QPixmap, QResizeEvent
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from aggviewer.canvas.picture import Over
from aggviewer.export.figure import COLUMNS, FONTS, LETTERS, RESOLUTIONS, WIDTHS, Figure, Page
from aggviewer.widgets.form_dialog import FittingDialog
from aggviewer.widgets.number_edit import NumberField, entries_taken
from aggviewer.window.dialogs.fields import OverFields
from aggviewer.window.dialogs.panel_list import Offered, PanelList
from engine.errors import InputError

COPIED = 2
"""What `FigureDialog.exec` returns where the figure is to go to the clipboard."""

FORMATS = {
    ".pdf": "PDF, vectors for papers",
    ".svg": "SVG, vectors for editing",
    ".png": "PNG, pixels",
}
_OTHER = "Other"
_WIDTHS = {"One column, 86 mm": 86.0, "One and a half, 130 mm": 130.0, "Two columns, 178 mm": 178.0}
_LETTERS = {"(a)": "(a), (b), …", "a": "a, b, …", "A": "A, B, …", "none": "None"}
_PREVIEW, _LEAST_PREVIEW = QSize(440, 560), QSize(240, 240)
_AGAIN = 1000  # milliseconds until the preview follows a run that goes on
_SOON = 60  # milliseconds: keys that follow each other make one preview
_SCREEN_DPI = 96


@dataclass(frozen=True)
class FigureChoices:
    """What the person wants. names : of the panels in their order, None at first; suffix : of the format."""

    page: Page = field(default_factory=Page)
    names: tuple[str, ...] | None = None
    over: Over = field(default_factory=lambda: Over(time=False))
    white: bool = True
    numbers: bool = True
    suffix: str = ".pdf"
    tables: bool = True


class _Preview(QLabel):
    """A picture that fills the available space. changed() is called when its size changes."""

    def __init__(self, changed: Callable[[], object]) -> None:
        super().__init__()
        self._changed = changed
        self.setObjectName("figurePreview")
        self.setAccessibleName("Preview")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setMinimumSize(_LEAST_PREVIEW)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """Qt's hook: does not depend on the picture."""
        return _PREVIEW

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Draw the picture in the new size."""
        super().resizeEvent(event)
        self._changed()


class FigureDialog(FittingDialog):
    """Panels, page and format of a figure; ends with Save, Copy (`COPIED`) or Cancel.

    Parameters
    ----------
    offered : the panels that there are.
    compose : makes the figure of choices; InputError where that cannot be.
    last : what was chosen before.
    """

    def __init__(
        self,
        offered: Sequence[Offered],
        compose: Callable[[FigureChoices], Figure],
        last: FigureChoices | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Figure", parent)
        self._compose = compose
        many = sum(one.chosen for one in offered) > 2
        last = last or FigureChoices(Page(width=178.0, columns=2) if many else Page())
        page = last.page
        self.panels = PanelList("Panels", "the figure", offered, last.names)
        self.presets = self._box("Width", [*_WIDTHS, _OTHER])
        self.width_field = self._number("Width in mm", WIDTHS, page.width, "mm")
        self.font_field = self._number("Text size in points", FONTS, page.font, "pt")
        self.columns = self._number("Panels side by side", COLUMNS, page.columns, integer=True)
        self.letters = self._box("Letters", list(LETTERS), _LETTERS, page.letters)
        self.ratio = self._number("Height of a plot divided by its width", (0.2, 3.0), page.ratio, step=0.05)
        self.numbers = QCheckBox("Numbers in the corners of plots")
        self.numbers.setChecked(last.numbers)
        self.white = QCheckBox("White background")
        self.white.setChecked(last.white)
        self.over = OverFields(last.over)
        self.formats = self._box("Format", list(FORMATS), FORMATS, last.suffix)
        self.resolution = self._number(
            "Resolution of a PNG in pixels per inch", RESOLUTIONS, page.resolution, "dpi", integer=True
        )
        self.tables = QCheckBox("The data of each plot beside it, as CSV")
        self.tables.setChecked(last.tables)
        self.preview = _Preview(lambda: self._soon.start())
        self.size_label, self.problem = QLabel(), QLabel()
        self.size_label.setProperty("quiet", True)
        self.problem.setObjectName("problem")
        self.problem.setWordWrap(True)
        self._soon, self._again = QTimer(self), QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON)
        self._again.setInterval(_AGAIN)
        self._steps: Iterator[None] | None = None  # of the preview that is being drawn
        self._next_step = QTimer(self)
        self._next_step.timeout.connect(self._draw_on)
        self._soon.timeout.connect(self._begin_preview)
        self._again.timeout.connect(self._follow)
        self._lay_out()
        self._on_width(page.width)
        self._on_format()
        self._connect()
        self._soon.start()  # when the dialog is there
        self._again.start()

    @property
    def choices(self) -> FigureChoices:
        """What is set now."""
        page = Page(
            self.width_field.value,
            self.font_field.value,
            self.columns.value,
            str(self.letters.currentData()),
            self.ratio.value,
            resolution=self.resolution.value,
        )
        suffix = str(self.formats.currentData())
        return FigureChoices(
            page,
            self.panels.chosen,
            self.over.value,
            self.white.isChecked(),
            self.numbers.isChecked(),
            suffix,
            self.tables.isChecked(),
        )

    def _follow(self) -> None:
        if self._steps is None:
            self._begin_preview()

    def _begin_preview(self) -> None:
        """Draw the page anew, a panel each time that the event loop comes."""
        self._steps = self._draw_preview()
        self._next_step.start()

    def _draw_on(self) -> None:
        if self._steps is not None and next(self._steps, False) is False:
            self._steps = None
        if self._steps is None:
            self._next_step.stop()

    def _draw_preview(self) -> Generator[None, None, None]:
        """Draw the page as it would be written now, a panel in each step."""
        try:
            figure = self._compose(self.choices)
            wide, high = figure.size
            self._tell("", f"{wide:.0f} x {high:.0f} mm")
            yield
            room = self.preview.size() - QSize(16, 16)
            ratio = self.devicePixelRatioF()
            # as large as there is room for, but no more than three times
            inches = min(room.width() / wide, room.height() / high, 3.0 * _SCREEN_DPI / 25.4)
            self._show((yield from figure.image_steps(inches * 25.4 * ratio)), ratio)
        except InputError as error:
            self.preview.clear()
            self._tell(str(error))

    def _tell(self, problem: str, size: str = "") -> None:
        """Why the figure cannot be made, or how large it is."""
        self.problem.setText(problem)
        self.size_label.setText(size)
        for button in (self.save_button, self.copy_button):
            button.setEnabled(not problem)

    def _show(self, image: QImage, ratio: float) -> None:
        image.setDevicePixelRatio(ratio)
        self.preview.setPixmap(QPixmap.fromImage(image))

    def accept(self) -> None:
        """Accept all entries and close, unless a field refuses its entry."""
        if entries_taken(self):
            super().accept()

    def done(self, result: int) -> None:
        """No preview goes on behind a closed dialog."""
        self._soon.stop()
        self._again.stop()
        self._next_step.stop()
        super().done(result)

    # the form

    def _box(self, name: str, keys: Sequence[str], words: dict[str, str] | None = None, chosen: str = "") -> QComboBox:
        box = QComboBox()
        for key in keys:
            box.addItem((words or {}).get(key, key), key)
        box.setCurrentIndex(max(0, box.findData(chosen)))
        box.setAccessibleName(name)
        return box

    def _number(
        self,
        name: str,
        limits: tuple[float, float],
        value: float,
        unit: str = "",
        *,
        step: float = 1.0,
        integer: bool = False,
    ) -> NumberField:
        number = NumberField(integer, *limits, step, unit=unit, name=name)
        number.set_value(value)
        return number

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.addRow("Panels", self.panels)
        form.addRow("Side by side", self.columns)
        form.addRow("Letters", self.letters)
        form.addRow("Width", self.presets)
        form.addRow("", self.width_field)
        form.addRow("Text", self.font_field)
        form.addRow("Height of plots", self.ratio)
        form.addRow("", self.numbers)
        form.addRow("Picture", self.white)
        form.addRow("", self.over)
        form.addRow("Format", self.formats)
        form.addRow("Resolution", self.resolution)
        form.addRow("Data", self.tables)
        self._form = form
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        save, copy = (
            buttons.button(QDialogButtonBox.StandardButton.Save),
            buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole),
        )
        assert save is not None
        assert copy is not None
        self.save_button, self.copy_button = save, copy
        copy.setToolTip("To the clipboard, as pixels")
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: self.done(COPIED) if entries_taken(self) else None)
        self.column.addLayout(form)
        self.column.addStretch(1)
        right = QVBoxLayout()
        right.setContentsMargins(0, 16, 16, 16)
        right.addWidget(self.preview, 1)
        self.size_label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.size_label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        right.addWidget(self.size_label)
        self.top.addLayout(right, 1)
        self.add_foot(self.problem, buttons)

    def _connect(self) -> None:
        self.presets.activated.connect(lambda: self._on_preset(self.presets.currentText()))
        self.width_field.edited.connect(self._on_width)
        self.formats.currentIndexChanged.connect(self._on_format)
        for signal in (
            *(box.currentIndexChanged for box in (self.letters, self.formats)),
            *(number.edited for number in (self.width_field, self.font_field, self.columns, self.ratio)),
            self.resolution.edited,
            self.numbers.toggled,
            self.white.toggled,
            self.over.changed,
            self.panels.changed,
        ):
            signal.connect(lambda *_: self._soon.start())

    def _on_preset(self, name: str) -> None:
        if name in _WIDTHS:
            self.width_field.set_value(_WIDTHS[name])
            self._soon.start()

    def _on_width(self, width: float) -> None:
        names = [name for name, known in _WIDTHS.items() if known == width]
        self.presets.setCurrentText(names[0] if names else _OTHER)

    def _on_format(self) -> None:
        self._form.setRowVisible(self.resolution, self.formats.currentData() == ".png")
