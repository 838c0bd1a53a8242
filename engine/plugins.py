"""Plug-ins: Python modules by others that add systems, indicators, formats and parts of the window.

A plug-in is loaded only because a person asks for it: it is a file named with ``--plugin``, or an installed package
with an entry point in one of `GROUPS`. A scenario or session never loads one. The module says for which version of the
plug points it is written, and has a function that fills them::

    PLUG_POINTS = 1

    def register(points):
        points.system(MySystem())

A plug-in for another version, or one that fails, is left out, and the program goes on. docs/extending.md has examples.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from engine import indicators
from engine.errors import InputError
from engine.indicators import Indicator
from engine.scenario import tables
from engine.system import System, register

if TYPE_CHECKING:
    from engine.files.formats import Format

VERSION = 1
"""The version of the plug points. It goes up with changes for which plug-ins have to be adapted."""

GROUPS = ("aggviewer.systems", "aggviewer.indicators", "aggviewer.formats")
"""The groups of entry points that name modules of plug-ins."""


@dataclass(frozen=True)
class PlugIn:
    """What has become of a plug-in that was to be loaded.

    Parameters
    ----------
    name : the name of its file or of its package.
    source : the path of its file, or the entry point.
    adds : what it adds, such as ``"system points"``.
    problem : why it is left out, as the end of a sentence; "" for one that is loaded.
    """

    name: str
    source: str
    adds: tuple[str, ...] = ()
    problem: str = ""

    @property
    def notice(self) -> str:
        """One sentence about a plug-in that is left out; "" for one that is loaded."""
        return f"the plug-in {self.name} is left out: {self.problem}" if self.problem else ""


class PlugPoints:
    """What a plug-in can add to. Nothing takes effect before the plug-in's `register` has returned."""

    def __init__(self) -> None:
        self.filled: list[tuple[str, str, Any]] = []  # plug point, name, part

    def system(self, system: System) -> None:
        """Add something that can be simulated."""
        self.filled.append(("system", system.name, system))

    def indicator(self, indicator: Indicator) -> None:
        """Add something that is measured of every state."""
        self.filled.append(("indicator", indicator.name, indicator))

    def format(self, format: Format) -> None:
        """Add a file format."""
        self.filled.append(("format", format.name, format))

    def view(self, system: str, make: Callable[[], Any]) -> None:
        """Add how the window shows a system: `make` returns an `aggviewer.systems.base.SystemView`.

        `make` is called when a window opens, here and in `command`, `layer` and `mark`, so that it may import Qt.
        """
        self.filled.append(("view", system, make))

    def command(self, name: str, make: Callable[[Any], Any]) -> None:
        """Add a command of the window: `make` takes the session and returns an `aggviewer.widgets.command.Command`."""
        self.filled.append(("command", name, make))

    def layer(self, name: str, make: Callable[[], Any]) -> None:
        """Add a layer of the picture: `make` returns an `aggviewer.canvas` layer."""
        self.filled.append(("layer", name, make))

    def mark(self, name: str, make: Callable[[], Any]) -> None:
        """Add a kind of measurements or notes: `make` returns an `aggviewer.session.marks.kinds.Kind`."""
        self.filled.append(("mark", name, make))


_known: dict[str, PlugIn] = {}
_late: list[tuple[str, str, Callable[..., Any]]] = []  # plug point, source, `make`


def load_file(path: str | Path) -> PlugIn:
    """Load the plug-in in a file. One that is loaded already is not loaded again.

    Returns
    -------
    PlugIn
        What has become of it; `problem` says why it is left out.

    Raises
    ------
    InputError
        There is no such file.
    """
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise InputError(f"there is no plug-in {path}", str(path))
    return _load(file.name, str(file), lambda: _module_of(file))


def load_installed() -> None:
    """Load the plug-ins of all installed packages, each once."""
    for group in GROUPS:
        for entry in entry_points(group=group):
            name = entry.dist.name if entry.dist is not None else entry.name
            _load(name, entry.value, lambda entry=entry: _installed(entry))  # type: ignore[misc]


def known() -> tuple[PlugIn, ...]:
    """All plug-ins that were to be loaded, in this order, also those that are left out."""
    return tuple(_known.values())


def use(point: str, take: Callable[[Callable[..., Any]], Any], *, once: bool = False) -> None:
    """Have the application take what plug-ins have added to one of its plug points.

    A plug-in that fails is left out from then on, and `known` says so; the others go on.

    Parameters
    ----------
    point : ``"view"``, ``"command"``, ``"layer"`` or ``"mark"``.
    take : called with the function `make` of each plug-in.
    once : whether each is given only to the first call for this plug point.
    """
    for entry in [late for late in _late if late[0] == point]:
        if once:
            _late.remove(entry)
        try:
            take(entry[2])
        except Exception as error:
            if not once:
                _late.remove(entry)
            _known[entry[1]] = replace(_known[entry[1]], problem=f"its {point} fails: {_in_words(error)}")


def _in_words(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _load(name: str, source: str, module: Callable[[], ModuleType]) -> PlugIn:
    if source not in _known:
        _known[source] = _loaded(name, source, module)
    return _known[source]


def _loaded(name: str, source: str, module: Callable[[], ModuleType]) -> PlugIn:
    points = PlugPoints()
    undo: list[Callable[[], None]] = []
    try:
        found = module()
        _check_version(vars(found).get("PLUG_POINTS"))
        fill = vars(found).get("register")
        if fill is None:
            raise InputError("it has no function register(points)")
        fill(points)
        for point, _, part in points.filled:
            undo.append(_AT_ONCE[point](name, part) if point in _AT_ONCE else _later(point, source, part))
    except InputError as error:
        problem = str(error)
    except (Exception, SystemExit) as error:
        problem = _in_words(error)
    else:
        return PlugIn(name, source, tuple(f"{point} {part}" for point, part, _ in points.filled))
    for back in reversed(undo):
        back()
    return PlugIn(name, source, problem=problem)


def _add_system(plug_in: str, system: System) -> Callable[[], None]:
    system.origin = plug_in
    register(system)
    return lambda: tables.remove(system)


def _add_indicator(plug_in: str, indicator: Indicator) -> Callable[[], None]:
    indicators.register(indicator)
    return lambda: indicators.remove(indicator)


def _add_format(plug_in: str, format: Format) -> Callable[[], None]:
    from engine.files import formats

    formats.register(format)
    return lambda: formats.remove(format)


def _later(point: str, source: str, make: Callable[..., Any]) -> Callable[[], None]:
    """Keep `make` until the application asks for it (`use`)."""
    late = (point, source, make)
    _late.append(late)
    return lambda: _late.remove(late)


_AT_ONCE: dict[str, Callable[[str, Any], Callable[[], None]]] = {
    "system": _add_system,
    "indicator": _add_indicator,
    "format": _add_format,
}
"""How a part is added as soon as its plug-in is loaded; each function returns one that takes the part out again."""


def _check_version(version: object) -> None:
    if version is None:
        raise InputError(f"it does not say for which version of the plug points it is; write PLUG_POINTS = {VERSION}")
    if version != VERSION:
        raise InputError(f"it is for version {version} of the plug points, and this program has version {VERSION}")


def _module_of(file: Path) -> ModuleType:
    """Import the module in a file. It is not run where it says that it is for another version."""
    text = file.read_text(encoding="utf-8")
    for statement in ast.parse(text, str(file)).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="PLUG_POINTS")], value=ast.Constant(value=version)):
                _check_version(version)
    name = f"aggviewer_plugin_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError("its name does not end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module by its name
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _installed(entry: EntryPoint) -> ModuleType:
    module = entry.load()
    if not isinstance(module, ModuleType):
        raise InputError(f"its entry point {entry.value} does not name a module")
    return module
