"""The head of a plot, with its name, which folds and unfolds it, and buttons; and the text over its drawing area:
live numbers, or what the plot will show."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PyQt6.QtCore import QPoint, QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from aggviewer.plots.plot import PlotChoice
from aggviewer.style.theme import Colors
from aggviewer.widgets.buttons import FoldButton, icon
from aggviewer.widgets.labels import set_tip, show_tip

# pixels: a panel of 236 fits five buttons, or four and a time, and the beginning of a name
_BUTTON, _NAME = 19, 48


_MOMENT = "Time of the state that the plot shows. A large system takes a while to measure."
_AVERAGE = (
    "<p>Show the average over the run from now on, instead of the present state; of a recording, over its frames from "
    "this one to the one that is shown. It begins again when the run or a parameter changes. ± is the standard error, "
    "which takes into account that states depend on earlier ones.</p>"
)


class PlotHead(QHBoxLayout):
    """The head of a plot: a row of buttons.

    title, definition : of the plot, the latter in rich text; number : its key; fitted : whether it has fits with a
        range; choices : its switches; short : its title where there is little room; averages : whether it can show
        averages over the run.

    Attributes
    ----------
    fold : the name of the plot; checked while the plot is open.
    follow : shows all data again; visible after the user has moved the view.
    fit : checked while the limits of the fit range are shown.
    keep : keeps the present curves as a reference.
    help : shows the definition.
    enlarge : shows only this plot, large, or all of them.
    switches : of the choices, by name.
    average : checked while averages over the run are shown instead of single states; again : lets them begin again.
    moment : the time of the state that is shown.

    The buttons from `fit` to `enlarge`, `average` and `again` are visible while the pointer or the keyboard focus is in
    the plot, see `reveal`; otherwise `moment` has their place.
    """

    def __init__(
        self,
        plot: QWidget,
        title: str,
        definition: str,
        number: int,
        *,
        fitted: bool,
        choices: Sequence[PlotChoice] = (),
        short: str = "",
        averages: bool = False,
    ) -> None:
        super().__init__()
        self._plot, self._definition, self._number = plot, definition, number
        self._is_large = self._revealed = self._is_late = False
        self.fold = FoldButton(title, short=short)
        set_tip(self.fold, definition)
        self.fold.setMinimumWidth(_NAME)
        self.follow = self._button("Show all data again (A, or double-click)")
        self.follow.hide()
        self.fit = self._button("Fit range: drag the edges of the band, or type the limits here")
        self.fit.setAccessibleName(f"Fit range: {title}")
        self.fit.setCheckable(True)
        self.fit.setVisible(False)
        self.keep = self._button("Keep as reference: these curves stay visible during later runs")
        self.keep.setAccessibleName(f"Keep as reference: {title}")
        self.keep.setEnabled(False)
        self.help = self._button(definition)
        self.help.setAccessibleName(f"Definition: {title}")
        self.help.clicked.connect(self._show_definition)
        self.enlarge = self._button("")
        self._name_enlarge()
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(0)
        self.addWidget(self.fold)
        self.addStretch(1)
        self.switches = {choice.name: SwitchButton(choice.tip, plot) for choice in choices}
        self.average, self.again = self._button(_AVERAGE), self._button("Begin the average again")
        self.average.setCheckable(True)
        for button in (self.average, self.again):
            button.setAccessibleName(f"{'Average over the run' if button is self.average else 'Begin again'}: {title}")
            button.hide()
        self._icons = (
            *([self.average, self.again] if averages else []),
            *([self.fit] if fitted else []),
            self.keep,
            self.help,
            self.enlarge,
        )
        self.moment = QLabel(plot)
        self.moment.setProperty("quiet", True)
        self.moment.setContentsMargins(8, 0, 4, 0)
        set_tip(self.moment, _MOMENT)
        for widget in (*self.switches.values(), self.follow, self.moment, *self._icons):
            self.addWidget(widget)
        self.reveal(False)

    def reveal(self, on: bool) -> None:
        """Show the icons, or give their space to the name and the time. The icon of a visible fit range stays, and so
        do the way back from an enlarged plot and, if there is room for it beside the name, a time that is not the
        picture's."""
        self._revealed = on
        shown = on or self.fit.isChecked()
        for button in self._icons:
            button.setVisible(shown or (button is self.enlarge and self._is_large))
        self.average.setVisible(self.average in self._icons and (shown or self.average.isChecked()))
        self.again.setVisible(shown and self.average.isChecked())
        taken = sum(button.sizeHint().width() for button in self._icons if not button.isHidden())
        needed = taken + self.fold.short_width + self.moment.sizeHint().width()
        narrow = needed > self.geometry().width()
        covered = shown and not self._is_large and (not self._is_late or narrow)
        if self.average.isChecked():  # of which the tip says the times too
            covered = narrow
        self.moment.setHidden(covered or not self.fold.isChecked())

    def set_averages(self, on: bool, about: str) -> None:
        """Show whether averages are shown. about : what they are of, rich text for a tool tip."""
        self.average.setChecked(on)
        set_tip(self.average, _AVERAGE + about)
        set_tip(self.moment, about if on else _MOMENT)
        self.reveal(self._revealed)

    def set_moment(self, text: str, *, late: bool) -> None:
        """Set the time of the state that is shown, "" for none. late : whether it differs from the picture's."""
        if self.moment.text() != text:
            self.moment.setText(text)
        if self._is_late != late:
            self._is_late = late
            self.reveal(self._revealed)

    def set_enlarged(self, enlarged: bool, theme: Colors) -> None:
        """Set whether the plot is enlarged."""
        self._is_large = enlarged
        self._name_enlarge()
        self.reveal(self._revealed)
        self.set_theme(theme)

    def _name_enlarge(self) -> None:
        tip, keys = ("Show all plots again", ["Esc"]) if self._is_large else ("Enlarge", [])
        keys += [f"{self._number % 10}"] if self._number <= 10 else []
        self.enlarge.setToolTip(f"{tip} ({' or '.join(keys)})" if keys else tip)
        self.enlarge.setAccessibleName(tip)

    def set_theme(self, theme: Colors) -> None:
        """Set the icons in the colours of the theme."""
        colour = theme.muted
        self.follow.setIcon(icon("mdi6.fit-to-page-outline", colour))
        self.average.setIcon(icon("mdi6.code-tags", colour, theme.accent))
        self.again.setIcon(icon("mdi6.restart", colour))
        self.fit.setIcon(icon("mdi6.slope-uphill", colour, theme.accent))
        self.keep.setIcon(icon("mdi6.pin-outline", colour))
        self.help.setIcon(icon("mdi6.information-outline", colour))
        self.enlarge.setIcon(icon("mdi6.arrow-collapse" if self._is_large else "mdi6.arrow-expand", colour))

    def add_button(self, tip: str) -> QToolButton:
        """Add a button to the left of the others."""
        button = self._button(tip)
        self.insertWidget(self.indexOf(self.follow), button)
        return button

    def _button(self, tip: str) -> QToolButton:
        button = QToolButton(self._plot)
        button.setAutoRaise(True)
        button.setIconSize(QSize(16, 16))
        button.setFixedWidth(_BUTTON)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_tip(button, tip)
        return button

    def _show_definition(self) -> None:
        corner = self.help.mapToGlobal(QPoint(0, self.help.height()))
        show_tip(corner, self._definition, self.help)


class SwitchButton(QToolButton):
    """A switch with a long and a short label, depending on the space. tip : its tool tip."""

    def __init__(self, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._long = self._short = ""
        self.setCheckable(True)
        self.setProperty("switch", True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setToolTip(tip)

    def set_texts(self, text: str, short: str) -> None:
        """Set the long and the short label."""
        if (text, short) != (self._long, self._short):
            self._long, self._short = text, short
            self.setAccessibleName(text)
            self._fit()
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Space for the long label."""
        return self._hint(self._long)

    def minimumSizeHint(self) -> QSize:
        """Space for the short label."""
        return self._hint(self._short)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Use the label that fits."""
        self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        self.setText(self._long if self.width() >= self._hint(self._long).width() else self._short)

    def _hint(self, text: str) -> QSize:
        metrics, flag = self.fontMetrics(), Qt.TextFlag.TextShowMnemonic
        more = metrics.size(flag, text).width() - metrics.size(flag, self.text()).width()
        return super().sizeHint() + QSize(more, 0)


_GAP = " &nbsp;&nbsp; "  # between parts in a line; of wider spaces Qt leaves one
_SMALL = re.compile(r"\s*<small>.*?</small>")


class CornerText(QLabel):
    """Rich text that ignores the mouse. In a narrow plot it omits what is in `<small>`, then wraps."""

    def __init__(self, parent: QWidget, alignment: Qt.AlignmentFlag) -> None:
        super().__init__(parent)
        self._whole = self._below = ""
        self._sharing = 0, 0  # parts, and the available width
        self._begins: frozenset[int] = frozenset()  # parts at the start of a line
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(alignment | Qt.AlignmentFlag.AlignVCenter)

    def write(self, text: str, below: str = "") -> bool:
        """Set the text, whose parts are separated by ``<br>``, and a line below it; False if nothing changes. `fit`
        shows them."""
        changed = (text, below) != (self._whole, self._below)
        self._whole, self._below = text, below
        return changed

    def fit(self, room: int) -> None:
        """Resize to the text, at most `room` pixels wide, with as many parts per line as fit."""
        self.setWordWrap(False)
        for parts in (self._whole.split("<br>"), _SMALL.sub("", self._whole).split("<br>")):
            if self._sharing != (len(parts), room):
                self._sharing, self._begins = (len(parts), room), frozenset()
            for first in range(1, len(parts)):  # lines once full stay separate: numbers change length
                if not self._fits(self._line(parts, first), room):
                    self._begins |= {first}
            if self._fits(self._joined(parts), room):
                return
        self.setWordWrap(True)
        self.resize(room, self.heightForWidth(room))

    def _line(self, parts: list[str], last: int) -> str:
        """The text of the line that ends with part number `last`."""
        first = max((begin for begin in self._begins if begin <= last), default=0)
        return _GAP.join(parts[first : last + 1])

    def _joined(self, parts: list[str]) -> str:
        text = parts[0] + "".join(
            ("<br>" if number in self._begins else _GAP) + part for number, part in enumerate(parts[1:], 1)
        )
        return "<br>".join(part for part in (text, self._below) if part)

    def _fits(self, text: str, room: int) -> bool:
        if text != self.text():
            self.setText(text)
        self.adjustSize()
        return self.width() <= room
