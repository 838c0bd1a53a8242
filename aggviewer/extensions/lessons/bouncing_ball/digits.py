"""Numbers with all their digits in any base, which digits are right, and the table of all events of a ball."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor, log
from typing import NamedTuple

from PyQt6.QtCore import QModelIndex, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QFontDatabase, QPainter, QStaticText
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
)

from aggviewer.extensions.lessons.bouncing_ball.model import BallStory
from aggviewer.plots.axes import power_text
from aggviewer.widgets.lists import set_up_rows
from engine.hard_discs.ball import BallEvent, Fall
from engine.words import MINUS, count, superscript, times_power, typeset

BASES = {"Decimal": (10, 26), "Hex": (16, 20), "Binary": (2, 58)}
"""By name: the base, and the number of digits after the point."""

_PLACES = 15  # digits after the point in the table of events
_CHARACTERS = "0123456789abcdef"


def fixed(value: Fraction, base: int, places: int) -> str:
    """A value with this many places after the point, truncated, so that more places change no digit."""
    scaled = floor(abs(value) * base**places)
    whole, rest = divmod(scaled, base**places)
    tail = "".join(_CHARACTERS[rest // base**k % base] for k in range(places - 1, -1, -1))
    return f"{MINUS if value < 0 else ''}{_whole(whole, base)}.{tail}"


def _whole(number: int, base: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, base)
        digits = _CHARACTERS[digit] + digits
    return digits or "0"


def exponent_of(value: Fraction, base: int = 10) -> int:
    """The exponent of the first digit of a value in a base: floor(log |value|); 0 for 0."""
    if value == 0:
        return 0
    found = floor(log(abs(value.numerator), base) - log(value.denominator, base))
    # correct for the rounding of the logarithms
    while abs(value) < Fraction(base) ** found:
        found -= 1
    while abs(value) >= Fraction(base) ** (found + 1):
        found += 1
    return found


def right_characters(text: str, value: Fraction, exact: Fraction, base: int) -> int:
    """How many characters of `text`, the digits of `value`, are right: up to the last digit half of which exceeds the
    error.

    1.9999 for an exact 2.0000 is right to three places: the values are close although all digits differ.
    """
    if value == exact:
        return len(text)
    places = -exponent_of(2 * (value - exact), base) - 1
    if places < 0:
        return 0
    point = text.index(".")
    return min(len(text), point + 1 + places) if places else point


def compared(value: Fraction, exact: Fraction, base: int, places: int, power: int = 0) -> tuple[str, int]:
    """A value divided by a power of `base`, with `places` digits after the point, and the number of right
    characters."""
    scale = Fraction(base) ** power
    text = fixed(value / scale, base, places)
    return text, right_characters(text, value / scale, exact / scale, base)


def short(value: float, digits: int = 3) -> str:
    """A number in short form: 0.125, −3.1·10⁻¹⁷, 0."""
    if value == 0.0:
        return "0"
    sign = MINUS if value < 0 else ""
    size = abs(value)
    if 10.0**digits <= size < 10_000:
        return sign + count(size)
    return sign + (f"{size:.{digits}g}" if 0.001 <= size < 10_000 else power_text(size, digits))


def in_ulps(value: float) -> str:
    """A gap in units in the last place, with two decimals if it is small, as a power of ten if it is large."""
    if abs(value) < 0.005:
        return "0"
    if abs(value) >= 10_000:
        return short(value, 2)
    return typeset(value, "+.2f" if abs(value) < 100 else "+.0f")


class Digits(NamedTuple):
    """A number with all its digits. same : how many of its characters are right; unit : a power of the base."""

    text: str
    same: int
    unit: str = ""

    def html(self, wrong: str) -> str:
        """The number as HTML, with wrong digits in the colour `wrong`."""
        return f"{self.text[: self.same]}<span style='color:{wrong}'>{self.text[self.same :]}</span>{self.unit}"


class DigitRow(NamedTuple):
    """A quantity, the origin of its value (``exact``, ``naive`` or ``stable``), and its digits."""

    name: str
    whose: str
    digits: Digits


def digit_rows(story: BallStory, number: int, base: str) -> list[DigitRow]:
    """Height, velocity and time of an event in a base of `BASES`, exact, naive and stable; only the height at the
    release."""
    naive, stable = story.at(number)
    impact = story.exact(number)
    height = story.contact + (Fraction(story.drop.drop) if number == 0 else 0)
    values = {"r": (height, _height(story, naive), _height(story, stable))}
    if impact is not None:
        values["v"] = (impact.velocity, Fraction(naive.velocity), Fraction(stable.velocity))
        values["t"] = (impact.time, Fraction(naive.time), Fraction(stable.time))
    return [row for name, of in values.items() for row in _rows(name, of, base)]


def _height(story: BallStory, event: BallEvent) -> Fraction:
    """The height r: as stored, or computed from the stored gap."""
    stored_gap = story.stable.detection == "gap" and any(event is one for one in story.stable.events)
    return story.contact + Fraction(event.gap) if stored_gap else Fraction(event.position)


def _rows(name: str, values: Sequence[Fraction], base: str) -> list[DigitRow]:
    number, places = BASES[base]
    power = exponent_of(values[0], number) if name == "v" else 0
    unit = f"·{number}{superscript(power)}" if power else ""
    return [
        DigitRow(
            name if whose == "exact" else "",
            whose,
            Digits(*compared(value, values[0], number, places - len(unit), power), unit),
        )
        for whose, value in zip(("exact", "naive", "stable"), values, strict=True)
    ]


def digits_html(rows: Sequence[DigitRow], colours: Mapping[str, str]) -> str:
    """The rows as a table; colours : of ``exact``, ``naive`` and ``stable``."""
    cells = "".join(
        f"<tr><td style='padding-right:8px'><b>{row.name}</b></td>"
        f"<td style='padding-right:12px;color:{colours[row.whose]}'>{row.whose}</td>"
        f"<td>{row.digits.html(colours[row.whose])}</td></tr>"
        for row in rows
    )
    return f"<table cellspacing='0' cellpadding='0'>{cells}</table>"


def event_cells(story: BallStory, fall: Fall, row: int) -> tuple[str, str, str, Digits, Digits]:
    """Number, kind, gap in units in the last place, time and velocity of an event of a fall."""
    event = fall.events[row]
    exact = story.exact(row) if event.kind == "impact" else None
    time, velocity = Fraction(event.time), Fraction(event.velocity)
    shown = Digits(*compared(time, time if exact is None else exact.time, 10, _PLACES))
    right = velocity if exact is None else exact.velocity
    power = exponent_of(right)
    after = Digits(*compared(velocity, right, 10, _PLACES, power), times_power("", power))
    return str(row), event.kind, in_ulps(event.gap_ulps), shown, after if event.velocity else Digits("0", 1)


HEADINGS = {
    "n": "Number of the event",
    "Event": "impact: v′ = −ε v; peak: the ball stops at its highest point, inside the plate; rest: the next event "
    "would take no time",
    "f in ulp": "Computed gap under the ball, in units in the last place (ulp) of r at contact",
    "t": "Time of the event. Coloured digits differ from the closed form\ntₙ = √(2h/g) (1 + ε − 2εⁿ)/(1 − ε)",
    "v after": "Velocity after the event. Coloured digits differ from εⁿ √(2gh)",
}
_WIDTHS = (5, 8, 10, 21, 25)  # characters
_INDENT = 10.0
DIGITS = Qt.ItemDataRole.UserRole
"""The item role for the `Digits` of a cell."""


def fixed_width(scale: float) -> QFont:
    """A font with characters of equal width, at `scale` times the usual size."""
    result = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    usual = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).pointSizeF()
    result.setPointSizeF(max(6.0, usual * scale))
    return result


class _DigitsDelegate(QStyledItemDelegate):
    """Paints cells with digits as rich text."""

    wrong = "#ff0000"

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """Paint a cell: its background, and the digits, with wrong ones in another colour."""
        super().paint(painter, option, index)  # cells with digits have no plain text
        digits = index.data(DIGITS)
        if painter is None or digits is None:
            return
        text = QStaticText(digits.html(self.wrong))
        text.prepare(painter.transform(), option.font)
        painter.setFont(option.font)
        painter.setPen(option.palette.text().color())
        down = (option.rect.height() - text.size().height()) / 2.0
        painter.drawStaticText(QPointF(option.rect.left() + _INDENT, option.rect.top() + down), text)


class EventTable(QTableWidget):
    """A row for each event. Signal ``chosen(number)``: the user has selected an event."""

    chosen = pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__(0, len(HEADINGS))
        self._digits = _DigitsDelegate(self)
        self.setItemDelegate(self._digits)
        self.setFont(fixed_width(0.85))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        columns = set_up_rows(self, "Events of the ball")
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns.setStretchLastSection(True)
        unit = self.fontMetrics().horizontalAdvance("0")
        for column, ((name, tip), characters) in enumerate(zip(HEADINGS.items(), _WIDTHS, strict=True)):
            heading = QTableWidgetItem(f"\u2002{name}" if column > 2 else name)  # above the digits, which are indented
            heading.setToolTip(tip)
            heading.setTextAlignment(_alignment(column))
            self.setHorizontalHeaderItem(column, heading)
            self.setColumnWidth(column, unit * characters + 4)
        self.currentCellChanged.connect(lambda row, *_: self.chosen.emit(row) if row >= 0 else None)

    def set_fall(self, story: BallStory, fall: Fall, number: int) -> None:
        """Show another fall, with an event selected."""
        self.blockSignals(True)
        self.setRowCount(len(fall.events))
        for row in range(len(fall.events)):
            for column, value in enumerate(event_cells(story, fall, row)):
                item = QTableWidgetItem(value if isinstance(value, str) else "")
                item.setTextAlignment(_alignment(column))
                if not isinstance(value, str):
                    item.setData(DIGITS, value)
                self.setItem(row, column, item)
        self.blockSignals(False)
        self.follow(number)

    def follow(self, number: int) -> None:
        """Select an event, or the last one if there are fewer, without a signal."""
        self.blockSignals(True)
        self.setCurrentCell(min(number, self.rowCount() - 1), 0)
        self.blockSignals(False)

    def set_wrong_color(self, color: str) -> None:
        """Set the colour of digits that rounding has changed."""
        self._digits.wrong = color
        viewport = self.viewport()
        if viewport is not None:
            viewport.update()


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (0, 2) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
