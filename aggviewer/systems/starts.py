"""Files with the states from which new simulations start."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

import platformdirs

from aggviewer.numbered import name_with, next_number, oldest_first
from aggviewer.session import Status
from aggviewer.style import numbers
from engine.system import find

_KEPT = 20
_NAME = re.compile(r"(?:\d{6} )?\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.\d{6} (from .+)\.gsd")


def new_start(status: Status) -> Path:
    """A file for the state on screen, kept in the program's own folder so that the run can be restarted; the oldest
    files are removed."""
    folder = Path(platformdirs.user_state_dir("aggviewer", appauthor=False)) / "starts"
    folder.mkdir(parents=True, exist_ok=True)
    for old in oldest_first(folder.glob("*.gsd"))[: -_KEPT + 1]:
        old.unlink(missing_ok=True)
    system = find(status.system)
    time = status.time if status.past is None else status.past
    moment = numbers.moment(time or 0.0, numbers.TIME if system is None else system.clock)
    return folder / name_with(next_number(folder), f"{datetime.now():%Y-%m-%d %H.%M.%S.%f} from {moment}.gsd")


def moment_of(name: str) -> str | None:
    """``from t = 12.40`` for the name of a file that `new_start` gave; None for another one."""
    found = _NAME.fullmatch(name)
    return None if found is None else found[1]
