"""Expressions that people type, such as ``size > 50 and speed < 0.1``: numbers, names, conditions, a few functions.

The text is cut into words first, then Python's parser gives its structure, of which only the parts in this module are
allowed: no attributes, no indices, no text, and no calls but those in `FUNCTIONS`. It is computed with numpy for all
rows at once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError

ExpressionKind = Literal["number", "condition"]

LONGEST = 250
"""How many characters an expression can have."""

DEEPEST = 30
"""How many levels of brackets and operations may lie in each other."""

ALLOWED = "numbers, names, + - * / **, < <= > >= == !=, and, or, not, brackets and functions"


def _of_all(summary: Callable[..., Any]) -> Callable[[Any], Any]:
    """A function that gives one number for all rows; rows without a value are left out."""

    def of_known(values: Any) -> Any:
        known = np.asarray(values, np.float64)
        known = known[~np.isnan(known)]
        return summary(known) if known.size else np.float64(np.nan)

    return of_known


FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "sqrt": np.sqrt,
    "log": np.log,
    "log10": np.log10,
    "exp": np.exp,
    "abs": np.abs,
    "sin": np.sin,
    "cos": np.cos,
    "floor": np.floor,
    "min": _of_all(np.min),
    "max": _of_all(np.max),
    "mean": _of_all(np.mean),
}
"""The functions, of one argument each. ``min``, ``max`` and ``mean`` are those of all rows."""

_OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
_COMPARE: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])"
_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_WORD = re.compile(rf"\s*(?:(?P<number>{_NUMBER})|(?P<name>{_NAME})|(?P<sign>\*\*|<=|>=|==|!=|[-+*/<>()])|(?P<odd>\S))")
_INSTEAD = {"&": "and", "|": "or", "~": "not", "!": "not", "=": "==", "^": "**", ",": "one argument", "%": "floor"}
_INSTEAD |= {"≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "·": "*", "÷": "/"}
_MINUS = str.maketrans("\u2212\u2010\u2011\u2013", "----")  # the minus sign, and dashes used as one
_COMMA = re.compile(r"(?<![\w).])(?P<before>\d[\d.]*|),(?P<after>\d+)")  # inside a number


@dataclass(frozen=True)
class Expression:
    """An expression of numbers and names.

    It may have ``+ - * / **``, brackets, comparisons, also chained as in ``1 < size < 5``, ``and``, ``or``, ``not`` and
    the functions in `FUNCTIONS`.

    Parameters
    ----------
    text : what was typed.
    known : the names that it may have; None for any.
    dotted : whether names may be dotted, such as ``events.merge``.
    functions : the names of the functions that it may have.

    Attributes
    ----------
    kind : whether its value is a number or a condition, which is true or false.
    names : the names in it.

    Raises
    ------
    InputError
        It is not such an expression. The message names the part at fault and what is allowed.
    """

    text: str
    known: Collection[str] | None = None
    dotted: bool = False
    functions: Collection[str] = tuple(FUNCTIONS)
    kind: ExpressionKind = field(init=False)
    names: frozenset[str] = field(init=False)
    _tree: ast.expr = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST:
            raise InputError(f"an expression has at most {LONGEST} characters, not {len(self.text)}")
        if not self.text.strip():
            raise InputError(f"the expression is empty; it can have {ALLOWED}, as in x > 2 and y < 5")
        text = self.text.translate(_MINUS).strip()
        _check_words(text)
        try:
            tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise InputError(_broken(text, error)) from None
        names: set[str] = set()
        object.__setattr__(self, "_tree", tree)
        object.__setattr__(self, "kind", self._check(tree, names, 0))
        object.__setattr__(self, "names", frozenset(names))

    def value(self, columns: Mapping[str, Any]) -> Any:
        """Its value for each row, an array of float64 or bool, or one number or truth value if no name has rows.

        Undefined numbers are NaN. A comparison with NaN is false, but for ``!=``.

        Parameters
        ----------
        columns : the values by name: arrays of one length, or numbers. It is asked for the names in `names` only.
        """
        with np.errstate(all="ignore"):
            return _value(self._tree, columns)

    def mask(self, columns: Mapping[str, Any], count: int) -> NDArray[np.bool_]:
        """For which of `count` rows the condition is true, (count,) bool.

        Raises
        ------
        InputError
            It is a number, not a condition.
        """
        if self.kind != "condition":
            raise InputError(f"{_short(self.text)} is a number; compare it with another, as in {_example(self)}")
        return np.array(np.broadcast_to(np.asarray(self.value(columns), bool), (count,)))

    def _check(self, node: ast.AST, names: set[str], depth: int) -> ExpressionKind:
        """The kind of a part; InputError for a part that is not allowed. Names are added to `names`."""
        if depth > DEEPEST:
            raise InputError(f"an expression has at most {DEEPEST} levels of brackets and operations in each other")
        deeper = depth + 1
        match node:
            case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
                return "number"
            case ast.Name() | ast.Attribute():
                self._check_name(_dotted(node), names)
                return "number"
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                for part in (left, right):
                    self._want(part, "number", names, deeper)
                return "number"
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                self._want(operand, "number", names, deeper)
                return "number"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self._want(operand, "condition", names, deeper)
                return "condition"
            case ast.BoolOp(values=values):
                for part in values:
                    self._want(part, "condition", names, deeper)
                return "condition"
            case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARE for op in ops):
                for part in (left, *others):
                    self._want(part, "number", names, deeper)
                return "condition"
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                self._check_call(name, len(args))
                self._want(args[0], "number", names, deeper)
                return "number"
        raise InputError(f"{_short(ast.unparse(node))} is not allowed here; an expression can have {ALLOWED}")

    def _want(self, node: ast.expr, kind: ExpressionKind, names: set[str], depth: int) -> None:
        if self._check(node, names, depth) == kind:
            return
        part = _short(ast.unparse(node))
        if kind == "condition":
            raise InputError(f"{part} is a number, where a comparison such as {part} > 0 is needed")
        raise InputError(f"{part} is true or false, where a number is needed; join conditions by and, or")

    def _check_name(self, name: str, names: set[str]) -> None:
        if "." in name and not self.dotted:
            raise InputError(f"{_short(name)} is not allowed: names have no dots{self._choices()}")
        if self.known is not None and name not in self.known:
            near = get_close_matches(name, list(self.known), 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise InputError(f"there is no {_short(name)} here{hint}{self._choices()}")
        names.add(name)

    def _choices(self) -> str:
        return f"; there are {', '.join(sorted(self.known))}" if self.known else ""

    def _check_call(self, name: str, arguments: int) -> None:
        if name not in self.functions:
            raise InputError(f"there is no function {_short(name)}; there are {', '.join(self.functions)}")
        if arguments != 1:
            raise InputError(f"{name} takes one number in brackets, as in {name}(x), not {arguments}")


def _check_words(text: str) -> None:
    """Raise InputError for a sign that no expression has."""
    if comma := _COMMA.search(text):
        before, after = comma["before"].replace(".", "") or "0", comma["after"]
        choices = [f"{before}{after}"] if len(after) == 3 and before != "0" else []
        told = " or ".join([*choices, f"{before}.{after}"])
        raise InputError(f"{comma[0]} is not allowed: numbers in an expression have no commas; write {told}")
    for found in _words(text):
        odd = found["odd"]
        if odd is not None:
            instead = f"; write {_INSTEAD[odd]} instead" if odd in _INSTEAD else ""
            at = text[found.start("odd") :]
            raise InputError(f"{_short(at)!r} is not allowed{instead}; an expression can have {ALLOWED}")


def _words(text: str) -> Iterator[re.Match[str]]:
    at = 0
    while found := _WORD.match(text, at):
        yield found
        at = found.end()


def _broken(text: str, error: BaseException) -> str:
    """A sentence about a text that has no structure."""
    if text.count("(") != text.count(")"):
        return f"a bracket is missing in {_short(text)}"
    offset = error.offset if isinstance(error, SyntaxError) else None
    at = text[max(offset - 1, 0) :].strip() if offset else ""
    if at and at != text:
        return f"{_short(text)} cannot be read from {_short(at)!r} on; an expression can have {ALLOWED}"
    return f"{_short(text)} is not complete; an expression can have {ALLOWED}, as in x > 2 and y < 5"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:39]}…"


def _example(expression: Expression) -> str:
    return f"{_short(expression.text)} > 0" if len(expression.text) < 30 else "size > 50"


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=owner, attr=name):
            return f"{_dotted(owner)}.{name}"
    raise InputError(f"{_short(ast.unparse(node))} is not allowed here; an expression can have {ALLOWED}")


def _value(node: ast.expr, columns: Mapping[str, Any]) -> Any:
    """The value of a part that `Expression._check` has let through."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return np.float64(number)
        case ast.Name() | ast.Attribute():
            return np.asarray(columns[_dotted(node)], np.float64)
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, columns), _value(right, columns))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return np.logical_not(_value(operand, columns))
        case ast.UnaryOp(op=op, operand=operand):
            value = _value(operand, columns)
            return np.negative(value) if isinstance(op, ast.USub) else value
        case ast.BoolOp(op=op, values=values):
            join = np.logical_and if isinstance(op, ast.And) else np.logical_or
            result = _value(values[0], columns)
            for part in values[1:]:
                result = join(result, _value(part, columns))
            return result
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_value(part, columns) for part in (left, *others)]
            result = _COMPARE[type(ops[0])](sides[0], sides[1])
            for k in range(1, len(ops)):
                result = np.logical_and(result, _COMPARE[type(ops[k])](sides[k], sides[k + 1]))
            return result
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return FUNCTIONS[name](_value(argument, columns))
    raise AssertionError(f"an expression was not checked: {ast.dump(node)}")
