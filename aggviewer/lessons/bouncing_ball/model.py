"""The two falls of the lesson side by side, and where they are: an event and how far the flight after it has come."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log10, pi, sin, sqrt, ulp

from engine.hard_discs.ball import BallEvent, Detection, Drop, ExactImpact, Fall, exact_contact, exact_impacts, fall

LIMIT = 1000
"""Events that the lesson follows; a ball with ε = 0.95 is at rest after fewer."""

_LEAST_ULPS = 6.0  # units in the last place that a view is high: closer there is nothing more to see
_HEADROOM = 1.25  # of a view over the peak of the flight
_ZOOM_FROM = 0.55  # share of a flight after which the view goes over to the next one
_SLOWER = 0.8  # 0: even time; towards 1: slower near the impacts
_FALLEN = 3.0  # heights of the view that a ball falls which no event stops


@dataclass(frozen=True)
class Shown:
    """What a view draws. All lengths are gaps under the ball, in the unit of the drop.

    gap : where the ball is; top : height of the view; peak : of this flight, None where there is none; event : the last
    one that was carried out; fallen : the ball has gone through the plate and out of the view.
    """

    gap: float
    top: float
    peak: float | None
    event: BallEvent
    fallen: bool


class BallStory:
    """Naive detection beside the stable one, which stores height or gap. Event 0 of both is the release."""

    def __init__(self, drop: Drop, stored: Detection = "stable") -> None:
        self.drop = drop
        self.naive: Fall = fall(drop, "naive", LIMIT)
        self.stable: Fall = fall(drop, stored, LIMIT)
        self.contact: Fraction = exact_contact(drop)
        impacts = max(len(self.naive.events), len(self.stable.events))
        self._exact = exact_impacts(drop, impacts)
        # a halt is shown, and then the fall through the plate
        self.last = max(len(self.naive.events) - (0 if self.naive.halted else 1), len(self.stable.events) - 1)

    def exact(self, number: int) -> ExactImpact | None:
        """The impact of that number in exact arithmetic; None for the release."""
        return self._exact[number - 1] if 0 < number <= len(self._exact) else None

    @staticmethod
    def event(one: Fall, number: int) -> BallEvent:
        """The event of that number of one fall, its last one after that."""
        return one.events[min(number, len(one.events) - 1)]

    def shown(self, one: Fall, number: int, share: float) -> Shown:
        """What is seen of one fall, `share` 0 … 1 of the way in time from an event to the next."""
        event = self.event(one, number)
        top = self._top(one, number)
        through = one.halted and number >= len(one.events) - 1
        if through:
            gone = number > len(one.events) - 1
            gap = -_FALLEN * top if gone else self._fall_through(event, top, share)
            return Shown(gap, top, event.gap + event.rebound, event, gone or gap < -top)
        if number < len(one.events) - 1:
            zoom = _smooth((share - _ZOOM_FROM) / (1.0 - _ZOOM_FROM))
            top = 10.0 ** ((1.0 - zoom) * log10(top) + zoom * log10(self._top(one, number + 1)))
            time = _warped(share) * one.events[number + 1].flight
            gap = event.gap + (event.velocity * time - 0.5 * self.drop.gravity * time * time)
            return Shown(gap, top, event.gap + event.rebound if event.rebound > 0.0 else None, event, False)
        return Shown(event.gap, top, None, event, False)

    def _fall_through(self, event: BallEvent, top: float, share: float) -> float:
        """The free flight goes on, as no event ends it; in the view it leaves in the same time at any height."""
        g = self.drop.gravity
        time = share * (event.velocity + sqrt(event.velocity**2 + 2.0 * g * _FALLEN * top)) / g
        return event.gap + (event.velocity * time - 0.5 * g * time * time)

    def _top(self, one: Fall, number: int) -> float:
        event = self.event(one, number)
        peak = max(event.gap, 0.0) + event.rebound
        if one.detection == "gap" and peak > 0.0:
            return _HEADROOM * peak  # there is no last place to come to
        return max(_HEADROOM * peak, _LEAST_ULPS * self.ulp)

    @property
    def ulp(self) -> float:
        """A unit in the last place of r at contact."""
        return ulp(self.drop.contact)


def _smooth(x: float) -> float:
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


def _warped(share: float) -> float:
    """Even time to slow motion near both ends."""
    return share - _SLOWER * sin(2.0 * pi * share) / (2.0 * pi)
