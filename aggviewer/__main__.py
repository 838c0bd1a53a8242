"""`aggviewer` and `python -m aggviewer`: a subcommand, or the window with the given files."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence

from aggviewer.process import use_pyqt6, write_anywhere

PLUGIN = "--plugin"
"""The option that loads a plug-in; it can be given anywhere, before or after a command."""

COMPLETION = "_AGGVIEWER_COMPLETE"
"""The environment variable that is set while a shell asks for completions, which must not open the window."""

COMMANDS = frozenset({"run", "analyse", "render", "study", "lesson", "scenarios", "doctor"})
"""Subcommands; those of plug-ins are known once these are loaded."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status: 0 done, 2 bad input, 130 after Ctrl-C, 143 after SIGTERM, 1
    anything else."""
    use_pyqt6()
    write_anywhere()
    atexit.register(gc.freeze)  # at exit Python would collect garbage among all objects for 0.1 to 0.5 s
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if any(argument.startswith(PLUGIN) for argument in arguments):
        from aggviewer.cli.exits import with_plugins

        return with_plugins(arguments, _main)
    return _main(arguments)


def _main(arguments: list[str]) -> int:
    # without a subcommand the window opens, and nothing is imported that would delay it
    commands = set(COMMANDS)
    if "engine.plugins" in sys.modules:
        commands.update(late.name for late in sys.modules["engine.plugins"].late_parts("subcommand"))
    if COMPLETION in os.environ or (arguments and (arguments[0] in commands or arguments[0].startswith("-"))):
        from aggviewer.cli.app import run_command

        return run_command(arguments)
    from aggviewer.cli.exits import open_window

    return open_window(arguments)


if __name__ == "__main__":
    sys.exit(main())
