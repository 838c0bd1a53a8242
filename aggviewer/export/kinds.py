"""Kinds of exports: their formats, the fields of their forms, and what draws and writes them.

The window makes a page of its dialog from each kind, and knows none of them by name. No Qt is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import ArrayLike

from aggviewer.export.steps import Steps
from engine import plugins
from engine.errors import InputError
from engine.registry import Registry

if TYPE_CHECKING:
    from PyQt6.QtGui import QImage

    from aggviewer.export.figure import Panel, PicturePanel

_T = TypeVar("_T")


@dataclass(frozen=True)
class ExportItem:
    """Something that an export can contain, such as a plot. key : unique in its list; title : as people read it."""

    key: str
    title: str


@dataclass(frozen=True)
class FieldSpec:
    """A field of the form of an export.

    Parameters
    ----------
    key : of its value in `ExportChoices.values`; an InputError with this key is shown at the field.
    label : before the field.
    default : its value at first.
    tip : a tool tip.
    more : whether it is among those that are folded away at first.
    formats : the endings of the files that it matters for; none for all of them.
    """

    key: str
    label: str
    default: Any
    tip: str = field(default="", kw_only=True)
    more: bool = field(default=False, kw_only=True)
    formats: tuple[str, ...] = field(default=(), kw_only=True)

    def fitting(self, value: Any) -> Any:
        """`value`, or what comes closest to it of what can be chosen now."""
        return value


@dataclass(frozen=True)
class ChoiceSpec(FieldSpec):
    """One of several values. options : each of them with its words."""

    options: Mapping[Any, str]

    def fitting(self, value: Any) -> Any:
        """`value`, or the default where it is no option any more."""
        return value if value in self.options else self.default


@dataclass(frozen=True)
class SwitchSpec(FieldSpec):
    """Yes or no. words : beside the box."""

    words: str


@dataclass(frozen=True)
class NumberSpec(FieldSpec):
    """A number.

    Parameters
    ----------
    limits : the least and the greatest one.
    name : what it is, for screen readers and messages.
    unit : written after it.
    step : between two numbers of the arrows.
    integer : whether it is a whole number.
    presets : usual numbers, by their names.
    """

    limits: tuple[float, float]
    name: str
    unit: str = ""
    step: float = 1.0
    integer: bool = False
    presets: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SizeSpec(FieldSpec):
    """Width and height in pixels, None for those of the picture in the window, which are `window`; each at most
    `largest`."""

    window: tuple[int, int]
    largest: int


@dataclass(frozen=True)
class OverlaySpec(FieldSpec):
    """What lies over the discs: an `aggviewer.canvas.picture.Over`."""


@dataclass(frozen=True)
class ItemsSpec(FieldSpec):
    """Items in an order that can be changed; the value is a tuple of the keys of those that are ticked. where : what
    they stand in."""

    items: tuple[ExportItem, ...]
    where: str

    def fitting(self, value: Any) -> Any:
        """The keys, of those given, that there still are; the default where none is left."""
        there = {item.key for item in self.items}
        return tuple(key for key in value if key in there) or self.default


@dataclass(frozen=True)
class ExportChoices:
    """What a person has chosen for an export. suffix : of the format; values : of the fields, by their keys."""

    suffix: str
    values: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def with_values(self, **values: Any) -> ExportChoices:
        """These choices with other values of some fields."""
        return replace(self, values={**self.values, **values})


@dataclass(frozen=True)
class ExportPlot:
    """A plot of the window, as an export uses it. All of it belongs to the GUI thread.

    Parameters
    ----------
    title : of the plot.
    open : whether it is shown in the window, and not folded.
    prepare : draws what has been measured.
    complete : draws all, and measures what is still missing.
    has_data : whether it shows anything, or will when it has been measured.
    panel : it as a panel of a figure, with or without the numbers in its corner; any thread draws that.
    table : what it draws, by the names of the columns; any thread reads that.
    """

    title: str
    open: bool
    prepare: Callable[[], object]
    complete: Callable[[], object]
    has_data: Callable[[], bool]
    panel: Callable[[bool], Panel]
    table: Callable[[], Mapping[str, ArrayLike]]


@dataclass(frozen=True)
class ExportContents:
    """What the window shows, and what can therefore be exported.

    Parameters
    ----------
    size : of the picture in the window, in pixels.
    pictures : of each run, from left to right, by the names of the runs.
    plots : by their keys, in the order of the window.
    """

    size: tuple[int, int] = (1280, 720)
    pictures: Mapping[str, PicturePanel] = field(default_factory=dict)
    plots: Mapping[str, ExportPlot] = field(default_factory=dict)


DATED = "aggviewer {now:%Y-%m-%d %H.%M.%S}"
"""The name that is proposed for pictures and films, see `new_path`."""

Drawn = tuple["QImage", str]
"""An image of what would be written, and one line about its size."""


@dataclass(frozen=True, eq=False)
class ExportKind:
    """One page of the dialog *Export*, and one command that opens it.

    Parameters
    ----------
    name : unique among the kinds, such as ``"picture"``; also that of the folder that is remembered for it.
    title : of the page.
    formats : the endings of files with words for them; the first one is chosen at first.
    fields : the fields of the form, for what there is to be exported.
    missing : why nothing can be exported now, as a title and a hint what to do; None if something can.
    draw : gathers on the GUI thread what would be written, and returns steps that make an image of it on another
        thread. It fits into as many pixels as are given, or is as large as suits the clipboard for None. InputError if
        it cannot be made.
    files : the files that `write` writes.
    write : gathers on the GUI thread what they contain, and returns steps that write them on another thread. InputError
        if that cannot be done.
    file_name : proposed for the file, without its ending; ``{now:…}`` stands for the date.
    command, text, keys, tip, words : of the command, see `aggviewer.widgets.command.Command`.
    """

    name: str
    title: str
    formats: Mapping[str, str]
    fields: Callable[[ExportContents], Sequence[FieldSpec]]
    missing: Callable[[ExportContents], tuple[str, str] | None]
    draw: Callable[[ExportContents, ExportChoices, tuple[int, int] | None], Steps[Drawn]]
    files: Callable[[ExportContents, ExportChoices, Path], Sequence[Path]]
    write: Callable[[ExportContents, ExportChoices, Path], Steps[None]]
    file_name: str
    command: str
    text: str
    keys: tuple[str, ...] = ()
    tip: str = ""
    words: str = "export"

    def choices(self, contents: ExportContents, last: ExportChoices | None = None) -> ExportChoices:
        """What is chosen at first: what was chosen last as far as it can be chosen again, else the defaults."""
        values = {} if last is None else last.values
        suffix = next(iter(self.formats)) if last is None or last.suffix not in self.formats else last.suffix
        fields = self.fields(contents)
        return ExportChoices(
            suffix, {one.key: one.fitting(values[one.key]) if one.key in values else one.default for one in fields}
        )


def shown(one: FieldSpec, suffix: str) -> bool:
    """Whether a field matters for the format with this ending."""
    return not one.formats or suffix in one.formats


def new_path(folder: Path, file_name: str, suffix: str, now: datetime) -> Path:
    """A path in `folder` that no file has yet. file_name : see `ExportKind`."""
    stem = file_name.format(now=now)
    path, number = folder / f"{stem}{suffix}", 2
    while path.exists():
        path = folder / f"{stem} ({number}){suffix}"
        number += 1
    return path


def _fits(kind: ExportKind, others: Sequence[ExportKind]) -> None:
    if kind.name in [other.name for other in others]:
        raise InputError(f"there is an export {kind.name} already")


def _fits_of_plug_in(kind: Any, others: Sequence[ExportKind]) -> None:
    if not isinstance(kind, ExportKind):
        raise InputError(f"what it adds as an export is of the type {type(kind).__name__}, not an ExportKind")
    _fits(kind, (*EXPORTS.parts, *others))


EXPORTS: Registry[ExportKind] = Registry(_fits)
"""The kinds of the program itself."""

plugins.check("export", _fits_of_plug_in)


def exports() -> tuple[ExportKind, ...]:
    """All kinds; those of plug-ins come last."""
    return (*EXPORTS.parts, *plugins.made("export"))
