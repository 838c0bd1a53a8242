"""What stands beside the picture in the film of a lesson: the step's text, its question, what was measured, and why."""

from __future__ import annotations

from html import escape
from pathlib import Path

from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter, QTextDocument

from aggviewer.lessons.answers import Measurement
from aggviewer.lessons.expressions import Comparison
from aggviewer.lessons.model import Predict, Step
from aggviewer.style.formula_pictures import Ink, rich_html
from aggviewer.style.theme import Colors

_LINES = 33.0  # of text in the height of a film
_SMALLEST = 0.6  # of that size, for a text that would not fit
_MARGIN = 1.0  # lines
_LIST = ' style="margin-left: 18px; -qt-list-indent: 0">'


class Caption:
    """Paints captions.

    Parameters
    ----------
    size : width and height in pixels.
    folder : of the lesson, with its pictures.
    colors : of text and ground.
    """

    def __init__(self, size: tuple[int, int], folder: Path, colors: Colors) -> None:
        self._size, self._folder, self._colors = size, folder, colors

    def paint(self, number: int, count: int, step: Step, task: str, told: str, explain: bool) -> QImage:
        """A caption.

        Parameters
        ----------
        number, count : of the step, from 1, and of all steps.
        task : HTML of what is asked or done, with formulas between dollar signs.
        told : HTML of what was measured; both may be empty.
        explain : whether the explanation is there already.
        """
        width, height = self._size
        image = QImage(width, height, QImage.Format.Format_RGBA8888_Premultiplied)
        image.fill(QColor(self._colors.window))
        scale = 1.0
        while True:
            pixels = max(8, round(scale * height / _LINES))
            document = self._document(number, count, step, task, told, explain, pixels)
            if document.size().height() <= height - 2.0 * _MARGIN * pixels or scale <= _SMALLEST:
                break
            scale -= 0.05
        with QPainter(image) as painter:
            painter.fillRect(QRectF(0.0, height - 4.0, width * number / count, 4.0), QColor(self._colors.accent))
            painter.translate(_MARGIN * pixels, _MARGIN * pixels)
            document.drawContents(painter)
        return image

    def _document(
        self, number: int, count: int, step: Step, task: str, told: str, explain: bool, pixels: int
    ) -> QTextDocument:
        colors, width = self._colors, self._size[0] - round(2.0 * _MARGIN * pixels)
        ink = Ink(QGuiApplication.font().family(), pixels, colors.text)

        def rich(text: str) -> str:
            html = rich_html(text, ink, self._folder, width - 8)
            return html.replace("<ul>", f"<ul{_LIST}").replace("<ol>", f"<ol{_LIST}")

        parts = [
            f'<p style="color:{colors.muted}">{number} of {count}</p>',
            f'<p style="font-size:{round(1.4 * pixels)}px; font-weight:600">{escape(step.title)}</p>',
            rich(step.say) if step.say else "",
            rich(task) if task else "",
            f'<div style="color:{colors.accent}">{rich(told)}</div>' if told else "",
        ]
        if explain:
            parts += [rich(text) for text in (step.explain, step.equation) if text]
        document = QTextDocument()
        font = QFont(QGuiApplication.font())
        font.setPixelSize(pixels)
        document.setDefaultFont(font)
        document.setDocumentMargin(0.0)
        document.setDefaultStyleSheet(f"p, li {{ margin-top: 0px; margin-bottom: {round(0.6 * pixels)}px; }}")
        document.setHtml(f'<body style="color:{colors.text}">{"".join(parts)}</body>')
        document.setTextWidth(width)
        return document


def task_of(step: Step) -> str:
    """What a step asks for, or what is done in it, as a text of the lesson."""
    if step.predict is not None:
        choices = "".join(f"\n- {one.text}" for one in step.predict.choices)
        return f"{step.predict.ask}\n{choices}"
    return step.do.what if step.do is not None else ""


def told_of(step: Step, question: Predict | None, found: Measurement | None) -> str:
    """What a step has measured, and which of several answers is right, as a text of the lesson."""
    measure = step.measure
    if measure is None or found is None:
        return ""
    unit = measure.unit or ("" if question is None else question.unit)
    words = f"{measure.name}: **{found.told(measure.digits, unit)}**"
    right = [one.text for one in question.choices if Comparison(one.when).met(found.value)] if question else []
    return f"{words}\n\nThe answer is: **{right[0]}**" if right else words


def seconds_to_read(*texts: str) -> float:
    """How long somebody takes to read texts."""
    return 1.5 + sum(len(text.split()) for text in texts) / 4.0
