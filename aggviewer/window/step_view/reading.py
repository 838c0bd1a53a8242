"""What is read of a step: an explanation, the iteration with its residual, and the plot of the residual."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from aggviewer.plots.axes import power_text
from aggviewer.plots.drawing import NO_VALUES, PLAIN, Axes, PlotSeries, Role, level
from aggviewer.plots.series_style import ShownSeries, style_of
from aggviewer.plots.view import PlotView
from aggviewer.session.step.story import StepStory, StoryFrame, counted
from aggviewer.style.theme import DARK, Colors, tabular

_LEAST = 1e-16
_HEIGHT = 104  # pixels of the plot
_AXES = Axes("", "max |φ| / s", y_log=True, name="Residual over the iterations")
_TIP = (
    "Residual: the largest |φ| / s (3.4) of any link after each iteration.\n"
    "Dashed: the tolerance at which a contact holds. A click goes to that iteration."
)


class ResidualPlot(PlotView):
    """The residual over the iterations of a step; a click tells of an iteration: ``chosen(index)``, 0…Q - 1."""

    chosen = pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__(_AXES)
        self._colors: Colors = DARK
        self._series: list[PlotSeries] = []
        self._count = 0
        self.cursor: int | None = None
        self.setToolTip(_TIP)
        self.clicked.connect(self._on_click)

    def set_story(self, residual: NDArray[np.float64], rounds: list[int], tolerance: float) -> None:
        """Another step.

        Parameters
        ----------
        residual : (Q,), after each iteration.
        rounds : how many iterations there are before each round.
        tolerance : at which a contact holds.
        """
        values = np.maximum(np.nan_to_num(residual, nan=1e3, posinf=1e3), _LEAST)
        self._count = count = len(values)
        number = np.arange(1.0, count + 1.0)
        curve = PlotSeries(
            "residual",
            number,
            values,
            role=Role("method", "time-stepping"),
            words=lambda k: f"iteration {k + 1}: {power_text(values[k], 2)}",
        )
        begins = np.array(rounds[1:], float) + 0.5
        self._series = (
            [PlotSeries("rounds", begins, NO_VALUES, "upright", Role("guide"), shared=True), curve] if count else []
        )
        self._series += [level("tolerance", tolerance, dash="dashed")] if count else []
        self.set_empty("" if count else "no iterations")
        if count:
            low, high = min(float(values.min()), tolerance), max(float(values.max()), tolerance)
            self.set_bounds((1.0, max(2.0, float(count)), low / 2.0, high * sqrt(10.0)))
        self.follow()
        self.set_cursor(None)

    def set_cursor(self, index: int | None) -> None:
        """The iteration that is shown."""
        self.cursor = index
        self._show()

    def set_theme(self, theme: Colors) -> None:
        """Follow the colours of a theme."""
        super().set_theme(theme)
        self._colors = theme
        self._show()

    def _show(self) -> None:
        series = self._series
        if self.cursor is not None:
            now = PlotSeries("now", np.array([self.cursor + 1.0]), NO_VALUES, "upright", PLAIN, shared=True)
            series = [*series, now]
        self.show_series([ShownSeries(one.key, one, style_of(one, self._colors)) for one in series])

    def _on_click(self, iteration: float, _residual: float) -> None:
        if self._count:
            self.chosen.emit(min(max(round(iteration) - 1, 0), self._count - 1))


_NARROW, _WIDE = 160, 240  # pixels of the plot
_ROOM = 720  # width of the bar from which the plot is wide
_FOUR_LINES = 480  # width below which an explanation takes four lines


class StepReading(QWidget):
    """The explanation of a tick with its numbers, and the plot beside them."""

    def __init__(self) -> None:
        super().__init__()
        self._total = 0
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.numbers = QLabel()
        self.numbers.setFont(tabular())
        self.numbers.setProperty("quiet", True)
        self.curve = ResidualPlot()
        words = QVBoxLayout()
        words.addWidget(self.text)
        words.addWidget(self.numbers)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addLayout(words, 1)
        row.addWidget(self.curve)

    def set_story(self, story: StepStory) -> None:
        """Another step."""
        self._total = len(story.trace.residual)
        rounds = [chapter.before for chapter in story.chapters if chapter.kind == "minimisation"]
        self.curve.set_story(story.trace.residual, rounds, story.trace.tolerance)

    def show_frame(self, frame: StoryFrame) -> None:
        """Where the story is."""
        self.text.setText(frame.text)
        self.text.setToolTip(frame.text)
        self.curve.set_cursor(frame.chapter.before + frame.iteration - 1 if frame.iteration else None)
        if frame.iteration is None:
            self.numbers.setText(counted(self._total, "iteration") if self._total else "")
            return
        residual = "" if frame.residual is None else f"\nresidual {power_text(max(frame.residual, _LEAST), 2)}"
        self.numbers.setText(f"iteration {frame.iteration} of {frame.chapter.last - frame.chapter.first}{residual}")

    def show_message(self, text: str) -> None:
        """Words alone."""
        self.text.setText(text)
        self.text.setToolTip("")
        self.numbers.setText("")

    def fit(self, width: int) -> None:
        """Sizes for a bar of this width."""
        lines = QFontMetrics(self.numbers.font()).lineSpacing()
        self.text.setFixedHeight((3 if width >= _FOUR_LINES else 4) * lines + 2)
        self.numbers.setFixedHeight(2 * lines)
        self.curve.setFixedSize(_WIDE if width >= _ROOM else _NARROW, _HEIGHT)
