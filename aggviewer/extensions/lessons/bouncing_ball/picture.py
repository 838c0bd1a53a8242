"""The plots of the lesson, without Qt: the ball above its plate, and how its falls on a thousand plates end.

The axis of the first zooms in with the bounces until single floats are visible.
"""

from __future__ import annotations

from functools import partial
from html import escape
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from aggviewer.extensions.lessons.bouncing_ball.digits import in_ulps, short
from aggviewer.extensions.lessons.bouncing_ball.model import BallPicture
from aggviewer.plots.drawing import NO_VALUES, PLAIN, Axes, PlotDrawing, PlotSeries, Role, Ticks, drawing
from aggviewer.style.numbers import linear_ticks
from engine.hard_discs.ball import DETECTIONS, BallSample, Drop, sample
from engine.words import count

BALL_AXES = Axes("", "", x_ticks=Ticks(()), name="Ball over its plate")
BALL_TIP = (
    "The gap under the ball, f = r − r_plate − σ/2 (11). The axis shrinks with the bounces;\n"
    "dotted lines are the heights that floats can represent. The ball is not to scale.\n"
    "Click to show this ball in the table."
)
RULES = {"naive": "hits when the gap f is next 0", "stable": "hits when f ≤ 0 and it is falling"}
"""The rule for an impact in each detection."""
_STATES = {"release": "released", "impact": "bounces", "peak": "stopped", "rest": "at rest", "halt": "no next event"}
LOW, HIGH = -0.35, 1.5
"""The limits of the axis, in heights of the picture."""
_MOST_FLOATS = 40  # most floats drawn over the height of the picture
_TICKS = 5
_BALL = 56.0  # pixels across


def state(shown: BallPicture) -> str:
    """What the ball is doing, in one or two words."""
    return "fell through" if shown.fallen else _STATES[shown.event.kind]


def axis_ticks(top: float) -> list[tuple[float, str]]:
    """The labelled ticks of the axis, in heights `top` of the picture, and their gaps."""
    return [(gap / top, short(float(f"{gap:.6g}"))) for gap in linear_ticks(0.0, HIGH * top, _TICKS)]


def ball_drawing(shown: BallPicture, ulp: float, offset: float, pixels: float) -> PlotDrawing:
    """Series ``ground``, ``plate``, ``floats``, ``peak`` and ``ball``. Gaps are in heights of the picture, since Qt
    treats lengths below 10⁻¹² as 0.

    Parameters
    ----------
    shown : the position of the ball and the height of the picture.
    ulp : the distance between neighbouring floats near contact; 0 where they are too close to matter.
    offset : the gap at the float that is nearest to contact.
    pixels : height of the axis on the screen, where the ball has a fixed size and lies above its gap.
    """
    top = shown.top
    ground = np.array([LOW, LOW], np.float64)
    series = [
        PlotSeries("ground", np.array([0.0, 1.0]), ground, "band", PLAIN, error=-ground),
        PlotSeries("plate", NO_VALUES, np.zeros(1), "level", PLAIN),
    ]
    if floats_seen(shown, ulp):
        numbers = np.arange(ceil((LOW * top - offset) / ulp), floor((HIGH * top - offset) / ulp) + 1)
        at = np.asarray((offset + ulp * numbers) / top, np.float64)
        series.append(PlotSeries("floats", NO_VALUES, at, "level", Role("guide"), dash="dotted"))
    if shown.peak is not None and not shown.fallen:
        peak = np.array([shown.peak / top])
        series.append(PlotSeries("peak", NO_VALUES, peak, "level", Role("law"), dash="dashed", labels=("peak",)))
    radius = 0.5 * _BALL * (HIGH - LOW) / max(pixels, _BALL)
    middle = np.array([LOW if shown.fallen else shown.gap / top + radius])
    ball = PlotSeries("ball", np.array([0.5]), middle, "points", PLAIN, marker="o", size=_BALL, hollow=shown.fallen)
    return drawing([*series, ball], (0.0, 1.0, LOW, HIGH))


def floats_seen(shown: BallPicture, ulp: float) -> bool:
    """Whether the floats in the height of the picture are few enough to draw a line for each."""
    return bool(ulp) and shown.top < _MOST_FLOATS * ulp


def ball_text(name: str, shown: BallPicture, ulp: float, colour: str, lost: str) -> str:
    """The text above a picture, rich text: the detection, the state of the ball, the rule, and the gap if it is small.

    colour : of the ball; lost : of the words for a lost ball.
    """
    gone = shown.fallen or shown.event.kind == "halt"
    does = f"<span style='color:{lost}'>{state(shown)}</span>" if gone else state(shown)
    lines = [f"<b style='color:{colour}'>{name.capitalize()} detection</b> · {does}", escape(RULES[name])]
    if floats_seen(shown, ulp) and shown.event.kind != "release":
        where = "below the plate" if shown.fallen else f"f = {in_ulps(shown.gap / ulp)} ulp"
        lines.append(f"{where} · dotted: floats")
    return "<br>".join(lines)


COUNT = 1000
PLATES_AXES = Axes("height of the plate", "events", y_log=True, name=f"{COUNT} plates")
PLATES_TIP = (
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
    return f"{count(events[k])} events, {_ENDS[name]}"


def plates_text(naive: BallSample, stable: BallSample, colour: str) -> str:
    """How the falls end, in words (rich text); colour : of those at which naive detection halts."""
    halted, rests = int(naive.halted.sum()), int(naive.at_rest.sum())
    mean = naive.mean_events_at_halt
    after = "" if mean is None else f", on average after {count(mean)} events"
    parts = [f"<span style='color:{colour}'>●</span> {halted} of {COUNT} halt{after}", f"{rests} come to rest"]
    if halted + rests < COUNT:
        parts.append(f"<span style='color:{colour}'>○</span> {COUNT - halted - rests} never rest")
    all_rest = bool(stable.at_rest.all())
    parts.append("stable: none halts, all come to rest" if all_rest else "stable: none halts")
    return " · ".join(parts)
