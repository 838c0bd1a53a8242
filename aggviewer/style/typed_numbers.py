"""Reading and writing numbers in fields, identically in every locale; see docs/numbers.md. No Qt."""

from __future__ import annotations

import re
from math import isinf
from typing import Any

from engine.errors import InputError

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
