"""Numbers written with all their digits, in any base, and which of the digits are right."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log

from aggviewer.plots.axes import power_text

_CHARACTERS = "0123456789abcdef"
_MINUS = "−"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def fixed(value: Fraction, base: int, places: int) -> str:
    """A value with a number of places after the point, cut off and not rounded: more places change no digit."""
    scaled = floor(abs(value) * base**places)
    whole, rest = divmod(scaled, base**places)
    tail = "".join(_CHARACTERS[rest // base**k % base] for k in range(places - 1, -1, -1))
    return f"{_MINUS if value < 0 else ''}{_whole(whole, base)}.{tail}"


def _whole(number: int, base: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, base)
        digits = _CHARACTERS[digit] + digits
    return digits or "0"


def superscript(power: int) -> str:
    """A power in raised digits, to be written after its base."""
    return str(power).translate(_RAISED)


def exponent_of(value: Fraction, base: int = 10) -> int:
    """The exponent of the first digit of a value in a base: floor(log |value|); 0 for 0."""
    if value == 0:
        return 0
    found = floor(log(abs(value.numerator), base) - log(value.denominator, base))
    # correct the rounding of the logarithms
    while abs(value) < Fraction(base) ** found:
        found -= 1
    while abs(value) >= Fraction(base) ** (found + 1):
        found += 1
    return found


def right_characters(text: str, value: Fraction, exact: Fraction, base: int) -> int:
    """How many characters of `text`, the digits of `value`, are right: up to the last whose half exceeds the error.

    1.9999 for an exact 2.0000 is right to three places: the values are close although all digits differ.
    """
    if value == exact:
        return len(text)
    places = -exponent_of(2 * (value - exact), base) - 1
    if places < 0:
        return 0
    point = text.index(".")
    return min(len(text), point + 1 + places) if places else point


def compared(value: Fraction, exact: Fraction, base: int, places: int, power: int = 0) -> tuple[str, int]:
    """A value divided by a power of `base`, with `places` after the point, and how many of its characters are right."""
    scale = Fraction(base) ** power
    text = fixed(value / scale, base, places)
    return text, right_characters(text, value / scale, exact / scale, base)


def short(value: float, digits: int = 3) -> str:
    """A number in short form: 0.125, −3.1·10⁻¹⁷, 0."""
    if value == 0.0:
        return "0"
    sign = _MINUS if value < 0 else ""
    size = abs(value)
    return sign + (f"{size:.{digits}g}" if 0.001 <= size < 10_000 else power_text(size, digits))


def in_ulps(value: float) -> str:
    """A gap in units in the last place, with two decimals where it is small and as a power of ten where it is large."""
    if abs(value) < 0.005:
        return "0"
    if abs(value) >= 10_000:
        return short(value, 2)
    return f"{value:+.2f}".replace("-", _MINUS) if abs(value) < 100 else f"{value:+.0f}".replace("-", _MINUS)
