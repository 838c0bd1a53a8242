"""A ball on many plates (Bannerman et al. 2014, figure 7): how often each way of detection finds no next event."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs.ball import DETECTIONS, LIMIT, BallSample, Drop, sample
from engine.hard_discs.theory import rest_time

_POINTS = 60  # of the curve of those that continue


def origins(count: int, seed: int) -> NDArray[np.float64]:
    """Places r_plate of plates, (count,), uniform in [0, 1] and random to the last digit of a float.

    The numbers of a generator have 53 digits after the point, which is fewer than a float below 1/2 has: three of four
    contacts would be exact, and no rounding would be left to decide how the fall ends.
    """
    rng = np.random.default_rng(seed)
    return rng.random(count) + rng.random(count) * 2.0**-53


def on_plates(count: int, seed: int, restitution: float) -> dict[str, Any]:
    """Let a ball fall on `count` plates by each way of detection (`engine.hard_discs.ball`), ready for JSON.

    Returns
    -------
    ``naive``, ``stable`` and ``gap``, each with the shares of the plates on which the ball ``halted`` because no next
    event was found, is ``at_rest``, or still ``bounces`` after `LIMIT` events; ``events_to_halt`` and
    ``events_to_rest`` on average, None if there is none; and ``off``, the largest relative difference of the time of
    rest from the closed form. ``naive_goes_on``: the share of the plates with more ``events`` than so many before naive
    detection halts.
    """
    drop = Drop(restitution=restitution)
    plates = origins(count, seed)
    found = {detection: sample(plates, detection, drop) for detection in DETECTIONS}
    end = rest_time(drop.drop, drop.gravity, restitution)
    summaries: dict[str, Any] = {detection: _summary(one, end) for detection, one in found.items()}
    naive = found["naive"]
    halts = np.sort(naive.events[naive.halted])
    events = np.unique(np.geomspace(10, LIMIT, _POINTS).round().astype(np.int64))
    goes_on = 1.0 - np.searchsorted(halts, events, side="right") / count
    return summaries | {"naive_goes_on": {"events": events.tolist(), "share": goes_on.tolist()}}


def _summary(found: BallSample, end: float) -> dict[str, float | None]:
    """The row of `on_plates` for one way of detection; end : the time of rest by the closed form."""
    rests = found.at_rest
    return {
        "halted": found.fraction_halted,
        "at_rest": float(rests.mean()),
        "bounces": float((~(found.halted | rests)).mean()),
        "events_to_halt": found.mean_events_at_halt,
        "events_to_rest": float(found.events[rests].mean()) if rests.any() else None,
        "off": float(np.abs(found.time[rests] / end - 1.0).max()) if rests.any() else None,
    }
