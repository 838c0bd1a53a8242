"""Caching machine code of kernels in files, for numba.

numba names the folder of a kernel after the absolute path of its source file. Here it is named after the module, so
that machine code is found wherever the program was unpacked. It is valid for the contents of the source file, whatever
its date.

numba raises an error if anything is wrong with a file. Here a file that cannot be used, or a folder that cannot be
written to, only means that the kernel is compiled; `engine.kernel_cache.tell` logs a warning.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import pickle
from functools import cache, partial
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.serialize import dumps

from engine import kernel_cache

_ROOT = Path(__file__).parent.parent
_ENGINE = Path(__file__).parent
_PACKAGES = ("engine", "aggviewer")


def keep(kernel: Any, folder: Path) -> None:
    """Make numba store the machine code of a kernel in a subfolder of `folder`, and look for it there."""
    try:
        kernel._cache = _Kept(kernel.py_func, folder)
    except (OSError, AttributeError, TypeError) as error:  # no source file, or an unknown version of numba
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
        kernel_cache.tell(f"machine code of {name} cannot be stored, so each start compiles it: {error}")


class _Place(_CacheLocator):  # type: ignore[misc]
    """The folder of one kernel."""

    def __init__(self, function: Any, folder: Path) -> None:
        self._file = Path(os.path.abspath(function.__code__.co_filename))
        self._line = function.__code__.co_firstlineno
        parts = self._file.relative_to(_ROOT).parent.parts if self._file.is_relative_to(_ROOT) else ()
        of_program = bool(parts) and parts[0] in _PACKAGES
        self._folder = folder / ("-".join(parts) if of_program else self.get_suitable_cache_subpath(str(self._file)))

    def get_cache_path(self) -> str:
        """numba's hook: the folder."""
        return str(self._folder)

    def get_source_stamp(self) -> bytes:
        """numba's hook: the version of the source for which machine code is valid."""
        return _stamp(self._file)

    def get_disambiguator(self) -> str:
        """numba's hook: distinguishes functions of the same name in one file."""
        return str(self._line)


class _Named(CompileResultCacheImpl):  # type: ignore[misc]
    """How machine code is packed, and what its files are called."""

    def __init__(self, folder: Path, function: Any) -> None:
        self._locator = _Place(function, folder)
        name = f"{Path(function.__code__.co_filename).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, "")


class _Kept(FunctionCache):  # type: ignore[misc]
    """The machine code of one kernel for all types of arguments."""

    def __init__(self, function: Any, folder: Path) -> None:
        self._impl_class = partial(_Named, folder)
        super().__init__(function)
        self._cache_file = _Files(
            Path(self._impl.locator.get_cache_path()), self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """numba's hook: machine code for these types; None if there is none that can be used."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # LLVM may raise anything
            kernel_cache.tell(f"machine code in {self.cache_path} cannot be used and is compiled again: {error}")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """numba's hook: store machine code, if possible."""
        if not self._impl.check_cachable(data):
            return
        try:
            self._cache_file.save(self._index_key(sig, data.codegen), self._impl.reduce(data))
        except OSError as error:
            reason = error.strerror or error
            kernel_cache.tell(f"{self.cache_path} cannot be written to ({reason}): each start compiles kernels again")


class _Files:
    """The files of one kernel: an index, and a file with machine code for each key (types and processor).

    A file with machine code holds its key too, since it may have been replaced after the index was written.
    """

    def __init__(self, folder: Path, base: str, stamp: bytes) -> None:
        self._folder, self._base, self._stamp = folder, base, stamp

    def flush(self) -> None:
        """numba's hook: delete everything."""
        self._write(self._index, {})

    def load(self, key: Any) -> Any:
        """The data saved with this key; None if there are none."""
        name = self._names().get(key)
        found = None if name is None else self._read(self._folder / name)
        return found[1] if found is not None and found[0] == key else None

    def save(self, key: Any, data: Any) -> None:
        """Store `data`. Raises OSError."""
        names = self._names()
        numbered = (f"{self._base}.{number}.nbc" for number in itertools.count(1))
        name = names.get(key) or next(name for name in numbered if name not in names.values())
        self._write(self._folder / name, (key, data))
        self._write(self._index, names | {key: name})

    @property
    def _index(self) -> Path:
        return self._folder / f"{self._base}.nbi"

    def _names(self) -> dict[Any, str]:
        """The names of files with machine code, by key."""
        found = self._read(self._index)
        return found if isinstance(found, dict) else {}

    def _write(self, path: Path, content: Any) -> None:
        kernel_cache.write(path, self._stamp + dumps(content))

    def _read(self, path: Path) -> Any:
        """The content of a file; None if it does not exist, is damaged, or belongs to another version of the source."""
        data = kernel_cache.read(path)
        if data is None or not data.startswith(self._stamp):
            return None
        return pickle.loads(data[len(self._stamp) :])


def _stamp(file: Path) -> bytes:
    """A hash of a source file for which machine code is valid. Outside of the engine, whose fingerprint is in the name
    of the folder, neighbouring files are included: their functions may be compiled into its kernels."""
    if file.is_relative_to(_ENGINE):
        return _contents(file)
    return _of_program(file) if file.is_relative_to(_ROOT) else _with_neighbours(file)


def _contents(*files: Path) -> bytes:
    """A hash of files."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.digest()


def _with_neighbours(file: Path) -> bytes:
    return _contents(file, *sorted(file.parent.glob("*.py")))


_of_program = cache(_with_neighbours)  # cached: unlike plug-ins, these files do not change while the program runs
