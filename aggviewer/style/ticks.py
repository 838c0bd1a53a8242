"""Round numbers for axes, scales and fields: 1, 2 and 5 times a power of ten. No Qt."""

from __future__ import annotations

from math import ceil, floor, log10

_STEPS = (1.0, 2.0, 5.0, 10.0)
_CLOSE = 1e-9  # relative tolerance for round numbers


def round_below(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is at most `value` (> 0)."""
    power = 10.0 ** floor(log10(value))
    return max(step for step in _STEPS if step * power <= value * (1.0 + _CLOSE)) * power


def round_above(value: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least `value` (> 0)."""
    power = 10.0 ** floor(log10(value))
    return min(step for step in _STEPS if step * power >= value * (1.0 - _CLOSE)) * power


def next_round(value: float, direction: int) -> float:
    """The nearest of 1, 2, 5 times a power of ten above `value` (> 0), below it for a negative direction."""
    return round_above(value * (1.0 + 10.0 * _CLOSE)) if direction > 0 else round_below(value * (1.0 - 10.0 * _CLOSE))


def linear_ticks(low: float, high: float, most: float) -> list[float]:
    """Multiples of a round step from `low` to `high` (> low), rising, about `most` of them at most."""
    step = round_above((high - low) / max(most, 1.0))
    return [k * step for k in range(ceil(low / step - _CLOSE), floor(high / step + _CLOSE) + 1)]


def log_ticks(low: float, high: float, steps: tuple[int, ...] = (1,)) -> list[float]:
    """Powers of ten from `low` (> 0) to `high`, ascending, each also multiplied by the other `steps` (integers below
    ten)."""
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    found = [step * 10.0**decade for decade in decades for step in steps]
    return [one for one in found if low * (1.0 - _CLOSE) <= one <= high * (1.0 + _CLOSE)]
