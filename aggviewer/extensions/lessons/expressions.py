"""Small formulas in lessons: ``log(clusters) / start_energy``, and comparisons such as ``> 0.5``.

The grammar is that of `engine.selection.expressions`, with dotted names and without conditions.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.errors import InputError
from engine.selection import Expression

_FUNCTIONS = ("sqrt", "log", "log10", "exp", "abs")
_COMPARISON = re.compile(r"\s*(<=|>=|==|<|>)\s*(.+?)\s*")
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}


class LessonFormula:
    """A formula of numbers and names, with ``+ - * / **``, brackets, and the functions sqrt, log, log10, exp and abs.

    Parameters
    ----------
    text : the formula. Names may be dotted: ``indicators.fractal_dimension``.

    Raises
    ------
    InputError
        The text is not a formula.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._expression = Expression(text, dotted=True, functions=_FUNCTIONS)
            if self._expression.kind != "number":
                raise InputError("it is true or false, not a number")
        except InputError as error:
            allowed = f"numbers, names, + - * / **, brackets, {', '.join(_FUNCTIONS)}"
            raise InputError(f"{text[:60]!r} is not a formula ({error}); it can contain {allowed}") from None
        self.names = self._expression.names

    def value(self, numbers: Mapping[str, Any]) -> float:
        """The value. numbers : by name; nested tables are reached by dotted names.

        Raises
        ------
        InputError
            A name is not a number, or the value is not finite.
        """
        try:
            found = float(self._expression.value(_Dotted(numbers)))
        except (ArithmeticError, ValueError, TypeError):
            found = math.nan
        if not math.isfinite(found):
            raise InputError(f"{self.text} has no value here")
        return found


class _Dotted(Mapping[str, float]):
    """Numbers in nested tables, by dotted names."""

    def __init__(self, numbers: Mapping[str, Any]) -> None:
        self._numbers = numbers

    def __getitem__(self, name: str) -> float:
        return float(flat(self._numbers, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Comparison:
    """A comparison with a number: ``> 0.5``, ``<= 3``, ``== 1``; `sign` and `limit` are its parts.

    Raises
    ------
    InputError
        The text is not a comparison.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        found = _COMPARISON.fullmatch(text)
        try:
            if found is None:
                raise ValueError
            self.sign, self.limit = found[1], float(found[2])
            self._met = _COMPARE[self.sign]
        except ValueError:
            raise InputError(f"{text!r} is not a comparison; write <, <=, >, >= or == and a number") from None

    def met(self, value: float) -> bool:
        """Whether a number meets it."""
        return self._met(value, self.limit)


def flat(numbers: Mapping[str, Any], name: str) -> Any:
    """The value at a dotted name in nested tables; InputError if there is none."""
    found: Any = numbers
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    if found is None:
        raise InputError(f"there is no number {name} here")
    return found
