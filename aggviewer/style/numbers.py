"""Numbers in the window: sensible digits, no wider than necessary; round numbers for axes, scales and fields; reading
and writing them in fields, identically in every locale (docs/numbers.md). No Qt."""

from __future__ import annotations

import re
from math import ceil, floor, isinf, log10
from typing import Any

from engine.errors import InputError
from engine.system import Clock
from engine.words import count, typeset

TIME = Clock("t", "time", "", False, "Single event", "Pause and go to the next event")
"""Simulation time, the default clock of a system."""


def simulation_time(value: float) -> str:
    """A time with two decimals, fewer when it is large: 12.40, 1 234.5, 1.235·10⁶."""
    return typeset(value, ".2f" if value < 1e3 else ".1f" if value < 1e5 else ".3e")


def moment(value: float, clock: Clock = TIME) -> str:
    """The present time of a simulation: ``t = 12.40``, or ``iteration 12`` if time counts whole steps."""
    if not clock.counts:
        return f"{clock.symbol} = {simulation_time(value)}"
    return "start" if value < 1.0 else f"{clock.name} {count(int(value))}"


def clock_tip(clock: Clock = TIME) -> str:
    """The tool tip of the time in the window."""
    return f"{clock.name.capitalize()}s so far" if clock.counts else "Simulation time"


def pace_unit(clock: Clock = TIME) -> str:
    """The unit of a playback speed."""
    return f"{clock.name}s/s" if clock.counts else f"{clock.symbol}/s"


def pace(value: float, clock: Clock = TIME) -> str:
    """A playback speed with its unit."""
    return f"{speed(value)} {pace_unit(clock)}"


def rate(value: float) -> str:
    """A rate with two digits: 0, 8.3, 42, 960, 9 600, 3.1·10⁵."""
    if value < 0.05:
        return "0"
    if value < 10:
        return f"{value:.1f}"
    if value < 9950:
        digits = 10 ** max(0, floor(log10(value)) - 1)
        return count(round(value / digits) * digits)
    return typeset(value, ".1e")


def speed(value: float) -> str:
    """A playback speed with two digits: 0.012, 2.0, 150."""
    if isinf(value):
        return "∞"
    if value >= 10:
        return count(value)
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


_MOST_POWER = 400  # largest power of ten; a float beyond it is infinite anyway
_POINTS = {"\uff0e": ".", "\uff0c": ",", "\u066b": ","}  # decimal marks of Asian keyboards
_MINUS = dict.fromkeys("\u2212\u2010\u2011\u2013\ufe63\uff0d", "-")  # the minus sign, and dashes used as one
_SIGNS = str.maketrans(_POINTS | _MINUS | {"\uff0b": "+"})
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWER = re.compile(r"10([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_DIGITS = r"(?:[1-9]\d{0,2}(?:[\s_]\d{3})+|\d+)"  # in groups of three, or all together
_DECIMAL = rf"(?:{_DIGITS}(?:[.,]\d*)?|[.,]\d+)"
_NUMBER = re.compile(
    rf"(?P<sign>[+-]?)\s*(?:(?P<digits>{_DECIMAL})(?:[eE](?P<exponent>[+-]?\d+))?"
    rf"|(?:(?P<factor>{_DECIMAL})\s*[·×*x]\s*)?10\^(?P<power>[+-]?\d+))"
)
_GROUPED = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>\d{1,3}(?:(?P<between>[.,'’])\d{3})(?:(?P=between)\d{3})*)(?P<rest>.*)"
)
_INFINITE = re.compile(r"([+-]?)(?:inf|infinity|∞)", re.IGNORECASE)
_WITH_WORDS = re.compile(rf"[+-]?{_DECIMAL}(?:[eE][+-]?\d+)?\s*[^\W\d_°%].*|[+-]?{_DECIMAL}\s*[°%].*")


def number_text(value: Any, digits: int = 12) -> str:
    """The text of a value in a field, with up to this many significant digits; "" for None."""
    if value is None:
        return ""
    return f"{value:.{digits}g}".replace("e-0", "e-").replace("e+0", "e+") if isinstance(value, float) else str(value)


def number_from(text: str, integer: bool = False, unit: str = "") -> int | float:
    """The number in a text such as 2500, 1e5, 10^5, 10 000, 0.2 or 0,2.

    Both point and comma are decimal marks. Spaces may separate groups of three digits. The typographic minus sign and
    the digits of any script work too. 1e400 and ``inf`` are infinite; the caller has to check the range.

    Parameters
    ----------
    integer : only whole numbers, which have neither point nor comma.
    unit : may follow the number.

    Raises
    ------
    InputError
        The text is not such a number. The message says how to write it.
    """
    plain = _plain(text.strip().removesuffix(unit) if unit else text)
    if infinite := _INFINITE.fullmatch(plain):
        return float(f"{infinite[1]}inf")
    found = _NUMBER.fullmatch(plain)
    if found is None:
        raise InputError(_why(plain, text.strip(), integer, unit))
    digits = found["digits"] or found["factor"] or "1"
    digits = re.sub(r"[\s_]", "", digits).replace(",", ".")
    exponent = min(int((found["exponent"] or found["power"] or "0")[:6]), _MOST_POWER)
    value = float(f"{found['sign']}{digits}e{exponent}")
    if isinf(value) and not (found["exponent"] or found["power"]):
        raise InputError("the number is too large")
    if isinf(value):
        return value
    if value == 0.0 and digits.strip("0."):
        raise InputError("the number is too small: write 0, or one above 1e-300")
    if integer and ("." in digits or (exponent < 0 and value != int(value))):
        raise InputError(_not_whole(plain, value))
    if "." in digits or (not integer and (found["exponent"] or found["power"])):
        return value
    return int(found["sign"] + digits) * 10**exponent if exponent >= 0 else int(value)


def read_number(text: str, integer: bool, unit: str = "") -> int | float | str:
    """The number in a text; a text that is not a number is returned unchanged, for the caller to reject."""
    try:
        return number_from(text, integer, unit)
    except InputError:
        return text.strip()


def _plain(text: str) -> str:
    """A text with its signs and digits in ASCII."""
    text = _POWER.sub(lambda found: f"10^{found[1].translate(_RAISED)}", text.strip().translate(_SIGNS))
    return "".join(str(int(sign)) if sign.isdecimal() else sign for sign in text)


def _why(plain: str, text: str, integer: bool, unit: str) -> str:
    """What is wrong with a text, and how to write it."""
    if not plain:
        return "write a number"
    grouped = _GROUPED.fullmatch(plain)
    marks = sum(plain.count(mark) for mark in ".,")
    if integer and grouped is not None and grouped["rest"].strip(".,0"):
        grouped = None  # a fraction: no way of writing it gives a whole number
    if grouped is not None and re.fullmatch(r"(?:[.,]\d*)?", grouped["rest"]):
        whole = re.sub(r"\D", "", grouped["whole"])
        told = f"{grouped['sign']}{whole}{'' if integer else grouped['rest'].replace(',', '.')}"
        rule = (
            "a whole number has no point or comma"
            if integer and marks
            else "do not separate thousands with points, commas or quotes"
        )
        return f"{rule}: write {told}"
    if marks > 1 and not re.search(r"[^\d.,+\-\s]", plain):
        return "a number has one decimal mark, a point or a comma"
    if _WITH_WORDS.fullmatch(plain):
        return f"write only the number; the unit is {unit}" if unit else "write only the number, without a unit"
    if re.search(r"\d\s+[\d.,]", plain):
        return "use spaces only between groups of three digits, as in 10 000"
    return f"{text} is not a number"


def _not_whole(plain: str, value: float) -> str:
    """Why a number is rejected where an integer is required."""
    grouped = _GROUPED.fullmatch(plain)
    if grouped is not None and not grouped["rest"] and not plain.lstrip("+-").startswith("0"):
        return _why(plain, plain, True, "")
    if value == int(value) and abs(value) < 1e15:
        return f"a whole number has no point or comma: write {int(value)}"
    return f"write a whole number, not {plain}"


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
