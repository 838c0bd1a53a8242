"""Height, velocity and time of an event with all digits: exact, naive and stable below each other."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from aggviewer.lessons.bouncing_ball.model import BallStory
from aggviewer.lessons.bouncing_ball.numbers import compared, exponent_of, superscript
from aggviewer.lessons.bouncing_ball.parts import ON_DARK, BallColors, digits_font, head_with_choice
from engine.hard_discs.ball import BallEvent

BASES = {"Decimal": (10, 26), "Hex": (16, 20), "Binary": (2, 58)}
"""By name: the base of the digits, and how many of them are shown after the point."""

_ROWS = 9
_NOTE = "Coloured: the digits that rounding has made wrong."


@dataclass(frozen=True)
class Line:
    """A row: the quantity, whose value it is, its digits, a power of the base, and how many characters are right."""

    name: str
    whose: str
    digits: str
    unit: str
    same: int


class DigitsPanel(QFrame):
    """Shows the digits of an event, in which those that differ from exact arithmetic are highlighted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lessonCard")
        self._colors: BallColors = ON_DARK
        self._story: BallStory | None = None
        self._number = 0
        self._base = "Decimal"
        tips = {name: f"Digits in base {base}" for name, (base, _) in BASES.items()}
        head, self.bases = head_with_choice(self, "Last digits", tips, self._choose)
        self.bases["Decimal"].setChecked(True)
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setFont(digits_font(0.8))
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.text.setToolTip(_NOTE)
        # keep room for all rows, so that nothing moves when there are fewer
        self.text.setFixedHeight(_ROWS * (self.text.fontMetrics().lineSpacing() + 2))
        self.text.setMinimumWidth(1)  # nor when rows are longer
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self.text)

    def set_event(self, story: BallStory, number: int) -> None:
        """Show the digits of an event."""
        self._story, self._number = story, number
        self._write()

    def set_colors(self, colors: BallColors) -> None:
        """Use the colours of a theme."""
        self._colors = colors
        self._write()

    def _choose(self, name: str) -> None:
        self._base = name
        self._write()

    def lines(self) -> list[Line]:
        """The rows that are shown."""
        story = self._story
        if story is None:
            return []
        naive, stable = story.at(self._number)
        impact = story.exact(self._number)
        height = story.contact + (Fraction(story.drop.drop) if self._number == 0 else 0)
        rows = self._rows("r", height, self._height(naive), self._height(stable), 0)
        if impact is None:
            return rows
        power = exponent_of(impact.velocity, BASES[self._base][0])
        rows += self._rows("v", impact.velocity, Fraction(naive.velocity), Fraction(stable.velocity), power)
        return rows + self._rows("t", impact.time, Fraction(naive.time), Fraction(stable.time), 0)

    def _height(self, event: BallEvent) -> Fraction:
        """The height r: as stored, or computed from the stored gap."""
        assert self._story is not None
        stored_gap = self._story.stable.detection == "gap" and any(event is one for one in self._story.stable.events)
        return self._story.contact + Fraction(event.gap) if stored_gap else Fraction(event.position)

    def _rows(self, name: str, exact: Fraction, naive: Fraction, stable: Fraction, power: int) -> list[Line]:
        base, places = BASES[self._base]
        unit = f"·{base}{superscript(power)}" if power else ""
        places -= len(unit)
        values = {"exact": exact, "naive": naive, "stable": stable}
        return [
            Line(name if whose == "exact" else "", whose, digits, unit, same)
            for whose, value in values.items()
            for digits, same in [compared(value, exact, base, places, power)]
        ]

    def _write(self) -> None:
        colors = self._colors
        own = {"exact": colors.window.muted, "naive": colors.naive, "stable": colors.stable}
        found = []
        for line in self.lines():
            right, wrong, color = line.digits[: line.same], line.digits[line.same :], own[line.whose]
            found.append(
                f"<tr><td style='padding-right:8px'><b>{line.name}</b></td>"
                f"<td style='padding-right:12px;color:{color}'>{line.whose}</td>"
                f"<td>{right}<span style='color:{color};font-weight:600'>{wrong}</span>"
                f"<span style='color:{colors.window.muted}'>{line.unit}</span></td></tr>"
            )
        note = f"<p style='color:{colors.window.muted}'>{_NOTE}</p>" if self._number == 0 else ""
        self.text.setText(f"<table cellspacing='0' cellpadding='0'>{''.join(found)}</table>{note}")
