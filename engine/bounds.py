"""For kernels that check their indices (NUMBA_BOUNDSCHECK=1): negative ones are out of bounds too.

numba checks an index after a negative one has been taken to count from the end, so that -1, the engine's word for
"none", would pass. No kernel counts from the end.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.np import arrayobj


def refuse_negative_indices() -> None:
    """Leave negative indices as they are, for numba to find them out of bounds. Before any kernel is compiled."""

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)

    arrayobj.fix_integer_index = fix_integer_index
