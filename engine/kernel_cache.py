"""The folder in which the machine code of kernels is kept between runs.

numba reads the name of the folder when it is imported, so nothing here imports numba. `engine.kept_kernels` reads and
writes the files.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import tempfile
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"
"""The environment variable that names a folder for machine code, instead of the one in the user's cache."""

WITHOUT_KERNELS = (
    *("files/", "plotting/", "runs/", "selection/", "study/"),
    *("aggregation/base.py", "aggregation/system.py"),
    *("aggregation/event_driven/saved.py", "aggregation/event_driven/simulation.py"),
    *("aggregation/time_stepping/saved.py", "aggregation/time_stepping/simulation.py"),
    *("capabilities.py", "derived.py", "hard_discs/endings.py", "hard_discs/saved.py"),
    *("hard_discs/setup.py", "hard_discs/simulation.py", "hard_discs/system.py"),
    *("initial.py", "jamming/checks.py", "jamming/fields.py", "jamming/run.py", "jamming/saved.py"),
    *("jamming/simulation.py", "jamming/system.py", "plugins.py", "saved.py", "state_file.py", "system.py"),
    *("throwing.py", "warming.py"),
)
"""Folders and often changed files of the engine from which no kernel uses anything: a change there keeps the cache."""

_ENGINE = Path(__file__).parent
_OURS = re.compile("[0-9a-f]{16}")  # names of folders of this program, which are fingerprints
_KEEP = 4  # how many folders of other versions are kept; those longest unused are removed
_USE = "last-use.txt"  # in each folder: a number that grows from use to use, whatever the clock says
_log = logging.getLogger(__name__)
_has_warned = False


def folder_of(fingerprint: str, user_cache: Path) -> Path:
    """The folder of one version of the engine, in the folder that NUMBA_CACHE_DIR names or in `user_cache`.

    In a child process NUMBA_CACHE_DIR names this folder itself, which is returned.
    """
    given = os.environ.get(VARIABLE)
    base = Path(os.path.abspath(given)) if given else user_cache
    return base if base.name == fingerprint else base / fingerprint


def prepare(folder: Path) -> bool:
    """Create the folder, and remove folders of versions long unused. Returns whether it can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        uses = {path: _last_use(path) for path in folder.parent.iterdir() if _OURS.fullmatch(path.name)}
        own = uses.pop(folder, (0, 0.0))
        latest = max(uses.values(), default=(0, 0.0))
        if own[0] <= latest[0]:
            partial = folder / f".{_USE}.{os.getpid()}"
            partial.write_text(str(latest[0] + 1), encoding="utf-8")
            partial.replace(folder / _USE)  # at once: without a number it would be the first to be removed
        for path in sorted(uses, key=lambda path: uses[path], reverse=True)[_KEEP:]:
            shutil.rmtree(path, ignore_errors=True)
    except OSError:
        return False
    return True


def _last_use(folder: Path) -> tuple[int, float]:
    """The number of the last use of a folder, 0 if a version without numbers made it; of such ones the date decides."""
    try:
        return int((folder / _USE).read_text(encoding="utf-8")), 0.0
    except (OSError, ValueError):
        return 0, folder.stat().st_mtime


def reaches_kernels(source: Path) -> bool:
    """Whether kernels may be compiled from a file: from any but those of the engine that `WITHOUT_KERNELS` names."""
    own = source.is_relative_to(_ENGINE)
    return not (own and source.relative_to(_ENGINE).as_posix().startswith(WITHOUT_KERNELS))


def tell(problem: str) -> None:
    """Log a problem with the folder as a warning. Only the first one of a process: the others follow from it."""
    global _has_warned
    if not _has_warned:
        _has_warned = True
        _log.warning("%s", problem)


def be_silent() -> None:
    """Log no problems in this process, since its parent does."""
    global _has_warned
    _has_warned = True
