"""A ball that falls on a plate, event by event in floating point (Bannerman et al. 2014, section 5 and figure 7).

The overlap function (eq. 11) is f = r - r_plate - sigma/2, the gap under the ball. Three ways to find the next event:

naive   the largest root of f (eq. 12); where the argument of the square root is negative there is none: it halts;
stable  the rule of the paper (eq. 10, Algorithm 2): a ball that cannot climb out of the plate continues to its peak,
        and is then held there by events after no time;
gap     the stable rule, with the gap stored instead of the height r.

How often naive detection halts depends on the rounding of f and of the flight. Here both are as exact as possible: r -
sigma/2 and the difference to r_plate are exact near the plate (Sterbenz), and r is rounded once a flight. Then naive
detection halts on half of all plates, those whose point of contact is rounded down. With (r - r_plate) - sigma/2 it is
a quarter, because that difference is rounded itself.

`exact_impacts` gives the motion in exact arithmetic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.errors import InputError
from engine.hard_discs.theory import rest_time
from engine.kernels import inner, kernel

Detection = Literal["naive", "stable", "gap"]
BallEventKind = Literal["release", "impact", "peak", "rest", "halt"]

DETECTIONS: tuple[Detection, ...] = ("naive", "stable", "gap")
KINDS: tuple[BallEventKind, ...] = ("release", "impact", "peak", "rest", "halt")
"""release: at rest above the plate, the start; impact; peak: the ball cannot leave the plate any more and stops where
it is highest; rest: the time to the next event is below the resolution of the clock; halt: no root, naive only."""

LIMIT = 20_000
"""Most events of a ball that does not come to rest."""

_NAIVE, _GAP = 0, 2
_IMPACT, _PEAK, _REST, _HALT = 1, 2, 3, 4


@dataclass(frozen=True)
class Drop:
    """A ball and a plate. InputError for values out of range.

    plate : r_plate; drop : h, how far the ball falls to its first impact, >= 0 (figure 7: 0.5, the centre one diameter
    above the plate); restitution : eps, 0 … 1; gravity : g > 0, downwards; sigma : diameter > 0.
    """

    plate: float = 0.0
    drop: float = 0.5
    restitution: float = 0.5
    gravity: float = 1.0
    sigma: float = 1.0

    def __post_init__(self) -> None:
        for name, value, good, allowed in (
            ("plate", self.plate, True, ""),
            ("drop", self.drop, self.drop >= 0.0, " of at least 0"),
            ("restitution", self.restitution, 0.0 <= self.restitution <= 1.0, " from 0 to 1"),
            ("gravity", self.gravity, self.gravity > 0.0, " above 0"),
            ("sigma", self.sigma, self.sigma > 0.0, " above 0"),
        ):
            if not (good and math.isfinite(value)):
                raise InputError(f"{name}: {value!r} is not allowed; a number{allowed} is needed", name)

    @property
    def contact(self) -> float:
        """r where the ball touches the plate, rounded."""
        return self.plate + 0.5 * self.sigma


def _next_event(detection: int, x: float, gap: float, v: float, g: float) -> tuple[int, float, float]:
    """Kind of the next event, the time until then, and the argument of the square root (speed squared at the impact).

    x : what is stored, the height or the gap itself.
    """
    if detection != _NAIVE and gap > 0.0 and x - gap == x:
        # no float lies between the ball and the plate: it touches. Otherwise the fall through that gap at each impact
        # would restore the lost speed: on one plate in twelve the ball would bounce forever
        gap = 0.0
    argument = v * v + 2.0 * g * gap
    if detection == _NAIVE:
        if argument < 0.0:
            return _HALT, 0.0, argument
        return _IMPACT, (v + math.sqrt(argument)) / g, argument
    if gap <= 0.0:
        if v < 0.0:
            return _IMPACT, 0.0, argument
        if argument <= 0.0:
            return _PEAK, v / g, argument
    if v < 0.0:
        return _IMPACT, 2.0 * gap / (math.sqrt(argument) - v), argument
    return _IMPACT, (v + math.sqrt(argument)) / g, argument


def _gap(detection: int, x: float, plate: float, half: float) -> float:
    """f as it is computed: x is the gap itself, or the height r."""
    return x if detection == _GAP else x - half - plate


def _move(kind: int, x: float, v: float, dt: float, g: float, restitution: float) -> tuple[float, float]:
    """Free flight by dt, then the event: the stored position and the velocity after it."""
    x = x + (v * dt - 0.5 * g * (dt * dt))
    if kind == _PEAK:
        return x, 0.0
    v = v - g * dt
    return x, -restitution * v if v < 0.0 else v


_next_event_kernel, _gap_kernel, _move_kernel = kernel(_next_event), kernel(_gap), kernel(_move)


@inner
def _fall(
    plate: float, drop: float, restitution: float, g: float, sigma: float, detection: int, limit: int
) -> tuple[int, int, float]:
    """The kind of end (0: not within `limit` events), the number of events, and the time."""
    half = 0.5 * sigma
    x = drop if detection == _GAP else plate + (half + drop)
    v, t = 0.0, 0.0
    for events in range(limit):
        kind, dt, _ = _next_event_kernel(detection, x, _gap_kernel(detection, x, plate, half), v, g)
        if kind == _HALT:
            return _HALT, events, t
        if t + dt == t:
            return _REST, events, t
        x, v = _move_kernel(kind, x, v, dt, g, restitution)
        t += dt
    return 0, limit, t


@kernel
def _fall_all(
    plates: NDArray[np.float64],
    drop: float,
    restitution: float,
    g: float,
    sigma: float,
    detection: int,
    limit: int,
    kinds: NDArray[np.int8],
    events: NDArray[np.int32],
    times: NDArray[np.float64],
) -> None:
    """`_fall` from each of the plates (K,); how it ends, after how many events and when goes into the last three."""
    for k in range(len(plates)):
        kinds[k], events[k], times[k] = _fall(plates[k], drop, restitution, g, sigma, detection, limit)


@dataclass(frozen=True)
class BallEvent:
    """One event.

    time, position, velocity : right after it; position is r, rounded from a stored gap; flight : time since the event
    before; gap : r - r_plate - sigma/2 as the program computes it; gap_ulps : the same in units in the last place of r
    at contact; argument : of the square root that gave this event, negative at a halt and mostly at a peak;
    rebound : v^2 / (2 g), how far it will rise; lost : whether that is less than one unit in the last place of r.
    """

    kind: BallEventKind
    time: float
    flight: float
    position: float
    velocity: float
    gap: float
    gap_ulps: float
    argument: float
    rebound: float
    lost: bool


@dataclass(frozen=True)
class Fall:
    """All events of one ball from its release; the last is a rest or a halt, unless the limit is reached."""

    drop: Drop
    detection: Detection
    events: tuple[BallEvent, ...]

    @property
    def halted(self) -> bool:
        """Whether no next event was found."""
        return self.events[-1].kind == "halt"

    @property
    def rests(self) -> bool:
        """Whether it came to rest."""
        return self.events[-1].kind == "rest"

    @property
    def count(self) -> int:
        """Impacts and peaks: the events that were carried out."""
        return sum(event.kind in ("impact", "peak") for event in self.events)

    def bounces_before_lost(self) -> int | None:
        """Impacts until the rebound is less than one unit in the last place of the height; None: never."""
        impacts = (event for event in self.events if event.kind == "impact")
        return next((n for n, event in enumerate(impacts, 1) if event.lost), None)


def fall(drop: Drop, detection: Detection, limit: int = LIMIT) -> Fall:
    """Follow one ball for at most `limit` events: the same bits as `sample`, without compiled code."""
    mode = DETECTIONS.index(detection)
    plate, half, g = float(drop.plate), 0.5 * float(drop.sigma), float(drop.gravity)
    ulp = math.ulp(drop.contact)
    events: list[BallEvent] = []

    def add(kind: int, dt: float, argument: float) -> None:
        """Append an event, with position and velocity as they are after it."""
        gap = _gap(mode, x, plate, half)
        rebound = v * v / (2.0 * g)
        position = drop.contact + x if mode == _GAP else x
        lost = kind == _IMPACT and rebound < ulp
        events.append(BallEvent(KINDS[kind], t, dt, position, v, gap, gap / ulp, argument, rebound, lost))

    x = float(drop.drop) if mode == _GAP else plate + (half + float(drop.drop))
    v, t = 0.0, 0.0
    add(0, 0.0, 0.0)
    for _ in range(limit):
        kind, dt, argument = _next_event(mode, x, _gap(mode, x, plate, half), v, g)
        if kind == _HALT or t + dt == t:
            add(_HALT if kind == _HALT else _REST, dt, argument)
            break
        x, v = _move(kind, x, v, dt, g, float(drop.restitution))
        t += dt
        add(kind, dt, argument)
    return Fall(drop, detection, tuple(events))


@dataclass(frozen=True, eq=False)
class BallSample:
    """How balls end over many plate origins.

    origins : (K,), r_plate; halted : (K,) bool; at_rest : (K,) bool; events : (K,) impacts and peaks until then; time :
    (K,) of the last of them.
    """

    origins: NDArray[np.float64]
    halted: NDArray[np.bool_]
    at_rest: NDArray[np.bool_]
    events: NDArray[np.int32]
    time: NDArray[np.float64]

    @property
    def fraction_halted(self) -> float:
        """Between 0 and 1."""
        return float(self.halted.mean())

    @property
    def mean_events_at_halt(self) -> float | None:
        """None if nothing has halted."""
        return float(self.events[self.halted].mean()) if self.halted.any() else None


def sample(origins: ArrayLike, detection: Detection, drop: Drop | None = None, limit: int = LIMIT) -> BallSample:
    """Drop a ball on a plate at each of the origins (K,); `drop` gives everything except the plate.

    Compiled, on one core, without the interpreter lock: a few microseconds for a ball that stops, half a millisecond
    for one that keeps bouncing. InputError if an origin is not finite.
    """
    given = drop or Drop()
    plates = np.ascontiguousarray(origins, np.float64)
    if plates.ndim != 1 or not np.isfinite(plates).all():
        raise InputError("origins: a list of finite numbers is needed", "origins")
    kinds, events, times = np.empty(len(plates), np.int8), np.empty(len(plates), np.int32), np.empty(len(plates))
    values = (float(given.drop), float(given.restitution), float(given.gravity), float(given.sigma))
    _fall_all(plates, *values, DETECTIONS.index(detection), limit, kinds, events, times)
    return BallSample(plates, kinds == _HALT, kinds == _REST, events, times)


DIGITS = 60
"""Significant digits of the square root, the only number of exact impacts that is rounded."""


@dataclass(frozen=True)
class ExactImpact:
    """The n-th impact: its time t_n, and the velocity right after it, upwards."""

    time: Fraction
    velocity: Fraction


def exact_contact(drop: Drop) -> Fraction:
    """r_plate + sigma/2, unrounded: usually not a float."""
    return Fraction(drop.plate) + Fraction(drop.sigma) / 2


def exact_impacts(drop: Drop, count: int) -> list[ExactImpact]:
    """The first `count` impacts of `drop`, whose floats are taken as exact.

    t_n = sqrt(2 h / g) (1 + 2 eps + … + 2 eps^(n-1)), v_n = eps^n sqrt(2 g h).
    """
    with localcontext(Context(prec=DIGITS)):
        height, gravity, restitution = Decimal(drop.drop), Decimal(drop.gravity), Decimal(drop.restitution)
        first = (2 * height / gravity).sqrt()
        time, speed = first, first * gravity
        found = []
        for _ in range(count):
            speed *= restitution
            found.append(ExactImpact(Fraction(time), Fraction(speed)))
            time += 2 * speed / gravity
    return found


# many plates (figure 7)

_CURVE_POINTS = 60  # of the curve of those that continue


def origins(count: int, seed: int) -> NDArray[np.float64]:
    """Places r_plate of plates, (count,), uniform in [0, 1] and random to the last digit of a float.

    The numbers of a generator have 53 digits after the point, which is fewer than a float below 1/2 has: three of four
    contacts would be exact, and no rounding would be left to decide how the fall ends.
    """
    rng = np.random.default_rng(seed)
    return rng.random(count) + rng.random(count) * 2.0**-53


def on_plates(count: int, seed: int, restitution: float) -> dict[str, Any]:
    """Let a ball fall on `count` plates by each way of detection , ready for JSON.

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
    summaries: dict[str, Any] = {detection: _on_plates_by(one, end) for detection, one in found.items()}
    naive = found["naive"]
    halts = np.sort(naive.events[naive.halted])
    events = np.unique(np.geomspace(10, LIMIT, _CURVE_POINTS).round().astype(np.int64))
    goes_on = 1.0 - np.searchsorted(halts, events, side="right") / count
    return summaries | {"naive_goes_on": {"events": events.tolist(), "share": goes_on.tolist()}}


def _on_plates_by(found: BallSample, end: float) -> dict[str, float | None]:
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
