"""The folder for the machine code of kernels, and machine code that comes with the program.

A bundle for computers without Python (`make bundle`) carries machine code for a named baseline of processors. It is
copied into the cache at the first start, where the processor has that baseline; else everything is compiled there.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import tempfile
import zlib
from functools import cache
from pathlib import Path

VARIABLE = "NUMBA_CACHE_DIR"
"""The environment variable that names a folder for machine code, instead of the one in the user's cache."""

_ROOT = Path(__file__).parent.parent
_CARRIED = _ROOT / "kernels"
_OURS = re.compile("[0-9a-f]{16}")  # names of folders of this program, which are fingerprints
_KEEP = 4  # how many folders of other versions are kept; older ones are removed
_SUM = 4  # bytes of the checksum at the end of a file
_log = logging.getLogger(__name__)
_told = False
BASELINE = "x86-64-v3"
"""The processors that carried machine code is for, as LLVM calls them: those with AVX2, since about 2013."""

_NEEDED = frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "abm"})  # as Linux calls them


def carried(fingerprint: str) -> Path | None:
    """The folder with carried machine code that this processor can run, None where there is none."""
    folder = _CARRIED / fingerprint
    return folder if folder.is_dir() and _has_baseline() else None


def use_baseline() -> None:
    """Have numba compile for the baseline, as carried machine code was. Before numba is imported."""
    os.environ["NUMBA_CPU_NAME"] = BASELINE
    os.environ["NUMBA_CPU_FEATURES"] = ""


def take_over(source: Path, target: Path) -> None:
    """Copy carried machine code into the cache, where that is still empty. OSError where it cannot be written."""
    if not target.exists():
        unfinished = target.with_name(f"{target.name}.{os.getpid()}")
        try:
            shutil.copytree(source, unfinished)
            if not target.exists():  # another program may have been faster
                unfinished.rename(target)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


@cache
def _has_baseline() -> bool:
    """Whether this processor has the baseline."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), [])
    return set(flags) >= _NEEDED


def folder_of(fingerprint: str, user_cache: Path) -> Path:
    """The folder of one version of the engine, in the folder that NUMBA_CACHE_DIR names or in `user_cache`.

    In a child process NUMBA_CACHE_DIR names this folder itself, which is returned.
    """
    given = os.environ.get(VARIABLE)
    base = Path(os.path.abspath(given)) if given else user_cache
    return base if base.name == fingerprint else base / fingerprint


def prepare(folder: Path, brought: Path | None) -> bool:
    """Create the folder, copy the machine code in `brought` into it, and remove folders of versions long unused.

    Returns whether it can be written to.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        if brought is not None:
            take_over(brought, folder)
        folder.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)
        others = [path for path in folder.parent.iterdir() if path != folder and _OURS.fullmatch(path.name)]
        for path in sorted(others, key=lambda p: p.stat().st_mtime, reverse=True)[_KEEP:]:
            shutil.rmtree(path, ignore_errors=True)
    except OSError:
        return False
    return True


def tell(problem: str) -> None:
    """Log a problem with the folder as a warning. Only the first one of a process: the others follow from it."""
    global _told
    if not _told:
        _told = True
        _log.warning("%s", problem)


def be_silent() -> None:
    """Log no problems in this process, since its parent does."""
    global _told
    _told = True


def read(path: Path) -> bytes | None:
    """The data that `write` stored; None if the file does not exist, or cannot be used, which is logged."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        tell(f"{path} cannot be read ({error.strerror or error}), so its kernels are compiled again")
        return None
    if _is_whole(data):
        return data[:-_SUM]
    tell(f"{path} is damaged, so its kernels are compiled again")
    return None


def write(path: Path, data: bytes) -> None:
    """Write a file with a checksum, completely or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.tmp.{os.urandom(8).hex()}")
    try:
        unfinished.write_bytes(data + zlib.crc32(data).to_bytes(_SUM))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def damaged(folder: Path) -> int:
    """How many files of machine code in a folder cannot be used."""
    found = 0
    for path in folder.rglob("*.nb[ic]"):
        try:
            found += not _is_whole(path.read_bytes())
        except FileNotFoundError:  # another program is just replacing it
            continue
        except OSError:
            found += 1
    return found


def _is_whole(data: bytes) -> bool:
    """Whether the checksum at the end is right. (Four zeros would be that of an empty file.)"""
    return len(data) > _SUM and zlib.crc32(data[:-_SUM]) == int.from_bytes(data[-_SUM:])
