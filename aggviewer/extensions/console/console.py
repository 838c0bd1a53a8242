"""The panel with the console, created only when the user first opens it, and the names in it: copies of what is
shown, and commands for the session."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QEvent, QObject, QTimer
from PyQt6.QtWidgets import QDockWidget

import engine
from aggviewer.parameters.layout import live_keys
from aggviewer.session import Notice
from aggviewer.style.theme import Colors, colors_in_use
from aggviewer.widgets.command import Command, MenuEntry, Place
from aggviewer.widgets.docks import Dock, add_below, give_height, in_sight, leave_arrow_keys, to_front
from aggviewer.widgets.part import Context, Part
from aggviewer.window.files import Opening
from aggviewer.window.picking.controller import SelectionController
from engine.errors import InputError, typed_path
from engine.frame import Frame
from engine.scenario import Scenario
from engine.simulation import Stride

MISSING = "It needs qtconsole. Run pip install 'aggviewer[console]', then restart aggviewer."
ELSEWHERE = "This window was opened from Python: use the notebook or prompt that opened it."
_HEIGHT = 220  # pixels at first


@contextmanager
def _environment() -> Iterator[None]:
    """Temporarily let IPython keep its files in another folder than the user's, and afterwards remove the environment
    variables that it sets, which our other processes must not inherit."""
    before = dict(os.environ)
    with TemporaryDirectory(prefix="aggviewer-console-") as folder:
        os.environ |= {"IPYTHONDIR": folder, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


class Console(QObject, Part):
    """Opens and closes the console. Its contents are kept while the window is open."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._window, self._commands = context.window, context.commands
        self._notify, self._to_picture = context.session.notices.send, context.focus_picture
        self._names = ConsoleNames(ConsoleWindow(context), context)
        context.theme.changed.connect(self.set_colors)
        self._dock: QDockWidget | None = None

    def commands(self) -> Iterator[MenuEntry]:
        """Open and close it."""
        yield Command(
            "view.console",
            "Python console",
            self.toggle,
            ("Ctrl+`",),
            "Inspect the {discs} and control the simulation in Python",
            checked=lambda: self.seen,
            menu=Place("View", 4, 5),
        )

    @property
    def dock(self) -> QDockWidget | None:
        """The panel, None until it is first opened."""
        return self._dock

    @property
    def seen(self) -> bool:
        """Whether it is visible, not a tab behind another."""
        return self._dock is not None and in_sight(self._window, self._dock)

    def toggle(self) -> None:
        """Show the console, or hide it."""
        if self._dock is not None and self.seen:
            self._dock.hide()
            self._to_picture()
            return
        if self._dock is None:
            self._make()
        if self._dock is not None:
            to_front(self._dock)
            give_height(self._window, self._dock, _HEIGHT)
            leave_arrow_keys(self._window)
            self.prompt.setFocus()

    def _make(self) -> None:
        shell = sys.modules.get("IPython.core.interactiveshell")
        if shell is not None and shell.InteractiveShell.initialized():  # only one per process is possible
            self._notify(Notice("info", "The console was not opened", ELSEWHERE))
            return
        try:
            with _environment():
                from aggviewer.extensions.console.prompt import Prompt

                taken = {key for command in self._commands for key in command.keys}
                self.prompt = Prompt(self._names.lasting, self._names.fresh, taken)
        except ImportError:
            self._notify(Notice("warning", "The console is not installed", MISSING))
            return
        self._dock = dock = Dock("Python console", self._window)
        dock.setObjectName("consoleDock")
        dock.setWidget(self.prompt)
        add_below(self._window, dock)
        self.prompt.console.exit_requested.connect(self._exit)
        dock.visibilityChanged.connect(lambda _visible: self._commands.update())
        dock.installEventFilter(self)
        self.prompt.set_colors(colors_in_use())
        self._set_size()

    def set_colors(self, colors: Colors) -> None:
        """Follow the theme."""
        if self._dock is not None:
            self.prompt.set_colors(colors)

    def _set_size(self) -> None:
        if self._dock is not None:
            self.prompt.set_size(self._dock.font().pointSizeF())

    def _exit(self) -> None:
        """Close the panel after ``exit`` was typed."""
        if self._dock is not None and not self._dock.isHidden():
            self.toggle()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Scale the font with that of the window."""
        if watched is self._dock and event is not None and event.type() == QEvent.Type.FontChange:
            self._set_size()
        return False

    def close(self) -> None:
        """End the console with the window."""
        if self._dock is not None:
            self._dock.removeEventFilter(self)
            self.prompt.end()
            self._dock = None


HELP = """\
Names you can use, copied afresh before each cell (changing them does not change the run):
  frame        the state shown: frame.time, frame.positions, frame.velocities, frame.cluster, frame.fields
  scenario     the scenario of the run: scenario.value("discs.count"), scenario.to_toml()
  selection    the selected discs, True or False for each: frame.positions[selection]
  np, engine   NumPy, and the simulation engine

Commands to the simulation, carried out in order while you type on:
  window.run()   window.pause()   window.step()   window.restart()   window.until(time)
  window.set("aggregation.beta", 2.0)             a parameter that can change during the run
  window.load(scenario.with_values({"seed": 7}))  start another scenario
  window.open("dense-2500")                       a bundled scenario or a file
  window.select("size > 50")                      or numbers: window.select("3, 17, 20-30")
  window.command("view.plots")                    any menu command; window.commands lists them

While a cell works the run continues, but the window does not respond. To interrupt a long cell, press Ctrl+C in the
terminal in which aggviewer was started.
"""


class ConsoleWindow:
    """The object `window` of the console, which controls the window. No method waits for the simulation."""

    def __init__(self, context: Context) -> None:
        self._session, self._commands, self._opening = context.session, context.commands, context[Opening]
        self._choose = context[SelectionController].choose

    def __repr__(self) -> str:
        return "<the window: window.help() lists what it can do>"

    def help(self) -> None:
        """Explain the names."""
        print(HELP)  # noqa: T201, into the console

    def run(self) -> None:
        """Run the simulation."""
        self._session.run()

    def pause(self) -> None:
        """Pause the simulation."""
        self._session.pause()

    def step(self) -> None:
        """Pause, then advance one frame."""
        self._session.step_frame()

    def restart(self, seed: int | None = None) -> None:
        """Restart with the same seed, or with the given one."""
        self._session.restart(seed)

    def until(self, time: float) -> None:
        """Run, and pause when the simulation time `time` is reached."""
        now = self._session.status().time
        if not isfinite(time) or time <= now:
            raise InputError(f"until needs a time later than {now:g}, where the run is now, not {time:g}")
        self._session.hold_at(Stride(time))
        self._session.run()

    def set(self, key: str, value: Any) -> None:
        """Change a parameter that can change during the run, such as ``"aggregation.beta"``."""
        changed = self._scenario().with_values({key: value})
        if key not in live_keys():
            raise InputError(
                f"{key} can only be set at the start: restart with "
                f"window.load(scenario.with_values({{{key!r}: {value!r}}}))"
            )
        self._session.set_parameter(key, changed.value(key))

    def load(self, scenario: Scenario) -> None:
        """Start another scenario."""
        if not isinstance(scenario, Scenario):
            raise InputError('load needs a scenario; use window.open("name") for a bundled one')
        self._session.load(scenario)

    def open(self, name: str | Path) -> None:
        """Open a bundled scenario by its name, or a file, after the cell has finished."""
        path = typed_path(name)
        if path.exists():
            self._later(lambda: self._opening.open(path))
        elif f"scenario.{name}" in self.commands:
            self._later(lambda: self._opening.open_bundled(str(name)))
        else:
            raise InputError(f"there is neither a file nor a bundled scenario {name}")

    def select(self, what: str) -> None:
        """Select discs by a condition such as ``"size > 50"``, or by numbers such as ``"3, 17, 20-30"``."""
        self._choose(what)

    @property
    def commands(self) -> Mapping[str, str]:
        """The text of every command by its id, for `command`."""
        return MappingProxyType({command.id: command.text for command in self._commands})

    def command(self, command_id: str) -> None:
        """Run a command, as a menu, key or the palette would, after the cell has finished."""
        if command_id not in self.commands:
            raise InputError(f"there is no command {command_id}: window.commands lists them all")
        self._commands.update()
        action = self._commands.action(command_id)
        if not action.isVisible():
            raise InputError(f"{command_id} does not apply to what is shown now")
        if not action.isEnabled():
            raise InputError(f"{command_id} cannot be used now: {action.toolTip()}")
        self._later(lambda: self._commands.run(command_id))

    def _later(self, call: Callable[[], object]) -> None:
        """Defer an action until the cell has finished, since a dialog or the end of the window must not come inside
        it."""
        QTimer.singleShot(0, call)

    def _scenario(self) -> Scenario:
        if self._session.scenario is None:
            raise InputError("there is no scenario yet")
        return self._session.scenario


class ConsoleNames:
    """Provides the console's names. window : the object named `window` there."""

    def __init__(self, window: ConsoleWindow, context: Context) -> None:
        self._session, self._shown = context.session, context.shown
        self.lasting: dict[str, Any] = {"np": np, "engine": engine, "window": window}

    def fresh(self) -> dict[str, Any]:
        """Copies of what is shown now, independent of the run."""
        return {"frame": self._frame(), "scenario": deepcopy(self._session.scenario), "selection": self._selection()}

    def _frame(self) -> Frame | None:
        shown = self._shown()
        return None if shown is None else deepcopy(shown.frame)

    def _selection(self) -> NDArray[np.bool_] | None:
        shown, selected = self._shown(), self._session.marking.value.selected
        return selected.mask if shown is not None and selected.count == shown.disc_set.count else None
