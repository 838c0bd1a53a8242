"""The decorators for compiled kernels, and the folder in which their machine code is kept between runs.

numba's cache compiles a function again only when its own file changes. It does not see a change in another file whose
kernels were compiled into it, or in whether indices are checked. The name of the cache folder is therefore a
fingerprint of these settings, of the version of numba and of the source files of the engine, so that a changed engine
uses another folder, inside a folder that NUMBA_CACHE_DIR names too.

Functions that only kernels call are compiled in a faster way (`engine.inner`), which uses internals of numba; hence the
upper bound of its version in pyproject.toml (docs/decisions/kernel-plumbing.md).

With NUMBA_BOUNDSCHECK=1 in the environment, every index that a kernel uses is checked, also in `elements`, and an index
that is negative or too large raises IndexError. This is for tests: runs take several times as long.
"""

from __future__ import annotations

import hashlib
import operator
import os
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import platformdirs

from engine import kernel_cache

F = TypeVar("F", bound=Callable[..., Any])

CHECKED = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")
"""Whether kernels check their indices."""


@cache
def _fingerprint() -> str:
    """A hash of the settings and of the source files that machine code depends on."""
    digest = hashlib.sha256(b"checked" * CHECKED + version("numba").encode())
    root = Path(__file__).parent
    for path in filter(kernel_cache.reaches_kernels, sorted(root.rglob("*.py"))):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_FOLDER = kernel_cache.folder_of(
    _fingerprint(), Path(platformdirs.user_cache_dir("aggviewer", appauthor=False)) / "kernels"
)

CACHE_DIR: Path | None = _FOLDER if kernel_cache.prepare(_FOLDER) else None
"""The folder for machine code; None if it cannot be written to: then each start compiles what is missing."""

if CACHE_DIR is not None:  # also for functions of other libraries with kernels compiled into them
    os.environ[kernel_cache.VARIABLE] = str(CACHE_DIR)

import numba  # noqa: E402  (reads NUMBA_CACHE_DIR when it is imported)
from llvmlite import ir  # type: ignore[import-untyped]  # noqa: E402
from numba.core import cgutils, types  # noqa: E402
from numba.core.datamodel import models  # noqa: E402
from numba.core.errors import TypingError  # noqa: E402
from numba.core.typing.templates import AbstractTemplate, infer_global  # noqa: E402
from numba.core.typing.templates import signature as typing_signature  # noqa: E402
from numba.extending import intrinsic, lower_builtin, register_model  # noqa: E402
from numba.np.numpy_support import as_dtype  # noqa: E402

from engine.inner import Inner  # noqa: E402
from engine.kept_kernels import keep  # noqa: E402

if CACHE_DIR is not None:
    numba.config.CACHE_DIR = str(CACHE_DIR)  # if numba was imported before

if CHECKED:
    from numba.np import arrayobj

    def _as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        """Replaces numba's handling of negative indices, which counts them from the end.

        The engine uses -1 for "none"; as an index it is a mistake, and must be found out of bounds.
        """
        return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)

    arrayobj.fix_integer_index = _as_it_is


def _lasting_name(record: Any) -> tuple[str, tuple[str]]:
    """The name of a record type in the symbols of machine code: a hash of its fields.

    numba's own is a number that it counts in each process. Kernels that were compiled in two processes could have two
    functions of one name then, for discs and for spheres, and one of them would run the other's.
    """
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest()[:16],)


types.Record.mangling_args = property(_lasting_name)  # type: ignore[method-assign, assignment]

# without fastmath, results are the same bits on every run, and the order of operations is kept, on which the
# computations of times of impact rely
_ALWAYS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_LINKED = _ALWAYS | {"no_cpython_wrapper": True}


def _linked(function: F, options: dict[str, Any]) -> F:
    """Compile a function that only kernels call, with these options of numba."""
    return cast(F, Inner(function, targetoptions=options | {"nopython": True}))


def kernel(function: F) -> F:
    """Compile a function that Python calls: it releases the interpreter lock and divides by zero as numpy does.

    A function that only kernels call gets `inner` instead.
    """
    compiled: F = numba.njit(**_ALWAYS)(function)
    keep(compiled, _FOLDER)
    return compiled


def inner(function: F) -> F:
    """Compile a function that only kernels call, as a part of these, which takes a fraction of the time.

    Integer arguments are converted to int64.
    """
    return _linked(function, _LINKED)


def inlined(function: F) -> F:
    """Compile a small function on a hot path, as `inner` does; its code is inlined into each caller."""
    return _linked(function, _LINKED | {"forceinline": True})


def fused(function: F) -> F:
    """Compile a function that Python calls, of sums of products whose last bits do not matter.

    The compiler may use fused multiply-add instructions, and sum in the order that suits vector instructions. The
    result has the same bits on every run on one machine, but may differ between machines.
    """
    compiled: F = numba.njit(**_ALWAYS, fastmath={"contract", "reassoc"})(function)
    keep(compiled, _FOLDER)
    return compiled


@inlined
def whole(value: Any) -> int:
    """An integer of any type as int64, the type that kernels count and index with."""
    number: int = np.int64(value)  # type: ignore[assignment]
    return number


class _BorrowedArray(types.Array):
    """The type of an array whose references are not counted."""

    def __init__(self, array: types.Array) -> None:
        if array.layout != "C":
            raise TypingError("only C-contiguous arrays can be borrowed")
        kind = (array.dtype, array.ndim, array.layout)
        super().__init__(*kind, not array.mutable, name=f"borrowed {array.name}", aligned=array.aligned)


@register_model(_BorrowedArray)
class _BorrowedArrayModel(models.StructModel):  # type: ignore[misc]
    """The memory layout of a borrowed array: that of an array, with a plain address instead of the reference counter.

    Only the address and the lengths are passed to functions; everything else follows from these. A simulation passes
    dozens of arrays in every call, which takes 45 numbers instead of 240 this way.
    """

    def __init__(self, manager: Any, array: _BorrowedArray) -> None:
        counted = models.ArrayModel(manager, array)
        members = list(zip(counted._fields, counted._members, strict=True))
        super().__init__(manager, array, [("meminfo", types.voidptr), *members[1:]])

    def _part(self, name: str) -> Any:
        """The data model of a field."""
        return self.get_model(self.get_field_position(name))

    def get_argument_type(self) -> Any:
        """The types of what is passed to a function: the address and the lengths."""
        return tuple(self._part(name).get_argument_type() for name in ("data", "shape"))

    def as_argument(self, builder: Any, value: Any) -> Any:
        """What is passed to a function: the address and the lengths."""
        return tuple(
            self._part(name).as_argument(builder, self.get(builder, value, name)) for name in ("data", "shape")
        )

    def from_argument(self, builder: Any, value: Any) -> Any:
        """The array, C-contiguous, rebuilt from the address and the lengths."""
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
    """A NamedTuple of the same arrays without reference counting, for use in a kernel while the caller holds them.

    Numbers in the tuple stay as they are.

    numba changes a reference counter atomically at each call that passes an array. With the dozens of arrays of a
    simulation that took longer than the physics (14 against 4 microseconds per merge). A borrowed array must never be
    returned to Python.
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
    """The address of a C-contiguous array, to be indexed with one number, without bounds checks.

    It is for the most time-critical kernels: it is cheaper to pass on than even a borrowed array. The caller must hold
    the array meanwhile, and a pointer must never be returned to Python.
    """
    signature = types.CPointer(array.dtype)(array)  # type: ignore[attr-defined]

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(array)(context, builder, value=args[0]).data

    return signature, codegen


class _Records(types.Type):
    """The type of the address of a structured array, which is indexed with one number and gives a record."""

    def __init__(self, dtype: types.Record) -> None:
        self.dtype = dtype
        super().__init__(name=f"records {dtype}")


@register_model(_Records)
class _RecordsModel(models.PrimitiveModel):  # type: ignore[misc]
    """The memory layout: an address, the same as that of a single record."""

    def __init__(self, manager: Any, records: _Records) -> None:
        super().__init__(manager, records, manager.lookup(records.dtype).get_value_type())


@infer_global(operator.getitem)
class _OneRecord(AbstractTemplate):  # type: ignore[misc]
    """The type of ``records[k]``: a reference to a record, whose fields can be read and written."""

    def generic(self, args: Any, kws: Any) -> Any:
        """numba's hook: the types of this call, None if it is not about `_Records`."""
        records, index = args
        if isinstance(records, _Records) and isinstance(index, types.Integer):
            return typing_signature(records.dtype, records, types.int64)
        return None


@lower_builtin(operator.getitem, _Records, types.Integer)
def _record_address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The code of ``records[k]``."""
    return builder.gep(args[0], [args[1]])


class _LentRecord(types.Record):
    """The type of a record that is passed on as its address, so that functions may return it in a tuple."""

    def __init__(self, record: types.Record) -> None:
        fields: list[Any] = [(name, field._asdict()) for name, field in record.fields.items()]
        super().__init__(fields, record.size, record.aligned)


@register_model(_LentRecord)
class _LentRecordModel(models.PrimitiveModel):  # type: ignore[misc]
    """The memory layout: an address."""

    def __init__(self, manager: Any, record: _LentRecord) -> None:
        super().__init__(manager, record, ir.ArrayType(ir.IntType(8), record.size).as_pointer())


@intrinsic
def lent(typing_context: Any, record: Any) -> Any:
    """A reference to a record that functions may return, while the caller holds the record; never to Python."""
    signature = _LentRecord(record)(record)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return args[0]

    return signature, codegen


@intrinsic
def elements(typing_context: Any, array: Any) -> Any:
    """The elements of a C-contiguous array of one dimension, to be indexed with one number.

    Without bounds checks it is the address of the array, as `pointer` gives it, and for structured arrays too. Where
    indices are checked (`CHECKED`), it is the borrowed array, which knows its length.
    """
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


def _ask_for_lines(builder: Any, place: Any, size: int) -> None:
    """Code that asks for the cache lines of `size` bytes at an address."""
    byte = ir.IntType(8).as_pointer()
    number = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    first = builder.bitcast(place, byte)
    for offset in range(0, size, 64):
        line = builder.gep(first, [ir.Constant(ir.IntType(64), offset)])
        builder.call(function, [line, number(0), number(3), number(1)])


@intrinsic
def prefetch(typing_context: Any, address: Any, index: Any) -> Any:
    """Have the processor load the cache line of `address[index]`, an element of `elements`, before it is needed."""
    signature = types.void(address, index)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not CHECKED:
            _ask_for_lines(builder, builder.gep(args[0], [args[1]]), 1)
        return context.get_dummy_value()

    return signature, codegen


@intrinsic
def prefetch_record(typing_context: Any, address: Any, index: Any) -> Any:
    """`prefetch` for a record that takes several cache lines: all of them."""
    signature = types.void(address, index)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not CHECKED:
            _ask_for_lines(builder, builder.gep(args[0], [args[1]]), address.dtype.size)
        return context.get_dummy_value()

    return signature, codegen


def vector_field(*names: str) -> tuple[Callable[[Any], Any], Callable[[Any, Any], None]]:
    """Two functions for kernels that read and write fields of a record as a vector, a tuple.

    names : one for each axis. A record of the plane lacks the last one, so that its vectors have two components; thus
        the types of records say in which dimension a kernel computes. All fields must have one type; whole numbers are
        read as int64. Records that lack all of the fields are read as the empty tuple: so the same code computes with
        what some records have and others have not.
    """

    def there(record: Any) -> list[str]:
        if not isinstance(record, types.Record):
            raise TypingError(f"{record} is not a record with the fields {', '.join(names)}")
        return [name for name in names if name in record.fields]

    def member(context: Any, builder: Any, record: Any, value: Any, name: str) -> Any:
        kind = context.get_data_type(record.typeof(name))
        return cgutils.get_record_member(builder, value, record.offset(name), kind)

    def aligned(record: Any) -> int | None:
        return None if record.aligned else 1

    @intrinsic
    def read(typing_context: Any, record: Any) -> Any:
        if not there(record):
            nothing = types.Tuple(())  # type: ignore[attr-defined]
            return nothing(record), lambda context, builder, signature, args: context.make_tuple(builder, nothing, ())
        stored = record.typeof(there(record)[0])
        kind = types.int64 if isinstance(stored, types.Integer) else stored
        signature = types.UniTuple(kind, len(there(record)))(record)  # type: ignore[attr-defined]

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            parts = [
                context.unpack_value(builder, stored, member(context, builder, record, args[0], name), aligned(record))
                for name in there(record)
            ]
            parts = [context.cast(builder, part, stored, kind) for part in parts]
            return context.make_tuple(builder, signature.return_type, parts)

        return signature, codegen

    @intrinsic
    def write(typing_context: Any, record: Any, vector: Any) -> Any:
        fields = there(record)
        if len(vector) != len(fields):
            raise TypingError(f"{len(vector)} components for the fields {', '.join(fields)}")
        signature = types.void(record, vector)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            for k, name in enumerate(fields):
                stored = record.typeof(name)
                part = context.cast(builder, builder.extract_value(args[1], k), vector[k], stored)
                where = member(context, builder, record, args[0], name)
                context.pack_value(builder, stored, part, where, aligned(record))
            return context.get_dummy_value()

        return signature, codegen

    return read, write
