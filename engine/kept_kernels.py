"""Keeping the machine code of kernels in files, in place of numba's own files.

numba names a file after the absolute path of the source, and raises an error if anything is wrong with a file. Here a
file is named after the module, so that every copy of one version of the program finds it (another folder, a fresh
clone). A file that cannot be used, or a folder that cannot be written to, only means that the kernel is compiled, with
a warning in the log (`engine.kernel_cache.tell`).
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from engine import kernel_cache

_ROOT = Path(__file__).parent.parent
_PACKAGES = ("engine", "aggviewer")
_STAMP = hashlib.sha256().digest_size
_SUM = 4  # bytes of the checksum


def keep(kernel: Any, folder: Path) -> None:
    """Make numba store the machine code of a kernel in a subfolder of `folder`, and look for it there."""
    try:
        kernel._cache = KernelFiles(kernel.py_func, folder)
    except OSError as error:  # no source file
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
        kernel_cache.tell(f"machine code of {name} cannot be stored, so each start compiles it: {error}")


class KernelFiles(FunctionCache):  # type: ignore[misc]
    """The machine code of one kernel: a file for each set of types and processor that it was compiled for.

    A file is valid for the contents of the folder of its source, whatever the dates of the files there: functions of
    the other files may be compiled into the kernel. It holds a checksum, a stamp, which is a hash of that folder, and
    the types with the machine code.
    """

    def __init__(self, function: Any, folder: Path) -> None:
        """Without `FunctionCache.__init__`, which looks for a folder in numba's way. OSError: no source file."""
        source = Path(os.path.abspath(function.__code__.co_filename))
        parts = source.relative_to(_ROOT).parent.parts if source.is_relative_to(_ROOT) else ()
        of_program = bool(parts) and parts[0] in _PACKAGES
        self._name, self._py_func = repr(function), function
        self._cache_path = str(folder / ("-".join(parts) if of_program else _short(str(source.parent).encode())))
        self._base = f"{source.stem}.{function.__qualname__}-{function.__code__.co_firstlineno}"
        self._stamp = _of_program(source.parent) if of_program else _contents(source.parent)
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """numba's hook: the kernel for these types of arguments; None if there is no file that can be used."""
        target_context.refresh()
        key = self._index_key(sig, target_context.codegen())
        path = self._file(key)
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            kernel_cache.tell(f"{path} cannot be read ({error.strerror or error}), so its kernel is compiled again")
            return None
        checksum, stamp, content = data[:_SUM], data[_SUM : _SUM + _STAMP], data[_SUM + _STAMP :]
        if checksum != _checksum(data[_SUM:]):
            kernel_cache.tell(f"{path} is damaged, so its kernel is compiled again")
            return None
        if stamp != self._stamp:
            return None
        kept_for, code = pickle.loads(content)
        return CompileResult._rebuild(target_context, *code) if kept_for == key else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """numba's hook: store the kernel for these types of arguments, completely or not at all."""
        key = self._index_key(sig, data.codegen)
        path = self._file(key)
        unfinished = path.with_name(f"{path.name}.tmp.{os.urandom(8).hex()}")
        content = self._stamp + dumps((key, data._reduce()))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(_checksum(content) + content)
                unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)
        except OSError as error:
            reason = error.strerror or error
            kernel_cache.tell(f"{path.parent} cannot be written to ({reason}): each start compiles kernels again")

    def flush(self) -> None:
        """numba's hook: delete all files of the kernel."""
        for path in Path(self._cache_path).glob(f"{self._base}.*"):
            path.unlink(missing_ok=True)

    def _file(self, key: Any) -> Path:
        """The file for what `_index_key` gives: types, processor, byte code."""
        return Path(self._cache_path) / f"{self._base}.{_short(repr((sys.version, key)).encode())}.kernel"


def _checksum(content: bytes) -> bytes:
    return zlib.crc32(content).to_bytes(_SUM)


def _short(text: bytes) -> str:
    """A short name for a file, made from a hash of a text."""
    return hashlib.sha256(text).hexdigest()[:16]


def _contents(folder: Path) -> bytes:
    """A hash of the Python files of a folder that kernels may be compiled from."""
    digest = hashlib.sha256()
    for file in filter(kernel_cache.reaches_kernels, sorted(folder.glob("*.py"))):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.digest()


_of_program = cache(_contents)  # cached: unlike plug-ins, these files do not change while the program runs
