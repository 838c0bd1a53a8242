"""Numbers in texts for people, and what texts call the bodies of a run: discs in the plane, spheres in space.

`typeset` and `count` write a number as a textbook prints it: −0.25, 2 500, 8.9·10⁴. What programs read back stays in
ASCII digits: files, JSON, TOML, number fields, the clipboard, and messages that quote a value of a key.

A text that is written before the dimension is known leaves a gap: ``"{Discs} per {area}"``. `BodyNames.fill` fills it.
A text without gaps stays as it is.
"""

from __future__ import annotations

import re
from math import floor, log10
from typing import NamedTuple

MINUS = "\u2212"
THIN_SPACE = "\u2009"
"""Between groups of three digits."""

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_IN_FULL = 1e7  # whole numbers below it are written in full
_PLAIN = 9999.5  # other numbers below it too, whatever the number of digits
_MINUS_SIGN = re.compile(r"(?<![\w.)\]])-(?=\.?\d)")
_EQUAL = re.compile(r"(?<== )\d{4,15}(?![\w(]|\.\d)")
_POWER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?(?:\(\d+\))?)[eE]([+-]?\d+)\b")


def typeset(value: float, spec: str = ".4g") -> str:
    """A number as a textbook prints it: ``−0.25``, ``12 345.6``, ``8.9·10⁴``, ``∞``; never a negative zero.

    Parameters
    ----------
    value : a whole number, a float, or a scalar of numpy; also infinite or NaN.
    spec : as for `format`, of type f, g or e, with or without a plus sign. With g, whole numbers below 10⁷ and other
        numbers below 10⁴ are written out: 89 000.0 gives 89 000, and 1234.5 with two digits gives 1 234.
    """
    sign, spec = ("+", spec[1:]) if spec.startswith("+") else ("", spec)
    text = format(value, f"{sign}z{spec}")
    if "e" in text and spec.endswith("g"):
        written_out = abs(value) < _IN_FULL if value == round(value) else 1.0 <= abs(value) < _PLAIN
        text = format(value, f"{sign}z.0f") if written_out else text
    number, _, exponent = text.partition("e")
    whole, point, decimals = number.replace("inf", "∞").replace("nan", "–").partition(".")
    if whole.lstrip("+-").isdecimal():
        whole = f"{whole[:1] if whole[0] in '+-' else ''}{int(whole.lstrip('+-')):,}".replace(",", THIN_SPACE)
    number = f"{whole}{point}{decimals}".replace("-", MINUS)
    return times_power(number, int(exponent)) if exponent else number


def places_of_error(error: float) -> int:
    """How many digits after the decimal point show two digits of a positive error; 0 or less for errors from 10 on."""
    rounded = float(f"{error:.1e}")  # 0.0996 becomes 0.10, which has a digit less
    return 1 - floor(log10(rounded))


def count(value: float) -> str:
    """A whole number in groups of three: 2 500."""
    return typeset(value, ".0f")


def typeset_text(text: str) -> str:
    """A sentence with numbers in ASCII, as they stand in JSON, with minus signs and powers of ten for people; whole
    numbers after an equals sign get groups of three.

    Dates, ranges such as 2-5, words and names with hyphens and numbers stay as they are.
    """
    text = _EQUAL.sub(lambda found: count(int(found[0])), _MINUS_SIGN.sub(MINUS, text))
    return _POWER.sub(lambda found: times_power(found[1], int(found[2])), text)


def times_power(number: str, exponent: int) -> str:
    """A typeset number times a power of ten: 3.6·10⁻⁴; 10⁵ instead of 1·10⁵, and 3.6 if the exponent is 0."""
    if number.lstrip(f"+{MINUS}") == "1" and exponent:
        return f"{number[:-1]}{power_of_ten(exponent)}"
    return f"{number}·10{superscript(exponent)}" if exponent else number


def superscript(exponent: int) -> str:
    """An exponent in superscript digits: ⁻¹²."""
    return str(exponent).translate(_RAISED)


def power_of_ten(exponent: int) -> str:
    """10⁻⁴; 1 and 10 as they are. Any exponent, even if the power of ten is not a float."""
    return str(10**exponent) if exponent in (0, 1) else f"10{superscript(exponent)}"


class BodyNames(NamedTuple):
    """The words for the bodies of a run, each with and without a capital letter.

    area : what they cover; Square : what the lattice is called on which they stand.
    """

    disc: str
    discs: str
    Disc: str
    Discs: str
    area: str
    Square: str

    def fill(self, text: str) -> str:
        """A text with these words in its gaps, such as ``{discs}``. Everything else stays, other braces as well."""
        for name, word in self._asdict().items():
            text = text.replace(f"{{{name}}}", word)
        return text


_PLANE = BodyNames("disc", "discs", "Disc", "Discs", "area", "Square")
_SPACE = BodyNames("sphere", "spheres", "Sphere", "Spheres", "volume", "Cubic")


def body_names(dimensions: int) -> BodyNames:
    """The words in a box of so many dimensions."""
    return _PLANE if dimensions == 2 else _SPACE
