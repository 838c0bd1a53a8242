"""Choosing discs: expressions over what discs and clusters have, and sets of discs. `engine.select` uses all of it.

No kernel uses anything from here, so that a change here keeps the machine code of the kernels.
"""

from engine.selection.clusters import CLUSTER_FIELDS, ClusterField, FrameClusters
from engine.selection.expressions import FUNCTIONS, Expression
from engine.selection.quantities import ClusterColumns, DiscColumns, disc_fields, example, values_of, where
from engine.selection.sets import Selection, numbers_in

__all__ = [
    "CLUSTER_FIELDS",
    "FUNCTIONS",
    "ClusterColumns",
    "ClusterField",
    "DiscColumns",
    "Expression",
    "FrameClusters",
    "Selection",
    "disc_fields",
    "example",
    "numbers_in",
    "values_of",
    "where",
]
