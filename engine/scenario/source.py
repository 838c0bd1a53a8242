"""Where scenarios come from: TOML files, the bundled scenarios, and settings ``section.key=value``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from engine.errors import InputError

MAX_BYTES = 1 << 20  # a scenario has a few kilobytes

_NAME = re.compile(r"[\w-]+")  # of a bundled scenario: no path
_WORDS = re.compile(r"[a-z]+(,[a-z]+)+")


@dataclass(frozen=True)
class BundledScenario:
    """A scenario that comes with the program: its name, and a title and a description for people."""

    name: str
    title: str
    description: str


def bundled(left_out: Callable[[str], None] = lambda words: None) -> list[BundledScenario]:
    """All bundled scenarios, sorted for a menu: the lattices first, by size.

    left_out : called with a sentence about each file that is no text: one damaged file must not keep the others away.
    """
    return [_about(name, text) for name, text in _bundled_texts(left_out).items()]


def _about(name: str, text: str) -> BundledScenario:
    """What the comments at the head of a scenario say about it."""
    about = {"title": name, "description": ""}
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        word, _, rest = line.lstrip("# ").partition(":")
        if word in about:
            about[word] = rest.strip()
    return BundledScenario(name, about["title"], about["description"])


def title_of(source: str | Path) -> str:
    """The title of a bundled scenario, or of a scenario file whose head has one; else its name."""
    path = Path(source)
    try:
        if path.suffix == ".toml":
            text: str | None = read_text(path)
        else:
            text = None if path.is_file() else bundled_text(str(source))
    except InputError:
        text = None
    return path.name if text is None else _about(path.name, text).title


def bundled_text(name: str) -> str | None:
    """The TOML text of a bundled scenario; None if there is none of this name. InputError if it is no text."""
    if not _NAME.fullmatch(name):
        return None
    entry = resources.files("resources") / "scenarios" / f"{name}.toml"
    return _text_of(entry) if entry.is_file() else None


def read_text(path: Path) -> str:
    """Read a scenario file. Raises InputError if it is missing, too large or not text."""
    try:
        if not path.is_file():
            raise InputError(f"{path} is not a file" if path.exists() else f"{path} does not exist", str(path))
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path} is too large for a scenario (more than {MAX_BYTES >> 20} MiB)", str(path))
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file: a scenario is TOML in UTF-8", str(path)) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", str(path)) from None


def parse_toml(text: str, name: str = "the scenario") -> dict[str, Any]:
    """Parse a TOML text, which messages call `name`.

    Raises InputError if it is not TOML, naming the line, or if it has no key because it is empty or has only
    comments.
    """
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{name} is not valid TOML: {' '.join(str(error).split())}", name) from None
    if not values:
        raise InputError(f"{name} is empty: it needs at least one key, such as format = 1", name)
    return values


def parse_setting(text: str) -> tuple[str, Any]:
    """Split ``section.key=value`` into key and value. The value is read as TOML; what is not TOML is a string, and
    words with commas between them are a list of strings: ``box.boundary=periodic,walls``.

    Raises InputError for a text without ``=`` or without a key.
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key:
        raise InputError(f'"{text}" is not a setting; write section.key=value, for example discs.count=400')
    try:
        parsed = tomllib.loads(f"value = {value}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return key, value.split(",") if _WORDS.fullmatch(value) else value
    return key, parsed["value"] if list(parsed) == ["value"] else value


def _text_of(entry: Traversable) -> str:
    """The text of a bundled file. InputError if it is none."""
    try:
        return entry.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"the bundled scenario {entry.name} is damaged: it is not TOML in UTF-8", entry.name) from None


def _bundled_texts(left_out: Callable[[str], None]) -> dict[str, str]:
    folder = resources.files("resources") / "scenarios"
    texts = {}
    for entry in folder.iterdir():
        if entry.name.endswith(".toml"):
            try:
                texts[entry.name.removesuffix(".toml")] = _text_of(entry)
            except InputError as error:
                left_out(str(error))

    def order(name: str) -> tuple[bool, str, int]:
        kind, _, size = name.rpartition("-")
        return kind != "lattice", kind, int(size) if size.isdigit() else 0

    return {name: texts[name] for name in sorted(texts, key=order)}
