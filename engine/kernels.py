"""The one decorator for compiled kernels, and where their machine code is kept between runs.

numba's own cache looks at the file of a function only, not at the kernels of other files that were compiled into it,
nor at whether indices are checked. The folder therefore carries a fingerprint of every source file of the engine and of
that setting: another version, another folder.

What only kernels call is compiled in a way of its own (`engine.inner`), which leans on internals of numba. With a
version of numba for which that was not tried, or with AGGVIEWER_PLAIN_NUMBA=1 in the environment, plain numba does it:
the same bits at about the same speed, and compiling takes longer (docs/decisions/plain-numba.md).

With NUMBA_BOUNDSCHECK=1 in the environment, every index that a kernel uses is checked, those of `elements` and negative
ones too, and one that is out of bounds raises IndexError. For tests: runs take several times as long.
"""

from __future__ import annotations

import hashlib
import operator
import os
import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import platformdirs

F = TypeVar("F", bound=Callable[..., Any])

CHECKED = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")
"""Whether kernels check their indices."""

TRIED = ("0.61", "0.62", "0.63", "0.64", "0.65", "0.66", "0.67", "0.68")
"""Versions of numba with which `engine.inner` was tried: tests/engine/test_plain_numba.py says how to add one."""


def _plain(numba_version: str, asked: str) -> bool:
    """Whether plain numba compiles what only kernels call. asked : the variable AGGVIEWER_PLAIN_NUMBA, "" without."""
    return asked not in ("", "0") or ".".join(numba_version.split(".")[:2]) not in TRIED


PLAIN = _plain(version("numba"), os.environ.get("AGGVIEWER_PLAIN_NUMBA", ""))
"""Whether plain numba compiles everything, see the module."""

_WITHOUT_KERNELS = ("runs", "study")  # rooms that no kernel knows: a change there leaves the machine code as it is
_KEEP = 4  # folders of other versions left alone; older ones are removed


def _fingerprint() -> str:
    digest = hashlib.sha256(b"checked" * CHECKED + b"plain" * PLAIN)
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] in _WITHOUT_KERNELS:
            continue
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _choose_cache_dir() -> Path | None:
    """The folder for compiled kernels, or None where none can be written (everything is compiled anew then)."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given and CHECKED:
        os.environ["NUMBA_CACHE_DIR"] = str(Path(given) / "checked")
    if given:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    base = Path(platformdirs.user_cache_dir("aggviewer", appauthor=False)) / "kernels"
    folder = base / _fingerprint()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        if not os.access(folder, os.W_OK):
            return None
        old = sorted((p for p in base.iterdir() if p != folder), key=lambda p: p.stat().st_mtime, reverse=True)
        for path in old[_KEEP:]:
            shutil.rmtree(path, ignore_errors=True)
    except OSError:
        return None
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    return folder


CACHE_DIR: Path | None = _choose_cache_dir()

import numba  # noqa: E402  (reads NUMBA_CACHE_DIR when it is imported)
from llvmlite import ir  # type: ignore[import-untyped]  # noqa: E402
from numba.core import cgutils, types  # noqa: E402
from numba.core.datamodel import models  # noqa: E402
from numba.core.errors import TypingError  # noqa: E402
from numba.core.typing.templates import AbstractTemplate, infer_global  # noqa: E402
from numba.core.typing.templates import signature as typing_signature  # noqa: E402
from numba.extending import intrinsic, lower_builtin, register_model  # noqa: E402
from numba.np.numpy_support import as_dtype  # noqa: E402

if not PLAIN:
    from engine.inner import Inner

if CHECKED:
    from numba.np import arrayobj

    def _as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        """In the place of numba's own function, which lets negative indices count from the end: -1, the engine's
        word for "none", would pass. As it is, a negative index is out of bounds."""
        return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)

    arrayobj.fix_integer_index = _as_it_is

# no fastmath: results are the same bits on every run, and the predictors rely on the order of operations
_ALWAYS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_CALLED = _ALWAYS | {"cache": CACHE_DIR is not None}
_LINKED = _ALWAYS | {"no_cpython_wrapper": True}


def _linked(function: F, options: dict[str, Any]) -> F:
    if PLAIN:
        return cast(F, numba.njit(**options)(function))
    return cast(F, Inner(function, targetoptions=options | {"nopython": True}))


def kernel(function: F) -> F:
    """Compile `function` without the interpreter lock, with numpy's division rules and IEEE arithmetic.

    For what Python calls; what only kernels call is `inner`.
    """
    compiled: F = numba.njit(**_CALLED)(function)
    return compiled


def inner(function: F) -> F:
    """A function that kernels call, and Python never does: compiled as a part of them, in a fraction of the time.

    Whole numbers arrive with 64 bits, whatever they were (with plain numba as they are).
    """
    return _linked(function, _LINKED)


def inlined(function: F) -> F:
    """`inner` for small functions on hot paths: compiled into each caller."""
    return _linked(function, _LINKED | {"forceinline": True})


def fused(function: F) -> F:
    """`kernel` for sums of products whose last bits nothing depends on: a product and a sum are rounded once where the
    processor can, and sums are taken in the order that suits its vectors. The same bits on every run of one machine,
    not on all machines.
    """
    compiled: F = numba.njit(**_CALLED, fastmath={"contract", "reassoc"})(function)
    return compiled


@inlined
def whole(value: Any) -> int:
    """A whole number of any type as the one that kernels count and index with (64 bits, signed)."""
    number: int = np.int64(value)  # type: ignore[assignment]
    return number


class _BorrowedArray(types.Array):
    """An array whose references nobody counts."""

    def __init__(self, array: types.Array) -> None:
        if array.layout != "C":
            raise TypingError("only C-contiguous arrays can be borrowed")
        kind = (array.dtype, array.ndim, array.layout)
        super().__init__(*kind, not array.mutable, name=f"borrowed {array.name}", aligned=array.aligned)


@register_model(_BorrowedArray)
class _BorrowedArrayModel(models.StructModel):  # type: ignore[misc]
    """That of an array, bit for bit, with an address in the place of the counter.

    As an argument of a function it is its address and its lengths alone; the rest follows from these. A simulation
    hands its dozens of arrays from function to function all the time: 45 numbers instead of 240 for each call.
    """

    def __init__(self, manager: Any, array: _BorrowedArray) -> None:
        counted = models.ArrayModel(manager, array)
        members = list(zip(counted._fields, counted._members, strict=True))
        super().__init__(manager, array, [("meminfo", types.voidptr), *members[1:]])

    def _part(self, name: str) -> Any:
        """The model of a field."""
        return self.get_model(self.get_field_position(name))

    def get_argument_type(self) -> Any:
        """Types of the numbers that are handed on: the address, then the lengths."""
        return tuple(self._part(name).get_argument_type() for name in ("data", "shape"))

    def as_argument(self, builder: Any, value: Any) -> Any:
        """Those numbers."""
        return tuple(
            self._part(name).as_argument(builder, self.get(builder, value, name)) for name in ("data", "shape")
        )

    def from_argument(self, builder: Any, value: Any) -> Any:
        """The array, C-contiguous, from those numbers."""
        data, shape = (
            self._part(name).from_argument(builder, part) for name, part in zip(("data", "shape"), value, strict=True)
        )
        whole_type = self._part("nitems").get_value_type()
        itemsize = ir.Constant(whole_type, as_dtype(self.fe_type.dtype).itemsize)
        strides = ir.Constant(shape.type, ir.Undefined)
        count = ir.Constant(whole_type, 1)
        for axis in reversed(range(self.fe_type.ndim)):
            strides = builder.insert_value(strides, builder.mul(count, itemsize), axis)
            count = builder.mul(count, builder.extract_value(shape, axis))
        array = ir.Constant(self.get_value_type(), ir.Undefined)
        parts = {
            "meminfo": ir.Constant(self._part("meminfo").get_value_type(), None),
            "parent": ir.Constant(self._part("parent").get_value_type(), None),
            "nitems": count,
            "itemsize": itemsize,
            "data": data,
            "shape": shape,
            "strides": strides,
        }
        for name, part in parts.items():
            array = self.set(builder, array, part, name)
        return array


@intrinsic
def borrowed(typing_context: Any, arrays: Any) -> Any:
    """The same arrays, a NamedTuple, without reference counters, for use inside a kernel while the caller holds them.

    Numbers among them stay as they are.

    numba counts references atomically at each call that passes an array: with the dozens of arrays of a simulation
    that cost more than the physics (14 against 4 microseconds a merge). Never return a borrowed array to Python.
    """
    kinds = [_BorrowedArray(kind) if isinstance(kind, types.Array) else kind for kind in arrays]
    lent = types.NamedTuple(kinds, arrays.instance_class)  # type: ignore[attr-defined]
    signature = lent(arrays)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = args[0]
        for k, array in enumerate(arrays):
            if not isinstance(array, types.Array):
                continue
            view = context.make_array(array)(context, builder, value=builder.extract_value(args[0], k))
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            whole = builder.insert_value(whole, view._getvalue(), k)
        return whole

    return signature, codegen


@intrinsic
def pointer(typing_context: Any, array: Any) -> Any:
    """Where the first element of a C-contiguous array lies: indexed with one number, without bounds or counters.

    For kernels whose every access counts: even a borrowed array costs a call wherever it is handed on. The caller
    holds the array. Never return a pointer to Python.
    """
    signature = types.CPointer(array.dtype)(array)  # type: ignore[attr-defined]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(array)(context, builder, value=args[0]).data

    return signature, codegen


class _Records(types.Type):
    """Where the first record of a structured array lies: indexed with one number, it gives a record."""

    def __init__(self, dtype: types.Record) -> None:
        self.dtype = dtype
        super().__init__(name=f"records {dtype}")


@register_model(_Records)
class _RecordsModel(models.PrimitiveModel):  # type: ignore[misc]
    """An address, as that of a single record is."""

    def __init__(self, manager: Any, records: _Records) -> None:
        super().__init__(manager, records, manager.lookup(records.dtype).get_value_type())


@infer_global(operator.getitem)
class _OneRecord(AbstractTemplate):  # type: ignore[misc]
    """``records[k]`` is a record, of which nothing is copied: its fields can be read and written."""

    def generic(self, args: Any, kws: Any) -> Any:
        """The types of this call, None where it is about something else."""
        records, index = args
        if isinstance(records, _Records) and isinstance(index, types.Integer):
            return typing_signature(records.dtype, records, types.int64)
        return None


@lower_builtin(operator.getitem, _Records, types.Integer)
def _record_address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.gep(args[0], [args[1]])


class _LentRecord(types.Record):
    """A record that functions may return in a tuple: it is handed on as its address."""

    def __init__(self, record: types.Record) -> None:
        fields: list[Any] = [(name, field._asdict()) for name, field in record.fields.items()]
        super().__init__(fields, record.size, record.aligned)


@register_model(_LentRecord)
class _LentRecordModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, record: _LentRecord) -> None:
        super().__init__(manager, record, ir.ArrayType(ir.IntType(8), record.size).as_pointer())


@intrinsic
def lent(typing_context: Any, record: Any) -> Any:
    """The same record, while the caller holds it: one that functions may hand on. Never return it to Python."""
    signature = _LentRecord(record)(record)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return args[0]

    return signature, codegen


@intrinsic
def elements(typing_context: Any, array: Any) -> Any:
    """The elements of a C-contiguous array of one dimension: its `pointer`, also for records; where indices are checked
    (`CHECKED`), the borrowed array, which knows its length. For state that may come from a file."""
    held: Any = types.CPointer(array.dtype)  # type: ignore[attr-defined]
    if CHECKED:
        held = _BorrowedArray(array)
    elif isinstance(array.dtype, types.Record):
        held = _Records(array.dtype)
    signature = held(array)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(array)(context, builder, value=args[0])
        if not CHECKED:
            return view.data
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()

    return signature, codegen


@intrinsic
def prefetch(typing_context: Any, address: Any, index: Any) -> Any:
    """Ask for the cache line of `address[index]`, an element of `elements`, ahead of its use; changes nothing else."""
    signature = types.void(address, index)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if CHECKED:
            return context.get_dummy_value()
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(builder.gep(args[0], [args[1]]), byte)
        builder.call(function, [place, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return signature, codegen
