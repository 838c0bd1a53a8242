"""Kinds of exports: their formats, the fields of their forms, and the functions that draw and write them.

The export dialog has a page for each kind and knows none of them by name. No Qt is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import ArrayLike

from aggviewer.export.files import SaveSteps
from engine import plugins
from engine.errors import InputError
from engine.registry import Registry

if TYPE_CHECKING:
    from PyQt6.QtGui import QImage

    from aggviewer.export.figure import Panel, PicturePanel

_T = TypeVar("_T")


@dataclass(frozen=True)
class ExportItem:
    """Something that an export can contain, such as a plot. key : unique in its list; title : its display name."""

    key: str
    title: str


@dataclass(frozen=True)
class FieldSpec:
    """A field of the form of an export.

    Parameters
    ----------
    key : the key of its value in `ExportChoices.values`; an InputError with this key is shown at the field.
    label : the label before the field.
    default : the initial value.
    tip : a tool tip.
    more : whether it is among the fields that are folded at first.
    formats : the file endings for which it is shown; empty for all.
    kept : the field of the view that keeps the value after an export, also in sessions; "" for none.
    """

    key: str
    label: str
    default: Any
    tip: str = field(default="", kw_only=True)
    more: bool = field(default=False, kw_only=True)
    formats: tuple[str, ...] = field(default=(), kw_only=True)
    kept: str = field(default="", kw_only=True)

    def fitting(self, value: Any) -> Any:
        """`value`, or the closest value that can be chosen now."""
        return value


@dataclass(frozen=True)
class ChoiceSpec(FieldSpec):
    """A choice of one value. options : the values with their labels."""

    options: Mapping[Any, str]

    def fitting(self, value: Any) -> Any:
        """`value`, or the default if it is no longer an option."""
        return value if value in self.options else self.default


@dataclass(frozen=True)
class SwitchSpec(FieldSpec):
    """A check box. words : its label."""

    words: str


@dataclass(frozen=True)
class NumberSpec(FieldSpec):
    """A number.

    Parameters
    ----------
    limits : minimum and maximum.
    name : its name for screen readers and messages.
    unit : shown after the number.
    step : the step of the arrows.
    integer : whether it is a whole number.
    presets : common values, by name.
    """

    limits: tuple[float, float]
    name: str
    unit: str = ""
    step: float = 1.0
    integer: bool = False
    presets: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SizeSpec(FieldSpec):
    """Width and height in pixels, at most `largest` each; None for the size of the picture in the window, `window`."""

    window: tuple[int, int]
    largest: int


@dataclass(frozen=True)
class OverlaySpec(FieldSpec):
    """Overlays of the picture: an `aggviewer.canvas.picture.Over`. missing : names of those that it never has."""

    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class ItemsSpec(FieldSpec):
    """A list of items that can be ticked and reordered; the value is a tuple of the ticked keys. where : what contains
    them."""

    items: tuple[ExportItem, ...]
    where: str

    def fitting(self, value: Any) -> Any:
        """Those of the given keys that still exist; the default if none is left."""
        there = {item.key for item in self.items}
        return tuple(key for key in value if key in there) or self.default


@dataclass(frozen=True)
class ExportChoices:
    """The user's choices for an export. suffix : of the format; values : of the fields, by key."""

    suffix: str
    values: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def with_values(self, **values: Any) -> ExportChoices:
        """These choices with some values replaced."""
        return replace(self, values={**self.values, **values})


@dataclass(frozen=True)
class ExportPlot:
    """A plot of the window, for exports. It belongs to the GUI thread.

    Parameters
    ----------
    title : of the plot.
    open : whether it is shown unfolded in the window.
    prepare : draws what has been measured so far.
    complete : measures what is missing and draws everything.
    has_data : whether it shows anything, or will when measured.
    panel : makes a figure panel of it, with or without the numbers in its corner; any thread may draw that.
    table : its data, by the names of the columns; any thread may read that.
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
    """The contents of the window that can be exported.

    Parameters
    ----------
    size : of the picture in the window, in pixels.
    ratio : pixels of the screen for each of these.
    title : of the run, for the metadata of files.
    pictures : one for each run, from left to right, by the names of the runs.
    plots : by key, in the order of the window.
    """

    size: tuple[int, int] = (1280, 720)
    ratio: float = 1.0
    title: str = ""
    pictures: Mapping[str, PicturePanel] = field(default_factory=dict)
    plots: Mapping[str, ExportPlot] = field(default_factory=dict)


DATED = "aggviewer {now:%Y-%m-%d %H.%M.%S}"
"""The proposed name of pictures and films, see `new_path`."""

Drawn = tuple["QImage", str]
"""A preview image, and one line about the size."""


@dataclass(frozen=True, eq=False)
class ExportKind:
    """One page of the dialog *Export*, and one command that opens it.

    Parameters
    ----------
    name : unique among the kinds, such as ``"picture"``; the folder used last is remembered under this name.
    title : of the page.
    formats : the file endings with their descriptions; the first is the default.
    fields : makes the fields of the form for the present contents.
    missing : why nothing can be exported now, as a title and a hint; None if something can.
    draw : collects the data on the GUI thread, and returns steps that make an image on another thread. The image fits
        into the given number of pixels, or has a size for the clipboard if that is None. InputError if it cannot be
        made.
    files : the files that `write` will write.
    write : collects the data on the GUI thread, and returns steps that write the files on another thread. InputError if
        that is impossible.
    file_name : the proposed file name without ending; ``{now:…}`` stands for the date.
    command, text, keys, tip, words : those of the command, see `aggviewer.widgets.command.Command`.
    """

    name: str
    title: str
    formats: Mapping[str, str]
    fields: Callable[[ExportContents], Sequence[FieldSpec]]
    missing: Callable[[ExportContents], tuple[str, str] | None]
    draw: Callable[[ExportContents, ExportChoices, tuple[int, int] | None], SaveSteps[Drawn]]
    files: Callable[[ExportContents, ExportChoices, Path], Sequence[Path]]
    write: Callable[[ExportContents, ExportChoices, Path], SaveSteps[None]]
    file_name: str
    command: str
    text: str
    keys: tuple[str, ...] = ()
    tip: str = ""
    words: str = "export"

    def choices(self, contents: ExportContents, last: ExportChoices | None = None) -> ExportChoices:
        """The initial choices: the last ones if they are still possible, else the defaults."""
        values = {} if last is None else last.values
        suffix = next(iter(self.formats)) if last is None or last.suffix not in self.formats else last.suffix
        return ExportChoices(
            suffix,
            {
                one.key: one.fitting(values[one.key]) if one.key in values and not one.kept else one.default
                for one in self.fields(contents)
            },
        )


def shown(one: FieldSpec, suffix: str) -> bool:
    """Whether a field is shown for the format with this ending."""
    return not one.formats or suffix in one.formats


def new_path(folder: Path, file_name: str, suffix: str, now: datetime) -> Path:
    """An unused path in `folder`. file_name : see `ExportKind`."""
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
"""The program's own kinds."""

plugins.check("export", _fits_of_plug_in)


def exports() -> tuple[ExportKind, ...]:
    """All kinds; those of plug-ins come last."""
    return (*EXPORTS.parts, *plugins.added_parts("export"))
