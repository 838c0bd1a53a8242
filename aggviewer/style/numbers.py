"""Formatting of numbers in the window: sensible digits, no wider than necessary."""

from __future__ import annotations

from math import floor, isinf, log10

from engine.system import Clock

TIME = Clock("t", "time", "", False, "Single event", "Pause and go to the next event")
"""Simulation time, the default clock of a system."""

_THIN = "\u2009"


def count(value: int) -> str:
    """A whole number in groups of three: 2 500."""
    return f"{value:,}".replace(",", _THIN) if value >= 1000 else str(value)


def simulation_time(value: float) -> str:
    """A time with two decimals, fewer when it is large: 12.40, 1234.5, 1.235e6."""
    if value < 1e3:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 1e5 else f"{value:.3e}".replace("e+0", "e").replace("e+", "e")


def moment(value: float, clock: Clock = TIME) -> str:
    """The present time of a simulation: ``t = 12.40``, or ``iteration 12`` if time counts whole steps."""
    if not clock.counts:
        return f"{clock.symbol} = {simulation_time(value)}"
    return "start" if value < 1.0 else f"{clock.name} {count(int(value))}"


def clock_tip(clock: Clock = TIME) -> str:
    """Tool tip for the time."""
    return f"{clock.name.capitalize()}s so far" if clock.counts else "Simulation time"


def pace_unit(clock: Clock = TIME) -> str:
    """The unit of a playback speed."""
    return f"{clock.name}s/s" if clock.counts else f"{clock.symbol}/s"


def pace(value: float, clock: Clock = TIME) -> str:
    """A playback speed with its unit."""
    return f"{speed(value)} {pace_unit(clock)}"


def rate(value: float) -> str:
    """A rate with two digits: 0, 8.3, 42, 960, 3.1e5."""
    if value < 0.05:
        return "0"
    if value < 10:
        return f"{value:.1f}"
    if value < 9950:
        digits = 10 ** max(0, floor(log10(value)) - 1)
        return str(round(value / digits) * digits)
    return f"{value:.1e}".replace("e+0", "e").replace("e+", "e")


def speed(value: float) -> str:
    """A playback speed with two digits: 0.012, 2.0, 150."""
    if isinf(value):
        return "∞"
    if value >= 10:
        return f"{value:.0f}"
    decimals = max(0, 1 - floor(log10(value)))
    return f"{value:.{decimals}f}"


def duration(seconds: float) -> str:
    """A duration in convenient units: 40 s, 12 min, 3.5 h."""
    if seconds < 1.0:
        return "a second"
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    if seconds < 5400.0:
        return f"{seconds / 60.0:.0f} min"
    hours = seconds / 3600.0
    return f"{hours:.1f} h" if hours < 48.0 else f"{hours / 24.0:.1f} days"
