"""How the ball's falls on a thousand plates end, as a plot. No Qt."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from aggviewer.plots.drawing import NO_VALUES, PLAIN, Axes, PlotDrawing, PlotSeries, drawing
from engine.hard_discs.ball import DETECTIONS, BallSample, Drop, sample

COUNT = 1000
AXES = Axes("height of the plate", "events", y_log=True, name=f"{COUNT} plates")
TIP = (
    f"{COUNT} plates between 0 and 1: the same fall, shifted, with naive detection. Upwards: the number of events.\n"
    "Click a point to use its plate; ↑ and ↓ for the previous and next one."
)
_SEED = 7
_ENDS = {"halted": "no next event", "rest": "comes to rest", "endless": "never rests"}


def plates() -> NDArray[np.float64]:
    """The heights of the plates, (n,), ascending in [0, 1], with random last digits."""
    rng = np.random.default_rng(_SEED)
    return np.sort(rng.random(COUNT) + rng.random(COUNT) * 2.0**-53)


def next_plate(plate: float, step: int) -> float:
    """The plate of `plates` above (step 1) or below (-1) this one; after the last comes the first."""
    values = plates()
    at = np.searchsorted(values, plate, side="right") if step > 0 else np.searchsorted(values, plate) - 1
    return float(values[int(at) % COUNT])


def sampled(drop: Drop) -> tuple[BallSample, BallSample]:
    """How the falls of a ball on all plates end with naive and with stable detection. Takes seconds to compile the
    first time."""
    naive, stable = (sample(plates(), detection, drop) for detection in DETECTIONS[:2])
    return naive, stable


def plates_drawing(naive: BallSample, plate: float) -> PlotDrawing:
    """The events of a naive fall on each plate, by how it ends (keys ``halted``, ``rest`` and ``endless``), and a line
    at `plate`."""
    endless = ~(naive.halted | naive.at_rest)
    series = [
        PlotSeries(
            name,
            naive.origins[these],
            np.maximum(naive.events[these], 1).astype(np.float64),
            "points",
            PLAIN,
            marker="o",
            size=4.0,
            hollow=name == "endless",
            words=partial(_words, naive.events[these], name),
            clicked=True,
        )
        for name, these in (("rest", naive.at_rest), ("endless", endless), ("halted", naive.halted))
    ]
    series.append(PlotSeries("now", np.array([plate]), NO_VALUES, "upright", PLAIN))
    least, most = max(1, int(naive.events.min())), int(naive.events.max())
    return drawing(series, (0.0, 1.0, least / 2.0, 30.0 * most))


def _words(events: NDArray[np.int32], name: str, k: int) -> str:
    return f"{events[k]} events, {_ENDS[name]}"


def plates_text(naive: BallSample, stable: BallSample, colour: str) -> str:
    """How the falls end, in words (rich text); colour : of those at which naive detection halts."""
    halted, rests = int(naive.halted.sum()), int(naive.at_rest.sum())
    mean = naive.mean_events_at_halt
    after = "" if mean is None else f", on average after {mean:.0f} events"
    parts = [f"<span style='color:{colour}'>●</span> {halted} of {COUNT} halt{after}", f"{rests} come to rest"]
    if halted + rests < COUNT:
        parts.append(f"<span style='color:{colour}'>○</span> {COUNT - halted - rests} never rest")
    all_rest = bool(stable.at_rest.all())
    parts.append("stable: none halts, all come to rest" if all_rest else "stable: none halts")
    return " · ".join(parts)
