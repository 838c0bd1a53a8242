"""Functions that only kernels call: compiled for one set of types, and finished in the kernels they are linked into.

numba finishes every function on its own: it optimises the function with everything it calls, writes machine code and a
wrapper that takes Python objects apart. A function that Python never calls is optimised once more in each kernel that
it is linked into, and nothing else of it is ever used: more than half of the time of compiling went there. And it
compiles a function anew for int32, for int64 and for each constant, which changes no result.
Imported by `engine.kernels` alone, after the folder of the cache is known.
"""

from __future__ import annotations

from typing import Any, NoReturn

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher


class Inner(CPUDispatcher):  # type: ignore[misc]
    """What the decorators `inner` and `inlined` make of a function."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:
        super().__init__(py_func, locals or {}, targetoptions or {}, pipeline_class=_LinkedCompiler)

    def __call__(self, *args: Any, **named: Any) -> NoReturn:
        """Python cannot call it."""
        raise TypeError(f"{self.py_func.__qualname__} is a part of kernels: Python cannot call it")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The function for a call with such types in a kernel."""
        return super().get_call_template(
            tuple(_plain(kind) for kind in args), {name: _plain(kind) for name, kind in kws.items()}
        )


def _plain(kind: Any) -> Any:
    """int64 for whole numbers that fit, bool for True and False, whatever else it is as it is."""
    if isinstance(kind, types.Boolean):
        return types.boolean
    if isinstance(kind, types.Integer) and kind != types.uint64:
        return types.int64
    return kind


class _LinkedCode(JITCodeLibrary):  # type: ignore[misc]
    """Code of one function and of all that it calls, as it was lowered."""

    def finalize(self) -> None:
        """Make ready to be linked: no optimisation, no machine code."""
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "external":
                function.linkage = "linkonce_odr"  # as numba has it: may come from several callers, goes if unused
        self._shared_module = self._final_module
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Of what Python would call: there is none."""
        return 0

    @property
    def codegen(self) -> Any:
        """Asked for only to fill the environment of a function that has machine code."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """There is nothing to fill."""


class _LinkedCompiler(Compiler):  # type: ignore[misc]
    """numba's compiler, with `_LinkedCode` for what comes out."""

    def define_pipelines(self) -> Any:
        """The passes of numba, none left out."""
        self.state.library = _LinkedCode(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()
