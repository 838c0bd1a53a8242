"""A name of a public class or of a type means one thing in the whole program, and is written down once."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TYPE_NAME = re.compile(r"[A-Z]+[a-z]\w*")  # constants are in capitals; type variables are single letters
OF_A_TYPE = (ast.Subscript, ast.BinOp, ast.Name, ast.Attribute)


def declared(text: str) -> Iterator[str]:
    """The names of the public classes and type aliases of a module."""
    for node in ast.parse(text).body:
        match node:
            case ast.ClassDef(name=name) if not name.startswith("_"):
                yield name
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id="TypeAlias"), value=value)
            ):
                alias = isinstance(value, OF_A_TYPE) or (isinstance(value, ast.Call) and is_type_maker(value))
                if alias and TYPE_NAME.fullmatch(name):
                    yield name


def is_type_maker(call: ast.Call) -> bool:
    """Whether the call makes a type or a type variable."""
    return isinstance(call.func, ast.Name) and call.func.id in {"NewType", "TypeVar", "ParamSpec"}


def found_twice(modules: dict[str, str]) -> dict[str, list[str]]:
    """Names with several declarations, each with the modules that hold one."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for module, text in modules.items():
        for name in declared(text):
            places[name].append(module)
    return {name: where for name, where in places.items() if len(where) > 1}


def test_a_class_or_type_name_is_declared_once_in_the_program() -> None:
    files = [path for package in ("engine", "aggviewer") for path in sorted((ROOT / package).rglob("*.py"))]
    assert found_twice({str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files}) == {}


@pytest.mark.parametrize(
    "text",
    [
        "class Kind: ...",
        'Kind = Literal["disc", "wall"]',
        "Kind: TypeAlias = Any",
        "Kind = int | None",
        'Kind = TypeVar("Kind")',
    ],
)
def test_a_second_meaning_of_a_name_is_found(text: str) -> None:
    assert found_twice({"one.py": text, "two.py": 'Kind = Literal["disc", "wall"]'}) == {"Kind": ["one.py", "two.py"]}


@pytest.mark.parametrize("text", ["class _Kind: ...", "KIND = NAMES", "kind = int", 'T = TypeVar("T")', "Kind = f(1)"])
def test_private_classes_constants_and_single_letters_do_not_count(text: str) -> None:
    assert found_twice({"one.py": text, "two.py": text}) == {}
