"""The class sheet: all answers that were counted in front of a class, as a table, or for print."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from statistics import median

from aggviewer.lessons.answers import Measurement, is_right, said, told
from aggviewer.lessons.counting import Bars, bars_of, nearness, right_of, summed_up
from aggviewer.lessons.model import Predict
from aggviewer.lessons.player import LessonPlayer
from aggviewer.lessons.source import Found
from aggviewer.lessons.worksheet.axes import HEIGHT, WIDTH, svg_picture, svg_text
from aggviewer.lessons.worksheet.sheet import Look, Piece, row
from aggviewer.lessons.worksheet.writing import FORMATS
from aggviewer.style.rich_text import spoken
from engine.errors import InputError, either
from engine.files.atomic import replacing

COLUMNS = (
    "lesson",
    "step",
    "id",
    "question",
    "unit",
    "answer_number",
    "answer",
    "measured",
    "measured_error",
    "right",
)
"""Of the table. One row an answer; what was not measured is empty; right is 1 or 0."""

SUFFIXES = (".csv", *FORMATS)
"""Of the files that can be written."""

_LEFT, _RIGHT, _TOP, _BELOW = 16.0, 16.0, 30.0, 34.0  # around the bars of a printed sheet


def write_class_sheet(player: LessonPlayer, path: Path) -> None:
    """Write all counted answers of a lesson; a file that is there is replaced when the sheet is complete.

    Raises
    ------
    InputError
        The suffix is none of `SUFFIXES`, or the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"the class sheet {path.name} must end in {either(SUFFIXES)}", str(path))
    try:
        with replacing(path) as partial:
            if suffix == ".csv":
                _write_table(player, partial)
            else:
                FORMATS[suffix](player.found, lambda found, look: _pieces(player, found, look), partial)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}", str(path)) from None


def rows(player: LessonPlayer) -> Iterator[dict[str, object]]:
    """One for each answer, with the names of `COLUMNS`."""
    for question, answers in _counted(player):
        found = player.found_for(question)
        for number, answer in enumerate(answers, 1):
            yield {
                "lesson": player.lesson.title,
                "step": player.step_of(question) + 1,
                "id": question.id,
                "question": " ".join(spoken(question.ask).split()),
                "unit": question.unit,
                "answer_number": number,
                "answer": said(question, answer) if question.kind == "choice" else repr(float(answer)),
                "measured": "" if found is None else repr(found.value),
                "measured_error": "" if found is None or found.error != found.error else repr(found.error),
                "right": "" if found is None else int(is_right(question, answer, found)),
            }


def _write_table(player: LessonPlayer, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows(player))


def _counted(player: LessonPlayer) -> Iterator[tuple[Predict, list[float | int]]]:
    """The questions that were answered, in the order of the lesson."""
    for question in player.lesson.predictions.values():
        answers = player.counted.of.get(question.id)
        if answers:
            yield question, answers


# for print


def _pieces(player: LessonPlayer, found: Found, look: Look) -> Iterator[Piece]:
    lesson = found.lesson
    yield Piece(
        f"<h1>{escape(lesson.title)}: what the class predicted</h1>"
        f'<p class="quiet">{escape(lesson.summary)} The numbers are those of the steps of the lesson.</p>'
        f"<p>Class {look.line(16)} &nbsp; Date {look.line(10)}</p>"
    )
    for question, answers in _counted(player):
        measured = player.found_for(question)
        inside = look.rich(question.ask)
        if question.kind == "choice":
            inside += _choices(question, answers, measured)
        else:
            inside += look.drawing(_PrintedBars(bars_of(question, answers, measured), measured))
            unit = escape(question.unit)
            listed = ", ".join(told(float(answer), 6) for answer in sorted(answers))
            inside += f"<p>Median {told(median(answers))} {unit}. All answers: {listed}.</p>"
        if measured is not None:
            gives = escape(measured.told(3, question.unit))
            inside += f"<p><b>Measured: {gives}.</b> {escape(summed_up(question, answers, measured))}</p>"
        else:
            inside += f'<p class="quiet">Not measured yet. An answer is right{escape(nearness(question))}.</p>'
        number = player.step_of(question)
        yield Piece(row(number + 1, lesson.step[number].title, inside), ruled=True)


def _choices(question: Predict, answers: list[float | int], measured: Measurement | None) -> str:
    counts: Mapping[float | int, int] = Counter(answers)
    lines = []
    for k, choice in enumerate(question.choices):
        mark = " ✓" if right_of(question, [k], measured) else ""
        lines.append(
            f'<tr><td align="right" width="48"><b>{counts.get(k, 0)}</b>&nbsp;&nbsp;</td>'
            f"<td>{escape(spoken(choice.text))}{mark}</td></tr>"
        )
    return f"<table>{''.join(lines)}</table>"


class _PrintedBars:
    """See `aggviewer.lessons.worksheet.axes.Drawing`: the answers as bars, those that are right in black."""

    def __init__(self, bars: Bars, measured: Measurement | None) -> None:
        self._bars, self._measured = bars, measured

    def svg(self) -> str:
        """The picture."""
        bars = self._bars
        bottom, across = HEIGHT - _BELOW, WIDTH - _LEFT - _RIGHT
        most = max(1, *(bar.count for bar in bars.bars))
        unit = (bottom - _TOP - 14.0) / most
        parts = [f'<path d="M{_LEFT} {bottom}H{WIDTH - _RIGHT}" stroke="#000" stroke-width="1.2"/>']
        for bar in bars.bars:
            left, right = (_LEFT + across * bars.share(end) for end in (bar.low, bar.high))
            y = bottom
            for count, fill in ((bar.right, "#000"), (bar.wrong, "#ccc")):
                if count:
                    y -= unit * count
                    parts.append(
                        f'<rect x="{left + 1.0:.1f}" y="{y:.1f}" width="{right - left - 2.0:.1f}" '
                        f'height="{unit * count:.1f}" fill="{fill}" stroke="#000" stroke-width="0.6"/>'
                    )
            if bar.count:
                parts.append(svg_text((left + right) / 2.0, y - 4.0, str(bar.count)))
        every = 1 + len(bars.ends) // 9
        for end in bars.ends[::every]:
            parts.append(svg_text(_LEFT + across * bars.share(end), bottom + 17.0, told(end)))
        if self._measured is not None:
            x = _LEFT + across * bars.share(self._measured.value)
            parts.append(
                f'<path d="M{x:.1f} {_TOP - 10.0}V{bottom}" stroke="#000" stroke-width="2" stroke-dasharray="6 3"/>'
            )
            anchor = "start" if x < WIDTH / 2 else "end"
            parts.append(svg_text(x + (5.0 if anchor == "start" else -5.0), 14.0, "measured", anchor))
        return svg_picture(parts)
