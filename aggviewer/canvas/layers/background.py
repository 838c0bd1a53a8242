"""Slow layers: computed on a thread from the newest frame, for a limited share of the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from aggviewer.canvas.layers.layer import Layer, Moment
from aggviewer.latest_job import LatestJob
from engine.frame import Frame

DUTY = 0.25
"""Share of the time that the thread may work: after d seconds of work it rests for at least d / DUTY - d, except after
the first computation of a layer, most of which may be loading or compiling."""


@dataclass(frozen=True, eq=False)
class _Result:
    """The data of a layer for a frame, or its error."""

    layer: Layer
    moment: Moment
    data: Any
    error: Exception | None = None

    def fits(self, layer: Layer, moment: Moment) -> bool:
        """Whether it belongs to these discs and to this version of the layer."""
        return self.layer is layer and self.moment.same_discs(moment)


class BackgroundLayers:
    """A thread for one computation at a time. All calls come from the GUI thread.

    Parameters
    ----------
    on_done : called on the thread when a result is ready.
    clock : wall time in seconds.
    """

    def __init__(self, on_done: Callable[[], None], clock: Callable[[], float] = time.perf_counter) -> None:
        self._on_done = on_done
        self._clock = clock
        self._results: dict[str, _Result] = {}
        self._waiting: dict[str, tuple[Layer, Moment]] = {}  # the newest frame for each layer, owned by the caller
        self._working = False
        self._begun: set[Layer] = set()  # used only by the thread
        self._last = ""
        self._not_before = 0.0
        self._thread = LatestJob("aggviewer-layers")

    def take(self, layer: Layer, moment: Moment) -> Any:
        """The latest available data of the layer, None before there are any.

        Raises the layer's exception.
        """
        self._waiting[layer.name] = layer, moment
        self.go_on()
        result = self._results.get(layer.name)
        if result is None or not result.fits(layer, moment):
            return None
        if result.error is not None:
            del self._results[layer.name]
            raise result.error
        return result.data

    def known(self) -> dict[str, Any]:
        """The latest results for the present discs, by the names of the layers; no errors."""
        found = {}
        for name, (layer, moment) in self._waiting.items():
            result = self._results.get(name)
            if result is not None and result.error is None and result.fits(layer, moment):
                found[name] = result.data
        return found

    def behind(self) -> float | None:
        """Seconds until the thread takes the next computation; None if there is none."""
        return max(self._not_before - self._clock(), 0.0) if self._due() else None

    def go_on(self) -> None:
        """Start the next layer whose result is not of the newest frame, if the thread is free and has rested."""
        due = self._due()
        if not due or self._working or self._clock() < self._not_before:
            return
        # in turn
        name = next((name for name in due if name > self._last), due[0])
        self._last = name
        layer, moment = self._waiting[name]
        copy = Frame.empty(0)
        copy.take(moment.frame)
        self._working = True
        self._thread.submit(partial(self._take, layer, replace(moment, frame=copy)))

    def forget(self, shown: set[str]) -> None:
        """Keep only the results of these layers."""
        for kept in (self._results, self._waiting):
            for name in [name for name in list(kept) if name not in shown]:
                kept.pop(name, None)

    def close(self) -> None:
        """End the thread when its computation is done."""
        self._thread.close()

    def _due(self) -> list[str]:
        found = []
        for name in sorted(self._waiting):
            layer, moment = self._waiting[name]
            result = self._results.get(name)
            fits = result is not None and result.fits(layer, moment)
            if not fits or result is None or not _same_state(result.moment, moment):
                found.append(name)
        return found

    def _take(self, layer: Layer, moment: Moment) -> None:
        """On the thread."""
        began = self._clock()
        try:
            result = _Result(layer, moment, layer.take(moment))
        except Exception as error:  # a plug-in may raise anything
            result = _Result(layer, moment, None, error)
        took = self._clock() - began
        self._results[layer.name] = result
        self._not_before = began + took / DUTY if layer in self._begun else 0.0
        self._begun.add(layer)
        self._working = False
        self._on_done()


def _same_state(one: Moment, other: Moment) -> bool:
    """Whether a layer draws the same for both moments, which have the same discs."""
    return one.frame.time == other.frame.time and one.hidden is other.hidden
