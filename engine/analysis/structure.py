"""The arrangement of discs: contacts, pair distribution, fractal dimension, shape and sizes of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.analysis.distances import PairDistribution, distribution_of
from engine.analysis.fractal import BoxCounting, FractalFit
from engine.analysis.sample import Sample
from engine.analysis.state import Floats, Ints, Longs
from engine.indicators import Indicator, as_json, measure


@dataclass(frozen=True, eq=False)
class Indicators:
    """What the arrangement of the discs looks like. None: the quantity has no meaning for this state.

    Attributes
    ----------
    contacts_relative : N_c (4.13).
    contacts_histogram : (K,) int64, discs with 0, 1, …, K - 1 contacts, K >= 7.
    pair_distribution : P(r) (4.14), ``r`` and ``p``.
    box_counting : N(ε) (4.15), ``eps`` and ``n``.
    fractal_dimension : D_f of aggregates, None where nothing has aggregated: every cluster is one disc or, where
        clusters are not given, no disc has a contact.
    fractal_fit : the line whose slope it is.
    aspect_ratio, orientation : A_r (4.11) and D (4.12), radians in (-π/2, π/2], of the largest cluster, or of all
        discs where clusters are not given.
    cluster_sizes : number of clusters by size.
    """

    contacts_relative: float
    contacts_histogram: Longs
    pair_distribution: PairDistribution
    box_counting: BoxCounting
    fractal_dimension: float | None
    fractal_fit: FractalFit | None
    aspect_ratio: float | None
    orientation: float | None
    cluster_sizes: dict[int, int] | None

    def to_dict(self) -> dict[str, Any]:
        """The same names with plain lists, numbers and None, ready for JSON; cluster sizes become strings."""
        return as_json(vars(self), STRUCTURE)


def _dimension(sample: Sample) -> float | None:
    return None if sample.fractal_fit is None else sample.fractal_fit.dimension


def _line(fit: FractalFit) -> dict[str, float]:
    return {"prefactor": fit.prefactor, "eps_min": fit.eps_min, "eps_max": fit.eps_max}


STRUCTURE = (
    Indicator("contacts_relative", "relative contacts", lambda sample: sample.contacts.relative, "N_c"),
    Indicator(
        "contacts_histogram",
        "discs with 0, 1, … contacts",
        lambda sample: sample.contacts.histogram,
        in_words=lambda counts: " ".join(map(str, counts)),
    ),
    Indicator("pair_distribution", "pair distribution", lambda sample: distribution_of(sample.state), "P(r)"),
    Indicator("box_counting", "box counting", lambda sample: sample.boxes, "N(ε)", of_clusters=True),
    Indicator("fractal_dimension", "fractal dimension", _dimension, "D_f", of_clusters=True),
    Indicator(
        "fractal_fit",
        "fit of the fractal dimension",
        lambda sample: sample.fractal_fit,
        to_json=_line,
        of_clusters=True,
    ),
    Indicator("aspect_ratio", "aspect ratio", lambda sample: sample.shape.aspect_ratio, "A_r", of_clusters=True),
    Indicator("orientation", "orientation", lambda sample: sample.shape.orientation, "D", of_clusters=True),
    Indicator("cluster_sizes", "cluster sizes", lambda sample: sample.cluster_sizes, of_clusters=True),
)
"""Of every system; those of clusters are None where discs do not join."""


def analyse(
    positions: Floats,
    radii: Floats,
    box: Floats,
    *,
    periodic: bool,
    cluster: Ints | None = None,
) -> Indicators:
    """Measure a state: contacts, pair distribution, box counting, shape and cluster sizes. O(N), one core.

    The compiled parts run without the interpreter lock. With unequal radii two discs are in contact when
    |X_i - X_j| <= 1.05 (R_i + R_j), and the R of the other ranges is the mean radius.

    Parameters
    ----------
    positions : (N, 2) centres inside the box, N >= 1.
    radii : (N,), > 0.
    box : (2,), side lengths.
    periodic : distances are to the nearest image.
    cluster : (N,) integers, discs with the same number belong together. Without it there are no cluster
        sizes, and the shape is that of all discs.

    Raises
    ------
    InputError : an array has the wrong shape, is empty, or holds values that are not finite or not positive.
    """
    return Indicators(**measure(Sample(positions, radii, box, periodic=periodic, cluster=cluster), STRUCTURE))
