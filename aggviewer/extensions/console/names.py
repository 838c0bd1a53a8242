"""The names in the console: copies of what is shown, and commands for the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QTimer

import engine
from aggviewer.parameters.layout import live_keys
from aggviewer.widgets.part import Context
from aggviewer.window.files.opening import Opening
from aggviewer.window.picking.controller import SelectionController
from engine.errors import InputError
from engine.frame import Frame
from engine.paths import typed_path
from engine.scenario import Scenario
from engine.simulation import Stride

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
        return selected.mask if shown is not None and selected.count == shown.system.count else None
