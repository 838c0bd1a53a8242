"""Averages over the states of a run (`run --average-from`), measured at even times, or over the frames of a file
(`analyse --frames`), with errors from blocks (`engine.analysis.averages`)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from aggviewer.cli.output import AtEvenTimes
from aggviewer.plots.drawing import number_with
from engine.errors import InputError
from engine.indicators import Indicator, registered
from engine.system import system_of
from engine.words import count, typeset

if TYPE_CHECKING:
    from engine.analysis import Average, Averages
    from engine.simulation import Simulation


class RunAverages(AtEvenTimes):
    """Averages the indicators of a simulation, and keeps the averages so far of those that are numbers, for series.csv.

    Attributes
    ----------
    indicators, averages : what is averaged, and the averages so far.
    """

    def __init__(self, simulation: Simulation, begin: float, every: float | None) -> None:
        from engine.analysis import Averages

        super().__init__(simulation, begin, every)
        self._system = system_of(simulation.scenario)
        self.indicators: tuple[Indicator, ...] = (*self._system.indicators(), *registered())
        self.averages: Averages = Averages(self.indicators)
        self._rows: list[tuple[float, dict[str, Average]]] = []
        self._frame = simulation.frame()
        self.look()

    def _take(self) -> None:
        frame = self._simulation.frame(self._frame)
        self.averages.add(frame.time, self._system.sample(self._simulation, frame))
        self._rows.append((frame.time, self.averages.averages(numbers_only=True)))

    def columns(self) -> tuple[list[str], list[dict[str, float]]]:
        """The names of further columns of series.csv, and their rows by name, with the ``time``."""
        names = list(dict.fromkeys(name for _, known in self._rows for name in known))
        rows = [
            {"time": time}
            | {f"{name}_average": one.value for name, one in known.items()}
            | {f"{name}_error": one.errors.get("", math.nan) for name, one in known.items()}
            for time, known in self._rows
        ]
        return [f"{name}_{what}" for name in names for what in ("average", "error")], rows

    def in_json(self) -> dict[str, Any]:
        """The averages at the end, ready for JSON."""
        from engine.analysis.averages import in_json

        return in_json(self.averages, self.indicators)


def in_lines(found: dict[str, Any], indicators: Sequence[Indicator]) -> Iterator[tuple[str, str]]:
    """Lines for people from averages in JSON: the states, and each mean that is a number, with its error."""
    if not found["states"]:
        yield "averages", "none, no state was reached"
        return
    times = f"t = {typeset(found['from'], '.6g')} to {typeset(found['to'], '.6g')}"
    yield "averages over", f"{count(found['states'])} state{'' if found['states'] == 1 else 's'}, {times}"
    for one in indicators:
        known = found["indicators"].get(one.name)
        if known is not None and isinstance(known["value"], float):
            label = f"mean {one.label} {one.symbol}".rstrip()
            doubt = "" if known["settled"] else " (the error is too small: the run is short)"
            yield (
                f"{label} [{one.unit}]" if one.unit else label,
                number_with(known["error"], known["value"], typeset(known["value"], ".6g")) + doubt,
            )


_RANGE = re.compile(r"(-?\d+)?:(-?\d+)?")


def chosen_frames(text: str, every: int | None, count: int) -> range:
    """The numbers of the frames ``A:B`` of `count`, of which every `every`-th is taken. InputError for another text,
    and if there are none."""
    found = _RANGE.fullmatch(text)
    if found is None:
        raise InputError(f"--frames must be A:B, such as 100: or 0:50, not {text}", "frames")
    if every is not None and every < 1:
        raise InputError(f"--every must be a whole number of at least 1, not {every}", "every")
    begin, end = (None if one is None else int(one) for one in found.groups())
    chosen = range(count)[begin:end:every]
    if not chosen:
        raise InputError(f"--frames {text} has no frames; those of the file are 0 to {count - 1}", "frames")
    return chosen
