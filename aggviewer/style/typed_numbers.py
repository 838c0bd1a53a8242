"""Numbers as people type them into fields, in one convention for every locale: docs/numbers.md. No Qt."""

from __future__ import annotations

import re
from math import isinf
from typing import Any

from engine.errors import InputError

_MOST_POWER = 400  # of ten: what is beyond is infinite as a float anyway
_POINTS = {"\uff0e": ".", "\uff0c": ",", "\u066b": ","}  # decimal marks of keyboards of Asia
_MINUS = dict.fromkeys("\u2212\u2010\u2011\u2013\ufe63\uff0d", "-")  # the minus sign, and dashes that stand for it
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
    """The text of a value in a field, with up to so many significant digits; "" for None."""
    if value is None:
        return ""
    return f"{value:.{digits}g}".replace("e-0", "e-").replace("e+0", "e+") if isinstance(value, float) else str(value)


def number_from(text: str, integer: bool = False, unit: str = "") -> int | float:
    """The number in a text such as 2500, 1e5, 10^5, 10 000, 0.2 or 0,2.

    Point and comma are both decimal marks; groups of three digits may stand apart; a minus may be the sign of print,
    digits may be those of any script. 1e400 is infinite, and so is ``inf``: whoever asks for a number judges it.

    Parameters
    ----------
    integer : only whole numbers, which have neither point nor comma.
    unit : may stand behind the number.

    Raises
    ------
    InputError
        It is no such number. The message is a sentence that says how to write it.
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
    """As `number_from`; a text that is not a number is returned as it is, for somebody else to refuse."""
    try:
        return number_from(text, integer, unit)
    except InputError:
        return text.strip()


def _plain(text: str) -> str:
    """A text with signs and digits of ASCII."""
    text = _POWER.sub(lambda found: f"10^{found[1].translate(_RAISED)}", text.strip().translate(_SIGNS))
    return "".join(str(int(sign)) if sign.isdecimal() else sign for sign in text)


def _why(plain: str, text: str, integer: bool, unit: str) -> str:
    """What is wrong with a text, and how to write it."""
    if not plain:
        return "write a number"
    grouped = _GROUPED.fullmatch(plain)
    marks = sum(plain.count(mark) for mark in ".,")
    if integer and grouped is not None and grouped["rest"].strip(".,0"):
        grouped = None  # a fraction, which no advice makes whole
    if grouped is not None and re.fullmatch(r"(?:[.,]\d*)?", grouped["rest"]):
        whole = re.sub(r"\D", "", grouped["whole"])
        told = f"{grouped['sign']}{whole}{'' if integer else grouped['rest'].replace(',', '.')}"
        rule = "a whole number has no point or comma" if integer and marks else "thousands have no mark between them"
        return f"{rule}: write {told}"
    if marks > 1 and not re.search(r"[^\d.,+\-\s]", plain):
        return "a number has one decimal mark, a point or a comma"
    if _WITH_WORDS.fullmatch(plain):
        return f"write the number alone; it is in {unit}" if unit else "write the number alone, without a unit"
    if re.search(r"\d\s+[\d.,]", plain):
        return "a number has spaces only between groups of three digits, as in 10 000"
    return f"{text} is not a number"


def _not_whole(plain: str, value: float) -> str:
    """Why a number is refused where whole ones are wanted."""
    grouped = _GROUPED.fullmatch(plain)
    if grouped is not None and not grouped["rest"] and not plain.lstrip("+-").startswith("0"):
        return _why(plain, plain, True, "")
    if value == int(value) and abs(value) < 1e15:
        return f"a whole number has no point or comma: write {int(value)}"
    return f"a whole number is needed, not {plain}"
