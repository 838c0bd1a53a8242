"""Small studies for the tests."""

from __future__ import annotations

from typing import Any

from engine.study import Study

TINY: dict[str, Any] = {
    "title": "Small lattices",
    "scenario": "lattice-100",
    "vary": [
        {"key": "discs.volume_fraction", "values": [0.1, 0.2]},
        {"key": "discs.count", "values": [16, 36]},
    ],
    "seeds": {"first": 3, "count": 3},
    "measure": {
        "quantities": ["contacts_relative", "events.merge", "fractal_dimension"],
        "curves": ["box_counting", "history.clusters"],
    },
}
"""Twelve runs of milliseconds."""


def tiny(**changes: Any) -> Study:
    """`TINY` with some of its tables changed."""
    return Study.from_values(TINY | changes)


MANY: dict[str, Any] = TINY | {
    "vary": [{"key": "discs.count", "values": [100, 144, 196]}],
    "seeds": {"count": 40},
    "measure": {"quantities": ["contacts_relative", "events.merge"]},
}
"""So many short runs that a kill hits the middle."""
