"""The arrays of the time-stepping method as a checkpoint keeps them: as far as they are in use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.aggregation.recent import no_events
from engine.aggregation.time_stepping import arrays as ts
from engine.aggregation.time_stepping.arrays import Stepping
from engine.geometry.cells import usual_radius

# arrays of which only the first rows are in use, and where their number stands
_TRIMMED = {
    "links": ("sim", "links"),
    "fresh": ("sim", "fresh"),
    "log": ("sim", "logged"),
    "bodies": ("group", "bodies"),
    "group_links": ("group", "links"),
    "wake": ("group", "wakes"),
}


def pack(st: Stepping) -> dict[str, NDArray[Any]]:
    """Copies of all arrays but those that follow from the radii and those that nothing follows from, and how long they
    were (``rows``)."""
    left_out = {"wide", *no_events()}
    arrays = {name: value[: _used(st, name)].copy() for name, value in st._asdict().items() if name not in left_out}
    arrays["rows"] = np.array([len(getattr(st, name)) for name in _TRIMMED])
    return arrays


def unpack(arrays: dict[str, NDArray[Any]]) -> Stepping:
    """What `pack` was given."""
    rows = dict(zip(_TRIMMED, arrays["rows"].tolist(), strict=True))
    fields: dict[str, Any] = {**no_events()}
    for name in Stepping._fields:
        if name == "wide" or name in fields:
            continue
        kept = arrays[name]
        shape = (rows.get(name, len(kept)), *kept.shape[1:])
        fields[name] = np.zeros(shape, ts.ROWS.get(name, kept.dtype))
        fields[name][: len(kept)] = kept
    usual = usual_radius(fields["radius"])
    fields["sim"]["usual_radius"] = usual
    return Stepping(**fields, wide=ts.wide_discs(fields["radius"], usual))


def _used(st: Stepping, name: str) -> int | None:
    """Rows in use of the arrays that are much longer than that, None for the others."""
    counter = _TRIMMED.get(name)
    if counter is None:
        return None
    which, field = counter
    return int(getattr(st, which)[field][0])
