"""The application: window, command line, session. Numerics live in `engine`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from engine.simulation import Simulation

__all__ = ["__version__", "open"]


def open(simulation_or_file: Simulation | str | Path) -> None:
    """Open the window from Python; returns when it is closed.

    The window shows an exact copy of the simulation, paused: nothing in the window changes the simulation in Python.
    This works from a script, from a notebook on this computer, and from a running Qt event loop (``%gui qt``). Ctrl-C
    closes the window.

    Parameters
    ----------
    simulation_or_file : a simulation, the path of any file that the program can open, or the name of a bundled
        scenario.

    Raises
    ------
    InputError
        There is no such file, or it is neither a simulation nor a file.
    RuntimeError
        No window can be opened: there is no display, another version of Qt is loaded, or this is not the main thread.
    """
    from os import PathLike

    from aggviewer.process import use_pyqt6
    from engine.errors import InputError
    from engine.frame import living

    use_pyqt6()
    if isinstance(simulation_or_file, str | PathLike):
        from aggviewer.cli.exits import check_exists
        from aggviewer.window.app import show_file

        check_exists(str(simulation_or_file))
        show_file(str(simulation_or_file))
        return
    if living(simulation_or_file) is None:
        raise InputError(f"aggviewer.open takes a simulation or a file, not {type(simulation_or_file).__name__}")
    from aggviewer.window.app import show_simulation

    show_simulation(simulation_or_file)
