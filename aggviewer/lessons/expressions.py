"""Small formulas in lessons: ``log(clusters) / start_energy``, and comparisons such as ``> 0.5``."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.errors import InputError

_OPERATORS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log10": math.log10,
    "exp": math.exp,
    "abs": abs,
}
_COMPARISON = re.compile(r"\s*(<=|>=|==|<|>)\s*(.+?)\s*")
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
_LONGEST = 200


class Formula:
    """A formula of numbers and names, with ``+ - * / **``, brackets, and the functions sqrt, log, log10, exp and abs.

    Parameters
    ----------
    text : the formula. Names may be dotted: ``indicators.fractal_dimension``.

    Raises
    ------
    InputError
        It is not such a formula.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            if len(text) > _LONGEST:
                raise ValueError
            self._tree = ast.parse(text.strip(), mode="eval").body
            self.names = frozenset(_names(self._tree))
        except (SyntaxError, ValueError, RecursionError):
            allowed = "numbers, names, + - * / **, brackets, sqrt, log, log10, exp, abs"
            raise InputError(f"{text[:60]!r} is not a formula; it may have {allowed}") from None

    def value(self, numbers: Mapping[str, Any]) -> float:
        """Its value. numbers : by name; tables within tables are reached by dotted names.

        Raises
        ------
        InputError
            A name has no number, or the value is not a finite number.
        """
        try:
            found = float(_value(self._tree, numbers))
        except (ArithmeticError, ValueError, TypeError):
            found = math.nan
        if not math.isfinite(found):
            raise InputError(f"{self.text} has no value here")
        return found


class Comparison:
    """A comparison with a number: ``> 0.5``, ``<= 3``, ``== 1``.

    Raises
    ------
    InputError
        It is none.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        found = _COMPARISON.fullmatch(text)
        try:
            if found is None:
                raise ValueError
            self._met, self._limit = _COMPARE[found[1]], float(found[2])
        except ValueError:
            raise InputError(
                f"{text!r} is not a comparison; it begins with <, <=, >, >= or == and has a number"
            ) from None

    def met(self, value: float) -> bool:
        """Whether a number is so."""
        return self._met(value, self._limit)


def flat(numbers: Mapping[str, Any], name: str) -> Any:
    """What stands at a dotted name in tables within tables; InputError where there is nothing."""
    found: Any = numbers
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    if found is None:
        raise InputError(f"there is no number {name} here")
    return found


def _names(node: ast.expr) -> Iterator[str]:
    """All names in a formula; ValueError for what a formula does not have."""
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return
        case ast.Name() | ast.Attribute():
            yield _dotted(node)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            yield from _names(left)
            yield from _names(right)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            yield from _names(operand)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            yield from _names(argument)
        case _:
            raise ValueError


def _value(node: ast.expr, numbers: Mapping[str, Any]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name() | ast.Attribute():
            return float(flat(numbers, _dotted(node)))
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, numbers), _value(right, numbers))
        case ast.UnaryOp(op=op, operand=operand):
            return -_value(operand, numbers) if isinstance(op, ast.USub) else _value(operand, numbers)
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return _FUNCTIONS[name](_value(argument, numbers))
    raise ValueError


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    raise ValueError
