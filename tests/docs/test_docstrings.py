"""Public functions that take or give arrays say in their docstrings which shapes these have, and what they raise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
ALIAS = re.compile(r"^(\w+)(?:: TypeAlias)? = (?!.*(?:Callable|Mapping|dict)\[).*\bNDArray\b", re.MULTILINE)
NO_ARRAYS = re.compile(r"\bCallable\b.*|\bArrays\b|\b(?:dict|Mapping)\[str, \w+(?:\[[\w.]+\])?\]")
"""In annotations: functions, and arrays by name, whose shapes are said where the names are."""

# One side of an array is a number, a letter (but not those of places, times and velocities), or one of a few words; a
# side may also be a sum or product of these: (n,), (N, d), (N + 1, 2 K), (rows * columns,), (…, 4).
SIDE = r"(?:\d+|\d*[A-Za-npqrsw]|\.\.\.|…|rows|columns|height|width|count|capacity|KEPT)"
SIDES = rf"{SIDE}(?:(?: [-+*] | ){SIDE})*"
SHAPE = re.compile(rf"\({SIDES}(?:,|(?:, {SIDES})+)\)|\b(?:any|same) shape\b")
RAISES = re.compile(r"\b[Rr]aises?\b")
ERROR = re.compile(r"raise (?:InputError|ValueError)\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Definition(NamedTuple):
    """A function of a module: its name with those of its classes, and the bases of its class."""

    name: str
    node: Function
    bases: tuple[str, ...]

    @property
    def public(self) -> bool:
        """Whether it is for others. Overloads and setters have no docstring of their own."""
        marks = [ast.unparse(mark) for mark in self.node.decorator_list]
        own = any(mark == "overload" or mark.endswith(".setter") for mark in marks)
        return not own and not any(part.startswith("_") for part in self.name.split("."))


def definitions(tree: ast.Module | ast.ClassDef, above: str = "") -> Iterator[Definition]:
    """The functions and methods of a module, without those inside of functions."""
    bases = tuple(ast.unparse(base).split("[")[0] for base in tree.bases) if isinstance(tree, ast.ClassDef) else ()
    for node in tree.body:
        if isinstance(node, Function):
            yield Definition(above + node.name, node, bases)
        elif isinstance(node, ast.ClassDef):
            yield from definitions(node, f"{above}{node.name}.")


def has_arrays(node: Function, aliases: frozenset[str]) -> bool:
    """Whether an argument or the result is declared as an array, or as something that holds arrays."""
    found = node.args
    arguments = [*found.posonlyargs, *found.args, *found.kwonlyargs, found.vararg, found.kwarg]
    annotations = [*(one.annotation for one in arguments if one), node.returns]
    texts = [NO_ARRAYS.sub("", ast.unparse(one)) for one in annotations if one]
    return any(aliases & set(re.findall(r"\w+", text)) for text in texts)


def faults(texts: Mapping[str, str]) -> Iterator[str]:
    """What docstrings of modules do not say. A method also has the docstrings of the methods that it overrides."""
    aliases = frozenset({"NDArray", *(name for text in texts.values() for name in ALIAS.findall(text))})
    found = [(path, one) for path, text in texts.items() for one in definitions(ast.parse(text))]
    by_name = {one.name: one for _, one in found}

    def docstring(one: Definition) -> str:
        method = one.name.rpartition(".")[2]
        overridden = [by_name[f"{base}.{method}"] for base in one.bases if f"{base}.{method}" in by_name]
        return " ".join([ast.get_docstring(one.node) or "", *map(docstring, overridden)])

    for path, one in found:
        if one.public and has_arrays(one.node, aliases):
            text = " ".join(docstring(one).split())
            place = f"{path}:{one.node.lineno} {one.name}"
            if not SHAPE.search(text):
                yield f"{place} gives no shape of its arrays"
            own = "\n".join(ast.unparse(line) for line in one.node.body if not isinstance(line, Function))
            if ERROR.search(own) and not RAISES.search(text):
                yield f"{place} does not say what it raises"


@pytest.mark.parametrize("package", ["engine", "aggviewer"])
def test_public_functions_give_the_shapes_of_their_arrays_and_their_errors(package: str) -> None:
    paths = [path for top in ("engine", "aggviewer") for path in sorted((ROOT / top).rglob("*.py"))]
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    found = [fault for fault in faults(texts) if fault.startswith(package)]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("shape", ["(n,)", "(N, d)", "(K, 2)", "(N + 1,)", "(2 K, 3)", "(…, 4)", "any shape"])
def test_these_are_shapes(shape: str) -> None:
    text = f'def area(radii: NDArray[Any]) -> float:\n    """The area of discs. radii : {shape}."""\n'
    assert list(faults({"new.py": text})) == []


@pytest.mark.parametrize("words", ["", "(x, y)", "(2.9)", "(Nelson, 1979)", "(B5)", "(d)", "(length)", "one per disc"])
def test_these_are_no_shapes(words: str) -> None:
    text = f'Radii = NDArray[Any]\ndef area(radii: Radii) -> float:\n    """The area of discs {words}."""\n'
    assert list(faults({"new.py": text})) == ["new.py:2 area gives no shape of its arrays"]


def test_an_error_that_the_docstring_does_not_name_is_found() -> None:
    text = 'def area(radii: NDArray[Any]) -> float:\n    """The area. radii : (n,)."""\n    raise InputError("none")\n'
    assert list(faults({"new.py": text})) == ["new.py:1 area does not say what it raises"]
    assert list(faults({"new.py": text.replace("(n,).", "(n,). Raises InputError for none.")})) == []


def test_a_method_without_docstring_has_that_of_the_method_that_it_overrides() -> None:
    base = 'class Base:\n    def at(self, x: NDArray[Any]) -> None:\n        """Values at x, (n,)."""\n'
    own = "class Own(Base):\n    def at(self, x: NDArray[Any]) -> None: ...\n"
    assert list(faults({"base.py": base, "own.py": own})) == []
    assert list(faults({"own.py": own})) == ["own.py:2 Own.at gives no shape of its arrays"]
