"""Plug-ins: Python modules that add systems, indicators, formats and parts of the window. The extensions of the program
itself are loaded in the same way (`load_own`).

A plug-in is loaded at the start, and only because a person asks for it: it is a file named with ``--plugin`` or listed
in the window's preferences, or an installed package with an entry point in one of `GROUPS`. A scenario or session never
loads one. The module says for which version of the plug points it is written, and has a function that fills them::

    PLUG_POINTS = 1

    def register(points):
        points.system(MySystem())

A plug-in for another version, or one that fails, is left out, and the program continues. All that a plug-in adds is
added, or nothing, and it stays until the program ends. docs/extending.md has examples.

All functions here but `added_parts` belong to the main thread, see `engine.registry`.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from engine.errors import InputError, typed_path
from engine.fields import FIELDS, Field, guarded
from engine.indicators import INDICATORS, Indicator
from engine.registry import Registry, all_or_nothing
from engine.scenario.section import SYSTEMS
from engine.selection.quantities import disc_fields
from engine.system import System, known_fields

if TYPE_CHECKING:
    from engine.files.formats import Format

T = TypeVar("T")

VERSION = 1
"""The version of the plug points. It goes up with changes for which plug-ins have to be adapted."""

GROUPS = ("aggviewer.systems", "aggviewer.indicators", "aggviewer.formats")
"""The groups of entry points that name modules of plug-ins."""


@dataclass(frozen=True)
class PlugIn:
    """The result of loading a plug-in.

    Parameters
    ----------
    name : the name of its file or of its package.
    source : the path of its file, or the entry point.
    adds : what it adds, such as ``"system points"``.
    problem : why it is left out, as the end of a sentence; "" for one that is loaded.
    details : the traceback of what has failed in it, "" if nothing has.
    own : whether it is an extension of the program itself.
    """

    name: str
    source: str
    adds: tuple[str, ...] = ()
    problem: str = ""
    details: str = ""
    own: bool = False

    @property
    def notice(self) -> str:
        """One sentence about a plug-in that is left out; "" for one that is loaded."""
        return f"the plug-in {self.name} is left out: {self.problem}" if self.problem else ""

    @property
    def words(self) -> str:
        """What the plug-in adds, or why it is left out, as a text."""
        return f"left out: {self.problem}" if self.problem else ", ".join(self.adds) or "nothing"


class PlugPoints:
    """The plug points. Nothing takes effect before the plug-in's `register` has returned.

    A plug-in fills those of the engine and of the application in one call, so all are named here. The engine only keeps
    what is for the application (`LATE_PARTS`), without importing or looking at it; the application takes it with
    `made`, and says with `check` what it has to be.
    """

    def __init__(self) -> None:
        self.filled: list[tuple[str, str, Any]] = []  # plug point, name, part

    def system(self, system: System) -> None:
        """Add a system: a model that can be simulated."""
        self.filled.append(("system", system.name, system))

    def indicator(self, indicator: Indicator) -> None:
        """Add something that is measured of every state; with `in_history`, a column of the history, and with `plot`, a
        plot of every system."""
        self.filled.append(("indicator", indicator.name, indicator))

    def field(self, field: Field) -> None:
        """Add a quantity that the discs of every system have: a colour, a column, a name in conditions."""
        self.filled.append(("field", field.name if isinstance(field, Field) else "?", field))

    def format(self, format: Format) -> None:
        """Add a file format."""
        self.filled.append(("format", format.name, format))

    def view(self, system: str, make: Callable[[], Any]) -> None:
        """Add how the window shows a system: `make` returns an `aggviewer.systems.base.SystemView`.

        `make` is called when a window opens, here and in `command`, `layer` and `export`, so that it may import Qt.
        Those of `document` and `run_command` are called on the command line too.
        """
        self.filled.append(("view", system, make))

    def part(self, name: str, make: Callable[[Any], Any]) -> None:
        """Add a part of the window, such as a panel: `make` takes the window's `aggviewer.widgets.part.Context` and
        returns an `aggviewer.widgets.part.Part`."""
        self.filled.append(("part", name, make))

    def subcommand(self, name: str, make: Callable[[], Any]) -> None:
        """Add a command of the command line, ``aggviewer NAME``: `make` returns a function for typer, whose arguments
        are annotated, and which returns the exit status."""
        self.filled.append(("subcommand", name, make))

    def command(self, name: str, make: Callable[[Any], Any]) -> None:
        """Add a command of the window: `make` takes the session and returns an `aggviewer.widgets.command.Command`."""
        self.filled.append(("command", name, make))

    def layer(self, name: str, make: Callable[[], Any]) -> None:
        """Add a layer of the picture: `make` returns an `aggviewer.canvas` layer."""
        self.filled.append(("layer", name, make))

    def document(self, name: str, make: Callable[[], Any]) -> None:
        """Add values that a person can change: `make` returns a class of models, derived from
        `aggviewer.document.model.DocumentModel`."""
        self.filled.append(("document", name, make))

    def run_command(self, name: str, make: Callable[[], Any]) -> None:
        """Add something that can be asked of a run: `make` returns a class derived from
        `aggviewer.session.log.RepeatableCommand`, whose `kind` is `name`."""
        self.filled.append(("run_command", name, make))

    def plot(self, name: str, make: Callable[[], Any]) -> None:
        """Add a plot to every system: `make` returns an `aggviewer.plots.plot.Plot`. An indicator with a `plot` needs
        none."""
        self.filled.append(("plot", name, make))

    def condition(self, name: str, met: Callable[[Any, Any], bool]) -> None:
        """Add a condition of lessons, for ``when = { NAME = VALUE }``: `met` takes the situation, an
        `aggviewer.extensions.lessons.conditions.Situation`, and the value, and returns whether it is met."""
        self.filled.append(("condition", name, lambda: (name, met)))

    def export(self, name: str, make: Callable[[], Any]) -> None:
        """Add a page to the dialog *Export*: `make` returns an `aggviewer.export.kinds.ExportKind`."""
        self.filled.append(("export", name, make))


class LatePart:
    """A part of the application that a plug-in adds, such as a layer: it is made when it is first needed.

    Parameters
    ----------
    point : the name of its method of `PlugPoints`.
    name : what it is registered as.
    source : of the plug-in.
    make : makes the part.
    """

    def __init__(self, point: str, name: str, source: str, make: Callable[..., Any]) -> None:
        self.point, self.name, self.source, self.make = point, name, source, make
        self._made: Any = None

    def is_part(self, part: Any) -> bool:
        """Whether `part` is this one, made or not."""
        return part is self or (part is not None and part is self._made)

    def build(self, others: Sequence[Any]) -> Any:
        """The part, made by the first call. Raises what `make` raises, and InputError if it does not go together with
        `others`."""
        if self._made is None:
            part = self.make()
            _checks[self.point](part, others)
            self._made = part
        return self._made


LATE_PARTS: Registry[LatePart] = Registry()
"""What plug-ins add to the application."""

_known: dict[str, PlugIn] = {}
_checks: dict[str, Callable[[Any, Sequence[Any]], None]] = {}
_numbers = count(2)


def load_file(path: str | Path) -> PlugIn:
    """Load the plug-in in a file. A loaded one stays unchanged; one that failed is tried again.

    Parameters
    ----------
    path : the file.

    Returns
    -------
    PlugIn
        The result; `problem` says why it is left out.

    Raises
    ------
    InputError
        There is no such file, and it is not loaded either.
    """
    file = typed_path(path).resolve()
    source = str(file)
    if source in _known and not _known[source].problem:
        return _known[source]
    if not file.is_file():
        raise InputError(f"there is no plug-in {path}", str(path))
    return _load(file.name, source, lambda: _module_of(file))


def load_installed() -> None:
    """Load the plug-ins of all installed packages, each once."""
    installed = entry_points()  # looks at every installed package
    for group in GROUPS:
        for entry in installed.select(group=group):
            name = entry.dist.name if entry.dist is not None else entry.name
            if entry.value not in _known:
                _load(name, entry.value, lambda entry=entry: _installed(entry))  # type: ignore[misc]


def load_own(modules: Sequence[str]) -> None:
    """Load extensions of the program itself, each once. modules : their names, in the order in which they add parts."""
    for module in modules:
        if module not in _known:
            _load(module.rpartition(".")[2], module, partial(import_module, module), own=True)


def known() -> tuple[PlugIn, ...]:
    """All plug-ins that were to be loaded, in this order, also those that are left out; extensions of the program
    itself only if they are left out."""
    return tuple(plug_in for plug_in in _known.values() if plug_in.problem or not plug_in.own)


# for the application


def check(point: str, fits: Callable[[Any, Sequence[Any]], None]) -> None:
    """Check parts of the application that plug-ins add with `fits`.

    Parameters
    ----------
    point : the name of its method of `PlugPoints`.
    fits : called with a part and those of other plug-ins; raises InputError if it does not go together
        with them.
    """
    _checks[point] = fits


def added_parts(point: str) -> tuple[Any, ...]:
    """The parts that plug-ins have added to a plug point, see `check`. Any thread, once they have been built.

    A part that cannot be built is left out from then on, and `known` says so; the others continue.
    """
    found: list[Any] = []
    for part in use_parts(point, lambda late: late.build(found)):
        found.append(part)
    return tuple(found)


def use_parts(point: str, use: Callable[[LatePart], T]) -> Iterator[T]:
    """The results of `use` for each part that was added to a plug point, in order.

    A part for which it raises an exception, or wants to exit, is left out from then on, and `known` says so; the others
    continue.
    """
    for late in late_parts(point):
        try:
            result = use(late)
        except (Exception, SystemExit) as error:  # of a plug-in: whatever it raises
            leave_out(late, error)
        else:
            yield result


def late_parts(point: str) -> tuple[LatePart, ...]:
    """The parts that plug-ins have added to a plug point, not yet built: parts of windows and commands, which each
    window builds for itself."""
    return tuple(late for late in LATE_PARTS.parts if late.point == point)


def leave_out(part: Any, error: Exception | SystemExit) -> None:
    """Leave out a part of a plug-in that cannot be used; `known` reports it.

    The error is raised for parts of the program itself.

    Parameters
    ----------
    part : one that `added_parts` or `late_parts` returned.
    error : what is wrong with it.
    """
    late = next((late for late in LATE_PARTS.parts if late.is_part(part)), None)
    if late is None:
        raise error
    LATE_PARTS.remove(late)
    if late.source in _known:
        problem = f"its {late.point} fails: {_in_words(error)}"
        _known[late.source] = replace(_known[late.source], problem=problem, details=_traceback(error, late.source))


# loading


def _load(name: str, source: str, module: Callable[[], ModuleType], *, own: bool = False) -> PlugIn:
    """Run a module and add what it registers, all of it or nothing."""
    try:
        points = PlugPoints()
        found = module()
        _check_version(vars(found).get("PLUG_POINTS"))
        fill = vars(found).get("register")
        if fill is None:
            raise InputError("it has no function register(points)")
        fill(points)
        parts = _to_add(name, source, points)
        with all_or_nothing():
            for registry, part in parts:
                registry.add(part)
    except (Exception, SystemExit) as error:
        _known[source] = PlugIn(name, source, (), _in_words(error), _traceback(error, source), own)
    else:
        adds = tuple(f"{point} {part}" for point, part, _ in points.filled)
        _known[source] = PlugIn(name, source, adds, own=own)
    return _known[source]


def _to_add(name: str, source: str, points: PlugPoints) -> list[tuple[Registry[Any], Any]]:
    """The parts that a plug-in adds, each with the registry that it goes into."""
    parts: list[tuple[Registry[Any], Any]] = []
    for point, known_as, part in points.filled:
        if point == "system":
            part.origin = name
            part.fields = tuple(guarded(field, name) for field in part.fields)
            parts.append((SYSTEMS, part))
        elif point == "field":
            _check_field(part, [other for registry, other in parts if registry is FIELDS])
            parts.append((FIELDS, guarded(part, name)))
        elif point == "indicator":
            parts.append((INDICATORS, replace(part, origin=name)))
        elif point == "format":
            from engine.files.formats import FORMATS

            parts.append((FORMATS, part))
        else:
            parts.append((LATE_PARTS, LatePart(point, known_as, source, part)))
    return parts


def _check_field(field: Any, others: Sequence[Field]) -> None:
    """Raise InputError for what is no field, or has the name of another one."""
    if not isinstance(field, Field):
        raise InputError(f"a field must be an engine.fields.Field, not a {type(field).__name__}")
    if field.name in {known.name for known in (*others, *known_fields(), *disc_fields(None, 3))}:
        raise InputError(f"there is a field {field.name} already")


def _in_words(error: BaseException) -> str:
    return str(error) if isinstance(error, InputError) else " ".join(f"{type(error).__name__}: {error}".split())


def _traceback(error: BaseException, source: str) -> str:
    """The traceback from the plug-in's own first line on; "" for an error whose sentence says all."""
    if isinstance(error, InputError):
        return ""
    told = traceback.TracebackException.from_exception(error)
    own = next((number for number, line in enumerate(told.stack) if line.filename == source), len(told.stack))
    if Path(source).is_absolute():
        told.stack = traceback.StackSummary.from_list(told.stack[own:])
    return "".join(told.format())


def _check_version(version: object) -> None:
    if version is None:
        raise InputError(f"it does not give its version of the plug points; write PLUG_POINTS = {VERSION}")
    if version != VERSION:
        raise InputError(f"it is for version {version} of the plug points, and this program has version {VERSION}")


def _module_of(file: Path) -> ModuleType:
    """Run the file as a new module, even if one of the same name ran before.

    It is not run if it says that it is for another version. Its byte code is not cached, since the cache is checked by
    a date in seconds, and a corrected file may be tried again sooner.
    """
    text = importlib.util.decode_source(file.read_bytes())
    for statement in ast.parse(text, str(file)).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="PLUG_POINTS")], value=ast.Constant(value=version)):
                _check_version(version)
    name = f"aggviewer_plugin_{file.stem}"
    if name in sys.modules:  # a file of this name in another folder; dataclasses look up their module by its name
        name = f"{name}_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None:
        raise InputError("its name does not end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(compile(text, str(file), "exec", dont_inherit=True), vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _installed(entry: EntryPoint) -> ModuleType:
    module = entry.load()
    if not isinstance(module, ModuleType):
        raise InputError(f"its entry point {entry.value} does not name a module")
    return module
