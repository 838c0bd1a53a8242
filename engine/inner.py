"""Faster compilation of functions that only kernels call: no machine code of their own, one set of types.

numba compiles every function completely: it optimises the function together with all that it calls, and generates
machine code and a wrapper for calls from Python. For a function that only kernels call, none of that is used, because
each kernel that it is linked into is optimised as a whole again. It used to be more than half of the compile time.
numba also compiles a function separately for int32, int64 and each constant, though the results are the same.

Only `engine.kernels` imports this module, once the cache folder is set.
"""

from __future__ import annotations

from typing import Any, NoReturn

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher


class Inner(CPUDispatcher):  # type: ignore[misc]
    """A function that only kernels call, as the decorators `inner` and `inlined` make it."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:
        super().__init__(py_func, locals or {}, targetoptions or {}, pipeline_class=_LinkedCompiler)

    def __call__(self, *args: Any, **named: Any) -> NoReturn:
        """Raise TypeError: Python cannot call such a function."""
        raise TypeError(f"{self.py_func.__qualname__} is a part of kernels: Python cannot call it")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """numba's hook for a call in a kernel: the function for these argument types, made uniform by `_plain`."""
        return super().get_call_template(
            tuple(_plain(kind) for kind in args), {name: _plain(kind) for name, kind in kws.items()}
        )


def _plain(kind: Any) -> Any:
    """int64 for every integer type but uint64, bool for constants True and False, all other types unchanged."""
    if isinstance(kind, types.Boolean):
        return types.boolean
    if isinstance(kind, types.Integer) and kind != types.uint64:
        return types.int64
    return kind


class _LinkedCode(JITCodeLibrary):  # type: ignore[misc]
    """The unoptimised LLVM code of a function and of all that it calls."""

    def finalize(self) -> None:
        """numba's hook to finish a library: link what is called, without optimisation or machine code."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "external":
                function.linkage = "linkonce_odr"  # as in numba: duplicates are merged, unused code is dropped
        self._shared_module = self._final_module
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """numba's hook for the address of the machine code: there is none."""
        return 0

    @property
    def codegen(self) -> Any:
        """numba asks for it only to call `set_env`."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """numba's hook to set the environment of machine code: there is none."""


class _LinkedCompiler(Compiler):  # type: ignore[misc]
    """numba's compiler, which puts its result into a `_LinkedCode`."""

    def define_pipelines(self) -> Any:
        """All of numba's compiler passes."""
        self.state.library = _LinkedCode(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()
