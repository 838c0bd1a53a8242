"""Lessons as folders: bundled ones by name, a teacher's own by the path of its ``lesson.toml``."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, get_args
from zlib import crc32

from pydantic import BaseModel, ValidationError

from aggviewer.extensions.lessons.model import Lesson, LessonStep, Setting
from engine.errors import InputError, typed_path
from engine.scenario import Scenario, describe, load_scenario
from engine.scenario.source import parse_toml, read_text

FILE = "lesson.toml"

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")


@dataclass(frozen=True)
class LessonFile:
    """A lesson with its files.

    Parameters
    ----------
    name : of a bundled lesson, or of the folder.
    folder : with its pictures and scenarios.
    lesson : the model.
    file : its TOML file.
    """

    name: str
    folder: Path
    lesson: Lesson
    file: Path

    @property
    def key(self) -> str:
        """A unique name among all lessons, in any folder."""
        if self.file == bundled_folder().resolve() / self.name / FILE:
            return self.name
        return f"{self.name}-{crc32(str(self.file).encode()):08x}"

    def scenario(self, setting: Setting) -> Scenario:
        """The scenario that a step starts. InputError if it does not exist."""
        assert setting.scenario is not None
        beside = self.folder / setting.scenario
        scenario = load_scenario(beside if beside.is_file() else setting.scenario)
        return scenario.with_values(setting.values)


def bundled_folder() -> Path:
    """The folder of the bundled lessons."""
    return Path(str(resources.files("resources"))) / "lessons"


def bundled(left_out: Callable[[str], None] | None = None) -> list[LessonFile]:
    """The bundled lessons, in order.

    left_out : called with an error message for each lesson that cannot be used, so that one damaged file does not hide
        the others. Without it the first one raises InputError.
    """
    found = []
    for file in sorted(bundled_folder().glob(f"*/{FILE}")):
        try:
            found.append(_read_once(file, _written(file.parent)))
        except InputError as error:
            if left_out is None:
                raise
            left_out(str(error))
    return sorted(found, key=lambda one: (one.lesson.order, one.name))


@lru_cache(maxsize=64)
def _read_once(file: Path, written: frozenset[tuple[str, int, int]]) -> LessonFile:
    """`read_lesson`, cached for each state of its folder, since every window reads all bundled lessons."""
    return read_lesson(file)


def _written(folder: Path) -> frozenset[tuple[str, int, int]]:
    """The names, sizes and dates (nanoseconds) of the files of a folder, to notice changes."""
    with os.scandir(folder) as entries:
        return frozenset((entry.name, entry.stat().st_size, entry.stat().st_mtime_ns) for entry in entries)


def find_lesson(path_or_name: str | Path) -> LessonFile:
    """A bundled lesson by name, or a lesson by its folder or file.

    Raises
    ------
    InputError
        It does not exist, or is invalid; the message has the line.
    """
    name = str(path_or_name)
    path = typed_path(path_or_name)
    if path.is_dir() and (path / FILE).is_file():
        return read_lesson(path / FILE)
    if path.is_file():
        return read_lesson(path)
    known = sorted(folder.name for folder in bundled_folder().iterdir() if (folder / FILE).is_file())
    if name not in known:
        raise InputError(
            f"{name} is neither a lesson file nor a bundled lesson; the bundled lessons are {', '.join(known)}", name
        )
    return read_lesson(bundled_folder() / name / FILE)


def is_lesson(path: Path) -> bool:
    """Whether a TOML file is a lesson: it has steps, which a scenario and a study do not."""
    if path.suffix.lower() != ".toml" or not path.is_file():
        return False
    if path.name == FILE:
        return True
    try:
        return "step" in parse_toml(read_text(path), path.name)
    except InputError:
        return False


def title_of_lesson(path: Path) -> str:
    """Its title; the name of its folder for a file that cannot be read."""
    try:
        title = parse_toml(read_text(path), path.name).get("title")
    except InputError:
        title = None
    return title if isinstance(title, str) else path.parent.name


def read_lesson(path: Path) -> LessonFile:
    """The lesson of a file, checked completely, including scenarios, keys and pictures. InputError with the line."""
    text = read_text(path)
    values = parse_toml(text, str(path))
    try:
        lesson = Lesson.model_validate(values)
    except ValidationError as error:
        raise _input_error(error, text, path) from None
    file = path.resolve()
    found = LessonFile(file.parent.name, file.parent, lesson, file)
    for number, step in enumerate(lesson.step):
        try:
            _check(step, found)
        except InputError as error:
            where: tuple[int | str, ...] = ("step", number, *error.key.split("."))
            raise InputError(f"{path}, line {line_of(text, where)}: {error}", str(path)) from None
    return found


def _check(step: LessonStep, found: LessonFile) -> None:
    """Raise InputError, with a key of the step, for scenarios and keys that do not exist."""
    setting = step.set
    if setting is not None:
        try:
            if setting.begins:
                scenario = found.scenario(setting)
                scenario.with_values(setting.compare or {})
            for key in setting.values:
                describe(key)
        except InputError as error:
            raise InputError(str(error), "set") from None
    if step.do is not None:
        for key in step.do.controls:
            try:
                describe(key)
            except InputError as error:
                raise InputError(str(error), "do.controls") from None
    for text in (step.say, step.explain):
        for name in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", text):
            if not (found.folder / name).resolve().is_relative_to(found.folder) or not (found.folder / name).is_file():
                raise InputError(f"there is no picture {name} beside the lesson", "say")


def _input_error(error: ValidationError, text: str, path: Path) -> InputError:
    """The first error as one sentence, with the line and the key, such as ``step[2].do.when``, counted from 1."""
    first = min(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    location = tuple(part for part in first["loc"] if not str(part).startswith(("float", "literal", "constrained")))
    cause = first.get("ctx", {}).get("error")
    key = _place_in_words(location)
    if isinstance(cause, InputError):
        words = f"{key}: {cause}" if key else str(cause)
        return InputError(f"{path}, line {line_of(text, (*location, *_place(cause.key)))}: {words}", str(path))
    if first["type"] == "extra_forbidden":
        known = _keys_at(location[:-1])
        close = get_close_matches(str(location[-1]), known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known)}"
        words = f"{key} is not a key of a lesson; {hint}"
    elif first["type"] == "missing":
        words = f"{key} is missing"
    else:
        problem = first["msg"][0].lower() + first["msg"][1:]
        problem = problem.removeprefix("input ").replace("should be", "must be").replace("should have", "must have")
        words = f"{key} {problem}"
    return InputError(f"{path}, line {line_of(text, location)}: {words}", str(path))


def _place(key: str) -> tuple[int | str, ...]:
    """The path of a key such as ``step[2].do.when``; the inverse of `_place_in_words`."""
    return tuple(int(part) - 1 if part.isdigit() else part for part in re.findall(r"\w+", key))


def _place_in_words(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    """The keys that the table at this place of a lesson's TOML may have."""
    model: type[BaseModel] = Lesson
    for part in location:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(str(part))
        kinds = _models_in(field.annotation) if field is not None else []
        if kinds:
            model = kinds[0]
    return list(model.model_fields)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """The tables that an annotation names, at any depth."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for one in get_args(annotation) for model in _models_in(one)]


def line_of(text: str, location: tuple[int | str, ...]) -> int:
    """The line, counted from 1, of the table or key at a path such as ``("step", 2, "do", "when")``, or of its
    innermost part that is in the file."""
    lines = text.splitlines()
    names = [part for part in location if isinstance(part, str)]
    index = next((part for part in location if isinstance(part, int)), None)
    begin, end = 0, len(lines)
    if index is not None and names:
        heads = [number for number, line in enumerate(lines) if _is_head(line, [names[0]], double=True)]
        if index < len(heads):
            begin = heads[index]
            end = heads[index + 1] if index + 1 < len(heads) else len(lines)
    best = begin
    for number in range(begin, end):
        found = _HEADER.match(lines[number])
        if found is not None:
            parts = [part.strip().strip("\"'") for part in found[2].split(".")]
            if len(parts) > 1 and parts == names[: len(parts)]:
                best = number
    for depth in range(len(names) - 1, 0, -1):
        key = re.compile(rf"\s*[\"']?{re.escape(names[depth])}[\"']?\s*[=.]")
        here = [number for number in range(best, end) if key.match(lines[number])]
        if here:
            return here[0] + 1
    if len(names) == 1 and index is None:
        key = re.compile(rf"\s*{re.escape(names[0])}\s*=")
        here = [number for number in range(end) if key.match(lines[number])]
        best = here[0] if here else 0
    return best + 1


def _is_head(line: str, names: list[str], *, double: bool) -> bool:
    found = _HEADER.match(line)
    return found is not None and (found[1] == "[[") == double and found[2].split(".") == names
