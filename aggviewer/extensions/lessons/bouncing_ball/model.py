"""The two falls of the lesson, and their pictures at an event or during the flight after it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log10, pi, sin, sqrt, ulp

import numpy as np
from numpy.typing import NDArray

from engine.hard_discs.ball import BallEvent, Detection, Drop, ExactImpact, Fall, exact_contact, exact_impacts, fall

LIMIT = 1000
"""The most events that the lesson follows; a ball with ε = 0.95 is at rest after fewer."""

_LEAST_ULPS = 6.0  # the least height of a view, in units in the last place: there is nothing smaller to see
_HEADROOM = 1.25  # height of a view relative to the peak of the flight
_ZOOM_FROM = 0.55  # fraction of a flight after which the view zooms to that of the next flight
_SLOWER = 0.8  # how much motion is slowed near impacts: 0 for even motion, below 1
_FALLEN = 3.0  # how far a ball falls that no event stops, in heights of the view


@dataclass(frozen=True)
class BallPicture:
    """The contents of a view. Lengths are gaps between plate and ball, in the unit of the drop.

    Parameters
    ----------
    gap : the position of the ball.
    top : the height of the view.
    peak : the highest point of this flight, None if there is none.
    event : the last event.
    fallen : whether the ball has fallen through the plate and out of the view.
    """

    gap: float
    top: float
    peak: float | None
    event: BallEvent
    fallen: bool


class BallStory:
    """The fall of one ball with naive and with stable detection. Event 0 of both is the release.

    Parameters
    ----------
    drop : the ball.
    stored : what stable detection stores: the height (``stable``) or the gap (``gap``).
    """

    def __init__(self, drop: Drop, stored: Detection = "stable") -> None:
        self.drop = drop
        self.naive: Fall = fall(drop, "naive", LIMIT)
        self.stable: Fall = fall(drop, stored, LIMIT)
        self.contact: Fraction = exact_contact(drop)
        impacts = max(len(self.naive.events), len(self.stable.events))
        self._exact = exact_impacts(drop, impacts)
        # after naive detection has halted, the fall through the plate is shown
        self.last = max(len(self.naive.events) - (0 if self.naive.halted else 1), len(self.stable.events) - 1)

    @property
    def times(self) -> NDArray[np.float64]:
        """The numbers of the events, 0 … `last`, (K,); this is a source (`aggviewer.session.past.memory.Source`)."""
        return np.arange(self.last + 1, dtype=np.float64)

    def at(self, index: int) -> tuple[BallEvent, BallEvent]:
        """Event `index` with naive and with stable detection; the last event if a fall has fewer."""
        return self.event(self.naive, index), self.event(self.stable, index)

    def fall(self, name: str) -> Fall:
        """The fall with ``naive`` or with ``stable`` detection."""
        return self.naive if name == "naive" else self.stable

    def exact(self, number: int) -> ExactImpact | None:
        """An impact in exact arithmetic by its number; None for the release."""
        return self._exact[number - 1] if 0 < number <= len(self._exact) else None

    @staticmethod
    def event(one: Fall, number: int) -> BallEvent:
        """An event of a fall by its number; the last event for larger numbers."""
        return one.events[min(number, len(one.events) - 1)]

    def picture_at(self, one: Fall, number: int, share: float) -> BallPicture:
        """The picture of a fall after event `number`, at the fraction 0 … 1 of the time to the next event."""
        event = self.event(one, number)
        top = self._top(one, number)
        through = one.halted and number >= len(one.events) - 1
        if through:
            gone = number > len(one.events) - 1
            gap = -_FALLEN * top if gone else self._fall_through(event, top, share)
            return BallPicture(gap, top, event.gap + event.rebound, event, gone or gap < -top)
        if number < len(one.events) - 1:
            zoom = _smooth((share - _ZOOM_FROM) / (1.0 - _ZOOM_FROM))
            top = 10.0 ** ((1.0 - zoom) * log10(top) + zoom * log10(self._top(one, number + 1)))
            time = _warped(share) * one.events[number + 1].flight
            gap = event.gap + (event.velocity * time - 0.5 * self.drop.gravity * time * time)
            return BallPicture(gap, top, event.gap + event.rebound if event.rebound > 0.0 else None, event, False)
        return BallPicture(event.gap, top, None, event, False)

    def _fall_through(self, event: BallEvent, top: float, share: float) -> float:
        """The gap in a flight that no event ends. At the fraction 1 the ball is outside the view, whatever its
        height."""
        g = self.drop.gravity
        time = share * (event.velocity + sqrt(event.velocity**2 + 2.0 * g * _FALLEN * top)) / g
        return event.gap + (event.velocity * time - 0.5 * g * time * time)

    def _top(self, one: Fall, number: int) -> float:
        event = self.event(one, number)
        peak = max(event.gap, 0.0) + event.rebound
        if one.detection == "gap" and peak > 0.0:
            return _HEADROOM * peak  # gaps have no unit in the last place that would limit the zoom
        return max(_HEADROOM * peak, _LEAST_ULPS * self.ulp)

    @property
    def ulp(self) -> float:
        """The unit in the last place of the height r at contact."""
        return ulp(self.drop.contact)


def _smooth(x: float) -> float:
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def _warped(share: float) -> float:
    """The distance 0 … 1 that an animated ball has covered after a share 0 … 1 of the time, with slow ends."""
    return share - _SLOWER * sin(2.0 * pi * share) / (2.0 * pi)
