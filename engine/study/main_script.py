"""Checking whether the running script can start worker processes.

A new process imports the script of its parent. If the script starts workers when it is imported, each worker would
start workers in turn; Python refuses this with long tracebacks from all processes.
"""

from __future__ import annotations

import ast
import sys
import threading
from pathlib import Path

from engine.errors import InputError


class NoGuardError(InputError, SystemExit):
    """The script has no guard. If the error is not caught, the script ends with only its message."""

    def __init__(self, script: Path) -> None:
        InputError.__init__(
            self,
            f'{script.name} runs a study outside of ``if __name__ == "__main__":``, but the workers import the script: '
            "move the study below such a line, or use workers=0",
        )
        self.code = str(self)


def check_guard() -> None:
    """Raise NoGuardError if the main script is running code outside of its guard."""
    main = vars(sys.modules["__main__"])
    file, line = main.get("__file__"), _line_of_main()
    if file is None or line is None or main.get("__spec__") is not None:  # a console, or python -m
        return
    try:
        script = ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):  # workers could not import such a script either
        return
    if not any(_guards(statement, line) for statement in script.body):
        raise NoGuardError(Path(file))


def _line_of_main() -> int | None:
    """The line of the main script that the main thread is executing; None if it is not running."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__":
            return frame.f_lineno
        frame = frame.f_back
    return None


def _guards(statement: ast.stmt, line: int) -> bool:
    """Whether a statement keeps a line from being executed on import: the line is inside ``if __name__ == …``, or after
    such a statement that ends the script."""
    if not isinstance(statement, ast.If):
        return False
    if not any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(statement.test)):
        return False
    if statement.lineno <= line <= (statement.end_lineno or 0):
        return True
    return statement.lineno < line and any(_leaves(part) for part in statement.body)


def _leaves(statement: ast.stmt) -> bool:
    """Whether a statement ends the script: ``raise …`` or a call of something like ``sys.exit()``."""
    called = statement.value.func if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    return isinstance(statement, ast.Raise) or (called is not None and "exit" in ast.unparse(called))
