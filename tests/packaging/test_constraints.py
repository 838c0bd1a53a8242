"""The pinned versions against what the project asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

PROJECT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TEXT = (PROJECT / "constraints.txt").read_text(encoding="utf-8")


def wanted() -> list[Requirement]:
    """What pyproject.toml asks for, extras and the build backend included."""
    found = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    project = found["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    return [Requirement(line) for line in (*found["build-system"]["requires"], *project["dependencies"], *extras)]


def pins(python: str) -> dict[str, Version]:
    """The version of each package for a version of Python."""
    found: dict[str, Version] = {}
    for line in TEXT.splitlines():
        text = line.partition("#")[0].strip()
        if not text:
            continue
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"python_version": python}):
            (pin,) = requirement.specifier
            assert pin.operator == "=="
            name = canonicalize_name(requirement.name)
            assert name not in found, f"{name} is pinned twice"
            found[name] = Version(pin.version)
    return found


@pytest.mark.parametrize("python", PYTHONS)
def test_every_requirement_has_a_pin_that_it_allows(python: str) -> None:
    pinned = pins(python)
    for requirement in wanted():
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier, str(requirement)


def test_the_releases_of_qt_that_break_undocking_are_not_used() -> None:
    for python in PYTHONS:
        assert str(pins(python)["pyqt6-qt6"]) not in {"6.11.0", "6.11.1"}


def test_no_address_and_no_path_of_a_machine() -> None:
    assert "://" not in TEXT
    assert not re.search(r"--(extra-)?index-url|--find-links[ =]|(^|\s)/\w", TEXT, re.MULTILINE)
