"""Where the machine code of kernels lies on the disk, and machine code that the program brings along.

numba names the folder of a kernel after the absolute path of its source file. Here it is named after the module, so
that machine code is found again wherever the program was unpacked. It belongs to the contents of the source file, not
to its date.

A bundle for computers without Python (`make bundle`) carries machine code for a named baseline of processors. It is
copied into the cache at the first start, where the processor has that baseline; else everything is compiled there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any, Self

_ROOT = Path(__file__).parent.parent
_PACKAGES = ("engine", "aggviewer")
_CARRIED = _ROOT / "kernels"
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
        shutil.copytree(source, unfinished)
        try:
            unfinished.rename(target)
        except OSError:  # another program was quicker
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


def install(folder: Path) -> None:
    """Have numba keep the machine code of this program in `folder`, by modules. After numba was imported."""
    from numba.core.caching import CacheImpl, _CacheLocator

    class ByModule(_CacheLocator):  # type: ignore[misc]
        """The place of one kernel."""

        def __init__(self, function: Any, file: Path) -> None:
            self._file = file
            self._line = function.__code__.co_firstlineno
            self._folder = folder / "-".join(file.relative_to(_ROOT).parent.parts)

        def get_cache_path(self) -> str:
            """numba's hook: the folder."""
            return str(self._folder)

        def get_source_stamp(self) -> bytes:
            """numba's hook: what the machine code belongs to."""
            return _contents(self._file)

        def get_disambiguator(self) -> str:
            """numba's hook: tells functions of the same name in one file apart."""
            return str(self._line)

        @classmethod
        def from_function(cls, function: Any, file: str) -> Self | None:
            """numba's hook: the place of a function, None where it is not of this program."""
            path = Path(os.path.abspath(file))
            if not path.is_relative_to(_ROOT) or path.relative_to(_ROOT).parts[0] not in _PACKAGES:
                return None
            if not path.is_file():
                return None
            place = cls(function, path)
            try:
                place.ensure_cache_path()
            except OSError:
                return None
            return place

    CacheImpl._locator_classes.insert(0, ByModule)


@cache
def _contents(file: Path) -> bytes:
    """A hash of a source file."""
    return hashlib.sha256(file.read_bytes()).digest()
