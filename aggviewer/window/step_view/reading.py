"""What is read of a step: an explanation, the iteration with its residual, and the curve of the residual."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from aggviewer.plots.axes import power_text
from aggviewer.session.step.story import StepStory, StoryFrame, counted
from aggviewer.style.theme import tabular
from aggviewer.window.step_view.residual_curve import ResidualCurve

_CURVE_NARROW, _CURVE_WIDE = 136, 216  # pixels
_FOUR_LINES = 480  # width below which an explanation takes four lines


class StepReading(QWidget):
    """One row. Where it is narrow, the numbers stand in the curve."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._frame: StoryFrame | None = None
        self._total = 0
        self._wide = True
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.numbers = QLabel()
        self.numbers.setFont(tabular())
        self.numbers.setProperty("quiet", True)
        self.numbers.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.curve = ResidualCurve()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        row.addWidget(self.text, 1)
        row.addWidget(self.numbers)
        row.addWidget(self.curve)

    def set_story(self, story: StepStory) -> None:
        """Another step."""
        self._total = len(story.trace.residual)
        rounds = [chapter.before for chapter in story.chapters if chapter.kind == "minimisation"]
        self.curve.set_story(story.trace.residual, rounds, story.trace.tolerance)

    def show_frame(self, frame: StoryFrame) -> None:
        """Where the story is."""
        self._frame = frame
        self.text.setText(frame.text)
        self.text.setToolTip(frame.text)
        self.curve.set_cursor(frame.chapter.before + frame.iteration - 1 if frame.iteration else None)
        self._write_numbers(frame)

    def show_message(self, text: str) -> None:
        """Words alone."""
        self._frame = None
        self.text.setText(text)
        self.text.setToolTip("")
        self.numbers.setText("")

    def _write_numbers(self, frame: StoryFrame) -> None:
        if frame.iteration is None:
            self.numbers.setText(counted(self._total, "iteration") if self._total else "")
            self.curve.set_caption("")
            return
        of = f"{frame.iteration} of {frame.chapter.last - frame.chapter.first}"
        value = "" if frame.residual is None else power_text(max(frame.residual, 1e-16), 2)
        self.numbers.setText(f"iteration {of}\nresidual {value}" if value else f"iteration {of}")
        self.curve.set_caption("" if self._wide else f"{of}: {value}" if value else of)

    def fit(self, width: int, *, wide: bool) -> None:
        """Sizes for a bar of this width; wide : there is room for the numbers beside the curve."""
        self._wide = wide
        metrics = QFontMetrics(self.numbers.font())
        height = (3 if width >= _FOUR_LINES else 4) * metrics.lineSpacing() + 2
        for widget in (self.text, self.numbers, self.curve):
            widget.setFixedHeight(height)
        self.numbers.setVisible(wide)
        self.numbers.setMinimumWidth(metrics.horizontalAdvance("iteration 000 of 000"))
        self.curve.setFixedWidth(_CURVE_WIDE if wide else _CURVE_NARROW)
        if self._frame is not None:
            self._write_numbers(self._frame)
