"""From exceptions to exit statuses: 0 done, 2 bad input with one line on stderr, 1 anything else."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from engine.errors import InputError

_INTERRUPTED = 130  # what typer returns for Ctrl-C that nobody took care of


def guarded(action: Callable[[], int | None]) -> int:
    """Run `action`; whatever it raises becomes one line on stderr and an exit status."""
    try:
        status = action() or 0
    except InputError as error:
        return _say(2, str(error))
    except KeyboardInterrupt:
        status = _INTERRUPTED
    except BrokenPipeError:  # the reader of stdout has gone; nothing more can be said to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error; typer's base class differs between its versions
            return _say(2, error.format_message())
        if type(error).__name__ == "Abort":
            status = _INTERRUPTED
        else:
            if os.environ.get("AGGVIEWER_DEBUG"):
                traceback.print_exc()
            return _say(1, f"{type(error).__name__}: {error} (AGGVIEWER_DEBUG=1 shows where)")
    if status == _INTERRUPTED:
        return _say(1, "interrupted; every file that is there is complete")
    return status


def tell(notice: str, of: str | Path) -> None:
    """What a person should know of how a file was read, as one line on stderr; nothing where it is empty."""
    if notice:
        sys.stderr.write(f"aggviewer: {of}: {' '.join(notice.split())}\n")


def _say(status: int, message: str) -> int:
    sys.stderr.write(f"aggviewer: {' '.join(message.split())}\n")
    return status
